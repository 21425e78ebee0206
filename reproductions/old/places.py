"""Where a published value stands among measured ones, and a rule for shares."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from genoku.lab.page import Verdict
from genoku.lab.statistics import Interval, Proportion, holm, sample, two_sided
from reproductions.old.claims import ALPHA, TOO_FEW, Claim, within
from reproductions.old.words import p_words

FEWEST = 6
"""Runs: the median of fewer has no interval of 95 % either."""


def percentile(values: ArrayLike, of: float) -> float:
    """The share of values below, in per cent; equal ones count as half."""
    ours = sample(values)
    return 100 * float(np.mean(ours < of) + np.mean(ours == of) / 2)


def tail(values: ArrayLike, of: float) -> float:
    """How likely a value of ours is as far out as this one, on either side.

    A published value is one more draw, so that it counts among ours: p is never 0.
    """
    ours = sample(values)
    fewer = min(int(np.sum(ours <= of)), int(np.sum(ours >= of)))
    return min(1.0, 2 * (fewer + 1) / (ours.size + 1))


ENOUGH = 100
"""Runs from which percentiles are told well enough to be looked at together."""

MIDDLE = Interval(25.0, 75.0)
"""Percentiles between which published values must stand on average to be called alike."""


def could_be_ours(
    text: str, where: str, published: Mapping[str, tuple[float, ArrayLike]], alpha: float = ALPHA
) -> Claim:
    """The claim that published values come from the distributions that we measured.

    It fails if one of them is out of its distribution (tails with Holm's correction), or if all
    together stand too high or too low: percentiles of draws average 50, with the deviation of so
    many uniform ones or less. Each test has half the level. It holds if, moreover, the interval of
    the mean percentile lies in the middle half, which takes six values or more. With fewer than a
    hundred runs of ours for a value nothing is said.
    """
    tails = {name: tail(ours, value) for name, (value, ours) in published.items()}
    adjusted = dict(zip(tails, holm(list(tails.values())), strict=True))
    worst = min(adjusted, key=lambda name: float(adjusted[name]))
    places = [percentile(ours, value) for value, ours in published.values()]
    middle, error = float(np.mean(places)), 100 / np.sqrt(12 * len(places))
    together = two_sided((middle - 50) / error)
    low, high = max(0.0, middle - 1.96 * error), min(100.0, middle + 1.96 * error)
    fewest = min(np.size(ours) for _, ours in published.values())
    verdict: Verdict = "undecided"
    if fewest >= ENOUGH:
        out = min(float(adjusted[worst]), together) < alpha / 2
        alike = MIDDLE.low <= low and high <= MIDDLE.high
        verdict = "fails" if out else "holds" if alike else "undecided"
    value, ours = published[worst]
    if fewest < FEWEST:
        return Claim(text, where, verdict, f"{TOO_FEW}.")
    because = (
        f"{len(tails)} published, among {fewest} runs of ours or more each. Their mean percentile "
        f"is {middle:.0f}, interval {low:.0f} to {high:.0f} (we ask: {MIDDLE.low:.0f} to "
        f"{MIDDLE.high:.0f}; {p_words(together)}); the one furthest out is {worst}, "
        f"{value:g}, at {percentile(ours, value):.0f} (with Holm "
        f"{p_words(float(adjusted[worst]))})."
    )
    return Claim(text, where, verdict, because)


def rare(text: str, where: str, seen: Proportion, *, share: float, because: str) -> Claim:
    """The claim that something hardly ever happens: in less than this share of runs."""
    low, high = seen.wilson()
    said = f"{because} {seen}; interval {100 * low:.1f} to {100 * high:.1f} %."
    return Claim(text, where, within(Interval(low, high), high=share), said)


def known(value: float) -> float | None:
    """A number for other programs; None for what is infinite or not known."""
    return float(value) if np.isfinite(value) else None
