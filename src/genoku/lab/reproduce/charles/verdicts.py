"""What report 002 claims: its recommendations, its tests, and what it says of itself."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from genoku.lab.page import Verdict
from genoku.lab.reproduce.charles.experiments import (
    CODED,
    EXPERIMENTS,
    PUBLISHED,
    RUNS,
    VALUES,
    Measured,
    Value,
    published_value,
    welch_p,
)
from genoku.lab.reproduce.charles.recommendations import recommendations
from genoku.lab.reproduce.claims import ALPHA, TOO_FEW, Claim, fact, share_claim
from genoku.lab.reproduce.words import over, p_words
from genoku.lab.statistics import Proportion, holm, student, welch
from genoku.lab.statistics.samples import Sample


class Difference(NamedTuple):
    """A difference that the report calls significant."""

    better: Value
    worse: Value
    level: float


DIFFERENCES = tuple(
    Difference(published_value(each["better"]), published_value(each["worse"]), each["level"])
    for each in PUBLISHED["tests"]
)


def claims(runs: Measured) -> tuple[Claim, ...]:
    """Its recommendations first, then its tests, then what it says of itself."""
    return (
        *recommendations(runs),
        *_significance(runs),
        *_about_itself(runs),
    )


# The report's own tests


def recomputed(difference: Difference) -> float:
    """Student's p from the published means, deviations and five runs."""
    return student(difference.better.moments, difference.worse.moments).p


def described(difference: Difference) -> str:
    better, worse = difference.better, difference.worse
    if better.experiment != worse.experiment:
        return f"{better.experiment} and {worse.experiment}, {better.label}: rank beats tournament"
    return f"{better.experiment}: {better.label} beats {worse.label}"


def _samples(runs: Measured, of: Difference, version: str) -> tuple[Sample, Sample]:
    return (
        runs.of(of.better.setting, version).losses,
        runs.of(of.worse.setting, version).losses,
    )


def _significance(runs: Measured) -> Iterator[Claim]:
    corrected = holm([recomputed(each) for each in DIFFERENCES])
    ours = [float(p) for p in holm([welch_p(*_samples(runs, d, CODED)) for d in DIFFERENCES])]
    for each, own in zip(DIFFERENCES, ours, strict=True):
        p = recomputed(each)
        better, worse = _samples(runs, each, CODED)
        moments = each.better.moments, each.worse.moments
        wide = moments[1].mean - moments[0].mean
        verdict = _confirmed(p < each.level, own, better, worse, wide)
        yield Claim(
            f"{described(each)}, significant at {100 * each.level:g} %.",
            f"experiment {each.better.experiment}",
            verdict,
            f"Published {moments[0].mean:.3f} ± {moments[0].sd:.3f} and {moments[1].mean:.3f} ± "
            f"{moments[1].sd:.3f}, five runs each: Student's {p_words(p)}"
            f"{'' if p < each.level else ', not reached'}. "
            f"{_ours(p < each.level, own, better, worse)}."
            f"{_too_small(better, worse, wide)}{_by_chance(each)}",
        )
    kept = int((corrected < ALPHA).sum())
    yield fact(
        f"Its {len(DIFFERENCES)} significant differences are significant taken together.",
        "all experiments",
        holds=kept == len(DIFFERENCES),
        because=f"With Holm's correction for these {len(DIFFERENCES)} alone (21 experiments were "
        f"run) {kept} stay below {ALPHA:g}.",
    )


def _ours(reached: bool, own: float, better: Sample, worse: Sample) -> str:
    if len(better) < 2:
        return f"Ours: {TOO_FEW.lower()}"
    return (
        f"Ours, {len(better)} runs each: {better.mean():.3f} and {worse.mean():.3f}, Welch "
        f"{p_words(own)}{over(len(DIFFERENCES))}"
        f"{_there_all_the_same(reached, own, better, worse)}"
    )


def _there_all_the_same(reached: bool, own: float, better: Sample, worse: Sample) -> str:
    if reached or own >= ALPHA or better.mean() >= worse.mean():
        return ""
    return ": the difference is there, five runs did not show it at that level"


def _confirmed(
    reached: bool, own: float, better: Sample, worse: Sample, published: float
) -> Verdict:
    """Whether a difference was significant as published, and is there in our runs.

    It fails, too, where our interval says that it is less than half of what was published.
    """
    if not reached or _too_small(better, worse, published):
        return "fails"
    return "holds" if own < ALPHA and better.mean() < worse.mean() else "undecided"


def _too_small(better: Sample, worse: Sample, published: float) -> str:
    """What our interval says of a difference that is less than half of the published one.

    It is as wide as Bonferroni asks for so many differences.
    """
    if min(len(better), len(worse)) < 2:
        return ""
    level = 1 - ALPHA / len(DIFFERENCES)
    low, high = welch(worse, better, level).interval
    if not high < published / 2:
        return ""
    said = f"{low:+.4f} to {high:+.4f}".replace("-", "−")
    return (
        f" Our interval of the difference, {said} ({100 * level:.4g} %, for {len(DIFFERENCES)} "
        f"differences), is below half of the published {published:.3f}."
    )


def _by_chance(difference: Difference) -> str:
    """Of a published value that the report has again elsewhere, where the two differ."""
    own = difference.better
    for again in VALUES:
        if again.setting.same == own.setting.same and again.experiment != own.experiment:
            p = student(own.moments, again.moments).p
            if p < ALPHA:
                return (
                    f" The report ran the better one twice, {own.moments.mean:.3f} in "
                    f"{own.experiment} and {again.moments.mean:.3f} in {again.experiment}: two "
                    f"samples of one algorithm that differ with {p_words(p)} themselves."
                )
    return ""


def agreement(runs: Measured, version: str) -> list[float]:
    """For every published mean, Welch's p against our runs, corrected for all of them."""
    raw = [welch_p(value.moments, runs.of(value.setting, version).losses) for value in VALUES]
    return [float(p) for p in holm(raw)]


# What it says of itself


def _about_itself(runs: Measured) -> Iterator[Claim]:
    for experiment in EXPERIMENTS:
        for value in experiment.values:
            if value.label in experiment.spans:
                low, high = experiment.spans[value.label]
                # Five values in a range spread most with two at one end and three at the other.
                most = (high - low) * math.sqrt(2 * 3 / (RUNS * (RUNS - 1)))
                yield fact(
                    f"The standard deviation of {value.label} crossover in experiment "
                    f"{experiment.id} is {value.moments.sd:.3f}.",
                    f"table of experiment {experiment.id}",
                    holds=value.moments.sd <= most,
                    because=f"Its chart spans {low:g} to {high:g}, where five runs cannot deviate "
                    f"by more than {most:.3f}; the mean is {value.moments.mean:.3f}, too.",
                )
    solved = np.concatenate([each.solved for each in runs.all()])
    yield share_claim(
        "It solves Sudoku (more than half of the runs).",
        "title, “Sudoku solver”",
        Proportion.of(solved),
        above=0.5,
        because="No curve of its charts reaches 0. Of all our runs, solved: ",
    )
