"""Statistics of stochastic solvers, on plain arrays.

A run has an effort (evaluations, moves, steps, CPU seconds) and is solved or not. In comparisons by
rank an unsolved run has infinite effort: worse than any solved run and equal to other unsolved
ones, which is right if all runs had the same budget; `to_solution` and `common_budget` ensure both.
Invalid input (no values, NaN) raises `GenokuError`; a test that cannot decide has a `note`.
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

from genoku.errors import GenokuError, require_extra
from genoku.runtime.text import format_count, format_percent

Sample = NDArray[np.float64]

#: The level of significance: a difference is significant if its corrected p is below.
LEVEL = 0.05


class Interval(NamedTuple):
    """An interval from `low` to `high`, which may be infinite."""

    low: float
    high: float


def sample(values: ArrayLike, name: str = "the sample", *, finite: bool = False) -> Sample:
    """Convert values to an array `[n]`, n ≥ 1; infinity stands for "never" unless `finite`.

    Raises
    ------
    GenokuError
        For no values, NaN, more than one dimension, or infinity if `finite`.
    """
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
    """Check the efforts of runs until they were solved or stopped, and which were solved."""
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
    """Check that a number is between 0 and 1, exclusive."""
    if not 0 < value < 1:
        raise GenokuError(f"expected a {name} between 0 and 1, got {value}")
    return value


def _deviate(level: float) -> float:
    """The half-width, in standard deviations, of the central `level` of a normal distribution."""
    return NormalDist().inv_cdf(0.5 + _chance(level, "level") / 2)


def two_sided(z: float) -> float:
    """Two-sided p of `z` standard deviations in a normal distribution."""
    return math.erfc(abs(z) / math.sqrt(2))


def midranks(values: Sample) -> Sample:
    """Rank values from 1; ties share their mean rank."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[inverse]


def p_text(p: float, *, bare: bool = False) -> str:
    """Format a p-value: `p = 0.0423` or `p < 0.0001`; bare, `0.0423` or `< 0.0001`."""
    if p < 0.0001:
        return "< 0.0001" if bare else "p < 0.0001"
    return f"{p:.3g}" if bare else f"p = {p:.3g}"


def scipy_module(module: str) -> Any:
    """Import a module of SciPy, or raise an error that says what to install."""
    require_extra("lab", "statistics of studies require SciPy", "scipy")
    return import_module(f"scipy.{module}")


@dataclass(frozen=True)
class Description:
    """A sample in a few numbers; `sd` divides by n - 1, and is NaN for one value or infinities."""

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
        """The lower and upper quartile."""
        return Interval(self.lower_quartile, self.upper_quartile)


def describe(values: ArrayLike) -> Description:
    """Describe a sample; infinite values ("never") are the greatest."""
    array = sample(values)
    with np.errstate(invalid="ignore"):  # infinities of both signs have no mean
        mean = float(array.mean())
    sd = _spread(array) if array.size > 1 and np.isfinite(array).all() else math.nan
    low, median, high = (_quantile(array, share) for share in (0.25, 0.5, 0.75))
    return Description(
        array.size, mean, sd, median, low, high, float(array.min()), float(array.max())
    )


def _spread(values: Sample) -> float:
    """The standard deviation (n - 1), exactly 0 for equal values despite rounding."""
    return float(values.std(ddof=1)) if np.ptp(values) else 0.0


def _quantile(values: Sample, share: float) -> float:
    """The interpolated quantile (NumPy's "linear"), also of infinite values."""
    ordered = np.sort(values)
    place = share * (ordered.size - 1)
    below, above = float(ordered[math.floor(place)]), float(ordered[math.ceil(place)])
    if below == above:  # also if both are infinite
        return below
    return below + (above - below) * (place - math.floor(place))


EXACT = 100  # values up to which p is exact, if doubles can count the arrangements
COUNTABLE = 2**53


@dataclass(frozen=True)
class Comparison:
    """The result of a test of two samples.

    Parameters
    ----------
    test, statistic, p
        Its name, the test statistic, and the two-sided p-value.
    sizes, exact
        The sizes of the samples, and whether p is exact.
    differing
        The number of pairs that differ, if samples are paired.
    note
        Why the test cannot decide; else empty.
    """

    test: str
    statistic: float
    p: float
    sizes: tuple[int, int]
    exact: bool = True
    differing: int | None = None
    note: str = ""


