"""Every pair of algorithms on one puzzle: who does better, if the runs allow to say so.

The tests are those of reports: runs at equal effort, by rank, corrected for the number of pairs
(Holm). What a race says of its study is what a report on it says.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from genoku.lab.report.comparisons import Pair, hint_for, pairs
from genoku.lab.report.data import Gathered
from genoku.lab.statistics import magnitude, p_text

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


def duels(gathered: Gathered) -> list[Duel]:
    """All pairs that have runs, in the order of the arms."""
    found = pairs(gathered, gathered.primary)
    return [_duel(gathered, pair, len(found)) for pair in found]


def _measure(gathered: Gathered, pair: Pair) -> Measure:
    """The effort to solve; where neither did, the loss, if both are on one scale."""
    unit = gathered.primary
    held, both = gathered.at_equal[unit], (pair.first, pair.second)
    rows = np.concatenate([gathered.rows(arm, pair.instance) for arm in both])
    if np.isfinite(held.efforts[rows]).any():
        return unit
    known = bool(np.isfinite(held.losses[rows]).all())
    return "loss" if known and gathered.one_fitness(*both) else "nothing"


def _duel(gathered: Gathered, pair: Pair, tests: int) -> Duel:
    first, second = (gathered.study.arms[place].name for place in (pair.first, pair.second))
    measure = _measure(gathered, pair)
    if measure == "nothing":
        said = (
            f"{first} and {second}: neither solved it at equal {gathered.primary}, and their "
            "losses are on different scales or unknown there: nothing to compare."
        )
    elif not pair.differs:
        told = hint_for(gathered, gathered.primary, pair, tests)
        said = f"{first} and {second}, by {measure}: {told}"
    else:
        better, worse = (gathered.study.arms[arm].name for arm in (pair.better, pair.worse))
        what = f"does better than {worse} at equal {measure}"
        if measure == "loss":
            what = f"comes to a lower loss than {worse} at equal {gathered.primary}"
        corrected = f" after Holm's correction for {tests} pairs" if tests > 1 else ""
        figures = f"Mann–Whitney, {p_text(pair.corrected)}{corrected}; A12 = {pair.effect:.2f}"
        said = f"{better} {what} on this puzzle ({figures}, {magnitude(pair.effect)})."
    return Duel(first, second, measure, pair.corrected, pair.a12, said)
