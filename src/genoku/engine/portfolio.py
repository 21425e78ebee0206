"""A portfolio: one algorithm with several seeds on one puzzle; the first to solve it wins."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from contextlib import ExitStack

from genoku.engine.history import Record
from genoku.engine.result import Result
from genoku.engine.run import Run, View, Watcher, combine_watchers, require_no_conflicts
from genoku.errors import GenokuError
from genoku.evolve.presets import AlgorithmLike, choose
from genoku.evolve.stopping import Stop, StopReason, Until
from genoku.puzzle.board import Puzzle
from genoku.runtime.signals import catch_interrupts
from genoku.runtime.workers import parallel_map, use_workers

ROUND_SECONDS = 0.3  # target duration of a round
SERIAL_SECONDS = 0.3  # before worker processes start: most puzzles are solved by then
STARTUP_SECONDS = 2.0  # of worker processes


def run_portfolio(
    puzzle: Puzzle | str,
    algorithm: AlgorithmLike,
    *,
    seeds: Iterable[int] = range(8),
    until: Until | str | None = None,
    jobs: int | Executor = 1,
    record: Record | None = None,
    watch: Watcher | Iterable[Watcher] = (),
    allow_conflicts: bool = False,
) -> Result:
    """Run an algorithm with several seeds until one run has solved the puzzle.

    Parameters
    ----------
    puzzle, algorithm, until, record, allow_conflicts
        As for `genoku.run`. Limits hold for each run; limits in wall seconds for all together.
    seeds
        The random seeds, one run each.
    jobs
        Number of worker processes, or an executor. The result does not depend on it.
    watch
        Functions called with a `View` of the leading run after every round; returning True ends
        the portfolio.

    Returns
    -------
    Result
        The run that solved the puzzle with the fewest steps, then the lowest seed. If none did:
        the lowest cost, then the fewest steps to it, then the lowest seed. Its `seconds` and
        `cpu_seconds` are those of all runs. A proof that there is no solution ends all runs;
        Ctrl-C ends them with the best so far.

    Raises
    ------
    PuzzleError
        If givens conflict, unless `allow_conflicts`.
    GenokuError
        If there are no seeds.
    """
    puzzle, chosen = Puzzle.parse(puzzle), choose(algorithm, until)
    if not allow_conflicts:
        require_no_conflicts(puzzle)
    start = time.time()
    runs: dict[int, Run] = {}
    problem = None  # shared by all runs
    for seed in sorted(set(seeds)):
        runs[seed] = Run.start(
            puzzle, chosen.algorithm, seed, chosen.until, record, problem=problem
        )
        problem = runs[seed].problem
    if not runs:
        raise GenokuError("expected one or more seeds, got none")
    reason: StopReason = Stop.INTERRUPTED
    used = min(jobs, len(runs)) if isinstance(jobs, int) else jobs
    with catch_interrupts():
        reason = _advance_all(runs, combine_watchers(watch), used, start)
    leader = min(runs.values(), key=rank)
    leader.seconds = time.time() - start
    leader.cpu_seconds = sum(one.cpu_seconds for one in runs.values())
    return leader.finish(reason)


def _advance_all(
    runs: dict[int, Run], watcher: Callable[[View], bool] | None, jobs: int | Executor, start: float
) -> StopReason:
    """Advance all runs in rounds of equal steps; return why the leading run stopped.

    After a round every run has made the same number of steps or has stopped, so the winner does not
    depend on the length of rounds, which follows the clock.
    """
    steps = 1
    with ExitStack() as stack:
        has_workers = False
        while True:
            leader = min(runs.values(), key=rank)
            going = [one for one in runs.values() if not one.stop_reason]
            stopped = watcher is not None and watcher(leader.view)
            if leader.has_answer or not going or stopped:
                return leader.stop_reason or Stop.STOPPED
            spent, end = time.time() - start, leader.until.bound("seconds")
            # workers are worth the time in which they start
            is_long = spent > SERIAL_SECONDS and (end is None or end - spent > STARTUP_SECONDS)
            if jobs != 1 and not has_workers and is_long:
                stack.enter_context(use_workers(jobs))
                has_workers = True
            at = time.perf_counter()
            advanced = parallel_map(advance_run, [(one, steps, start) for one in going])
            runs.update((one.seed, one) for one in advanced)
            took = time.perf_counter() - at
            steps = max(1, min(4 * steps, int(steps * ROUND_SECONDS / max(took, 1e-9))))


def advance_run(job: tuple[Run, int, float]) -> Run:
    """Advance a run by some steps, in any process, and return it; the time is the start's."""
    one, steps, start = job
    one.seconds = time.time() - start
    one.advance(steps=steps)
    return one


def rank(one: Run) -> tuple[int, ...]:
    """Return a sort key, lower is better: runs with an answer first."""
    if one.has_answer:
        return 0, one.state.step, 0, one.seed
    return 1, one.best_cost, one.best_step, one.seed
