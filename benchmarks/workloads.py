"""What kernels are given to do when they are measured: the same work every time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np

from benchmarks.reference import BASIC, REFERENCE
from benchmarks.scaling import unsolvable
from benchmarks.sets import FAMOUS
from genoku.algorithms import Annealing, Champion, Tabu
from genoku.board import Puzzle
from genoku.collection import bundled
from genoku.crossover import Cycle, Order, PartiallyMatched, Points, Uniform
from genoku.desk import links, new_desk
from genoku.diversity import NoTwins, diversity
from genoku.encoding import FreeCells
from genoku.exact import count_batch
from genoku.fitness import Contradictions, MissingDigits, Repetitions
from genoku.geometry import Geometry
from genoku.mutation import Swap
from genoku.problem import Problem
from genoku.propagation import PAIRS, SINGLES, begin
from genoku.selection import Rank, Tournament
from genoku.state import Algorithm
from genoku.stream import stream

Work = Callable[[], object]
Yardstick = Literal["sweep", "walk"]

BOARDS = 500


@dataclass(frozen=True)
class Workload:
    """A kernel at work, as everybody calls it, and the loop that it is measured by."""

    name: str
    yardstick: Yardstick
    work: Work


def workloads() -> Iterator[Workload]:
    """All that are watched. Each is warm when it comes."""
    for workload in (*_fitnesses(), *_operators(), *_searches()):
        workload.work()
        yield workload


def _fitnesses() -> Iterator[Workload]:
    for side, name in ((9, ""), (16, "16x16-medium"), (25, "25x25-half"), (36, "36x36-60-percent")):
        puzzle = bundled()[name].puzzle if name else BASIC
        yield _costs(f"fitness-{side}", Problem.of(puzzle, FreeCells(), Repetitions()), "sweep")
    for name, fitness in (("pairs", Contradictions()), ("missing", MissingDigits())):
        yield _costs(f"fitness-{name}", Problem.of(BASIC, FreeCells(), fitness), "walk")


def _costs(name: str, problem: Problem, yardstick: Yardstick) -> Workload:
    boards = problem.space.sample(BOARDS, stream(1, "kernels"))
    return Workload(name, yardstick, partial(problem.costs, boards))


def _operators() -> Iterator[Workload]:
    problem = Problem.of(BASIC, REFERENCE.encoding, REFERENCE.fitness)
    rng = stream(1, "kernels")
    boards = problem.space.sample(BOARDS, rng)
    costs = problem.costs(boards)
    mates = Tournament(2)(costs, BOARDS // 2, 2, problem, rng)

    def afresh(operator: Callable[..., object], *arguments: object) -> Work:
        """An operator that always draws the same."""
        return lambda: operator(*arguments, problem, rng.copy())

    for name, selection in (("tournament", Tournament(2)), ("rank", Rank())):
        yield Workload(f"selection-{name}", "walk", afresh(selection, costs, BOARDS // 2, 2))
    for name, exchange in (
        ("points", Points("row", points=2, rate=0.7)),
        ("uniform", Uniform("row", children=2, rate=0.7)),
    ):
        yield Workload(f"crossover-{name}", "sweep", afresh(exchange, boards, mates))
    for name, ordering in (("matched", PartiallyMatched()), ("order", Order()), ("cycle", Cycle())):
        yield Workload(f"crossover-{name}", "walk", afresh(ordering, boards, mates))
    yield Workload("mutation-swap", "walk", afresh(Swap("row"), boards, 0.5))
    yield Workload("twins", "sweep", afresh(NoTwins(), boards, boards))
    yield Workload("diversity", "walk", partial(diversity, boards, problem))
    yield _step("generation", REFERENCE, BASIC)


def _searches() -> Iterator[Workload]:
    for side in (9, 25):
        board = unsolvable(Geometry.of_side(side))
        yield _step(f"annealing-{side}", Annealing(moves=20_000), board)
        yield _step(f"tabu-{side}", Tabu(moves=200), board)
    yield _step("champion-25", Champion(), bundled()["25x25-45-percent"].puzzle)
    for side, rules, name in ((9, SINGLES, "9x9-easy"), (25, PAIRS, "25x25-half")):
        puzzle = bundled()[name].puzzle
        desk, table = new_desk(puzzle.geometry), links(puzzle.geometry)
        laid = partial(begin, puzzle.board.copy(), desk, table, rules)
        yield Workload(f"propagation-{side}", "walk", laid)
    hard = np.stack([bundled()[name].puzzle.board for name in FAMOUS])
    yield Workload("search-9", "walk", partial(count_batch, hard, Geometry(3, 3)))


def _step(name: str, algorithm: Algorithm, puzzle: Puzzle) -> Workload:
    """The step after the first, always the same one."""
    problem = Problem.of(puzzle, algorithm.encoding, algorithm.fitness)
    start = algorithm.start(problem, stream(1, "kernels"))
    state = algorithm.step(problem, start)
    return Workload(name, "walk", partial(algorithm.step, problem, state))
