"""Boards that are open in places and never break a rule: what propagation works on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from genoku.board import Puzzle
from genoku.encoding import Boards, Encoding, Kept, SearchSpace, with_fixed
from genoku.fitness import Costs, Fitness
from genoku.geometry import Geometry


@dataclass(frozen=True)
class PartialBoards:
    """A blank holds a digit that clashes with nothing, or is open; singles are fixed."""

    keeps: ClassVar[Kept] = "rules"
    legal: ClassVar[bool] = True

    def space(self, puzzle: Puzzle) -> SearchSpace:
        fixed, refuted = with_fixed(puzzle, "singles")
        if fixed is puzzle and not refuted:  # givens clash, if anything does
            refuted = "; ".join(map(str, puzzle.conflicts()[:1]))
        genes = np.flatnonzero(fixed.board == 0)
        none = np.empty((0, puzzle.side), np.int64)
        sizes = np.empty(0, np.int64)
        return SearchSpace(
            fixed, "rules", genes, none, sizes, none.astype(np.uint8), sizes, refuted
        )


@dataclass(frozen=True)
class OpenCells(Fitness):
    """How many cells are open, on boards that break no rule."""

    needs: ClassVar[Kept] = "rules"

    def costs(self, boards: Boards, puzzle: Puzzle) -> Costs:
        return np.asarray(np.count_nonzero(boards == 0, axis=1), np.int32)

    def worst(self, geometry: Geometry) -> int:
        return geometry.cells


class OnPartialBoards:
    """What algorithms that build boards by propagation have in common."""

    @property
    def encoding(self) -> Encoding:
        return PartialBoards()

    @property
    def fitness(self) -> Fitness:
        return OpenCells()
