"""How many runs it takes to tell two algorithms apart, if they differ as much as was seen."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from genoku.errors import GenokuError
from genoku.lab.statistics.comparison import mann_whitney, smallest_p
from genoku.lab.statistics.effect import a12
from genoku.lab.statistics.samples import LEVEL, Sample, chance, p_text, sample
from genoku.lab.statistics.success import Proportion, fisher

MANY = 10_000
"""Beyond so many runs a difference is not worth naming a number."""


def runs_for_a12(
    value: float, *, alpha: float = LEVEL, power: float = 0.8, ties: float = 0.0
) -> int | None:
    """Runs on each side for Mann–Whitney to see this A12: Noether (1987).

    n = (z_alpha/2 + z_power)² / (6 (A12 - 1/2)²), less the share `ties` that equal values take of
    the variance (Zhao, Rahardja, Qu 2008). None for an A12 of 1/2; never fewer than it takes for
    p to fall below alpha at all.
    """
    if not 0 <= value <= 1:
        raise GenokuError(f"expected an A12 from 0 to 1, got {value}")
    if abs(value - 0.5) < 1e-12:
        return None
    reach = _deviates(alpha, power)
    needed = math.ceil((1 - ties) * sum(reach) ** 2 / (6 * (value - 0.5) ** 2))
    return max(needed, fewest_runs(alpha))


def runs_for_shares(
    first: float, second: float, *, alpha: float = LEVEL, power: float = 0.8
) -> int | None:
    """Runs on each side for Fisher's test to see these shares of success; None if they are equal.

    The two-proportion formula with the correction for continuity (Fleiss, Tytun, Ury 1980).
    """
    for share in (first, second):
        if not 0 <= share <= 1:
            raise GenokuError(f"expected a share from 0 to 1, got {share}")
    distance = abs(first - second)
    if distance < 1e-12:
        return None
    z_alpha, z_power = _deviates(alpha, power)
    mean = (first + second) / 2
    apart = first * (1 - first) + second * (1 - second)
    plain = (z_alpha * math.sqrt(2 * mean * (1 - mean)) + z_power * math.sqrt(apart)) ** 2
    plain /= distance**2
    return math.ceil(plain / 4 * (1 + math.sqrt(1 + 4 / (plain * distance))) ** 2)


def fewest_runs(alpha: float = LEVEL) -> int:
    """The fewest runs on each side with which Mann–Whitney could ever give p < alpha."""
    chance(alpha, "level of significance")
    return next(n for n in range(1, 1000) if smallest_p(n, n) < alpha)


def hint(
    first: ArrayLike,
    second: ArrayLike,
    *,
    alpha: float = LEVEL,
    power: float = 0.8,
    tests: int = 1,
    corrected: float | None = None,
) -> str:
    """One sentence: whether Mann–Whitney tells two samples apart, or how many runs might.

    For one comparison of many, hand in their number, and its p after correction; without it,
    Bonferroni's is taken.
    """
    one, two = sample(first, "the first sample"), sample(second, "the second sample")
    test, effect = mann_whitney(one, two), a12(one, two)
    level, p = alpha / tests, min(1.0, test.p * tests) if corrected is None else corrected
    said = p_text(p) + (f" after correction for {tests:,} comparisons" if tests > 1 else "")
    with_runs = f"With {_sizes(one.size, two.size)}"
    if test.note:
        return f"{with_runs} all values are equal, so nothing tells these apart."
    if p < alpha:
        return f"{with_runs} these differ ({said}, A12 = {effect.a12:.2f})."
    needed = runs_for_a12(effect.a12, alpha=level, power=power, ties=_ties(one, two))
    seen = f"A12 = {effect.a12:.2f}"
    least = smallest_p(one.size, two.size)
    if least >= level:
        cannot = f"{with_runs} no result can reach p < {level:.3g} (at best {p_text(least)})"
        cannot += f"; it takes at least {fewest_runs(level)} each"
        if min(one.size, two.size) == 1:  # a single run says nothing of how they differ
            return f"{cannot}."
    else:
        cannot = f"{with_runs} you can't tell these apart ({said})"
    return _told(cannot, needed, seen, one.size, two.size)


def hint_shares(
    first: Proportion, second: Proportion, *, alpha: float = LEVEL, power: float = 0.8
) -> str:
    """One sentence: whether Fisher's test tells two shares apart, or how many runs might."""
    test = fisher(first, second)
    with_runs = f"With {_sizes(first.runs, second.runs)}"
    if test.note:
        ended = "solved" if first.successes else "unsolved"
        return f"{with_runs} all are {ended}, so success does not tell these apart."
    seen = f"{100 * first.share:.0f} % and {100 * second.share:.0f} % solved"
    if test.p < alpha:
        return f"{with_runs} the shares solved differ ({p_text(test.p)}, {seen})."
    needed = runs_for_shares(first.share, second.share, alpha=alpha, power=power)
    cannot = f"{with_runs} you can't tell the shares apart ({p_text(test.p)})"
    return _told(cannot, needed, seen, first.runs, second.runs)


def _deviates(alpha: float, power: float) -> tuple[float, float]:
    normal = NormalDist()
    chance(alpha, "level of significance")
    return normal.inv_cdf(1 - alpha / 2), normal.inv_cdf(chance(power, "power"))


def _ties(one: Sample, two: Sample) -> float:
    """The share that equal values take of the variance of ranks: sum(t³ - t) / (n³ - n)."""
    n = one.size + two.size
    times = np.unique(np.concatenate([one, two]), return_counts=True)[1].astype(np.float64)
    return float((times**3 - times).sum()) / (n**3 - n)


def _sizes(first: int, second: int) -> str:
    if first == second:
        return "1 run each" if first == 1 else f"{first} runs each"
    return f"{first} and {second} runs"


def _told(cannot: str, needed: int | None, seen: str, first: int, second: int) -> str:
    """What cannot be told, and how many runs might do."""
    if needed is None:
        return f"{cannot}; neither is better ({seen}), so no number of runs can be named."
    if needed > MANY:
        return f"{cannot}; the difference seen ({seen}) would take more than {MANY:,} runs each."
    about = max(_rounded(needed), min(first, second) + 1)
    return f"{cannot}; about {about:,} each would do if the difference is as seen ({seen})."


def _rounded(number: int) -> int:
    """Upwards, to two digits: an estimate should not look exact."""
    unit = int("1" + "0" * max(0, len(str(number)) - 2))
    return -(-number // unit) * unit
