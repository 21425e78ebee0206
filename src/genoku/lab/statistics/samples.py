"""Samples as arrays: what is refused, ranks, intervals, and the few numbers that describe one."""

from __future__ import annotations

import math
from dataclasses import dataclass
from importlib import import_module
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from genoku.errors import GenokuError
from genoku.extras import require

Sample = NDArray[np.float64]

LEVEL = 0.05
"""A difference is significant where p, corrected for the number of tests, is below."""


class Interval(NamedTuple):
    """From `low` to `high`; an end may be infinite."""

    low: float
    high: float


def sample(values: ArrayLike, name: str = "the sample", *, finite: bool = False) -> Sample:
    """One or more numbers as a flat array; infinity stands for "never" unless `finite`."""
    array = np.asarray(values, np.float64)
    if array.ndim != 1:
        raise GenokuError(
            f"expected a list of numbers as {name}, got an array of {array.ndim} dimensions"
        )
    if array.size == 0:
        raise GenokuError(f"expected at least one value in {name}, got none")
    if np.isnan(array).any():
        raise GenokuError(
            f"expected numbers in {name}, got NaN at place {int(np.isnan(array).argmax()) + 1}"
        )
    if finite and not np.isfinite(array).all():
        place = int((~np.isfinite(array)).argmax()) + 1
        raise GenokuError(f"expected finite numbers in {name}, got infinity at place {place}")
    return array


def runs(efforts: ArrayLike, solved: ArrayLike) -> tuple[Sample, NDArray[np.bool_]]:
    """What each run spent until it was solved or stopped, and which of them were solved."""
    spent = sample(efforts, "the efforts", finite=True)
    flags = np.asarray(solved, np.bool_)
    if flags.shape != spent.shape:
        raise GenokuError(
            f"expected one verdict for each of the {spent.size} efforts, got {flags.size}"
        )
    if spent.min() < 0:
        raise GenokuError(f"expected efforts of 0 or more, got {spent.min():g}")
    return spent, flags


def chance(value: float, name: str) -> float:
    """A number strictly between 0 and 1."""
    if not 0 < value < 1:
        raise GenokuError(f"expected a {name} between 0 and 1, got {value}")
    return value


def deviate(level: float) -> float:
    """How many standard deviations about the mean hold the share `level` of a normal."""
    return NormalDist().inv_cdf(0.5 + chance(level, "level") / 2)


def two_sided(z: float) -> float:
    """How likely a normal is at least `z` standard deviations from its mean."""
    return math.erfc(abs(z) / math.sqrt(2))


def midranks(values: Sample) -> Sample:
    """Ranks from 1, equal values sharing the mean of theirs."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[inverse]


def p_text(p: float, *, bare: bool = False) -> str:
    """A p-value to read: `p = 0.0423`, or `p < 0.0001`; bare, `0.0423` or `< 0.0001`."""
    if p < 0.0001:
        return "< 0.0001" if bare else "p < 0.0001"
    return f"{p:.3g}" if bare else f"p = {p:.3g}"


def special(module: str) -> Any:
    """A module of SciPy, or what to install."""
    require("lab", "statistics of studies need SciPy", "scipy")
    return import_module(f"scipy.{module}")


@dataclass(frozen=True)
class Description:
    """A sample in a few numbers; `sd` divides by n - 1, and is NaN where that says nothing."""

    n: int
    mean: float
    sd: float
    median: float
    lower_quartile: float
    upper_quartile: float
    minimum: float
    maximum: float

    @property
    def quartiles(self) -> Interval:
        """The middle half of the sample."""
        return Interval(self.lower_quartile, self.upper_quartile)


def describe(values: ArrayLike) -> Description:
    """Describe a sample; infinite values ("never") count as the greatest."""
    array = sample(values)
    finite = bool(np.isfinite(array).all())
    low, middle, high = (quantile(array, share) for share in (0.25, 0.5, 0.75))
    return Description(
        n=array.size,
        mean=float(array.mean()) if finite else _infinite_mean(array),
        sd=spread(array) if finite and array.size > 1 else math.nan,
        median=middle,
        lower_quartile=low,
        upper_quartile=high,
        minimum=float(array.min()),
        maximum=float(array.max()),
    )


def spread(values: Sample) -> float:
    """The standard deviation (n - 1): exactly 0 for equal values, whatever their mean rounds to."""
    return float(values.std(ddof=1)) if np.ptp(values) else 0.0


def quantile(values: Sample, share: float) -> float:
    """The quantile between neighbours (NumPy's "linear"), infinity included."""
    ordered = np.sort(values)
    place = share * (ordered.size - 1)
    below, above = float(ordered[math.floor(place)]), float(ordered[math.ceil(place)])
    if below == above:  # also where both are infinite
        return below
    return below + (above - below) * (place - math.floor(place))


def _infinite_mean(array: Sample) -> float:
    with np.errstate(invalid="ignore"):  # infinities of both signs have no mean
        return float(array.mean())
