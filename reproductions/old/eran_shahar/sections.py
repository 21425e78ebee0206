"""Report 001's page: two algorithms, four boards, and averages that do not fit together."""

from __future__ import annotations

from itertools import product

import numpy as np

from genoku.collection import bundled
from genoku.encoding import LegalCells
from genoku.lab.charts import Box, Boxes, Level, Lines, Range, Ranges, Series, numbers
from genoku.lab.page import Cell, Column, Figure, Part, Section, Table
from genoku.lab.statistics import Proportion, ecdf
from genoku.preset_library import preset
from genoku.rating import rate
from genoku.words import plural
from reproductions.old.eran_shahar.experiments import (
    ALGORITHMS,
    CHOICES,
    FAILS,
    GENETIC,
    GOES_ON,
    HARDER,
    LARGER,
    LEVELS,
    POPULATION,
    PUBLISHED_AS,
    READINGS,
    Attempts,
    Measured,
    average,
    published_ratio,
)
from reproductions.old.eran_shahar.verdicts import (
    MEASURES,
    drawn_quotients,
    published_quotients,
    quotient_chances,
    ratio_of,
)
from reproductions.old.ratios import RULE
from reproductions.old.words import spanned


def sections(seen: Measured) -> tuple[Section, ...]:
    return (
        Section("What the report did", tuple(_about())),
        Section("Running times", tuple(_times(seen))),
        Section("How many times faster", tuple(_ratios(seen))),
        Section("40 attempts and 80", tuple(_quotients(seen))),
        Section("What a single start does", tuple(_starts(seen))),
        Section("What the open choices decide", tuple(_choices(seen))),
    )


ABOUT = """
Eran and Shahar compare a genetic algorithm with what they call simulated annealing: a search that
gives the worst cell its best legal digit, and now and then, with a falling probability, makes it
worse. Both keep the givens and fill blanks with digits that no given forbids; both count
contradictions. Two tables give average running times over 40 and over 80 attempts at four boards.

What the annealing does where no cell can be improved, the report says twice: it "outputs failure",
and its loop "continues until a solution is found". Both cannot be, so both are measured. One
reading *fails*: it ends there, and since the report solves every board we start it again, which
the report does not mention. The other *goes on*, which we read as a downhill move in a random
cell. A claim that depends on the reading is undecided.

Which boards, which machine and which language is not said, nor how large the population was. So
milliseconds cannot be compared, only ratios and orders. Averages without a spread cannot be
tested at all.
"""


def _about() -> list[Part]:
    rows: list[tuple[Cell, ...]] = []
    for level, name in (*LEVELS.items(), ("beyond", HARDER)):
        puzzle = bundled()[name].puzzle
        rated = rate(puzzle)
        legal = LegalCells().space(puzzle).choices
        rows.append((level, name, puzzle.givens, str(rated.level), float(np.log10(legal).sum())))
    chosen = [each for name in ALGORITHMS.values() for each in preset(name).left_open]
    items = [f"- {each}" for each in dict.fromkeys(chosen)]
    return [
        ABOUT,
        "Our `medium` is the puzzle that the report prints as its example. The others are bundled "
        "puzzles on which both algorithms can be measured at all; `hard` is the one that takes "
        "them longest. For a person all four are easy: what is hard for these searches is another "
        "matter. A fifth board, harder for people too, is beyond the four.",
        Table(
            (
                "level",
                "board",
                "givens",
                "for a person",
                Column("search space", "log10, legal digits", decimals=1),
            ),
            tuple(rows),
            "The boards.",
        ),
        "What the report left open, and what we chose:\n\n" + "\n".join(items),
        "A note on the measures. An evaluation is a whole board for the genetic algorithm, and a "
        "digit tried in a cell for the annealing, which a plain program would do by counting the "
        "board anew. CPU time is that of this implementation: the annealing's steps are short, and "
        "much of its time is spent between them. Neither is the report's stopwatch, so a verdict "
        "asks for both.",
    ]


