"""Claims of a paper, and verdicts on them: by rule, from data alone.

A claim *holds* or *fails* where a test, an interval or plain arithmetic says so, and is
*undecided* where they do not. No verdict is written by hand.

Two samples are compared in one way throughout: by Mann–Whitney's test (the sign test where they
are pairs) with Holm's correction, and by A12 against one `MARGIN`. The correction is over the
family that a claim belongs to: all contrasts that are handed to `judge` or `best_of` at once. A
contrast belongs to one family, so that no claim has two p-values; what a page shows besides
(other tests, other corrections) decides nothing.

>>> one, two = [1, 2, 3, 4, 5, 6], [11, 12, 13, 14, 15, 16]
>>> judge([Contrast("swaps", "shuffles", (one, two))])[0].verdict
'holds'
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from genoku.lab.page import Claim, Verdict
from genoku.lab.statistics import (
    Interval,
    Proportion,
    Runs,
    a12,
    ert,
    ert_ratio_interval,
    holm,
    mann_whitney,
    sample,
    smallest_p,
    special,
    two_sided,
    welch,
    wilson_band,
)
from genoku.words import number, plural

ALPHA = 0.05
"""How often a family of tests may be wrong."""

MARGIN = 0.06
"""How far from 0.5 A12 must be to be a difference: less is not even small (Vargha, Delaney 2000).

It is the same for claims that there is a difference and for claims that there is none.
"""

LEAST_RATIO = (0.5 + MARGIN) / (0.5 - MARGIN)
"""The least ratio of running times that is a difference: `MARGIN` as a ratio of times.

Times to a solution, restarts included, are about exponential, and A12 of such times is
r / (1 + r) where r is their ratio.
"""

FEWEST = 6
"""Runs: the median of fewer has no interval of 95 %."""

RULES = (
    "A12 is how likely a run of the first beats one of the second. A difference is one if a test "
    f"finds it (Mann–Whitney at the level {ALPHA:g} unless said, with Holm's correction within "
    f"each group of comparisons) and A12 is at least {MARGIN:g} from 0.5, the least that Vargha "
    "and Delaney (2000) call small; there is none if the interval of A12, corrected likewise, lies "
    f"within {0.5 - MARGIN:g} and {0.5 + MARGIN:g}. Other verdicts follow from intervals of 95 %, "
    "or from arithmetic on what was published. Undecided means that the data do not tell, or that "
    "a report can be read in two ways which do not agree."
)
"""How verdicts are reached, for the page that shows them."""

RATIO_RULE = (
    "A ratio of running times is a difference if its interval excludes 1 and it is at least "
    f"{LEAST_RATIO:.2f} or at most {1 / LEAST_RATIO:.2f}, which is the margin of A12 for times "
    "that are about exponential, as those with restarts are; there is none if the whole interval "
    "is nearer to 1."
)
"""For the pages that judge by ratios."""

MIDDLE = Interval(25.0, 75.0)  # percentiles where published values stand on average if alike
ENOUGH = 100  # runs from which percentiles are told well enough to be looked at together


@dataclass(frozen=True)
class Judgement:
    """A verdict, the reason in a sentence or two, and the numbers that it rests on."""

    verdict: Verdict
    because: str
    figures: Mapping[str, Any] = field(default_factory=dict[str, Any])


def count_verdicts(claims: Sequence[Claim]) -> dict[Verdict, int]:
    """How many claims hold, fail and are undecided, in this order."""
    found = [claim.verdict for claim in claims]
    order: tuple[Verdict, ...] = ("holds", "fails", "undecided")
    return {verdict: found.count(verdict) for verdict in order}


@dataclass(frozen=True)
class Contrast:
    """The claim that the first sample is better than the second.

    Parameters
    ----------
    first, second
        What the samples are called in the reason.
    values
        The two samples, a value per run.
    lower_is_better
        Whether lower values are better.
    counted
        What a value of the samples is.
    paired
        Whether the two are the same runs at two times: then each is compared with itself.
    alike
        Whether the claim is that there is no difference.
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
        """The smallest p-value that its test could give."""
        one, two = (np.size(values) for values in self.values)
        return min(1.0, 2.0 ** (1 - one)) if self.paired else smallest_p(one, two)


Outcome = Literal["better", "worse", "alike", "open", "too few"]
"""Of the first sample; open if the data do not tell, too few if they never could."""


class Compared(NamedTuple):
    """What two samples say: the corrected p, A12, its interval, and what follows."""

    outcome: Outcome
    p: float
    a12: float
    interval: Interval


