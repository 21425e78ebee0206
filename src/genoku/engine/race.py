"""Fair turns: several runs on one puzzle share one processor, each with as much of it as another.

Whoever has had the least processor time goes next, for a moment or one step, whichever is longer.
So a race on one core is as fair as one on many, and at any time all have had the same but for a
step.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from genoku.board import Puzzle
from genoku.encoding import SearchSpace
from genoku.engine.run import NOTHING, Run, load_kernels_of, refuse_clashes
from genoku.recipe import describe
from genoku.state import Algorithm
from genoku.stopping import Stop, StopReason, Until
from genoku.words import duration, listed

TURN = 0.01  # seconds of processor time


class Entrant(NamedTuple):
    """Who is to race: an algorithm with the name it races under, and its limits."""

    name: str
    algorithm: Algorithm
    until: Until | str


@dataclass
class Contender:
    """A run among others; its clock is the processor time that it has had itself."""

    name: str
    run: Run

    @property
    def ended(self) -> StopReason | None:
        """Why it has stopped, if it has."""
        return self.run.ended

    @property
    def seconds(self) -> float:
        """The processor time it has had."""
        return self.run.cpu_seconds

    @property
    def loss(self) -> float:
        """The best so far from 0 (solved) to 1."""
        problem, cost = self.run.problem, np.array([self.run.best_cost])
        return float(problem.fitness.loss(cost, problem.puzzle.geometry)[0])

    @property
    def solved(self) -> bool:
        """By the puzzle's own verdict, never the search's."""
        return self.ended is not None and self.run.is_solved

    @property
    def searched(self) -> bool:
        """Whether a search was needed so far, or rules alone filled the board."""
        return was_searched(self.run.problem.space, self.run.state.step)

    @property
    def is_through(self) -> bool:
        """Whether it has solved the puzzle, or proved that there is no solution."""
        return self.solved or self.ended is Stop.NO_SOLUTION

    def advance(self, cpu_seconds: float) -> None:
        """Let it have so much processor time, which is its only clock."""
        self.run.advance(cpu_seconds=cpu_seconds)
        self.run.seconds = self.run.cpu_seconds


def was_searched(space: SearchSpace, steps: int) -> bool:
    """Whether a run made a step, or began with boards that were not decided by rules alone."""
    return steps > 0 or (len(space.genes) > 0 and space.keeps != "rules")


def prepare(
    puzzle: Puzzle, entrants: Iterable[Entrant], seed: int, *, allow_conflicts: bool = False
) -> list[Contender]:
    """All contenders before their first step; limits in seconds are of their own clocks."""
    if not allow_conflicts:
        refuse_clashes(puzzle)
    contenders = []
    for name, algorithm, until in entrants:
        load_kernels_of(algorithm, puzzle.geometry)
        limits = Until.parse(until).in_cpu_time()
        contenders.append(Contender(name, Run.start(puzzle, algorithm, seed, limits, NOTHING)))
        contenders[-1].run.seconds = contenders[-1].seconds
    return contenders


def turns(contenders: Sequence[Contender], turn: float = TURN) -> Iterator[Contender]:
    """Let all go on in turns until they end, and give who has just had one.

    A proof that nothing solves the puzzle ends all, once they have had as much time as it took.
    """
    while True:
        proofs = [each.seconds for each in contenders if each.ended is Stop.NO_SOLUTION]
        line = min(proofs, default=float("inf"))
        going = [each for each in contenders if not each.ended and each.seconds < line]
        if not going:
            return
        behind = min(going, key=lambda each: each.seconds)
        behind.advance(min(line - behind.seconds, turn))
        yield behind


class Finish(NamedTuple):
    """How a race ended: who won, if anybody did, and by what."""

    winner: Contender | None
    by: Literal["solution", "proof", "loss", "tie"]
    comparable: bool
    """Whether losses are of one fitness function with the same parameters, so on one scale."""


def finish(contenders: Sequence[Contender]) -> Finish:
    """First to be through by its own clock wins; if none is, the lowest loss does."""
    comparable = len({str(describe(each.run.problem.fitness)) for each in contenders}) == 1
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


def clock(seconds: float) -> str:
    """A time that does not jump in width from one picture to the next."""
    return duration(seconds) if seconds < 0.1 else f"{seconds:.2f} s"


def leading(contenders: Sequence[Contender]) -> str:
    """Who is ahead, in a few words."""
    first = finish(contenders).winner
    if first is None:
        return "neck and neck"
    return f"{first.name} is first" if first.is_through else f"{first.name} leads by loss"


def standing(contenders: Sequence[Contender]) -> str:
    """Who won, and by what rule, in one sentence."""
    ended = finish(contenders)
    idle = [each.name for each in contenders if each.solved and not each.searched]
    return f"{verdict(ended)} {unsearched(idle)}" if idle else verdict(ended)


def unsearched(names: Sequence[str]) -> str:
    """Who solved a puzzle without a search."""
    its = "its search" if len(names) == 1 else "their searches"
    return (
        f"{listed(names)} made no step: rules such as singles filled the board beforehand, so this "
        f"says nothing of {its}."
    )


def verdict(ended: Finish) -> str:
    """The same of a race that is over."""
    winner, by, comparable = ended
    if winner is None:
        return "Nobody solved it, and the lowest losses are equal: a tie."
    if by == "solution":
        return f"{winner.name} wins: it solved the puzzle in {clock(winner.seconds)} of CPU time."
    if by == "proof":
        return f"{winner.name} wins: it proved in {clock(winner.seconds)} that nothing solves it."
    scales = "" if comparable else ", though by another fitness function than others"
    return f"Nobody solved it: {winner.name} has the lowest loss, {winner.loss:.4g}{scales}."