def mann_whitney(first: ArrayLike, second: ArrayLike) -> Comparison:
    """Mann–Whitney U test (1947), two-sided.

    The statistic is the number of pairs in which the first is greater, ties counting half. p is
    exact, ties included, for up to 100 values with fewer than 2^53 splits (always up to 50 values);
    else it is normal, corrected for ties and continuity.
    """
    one, two = sample(first, "the first sample"), sample(second, "the second sample")
    ranks = midranks(np.concatenate([one, two]))
    total = float(ranks[: one.size].sum())
    exact = ranks.size <= EXACT and math.comb(ranks.size, one.size) < COUNTABLE
    note = "all values are equal" if np.ptp(ranks) == 0 else ""
    if note:
        p = 1.0
    elif exact:
        p = _p_of_sum(_doubled_ranks(ranks), one.size, round(2 * total))
    else:
        mean = one.size * (ranks.size + 1) / 2
        spread = math.sqrt(one.size * two.size * float(ranks.var(ddof=1)) / ranks.size)
        p = min(1.0, two_sided(max(0.0, abs(total - mean) - 0.5) / spread))
    statistic, sizes = total - one.size * (one.size + 1) / 2, (one.size, two.size)
    return Comparison("Mann–Whitney U test", statistic, p, sizes, exact, note=note)


def wilcoxon(first: ArrayLike, second: ArrayLike) -> Comparison:
    """Wilcoxon's signed-rank test (1945) of pairs, two-sided.

    The statistic is the sum of the ranks of pairs in which the first is greater. Equal pairs (also
    both infinite) are left out; `differing` counts the others. p is exact, ties included, for up
    to 52 of them; else it is normal, corrected for ties.
    """
    one, two = sample(first, "the first sample"), sample(second, "the second sample")
    if one.size != two.size:
        raise GenokuError(f"expected pairs, got {one.size} and {two.size} values")
    unequal = one != two  # infinity less infinity would be NaN
    differences = one[unequal] - two[unequal]
    ranks = midranks(np.abs(differences))
    total = float(ranks[differences > 0].sum())
    exact = 2**ranks.size < COUNTABLE
    if not ranks.size:
        p = 1.0
    elif exact:
        p = _p_of_sum(_doubled_ranks(ranks), None, round(2 * total))
    else:
        p = two_sided((total - ranks.sum() / 2) / (math.sqrt(float((ranks**2).sum())) / 2))
    sizes, note = (one.size, two.size), "" if ranks.size else "all pairs are equal"
    return Comparison("Wilcoxon signed-rank test", total, p, sizes, exact, ranks.size, note)


def van_elteren(strata: Iterable[tuple[ArrayLike, ArrayLike]]) -> Comparison:
    """Van Elteren's test (1960), two-sided: Mann–Whitney over strata, such as puzzles.

    Values are ranked within each stratum, so that a hard puzzle is never compared with an easy one.
    The statistic is the standardised sum of the excess of the first samples' ranks over their mean,
    each divided by its stratum's size plus one. p is normal, corrected for ties, and not below the
    smallest p that the strata allow; with one stratum it is that of Mann–Whitney.
    """
    pairs = [(sample(one, "a first sample"), sample(two, "a second sample")) for one, two in strata]
    if not pairs:
        raise GenokuError("expected at least one stratum, got none")
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
    p, note = (max(alone, least), "") if variance else (1.0, "all values are equal")
    sizes = sum(one.size for one, _ in pairs), sum(two.size for _, two in pairs)
    return Comparison("van Elteren's test", z, p, sizes, exact=False, note=note)


def smallest_p(first: int, second: int) -> float:
    """The smallest p that the Mann–Whitney test can give for samples of these sizes."""
    return min(1.0, 2 / math.comb(first + second, first))


def holm(p_values: ArrayLike) -> Sample:
    """Correct p-values for multiple tests by Holm's step-down method (1979)."""
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


