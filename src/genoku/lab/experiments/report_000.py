"""Report 000, As Poderosas: figures 6 to 17, and the final fitness of every model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from genoku.evolve.fitness import Normalised
from genoku.lab.experiments.outputs import Chapter, Experiment, Output
from genoku.lab.experiments.runs import FinishedRun, PlannedRun, Request
from genoku.lab.report.charts import LineChart, Series, numbers, share_limits
from genoku.lab.report.page import Cell, Column, Figure, Part, Table
from genoku.puzzle.board import Puzzle
from genoku.puzzle.resolve import resolve
from genoku.reports import Experiment as Printed, Report, reports

ABOUT = """\
The report's four experiments: {runs} of every model on its three puzzles, for 150 generations. A
figure has a panel for each selection, a colour for each crossover and a stroke for each mutation.
At the end of a line is the number of its model, counted in the order in which the report lists its
methods: selection, crossover, mutation. The report has no such list; the numbers that it names in
experiment 3 agree with this one."""

Curves = Mapping[tuple[str, str], Sequence[FinishedRun]]
"""The runs of an experiment, by board and number of the model."""


def experiment(request: Request) -> Experiment:
    """Repeat the four experiments, each model once or as often as requested."""
    report = reports()["000"]
    seeds = request.seeds or 1
    chapters = [_puzzle_chapter(report)]
    chapters += [_chapter(report, each, seeds) for each in report.experiments]
    about = ABOUT.format(runs="one run" if seeds == 1 else f"the median of {seeds} runs")
    return Experiment("Report 000, As Poderosas: its figures again", about, tuple(chapters))


def _puzzle_chapter(report: Report) -> Chapter:
    """The fitness of the unsolved puzzles, whose blanks count as a value."""
    printed = report.table("puzzles")

    def make(_finished: Sequence[FinishedRun]) -> list[Part | Output]:
        rows = tuple(
            (str(name), value, _fitness(resolve(report.board(str(name)).puzzle).puzzle))
            for name, value in printed.rows
        )
        columns = ("puzzle", Column("fitness", "printed", 5), Column("fitness", "ours", 5))
        return [Output("puzzles", Table(columns, rows, f"{printed.title} (Figure 5)"), prints=True)]

    return Chapter("Its puzzles", (), make)


def _fitness(puzzle: Puzzle) -> float:
    fitness = Normalised()
    return float(fitness.score(fitness.costs(puzzle.board[None], puzzle), puzzle.geometry)[0])


def _chapter(report: Report, table: Printed, seeds: int) -> Chapter:
    puzzles = {name: resolve(report.board(name).puzzle).puzzle for name in table.boards}
    planned = tuple(
        PlannedRun(setting.preset, puzzle, seed, table.until)
        for puzzle in puzzles.values()
        for setting in table.settings
        for seed in range(1, seeds + 1)
    )

    def make(finished: Sequence[FinishedRun]) -> list[Part | Output]:
        taken = iter(finished)
        curves = {
            (board, setting.row): [next(taken) for _ in range(seeds)]
            for board in puzzles
            for setting in table.settings
        }
        parts: list[Part | Output] = [table.note] if table.note else []
        for board, number in zip(table.boards, table.figures, strict=True):
            parts.append(Output(f"figure-{number}", _figure(report, table, board, number, curves)))
        parts.append(Output(f"experiment-{table.id}", _final(table, curves)))
        parts.append(Output(f"experiment-{table.id}-best", _best(report, table, curves), True))
        parts += [
            Output(f"experiment-{table.id}-text", each, prints=True)
            for each in _text_of_3(report, table, curves)
        ]
        return parts

    return Chapter(f"Experiment {table.id}: {table.title}", planned, make)


def _figure(report: Report, table: Printed, board: str, number: int, curves: Curves) -> Figure:
    """One of the report's figures: best fitness by generation, all models of an experiment."""
    selections = list(dict.fromkeys(each.labels["selection"] for each in table.settings))
    crossovers = list(dict.fromkeys(each.labels["crossover"] for each in table.settings))
    mutations = list(dict.fromkeys(each.labels["mutation"] for each in table.settings))
    panels: list[LineChart] = []
    for selection in selections:
        series: list[Series] = []
        for setting in table.settings:
            if setting.labels["selection"] != selection:
                continue
            runs = curves[board, setting.row]
            crossover, mutation = setting.labels["crossover"], setting.labels["mutation"]
            series.append(
                Series(
                    name=f"{crossover}, {mutation}",
                    x=numbers(np.arange(_rows(runs))),
                    y=numbers(_median(runs)),
                    colour=crossovers.index(crossover),
                    dashes=mutations.index(mutation),
                    end=setting.row,
                )
            )
        panels.append(LineChart(selection, "generation", "best fitness", tuple(series)))
    parameters = ", ".join(f"{name} {value:g}" for name, value in table.parameters.items())
    level = report.board(board).level
    caption = (
        f"Figure {number} of the report: {level}, population {table.population}, {parameters}."
    )
    return Figure(share_limits(panels), caption)


