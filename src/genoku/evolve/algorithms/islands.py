"""Islands: several populations of any algorithm that exchange boards."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from genoku.errors import require_at_least, require_choices
from genoku.evolve.algorithms.genetic import Genetic
from genoku.evolve.encoding import Boards
from genoku.evolve.fitness import Costs
from genoku.evolve.problem import Problem
from genoku.evolve.state import (
    Algorithm,
    Finished,
    State,
    Wrapper,
    as_search,
    mean_rate,
    stack_births,
)
from genoku.puzzle.board import Puzzle
from genoku.runtime.random import Stream, permutation, split
from genoku.runtime.workers import parallel_map


@dataclass(frozen=True)
class Islands(Wrapper):
    """Run the `algorithm` on every island for `interval` steps, then let boards migrate.

    `migrants` boards leave each of the `islands`. The `topology` says where to: `ring` to the next
    island, `full` to every other, `random` to another one drawn each time. The `policy` says which:
    `best` sends the best boards, which replace the worst ones that are no better; `random` sends
    any boards, which replace any. One step is an interval and a migration. The islands may run in
    several processes (`run(..., jobs=4)`); the result is the same.
    """

    short_steps: ClassVar = {"interval": 2}

    algorithm: Algorithm = Genetic()
    islands: int = 4
    interval: int = 10
    migrants: int = 2
    topology: Literal["ring", "full", "random"] = "ring"
    policy: Literal["best", "random"] = "best"

    def __post_init__(self) -> None:
        require_at_least(self, islands=2, interval=1, migrants=0)
        require_choices(self)

    # `Search` declares these as attributes; `Wrapper` makes them properties, and so must this
    @property
    def step_name(self) -> str:
        return "step"

    @property
    def uses_processes(self) -> bool:
        return True

    def start(self, problem: Problem, rng: Stream, boards: Boards | None = None) -> State:
        rng = rng.copy()
        boards = None if boards is None else np.atleast_2d(np.asarray(boards, np.uint8))
        given = [None if boards is None else boards[i :: self.islands] for i in range(self.islands)]
        inner = [self.algorithm.start(problem, split(rng), some) for some in given]
        births = [global_ids(state.births, i, len(inner)) for i, state in enumerate(inner)]
        return combined_state(rng, 0, inner, stack_births(*births))

    def step(self, problem: Problem, state: State) -> State:
        """Run an interval on every island, then migrate."""
        asked = problem.puzzle, self.algorithm, self.interval
        results = parallel_map(run_interval, [(*asked, inner) for inner in state.inner])
        inner = [after for after, _ in results]
        births = [global_ids(born, i, len(inner)) for i, (_, born) in enumerate(results)]
        rng = state.rng.copy()
        if not any(island.finished == "solved" for island in inner):
            inner, arrivals = self._migrate(inner, rng)
            births += arrivals
        return combined_state(rng, state.step + 1, inner, stack_births(*births))

    def with_immigrants(
        self, state: State, places: NDArray[np.int64], boards: Boards, costs: Costs
    ) -> State:
        """Pass every immigrant on to the island of its place."""
        inner, end = [], 0
        for island in state.inner:
            start, end = end, end + len(island.costs)
            here = (places >= start) & (places < end)
            own = places[here] - start, boards[here], costs[here]
            inner.append(as_search(self.algorithm).with_immigrants(island, *own))
        return combined_state(state.rng, state.step, inner, state.births)

    def _migrate(
        self, inner: list[State], rng: Stream
    ) -> tuple[list[State], list[NDArray[np.int64]]]:
        """Move boards along all routes at once: immigrants do not travel on."""
        leaving = [self._choose_emigrants(island, rng) for island in inner]
        after, arrivals = list(inner), []
        for source, target in self._routes(rng):
            after[target], names, homes = self._admit(
                after[target], inner[source], leaving[source], rng
            )
            count = len(inner)
            arrivals.append(np.column_stack((names * count + target, homes * count + source)))
        return after, arrivals

    def _routes(self, rng: Stream) -> list[tuple[int, int]]:
        count = self.islands
        if self.topology == "full":
            return [(i, j) for i in range(count) for j in range(count) if i != j]
        order = list(range(count)) if self.topology == "ring" else permutation(rng, count).tolist()
        return list(zip(order, order[1:] + order[:1], strict=True))

    def _choose_emigrants(self, island: State, rng: Stream) -> NDArray[np.int64]:
        if self.policy == "best":
            return np.argsort(island.costs, kind="stable")[: self.migrants]
        return permutation(rng, len(island.costs))[: self.migrants]

    def _admit(
        self, island: State, source: State, leaving: NDArray[np.int64], rng: Stream
    ) -> tuple[State, NDArray[np.int64], NDArray[np.int64]]:
        """An island with its immigrants, their new ids, and their ids on the island they left."""
        if self.policy == "best":
            places = np.argsort(-island.costs, kind="stable")[: len(leaving)]
            leaving = leaving[: len(places)]
            welcome = source.costs[leaving] <= island.costs[places]
            places, leaving = places[welcome], leaving[welcome]
        else:
            places = permutation(rng, len(island.costs))[: len(leaving)]
            leaving = leaving[: len(places)]
        immigrants = source.boards[leaving], source.costs[leaving]
        moved = as_search(self.algorithm).with_immigrants(island, places, *immigrants)
        return moved, moved.ids[places], source.ids[leaving]


def problem_of(puzzle: Puzzle, algorithm: Algorithm) -> Problem:
    """The problem of an island's algorithm, cached in the process that runs the island."""
    parts: Any = puzzle, algorithm.encoding, algorithm.fitness
    try:
        return cached_problem(*parts)
    except TypeError:  # a user's part that cannot be hashed
        return Problem.of(*parts)


cached_problem = lru_cache(8)(Problem.of)


def run_interval(task: tuple[Puzzle, Algorithm, int, State]) -> tuple[State, NDArray[np.int64]]:
    """Run an island for an interval, in any process: its state, and all births."""
    puzzle, algorithm, interval, state = task
    problem = problem_of(puzzle, algorithm)
    births = state.births[:0]
    for _ in range(interval):
        if state.finished:
            break
        state = algorithm.step(problem, state)
        births = stack_births(births, state.births)
    return state, births


ANSWERS: tuple[Finished, ...] = ("solved", "no solution")  # the ends of one island that end the run


def combined_state(rng: Stream, step: int, inner: list[State], births: NDArray[np.int64]) -> State:
    """The state of all islands as one population."""
    count = len(inner)
    over = [state.finished for state in inner]
    ends: list[Finished] = [answer for answer in ANSWERS if answer in over]
    ends.append("failed" if all(over) else "")
    return State(
        rng,
        np.concatenate([state.boards for state in inner]),
        np.concatenate([state.costs for state in inner]),
        np.concatenate([state.ids * count + i for i, state in enumerate(inner)]),
        born=count * max(state.born for state in inner),
        births=births,
        step=step,
        evaluations=sum(state.evaluations for state in inner),
        moves=sum(state.moves for state in inner),
        memory=mean_rate(*inner),
        inner=tuple(inner),
        finished=ends[0],
    )


def global_ids(births: NDArray[np.int64], island: int, count: int) -> NDArray[np.int64]:
    """The ids among all islands: board i of island j has the id i · islands + j."""
    return np.where(births >= 0, births * count + island, -1)