def compare(contrasts: Sequence[Contrast], alpha: float = ALPHA) -> list[Compared]:
    """Compare all contrasts of a family, with Holm's correction.

    The first is better (or worse) if the test rejects and A12 is at least `MARGIN` from 0.5. The
    two are alike if the interval of A12, as wide as Bonferroni asks for so many, is within the
    margin. A difference that the test finds may be that small: then they are alike.
    """
    family = len(contrasts)
    tests = [(_pairs if each.paired else _samples)(each, 1 - alpha / family) for each in contrasts]
    hopeless = family * min((each.smallest_p for each in contrasts), default=0.0) >= alpha
    found = []
    for each, p, test in zip(contrasts, holm([test[0] for test in tests]), tests, strict=True):
        few = hopeless or each.smallest_p >= alpha
        outcome = "too few" if few else _outcome(float(p), *test[1:], alpha)
        found.append(Compared(outcome, float(p), *test[1:]))
    return found


def _outcome(p: float, effect: float, interval: Interval, alpha: float) -> Outcome:
    if within(interval, 0.5 - MARGIN, 0.5 + MARGIN) == "holds":
        return "alike"
    if p < alpha and abs(effect - 0.5) >= MARGIN - 1e-12:
        return "better" if effect > 0.5 else "worse"
    return "open"


def _samples(contrast: Contrast, level: float) -> tuple[float, float, Interval]:
    """Mann–Whitney's test, and A12 over all pairs of runs."""
    effect = a12(*contrast.values, lower_is_better=contrast.lower_is_better, level=level)
    return mann_whitney(*contrast.values).p, effect.a12, effect.interval


def _pairs(contrast: Contrast, level: float) -> tuple[float, float, Interval]:
    """The sign test, and in how many of the pairs the first is better, ties as halves."""
    one, two = (np.asarray(values, np.float64) for values in contrast.values)
    better, worse = int(np.sum(one < two)), int(np.sum(one > two))
    if not contrast.lower_is_better:
        better, worse = worse, better
    decided = better + worse
    p = special("stats").binomtest(better, decided).pvalue if decided else 1.0
    share = (better + (len(one) - decided) / 2) / len(one)
    low, high = wilson_band(np.array([share]), np.array([float(len(one))]), level)
    return float(p), share, Interval(float(low[0]), float(high[0]))


def judge(contrasts: Sequence[Contrast], alpha: float = ALPHA) -> list[Judgement]:
    """Judge each contrast of a family: see `compare`.

    That the first is better fails where it is worse, and where the two are alike; that they are
    alike fails where either is better.
    """
    outcomes = compare(contrasts, alpha)
    return [_judgement(*each, len(contrasts)) for each in zip(contrasts, outcomes, strict=True)]


def _judgement(contrast: Contrast, found: Compared, family: int) -> Judgement:
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
    sizes = plural(len(two), contrast.counted)
    sizes = sizes if len(one) == len(two) else f"{len(one)} and {sizes}"
    because = (
        f"{contrast.first} {shown[0]}, {contrast.second} {shown[1]} (medians of {sizes}{means}; "
        f"{'sign test, ' if contrast.paired else ''}{p_text(found.p)}{_over(family)}, {effect})."
    )
    figures = {"p": found.p, "a12": found.a12, "interval": found.interval, "medians": medians}
    return Judgement(verdict, because, figures)


def too_few() -> Judgement:
    """The judgement where there are too few runs for any."""
    return Judgement("undecided", "Too few runs to tell.")


def fact(holds: bool, because: str, **figures: Any) -> Judgement:
    """Judge a claim that logic or arithmetic settles."""
    return Judgement("holds" if holds else "fails", because, figures)


def within(interval: Interval, low: float = -np.inf, high: float = np.inf) -> Verdict:
    """Whether all of an interval lies in a range, or none of it, or neither can be said."""
    if low <= interval.low and interval.high <= high:
        return "holds"
    return "fails" if interval.high < low or interval.low > high else "undecided"


def share_above(seen: Proportion, share: float, because: str = "") -> Judgement:
    """Judge that more than this share of runs succeeds, by Wilson's interval."""
    low, high = interval = seen.wilson()
    said = f"{because}{seen}; interval {low:.2g} to {high:.2g}."
    return Judgement(within(interval, low=share), said, {"share": seen.share, "interval": interval})


def share_below(seen: Proportion, share: float, because: str = "") -> Judgement:
    """Judge that something hardly ever happens: in less than this share of runs."""
    low, high = interval = seen.wilson()
    said = f"{because} {seen}; interval {100 * low:.1f} to {100 * high:.1f} %."
    figures = {"share": seen.share, "interval": interval}
    return Judgement(within(interval, high=share), said, figures)


