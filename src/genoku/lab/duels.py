"""Every pair of algorithms on one puzzle: who does better, if the runs allow to say so.

Runs are compared at equal effort, by rank: sooner solved is better, and of those that were not
solved the lower loss, where losses are on one scale. p-values are corrected for the number of
pairs (Holm).
"""

from __future__ import annotations

from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from genoku.fitting import called
from genoku.lab.report.budgets import Equal, Unit, equal, order
from genoku.lab.results import Results
from genoku.lab.statistics import a12, hint, holm, magnitude, mann_whitney, p_text
from genoku.lab.study import Study
from genoku.stopping import Until

LEVEL = 0.05
OVERSHOOT = 1.1
Measure = Literal["CPU time", "evaluations", "loss", "nothing"]


class Duel(NamedTuple):
    """What can be said of two algorithms."""

    first: str
    second: str
    measure: Measure
    """What they were compared by; nothing, where there was nothing to compare."""
    p: float
    """After Holm's correction."""
    a12: float
    """How often the first does better, ties as halves."""
    sentence: str


def effort_measure(study: Study) -> Unit:
    """What efforts are counted in: evaluations, unless a budget is in seconds."""
    words = {word for arm in study.arms for word in Until.parse(arm.until).words()}
    return "CPU time" if "seconds" in words else "evaluations"


def duels(study: Study, results: Results) -> list[Duel]:
    """All pairs, in the order of the arms."""
    pairs = list(combinations(range(len(study.arms)), 2))
    compared = [_samples(study, results, *pair) for pair in pairs]
    tests = [
        1.0 if measure == "nothing" else mann_whitney(one, two).p for measure, one, two in compared
    ]
    tested = [place for place, (measure, *_) in enumerate(compared) if measure != "nothing"]
    corrected = dict(zip(tested, holm([tests[place] for place in tested]), strict=True))
    return [
        _duel(study, pair, sample, float(corrected.get(place, 1.0)), len(tested))
        for place, (pair, sample) in enumerate(zip(pairs, compared, strict=True))
    ]


Compared = tuple[Measure, NDArray[np.float64], NDArray[np.float64]]


def _samples(study: Study, results: Results, first: int, second: int) -> Compared:
    """What a pair is compared by, and the two samples as ranks."""
    pair = results.where((results.arm == first) | (results.arm == second))
    unit = effort_measure(study)
    held = equal(pair, 1, unit)
    fitness = [called(study.arms[place].algorithm().fitness) for place in (first, second)]
    on_one_scale = fitness[0] == fitness[1] and not _is_far_beyond(pair, held)
    ranks = order(held.efforts, held.losses if on_one_scale else np.zeros(len(pair)))
    measure: Measure = unit
    if not np.isfinite(held.efforts).any():
        measure = "loss" if on_one_scale else "nothing"
    return measure, ranks[pair.arm == first], ranks[pair.arm == second]


def _is_far_beyond(results: Results, held: Equal) -> bool:
    """Whether an unsolved run had much more than the common budget, so that its loss is unfair.

    A step more is no matter; and the same seconds are the same budget, whatever they came to.
    """
    if held.unit == "CPU time" or not held.beyond.any():
        return False
    return bool(results.evaluations[held.beyond].max() > OVERSHOOT * held.budgets[0])


def _duel(study: Study, pair: tuple[int, int], sample: Compared, p: float, tests: int) -> Duel:
    first, second = (study.arms[place].name for place in pair)
    measure, one, two = sample
    both = f"{first} and {second}"
    if measure == "nothing":
        said = (
            f"{both}: neither solved it at equal effort, and losses on different scales are "
            "nothing to compare."
        )
        return Duel(first, second, measure, 1.0, 0.5, said)
    effect = a12(one, two).a12
    if p >= LEVEL:
        told = hint(one, two, alpha=LEVEL / tests)
        return Duel(first, second, measure, p, effect, f"{both}, by {measure}: {told}")
    better, worse = (first, second) if effect > 0.5 else (second, first)
    what = f"does better than {worse} at equal {measure}"
    if measure == "loss":
        what = f"comes to a lower loss than {worse}"
    corrected = f" after Holm's correction for {tests} pairs" if tests > 1 else ""
    figures = f"Mann–Whitney, {p_text(p)}{corrected}; A12 = {max(effect, 1 - effect):.2f}"
    said = f"{better} {what} on this puzzle ({figures}, {magnitude(effect)})."
    return Duel(first, second, measure, p, effect, said)
