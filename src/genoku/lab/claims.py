"""Verdicts on the claims of a paper, reached by rules from data alone.

A claim *holds* or *fails* by a test, an interval or arithmetic, and is *undecided* otherwise.

Two samples are compared by the Mann–Whitney test (the sign test for pairs) with Holm's correction,
and by A12 with one `MARGIN`. The correction is over a family: all contrasts that are passed to
`judge` or `best_of` together. A contrast belongs to one family, so that no claim has two p-values.

>>> one, two = [1, 2, 3, 4, 5, 6], [11, 12, 13, 14, 15, 16]
>>> judge([Contrast("swaps", "shuffles", (one, two))])[0].verdict
'holds'
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike

from genoku.lab import statistics
from genoku.lab.statistics import Interval, Proportion, Runs, Sample
from genoku.runtime.text import format_count, format_number

ALPHA = 0.05  # the level of a family of tests
FEWEST = 6  # runs: the median of fewer has no interval of 95 %

#: The least distance of A12 from 0.5 that counts as a difference, for claims of a difference and of
#: none: Vargha and Delaney (2000) call less than this negligible.
MARGIN = 0.06

#: The least ratio of running times that counts as a difference: `MARGIN` as a ratio of times. Times
#: to a solution are about exponential, and A12 of such times is r / (1 + r) for a ratio r.
LEAST_RATIO = (0.5 + MARGIN) / (0.5 - MARGIN)

#: How verdicts are reached, for the page that shows them.
RULES = (
    "A12 is the probability that a run of the first is better than one of the second. There is a "
    f"difference if a test finds it (Mann–Whitney at the {ALPHA:g} level unless stated otherwise, "
    "with Holm's correction within each group of comparisons) and A12 is at least "
    f"{MARGIN:g} from 0.5, which Vargha and Delaney (2000) call small. There is none if the "
    f"interval of A12, corrected likewise, lies between {0.5 - MARGIN:g} and {0.5 + MARGIN:g}. "
    "Other verdicts follow from 95 % intervals, or from arithmetic on what was published. A claim "
    "is undecided if the data do not decide it, or if two readings of a report disagree."
)

#: The rule for ratios, for the pages that judge by them.
RATIO_RULE = (
    "A ratio of running times is a difference if its interval excludes 1 and it is at least "
    f"{LEAST_RATIO:.2f} or at most {1 / LEAST_RATIO:.2f}: the margin of A12 for times that are "
    "about exponential, as those with restarts are. There is none if the whole interval is nearer "
    "to 1."
)

MIDDLE = Interval(25.0, 75.0)  # of the mean percentile of published values like ours
ENOUGH = 100  # runs from which percentiles are precise enough to be combined


Verdict = Literal["holds", "fails", "undecided"]


@dataclass(frozen=True)
class Claim:
    """A claim of a paper and its verdict.

    Parameters
    ----------
    id
        A short name for other programs.
    text, where
        The claim, and its section, table or figure.
    verdict, because
        Whether it holds, and the reason in a sentence or two.
    figures
        The numbers that the verdict rests on, by name.
    """

    id: str
    text: str
    where: str
    verdict: Verdict
    because: str
    figures: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True)
class Judgement:
    """A verdict, the reason in a sentence or two, and the numbers behind it."""

    verdict: Verdict
    because: str
    figures: Mapping[str, Any] = field(default_factory=dict[str, Any])


def count_verdicts(claims: Sequence[Claim]) -> dict[Verdict, int]:
    """Count the claims that hold, fail and are undecided, in this order."""
    found = [claim.verdict for claim in claims]
    return {verdict: found.count(verdict) for verdict in get_args(Verdict)}


@dataclass(frozen=True)
class Contrast:
    """The claim that the first sample is better than the second.

    Parameters
    ----------
    first, second
        The names of the samples in the reason.
    values
        The two samples, a value per run.
    lower_is_better
        Whether lower values are better.
    counted
        What a value of the samples is.
    paired, alike
        Whether the samples are pairs, such as the same runs at two times, and whether the claim is
        that there is no difference.
    """

    first: str
    second: str
    values: tuple[ArrayLike, ArrayLike]
    lower_is_better: bool = True
    counted: str = "run"
    paired: bool = False
    alike: bool = False

    @property
    def smallest_p(self) -> float:
        """The smallest p-value that its test can give."""
        one, two = (np.size(values) for values in self.values)
        return min(1.0, 2.0 ** (1 - one)) if self.paired else statistics.smallest_p(one, two)


#: Of the first sample; open if the data do not decide, too few if they never could.
Outcome = Literal["better", "worse", "alike", "open", "too few"]


class ContrastResult(NamedTuple):
    """The result of a contrast: its outcome, the corrected p, A12 and its interval."""

    outcome: Outcome
    p: float
    a12: float
    interval: Interval


def compare(contrasts: Sequence[Contrast], alpha: float = ALPHA) -> list[ContrastResult]:
    """Compare all contrasts of a family, with Holm's correction.

    The first is better (or worse) if the test is significant and A12 is at least `MARGIN` from 0.5.
    The two are alike if the interval of A12, with Bonferroni's correction, is within the margin,
    even if the test is significant.
    """
    family = len(contrasts)
    tests = [
        (_sign_test if each.paired else _rank_test)(each, 1 - alpha / family) for each in contrasts
    ]
    hopeless = family * min((each.smallest_p for each in contrasts), default=0.0) >= alpha
    corrected = statistics.holm([p for p, _, _ in tests]).tolist()
    found = []
    for each, p, (_, effect, interval) in zip(contrasts, corrected, tests, strict=True):
        outcome: Outcome = "open"
        if hopeless or each.smallest_p >= alpha:
            outcome = "too few"
        elif within(interval, 0.5 - MARGIN, 0.5 + MARGIN) == "holds":
            outcome = "alike"
        elif p < alpha and abs(effect - 0.5) >= MARGIN - 1e-12:
            outcome = "better" if effect > 0.5 else "worse"
        found.append(ContrastResult(outcome, p, effect, interval))
    return found


def _rank_test(contrast: Contrast, level: float) -> tuple[float, float, Interval]:
    """The Mann–Whitney test, and A12."""
    effect = statistics.a12(*contrast.values, lower_is_better=contrast.lower_is_better, level=level)
    return statistics.mann_whitney(*contrast.values).p, effect.a12, effect.interval


def _sign_test(contrast: Contrast, level: float) -> tuple[float, float, Interval]:
    """The sign test, and the share of pairs in which the first is better, ties counting half."""
    one, two = (np.asarray(values, np.float64) for values in contrast.values)
    better, worse = int(np.sum(one < two)), int(np.sum(one > two))
    if not contrast.lower_is_better:
        better, worse = worse, better
    decided = better + worse
    p = statistics.scipy_module("stats").binomtest(better, decided).pvalue if decided else 1.0
    share = (better + (len(one) - decided) / 2) / len(one)
    low, high = statistics.wilson_band(np.array([share]), np.array([float(len(one))]), level)
    return float(p), share, Interval(float(low[0]), float(high[0]))


def judge(contrasts: Sequence[Contrast], alpha: float = ALPHA) -> list[Judgement]:
    """Judge each contrast of a family by its outcome: see `compare`."""
    outcomes = compare(contrasts, alpha)
    return [
        _judge_contrast(*each, len(contrasts)) for each in zip(contrasts, outcomes, strict=True)
    ]


def _judge_contrast(contrast: Contrast, found: ContrastResult, family: int) -> Judgement:
    if found.outcome == "too few":
        return too_few()
    verdict: Verdict = "undecided"
    if found.outcome != "open":
        wanted = "alike" if contrast.alike else "better"
        verdict = "holds" if found.outcome == wanted else "fails"
    one, two = (np.asarray(values, np.float64) for values in contrast.values)
    medians = float(np.median(one)), float(np.median(two))
    shown = [f"{each:.4g}" for each in medians]
    means = f"; means {one.mean():.4g} and {two.mean():.4g}" if shown[0] == shown[1] else ""
    effect = f"A12 = {found.a12:.2f}"
    if contrast.paired:
        side = "lower" if contrast.lower_is_better else "higher"
        effect = f"the first {side} in {100 * found.a12:.0f} %"
    if found.outcome in ("alike", "open"):
        effect += f", {interval_text(found.interval, '.2f')}"
    sizes = format_count(len(two), contrast.counted)
    sizes = sizes if len(one) == len(two) else f"{len(one)} and {sizes}"
    because = (
        f"{contrast.first} {shown[0]}, {contrast.second} {shown[1]} (medians of {sizes}{means}; "
        f"{'sign test, ' if contrast.paired else ''}{p_text(found.p)}{_holm_text(family)}, "
        f"{effect})."
    )
    figures = {"p": found.p, "a12": found.a12, "interval": found.interval, "medians": medians}
    return Judgement(verdict, because, figures)


def too_few() -> Judgement:
    """The judgement for too few runs."""
    return Judgement("undecided", "Too few runs to decide.")


def fact(holds: bool, because: str, **figures: Any) -> Judgement:
    """Judge a claim that logic or arithmetic decides."""
    return Judgement("holds" if holds else "fails", because, figures)


def within(interval: Interval, low: float = -np.inf, high: float = np.inf) -> Verdict:
    """Whether an interval lies in a range ("holds"), outside ("fails"), or neither."""
    if low <= interval.low and interval.high <= high:
        return "holds"
    return "fails" if interval.high < low or interval.low > high else "undecided"


def share_above(seen: Proportion, share: float, because: str = "") -> Judgement:
    """Judge that more than this share of runs succeeds, by Wilson's interval."""
    low, high = interval = seen.wilson()
    said = f"{because}{seen}; interval {low:.2g} to {high:.2g}."
    return Judgement(within(interval, low=share), said, {"share": seen.share, "interval": interval})


