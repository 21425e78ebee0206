"""How runs proceed: traces of their histories, and bands of many traces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genoku.fitness import Fitness
from genoku.geometry import Geometry
from genoku.history import History
from genoku.lab.report.budgets import Floats
from genoku.lab.statistics import quantile_bands

Trace = tuple[NDArray[Any], NDArray[Any]]
"""Effort and value, row by row."""

POINTS = 70  # of a curve


@dataclass(frozen=True, eq=False)
class Band:
    """The median and the quartiles of some runs' curves, and how many runs these are."""

    x: Floats
    lower: Floats
    median: Floats
    upper: Floats
    histories: int


def losses(
    history: History, fitness: Fitness | None, geometry: Geometry, cost: int, loss: float
) -> Trace | None:
    """The best loss so far over evaluations, if the history tells."""
    name = "best_ever" if "best_ever" in history else "best"
    if "evals" not in history or name not in history or not history.rows:
        return None
    costs = np.minimum.accumulate(history[name])
    if fitness is not None:
        return history["evals"], fitness.loss(costs.astype(np.int32), geometry)
    if cost > 0:  # a part of the user's own that is not here: losses go with costs
        return history["evals"], costs * (loss / cost)
    return None


def rate(history: History) -> Trace | None:
    """The rate over steps, where it is one and does not stay as it is."""
    if "gen" not in history or "rate" not in history:
        return None
    values = history["rate"]
    known = np.isfinite(values)
    if known.sum() < 2 or np.ptp(values[known]) == 0:
        return None
    return history["gen"][known], values[known]


def thinned(trace: Trace) -> Trace:
    """The rows of a trace where its value changes, with the first and the last.

    Between rows a trace keeps its value, so that nothing is lost; of a long run little is left.
    """
    x, y = trace
    kept = np.ones(len(x), np.bool_)
    kept[1:-1] = y[1:-1] != y[:-2]
    return x[kept], y[kept]


def band_of(traces: list[Trace], *, best: bool = True) -> Band:
    """Quartiles of curves: of the best so far, which ended runs keep, or of runs that go on."""
    first, last = max(float(x[0]) for x, _ in traces), max(float(x[-1]) for x, _ in traces)
    even = np.linspace(first, last, POINTS)
    grid = np.unique(np.concatenate((even, _spaced(first, last)))) if best else np.unique(even)
    if best:
        bands = quantile_bands(traces, grid=grid)
        lower, median, upper = bands.y
    else:
        rows = [
            np.where(grid > x[-1], np.nan, y[np.searchsorted(x, grid, side="right") - 1])
            for x, y in traces
        ]
        lower, median, upper = np.nanquantile(np.array(rows), (0.25, 0.5, 0.75), axis=0)
    return Band(grid, lower, median, upper, len(traces))


def _spaced(first: float, last: float) -> Floats:
    """Points evenly on a logarithmic axis, which needs them where others have few."""
    if last <= max(first, 1.0):
        return np.array([first])
    return np.geomspace(max(first, 1.0), last, POINTS // 2).clip(first, last)
