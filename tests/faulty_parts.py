"""A user's operators that use indices beyond their arrays; importing this module compiles them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from genoku.evolve.operators.mutation import Mutation
from genoku.evolve.user.operators import board_crossover, board_fitness, board_mutation


def beyond(board: Any, blanks: Any, rng: Any) -> None:
    for i in range(len(blanks)):
        board[blanks[i + 1]] = 1


@board_crossover
def too_far(one: Any, two: Any, child: Any, blanks: Any, rng: Any) -> None:
    child[blanks[len(blanks)]] = two[0]


@board_fitness
def too_many(board: Any, givens: Any, units: Any) -> Any:
    return board[units[len(units), 0]]


@board_fitness
def divides(board: Any, givens: Any, units: Any) -> Any:
    return 1 // (int(board[0]) - int(board[0]))


crash = board_mutation(beyond)
wild = board_mutation(boundscheck=False)(beyond)


def far_places(costs: Any, matings: int, parents: int, problem: Any, rng: Any) -> Any:
    return np.full((matings, parents), 10**9)


def few_places(costs: Any, matings: int, parents: int, problem: Any, rng: Any) -> Any:
    return np.zeros((1, parents), np.int64)


class Late:
    """Goes wrong in the third generation: what is made is looked at in all of them."""

    calls = 0

    def __call__(self, boards: Any, rate: float, problem: Any, rng: Any) -> Any:
        self.calls += 1
        changed = boards.copy()
        changed[:, problem.space.genes[0]] = 200 if self.calls == 3 else 2
        return changed


@dataclass(frozen=True)
class Wrapped:
    inner: Mutation = wild

    def __call__(self, boards: Any, rate: float, problem: Any, rng: Any) -> Any:
        return self.inner(boards, rate, problem, rng)


class Survivors:
    def __call__(self, brood: Any, problem: Any, rng: Any) -> Any:
        return np.arange(len(brood.boards)) + 10**6
