"""The history of a run: numbers recorded per step, kept as columns."""

from __future__ import annotations

import csv
import math
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genoku.engine.scale import fitness_scale
from genoku.errors import RecipeError
from genoku.evolve.fitness import Costs
from genoku.evolve.operators.diversity import diversity
from genoku.evolve.problem import Problem
from genoku.evolve.state import State, stack_births
from genoku.runtime import notebook
from genoku.runtime.jit import kernel
from genoku.runtime.notebook import CURVES
from genoku.runtime.text import format_count

Column = NDArray[Any]

FIELDS = {
    "gen": "steps so far",
    "evals": "boards evaluated so far",
    "moves": "moves so far",
    "best": "lowest cost of the population; of a search with one board, the cost of that board now",
    "mean": "mean cost",
    "worst": "highest cost",
    "std": "standard deviation of the costs",
    "diversity": "mean share of blanks in which two boards differ",
    "rate": "mutation rate, temperature or chance of a bad move",
    "best_ever": "lowest cost of the run so far",
    "seconds": "time so far",
    "errors": "errors left: digits missing from the units of the best board so far; 0 is solved",
    "score": "`best` on the report's own scale: the fitness as the report states it",
    "mean_score": "`mean` on the report's own scale; of a search with one board, not measured",
}  # the fields that can be recorded, with their meaning

# Scores are computed at the end
RECORDED_FIELDS = [name for name in FIELDS if name not in ("score", "mean_score")]
INTEGER_FIELDS = {"gen", "evals", "moves", "best", "worst", "best_ever", "errors"}
CURVE_POINTS = 180  # of a curve in a notebook
MAX_ROWS = 5_000_000  # limit of recorded individuals, and of births: 120 and 200 MB
DEFAULT_FIELDS = (
    *("gen", "evals", "errors", "best", "mean", "worst", "std", "diversity", "rate"),
    *("best_ever", "score", "mean_score"),
)


@dataclass(frozen=True)
class Record:
    """What to record of a run.

    Parameters
    ----------
    fields
        Columns of the history, from `FIELDS`.
    every
        Steps between recorded rows; the last step is always recorded.
    diversity_every
        Steps between measurements of diversity; other rows hold NaN.
    individuals
        Record id and cost of every board of the population (`Result.write_individuals`).
    lineage
        Record all births, so that `Result.lineage` finds the ancestors of the best board.
    individuals_every
        Steps between records of individuals. A run that reaches the memory limit doubles it and
        drops every other recorded step.

    Raises
    ------
    RecipeError
        If a field is unknown or an interval is below 1.
    """

    fields: tuple[str, ...] = DEFAULT_FIELDS
    every: int = 1
    diversity_every: int = 50
    individuals: bool = False
    lineage: bool = False
    individuals_every: int = 1

    def __post_init__(self) -> None:
        for field in self.fields:
            if field not in FIELDS:
                raise RecipeError(f"expected fields among {', '.join(FIELDS)}, got {field!r}")
        least = min(self.every, self.diversity_every, self.individuals_every)
        if least < 1:
            raise RecipeError(f"expected to record every 1 step or more, got every {least}")

    @classmethod
    def of(cls, facts: Mapping[str, Any]) -> Record:
        """Restore a record from `dataclasses.asdict`, also after a round trip through JSON."""
        known: dict[str, Any] = {**facts, "fields": tuple(facts["fields"])}
        return cls(**known)


