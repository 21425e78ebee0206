"""Which algorithm does better: on each puzzle, and over all of them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from genoku.lab.report.budgets import Floats, Unit, order
from genoku.lab.report.gathering import Gathered
from genoku.lab.statistics import (
    LEVEL,
    Friedman,
    a12,
    cliques,
    critical_difference,
    friedman,
    hint,
    holm,
    mann_whitney,
    midranks,
    smallest_p,
    wilcoxon,
)

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
        return self.first if self.a12 > 0.5 else self.second


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
    ordered = [pair.better, pair.first + pair.second - pair.better]
    one, two = samples(gathered, unit, pair.instance, ordered)
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