def share_below(seen: Proportion, share: float, because: str = "") -> Judgement:
    """Judge that less than this share of runs succeeds, by Wilson's interval."""
    low, high = interval = seen.wilson()
    said = f"{because} {seen}; interval {100 * low:.1f} to {100 * high:.1f} %."
    figures = {"share": seen.share, "interval": interval}
    return Judgement(within(interval, high=share), said, figures)


def median_interval(values: ArrayLike, level: float = 0.95) -> Interval:
    """An interval of the median from order statistics, for any distribution.

    With fewer than six values no interval has the level 0.95, so it is infinite.
    """
    ordered = np.sort(np.asarray(values, np.float64))
    place = int(statistics.scipy_module("stats").binom.ppf((1 - level) / 2, len(ordered), 0.5)) - 1
    if place < 0:
        return Interval(-np.inf, np.inf)
    return Interval(float(ordered[place]), float(ordered[-1 - place]))


def all_of(parts: Sequence[Judgement], because: str = "") -> Judgement:
    """Judge a claim that holds if all of its parts hold, and fails if any of them fails."""
    verdicts = {part.verdict for part in parts}
    held: Verdict = "holds" if verdicts == {"holds"} else "undecided"
    verdict: Verdict = "fails" if "fails" in verdicts else held
    said = because or " ".join(dict.fromkeys(part.because for part in parts))
    figures = [dict(part.figures) for part in parts if part.figures]
    return Judgement(verdict, said, {"parts": figures} if figures else {})


