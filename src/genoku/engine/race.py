"""A race: several runs on one puzzle take turns on one core, each with the same CPU time.

The run with the least CPU time goes next, for a moment or one step, whichever is longer. So a race
is as fair on one core as on many: at any time, CPU times differ by a step at most.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from genoku.engine.result import errors_text
from genoku.engine.run import RECORD_NOTHING, Run, require_no_conflicts, warm_up
from genoku.evolve.encoding import SearchSpace
from genoku.evolve.recipe import describe
from genoku.evolve.state import Algorithm
from genoku.evolve.stopping import Stop, StopReason, Until
from genoku.puzzle.board import Puzzle
from genoku.runtime.text import format_duration, join_words

TURN = 0.01  # seconds of CPU time


class RaceEntry(NamedTuple):
    """An algorithm in a race, with its name and budget."""

    name: str
    algorithm: Algorithm
    until: Until | str


@dataclass
class RaceRun:
    """A run of a race; its clock is its own CPU time."""

    name: str
    run: Run

    @property
    def stop_reason(self) -> StopReason | None:
        """Why it has stopped; None while it runs."""
        return self.run.stop_reason

    @property
    def seconds(self) -> float:
        """Its CPU time so far."""
        return self.run.cpu_seconds

    @property
    def loss(self) -> float:
        """The lowest cost so far, scaled from 0 (solved) to 1."""
        problem, cost = self.run.problem, np.array([self.run.best_cost])
        return float(problem.fitness.loss(cost, problem.puzzle.geometry)[0])

    @property
    def errors(self) -> int:
        """Errors left on its best board; 0 is solved."""
        return self.run.errors

    @property
    def solved(self) -> bool:
        """Whether it has stopped with a solution, by the puzzle's own verdict."""
        return self.stop_reason is not None and self.run.is_solved

    @property
    def has_searched(self) -> bool:
        """Whether it has searched; False if rules alone filled the board."""
        return was_searched(self.run.problem.space, self.run.state.step)

    @property
    def has_answer(self) -> bool:
        """Whether it has solved the puzzle or proved that there is no solution."""
        return self.solved or self.stop_reason is Stop.NO_SOLUTION

    def advance(self, cpu_seconds: float) -> None:
        """Advance by so much CPU time, which also replaces its wall time."""
        self.run.advance(cpu_seconds=cpu_seconds)
        self.run.seconds = self.run.cpu_seconds


def was_searched(space: SearchSpace, steps: int) -> bool:
    """Whether a run made a step, or started from boards that rules alone had not completed."""
    return steps > 0 or (len(space.genes) > 0 and space.keeps != "rules")


def start_runs(
    puzzle: Puzzle, entries: Iterable[RaceEntry], seed: int, *, allow_conflicts: bool = False
) -> list[RaceRun]:
    """Start a run for every entry, with limits in seconds converted to CPU time.

    Raises PuzzleError if givens conflict, unless `allow_conflicts`.
    """
    if not allow_conflicts:
        require_no_conflicts(puzzle)
    runs: list[RaceRun] = []
    for name, algorithm, until in entries:
        warm_up(algorithm, puzzle.geometry)
        limits = Until.parse(until).in_cpu_time()
        runs.append(RaceRun(name, Run.start(puzzle, algorithm, seed, limits, RECORD_NOTHING)))
        runs[-1].run.seconds = runs[-1].seconds
    return runs


def advance_in_turns(runs: Sequence[RaceRun], turn: float = TURN) -> Iterator[RaceRun]:
    """Advance the runs in turns until all have stopped, and yield the run after each turn.

    A proof that there is no solution stops the others once they have had as much CPU time.
    """
    while True:
        proofs = [each.seconds for each in runs if each.stop_reason is Stop.NO_SOLUTION]
        end = min(proofs, default=float("inf"))
        going = [each for each in runs if not each.stop_reason and each.seconds < end]
        if not going:
            return
        behind = min(going, key=lambda each: each.seconds)
        behind.advance(min(end - behind.seconds, turn))
        yield behind


class RaceOutcome(NamedTuple):
    """The winner of a race, if any, and the rule that decided it."""

    winner: RaceRun | None
    by: Literal["solution", "proof", "errors", "tie"]
    comparable: bool  # whether all runs have the same fitness, so that their losses compare


def outcome(runs: Sequence[RaceRun]) -> RaceOutcome:
    """Decide a race: the first to solve or refute the puzzle wins, else the fewest errors left.

    Runs without an answer and with equal errors left tie.
    """
    comparable = len({str(describe(each.run.problem.fitness)) for each in runs}) == 1
    first, second, *_ = ranking(runs)
    if first.has_answer:
        return RaceOutcome(first, "solution" if first.solved else "proof", comparable)
    if first.errors == second.errors:
        return RaceOutcome(None, "tie", comparable)
    return RaceOutcome(first, "errors", comparable)


def ranking(runs: Sequence[RaceRun]) -> list[RaceRun]:
    """Sort runs: those with an answer, then by errors left; ties by CPU time."""
    return sorted(
        runs,
        key=lambda each: (not each.has_answer, 0 if each.has_answer else each.errors, each.seconds),
    )


def clock_text(seconds: float) -> str:
    """Format a time so that its width changes little from frame to frame."""
    return format_duration(seconds) if seconds < 0.1 else f"{seconds:.2f} s"


def leader_text(runs: Sequence[RaceRun]) -> str:
    """Name the run that is ahead: "charles leads with 12 errors left"."""
    first = outcome(runs).winner
    if first is None:
        return "neck and neck"
    if first.has_answer:
        return f"{first.name} is first"
    return f"{first.name} leads with {errors_text(first.errors)}"


def outcome_text(runs: Sequence[RaceRun]) -> str:
    """Say who won and by which rule, and who needed no search."""
    winner, by, _ = outcome(runs)
    if winner is None:
        fewest = errors_text(min(each.errors for each in runs))
        text = f"No run solved it, and the best runs are equal: {fewest}, a tie."
    elif by == "errors":
        text = f"No run solved it: {winner.name} wins with the fewest errors left, {winner.errors}."
    else:
        did = "solved the puzzle" if by == "solution" else "proved that there is no solution"
        text = f"{winner.name} wins: it {did} in {clock_text(winner.seconds)} of CPU time."
    idle = [each.name for each in runs if each.solved and not each.has_searched]
    return f"{text} {no_search_text(idle)}" if idle else text


def no_search_text(names: Sequence[str]) -> str:
    """Say which algorithms solved a puzzle without a search."""
    its = "its search" if len(names) == 1 else "their searches"
    return (
        f"{join_words(names)} made no step: rules such as singles filled the board beforehand, so "
        f"this says nothing about {its}."
    )
