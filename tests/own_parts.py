"""A user's own module: parts as functions, values and classes, and what is none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from genoku.evolve.encoding import Boards, FreeCells
from genoku.evolve.fitness import Repetitions
from genoku.evolve.operators.mutation import Mutation, Reset
from genoku.evolve.problem import Problem
from genoku.evolve.user.operators import board_crossover, board_fitness, board_mutation
from genoku.runtime.random import Stream, below, uniforms


def nothing(boards: Boards, rate: float, problem: Problem, rng: Stream) -> Boards:
    """A mutation as a plain function."""
    return boards.copy()


@dataclass(frozen=True)
class Sometimes:
    """A mutation with parameters, one of them a part."""

    chance: float = 0.5
    inner: Mutation = Reset()

    def fits(self, encoding: Any, fitness: Any) -> str | None:
        inner: Any = self.inner  # whose refusals, if it has any, are ours
        said: str | None = inner.fits(encoding, fitness)
        return said

    def __call__(self, boards: Boards, rate: float, problem: Problem, rng: Stream) -> Boards:
        changed = self.inner(boards, rate, problem, rng)
        spared = uniforms(rng, len(boards)) >= self.chance
        changed[spared] = boards[spared]
        return changed


class Plain:
    """A mutation that is no dataclass, but keeps what it is made with."""

    def __init__(self, strength: int = 1, note: str | None = None) -> None:
        self.strength = strength
        self.note = note

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Plain) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash(self.strength)

    def __call__(self, boards: Boards, rate: float, problem: Problem, rng: Stream) -> Boards:
        return boards.copy()


class Forgetful:
    def __init__(self, strength: int) -> None:
        pass

    def __call__(self, boards: Boards, rate: float, problem: Problem, rng: Stream) -> Boards:
        return boards.copy()


class Doubled(Repetitions):
    """A fitness of one's own."""

    def costs(self, boards: Boards, puzzle: Any) -> Any:
        return super().costs(boards, puzzle) * np.int32(2)

    def worst(self, geometry: Any) -> int:
        return 2 * super().worst(geometry)


@board_mutation
def swap(board: Any, blanks: Any, rng: Any) -> None:
    """Exchange two of the blanks, perhaps the same."""
    one, two = blanks[below(rng, len(blanks))], blanks[below(rng, len(blanks))]
    board[one], board[two] = board[two], board[one]


@board_mutation(blanks="board", encodings=(FreeCells,))
def renew(board: Any, blanks: Any, rng: Any) -> None:
    side = int(np.sqrt(len(board)))
    board[blanks[below(rng, len(blanks))]] = 1 + below(rng, side)


@board_crossover(children=2, encodings=(FreeCells,))
def cut(one: Any, two: Any, child: Any, blanks: Any, rng: Any) -> None:
    for place in range(below(rng, len(blanks) + 1)):
        child[blanks[place]] = two[blanks[place]]


@board_fitness
def repeated(board: Any, givens: Any, units: Any) -> Any:
    cost = 0
    for unit in range(len(units)):
        seen = np.zeros(units.shape[1] + 1, np.int64)
        for place in range(units.shape[1]):
            digit = board[units[unit, place]]
            cost += seen[digit] > 0
            seen[digit] += 1
    return cost


@board_fitness(needs="box")
def repeated_in_lines(board: Any, givens: Any, units: Any) -> Any:
    cost = 0
    for unit in range(2 * units.shape[1]):
        for place in range(units.shape[1]):
            for earlier in range(place):
                cost += board[units[unit, place]] == board[units[unit, earlier]]
    return cost


NUMBER = 42
