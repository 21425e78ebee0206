"""What report 001 claims, judged by its own tables and by our attempts."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from genoku.lab.page import Verdict
from genoku.lab.statistics import Proportion, Sample
from reproductions.old.claims import (
    ALPHA,
    TOO_FEW,
    Claim,
    Contrast,
    across_readings,
    fact,
    judged,
)
from reproductions.old.eran_shahar.experiments import (
    ALGORITHMS,
    FAILS,
    GENETIC,
    GOES_ON,
    HARDER,
    LEVELS,
    PUBLISHED_AS,
    READINGS,
    Attempts,
    Measured,
    average,
    published_ratio,
    solving_times,
)
from reproductions.old.places import known
from reproductions.old.ratios import Ratio, time_ratio
from reproductions.old.words import p_words, short

ANNOUNCED = tuple(dict.fromkeys(PUBLISHED_AS.values()))
MEASURES = {"cpu": "CPU time", "evaluations": "evaluations"}
READ_AS = {FAILS: "stuck means failure", GOES_ON: "stuck means a downhill move"}
DRAWS = 10_000
"""Pairs of averages to be drawn."""


def claims(seen: Measured) -> list[Claim]:
    return [
        annealing_is_faster(seen),
        most_in_hard(),
        both_solve(seen),
        goes_on_until_solved(seen),
        needs_a_limit(seen),
        *parts_and_wishes(seen),
    ]


def observations(seen: Measured) -> list[Claim]:
    return [depends_on_the_board(), other_averages(seen), less_variety(seen)]


def ratio_of(
    seen: Measured, reading: str, level: str, measure: str, confidence: float = 0.95
) -> Ratio:
    """The genetic algorithm's expected running time by that of a reading of the annealing."""
    one, two = (seen.at(algorithm, level) for algorithm in (GENETIC, reading))
    return time_ratio((one.runs(measure), two.runs(measure)), level=confidence)


def figures(seen: Measured) -> dict[str, Any]:
    """Ratios by level: published over 40 and 80 attempts, and measured with their intervals."""
    found: dict[str, Any] = {}
    for level in LEVELS:
        found[level] = {f"published_{count}": published_ratio(level, count) for count in (40, 80)}
        for reading, measure in product(READINGS, MEASURES):
            value, interval = ratio_of(seen, reading, level, measure)
            found[level].setdefault(reading, {})[measure] = list(map(known, (value, *interval)))
    return {"genetic_by_annealing": found}


def annealing_is_faster(seen: Measured) -> Claim:
    text = "The annealing is significantly faster than the genetic algorithm, whatever the board."
    readings = {READ_AS[reading]: _is_faster(seen, reading, text) for reading in READINGS}
    return across_readings(text, "conclusions", readings)


def _is_faster(seen: Measured, reading: str, text: str) -> Claim:
    """It holds if every ratio is above 1 by both measures, fails where both are below it.

    One board is enough to fail, so the intervals are wider, by Bonferroni, for as many boards.
    """
    confidence = 1 - ALPHA / len(LEVELS)
    verdicts: dict[str, set[Verdict]] = {}
    said: list[str] = []
    for level in LEVELS:
        ratios = [ratio_of(seen, reading, level, measure, confidence) for measure in MEASURES]
        verdicts[level] = {each.above_one for each in ratios}
        shown = [f"{each} in {word}" for each, word in zip(ratios, MEASURES.values(), strict=True)]
        said.append(f"{level} {', '.join(shown)}")
    because = (
        "Genetic algorithm by annealing, expected running time, with intervals of "
        f"{100 * confidence:.4g} %: {'; '.join(said)}."
    )
    return Claim(text, "conclusions", faster_everywhere(verdicts), because)


def faster_everywhere(verdicts: dict[str, set[Verdict]]) -> Verdict:
    """A level fails only if all measures say so, and all must hold for the claim to."""
    if any(each == {"fails"} for each in verdicts.values()):
        return "fails"
    return "holds" if all(each == {"holds"} for each in verdicts.values()) else "undecided"


def most_in_hard() -> Claim:
    largest = [max(LEVELS, key=lambda level: published_ratio(level, count)) for count in (40, 80)]
    said = [
        f"over {count} attempts "
        + ", ".join(f"{level} {published_ratio(level, count):.1f}" for level in LEVELS)
        for count in (40, 80)
    ]
    return fact(
        "The difference is especially noticeable on hard boards.",
        "conclusions",
        holds=set(largest) == {"hard"},
        because=(
            f"The published averages say the opposite. Genetic by annealing: {'; '.join(said)}: "
            "the advantage is smallest on hard."
        ),
    )


