"""One step of reasoning: what was found, what follows, and how to say it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

import numpy as np

from genoku import display
from genoku.board import Puzzle
from genoku.geometry import Geometry
from genoku.notation import symbol
from genoku.words import listed

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
