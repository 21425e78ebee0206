"""How many runs succeed, and how sure that is."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from genoku.errors import GenokuError
from genoku.lab.statistics.comparison import Comparison
from genoku.lab.statistics.samples import Interval, deviate, special


@dataclass(frozen=True)
class Proportion:
    """Runs that succeeded, among all runs."""

    successes: int
    runs: int

    def __post_init__(self) -> None:
        if not 0 <= self.successes <= self.runs:
            raise GenokuError(
                f"expected 0 to {self.runs} successes of {self.runs} runs, got {self.successes}"
            )

    @classmethod
    def of(cls, solved: ArrayLike) -> Proportion:
        """Count the runs that were solved."""
        flags = np.asarray(solved, np.bool_)
        return cls(int(flags.sum()), flags.size)

    @property
    def share(self) -> float:
        """Successes per run; NaN without a run."""
        return self.successes / self.runs if self.runs else math.nan

    def wilson(self, level: float = 0.95) -> Interval:
        """Where the true share may lie."""
        return wilson(self.successes, self.runs, level)

    def __str__(self) -> str:
        if not self.runs:
            return "no runs"
        return f"{self.successes} of {self.runs} ({100 * self.share:.3g} %)"


def percent(share: float) -> str:
    """A share without a sign; what is not quite 0 or 100 does not look like it."""
    value = 100 * share
    shown = f"{value:.0f}"
    if (shown == "100" and share < 1) or (shown == "0" and share > 0):
        return f"{math.floor(value * 10) / 10:.1f}" if shown == "100" else f"{value:.2g}"
    return shown


def share_text(success: Proportion) -> str:
    """`95 % (83–99)`, with Wilson's interval."""
    low, high = success.wilson()
    return f"{percent(success.share)} % ({percent(low)}–{percent(high)})"


def wilson(successes: int, runs: int, level: float = 0.95) -> Interval:
    """Wilson's score interval of a share (Wilson 1927); 0 to 1 without a run."""
    Proportion(successes, runs)
    if not runs:
        return Interval(0.0, 1.0)
    low, high = wilson_band(np.array([successes / runs]), np.array([float(runs)]), level)
    return Interval(float(low[0]), float(high[0]))


def wilson_band(
    shares: NDArray[np.float64], sizes: NDArray[np.float64], level: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Wilson's interval of many shares: the p with |share - p| <= z sqrt(p (1 - p) / size)."""
    z = deviate(level)
    reach = z * np.sqrt(shares * (1 - shares) / sizes + (z / sizes) ** 2 / 4)
    scale = 1 + z * z / sizes
    middle = shares + z * z / sizes / 2
    low = np.where(shares == 0, 0.0, np.clip((middle - reach) / scale, 0, 1))
    high = np.where(shares == 1, 1.0, np.clip((middle + reach) / scale, 0, 1))
    return low, high


def fisher(first: Proportion, second: Proportion) -> Comparison:
    """Fisher's exact test of two shares; the statistic is the difference of the shares."""
    for each in (first, second):
        if not each.runs:
            raise GenokuError("expected at least one run on each side, got none")
    table = [[each.successes, each.runs - each.successes] for each in (first, second)]
    note = ""
    if first.successes + second.successes in (0, first.runs + second.runs):
        note = "all runs ended alike: nothing to tell apart"
    return Comparison(
        test="Fisher's exact test",
        statistic=first.share - second.share,
        p=1.0 if note else min(1.0, float(special("stats").fisher_exact(table).pvalue)),
        sizes=(first.runs, second.runs),
        note=note,
    )
