"""What report 002 recommends, held against our runs."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from genoku.lab.page import Verdict
from genoku.lab.reproduce.charles.experiments import (
    BY_ID,
    CODED,
    GENERATIONS,
    LONG,
    PUBLISHED,
    VALUES,
    VERSIONS,
    WORDS,
    Measured,
    Setting,
    welch_p,
)
from genoku.lab.reproduce.claims import ALPHA, TOO_FEW, Claim, Contrast, all_of, fact, judged
from genoku.lab.reproduce.rules import equivalent
from genoku.lab.reproduce.words import over
from genoku.lab.statistics import holm

MARGIN = 0.01
"""A loss that makes no difference: two repetitions, and the deviation of the report's own runs."""

LINEAR = 1.1
"""Up to this factor, seconds per individual count as the same."""


class Pair(NamedTuple):
    """Two settings, the one that is said to be better first, and what they are called."""

    better: Setting
    worse: Setting
    named: tuple[str, str]


class Recommended(NamedTuple):
    """A claim that all of some pairs must bear out."""

    text: str
    where: str
    pairs: list[Pair]


USUAL = Setting(**PUBLISHED["usual"])
BOTH_FITNESSES = [USUAL, USUAL._replace(fitness="unique-squared")]
RANK_AND_TOURNAMENT = [
    each._replace(selection=selection)
    for each in BOTH_FITNESSES
    for selection in ("tournament", "rank")
]


def _varied(of: str, first: Any, second: Any, among: list[Setting]) -> list[Pair]:
    """Pairs that differ in one thing, for each of some settings."""
    pairs = []
    for each in among:
        where = (
            [each.fitness, each.selection] if of in ("crossover", "mutation") else [each.fitness]
        )
        words = ", ".join(WORDS.get(word, word) for word in where)
        named = f"{words.capitalize()}: {WORDS.get(first, first)}", str(WORDS.get(second, second))
        better, worse = each._replace(**{of: first}), each._replace(**{of: second})
        pairs.append(Pair(better, worse, named))
    return pairs


def _recommended() -> Iterator[Recommended]:
    uniform = [each._replace(mutation="uniform") for each in BOTH_FITNESSES]
    yield Recommended(
        "Rank selection is better than tournament selection.",
        "experiments 1.2 and 1.3",
        _varied("selection", "rank", "tournament", uniform),
    )
    yield Recommended(
        "Fitness-proportional selection is the worst.",
        "experiment 1.1",
        [
            *_varied("selection", "rank", "roulette", uniform),
            *_varied("selection", "tournament", "roulette", uniform),
        ],
    )
    settings = [each._replace(mutation="uniform") for each in RANK_AND_TOURNAMENT]
    for other, word in (("single", "single point"), ("random", "a random one of both kinds")):
        yield Recommended(
            f"Two-point crossover is better than {word}.",
            "experiment 2, conclusions",
            _varied("crossover", "two", other, settings),
        )
    yield Recommended(
        "Swap mutation is better than uniform mutation.",
        "experiment 3, conclusions",
        _varied("mutation", "swap", "uniform", RANK_AND_TOURNAMENT),
    )
    yield Recommended(
        "A larger population is better.",
        "experiment 5, conclusions",
        [
            *_varied("population", 500, 100, BOTH_FITNESSES),
            *_varied("population", 100, 20, BOTH_FITNESSES),
        ],
    )
    roulette = [each._replace(selection="roulette") for each in BOTH_FITNESSES]
    yield Recommended(
        "Elitism helps fitness-proportional selection.",
        "experiments 6.1.1 and 6.2.1",
        _varied("elite", True, False, roulette),
    )


def recommendations(runs: Measured) -> Iterator[Claim]:
    """Verdicts on the runs of the code, which the tables come from; the text's runs beside them."""
    wanted = list(_recommended())
    coded, described = (_verdicts(runs, wanted, version) for version in VERSIONS)
    for one, other in zip(coded, described, strict=True):
        if one.because == f"{TOO_FEW}.":
            yield one
            continue
        same = "the same verdict" if one.verdict == other.verdict else other.verdict
        yield replace(one, because=f"{one.because} With the operators as described: {same}.")
    yield _about_unique_squared(runs)
    yield _about_time(runs)
    yield _about_generations(runs)
    yield _about_no_elitism(runs)


