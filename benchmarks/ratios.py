"""Ratios of two times that were measured in turns: their median, its interval, and the verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from statistics import median
from typing import Literal

MARGIN = 0.03
"""A ratio within 3 % of 1 is not marked, however certain it is."""
CONFIDENCE = 0.95
FEWEST = 6
"""Rounds: with fewer, not even all of them together cover the median with this confidence."""

Verdict = Literal["slower", "faster", ""]


@dataclass(frozen=True)
class Ratio:
    """The median of ratios, and an interval of it."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, ratios: Sequence[float]) -> Ratio:
        """Compute the median, and the ends of its interval: two of the ratios.

        The interval covers the true median with at least 95 % confidence, whatever the
        distribution of the ratios is, as long as rounds are independent of each other. (Conover,
        Practical Nonparametric Statistics, 3rd edition, section 3.2.)

        >>> Ratio.of([1.01, 0.99, 1.0, 1.02, 1.04, 0.98])
        Ratio(median=1.005, low=0.98, high=1.04)
        """
        left_out = ends_left_out(len(ratios))
        inside = sorted(ratios)[left_out : len(ratios) - left_out]
        return cls(median(ratios), inside[0], inside[-1])

    @property
    def verdict(self) -> Verdict:
        """Whether the whole interval is beyond the margin."""
        if self.low > 1 + MARGIN:
            return "slower"
        if self.high < 1 / (1 + MARGIN):
            return "faster"
        return ""


def ends_left_out(count: int) -> int:
    """Return how many of the lowest and of the highest values an interval of the median omits.

    >>> [ends_left_out(count) for count in (6, 9, 12, 20)]
    [0, 1, 2, 5]
    """
    if count < FEWEST:
        raise ValueError(f"expected at least {FEWEST} values, got {count}")
    # The median is below the lowest k + 1 values if at most k of them all lie below it.
    left_out, missed = 0, 2 / 2**count
    while True:
        missed += 2 * comb(count, left_out + 1) / 2**count
        if missed > 1 - CONFIDENCE:
            return left_out
        left_out += 1


def order_of_turns(number: int, turns: int) -> list[int]:
    """Return whose turn it is in a round, by number: the two sides as 0 and 1, `turns` of each.

    They go back and forth, so that load that grows or falls weighs the same on both; in the next
    round the other one begins.

    >>> order_of_turns(0, turns=2), order_of_turns(1, turns=3)
    ([0, 1, 1, 0], [1, 0, 0, 1, 1, 0])
    """
    firsts = [(number + pair) % 2 for pair in range(turns)]
    return [which for first in firsts for which in (first, 1 - first)]
