"""One run: it starts, advances, records, is saved and finishes, whoever drives it."""

from __future__ import annotations

import operator
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from contextlib import nullcontext, suppress
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from genoku.algorithms.islands import problem_of
from genoku.board import Board, Puzzle
from genoku.custom import own_name
from genoku.encoding import Boards
from genoku.engine import checkpoint as file
from genoku.engine import history
from genoku.engine.history import Log, Record, Rows, births_of, kin_and_latest, summary
from genoku.engine.result import Result
from genoku.errors import PuzzleError, RecipeError
from genoku.failures import blaming_user_code, catching_interrupts, check
from genoku.geometry import Geometry
from genoku.preset_library import Choice, choose
from genoku.problem import Problem
from genoku.recipe import Trust, build, describe
from genoku.state import Algorithm, State, declared
from genoku.stopping import Counters, Stop, StopReason, Until
from genoku.stream import stream
from genoku.workers import workers

SAVE_EVERY = 30.0  # seconds between checkpoints
SMALL = Geometry(2, 2)
NEVER = 2**31  # a stride that records the first row and no other
NOTHING = Record(fields=("gen",), every=NEVER)
LOADED: set[str] = set()
COUNTED = ("best_cost", "best_step", "best_id", "seconds", "cpu_seconds")


class View(NamedTuple):
    """What a watcher sees: the first state, and the one after every step."""

    problem: Problem
    state: State
    best_board: Board
    best_cost: int
    counters: Counters


Watcher = Callable[[View], object]
"""Called with the first state and after every step; returning True ends the run.

The time it takes does not count as the run's.
"""


