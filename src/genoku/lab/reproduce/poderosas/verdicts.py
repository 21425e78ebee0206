"""What report 000 claims, and what its own numbers and our runs say to it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import numpy as np

from genoku.lab.reproduce.claims import (
    Claim,
    Contrast,
    all_of,
    fact,
    judged,
    median_interval,
    share_claim,
    within,
)
from genoku.lab.reproduce.poderosas.conclusions import conclusions
from genoku.lab.reproduce.poderosas.experiments import (
    BASE,
    DECLARED_BEST,
    EXPERIMENTS,
    GENERATIONS,
    ORDERS,
    PRINTED,
    PUBLISHED,
    PUZZLES,
    READABLE,
    TOURNAMENTS,
    Measured,
    Model,
    of_selection,
    winners,
)
from genoku.lab.reproduce.poderosas.printed import about_the_puzzles, ceiling, numbers_of
from genoku.lab.reproduce.rules import best_of, equivalent
from genoku.lab.reproduce.words import interval_words
from genoku.lab.statistics import Proportion
from genoku.words import plural

VALUES = PUBLISHED["values"]
HOW_RANKED = {"roulette": "", "rank": "; rank linear, which is our choice"}
AFTER = 20
"""Generations that "after 80 generations" may be off."""

LARGER, WIDER, GENTLER = (each.setting for each in EXPERIMENTS[1:])


def claims(runs: Measured, longer: Measured, elitism: Measured) -> tuple[Claim, ...]:
    """All of them, in the order of the report."""
    return (
        *about_the_puzzles(),
        *_about_selection(runs),
        *_about_winners(runs),
        *_about_numbers(runs),
        *_about_tournament_250(runs),
        *conclusions(runs, longer, elitism),
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
                counted="seed",
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
        (fallen,) = judged(
            [
                Contrast(
                    f"On the easy puzzle, {selection} makes the fitness fall over the generations"
                    f"{HOW_RANKED[selection]}.",
                    where,
                    "Generation 0:",
                    f"generation {GENERATIONS}:",
                    (first, means[selection, "easy"]),
                    lower_is_better=False,
                    counted="seed",
                    paired=True,
                )
            ]
        )
        yield _with_its_own(selection, fallen)


def _with_its_own(selection: str, claim: Claim) -> Claim:
    """What it saw in its own runs, ours fail to show only if the selection is the same.

    How it ranks is not said, so that with rank the claim cannot fail.
    """
    if claim.verdict != "fails":
        return claim
    if selection == "rank":
        more = " It rises with our rank; how the report ranks is not said, so its may be another."
        return replace(claim, verdict="undecided", because=claim.because + more)
    more = f" It rises with {selection} as its text has it; its code may have had another."
    return replace(claim, because=claim.because + more)


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
        others = {
            each
            for selection in ORDERS["selection"]
            for each in numbers_of(model._replace(selection=selection))
        }
        yield fact(
            f"Model {number} is single point crossover with block swap.",
            "section 7, experiment 4",
            holds=number in others,
            because=f"With the three lists in the report's order, that pair with "
            f"{model.selection} selection has the number {_listed(fitting)}, however the lists "
            f"are nested; all selections together give {_listed(others)}.",
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
    parts = judged(
        [
            Contrast(
                "",
                where,
                f"{selection.capitalize()}, rate {first.rate:g}:",
                f"rate {second.rate:g}:",
                (
                    runs.mean_of(of_selection(selection), first, puzzle),
                    runs.mean_of(of_selection(selection), second, puzzle),
                ),
                lower_is_better=False,
                counted="seed",
            )
            for puzzle, first, second in ((easy, GENTLER, BASE), (hard, BASE, GENTLER))
            for selection in ORDERS["selection"]
        ]
    )
    experimented = ORDERS["selection"].index("tournament")
    for text, own in (
        ("For easy puzzles a low mutation rate is preferable", parts[:3]),
        ("For difficult puzzles a higher mutation rate helps", parts[3:]),
    ):
        yield replace(
            own[experimented], text=f"{text}, with tournament selection, as in its experiments."
        )
        yield all_of(f"{text}, with each of its three selections.", where, own)
    most = VALUES["easy_low_rate_settles"]
    of_seeds = np.median([runs.settled(each, GENTLER, "easy") for each in TOURNAMENTS], axis=0)
    interval = median_interval(of_seeds)
    yield Claim(
        f"With the rate {GENTLER.rate:g} the easy puzzle settles in less than {most} generations "
        f"(“around less than {most} generations”).",
        "section 7, experiment 4",
        within(interval, high=most - 1),
        "The generation in which a run first has its best fitness, the median of the nine "
        f"tournament models of each seed: {np.median(of_seeds):.0f} (median of "
        f"{plural(len(of_seeds), 'seed')}; {interval_words(interval, '.0f')}).",
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
    said = VALUES["model_7_settles"]
    interval = median_interval(settled[0])
    yield Claim(
        f"Easy puzzle: model 7 has its maximum after {said} generations.",
        where,
        within(interval, said - AFTER, said + AFTER),
        f"Its best fitness is first there in generation {np.median(settled[0]):.0f} (median; "
        f"{interval_words(interval, '.0f')}; we ask: {said - AFTER} to {said + AFTER}).",
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
        f"{model}, tournament {WIDER.tournament}: median {np.median(seen):.4f} "
        f"({interval_words(interval, '.4f')}), {seen.min():.3f} to {seen.max():.3f} in "
        f"{plural(len(seen), 'run')}.",
    )


def _listed(numbers: set[int]) -> str:
    words = [str(each) for each in sorted(numbers)]
    return " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))
