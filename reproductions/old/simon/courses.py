"""How report 003's runs go: curves, rates, populations, and when they stop improving."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from genoku.history import Record
from genoku.lab.charts import Level, Lines, Series, numbers
from genoku.lab.page import Cell, Column, Figure, Part, Table
from genoku.lab.statistics import Proportion
from genoku.loop import run
from genoku.preset_library import preset
from genoku.words import plural
from reproductions.old.bands import band
from reproductions.old.simon.experiments import (
    ARM_OF,
    LONG,
    RATES,
    RUNS,
    SHORT,
    T2,
    T20,
    ULTRA,
    constant,
    replayed,
)
from reproductions.old.simon.measured import Measured


def courses(seen: Measured) -> list[Part]:
    upto = SHORT + 1
    arms = {"tournament 2": seen.nine[T2], "tournament 20": seen.nine[T20]}
    fitness: list[Series] = []
    rates: list[Series] = []
    for place, (name, curves) in enumerate(arms.items()):
        fitness.append(band(f"best, {name}", curves.best[:, :upto], place))
        fitness.append(band(f"mean, {name}", curves.mean[:, :upto], place + 2, style="dashed"))
        rates.append(band(name, curves.rate[:, :upto], place))
    for place, name in enumerate(("run_1", "run_5")):
        rate = replayed(RUNS[name]["improved"], SHORT)
        x = np.arange(len(rate))
        label = f"published {name}, replayed"
        rates.append(Series(label, numbers(x), numbers(rate), style="steps", colour=place + 2))
    return [
        Figure(
            Lines("Best and mean fitness", "generation", "fitness", tuple(fitness)),
            "Medians and quartiles over our runs. The best is kept, so that it never falls; the "
            "mean can.",
        ),
        Figure(
            Lines("Mutation rate", "generation", "rate", tuple(rates), y_limits=(0.0, 1.0)),
            "The mutation rate: medians and quartiles of ours, and the rates of two published "
            "runs, replayed from the generations in which their logs improve.",
        ),
        Figure(
            tuple(_population(name, title) for name, title in SHOWN),
            "Every individual of one run (a sample of them), with the mean and the best: the "
            "report's Matlab plots.",
        ),
    ]


def rates(readings: Mapping[str, Measured]) -> Table:
    """The rising rate beside constant ones."""
    rows: list[tuple[Cell, ...]] = []
    for version, seen in readings.items():
        rows.append((f"elite {version}",))
        for name in (T2, *map(constant, RATES)):
            curves = seen.nine[name]
            best = curves.best_at(SHORT)
            rows.append(
                (
                    "rising" if name == T2 else name.removeprefix("constant rate "),
                    float(curves.rate[:, : SHORT + 1].mean()),
                    float(best.mean()),
                    float(best.std(ddof=1)) if len(best) > 1 else None,
                    float(curves.mean[:, SHORT].mean()),
                    len(best),
                )
            )
    return Table(
        (
            Column("mutation rate", align="left"),
            Column("rate", "on average", decimals=2),
            Column("best", "mean of runs", decimals=1),
            Column("best", "sd", decimals=1),
            Column("mean fitness", f"at {SHORT}", decimals=1),
            "runs",
        ),
        tuple(rows),
        f"Fitness after {SHORT} generations (200 boards, tournament 2) with the rate that rises "
        "when nothing improves and with rates that never change.",
    )


SHOWN = (("simon", "Tournament 2 (as runs 1 to 3)"), ("simon-t20", "Tournament 20 (as 4 and 5)"))


def _population(name: str, title: str) -> Lines:
    """All fitnesses of a seeded run, as the report's log has them."""
    chosen = preset(name)
    whole = Record(fields=("gen", "best", "mean"), individuals=True)
    made = run(chosen.puzzle, chosen.build(), seed=1, until=f"generations={SHORT}", record=whole)
    most = 3 * chosen.puzzle.geometry.cells
    people = made.people[:: max(1, len(made.people) // 900)]
    x = numbers(made.history["gen"])
    mean, best = (numbers(most - made.history[field]) for field in ("mean", "best"))
    cloud = numbers(people[:, 0]), numbers(most - people[:, 2])
    return Lines(
        title,
        "generation",
        "fitness",
        (
            Series("individuals", *cloud, style="points", colour=7),
            Series("mean", x, mean, colour=1),
            Series("best", x, best, colour=0),
        ),
    )


def stagnation(seen: Measured) -> list[Part]:
    rows: list[tuple[Cell, ...]] = []
    series: list[Series] = []
    for place, ((size, tournament), name) in enumerate(ARM_OF.items()):
        curves = seen.nine[name]
        counts = [curves.improvements(*span) for span in SPANS]
        later = Proportion.of(counts[-1] > 0)
        rows.append(
            (
                f"{size}, {tournament}",
                *(float(np.median(curves.best_at(at))) for at in (SHORT, LONG, ULTRA)),
                *(float(each.mean()) for each in counts),
                str(later),
            )
        )
        label = f"{size} boards, tournament {tournament}"
        series.append(band(label, curves.best, place))
    return [
        Table(
            (
                Column("setting", "boards, tournament", align="left"),
                *(Column("best", f"at {at}") for at in (SHORT, LONG, ULTRA)),
                *(Column("better", f"{a} to {b}", decimals=2) for a, b in SPANS),
                Column("runs", f"better after {LONG}"),
            ),
            tuple(rows),
            "Median best fitness at a generation, mean number of improvements in a span of them, "
            f"and how many of {plural(len(seen.nine[T2].best), 'run')} improve after generation "
            f"{LONG}.",
        ),
        Figure(
            Lines(
                "Best fitness of long runs",
                "generation",
                "fitness",
                tuple(series),
                levels=(Level(243, "solved"),),
            ),
            "Medians and quartiles over our runs.",
        ),
    ]


SPANS = ((250, SHORT), (SHORT, LONG), (LONG, ULTRA))
