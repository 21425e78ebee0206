"""A mutation that report 003 did not have: several boxes at once."""

from __future__ import annotations

from dataclasses import dataclass

from genoku.evolve.encoding import Boards
from genoku.evolve.operators.mutation import Shuffle
from genoku.evolve.problem import Problem
from genoku.runtime.random import Stream, uniforms


@dataclass(frozen=True)
class ShuffleBoxes:
    """Shuffle several random boxes of every mutated board."""

    boxes: int = 2

    def __call__(self, boards: Boards, rate: float, problem: Problem, rng: Stream) -> Boards:
        chosen = uniforms(rng, len(boards)) < rate
        changed = boards.copy()
        mutants = boards[chosen]
        for _ in range(self.boxes):
            mutants = Shuffle()(mutants, 1.0, problem, rng)
        changed[chosen] = mutants
        return changed
