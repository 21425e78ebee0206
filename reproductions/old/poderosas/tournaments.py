"""What report 000 says of experiments 3 and 4: tournaments of 250, and a low mutation rate."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genoku.lab.statistics import Proportion
from genoku.words import plural
from reproductions.old.claims import (
    Claim,
    Contrast,
    all_of,
    fact,
    judged,
    median_interval,
    share_claim,
    within,
)
from reproductions.old.poderosas.experiments import (
    BASE,
    GENTLER,
    PUBLISHED,
    READABLE,
    TOURNAMENTS,
    WIDER,
    Model,
)
from reproductions.old.poderosas.measured import Measured
from reproductions.old.poderosas.printed import ceiling
from reproductions.old.poderosas.reading import over_readings
from reproductions.old.poderosas.stable import quick, stable
from reproductions.old.words import interval_words

VALUES = PUBLISHED["values"]
AFTER = 20
"""Generations that "after 80 generations" may be off."""


def about_tournament_250(runs: Measured) -> Iterator[Claim]:
    where, easy = "section 7, experiment 3, Figure 12", "easy"
    seventh, eighth, ninth = TOURNAMENTS[6:9]
    yield over_readings(
        f"Easy puzzle: most configurations are above {VALUES['easy_after_20']} after "
        f"{VALUES['easy_after']} generations.",
        where,
        runs,
        _most_above,
        easy=True,
    )
    highest = max(curves.max() for (_, puzzle), curves in runs.curves.items() if puzzle == easy)
    yield fact(
        f"Easy puzzle: model 9 comes slightly above {VALUES['model_9_easy']}.",
        where,
        holds=ceiling(easy) > VALUES["model_9_easy"],
        because=f"With these givens no board can: the ceiling is {ceiling(easy):.5f}. Highest "
        f"fitness in all of our runs: {highest:.5f}.",
    )
    for number, model in ((9, ninth), (7, seventh)):
        if number == 9:
            yield quick(
                f"Easy puzzle: model {number} converges quickly", where, runs, model, WIDER, easy
            )
        yield stable(f"Easy puzzle: model {number} is stable", where, runs, model, WIDER, [easy])
    yield _about(
        "Easy puzzle: model 7 reaches approximately", runs, seventh, easy, "model_7_easy", where
    )
    yield over_readings(
        "Easy puzzle: model 7 converges later than models 8 and 9.",
        where,
        runs,
        lambda read: _later(read, seventh, {8: eighth, 9: ninth}),
        easy=True,
    )
    said = VALUES["model_7_settles"]
    yield over_readings(
        f"Easy puzzle: model 7 has its maximum after {said} generations.",
        where,
        runs,
        lambda read: _settles(
            read.settled(seventh, WIDER, easy), said - AFTER, said + AFTER, "run"
        ),
        easy=True,
    )
    where, fifth = "section 7, experiment 3, Figure 13", TOURNAMENTS[4]
    yield _about(
        "Medium puzzle: model 5 reaches approximately",
        *(runs, fifth, "medium", "model_5_medium", where),
    )
    yield quick("Medium puzzle: model 5 converges quickly", where, runs, fifth, WIDER, "medium")
    yield stable("Medium puzzle: model 5 is stable", where, runs, fifth, WIDER, ["medium"])


def _most_above(read: Measured) -> Claim:
    level, after = VALUES["easy_after_20"], VALUES["easy_after"]
    above = np.array([read.curves_of(m, WIDER, "easy")[:, after] > level for m in TOURNAMENTS])
    return share_claim(
        "",
        "",
        Proportion.of(above.sum(axis=0) > len(TOURNAMENTS) / 2),
        above=0.5,
        because=f"{100 * above.mean():.0f} % of all runs are; seeds with at least five of nine: ",
    )


def _later(read: Measured, late: Model, early: dict[int, Model]) -> Claim:
    mine = read.settled(late, WIDER, "easy")
    pairs = {number: (read.settled(each, WIDER, "easy"), mine) for number, each in early.items()}
    contrasts = [
        Contrast("", "", f"model {number} settles in generation", "model 7 in", pair)
        for number, pair in pairs.items()
    ]
    return all_of("", "", judged(contrasts))


def _settles(generations: NDArray[Any], low: float, high: float, counted: str) -> Claim:
    interval = median_interval(generations)
    asked = f"{low} to {high}" if low > 0 else f"{high} or less"
    return Claim(
        "",
        "",
        within(interval, low, high),
        f"The best fitness is first there in generation {np.median(generations):.0f} (median of "
        f"{plural(len(generations), counted)}; {interval_words(interval, '.0f')}; asked: {asked}).",
    )


def _about(text: str, runs: Measured, model: Model, puzzle: str, value: str, where: str) -> Claim:
    """An "approximately" of two digits: the median must lie within half a digit of it."""
    wanted = VALUES[value]

    def judge(read: Measured) -> Claim:
        seen = read.finals(model, WIDER, puzzle)
        interval = median_interval(seen)
        return Claim(
            "",
            "",
            within(interval, wanted - READABLE / 2, wanted + READABLE / 2),
            f"Median {np.median(seen):.4f} ({interval_words(interval, '.4f')}), {seen.min():.3f} "
            f"to {seen.max():.3f} in {plural(len(seen), 'run')}.",
        )

    return over_readings(f"{text} {wanted}.", where, runs, judge, easy=puzzle == "easy")


def about_the_low_rate(runs: Measured) -> Iterator[Claim]:
    where, most = "section 7, experiment 4, Figure 15", VALUES["easy_low_rate_settles"]
    yield over_readings(
        f"With the rate {GENTLER.rate:g} the easy puzzle settles in less than {most} generations "
        f"(“around less than {most} generations”).",
        where,
        runs,
        lambda read: _settles(read.settling(GENTLER, "easy"), 0, most - 1, "seed"),
        easy=True,
    )
    yield over_readings(
        f"With the rate {GENTLER.rate:g} the easy puzzle is less stable than with the rate "
        f"{BASE.rate:g} (“a decrease on … stability”, as it stands).",
        where,
        runs,
        _less_stable,
        easy=True,
    )


def _less_stable(read: Measured) -> Claim:
    swings = [
        np.mean([read.swing(each, setting, "easy") for each in TOURNAMENTS], axis=0)
        for setting in (GENTLER, BASE)
    ]
    words = f"Range after the peak, rate {GENTLER.rate:g}:", f"rate {BASE.rate:g}:"
    contrast = Contrast("", "", *words, (swings[0], swings[1]), False, "seed")
    return judged([contrast])[0]
