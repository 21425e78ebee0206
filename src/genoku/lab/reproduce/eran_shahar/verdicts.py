"""What report 001 claims, judged by its own tables and by our attempts."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from genoku.lab.page import Verdict
from genoku.lab.reproduce.claims import ALPHA, TOO_FEW, Claim, Contrast, fact, judged, within
from genoku.lab.reproduce.eran_shahar.experiments import (
    ALGORITHMS,
    ANNEALING,
    GENETIC,
    HARDER,
    LEVELS,
    Attempts,
    Measured,
    average,
    published_ratio,
    solving_times,
)
from genoku.lab.reproduce.places import known, ratio_interval
from genoku.lab.reproduce.words import p_words, short, spanned
from genoku.lab.statistics import Interval, Proportion
from genoku.lab.statistics.samples import Sample

MEASURES = {"cpu": "CPU time", "evaluations": "evaluations"}
DRAWS = 10_000
"""Pairs of averages to be drawn."""


def claims(seen: Measured) -> list[Claim]:
    return [
        annealing_is_faster(seen),
        most_in_hard(),
        both_solve(seen),
        independent_of_difficulty(seen),
        one_distribution(seen),
        goes_on_until_solved(seen),
        needs_a_limit(seen),
        *parts_and_wishes(seen),
    ]


def ratio_of(
    seen: Measured, level: str, measure: str, confidence: float = 0.95
) -> tuple[float, Interval]:
    """The genetic algorithm's expected running time by the annealing's, with its interval."""
    one, two = (seen.at(algorithm, level) for algorithm in (GENETIC, ANNEALING))
    return _ratio(one, two, measure, confidence)


def _ratio(
    one: Attempts, two: Attempts, measure: str, level: float = 0.95
) -> tuple[float, Interval]:
    interval = ratio_interval(
        (one.effort(measure), one.solved), (two.effort(measure), two.solved), level=level
    )
    times = [each.time(measure).value for each in (one, two)]
    if np.isinf(times).all():
        return np.nan, interval
    return times[0] / times[1], interval


def figures(seen: Measured) -> dict[str, Any]:
    """Ratios by level: published over 40 and 80 attempts, and measured with their intervals."""
    found: dict[str, Any] = {}
    for level in LEVELS:
        found[level] = {f"published_{count}": published_ratio(level, count) for count in (40, 80)}
        for measure in MEASURES:
            value, (low, high) = ratio_of(seen, level, measure)
            found[level][measure] = [known(each) for each in (value, low, high)]
    return {"genetic_by_annealing": found}


def annealing_is_faster(seen: Measured) -> Claim:
    """It holds if every ratio is above 1 by both measures, fails where both are below it.

    One board is enough to fail, so the intervals are wider, by Bonferroni, for as many boards.
    """
    confidence = 1 - ALPHA / len(LEVELS)
    verdicts: dict[str, set[Verdict]] = {}
    said: list[str] = []
    for level in LEVELS:
        shown = []
        for measure, word in MEASURES.items():
            value, interval = ratio_of(seen, level, measure, confidence)
            verdicts.setdefault(level, set()).add(within(interval, low=1.0))
            shown.append(f"{_spanned(value, interval)} in {word}")
        said.append(f"{level} {', '.join(shown)}")
    return Claim(
        "The annealing is significantly faster than the genetic algorithm, whatever the board.",
        "conclusions",
        faster_everywhere(verdicts),
        "Genetic algorithm by annealing, expected running time, with intervals of "
        f"{100 * confidence:.4g} %: {'; '.join(said)}. The report "
        "prints averages without their spread, so that its own differences cannot be tested.",
    )


def _spanned(value: float, interval: Interval) -> str:
    return f"{short(value)} ({spanned(interval)})"


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
        f"Solved within {seen.budget}: {said}. We took boards that can be solved at times; on the "
        f"fifth, {HARDER}, {harder}.",
    )


def independent_of_difficulty(seen: Measured) -> Claim:
    """By the published averages alone; ours on our boards beside them."""
    slower = [
        average("hard", count, algorithm) / average("easy", count, algorithm)
        for count, algorithm in product((40, 80), ALGORITHMS)
    ]
    ours = []
    for algorithm in ALGORITHMS:
        hard, easy = (seen.at(algorithm, level) for level in ("hard", "easy"))
        ours.append(f"{algorithm} {_spanned(*_ratio(hard, easy, 'evaluations'))}")
    return fact(
        "Searched stochastically, the time to solve a Sudoku does not depend on its difficulty.",
        "introduction, as the aim",
        holds=max(slower) < 2,
        because=(
            f"In the report's own tables hard takes {min(slower):.0f} to {max(slower):.0f} times "
            f"as long as easy. Ours, in evaluations: {', '.join(ours)}."
        ),
    )


def published_quotients() -> dict[tuple[str, str], float]:
    """Average over 40 attempts by that over 80."""
    return {
        (level, algorithm): average(level, 40, algorithm) / average(level, 80, algorithm)
        for level in LEVELS
        for algorithm in ALGORITHMS
    }


def above_two() -> int:
    """How many quotients are above 2 however the printed averages were rounded."""
    return sum(
        (average(level, 40, algorithm) - 0.5) / (average(level, 80, algorithm) + 0.5) > 2
        for level in LEVELS
        for algorithm in ALGORITHMS
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
    for (level, algorithm), quotient in published_quotients().items():
        attempts = seen.at(algorithm, level)
        if attempts.solved.any():
            drawn = drawn_quotients(attempts)
            chances[level, algorithm] = float((np.sum(drawn >= quotient) + 1) / (drawn.size + 1))
    return chances


def one_distribution(seen: Measured) -> Claim:
    """Fails if the least of the chances, with Bonferroni's correction, is below the level."""
    chances = quotient_chances(seen)
    least = min(chances.values()) * len(chances) if chances else 1.0
    quotients = published_quotients().values()
    over = above_two()
    return Claim(
        "The averages over 40 and over 80 attempts are of the same running times.",
        "comparison, as implied",
        "fails" if least < ALPHA else "undecided",
        f"Averages over 40 attempts are {min(quotients):.1f} to {max(quotients):.1f} times those "
        "over 80; of one distribution the quotient would be about 1. Were the 40 among the 80, no "
        f"quotient could pass 2, and {over} of {len(quotients)} do. With fresh attempts drawn "
        "from our running times, chances of a quotient as large are at most "
        f"{max(chances.values(), default=1.0):.2g} each ({p_words(min(1.0, least))} for the least, "
        "with Bonferroni's correction).",
    )


