"""Report 003's page: its runs and ours side by side."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from genoku.lab.charts import Boards, BoardView, Heat, Level, Lines, Range, Ranges
from genoku.lab.page import Cell, Column, Figure, Part, Section, Table
from genoku.lab.statistics import Proportion, describe, running_time
from genoku.lab.study import Study
from genoku.preset_library import preset
from reproductions.old.bands import band
from reproductions.old.places import percentile
from reproductions.old.simon.courses import courses, rates, stagnation
from reproductions.old.simon.experiments import (
    CODED,
    FITNESSES,
    MUTATIONS,
    ONE_BOX,
    PUBLISHED,
    RUNS,
    SHORT,
    T2,
    TWO_BOXES,
    Curves,
    answer,
    expected_start,
    line_chance,
)
from reproductions.old.simon.measured import Measured, fitness_of

MIDDLE = (0.025, 0.975)


def sections(readings: Mapping[str, Measured], puzzles: Study) -> tuple[Section, ...]:
    seen = readings[CODED]
    return (
        Section("What the report did", (ABOUT, _left_open())),
        Section("Its best boards among ours", tuple(_bests(seen))),
        Section("How a run goes", (*courses(seen), rates(readings))),
        Section("When it stops improving", tuple(stagnation(seen))),
        Section("Larger boards", tuple(_larger(seen))),
        Section("Section E: real puzzles", tuple(_puzzles(seen, puzzles))),
        Section("What the author asked for", tuple(_answer(seen))),
    )


ABOUT = """
Glen Simon (CSE 848, homework 4, October 2017) fills an *empty* board of any size. Every box is a
permutation from the start; the fitness gives each cell a point for every complete row, column and
box it is in: N² for the boxes, N for every complete line, 3N² when solved. Parents come from
tournaments, children from one cut between boxes, the old and the new mutate together by
a fresh shuffle of one box, and tournaments draw the next population, with the best board kept. The
mutation rate rises while nothing improves and is halved when something does. The report gives a
table of six 9×9 runs and three 16×16 runs, one run for each setting or three; its public code came
with logs, from which we know when each run improved.

Figures and tables show runs that follow its code. Its text can be read so that the elite is the
best board of the mutated pool, not of the old population; claims about the system are asked of
both readings, and undecided where they do not agree.

