"""A board in progress with the candidates of its blanks, and one step of reasoning on it.

A *digit mask* has bit `d` for digit `d`; a *cell mask* has bit `c` for cell `c`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache

import numpy as np

from genoku.errors import ImpossibleError, PuzzleError
from genoku.puzzle.board import Puzzle
from genoku.puzzle.geometry import Geometry
from genoku.puzzle.notation import symbol
from genoku.runtime import notebook
from genoku.runtime.text import join_words


def bits(mask: int) -> list[int]:
    """Return the positions of the set bits, lowest first."""
    positions: list[int] = []
    while mask:
        low = mask & -mask
        positions.append(low.bit_length() - 1)
        mask ^= low
    return positions


def lowest_bit(mask: int) -> int:
    """Return the position of the lowest set bit."""
    return (mask & -mask).bit_length() - 1


def is_single(mask: int) -> bool:
    """Return whether exactly one bit is set."""
    return mask != 0 and mask & (mask - 1) == 0


class BoardLayout:
    """The units and peers of a geometry as cell masks."""

    def __init__(self, geometry: Geometry) -> None:
        side, units, boxes = geometry.side, geometry.units.tolist(), geometry.box_of.tolist()
        self.units: tuple[tuple[int, ...], ...] = tuple(map(tuple, units))
        self.masks = tuple(sum(1 << cell for cell in unit) for unit in units)
        """The cell mask of every unit."""
        self.units_of = tuple(
            (cell // side, side + cell % side, 2 * side + box) for cell, box in enumerate(boxes)
        )
        """The row, column and box of every cell, as unit numbers."""
        self.peers = tuple(sum(1 << peer for peer in peers) for peers in geometry.peers)
        """The cell mask of every cell's peers."""


board_layout = cache(BoardLayout)


class Grid:
    """A puzzle being solved: the digits placed so far, and the candidates of every blank.

    `options[cell]` is the digit mask of a cell's candidates, 0 once it has a digit;
    `places[digit]` is the cell mask of the same candidates; `missing[unit]` is the digit mask of
    the digits a unit lacks.
    """

    def __init__(self, puzzle: Puzzle, candidates: Sequence[Collection[int]] | None = None) -> None:
        self.geometry = puzzle.geometry
        self.layout = board_layout(puzzle.geometry)
        self.digits = list(puzzle.digits)
        self.missing = self._missing(puzzle)
        self.options = [
            0 if digit else self.missing[row] & self.missing[column] & self.missing[box]
            for digit, (row, column, box) in zip(self.digits, self.layout.units_of, strict=True)
        ]
        if candidates is not None:
            self._keep_only(candidates)
        self.places = [0] * (puzzle.side + 1)
        for cell, mask in enumerate(self.options):
            for digit in bits(mask):
                self.places[digit] |= 1 << cell

    def _missing(self, puzzle: Puzzle) -> list[int]:
        missing = [(1 << puzzle.side + 1) - 2] * (3 * puzzle.side)
        for cell, digit in enumerate(puzzle.digits):
            if digit:
                for unit in self.layout.units_of[cell]:
                    if not missing[unit] >> digit & 1:
                        raise PuzzleError(str(puzzle.conflicts()[0]))
                    missing[unit] ^= 1 << digit
        return missing

    def _keep_only(self, candidates: Sequence[Collection[int]]) -> None:
        if len(candidates) != self.geometry.cells:
            raise PuzzleError(
                f"expected candidates for {self.geometry.cells} cells, got {len(candidates)}"
            )
        for cell, digits in enumerate(candidates):
            self.options[cell] &= sum(1 << digit for digit in set(digits))

    @property
    def is_full(self) -> bool:
        return 0 not in self.digits

    @property
    def puzzle(self) -> Puzzle:
        """The digits placed so far, as a puzzle."""
        return Puzzle(self.geometry, bytes(self.digits))

    @property
    def candidates(self) -> tuple[tuple[int, ...], ...]:
        """The candidates of every cell; none for a cell with a digit."""
        return tuple(tuple(bits(mask)) for mask in self.options)

    def place(self, cell: int, digit: int) -> None:
        """Write a digit and eliminate it from the cell's peers."""
        if self.digits[cell] == digit:
            return
        if not self.options[cell] >> digit & 1:
            raise ImpossibleError(
                f"no solution: {self.cell_names(cell)} would have to be {self.digit_names(digit)}, "
                "which a peer already holds"
            )
        self.digits[cell] = digit
        self.eliminate((cell, option) for option in bits(self.options[cell]))
        for unit in self.layout.units_of[cell]:
            self.missing[unit] &= ~(1 << digit)
        struck = self.places[digit] & self.layout.peers[cell]
        self.eliminate((peer, digit) for peer in bits(struck))

    def eliminate(self, candidates: Iterable[tuple[int, int]]) -> None:
        for cell, digit in candidates:
            self.options[cell] &= ~(1 << digit)
            self.places[digit] &= ~(1 << cell)

    def check(self) -> None:
        """Raise ImpossibleError for a blank without candidates or a digit without a place."""
        options = self.options
        for cell, digit in enumerate(self.digits):
            if not digit and not options[cell]:
                raise ImpossibleError(f"no solution: no digit fits in {self.cell_names(cell)}")
        for unit, cells in enumerate(self.layout.units):
            lacking = self.missing[unit]
            for cell in cells:
                lacking &= ~options[cell]
            if lacking:
                raise ImpossibleError(
                    f"no solution: {self.digit_names(lowest_bit(lacking))} fits nowhere "
                    f"in {self.geometry.unit_name(unit)}"
                )

    def seen_by_all(self, cells: Iterable[int]) -> int:
        """Return the mask of the cells that share a unit with each of `cells`."""
        mask = -1
        for cell in cells:
            mask &= self.layout.peers[cell]
        return mask

    def strike(self, digit: int, cells: int) -> tuple[tuple[int, int], ...]:
        """Return the eliminations of a digit from the cells (a mask) that have it as candidate."""
        return tuple((cell, digit) for cell in bits(self.places[digit] & cells))

    def pairs(self, digit: int) -> dict[int, int]:
        """Return the conjugate pairs of a digit: masks of its only two cells in a unit → unit."""
        spots = self.places[digit]
        found: dict[int, int] = {}
        for unit, mask in enumerate(self.layout.masks):
            pair = spots & mask
            if pair.bit_count() == 2:
                found.setdefault(pair, unit)
        return found

    def bivalue_cells(self) -> list[int]:
        """Return the blanks with exactly two candidates."""
        return [cell for cell, mask in enumerate(self.options) if mask.bit_count() == 2]

    def cell_names(self, *cells: int) -> str:
        """Name cells in a sentence: "r1c1, r1c2 and r1c3"."""
        return join_words(map(self.geometry.cell_name, cells))

    def digit_names(self, *digits: int) -> str:
        """Name digits in a sentence: "2 and 5"."""
        return join_words(symbol(digit, self.geometry.side) for digit in digits)

    def digit_choice(self, *digits: int) -> str:
        """Name digits as alternatives: "2 or 5"."""
        return join_words((symbol(digit, self.geometry.side) for digit in digits), "or")

    def unit_names(self, *units: int) -> str:
        """Name units in a sentence: "row 1 and box 3"."""
        return join_words(map(self.geometry.unit_name, units))


