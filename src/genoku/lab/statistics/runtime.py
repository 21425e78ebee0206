"""What a solution costs: expected running time, and medians that know of unsolved runs.

Efforts are in any unit: evaluations, moves, steps or CPU seconds. An unsolved run counts with
what it spent until it was stopped.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from genoku.errors import GenokuError
from genoku.lab.statistics.curves import survival
from genoku.lab.statistics.samples import Interval, Sample, chance, runs
from genoku.lab.statistics.success import Proportion

Runs = tuple[ArrayLike, ArrayLike]
"""The efforts of runs, and which of them were solved."""

LEAN = 0.125
"""Between 1/2, with which the chance of success is drawn as Jeffreys's prior leaves it, and 0."""
FURTHEST = 300.0
"""How far a drawn mean may be from the one seen, as a logarithm; two runs allow any."""


@dataclass(frozen=True)
class RunningTime:
    """An expected running time with its interval, and the runs it comes from."""

    value: float
    interval: Interval
    success: Proportion


@dataclass(frozen=True)
class Quartiles:
    """By when a quarter, half and three quarters of runs are solved; None if never seen."""

    lower: float | None
    median: float | None
    upper: float | None


def ert(efforts: ArrayLike, solved: ArrayLike) -> float:
    """Expected running time: the effort of all runs per success (Hansen et al., COCO).

    What independent restarts would spend on average until one of them solves; infinite if none
    did.
    """
    spent, flags = runs(efforts, solved)
    return float(spent.sum() / flags.sum()) if flags.any() else math.inf


def ert_interval(
    efforts: ArrayLike,
    solved: ArrayLike,
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> Interval:
    """An interval of `ert`, from so many draws of what the runs leave possible.

    It is made to hold the true value as often as it says, down to ten runs, for efforts that vary
    as much as memoryless ones do (exponential, geometric); `python3 run.py release coverage` prints
    how often it does. Where no run was solved, the upper end is infinite; the fewer solved ones
    there are, the further it lies. One solved run says nothing: 0 to infinity.
    """
    spent, flags = runs(efforts, solved)
    drawn = _times(spent, flags, resamples, np.random.default_rng(seed))
    ends, value = _between(*drawn, level), ert(spent, flags)
    if spent.size == 1 and flags.all():
        return Interval(0.0, math.inf)
    return Interval(min(ends.low, value), max(ends.high, value))


def ert_ratio_interval(
    *strata: tuple[Runs, Runs], level: float = 0.95, resamples: int = 4000, seed: int = 0
) -> Interval:
    """The interval of the ratio of two `ert`, each by its efforts and verdicts.

    Of several strata, such as puzzles, it is that of the geometric mean of their ratios.
    """
    draws = np.random.default_rng(seed)
    ends = []
    for pair in strata:
        one, two = (_times(*runs(*each), resamples, draws) for each in pair)
        with np.errstate(divide="ignore"):  # by what cost nothing, or is infinite
            ends.append(np.log([one[0] / two[1], one[1] / two[0]]))
    low, high = np.exp(np.mean(ends, axis=0))
    return _between(low, high, level)


def running_time(
    efforts: ArrayLike,
    solved: ArrayLike,
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> RunningTime:
    """`ert` with its interval and the share of runs that were solved."""
    return RunningTime(
        ert(efforts, solved),
        ert_interval(efforts, solved, level, resamples, seed),
        Proportion.of(solved),
    )


def common_budget(*groups: tuple[ArrayLike, ArrayLike]) -> float:
    """Up to which effort groups of runs, as efforts and verdicts, can be compared.

    Where the first unsolved run of any group was stopped; infinite if all were solved.
    """
    parts = [runs(efforts, solved) for efforts, solved in groups]
    return min(
        (float(spent[~flags].min(initial=math.inf)) for spent, flags in parts), default=math.inf
    )


def to_solution(efforts: ArrayLike, solved: ArrayLike, within: float = math.inf) -> Sample:
    """Efforts to solution, to compare by rank: infinite for a run not solved within the budget."""
    spent, flags = runs(efforts, solved)
    return np.where(flags & (spent <= within), spent, np.inf)


def time_to_solve(efforts: ArrayLike, solved: ArrayLike, share: float = 0.5) -> float | None:
    """The effort by which this share of runs is solved, after Kaplan and Meier (1958).

    The smallest effort seen at which the estimate reaches the share; None if it never does. Where
    every run was solved it is NumPy's "inverted_cdf" quantile.
    """
    curve = survival(efforts, solved)
    reached = np.flatnonzero(1 - curve.y >= chance(share, "share") - 1e-12)
    return float(curve.x[reached[0]]) if reached.size else None


def quartiles_to_solve(efforts: ArrayLike, solved: ArrayLike) -> Quartiles:
    """`time_to_solve` for a quarter, half and three quarters of the runs."""
    lower, median, upper = (time_to_solve(efforts, solved, share) for share in (0.25, 0.5, 0.75))
    return Quartiles(lower, median, upper)


def _times(
    spent: Sample, flags: NDArray[np.bool_], resamples: int, draws: np.random.Generator
) -> tuple[Sample, Sample]:
    """Expected running times that the runs leave possible: for the lower end, and for the upper.

    A running time is the mean effort of a success, and that of a failure times the failures before
    it: E(T) = E(success) + (1 - p) / p E(failure). Both means are drawn on a logarithmic scale,
    with Student's tails; a failure that was never seen costs as much as the longest run. The chance
    p is drawn from a beta distribution between Jeffreys's, whose intervals hold too little where
    successes or failures are few, and that of Clopper and Pearson, whose intervals hold too much.
    """
    if resamples < 1:
        raise GenokuError(f"expected one resample or more, got {resamples}")
    successes, failures = int(flags.sum()), int((~flags).sum())

    def mean(of: Sample) -> Sample:
        if of.size < 2 or not of.any():
            return np.full(resamples, of.sum())  # 0 where there is none
        error = of.std(ddof=1) / of.mean() / math.sqrt(of.size)
        apart = error * draws.standard_t(spent.size - 1, resamples)
        drawn: Sample = of.mean() * np.exp(np.clip(apart, -FURTHEST, FURTHEST))
        return drawn

    success = mean(spent[flags])
    failure = mean(spent[~flags] if failures else spent.max(keepdims=True))
    likely = draws.beta(successes + 1 - LEAN, failures + LEAN, resamples)
    low = success + (1 - likely) / likely * failure
    if not successes:
        return low, np.full(resamples, math.inf)
    rare = draws.beta(successes + LEAN, failures + 1 - LEAN, resamples)
    return low, success + (1 - rare) / rare * failure


def _between(low: Sample, high: Sample, level: float) -> Interval:
    """What is left between two tails, each of the draws for its end."""
    tail = (1 - chance(level, "level")) / 2
    beyond = min(int(tail * low.size + 1e-9), (low.size - 1) // 2)  # draws in each tail
    return Interval(float(np.sort(low)[beyond]), float(np.sort(high)[-1 - beyond]))
