"""The page about report 002: what it did, and its tables beside ours."""

from __future__ import annotations

import numpy as np

from genoku.lab.charts import Level, Lines, Range, Ranges, Series
from genoku.lab.page import Column, Details, Figure, Part, Section, Table
from genoku.lab.statistics import Moments, Sample
from genoku.preset_library import preset
from genoku.words import plural
from reproductions.old.bands import band
from reproductions.old.charles.comparisons import comparisons, same_algorithm, solved
from reproductions.old.charles.experiments import (
    BY_ID,
    CODED,
    EXPERIMENTS,
    GENERATIONS,
    LONG,
    PUBLISHED,
    RUNS,
    VALUES,
    VERSIONS,
    WORDS,
    Experiment,
    Measured,
    Setting,
    Value,
    welch_p,
)
from reproductions.old.charles.recommendations import USUAL
from reproductions.old.charles.verdicts import agreement
from reproductions.old.claims import ALPHA, TOO_FEW
from reproductions.old.words import p_words

GROUPS = {
    "1": "fitness and selection",
    "2": "crossover",
    "3": "mutation",
    "4": "puzzles",
    "5": "population",
    "6": "elitism",
}


def sections(runs: Measured) -> tuple[Section, ...]:
    return (
        _what_it_did(),
        _set_up(runs),
        _agreement(runs),
        *(_group(number, runs) for number in GROUPS),
        comparisons(runs),
        same_algorithm(),
        solved(runs),
    )


def _what_it_did() -> Section:
    rows = tuple(
        (
            each.id,
            each.about,
            ", ".join(
                f"{value.label} {value.moments.mean:.3f} ± {value.moments.sd:.3f}"
                for value in each.values
            ),
        )
        for each in EXPERIMENTS
    )
    return Section(
        "What the report did",
        (
            "It asked which fitness function, selection, crossover, mutation and population "
            "serve a genetic algorithm for Sudoku best, and whether elitism helps. A population "
            f"of {PUBLISHED['population']:,} ran {GENERATIONS} generations, {RUNS} times each, on "
            "one hard puzzle unless said otherwise. Results are means of the normalized loss (0 is "
            "solved), compared by t-tests, one choice after the other: the winner of each "
            "experiment goes into the next.",
            Details(
                "All published values",
                (
                    Table(
                        ("experiment", "varied", "normalized loss, mean ± standard deviation"),
                        rows,
                        f"As published, {RUNS} runs each. The table of experiment 4 prints a "
                        "crossover probability of 0.07, its chart 0.7.",
                    ),
                ),
            ),
        ),
    )


def _set_up(runs: Measured) -> Section:
    coded = preset("charles-as-coded")
    choices = "\n".join(f"- {each}" for each in (*coded.left_open, *coded.differs))
    seeds = len(runs.of(USUAL, CODED).losses)
    return Section(
        "Set-up, and what had to be chosen",
        (
            f"Every setting runs with {plural(seeds, 'seed')}. The published code does not quite "
            "do what the text says, so everything is run twice: **as coded**, which is what its "
            "tables come from, and **as described**. Where the two do not agree, a claim is "
            "undecided.",
            choices,
            "Unique and repetitions are one function, U and 243 − U: boards are ordered alike, "
            "and rank and tournament selection look at the order only. With these the two are the "
            "same runs here, seed by seed, and the report's own differences between them are "
            "chance.",
        ),
    )


def _agreement(runs: Measured) -> Section:
    if len(runs.of(USUAL, CODED).losses) < 2:
        return Section("Are these the same algorithms?", (f"{TOO_FEW}.",))
    told = {}
    for version in VERSIONS:
        differing = [
            f"{value.experiment} {value.label}"
            for value, p in zip(VALUES, agreement(runs, version), strict=True)
            if p < ALPHA
        ]
        named = f": {', '.join(differing)}" if differing else ""
        told[version] = f"**{version}** {len(differing)} of {len(VALUES)} differ{named}"
    distances = {
        version: [
            value.moments.mean - float(runs.of(value.setting, version).losses.mean())
            for value in VALUES
        ]
        for version in VERSIONS
    }
    root = {name: float(np.sqrt(np.mean(np.square(d)))) for name, d in distances.items()}
    return Section(
        "Are these the same algorithms?",
        (
            "Each published mean against ours, by Welch's t-test from its mean, deviation and "
            f"five runs, with Holm's correction over all {len(VALUES)}: "
            + "; ".join(told.values())
            + ". Root mean square distance between published and measured means: "
            + ", ".join(f"{name} {value:.4f}" for name, value in root.items())
            + f" (chance alone moves a mean of five runs by {_usual_error(runs):.4f}).",
        ),
    )


def _usual_error(runs: Measured) -> float:
    """The standard error of means of five of our runs, as a root mean square."""
    spreads = [Moments.of(runs.of(value.setting, CODED).losses).sd for value in VALUES]
    return float(np.sqrt(np.mean(np.square(spreads)) / RUNS))


