"""Puzzles that are the same but for labels: random isomorphs, and one canonical form for all.

Relabelling digits, permuting bands and the rows inside them, stacks and their columns, and
transposing (where boxes are square) turn a puzzle into an equally hard one.

The canonical form is found as graphs are canonised: colour rows, columns and digits by what they
meet, refine until nothing new is learnt, single out one line of a class that is still alike, and
go on; the least board over all ways is the form. Lines that an automorphism carries into each
other lead to the same board, so one of them is enough.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from genoku.board import Puzzle
from genoku.geometry import Geometry
from genoku.jit import kernel
from genoku.stream import Stream, below, permutation, stream

Colours = NDArray[np.uint64]
Leaf = tuple[bytes, bytes]  # a board, and the colours that led to it

MORE_THAN_ANY = b"\xff"


def shuffled(puzzle: Puzzle | str, seed: int) -> Puzzle:
    """A random isomorph of a puzzle.

    >>> shuffled(Puzzle.parse("1.....3..4.....2"), seed=1)
    Puzzle.parse('.2.....1..4.3...')
    """
    puzzle = Puzzle.parse(puzzle)
    rng = stream(seed, "isomorph")
    geometry, side = puzzle.geometry, puzzle.side
    grid = puzzle.board.reshape(side, side)
    if geometry.is_square and below(rng, 2):
        grid = grid.T
    rows = _shuffled_lines(rng, geometry.box_rows, side)
    columns = _shuffled_lines(rng, geometry.box_cols, side)
    labels = np.concatenate([[0], permutation(rng, side) + 1]).astype(np.uint8)
    return Puzzle(geometry, labels[grid[rows][:, columns]].tobytes())


def _shuffled_lines(rng: Stream, size: int, side: int) -> NDArray[np.int64]:
    """A random order of lines that keeps those of a band (or stack) of `size` together."""
    return np.concatenate(
        [band * size + permutation(rng, size) for band in permutation(rng, side // size)]
    )


def canonical(puzzle: Puzzle | str) -> Puzzle:
    """The same puzzle for all isomorphs of one, and for no others.

    >>> puzzle = Puzzle.parse("1.....3..4.....2")
    >>> canonical(shuffled(puzzle, seed=1)) == canonical(puzzle)
    True
    """
    puzzle = Puzzle.parse(puzzle)
    grid = puzzle.board.reshape(puzzle.side, puzzle.side)
    grids = [grid, grid.T] if puzzle.geometry.is_square else [grid]
    clashes = bool(puzzle.conflicts())
    every = [_Lines(grid, puzzle.geometry, clashes=clashes) for grid in grids]
    seen: set[Leaf] = set()
    least = min(_least_form(lines, lines.first_colours(), seen) for lines in every)
    return Puzzle(puzzle.geometry, least)


class _Lines:
    """The rows and columns of a grid, coloured by what they meet.

    Colours are hashes of a line's whole history and surroundings, so they do not depend on how
    the lines are numbered: first those of all rows, then all columns, then all digits.
    """

    def __init__(self, grid: NDArray[np.uint8], geometry: Geometry, *, clashes: bool) -> None:
        rows, columns = np.nonzero(grid)
        digits = grid[rows, columns].astype(np.int64) - 1
        self.grid, self.geometry, self.side = grid, geometry, geometry.side
        self.givens = np.stack([rows, columns, digits], axis=1)
        self.used = sorted({*rows.tolist(), *(columns + self.side).tolist()})
        self.kinship = np.zeros((3, self.side, self.side), np.uint64)
        for kind, size in enumerate((geometry.box_rows, geometry.box_cols)):
            bands = np.arange(self.side) // size
            self.kinship[kind] = bands[:, None] == bands
        if not clashes:
            compare_lines(self.kinship, self.givens)

    def first_colours(self) -> Colours:
        return self.refined(np.repeat(np.arange(3, dtype=np.uint64), self.side))

    def refined(self, colours: Colours) -> Colours:
        refined = colours.copy()
        refine(refined, self.givens, self.kinship)
        return refined

    def alike(self, colours: Colours) -> list[int]:
        """The smallest class of lines that hold givens and still look alike."""
        classes: dict[int, list[int]] = {}
        for line in self.used:
            classes.setdefault(int(colours[line]), []).append(line)
        open_ones = [(len(c), colour, c) for colour, c in classes.items() if len(c) > 1]
        return min(open_ones)[2] if open_ones else []

    def told_apart(self, colours: Colours, line: int) -> Colours:
        changed = colours.copy()
        changed[line] = ~changed[line]
        return self.refined(changed)

    def form(self, colours: Colours) -> bytes:
        """The board with lines in the order of their colours, digits as they first appear."""
        rows = _ordered(colours[: self.side], self.geometry.box_rows)
        columns = _ordered(colours[self.side : 2 * self.side], self.geometry.box_cols)
        cells = self.grid[rows][:, columns].ravel()
        label = {0: 0}
        return bytes(label.setdefault(digit, len(label)) for digit in cells.tolist())


def _ordered(colours: Colours, size: int) -> list[int]:
    """Lines sorted by colour inside their bands of `size`, bands by the colours they hold."""
    keys = colours.tolist()
    bands = [
        sorted(range(start, start + size), key=keys.__getitem__)
        for start in range(0, len(keys), size)
    ]
    bands.sort(key=lambda band: [keys[line] for line in band])
    return [line for band in bands for line in band]


def _least_form(lines: _Lines, colours: Colours, seen: set[Leaf], own: Leaf | None = None) -> bytes:
    """The least board over all ways to tell the lines apart that are still alike.

    `own` is the leaf that was seen on the way here, and lies below.
    """
    alike = lines.alike(colours)
    if not alike:
        return lines.form(colours)
    branches = [lines.told_apart(colours, line) for line in alike]
    # What a branch looks like does not depend on numbering, so only the least looks matter.
    looks = [np.sort(branch).tobytes() for branch in branches]
    forms: list[bytes] = []
    for branch, look in zip(branches, looks, strict=True):
        if look == min(looks):
            # A leaf seen before, reached from another line, shows an automorphism: below this
            # branch there is nothing that is not below the other.
            leaf = _first_leaf(lines, branch)
            if leaf == own or leaf not in seen:
                own = None
                seen.add(leaf)
                forms.append(_least_form(lines, branch, seen, leaf))
    return min(forms, default=MORE_THAN_ANY)


def _first_leaf(lines: _Lines, colours: Colours) -> Leaf:
    while alike := lines.alike(colours):
        colours = lines.told_apart(colours, alike[0])
    return lines.form(colours), np.sort(colours).tobytes()


@kernel
def compare_lines(kinship: NDArray[np.uint64], givens: NDArray[np.int64]) -> None:
    """Add to the kinship of two lines how they interlock: the lengths of their digit chains.

    Where two rows meet the same column, the digit of one leads to the digit of the other. These
    steps form chains and cycles whose lengths do not depend on any label; they tell the lines of
    a full grid apart, which counting what they meet can not. Likewise for columns and digits.
    """
    side = kinship.shape[1]
    through = np.empty((side, side), np.int64)
    onward = np.empty(side, np.int64)
    is_start = np.empty(side, np.bool_)
    for kind in range(3):
        # Rows and columns lead from digit to digit, digits from column to column.
        crossing, carried = (1, 2) if kind == 0 else (0, 2) if kind == 1 else (0, 1)
        through[:] = -1
        for given in range(len(givens)):
            through[givens[given, kind], givens[given, crossing]] = givens[given, carried]
        for one in range(side):
            for other in range(one):
                onward[:] = -1
                is_start[:] = True
                for i in range(side):
                    if through[one, i] >= 0 and through[other, i] >= 0:
                        onward[through[one, i]] = through[other, i]
                        is_start[through[other, i]] = False
                chains = np.uint64(0)
                for cycles in range(2):
                    for i in range(side):
                        length, here = 0, i
                        while (cycles == 1 or length > 0 or is_start[i]) and onward[here] >= 0:
                            onward[here], here = -1, onward[here]
                            length += 1
                        if length > 0:
                            chains += scrambled(np.uint64(2 * length + cycles))
                kinship[kind, one, other] += chains
                kinship[kind, other, one] += chains


@kernel
def refine(colours: Colours, givens: NDArray[np.int64], kinship: NDArray[np.uint64]) -> None:
    """Colour rows, columns and digits anew by what they meet, until no class splits further."""
    side = kinship.shape[1]
    fresh = np.empty_like(colours)
    classes = 0
    while True:
        for kind in range(3):
            for one in range(side):
                line = kind * side + one
                fresh[line] = scrambled(colours[line])
                for other in range(side):
                    known = colours[kind * side + other]
                    fresh[line] += scrambled(known ^ scrambled(kinship[kind, one, other]))
        for given in range(len(givens)):
            row = givens[given, 0]
            column = side + givens[given, 1]
            digit = 2 * side + givens[given, 2]
            meeting = scrambled(
                colours[row] + scrambled(colours[column] + scrambled(colours[digit]))
            )
            fresh[row] += meeting
            fresh[column] += meeting
            fresh[digit] += meeting
        now = len(np.unique(fresh))
        if now == classes:
            break
        classes = now
        colours[:] = fresh


@kernel
def scrambled(value: Any) -> Any:
    """A 64-bit hash: the finaliser of SplitMix64 (Steele, Lea & Flood 2014)."""
    value += np.uint64(0x9E3779B97F4A7C15)
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return value ^ (value >> np.uint64(31))
