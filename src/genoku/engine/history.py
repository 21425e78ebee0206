"""What a run was like: a row of numbers per step, kept as columns."""

from __future__ import annotations

import csv
import math
from array import array
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genoku import display
from genoku.display import CURVES
from genoku.diversity import diversity
from genoku.errors import RecipeError
from genoku.fitness import Costs
from genoku.jit import kernel
from genoku.problem import Problem
from genoku.state import State, stacked
from genoku.words import plural

Column = NDArray[Any]
Scale = Callable[[Column], Column]
"""Costs on another scale."""

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
    "score": "`best` on the report's own scale, as the screen shows scores",
}
"""Everything that can be recorded."""

TAKEN = [name for name in FIELDS if name != "score"]  # scores are worked out at the end
WHOLE = {"gen", "evals", "moves", "best", "worst", "best_ever"}
CURVE_POINTS = 180  # of a curve in a notebook
MOST_KEPT = 5_000_000
"""Rows of individuals, and of births, that a run keeps: 120 and 200 MB."""
USUAL = ("gen", "evals", "best", "mean", "worst", "std", "diversity", "rate", "best_ever", "score")


@dataclass(frozen=True)
class Record:
    """What to keep of a run: which fields and how often, every individual, the best's ancestors."""

    fields: tuple[str, ...] = USUAL
    every: int = 1
    diversity_every: int = 50
    individuals: bool = False
    lineage: bool = False
    individuals_every: int = 1
    """A run with more individuals than can be kept doubles it, and thins what it has."""

    def __post_init__(self) -> None:
        for field in self.fields:
            if field not in FIELDS:
                raise RecipeError(f"expected fields among {', '.join(FIELDS)}, got {field!r}")
        least = min(self.every, self.diversity_every, self.individuals_every)
        if least < 1:
            raise RecipeError(f"expected to record every 1 step or more, got every {least}")

    @classmethod
    def of(cls, facts: Mapping[str, Any]) -> Record:
        """The record that `asdict` made facts of; JSON knows no tuples."""
        known: dict[str, Any] = {**facts, "fields": tuple(facts["fields"])}
        return cls(**known)