def _doubled_ranks(ranks: Sample) -> tuple[int, ...]:
    """Midranks as whole numbers, in order."""
    return tuple(np.sort(np.rint(2 * ranks).astype(np.int64)).tolist())


def _p_of_sum(ranks: tuple[int, ...], chosen: int | None, total: int) -> float:
    """Twice the smaller tail of the sum, at most 1."""
    counts = _sums(ranks, chosen)
    below, above = counts[: total + 1].sum(), counts[total:].sum()
    return min(1.0, float(2 * min(below, above) / counts.sum()))


@lru_cache(maxsize=64)  # the same for all samples of the same sizes without ties
def _sums(ranks: tuple[int, ...], chosen: int | None) -> Sample:
    """Count subsets of ranks by their sum; all, or those of a size (Streitberg, Röhmel 1986)."""
    rows = 1 if chosen is None else min(chosen, len(ranks) - chosen) + 1
    ways = np.zeros((rows, sum(ranks) + 1))  # exact: whole numbers below 2**53
    ways[0, 0] = 1
    for rank in ranks:
        before = ways[:, : ways.shape[1] - rank].copy()
        if chosen is None:
            ways[:, rank:] += before
        else:
            ways[1:, rank:] += before[:-1]
    few: Sample = ways[-1].copy()  # a copy, so that the cache does not keep the other rows
    # if the fewer ranks are those not chosen, the chosen ones make up the rest of the sum
    return few[::-1] if chosen is not None and 2 * chosen > len(ranks) else few


@dataclass(frozen=True)
class Proportion:
    """The number of successful runs among all runs."""

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
        """Wilson's interval of the true share; 0 to 1 without a run."""
        if not self.runs:
            return Interval(0.0, 1.0)
        low, high = wilson_band(np.array([self.share]), np.array([float(self.runs)]), level)
        return Interval(float(low[0]), float(high[0]))

    def __str__(self) -> str:
        if not self.runs:
            return "no runs"
        return f"{self.successes} of {self.runs} ({100 * self.share:.3g} %)"


def share_text(success: Proportion) -> str:
    """Format a share with Wilson's interval: `95 % (83–99)`."""
    low, high = success.wilson()
    return f"{format_percent(success.share)} % ({format_percent(low)}–{format_percent(high)})"


def wilson(successes: int, runs: int, level: float = 0.95) -> Interval:
    """Wilson's score interval of a share (Wilson 1927); 0 to 1 without a run."""
    return Proportion(successes, runs).wilson(level)


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
    if not (first.runs and second.runs):
        raise GenokuError("expected at least one run on each side, got none")
    table = [[each.successes, each.runs - each.successes] for each in (first, second)]
    note = ""
    if first.successes + second.successes in (0, first.runs + second.runs):
        note = "all runs are solved, or none"
    p = 1.0 if note else min(1.0, float(scipy_module("stats").fisher_exact(table).pvalue))
    difference, sizes = first.share - second.share, (first.runs, second.runs)
    return Comparison("Fisher's exact test", difference, p, sizes, note=note)


#: The least A12, in either direction, of each magnitude (Vargha, Delaney 2000).
MAGNITUDES = ((0.71, "large"), (0.64, "medium"), (0.56, "small"))


@dataclass(frozen=True)
class Effect:
    """The probability that a value of the first sample is better, ties counting half."""

    a12: float
    interval: Interval
    sizes: tuple[int, int]

    @property
    def magnitude(self) -> str:
        """The magnitude: negligible, small, medium or large."""
        return magnitude(self.a12)