def _rows(runs: Sequence[FinishedRun]) -> int:
    return max(len(each.best) for each in runs)


def _median(runs: Sequence[FinishedRun]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """The median best fitness by generation; a solved run keeps its last."""
    rows = _rows(runs)
    curves = [np.pad(each.best, (0, rows - len(each.best)), mode="edge") for each in runs]
    return np.median(curves, axis=0)


def _last(runs: Sequence[FinishedRun]) -> float:
    return float(np.median([each.final_score for each in runs]))


def _model(table: Printed, row: str) -> str:
    """Name a model: "13: tournament, single column, row swap"."""
    return f"{row}: {', '.join(table.setting(row).labels.values())}"


def _final(table: Printed, curves: Curves) -> Table:
    """The fitness of the best of the last population, by model."""
    rows = tuple(
        (
            int(setting.row),
            *setting.labels.values(),
            *(_last(curves[board, setting.row]) for board in table.boards),
        )
        for setting in table.settings
    )
    columns = ("model", *table.settings[0].labels, *(Column(each, "", 4) for each in table.boards))
    return Table(columns, rows, f"Final fitness by model, experiment {table.id}")


def _best(report: Report, table: Printed, curves: Curves) -> Table:
    """The model that the report calls best on each puzzle, and ours, by final fitness."""
    rows: list[tuple[Cell, ...]] = []
    for board, number in zip(table.boards, table.figures, strict=True):
        finals = {each.row: _last(curves[board, each.row]) for each in table.settings}
        highest = max(finals.values())
        first, *others = (row for row, value in finals.items() if value == highest)
        more = f" and {len(others)} more" if others else ""
        theirs = table.best.get(board)
        rows.append(
            (
                f"{report.board(board).name} (Figure {number})",
                _model(table, theirs) if theirs else None,
                finals[theirs] if theirs else None,
                _model(table, first) + more,
                highest,
            )
        )
    columns = (
        "puzzle",
        Column("best model", "printed", align="left"),
        Column("its fitness", "ours", 4),
        Column("best model", "ours", align="left"),
        Column("its fitness", "ours", 4),
    )
    return Table(columns, tuple(rows), f"Experiment {table.id}: {table.title}")


def _text_of_3(report: Report, table: Printed, curves: Curves) -> list[Table]:
    """What the text says of single models of experiment 3, beside ours."""
    if table.id != "3":
        return []
    easy, medium, _ = table.boards
    after = round(report.value("easy-generations"))
    high = report.value("easy-after-20")
    reached = [float(_median(curves[easy, each.row])[: after + 1][-1]) for each in table.settings]
    values: dict[str, float] = {
        "easy-after-20": float(np.median(reached)),
        "model-9-easy": _last(curves[easy, "9"]),
        "model-7-easy": _last(curves[easy, "7"]),
        "model-5-medium": _last(curves[medium, "5"]),
    }
    said = {each.id: each.text for each in report.values}
    rows = tuple((said[name], report.value(name), value) for name, value in values.items())
    above = sum(value > high for value in reached)
    caption = (
        f"What the text says of Figures 12 and 13; after {after} generations {above} of "
        f"{len(reached)} models exceed {high:g}, and the first row has their median"
    )
    columns = ("", Column("fitness", "printed"), Column("fitness", "ours", 4))
    return [Table(columns, rows, caption)]
