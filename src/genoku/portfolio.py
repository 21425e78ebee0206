"""A portfolio: several seeds of one algorithm on one puzzle, and the first to solve it wins."""

from __future__ import annotations

import time
from collections.abc import Iterable
from concurrent.futures import Executor
from contextlib import ExitStack

from genoku.board import Puzzle
from genoku.errors import GenokuError
from genoku.history import Record, summary
from genoku.interrupts import answered, check, is_interrupt
from genoku.journey import Journey
from genoku.loop import Watcher, blamed, is_ended_by, refuse_clashes, started
from genoku.preset_library import Choice, choose
from genoku.problem import Problem
from genoku.result import Result
from genoku.stopping import Until
from genoku.workers import spread, workers

ROUND = 0.3  # seconds that a round should take
ALONE = 0.3  # seconds before other processes are called: most puzzles are solved by then
ARRIVAL = 2.0  # seconds until they are ready

Leg = tuple[Journey, int, float]
"""A run, how many steps it shall make, and when the portfolio began."""


def run_portfolio(
    puzzle: Puzzle | str,
    algorithm: Choice,
    *,
    seeds: Iterable[int] = range(8),
    until: Until | str | None = None,
    jobs: int | Executor = 1,
    record: Record | None = None,
    watch: Watcher | Iterable[Watcher] = (),
    allow_conflicts: bool = False,
) -> Result:
    """Run an algorithm with every seed, on `jobs` processes or the workers of an executor, until
    one of the runs has solved it.

    The answer does not depend on `jobs`: of the runs that solve the puzzle the one with the fewest
    steps wins, and of those the one with the lowest seed. If none does, the lowest cost wins, then
    the fewest steps to it, then the lowest seed. A proof that there is no solution ends all runs.
    Limits hold for each run, those in (wall) seconds for all together; the result has the time of
    the whole, and the processor time of all runs. Ctrl-C ends with the best so far. Watchers see
    the leading run after every round.
    """
    puzzle, (algorithm, until) = Puzzle.parse(puzzle), choose(algorithm, until)
    if not allow_conflicts:
        refuse_clashes(puzzle)
    began, cpu = time.time(), time.thread_time()
    watchers = [watch] if callable(watch) else list(watch)
    with blamed(algorithm):
        problem = Problem.of(puzzle, algorithm.encoding, algorithm.fitness)
        runs = {
            seed: started(problem, algorithm, seed, until, record) for seed in sorted(set(seeds))
        }
    if not runs:
        raise GenokuError("expected a seed or more, got none")
    at_the_start = time.thread_time() - cpu
    reason = "interrupted"
    try:
        used = min(jobs, len(runs)) if isinstance(jobs, int) else jobs
        reason = _race(runs, watchers, used, began)
    except (KeyboardInterrupt, SystemError) as error:
        if not is_interrupt(error):
            raise
        answered()
    leader = min(runs.values(), key=rank)
    leader.forget_what_was_not_finished()
    leader.seconds = time.time() - began
    leader.cpu_seconds = at_the_start + sum(journey.cpu_seconds for journey in runs.values())
    return Result.of(leader, reason)


def _race(
    runs: dict[int, Journey], watchers: list[Watcher], jobs: int | Executor, began: float
) -> str:
    """Let all runs go on, in rounds of equal steps; how the leading one ended.

    After a round every run has made as many steps as any other, or has ended: who has solved the
    puzzle with fewer steps is known, however long rounds are. So their length may follow the clock.
    """
    steps = 1
    with ExitStack() as stack:
        helped = False
        while True:
            leader = min(runs.values(), key=rank)
            going = [journey for journey in runs.values() if not _reason(journey)]
            stopped = bool(watchers) and is_ended_by(watchers, leader)
            if rank(leader)[0] == 0 or not going:
                return _reason(leader)
            if stopped:
                return "stopped"
            if jobs != 1 and not helped and _is_worth_helping(leader, time.time() - began):
                stack.enter_context(workers(jobs))
                helped = True
            at = time.perf_counter()
            legs: list[Leg] = [(journey, steps, began) for journey in going]
            runs.update((journey.seed, journey) for journey in spread(gone_on, legs))
            took = time.perf_counter() - at
            steps = max(1, min(4 * steps, int(steps * ROUND / max(took, 1e-9))))


def _is_worth_helping(leader: Journey, seconds: float) -> bool:
    """Whether it goes on for so long that other processes are worth their start."""
    end = leader.until.bound("seconds")
    return seconds > ALONE and (end is None or end - seconds > ARRIVAL)


def gone_on(leg: Leg) -> Journey:
    """A run after some more steps, fewer if it ends before; in whatever process."""
    journey, steps, began = leg
    cpu = time.thread_time() - journey.cpu_seconds
    journey.seconds = time.time() - began
    last = journey.state.step + steps
    while journey.state.step < last and not _reason(journey):
        check()
        with blamed(journey.algorithm):
            state = journey.algorithm.step(journey.problem, journey.state)
        journey.seconds, journey.cpu_seconds = time.time() - began, time.thread_time() - cpu
        journey.take(state, summary(state.costs))
    return journey


def _reason(journey: Journey) -> str:
    """Why a run has ended, if it has."""
    return journey.finished or journey.until.reached(journey.counters())


def rank(journey: Journey) -> tuple[int, ...]:
    """The lower, the better; 0 comes first where a run has solved the puzzle, or refuted it."""
    puzzle = journey.problem.puzzle
    solved = journey.finished == "solved" and puzzle.is_solved_by(journey.best_board)
    if solved or journey.finished == "no solution":
        return 0, journey.state.step, 0, journey.seed
    return 1, journey.best_cost, journey.best_step, journey.seed
