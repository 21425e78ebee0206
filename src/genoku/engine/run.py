"""One run: start, advance, record, save, resume and finish."""

from __future__ import annotations

import operator
import time
import warnings
from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from contextlib import nullcontext, suppress
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from genoku.engine import checkpoint as file, history
from genoku.engine.history import HistoryRecorder, Log, Record
from genoku.engine.result import Result
from genoku.errors import PuzzleError, RecipeError
from genoku.evolve.algorithms.islands import problem_of
from genoku.evolve.encoding import Boards
from genoku.evolve.fitness import errors_left
from genoku.evolve.presets import AlgorithmLike, choose
from genoku.evolve.problem import Problem
from genoku.evolve.recipe import Trust, build, describe
from genoku.evolve.state import Algorithm, State, as_search
from genoku.evolve.stopping import Counters, Stop, StopReason, Until
from genoku.evolve.user.errors import blaming_user_code
from genoku.evolve.user.operators import import_path
from genoku.puzzle.board import Board, Puzzle
from genoku.puzzle.geometry import Geometry
from genoku.runtime.random import stream
from genoku.runtime.signals import catch_interrupts, raise_if_interrupted
from genoku.runtime.workers import use_workers

SAVE_EVERY = 30.0  # seconds between checkpoints
SMALL = Geometry(2, 2)
NEVER = 2**31  # an interval that records the first row only
RECORD_NOTHING = Record(fields=("gen",), every=NEVER)
WARM: set[str] = set()
CHECKPOINT_NUMBERS = ("best_cost", "best_step", "best_id", "seconds", "cpu_seconds")


class View(NamedTuple):
    """What a watcher sees of a run: its first state, and the state after every step."""

    problem: Problem
    state: State
    best_board: Board
    best_cost: int
    errors: int  #: Errors left on the best board; 0 is solved
    counters: Counters
    best_id: int = -1  #: Id of the best board; −1 if unknown


Watcher = Callable[[View], object]
"""Called with the first state and after every step; returning True ends the run.

Its time does not count towards the run.
"""