class History(Mapping[str, Column]):
    """Columns of equal length: `history["best"]`; a number that was not taken is NaN."""

    def __init__(self, columns: dict[str, Column]) -> None:
        self.columns = columns

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

    __hash__ = None  # type: ignore[assignment] # as Python says that a value is mutable

    def __repr__(self) -> str:
        return f"<History of {self.rows} rows: {', '.join(self)}>"

    @property
    def rows(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    @property
    def is_of_one_board(self) -> bool:
        """Whether there was one board at a time, so that `best` is the cost of the current one."""
        known = {"best", "mean", "worst"} <= set(self)
        return known and np.array_equal(self["best"], self["worst"])

    def sketch(self, points: int) -> History:
        """No more than so many rows: of neighbours the lowest best, the mean of means, the highest
        worst, and of every other column the first."""
        starts = np.unique(
            np.linspace(0, self.rows, min(self.rows, points), endpoint=False).astype(np.int64)
        )
        found = {name: column[starts] for name, column in self.columns.items()}
        for name, gathered in (("best", np.minimum), ("mean", np.add), ("worst", np.maximum)):
            if name in found:
                found[name] = gathered.reduceat(self[name], starts)
        if "mean" in found:
            found["mean"] = found["mean"] / np.diff(np.append(starts, self.rows))
        return History(found)

    def to_csv(self, path: str | Path) -> None:
        """Write a header and a line per row; NaN as an empty field."""
        from genoku.formats.entries import replacing

        with replacing(path) as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(self)
            columns = (column.tolist() for column in self.columns.values())
            writer.writerows([_shown(value) for value in row] for row in zip(*columns, strict=True))

    def to_pandas(self) -> Any:
        """A pandas DataFrame, where pandas is installed."""
        try:
            pandas = import_module("pandas")
        except ImportError:
            raise ModuleNotFoundError(
                "to_pandas needs pandas: pip install pandas (to_csv needs nothing)"
            ) from None
        return pandas.DataFrame(self.columns)

    def _repr_html_(self) -> str:
        ends = [
            (name, *(_shown(value) or "–" for value in self[name][[0, -1]].tolist()))
            for name in self
            if self.rows
        ]
        rows = [(*end, FIELDS.get(end[0], "")) for end in ends]
        return display.shown(
            display.headline(f"History of {plural(self.rows, 'row')}"),
            course(self),
            display.folded("Columns", display.table(("", "first", "last", ""), rows, (1, 2))),
        )


def course(
    history: History, y_title: str = "cost (lower is better)", scaled: Scale = np.asarray
) -> str:
    """The curves of costs, or of what a scale makes of them, as a notebook shows them."""
    few = history.sketch(CURVE_POINTS)
    steps = few["gen"].tolist() if "gen" in few else list(range(few.rows))
    named = {name: name for name in CURVES}
    if history.is_of_one_board:
        named = {"best so far": "best_ever", "current board": "mean"}
    curves = {name: scaled(few[field]).tolist() for name, field in named.items() if field in few}
    if steps and "gen" in few:
        steps[-1] = int(history["gen"][-1])  # the axis ends where the run did
    colours = dict(zip(named, CURVES.values(), strict=False))
    lines = [display.Line(name, colours[name], steps, curve) for name, curve in curves.items()]
    return display.chart(lines, "step" if "gen" in few else "row", y_title)


def _shown(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.10g}"


class Rows:
    """The rows of a run while it goes on, as one flat array of numbers."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self._varies = record.diversity_every if "diversity" in record.fields else 0
        self._numbers = array("d")

    def take(
        self, problem: Problem, state: State, told: tuple[Any, ...], best_ever: int, seconds: float
    ) -> None:
        """Add the row of a state if its turn has come; `told` is `summary` of its costs."""
        if state.step % self.record.every == 0:
            self._numbers.extend(self._row(problem, state, told, best_ever, seconds))

    def _row(
        self, problem: Problem, state: State, told: tuple[Any, ...], best_ever: int, seconds: float
    ) -> tuple[float, ...]:
        step, memory = state.step, state.memory
        varied = math.nan
        if self._varies and step % self._varies == 0:
            varied = diversity(state.boards, problem)
        best, mean, worst, std, _ = told
        rate = memory.get("rate", math.nan)
        return (
            *(step, state.evaluations, state.moves, best, mean, worst, std),
            *(varied, rate, best_ever, seconds),
        )

    @property
    def table(self) -> NDArray[np.float64]:
        """All rows, `[rows, fields]`."""
        return np.array(self._numbers, np.float64).reshape(-1, len(TAKEN))

    @table.setter
    def table(self, rows: NDArray[np.float64]) -> None:
        if rows.ndim != 2 or rows.shape[1] != len(TAKEN):
            raise ValueError(f"expected rows of {len(TAKEN)} numbers, got shape {rows.shape}")
        self._numbers = array("d", rows.ravel().tolist())

    def __len__(self) -> int:
        return len(self._numbers) // len(TAKEN)

    def thin(self) -> None:
        """Keep every second row, and take half as many from now on; a checkpoint remembers it."""
        self.record = replace(self.record, every=2 * self.record.every)
        table = self.table
        self.table = table[table[:, 0] % self.record.every == 0]

    def forget_after(self, step: int) -> None:
        """Drop the rows of later steps."""
        width = len(TAKEN)
        while self._numbers and self._numbers[-width] > step:
            del self._numbers[-width:]

    def history(self, problem: Problem, state: State, best_ever: int, seconds: float) -> History:
        """The columns that were asked for, up to the last state whether its turn came or not."""
        table = self.table
        if not len(table) or table[-1, 0] != state.step:
            last = self._row(problem, state, summary(state.costs), best_ever, seconds)
            table = np.vstack((table, last))
        columns: dict[str, Column] = {
            name: column.astype(np.int64) if name in WHOLE else column.copy()
            for name, column in zip(TAKEN, table.T, strict=True)
        }
        columns["score"] = problem.scores(columns["best"].astype(np.int32))
        return History({name: columns[name] for name in self.record.fields})


class Log:
    """Tables of whole numbers that come step by step; one of their columns is the step."""

    def __init__(self, column: int) -> None:
        self.column = column
        self.rows = 0
        self._tables: list[NDArray[np.int64]] = []

    @property
    def table(self) -> NDArray[np.int64]:
        return stacked(*self._tables) if self._tables else np.empty((0, 5), np.int64)

    def add(self, table: NDArray[np.int64]) -> None:
        self._tables.append(table)
        self.rows += len(table)

    def keep(self, which: Callable[[NDArray[np.int64]], NDArray[np.bool_]]) -> None:
        """Drop the other rows."""
        table = self.table
        self._tables = [table[which(table)]]
        self.rows = len(self._tables[0])

    def forget_after(self, step: int) -> None:
        """Drop the rows of later steps, which are the last."""
        if self._tables and (self._tables[-1][-1:, self.column] > step).any():
            last = self._tables.pop()
            self.rows -= len(last)
            self.add(last[last[:, self.column] <= step])


def births_of(state: State) -> NDArray[np.int64]:
    """Who was born in a step: `[id, step, cost or −1 if already dead, parents' ids …]`."""
    alive = dict(zip(state.ids.tolist(), state.costs.tolist(), strict=True))
    names, parents = state.births[:, 0], state.births[:, 1:]
    costs = np.array([alive.get(name, -1) for name in names.tolist()], np.int64)
    return np.column_stack((names, np.full(len(names), state.step), costs, parents))


def kin_and_latest(births: NDArray[np.int64], best_id: int) -> NDArray[np.bool_]:
    """Which births to keep of too many: the best's ancestors, and those of the latest steps."""
    found: NDArray[np.bool_] = births[:, 1] >= births[-len(births) // 4, 1]
    order = np.argsort(births[:, 0], kind="stable")
    names, wanted = births[order, 0], np.array([best_id])
    most = np.count_nonzero(found) + MOST_KEPT // 4
    kin = np.zeros(len(births), bool)
    while len(wanted) and np.count_nonzero(found) < most:
        places = np.minimum(np.searchsorted(names, wanted), len(names) - 1)
        rows = order[places[names[places] == wanted]]
        rows = rows[~kin[rows]]
        kin[rows] = found[rows] = True
        wanted = np.unique(births[rows, 3:])
    return found


@kernel
def summary(costs: Costs) -> Any:
    """The lowest, mean and highest cost, their standard deviation, and where the lowest is."""
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
