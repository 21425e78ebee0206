"""Report 002, charles: the tables of report.pdf and their charts, and `evaluate_unique`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from genoku.evolve.fitness import Unique
from genoku.exact.oracle import solve
from genoku.lab.experiments.outputs import Chapter, Experiment, Output
from genoku.lab.experiments.runs import FinishedRun, PlannedRun, Request
from genoku.lab.report.charts import LineChart, Series, numbers, share_limits
from genoku.lab.report.page import Cell, Column, Figure, Part, Table
from genoku.puzzle.board import Puzzle
from genoku.puzzle.resolve import resolve
from genoku.reports import Experiment as Printed, Report, Setting, reports

RUNS = 5  # of every setting of the report
CHAPTERS = {
    "1": "Fitness",
    "2": "Crossover",
    "3": "Mutation",
    "4": "Puzzles",
    "5": "Population",
    "6": "Elitism",
}  # by the first digit of an experiment's id
MOST_ROWS = 100  # recorded of a run

ABOUT = """\
The tables of the report's experiments, run again as its code runs them: normalized loss at the end
of a run, from 0 (solved) to 1, mean and standard deviation of {runs} runs. The first setting of an
experiment has the seeds 1 to {runs}, the second the next {runs}, and so on."""
UNIQUE = """\
`evaluate_unique` counts the different values of all rows, columns and boxes: from {least} to
{most}, as its README says. *Unsolved* is the puzzle itself, whose blanks count as a value; *best*
and *mean* are of {runs} runs of the report's best model, as its text describes it."""


def experiment(request: Request) -> Experiment:
    """Repeat all experiments with five runs of each setting, or as many as requested."""
    report = reports()["002"]
    runs = request.seeds or RUNS
    chapters = [
        _chapter(report, [each for each in report.experiments if each.id[0] == digit], title, runs)
        for digit, title in CHAPTERS.items()
    ]
    chapters.append(_unique_chapter(report, runs))
    about = ABOUT.format(runs=runs)
    return Experiment("Report 002, charles: its tables again", about, tuple(chapters))


def _chapter(report: Report, tables: Sequence[Printed], title: str, runs: int) -> Chapter:
    planned = [
        _planned(report, table, setting, place * runs + repeat)
        for table in tables
        for place, setting in enumerate(table.settings)
        for repeat in range(1, runs + 1)
    ]

    def make(finished: Sequence[FinishedRun]) -> list[Part | Output]:
        taken = iter(finished)
        by_setting = {
            (table.id, setting.row): [next(taken) for _ in range(runs)]
            for table in tables
            for setting in table.settings
        }
        digit = tables[0].id[0]
        parts: list[Part | Output] = [
            Output(f"table-{digit}", _table(title, tables, by_setting), prints=True)
        ]
        for group in dict.fromkeys(each.id.rpartition(".")[0] for each in tables):
            charts = tuple(
                _chart(each, by_setting) for each in tables if each.id.rpartition(".")[0] == group
            )
            notes = " ".join(
                each.note for each in tables if each.note and each.id.startswith(group)
            )
            caption = f"Normalized loss by generation; every run is a line. {notes}".strip()
            parts.append(Output(f"figure-{group}", Figure(share_limits(charts), caption)))
        return parts

    return Chapter(f"Experiment {tables[0].id[0]}: {title.lower()}", tuple(planned), make)


def _planned(report: Report, table: Printed, setting: Setting, seed: int) -> PlannedRun:
    puzzle = resolve(report.board(setting.board or table.boards[0]).puzzle).puzzle
    return PlannedRun(
        preset=setting.preset,
        puzzle=puzzle,
        seed=seed,
        until=table.until,
        settings=setting.changes,
        every=max(1, (table.generations or 0) // MOST_ROWS),
    )


def _table(
    title: str, tables: Sequence[Printed], runs: Mapping[tuple[str, str], Sequence[FinishedRun]]
) -> Table:
    """Mean and standard deviation, printed and ours, of all settings of some experiments."""
    timed = any("seconds" in each.columns for each in tables)
    columns: list[str | Column] = [
        Column("experiment", align="left"),
        Column(tables[0].columns[0], align="left"),
        Column("printed", "mean", decimals=3),
        Column("printed", "sd", decimals=3),
        Column("ours", "mean", decimals=3),
        Column("ours", "sd", decimals=3),
    ]
    if timed:
        columns += [Column("printed", "seconds"), Column("ours", "seconds", decimals=2)]
    rows: list[tuple[Cell, ...]] = []
    for table in tables:
        for setting in table.settings:
            made = runs[table.id, setting.row]
            losses = np.array([each.final_loss for each in made])
            row: list[Cell] = [table.id, setting.row]
            row += [setting.printed["mean"], setting.printed["sd"], float(losses.mean())]
            row.append(float(losses.std(ddof=1)) if len(losses) > 1 else None)
            if timed:
                seconds = float(np.mean([each.cpu_seconds for each in made]))
                row += [setting.printed.get("seconds"), seconds]
            rows.append(tuple(row))
    return Table(tuple(columns), tuple(rows), f"Experiment {tables[0].id[0]}: {title.lower()}")


def _chart(table: Printed, runs: Mapping[tuple[str, str], Sequence[FinishedRun]]) -> LineChart:
    """The report's chart: normalized loss by generation, a line for every run."""
    series: list[Series] = []
    for colour, setting in enumerate(table.settings):
        for run in runs[table.id, setting.row]:
            x, y = numbers(run.generations), numbers(run.losses)
            series.append(Series(setting.row, x, y, colour=colour, group=setting.row))
    title = f"{table.id} {table.title}"
    return LineChart(title, "generation", "normalized loss", tuple(series))


# The boards of its README


def _unique_chapter(report: Report, runs: int) -> Chapter:
    puzzles = {each.name: resolve(each.puzzle).puzzle for each in report.boards}
    planned = tuple(
        PlannedRun("charles", puzzle, seed, every=MOST_ROWS)
        for puzzle in puzzles.values()
        for seed in range(1, runs + 1)
    )
    least, most = int(report.value("least")), int(report.value("solved"))

    def make(finished: Sequence[FinishedRun]) -> list[Part | Output]:
        taken = iter(finished)
        rows: list[tuple[Cell, ...]] = []
        for name, puzzle in puzzles.items():
            scores = [next(taken).score for _ in range(runs)]
            solution = solve(puzzle).board
            assert solution is not None
            constant = np.ones(puzzle.geometry.cells, np.uint8)
            equal_values, unsolved = _unique(puzzle, constant), _unique(puzzle, puzzle.board)
            best, mean = round(max(scores)), float(np.mean(scores))
            rows.append((name, equal_values, unsolved, best, mean, _unique(puzzle, solution)))
        columns = (
            "puzzle",
            Column("equal values", f"printed {least}"),
            "unsolved",
            "best",
            Column("mean", decimals=1),
            Column("solved", f"printed {most}"),
        )
        table = Table(columns, tuple(rows), "evaluate_unique on the puzzles of its README")
        said = UNIQUE.format(least=least, most=most, runs=runs)
        return [said, Output("unique", table, prints=True)]

    return Chapter("The fitness on its puzzles", planned, make)


def _unique(puzzle: Puzzle, board: np.ndarray[tuple[int], np.dtype[np.uint8]]) -> int:
    fitness = Unique()
    costs = fitness.costs(np.asarray(board, np.uint8)[None], puzzle)
    return int(fitness.score(costs, puzzle.geometry)[0])
