"""Statistics of stochastic solvers, on plain arrays.

A run has an effort (evaluations, moves, steps, CPU seconds) and a verdict, solved or not. Where
samples of efforts are compared by rank, a run that was never solved enters as infinity: it is worse
than any that was, and equal to the others that were not. That is right for ranks as long as all
runs had the same budget; `to_solution` and `common_budget` see to both. What cannot be computed is
a `GenokuError` for input that makes no sense (nothing, NaN), and a `note` for data that cannot
tell.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from genoku.errors import GenokuError, require
from genoku.words import percent

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


def _runs(efforts: ArrayLike, solved: ArrayLike) -> tuple[Sample, NDArray[np.bool_]]:
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


def _chance(value: float, name: str) -> float:
    """A number strictly between 0 and 1."""
    if not 0 < value < 1:
        raise GenokuError(f"expected a {name} between 0 and 1, got {value}")
    return value


def _deviate(level: float) -> float:
    """How many standard deviations about the mean hold the share `level` of a normal."""
    return NormalDist().inv_cdf(0.5 + _chance(level, "level") / 2)


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
    with np.errstate(invalid="ignore"):  # infinities of both signs have no mean
        mean = float(array.mean())
    low, middle, high = (_quantile(array, share) for share in (0.25, 0.5, 0.75))
    return Description(
        n=array.size,
        mean=mean,
        sd=_spread(array) if array.size > 1 and np.isfinite(array).all() else math.nan,
        median=middle,
        lower_quartile=low,
        upper_quartile=high,
        minimum=float(array.min()),
        maximum=float(array.max()),
    )


def _spread(values: Sample) -> float:
    """The standard deviation (n - 1): exactly 0 for equal values, whatever their mean rounds to."""
    return float(values.std(ddof=1)) if np.ptp(values) else 0.0


def _quantile(values: Sample, share: float) -> float:
    """The quantile between neighbours (NumPy's "linear"), infinity included."""
    ordered = np.sort(values)
    place = share * (ordered.size - 1)
    below, above = float(ordered[math.floor(place)]), float(ordered[math.ceil(place)])
    if below == above:  # also where both are infinite
        return below
    return below + (above - below) * (place - math.floor(place))


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
    z = _deviate(level)
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


MAGNITUDES = ((0.71, "large"), (0.64, "medium"), (0.56, "small"))
"""From which A12 on, in either direction, a difference has its word (Vargha, Delaney 2000)."""


@dataclass(frozen=True)
class Effect:
    """How likely a value of the first sample beats one of the second, ties as halves."""

    a12: float
    interval: Interval
    sizes: tuple[int, int]

    @property
    def magnitude(self) -> str:
        """The size of the difference as a word: negligible, small, medium or large."""
        return magnitude(self.a12)


def a12(
    first: ArrayLike, second: ArrayLike, *, lower_is_better: bool = True, level: float = 0.95
) -> Effect:
    """Vargha and Delaney's A12 (2000): above 0.5 where the first sample is better.

    The interval is Newcombe's (2006, method 5): it stays within 0 and 1, and has a width even
    where all of one sample beats all of the other. Infinity (unsolved) is the greatest value.
    """
    one, two = sample(first, "the first sample"), sample(second, "the second sample")
    total = float(midranks(np.concatenate([one, two]))[: one.size].sum())
    greater = (total - one.size * (one.size + 1) / 2) / (one.size * two.size)
    value, sizes = 1 - greater if lower_is_better else greater, (one.size, two.size)
    return Effect(value, _newcombe(value, ((1.0, *sizes),), level), sizes)


def stratified_a12(
    strata: Iterable[tuple[ArrayLike, ArrayLike]],
    *,
    lower_is_better: bool = True,
    level: float = 0.95,
) -> Effect:
    """The mean A12 of two samples over strata, such as puzzles, with van Elteren's weights.

    The interval is Newcombe's, with the variances of all strata added up.
    """
    effects = [a12(one, two, lower_is_better=lower_is_better) for one, two in strata]
    sizes = [each.sizes for each in effects]
    weights = np.array([one * two / (one + two + 1) for one, two in sizes])
    total = float(weights.sum())
    value = float(weights @ [each.a12 for each in effects]) / total
    parts = [
        (weight, *each) for weight, each in zip((weights / total).tolist(), sizes, strict=True)
    ]
    first, second = (sum(each) for each in zip(*sizes, strict=True))
    return Effect(value, _newcombe(value, parts, level), (first, second))


def magnitude(value: float) -> str:
    """An A12 as a word."""
    distance = max(value, 1 - value)
    for least, word in MAGNITUDES:
        if distance >= least - 1e-12:  # 1 - 0.29 is a little less than 0.71
            return word
    return "negligible"


def _newcombe(value: float, strata: Iterable[tuple[float, int, int]], level: float) -> Interval:
    """All t with |value - t| <= z sqrt(variance(t)), the variance after Hanley, McNeil (1982).

    A stratum is its weight and the sizes of its two samples.
    """
    z, strata = _deviate(level), list(strata)

    def variance(t: float, first: int, second: int) -> float:
        shape = 1 + ((first + second) / 2 - 1) * ((1 - t) / (2 - t) + t / (1 + t))
        return t * (1 - t) * shape / (first * second)

    def excluded(t: float) -> bool:
        spread = sum(weight**2 * variance(t, *sizes) for weight, *sizes in strata)
        return abs(value - t) > z * math.sqrt(spread)

    def edge(outside: float) -> float:
        if not excluded(outside):
            return outside
        inside = value
        for _ in range(60):
            middle = (inside + outside) / 2
            inside, outside = (inside, middle) if excluded(middle) else (middle, outside)
        return inside

    return Interval(edge(0.0), edge(1.0))


@dataclass(frozen=True)
class Moments:
    """A sample as reports publish it: mean, standard deviation (n - 1) and size."""

    mean: float
    sd: float
    n: int

    def __post_init__(self) -> None:
        if self.n < 1:
            raise GenokuError(f"expected at least one value, got {self.n}")
        if not (math.isfinite(self.mean) and math.isfinite(self.sd) and self.sd >= 0):
            raise GenokuError(
                f"expected a finite mean and a standard deviation of 0 or more, "
                f"got {self.mean} and {self.sd}"
            )

    @classmethod
    def of(cls, values: ArrayLike) -> Moments:
        """The moments of a sample; one value alone has a deviation of 0."""
        array = sample(values, finite=True)
        return cls(float(array.mean()), _spread(array), array.size)


@dataclass(frozen=True)
class MeanComparison:
    """What a t-test says of the first mean less the second; NaN where `note` says why."""

    test: str
    difference: float
    interval: Interval
    t: float
    freedom: float
    p: float
    sizes: tuple[int, int]
    note: str = ""


def welch(
    first: ArrayLike | Moments, second: ArrayLike | Moments, level: float = 0.95
) -> MeanComparison:
    """Welch's t-test (1947), two-sided, for means of samples that may differ in spread."""
    one, two = _moments(first), _moments(second)
    if min(one.n, two.n) < 2:
        return _undecided(
            "Welch's t-test", one, two, "one run has no spread: two are needed on each side"
        )
    errors = one.sd**2 / one.n, two.sd**2 / two.n
    below = errors[0] ** 2 / (one.n - 1) + errors[1] ** 2 / (two.n - 1)
    freedom = sum(errors) ** 2 / below if below else math.nan
    return _compared("Welch's t-test", one, two, math.sqrt(sum(errors)), freedom, level)


def student(
    first: ArrayLike | Moments, second: ArrayLike | Moments, level: float = 0.95
) -> MeanComparison:
    """Student's t-test (1908), two-sided, for means of samples of one spread."""
    one, two = _moments(first), _moments(second)
    freedom = one.n + two.n - 2
    if not freedom:
        return _undecided("Student's t-test", one, two, "one run on each side has no spread")
    pooled = ((one.n - 1) * one.sd**2 + (two.n - 1) * two.sd**2) / freedom
    error = math.sqrt(pooled * (1 / one.n + 1 / two.n))
    return _compared("Student's t-test", one, two, error, freedom, level)


def _moments(values: ArrayLike | Moments) -> Moments:
    return values if isinstance(values, Moments) else Moments.of(values)


def _compared(
    test: str, one: Moments, two: Moments, error: float, freedom: float, level: float
) -> MeanComparison:
    if not error:
        return _undecided(test, one, two, "neither sample varies: a t-test says nothing")
    _chance(level, "level")
    student_t = special("stats").t
    difference = one.mean - two.mean
    reach = float(student_t.ppf(0.5 + level / 2, freedom)) * error
    return MeanComparison(
        test=test,
        difference=difference,
        interval=Interval(difference - reach, difference + reach),
        t=difference / error,
        freedom=float(freedom),
        p=min(1.0, float(2 * student_t.sf(abs(difference / error), freedom))),
        sizes=(one.n, two.n),
    )


def _undecided(test: str, one: Moments, two: Moments, note: str) -> MeanComparison:
    unknown = math.nan
    return MeanComparison(
        test,
        one.mean - two.mean,
        Interval(unknown, unknown),
        unknown,
        unknown,
        unknown,
        (one.n, two.n),
        note,
    )


@dataclass(frozen=True)
class Friedman:
    """Mean ranks of the algorithms (1 is best), and how likely chance alone spreads them so."""

    ranks: tuple[float, ...]
    statistic: float
    p: float
    puzzles: int
    note: str = ""

    @property
    def freedom(self) -> int:
        """Degrees of freedom of the statistic."""
        return len(self.ranks) - 1


def friedman(table: ArrayLike, *, lower_is_better: bool = True) -> Friedman:
    """Friedman's test (1937), corrected for ties: a row per puzzle, a column per algorithm.

    Infinity (never solved) is the greatest value. p is that of chi-squared, which is rough for
    few puzzles.
    """
    ranks = _ranks(table, lower_is_better)
    puzzles, algorithms = ranks.shape
    means = ranks.mean(axis=0)
    middle = (algorithms + 1) / 2
    within = float(((ranks - middle) ** 2).sum())  # smaller the more ties there are
    if not within:
        note = "all algorithms are equal on every puzzle: nothing to tell apart"
        return Friedman(tuple(means.tolist()), 0.0, 1.0, puzzles, note)
    between = float(((means - middle) ** 2).sum())
    statistic = (algorithms - 1) * puzzles**2 * between / within
    p = float(special("stats").chi2.sf(statistic, algorithms - 1))
    return Friedman(tuple(means.tolist()), statistic, p, puzzles)


def nemenyi(table: ArrayLike, *, lower_is_better: bool = True) -> NDArray[np.float64]:
    """Nemenyi's p (1963) for every pair of columns, by the studentized range (Demšar 2006)."""
    ranks = _ranks(table, lower_is_better)
    puzzles, algorithms = ranks.shape
    means = ranks.mean(axis=0)
    error = math.sqrt(algorithms * (algorithms + 1) / (12 * puzzles))
    first, second = np.triu_indices(algorithms, 1)
    distances = np.abs(means[first] - means[second]) / error
    p = np.ones((algorithms, algorithms))
    p[first, second] = special("stats").studentized_range.sf(distances, algorithms, np.inf)
    p[second, first] = p[first, second]
    return np.clip(p, 0, 1)


def critical_difference(algorithms: int, puzzles: int, alpha: float = LEVEL) -> float:
    """How far mean ranks must be apart: q sqrt(k (k + 1) / 6 n) (Demšar 2006)."""
    if algorithms < 2 or puzzles < 1:
        raise GenokuError(
            f"expected two algorithms or more and a puzzle or more, got {algorithms} and {puzzles}"
        )
    share = 1 - _chance(alpha, "level of significance")
    reach = float(special("stats").studentized_range.ppf(share, algorithms, np.inf))
    return reach / math.sqrt(2) * math.sqrt(algorithms * (algorithms + 1) / (6 * puzzles))


def cliques(ranks: Sequence[float], difference: float) -> list[tuple[int, ...]]:
    """The bars of a critical-difference diagram: largest groups that no difference parts.

    Each is two or more places in `ranks`, best rank first; ranks exactly the critical difference
    apart are parted (Demšar 2006: "at least").
    """
    order = [int(place) for place in np.argsort(np.asarray(ranks), kind="stable")]
    groups: list[tuple[int, ...]] = []
    reached = 0
    for start, place in enumerate(order):
        end = start + 1
        while end < len(order) and ranks[order[end]] - ranks[place] < difference:
            end += 1
        if end - start > 1 and end > reached:  # else it lies within the group before
            groups.append(tuple(order[start:end]))
            reached = end
    return groups


def _ranks(table: ArrayLike, lower_is_better: bool) -> NDArray[np.float64]:
    """Ranks within each row."""
    array: NDArray[np.float64] = np.asarray(table, np.float64)
    if array.ndim != 2 or array.shape[0] < 1 or array.shape[1] < 2:
        raise GenokuError(
            "expected a row per puzzle and two columns or more, one per algorithm, "
            f"got an array of shape {array.shape}"
        )
    if np.isnan(array).any():
        row, column = (int(each) + 1 for each in np.argwhere(np.isnan(array))[0])
        raise GenokuError(f"expected numbers in the table, got NaN in row {row}, column {column}")
    return np.array([midranks(row if lower_is_better else -row) for row in array])


Runs = tuple[ArrayLike, ArrayLike]
"""The efforts of runs, and which of them were solved."""

LEAN = 0.125
"""Between 1/2, with which the chance of success is drawn as Jeffreys's prior leaves it, and 0."""
FURTHEST = 300.0
"""How far a drawn mean may be from the one seen, as a logarithm; two runs allow any."""


@dataclass(frozen=True)
class RunningTime:
    """An expected running time with its interval, and the runs it comes from."""

    value: float
    interval: Interval
    success: Proportion


@dataclass(frozen=True)
class Quartiles:
    """By when a quarter, half and three quarters of runs are solved; None if never seen."""

    lower: float | None
    median: float | None
    upper: float | None


def ert(efforts: ArrayLike, solved: ArrayLike) -> float:
    """Expected running time: the effort of all runs per success (Hansen et al., COCO).

    What independent restarts would spend on average until one of them solves; infinite if none
    did.
    """
    spent, flags = _runs(efforts, solved)
    return float(spent.sum() / flags.sum()) if flags.any() else math.inf


def ert_interval(
    efforts: ArrayLike,
    solved: ArrayLike,
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> Interval:
    """An interval of `ert`, from so many draws of what the runs leave possible.

    It is made to hold the true value as often as it says, down to ten runs, for efforts that vary
    as much as memoryless ones do (exponential, geometric); `python3 run.py release coverage` prints
    how often it does. Where no run was solved, the upper end is infinite; the fewer solved ones
    there are, the further it lies. One solved run says nothing: 0 to infinity.
    """
    spent, flags = _runs(efforts, solved)
    drawn = _times(spent, flags, resamples, np.random.default_rng(seed))
    ends, value = _between(*drawn, level), ert(spent, flags)
    if spent.size == 1 and flags.all():
        return Interval(0.0, math.inf)
    return Interval(min(ends.low, value), max(ends.high, value))


def ert_ratio_interval(
    *strata: tuple[Runs, Runs], level: float = 0.95, resamples: int = 4000, seed: int = 0
) -> Interval:
    """The interval of the ratio of two `ert`, each by its efforts and verdicts.

    Of several strata, such as puzzles, it is that of the geometric mean of their ratios.
    """
    draws = np.random.default_rng(seed)
    ends = []
    for pair in strata:
        one, two = (_times(*_runs(*each), resamples, draws) for each in pair)
        with np.errstate(divide="ignore"):  # by what cost nothing, or is infinite
            ends.append(np.log([one[0] / two[1], one[1] / two[0]]))
    low, high = np.exp(np.mean(ends, axis=0))
    return _between(low, high, level)


def running_time(
    efforts: ArrayLike,
    solved: ArrayLike,
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> RunningTime:
    """`ert` with its interval and the share of runs that were solved."""
    return RunningTime(
        ert(efforts, solved),
        ert_interval(efforts, solved, level, resamples, seed),
        Proportion.of(solved),
    )


def common_budget(*groups: tuple[ArrayLike, ArrayLike]) -> float:
    """Up to which effort groups of runs, as efforts and verdicts, can be compared.

    Where the first unsolved run of any group was stopped; infinite if all were solved.
    """
    return min((_until(*_runs(*group)) for group in groups), default=math.inf)


def to_solution(efforts: ArrayLike, solved: ArrayLike, within: float = math.inf) -> Sample:
    """Efforts to solution, to compare by rank: infinite for a run not solved within the budget."""
    spent, flags = _runs(efforts, solved)
    return np.where(flags & (spent <= within), spent, np.inf)


def time_to_solve(efforts: ArrayLike, solved: ArrayLike, share: float = 0.5) -> float | None:
    """The effort by which this share of runs is solved, after Kaplan and Meier (1958).

    The smallest effort seen at which the estimate reaches the share; None if it never does. Where
    every run was solved it is NumPy's "inverted_cdf" quantile.
    """
    curve = survival(efforts, solved)
    reached = np.flatnonzero(1 - curve.y >= _chance(share, "share") - 1e-12)
    return float(curve.x[reached[0]]) if reached.size else None


def quartiles_to_solve(efforts: ArrayLike, solved: ArrayLike) -> Quartiles:
    """`time_to_solve` for a quarter, half and three quarters of the runs."""
    lower, median, upper = (time_to_solve(efforts, solved, share) for share in (0.25, 0.5, 0.75))
    return Quartiles(lower, median, upper)


def _times(
    spent: Sample, flags: NDArray[np.bool_], resamples: int, draws: np.random.Generator
) -> tuple[Sample, Sample]:
    """Expected running times that the runs leave possible: for the lower end, and for the upper.

    A running time is the mean effort of a success, and that of a failure times the failures before
    it: E(T) = E(success) + (1 - p) / p E(failure). Both means are drawn on a logarithmic scale,
    with Student's tails; a failure that was never seen costs as much as the longest run. The chance
    p is drawn from a beta distribution between Jeffreys's, whose intervals hold too little where
    successes or failures are few, and that of Clopper and Pearson, whose intervals hold too much.
    """
    if resamples < 1:
        raise GenokuError(f"expected one resample or more, got {resamples}")
    successes, failures = int(flags.sum()), int((~flags).sum())

    def mean(of: Sample) -> Sample:
        if of.size < 2 or not of.any():
            return np.full(resamples, of.sum())  # 0 where there is none
        error = of.std(ddof=1) / of.mean() / math.sqrt(of.size)
        apart = error * draws.standard_t(spent.size - 1, resamples)
        drawn: Sample = of.mean() * np.exp(np.clip(apart, -FURTHEST, FURTHEST))
        return drawn

    success = mean(spent[flags])
    failure = mean(spent[~flags] if failures else spent.max(keepdims=True))
    likely = draws.beta(successes + 1 - LEAN, failures + LEAN, resamples)
    low = success + (1 - likely) / likely * failure
    if not successes:
        return low, np.full(resamples, math.inf)
    rare = draws.beta(successes + LEAN, failures + 1 - LEAN, resamples)
    return low, success + (1 - rare) / rare * failure


def _between(low: Sample, high: Sample, level: float) -> Interval:
    """What is left between two tails, each of the draws for its end."""
    tail = (1 - _chance(level, "level")) / 2
    beyond = min(int(tail * low.size + 1e-9), (low.size - 1) // 2)  # draws in each tail
    return Interval(float(np.sort(low)[beyond]), float(np.sort(high)[-1 - beyond]))


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
    spent, flags = _runs(efforts, solved)
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
    spent, flags = _runs(efforts, solved)
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
        _chance(share, "share")
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
    _chance(alpha, "level of significance")
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
    _chance(alpha, "level of significance")
    return normal.inv_cdf(1 - alpha / 2), normal.inv_cdf(_chance(power, "power"))


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
