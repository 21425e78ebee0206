"""More rules for verdicts: which of many is best, and whether two are as good as equal."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from genoku.lab.page import Verdict
from genoku.lab.statistics import Interval, sample, special, welch
from genoku.words import plural
from reproductions.old.claims import TOO_FEW, Claim, Contrast, compare, within
from reproductions.old.words import over


def best_of(
    text: str,
    where: str,
    name: str,
    samples: Mapping[str, ArrayLike],
    *,
    lower_is_better: bool = True,
) -> Claim:
    """The claim that one of many is the best.

    It holds if it is better than all others by the rules of `compare`, and fails if it is not
    better than one of them, be that one better or alike.
    """
    others = [each for each in samples if each != name]
    runs = np.size(samples[name])
    found = compare(
        [
            Contrast("", "", name, each, (samples[name], samples[each]), lower_is_better)
            for each in others
        ]
    )
    outcomes = [each.outcome for each in found]
    better, worse, alike = (outcomes.count(word) for word in ("worse", "better", "alike"))
    if "too few" in outcomes:
        return Claim(text, where, "undecided", f"{TOO_FEW}.")
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
    because = (
        f"{name}: mean {means[name]:.4f}, place {order.index(name) + 1} of {len(order)} by mean; "
        f"{beaten} (Mann–Whitney{over(len(others))}, {plural(runs, 'run')} each).{leader}"
    )
    return Claim(text, where, verdict, because)


def equivalent(
    text: str,
    where: str,
    first: ArrayLike,
    second: ArrayLike,
    *,
    margin: float,
    what: str,
    paired: bool = False,
) -> Claim:
    """The claim that two samples differ by less than a number that the report names or shows.

    By the 95 % interval of a t-test. Where a report names none, ask a `Contrast` that is `alike`.
    """
    difference, interval = _paired(first, second) if paired else _unpaired(first, second)
    if not np.isfinite(interval).all():
        return Claim(text, where, "undecided", f"{TOO_FEW}.")
    verdict = within(interval, -margin, margin)
    shown = [f"{each:+.4f}".replace("-", "−") for each in (difference, *interval)]
    because = (
        f"{what}: difference of the means {shown[0]}, interval {shown[1]} to {shown[2]}, against "
        f"a margin of {margin:g}."
    )
    return Claim(text, where, verdict, because)


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