def _times(seen: Measured) -> list[Part]:
    rows: list[tuple[Cell, ...]] = []
    for level in (*LEVELS, "beyond"):
        for algorithm in ALGORITHMS:
            attempts = seen.attempts[algorithm, LEVELS.get(level, HARDER)]
            known = level in LEVELS
            share = Proportion.of(attempts.solved)
            rows.append(
                (
                    level,
                    algorithm,
                    average(level, 40, PUBLISHED_AS[algorithm]) if known else None,
                    average(level, 80, PUBLISHED_AS[algorithm]) if known else None,
                    f"{share.successes} of {share.runs}",
                    attempts.time("cpu").value,
                    spanned(attempts.time("cpu").interval),
                    attempts.time("evaluations").value,
                )
            )
    every = len(seen.at(GENETIC, "easy").solved)
    charts = tuple(_solved(seen, level) for level in ("medium", "hard"))
    return [
        "An attempt that is stopped has no running time, and to leave it out would flatter. So "
        "averages here are expected running times: what all attempts spent, by the number of "
        "solutions, which is what an attempt costs that is begun again until it is solved.",
        Table(
            (
                "level",
                "algorithm",
                Column("published", "40, ms"),
                Column("published", "80, ms"),
                Column("solved", "ours"),
                Column("ours", "ms CPU", decimals=0),
                Column("interval", "95 %"),
                Column("ours", "evaluations"),
            ),
            tuple(rows),
            f"Average running times: published, and expected ones of ours over {every} attempts, "
            f"with at most {seen.budget:,} evaluations for each. The published averages of the "
            "annealing stand beside both of its readings.",
        ),
        Figure(
            charts,
            "Share of attempts solved within so many evaluations, with intervals of 95 %. The "
            "genetic algorithm goes on with one population; the annealing that fails begins anew "
            "all the time, the one that goes on never does.",
        ),
    ]


def _solved(seen: Measured, level: str) -> Lines:
    series = []
    for place, algorithm in enumerate(ALGORITHMS):
        attempts = seen.at(algorithm, level)
        curve = ecdf(attempts.evaluations, attempts.solved)
        x, y, low, high = map(numbers, (curve.x, curve.y, curve.low, curve.high))
        series.append(Series(algorithm, x, y, low, high, "steps", place))
    return Lines(
        f"Solved, {level}", "evaluations", "share", tuple(series), log_x=True, y_limits=(0.0, 1.0)
    )


def _ratios(seen: Measured) -> list[Part]:
    ranges: list[Range] = []
    for level in LEVELS:
        for place, count in enumerate((40, 80)):
            series = f"published, {count} attempts"
            value = published_ratio(level, count)
            ranges.append(Range(level, value, None, None, series, place + 4))
        for place, (reading, measure) in enumerate(product(READINGS, MEASURES)):
            value, (low, high) = ratio_of(seen, reading, level, measure)
            name = f"{reading.removeprefix('annealing, ')}, {MEASURES[measure]}"
            ranges.append(Range(level, value, low, high, name, place))
    return [
        RULE,
        Figure(
            Ranges(
                "Genetic algorithm by annealing",
                "ratio of expected running times",
                tuple(ranges),
                log_x=True,
                levels=(Level(1.0, "equal", "x"),),
            ),
            "To the right of 1 the annealing is faster: that which fails, or that which goes on. "
            "Bars are intervals of 95 %; the published averages allow none.",
        ),
    ]


def _quotients(seen: Measured) -> list[Part]:
    chances = quotient_chances(seen)
    rows: list[tuple[Cell, ...]] = []
    boxes: list[Box] = []
    for level, algorithm in product(LEVELS, ALGORITHMS):
        quotient = published_quotients()[level, PUBLISHED_AS[algorithm]]
        attempts = seen.at(algorithm, level)
        drawn = drawn_quotients(attempts, 2000) if attempts.solved.any() else np.array([np.nan])
        low, high = np.quantile(drawn, (0.025, 0.975))
        rows.append(
            (
                level,
                algorithm,
                quotient,
                None if np.isnan(low) else f"{low:.2f} to {high:.2f}",
                chances.get((level, algorithm)),
            )
        )
        boxes.append(Box.of(f"{level}, {algorithm}", drawn))
    return [
        "If all attempts are of one kind, an average over 40 of them and one over 80 others are "
        "about equal. We draw both, many times, from our own running times, restarts included.",
        Table(
            (
                "level",
                "algorithm",
                Column("40 by 80", "published", decimals=2),
                Column("40 by 80", "ours, middle 95 %"),
                Column("chance", "of the published", decimals=4),
            ),
            tuple(rows),
            "Average over 40 attempts by the average over 80.",
        ),
        Figure(
            Boxes("Average over 40 fresh attempts by that over 80", "quotient", tuple(boxes)),
            "What chance makes of one distribution; the published quotients are "
            f"{min(published_quotients().values()):.1f} to "
            f"{max(published_quotients().values()):.1f}.",
        ),
        "What may have happened: a sum that was divided by twice its count, or a warm-up of the "
        "machine that weighs less among 80. The tables do not tell.",
    ]


