"""What a report claims, and what becomes of it: verdicts by rule, from data alone.

A claim *holds* or *fails* where a test, an interval or plain arithmetic says so, and is
*undecided* where they do not. No verdict is written by hand.

Two samples are compared in one way throughout: by Mann–Whitney's test (the sign test where they
are pairs) with Holm's correction, and by A12 against one `MARGIN`. The correction is over the
family that a claim belongs to: all contrasts that are handed to `judged` or `best_of` at once. A
contrast belongs to one family, so that no claim has two p-values; what a page shows besides
(other tests, other corrections) decides nothing.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from genoku.lab import page
from genoku.lab.page import Claims, Code, Notice, Page, Section, Verdict
from genoku.lab.statistics import (
    Interval,
    Proportion,
    a12,
    holm,
    mann_whitney,
    smallest_p,
    special,
    wilson_band,
)
from genoku.lab.store import Store
from genoku.lab.study import Study
from genoku.words import plural
from reproductions.old.words import interval_words, over, p_words, sizes

ALPHA = 0.05
"""How often a family of tests may be wrong."""

MARGIN = 0.06
"""How far from 0.5 A12 must be to be a difference: less is not even small (Vargha, Delaney 2000).

It is the same for claims that there is a difference and for claims that there is none.
"""

TOO_FEW = "Too few runs to tell"


@dataclass(frozen=True)
class Scale:
    """How much is run: quick or full, or so many seeds in place of theirs."""

    quick: bool = False
    seeds: int | None = None

    def choose(self, quick: Any, full: Any) -> Any:
        return quick if self.quick else full

    def seeds_of(self, quick: int, full: int) -> tuple[int, ...]:
        """The seeds of a study: 1, 2, … up to the number of its size, or to what was asked for."""
        return tuple(range(1, (self.seeds or self.choose(quick, full)) + 1))

    @property
    def options(self) -> str:
        """As typed on the command line."""
        quick = " --quick" if self.quick else ""
        return quick + (f" --seeds {self.seeds}" if self.seeds else "")

    @property
    def warning(self) -> str:
        """What must be said before any verdict of a smaller version; "" of the full one."""
        if not self.options:
            return ""
        kind = "The quick version" if self.quick else "Not the full version"
        seeds = f"{plural(self.seeds, 'seed')} in place of its own" if self.seeds else "fewer seeds"
        return f"{kind}, with {seeds}: verdicts may differ, and more claims are left undecided."


@dataclass(frozen=True)
class Claim:
    """A claim of a report, where it makes it, and our verdict with the reason."""

    text: str
    where: str
    verdict: Verdict
    because: str


@dataclass(frozen=True)
class Findings:
    """What a reproduction found: claims, sections of a page, and numbers for other programs."""

    claims: tuple[Claim, ...]
    sections: tuple[Section, ...]
    figures: dict[str, Any] = field(default_factory=dict[str, Any])
    observations: tuple[Claim, ...] = ()
    """What we say and the report does not: judged alike, and not counted among its claims."""


@dataclass(frozen=True)
class Reproduction:
    """A report's experiments as studies, and what is made of their results.

    `studies` gives them by name; `findings` receives an open store for each of the names.
    """

    number: str
    title: str
    subtitle: str
    studies: Callable[[Scale], dict[str, Study]]
    findings: Callable[[Mapping[str, Store], Scale], Findings]

    def page(self, found: Findings, scale: Scale) -> Page:
        """The whole page: verdicts first, then the evidence, then how to get it again."""
        warning = (Notice(scale.warning),) if scale.warning else ()
        verdicts = Section(
            "Which claims hold",
            (*warning, _counted(found.claims), Claims(tuple(map(_shown, found.claims)))),
        )
        beside = Section(
            "What else we found",
            (
                "Not claims of the report, and not counted among them; judged by the same rules.",
                Claims(tuple(map(_shown, found.observations))),
            ),
        )
        command = f"python3 run.py reproduce {self.number}{scale.options}"
        again = Section(
            "How to reproduce this page",
            (
                "Every run has a seed: the same command gives the same results, times aside, on "
                "any number of processes. An interrupted one goes on where it was.",
                Code(f"{command} -o report.html --markdown report.md", "sh"),
            ),
        )
        besides = (beside,) if found.observations else ()
        return Page(self.title, self.subtitle, (verdicts, *besides, *found.sections, again))


def _counted(claims: Sequence[Claim]) -> str:
    counts = [sum(each.verdict == verdict for each in claims) for verdict in VERDICTS]
    said = ", ".join(
        f"**{count} {words[count != 1]}**"
        for count, words in zip(counts, VERDICTS.values(), strict=True)
    )
    return (
        f"Of {plural(len(claims), 'claim')} {said}. A12 is how likely a run of the first beats "
        "one of the second. A difference is one if a test finds it (Mann–Whitney at the level "
        f"{ALPHA:g} unless said, with Holm's correction within each group of comparisons) and A12 "
        f"is at least {MARGIN:g} from 0.5, the least that Vargha and Delaney (2000) call small; "
        "there is none if the interval of A12, corrected likewise, lies within "
        f"{0.5 - MARGIN:g} and {0.5 + MARGIN:g}. "
        "Other verdicts follow from intervals of 95 %, or from arithmetic on what was published. "
        "Undecided means that the data do not tell, or that a report can be read in two ways which "
        "do not agree."
    )


VERDICTS: dict[Verdict, tuple[str, str]] = {
    "holds": ("holds", "hold"),
    "fails": ("fails", "fail"),
    "undecided": ("is undecided", "are undecided"),
}
"""What one claim does, and what several do."""


def _shown(claim: Claim) -> page.Claim:
    return page.Claim(f"{claim.text} *({claim.where})*", claim.verdict, claim.because)


@dataclass(frozen=True)
class Contrast:
    """The claim that the first sample is better than the second (lower, unless said)."""

    text: str
    where: str
    first: str
    second: str
    values: tuple[ArrayLike, ArrayLike]
    lower_is_better: bool = True
    counted: str = "run"
    """What a value of the samples is."""
    paired: bool = False
    """Whether the two are the same runs at two times: then each is compared with itself."""
    alike: bool = False
    """Whether the claim is that there is no difference."""

    @property
    def smallest_p(self) -> float:
        """What its test could say at best."""
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
    """All contrasts of a family, with Holm's correction.

    The first is better (or worse) if the test rejects and A12 is at least `MARGIN` from 0.5. The
    two are alike if the interval of A12, as wide as Bonferroni asks for so many, is within the
    margin. A difference that the test finds may be that small: then they are alike.
    """
    family = len(contrasts)
    tests = [(_pairs if each.paired else _samples)(each, 1 - alpha / family) for each in contrasts]
    hopeless = family * min((each.smallest_p for each in contrasts), default=0.0) >= alpha
    found = []
    for each, p, test in zip(contrasts, holm([test[0] for test in tests]), tests, strict=True):
        too_few = hopeless or each.smallest_p >= alpha
        outcome = "too few" if too_few else _outcome(float(p), *test[1:], alpha)
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


def judged(contrasts: Sequence[Contrast], alpha: float = ALPHA) -> list[Claim]:
    """The verdict on each contrast of a family: see `compare`.

    That the first is better fails where it is worse, and where the two are alike; that they are
    alike fails where either is better.
    """
    outcomes = compare(contrasts, alpha)
    return [_verdict_on(*each, len(contrasts)) for each in zip(contrasts, outcomes, strict=True)]


def _verdict_on(contrast: Contrast, found: Compared, family: int) -> Claim:
    if found.outcome == "too few":
        return Claim(contrast.text, contrast.where, "undecided", f"{TOO_FEW}.")
    verdict: Verdict = "undecided"
    if found.outcome != "open":
        wanted = "alike" if contrast.alike else "better"
        verdict = "holds" if found.outcome == wanted else "fails"
    one, two = (np.asarray(values, np.float64) for values in contrast.values)
    middles = [f"{np.median(each):.4g}" for each in (one, two)]
    means = f"; means {one.mean():.4g} and {two.mean():.4g}" if middles[0] == middles[1] else ""
    told = f"A12 = {found.a12:.2f}"
    if contrast.paired:
        side = "lower" if contrast.lower_is_better else "higher"
        told = f"the first {side} in {100 * found.a12:.0f} %"
    if found.outcome in ("alike", "open"):
        told += f", {interval_words(found.interval, '.2f')}"
    because = (
        f"{contrast.first} {middles[0]}, {contrast.second} {middles[1]} (medians of "
        f"{sizes(len(one), len(two), contrast.counted)}{means}; "
        f"{'sign test, ' if contrast.paired else ''}{p_words(found.p)}{over(family)}, "
        f"{told})."
    )
    return Claim(contrast.text, contrast.where, verdict, because)


def fact(text: str, where: str, *, holds: bool, because: str) -> Claim:
    """A claim that logic or arithmetic settles."""
    return Claim(text, where, "holds" if holds else "fails", because)


def share_claim(
    text: str, where: str, seen: Proportion, *, above: float, because: str = ""
) -> Claim:
    """The claim that more than this share of runs succeeds, by Wilson's interval."""
    interval = seen.wilson()
    said = f"{because}{seen}; interval {interval.low:.2g} to {interval.high:.2g}."
    return Claim(text, where, within(interval, low=above), said)


