"""Report 003, Glen Simon: the tables by run name, the boards, the scatter plots and the logs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from genoku.evolve.presets import preset
from genoku.lab.experiments.outputs import Chapter, Experiment, Output
from genoku.lab.experiments.runs import FinishedRun, PlannedRun, Request
from genoku.lab.report.charts import BoardGallery, BoardPicture, LineChart, Series, numbers
from genoku.lab.report.page import Cell, Column, Figure, Part, Table
from genoku.reports import Experiment as Printed, PrintedBoard, reports

TABLES = ("9x9", "16x16")  # its third experiment is not in the report, but beside its code
BEST = "Best Fitness"  # the column that is measured; the others are settings, or computed
CLOUD = 20_000  # points of a scatter plot; a run has fewer

ABOUT = """\
Every run of the report's tables as its author made it: from empty boards, with his population,
generations and tournaments. *Printed* is the best fitness in the report, *ours* that of our run of
the same name. A single run decides little: another random seed gives another best fitness. The
folder `logs` has a line for every individual of every generation, as the report's program writes
them: `Generation,ID,Fitness`."""


def experiment(request: Request) -> Experiment:
    """Repeat the runs of both tables; with more seeds, every run as often."""
    report = reports()["003"]
    boards = {(each.experiment, each.row): each for each in report.printed_boards}
    chapters = [_chapter(report.experiment(name), boards, request) for name in TABLES]
    return Experiment("Report 003, Glen Simon: its runs again", ABOUT, tuple(chapters))


def _chapter(
    table: Printed, boards: Mapping[tuple[str, str], PrintedBoard], request: Request
) -> Chapter:
    """Plan a table's runs; all runs of one setting have different seeds."""
    seeds = request.seeds or table.runs
    settings = [each.preset for each in table.settings]
    planned: list[PlannedRun] = []
    for place, each in enumerate(table.settings):
        first = settings[: place + 1].count(each.preset)
        step = settings.count(each.preset)
        log = request.folder / "logs" / f"{table.id}_{each.row}.csv"
        planned += [
            PlannedRun(
                preset=each.preset,
                puzzle=preset(each.preset).puzzle,
                seed=first + step * repeat,
                log=log if repeat == 0 else None,
            )
            for repeat in range(seeds)
        ]

    def make(finished: Sequence[FinishedRun]) -> list[Part | Output]:
        runs = {
            each.row: finished[place * seeds : (place + 1) * seeds]
            for place, each in enumerate(table.settings)
        }
        parts: list[Part | Output] = [Output(table.id, _table(table, runs), prints=True)]
        for row, (first, *_) in runs.items():
            printed = boards.get((table.id, row))
            parts += [
                Output(f"{table.id}_{row}-scatter", _scatter(row, first)),
                Output(f"{table.id}_{row}-board", _boards(row, first, printed)),
            ]
        return parts

    return Chapter(table.title, tuple(planned), make)


def _table(table: Printed, runs: Mapping[str, Sequence[FinishedRun]]) -> Table:
    """The report's table, with our best fitness beside the printed one."""
    several = len(next(iter(runs.values()))) > 1
    columns: list[str | Column] = []
    for title in table.columns:
        columns.append(Column(title, "printed") if title == BEST else title)
        if title == BEST:
            columns.append(Column(title, "ours"))
        if title == BEST and several:
            columns += [Column(title, "median"), Column(title, "range", align="right")]
    rows: list[tuple[Cell, ...]] = []
    for each in table.settings:
        scores = [run.score for run in runs[each.row]]
        row: list[Cell] = [each.row]
        for title in table.columns[1:]:
            row.append(each.printed[title])
            if title == BEST:
                row.append(round(scores[0]))
            if title == BEST and several:
                row += [float(np.median(scores)), f"{min(scores):g} to {max(scores):g}"]
        rows.append(tuple(row))
    return Table(tuple(columns), tuple(rows), table.title)


def _scatter(name: str, run: FinishedRun) -> Figure:
    """All fitnesses of a run, with the mean and the best of each generation."""
    generations = numbers(run.generations)
    series = (
        Series(
            "individuals",
            numbers(run.cloud[:, 0]),
            numbers(run.cloud[:, 1]),
            style="points",
            colour=5,
            dots=CLOUD,
        ),
        Series("mean", generations, numbers(run.mean), colour=1),
        Series("best", generations, numbers(run.best), colour=0),
    )
    chart = LineChart(name, "Generation", "Fitness", series)
    return Figure(chart, "Every fitness in the population, its mean and its best.")


def _boards(name: str, run: FinishedRun, printed: PrintedBoard | None) -> Figure:
    """The best board of a run in the colours of the fitness map, beside the printed one, if any."""
    puzzle = run.planned.puzzle
    title = f"{name}, the elite individual"
    ours = BoardPicture(f"ID: {run.board_id} Fitness: {run.score:g}", puzzle, run.board)
    if printed is None:
        return Figure(BoardGallery(title, (ours,)))
    caption = printed.caption
    if "Fitness" not in caption:
        caption = f"{caption}, Fitness: {printed.fitness}"
    cells = bytes(map(int, printed.cells.split()))
    theirs = BoardPicture(f"{caption} (printed)", puzzle, cells)
    return Figure(BoardGallery(f"{title}, printed and ours", (theirs, ours)))
