"""Who becomes a parent: every selection returns indices `[matings, parents]` into the population.

Lower cost is better. A selection draws with replacement over matings: a good board may be
a parent many times.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from genoku.errors import RecipeError
from genoku.fitness import Costs
from genoku.jit import kernel
from genoku.problem import Problem
from genoku.stream import Stream, below

Mates = NDArray[np.int64]
"""Indices into the population, `[matings, parents]`."""


class Selection(Protocol):
    """`matings` times `parents` indices of boards that may have children."""

    def __call__(
        self, costs: Costs, matings: int, parents: int, problem: Problem, rng: Stream
    ) -> Mates: ...


@dataclass(frozen=True)
class Tournament:
    """The best of `size` boards drawn at random, the first of them if several are equally good."""

    size: int = 2
    replace: bool = True

    def __post_init__(self) -> None:
        if self.size < 1:
            raise RecipeError(f"expected a tournament of 1 or more, got size {self.size}")

    def __call__(
        self, costs: Costs, matings: int, parents: int, problem: Problem, rng: Stream
    ) -> Mates:
        return tournaments(costs, matings, parents, self.size, rng)


SELECTIONS: tuple[type[Selection], ...] = (Tournament,)


@kernel
def tournaments(costs: Costs, matings: int, parents: int, size: int, rng: Any) -> Mates:
    """Every winner of `size` draws with replacement."""
    winners = np.empty((matings, parents), np.int64)
    for i in range(matings):
        for j in range(parents):
            best = below(rng, len(costs))
            for _ in range(size - 1):
                other = below(rng, len(costs))
                if costs[other] < costs[best]:
                    best = other
            winners[i, j] = best
    return winners
