"""Ratios of expected running times: their intervals, and what follows from them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from genoku.lab.page import Verdict
from genoku.lab.reproduce.claims import MARGIN
from genoku.lab.reproduce.places import FEWEST
from genoku.lab.reproduce.words import short, spanned
from genoku.lab.statistics import Interval, ert
from genoku.lab.statistics.samples import Sample, sample

Runs = tuple[ArrayLike, ArrayLike]
"""The efforts of runs, and which of them were solved."""

LEAST = (0.5 + MARGIN) / (0.5 - MARGIN)
"""The least ratio that is a difference: `MARGIN` as a ratio of times.

Times to a solution, restarts included, are about exponential, and A12 of such times is
r / (1 + r) where r is their ratio.
"""


class Ratio(NamedTuple):
    """One expected running time by another; the value is NaN where neither was ever solved."""

    value: float
    interval: Interval

    def __str__(self) -> str:
        return f"{short(self.value)} ({spanned(self.interval)})"

    @property
    def above_one(self) -> Verdict:
        """That the first takes longer: the interval excludes 1, and the ratio is large enough.

        It fails where it takes less time, and where all of the interval is too near 1 to matter.
        """
        low, high = self.interval
        if (low > 1 and self.value >= LEAST) or (high < 1 and self.value <= 1 / LEAST):
            return "holds" if low > 1 else "fails"
        return "fails" if low > 1 / LEAST and high < LEAST else "undecided"


def time_ratio(
    *strata: tuple[Runs, Runs], level: float = 0.95, resamples: int = 4000, seed: int = 0
) -> Ratio:
    """The ratio of two expected running times: over several puzzles, the geometric mean of ratios.

    Each puzzle is a stratum of its own, as the time for an easy one says nothing of a hard one. A
    running time is the mean effort of a success, and that of a failure times the failures
    before it: E(T) = E(success) + (1 - p) / p E(failure). Efforts are bootstrapped, and p is drawn
    from what Jeffreys's prior leaves of it, since resampled runs would never fail where none was
    seen to: ten of ten runs say much less than two hundred of two hundred. From fewer than six
    runs on a side nothing is said.
    """
    value = _mean([_quotient(ert(*first), ert(*second)) for first, second in strata])
    if min(np.size(solved) for pair in strata for _, solved in pair) < FEWEST:
        return Ratio(float(value), Interval(0.0, np.inf))
    draws = np.random.default_rng(seed)
    drawn = [
        _drawn(*first, resamples, draws) / _drawn(*second, resamples, draws)
        for first, second in strata
    ]
    ordered, beyond = np.sort(_mean(drawn)), int((1 - level) / 2 * resamples)
    return Ratio(float(value), Interval(float(ordered[beyond]), float(ordered[-1 - beyond])))


def _quotient(one: float, two: float) -> float:
    return np.nan if np.isinf(one) and np.isinf(two) else one / two


def _mean(ratios: Sequence[Sample | float]) -> Sample:
    """The geometric mean; NaN where a stratum is, or where one is 0 and another infinite."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.exp(np.log(np.asarray(ratios)).mean(axis=0)))


def _drawn(
    efforts: ArrayLike, solved: ArrayLike, resamples: int, draws: np.random.Generator
) -> Sample:
    """Expected running times of resamples; of what was never seen, the nearest that was."""
    spent, flags = sample(efforts, finite=True), np.asarray(solved, np.bool_)
    successes, failures = spent[flags], spent[~flags]
    p = draws.beta(successes.size + 0.5, failures.size + 0.5, resamples)
    failed = failures if failures.size else spent[spent == spent.max()]
    succeeded = successes if successes.size else failures
    means = [
        draws.choice(kind, (resamples, kind.size)).mean(axis=1) for kind in (succeeded, failed)
    ]
    return np.asarray(means[0] + (1 - p) / p * means[1], np.float64)
