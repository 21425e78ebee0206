"""A mutation that report 003 did not have: several boxes at once."""

from __future__ import annotations

from dataclasses import dataclass

from genoku.encoding import Boards
from genoku.mutation import Shuffle
from genoku.problem import Problem
from genoku.stream import Stream, uniforms


@dataclass(frozen=True)
class ShuffleBoxes:
    """Shuffle so many random boxes of every board that mutates."""

    boxes: int = 2

    def __call__(self, boards: Boards, rate: float, problem: Problem, rng: Stream) -> Boards:
        chosen = uniforms(rng, len(boards)) < rate
        changed = boards.copy()
        mutants = boards[chosen]
        for _ in range(self.boxes):
            mutants = Shuffle()(mutants, 1.0, problem, rng)
        changed[chosen] = mutants
        return changed
