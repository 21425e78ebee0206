"""What report 002 claims: its recommendations, its tests and its tables."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from genoku.lab.statistics import Proportion, holm, student
from reproductions.old.charles.experiments import (
    EXPERIMENTS,
    PUBLISHED,
    RUNS,
    VALUES,
    Measured,
    Value,
    published_value,
    welch_p,
)
from reproductions.old.charles.recommendations import recommendations
from reproductions.old.claims import ALPHA, Claim, fact, share_claim
from reproductions.old.words import p_words


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
    """What it recommends, its tests, and a table that cannot be right: each difference once."""
    return (*recommendations(runs), _tests(), *_tables())


def observations(runs: Measured) -> tuple[Claim, ...]:
    """What the report does not say."""
    solved = np.concatenate([each.solved for each in runs.all()])
    return (
        _together(),
        share_claim(
            "Its system solves its puzzles (more than half of the runs).",
            "title, “Sudoku solver”",
            Proportion.of(solved),
            above=0.5,
            because="No curve of its charts reaches 0. Of all our runs, solved: ",
        ),
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


def _tests() -> Claim:
    """Arithmetic on what it published; whether the differences are there our runs say."""
    missed = [
        f"{described(each)} ({p_words(recomputed(each))}, not {each.level:g})"
        for each in DIFFERENCES
        if recomputed(each) >= each.level
    ]
    return fact(
        f"The {len(DIFFERENCES)} differences that it calls significant at 1, 5 or 10 % are.",
        "experiments 1 to 4 and 6",
        holds=not missed,
        because="Student's test recomputed from published means, deviations and five runs: "
        f"{len(DIFFERENCES) - len(missed)} of {len(DIFFERENCES)} reach their level. "
        f"Not so {'; '.join(missed)}.",
    )


def _together() -> Claim:
    kept = int((holm([recomputed(each) for each in DIFFERENCES]) < ALPHA).sum())
    return fact(
        f"Its {len(DIFFERENCES)} significant differences are significant taken together.",
        "all experiments",
        holds=kept == len(DIFFERENCES),
        because=f"With Holm's correction for these {len(DIFFERENCES)} alone (21 experiments were "
        f"run) {kept} stay below {ALPHA:g}.",
    )


def agreement(runs: Measured, version: str) -> list[float]:
    """For every published mean, Welch's p against our runs, corrected for all of them."""
    raw = [welch_p(value.moments, runs.of(value.setting, version).losses) for value in VALUES]
    return [float(p) for p in holm(raw)]


def _tables() -> Iterator[Claim]:
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