def any_of(verdicts: Sequence[Verdict]) -> Verdict:
    """The verdict that something is possible: one case proves it; it fails only if all do."""
    if "holds" in verdicts:
        return "holds"
    return "fails" if set(verdicts) == {"fails"} else "undecided"


def across_readings(readings: Mapping[str, Judgement]) -> Judgement:
    """Judge a claim that can be read in several ways; undecided unless all readings agree."""
    verdicts: set[Verdict] = {each.verdict for each in readings.values()}
    verdict = verdicts.pop() if len(verdicts) == 1 else "undecided"
    said = " ".join(
        f"*{name.capitalize()}: {each.verdict}.* {each.because}" for name, each in readings.items()
    )
    figures = {name: dict(each.figures) for name, each in readings.items() if each.figures}
    return Judgement(verdict, said, figures)


def best_of(
    name: str, samples: Mapping[str, ArrayLike], *, lower_is_better: bool = True
) -> Judgement:
    """Judge that one of many is the best.

    It holds if it is better than all others by the rules of `compare`, and fails if one of them is
    better or alike. `figures` has its mean, its rank by mean, and the numbers of others that are
    better, alike and worse.
    """
    others = [each for each in samples if each != name]
    runs = np.size(samples[name])
    found = compare(
        [Contrast(name, each, (samples[name], samples[each]), lower_is_better) for each in others]
    )
    outcomes = [each.outcome for each in found]
    if "too few" in outcomes:
        return too_few()
    better, worse, alike = (outcomes.count(word) for word in ("worse", "better", "alike"))
    verdict: Verdict = "undecided"
    if better or alike:
        verdict = "fails"
    elif worse == len(others):
        verdict = "holds"
    sign = 1 if lower_is_better else -1
    means = {each: float(np.mean(statistics.sample(samples[each]))) for each in samples}
    order = sorted(means, key=lambda each: sign * means[each])
    counts = {"better": better, "alike": alike, "worse": worse}
    said = ", ".join(f"{count} {word}" for word, count in counts.items() if count)
    beaten = f"of {len(others)} others {said or 'none differs significantly'}"
    leader = ""
    if order[0] != name:
        end = "lowest" if lower_is_better else "highest"
        leader = f" The {end} mean has {order[0]}: {means[order[0]]:.4f}."
    place = order.index(name) + 1
    because = (
        f"{name}: mean {means[name]:.4f}, place {place} of {len(order)} by mean; "
        f"{beaten} (Mann–Whitney{_holm_text(len(others))}, {format_count(runs, 'run')} each)."
        f"{leader}"
    )
    return Judgement(verdict, because, {"mean": means[name], "place": place, **counts})