def both_solve(seen: Measured) -> Claim:
    """One solution of each board by each algorithm proves it; a budget cannot disprove it."""
    shares = {
        (algorithm, level): Proportion.of(seen.at(algorithm, level).solved)
        for algorithm in ALGORITHMS
        for level in LEVELS
    }
    every = all(share.successes for share in shares.values())
    harder = ", ".join(
        f"{algorithm} {Proportion.of(seen.attempts[algorithm, HARDER].solved)}"
        for algorithm in ALGORITHMS
    )
    said = "; ".join(
        f"{algorithm}: " + ", ".join(f"{level} {shares[algorithm, level]}" for level in LEVELS)
        for algorithm in ALGORITHMS
    )
    return Claim(
        "Both algorithms solve easy, medium and hard boards.",
        "conclusions",
        "holds" if every else "undecided",
        f"Solved within {seen.budget:,} evaluations: {said}. We took boards that can be solved at "
        f"times; on the fifth, {HARDER}, {harder}.",
    )


def goes_on_until_solved(seen: Measured) -> Claim:
    """The text says this, and that it outputs failure: it is so in one of the readings only."""
    text = "The annealing's loop continues until a solution is found."
    where = "section on the annealing, which says too that it outputs failure"
    failed = Proportion.of(np.concatenate([~each for each in seen.starts.values()]))
    low, high = failed.wilson()
    every = [each for (name, _), each in seen.attempts.items() if name == GOES_ON]
    gave_up = sum(int(np.sum(~each.solved & (each.evaluations < seen.budget))) for each in every)
    solved = Proportion.of(np.concatenate([each.solved for each in every]))
    readings = {
        READ_AS[FAILS]: fact(
            text,
            where,
            holds=not failed.successes,
            because=f"Single starts that ended in failure, no cell having a better value: {failed},"
            f" interval {100 * low:.1f} to {100 * high:.1f} %. Only restarts, which the report does"
            " not mention, go on until solved.",
        ),
        READ_AS[GOES_ON]: fact(
            text,
            where,
            holds=not gave_up,
            because=f"Single starts that were solved: {solved}; the others were still under way "
            f"after {seen.budget:,} evaluations.",
        ),
    }
    return across_readings(text, where, readings)


def needs_a_limit(seen: Measured) -> Claim:
    """Where a search gets stuck, attempts that are cut short cost less per solution.

    Both times are of the same attempts, which the interval takes for independent ones: it is
    rather too wide.
    """
    limit = seen.budget // 10
    pairs = [
        (whole.runs("evaluations"), whole.cut(limit).runs("evaluations"))
        for whole in (seen.at(GENETIC, level) for level in LEVELS)
    ]
    ratio = time_ratio(*pairs)
    unsolved = Proportion.of(~np.concatenate([seen.at(GENETIC, level).solved for level in LEVELS]))
    return Claim(
        "The genetic algorithm gets stuck at times, and needs a limit of generations.",
        "section on the genetic algorithm",
        ratio.above_one,
        f"Attempts at the four boards that were unsolved after {seen.budget:,} evaluations: "
        f"{unsolved}. Evaluations per solution, by those of attempts that end after {limit:,} and "
        f"are begun anew: {ratio}, geometric mean over the boards.",
    )


def depends_on_the_board() -> Claim:
    """By the published averages alone."""
    slower = [
        average("hard", count, algorithm) / average("easy", count, algorithm)
        for count, algorithm in product((40, 80), ANNOUNCED)
    ]
    return fact(
        "The time to a solution depends on the board, though the report took to stochastic methods "
        "for it not to.",
        "of its tables",
        holds=min(slower) > 2,
        because=f"In the report's own tables hard takes {min(slower):.0f} to {max(slower):.0f} "
        "times as long as easy.",
    )


def published_quotients() -> dict[tuple[str, str], float]:
    """Average over 40 attempts by that over 80."""
    return {
        (level, algorithm): average(level, 40, algorithm) / average(level, 80, algorithm)
        for level in LEVELS
        for algorithm in ANNOUNCED
    }


def above_two() -> int:
    """How many quotients are above 2 however the printed averages were rounded."""
    return sum(
        (average(level, 40, algorithm) - 0.5) / (average(level, 80, algorithm) + 0.5) > 2
        for level in LEVELS
        for algorithm in ANNOUNCED
    )


def drawn_quotients(
    attempts: Attempts, count: int = DRAWS, measure: str = "evaluations", seed: int = 0
) -> Sample:
    """Averages over 40 fresh attempts by averages over 80 others, of one distribution."""
    draws = np.random.default_rng(seed)
    over_40, over_80 = (
        solving_times(attempts, measure, (count, size), draws).mean(axis=1) for size in (40, 80)
    )
    return np.asarray(over_40 / over_80, np.float64)