def goes_on_until_solved(seen: Measured) -> Claim:
    """The text says this, and that it outputs failure: one failed start settles it."""
    starts = Proportion.of(np.concatenate([~each for each in seen.starts.values()]))
    interval = starts.wilson()
    return fact(
        "The annealing's loop continues until a solution is found.",
        "section on the annealing, which says too that it outputs failure",
        holds=not starts.successes,
        because=(
            f"Single starts that ended in failure, no cell having a better value: {starts}, "
            f"interval {100 * interval.low:.1f} to {100 * interval.high:.1f} %. Only restarts, "
            "which the report does not mention, go on until solved."
        ),
    )


def needs_a_limit(seen: Measured) -> Claim:
    """A run that is stuck is not only unsolved: its boards have become alike."""
    every = [seen.at(GENETIC, level).solved for level in LEVELS]
    unsolved = Proportion.of(~np.concatenate(every))
    said = f"Attempts at the four boards that ended unsolved at the limit: {unsolved}."
    text = "The genetic algorithm gets stuck at times, and needs a limit of generations."
    where = "section on the genetic algorithm"
    pair = seen.variety["unsolved"], seen.variety["solved"]
    if not all(map(len, pair)):
        return Claim(text, where, "undecided", f"{said} {TOO_FEW}.")
    last = "Last diversity of the population on `medium`, of unsolved runs"
    (found,) = judged([Contrast(text, where, last, "of solved ones", pair)])
    return replace(found, because=f"{said} {found.because}")


def parts_and_wishes(seen: Measured) -> list[Claim]:
    """What the parts and the wishes bring: evaluations per solution of `medium`, without by with.

    Intervals are as wide as Bonferroni asks for so many claims.
    """
    confidence = 1 - ALPHA / len(TESTED)
    found = []
    for text, where, algorithm, name, has_it in TESTED:
        other, own = seen.choices[name], seen.at(algorithm, "medium")
        with_it, without = (own, other) if has_it else (other, own)
        value, interval = _ratio(without, with_it, "evaluations", confidence)
        because = (
            f"With it {_summed(with_it)}; without {_summed(without)}: {_spanned(value, interval)} "
            f"times as many, interval of {100 * confidence:.4g} %."
        )
        found.append(Claim(text, where, within(interval, low=1.0), because))
    return found


def _summed(attempts: Attempts) -> str:
    expected = short(attempts.time("evaluations").value)
    return f"{Proportion.of(attempts.solved)} solved, {expected} evaluations per solution"


TESTED: tuple[tuple[str, str, str, str, bool], ...] = (
    (
        "Mutation helps the genetic algorithm to avoid local minima.",
        "section on the genetic algorithm",
        *(GENETIC, "no mutation", True),
    ),
    (
        "Downhill moves help the annealing to avoid local minima.",
        "section on the annealing",
        *(ANNEALING, "never downhill", True),
    ),
    (
        "A larger population improves the genetic algorithm.",
        "conclusions, wish 1",
        *(GENETIC, "population 2500", False),
    ),
    (
        "Mates chosen by fitness improve it.",
        "conclusions, wish 2",
        *(GENETIC, "mates by fitness", False),
    ),
    (
        "Several cuts and parents improve it.",
        "conclusions, wish 3",
        *(GENETIC, "four cuts, three parents", False),
    ),
    (
        "More variety in the population, here without twins, improves it.",
        "conclusions",
        *(GENETIC, "no twins", False),
    ),
)
"""Claims, the choice that decides each, and whether the report's own system has what it says."""