def equivalent(
    first: ArrayLike, second: ArrayLike, *, margin: float, what: str, paired: bool = False
) -> Judgement:
    """Judge that two samples differ by less than a number that the paper names or shows.

    The 95 % interval of a t-test decides. If a paper names no number, use a `Contrast` with
    `alike`.
    """
    one, two = np.asarray(first, np.float64), np.asarray(second, np.float64)
    difference, interval = (_paired_interval if paired else _welch_interval)(one, two)
    if not np.isfinite(interval).all():
        return too_few()
    shown = [f"{each:+.4f}".replace("-", "−") for each in (difference, *interval)]
    because = (
        f"{what}: difference of the means {shown[0]}, interval {shown[1]} to {shown[2]}, against "
        f"a margin of {margin:g}."
    )
    figures = {"difference": difference, "interval": interval}
    return Judgement(within(interval, -margin, margin), because, figures)


def _welch_interval(one: Sample, two: Sample) -> tuple[float, Interval]:
    """Welch's interval; a point if neither sample has any variance."""
    if min(one.size, two.size) > 1 and not np.ptp(one) and not np.ptp(two):
        difference = float(one[0] - two[0])
        return difference, Interval(difference, difference)
    compared = statistics.welch(one, two)
    return compared.difference, compared.interval


def _paired_interval(one: Sample, two: Sample) -> tuple[float, Interval]:
    """Student's interval of the mean of differences."""
    differences = one - two
    mean, count = float(differences.mean()), len(differences)
    if count < 2:
        return mean, Interval(np.nan, np.nan)
    quantile = float(statistics.scipy_module("stats").t.ppf(0.975, count - 1))
    reach = quantile * float(differences.std(ddof=1)) / np.sqrt(count)
    return mean, Interval(mean - reach, mean + reach)


def percentile(values: ArrayLike, of: float) -> float:
    """The percentage of values below, equal ones counting half."""
    ours = statistics.sample(values)
    return 100 * float(np.mean(ours < of) + np.mean(ours == of) / 2)


def tail(values: ArrayLike, of: float) -> float:
    """The two-sided p of a published value among ours; it counts as one of them, so p > 0."""
    ours = statistics.sample(values)
    fewer = min(int(np.sum(ours <= of)), int(np.sum(ours >= of)))
    return min(1.0, 2 * (fewer + 1) / (ours.size + 1))


