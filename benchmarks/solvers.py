"""Time to a solution: our searches and our oracle, a SAT solver, and an annealing package.

An attempt is measured from the puzzle to its solution, by the CPU time of the thread or process
that works; what is imported, compiled or started before does not count. It ends when it has used
its budget of CPU seconds, and what comes later counts as not solved.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.environment import PeerError, Peers
from benchmarks.sections import Chart, Plan, Point, Say, Table
from benchmarks.sets import PuzzleSet, puzzle_sets, random_boards
from genoku.engine.result import Result
from genoku.engine.run import View, run
from genoku.errors import GenokuError
from genoku.evolve.algorithms import Exact
from genoku.evolve.presets import preset
from genoku.evolve.state import Algorithm
from genoku.evolve.stopping import Stop
from genoku.lab.statistics import Proportion
from genoku.puzzle.board import Puzzle
from genoku.puzzle.bundled_puzzles import bundled
from genoku.puzzle.geometry import Geometry
from genoku.runtime.text import format_count, format_duration

PATIENCE = 600.0  # seconds that a process may take to start, and a CPU second on a busy machine

# Boards on which some step is needed, one of them so many that children are born.
WARMING = ("golden-nugget", "25x25-45-percent")


@dataclass(frozen=True)
class Attempt:
    """The result of an attempt; an unsolved one has used its budget."""

    solved: bool
    cpu: float
    wall: float


@dataclass(frozen=True)
class May:
    """What a solver may do."""

    guesses: str
    propagates: str
    random: str
    proves_none: str
    proves_one: str


@dataclass(frozen=True)
class Solver:
    """A name for tables, what it may do, and a function of puzzle, budget and seed."""

    key: str
    title: str
    may: May
    attempt: Callable[[Puzzle, float, int], Attempt]


def solvers(peers: Peers | None) -> list[Solver]:
    """List our solvers, CaDiCaL, which genoku installs, and the peers, if installed."""
    swaps = May("swaps", "singles, before it starts", "yes", "no", "no")
    found = [
        Solver(
            "champion",
            "genoku champion",
            May(
                "takes back what fails",
                "singles, locked, pairs",
                "yes",
                "if propagation does",
                "no",
            ),
            partial(by_preset, "champion"),
        ),
        *(
            Solver(name, f"genoku {name}", swaps, partial(by_preset, name))
            for name in ("annealing", "tabu", "memetic")
        ),
        Solver(
            "exact",
            "genoku exact",
            May("depth first", "singles; pairs on large boards", "no", "yes", "yes"),
            partial(by_preset, "exact"),
        ),
    ]
    for key, title, part in (
        ("cadical", "CaDiCaL 1.9.5, encoded in Python", ""),
        ("cadical-solving", "CaDiCaL 1.9.5, its solving alone", "solving_"),
    ):
        learns = May("learns from conflicts", "unit clauses", "no", "yes", "if asked again")
        found.append(Solver(key, title, learns, partial(by_cadical, part)))
    if peers is not None and (version := peers.versions.get("simanneal")):
        plain = May("swaps", "no", "yes", "no", "no")
        title = f"simanneal {version}"
        found.append(Solver("simanneal", title, plain, partial(by_simanneal, peers)))
    return found


def by_preset(name: str, puzzle: Puzzle, budget: float, seed: int) -> Attempt:
    """Return one of our solvers, warm."""
    algorithm = preset(name).build()
    warm(algorithm, puzzle.geometry)
    result = within(budget, puzzle, algorithm, seed)
    if result.stop_reason is Stop.INTERRUPTED:
        raise KeyboardInterrupt
    if result.stop_reason is Stop.NO_SOLUTION:
        raise wrong(name, puzzle)
    board = result.board if result.solved else None
    return judge_attempt(name, puzzle, board, result.cpu_seconds, result.seconds, budget)


def within(budget: float, puzzle: Puzzle, algorithm: Algorithm, seed: int) -> Result:
    """Run with a budget of CPU seconds.

    The oracle's one step looks at the wall clock: where others use the machine too, it is given
    more of that, until it has had its CPU time.
    """
    if not isinstance(algorithm, Exact):
        return run(puzzle, algorithm, seed=seed, until="", watch=Limit(budget))
    seconds = budget
    while True:
        result = run(puzzle, replace(algorithm, seconds=seconds), seed=seed, until="")
        if result.stop_reason != Stop.TIME_LIMIT or result.cpu_seconds >= budget:
            return result
        seconds *= 2


def by_cadical(part: str, puzzle: Puzzle, budget: float, seed: int) -> Attempt:
    """Return CaDiCaL on the whole puzzle; `part` names the times to report."""
    del seed
    ours = Peers(Path(sys.executable), {})
    answer = ours.ask("with_sat.py", job(puzzle, budget), timeout=patience(budget))
    if answer["board"] is None:
        if "cpu" in answer:  # it ended by itself
            raise wrong("CaDiCaL", puzzle)
        return Attempt(False, budget, budget)
    times = answer[f"{part}cpu"], answer[f"{part}wall"]
    return judge_attempt("CaDiCaL", puzzle, answer["board"], *times, budget)


def by_simanneal(peers: Peers, puzzle: Puzzle, budget: float, seed: int) -> Attempt:
    """Return the package simanneal, in the peers' environment."""
    wanted = {**job(puzzle, budget), "seed": seed}
    answer = peers.ask("with_simanneal.py", wanted, timeout=patience(budget))
    return judge_attempt(
        "simanneal", puzzle, answer["board"], answer["cpu"], answer["wall"], budget
    )


