"""Begin anew when a run has failed or stands still: wraps any algorithm."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from genoku.adaptation import Memory
from genoku.algorithms.genetic import Genetic
from genoku.encoding import Boards
from genoku.errors import RecipeError
from genoku.fitness import Costs
from genoku.problem import Problem
from genoku.state import Algorithm, State, Wrapper, declared, rate_of
from genoku.stopping import Counters, Until
from genoku.stream import Stream, split


@dataclass(frozen=True)
class Restarts(Wrapper):
    """Start the algorithm again when it fails, or when `after` is reached since its last start."""

    algorithm: Algorithm = Genetic()
    after: str = "stagnation=100"

    def __post_init__(self) -> None:
        if Until.parse(self.after).is_timed:
            raise RecipeError(
                "expected steps, evaluations, moves, stagnation or a cost, "
                "got seconds, which no seed can repeat",
                path=("after",),
            )

    def start(self, problem: Problem, rng: Stream, boards: Boards | None = None) -> State:
        rng = rng.copy()
        inner = self.algorithm.start(problem, split(rng), boards)
        return whole(rng, 0, inner, dict.fromkeys(BEFORE, 0))

    def step(self, problem: Problem, state: State) -> State:
        """A step of the algorithm, or a new start."""
        (inner,) = state.inner
        if not (inner.finished == "failed" or self._is_over(inner, state.memory)):
            inner = self.algorithm.step(problem, inner)
            return whole(state.rng, state.step + 1, inner, state.memory)
        rng = state.rng.copy()
        inner = self.algorithm.start(problem, split(rng))
        before = state.memory["restarts"] + 1, state.born, state.evaluations, state.moves
        return whole(rng, state.step + 1, inner, dict(zip(BEFORE, before, strict=True)))

    def receive(
        self, state: State, places: NDArray[np.int64], boards: Boards, costs: Costs
    ) -> State:
        """Newcomers from outside, passed on to the algorithm."""
        inner = declared(self.algorithm).receive(state.inner[0], places, boards, costs)
        return whole(state.rng, state.step, inner, state.memory)

    def _is_over(self, inner: State, memory: Memory) -> bool:
        counters = Counters(
            inner.step,
            inner.evaluations,
            inner.moves,
            stagnation=inner.step - int(memory["improved"]),
            cost=int(memory["best"]),
        )
        return bool(parsed(self.after).reached(counters))


parsed = lru_cache(16)(Until.parse)

BEFORE = ("restarts", "born", "evaluations", "moves")
"""What the starts before this one came to."""


def whole(rng: Stream, step: int, inner: State, memory: Memory) -> State:
    """The state of all starts together; `memory` also holds the best since the last one."""
    best = int(inner.costs.min())
    if "best" not in memory or best < memory["best"]:
        memory = {**memory, "best": best, "improved": inner.step}
    births = inner.births.copy()
    births[births >= 0] += int(memory["born"])
    return State(
        rng,
        inner.boards,
        inner.costs,
        inner.ids + int(memory["born"]),
        born=inner.born + int(memory["born"]),
        births=births,
        step=step,
        evaluations=inner.evaluations + int(memory["evaluations"]),
        moves=inner.moves + int(memory["moves"]),
        memory={**memory, **rate_of(inner)},
        inner=(inner,),
        finished="" if inner.finished == "failed" else inner.finished,
    )