def within(interval: Interval, low: float = -np.inf, high: float = np.inf) -> Verdict:
    """Whether all of an interval lies in a range, or none of it, or neither can be said."""
    if low <= interval.low and interval.high <= high:
        return "holds"
    return "fails" if interval.high < low or interval.low > high else "undecided"


def all_of(text: str, where: str, parts: Sequence[Claim], because: str = "") -> Claim:
    """A claim that holds if all of its parts do, and fails with any of them."""
    verdicts = {part.verdict for part in parts}
    verdict: Verdict = "undecided"
    if "fails" in verdicts:
        verdict = "fails"
    elif verdicts == {"holds"}:
        verdict = "holds"
    said = because or " ".join(dict.fromkeys(part.because for part in parts))
    return Claim(text, where, verdict, said)


def across_readings(text: str, where: str, readings: Mapping[str, Claim]) -> Claim:
    """A claim about what a report leaves open: the verdict that all of its readings share.

    Where they do not agree the claim is undecided, since it depends on what nobody wrote down.
    """
    verdicts: set[Verdict] = {each.verdict for each in readings.values()}
    verdict = verdicts.pop() if len(verdicts) == 1 else "undecided"
    said = " ".join(
        f"*{name.capitalize()}: {each.verdict}.* {each.because}" for name, each in readings.items()
    )
    return Claim(text, where, verdict, said)


def median_interval(values: ArrayLike, level: float = 0.95) -> Interval:
    """An interval of the median from order statistics: no assumption about the distribution.

    With fewer than six values no interval has the level 0.95, and it is infinite.
    """
    ordered = np.sort(np.asarray(values, np.float64))
    place = int(special("stats").binom.ppf((1 - level) / 2, len(ordered), 0.5)) - 1
    if place < 0:
        return Interval(-np.inf, np.inf)
    return Interval(float(ordered[place]), float(ordered[-1 - place]))


def published(name: str) -> dict[str, Any]:
    """What a report printed, from the data file of that name."""
    text = files("reproductions.old").joinpath("published", f"{name}.toml").read_text("utf-8")
    return tomllib.loads(text)