def _ranges(chosen: list[Experiment], runs: Measured, title: str) -> Ranges:
    ranges = []
    for each in chosen:
        for value in each.values:
            name = f"{each.id} {value.label}"
            ranges.append(_range(name, value.moments, f"published ({RUNS} runs)"))
            for version in VERSIONS:
                losses = runs.of(value.setting, version).losses
                ranges.append(_range(name, Moments.of(losses), f"ours, {version} ({len(losses)})"))
    return Ranges(title, "normalized loss, mean ± standard deviation", tuple(ranges))


def _range(name: str, moments: Moments, series: str) -> Range:
    if moments.n < 2:
        return Range(name, moments.mean, None, None, series)
    return Range(name, moments.mean, moments.mean - moments.sd, moments.mean + moments.sd, series)


def _group(number: str, runs: Measured) -> Section:
    chosen = [each for each in EXPERIMENTS if each.id.startswith(f"{number}.")]
    rows = []
    for each in chosen:
        for place, value in enumerate(each.values):
            cells = [Moments.of(runs.of(value.setting, version).losses) for version in VERSIONS]
            about = each.about.partition(": ")[2] if not place else ""
            named = (each.id if not place else "", about, value.label)
            rows.append((*named, *map(_shown, (value.moments, *cells))))
    table = Table(
        (
            Column("experiment", align="left"),
            "",
            "value",
            Column("published", f"{RUNS} runs"),
            *(
                Column(f"ours, {name}", plural(len(runs.of(USUAL, name).losses), "run"))
                for name in VERSIONS
            ),
        ),
        tuple(rows),
        "Normalized loss at the end of a run, mean ± standard deviation.",
    )
    about = GROUPS[number]
    parts: list[Part] = [
        Figure(
            _ranges(chosen, runs, f"Experiment {number}: {about}"),
            "Published beside measured; a bar is a standard deviation to either side.",
        ),
        table,
    ]
    if number == "1":
        parts.append(_selection_curves(runs))
    if number == "5":
        parts += _population_parts(runs)
    return Section(f"Experiment {number}: {about}", tuple(parts))


def _shown(moments: Moments) -> str:
    """Mean and standard deviation, which a single run does not have."""
    return f"{moments.mean:.3f}" + (f" ± {moments.sd:.3f}" if moments.n > 1 else "")


def _series(name: str, setting: Setting, runs: Measured, colour: int) -> Series:
    own = runs.of(setting, CODED)
    return band(name, own.curves, colour, x=np.arange(own.curves.shape[1]) * own.every)


def _selection_curves(runs: Measured) -> Figure:
    charts = []
    for fitness in ("unique", "unique-squared"):
        settings = [
            USUAL._replace(fitness=fitness, mutation="uniform", selection=selection)
            for selection in ("roulette", "tournament", "rank")
        ]
        series = tuple(
            _series(WORDS.get(each.selection, each.selection), each, runs, place)
            for place, each in enumerate(settings)
        )
        title = f"Loss by generation: {WORDS.get(fitness, fitness)}"
        charts.append(Lines(title, "generation", "normalized loss", series))
    return Figure(
        tuple(charts),
        "Median and quartiles of our runs, as coded.",
    )


def _population_parts(runs: Measured) -> list[Part]:
    charts = []
    rows = []
    for id_ in ("5.1", "5.2"):
        values = BY_ID[id_].values
        series = tuple(
            _series(value.label, value.setting, runs, place) for place, value in enumerate(values)
        )
        fitness = values[0].setting.same.fitness
        charts.append(
            Lines(
                f"Experiment {id_}: {WORDS.get(fitness, fitness)}",
                "generation",
                "normalized loss",
                series,
                levels=(Level(GENERATIONS, "the text's budget", "x"),),
            )
        )
        for value in values:
            own = runs.of(value.setting, CODED)
            rows.append(
                (
                    id_,
                    value.setting.population,
                    f"{value.moments.mean:.3f} ± {value.moments.sd:.3f}",
                    *_compared(value, own.after(GENERATIONS)),
                    *_compared(value, own.after(LONG)),
                    value.seconds,
                    float(own.cpu_seconds.mean()),
                )
            )
    table = Table(
        (
            "",
            "population",
            "published",
            Column("ours", f"after {GENERATIONS}"),
            Column("p"),
            Column("ours", f"after {LONG:,}"),
            Column("p"),
            Column("its time", "s", 1),
            Column("our CPU", "s", 3),
        ),
        tuple(rows),
        "Which budget gives what was published: mean losses after so many generations, and "
        "Welch's p against the published mean, not corrected.",
    )
    figure = Figure(
        tuple(charts),
        f"The text gives this experiment {GENERATIONS} generations, its charts {LONG:,}.",
    )
    return [figure, table]


def _compared(value: Value, losses: Sample) -> tuple[str, str]:
    """Our mean, and whether it can be told from the published one."""
    p = p_words(welch_p(value.moments, losses)).lstrip("p= ") if len(losses) > 1 else "–"
    return f"{losses.mean():.3f}", p
