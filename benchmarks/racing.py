"""Shared by the benchmarks of solvers: boards, timed runs, and statistics.

A run is measured by the CPU time of its own thread, with every kernel warm, and ends when its CPU
time is over; every solution is verified by the puzzle. Runs are independent of each other, so that
they may be spread over processes, each of which measures its own.
"""

from __future__ import annotations

import json
import math
import os
import resource
import sys
import time
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from benchmarks import sets
from benchmarks.measuring import SEED, machine_text
from benchmarks.sets import Kind
from benchmarks.solvers import warm, within
from genoku.evolve.state import Algorithm
from genoku.evolve.stopping import Stop
from genoku.exact.propagation import CONSISTENT, SINGLES, empty_masks, links, load_board
from genoku.exact.sat import Formula
from genoku.lab.statistics import Interval, running_time, to_solution
from genoku.puzzle.board import Board, Puzzle
from genoku.puzzle.geometry import Geometry
from genoku.runtime.workers import map_in_order

RESAMPLES = 10_000
PROGRESS_SECONDS = 2.0


# Boards


def fresh_boards(
    geometry: Geometry, percent: int, count: int, kind: Kind = "random"
) -> list[Puzzle]:
    return [sets.random_boards(geometry, percent, index, SEED, kind) for index in range(count)]


# Runs


class Task(NamedTuple):
    """One run to make, with an algorithm, or with CaDiCaL if there is none."""

    row: str
    algorithm: Algorithm | None
    puzzle: Puzzle
    instance: str
    seed: int
    limit: float


class Outcome(NamedTuple):
    """The result of a run; an unsolved one has used its limit."""

    row: str
    instance: str
    seed: int
    solved: bool
    seconds: float
    built: int
    """Boards evaluated; conflicts are not counted."""


def race(tasks: Sequence[Task], jobs: int = 1) -> list[Outcome]:
    """Run all tasks, with progress on stderr, and return their outcomes in order."""
    outcomes: list[Outcome] = []
    said = begun = time.monotonic()
    for outcome in map_in_order(run_task, tasks, jobs):
        outcomes.append(outcome)
        if (now := time.monotonic()) - said > PROGRESS_SECONDS:
            said = now
            text = f"{len(outcomes)} of {len(tasks)} runs, {now - begun:.0f} s, {outcome.row}"
            print(f"\r  {text:<60}", end="", file=sys.stderr, flush=True)
    if said > begun:
        print(f"\r{'':<64}\r", end="", file=sys.stderr, flush=True)
    return outcomes


def run_task(task: Task) -> Outcome:
    """Make one run, warm; a wrong solution ends the benchmark."""
    if task.algorithm is None:
        warm_cadical(task.puzzle.geometry)
        board, seconds = by_cadical(task.puzzle, task.limit)
        solved, built, reason = board is not None, 0, "solved"
        right = board is None or task.puzzle.is_solved_by(board)
    else:
        warm(task.algorithm, task.puzzle.geometry)
        result = within(task.limit, task.puzzle, task.algorithm, task.seed)
        solved, seconds, built = result.solved, result.cpu_seconds, result.evaluations
        right, reason = task.puzzle.is_solved_by(result.board) == solved, result.stop_reason
    if not right or reason not in {Stop.SOLVED, Stop.STOPPED, Stop.TIME_LIMIT, Stop.FAILED}:
        sys.exit(f"{task.row}, seed {task.seed}: wrong, {reason!r} on {task.puzzle}")
    solved = solved and seconds <= task.limit
    seconds = seconds if solved else task.limit
    return Outcome(task.row, task.instance, task.seed, solved, seconds, built)


@cache
def warm_cadical(geometry: Geometry) -> None:
    by_cadical(sets.random_boards(geometry, 50, -1, SEED, "pattern"), 1.0)


def by_cadical(puzzle: Puzzle, limit: float) -> tuple[Board | None, float]:
    """Return CaDiCaL's solution of what singles leave open, and the total CPU seconds.

    It solves in one go, in a process that ends when its time is over. The oracle lets it work in
    slices, to look at the clock, which costs it up to ten times as much on the largest boards.
    """
    start = time.thread_time()
    masks, table = empty_masks(puzzle.geometry), links(puzzle.geometry)
    if load_board(puzzle.board.copy(), masks, table, SINGLES) != CONSISTENT:
        sys.exit(f"no solution: {puzzle}")
    formula = Formula(masks.bits, table)
    encoding = time.thread_time() - start
    readable, writable = os.pipe()
    child = os.fork()
    if child == 0:
        most = math.ceil(limit)
        resource.setrlimit(resource.RLIMIT_CPU, (most, most + 1))
        solved = formula._solver.solve()
        os.write(writable, formula.board().tobytes() if solved else b"none")
        os._exit(0)
    os.close(writable)
    with open(readable, "rb") as pipe:  # noqa: PTH123 (a descriptor has no path)
        answer = pipe.read()
    _, _, usage = os.wait4(child, 0)
    formula.close()
    if answer == b"none":
        sys.exit(f"no solution: {puzzle}")
    board = np.frombuffer(answer, np.uint8) if answer else None
    return board, encoding + usage.ru_utime + usage.ru_stime