Candidate = tuple[int, int]
"""A cell and a digit it could hold."""

Candidates = Sequence[Collection[int]]
"""The candidates of every cell, as `Puzzle.candidates` returns them."""

LOOKS = {  # the colours of a step on its board
    "the pattern": "#ffe08a",
    "its units": "#fff6dc",
    "what follows": "#9be29b",
    "what is struck": "#ffd3cc",
}


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A pattern on the grid, and what follows from it."""

    reason: str
    """Why it follows, as a clause."""
    cells: tuple[int, ...]
    """The cells of the pattern."""
    digits: tuple[int, ...]
    """The digits of the pattern."""
    units: tuple[int, ...] = ()
    """The units of the pattern, numbered as in `Geometry.units`."""
    placements: tuple[Candidate, ...] = ()
    """The digits to write, as pairs of cell and digit."""
    eliminations: tuple[Candidate, ...] = ()
    """The candidates to remove, as pairs of cell and digit."""


@dataclass(frozen=True, kw_only=True)
class Step(Finding):
    """A finding with the name of its technique; `str(step)` explains it."""

    technique: str
    geometry: Geometry
    puzzle: Puzzle | None = field(default=None, repr=False, compare=False)
    """The board on which a hint was found; None for steps of a solve path."""
    candidates: Candidates = field(default=(), repr=False, compare=False)
    """The candidates of that board."""

    def __str__(self) -> str:
        return self.explain()

    def explain(self) -> str:
        """Return the step as a sentence, with its cells by name."""
        name = self.technique[0].upper() + self.technique[1:]
        side, cell_name = self.geometry.side, self.geometry.cell_name
        if self.placements:
            placed = [
                f"{cell_name(cell)} is {symbol(digit, side)}" for cell, digit in self.placements
            ]
            return f"{name}: {self.reason}, so {join_words(placed)}."
        cells_of: dict[int, list[str]] = {}
        for cell, digit in sorted(self.eliminations):
            cells_of.setdefault(digit, []).append(cell_name(cell))
        removed = [
            f"{symbol(digit, side)} from {join_words(names)}"
            for digit, names in sorted(cells_of.items())
        ]
        return f"{name}: {self.reason}: remove {', '.join(removed)}."

    def _repr_html_(self) -> str:
        name, _, rest = self.explain().partition(": ")
        said = notebook.headline(f"{name}:", rest)
        if self.puzzle is None:
            return notebook.block(said)
        colours = self._colours()
        used = {word: colour for word, colour in LOOKS.items() if colour in colours}
        board = bytearray(self.puzzle.digits)
        for cell, digit in self.placements:
            board[cell] = digit
        looked_at = {*self.cells, *(cell for cell, _ in self.eliminations)}
        drawn = self.puzzle.picture(
            np.frombuffer(board, np.uint8),
            style="svg",
            colours=colours,
            candidates=[
                each if cell in looked_at else () for cell, each in enumerate(self.candidates)
            ],
            struck=self.eliminations,
        )
        return notebook.block(said, drawn, notebook.legend("", used))

    def _colours(self) -> list[str | None]:
        """Return the colour of every cell: the pattern, its units, and what follows."""
        found: list[str | None] = [None] * self.geometry.cells
        around = self.geometry.units[list(self.units)].ravel().tolist() if self.units else []
        for words, cells in (
            ("its units", around),
            ("the pattern", self.cells),
            ("what is struck", [cell for cell, _ in self.eliminations]),
            ("what follows", [cell for cell, _ in self.placements]),
        ):
            for cell in cells:
                found[cell] = LOOKS[words]
        return found