def median_interval(values: ArrayLike, level: float = 0.95) -> Interval:
    """An interval of the median from order statistics: no assumption about the distribution.

    With fewer than six values no interval has the level 0.95, and it is infinite.
    """
    ordered = np.sort(np.asarray(values, np.float64))
    place = int(special("stats").binom.ppf((1 - level) / 2, len(ordered), 0.5)) - 1
    if place < 0:
        return Interval(-np.inf, np.inf)
    return Interval(float(ordered[place]), float(ordered[-1 - place]))


def all_of(parts: Sequence[Judgement], because: str = "") -> Judgement:
    """Judge a claim that holds if all of its parts do, and fails with any of them."""
    verdicts = {part.verdict for part in parts}
    verdict: Verdict = "undecided"
    if "fails" in verdicts:
        verdict = "fails"
    elif verdicts == {"holds"}:
        verdict = "holds"
    said = because or " ".join(dict.fromkeys(part.because for part in parts))
    figures = [dict(part.figures) for part in parts if part.figures]
    return Judgement(verdict, said, {"parts": figures} if figures else {})


def any_of(verdicts: Sequence[Verdict]) -> Verdict:
    """The verdict that something can be: one case proves it, and it fails only if all do."""
    if "holds" in verdicts:
        return "holds"
    return "fails" if set(verdicts) == {"fails"} else "undecided"


def across_readings(readings: Mapping[str, Judgement]) -> Judgement:
    """Judge a claim about what a paper leaves open: the verdict that all of its readings share.

    Where they do not agree the claim is undecided, since it depends on what nobody wrote down.
    """
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

    It holds if it is better than all others by the rules of `compare`, and fails if it is not
    better than one of them, be that one better or alike. `figures` has its mean, its place by
    mean, and how many others are better, alike and worse.
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
    means = {each: float(np.mean(sample(samples[each]))) for each in samples}
    order = sorted(means, key=lambda each: sign * means[each])
    counts = {"better": better, "alike": alike, "worse": worse}
    said = ", ".join(f"{count} {word}" for word, count in counts.items() if count)
    beaten = f"of {len(others)} others {said or 'none can be told apart from it'}"
    leader = ""
    if order[0] != name:
        end = "lowest" if lower_is_better else "highest"
        leader = f" The {end} mean has {order[0]}: {means[order[0]]:.4f}."
    place = order.index(name) + 1
    because = (
        f"{name}: mean {means[name]:.4f}, place {place} of {len(order)} by mean; "
        f"{beaten} (Mann–Whitney{_over(len(others))}, {plural(runs, 'run')} each).{leader}"
    )
    return Judgement(verdict, because, {"mean": means[name], "place": place, **counts})


def equivalent(
    first: ArrayLike, second: ArrayLike, *, margin: float, what: str, paired: bool = False
) -> Judgement:
    """Judge that two samples differ by less than a number that the paper names or shows.

    By the 95 % interval of a t-test. Where a paper names none, ask a `Contrast` that is `alike`.
    """
    difference, interval = (_paired if paired else _unpaired)(first, second)
    if not np.isfinite(interval).all():
        return too_few()
    shown = [f"{each:+.4f}".replace("-", "−") for each in (difference, *interval)]
    because = (
        f"{what}: difference of the means {shown[0]}, interval {shown[1]} to {shown[2]}, against "
        f"a margin of {margin:g}."
    )
    figures = {"difference": difference, "interval": interval}
    return Judgement(within(interval, -margin, margin), because, figures)


def _unpaired(first: ArrayLike, second: ArrayLike) -> tuple[float, Interval]:
    """Welch's interval; where neither sample varies, a point."""
    one, two = np.asarray(first, np.float64), np.asarray(second, np.float64)
    if min(one.size, two.size) > 1 and not np.ptp(one) and not np.ptp(two):
        difference = float(one[0] - two[0])
        return difference, Interval(difference, difference)
    compared = welch(one, two)
    return compared.difference, compared.interval


def _paired(first: ArrayLike, second: ArrayLike) -> tuple[float, Interval]:
    """Student's interval of the mean of differences; without a spread, a point."""
    differences = np.asarray(first, np.float64) - np.asarray(second, np.float64)
    mean, count = float(differences.mean()), len(differences)
    if count < 2:
        return mean, Interval(np.nan, np.nan)
    quantile = float(special("stats").t.ppf(0.975, count - 1))
    reach = quantile * float(differences.std(ddof=1)) / np.sqrt(count)
    return mean, Interval(mean - reach, mean + reach)


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


