"""A portfolio: several seeds of one algorithm on one puzzle, and the first to solve it wins."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from contextlib import ExitStack

from genoku.board import Puzzle
from genoku.engine.history import Record
from genoku.engine.result import Result
from genoku.engine.run import Run, View, Watcher, ended_by, refuse_clashes
from genoku.errors import GenokuError
from genoku.failures import catching_interrupts
from genoku.preset_library import Choice, choose
from genoku.stopping import Stop, StopReason, Until
from genoku.workers import spread, workers

ROUND = 0.3  # seconds that a round should take
ALONE = 0.3  # seconds before other processes are called: most puzzles are solved by then
ARRIVAL = 2.0  # seconds until they are ready

Leg = tuple[Run, int, float]
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
    puzzle, chosen = Puzzle.parse(puzzle), choose(algorithm, until)
    if not allow_conflicts:
        refuse_clashes(puzzle)
    began = time.time()
    runs: dict[int, Run] = {}
    problem = None  # the first run makes it for all
    for seed in sorted(set(seeds)):
        runs[seed] = Run.start(
            puzzle, chosen.algorithm, seed, chosen.until, record, problem=problem
        )
        problem = runs[seed].problem
    if not runs:
        raise GenokuError("expected a seed or more, got none")
    reason: StopReason = Stop.INTERRUPTED
    used = min(jobs, len(runs)) if isinstance(jobs, int) else jobs
    with catching_interrupts():
        reason = _race(runs, ended_by(watch), used, began)
    leader = min(runs.values(), key=rank)
    leader.seconds = time.time() - began
    leader.cpu_seconds = sum(one.cpu_seconds for one in runs.values())
    return leader.finish(reason)


def _race(
    runs: dict[int, Run],
    is_ended: Callable[[View], bool] | None,
    jobs: int | Executor,
    began: float,
) -> StopReason:
    """Let all runs go on, in rounds of equal steps; how the leading one ended.

    After a round every run has made as many steps as any other, or has ended: who has solved the
    puzzle with fewer steps is known, however long rounds are. So their length may follow the clock.
    """
    steps = 1
    with ExitStack() as stack:
        helped = False
        while True:
            leader = min(runs.values(), key=rank)
            going = [one for one in runs.values() if not one.ended]
            stopped = is_ended is not None and is_ended(leader.view)
            if leader.is_through or not going or stopped:
                return leader.ended or Stop.STOPPED
            if jobs != 1 and not helped and _is_worth_helping(leader, time.time() - began):
                stack.enter_context(workers(jobs))
                helped = True
            at = time.perf_counter()
            legs: list[Leg] = [(one, steps, began) for one in going]
            runs.update((one.seed, one) for one in spread(advanced, legs))
            took = time.perf_counter() - at
            steps = max(1, min(4 * steps, int(steps * ROUND / max(took, 1e-9))))


def _is_worth_helping(leader: Run, seconds: float) -> bool:
    """Whether it goes on for so long that other processes are worth their start."""
    end = leader.until.bound("seconds")
    return seconds > ALONE and (end is None or end - seconds > ARRIVAL)


def advanced(leg: Leg) -> Run:
    """A run after some more steps, fewer if it ends before; in whatever process."""
    one, steps, began = leg
    one.seconds = time.time() - began
    one.advance(steps=steps)
    return one


def rank(one: Run) -> tuple[int, ...]:
    """The lower, the better; 0 comes first where a run has solved the puzzle, or refuted it."""
    if one.is_through:
        return 0, one.state.step, 0, one.seed
    return 1, one.best_cost, one.best_step, one.seed