def a12(
    first: ArrayLike, second: ArrayLike, *, lower_is_better: bool = True, level: float = 0.95
) -> Effect:
    """Vargha and Delaney's A12 (2000): above 0.5 if the first sample is better.

    The interval is Newcombe's (2006, method 5): it stays within 0 and 1, and is not empty even if
    all of one sample is better than all of the other. Infinity (unsolved) is the greatest value.
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
    """The magnitude of an A12: negligible, small, medium or large."""
    distance = max(value, 1 - value)
    reached = (word for least, word in MAGNITUDES if distance >= least - 1e-12)
    return next(reached, "negligible")


def _newcombe(value: float, strata: Iterable[tuple[float, int, int]], level: float) -> Interval:
    """All t with |value - t| <= z sqrt(variance(t)), the variance after Hanley, McNeil (1982).

    A stratum is its weight and the sizes of its two samples.
    """
    z, strata = _deviate(level), list(strata)

    def variance(t: float, first: int, second: int) -> float:
        shape = 1 + ((first + second) / 2 - 1) * ((1 - t) / (2 - t) + t / (1 + t))
        return t * (1 - t) * shape / (first * second)

    def is_excluded(t: float) -> bool:
        spread = sum(weight**2 * variance(t, *sizes) for weight, *sizes in strata)
        return abs(value - t) > z * math.sqrt(spread)

    def edge(outside: float) -> float:
        if not is_excluded(outside):
            return outside
        inside = value
        for _ in range(60):
            middle = (inside + outside) / 2
            inside, outside = (inside, middle) if is_excluded(middle) else (middle, outside)
        return inside

    return Interval(edge(0.0), edge(1.0))


@dataclass(frozen=True)
class Moments:
    """A sample as papers publish it: mean, standard deviation (n - 1) and size."""

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
        """Compute the moments of a sample; a single value has a deviation of 0."""
        array = sample(values, finite=True)
        return cls(float(array.mean()), _spread(array), array.size)


@dataclass(frozen=True)
class MeanComparison:
    """The result of a t-test of the first mean less the second; NaN if it cannot decide."""

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
    """Welch's t-test (1947), two-sided, for means of samples that may differ in variance."""
    one, two = _moments(first), _moments(second)
    note = "a single run has no variance: at least two are required on each side"
    error, freedom = 0.0, math.nan
    if min(one.n, two.n) >= 2:
        note, errors = "", (one.sd**2 / one.n, two.sd**2 / two.n)
        error = math.sqrt(sum(errors))
        below = errors[0] ** 2 / (one.n - 1) + errors[1] ** 2 / (two.n - 1)
        freedom = sum(errors) ** 2 / below if below else math.nan
    return _t_test("Welch's t-test", one, two, error, freedom, level, note)


def student(
    first: ArrayLike | Moments, second: ArrayLike | Moments, level: float = 0.95
) -> MeanComparison:
    """Student's t-test (1908), two-sided, for means of samples of equal variance."""
    one, two = _moments(first), _moments(second)
    note, error, freedom = "a single run on each side has no variance", 0.0, one.n + two.n - 2
    if freedom:
        note, pooled = "", ((one.n - 1) * one.sd**2 + (two.n - 1) * two.sd**2) / freedom
        error = math.sqrt(pooled * (1 / one.n + 1 / two.n))
    return _t_test("Student's t-test", one, two, error, freedom, level, note)


def _moments(values: ArrayLike | Moments) -> Moments:
    return values if isinstance(values, Moments) else Moments.of(values)


def _t_test(
    test: str, one: Moments, two: Moments, error: float, freedom: float, level: float, note: str
) -> MeanComparison:
    """Test a difference of means by its standard error, which is 0 without variance."""
    difference, sizes = one.mean - two.mean, (one.n, two.n)
    if not error:
        note, nan = note or "neither sample has any variance", math.nan
        return MeanComparison(test, difference, Interval(nan, nan), nan, nan, nan, sizes, note)
    _chance(level, "level")
    student_t, t = scipy_module("stats").t, difference / error
    reach = float(student_t.ppf(0.5 + level / 2, freedom)) * error
    interval = Interval(difference - reach, difference + reach)
    p = min(1.0, float(2 * student_t.sf(abs(t), freedom)))
    return MeanComparison(test, difference, interval, t, float(freedom), p, sizes)