def matches_published(
    published: Mapping[str, tuple[float, ArrayLike]], alpha: float = ALPHA
) -> Judgement:
    """Judge that published values come from the distributions that we measured.

    It fails if a value is an outlier of its distribution (with Holm's correction), or if the mean
    percentile is too far from 50, each at half the level. It holds if also the interval of the mean
    percentile lies in the middle half, which requires at least six values. With fewer than a
    hundred runs for a value it is undecided.

    Parameters
    ----------
    published
        The published value and our values, by name.
    alpha
        The level of significance.
    """
    tails = {name: tail(ours, value) for name, (value, ours) in published.items()}
    adjusted = dict(zip(tails, map(float, statistics.holm(list(tails.values()))), strict=True))
    worst = min(adjusted, key=adjusted.__getitem__)
    places = [percentile(ours, value) for value, ours in published.values()]
    middle, error = float(np.mean(places)), 100 / np.sqrt(12 * len(places))
    together = statistics.two_sided((middle - 50) / error)
    low, high = max(0.0, middle - 1.96 * error), min(100.0, middle + 1.96 * error)
    fewest = min(np.size(ours) for _, ours in published.values())
    if fewest < FEWEST:
        return too_few()
    verdict: Verdict = "undecided"
    if fewest >= ENOUGH:
        out = min(adjusted[worst], together) < alpha / 2
        alike = MIDDLE.low <= low and high <= MIDDLE.high
        verdict = "fails" if out else "holds" if alike else "undecided"
    value, ours = published[worst]
    because = (
        f"{len(tails)} published values among at least {fewest} runs of ours each. Their mean "
        f"percentile is {middle:.0f}, interval {low:.0f} to {high:.0f} (required: {MIDDLE.low:.0f} "
        f"to {MIDDLE.high:.0f}; {p_text(together)}); the most extreme is {worst}, "
        f"{value:g}, at {percentile(ours, value):.0f} (with Holm "
        f"{p_text(adjusted[worst])})."
    )
    figures = {"mean_percentile": middle, "interval": (low, high), "p": together}
    return Judgement(verdict, because, figures)


class Ratio(NamedTuple):
    """A ratio of expected running times; NaN if neither was ever solved."""

    value: float
    interval: Interval

    def __str__(self) -> str:
        low, high = map(ratio_text, self.interval)
        return f"{ratio_text(self.value)} ({low} to {high})"

    @property
    def above_one(self) -> Verdict:
        """Whether the first takes longer: the interval excludes 1, and the ratio is large enough.

        It fails if the first takes less time, or if the whole interval is too close to 1.
        """
        low, high = self.interval
        if (low > 1 and self.value >= LEAST_RATIO) or (high < 1 and self.value <= 1 / LEAST_RATIO):
            return "holds" if low > 1 else "fails"
        return "fails" if low > 1 / LEAST_RATIO and high < LEAST_RATIO else "undecided"


def time_ratio(
    *strata: tuple[Runs, Runs], level: float = 0.95, resamples: int = 4000, seed: int = 0
) -> Ratio:
    """The ratio of two expected running times, or its geometric mean over strata, such as puzzles.

    With fewer than six runs on a side the interval is infinite.
    """
    times = np.array([[statistics.ert(*runs) for runs in pair] for pair in strata])
    with np.errstate(divide="ignore", invalid="ignore"):
        # NaN where neither was solved in a stratum, or where one ratio is 0 and another infinite
        value = float(np.exp(np.log(times[:, 0] / times[:, 1]).mean()))
    if min(np.size(solved) for pair in strata for _, solved in pair) < FEWEST:
        return Ratio(value, Interval(0.0, np.inf))
    found = statistics.ert_ratio_interval(*strata, level=level, resamples=resamples, seed=seed)
    return Ratio(value, found)


def p_text(p: float) -> str:
    """Format a p-value for a sentence."""
    if p < 0.0001:
        return "p < 0.0001"
    return f"p = {p:.2g}" if p < 0.01 else f"p = {p:.3f}"


def _holm_text(family: int) -> str:
    """Name the number of tests of Holm's correction, if there are several."""
    return f", Holm over {family}" if family > 1 else ""


def interval_text(interval: Interval, form: str = ".4g") -> str:
    """Format an interval for a sentence."""
    if not np.isfinite(interval).all():
        return "too few runs for an interval"
    return f"interval {interval.low:{form}} to {interval.high:{form}}"


def ratio_text(value: float) -> str:
    """Format a number with three digits, without an exponent."""
    if not np.isfinite(value):
        return format_number(value)
    if 0 < value < 0.001:
        return "less than 0.001"
    rounded = float(f"{value:.3g}")
    return format_number(int(rounded)) if rounded == int(rounded) else format_number(rounded)