def quotient_chances(seen: Measured) -> dict[tuple[str, str], float]:
    """How likely a quotient is at least the published one if both averages are of one kind."""
    chances = {}
    for level, algorithm in product(LEVELS, ALGORITHMS):
        attempts = seen.at(algorithm, level)
        quotient = published_quotients()[level, PUBLISHED_AS[algorithm]]
        if attempts.solved.any():
            drawn = drawn_quotients(attempts)
            chances[level, algorithm] = float((np.sum(drawn >= quotient) + 1) / (drawn.size + 1))
    return chances


def other_averages(seen: Measured) -> Claim:
    """It holds if the least of the chances, with Bonferroni's correction, is below the level."""
    chances = quotient_chances(seen)
    least = min(chances.values()) * len(chances) if chances else 1.0
    quotients = published_quotients().values()
    return Claim(
        "The averages over 40 and over 80 attempts are not of the same running times.",
        "of its tables",
        "holds" if least < ALPHA else "undecided",
        f"Averages over 40 attempts are {min(quotients):.1f} to {max(quotients):.1f} times those "
        "over 80; of one distribution the quotient would be about 1. Were the 40 among the 80, no "
        f"quotient could pass 2, and {above_two()} of {len(quotients)} do. With fresh attempts "
        "drawn from our running times, chances of a quotient as large are "
        f"{short(min(chances.values(), default=1.0))} to "
        f"{short(max(chances.values(), default=1.0))} ({p_words(min(1.0, least))} for the least, "
        "with Bonferroni's correction).",
    )


def less_variety(seen: Measured) -> Claim:
    """At equal evaluations: a population loses variety with time, and solved runs are short."""
    text = (
        "Attempts of the genetic algorithm that stay unsolved have lost more variety than those "
        "that will be solved."
    )
    pair = seen.variety.unsolved, seen.variety.solved
    if not all(map(len, pair)):
        return Claim(text, "on `medium`", "undecided", f"{TOO_FEW}.")
    what = f"Diversity of the population after {seen.variety.evaluations:,} evaluations"
    one, two = f"{what}, of runs that stay unsolved", "of runs that are solved later"
    (found,) = judged([Contrast(text, "on `medium`", one, two, pair)])
    return found


def parts_and_wishes(seen: Measured) -> list[Claim]:
    """What the parts and the wishes bring: evaluations per solution of `medium`, without by with.

    Intervals are as wide as Bonferroni asks for so many comparisons.
    """
    own = {name: seen.at(name, "medium") for name in ALGORITHMS}
    choices = {name: (own[GENETIC], each) for name, each in seen.choices.items()}
    compared: list[tuple[str, str, dict[str, tuple[Attempts, Attempts]]]] = [
        (
            "Mutation helps the genetic algorithm to avoid local minima.",
            "section on the genetic algorithm",
            {"": (seen.choices["no mutation"], own[GENETIC])},
        ),
        (
            "Downhill moves by chance help the annealing to avoid local minima.",
            "section on the annealing",
            {
                READ_AS[FAILS]: (seen.choices["fails, never downhill"], own[FAILS]),
                READ_AS[GOES_ON]: (seen.choices["goes on, downhill only when stuck"], own[GOES_ON]),
            },
        ),
        (
            "A larger initial population improves the genetic algorithm.",
            "conclusions, wish 1",
            {
                "larger at first only": (own[GENETIC], seen.larger),
                "larger throughout": choices["population 2500"],
            },
        ),
        (
            "Mates chosen by fitness improve it.",
            "conclusions, wish 2",
            {"": choices["mates by fitness"]},
        ),
        (
            "Several cuts and parents improve it.",
            "conclusions, wish 3",
            {"": choices["four cuts, three parents"]},
        ),
        (
            "More variety in the population, here without twins, improves it.",
            "conclusions",
            {"": choices["no twins"]},
        ),
    ]
    confidence = 1 - ALPHA / sum(len(readings) for _, _, readings in compared)
    found = []
    for text, where, readings in compared:
        claims = {
            name: _with_by_without(text, where, *pair, confidence)
            for name, pair in readings.items()
        }
        found.append(claims[""] if "" in claims else across_readings(text, where, claims))
    return found


def _with_by_without(
    text: str, where: str, without: Attempts, with_it: Attempts, confidence: float
) -> Claim:
    pair = without.runs("evaluations"), with_it.runs("evaluations")
    ratio = time_ratio(pair, level=confidence)
    because = (
        f"With it {_summed(with_it)}; without {_summed(without)}: {ratio} times as many, interval "
        f"of {100 * confidence:.4g} %."
    )
    return Claim(text, where, ratio.above_one, because)


def _summed(attempts: Attempts) -> str:
    expected = short(attempts.time("evaluations").value)
    return f"{Proportion.of(attempts.solved)} solved, {expected} evaluations per solution"