@dataclass
class Run:
    """One algorithm on one puzzle with one seed, and its progress so far.

    Use `start`, `advance` until `stop_reason`, then `finish`; `genoku.run` does so. The clocks run
    only during `start` and `advance`, without the time of watchers.
    """

    problem: Problem
    algorithm: Algorithm
    seed: int
    until: Until
    rows: HistoryRecorder
    state: State
    best_board: Board = field(default_factory=lambda: np.empty(0, np.uint8))
    best_cost: int = 2**31
    best_step: int = 0
    best_id: int = -1
    errors: int = 0  #: Errors left on the best board; 0 is solved
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    individuals: Log = field(default_factory=lambda: Log(0))
    births: Log = field(default_factory=lambda: Log(1))

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
        """Start a run: build the problem and the first state, and record it.

        Parameters
        ----------
        until
            Limits of the run, such as `"generations=500 or seconds=10"`.
        record
            What to record; by default `Record()`.
        boards
            First boards `[boards, cells]`; by default random ones.
        problem
            The problem, if another run on the same puzzle has built it.
        """
        seed, wall, cpu = operator.index(seed), time.perf_counter(), time.thread_time()
        with blaming_user_code(partial(_recipe, algorithm)):
            problem = problem or Problem.of(puzzle, algorithm.encoding, algorithm.fitness)
            state = algorithm.start(problem, stream(seed, "run"), boards)
            rows = HistoryRecorder(record or Record())
            started = cls(problem, algorithm, seed, Until.parse(until), rows, state)
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
        """Make steps until the run stops or a limit of this call is reached.

        Parameters
        ----------
        steps, seconds, cpu_seconds
            Limits of this call, checked between steps.
        should_stop
            Called after every step; a true value ends the call. Its time does not count.

        Returns
        -------
        int
            The number of steps made.

        Errors and Ctrl-C pass through, and leave the run as after its last complete step.
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
                self.stop_reason
                or self.state.step == last
                or (wall_end is not None and self.seconds >= wall_end)
                or (cpu_end is not None and self.cpu_seconds >= cpu_end)
            ):
                raise_if_interrupted()
                with blame:
                    state = algorithm.step(problem, self.state)
                self.seconds = time.perf_counter() - wall
                if by_cpu:
                    self.cpu_seconds = time.thread_time() - cpu
                self.record(state)
                if should_stop is None:
                    continue
                self.seconds = time.perf_counter() - wall
                self.cpu_seconds = time.thread_time() - cpu
                try:
                    stops = should_stop()
                finally:  # Ctrl-C mostly comes while a watcher waits
                    wall = time.perf_counter() - self.seconds
                    cpu = time.thread_time() - self.cpu_seconds
                if stops:
                    break
        finally:
            for recorded in (self.rows, self.individuals, self.births):
                recorded.drop_after(self.state.step)  # of an interrupted `record`
            self.seconds, self.cpu_seconds = time.perf_counter() - wall, time.thread_time() - cpu
        return self.state.step - first

    @property
    def stop_reason(self) -> StopReason | None:
        """Why the run has stopped; None while it can advance."""
        if self.problem.space.refuted:
            return Stop.NO_SOLUTION
        finished = self.state.finished
        return Stop(finished) if finished else self.until.first_reached(self.counters())

    @property
    def has_answer(self) -> bool:
        """Whether it has solved the puzzle or proved that there is no solution."""
        if self.stop_reason is Stop.NO_SOLUTION:
            return True
        return self.stop_reason is Stop.SOLVED and self.is_solved

    @property
    def is_solved(self) -> bool:
        """Whether the best board solves the puzzle, by the puzzle's own verdict."""
        return self.problem.puzzle.is_solved_by(self.best_board)

    @property
    def view(self) -> View:
        """The run as watchers see it."""
        return View(
            *(self.problem, self.state, self.best_board, self.best_cost, self.errors),
            self.counters(),
            self.best_id,
        )

    def counters(self) -> Counters:
        """Return the counters that limits are compared with."""
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
        """Enter a state: record its best board, a row of history, individuals and births."""
        statistics = history.cost_statistics(state.costs)
        if statistics[0] < self.best_cost:
            place = statistics[4]
            self.best_cost, self.best_step = int(statistics[0]), state.step
            self.best_board, self.best_id = state.boards[place].copy(), int(state.ids[place])
            self.errors = errors_left(self.best_board, self.problem.puzzle.geometry)
        rows = self.rows
        rows.add(self.problem, state, statistics, self.best_cost, self.seconds, self.errors)
        record = rows.record
        if record.individuals and state.step % record.individuals_every == 0:
            steps = np.full(len(state.ids), state.step)
            self.individuals.add(np.column_stack((steps, state.ids, state.costs)))
            if self.individuals.rows > history.MAX_ROWS:
                every = 2 * record.individuals_every
                rows.record = replace(record, individuals_every=every)
                self.individuals.keep(lambda table: table[:, 0] % every == 0)
        if record.lineage:
            self.births.add(history.birth_rows(state))
            if self.births.rows > history.MAX_ROWS:
                self.births.keep(partial(history.births_to_keep, best_id=self.best_id))
        self.state = state  # last: an interrupted call leaves the old state

    def finish(self, reason: StopReason | None = None) -> Result:
        """Build the result; `reason` overrides the stop reason."""
        problem, state = self.problem, self.state
        reason = reason or self.stop_reason or Stop.STOPPED
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
                *self.counters()[:5],
                self.rows.history(problem, state, self.best_cost, self.seconds, self.errors),
                state,
                self.best_id,
                self.individuals.table,
                self.births.table,
            )

    def __getstate__(self) -> dict[str, Any]:
        """Pickle the puzzle instead of the problem, which every process builds once."""
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
                **{name: vars(self)[name] for name in CHECKPOINT_NUMBERS},
            },
            {
                "best_board": self.best_board,
                "rows": self.rows.table,
                "people": self.individuals.table,
                "family": self.births.table,
                "restarts": self.rows.restarts,
            },
            self.state,
        )

    @classmethod
    def load(cls, path: str | Path, trust: Trust = False) -> Run:
        """Load a checkpoint and check that its content is consistent.

        Parts named `module:name` are imported, which runs the module; this requires `trust`.
        Raises CheckpointError if the file is damaged, untrusted or of another results version.
        """
        header, arrays, state = file.load(path)
        with file.reporting_errors(path, header, trust):
            algorithm = build(header["recipe"], trust)
            file.require_boards(header["recipe"], state)
            puzzle = Puzzle.parse(header["puzzle"], box=header["box"])
            problem = Problem.of(puzzle, algorithm.encoding, algorithm.fitness)
            rows = HistoryRecorder(Record.of(header["record"]))
            rows.table = arrays["rows"]
            steps = arrays.get("restarts", np.empty(0, np.int64))  # version 0.1.0 kept none
            rows.set_restarts(steps, state.memory.get("restarts", 0))
            file.require_state(problem, state, algorithm.start(problem, stream("check")))
            best = file.require_best_board(arrays["best_board"], problem)
            return cls(
                problem,
                algorithm,
                int(header["seed"]),
                Until.parse(header["until"]),
                rows,
                state,
                best,
                errors=errors_left(best, puzzle.geometry),
                individuals=file.read_log(0, arrays["people"]),
                births=file.read_log(1, arrays["family"]),
                **{name: file.require_number(header[name]) for name in CHECKPOINT_NUMBERS},
            )


