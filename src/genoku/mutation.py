"""Small random changes. The rate belongs to the adaptation; an operator applies it once per board."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from genoku.encoding import Boards, Encoding
from genoku.fitness import Fitness
from genoku.jit import kernel
from genoku.problem import Problem
from genoku.stream import Stream, below, uniform

Unit = Literal["row", "column", "box", "any"]


class Mutation(Protocol):
    """New boards, each changed with probability `rate`."""

    def __call__(self, boards: Boards, rate: float, problem: Problem, rng: Stream) -> Boards: ...


@dataclass(frozen=True)
class Swap:
    """Exchange two blanks of a random row, column or box, or of any of them."""

    unit: Unit = "row"

    def fits(self, encoding: Encoding, fitness: Fitness) -> str | None:
        return None

    def __call__(self, boards: Boards, rate: float, problem: Problem, rng: Stream) -> Boards:
        cells, sizes = problem.space.swappable(self.unit)
        return swaps(boards, rate, cells, sizes, rng)


MUTATIONS: tuple[type[Mutation], ...] = (Swap,)


@kernel
def swaps(
    boards: Boards, rate: float, units: NDArray[np.int64], sizes: NDArray[np.int64], rng: Any
) -> Boards:
    changed = boards.copy()
    for i in range(len(changed)):
        if uniform(rng) < rate and len(units) > 0:
            unit = below(rng, len(units))
            one = below(rng, sizes[unit])
            two = below(rng, sizes[unit] - 1)
            if two >= one:
                two += 1
            here, there = units[unit, one], units[unit, two]
            changed[i, here], changed[i, there] = changed[i, there], changed[i, here]
    return changed
