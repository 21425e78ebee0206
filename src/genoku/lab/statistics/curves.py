"""How runs proceed: shares solved over effort, and costs at a budget or until a target."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from genoku.errors import GenokuError
from genoku.lab.statistics.samples import Sample, chance, runs, sample
from genoku.lab.statistics.success import wilson_band

Trace = tuple[ArrayLike, ArrayLike]
"""What a run had spent, never falling, and its best cost (or any cost) there."""


@dataclass(frozen=True, eq=False)
class Curve:
    """A step function: `y` holds from its `x` up to the next; `low` and `high` are its band.

    `until` is the effort at which the first unsolved run was stopped, infinite if there is none.
    """

    x: Sample
    y: Sample
    low: Sample
    high: Sample
    until: float

    def at(self, efforts: ArrayLike) -> Sample:
        """The height at any efforts from 0 on."""
        places = np.searchsorted(self.x, np.asarray(efforts, np.float64), side="right") - 1
        return self.y[np.maximum(places, 0)]

    def complement(self) -> Curve:
        """1 less the curve: solved instead of unsolved."""
        return Curve(self.x, 1 - self.y, 1 - self.high, 1 - self.low, self.until)


@dataclass(frozen=True, eq=False)
class Bands:
    """Quantiles of many runs on a common grid: `y[i]` is the quantile `shares[i]` at every `x`."""

    x: Sample
    y: NDArray[np.float64]
    shares: tuple[float, ...]


def ecdf(efforts: ArrayLike, solved: ArrayLike, level: float = 0.95) -> Curve:
    """The share of all runs that are solved within each effort, with Wilson's interval.

    Unsolved runs count among all runs. Beyond `until` some were stopped earlier than the effort
    shown, and the curve is what was seen, not what would have been: see `survival` for that.
    """
    spent, flags = runs(efforts, solved)
    x = _steps(spent, flags)
    y: Sample = np.searchsorted(np.sort(spent[flags]), x, side="right") / float(spent.size)
    low, high = wilson_band(y, np.full(x.size, float(spent.size)), level)
    return Curve(x, y, low, high, _until(spent, flags))


def survival(efforts: ArrayLike, solved: ArrayLike, level: float = 0.95) -> Curve:
    """The share of runs not yet solved at each effort, after Kaplan and Meier (1958).

    Runs that were stopped unsolved leave the count, whenever that was. The band is Wilson's for
    as many runs as would give Greenwood's variance (Rothman 1978): without stopped runs, that of
    `ecdf`. Its `complement()` is the share solved.
    """
    spent, flags = runs(efforts, solved)
    x = _steps(spent, flags)
    at_risk = spent.size - np.searchsorted(np.sort(spent), x, side="left")
    ended = np.sort(spent[flags])
    events = np.searchsorted(ended, x, side="right") - np.searchsorted(ended, x, side="left")
    left = at_risk - events
    y: Sample = np.cumprod(left / at_risk, dtype=np.float64)
    some = (events > 0) & (left > 0)
    greenwood = np.cumsum(np.divide(events, at_risk * left, out=np.zeros(x.size), where=some))
    sizes = np.full(x.size, np.nan)
    known = (y > 0) & (greenwood > 0)
    sizes[known] = (1 - y[known]) / (y[known] * greenwood[known])
    low, high = wilson_band(y, _filled(sizes, float(spent.size)), level)
    return Curve(x, y, low, high, _until(spent, flags))


def fixed_target(traces: Iterable[Trace], target: float) -> Sample:
    """What each run had spent when its best was first at or below the target; infinite if never."""
    found = []
    for trace in traces:
        spent, best = _trace(trace)
        reached = np.flatnonzero(best <= target)
        found.append(spent[reached[0]] if reached.size else np.inf)
    return np.array(found, np.float64)


def fixed_budget(traces: Iterable[Trace], budget: float) -> Sample:
    """The best of each run by the time it had spent the budget.

    A run that ended earlier keeps its last; one that had recorded nothing by then has infinity.
    """
    return _sampled(traces, np.array([budget], np.float64))[:, 0]


def quantile_bands(
    traces: Iterable[Trace],
    shares: tuple[float, ...] = (0.25, 0.5, 0.75),
    grid: ArrayLike | None = None,
    points: int = 200,
) -> Bands:
    """Quantiles over runs of the best so far, at each effort of a grid.

    The grid is even, from where every run has recorded something to the end of the longest.
    Runs that ended earlier keep their last value. Quantiles are values seen ("inverted_cdf").
    """
    for share in shares:
        chance(share, "share")
    if grid is None:
        traces = list(traces)
        spans = [_trace(trace)[0][[0, -1]] for trace in traces] or [np.zeros(2)]
        x = np.linspace(max(s[0] for s in spans), max(s[1] for s in spans), points)
    else:
        x = sample(grid, "the grid", finite=True)
    rows = _sampled(traces, x)
    if not len(rows):
        raise GenokuError("expected at least one history, got none")
    y = np.quantile(rows, shares, axis=0, method="inverted_cdf")
    return Bands(x, y, tuple(shares))


def _steps(spent: Sample, flags: NDArray[np.bool_]) -> Sample:
    """Where a curve begins, rises and ends."""
    return np.unique(np.concatenate([[0.0], spent[flags], [spent.max()]]))


def _until(spent: Sample, flags: NDArray[np.bool_]) -> float:
    return float(spent[~flags].min(initial=np.inf))


def _filled(values: Sample, first: float) -> Sample:
    """Each unknown as the last known before it."""
    places = np.maximum.accumulate(np.where(np.isnan(values), -1, np.arange(values.size)))
    return np.where(places >= 0, values[places], first)


def _sampled(traces: Iterable[Trace], grid: Sample) -> NDArray[np.float64]:
    """The best so far of each run (rows) at each effort of the grid."""
    rows = []
    for trace in traces:
        spent, best = _trace(trace)
        places = np.searchsorted(spent, grid, side="right") - 1
        rows.append(np.where(places >= 0, best[np.maximum(places, 0)], np.inf))
    return np.array(rows, np.float64).reshape(-1, grid.size)


def _trace(trace: Trace) -> tuple[Sample, Sample]:
    """A history as arrays, the best so far at each effort."""
    spent, best = sample(trace[0], "a history's efforts", finite=True), sample(trace[1], "its best")
    if spent.size != best.size:
        raise GenokuError(f"expected a best for each of {spent.size} efforts, got {best.size}")
    if (np.diff(spent) < 0).any():
        raise GenokuError("expected efforts of a history that never fall, got some that do")
    return spent, np.minimum.accumulate(best)