def _starts(seen: Measured) -> list[Part]:
    rows: list[tuple[Cell, ...]] = []
    for board, starts in seen.starts.items():
        for reading, solved in (
            (FAILS, starts),
            (GOES_ON, seen.attempts[GOES_ON, board].solved),
        ):
            share = Proportion.of(solved)
            low, high = (100 * each for each in share.wilson())
            rows.append((board, reading, share.runs, share.successes, f"{low:.2f} to {high:.2f} %"))
    return [
        "A downhill move by chance comes only where a better one was found, so it cannot lead away "
        "from a board where none is: there the search that fails ends. What solves puzzles is the "
        "new start, which our `eran-shahar-sa` makes after every failure. Where a stuck search "
        "goes on (`eran-shahar-sa-downhill`), most of its only starts are solved.",
        Table(
            (
                "board",
                "reading",
                "starts",
                "solved",
                Column("interval of the share", "95 %"),
            ),
            tuple(rows),
            "Single starts of the annealing: until it fails (`eran-shahar-sa-once`), or as long as "
            f"{seen.budget:,} evaluations last (`eran-shahar-sa-downhill`).",
        ),
    ]


def _choices(seen: Measured) -> list[Part]:
    rows: list[tuple[Cell, ...]] = []
    ranges: list[Range] = []
    shown = [(f"as chosen, {name}", name, seen.at(name, "medium")) for name in ALGORITHMS]
    shown += [(name, CHOICES[name][0], seen.choices[name]) for name in CHOICES]
    shown.append((f"first population {LARGER}", GENETIC, seen.larger))
    for name, algorithm, attempts in sorted(
        shown, key=lambda each: list(ALGORITHMS).index(each[1])
    ):
        rows.append(_choice(name, algorithm, attempts))
        time = attempts.time("evaluations")
        place = list(ALGORITHMS).index(algorithm)
        ranges.append(Range(name, time.value, *time.interval, algorithm, place))
    variety = [
        f"{word} {np.median(values):.3f} ({plural(len(values), 'run')})"
        for word, values in (
            ("of runs that stay unsolved", seen.variety.unsolved),
            ("of those that are solved later", seen.variety.solved),
        )
        if len(values)
    ]
    return [
        "The report gives no population size, no mutation probability and no schedule. Each "
        "choice alone, on `medium`:",
        Table(
            (
                "choice",
                "algorithm",
                "solved",
                Column("evaluations", "expected"),
                Column("interval", "95 %"),
                Column("CPU", "ms, expected", decimals=0),
            ),
            tuple(rows),
            "Expected running times on `medium`.",
        ),
        Figure(
            Ranges(
                "Evaluations to the solution of medium",
                "expected evaluations",
                tuple(ranges),
                log_x=True,
            ),
            "Expected evaluations with intervals of 95 %; a bar that ends at its dot has "
            "no upper end.",
        ),
        f"Its first wish is a larger *initial* population. With `first population {LARGER}` the "
        f"best half of so many random boards mate, and their {POPULATION} children go on as ever; "
        f"with `population {LARGER}` it stays as large. The annealing's downhill moves by chance "
        "are in the cell that could be improved; the report does not say which cell it means.",
        "Diversity, the mean share of blanks in which two boards of a population differ, taken "
        f"after {seen.variety.evaluations:,} evaluations of all runs on `medium` that were still "
        f"under way, medians: {', '.join(variety) or 'none'}. The longer a run, the less variety "
        "it has left, and solved runs are short, so that all are compared at one time.",
    ]


def _choice(name: str, algorithm: str, attempts: Attempts) -> tuple[Cell, ...]:
    share, time = Proportion.of(attempts.solved), attempts.time("evaluations")
    return (
        name,
        algorithm,
        f"{share.successes} of {share.runs}",
        time.value,
        spanned(time.interval),
        attempts.time("cpu").value,
    )