def job(puzzle: Puzzle, budget: float) -> dict[str, Any]:
    """Return a puzzle in the format of the peers' programs."""
    box = puzzle.geometry.box_rows, puzzle.geometry.box_cols
    return {"board": puzzle.board.tolist(), "box": box, "seconds": budget}


def patience(budget: float) -> float:
    """Return the time-out of a process."""
    return PATIENCE * (1 + budget)


def judge_attempt(
    name: str, puzzle: Puzzle, board: Any, cpu: float, wall: float, budget: float
) -> Attempt:
    """Judge an attempt by the puzzle's verdict on the board and its CPU time."""
    if board is not None and not puzzle.is_solved_by(np.asarray(board)):
        raise wrong(name, puzzle)
    if board is None or cpu > budget:
        return Attempt(False, budget, max(wall, budget))
    return Attempt(True, cpu, wall)


def wrong(name: str, puzzle: Puzzle) -> GenokuError:
    """Stop the benchmark because of a wrong answer."""
    return GenokuError(f"{name} gave a wrong answer to {puzzle}")


class Limit:
    """End a run once its thread has used a given number of CPU seconds."""

    def __init__(self, seconds: float) -> None:
        self.until = time.thread_time() + seconds

    def __call__(self, _view: View) -> bool:
        return time.thread_time() > self.until


def warm(algorithm: Algorithm, geometry: Geometry) -> None:
    """Load or compile every kernel of an algorithm for a geometry, once."""
    if (key := (repr(algorithm), geometry)) in WARMED:
        return
    WARMED.add(key)
    boards = [bundled()[name].puzzle for name in WARMING]
    steps = 0
    for board in (*boards, random_boards(geometry, 45, -1, 1, "pattern")):
        steps += run(board, algorithm, until="steps=12 or seconds=0.5").steps
    if not steps:
        raise GenokuError(f"no board needed a step of {algorithm}")


WARMED: set[tuple[str, Geometry]] = set()


def versions(peers: Peers | None) -> Mapping[str, str]:
    """Return the versions of other libraries."""
    from importlib.metadata import version

    found = {"python-sat": version("python-sat")}
    if peers is not None and "simanneal" in peers.versions:
        found["simanneal"] = peers.versions["simanneal"]
    return found


COLUMNS = ("solver", "solved", "95 % interval", "CPU, median", "CPU, slowest", "wall, median")
UNIT = "CPU milliseconds, median"
MAY_COLUMNS = (
    *("solver", "guesses", "propagates", "random"),
    *("proves: no solution", "proves: no second"),
)


def measure(plan: Plan, say: Say) -> list[Table]:
    """Measure all solvers puzzle by puzzle, so that machine load affects all alike."""
    competitors = solvers(plan.peers)
    found = [
        (puzzles, attempts(puzzles, competitors, plan.seed, say)) for puzzles in puzzle_sets(plan)
    ]
    return [
        permissions(competitors, plan),
        *(table(puzzles, competitors, made) for puzzles, made in found),
    ]