class History(Mapping[str, Column]):
    """The recorded numbers of a run, as columns of equal length.

    A mapping from field to array `[rows]`, such as `history["errors"]`. NaN marks values that were
    not measured in a row. `restarts` are the steps at which the search started anew.
    """

    def __init__(self, columns: dict[str, Column], restarts: Sequence[int] = ()) -> None:
        self.columns = columns
        self.restarts = tuple(restarts)

    def __getitem__(self, field: str) -> Column:
        return self.columns[field]

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, History)
            and list(self) == list(other)
            and all(np.array_equal(self[f], other[f], equal_nan=True) for f in self)
        )

    __hash__ = None  # Python's way to mark a value as mutable

    def __repr__(self) -> str:
        return f"<History of {self.rows} rows: {', '.join(self)}>"

    @property
    def rows(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    @property
    def has_single_board(self) -> bool:
        """Whether the search had one board at a time, so that `best` is the cost of that board."""
        known = {"best", "mean", "worst"} <= set(self)
        return known and np.array_equal(self["best"], self["worst"])

    def downsample(self, points: int) -> History:
        """Reduce the history to at most `points` rows.

        Neighbouring rows merge into the lowest `best`, the mean of `mean`, the highest `worst`, the
        last `best_ever` and `errors`, and the first value of every other column.
        """
        starts = np.unique(
            np.linspace(0, self.rows, min(self.rows, points), endpoint=False).astype(np.int64)
        )
        ends = np.append(starts[1:], self.rows)
        found = {name: column[starts] for name, column in self.columns.items()}
        for name, merge in (("best", np.minimum), ("mean", np.add), ("worst", np.maximum)):
            if name in found:
                found[name] = merge.reduceat(self[name], starts)
        if "mean" in found:
            found["mean"] = found["mean"] / (ends - starts)
        found |= {name: self[name][ends - 1] for name in ("best_ever", "errors") if name in found}
        return History(found, self.restarts)

    def to_csv(self, path: str | Path) -> None:
        """Write the history as CSV, with a header; NaN becomes an empty field."""
        from genoku.puzzle.formats.entries import text_writer

        with text_writer(path) as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(self)
            columns = (column.tolist() for column in self.columns.values())
            writer.writerows(
                [_format(value) for value in row] for row in zip(*columns, strict=True)
            )

    def to_pandas(self) -> Any:
        """Convert to a pandas DataFrame; requires pandas."""
        try:
            pandas = import_module("pandas")
        except ImportError:
            raise ModuleNotFoundError(
                "to_pandas requires pandas: pip install pandas (to_csv requires nothing)"
            ) from None
        return pandas.DataFrame(self.columns)

    def _repr_html_(self) -> str:
        ends = [
            (name, *(_format(value) or "–" for value in self[name][[0, -1]].tolist()))
            for name in self
            if self.rows
        ]
        rows = [(*end, FIELDS.get(end[0], "")) for end in ends]
        return notebook.block(
            notebook.headline(f"History of {format_count(self.rows, 'row')}"),
            errors_chart(self) or cost_chart(self),
            notebook.details("Columns", notebook.table(("", "first", "last", ""), rows, (1, 2))),
        )


def errors_chart(history: History, *, costs_are_errors: bool = False) -> str:
    """Draw the errors left of the best board so far, as HTML; empty if they were not recorded.

    If costs are errors left, too, the mean and the worst of the population are drawn with them.
    """
    fields = {"best board so far": "errors"}
    if not costs_are_errors or "errors" not in history:
        return _chart(history, fields, "errors left (best board so far)")
    single = history.has_single_board
    more = {"current board": "mean"} if single else {"mean": "mean", "worst": "worst"}
    return _chart(history, fields | more, "errors left")


def cost_chart(
    history: History, y_title: str = "cost (lower is better)", problem: Problem | None = None
) -> str:
    """Draw the costs of the population, or the fitness of a problem's boards, as HTML."""
    fields = {name: name for name in CURVES}
    if history.has_single_board:
        fields = {"best so far": "best_ever", "current board": "best"}
    return _chart(history, fields, y_title, problem)


def score_column(history: History, name: str, problem: Problem) -> NDArray[np.float64]:
    """Convert a column of costs, or of mean costs, to the scale of the problem's fitness."""
    column, scale = np.asarray(history[name], np.float64), fitness_scale(problem)
    if scale is None:
        return column  # open cells
    return scale.means(column) if name == "mean" else scale.scores(column)


def _chart(
    history: History, fields: Mapping[str, str], y_title: str, problem: Problem | None = None
) -> str:
    """Draw fields over the steps; `fields` maps the name of a curve to its column."""
    few = history.downsample(CURVE_POINTS)
    steps = few["gen"].tolist() if "gen" in few else list(range(few.rows))
    if steps and "gen" in few:
        steps[-1] = int(history["gen"][-1])  # the axis ends with the run
    lines = []
    for (name, field), colour in zip(fields.items(), CURVES.values(), strict=False):
        if field in few:
            values = few[field] if problem is None else score_column(few, field, problem)
            lines.append(notebook.Line(name, colour, steps, values.tolist()))
    restarts = history.restarts if "gen" in few else ()
    return notebook.chart(lines, "step" if "gen" in few else "row", y_title, restarts)


def _format(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.10g}"


class HistoryRecorder:
    """Records the history of a run, as one flat array of numbers."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self._diversity_every = record.diversity_every if "diversity" in record.fields else 0
        self._numbers = array("d")
        self._restarts = array("q")  # their steps
        self._restarts_before = 0  # those of an earlier part of the run that did not record them

    def add(
        self, problem: Problem, state: State, statistics: tuple[Any, ...], *so_far: float
    ) -> None:
        """Add the row of a state if its step is recorded.

        `statistics` is what `cost_statistics` returns for the costs of the state; `so_far` are the
        lowest cost, the seconds and the errors left so far.
        """
        if state.memory.get("restarts", 0) > self._restarts_before + len(self._restarts):
            self._restarts.append(state.step)
        if state.step % self.record.every == 0:
            self._numbers.extend(self._row(problem, state, statistics, *so_far))

    def _row(
        self, problem: Problem, state: State, statistics: tuple[Any, ...], *so_far: float
    ) -> tuple[float, ...]:
        step, distance = state.step, math.nan
        if self._diversity_every and step % self._diversity_every == 0:
            distance = diversity(state.boards, problem)
        rate = state.memory.get("rate", math.nan)
        return (step, state.evaluations, state.moves, *statistics[:4], distance, rate, *so_far)

    @property
    def table(self) -> NDArray[np.float64]:
        """All rows, `[rows, fields]`."""
        return np.array(self._numbers, np.float64).reshape(-1, len(RECORDED_FIELDS))

    @table.setter
    def table(self, rows: NDArray[np.float64]) -> None:
        width = len(RECORDED_FIELDS)
        if rows.ndim == 2 and rows.shape[1] == width - 1:  # version 0.1.0 recorded no errors
            rows = np.column_stack((rows, np.full(len(rows), math.nan)))
        if rows.ndim != 2 or rows.shape[1] != width:
            raise ValueError(f"expected rows of {width} numbers, got shape {rows.shape}")
        self._numbers = array("d", rows.ravel().tolist())

    @property
    def restarts(self) -> NDArray[np.int64]:
        """The steps at which the search started anew."""
        return np.array(self._restarts, np.int64)

    def set_restarts(self, steps: NDArray[np.int64], count: float) -> None:
        """Set the steps of restarts, out of `count`, so that later ones are noticed."""
        if steps.ndim != 1 or steps.dtype != np.int64:
            raise ValueError(f"expected the steps of restarts, got shape {steps.shape}")
        self._restarts = array("q", steps.tolist())
        self._restarts_before = int(count) - len(steps)

    def __len__(self) -> int:
        return len(self._numbers) // len(RECORDED_FIELDS)

    def thin(self) -> None:
        """Drop every other row, and record half as often from now on; checkpoints keep the rate."""
        self.record = replace(self.record, every=2 * self.record.every)
        table = self.table
        self.table = table[table[:, 0] % self.record.every == 0]

    def drop_after(self, step: int) -> None:
        """Drop the rows of later steps."""
        width = len(RECORDED_FIELDS)
        while self._numbers and self._numbers[-width] > step:
            del self._numbers[-width:]
        while self._restarts and self._restarts[-1] > step:
            self._restarts.pop()

    def history(self, problem: Problem, state: State, *so_far: float) -> History:
        """Build the history, with a last row for `state` in any case."""
        table = self.table
        if not len(table) or table[-1, 0] != state.step:
            last = self._row(problem, state, cost_statistics(state.costs), *so_far)
            table = np.vstack((table, last))
        columns: dict[str, Column] = {
            name: column.copy() for name, column in zip(RECORDED_FIELDS, table.T, strict=True)
        }
        for name in INTEGER_FIELDS:
            if not np.isnan(columns[name]).any():  # version 0.1.0 recorded no errors
                columns[name] = columns[name].astype(np.int64)
        columns["score"] = problem.scores(columns["best"].astype(np.int32))
        columns["mean_score"] = np.full(len(table), math.nan)
        scale = fitness_scale(problem)
        if scale and len(state.costs) > 1:
            columns["mean_score"] = scale.means(columns["mean"])
        fields = self.record.fields
        return History({name: columns[name] for name in fields}, self._restarts.tolist())


class Log:
    """A table of integers that grows step by step; `column` holds the step."""

    def __init__(self, column: int) -> None:
        self.column = column
        self.rows = 0
        self._tables: list[NDArray[np.int64]] = []

    @property
    def table(self) -> NDArray[np.int64]:
        return stack_births(*self._tables) if self._tables else np.empty((0, 5), np.int64)

    def add(self, table: NDArray[np.int64]) -> None:
        self._tables.append(table)
        self.rows += len(table)

    def keep(self, which: Callable[[NDArray[np.int64]], NDArray[np.bool_]]) -> None:
        """Keep the rows for which the function returns True."""
        table = self.table
        self._tables = [table[which(table)]]
        self.rows = len(self._tables[0])

    def drop_after(self, step: int) -> None:
        """Drop the rows of later steps; those are the last."""
        if self._tables and (self._tables[-1][-1:, self.column] > step).any():
            last = self._tables.pop()
            self.rows -= len(last)
            self.add(last[last[:, self.column] <= step])


def birth_rows(state: State) -> NDArray[np.int64]:
    """List the births of a step: `[id, step, cost or −1 if already replaced, parents' ids …]`."""
    alive = dict(zip(state.ids.tolist(), state.costs.tolist(), strict=True))
    names, parents = state.births[:, 0], state.births[:, 1:]
    costs = np.array([alive.get(name, -1) for name in names.tolist()], np.int64)
    return np.column_stack((names, np.full(len(names), state.step), costs, parents))


def births_to_keep(births: NDArray[np.int64], best_id: int) -> NDArray[np.bool_]:
    """Select the births to keep: the ancestors of the best board, and the latest quarter."""
    found: NDArray[np.bool_] = births[:, 1] >= births[-len(births) // 4, 1]
    order = np.argsort(births[:, 0], kind="stable")
    names, wanted = births[order, 0], np.array([best_id])
    most = np.count_nonzero(found) + MAX_ROWS // 4
    kin = np.zeros(len(births), bool)
    while len(wanted) and np.count_nonzero(found) < most:
        places = np.minimum(np.searchsorted(names, wanted), len(names) - 1)
        rows = order[places[names[places] == wanted]]
        rows = rows[~kin[rows]]
        kin[rows] = found[rows] = True
        wanted = np.unique(births[rows, 3:])
    return found


@kernel
def cost_statistics(costs: Costs) -> Any:
    """Compute lowest, mean and highest cost, standard deviation, and index of the lowest."""
    place, total, squares = 0, 0.0, 0.0
    first = np.float64(costs[0])  # sums of differences to it stay small
    worst = costs[0]
    for i in range(len(costs)):
        cost = costs[i]
        more = np.float64(cost) - first
        total += more
        squares += more * more
        worst = max(worst, cost)
        if cost < costs[place]:
            place = i
    mean = total / len(costs)
    spread = max(0.0, squares / len(costs) - mean * mean)
    return costs[place], first + mean, worst, np.sqrt(spread), place
