"""What report 002 recommends, held against our runs."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Literal, NamedTuple

import numpy as np

from genoku.lab.page import Verdict
from genoku.lab.statistics import holm, student
from reproductions.old.charles.experiments import (
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
from reproductions.old.claims import (
    ALPHA,
    TOO_FEW,
    Claim,
    Contrast,
    across_readings,
    all_of,
    fact,
    judged,
)
from reproductions.old.words import over, p_words

LINEAR = 1.1
"""Up to this factor, seconds per individual count as the same."""


class Pair(NamedTuple):
    """Two settings, the one that is said to be better first, and what they are called."""

    better: Setting
    worse: Setting
    named: tuple[str, str]
    by: Literal["losses", "repetitions"] = "losses"


class Recommended(NamedTuple):
    """A claim that all of some pairs must bear out, or none of them where it is denied."""

    text: str
    where: str
    pairs: list[Pair]
    denied: bool = False
    note: str = ""


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
            [each.fitness, each.selection]
            if of in ("crossover", "mutation", "elite")
            else [each.fitness]
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
    yield Recommended(
        "Elitism does not help tournament and rank selection.",
        "experiments 6.1.2 to 6.2.3, conclusions",
        _varied("elite", True, False, RANK_AND_TOURNAMENT),
        denied=True,
    )
    tournament = USUAL._replace(selection="tournament")
    yield Recommended(
        "Elitism worsens tournament selection with unique.",
        "experiment 6.1.2",
        _varied("elite", False, True, [tournament]),
        note=_measured_twice(),
    )
    unique, squared = BOTH_FITNESSES
    yield Recommended(
        "With repetitions (or unique), the very easy puzzle ends nearer to its solution than the "
        "moderate and the very hard one.",
        "experiment 4.1",
        [
            *_varied("puzzle", "very-easy", "moderate", [unique]),
            *_varied("puzzle", "very-easy", "very-hard", [unique]),
        ],
    )
    yield Recommended(
        "With unique², the very easy and the moderate puzzle end nearer to their solutions than "
        "the very hard one.",
        "experiment 4.2",
        [
            *_varied("puzzle", "very-easy", "very-hard", [squared]),
            *_varied("puzzle", "moderate", "very-hard", [squared]),
        ],
    )
    yield Recommended(
        "Unique² might show significantly better results than unique.",
        "conclusions",
        [
            Pair(
                squared._replace(selection=selection),
                unique._replace(selection=selection),
                (f"{selection.capitalize()}: unique²", "unique"),
                "repetitions",
            )
            for selection in ("rank", "tournament")
        ],
        note="Repetitions left on the best board, as losses have different scales.",
    )


def _measured_twice() -> str:
    """The algorithm that experiment 6.1.2 compares was measured before, with another result."""
    one, two = BY_ID["6.1.2"].values[0], BY_ID["3.1.1"].values[1]
    return (
        f"The report ran the better one twice, {one.moments.mean:.3f} in {one.experiment} and "
        f"{two.moments.mean:.3f} in {two.experiment}: two samples of one algorithm that differ "
        f"with {p_words(student(one.moments, two.moments).p)} themselves."
    )


def recommendations(runs: Measured) -> Iterator[Claim]:
    """Verdicts on the runs of the code and of the text; undecided where the two do not agree."""
    for coded, described in zip(*(_verdicts(runs, version) for version in VERSIONS), strict=True):
        if coded.because == f"{TOO_FEW}.":
            yield coded
        elif coded.verdict == described.verdict:
            same = f"{coded.because} With the operators as described: the same verdict."
            yield replace(coded, because=same)
        else:
            readings: dict[str, Claim] = {CODED: coded, VERSIONS[1]: described}
            yield across_readings(coded.text, coded.where, readings)
    yield _about_time(runs)
    yield _about_generations(runs)


def contrasts(runs: Measured, version: str) -> dict[Pair, Contrast]:
    """Everything that is compared, so that Holm's correction is for all."""
    return {
        pair: Contrast(
            "",
            "",
            *pair.named,
            (
                getattr(runs.of(pair.better, version), pair.by),
                getattr(runs.of(pair.worse, version), pair.by),
            ),
        )
        for each in _recommended()
        for pair in each.pairs
    }


def _verdicts(runs: Measured, version: str) -> Iterator[Claim]:
    asked = contrasts(runs, version)
    judgements = dict(zip(asked, judged(list(asked.values())), strict=True))
    for each in _recommended():
        parts = [judgements[pair] for pair in each.pairs]
        if each.denied:
            parts = [replace(part, verdict=CONTRARY[part.verdict]) for part in parts]
        found = all_of(each.text, each.where, parts)
        told = found.because != f"{TOO_FEW}." and each.note
        yield replace(found, because=f"{each.note} {found.because}") if told else found


CONTRARY: dict[Verdict, Verdict] = {
    "holds": "fails",
    "fails": "holds",
    "undecided": "undecided",
}


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
