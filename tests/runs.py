"""Small runs of every algorithm, and when two of them are the same."""

from __future__ import annotations

import numpy as np
import pytest

from genoku import bundled
from genoku.adaptation import Constant
from genoku.algorithms import Genetic, Islands, Restarts
from genoku.algorithms.annealing import Annealing
from genoku.algorithms.min_conflicts import MinConflicts
from genoku.crossover import Points
from genoku.encoding import PermutedRows
from genoku.replacement import Generational
from genoku.result import Result
from genoku.state import Algorithm

BASIC = bundled()["charles-basic"].puzzle


SMALL = Genetic(
    PermutedRows(),
    population=40,
    crossover=Points("row", rate=0.7),
    adaptation=Constant(0.5),
    replacement=Generational(1),
)


ALGORITHMS: dict[str, Algorithm] = {
    "genetic": SMALL,
    "restarts": Restarts(SMALL, "stagnation=3"),
    "islands": Islands(SMALL, islands=3, interval=2),
    "full islands": Islands(SMALL, 3, 2, topology="full", policy="random"),
    "random islands": Islands(SMALL, 3, 2, migrants=3, topology="random"),
    "annealing": Annealing(moves=50),
    "min-conflicts": MinConflicts(moves=5),
    "restarted min-conflicts": Restarts(MinConflicts(moves=5), "stagnation=3"),
    "islands of restarts": Islands(Restarts(Annealing(moves=50), "steps=4"), 2, 3),
}


every_algorithm = pytest.mark.parametrize("algorithm", ALGORITHMS.values(), ids=ALGORITHMS)


def same(one: Result, two: Result) -> bool:
    """Everything but the clock."""
    ours, theirs = one.record(), two.record()
    for clock in ("seconds", "cpu_seconds"):
        del ours[clock], theirs[clock]
    return (
        ours == theirs
        and np.array_equal(one.state.boards, two.state.boards)
        and np.array_equal(one.state.costs, two.state.costs)
        and np.array_equal(one.state.rng, two.state.rng)
        and np.array_equal(one.state.ids, two.state.ids)
        and one.history == two.history
        and np.array_equal(one.people, two.people)
        and np.array_equal(one.family, two.family)
    )
