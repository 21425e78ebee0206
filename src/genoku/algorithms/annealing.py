"""Simulated annealing: one board, a swap at a time, fewer and fewer bad swaps as it cools."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from genoku.adaptation import ADAPTATIONS, Adaptation, Constant
from genoku.algorithms.lone import moved, started
from genoku.algorithms.swaps import (
    count_exchange,
    counted,
    exchange,
    refuse_without_swaps,
    stuck,
    swaps_of,
)
from genoku.board import Board
from genoku.encoding import Boards, Encoding, PermutedBoxes
from genoku.fitness import Fitness, Repetitions
from genoku.jit import kernel
from genoku.problem import Problem, refuse_below, refuse_misfits
from genoku.state import Search, State
from genoku.stream import Stream, draw

MOST_WORSE = 4  # a swap brings two digits into units of two kinds, each of them perhaps again


@dataclass(frozen=True)
class Annealing(Search):
    """Swap two blanks of a group; take what is worse by d with probability exp(−d / temperature).

    One step makes `moves` moves at one temperature, and ends early where the board is solved. No
    schedule is needed: at 9×9 a constant temperature of 0.35 is cold enough to settle and warm
    enough to leave any local optimum again; 16×16 and 25×25 want 0.3.
    """

    rate_name = "temperature"
    short_steps: ClassVar = {"moves": 1000}

    encoding: Encoding = PermutedBoxes()
    fitness: Fitness = Repetitions()
    temperature: Adaptation = Constant(0.35)
    moves: int = 10_000

    def __post_init__(self) -> None:
        refuse_below(self, moves=1)
        refuse_misfits(
            self.encoding, self.fitness, {"temperature": (self.temperature, ADAPTATIONS)}
        )
        refuse_without_swaps(self)

    def start(self, problem: Problem, rng: Stream, boards: Boards | None = None) -> State:
        state = started(problem, rng, boards, self.temperature)
        return state._replace(finished=state.finished or stuck(swaps_of(problem.space)))

    def step(self, problem: Problem, state: State) -> State:
        """A number of moves at one temperature."""
        rng, boards, swaps = state.rng.copy(), state.boards.copy(), swaps_of(problem.space)
        made, cost = anneal(
            boards[0], *swaps, state.memory["rate"], self.moves, int(state.costs[0]), rng
        )
        return moved(
            problem,
            state,
            self.temperature,
            rng=rng,
            boards=boards,
            cost=cost,
            moves=made,
            evaluations=made,
            finished=stuck(swaps),
        )


@kernel
def anneal(
    board: Board,
    pairs: NDArray[np.uint16],
    starts: NDArray[np.uint16],
    temperature: float,
    moves: int,
    cost: int,
    rng: Any,
) -> Any:
    """Make `moves` moves in place, fewer if cost 0 is met: how many, and the cost.

    One draw serves a move: its high half picks the swap, its low half decides. Indices are
    unsigned, since a signed one is first asked whether it counts from the end.
    """
    counts = counted(board, starts)
    limits = acceptance(temperature)
    half, low = np.uint64(32), np.uint64(2**32 - 1)
    swaps = np.uint64(len(pairs))
    made = 0
    while made < moves and cost > 0 and swaps > 0:
        bits = draw(rng)
        swap = ((bits >> half) * swaps) >> half
        a, b = pairs[swap, 0], pairs[swap, 1]
        here, there = np.uint64(board[a]), np.uint64(board[b])
        change = exchange(counts, pairs[swap, 2], pairs[swap, 3], here, there) + exchange(
            counts, pairs[swap, 4], pairs[swap, 5], here, there
        )
        made += 1
        if (bits & low) < limits[np.uint64(change + MOST_WORSE)]:
            board[a], board[b] = there, here
            count_exchange(counts, pairs[swap, 2], pairs[swap, 3], here, there)
            count_exchange(counts, pairs[swap, 4], pairs[swap, 5], here, there)
            cost += change
    return made, cost


@kernel
def acceptance(temperature: float) -> NDArray[np.uint64]:
    """Below which of 2³² numbers a change is taken: −4 at place 0, and +4 at the end."""
    limits = np.full(2 * MOST_WORSE + 1, 2**32, np.uint64)
    for worse in range(1, MOST_WORSE + 1):
        chance = math.exp(-worse / temperature) if temperature > 0 else 0.0
        limits[MOST_WORSE + worse] = np.uint64(chance * 2.0**32)
    return limits
