"""Rank tests of two samples, and Holm's correction for many.

Efforts to solution are compared by rank, so a run that was never solved enters as infinity: it is
worse than any that was, and equal to the others that were not. That is right for ranks as long
as all runs had the same budget; `to_solution` and `common_budget` see to both.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from genoku.errors import GenokuError
from genoku.lab.statistics.samples import Sample, midranks, sample, two_sided

EXACT = 100
"""Up to so many values p is counted out, if doubles can count the ways; else it is a normal's."""

COUNTABLE = 2**53


@dataclass(frozen=True)
class Comparison:
    """What a test of two samples says; `note` says in words why it could say nothing."""

    test: str
    statistic: float
    p: float
    sizes: tuple[int, int]
    exact: bool = True
    differing: int | None = None
    """Pairs that differ, where samples are paired."""
    note: str = ""


def mann_whitney(first: ArrayLike, second: ArrayLike) -> Comparison:
    """Mann and Whitney's U (1947), two-sided: pairs in which the first is greater, ties as halves.

    p is exact, ties included, for up to 100 values in less than 2^53 splits (50 values always
    are); then normal, corrected for ties and continuity.
    """
    one, two = sample(first, "the first sample"), sample(second, "the second sample")
    ranks = midranks(np.concatenate([one, two]))
    total = float(ranks[: one.size].sum())
    exact = ranks.size <= EXACT and math.comb(ranks.size, one.size) < COUNTABLE
    note = "all values are equal: nothing to tell apart" if np.ptp(ranks) == 0 else ""
    if note:
        p = 1.0
    elif exact:
        p = _p_of_sum(_doubled(ranks), one.size, round(2 * total))
    else:
        mean = one.size * (ranks.size + 1) / 2
        spread = math.sqrt(one.size * two.size * float(ranks.var(ddof=1)) / ranks.size)
        p = min(1.0, two_sided(max(0.0, abs(total - mean) - 0.5) / spread))
    return Comparison(
        test="Mann–Whitney U test",
        statistic=total - one.size * (one.size + 1) / 2,
        p=p,
        sizes=(one.size, two.size),
        exact=exact,
        note=note,
    )


def wilcoxon(first: ArrayLike, second: ArrayLike) -> Comparison:
    """Wilcoxon's signed ranks (1945), two-sided, of pairs: the ranks where the first is greater.

    Pairs that are equal (also both infinite) are left out; `differing` counts the others. p is
    exact, ties included, for up to 52 of them; then normal, corrected for ties.
    """
    one, two = sample(first, "the first sample"), sample(second, "the second sample")
    if one.size != two.size:
        raise GenokuError(f"expected pairs, got {one.size} and {two.size} values")
    unequal = one != two  # infinity less infinity would be no number
    differences = one[unequal] - two[unequal]
    ranks = midranks(np.abs(differences))
    total = float(ranks[differences > 0].sum())
    exact = 2**ranks.size < COUNTABLE
    if not ranks.size:
        p = 1.0
    elif exact:
        p = _p_of_sum(_doubled(ranks), None, round(2 * total))
    else:
        p = two_sided((total - ranks.sum() / 2) / (math.sqrt(float((ranks**2).sum())) / 2))
    return Comparison(
        test="Wilcoxon signed-rank test",
        statistic=total,
        p=p,
        sizes=(one.size, two.size),
        exact=exact,
        differing=ranks.size,
        note="" if ranks.size else "all pairs are equal: nothing to tell apart",
    )


def van_elteren(strata: Iterable[tuple[ArrayLike, ArrayLike]]) -> Comparison:
    """Van Elteren's test (1960), two-sided: Mann and Whitney's over strata, such as puzzles.

    Values are ranked within each stratum, so that a hard puzzle is never set against an easy one.
    The statistic is the standardised sum of what the first samples' ranks exceed their mean by,
    each by its stratum's size plus one. p is normal, corrected for ties, and never less than all
    orders within the strata allow; with one stratum it is Mann and Whitney's.
    """
    pairs = [(sample(one, "a first sample"), sample(two, "a second sample")) for one, two in strata]
    if not pairs:
        raise GenokuError("expected one stratum or more, got none")
    excess = variance = 0.0
    least = 2.0
    for one, two in pairs:
        ranks = midranks(np.concatenate([one, two]))
        excess += float(ranks[: one.size].sum()) / (ranks.size + 1) - one.size / 2
        spread = one.size * two.size * float(ranks.var(ddof=1)) / ranks.size
        variance += spread / (ranks.size + 1) ** 2
        least /= math.comb(ranks.size, one.size)
    z = excess / math.sqrt(variance) if variance else 0.0
    alone = mann_whitney(*pairs[0]).p if len(pairs) == 1 else two_sided(z)
    return Comparison(
        test="van Elteren's test",
        statistic=z,
        p=max(alone, least) if variance else 1.0,
        sizes=(sum(one.size for one, _ in pairs), sum(two.size for _, two in pairs)),
        exact=False,
        note="" if variance else "all values are equal: nothing to tell apart",
    )


def smallest_p(first: int, second: int) -> float:
    """The smallest p that Mann–Whitney can give two samples of these sizes."""
    return min(1.0, 2 / math.comb(first + second, first))


def holm(p_values: ArrayLike) -> Sample:
    """Holm's step-down correction (1979): p-values to hold against the level, all at once."""
    raw = np.asarray(p_values, np.float64)
    if not raw.size:
        return raw
    raw = sample(raw, "the p-values")
    if raw.min() < 0 or raw.max() > 1:
        raise GenokuError("expected p-values from 0 to 1")
    order = np.argsort(raw, kind="stable")
    stepped = np.maximum.accumulate(raw[order] * np.arange(raw.size, 0, -1))
    adjusted = np.empty_like(raw)
    adjusted[order] = np.minimum(stepped, 1)
    return adjusted


def _doubled(ranks: Sample) -> tuple[int, ...]:
    """Midranks as whole numbers, in order."""
    return tuple(np.sort(np.rint(2 * ranks).astype(np.int64)).tolist())


def _p_of_sum(ranks: tuple[int, ...], chosen: int | None, total: int) -> float:
    """Twice the smaller tail of the sum, at most 1."""
    counts = _sums(ranks, chosen)
    below, above = counts[: total + 1].sum(), counts[total:].sum()
    return min(1.0, float(2 * min(below, above) / counts.sum()))


@lru_cache(maxsize=64)  # samples of the same sizes without ties are all alike
def _sums(ranks: tuple[int, ...], chosen: int | None) -> Sample:
    """In how many ways ranks make each sum: any of them, or so many (Streitberg, Röhmel 1986)."""
    rows = 1 if chosen is None else min(chosen, len(ranks) - chosen) + 1
    ways = np.zeros((rows, sum(ranks) + 1))  # whole numbers below 2**53: floats count exactly
    ways[0, 0] = 1
    for rank in ranks:
        before = ways[:, : ways.shape[1] - rank].copy()
        if chosen is None:
            ways[:, rank:] += before
        else:
            ways[1:, rank:] += before[:-1]
    few: Sample = ways[-1].copy()  # without the other rows, which the cache need not keep
    # where the few are those not chosen, the chosen make up the rest of the sum
    return few[::-1] if chosen is not None and 2 * chosen > len(ranks) else few