def attempts(
    puzzles: PuzzleSet, competitors: Sequence[Solver], seed: int, say: Say
) -> dict[str, list[Attempt] | str]:
    """Return all attempts at the puzzles of a set, and why a peer failed."""
    found: dict[str, list[Attempt] | str] = {solver.key: [] for solver in competitors}
    for number, puzzle in enumerate(puzzles.puzzles):
        for solver in competitors:
            say(f"{puzzles.title}: {solver.title}, {number + 1} of {len(puzzles.puzzles)}")
            made = found[solver.key]
            if isinstance(made, str):
                continue
            try:
                made.append(solver.attempt(puzzle, puzzles.budget, seed + number))
            except PeerError as error:
                found[solver.key] = str(error)
    return found


def permissions(competitors: Sequence[Solver], plan: Plan) -> Table:
    """Make the table of what each solver may do."""
    others = ", ".join(f"{name} {version}" for name, version in versions(plan.peers).items())
    missing = "" if plan.peers else f" simanneal: {plan.without}."
    return Table(
        "What each solver may do",
        MAY_COLUMNS,
        tuple(
            (
                solver.title,
                solver.may.guesses,
                solver.may.propagates,
                solver.may.random,
                solver.may.proves_none,
                solver.may.proves_one,
            )
            for solver in competitors
        ),
        legend=(
            "The champion, annealing, tabu and memetic are genoku's presets of these names; exact "
            "is its oracle, which passes hard puzzles to CaDiCaL. CaDiCaL alone gets the whole "
            "puzzle in the extended encoding (Lynce and Ouaknine 2006), written in Python. "
            "simanneal swaps blanks of a box, as in typical user code. "
            f"Versions: {others}.{missing}\n\n"
            "Every puzzle is permuted at random, and every solver has one attempt at it (seeds "
            f"from {plan.seed} on) with the same budget of CPU seconds. The puzzle verifies every "
            "solution. Unsolved attempts count as longer than any solved one: > is the budget, and "
            "there is a median if half are solved. Imports, compilation and process starts are not "
            "counted."
        ),
    )


def table(
    puzzles: PuzzleSet,
    competitors: Sequence[Solver],
    found: Mapping[str, list[Attempt] | str],
) -> Table:
    """Make the table of a set; medians count unsolved attempts as infinite."""
    rows: list[tuple[str, ...]] = []
    bars: list[Point] = []
    failed = []
    figures: dict[str, float] = {"puzzles": len(puzzles.puzzles), "budget_s": puzzles.budget}
    for solver in competitors:
        attempts = found[solver.key]
        if isinstance(attempts, str):
            rows.append((solver.title, "failed", *[""] * (len(COLUMNS) - 2)))
            failed.append(f" {attempts}.")
            continue
        solved = Proportion.of([attempt.solved for attempt in attempts])
        low, high = solved.wilson()
        cpu = [attempt.cpu if attempt.solved else math.inf for attempt in attempts]
        wall = [attempt.wall if attempt.solved else math.inf for attempt in attempts]
        middle = middle_of(cpu)
        rows.append(
            (
                solver.title,
                f"{solved.successes}/{solved.runs}",
                f"{100 * low:.0f}–{100 * high:.0f} %",
                time_text(middle, puzzles.budget),
                time_text(max(cpu), puzzles.budget),
                time_text(middle_of(wall), puzzles.budget),
            )
        )
        figures[f"{solver.key}.solved_share"] = solved.share
        if math.isfinite(middle):
            figures[f"{solver.key}.median_ms"] = 1000 * middle
            bars.append((solver.title, 1000 * middle))
    return Table(
        puzzles.title,
        COLUMNS,
        tuple(rows),
        legend=(
            f"{format_count(len(puzzles.puzzles), 'puzzle')}, at most {puzzles.budget:g} CPU "
            f"seconds for each.{''.join(failed)}"
        ),
        chart=Chart(puzzles.short, UNIT, (("median", tuple(bars)),), log=True) if bars else None,
        figures={f"{puzzles.key}.{name}": value for name, value in figures.items()},
    )


def middle_of(times: Sequence[float]) -> float:
    """Return the median, the lower of two in the middle, since half are solved by then."""
    return float(np.sort(times)[(len(times) - 1) // 2])


def time_text(seconds: float, budget: float) -> str:
    """Format a time, or that it exceeds the budget."""
    return format_duration(seconds) if math.isfinite(seconds) else f"> {budget:g} s"