Every run here goes on for longer than the report's: a run does not know when it will be ended, so
its first 500 generations *are* a run of 500.
"""


def _left_open() -> str:
    chosen = preset("simon")
    section_e = preset("simon-puzzle").left_open[-1:]
    items = [*chosen.left_open, *section_e, *chosen.differs]
    return "What it left open, and what we chose:\n\n" + "\n".join(f"- {each}" for each in items)


def _bests(seen: Measured) -> list[Part]:
    rows: list[tuple[Cell, ...]] = []
    ranges: list[Range] = []
    for name, published in RUNS.items():
        ours = seen.bests(published)
        about = describe(ours)
        low, high = np.quantile(ours, MIDDLE, method="inverted_cdf")
        size = "{population} × {generations}, {tournament}".format(**published)
        rows.append(
            (
                name,
                size,
                published["best"],
                about.n,
                about.median,
                f"{about.lower_quartile:g} to {about.upper_quartile:g}",
                percentile(ours, published["best"]),
            )
        )
        if published["side"] == 9:
            ranges.append(Range(name, about.median, float(low), float(high), MEASURED, 0))
            ranges.append(Range(name, published["best"], None, None, "published", 1))
    starts = [
        (
            f"{side}×{side}",
            expected_start(side),
            ", ".join(
                f"{each['mean_at_start']:.2f}"
                for each in RUNS.values()
                if each["side"] == side and "mean_at_start" in each
            ),
            float(curves.mean[:, 0].mean()),
            float(curves.mean[:, 0].std(ddof=1)),
            len(curves.mean),
        )
        for side, curves in (
            (9, seen.nine[T2]),
            (16, seen.sixteen[ONE_BOX]),
            (25, seen.twenty_five),
        )
    ]
    boards = tuple(
        BoardView.of(f"{each['name']}: {fitness:g}", puzzle, board)
        for each in PUBLISHED["boards"][:3]
        for fitness, board, puzzle in [fitness_of(each["cells"])]
    )
    return [
        "Each published run is one draw from a wide distribution. The last column says where it "
        "stands in ours: at percentile 50, as many of our runs are better as are worse. The ultra "
        "long run is not in the report; its picture lies among the logs. The 25×25 value is from "
        "its log.",
        Table(
            (
                "run",
                Column("size", "boards × gen., tourn."),
                Column("best", "published"),
                Column("runs", "ours"),
                Column("median", "ours"),
                Column("quartiles", "ours"),
                Column("place", "percentile", decimals=0),
            ),
            tuple(rows),
            "Best fitness, published and measured.",
        ),
        Figure(
            Ranges(
                "Best fitness of the 9×9 runs",
                "fitness",
                tuple(ranges),
                levels=(Level(243, "solved"),),
            ),
            "Published bests beside our medians and the middle 95 % of our runs.",
        ),
        Table(
            (
                Column("board", align="left"),
                Column("expected", decimals=3),
                "published logs",
                Column("mean", "ours", decimals=3),
                Column("sd", "ours", decimals=3),
                Column("runs", "ours"),
            ),
            tuple(starts),
            "Mean fitness of the first population: what shuffled boxes give on average, what the "
            f"logs have, what we have. Chance completes a row once in {1 / line_chance(9):.0f} "
            f"times at 9×9, once in {1 / line_chance(16):,.0f} at 16×16, and once in "
            f"{1 / line_chance(25):,.0f} at 25×25.",
        ),
        Figure(
            Boards("Boards printed in the report", boards),
            "The printed boards in the report's own colours: cells in one, two and three complete "
            "units. Their fitness, computed, is the printed one.",
        ),
    ]


MEASURED = "measured: median, middle 95 %"


def _larger(seen: Measured) -> list[Part]:
    sixteen, wider, huge = seen.sixteen[ONE_BOX], seen.sixteen[TWO_BOXES], seen.twenty_five
    last = huge.best.shape[1] - 1
    rows = [
        _above("16×16, one box per mutation", sixteen, 256, SHORT),
        _above("16×16, two boxes", wider, 256, SHORT),
        _above("25×25, one box", huge, 625, RUNS["25x25 run_1"]["generations"]),
        _above("25×25, one box", huge, 625, last),
    ]
    return [
        "A 25×25 run starts, as nearly every random board does, without a complete line, and the "
        "fitness sees nothing less than a complete line: as long as that is so, all boards are "
        "equal, and selection has nothing to choose.",
        Table(
            (
                Column("board", align="left"),
                Column("gen."),
                "runs",
                "above the base",
                Column("best", "median"),
                Column("best", "of all"),
            ),
            tuple(rows),
            "What larger boards reach.",
        ),
        Figure(
            Lines(
                "Best fitness at 16×16",
                "generation",
                "fitness",
                (
                    band("one box per mutation", sixteen.best, 0),
                    band("two boxes per mutation", wider.best, 1),
                ),
                levels=tuple(
                    Level(each["best"], each["name"])
                    for each in RUNS.values()
                    if each["side"] == 16
                ),
            ),
            "Medians and quartiles, with the published bests.",
        ),
    ]


def _above(name: str, curves: Curves, base: int, at: int) -> tuple[Cell, ...]:
    best = curves.best_at(at)
    above = Proportion.of(best > base)
    return name, at, len(best), str(above), float(np.median(best)), float(best.max())


def _puzzles(seen: Measured, study: Study) -> list[Part]:
    rows = []
    for place, instance in enumerate(study.instances):
        for which, each in enumerate(study.arms):
            runs = seen.puzzles.of(arm=which, instance=place)
            time = running_time(runs.evaluations, runs.solved)
            low, high = time.success.wilson()
            rows.append(
                (
                    instance.name,
                    each.name,
                    str(time.success),
                    f"{100 * low:.0f} to {100 * high:.0f} %",
                    time.value,
                    float(np.median(runs.score)),
                )
            )
    return [
        "The report only sketches how real puzzles would be solved; `simon-puzzle` is our reading, "
        "with the constants of its short runs and of its ultra long one.",
        Table(
            (
                "puzzle",
                Column("size", "boards × gen.", align="left"),
                "solved",
                Column("interval", "95 %"),
                Column("evaluations", "per solution"),
                Column("best", "median"),
            ),
            tuple(rows),
            "Runs on real puzzles; evaluations of all runs per solved one.",
        ),
    ]


def _answer(seen: Measured) -> list[Part]:
    shares: list[list[float]] = []
    texts: list[list[str]] = []
    columns = [(mutation, size) for mutation in MUTATIONS for size in (2, 20)]
    for fitness in FITNESSES:
        found = [
            Proportion.of(seen.answers[answer(fitness, mutation, size)].solved)
            for mutation, size in columns
        ]
        shares.append([100 * each.share for each in found])
        texts.append([f"{each.successes} of {each.runs}" for each in found])
    changed = answer("missing digits", "swap in a box", 20)
    both = Proportion.of(seen.answers[changed].solved)
    low, high = both.wilson()
    return [
        "The author never found an optimal board, and asks whoever did for the method. Two changes "
        "are tried here, each a line of a recipe, in 500 generations of 200 boards as before. "
        "A shuffle of a box disturbs its three rows and three columns at once; a swap of two "
        "cells changes four lines at most. And complete lines as the only measure hide all "
        "progress between one line and the next; missing digits show it. "
        f"With both, and tournaments of 20, {both} runs end with a solved board (interval "
        f"{100 * low:.0f} to {100 * high:.0f} %).",
        Figure(
            Heat(
                "Runs that end with a solved board, of 500 generations",
                "mutation and tournament",
                "fitness",
                tuple(f"{mutation}, {size}" for mutation, size in columns),
                tuple(FITNESSES),
                tuple(tuple(row) for row in shares),
                "% solved",
                tuple(tuple(row) for row in texts),
                low=0.0,
                high=100.0,
            ),
            "The report's system is the cell at the upper left. Everything else, population, "
            "crossover and the rule for the rate, is as it was.",
        ),
    ]