def could_be_ours(
    published: Mapping[str, tuple[float, ArrayLike]], alpha: float = ALPHA
) -> Judgement:
    """Judge that published values come from the distributions that we measured.

    It fails if one of them is out of its distribution (tails with Holm's correction), or if all
    together stand too high or too low: percentiles of draws average 50, with the deviation of so
    many uniform ones or less. Each test has half the level. It holds if, moreover, the interval of
    the mean percentile lies in the middle half, which takes six values or more. With fewer than a
    hundred runs of ours for a value nothing is said.

    Parameters
    ----------
    published
        By name, the value that was published and our values.
    """
    tails = {name: tail(ours, value) for name, (value, ours) in published.items()}
    adjusted = dict(zip(tails, map(float, holm(list(tails.values()))), strict=True))
    worst = min(adjusted, key=adjusted.__getitem__)
    places = [percentile(ours, value) for value, ours in published.values()]
    middle, error = float(np.mean(places)), 100 / np.sqrt(12 * len(places))
    together = two_sided((middle - 50) / error)
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
        f"{len(tails)} published, among {fewest} runs of ours or more each. Their mean percentile "
        f"is {middle:.0f}, interval {low:.0f} to {high:.0f} (we ask: {MIDDLE.low:.0f} to "
        f"{MIDDLE.high:.0f}; {p_text(together)}); the one furthest out is {worst}, "
        f"{value:g}, at {percentile(ours, value):.0f} (with Holm "
        f"{p_text(adjusted[worst])})."
    )
    figures = {"mean_percentile": middle, "interval": (low, high), "p": together}
    return Judgement(verdict, because, figures)


class Ratio(NamedTuple):
    """One expected running time by another; the value is NaN where neither was ever solved."""

    value: float
    interval: Interval

    def __str__(self) -> str:
        low, high = map(ratio_text, self.interval)
        return f"{ratio_text(self.value)} ({low} to {high})"

    @property
    def above_one(self) -> Verdict:
        """That the first takes longer: the interval excludes 1, and the ratio is large enough.

        It fails where it takes less time, and where all of the interval is too near 1 to matter.
        """
        low, high = self.interval
        if (low > 1 and self.value >= LEAST_RATIO) or (high < 1 and self.value <= 1 / LEAST_RATIO):
            return "holds" if low > 1 else "fails"
        return "fails" if low > 1 / LEAST_RATIO and high < LEAST_RATIO else "undecided"


def time_ratio(
    *strata: tuple[Runs, Runs], level: float = 0.95, resamples: int = 4000, seed: int = 0
) -> Ratio:
    """The ratio of two expected running times: over several puzzles, the geometric mean of ratios.

    Each puzzle is a stratum of its own, as the time for an easy one says nothing of a hard one.
    From fewer than six runs on a side nothing is said.
    """
    ratios = [_quotient(ert(*first), ert(*second)) for first, second in strata]
    with np.errstate(divide="ignore", invalid="ignore"):
        # NaN where a stratum is, or where one is 0 and another infinite
        value = float(np.exp(np.log(np.asarray(ratios)).mean()))
    if min(np.size(solved) for pair in strata for _, solved in pair) < FEWEST:
        return Ratio(value, Interval(0.0, np.inf))
    interval = ert_ratio_interval(*strata, level=level, resamples=resamples, seed=seed)
    return Ratio(value, interval)


def _quotient(one: float, two: float) -> float:
    return np.nan if np.isinf(one) and np.isinf(two) else one / two


def p_text(p: float) -> str:
    """A p-value within a sentence."""
    if p < 0.0001:
        return "p < 0.0001"
    return f"p = {p:.2g}" if p < 0.01 else f"p = {p:.3f}"


def _over(family: int) -> str:
    """Beside a p-value: how many tests Holm's correction was for."""
    return f", Holm over {family}" if family > 1 else ""


def interval_text(interval: Interval, form: str = ".4g") -> str:
    """An interval within a sentence; an infinite one says that there is none."""
    if not np.isfinite(interval).all():
        return "too few runs for an interval"
    return f"interval {interval.low:{form}} to {interval.high:{form}}"


def ratio_text(value: float) -> str:
    """A number with three digits, without an exponent."""
    if not np.isfinite(value):
        return number(value)
    if 0 < value < 0.001:
        return "less than 0.001"
    rounded = float(f"{value:.3g}")
    return number(int(rounded)) if rounded == int(rounded) else number(rounded)
