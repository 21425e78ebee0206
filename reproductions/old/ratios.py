"""Ratios of expected running times: their intervals, and what follows from them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from genoku.lab.page import Verdict
from genoku.lab.statistics import Interval, Runs, ert, ert_ratio_interval
from reproductions.old.claims import MARGIN
from reproductions.old.places import FEWEST
from reproductions.old.words import short, spanned

LEAST = (0.5 + MARGIN) / (0.5 - MARGIN)
"""The least ratio that is a difference: `MARGIN` as a ratio of times.

Times to a solution, restarts included, are about exponential, and A12 of such times is
r / (1 + r) where r is their ratio.
"""

RULE = (
    "A ratio of running times is a difference if its interval excludes 1 and it is at least "
    f"{LEAST:.2f} or at most {1 / LEAST:.2f}, which is the margin of A12 for times that are about "
    "exponential, as those with restarts are; there is none if the whole interval is nearer to 1."
)
"""For the pages that judge by ratios."""


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

    Each puzzle is a stratum of its own, as the time for an easy one says nothing of a hard one.
    From fewer than six runs on a side nothing is said.
    """
    value = _mean([_quotient(ert(*first), ert(*second)) for first, second in strata])
    if min(np.size(solved) for pair in strata for _, solved in pair) < FEWEST:
        return Ratio(value, Interval(0.0, np.inf))
    interval = ert_ratio_interval(*strata, level=level, resamples=resamples, seed=seed)
    return Ratio(value, interval)


def _quotient(one: float, two: float) -> float:
    return np.nan if np.isinf(one) and np.isinf(two) else one / two


def _mean(ratios: Sequence[float]) -> float:
    """The geometric mean; NaN where a stratum is, or where one is 0 and another infinite."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.exp(np.log(np.asarray(ratios)).mean()))
