"""Isomorphic puzzles: random isomorphs, and a canonical form.

Relabelling digits, permuting bands and the rows inside them, stacks and their columns, and
transposing (if boxes are square) turn a puzzle into an equally hard one.

The canonical form is found as for graphs, by individualisation and refinement: colour rows, columns
and digits by what they meet, refine until no class splits, individualise one line of a class,
repeat; the least board over all choices is the form. Lines that an automorphism maps to each other
lead to the same board, so one of them is enough.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from genoku.puzzle.board import Puzzle
from genoku.puzzle.geometry import Geometry
from genoku.runtime.jit import kernel
from genoku.runtime.random import Stream, below, permutation, stream

Colours = NDArray[np.uint64]
Leaf = tuple[bytes, bytes]  # a board, and the colours that led to it

MORE_THAN_ANY = b"\xff"


def shuffled(puzzle: Puzzle | str, seed: int) -> Puzzle:
    """Return a random isomorph of a puzzle.

    Examples
    --------
    >>> shuffled(Puzzle.parse("1.....3..4.....2"), seed=1)
    Puzzle.parse('.2.....1..4.3...')
    """
    puzzle = Puzzle.parse(puzzle)
    rng = stream(seed, "isomorph")
    geometry, side = puzzle.geometry, puzzle.side
    grid = puzzle.board.reshape(side, side)
    if geometry.is_square and below(rng, 2):
        grid = grid.T
    rows = _shuffle_lines(rng, geometry.box_rows, side)
    columns = _shuffle_lines(rng, geometry.box_cols, side)
    labels = np.concatenate([[0], permutation(rng, side) + 1]).astype(np.uint8)
    return Puzzle(geometry, labels[grid[rows][:, columns]].tobytes())


def _shuffle_lines(rng: Stream, size: int, side: int) -> NDArray[np.int64]:
    """Return a random order of lines that keeps those of a band (or stack) together."""
    return np.concatenate(
        [band * size + permutation(rng, size) for band in permutation(rng, side // size)]
    )


def canonical(puzzle: Puzzle | str) -> Puzzle:
    """Return the canonical form of a puzzle: the same for all of its isomorphs, and only for them.

    Examples
    --------
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
    start = np.repeat(np.arange(3, dtype=np.uint64), puzzle.side)
    least = min(_least_form(lines, lines.refine_colours(start), seen) for lines in every)
    return Puzzle(puzzle.geometry, least)


class _Lines:
    """The rows and columns of a grid, coloured by what they meet.

    Colours `[3·side]` are those of all rows, then all columns, then all digits. They are hashes of
    a line's surroundings, so they do not depend on how lines are numbered.
    """

    def __init__(self, grid: NDArray[np.uint8], geometry: Geometry, *, clashes: bool) -> None:
        rows, columns = np.nonzero(grid)
        digits = grid[rows, columns].astype(np.int64) - 1
        self.grid, self.geometry, self.side = grid, geometry, geometry.side
        self.givens = np.stack([rows, columns, digits], axis=1)
        self.used = sorted({*rows.tolist(), *(columns + self.side).tolist()})
        self.relations = np.zeros((3, self.side, self.side), np.uint64)
        for kind, size in enumerate((geometry.box_rows, geometry.box_cols)):
            bands = np.arange(self.side) // size
            self.relations[kind] = bands[:, None] == bands
        if not clashes:
            compare_lines(self.relations, self.givens)

    def refine_colours(self, colours: Colours) -> Colours:
        refined = colours.copy()
        refine(refined, self.givens, self.relations)
        return refined

    def smallest_class(self, colours: Colours) -> list[int]:
        """Return the smallest class of several lines with givens and equal colours, if any."""
        classes: dict[int, list[int]] = {}
        for line in self.used:
            classes.setdefault(int(colours[line]), []).append(line)
        open_ones = [(len(c), colour, c) for colour, c in classes.items() if len(c) > 1]
        return min(open_ones)[2] if open_ones else []

    def individualise(self, colours: Colours, line: int) -> Colours:
        """Give one line a colour of its own, and refine."""
        changed = colours.copy()
        changed[line] = ~changed[line]
        return self.refine_colours(changed)

    def form(self, colours: Colours) -> bytes:
        """Return the board with lines sorted by colour, digits numbered by first appearance."""
        rows = _sort_lines(colours[: self.side], self.geometry.box_rows)
        columns = _sort_lines(colours[self.side : 2 * self.side], self.geometry.box_cols)
        cells = self.grid[rows][:, columns].ravel()
        label = {0: 0}
        return bytes(label.setdefault(digit, len(label)) for digit in cells.tolist())


