"""What is still possible on a board, as bit masks by cell and by digit, and a step of reasoning.

A *digit mask* has bit `d` for digit `d`; a *cell mask* has bit `c` for cell `c`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache

import numpy as np

from genoku import display
from genoku.board import Puzzle
from genoku.errors import ImpossibleError, PuzzleError
from genoku.geometry import Geometry
from genoku.notation import symbol
from genoku.words import listed


def bits(mask: int) -> list[int]:
    """The positions of the bits that are set, lowest first."""
    positions: list[int] = []
    while mask:
        low = mask & -mask
        positions.append(low.bit_length() - 1)
        mask ^= low
    return positions


def lowest(mask: int) -> int:
    """The position of the lowest bit that is set."""
    return (mask & -mask).bit_length() - 1


def is_single(mask: int) -> bool:
    """Whether exactly one bit is set."""
    return mask != 0 and mask & (mask - 1) == 0


@dataclass(frozen=True)
class Layout:
    """The units and peers of a geometry as cell masks."""

    units: tuple[tuple[int, ...], ...]
    masks: tuple[int, ...]
    """The cell mask of every unit."""
    units_of: tuple[tuple[int, int, int], ...]
    """The row, column and box of every cell, as unit numbers."""
    peers: tuple[int, ...]
    """The cell mask of every cell's peers."""


