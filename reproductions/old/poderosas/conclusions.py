"""What report 000 concludes from all of its experiments, and what our runs say to it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from genoku.lab.statistics import Friedman, Proportion, friedman
from reproductions.old.claims import ALPHA, TOO_FEW, Claim, Contrast, judged, share_claim
from reproductions.old.places import FEWEST
from reproductions.old.poderosas.experiments import (
    BASE,
    DECLARED_BEST,
    EXPERIMENTS,
    GENERATIONS,
    LONG,
    ORDERS,
    PRINTED,
    PUZZLES,
    READABLE,
    TOURNAMENTS,
    Model,
    name_of,
    of_selection,
)
from reproductions.old.poderosas.measured import Measured
from reproductions.old.poderosas.printed import ceiling
from reproductions.old.poderosas.reading import best_on_puzzles, on_puzzles, over_readings
from reproductions.old.poderosas.stable import QUICK, is_quick, stable
from reproductions.old.rules import equivalent
from reproductions.old.words import p_words


def conclusions(runs: Measured, longer: Measured) -> Iterator[Claim]:
    """What its sections 7 to 9 say of all experiments together."""
    yield converge(longer)
    yield from about_the_best(runs)
    yield better_than_at_first(
        "The algorithm gives consistently better fitness than the initial attempts (tournament "
        "models against the best of the first population, as we read it).",
        "section 9",
        runs,
        "tournament",
    )
    yield effective(runs)
    yield operators_matter(runs)
    yield from elitism(runs)


def converge(longer: Measured) -> Claim:
    def judge(read: Measured) -> list[Claim]:
        return [
            equivalent(
                "",
                "",
                read.mean_of(TOURNAMENTS, BASE, puzzle),
                read.mean_of(TOURNAMENTS, BASE, puzzle, GENERATIONS // read.every),
                margin=READABLE,
                what=f"{puzzle.capitalize()}, nine tournament models, generation {LONG:,} "
                f"against {GENERATIONS}",
                paired=True,
            )
            for puzzle in PRINTED
        ]

    return on_puzzles(
        f"The best models converge within {GENERATIONS} generations.",
        "section 7",
        PRINTED,
        longer,
        judge,
    )


def about_the_best(runs: Measured) -> Iterator[Claim]:
    where = "section 8"

    def samples(read: Measured, puzzle: str) -> dict[str, NDArray[np.float64]]:
        return {
            name_of(model, each.setting): read.finals(model, each.setting, puzzle)
            for each in EXPERIMENTS
            for model in each.models
        }

    best = name_of(DECLARED_BEST, BASE)
    yield best_on_puzzles(
        f"The best of all {len(samples(runs, 'easy'))} settings is {best}, on all three puzzles.",
        *(where, PRINTED, runs, best, samples),
        ranked=True,
    )
    yield on_puzzles(
        "Its declared best converges rapidly on all three puzzles (near its best by generation "
        f"{QUICK}, as above).",
        where,
        PRINTED,
        runs,
        lambda read: [is_quick(read, DECLARED_BEST, BASE, puzzle) for puzzle in PRINTED],
    )
    yield stable("Its declared best is stable", where, runs, DECLARED_BEST, BASE, PRINTED)


def better_than_at_first(text: str, where: str, runs: Measured, selection: str) -> Claim:
    """Against the best of the first population, which is how we read its initial attempts."""
    of = of_selection(selection)

    def judge(read: Measured) -> list[Claim]:
        return judged(
            [
                Contrast(
                    "",
                    "",
                    f"{puzzle.capitalize()}, generation {GENERATIONS}:",
                    "generation 0:",
                    (read.mean_of(of, BASE, puzzle), read.mean_of(of, BASE, puzzle, 0)),
                    lower_is_better=False,
                    counted="seed",
                    paired=True,
                )
                for puzzle in PRINTED
            ]
        )

    return on_puzzles(text, where, PRINTED, runs, judge, ranked=selection == "rank")


def effective(runs: Measured) -> Claim:
    """Under any reading: none of them solves more."""
    solvable = [name for name in PUZZLES if ceiling(name) == 1.0]
    solved = [flags for (_, puzzle), flags in runs.solved.items() if puzzle in solvable]
    return share_claim(
        "The algorithm solves the puzzles effectively (more than half of the runs).",
        "section 9",
        Proportion.of(np.concatenate(solved)),
        above=0.5,
        because=f"All settings and readings on the medium and both difficult puzzles, with an "
        f"elite or without, {GENERATIONS} generations: solved ",
    )


def ranked_models(runs: Measured, *puzzles: str) -> Friedman:
    """Friedman's test of the nine tournament models; a seed on a puzzle is a block.

    All models start from one population there. So many blocks are enough for χ².
    """
    finals = [
        np.concatenate([runs.finals(model, BASE, puzzle) for puzzle in puzzles])
        for model in TOURNAMENTS
    ]
    return friedman(np.array(finals).T, lower_is_better=False)


def operators_matter(runs: Measured) -> Claim:
    def judge(read: Measured) -> Claim:
        if read.seeds < FEWEST:
            return Claim("", "", "undecided", f"{TOO_FEW}.")
        test = ranked_models(read, *PRINTED)
        return Claim(
            "",
            "",
            "holds" if test.p < ALPHA else "undecided",
            f"Friedman's test of the nine tournament models, each seed on each puzzle a block: "
            f"χ² = {test.statistic:.0f}, {p_words(test.p)}.",
        )

    return over_readings(
        "Crossovers and mutations affect how the algorithm converges.",
        "section 9",
        runs,
        judge,
        easy=True,
    )


def elitism(runs: Measured) -> Iterator[Claim]:
    for selection in ORDERS["selection"]:
        yield on_puzzles(
            f"Elitism would improve the performance, with {selection} selection (mean of nine "
            "models per seed).",
            "section 9",
            PRINTED,
            runs,
            partial(_helped, of=of_selection(selection)),
            ranked=selection == "rank",
        )


def _helped(read: Measured, of: tuple[Model, ...]) -> list[Claim]:
    return judged(
        [
            Contrast(
                "",
                "",
                f"{puzzle.capitalize()}: with one elite",
                "without",
                (read.mean_of(of, BASE, puzzle, elites=1), read.mean_of(of, BASE, puzzle)),
                lower_is_better=False,
                counted="seed",
            )
            for puzzle in PRINTED
        ]
    )
