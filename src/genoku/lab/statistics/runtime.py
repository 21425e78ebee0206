"""What a solution costs: expected running time, and medians that know of unsolved runs.

Efforts are in any unit: evaluations, moves, steps or CPU seconds. An unsolved run counts with
what it spent until it was stopped.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from genoku.errors import GenokuError
from genoku.lab.showing import told
from genoku.lab.statistics.curves import survival
from genoku.lab.statistics.samples import Interval, Sample, chance, runs
from genoku.lab.statistics.success import Proportion, wilson

ROOM = 1_000_000
"""Draws of the bootstrap in memory at once."""


@dataclass(frozen=True)
class RunningTime:
    """An expected running time with its interval, and the runs it comes from."""

    value: float
    interval: Interval
    success: Proportion

    _repr_html_ = told


@dataclass(frozen=True)
class Quartiles:
    """By when a quarter, half and three quarters of runs are solved; None if never seen."""

    lower: float | None
    median: float | None
    upper: float | None

    _repr_html_ = told


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
    """The percentile bootstrap interval of `ert`: runs are redrawn with their verdicts.

    A resample without a success is infinite, so the upper end is infinite if more resamples than
    the tail have none. Where no run was solved, the lower end is the mean effort by the largest
    share of success that Wilson's interval leaves. One solved run says nothing: 0 to infinity.
    Intervals from few runs are too narrow, as all bootstraps are.
    """
    spent, flags = runs(efforts, solved)
    tail = (1 - chance(level, "level")) / 2
    if resamples < 1:
        raise GenokuError(f"expected one resample or more, got {resamples}")
    if not flags.any():
        return Interval(float(spent.mean()) / wilson(0, spent.size, level).high, math.inf)
    if spent.size == 1:
        return Interval(0.0, math.inf)
    drawn = np.sort(_resampled(spent, flags, resamples, seed))
    beyond = min(int(tail * resamples + 1e-9), (resamples - 1) // 2)  # resamples in each tail
    return Interval(float(drawn[beyond]), float(drawn[-1 - beyond]))


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


def _resampled(spent: Sample, flags: np.ndarray, resamples: int, seed: int) -> Sample:
    """The expected running time of each resample."""
    generator = np.random.default_rng(seed)
    times = np.empty(resamples)
    stride = max(1, ROOM // spent.size)
    for start in range(0, resamples, stride):
        rows = min(stride, resamples - start)
        drawn = generator.integers(spent.size, size=(rows, spent.size))
        totals, successes = spent[drawn].sum(axis=1), flags[drawn].sum(axis=1)
        times[start : start + rows] = np.where(
            successes > 0, totals / np.maximum(successes, 1), np.inf
        )
    return times
