"""Small runs of every algorithm, and when two of them are the same."""

from __future__ import annotations

import numpy as np
import pytest
from strategies import pattern_grid, with_digits

from genoku import bundled
from genoku.engine.result import Result
from genoku.evolve.algorithms import Genetic, Islands, Restarts
from genoku.evolve.algorithms.annealing import Annealing
from genoku.evolve.algorithms.memetic import Memetic
from genoku.evolve.algorithms.min_conflicts import MinConflicts
from genoku.evolve.encoding import PermutedBoxes, PermutedRows
from genoku.evolve.operators.adaptation import Constant
from genoku.evolve.operators.crossover import Points
from genoku.evolve.operators.replacement import Generational
from genoku.evolve.problem import Problem
from genoku.evolve.state import Algorithm, State
from genoku.puzzle.board import Puzzle
from genoku.puzzle.geometry import Geometry
from genoku.runtime.random import stream

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
    "memetic": Memetic(PermutedBoxes(), population=6, moves=20, patience=2),
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
        and np.array_equal(one.individuals, two.individuals)
        and np.array_equal(one.births, two.births)
    )


def thinned(geometry: Geometry, share: float, seed: int) -> Puzzle:
    """A solvable puzzle with about that share of its cells blank."""
    grid = pattern_grid(geometry)
    blank = np.random.default_rng(seed).random(geometry.cells) < share
    return with_digits(grid, dict.fromkeys(np.flatnonzero(blank).tolist(), 0))


def problem_of(algorithm: Algorithm, puzzle: Puzzle) -> Problem:
    return Problem.of(puzzle, algorithm.encoding, algorithm.fitness)


def states_of(algorithm: Algorithm, problem: Problem, seed: int, steps: int) -> list[State]:
    """The start, and so many steps, fewer if it is finished."""
    states = [algorithm.start(problem, stream(seed))]
    while len(states) <= steps and not states[-1].finished:
        states.append(algorithm.step(problem, states[-1]))
    return states
