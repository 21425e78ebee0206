"""What report 000 claims of its experiments, and what its own numbers and our runs say to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from reproductions.old.claims import Claim, Contrast, across_readings, all_of, judged
from reproductions.old.poderosas.conclusions import conclusions
from reproductions.old.poderosas.experiments import (
    BASE,
    EXPERIMENTS,
    GENERATIONS,
    GENTLER,
    LARGER,
    PRINTED,
    READABLE,
    TOURNAMENTS,
    Setting,
    of_selection,
    winners,
)
from reproductions.old.poderosas.illustrated import about_the_figures
from reproductions.old.poderosas.measured import Measured
from reproductions.old.poderosas.printed import about_the_number, about_the_puzzles
from reproductions.old.poderosas.reading import best_on_puzzles, on_puzzles, over_readings
from reproductions.old.poderosas.tournaments import about_the_low_rate, about_tournament_250
from reproductions.old.rules import equivalent


def claims(runs: Measured, longer: Measured) -> tuple[Claim, ...]:
    """All of them, in the order of the report; its appendix at the end."""
    return (
        *about_the_puzzles(),
        *about_rates(runs),
        *about_selection(runs),
        *about_winners(runs),
        about_population(runs),
        *about_tournament_250(runs),
        *about_the_low_rate(runs),
        *conclusions(runs, longer),
        *about_the_figures(),
    )


# Section 5: mutation rates. Experiments 3 and 4 name tournament models only, and so do we.


def about_rates(runs: Measured) -> Iterator[Claim]:
    where = "section 5"
    for text, puzzle, first, second in (
        ("For easy puzzles a low mutation rate is preferable.", "easy", GENTLER, BASE),
        ("For difficult puzzles a higher mutation rate helps.", "difficult-21", BASE, GENTLER),
    ):
        yield over_readings(
            text,
            where,
            runs,
            partial(prefers, selection="tournament", puzzle=puzzle, pair=(first, second)),
            easy=puzzle == "easy",
        )
    parts = judged(
        [
            Contrast(
                "",
                "",
                f"{puzzle.capitalize()}, rate {GENTLER.rate:g}: {what}",
                f"rate {BASE.rate:g}:",
                (of(runs, GENTLER, puzzle), of(runs, BASE, puzzle)),
                counted="seed",
            )
            for what, of in (("settles in generation", Measured.settling), ("ends at", ending))
            for puzzle in PRINTED[1:]
        ]
    )
    yield across_readings(
        "Low mutation rates may cause premature convergence (tournament models).",
        where,
        {"sooner": all_of("", "", parts[:2]), "at a lower fitness": all_of("", "", parts[2:])},
    )


def prefers(read: Measured, *, selection: str, puzzle: str, pair: tuple[Setting, Setting]) -> Claim:
    """Whether the first of two rates is better, with the nine models of a selection."""
    (first, second), of = pair, of_selection(selection)
    contrast = Contrast(
        "",
        "",
        f"{selection.capitalize()}, rate {first.rate:g}:",
        f"rate {second.rate:g}:",
        (read.mean_of(of, first, puzzle), read.mean_of(of, second, puzzle)),
        lower_is_better=False,
        counted="seed",
    )
    return judged([contrast])[0]


def ending(read: Measured, setting: Setting, puzzle: str) -> NDArray[np.float64]:
    return read.mean_of(TOURNAMENTS, setting, puzzle)


# Experiments 1 and 2


def about_selection(runs: Measured) -> Iterator[Claim]:
    where = "section 7, experiment 1"
    for other in ("roulette", "rank"):
        yield on_puzzles(
            f"Tournament selection is better than {other} on all three puzzles (mean of nine "
            "models per seed).",
            where,
            PRINTED,
            runs,
            partial(_beats, other=other),
            ranked=other == "rank",
        )
    yield all_of(
        "On the easy puzzle tournament selection converges earlier than the other two.",
        where,
        [
            over_readings("", "", runs, partial(_earlier, than=than), easy=True, ranked=ranked)
            for than, ranked in (("roulette", False), ("rank", True))
        ],
    )
    for selection in ("roulette", "rank"):
        yield over_readings(
            f"On the easy puzzle, {selection} makes the fitness fall over the generations.",
            where,
            runs,
            partial(_falls, selection=selection),
            easy=True,
            ranked=selection == "rank",
        )


def _beats(read: Measured, other: str) -> list[Claim]:
    return judged(
        [
            Contrast(
                "",
                "",
                f"{puzzle.capitalize()}: tournament",
                other,
                (
                    read.mean_of(TOURNAMENTS, BASE, puzzle),
                    read.mean_of(of_selection(other), BASE, puzzle),
                ),
                lower_is_better=False,
                counted="seed",
            )
            for puzzle in PRINTED
        ]
    )


def _earlier(read: Measured, than: str) -> Claim:
    mine, others = read.settling(BASE, "easy"), ("roulette", "rank")
    found = judged(
        [
            Contrast("", "", "Tournament settles in generation", each, (mine, its), True, "seed")
            for each in others
            for its in [read.settling(BASE, "easy", of_selection(each))]
        ]
    )
    return found[others.index(than)]


def _falls(read: Measured, selection: str) -> Claim:
    of = of_selection(selection)
    values = read.mean_of(of, BASE, "easy", 0), read.mean_of(of, BASE, "easy")
    words = "Generation 0:", f"generation {GENERATIONS}:"
    return judged([Contrast("", "", *words, values, False, "seed", paired=True)])[0]


def samples_of(runs: Measured, puzzle: str, number: int) -> dict[str, NDArray[np.float64]]:
    """The last fitness of all models of an experiment."""
    experiment = EXPERIMENTS[number - 1]
    return {
        str(model): runs.finals(model, experiment.setting, puzzle) for model in experiment.models
    }


def about_winners(runs: Measured) -> Iterator[Claim]:
    for experiment, puzzles, model, where, number in winners():
        yield best_on_puzzles(
            f"Experiment {experiment.number}, {_on(puzzles)}: the best of "
            f"{len(experiment.models)} models is {model}.",
            where,
            puzzles,
            runs,
            str(model),
            partial(samples_of, number=experiment.number),
            ranked=any(each.selection == "rank" for each in experiment.models),
        )
        if number and number > len(TOURNAMENTS):
            yield about_the_number(number, model)


def _on(puzzles: Sequence[str]) -> str:
    return f"{puzzles[0]} puzzle" if len(puzzles) == 1 else "all three puzzles"


def about_population(runs: Measured) -> Claim:
    def judge(read: Measured) -> list[Claim]:
        return [
            equivalent(
                "",
                "",
                ending(read, LARGER, puzzle),
                ending(read, BASE, puzzle),
                margin=READABLE,
                what=f"{puzzle.capitalize()}, nine tournament models",
            )
            for puzzle in PRINTED
        ]

    return on_puzzles(
        "A population of 1000 in place of 500 barely changes the performance.",
        "section 7, experiment 2",
        PRINTED,
        runs,
        judge,
    )
