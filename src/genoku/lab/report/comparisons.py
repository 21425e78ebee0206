"""Which algorithm does better, on each puzzle and over all; what each setting of a grid does."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np

from genoku.lab.report.data import Floats, Gathered, Unit, order
from genoku.lab.statistics import (
    LEVEL,
    Effect,
    Friedman,
    Proportion,
    a12,
    cliques,
    critical_difference,
    friedman,
    hint,
    holm,
    magnitude,
    mann_whitney,
    midranks,
    p_text,
    smallest_p,
    stratified_a12,
    van_elteren,
    wilcoxon,
)
from genoku.lab.study import setting_text

Measure = Literal["CPU time", "evaluations", "loss", "nothing"]
MOST_TESTS = 5000
FEWEST_PUZZLES = 6
"""Below so many, Wilcoxon's test cannot give p < 0.05."""


@dataclass(frozen=True)
class Pair:
    """Two algorithms on one puzzle, at equal effort. A12 above 0.5: the first does better."""

    first: int
    second: int
    instance: int
    sizes: tuple[int, int]
    a12: float
    p: float
    corrected: float = 1.0

    @property
    def differs(self) -> bool:
        return self.corrected < LEVEL

    @property
    def better(self) -> int:
        """Who seems better."""
        return self.first if self.a12 >= 0.5 else self.second

    @property
    def worse(self) -> int:
        return self.second if self.a12 >= 0.5 else self.first

    @property
    def effect(self) -> float:
        """A12 of the better one: 0.5 or more."""
        return max(self.a12, 1 - self.a12)


@dataclass(frozen=True)
class Overall:
    """Two algorithms over all puzzles, paired.

    Better is who has the greater sum of ranks, by which the test judges: not always who is ahead
    on more puzzles, if by less.
    """

    better: int
    worse: int
    ahead: int
    """Puzzles on which the better one seems better."""
    behind: int
    p: float
    corrected: float = 1.0


@dataclass(frozen=True)
class Ranking:
    """All algorithms over all puzzles; the test says whether they differ at all."""

    test: Friedman
    critical_difference: float
    cliques: tuple[tuple[int, ...], ...]


def samples(gathered: Gathered, unit: Unit, instance: int, arms: list[int]) -> list[Floats]:
    """The runs of some arms on a puzzle, ranked by how well they did among themselves."""
    held = gathered.at_equal[unit]
    rows = [gathered.rows(arm, instance) for arm in arms]
    together = np.concatenate(rows)
    losses = held.losses[together]
    if not gathered.one_fitness(*arms):  # then unsolved runs are all alike
        losses = np.zeros(len(together))
    ranks = order(held.efforts[together], losses)
    return np.split(ranks, np.cumsum([len(each) for each in rows])[:-1])


def pairs(gathered: Gathered, unit: Unit) -> list[Pair]:
    """Every pair of algorithms on every puzzle, corrected after Holm over all of them."""
    study = gathered.study
    if too_many(gathered):
        return []
    found: list[Pair] = []
    for instance in range(len(study.instances)):
        for first, second in combinations(range(len(study.arms)), 2):
            if not (len(gathered.rows(first, instance)) and len(gathered.rows(second, instance))):
                continue
            one, two = samples(gathered, unit, instance, [first, second])
            test = mann_whitney(one, two)
            found.append(
                Pair(first, second, instance, test.sizes, a12(one, two).a12, min(1.0, test.p))
            )
    corrected = holm([pair.p for pair in found])
    return [
        replace(pair, corrected=float(p)) for pair, p in zip(found, corrected.tolist(), strict=True)
    ]


def too_many(gathered: Gathered) -> str:
    """Why nothing is tested pair by pair, if there are too many pairs."""
    count = math.comb(len(gathered.study.arms), 2) * len(gathered.study.instances)
    if count <= MOST_TESTS:
        return ""
    return (
        f"Two algorithms on one puzzle can be compared in {count:,} ways, more than the "
        f"{MOST_TESTS:,} that are tested at most, so nothing is tested pair by pair."
    )


def could_differ(found: list[Pair]) -> bool:
    """Whether any result at all could have been significant with so few runs."""
    least = [smallest_p(*pair.sizes) for pair in found]
    return bool(least) and min(least) * len(found) < LEVEL