# Statistics


class Summary(NamedTuple):
    """Runs of one row, in seconds; by rank, unsolved runs come after all solved ones."""

    runs: int
    solved: int
    expected: float
    """The seconds of all runs by the number of solved ones; where all are solved, their mean."""
    interval: Interval
    median: float
    p95: float
    p99: float
    most: float

    @classmethod
    def of(cls, outcomes: Sequence[Outcome]) -> Summary:
        spent = np.array([outcome.seconds for outcome in outcomes])
        solved = np.array([outcome.solved for outcome in outcomes])
        found, times = running_time(spent, solved), to_solution(spent, solved)
        method: Literal["linear", "higher"] = "linear"
        if not solved.all():  # between a number and infinity is nothing
            method = "higher"
        ranks = np.quantile(times, [0.5, 0.95, 0.99, 1], method=method).tolist()
        return cls(len(times), int(solved.sum()), found.value, found.interval, *ranks)

    @property
    def share(self) -> float:
        """Solved, in per cent."""
        return 100 * self.solved / self.runs


def of_row(outcomes: Iterable[Outcome], row: str) -> list[Outcome]:
    return [outcome for outcome in outcomes if outcome.row == row]


def on(label: str, outcomes: Iterable[Outcome]) -> list[Outcome]:
    """Return the outcomes on the puzzles of a set or level."""
    return [each for each in outcomes if each.instance.rpartition(" ")[0] == label]


def by_instance(outcomes: Iterable[Outcome]) -> dict[str, tuple[float, int]]:
    """Return the seconds of every instance over its seeds, and how many seeds solved it."""
    found: dict[str, tuple[float, int]] = {}
    for outcome in outcomes:
        seconds, solved = found.get(outcome.instance, (0.0, 0))
        found[outcome.instance] = seconds + outcome.seconds, solved + outcome.solved
    return found


def bootstrapped(outcomes: Sequence[Outcome], others: Sequence[Outcome]) -> tuple[float, float]:
    """Return the 95 % interval of the ratio of two expected times, by bootstrap over instances."""
    ours, theirs = by_instance(outcomes), by_instance(others)
    sums = np.array([[*ours[instance], *theirs[instance]] for instance in ours])
    draws = np.random.default_rng(SEED).integers(0, len(sums), (RESAMPLES, len(sums)))
    spent, solved, other, also = sums[draws].sum(axis=1).T
    with np.errstate(divide="ignore"):  # none solved takes for ever
        ratios = spent * also / (solved * other)
    low, high = np.quantile(ratios, [0.025, 0.975], method="inverted_cdf").tolist()
    return low, high


# Words


def seconds_text(seconds: float) -> str:
    """Format a time with three digits and a suitable unit."""
    if math.isinf(seconds):
        return "not solved"
    if seconds < 0.9995:
        return f"{1000 * seconds:.3g} ms"
    return f"{seconds:.3g} s" if seconds < 100 else f"{seconds:.0f} s"


def expected_text(found: Summary) -> str:
    """Format the expected time with its interval."""
    if not found.solved:
        return f"> {seconds_text(found.interval.low)}"
    low, high = map(seconds_text, found.interval)
    return f"{seconds_text(found.expected)} ({low} to {high})"


def solved_text(outcomes: Sequence[Outcome]) -> str:
    summary = Summary.of(outcomes)
    return f"{summary.solved}/{summary.runs}"


def seeds_text(seeds: int) -> str:
    return f"seeds {SEED} to {SEED + seeds - 1}" if seeds > 1 else f"seed {SEED}"


def write_json(path: Path | None, options: dict[str, Any], results: dict[str, Any]) -> None:
    """Write all measurements, the machine and the options as JSON."""
    if path is None:
        return
    asked = {
        name: str(value) if isinstance(value, Path) else value for name, value in options.items()
    }
    whole = {"machine": machine_text(), "options": asked, "results": results}
    path.write_text(json.dumps(whole, ensure_ascii=False, indent=1) + "\n", "utf-8")


def as_json(outcomes: Iterable[Outcome]) -> list[dict[str, Any]]:
    return [{**outcome._asdict(), "seconds": round(outcome.seconds, 6)} for outcome in outcomes]