@dataclass(frozen=True)
class Friedman:
    """The result of Friedman's test, with the mean ranks of the algorithms; 1 is best."""

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
    """Friedman's test (1937), corrected for ties, of a table `[puzzles, algorithms]`.

    Infinity (never solved) is the greatest value. p is from the chi-squared distribution, which is
    approximate for few puzzles.
    """
    ranks = _ranks(table, lower_is_better)
    puzzles, algorithms = ranks.shape
    means = ranks.mean(axis=0)
    middle = (algorithms + 1) / 2
    within = float(((ranks - middle) ** 2).sum())  # smaller the more ties there are
    if not within:
        note = "all algorithms are equal on every puzzle"
        return Friedman(tuple(means.tolist()), 0.0, 1.0, puzzles, note)
    between = float(((means - middle) ** 2).sum())
    statistic = (algorithms - 1) * puzzles**2 * between / within
    p = float(scipy_module("stats").chi2.sf(statistic, algorithms - 1))
    return Friedman(tuple(means.tolist()), statistic, p, puzzles)


def nemenyi(table: ArrayLike, *, lower_is_better: bool = True) -> NDArray[np.float64]:
    """Nemenyi's p (1963) for all pairs of columns, `[algorithms, algorithms]` (Demšar 2006)."""
    ranks = _ranks(table, lower_is_better)
    puzzles, algorithms = ranks.shape
    means = ranks.mean(axis=0)
    error = math.sqrt(algorithms * (algorithms + 1) / (12 * puzzles))
    first, second = np.triu_indices(algorithms, 1)
    distances = np.abs(means[first] - means[second]) / error
    p = np.ones((algorithms, algorithms))
    p[first, second] = scipy_module("stats").studentized_range.sf(distances, algorithms, np.inf)
    p[second, first] = p[first, second]
    return np.clip(p, 0, 1)


def critical_difference(algorithms: int, puzzles: int, alpha: float = LEVEL) -> float:
    """The critical difference of mean ranks: q sqrt(k (k + 1) / 6 n) (Demšar 2006)."""
    if algorithms < 2 or puzzles < 1:
        raise GenokuError(
            f"expected two algorithms or more and a puzzle or more, got {algorithms} and {puzzles}"
        )
    share = 1 - _chance(alpha, "level of significance")
    reach = float(scipy_module("stats").studentized_range.ppf(share, algorithms, np.inf))
    return reach / math.sqrt(2) * math.sqrt(algorithms * (algorithms + 1) / (6 * puzzles))


