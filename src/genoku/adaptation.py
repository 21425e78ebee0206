"""How a rate changes while a run goes on: schedules, and rules that look at the progress.

A *memory* is a dict of plain numbers whose `rate` is the rate now. An adaptation makes the first
one (`memory` is None) and then the next one after every step. The mutation rate, the temperature
of an annealing and the chance of a bad move are all owned by an adaptation.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import inf
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from genoku.board import Puzzle
from genoku.errors import ImpossibleError, PuzzleError, RecipeError
from genoku.fitness import Costs
from genoku.jit import kernel
from genoku.problem import Problem
from genoku.replacement import Brood

Memory = dict[str, float]
"""Plain numbers, the `rate` among them."""

LOWEST_RATE, HIGHEST_RATE = 0.001, 1.0
"""Between these the success rule may move."""

OF_SCHEDULE = "schedule "
"""Names of the numbers that a schedule inside another has."""


class Progress(NamedTuple):
    """What an adaptation may look at."""

    step: int
    best: int
    """The lowest cost of the population."""
    brood: Brood | None = None
    """What the step made; None before the first, and where an algorithm has no children."""


class Adaptation(Protocol):
    """The next memory; never a change of the old one."""

    def __call__(self, memory: Memory | None, progress: Progress, problem: Problem) -> Memory: ...


def _require_rates(**rates: float) -> None:
    """Probabilities and temperatures are finite and not below 0."""
    for name, rate in rates.items():
        if not 0.0 <= rate < inf:
            raise RecipeError(f"expected {name} to be a number of 0 or more, got {rate}")


def _require_steps(**counts: int) -> None:
    for name, count in counts.items():
        if count < 1:
            raise RecipeError(f"expected {name} to be 1 step or more, got {count}")


@dataclass(frozen=True)
class Constant:
    """The same rate all the way."""

    rate: float = 1.0

    def __post_init__(self) -> None:
        _require_rates(rate=self.rate)

    def __call__(self, memory: Memory | None, progress: Progress, problem: Problem) -> Memory:
        return memory or {"rate": float(self.rate)}


@dataclass(frozen=True)
class Linear:
    """From `start` to `end` by equal amounts in `over` steps, and then no further."""

    start: float = 1.0
    end: float = 0.1
    over: int = 1000

    def __post_init__(self) -> None:
        _require_rates(start=self.start, end=self.end)
        _require_steps(over=self.over)

    def __call__(self, memory: Memory | None, progress: Progress, problem: Problem) -> Memory:
        if progress.step >= self.over:
            return {"rate": float(self.end)}
        gone = progress.step / self.over
        return {"rate": self.start * (1.0 - gone) + self.end * gone}


@dataclass(frozen=True)
class Exponential:
    """From `start` to `end` by equal factors in `over` steps: geometric cooling."""

    start: float = 1.0
    end: float = 0.01
    over: int = 1000

    def __post_init__(self) -> None:
        _require_rates(start=self.start, end=self.end)
        _require_steps(over=self.over)
        if not (self.start > 0.0 and self.end > 0.0):
            raise RecipeError(
                f"expected start and end above 0, as factors lead to no other, "
                f"got {self.start} and {self.end}"
            )

    def __call__(self, memory: Memory | None, progress: Progress, problem: Problem) -> Memory:
        if progress.step >= self.over:
            return {"rate": float(self.end)}
        return {"rate": self.start * (self.end / self.start) ** (progress.step / self.over)}


@dataclass(frozen=True)
class Reheating:
    """A schedule that begins anew: after every so many steps, or when it brings nothing any more.

    With `patience` it begins anew as soon as the lowest cost since it last began has not fallen
    for so many steps, and `every` is the longest it may take; 0 waits for `every` alone. Then it
    needs no numbers of its own, and the memory is the schedule's.
    """

    schedule: Adaptation = Exponential()
    every: int = 1000
    patience: int = 0

    def __post_init__(self) -> None:
        _require_steps(every=self.every)
        if self.patience < 0:
            raise RecipeError(f"expected patience of 0 steps or more, got {self.patience}")

    def __call__(self, memory: Memory | None, progress: Progress, problem: Problem) -> Memory:
        if self.patience:
            return self._when_stuck(memory, progress, problem)
        step = progress.step % self.every
        return self.schedule(memory if step else None, progress._replace(step=step), problem)

    def _when_stuck(self, memory: Memory | None, progress: Progress, problem: Problem) -> Memory:
        """Beside its own numbers, the memory holds the schedule's, under names that say so."""
        best, own, inner = float(progress.best), {"step": 0.0, "waited": 0.0}, None
        if memory is not None:
            fell = best < memory["lowest"]
            waited = 0.0 if fell else memory["waited"] + 1.0
            if waited < self.patience and memory["step"] + 1.0 < self.every:
                best = min(best, memory["lowest"])
                own = {"step": memory["step"] + 1.0, "waited": waited}
                inner = {
                    name.removeprefix(OF_SCHEDULE): number
                    for name, number in memory.items()
                    if name.startswith(OF_SCHEDULE)
                }
        inner = self.schedule(inner, progress._replace(step=int(own["step"])), problem)
        kept = {f"{OF_SCHEDULE}{name}": number for name, number in inner.items()}
        return {"rate": inner["rate"], **own, "lowest": best, **kept}


