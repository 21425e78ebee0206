"""What is said of a run, on its way and at its end: the same wherever it is watched."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from genoku.board import Board
from genoku.fitness import OpenCells
from genoku.fitting import called
from genoku.problem import Problem
from genoku.state import declared
from genoku.stopping import CLOCKS, WORDS, Counters, LimitReached, Stop, Until
from genoku.words import compact, duration, limits, plural

if TYPE_CHECKING:  # a result tells of itself with these words, so it stands above them
    from genoku.engine.result import Result
    from genoku.engine.run import Run, View

BUDGETS = ("generations", "steps", "evaluations", "moves", *CLOCKS)
PACE_AFTER = 1.0  # seconds of steps before anybody says how long the others will take


def counts_open_cells(problem: Problem) -> bool:
    """Whether boards are open in places, so that a cost is a number of cells."""
    return isinstance(problem.fitness, OpenCells)


def score_text(problem: Problem, cost: float) -> str:
    """A cost in words: on the scale of its fitness, or as open cells."""
    if counts_open_cells(problem):
        return "1 cell open" if cost == 1 else f"{cost:.5g} cells open"
    score = problem.fitness.score(np.array([cost]), problem.puzzle.geometry)
    return f"score {float(score[0]):.5g}"


def scale_text(problem: Problem) -> str:
    """What scores count."""
    name = called(problem.fitness)
    return name.replace("-", " ") if counts_open_cells(problem) else f"score: {name}"


def share_done(until: Until, counters: Counters) -> float | None:
    """How much of the budget is spent, by the limit that comes first; None where there is none."""
    bounds = {word: until.bound(word) for word in BUDGETS}
    shares = [getattr(counters, WORDS[word]) / bound for word, bound in bounds.items() if bound]
    return min(1.0, max(shares)) if shares else None


class Clock:
    """Says how much time is left, once steps have shown their pace.

    The first step does not count: it may have had to wait for a compiler.
    """

    def __init__(self, until: Until) -> None:
        self.until = until
        self.since: Counters | None = None

    def look(self, counters: Counters) -> None:
        """Take the time of the first step; for every step, and cheap."""
        if self.since is None and counters.steps:
            self.since = counters

    def left(self, counters: Counters) -> str:
        """The time until the limit that comes first, in words; nothing while that is open."""
        seconds = self.seconds_left(counters)
        return f"{duration(seconds)} left" if seconds else ""

    def seconds_left(self, counters: Counters) -> float | None:
        """The same as a number; None while it is open."""
        since, bounds = self.since, {word: self.until.bound(word) for word in BUDGETS}
        times = []
        for word, bound in bounds.items():
            if bound is None:
                continue
            left = bound - getattr(counters, WORDS[word])
            if word in CLOCKS:
                times.append(left)
                continue
            if since is None or counters.seconds - since.seconds < PACE_AFTER:
                return None
            done = getattr(counters, WORDS[word]) - getattr(since, WORDS[word])
            if done:
                times.append(left * (counters.seconds - since.seconds) / done)
        shortest = min(times, default=0.0)
        return shortest if shortest > 0 else None


def work(counters: Counters) -> tuple[int, str]:
    """What a run is measured by: boards evaluated, or moves where boards change in place."""
    if counters.moves > counters.evaluations:
        return counters.moves, "moves"
    return counters.evaluations, "evaluations"


def work_done(counters: Counters) -> str:
    """The same in words, as short as large numbers are said."""
    done, unit = work(counters)
    return f"{compact(done)} {unit.removesuffix('s') if done == 1 else unit}"


def shown_board(run: View | Run) -> Board:
    """The best board ever; of boards with open cells the best one now, which fills and empties."""
    if counts_open_cells(run.problem) and run.best_cost:
        now: Board = run.state.boards[int(run.state.costs.argmin())]
        return now
    return run.best_board


def aside(name: str) -> str:
    """A name within a sentence: "charles, changed," where it is not as it comes."""
    return f"{name}," if name.endswith(", changed") else name


def summary(
    result: Result, name: str, among: str = "", *, has_solution: bool | None = None
) -> list[str]:
    """What came of a run, in a few honest lines.

    `among` says which seeds there were, if several; `has_solution` what is known of the puzzle.
    """
    if result.stop_reason == "no solution":
        proof = f"{aside(name)} proved it in {duration(result.seconds)}"
        return [f"This puzzle has no solution: {result.problem.space.refuted or proof}."]
    counters = Counters(evaluations=result.evaluations, moves=result.moves)
    effort = f"{plural(result.steps, declared(result.algorithm).step_name)}, {work_done(counters)}"
    several = among.startswith("seeds")
    if not several:  # the time of several runs says nothing about one
        effort += f" ({compact(work(counters)[0] / max(result.seconds, 1e-9))}/s)"
    if result.solved:
        lines = _solved(result, name, effort)
    else:
        lines = _unsolved(result, name, effort, has_solution)
    if several and result.steps:
        came = "took the fewest steps" if result.solved else "came furthest"
        lines.append(f"Of {among}, seed {result.seed} {came}.")
    return lines


def ended_by_a_limit(result: Result) -> bool:
    """Whether a run would have gone on with a larger budget."""
    reason = result.stop_reason
    return not result.solved and (isinstance(reason, LimitReached) or reason is Stop.TIME_LIMIT)


def _solved(result: Result, name: str, effort: str) -> list[str]:
    said = f"Solved by {aside(name)} in {duration(result.seconds)}."
    decided, blanks = result.decided, result.puzzle.digits.count(0)
    if decided is not None and blanks == decided > 0:
        every = "the only blank" if blanks == 1 else f"all {blanks:,} blanks"
        return [said, f"Singles alone decided {every}: no search was needed."]
    if not blanks:
        return [said, "It was complete from the start."]
    lines = [said, f"{effort}." if result.steps else "No step was needed."]
    if decided is not None:
        of_all = f"Singles alone decided {decided or 'none'} of the {plural(blanks, 'blank')}"
        others = "; stronger rules all others" if not result.steps else ""
        lines.append(f"{of_all}{others}.")
    return lines


def _unsolved(result: Result, name: str, effort: str, has_solution: bool | None) -> list[str]:
    problem, reason = result.problem, result.stop_reason
    fitness = problem.fitness
    why = "This puzzle has no solution" if has_solution is False else "No solution found"
    if not ended_by_a_limit(result):
        why = f"{aside(name)} gave up" if reason == "failed" else reason.capitalize()
    better = "higher" if fitness.maximise else "lower"
    best = f"best {score_text(problem, result.cost)} ({better} is better), loss {result.loss:.4g}"
    if counts_open_cells(problem):
        best = f"{score_text(problem, result.cost)} at best"
    ended = f"; ended by {limits(reason)}." if ended_by_a_limit(result) else "."
    lines = [f"{why}: {best}, by {name}.", f"{effort} in {duration(result.seconds)}{ended}"]
    if result.ceiling is not None:
        bound = "above" if fitness.maximise else "below"
        clashes = len(result.puzzle.conflicts())
        stand = "value stands" if clashes == 1 else "values stand"
        lines.append(
            f"No board can score {bound} {result.ceiling:.5g}: "
            f"{clashes} {stand} twice among the givens."
        )
    return lines
