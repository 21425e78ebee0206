"""Simulated annealing: random swaps on one board, with fewer worse ones as it cools."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from genoku.errors import require_at_least
from genoku.evolve.algorithms.swap_moves import (
    Swaps,
    count_digits,
    exchange_cost,
    finish_without_swaps,
    refuse_without_swaps,
    start_single_board,
    state_after_moves,
    swaps_of,
    update_counts,
)
from genoku.evolve.encoding import Boards, Encoding, PermutedBoxes
from genoku.evolve.fitness import Fitness, Repetitions
from genoku.evolve.operators.adaptation import ADAPTATIONS, Adaptation, Constant
from genoku.evolve.problem import Problem, refuse_misfits
from genoku.evolve.state import Search, State
from genoku.puzzle.board import Board
from genoku.runtime.jit import kernel
from genoku.runtime.random import Stream, draw

MOST_WORSE = 4  # a swap moves two digits, each into units of two kinds


@dataclass(frozen=True)
class Annealing(Search):
    """Swap two blanks of a group; accept a cost higher by d with probability exp(−d / temperature).

    One step makes `moves` moves at one `temperature`, and ends early if the board is solved. No
    cooling is required: on 9×9 boards a constant temperature of 0.35 is cold enough to converge and
    warm enough to leave any local optimum; 16×16 and 25×25 boards require about 0.3.
    """

    rate_name = "temperature"
    short_steps: ClassVar = {"moves": 1000}

    encoding: Encoding = PermutedBoxes()
    fitness: Fitness = Repetitions()
    temperature: Adaptation = Constant(0.35)
    moves: int = 10_000

    def __post_init__(self) -> None:
        require_at_least(self, moves=1)
        refuse_misfits(
            self.encoding, self.fitness, {"temperature": (self.temperature, ADAPTATIONS)}
        )
        refuse_without_swaps(self)

    def start(self, problem: Problem, rng: Stream, boards: Boards | None = None) -> State:
        state = start_single_board(problem, rng, boards, self.temperature)
        return state._replace(
            finished=state.finished or finish_without_swaps(swaps_of(problem.space))
        )

    def step(self, problem: Problem, state: State) -> State:
        """Make `moves` moves at one temperature."""
        rng, boards, swaps = state.rng.copy(), state.boards.copy(), swaps_of(problem.space)
        rate, cost = state.memory["rate"], int(state.costs[0])
        made, cost = anneal(boards[0], swaps, rate, self.moves, cost, rng)
        state, done = state._replace(rng=rng, boards=boards), (made, made, cost)
        finished = finish_without_swaps(swaps)
        return state_after_moves(problem, state, self.temperature, done, finished)


@kernel
def anneal(board: Board, swaps: Swaps, temperature: float, moves: int, cost: int, rng: Any) -> Any:
    """Make up to `moves` moves in place, until cost 0: their number, and the cost.

    One random number serves a move: its high half picks the swap, its low half decides. Indices are
    unsigned, since a signed index is checked for wraparound.
    """
    pairs = swaps.pairs
    counts = count_digits(board, swaps.starts)
    limits = acceptance(temperature)
    half, low = np.uint64(32), np.uint64(2**32 - 1)
    count = np.uint64(len(pairs))
    made = 0
    while made < moves and cost > 0 and count > 0:
        bits = draw(rng)
        swap = ((bits >> half) * count) >> half
        a, b = pairs[swap, 0], pairs[swap, 1]
        here, there = np.uint64(board[a]), np.uint64(board[b])
        change = exchange_cost(counts, pairs[swap, 2], pairs[swap, 3], here, there) + exchange_cost(
            counts, pairs[swap, 4], pairs[swap, 5], here, there
        )
        made += 1
        if (bits & low) < limits[np.uint64(change + MOST_WORSE)]:
            board[a], board[b] = there, here
            update_counts(counts, pairs[swap, 2], pairs[swap, 3], here, there)
            update_counts(counts, pairs[swap, 4], pairs[swap, 5], here, there)
            cost += change
    return made, cost


@kernel
def acceptance(temperature: float) -> NDArray[np.uint64]:
    """The limit of 2³² below which a change from −4 to +4 is accepted."""
    limits = np.full(2 * MOST_WORSE + 1, 2**32, np.uint64)
    for worse in range(1, MOST_WORSE + 1):
        chance = math.exp(-worse / temperature) if temperature > 0 else 0.0
        limits[MOST_WORSE + worse] = np.uint64(chance * 2.0**32)
    return limits