def cliques(ranks: Sequence[float], difference: float) -> list[tuple[int, ...]]:
    """The groups of a critical-difference diagram: largest sets within the difference.

    Each has two or more indices in `ranks`, best rank first. Ranks exactly the critical difference
    apart are not in one group (Demšar 2006: "at least").
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


Runs = tuple[ArrayLike, ArrayLike]  # the efforts of runs, and which were solved

PRIOR_SHIFT = 0.125  # between 0 and 1/2, which is Jeffreys's prior of the chance of success
MAX_LOG_RATIO = 300.0  # the logarithm of a drawn mean over the observed one


@dataclass(frozen=True)
class RunningTime:
    """An expected running time with its interval, and the share of solved runs."""

    value: float
    interval: Interval
    success: Proportion


def ert(efforts: ArrayLike, solved: ArrayLike) -> float:
    """Expected running time: the effort of all runs per solved run (Hansen et al., COCO).

    It is the mean effort of independent restarts until one is solved; infinite if none was.
    """
    spent, flags = _runs(efforts, solved)
    return float(spent.sum() / flags.sum()) if flags.any() else math.inf


def ert_interval(
    efforts: ArrayLike, solved: ArrayLike, level: float = 0.95, resamples: int = 2000, seed: int = 0
) -> Interval:
    """An interval of `ert`, from `resamples` draws of possible values.

    It has its nominal coverage, down to ten runs, for efforts that vary as much as memoryless ones
    (exponential, geometric); `python3 run.py release coverage` measures it. The upper end is
    infinite if no run was solved; a single solved run gives 0 to infinity.
    """
    spent, flags = _runs(efforts, solved)
    drawn = _times(spent, flags, resamples, np.random.default_rng(seed))
    ends, value = _tail_interval(*drawn, level), ert(spent, flags)
    if spent.size == 1 and flags.all():
        return Interval(0.0, math.inf)
    return Interval(min(ends.low, value), max(ends.high, value))


def ert_ratio_interval(
    *strata: tuple[Runs, Runs], level: float = 0.95, resamples: int = 4000, seed: int = 0
) -> Interval:
    """The interval of the ratio of two `ert`, each given by efforts and solved flags.

    For several strata, such as puzzles, it is that of the geometric mean of their ratios.
    """
    draws = np.random.default_rng(seed)
    ends = []
    for pair in strata:
        one, two = (_times(*_runs(*each), resamples, draws) for each in pair)
        with np.errstate(divide="ignore"):  # an effort of 0, or an infinite one
            ends.append(np.log([one[0] / two[1], one[1] / two[0]]))
    low, high = np.exp(np.mean(ends, axis=0))
    return _tail_interval(low, high, level)


def running_time(
    efforts: ArrayLike, solved: ArrayLike, level: float = 0.95, resamples: int = 2000, seed: int = 0
) -> RunningTime:
    """`ert` with its interval and the share of solved runs."""
    interval = ert_interval(efforts, solved, level, resamples, seed)
    return RunningTime(ert(efforts, solved), interval, Proportion.of(solved))


def to_solution(efforts: ArrayLike, solved: ArrayLike, within: float = math.inf) -> Sample:
    """Efforts to solution, `[runs]`: infinite for runs not solved within the budget."""
    spent, flags = _runs(efforts, solved)
    return np.where(flags & (spent <= within), spent, np.inf)


def time_to_solve(efforts: ArrayLike, solved: ArrayLike, share: float = 0.5) -> float | None:
    """The effort by which a share of runs is solved (Kaplan and Meier 1958).

    It is the smallest observed effort at which the estimate reaches the share; None if it never
    does. If every run was solved, it is NumPy's "inverted_cdf" quantile.
    """
    curve = survival(efforts, solved)
    reached = np.flatnonzero(1 - curve.y >= _chance(share, "share") - 1e-12)
    return float(curve.x[reached[0]]) if reached.size else None


def _times(
    spent: Sample, flags: NDArray[np.bool_], resamples: int, draws: np.random.Generator
) -> tuple[Sample, Sample]:
    """Draw expected running times, for the lower and for the upper end of an interval.

    E(T) = E(success) + (1 - p) / p E(failure). Both means are drawn on a logarithmic scale with
    Student's t distribution; if no run failed, a failure costs as much as the longest run. The
    chance of success p is drawn from a beta distribution between that of Jeffreys, whose intervals
    are too narrow for few successes or failures, and that of Clopper and Pearson, whose intervals
    are too wide.
    """
    if resamples < 1:
        raise GenokuError(f"expected at least one resample, got {resamples}")
    successes, failures = int(flags.sum()), int((~flags).sum())

    def mean(of: Sample) -> Sample:
        if of.size < 2 or not of.any():
            return np.full(resamples, of.sum())  # 0 where there is none
        error = of.std(ddof=1) / of.mean() / math.sqrt(of.size)
        apart = error * draws.standard_t(spent.size - 1, resamples)
        drawn: Sample = of.mean() * np.exp(np.clip(apart, -MAX_LOG_RATIO, MAX_LOG_RATIO))
        return drawn

    success = mean(spent[flags])
    failure = mean(spent[~flags] if failures else spent.max(keepdims=True))
    likely = draws.beta(successes + 1 - PRIOR_SHIFT, failures + PRIOR_SHIFT, resamples)
    low = success + (1 - likely) / likely * failure
    if not successes:
        return low, np.full(resamples, math.inf)
    rare = draws.beta(successes + PRIOR_SHIFT, failures + 1 - PRIOR_SHIFT, resamples)
    return low, success + (1 - rare) / rare * failure


def _tail_interval(low: Sample, high: Sample, level: float) -> Interval:
    """The interval between the lower tail of `low` and the upper tail of `high`."""
    tail = (1 - _chance(level, "level")) / 2
    beyond = min(int(tail * low.size + 1e-9), (low.size - 1) // 2)  # draws in each tail
    return Interval(float(np.sort(low)[beyond]), float(np.sort(high)[-1 - beyond]))


Trace = tuple[ArrayLike, ArrayLike]  # non-decreasing efforts of a run, and its costs there


@dataclass(frozen=True, eq=False)
class Curve:
    """A step function: `y` holds from its `x` to the next; `low` and `high` are its band.

    `until` is the effort at which the first unsolved run was stopped; infinite if there is none.
    """

    x: Sample
    y: Sample
    low: Sample
    high: Sample
    until: float

    def at(self, efforts: ArrayLike) -> Sample:
        """The values at efforts of 0 or more."""
        places = np.searchsorted(self.x, np.asarray(efforts, np.float64), side="right") - 1
        return self.y[np.maximum(places, 0)]


@dataclass(frozen=True, eq=False)
class Bands:
    """Quantiles of runs on a common grid: `y[i]` is the quantile `shares[i]` at every `x`."""

    x: Sample
    y: NDArray[np.float64]
    shares: tuple[float, ...]


def ecdf(efforts: ArrayLike, solved: ArrayLike, level: float = 0.95) -> Curve:
    """The share of runs solved within each effort, with Wilson's interval.

    Beyond `until` some unsolved runs were stopped before that effort: see `survival`.
    """
    spent, flags = _runs(efforts, solved)
    x = _steps(spent, flags)
    y: Sample = np.searchsorted(np.sort(spent[flags]), x, side="right") / float(spent.size)
    low, high = wilson_band(y, np.full(x.size, float(spent.size)), level)
    return Curve(x, y, low, high, _until(spent, flags))


def survival(efforts: ArrayLike, solved: ArrayLike, level: float = 0.95) -> Curve:
    """The share of runs not yet solved at each effort (Kaplan and Meier 1958).

    Runs that were stopped unsolved are censored. The band is Wilson's for the number of runs that
    would give Greenwood's variance (Rothman 1978); without stopped runs it is that of `ecdf`.
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
    low, high = wilson_band(y, _forward_fill(sizes, float(spent.size)), level)
    return Curve(x, y, low, high, _until(spent, flags))


