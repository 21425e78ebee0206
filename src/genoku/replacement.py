"""Who lives on: every replacement returns indices into the old boards followed by the new ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from genoku.encoding import Boards
from genoku.fitness import Costs
from genoku.jit import kernel
from genoku.problem import Problem
from genoku.stream import Stream


class Brood(NamedTuple):
    """The population and what came of it."""

    boards: Boards
    costs: Costs
    new_boards: Boards
    new_costs: Costs
    parents: NDArray[np.int64]
    """`[new, parents]` the places of each new board's parents, −1 for none."""


class Replacement(Protocol):
    """The next population, as indices into old ++ new."""

    def __call__(self, brood: Brood, problem: Problem, rng: Stream) -> NDArray[np.int64]: ...


@dataclass(frozen=True)
class Generational:
    """The new boards replace the old; the `elites` best old ones replace the worst new ones."""

    elites: int = 0

    def __call__(self, brood: Brood, problem: Problem, rng: Stream) -> NDArray[np.int64]:
        return generational(brood.costs, brood.new_costs, self.elites)


REPLACEMENTS: tuple[type[Replacement], ...] = (Generational,)


@kernel
def generational(costs: Costs, new_costs: Costs, elites: int) -> NDArray[np.int64]:
    """For every elite, the next best old board takes the place of the worst new one left."""
    count = len(costs)
    survivors = np.arange(count) + count
    for elite in range(elites):
        best, worst = -1, -1
        for i in range(count):
            if (best < 0 or costs[i] < costs[best]) and not is_taken(survivors, i):
                best = i
            if survivors[i] >= count and (worst < 0 or new_costs[i] > new_costs[worst]):
                worst = i
        survivors[worst] = best
    return survivors


@kernel
def is_taken(survivors: NDArray[np.int64], index: int) -> bool:
    for i in range(len(survivors)):
        if survivors[i] == index:
            return True
    return False
