"""One step of reasoning: what was found, what follows, and how to say it."""

from __future__ import annotations

from dataclasses import dataclass

from genoku.geometry import Geometry
from genoku.notation import symbol
from genoku.words import listed

Candidate = tuple[int, int]
"""A cell and a digit it could hold."""


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

    def _removed(self) -> str:
        cells_of: dict[int, list[str]] = {}
        for cell, digit in sorted(self.eliminations):
            cells_of.setdefault(digit, []).append(self.geometry.cell_name(cell))
        return ", ".join(
            f"{symbol(digit, self.geometry.side)} from {listed(names)}"
            for digit, names in sorted(cells_of.items())
        )
