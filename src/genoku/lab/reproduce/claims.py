"""What a report claims, and what becomes of it: verdicts by rule, from data alone.

A claim *holds* or *fails* where a test, an interval or plain arithmetic says so, and is
*undecided* where they do not. No verdict is written by hand.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from genoku.lab import page
from genoku.lab.page import Claims, Code, Page, Section, Verdict
from genoku.lab.reproduce.words import over, p_words, sizes
from genoku.lab.statistics import (
    Interval,
    Proportion,
    a12,
    holm,
    mann_whitney,
    smallest_p,
    wilcoxon,
)
from genoku.lab.statistics.samples import Sample, special
from genoku.lab.store import Store
from genoku.lab.study import Study

ALPHA = 0.05
"""How often a family of tests may be wrong."""

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
        verdicts = Section(
            "Which claims hold", (_counted(found.claims), Claims(tuple(map(_shown, found.claims))))
        )
        command = f"genoku reproduce {self.number}{scale.options}"
        again = Section(
            "How to reproduce this page",
            (
                "Every run has a seed: the same command gives the same results, times aside, on "
                "any number of processes. An interrupted one goes on where it was.",
                Code(f"{command} -o report.html --markdown report.md", "sh"),
            ),
        )
        return Page(self.title, self.subtitle, (verdicts, *found.sections, again))


def _counted(claims: Sequence[Claim]) -> str:
    said = ", ".join(
        f"**{sum(each.verdict == verdict for each in claims)} {words}**"
        for verdict, words in VERDICTS.items()
    )
    return (
        f"Of {len(claims)} claims {said}. Verdicts follow from tests (Mann–Whitney at the level "
        f"{ALPHA:g} unless said, with Holm's correction within each group of comparisons), from "
        "intervals of 95 %, or from arithmetic on what was published. A12 is how likely a run of "
        "the first beats one of the second. Undecided means that the data do not tell."
    )


VERDICTS: dict[Verdict, str] = {"holds": "hold", "fails": "fail", "undecided": "are undecided"}


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
    """Whether the two are the same runs at two times: then Wilcoxon's test is asked."""

    @property
    def smallest_p(self) -> float:
        """What its test could say at best."""
        one, two = (np.size(values) for values in self.values)
        return min(1.0, 2.0 ** (1 - one)) if self.paired else smallest_p(one, two)


def judged(contrasts: Sequence[Contrast], alpha: float = ALPHA) -> list[Claim]:
    """Mann–Whitney's verdict on each (Wilcoxon's on pairs), with Holm's correction over all.

    A difference in the claimed direction holds, one in the other direction fails, and none that
    can be told from chance leaves the claim undecided.
    """
    raw = [(wilcoxon if each.paired else mann_whitney)(*each.values).p for each in contrasts]
    family = len(contrasts)
    hopeless = family * min((each.smallest_p for each in contrasts), default=0.0) >= alpha
    return [
        _too_few(each)
        if hopeless or each.smallest_p >= alpha
        else _verdict_on(each, float(p), alpha, family)
        for each, p in zip(contrasts, holm(raw), strict=True)
    ]


def _too_few(contrast: Contrast) -> Claim:
    """Of samples so small that no test could part them, whatever they are."""
    return Claim(contrast.text, contrast.where, "undecided", f"{TOO_FEW}.")


def _verdict_on(contrast: Contrast, p: float, alpha: float, family: int) -> Claim:
    one, two = (np.asarray(values, np.float64) for values in contrast.values)
    better = _better(one, two, contrast)
    verdict: Verdict = "undecided"
    if p < alpha and better != 0.5:
        verdict = "holds" if better > 0.5 else "fails"
    middles = [f"{np.median(each):.4g}" for each in (one, two)]
    means = f"; means {one.mean():.4g} and {two.mean():.4g}" if middles[0] == middles[1] else ""
    told = f"A12 = {better:.2f}"
    if contrast.paired:
        side = "lower" if contrast.lower_is_better else "higher"
        told = f"the first {side} in {100 * better:.0f} %"
    because = (
        f"{contrast.first} {middles[0]}, {contrast.second} {middles[1]} (medians of "
        f"{sizes(len(one), len(two), contrast.counted)}{means}; "
        f"{'Wilcoxon, ' if contrast.paired else ''}{p_words(p)}{over(family)}, "
        f"{told})."
    )
    return Claim(contrast.text, contrast.where, verdict, because)


def _better(one: Sample, two: Sample, contrast: Contrast) -> float:
    """How often the first is better: of all pairs of runs, or of each run with itself."""
    if not contrast.paired:
        return a12(one, two, lower_is_better=contrast.lower_is_better).a12
    less, more = float(np.mean(one < two)), float(np.mean(one > two))
    ahead, behind = (less, more) if contrast.lower_is_better else (more, less)
    return ahead + (1 - ahead - behind) / 2


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
    text = files("genoku.lab.reproduce").joinpath("published", f"{name}.toml").read_text("utf-8")
    return tomllib.loads(text)
