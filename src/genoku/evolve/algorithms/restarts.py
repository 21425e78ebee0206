"""Restarts of any algorithm that has failed or stagnates."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from genoku.errors import RecipeError
from genoku.evolve.algorithms.genetic import Genetic
from genoku.evolve.encoding import Boards
from genoku.evolve.fitness import Costs
from genoku.evolve.operators.adaptation import Memory
from genoku.evolve.problem import Problem
from genoku.evolve.state import Algorithm, State, Wrapper, as_search, mean_rate
from genoku.evolve.stopping import Counters, Until
from genoku.runtime.random import Stream, split


@dataclass(frozen=True)
class Restarts(Wrapper):
    """Restart the `algorithm` when it fails, or when it reaches `after` since its last start.

    `after` is a limit such as `stagnation=100`, without seconds.
    """

    algorithm: Algorithm = Genetic()
    after: str = "stagnation=100"

    def __post_init__(self) -> None:
        if Until.parse(self.after).is_timed:
            raise RecipeError(
                "expected steps, evaluations, moves, stagnation or a cost, "
                "got seconds, which a seed cannot reproduce",
                path=("after",),
            )

    def start(self, problem: Problem, rng: Stream, boards: Boards | None = None) -> State:
        rng = rng.copy()
        inner = self.algorithm.start(problem, split(rng), boards)
        return combined_state(rng, 0, inner, dict.fromkeys(BEFORE, 0))

    def step(self, problem: Problem, state: State) -> State:
        """Make a step of the algorithm, or restart it."""
        (inner,) = state.inner
        if not (inner.finished == "failed" or self._is_over(inner, state.memory)):
            inner = self.algorithm.step(problem, inner)
            return combined_state(state.rng, state.step + 1, inner, state.memory)
        rng = state.rng.copy()
        inner = self.algorithm.start(problem, split(rng))
        before = state.memory["restarts"] + 1, state.born, state.evaluations, state.moves
        return combined_state(rng, state.step + 1, inner, dict(zip(BEFORE, before, strict=True)))

    def with_immigrants(
        self, state: State, places: NDArray[np.int64], boards: Boards, costs: Costs
    ) -> State:
        """Pass immigrants on to the algorithm."""
        inner = as_search(self.algorithm).with_immigrants(state.inner[0], places, boards, costs)
        return combined_state(state.rng, state.step, inner, state.memory)

    def _is_over(self, inner: State, memory: Memory) -> bool:
        counters = Counters(
            inner.step,
            inner.evaluations,
            inner.moves,
            stagnation=inner.step - int(memory["improved"]),
            cost=int(memory["best"]),
        )
        return bool(parse_until(self.after).first_reached(counters))


parse_until = lru_cache(16)(Until.parse)

BEFORE = ("restarts", "born", "evaluations", "moves")  # numbers that sum up all earlier starts


def combined_state(rng: Stream, step: int, inner: State, memory: Memory) -> State:
    """The state of all starts; `memory` also holds the best cost since the last start."""
    best = int(inner.costs.min())
    if "best" not in memory or best < memory["best"]:
        memory = {**memory, "best": best, "improved": inner.step}
    return State(
        rng,
        inner.boards,
        inner.costs,
        inner.ids + int(memory["born"]),
        born=inner.born + int(memory["born"]),
        births=np.where(inner.births < 0, inner.births, inner.births + int(memory["born"])),
        step=step,
        evaluations=inner.evaluations + int(memory["evaluations"]),
        moves=inner.moves + int(memory["moves"]),
        memory={**memory, **mean_rate(inner)},
        inner=(inner,),
        finished="" if inner.finished == "failed" else inner.finished,
    )