def hint_for(gathered: Gathered, unit: Unit, pair: Pair, tests: int) -> str:
    """How many runs might tell a pair apart, corrected for the number of tests."""
    one, two = samples(gathered, unit, pair.instance, [pair.better, pair.worse])
    return hint(one, two, tests=tests, corrected=pair.corrected)


def mean_ranks(gathered: Gathered, unit: Unit) -> Floats | None:
    """The mean rank of each arm's runs among all on a puzzle: a row per puzzle, lower is better.

    None unless every arm has runs on every puzzle.
    """
    arms, instances = len(gathered.study.arms), len(gathered.study.instances)
    table = np.empty((instances, arms))
    for instance in range(instances):
        if not all(len(gathered.rows(arm, instance)) for arm in range(arms)):
            return None
        ranked = samples(gathered, unit, instance, list(range(arms)))
        sizes = np.cumsum([len(each) for each in ranked])[:-1]
        shared = np.split(midranks(np.concatenate(ranked)), sizes)
        table[instance] = [each.mean() for each in shared]
    return table


def ranking(gathered: Gathered, unit: Unit) -> Ranking | str:
    """Friedman's test and the critical difference, or why there is none."""
    arms, instances = len(gathered.study.arms), len(gathered.study.instances)
    if arms < 3 or instances < 3:
        return (
            "Friedman's test and a critical-difference diagram need three algorithms and three "
            f"puzzles or more; this study has {arms} and {instances}."
        )
    table = mean_ranks(gathered, unit)
    if table is None:
        return "Friedman's test needs runs of every algorithm on every puzzle; some are missing."
    test = friedman(table)
    if test.note:
        return f"Friedman's test: {_alike(gathered, unit) or test.note}."
    gap = critical_difference(arms, instances, LEVEL)
    return Ranking(test, gap, tuple(cliques(test.ranks, gap)))


def _alike(gathered: Gathered, unit: Unit) -> str:
    """What makes all equal where losses do not count."""
    if gathered.one_fitness() and gathered.knows_losses(unit):
        return ""
    why = "some losses are unknown at the common budget"
    if not gathered.one_fitness():
        why = "the algorithms have different fitness functions"
    any_solved = np.isfinite(gathered.at_equal[unit].efforts).any()
    much = "all do equally well on every puzzle" if any_solved else "nothing was solved"
    return f"{why}, so they are ranked by solving alone, and at equal {unit} {much}"


def overall(gathered: Gathered, found: list[Pair]) -> list[Overall] | str:
    """Wilcoxon's test of every pair over the puzzles, or why there is none."""
    arms, instances = len(gathered.study.arms), len(gathered.study.instances)
    if arms < 2:
        return ""
    if instances < FEWEST_PUZZLES:
        return (
            f"A paired test over puzzles needs {FEWEST_PUZZLES} of them to be able to reach "
            f"p < {LEVEL:g}; this study has {instances}."
        )
    if not found:  # where there are too many pairs, which is said elsewhere
        return ""
    effects: dict[tuple[int, int], list[float]] = {}
    for pair in found:
        effects.setdefault((pair.first, pair.second), []).append(round(pair.a12 - 0.5, 12))
    made = []
    for (first, second), each in effects.items():
        test = wilcoxon(each, np.zeros(len(each)))
        ahead, behind = sum(value > 0 for value in each), sum(value < 0 for value in each)
        ranks = (ahead + behind) * (ahead + behind + 1) / 2
        if test.statistic >= ranks / 2:
            made.append(Overall(first, second, ahead, behind, test.p))
        else:
            made.append(Overall(second, first, behind, ahead, test.p))
    corrected = holm([each.p for each in made])
    return [
        replace(each, corrected=float(p)) for each, p in zip(made, corrected.tolist(), strict=True)
    ]


SHOWN_ROWS = 12
MOST_NAMED = 6
Stratum = tuple[int, int, int]
"""Two arms that differ in one setting, and a puzzle."""


@dataclass(frozen=True)
class Turned:
    """Where another setting has a value, the difference seems to go the other way."""

    key: str
    value: str
    a12: float
    p: float
    """Corrected for all values of the other settings."""