def _sort_lines(colours: Colours, size: int) -> list[int]:
    """Sort lines by colour within their bands of `size`, and bands by the colours they hold."""
    keys = colours.tolist()
    bands = [
        sorted(range(start, start + size), key=keys.__getitem__)
        for start in range(0, len(keys), size)
    ]
    bands.sort(key=lambda band: [keys[line] for line in band])
    return [line for band in bands for line in band]


def _least_form(lines: _Lines, colours: Colours, seen: set[Leaf], own: Leaf | None = None) -> bytes:
    """Return the least board over all ways to individualise lines of equal colour.

    `own` is the leaf below this node that has been seen already.
    """
    smallest_class = lines.smallest_class(colours)
    if not smallest_class:
        return lines.form(colours)
    branches = [lines.individualise(colours, line) for line in smallest_class]
    # Sorted colours do not depend on numbering, so only the least branches matter.
    keys = [np.sort(branch).tobytes() for branch in branches]
    forms: list[bytes] = []
    for branch, key in zip(branches, keys, strict=True):
        if key == min(keys):
            # A leaf reached before from another line shows an automorphism: this branch holds
            # nothing that the other does not.
            leaf = _first_leaf(lines, branch)
            if leaf == own or leaf not in seen:
                own = None
                seen.add(leaf)
                forms.append(_least_form(lines, branch, seen, leaf))
    return min(forms, default=MORE_THAN_ANY)


def _first_leaf(lines: _Lines, colours: Colours) -> Leaf:
    while smallest_class := lines.smallest_class(colours):
        colours = lines.individualise(colours, smallest_class[0])
    return lines.form(colours), np.sort(colours).tobytes()


@kernel
def compare_lines(relations: NDArray[np.uint64], givens: NDArray[np.int64]) -> None:
    """Add the lengths of digit chains between two lines to their relation.

    Where two rows meet the same column, the digit of one leads to the digit of the other. These
    steps form chains and cycles whose lengths do not depend on labels. They distinguish the lines
    of a full grid, which refinement alone cannot. Likewise for columns and digits.
    """
    side = relations.shape[1]
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
                            chains += mix_bits(np.uint64(2 * length + cycles))
                relations[kind, one, other] += chains
                relations[kind, other, one] += chains


@kernel
def refine(colours: Colours, givens: NDArray[np.int64], relations: NDArray[np.uint64]) -> None:
    """Recolour rows, columns and digits by what they meet until no class splits further."""
    side = relations.shape[1]
    fresh = np.empty_like(colours)
    classes = 0
    while True:
        for kind in range(3):
            for one in range(side):
                line = kind * side + one
                fresh[line] = mix_bits(colours[line])
                for other in range(side):
                    known = colours[kind * side + other]
                    fresh[line] += mix_bits(known ^ mix_bits(relations[kind, one, other]))
        for given in range(len(givens)):
            row = givens[given, 0]
            column = side + givens[given, 1]
            digit = 2 * side + givens[given, 2]
            meeting = mix_bits(colours[row] + mix_bits(colours[column] + mix_bits(colours[digit])))
            fresh[row] += meeting
            fresh[column] += meeting
            fresh[digit] += meeting
        now = len(np.unique(fresh))
        if now == classes:
            break
        classes = now
        colours[:] = fresh


@kernel
def mix_bits(value: Any) -> Any:
    """Hash 64 bits by the finaliser of SplitMix64 (Steele, Lea & Flood 2014)."""
    value += np.uint64(0x9E3779B97F4A7C15)
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return value ^ (value >> np.uint64(31))