@dataclass(frozen=True)
class Stagnation:
    """Raise the rate while nothing improves, cut it when something does (report 003).

    After `patience` steps without a new best cost the rate grows by `increase`, unless it is
    above `limit` already, and the wait begins anew. A new best cost multiplies the rate by
    `factor` and is given `after_success` steps. The report says "capped at 90 %"; its code
    compares with 0.85 before it adds, which these constants follow.
    """

    start: float = 0.15
    patience: int = 10
    after_success: int = 20
    increase: float = 0.05
    limit: float = 0.85
    factor: float = 0.5

    def __post_init__(self) -> None:
        _require_rates(
            start=self.start, increase=self.increase, limit=self.limit, factor=self.factor
        )
        _require_steps(patience=self.patience, after_success=self.after_success)

    def __call__(self, memory: Memory | None, progress: Progress, problem: Problem) -> Memory:
        best = float(progress.best)
        if memory is None:
            return {"rate": float(self.start), "best": best, "wait": float(self.patience)}
        rate, wait = memory["rate"], memory["wait"] - 1.0
        if best < memory["best"]:
            return {"rate": rate * self.factor, "best": best, "wait": float(self.after_success)}
        if wait <= 0.0:
            wait = float(self.patience)
            if rate <= self.limit:
                rate += self.increase
        return {"rate": rate, "best": memory["best"], "wait": wait}


@dataclass(frozen=True)
class OneFifth:
    """Raise the rate when more than a fifth of the children succeed, lower it when fewer do.

    Rechenberg's 1/5 success rule (1973), over `every` steps at a time: a child succeeds if it is
    better than its first parent. The rate is divided or multiplied by `factor`, and stays between
    0.001 and 1.
    """

    start: float = 0.5
    factor: float = 0.85
    every: int = 10

    def __post_init__(self) -> None:
        _require_steps(every=self.every)
        if not LOWEST_RATE <= self.start <= HIGHEST_RATE:
            raise RecipeError(
                f"expected a start from {LOWEST_RATE:g} to {HIGHEST_RATE:g}, got {self.start}"
            )
        if not 0.0 < self.factor < 1.0:
            raise RecipeError(f"expected a factor between 0 and 1, got {self.factor}")

    def __call__(self, memory: Memory | None, progress: Progress, problem: Problem) -> Memory:
        if memory is None:
            return {"rate": float(self.start), "children": 0.0, "successes": 0.0}
        rate, children, successes = memory["rate"], memory["children"], memory["successes"]
        if progress.brood is not None:
            _, costs, _, new_costs, parents = progress.brood
            born, better = successes_of(costs, new_costs, parents)
            children, successes = children + born, successes + better
        if progress.step % self.every:
            return {"rate": rate, "children": children, "successes": successes}
        if 5.0 * successes > children:
            rate = min(rate / self.factor, HIGHEST_RATE)
        elif 5.0 * successes < children:
            rate = max(rate * self.factor, LOWEST_RATE)
        return {"rate": rate, "children": 0.0, "successes": 0.0}


@dataclass(frozen=True)
class ByDifficulty:
    """A rate for the puzzle's level, from the easiest to the hardest (report 000's remark).

    The report prefers a low rate for easy puzzles and a higher one for difficult puzzles, without
    numbers. The level is that of `genoku rate`. Where none is known, because givens clash or the
    techniques do not lead to a single solution, the rate is that of the hardest.
    """

    easiest: float = 0.1
    hardest: float = 1.0

    def __post_init__(self) -> None:
        _require_rates(easiest=self.easiest, hardest=self.hardest)

    def __call__(self, memory: Memory | None, progress: Progress, problem: Problem) -> Memory:
        if memory is not None:
            return memory
        difficulty = difficulty_of(problem.puzzle)
        return {"rate": self.easiest * (1.0 - difficulty) + self.hardest * difficulty}


ADAPTATIONS: tuple[type[Adaptation], ...] = (
    Constant,
    Linear,
    Exponential,
    Reheating,
    Stagnation,
    OneFifth,
    ByDifficulty,
)


@lru_cache(maxsize=64)  # islands and restarts begin many runs on one puzzle
def difficulty_of(puzzle: Puzzle) -> float:
    """The level of the hardest technique needed, from 0 to 1; 1 where the techniques fail."""
    from genoku.techniques import LEVELS, solve_path

    try:
        level = solve_path(puzzle).hardest.level
    except (PuzzleError, ImpossibleError):
        return 1.0
    return LEVELS.index(level) / (len(LEVELS) - 1)


@kernel
def successes_of(costs: Costs, new_costs: Costs, parents: NDArray[np.int64]) -> tuple[float, float]:
    """How many new boards have a first parent, and how many of them are better than it."""
    children, better = 0.0, 0.0
    for i in range(len(new_costs)):
        parent = parents[i, 0]
        if parent >= 0:
            children += 1.0
            if new_costs[i] < costs[parent]:
                better += 1.0
    return children, better
