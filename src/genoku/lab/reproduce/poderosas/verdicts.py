"""What report 000 claims, and what its own numbers and our runs say to it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from genoku.lab.reproduce.claims import (
    Claim,
    Contrast,
    all_of,
    fact,
    judged,
    median_interval,
    p_words,
    share_claim,
    within,
)
from genoku.lab.reproduce.poderosas.experiments import (
    ALL_MODELS,
    BASE,
    DECLARED_BEST,
    EXPERIMENTS,
    GENERATIONS,
    LONG,
    ORDERS,
    PRINTED,
    PUBLISHED,
    PUZZLES,
    TOURNAMENTS,
    Measured,
    Model,
    name_of,
    of_selection,
    winners,
)
from genoku.lab.reproduce.poderosas.printed import about_the_puzzles, ceiling, numbers_of
from genoku.lab.reproduce.rules import best_of, equivalent
from genoku.lab.statistics import Proportion, friedman

VALUES = PUBLISHED["values"]
HOW_RANKED = {"roulette": "", "rank": "; rank linear, which is our choice"}
READABLE = 0.01
"""Fitness that can be told apart in a printed chart: "barely", "converged" mean less than this."""

LARGER, WIDER, GENTLER = (each.setting for each in EXPERIMENTS[1:])


def claims(runs: Measured, longer: Measured, elitism: Measured) -> tuple[Claim, ...]:
    """All of them, in the order of the report."""
    return (
        *about_the_puzzles(),
        *_about_selection(runs),
        *_about_winners(runs),
        *_about_numbers(runs),
        *_about_tournament_250(runs),
        *_about_the_end(runs, longer, elitism),
    )


# Selection, winners


def _about_selection(runs: Measured) -> Iterator[Claim]:
    where = "section 7, experiment 1"
    means = {
        (selection, puzzle): runs.mean_of(of_selection(selection), BASE, puzzle)
        for selection, puzzle in product(ORDERS["selection"], PUZZLES)
    }
    parts = judged(
        [
            Contrast(
                f"Tournament beats {other} on {puzzle}.",
                where,
                f"{puzzle.capitalize()}: tournament",
                other,
                (means["tournament", puzzle], means[other, puzzle]),
                lower_is_better=False,
                counted="seeds",
            )
            for other in ("roulette", "rank")
            for puzzle in PRINTED
        ]
    )
    for other, own in (("roulette", parts[:3]), ("rank", parts[3:])):
        yield all_of(
            f"Tournament selection is better than {other} on all three puzzles (mean of nine "
            f"models per seed{HOW_RANKED[other]}).",
            where,
            own,
        )
    for selection in ("roulette", "rank"):
        of = of_selection(selection)
        first = runs.mean_of(of, BASE, "easy", 0)
        yield from judged(
            [
                Contrast(
                    f"On the easy puzzle, {selection} makes the fitness fall over the generations"
                    f"{HOW_RANKED[selection]}.",
                    where,
                    "generation 0:",
                    f"generation {GENERATIONS}:",
                    (first, means[selection, "easy"]),
                    lower_is_better=False,
                    counted="seeds",
                )
            ]
        )


def samples_of(runs: Measured, number: int, puzzle: str) -> dict[str, np.ndarray]:
    """The last fitness of all models of an experiment."""
    experiment = EXPERIMENTS[number - 1]
    return {
        str(model): runs.finals(model, experiment.setting, puzzle) for model in experiment.models
    }


def _about_winners(runs: Measured) -> Iterator[Claim]:
    for experiment, puzzle, model, where, _ in winners():
        yield best_of(
            f"Experiment {experiment.number}, {puzzle} puzzle: the best of "
            f"{len(experiment.models)} models is {model}.",
            where,
            str(model),
            samples_of(runs, experiment.number, puzzle),
            lower_is_better=False,
        )
    named = [
        (model, number)
        for *_, model, _, number in winners()
        if number and number > len(TOURNAMENTS)
    ]
    for model, number in named:
        fitting = numbers_of(model)
        yield fact(
            f"Model {number} is single point crossover with block swap.",
            "section 7, experiment 4",
            holds=number in fitting,
            because=f"With the three lists in the report's order, that pair with "
            f"{model.selection} selection has the number {_listed(fitting)}, however the lists "
            f"are nested; no selection gives {number}.",
        )
    own = [model for *_, model, _, _ in winners()]
    agreeing = own.count(DECLARED_BEST)
    yield fact(
        "According to its experiments, tournament, single point and row swap are the best.",
        "section 8",
        holds=agreeing == len(own),
        because=f"Its experiments name a best model for {len(own)} puzzles and settings, and this "
        f"one for {agreeing} of them; the others are "
        f"{'; '.join(sorted({str(each) for each in own if each != DECLARED_BEST}))}.",
    )


# Numbers: population, tournament, mutation rate


def _about_numbers(runs: Measured) -> Iterator[Claim]:
    yield all_of(
        "A population of 1000 in place of 500 barely changes the performance.",
        "section 7, experiment 2",
        [
            equivalent(
                puzzle,
                "",
                runs.mean_of(TOURNAMENTS, LARGER, puzzle),
                runs.mean_of(TOURNAMENTS, BASE, puzzle),
                margin=READABLE,
                what=f"{puzzle.capitalize()}, nine tournament models",
            )
            for puzzle in PRINTED
        ],
    )
    where = "section 5"
    easy, hard = "easy", "difficult-21"
    gentle, strong = (
        {puzzle: runs.mean_of(TOURNAMENTS, setting, puzzle) for puzzle in (easy, hard)}
        for setting in (GENTLER, BASE)
    )
    low, high = f"rate {GENTLER.rate:g}:", f"rate {BASE.rate:g}:"
    yield from judged(
        [
            Contrast(
                "For easy puzzles a low mutation rate is preferable.",
                where,
                low,
                high,
                (gentle[easy], strong[easy]),
                lower_is_better=False,
                counted="seeds",
            ),
            Contrast(
                "For difficult puzzles a higher mutation rate helps.",
                where,
                high,
                low,
                (strong[hard], gentle[hard]),
                lower_is_better=False,
                counted="seeds",
            ),
        ]
    )
    most = VALUES["easy_low_rate_settles"]
    settled = np.concatenate([runs.settled(each, GENTLER, "easy") for each in TOURNAMENTS])
    interval = median_interval(settled)
    yield Claim(
        f"With the rate {GENTLER.rate:g} the easy puzzle settles in about {most} generations "
        "(as we read “around less than 6 generations”).",
        "section 7, experiment 4",
        within(interval, high=most),
        f"Nine tournament models: each run's best fitness is first there in generation "
        f"{np.median(settled):.0f} (median; interval {interval.low:.0f} to {interval.high:.0f}).",
    )


def _about_tournament_250(runs: Measured) -> Iterator[Claim]:
    where = "section 7, experiment 3, Figure 12"
    level, after = VALUES["easy_after_20"], VALUES["easy_after"]
    above = np.array([runs.curves_of(m, WIDER, "easy")[:, after] > level for m in TOURNAMENTS])
    yield share_claim(
        f"Easy puzzle: most configurations are above {level} after {after} generations.",
        where,
        Proportion.of(above.sum(axis=0) > len(TOURNAMENTS) / 2),
        above=0.5,
        because=f"{100 * above.mean():.0f} % of all runs are; seeds with at least five of nine: ",
    )
    yield fact(
        f"Easy puzzle: model 9 comes slightly above {VALUES['model_9_easy']}.",
        where,
        holds=ceiling("easy") > VALUES["model_9_easy"],
        because=f"With these givens no board can: the ceiling is {ceiling('easy'):.5f}. Highest "
        f"fitness in all of our runs: {runs.curves[:, 0].max():.5f}.",
    )
    seventh, eighth, ninth = TOURNAMENTS[6:9]
    yield _about(
        "Easy puzzle: model 7 reaches approximately", runs, seventh, "easy", "model_7_easy", where
    )
    settled = [runs.settled(each, WIDER, "easy") for each in (seventh, eighth, ninth)]
    yield all_of(
        "Easy puzzle: model 7 converges later than models 8 and 9.",
        where,
        judged(
            [
                Contrast("", "", f"model {number} settles in generation", "model 7 in", pair)
                for number, pair in ((8, (settled[1], settled[0])), (9, (settled[2], settled[0])))
            ]
        ),
    )
    where = "section 7, experiment 3, Figure 13"
    yield _about(
        "Medium puzzle: model 5 reaches approximately",
        *(runs, TOURNAMENTS[4], "medium", "model_5_medium", where),
    )


def _about(text: str, runs: Measured, model: Model, puzzle: str, value: str, where: str) -> Claim:
    """An "approximately" of two digits: the median must lie within half a digit of it."""
    wanted = VALUES[value]
    seen = runs.finals(model, WIDER, puzzle)
    interval = median_interval(seen)
    return Claim(
        f"{text} {wanted}.",
        where,
        within(interval, wanted - READABLE / 2, wanted + READABLE / 2),
        f"{model}, tournament {WIDER.tournament}: median {np.median(seen):.4f} (interval "
        f"{interval.low:.4f} to {interval.high:.4f}), {seen.min():.3f} to {seen.max():.3f} "
        f"in {len(seen)} runs.",
    )


# Its conclusions


def _about_the_end(runs: Measured, longer: Measured, elitism: Measured) -> Iterator[Claim]:
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
    yield all_of(
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
    solvable = [place for place, name in enumerate(PUZZLES) if ceiling(name) == 1.0]
    solved = runs.solved[:, solvable]
    yield share_claim(
        "The algorithm solves the puzzles effectively (more than half of the runs).",
        "section 9",
        Proportion.of(solved.ravel()),
        above=0.5,
        because=f"All {len(runs.arms)} settings on the medium and both difficult puzzles, "
        f"{GENERATIONS} generations: solved ",
    )
    medians = np.median(runs.final, axis=2)
    of_base = [runs.arms[name_of(model, BASE)] for model in ALL_MODELS]
    ranked = friedman(medians[of_base].T, lower_is_better=False)
    yield Claim(
        "Different operators affect how the algorithm converges.",
        "section 9",
        "holds" if ranked.p < 0.05 else "undecided",
        f"Friedman's test of the 27 models (medians, experiment 1) over {len(PUZZLES)} puzzles: "
        f"χ² = {ranked.statistic:.1f}, {p_words(ranked.p)}.",
    )
    yield all_of(
        "Elitism would improve the performance.",
        "section 9",
        judged(
            [
                Contrast(
                    puzzle,
                    "",
                    f"{puzzle.capitalize()}: with one elite",
                    "without",
                    (
                        elitism.mean_of(TOURNAMENTS, BASE, puzzle),
                        runs.mean_of(TOURNAMENTS, BASE, puzzle),
                    ),
                    lower_is_better=False,
                    counted="seeds",
                )
                for puzzle in PUZZLES
            ]
        ),
    )


def _listed(numbers: set[int]) -> str:
    words = [str(each) for each in sorted(numbers)]
    return " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))
