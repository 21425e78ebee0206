"""Report 001, Eran & Shahar: both tables of average running times, and a chart of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from genoku.lab.experiments.outputs import Chapter, Experiment, Output
from genoku.lab.experiments.runs import FinishedRun, PlannedRun, Request
from genoku.lab.report.charts import IntervalChart, IntervalMark
from genoku.lab.report.page import Cell, Column, Figure, Part, Table
from genoku.lab.statistics import ert, ert_interval
from genoku.lab.study import Instance
from genoku.puzzle.resolve import resolve
from genoku.reports import Experiment as Printed, Report, reports

UNTIL = "evaluations=250000"  # an attempt that is unsolved by then has failed
SECONDS_TO_MS = 1000

ABOUT = """\
The report's comparison of its two algorithms: every board is attempted as often as in its tables,
and the average is the expected time until it is solved: the CPU time of all attempts, failed ones
included, by the number of solved ones, or *none*. An attempt fails after 250,000 boards: the
report's limit is not given.
{boards} The report names neither machine nor language, so ratios compare, milliseconds do not.
Its annealing can be read in two ways: stuck, it *continues* with a worse digit, or *restarts*."""
THEIRS = "The report's boards are not known, except for its example, *Medium*: ours stand in."
OWN = "The boards are yours, so there are no printed numbers."


class Compared(NamedTuple):
    """An algorithm of the tables: the column that it answers, its preset, and its names."""

    printed: str
    printed_short: str
    preset: str
    name: str
    short: str


ALGORITHMS = (
    Compared(
        printed="Genetic Algorithm",
        printed_short="genetic",
        preset="eran-shahar-ga",
        name="genetic",
        short="genetic",
    ),
    Compared(
        printed="Simulated Annealing",
        printed_short="annealing",
        preset="eran-shahar-sa-continues",
        name="annealing, continues",
        short="continues",
    ),
    Compared(
        printed="Simulated Annealing",
        printed_short="annealing",
        preset="eran-shahar-sa-restarts",
        name="annealing, restarts",
        short="restarts",
    ),
)

Runs = Mapping[tuple[str, str], Sequence[FinishedRun]]
"""By board and name of the algorithm."""


def experiment(request: Request) -> Experiment:
    """Attempt every board as often as the larger table says, or as requested."""
    report = reports()["001"]
    boards = request.puzzles or _boards(report)
    attempts = request.seeds or max(each.runs for each in report.experiments)
    planned = tuple(
        PlannedRun(each.preset, board.puzzle, seed, UNTIL, every=1000)
        for board in boards
        for each in ALGORITHMS
        for seed in range(1, attempts + 1)
    )

    def make(finished: Sequence[FinishedRun]) -> list[Part | Output]:
        taken = iter(finished)
        runs = {
            (board.name, each.name): [next(taken) for _ in range(attempts)]
            for board in boards
            for each in ALGORITHMS
        }
        printed = () if request.puzzles else report.experiments
        tables = {each.runs: each for each in printed if each.runs <= attempts}
        parts: list[Part | Output] = [
            Output(f"{count}-attempts", _table(runs, count, tables.get(count)), prints=True)
            for count in sorted({*tables, attempts})
        ]
        parts.append(Output("evaluations", _evaluations(runs)))
        parts.append(
            Output("average-times", Figure(_chart(runs, printed[-1] if printed else None), CAPTION))
        )
        return parts

    about = ABOUT.format(boards=OWN if request.puzzles else THEIRS)
    chapter = Chapter("Average running time comparison", planned, make)
    return Experiment("Report 001, Eran & Shahar: its comparison again", about, (chapter,))


CAPTION = """\
Expected time until solved, with intervals of 95 %, and the printed averages of the larger table."""


def _boards(report: Report) -> tuple[Instance, ...]:
    names = report.experiments[0].boards
    return tuple(Instance(name, resolve(report.board(name).puzzle).puzzle) for name in names)


def _table(runs: Runs, attempts: int, printed: Printed | None) -> Table:
    """Expected milliseconds until solved and solved attempts, beside the printed averages."""
    columns: list[str | Column] = ["Board level"]
    for place, each in enumerate(ALGORITHMS):
        is_first = place == 0 or ALGORITHMS[place - 1].printed != each.printed
        if printed and is_first:
            columns.append(Column(each.printed_short, "printed"))
        columns.append(Column(each.short, "ours", decimals=1, align="right"))
        columns.append(Column("solved", align="right"))
    rows: list[tuple[Cell, ...]] = []
    for board in dict.fromkeys(name for name, _ in runs):
        row: list[Cell] = [board]
        for place, each in enumerate(ALGORITHMS):
            is_first = place == 0 or ALGORITHMS[place - 1].printed != each.printed
            if printed and is_first:
                setting = printed.setting(board, each.printed)
                row.append(setting.printed[each.printed])
            chosen = runs[board, each.name][:attempts]
            row.append(_or_none(SECONDS_TO_MS * ert(_seconds(chosen), _solved(chosen))))
            row.append(f"{_solved(chosen).sum()} of {attempts}")
        rows.append(tuple(row))
    title = f"Average running time comparison over {attempts} solving attempts, milliseconds"
    return Table(tuple(columns), tuple(rows), title)


def _evaluations(runs: Runs) -> Table:
    """The same in boards evaluated, which do not depend on the machine."""
    columns = ("Board level", *(Column(each.name, "evaluations") for each in ALGORITHMS))
    rows = tuple(
        (
            board,
            *(
                _or_none(ert(_evaluated(chosen), _solved(chosen)))
                for each in ALGORITHMS
                for chosen in [runs[board, each.name]]
            ),
        )
        for board in dict.fromkeys(name for name, _ in runs)
    )
    return Table(columns, rows, "Expected number of boards evaluated until one is solved")


def _chart(runs: Runs, printed: Printed | None) -> IntervalChart:
    marks: list[IntervalMark] = []
    for board in dict.fromkeys(name for name, _ in runs):
        for name in dict.fromkeys(each.printed for each in ALGORITHMS):
            if printed:
                value = printed.setting(board, name).printed[name]
                assert isinstance(value, int | float)
                marks.append(IntervalMark(board, value, series=f"{name} (printed)"))
        for each in ALGORITHMS:
            chosen = runs[board, each.name]
            seconds, solved = _seconds(chosen), _solved(chosen)
            value = SECONDS_TO_MS * ert(seconds, solved)
            if math.isfinite(value):
                low, high = (SECONDS_TO_MS * end for end in ert_interval(seconds, solved))
                marks.append(IntervalMark(board, value, low, high, series=each.name))
    title = "Average running time until solved"
    return IntervalChart(title, "milliseconds", tuple(marks), log_x=True)


def _or_none(value: float) -> float | str:
    return value if math.isfinite(value) else "none"


def _seconds(runs: Sequence[FinishedRun]) -> NDArray[np.float64]:
    return np.array([each.cpu_seconds for each in runs])


def _evaluated(runs: Sequence[FinishedRun]) -> NDArray[np.float64]:
    return np.array([float(each.evaluations) for each in runs])


def _solved(runs: Sequence[FinishedRun]) -> NDArray[np.bool_]:
    return np.array([each.solved for each in runs])
