"""Time to a solution: our searches and our oracle, a SAT solver, and a plain annealing package."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from benchmarks.attempts import Attempt, Solver, solvers, versions
from benchmarks.environment import PeerError
from benchmarks.sets import PuzzleSet, puzzle_sets
from benchmarks.tables import Chart, Plan, Point, Say, Table
from genoku.lab.statistics import Proportion
from genoku.words import duration, plural

COLUMNS = ("solver", "solved", "95 % interval", "CPU, median", "CPU, slowest", "wall, median")
UNIT = "CPU milliseconds, median"
MAY_COLUMNS = (
    *("solver", "guesses", "propagates", "random"),
    *("proves: no solution", "proves: no second"),
)


def measure(plan: Plan, say: Say) -> list[Table]:
    """Every solver on every puzzle, puzzle by puzzle, so that all meet the machine alike."""
    everybody = solvers(plan.peers)
    found = [
        (puzzles, attempts(puzzles, everybody, plan.seed, say)) for puzzles in puzzle_sets(plan)
    ]
    return [
        permissions(everybody, plan),
        *(table(puzzles, everybody, made) for puzzles, made in found),
    ]


def attempts(
    puzzles: PuzzleSet, everybody: Sequence[Solver], seed: int, say: Say
) -> dict[str, list[Attempt] | str]:
    """What everybody made of the puzzles of a set; of a peer that fails, why."""
    found: dict[str, list[Attempt] | str] = {solver.key: [] for solver in everybody}
    for number, puzzle in enumerate(puzzles.puzzles):
        for solver in everybody:
            say(f"{puzzles.title}: {solver.title}, {number + 1} of {len(puzzles.puzzles)}")
            made = found[solver.key]
            if isinstance(made, str):
                continue
            try:
                made.append(solver.attempt(puzzle, puzzles.budget, seed + number))
            except PeerError as error:
                found[solver.key] = str(error)
    return found


def permissions(everybody: Sequence[Solver], plan: Plan) -> Table:
    """The legend: what each solver may do."""
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
            for solver in everybody
        ),
        legend=(
            "The champion, annealing, tabu and memetic are genoku's presets of these names; exact "
            "is its oracle, which hands what its search does not soon finish to CaDiCaL. CaDiCaL "
            "alone is given the whole puzzle in the extended encoding (Lynce and Ouaknine 2006), "
            "written in Python. simanneal swaps blanks of a box, as its users would write it. "
            f"Versions: {others}.{missing}\n\n"
            "Every puzzle is permuted at random, and everybody has one attempt at it (seeds from "
            f"{plan.seed} on) with the same budget of CPU seconds. Every solution is checked by "
            "the puzzle itself. What is not solved counts as longer than any: > is the budget, and "
            "a median is there where half are solved. Imports, compiling and the start of "
            "processes are not counted."
        ),
    )


def table(
    puzzles: PuzzleSet,
    everybody: Sequence[Solver],
    found: Mapping[str, list[Attempt] | str],
) -> Table:
    """How everybody did on a set; medians count what is not solved as endless."""
    rows: list[tuple[str, ...]] = []
    bars: list[Point] = []
    failed = []
    figures: dict[str, float] = {"puzzles": len(puzzles.puzzles), "budget_s": puzzles.budget}
    for solver in everybody:
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
                spent(middle, puzzles.budget),
                spent(max(cpu), puzzles.budget),
                spent(middle_of(wall), puzzles.budget),
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
            f"{plural(len(puzzles.puzzles), 'puzzle')}, at most {puzzles.budget:g} CPU seconds for "
            f"each.{''.join(failed)}"
        ),
        chart=Chart(puzzles.short, UNIT, (("median", tuple(bars)),), log=True) if bars else None,
        figures={f"{puzzles.key}.{name}": value for name, value in figures.items()},
    )


def middle_of(times: Sequence[float]) -> float:
    """The median; of two in the middle the lower counts, since half are solved by then."""
    return float(np.sort(times)[(len(times) - 1) // 2])


def spent(seconds: float, budget: float) -> str:
    """A time in words, or that it is beyond the budget."""
    return duration(seconds) if math.isfinite(seconds) else f"> {budget:g} s"
