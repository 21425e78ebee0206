"""Adaptation: how a rate changes during a run, by a schedule or by progress.

A *memory* is a dict of plain numbers; `rate` is the current rate. An adaptation makes the first
memory (from None) and then the next one after every step. The mutation rate, the temperature of
annealing and the chance of a worse move are all controlled by an adaptation.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from genoku.errors import (
    ImpossibleError,
    PuzzleError,
    RecipeError,
    require_above,
    require_at_least,
    require_between,
)
from genoku.evolve.fitness import Costs
from genoku.evolve.operators.replacement import Brood
from genoku.evolve.problem import Problem
from genoku.puzzle.board import Puzzle
from genoku.runtime.jit import kernel

Memory = dict[str, float]  #: Plain numbers, the `rate` among them
LOWEST_RATE, HIGHEST_RATE = 0.001, 1.0  # the limits of the 1/5 success rule
OF_SCHEDULE = "schedule "  # the prefix of numbers that belong to the schedule inside another


class Progress(NamedTuple):
    """The progress of a run, as an adaptation sees it."""

    step: int
    best: int  #: The lowest cost of the population
    brood: Brood | None = None  #: The boards of the last step; None at first, and without children


class Adaptation(Protocol):
    """Returns the next memory, without changing the old one."""

    def __call__(self, memory: Memory | None, progress: Progress, problem: Problem) -> Memory: ...


@dataclass(frozen=True)
class Constant:
    """Keep the rate constant."""

    rate: float = 1.0

    def __post_init__(self) -> None:
        require_at_least(self, rate=0)

    def __call__(self, memory: Memory | None, progress: Progress, problem: Problem) -> Memory:
        return memory or {"rate": float(self.rate)}


@dataclass(frozen=True)
class Linear:
    """Change the rate linearly from `start` to `end` in `over` steps, then keep it."""

    start: float = 1.0
    end: float = 0.1
    over: int = 1000

    def __post_init__(self) -> None:
        require_at_least(self, start=0, end=0, over=1)

    def __call__(self, memory: Memory | None, progress: Progress, problem: Problem) -> Memory:
        if progress.step >= self.over:
            return {"rate": float(self.end)}
        gone = progress.step / self.over
        return {"rate": self.start * (1.0 - gone) + self.end * gone}


@dataclass(frozen=True)
class Exponential:
    """Change the rate by equal factors from `start` to `end` in `over` steps: geometric cooling."""

    start: float = 1.0
    end: float = 0.01
    over: int = 1000

    def __post_init__(self) -> None:
        require_above(self, start=0, end=0)
        require_at_least(self, over=1)

    def __call__(self, memory: Memory | None, progress: Progress, problem: Problem) -> Memory:
        if progress.step >= self.over:
            return {"rate": float(self.end)}
        return {"rate": self.start * (self.end / self.start) ** (progress.step / self.over)}


@dataclass(frozen=True)
class Reheating:
    """Restart a schedule after a number of steps, or when nothing improves.

    The `schedule` restarts after `every` steps. With a `patience` above 0 it restarts earlier: as
    soon as the lowest cost since its last start has not fallen for that many steps.
    """

    schedule: Adaptation = Exponential()
    every: int = 1000
    patience: int = 0

    def __post_init__(self) -> None:
        require_at_least(self, every=1, patience=0)

    def __call__(self, memory: Memory | None, progress: Progress, problem: Problem) -> Memory:
        if self.patience:
            return self._when_stuck(memory, progress, problem)
        step = progress.step % self.every
        return self.schedule(memory if step else None, progress._replace(step=step), problem)

    def _when_stuck(self, memory: Memory | None, progress: Progress, problem: Problem) -> Memory:
        """The next memory with a patience; it also holds the schedule's numbers, with a prefix."""
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
    """Raise the rate while nothing improves, and cut it when something does (report 003).

    It begins at `start`. After `patience` steps without a new best cost it grows by `increase`,
    unless it is already above `limit`, and the wait starts again. A new best cost multiplies it by
    `factor`, and the next wait lasts `after_success` steps. The report says "capped at 90 %"; its
    code compares with 0.85 before it adds, as these defaults do.
    """

    start: float = 0.15
    patience: int = 10
    after_success: int = 20
    increase: float = 0.05
    limit: float = 0.85
    factor: float = 0.5

    def __post_init__(self) -> None:
        require_at_least(self, start=0, increase=0, limit=0, factor=0)
        require_at_least(self, patience=1, after_success=1)

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
    """Raise the rate when more than a fifth of the children succeed, and lower it otherwise.

    Rechenberg's 1/5 success rule (1973). A child succeeds if it is better than its first parent.
    Every `every` steps the rate is divided or multiplied by `factor`; it starts at `start` and
    stays between 0.001 and 1.
    """

    start: float = 0.5
    factor: float = 0.85
    every: int = 10

    def __post_init__(self) -> None:
        require_at_least(self, every=1)
        require_between(self, LOWEST_RATE, HIGHEST_RATE, "start")
        if not 0.0 < self.factor < 1.0:
            reason = f"expected more than 0 and less than 1, got {self.factor}"
            raise RecipeError(reason, path=("factor",))

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
    """Choose the rate by the puzzle's level, from `easiest` to `hardest` (report 000's remark).

    The report prefers a low rate for easy puzzles and a higher one for difficult ones, without
    numbers. The level is that of `genoku rate`. A puzzle without a level, because its givens
    conflict or the techniques do not solve it, has the rate of the hardest.
    """

    easiest: float = 0.1
    hardest: float = 1.0

    def __post_init__(self) -> None:
        require_at_least(self, easiest=0, hardest=0)

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


@lru_cache(maxsize=64)  # islands and restarts start many times on one puzzle
def difficulty_of(puzzle: Puzzle) -> float:
    """The level of the hardest technique needed, from 0 to 1; 1 if the techniques fail."""
    from genoku.techniques import LEVELS, solve_path

    try:
        level = solve_path(puzzle).hardest.level
    except (PuzzleError, ImpossibleError):
        return 1.0
    return LEVELS.index(level) / (len(LEVELS) - 1)


@kernel
def successes_of(costs: Costs, new_costs: Costs, parents: NDArray[np.int64]) -> tuple[float, float]:
    """The number of new boards that have a first parent, and of those better than it."""
    children, better = 0.0, 0.0
    for i in range(len(new_costs)):
        parent = parents[i, 0]
        if parent >= 0:
            children += 1.0
            if new_costs[i] < costs[parent]:
                better += 1.0
    return children, better