def run(
    puzzle: Puzzle | str,
    algorithm: AlgorithmLike,
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
    """Run an algorithm on a puzzle until it is solved, fails or reaches a limit.

    Parameters
    ----------
    puzzle
        A puzzle, or its text.
    algorithm
        An algorithm, a preset, the name of a preset, or a recipe.
    seed
        The random seed. It alone decides the run, whatever the machine and `jobs`.
    until
        Limits, such as `"generations=500 or seconds=10"`; by default those of the preset, else
        1,000 generations. An empty text means no limit.
    record
        What to record; by default `Record()`.
    watch
        One or several functions called with a `View` after every step; returning True ends the run.
    boards
        First boards `[boards, cells]`; by default random ones.
    checkpoint
        A file to save the run to, every 30 seconds and at the end.
    jobs
        Number of processes for islands, or an executor.
    allow_conflicts
        Run even if givens conflict.

    Returns
    -------
    Result
        The result; Ctrl-C ends the run with the best so far.

    Raises
    ------
    PuzzleError
        If the puzzle cannot be read, or givens conflict.
    RecipeError
        If the algorithm cannot be built, or a user's own part fails.

    Examples
    --------
    >>> result = run("1.....3..4.....2", "sundy", seed=1)
    >>> result.solved, result.steps, str(result.stop_reason)
    (True, 1, 'solved')
    """
    puzzle, chosen = Puzzle.parse(puzzle), choose(algorithm, until)
    if not allow_conflicts:
        require_no_conflicts(puzzle)
    started = Run.start(puzzle, chosen.algorithm, seed, chosen.until, record, boards)
    return _run_to_end(started, watch, checkpoint, jobs)


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
    """Resume a run from a checkpoint; it continues as if it had never stopped.

    Parameters
    ----------
    path
        The checkpoint, which is updated unless `checkpoint` names another file.
    until
        New limits; by default those of the checkpoint.
    watch, checkpoint, jobs
        As for `run`.
    trust
        Modules that the checkpoint may import for parts named `module:name`, or True for all.
    any_version
        Has no effect, and will be removed.

    Raises
    ------
    CheckpointError
        If the file is damaged, inconsistent, untrusted or of another results version.
    """
    if any_version:
        reason = "any_version has no effect and will be removed: versions no longer decide"
        warnings.warn(reason, DeprecationWarning, stacklevel=2)
    saved = Run.load(path, trust)
    if until is not None:
        saved.until = Until.parse(until)
    return _run_to_end(saved, watch, checkpoint or path, jobs)


def warm_up(algorithm: Algorithm, geometry: Geometry, record: Record = RECORD_NOTHING) -> None:
    """Load compiled kernels before anything is timed, by two short steps on an empty board.

    Fitness kernels depend on the size of boards; algorithms on partial boards do not, and a small
    board takes less time. Algorithms with users' own parts are skipped: calling those may have side
    effects.
    """
    recipe = str(describe(algorithm))
    is_ours = ":" not in recipe.replace("': ", "")
    size = SMALL if algorithm.encoding.keeps == "rules" else geometry
    key = f"{recipe} {size} {record.fields}"
    if is_ours and key not in WARM:
        WARM.add(key)
        with suppress(MemoryError):  # the run itself will report it
            small = Puzzle(size, bytes(size.cells))
            shorter = as_search(algorithm).with_short_steps()
            Run.start(small, shorter, 0, "steps=2", record).advance()


def require_no_conflicts(puzzle: Puzzle) -> None:
    """Raise PuzzleError if givens conflict, and list the conflicts."""
    conflicts = puzzle.conflicts()
    if conflicts:
        listed = "; ".join(map(str, conflicts))
        raise PuzzleError(f"the givens conflict, so there is no solution: {listed}")


def _run_to_end(
    one: Run,
    watch: Watcher | Iterable[Watcher],
    checkpoint: str | Path | None,
    jobs: int | Executor,
) -> Result:
    """Advance until the run stops or a watcher ends it, and save checkpoints."""
    watcher = combine_watchers(watch)
    saved, stopped = time.perf_counter(), False

    def should_stop() -> bool:
        nonlocal stopped
        stopped = watcher is not None and watcher(one.view)
        return stopped or (checkpoint is not None and time.perf_counter() - saved > SAVE_EVERY)

    if checkpoint:  # fail before the run if the algorithm cannot be saved or rebuilt
        build(describe(one.algorithm), trust=True)
        one.save(checkpoint)
    try:
        with catch_interrupts() as caught, nullcontext() if jobs == 1 else use_workers(jobs):
            stopped = watcher is not None and one.state.step == 0 and watcher(one.view)
            while not (stopped or one.stop_reason):
                one.advance(should_stop=should_stop if watcher or checkpoint else None)
                if checkpoint and not (stopped or one.stop_reason):
                    one.save(checkpoint)
                    saved = time.perf_counter()
    finally:
        if checkpoint:
            one.save(checkpoint)
    return one.finish(Stop.INTERRUPTED if caught else None)


def combine_watchers(watch: Watcher | Iterable[Watcher]) -> Callable[[View], bool] | None:
    """Combine watchers into one, which calls all and returns whether one ends the run."""
    watchers = [watch] if callable(watch) else list(watch)
    if not watchers:
        return None
    return lambda view: True in [each(view) for each in watchers]


def _recipe(algorithm: Algorithm) -> dict[str, Any]:
    """Describe an algorithm for error messages; without a recipe, by its class."""
    try:
        return describe(algorithm)
    except RecipeError:
        return {"use": import_path(type(algorithm))}