def _verdicts(runs: Measured, wanted: list[Recommended], version: str) -> list[Claim]:
    """All of them at once, so that Holm's correction is for all."""
    parts = iter(
        judged(
            [
                Contrast(
                    "",
                    "",
                    *pair.named,
                    (runs.of(pair.better, version).losses, runs.of(pair.worse, version).losses),
                )
                for each in wanted
                for pair in each.pairs
            ]
        )
    )
    return [all_of(each.text, each.where, [next(parts) for _ in each.pairs]) for each in wanted]


def _about_unique_squared(runs: Measured) -> Claim:
    """Losses of the two have different scales; repetitions of the best boards have one."""
    squared = USUAL._replace(fitness="unique-squared")
    parts = judged(
        [
            Contrast(
                "",
                "",
                f"{selection.capitalize()}: unique²",
                "unique",
                (
                    runs.of(squared._replace(selection=selection), CODED).repetitions,
                    runs.of(USUAL._replace(selection=selection), CODED).repetitions,
                ),
            )
            for selection in ("rank", "tournament")
        ]
    )
    return all_of(
        "Unique² might show significantly better results than unique.",
        "conclusions",
        parts,
        "Repetitions left on the best board, as losses have different scales. "
        + " ".join(dict.fromkeys(each.because for each in parts)),
    )


def _about_time(runs: Measured) -> Claim:
    values = BY_ID["5.1"].values
    costs = {
        each.setting.population: (each.seconds or math.nan) / each.setting.population
        for each in values
    }
    small, *_, large = costs.values()
    ours = [
        float(np.mean(runs.of(each.setting, CODED).cpu_seconds)) / each.setting.population
        for each in values
    ]
    return fact(
        "The time grows linearly with the population.",
        "experiment 5",
        holds=max(costs.values()) <= LINEAR * min(costs.values()),
        because="Its own seconds per individual are "
        + ", ".join(f"{cost:.3f} ({size})" for size, cost in costs.items())
        + f": {100 * (large / small - 1):.0f} % more at 500 than at 20. Its rank selection sorts "
        "the whole population for every parent. Ours sorts once and shares fixed costs: at 500 an "
        f"individual takes {ours[-1] / ours[0]:.2f} times the CPU of one at 20. (We ask: "
        f"equal within {100 * (LINEAR - 1):.0f} %.)",
    )


def _about_generations(runs: Measured) -> Claim:
    """Which of the two budgets gives what was published."""
    values = [each for each in VALUES if each.seconds is not None]
    differ = {
        generations: sum(
            p < ALPHA
            for p in holm(
                [
                    welch_p(each.moments, runs.of(each.setting, CODED).after(generations))
                    for each in values
                ]
            )
        )
        for generations in (GENERATIONS, LONG)
    }
    verdict: Verdict = "undecided"
    if differ[GENERATIONS] != differ[LONG]:
        verdict = "fails" if differ[GENERATIONS] > differ[LONG] else "holds"
    counted = " and ".join(
        f"{count} differ from ours after {generations:,} generations"
        for generations, count in differ.items()
    )
    told = f"Of its {len(values)} means, {counted} (Welch{over(len(values))})"
    if any(len(runs.of(each.setting, CODED).losses) < 2 for each in values):
        told = TOO_FEW
    return Claim(
        f"Experiment 5 ran {GENERATIONS} generations.",
        "experiment 5, text",
        verdict,
        f"Its charts go to {LONG:,}. {told}.",
    )


def _about_no_elitism(runs: Measured) -> Claim:
    return all_of(
        "Elitism does not help tournament and rank selection (no difference beyond "
        f"{MARGIN:g}, either way).",
        "experiments 6.1.2 to 6.2.3, conclusions",
        [
            equivalent(
                "",
                "",
                runs.of(each._replace(elite=True), CODED).losses,
                runs.of(each, CODED).losses,
                margin=MARGIN,
                what=f"{WORDS.get(each.fitness, each.fitness)}, {each.selection}".capitalize(),
            )
            for each in RANK_AND_TOURNAMENT
        ],
    )
