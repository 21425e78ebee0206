"""How speed changes with the size of a board, the population, and the number of processes.

The board is empty but for two equal givens in a column: it has no solution, so that no run ends
early, and boards of all sizes are alike. (How the time to a solution grows is another question,
which `python3 run.py bench givens` answers for the champion.)
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from benchmarks.engines import REFERENCE
from benchmarks.measuring import Spread, in_turns
from benchmarks.sections import Chart, Plan, Say, Table
from genoku.engine.run import run
from genoku.evolve.algorithms import Annealing
from genoku.evolve.state import Algorithm
from genoku.lab.runner import StudyProgress, run_study
from genoku.lab.study import Instance, Study, arm
from genoku.puzzle.board import Puzzle
from genoku.puzzle.geometry import Geometry
from genoku.runtime.text import format_compact, format_count, format_duration
from genoku.runtime.workers import cores

ANNEALING = Annealing(moves=100_000)
NINE = Geometry(3, 3)


class Size(NamedTuple):
    """How much to measure."""

    sides: tuple[int, ...]
    populations: tuple[int, ...]
    repeats: int
    seconds: float
    """Of a measurement."""
    runs: int
    """Of the study that is spread over processes."""


FULL = Size((4, 6, 9, 12, 16, 20, 25, 30, 36), (50, 100, 200, 500, 1000, 2000, 5000), 3, 0.5, 240)
QUICK = Size((4, 9, 16, 25, 36), (50, 500, 5000), 1, 0.25, 30)


def measure(plan: Plan, say: Say) -> list[Table]:
    size = QUICK if plan.quick else FULL
    return [
        by_side(size, plan.seed, say),
        by_population(size, plan.seed, say),
        by_processes(size, plan.seed, processes_up_to(cores()), say),
    ]


def unsolvable(geometry: Geometry) -> Puzzle:
    """Return an empty board with two equal givens in a column."""
    digits = bytearray(geometry.cells)
    digits[0] = digits[geometry.box_rows * geometry.side] = 1
    return Puzzle(geometry, bytes(digits))


def speed(puzzle: Puzzle, algorithm: Algorithm, seconds: float, seed: int) -> float:
    """Return boards evaluated or moves made per CPU second of `run`, with its record."""
    run(puzzle, algorithm, until="steps=1", allow_conflicts=True)  # loads the kernels
    result = run(puzzle, algorithm, seed=seed, until=f"seconds={seconds}", allow_conflicts=True)
    if result.stop_reason == "interrupted":
        raise KeyboardInterrupt
    return result.evaluations / result.cpu_seconds


def speeds(
    what: dict[str, tuple[Puzzle, Algorithm]], size: Size, seed: int, say: Say
) -> dict[str, Spread]:
    """Measure all speeds in turns."""
    found: dict[str, list[float]] = {name: [] for name in what}

    def measured(name: str) -> Callable[[int], float]:
        puzzle, algorithm = what[name]
        return lambda repeat: speed(puzzle, algorithm, size.seconds, seed + repeat)

    for name, repeat, each in in_turns({name: measured(name) for name in what}, size.repeats):
        say(f"{name}, {repeat + 1} of {size.repeats}")
        found[name].append(each)
    return {name: Spread.of(each) for name, each in found.items()}


def by_side(size: Size, seed: int, say: Say) -> Table:
    boards = {side: unsolvable(Geometry.of_side(side)) for side in size.sides}
    algorithms: dict[str, Algorithm] = {"genetic": REFERENCE, "annealing": ANNEALING}
    what = {
        f"{side}×{side}, {name}": (board, algorithm)
        for side, board in boards.items()
        for name, algorithm in algorithms.items()
    }
    found = speeds(what, size, seed, say)
    evolved, moved = (
        {side: found[f"{side}×{side}, {name}"].median for side in boards} for name in algorithms
    )
    rows = tuple(
        (
            f"{side}×{side}",
            format_compact(evolved[side]),
            format_compact(evolved[side] * side * side),
            format_compact(moved[side]),
        )
        for side in boards
    )
    return Table(
        "By the size of the board",
        ("board", "individuals/s", "cells/s", "annealing, moves/s"),
        rows,
        legend=(
            "A CPU second of `run()`, with its record: the reference genetic algorithm with a "
            "population of 500, and swaps in boxes at temperature 0.35. The board is empty but for "
            "two equal givens in a column, so that no run solves it. Boxes have the usual shapes, "
            "which have specialised fitness kernels. "
            f"Medians of {size.repeats}; seeds from {seed} on."
        ),
        chart=Chart(
            "By the size of the board",
            "per CPU second",
            (
                ("individuals", tuple((side, value) for side, value in evolved.items())),
                ("annealing moves", tuple((side, value) for side, value in moved.items())),
            ),
            log=True,
        ),
        figures={
            **{f"side-{side}.individuals": value for side, value in evolved.items()},
            **{f"side-{side}.moves": value for side, value in moved.items()},
        },
    )


def by_population(size: Size, seed: int, say: Say) -> Table:
    board = unsolvable(NINE)
    what: dict[str, tuple[Puzzle, Algorithm]] = {
        f"population {count}": (board, replace(REFERENCE, population=count))
        for count in size.populations
    }
    measured = speeds(what, size, seed, say).values()
    found = dict(zip(size.populations, measured, strict=True))
    rows = tuple(
        (f"{count:,}", format_compact(spread.median), format_duration(count / spread.median))
        for count, spread in found.items()
    )
    return Table(
        "By the population",
        ("population", "individuals/s", "a generation takes"),
        rows,
        legend=(
            "The same genetic algorithm on the 9×9 board. The overhead of a generation weighs "
            f"more in a small population. Medians of {size.repeats}."
        ),
        chart=Chart(
            "By the population",
            "individuals per CPU second",
            (("9×9", tuple((count, spread.median) for count, spread in found.items())),),
        ),
        figures={
            f"population-{count}.individuals": spread.median for count, spread in found.items()
        },
    )


@dataclass(frozen=True)
class Course:
    """The time of a study, and when its first runs returned."""

    runs: int
    whole: float
    first: float
    done: int

    @property
    def rate(self) -> float:
        """Runs per second after the first had returned."""
        return (self.runs - self.done) / max(1e-9, self.whole - self.first)


def by_processes(size: Size, seed: int, jobs: Sequence[int], say: Say) -> Table:
    study = Study(
        "processes",
        (arm(REFERENCE, "reference", until="generations=1000"),),
        (Instance("unsolvable", unsolvable(NINE)),),
        tuple(range(seed, seed + size.runs)),
        allow_conflicts=True,
    )
    course_of(replace(study, seeds=study.seeds[:1]), 1)  # loads the kernels
    found: dict[int, Course] = {}
    for count in jobs:
        say(f"a study of {size.runs} runs, {count} of up to {jobs[-1]} processes")
        found[count] = course_of(study, count)
    alone, timed = found[1], found.items()
    rows = tuple(
        (
            str(count),
            format_duration(course.whole),
            format_duration(course.first),
            f"{alone.whole / course.whole:.2f}×",
            f"{100 * alone.whole / course.whole / count:.0f} %",
            f"{course.rate / alone.rate:.2f}×",
        )
        for count, course in found.items()
    )
    return Table(
        "By the number of processes",
        (
            *("processes", "wall time", "until the first run", "speed-up", "efficiency"),
            "speed-up, once under way",
        ),
        rows,
        legend=(
            f"A study of {size.runs} runs of 1,000 generations (population 500, 9×9), from "
            "start to end, in new processes; a single process is the study's own. "
            f"This machine has {format_count(cores(), 'core')}. Seeds {seed} to "
            f"{seed + size.runs - 1}."
        ),
        chart=Chart(
            "By the number of processes",
            "speed-up",
            (
                ("from start to end", tuple((n, alone.whole / each.whole) for n, each in timed)),
                ("once under way", tuple((n, each.rate / alone.rate) for n, each in timed)),
                ("ideal", tuple((count, float(count)) for count in found)),
            ),
        ),
        figures={
            **{f"processes-{count}.speedup": alone.whole / each.whole for count, each in timed},
            **{f"processes-{count}.under_way": each.rate / alone.rate for count, each in timed},
        },
    )


def course_of(study: Study, jobs: int) -> Course:
    """Run a study on a number of processes, into a temporary store."""
    first = 0.0
    done = 0
    start = time.perf_counter()

    def watch(progress: StudyProgress) -> None:
        nonlocal first, done
        if progress.done and not done:
            first, done = time.perf_counter() - start, progress.done

    with tempfile.TemporaryDirectory() as folder:
        run_study(study, Path(folder) / "study.db", jobs=jobs, progress=watch)
        return Course(len(study), time.perf_counter() - start, first, done)


def processes_up_to(most: int) -> list[int]:
    """Return 1, 2, 4 … and the number of cores.

    >>> processes_up_to(6)
    [1, 2, 4, 6]
    """
    counts = [2**power for power in range(most.bit_length()) if 2**power < most]
    return [*counts, most]
