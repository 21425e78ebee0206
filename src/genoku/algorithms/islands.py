"""Several populations side by side that now and then exchange boards: wraps any algorithm."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from genoku.algorithms.genetic import Genetic
from genoku.board import Puzzle
from genoku.encoding import Boards
from genoku.fitness import Costs
from genoku.problem import Problem, refuse_below, refuse_other_choices
from genoku.state import Algorithm, Finished, State, Wrapper, declared, rate_of, stacked
from genoku.stream import Stream, permutation, split
from genoku.workers import spread


@dataclass(frozen=True)
class Islands(Wrapper):
    """Run the algorithm on every island for `interval` steps, then let boards migrate.

    So many `migrants` leave each of the `islands`. The `topology` says where to: `ring` to the
    next island, `full` to every other, `random` to another one drawn anew each time. The `policy`
    says who: `best` the best boards, which replace the worst ones that are no better, `random` any
    boards, which replace any. One step is an interval and a migration. The islands may run in
    processes of their own (`run(..., jobs=4)`); the result is the same.
    """

    short_steps: ClassVar = {"interval": 2}

    algorithm: Algorithm = Genetic()
    islands: int = 4
    interval: int = 10
    migrants: int = 2
    topology: Literal["ring", "full", "random"] = "ring"
    policy: Literal["best", "random"] = "best"

    def __post_init__(self) -> None:
        refuse_below(self, islands=2, interval=1, migrants=0)
        refuse_other_choices(self)

    # A property as in `Wrapper`, whose answer is that of the algorithm inside.
    @property
    def step_name(self) -> str:  # type: ignore[override]
        return "step"

    @property
    def uses_processes(self) -> bool:  # type: ignore[override]
        return True

    def start(self, problem: Problem, rng: Stream, boards: Boards | None = None) -> State:
        rng = rng.copy()
        boards = None if boards is None else np.atleast_2d(np.asarray(boards, np.uint8))
        given = [None if boards is None else boards[i :: self.islands] for i in range(self.islands)]
        inner = [self.algorithm.start(problem, split(rng), some) for some in given]
        births = [in_ids_of_all(state.births, i, len(inner)) for i, state in enumerate(inner)]
        return together(rng, 0, inner, stacked(*births))

    def step(self, problem: Problem, state: State) -> State:
        """An interval on every island, and a migration."""
        asked = problem.puzzle, self.algorithm, self.interval
        results = spread(interval_on_an_island, [(*asked, inner) for inner in state.inner])
        inner = [after for after, _ in results]
        births = [in_ids_of_all(born, i, len(inner)) for i, (_, born) in enumerate(results)]
        rng = state.rng.copy()
        if not any(island.finished == "solved" for island in inner):
            inner, arrivals = self._migrated(inner, rng)
            births += arrivals
        return together(rng, state.step + 1, inner, stacked(*births))

    def receive(
        self, state: State, places: NDArray[np.int64], boards: Boards, costs: Costs
    ) -> State:
        """Newcomers from outside, each to the island that has its place."""
        inner, end = [], 0
        for island in state.inner:
            start, end = end, end + len(island.costs)
            here = (places >= start) & (places < end)
            inner.append(
                declared(self.algorithm).receive(
                    island, places[here] - start, boards[here], costs[here]
                )
            )
        return together(state.rng, state.step, inner, state.births)

    def _migrated(
        self, inner: list[State], rng: Stream
    ) -> tuple[list[State], list[NDArray[np.int64]]]:
        """Everybody leaves at once: who has just arrived does not travel on."""
        leaving = [self._leaving(island, rng) for island in inner]
        after, arrivals = list(inner), []
        for source, target in self._routes(rng):
            after[target], names, homes = self._arrived(
                after[target], inner[source], leaving[source], rng
            )
            count = len(inner)
            arrivals.append(np.column_stack((names * count + target, homes * count + source)))
        return after, arrivals

    def _routes(self, rng: Stream) -> list[tuple[int, int]]:
        count = self.islands
        if self.topology == "full":
            return [(i, j) for i in range(count) for j in range(count) if i != j]
        if self.topology == "ring":
            return [(i, (i + 1) % count) for i in range(count)]
        order = permutation(rng, count).tolist()
        return [(order[i], order[(i + 1) % count]) for i in range(count)]

    def _leaving(self, island: State, rng: Stream) -> NDArray[np.int64]:
        if self.policy == "best":
            return np.argsort(island.costs, kind="stable")[: self.migrants]
        return permutation(rng, len(island.costs))[: self.migrants]

    def _arrived(
        self, island: State, source: State, leaving: NDArray[np.int64], rng: Stream
    ) -> tuple[State, NDArray[np.int64], NDArray[np.int64]]:
        """An island with its newcomers, their new ids, and the ids they had at home."""
        if self.policy == "best":
            places = np.argsort(-island.costs, kind="stable")[: len(leaving)]
            leaving = leaving[: len(places)]
            welcome = source.costs[leaving] <= island.costs[places]
            places, leaving = places[welcome], leaving[welcome]
        else:
            places = permutation(rng, len(island.costs))[: len(leaving)]
            leaving = leaving[: len(places)]
        newcomers = source.boards[leaving], source.costs[leaving]
        moved = declared(self.algorithm).receive(island, places, *newcomers)
        return moved, moved.ids[places], source.ids[leaving]


def problem_of(puzzle: Puzzle, algorithm: Algorithm) -> Problem:
    """The problem of an island's algorithm, kept in the process where the island runs."""
    parts: Any = puzzle, algorithm.encoding, algorithm.fitness
    try:
        return kept_problem(*parts)
    except TypeError:  # a part of a user's own that cannot be kept
        return Problem.of(*parts)


kept_problem = lru_cache(8)(Problem.of)


def interval_on_an_island(
    task: tuple[Puzzle, Algorithm, int, State],
) -> tuple[State, NDArray[np.int64]]:
    """The steps of an island, in whatever process, and who was born in them."""
    puzzle, algorithm, interval, state = task
    problem = problem_of(puzzle, algorithm)
    births = state.births[:0]
    for _ in range(interval):
        if state.finished:
            break
        state = algorithm.step(problem, state)
        births = stacked(births, state.births)
    return state, births


def together(rng: Stream, step: int, inner: list[State], births: NDArray[np.int64]) -> State:
    """All islands as one population."""
    count = len(inner)
    over: list[Finished] = [state.finished for state in inner]
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
        memory=rate_of(*inner),
        inner=tuple(inner),
        finished=ended(over),
    )


def ended(over: list[Finished]) -> Finished:
    """How all islands ended: one solution or proof is enough, failing takes all of them."""
    if "solved" in over:
        return "solved"
    if "no solution" in over:
        return "no solution"
    return "failed" if all(over) else ""


def in_ids_of_all(births: NDArray[np.int64], island: int, count: int) -> NDArray[np.int64]:
    """Board i of island j has the id i · islands + j among all."""
    return np.where(births >= 0, births * count + island, -1)
