"""Fair turns: several runs on one puzzle share one processor, each with as much of it as another.

Whoever has had the least processor time goes next, for a moment or one step, whichever is longer.
So a race on one core is as fair as one on many, and at any time all have had the same but for a
step.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from genoku.board import Puzzle
from genoku.encoding import SearchSpace
from genoku.failures import failures_named
from genoku.history import summary
from genoku.interrupts import check
from genoku.journey import Journey
from genoku.lab.scales import scale_of
from genoku.lab.study import Arm
from genoku.loop import refuse_clashes, started
from genoku.problem import Problem
from genoku.warming import NOTHING, load_kernels_of

TURN = 0.01  # seconds of processor time


@dataclass
class Contender:
    """A run among others; its clock is the processor time that it has had itself."""

    arm: Arm
    journey: Journey
    ended: str = ""
    """Why it has stopped: `solved`, `no solution`, `failed`, or a limit."""

    @property
    def name(self) -> str:
        return self.arm.name

    @property
    def seconds(self) -> float:
        """The processor time it has had."""
        return self.journey.cpu_seconds

    @property
    def loss(self) -> float:
        """The best so far from 0 (solved) to 1."""
        problem, cost = self.journey.problem, np.array([self.journey.best_cost])
        return float(problem.fitness.loss(cost, problem.puzzle.geometry)[0])

    @property
    def solved(self) -> bool:
        """By the puzzle's own verdict, never the search's."""
        journey = self.journey
        return bool(self.ended) and journey.problem.puzzle.is_solved_by(journey.best_board)

    @property
    def searched(self) -> bool:
        """Whether a search was needed so far, or rules alone filled the board."""
        return was_searched(self.journey.problem.space, self.journey.state.step)

    @property
    def is_through(self) -> bool:
        """Whether it has solved the puzzle, or proved that there is no solution."""
        return self.solved or self.ended == "no solution"

    def go_on(self, until: float) -> None:
        """Make steps until the clock says so, or the run ends."""
        journey = self.journey
        algorithm, problem = journey.algorithm, journey.problem
        offset = time.thread_time() - journey.cpu_seconds
        with failures_named(self.arm.recipe):
            while not self._has_ended() and journey.cpu_seconds < until:
                check()
                state = algorithm.step(problem, journey.state)
                journey.seconds = journey.cpu_seconds = time.thread_time() - offset
                journey.take(state, summary(state.costs))

    def _has_ended(self) -> bool:
        journey = self.journey
        self.ended = journey.finished or journey.until.reached(journey.counters())
        return bool(self.ended)


def was_searched(space: SearchSpace, steps: int) -> bool:
    """Whether a run made a step, or began with boards that were not decided by rules alone."""
    return steps > 0 or (len(space.genes) > 0 and space.keeps != "rules")


def line_up(
    puzzle: Puzzle, arms: Sequence[Arm], seed: int, *, allow_conflicts: bool = False
) -> list[Contender]:
    """All contenders before their first step; limits in seconds are of their own clocks."""
    if not allow_conflicts:
        refuse_clashes(puzzle)
    return [_ready(puzzle, arm, seed) for arm in arms]


def _ready(puzzle: Puzzle, arm: Arm, seed: int) -> Contender:
    with failures_named(arm.recipe):
        algorithm = arm.algorithm()
        load_kernels_of(algorithm, puzzle.geometry)
        began = time.thread_time()
        problem = Problem.of(puzzle, algorithm.encoding, algorithm.fitness)
        journey = started(problem, algorithm, seed, arm.until, NOTHING)
    journey.seconds = journey.cpu_seconds = time.thread_time() - began
    return Contender(arm, journey)


def turns(contenders: Sequence[Contender], turn: float = TURN) -> Iterator[Contender]:
    """Let all go on in turns until they end, and give who has just had one.

    A proof that nothing solves the puzzle ends all, once they have had as much time as it took.
    """
    while True:
        proofs = [each.seconds for each in contenders if each.ended == "no solution"]
        line = min(proofs, default=float("inf"))
        going = [each for each in contenders if not each.ended and each.seconds < line]
        if not going:
            return
        behind = min(going, key=lambda each: each.seconds)
        behind.go_on(min(line, behind.seconds + turn))
        yield behind


class Finish(NamedTuple):
    """How a race ended: who won, if anybody did, and by what."""

    winner: Contender | None
    by: Literal["solution", "proof", "loss", "tie"]
    comparable: bool
    """Whether losses are of one fitness function with the same parameters, so on one scale."""


def finish(contenders: Sequence[Contender]) -> Finish:
    """First to be through by its own clock wins; if none is, the lowest loss does."""
    comparable = len({scale_of(each.journey.problem.fitness) for each in contenders}) == 1
    first, second, *_ = ranked(contenders)
    if first.is_through:
        return Finish(first, "solution" if first.solved else "proof", comparable)
    if first.loss == second.loss:
        return Finish(None, "tie", comparable)
    return Finish(first, "loss", comparable)


def ranked(contenders: Sequence[Contender]) -> list[Contender]:
    """Those who are through, by their clocks, then the others, by their losses."""
    return sorted(
        contenders,
        key=lambda each: (0, each.seconds) if each.is_through else (1, each.loss),
    )
