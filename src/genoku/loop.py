"""The one loop: it starts, steps, records, watches, saves and stops every algorithm alike."""

from __future__ import annotations

import operator
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from genoku.board import Board, Puzzle
from genoku.custom import own_name
from genoku.encoding import Boards
from genoku.errors import GenokuError, PuzzleError, RecipeError
from genoku.failures import failures_named
from genoku.history import Record, Rows, summary
from genoku.interrupts import answered, check, is_interrupt
from genoku.journey import Journey
from genoku.preset_library import Choice, choose
from genoku.problem import Problem
from genoku.recipe import Trust, build, describe
from genoku.result import Result
from genoku.state import Algorithm, State
from genoku.stopping import Counters, Until
from genoku.stream import stream
from genoku.workers import workers

SAVE_EVERY = 30.0  # seconds between checkpoints


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
    >>> result.solved, result.steps, result.stop_reason
    (True, 1, 'solved')
    """
    puzzle, (algorithm, until) = Puzzle.parse(puzzle), choose(algorithm, until)
    if not allow_conflicts:
        refuse_clashes(puzzle)
    wall, cpu = time.perf_counter(), time.thread_time()
    with blamed(algorithm):
        problem = Problem.of(puzzle, algorithm.encoding, algorithm.fitness)
        journey = started(problem, algorithm, seed, until, record, boards)
    journey.seconds, journey.cpu_seconds = time.perf_counter() - wall, time.thread_time() - cpu
    return _travel(journey, watch, checkpoint, jobs)


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
    journey = Journey.load(path, trust, any_version=any_version)
    if until is not None:
        journey.until = Until.parse(until)
    return _travel(journey, watch, checkpoint or path, jobs)


def refuse_clashes(puzzle: Puzzle) -> None:
    """Raise if givens clash, by the name of every clash."""
    clashes = puzzle.conflicts()
    if clashes:
        named = "; ".join(map(str, clashes))
        raise PuzzleError(f"the givens clash, so there is no solution: {named}")


def started(
    problem: Problem,
    algorithm: Algorithm,
    seed: int,
    until: Until | str,
    record: Record | None = None,
    boards: Boards | None = None,
) -> Journey:
    """A run before its first step."""
    seed = operator.index(seed)
    state = algorithm.start(problem, stream(seed, "run"), boards)
    journey = Journey(problem, algorithm, seed, Until.parse(until), Rows(record or Record()), state)
    journey.take(state, summary(state.costs))
    return journey


def _travel(
    journey: Journey,
    watch: Watcher | Iterable[Watcher],
    checkpoint: str | Path | None,
    jobs: int | Executor,
) -> Result:
    """Step until something ends it."""
    problem, algorithm, until = journey.problem, journey.algorithm, journey.until
    watchers = [watch] if callable(watch) else list(watch)
    wall, cpu = _clocks_at(journey.seconds, journey.cpu_seconds)
    saved = time.perf_counter()
    by_cpu = "cpu_seconds" in until.words()
    if checkpoint:  # what cannot be saved, or not be found again by name, is better known now
        build(describe(algorithm), trust=True)
        journey.save(checkpoint)
    reason = ""

    def is_stopped() -> bool:
        """Ask the watchers, whose time is not the run's."""
        nonlocal wall, cpu
        journey.seconds = time.perf_counter() - wall
        journey.cpu_seconds = time.thread_time() - cpu
        try:
            return is_ended_by(watchers, journey)
        finally:
            wall, cpu = _clocks_at(journey.seconds, journey.cpu_seconds)

    try:
        with workers(jobs):
            stopped = bool(watchers) and journey.state.step == 0 and is_stopped()
            while not (reason := journey.finished or until.reached(journey.counters())):
                if stopped:
                    reason = "stopped"
                    break
                check()
                with blamed(algorithm):
                    state = algorithm.step(problem, journey.state)
                now = time.perf_counter()
                journey.seconds = now - wall
                if by_cpu:
                    journey.cpu_seconds = time.thread_time() - cpu
                journey.take(state, summary(state.costs))
                stopped = bool(watchers) and is_stopped()
                if checkpoint and now - saved > SAVE_EVERY:
                    journey.save(checkpoint)
                    saved = now
    except (KeyboardInterrupt, SystemError) as error:
        if not is_interrupt(error):
            raise
        answered()
        reason = "interrupted"
    finally:
        journey.forget_what_was_not_finished()
        journey.seconds = time.perf_counter() - wall
        journey.cpu_seconds = time.thread_time() - cpu
        if checkpoint:
            journey.save(checkpoint)
    with blamed(algorithm):
        return Result.of(journey, reason)


@contextmanager
def blamed(algorithm: Algorithm) -> Iterator[None]:
    """Name the part of the user's own that fails here; Ctrl-C, in any disguise, is no failure."""
    try:
        yield
    except GenokuError:
        raise
    except Exception as error:
        if is_interrupt(error):
            raise
        recipe = {"use": own_name(type(algorithm))}
        with suppress(RecipeError):  # of what cannot be described
            recipe = describe(algorithm)
        with failures_named(recipe):
            raise


def _clocks_at(seconds: float, cpu_seconds: float) -> tuple[float, float]:
    """When the wall clock and this thread's CPU clock must have begun to show these times now."""
    return time.perf_counter() - seconds, time.thread_time() - cpu_seconds


def is_ended_by(watchers: list[Watcher], journey: Journey) -> bool:
    """Show every watcher where the run stands; whether one of them ends it."""
    view = View(
        journey.problem,
        journey.state,
        journey.best_board,
        journey.best_cost,
        journey.counters(),
    )
    return True in [watcher(view) for watcher in watchers]