@cache
def layout_of(geometry: Geometry) -> Layout:
    side = geometry.side
    boxes = [side + side + int(box) for box in geometry.box_of]
    return Layout(
        units=tuple(tuple(unit) for unit in geometry.units.tolist()),
        masks=tuple(sum(1 << cell for cell in unit) for unit in geometry.units.tolist()),
        units_of=tuple(
            (cell // side, side + cell % side, boxes[cell]) for cell in range(geometry.cells)
        ),
        peers=tuple(sum(1 << peer for peer in peers) for peers in geometry.peers),
    )


class Grid:
    """A puzzle being solved: digits placed, and the candidates of every blank.

    `options[cell]` is a digit mask, 0 once the cell is placed; `places[digit]` the cell mask
    of the same candidates; `missing[unit]` the digits the unit still lacks.
    """

    def __init__(self, puzzle: Puzzle, candidates: Sequence[Collection[int]] | None = None) -> None:
        self.geometry = puzzle.geometry
        self.layout = layout_of(puzzle.geometry)
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
        """The digits placed so far, as a puzzle of their own."""
        return Puzzle(self.geometry, bytes(self.digits))

    @property
    def candidates(self) -> tuple[tuple[int, ...], ...]:
        """For every blank, the digits still possible; nothing for a placed cell."""
        return tuple(tuple(bits(mask)) for mask in self.options)

    def place(self, cell: int, digit: int) -> None:
        """Write a digit and strike it from the cell's peers."""
        if self.digits[cell] == digit:
            return
        if not self.options[cell] >> digit & 1:
            raise ImpossibleError(
                f"no solution: {self.named(cell)} would have to be {self.written(digit)}, "
                "which another cell has taken"
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
        """Raise where nothing fits: a blank without candidates, a digit without a place."""
        options = self.options
        for cell, digit in enumerate(self.digits):
            if not digit and not options[cell]:
                raise ImpossibleError(f"no solution: no digit fits in {self.named(cell)}")
        for unit, cells in enumerate(self.layout.units):
            lacking = self.missing[unit]
            for cell in cells:
                lacking &= ~options[cell]
            if lacking:
                raise ImpossibleError(
                    f"no solution: {self.written(lowest(lacking))} fits nowhere "
                    f"in {self.geometry.unit_name(unit)}"
                )

    def seen_by_all(self, cells: Iterable[int]) -> int:
        """The cells that share a unit with every one of `cells`."""
        mask = -1
        for cell in cells:
            mask &= self.layout.peers[cell]
        return mask

    def strike(self, digit: int, cells: int) -> tuple[tuple[int, int], ...]:
        """The eliminations of a digit from those of the cells (a mask) that can hold it."""
        return tuple((cell, digit) for cell in bits(self.places[digit] & cells))

    def pairs(self, digit: int) -> dict[int, int]:
        """Conjugate pairs: cell masks of the only two places in a unit, each with its unit."""
        spots = self.places[digit]
        found: dict[int, int] = {}
        for unit, mask in enumerate(self.layout.masks):
            pair = spots & mask
            if pair.bit_count() == 2:
                found.setdefault(pair, unit)
        return found

    def bivalue_cells(self) -> list[int]:
        """The blanks with exactly two candidates."""
        return [cell for cell, mask in enumerate(self.options) if mask.bit_count() == 2]

    def named(self, *cells: int) -> str:
        """Cells in words: "r1c1, r1c2 and r1c3"."""
        return listed(map(self.geometry.cell_name, cells))

    def written(self, *digits: int) -> str:
        """Digits in words: "2 and 5"."""
        return listed(symbol(digit, self.geometry.side) for digit in digits)

    def either(self, *digits: int) -> str:
        """Digits as a choice: "2 or 5"."""
        return listed((symbol(digit, self.geometry.side) for digit in digits), "or")

    def units_named(self, *units: int) -> str:
        return listed(map(self.geometry.unit_name, units))


Candidate = tuple[int, int]
"""A cell and a digit it could hold."""

Candidates = Sequence[Collection[int]]
"""For every cell the digits it could hold, as `Puzzle.candidates` gives them."""

LOOKS = {
    "the pattern": "#ffe08a",
    "its units": "#fff6dc",
    "what follows": "#9be29b",
    "what is struck": "#ffd3cc",
}
"""The colours of a step on its board."""


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A pattern on the grid, the reason why it matters, and what follows from it."""

    reason: str
    cells: tuple[int, ...]
    """The cells that make the pattern."""
    digits: tuple[int, ...]
    units: tuple[int, ...] = ()
    """The units that make the pattern, numbered as in `Geometry.units`."""
    placements: tuple[Candidate, ...] = ()
    eliminations: tuple[Candidate, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Step(Finding):
    """A finding under the name of its technique; `str(step)` explains it."""

    technique: str
    geometry: Geometry
    puzzle: Puzzle | None = field(default=None, repr=False, compare=False)
    """The board it was found on, which a hint knows."""
    candidates: Candidates = field(default=(), repr=False, compare=False)
    """And what was possible there."""

    def __str__(self) -> str:
        return self.explain()

    def explain(self) -> str:
        """The step in plain words, with its cells by name."""
        name = self.technique[0].upper() + self.technique[1:]
        if self.placements:
            return f"{name}: {self.reason}, so {self._placed()}."
        return f"{name}: {self.reason}: remove {self._removed()}."

    def _placed(self) -> str:
        side, named = self.geometry.side, self.geometry.cell_name
        return listed(f"{named(cell)} is {symbol(digit, side)}" for cell, digit in self.placements)

    def _repr_html_(self) -> str:
        name, _, rest = self.explain().partition(": ")
        said = display.headline(f"{name}:", rest)
        if self.puzzle is None:
            return display.shown(said)
        colours = self._colours()
        used = [word for word, colour in LOOKS.items() if colour in colours]
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
        return display.shown(said, drawn, display.legend("", {word: LOOKS[word] for word in used}))

    def _colours(self) -> list[str | None]:
        """The colour of every cell: the pattern, its units, and what follows from it."""
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

    def _removed(self) -> str:
        cells_of: dict[int, list[str]] = {}
        for cell, digit in sorted(self.eliminations):
            cells_of.setdefault(digit, []).append(self.geometry.cell_name(cell))
        return ", ".join(
            f"{symbol(digit, self.geometry.side)} from {listed(names)}"
            for digit, names in sorted(cells_of.items())
        )