@dataclass(frozen=True)
class Contrast:
    """Two values of a setting, over all combinations of the others and all puzzles.

    The first is the one that seems better: its A12 is 0.5 or more.
    """

    key: str
    values: tuple[str, str]
    shares: tuple[Proportion, Proportion]
    effect: Effect
    strata: int
    p: float
    corrected: float = 1.0
    turned: tuple[Turned, ...] = ()

    @property
    def differs(self) -> bool:
        return self.corrected < LEVEL


def settings_of(gathered: Gathered) -> dict[str, list[str]]:
    """The settings that a grid varies, each with its values in their order."""
    found: dict[str, list[str]] = {}
    for arm in gathered.study.arms:
        for key, value in arm.settings.items():
            if (text := setting_text(value)) not in found.setdefault(key, []):
                found[key].append(text)
    return {key: values for key, values in found.items() if len(values) > 1}


def contrasts(gathered: Gathered) -> list[Contrast]:
    """Every two values of every setting, corrected after Holm over all of them.

    Nothing where there are too many to test. A budget is no setting to compare: all runs are held
    to the same one.
    """
    pairs = {
        (key, values): strata
        for key, each in settings_of(gathered).items()
        if key != "until"
        for values in combinations(each, 2)
        if (strata := _strata(gathered, key, values))
    }
    if sum(map(len, pairs.values())) > MOST_TESTS:
        return []
    found = [_contrast(gathered, *pair, strata) for pair, strata in pairs.items()]
    corrected = holm([each.p for each in found]).tolist()
    return [replace(each, corrected=p) for each, p in zip(found, corrected, strict=True)]


def _strata(gathered: Gathered, key: str, values: tuple[str, str]) -> list[Stratum]:
    """The pairs of arms that differ in nothing but these values, on each puzzle they ran on."""
    places: dict[tuple[object, ...], dict[str, int]] = {}
    for place, arm in enumerate(gathered.study.arms):
        if key in arm.settings:
            others = sorted((k, setting_text(v)) for k, v in arm.settings.items() if k != key)
            alike = (arm.name.split(", ")[0], arm.until, *others)
            places.setdefault(alike, {})[setting_text(arm.settings[key])] = place
    return [
        (*arms, instance)
        for at in places.values()
        if all(value in at for value in values)
        for arms in [(at[values[0]], at[values[1]])]
        for instance in range(len(gathered.study.instances))
        if all(len(gathered.rows(arm, instance)) for arm in arms)
    ]


def _contrast(
    gathered: Gathered, key: str, values: tuple[str, str], strata: list[Stratum]
) -> Contrast:
    if stratified_a12(_ranked(gathered, strata)).a12 < 0.5:  # the better one first
        values = values[1], values[0]
        strata = [(two, one, instance) for one, two, instance in strata]
    ranked = _ranked(gathered, strata)
    first, second = (
        Proportion.of(
            np.concatenate([gathered.cells[each[side], each[2]].solved for each in strata])
        )
        for side in (0, 1)
    )
    turned = tuple(_turned(gathered, key, strata))
    effect, p = stratified_a12(ranked), van_elteren(ranked).p
    return Contrast(key, values, (first, second), effect, len(strata), p, turned=turned)


def _ranked(gathered: Gathered, strata: list[Stratum]) -> list[tuple[Floats, Floats]]:
    made = [samples(gathered, gathered.primary, at, [one, two]) for one, two, at in strata]
    return [(one, two) for one, two in made]


def _turned(gathered: Gathered, key: str, strata: list[Stratum]) -> Iterator[Turned]:
    """The values of other settings with which the second seems better."""
    arms = gathered.study.arms
    parts: dict[tuple[str, str], list[Stratum]] = {}
    for each in strata:
        for other, value in arms[each[0]].settings.items():
            if other != key:
                parts.setdefault((other, setting_text(value)), []).append(each)
    ranked = [_ranked(gathered, part) for part in parts.values()]
    corrected = holm([van_elteren(each).p for each in ranked]).tolist()
    for (other, value), part, p in zip(parts, ranked, corrected, strict=True):
        if (effect := stratified_a12(part).a12) < 0.5:
            yield Turned(other, value, effect, p)


class Duel(NamedTuple):
    """What can be said of two algorithms, by the tests of reports."""

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
