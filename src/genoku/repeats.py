"""How many times a mutation is applied to a board that mutates.

The rate says whether a board mutates at all and belongs to the adaptation; this says how much.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache, reduce
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from genoku.errors import RecipeError
from genoku.problem import Problem
from genoku.stream import Stream, integers, uniforms

Times = NDArray[np.int64]
"""How many times, for every board; to be read only, since boards may share it."""


class Repeats(Protocol):
    """How many times the operator is applied to each of `count` boards."""

    def __call__(self, count: int, problem: Problem, rng: Stream) -> Times: ...


@dataclass(frozen=True)
class Fixed:
    """The same number of `times` for every board: once (report 000) or more."""

    times: int = 1

    def __post_init__(self) -> None:
        if self.times < 1:
            raise RecipeError(f"expected 1 time or more, got times {self.times}")

    def __call__(self, count: int, problem: Problem, rng: Stream) -> Times:
        return all_alike(count, self.times)


@dataclass(frozen=True)
class Between:
    """A random number of times, each from `least` to `most` equally likely."""

    least: int = 1
    most: int = 5

    def __post_init__(self) -> None:
        if not 0 <= self.least <= self.most:
            raise RecipeError(
                "expected at least 0 times and at most no fewer, "
                f"got least {self.least} and most {self.most}"
            )

    def __call__(self, count: int, problem: Problem, rng: Stream) -> Times:
        return integers(rng, self.most - self.least + 1, count) + self.least


@dataclass(frozen=True)
class Binomial:
    """As many times as `trials` of chance `p` succeed, perhaps none (report 002).

    With `trials=0` there is one for every unit (27: the report's swaps) or for every blank (its
    uniform mutation), as `of` says. The report's text has 0 to n successes, its code leaves n out:
    we do not.
    """

    p: float = 0.01
    trials: int = 0
    of: Literal["units", "blanks"] = "units"

    def __post_init__(self) -> None:
        if not 0 <= self.p <= 1:
            raise RecipeError(f"expected a chance from 0 to 1, got p {self.p}")
        if self.trials < 0:
            raise RecipeError(f"expected 0 trials or more, got trials {self.trials}")
        if self.of not in ("units", "blanks"):
            raise RecipeError(f"expected trials of units or blanks, got {self.of!r}")

    def __call__(self, count: int, problem: Problem, rng: Stream) -> Times:
        counted = 3 * problem.puzzle.side if self.of == "units" else len(problem.space.genes)
        table = successes_up_to(self.trials or counted, self.p)
        # report 002, get_count; the last entry is 1 but for rounding, and no draw goes beyond it
        return np.searchsorted(table[:-1], uniforms(rng, count), side="right")


REPEATS: tuple[type[Repeats], ...] = (Fixed, Between, Binomial)


@lru_cache(maxsize=64)
def all_alike(count: int, times: int) -> Times:
    """One array for all calls: making it anew would cost a sixth of a mutation."""
    return np.full(count, times, np.int64)


@lru_cache(maxsize=64)
def successes_up_to(trials: int, p: float) -> NDArray[np.float64]:
    """For k from 0 to `trials`, the chance of at most k successes."""
    one_trial = np.array([1 - p, p])
    return reduce(np.convolve, [one_trial] * trials, np.ones(1)).cumsum()