@dataclass
class Run:
    """One algorithm on one puzzle with one seed, and all that it has come to so far.

    Its clocks run only while it starts and advances, without the time of whoever watches.
    """

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

    @classmethod
    def start(
        cls,
        puzzle: Puzzle,
        algorithm: Algorithm,
        seed: int,
        until: Until | str,
        record: Record | None = None,
        boards: Boards | None = None,
        problem: Problem | None = None,
    ) -> Run:
        """A run before its first step; several on one puzzle may share the problem."""
        seed, wall, cpu = operator.index(seed), time.perf_counter(), time.thread_time()
        with blaming_user_code(partial(_recipe, algorithm)):
            problem = problem or Problem.of(puzzle, algorithm.encoding, algorithm.fitness)
            state = algorithm.start(problem, stream(seed, "run"), boards)
            started = cls(
                problem, algorithm, seed, Until.parse(until), Rows(record or Record()), state
            )
            started.record(state)
        started.seconds, started.cpu_seconds = time.perf_counter() - wall, time.thread_time() - cpu
        return started

    def advance(
        self,
        *,
        steps: int | None = None,
        seconds: float | None = None,
        cpu_seconds: float | None = None,
        should_stop: Callable[[], object] | None = None,
    ) -> int:
        """Make steps until the run ends, or one of the limits of this call; return their number.

        The limits count from the call on, and there is a step at least where `seconds` is not
        reached before it. `should_stop` is asked after every step, and its time does not count.
        After an error or Ctrl-C, which pass through, the run stands as after its last whole step.
        """
        problem, algorithm = self.problem, self.algorithm
        blame = blaming_user_code(partial(_recipe, algorithm))
        wall, cpu = time.perf_counter() - self.seconds, time.thread_time() - self.cpu_seconds
        first = self.state.step
        last = None if steps is None else first + steps
        wall_end = None if seconds is None else self.seconds + seconds
        cpu_end = None if cpu_seconds is None else self.cpu_seconds + cpu_seconds
        by_cpu = cpu_end is not None or "cpu_seconds" in self.until.words()
        try:
            while not (
                self.ended
                or self.state.step == last
                or (wall_end is not None and self.seconds >= wall_end)
                or (cpu_end is not None and self.cpu_seconds >= cpu_end)
            ):
                check()
                with blame:
                    state = algorithm.step(problem, self.state)
                self.seconds = time.perf_counter() - wall
                if by_cpu:
                    self.cpu_seconds = time.thread_time() - cpu
                self.record(state)
                if should_stop is None:
                    continue
                self.seconds, self.cpu_seconds = (
                    time.perf_counter() - wall,
                    time.thread_time() - cpu,
                )
                stops = should_stop()
                wall, cpu = (
                    time.perf_counter() - self.seconds,
                    time.thread_time() - self.cpu_seconds,
                )
                if stops:
                    break
        finally:
            self._forget_unfinished()
            self.seconds, self.cpu_seconds = time.perf_counter() - wall, time.thread_time() - cpu
        return self.state.step - first

    @property
    def ended(self) -> StopReason | None:
        """Why it cannot go on; a puzzle that singles refute needs no search."""
        if self.problem.space.refuted:
            return Stop.NO_SOLUTION
        return (
            Stop(self.state.finished)
            if self.state.finished
            else self.until.reached(self.counters())
        )

    @property
    def is_through(self) -> bool:
        """Whether it has solved the puzzle, by the puzzle's own verdict, or refuted it."""
        if self.ended is Stop.NO_SOLUTION:
            return True
        return self.ended is Stop.SOLVED and self.is_solved

    @property
    def is_solved(self) -> bool:
        """Whether the best board solves the puzzle: its own verdict, never the search's."""
        return self.problem.puzzle.is_solved_by(self.best_board)

    @property
    def view(self) -> View:
        """What watchers see."""
        return View(self.problem, self.state, self.best_board, self.best_cost, self.counters())

    def counters(self) -> Counters:
        """How far it has come."""
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

    def record(self, state: State) -> None:
        """Arrive at a state: note the best, the row, and who was born."""
        told = summary(state.costs)
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
            if self.people.rows > history.MOST_KEPT:
                every = 2 * record.individuals_every
                rows.record = replace(record, individuals_every=every)
                self.people.keep(lambda table: table[:, 0] % every == 0)
        if record.lineage:
            self.family.add(births_of(state))
            if self.family.rows > history.MOST_KEPT:
                self.family.keep(partial(kin_and_latest, best_id=self.best_id))
        self.state = state  # last: what the lists hold beyond it was not finished

    def _forget_unfinished(self) -> None:
        """Drop what an interrupted `record` had begun to note; the step will be taken again."""
        step = self.state.step
        self.rows.forget_after(step)
        for log in (self.people, self.family):
            log.forget_after(step)

    def finish(self, reason: StopReason | None = None) -> Result:
        """What came of it, for whatever reason it is left where it is."""
        problem, state = self.problem, self.state
        reason = reason or self.ended or Stop.STOPPED
        with blaming_user_code(partial(_recipe, self.algorithm)):
            solved = self.is_solved
            if reason == Stop.SOLVED and not solved:
                reason = Stop.NOT_SOLVED
            last = int(np.argmin(state.costs))
            return Result(
                problem,
                self.algorithm,
                self.seed,
                str(self.until),
                self.best_board,
                self.best_cost,
                solved,
                reason,
                state.boards[last].copy(),
                int(state.costs[last]),
                state.step,
                state.evaluations,
                state.moves,
                self.seconds,
                self.cpu_seconds,
                self.rows.history(problem, state, self.best_cost, self.seconds),
                state,
                self.best_id,
                self.people.table,
                self.family.table,
            )

    def __getstate__(self) -> dict[str, Any]:
        """For another process: a problem is made once there, however many runs come and go."""
        return {**vars(self), "problem": self.problem.puzzle}

    def __setstate__(self, saved: dict[str, Any]) -> None:
        vars(self).update(saved, problem=problem_of(saved["problem"], saved["algorithm"]))

    def save(self, path: str | Path) -> None:
        """Write a checkpoint."""
        puzzle = self.problem.puzzle
        file.save(
            path,
            {
                "puzzle": str(puzzle),
                "box": puzzle.geometry.box,
                "recipe": describe(self.algorithm),
                "seed": self.seed,
                "until": str(self.until),
                "record": asdict(self.rows.record),
                **{name: vars(self)[name] for name in COUNTED},
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
    def load(cls, path: str | Path, trust: Trust = False, *, any_version: bool = False) -> Run:
        """The run of a checkpoint, once everything in it goes together.

        Parts that it names as `module:name` are imported, which runs the module: with `trust`.
        """
        header, arrays, state = file.load(path, any_version=any_version)
        with file.holding_together(path, header, trust):
            algorithm = build(header["recipe"], trust)
            file.refuse_few_boards(header["recipe"], state)
            puzzle = Puzzle.parse(header["puzzle"], box=header["box"])
            problem = Problem.of(puzzle, algorithm.encoding, algorithm.fitness)
            rows = Rows(Record.of(header["record"]))
            rows.table = arrays["rows"]
            file.check(problem, state, algorithm.start(problem, stream("check")))
            return cls(
                problem,
                algorithm,
                int(header["seed"]),
                Until.parse(header["until"]),
                rows,
                state,
                file.checked_board(arrays["best_board"], problem),
                people=file.log(0, arrays["people"]),
                family=file.log(1, arrays["family"]),
                **{name: file.number(header[name]) for name in COUNTED},
            )


def run(
    puzzle: Puzzle | str,
    algorithm: Choice,
    *,
    seed: int = 0,
    until: Until | str | None = None,
    record: Record | None = None,
    watch: Watcher | Iterable[Watcher] = (),
    boards: Boards | None = None,
    checkpoint: str | Path | None = None,
    jobs: int | Executor = 1,
    allow_conflicts: bool = False,
) -> Result:
    """Run an algorithm on a puzzle until it is solved, fails, or `until` says so.

    The algorithm may also be a preset, the name of one, or a recipe. Without `until`, a preset's
    own limits hold, and else 1,000 generations.

    The seed alone decides the run, wherever it runs and however many `jobs` islands use: so many
    processes, or the workers of any executor, such as Dask's. Ctrl-C ends it with the best so far.
    A `checkpoint` file is written now and then and at the end. An empty `until`
    never ends a run that is not solved. RecipeError names a part of the user's own that fails.

    >>> result = run("1.....3..4.....2", "sundy", seed=1)
    >>> result.solved, result.steps, str(result.stop_reason)
    (True, 1, 'solved')
    """
    puzzle, chosen = Puzzle.parse(puzzle), choose(algorithm, until)
    if not allow_conflicts:
        refuse_clashes(puzzle)
    started = Run.start(puzzle, chosen.algorithm, seed, chosen.until, record, boards)
    return _to_its_end(started, watch, checkpoint, jobs)


def resume(
    path: str | Path,
    *,
    until: Until | str | None = None,
    watch: Watcher | Iterable[Watcher] = (),
    checkpoint: str | Path | None = None,
    jobs: int | Executor = 1,
    trust: Trust = False,
    any_version: bool = False,
) -> Result:
    """Go on with a saved run, as if it had never stopped; `until` may move its end.

    A file that names parts of somebody's own, as `module:name`, is refused without `trust`, and one
    of another version of genoku, whose run may go on differently, without `any_version`.
    """
    saved = Run.load(path, trust, any_version=any_version)
    if until is not None:
        saved.until = Until.parse(until)
    return _to_its_end(saved, watch, checkpoint or path, jobs)


def load_kernels_of(algorithm: Algorithm, geometry: Geometry, record: Record = NOTHING) -> None:
    """Load what is compiled before anything is timed, by a step or two on an empty board.

    What is recorded of the run has kernels too, so it is recorded here.

    Fitness kernels differ from size to size; what works on partial boards does not, and a small
    board is over sooner. Parts of a user's own are left alone: nobody knows what they do when they
    are called.
    """
    named = str(describe(algorithm))
    is_ours = ":" not in named.replace("': ", "")
    size = SMALL if algorithm.encoding.keeps == "rules" else geometry
    known = f"{named} {size} {record.fields}"
    if is_ours and known not in LOADED:
        LOADED.add(known)
        with suppress(MemoryError):  # which the run itself will meet
            small = Puzzle(size, bytes(size.cells))
            shorter = declared(algorithm).with_short_steps()
            Run.start(small, shorter, 0, "steps=2", record).advance()


def refuse_clashes(puzzle: Puzzle) -> None:
    """Raise if givens clash, by the name of every clash."""
    clashes = puzzle.conflicts()
    if clashes:
        named = "; ".join(map(str, clashes))
        raise PuzzleError(f"the givens clash, so there is no solution: {named}")


def _to_its_end(
    one: Run,
    watch: Watcher | Iterable[Watcher],
    checkpoint: str | Path | None,
    jobs: int | Executor,
) -> Result:
    """Advance until something ends it, with checkpoints on the way."""
    is_ended = ended_by(watch)
    saved, stopped = time.perf_counter(), False

    def should_stop() -> bool:
        nonlocal stopped
        stopped = is_ended is not None and is_ended(one.view)
        return stopped or (checkpoint is not None and time.perf_counter() - saved > SAVE_EVERY)

    if checkpoint:  # fail before the run if the algorithm cannot be saved, or not be found again
        build(describe(one.algorithm), trust=True)
        one.save(checkpoint)
    try:
        with catching_interrupts() as caught, nullcontext() if jobs == 1 else workers(jobs):
            stopped = is_ended is not None and one.state.step == 0 and is_ended(one.view)
            while not (stopped or one.ended):
                one.advance(should_stop=should_stop if is_ended or checkpoint else None)
                if checkpoint and not (stopped or one.ended):
                    one.save(checkpoint)
                    saved = time.perf_counter()
    finally:
        if checkpoint:
            one.save(checkpoint)
    return one.finish(Stop.INTERRUPTED if caught else None)


def ended_by(watch: Watcher | Iterable[Watcher]) -> Callable[[View], bool] | None:
    """Whether one of several watchers ends a run, once all have seen it; None if there are none."""
    watchers = [watch] if callable(watch) else list(watch)
    if not watchers:
        return None
    return lambda view: True in [watcher(view) for watcher in watchers]


def _recipe(algorithm: Algorithm) -> dict[str, Any]:
    """What names an algorithm's parts; of one that cannot be described, its class."""
    try:
        return describe(algorithm)
    except RecipeError:
        return {"use": own_name(type(algorithm))}
