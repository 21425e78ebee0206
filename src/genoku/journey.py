"""A run on its way: what it has come to, on disk and back."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from genoku import checkpoint
from genoku.algorithms.islands import problem_of
from genoku.board import Board, Puzzle
from genoku.encoding import Boards
from genoku.errors import CheckpointError, GenokuError, RecipeError
from genoku.history import Record, Rows
from genoku.problem import Problem
from genoku.recipe import Trust, build, describe
from genoku.recipe.building import refuse_untrusted
from genoku.state import Algorithm, Finished, State, stacked
from genoku.stopping import Counters, Until
from genoku.stream import stream

_COUNTED = ("best_cost", "best_step", "best_id", "seconds", "cpu_seconds")
MOST_KEPT = 5_000_000
"""Rows of individuals, and of births, that a run keeps: 120 and 200 MB."""


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


@dataclass
class Journey:
    """A run on its way: all that it has come to."""

    problem: Problem
    algorithm: Algorithm
    seed: int
    until: Until
    rows: Rows
    state: State
    best_board: Board = field(default_factory=lambda: np.empty(0, np.uint8))
    best_cost: int = 2**31
    best_step: int = 0
    best_id: int = -1
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    people: Log = field(default_factory=lambda: Log(0))
    family: Log = field(default_factory=lambda: Log(1))

    def __getstate__(self) -> dict[str, Any]:
        """For another process: a problem is made once there, however many runs come and go."""
        return {**vars(self), "problem": self.problem.puzzle}

    def __setstate__(self, saved: dict[str, Any]) -> None:
        vars(self).update(saved, problem=problem_of(saved["problem"], saved["algorithm"]))

    def take(self, state: State, told: tuple[Any, ...]) -> None:
        """Arrive at a state: note the best, the row, and who was born."""
        if told[0] < self.best_cost:
            place = told[4]
            self.best_cost, self.best_step = int(told[0]), state.step
            self.best_board, self.best_id = state.boards[place].copy(), int(state.ids[place])
        rows = self.rows
        rows.take(self.problem, state, told, self.best_cost, self.seconds)
        record = rows.record
        if record.individuals and state.step % record.individuals_every == 0:
            steps = np.full(len(state.ids), state.step)
            self.people.add(np.column_stack((steps, state.ids, state.costs)))
            if self.people.rows > MOST_KEPT:
                every = 2 * record.individuals_every
                rows.record = replace(record, individuals_every=every)
                self.people.keep(lambda table: table[:, 0] % every == 0)
        if record.lineage:
            self.family.add(_births(state))
            if self.family.rows > MOST_KEPT:
                self.family.keep(self._kin_and_latest)
        self.state = state  # last: what stands in the lists beyond it was not finished

    def _kin_and_latest(self, births: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which births to keep of too many: the best's ancestors, and those of the latest steps."""
        found: NDArray[np.bool_] = births[:, 1] >= births[-len(births) // 4, 1]
        order = np.argsort(births[:, 0], kind="stable")
        names, wanted = births[order, 0], np.array([self.best_id])
        most = np.count_nonzero(found) + MOST_KEPT // 4
        kin = np.zeros(len(births), bool)
        while len(wanted) and np.count_nonzero(found) < most:
            places = np.minimum(np.searchsorted(names, wanted), len(names) - 1)
            rows = order[places[names[places] == wanted]]
            rows = rows[~kin[rows]]
            kin[rows] = found[rows] = True
            wanted = np.unique(births[rows, 3:])
        return found

    def forget_what_was_not_finished(self) -> None:
        """Drop what an interrupted `take` had begun to note; the step will be taken again."""
        step = self.state.step
        self.rows.forget_after(step)
        for log in (self.people, self.family):
            log.forget_after(step)

    @property
    def finished(self) -> str:
        """How the run ended by itself, if it did; a puzzle that singles refute needs no search."""
        return "no solution" if self.problem.space.refuted else self.state.finished

    def counters(self) -> Counters:
        state = self.state
        return Counters(
            state.step,
            state.evaluations,
            state.moves,
            self.seconds,
            self.cpu_seconds,
            state.step - self.best_step,
            self.best_cost,
        )

    def save(self, path: str | Path) -> None:
        puzzle = self.problem.puzzle
        checkpoint.save(
            path,
            {
                "puzzle": str(puzzle),
                "box": puzzle.geometry.box,
                "recipe": describe(self.algorithm),
                "seed": self.seed,
                "until": str(self.until),
                "record": asdict(self.rows.record),
                **{name: getattr(self, name) for name in _COUNTED},
            },
            {
                "best_board": self.best_board,
                "rows": self.rows.table,
                "people": self.people.table,
                "family": self.family.table,
            },
            self.state,
        )

    @classmethod
    def load(cls, path: str | Path, trust: Trust = False, *, any_version: bool = False) -> Journey:
        """The run of a checkpoint, once everything in it goes together.

        Parts that it names as `module:name` are imported, which runs the module: with `trust`.
        """
        header, arrays, state = checkpoint.load(path, any_version=any_version)
        try:
            refuse_untrusted(header.get("recipe"), trust)
        except RecipeError as error:
            raise CheckpointError(f"{path}: {error}") from None
        try:
            algorithm = build(header["recipe"], trust)
            if _boards_in(header["recipe"]) > _boards_of(state):
                raise CheckpointError("it has fewer boards than its recipe says")
            puzzle = Puzzle.parse(header["puzzle"], box=header["box"])
            problem = Problem.of(puzzle, algorithm.encoding, algorithm.fitness)
            rows = Rows(Record.of(header["record"]))
            rows.table = arrays["rows"]
            _check(problem, state, algorithm.start(problem, stream("check")))
            best = arrays["best_board"]
            if not (_are_boards(best[None], problem) and problem.costs(best[None])[0] >= 0):
                raise CheckpointError("its best board is none")
            return cls(
                problem,
                algorithm,
                int(header["seed"]),
                Until.parse(header["until"]),
                rows,
                state,
                best,
                people=_log(0, arrays["people"]),
                family=_log(1, arrays["family"]),
                **{name: _number(header[name]) for name in _COUNTED},
            )
        except KeyError as error:
            raise CheckpointError(f"{path}: the checkpoint lacks its {error}") from None
        except Exception as error:  # whatever makes no sense in it
            said = (
                str(error) if isinstance(error, GenokuError) else f"{type(error).__name__}: {error}"
            )
            raise CheckpointError(
                f"{path}: the checkpoint does not hold together: {said}"
            ) from None


def _boards_in(recipe: Any) -> int:
    """How many boards a state has at least, by its recipe: so many must be in the file."""
    if not isinstance(recipe, dict) or ":" in recipe["use"]:  # nobody knows of a user's own
        return 1
    inner = max(int(recipe.get("population", 1)), _boards_in(recipe.get("algorithm")))
    return inner * int(recipe.get("islands", 1))


def _boards_of(state: State) -> int:
    return max(len(state.boards), sum(map(_boards_of, state.inner)))


def _number(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise CheckpointError(f"expected a number, got {value!r}")
    return value


def _count(value: Any) -> None:
    if not isinstance(_number(value), int) or not 0 <= value < 2**62:
        raise CheckpointError(f"expected a whole number from 0 on, got {value!r}")


def _log(column: int, rows: NDArray[np.int64]) -> Log:
    if rows.ndim != 2 or rows.dtype != np.int64:
        raise CheckpointError("what it says of individuals is no table")
    log = Log(column)
    if rows.size:
        log.add(rows)
    return log


def _are_boards(boards: Boards, problem: Problem) -> bool:
    return (
        boards.dtype == np.uint8
        and boards.ndim == 2
        and boards.shape[1] == problem.puzzle.geometry.cells
        and all(problem.space.contains(board) for board in boards)
    )


def _check(problem: Problem, state: State, fresh: State) -> None:
    """Refuse a state that no run can have come to: kernels trust what they are given.

    `fresh` is a new start of the same algorithm, which has arrays of the same kinds and shapes.
    """
    if _kinds(state) != _kinds(fresh) or len(state.inner) != len(fresh.inner):
        raise CheckpointError("its arrays are not those of its recipe")
    if not _are_boards(state.boards, problem):
        raise CheckpointError("its boards are none of this puzzle")
    if not np.array_equal(problem.costs(state.boards), state.costs):
        raise CheckpointError("its boards do not have the costs it says")
    if state.births.ndim != 2 or state.births.dtype != np.int64:
        raise CheckpointError("its births are no table")
    if state.finished not in get_args(Finished):
        raise CheckpointError(f"its end is none: {state.finished!r}")
    if not set(fresh.memory) <= set(state.memory):
        raise CheckpointError("its memory is not that of its recipe")
    for number in state.memory.values():
        _number(number)
    for count in (state.step, state.evaluations, state.moves, state.born):
        _count(count)
    for inner, beside in zip(state.inner, fresh.inner, strict=True):
        _check(problem, inner, beside)


def _kinds(state: State) -> dict[str, tuple[object, ...]]:
    own: dict[str, NDArray[Any]] = {
        "rng": state.rng,
        "boards": state.boards,
        "costs": state.costs,
        "ids": state.ids,
    }
    return {name: (array.dtype, array.shape) for name, array in {**own, **state.arrays}.items()}


def _births(state: State) -> NDArray[np.int64]:
    """Who was born in a step: `[id, step, cost or −1 if already dead, parents' ids …]`."""
    alive = dict(zip(state.ids.tolist(), state.costs.tolist(), strict=True))
    names, parents = state.births[:, 0], state.births[:, 1:]
    costs = np.array([alive.get(name, -1) for name in names.tolist()], np.int64)
    return np.column_stack((names, np.full(len(names), state.step), costs, parents))