def fixed_target(traces: Iterable[Trace], target: float) -> Sample:
    """The effort at which each run first reached the target, `[runs]`; infinite if never."""
    found = []
    for trace in traces:
        spent, best = _trace(trace)
        reached = np.flatnonzero(best <= target)
        found.append(spent[reached[0]] if reached.size else np.inf)
    return np.array(found, np.float64)


def fixed_budget(traces: Iterable[Trace], budget: float) -> Sample:
    """The best of each run within the budget, `[runs]`; infinite if nothing was recorded."""
    return _sample_traces(traces, np.array([budget], np.float64))[:, 0]


def quantile_bands(
    traces: Iterable[Trace],
    shares: tuple[float, ...] = (0.25, 0.5, 0.75),
    grid: ArrayLike | None = None,
    points: int = 200,
) -> Bands:
    """Quantiles over runs of the best so far, at each effort of a grid.

    By default the grid is even, from where every run has recorded something to the end of the
    longest run. Runs that have ended keep their last value. Quantiles are observed values.
    """
    for share in shares:
        _chance(share, "share")
    if grid is None:
        traces = list(traces)
        spans = [_trace(trace)[0][[0, -1]] for trace in traces] or [np.zeros(2)]
        x = np.linspace(max(s[0] for s in spans), max(s[1] for s in spans), points)
    else:
        x = sample(grid, "the grid", finite=True)
    rows = _sample_traces(traces, x)
    if not len(rows):
        raise GenokuError("expected at least one history, got none")
    y = np.quantile(rows, shares, axis=0, method="inverted_cdf")
    return Bands(x, y, tuple(shares))


def _steps(spent: Sample, flags: NDArray[np.bool_]) -> Sample:
    """The efforts at which a curve starts, rises and ends."""
    return np.unique(np.concatenate([[0.0], spent[flags], [spent.max()]]))


def _until(spent: Sample, flags: NDArray[np.bool_]) -> float:
    return float(spent[~flags].min(initial=np.inf))


def _forward_fill(values: Sample, first: float) -> Sample:
    """Replace NaN by the last known value before it."""
    places = np.maximum.accumulate(np.where(np.isnan(values), -1, np.arange(values.size)))
    return np.where(places >= 0, values[places], first)


