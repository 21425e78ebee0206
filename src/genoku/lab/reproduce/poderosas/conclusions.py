"""What report 000 concludes from all of its experiments, and what our runs say to it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from genoku.lab.reproduce.claims import ALPHA, Claim, Contrast, all_of, judged, share_claim
from genoku.lab.reproduce.poderosas.experiments import (
    ALL_MODELS,
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
    Measured,
    name_of,
    of_selection,
)
from genoku.lab.reproduce.poderosas.printed import ceiling
from genoku.lab.reproduce.rules import best_of, equivalent
from genoku.lab.reproduce.words import p_words
from genoku.lab.statistics import Friedman, Proportion, friedman


def conclusions(runs: Measured, longer: Measured, elitism: Measured) -> Iterator[Claim]:
    """What its sections 7 to 9 say of all experiments together."""
    yield from _about_the_best(runs)
    yield from _better_than_at_first(runs)
    yield _converge(longer)
    yield _solved(runs)
    yield _operators_matter(runs)
    yield _elitism(runs, elitism)


def _about_the_best(runs: Measured) -> Iterator[Claim]:
    for puzzle in PRINTED:
        samples = {
            name_of(model, each.setting): runs.finals(model, each.setting, puzzle)
            for each in EXPERIMENTS
            for model in each.models
        }
        yield best_of(
            f"{puzzle.capitalize()} puzzle: the best of all {len(samples)} settings tried is "
            f"{DECLARED_BEST}, population 500, tournament 100, rate 1.",
            "section 8",
            name_of(DECLARED_BEST, BASE),
            samples,
            lower_is_better=False,
        )
    yield all_of(
        "Among the nine tournament models alone, single point with row swap is the best.",
        "section 8",
        [
            best_of(
                puzzle,
                "",
                f"{puzzle.capitalize()}: {DECLARED_BEST}",
                {
                    f"{puzzle.capitalize()}: {model}": runs.finals(model, BASE, puzzle)
                    for model in TOURNAMENTS
                },
                lower_is_better=False,
            )
            for puzzle in PRINTED
        ],
    )


def _converge(longer: Measured) -> Claim:
    return all_of(
        f"The best models converge within {GENERATIONS} generations.",
        "section 7",
        [
            equivalent(
                puzzle,
                "",
                longer.mean_of(TOURNAMENTS, BASE, puzzle),
                longer.mean_of(TOURNAMENTS, BASE, puzzle, GENERATIONS // longer.every),
                margin=READABLE,
                what=f"{puzzle.capitalize()}, nine tournament models, generation {LONG:,} "
                f"against {GENERATIONS}",
                paired=True,
            )
            for puzzle in PRINTED
        ],
    )


def _solved(runs: Measured) -> Claim:
    solvable = [place for place, name in enumerate(PUZZLES) if ceiling(name) == 1.0]
    solved = runs.solved[:, solvable]
    return share_claim(
        "The algorithm solves the puzzles effectively (more than half of the runs).",
        "section 9",
        Proportion.of(solved.ravel()),
        above=0.5,
        because=f"All {len(runs.arms)} settings on the medium and both difficult puzzles, "
        f"{GENERATIONS} generations: solved ",
    )


def ranked_models(runs: Measured) -> Friedman:
    """Friedman's test of the 27 models, by their medians in experiment 1, over printed puzzles."""
    of_base = [runs.arms[name_of(model, BASE)] for model in ALL_MODELS]
    medians = np.median(runs.final[of_base, : len(PRINTED)], axis=2)
    return friedman(medians.T, lower_is_better=False)


def _operators_matter(runs: Measured) -> Claim:
    ranked = ranked_models(runs)
    return Claim(
        "Different operators affect how the algorithm converges.",
        "section 9",
        "holds" if ranked.p < ALPHA else "undecided",
        f"Friedman's test of the 27 models (medians, experiment 1) over {len(PRINTED)} puzzles: "
        f"χ² = {ranked.statistic:.1f}, {p_words(ranked.p)}.",
    )


def _elitism(runs: Measured, elitism: Measured) -> Claim:
    """Where no test parts the two, they may be as good as equal: then nothing improves."""
    pairs = {
        puzzle: (
            elitism.mean_of(TOURNAMENTS, BASE, puzzle),
            runs.mean_of(TOURNAMENTS, BASE, puzzle),
        )
        for puzzle in PUZZLES
    }
    tested = judged(
        [
            Contrast(
                "",
                "",
                f"{puzzle.capitalize()}: with one elite",
                "without",
                pair,
                lower_is_better=False,
                counted="seed",
            )
            for puzzle, pair in pairs.items()
        ]
    )
    parts = []
    for (puzzle, pair), part in zip(pairs.items(), tested, strict=True):
        alike = equivalent(
            "", "", *pair, margin=READABLE, what=f"{puzzle.capitalize()}, with one elite or none"
        )
        no_better = part.verdict == "undecided" and alike.verdict == "holds"
        parts.append(replace(alike, verdict="fails") if no_better else part)
    return all_of(
        f"Elitism would improve the performance (a difference that is surely below {READABLE:g} is "
        "none).",
        "section 9",
        parts,
    )


def _better_than_at_first(runs: Measured) -> Iterator[Claim]:
    """Against the best of the first population, which is how we read its initial attempts."""
    selections = ORDERS["selection"]
    parts = judged(
        [
            Contrast(
                "",
                "",
                f"{selection.capitalize()} on {puzzle}, generation {GENERATIONS}:",
                "generation 0:",
                (runs.mean_of(of, BASE, puzzle), runs.mean_of(of, BASE, puzzle, 0)),
                lower_is_better=False,
                counted="seed",
                paired=True,
            )
            for selection in selections
            for of in [of_selection(selection)]
            for puzzle in PRINTED
        ]
    )
    own = selections.index("tournament") * len(PRINTED)
    for chosen, words in (
        (parts[own : own + len(PRINTED)], "with tournament selection"),
        (parts, "with each of its three selections"),
    ):
        yield all_of(
            "The algorithm gives consistently better fitness than the initial attempts (the best "
            f"of the first population, as we read it), {words}.",
            "section 9",
            chosen,
        )