def _sample_traces(traces: Iterable[Trace], grid: Sample) -> NDArray[np.float64]:
    """The best so far of each run (rows) at each effort of the grid."""
    rows = []
    for trace in traces:
        spent, best = _trace(trace)
        places = np.searchsorted(spent, grid, side="right") - 1
        rows.append(np.where(places >= 0, best[np.maximum(places, 0)], np.inf))
    return np.array(rows, np.float64).reshape(-1, grid.size)


def _trace(trace: Trace) -> tuple[Sample, Sample]:
    """Check a history, and compute the best so far at each effort."""
    spent, best = sample(trace[0], "a history's efforts", finite=True), sample(trace[1], "its best")
    if spent.size != best.size:
        raise GenokuError(f"expected a best for each of {spent.size} efforts, got {best.size}")
    if (np.diff(spent) < 0).any():
        raise GenokuError("expected efforts of a history that never decrease")
    return spent, np.minimum.accumulate(best)


MAX_HINT = 10_000  # runs that a hint recommends by number


def runs_for_a12(
    value: float, *, alpha: float = LEVEL, power: float = 0.8, ties: float = 0.0
) -> int | None:
    """Runs on each side for the Mann–Whitney test to detect an A12 (Noether 1987).

    n = (z_alpha/2 + z_power)² / (6 (A12 - 1/2)²), less the share `ties` of the variance that is due
    to ties (Zhao, Rahardja, Qu 2008). None for an A12 of 1/2; never fewer than are required for p
    below alpha.
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
    """Runs on each side for Fisher's test to detect these shares; None if they are equal.

    It is the two-proportion formula with continuity correction (Fleiss, Tytun, Ury 1980).
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
    """The fewest runs on each side with which the Mann–Whitney test can give p < alpha."""
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
    """Say whether the Mann–Whitney test finds a difference, or how many runs might show one.

    For one of several `tests`, `corrected` is its p after correction (Bonferroni's by default).
    """
    one, two = sample(first, "the first sample"), sample(second, "the second sample")
    test, effect = mann_whitney(one, two), a12(one, two)
    level, p = alpha / tests, min(1.0, test.p * tests) if corrected is None else corrected
    said = p_text(p) + (f" after correction for {tests:,} comparisons" if tests > 1 else "")
    with_runs = f"With {one.size:,} and {two.size:,} runs"
    if one.size == two.size:
        with_runs = f"With {format_count(one.size, 'run')} each"
    if test.note:
        return f"{with_runs}, all values are equal."
    if p < alpha:
        return f"{with_runs}, these differ ({said}, A12 = {effect.a12:.2f})."
    needed = runs_for_a12(effect.a12, alpha=level, power=power, ties=_ties(one, two))
    seen = f"A12 = {effect.a12:.2f}"
    least = smallest_p(one.size, two.size)
    if least >= level:
        cannot = f"{with_runs}, no result can reach p < {level:.3g} (at best {p_text(least)})"
        cannot += f"; at least {fewest_runs(level)} each are required"
        if min(one.size, two.size) == 1:  # a single run gives no estimate of the difference
            return f"{cannot}."
    else:
        cannot = f"{with_runs}, these do not differ significantly ({said})"
    if needed is None:
        return f"{cannot}; there is no observed difference ({seen}) to estimate a number from."
    if needed > MAX_HINT:
        return f"{cannot}; the observed difference ({seen}) would require over {MAX_HINT:,} each."
    unit = 10 ** max(0, len(str(needed)) - 2)  # of two digits: an estimate should not look exact
    about = max(-(-needed // unit) * unit, min(one.size, two.size) + 1)
    return f"{cannot}; about {about:,} each would show a difference of the observed size ({seen})."


def _deviates(alpha: float, power: float) -> tuple[float, float]:
    normal = NormalDist()
    _chance(alpha, "level of significance")
    return normal.inv_cdf(1 - alpha / 2), normal.inv_cdf(_chance(power, "power"))


def _ties(one: Sample, two: Sample) -> float:
    """The share of the variance of ranks that is due to ties: sum(t³ - t) / (n³ - n)."""
    n = one.size + two.size
    times = np.unique(np.concatenate([one, two]), return_counts=True)[1].astype(np.float64)
    return float((times**3 - times).sum()) / (n**3 - n)
