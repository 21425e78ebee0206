"""Simulated annealing: one board, a swap at a time, fewer and fewer bad swaps as it cools."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from genoku.adaptation import ADAPTATIONS, Adaptation, Constant
from genoku.algorithms.lone import moved, started
from genoku.board import Board
from genoku.encoding import ENCODINGS, Boards, Encoding, PermutedBoxes, SearchSpace
from genoku.errors import RecipeError
from genoku.fitness import FITNESSES, Fitness, Repetitions
from genoku.fitting import called, name_of, refuse_misfits
from genoku.jit import kernel
from genoku.problem import Problem
from genoku.state import Finished, State
from genoku.stream import Stream, draw

Counts = NDArray[np.uint8]
"""How often a unit holds a digit, at `unit · side + digit`."""

MOST_WORSE = 4  # a swap brings two digits into units of two kinds, each of them perhaps again


@dataclass(frozen=True)
class Annealing:
    """Swap two blanks of a group; take what is worse by d with probability exp(−d / temperature).

    One step makes `moves` moves at one temperature, and ends early where the board is solved. No
    schedule is needed: at 9×9 a constant temperature of 0.35 is cold enough to settle and warm
    enough to leave any local optimum again; 16×16 and 25×25 want 0.3.
    """

    encoding: Encoding = PermutedBoxes()
    fitness: Fitness = Repetitions()
    temperature: Adaptation = Constant(0.35)
    moves: int = 10_000

    def __post_init__(self) -> None:
        if self.moves < 1:
            raise RecipeError(f"expected 1 move or more in a step, got {self.moves}")
        refuse_misfits(
            self.encoding, self.fitness, {"temperature": (self.temperature, ADAPTATIONS)}
        )
        if self.encoding.keeps == "none":
            fitting = [name_of(each) for each in ENCODINGS if each().keeps != "none"]
            raise RecipeError(
                f"annealing does not fit {called(self.encoding)}: it swaps two blanks that are "
                f"kept together. What fits: {', '.join(fitting)}"
            )
        if not counts_repetitions(type(self.fitness)):
            fitting = [name_of(each) for each in FITNESSES if counts_repetitions(each)]
            raise RecipeError(
                f"annealing does not fit {called(self.fitness)}: from swap to swap it counts the "
                f"values that stand again in a unit. What fits: {', '.join(fitting)}"
            )

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


def counts_repetitions(fitness: type[Fitness]) -> bool:
    """Whether it has the cost of `Repetitions`, on whatever scale."""
    return fitness.costs is Repetitions.costs


class Swaps(NamedTuple):
    """Every swap a space allows, and where its digits are counted.

    Only the two kinds of units that the encoding does not keep are counted. Where both cells lie
    in the same unit nothing changes in it: such a swap is counted in a unit beyond the last one,
    which holds nothing before and after, and so needs no branch.
    """

    pairs: NDArray[np.uint16]  # [swaps, 6] two cells, and where their units of each kind start
    starts: NDArray[np.uint16]  # [cells, 2] where the counts of a cell's units start


_SWAPS: WeakKeyDictionary[SearchSpace, Swaps] = WeakKeyDictionary()


def swaps_of(space: SearchSpace) -> Swaps:
    """The swaps of a space, made once and kept as long as the space itself."""
    if space not in _SWAPS:
        _SWAPS[space] = _swaps(space)
    return _SWAPS[space]


def _swaps(space: SearchSpace) -> Swaps:
    side = space.puzzle.side
    one, other = (space.blocks(kind) for kind in ("row", "column", "box") if kind != space.keeps)
    starts = np.stack((one, side + other), axis=1) * side
    left, right = (space.groups[:, places].ravel() for places in np.triu_indices(side, 1))
    left, right = left[right >= 0], right[right >= 0]
    from_left, from_right = starts[left], starts[right]
    shared = from_left == from_right
    from_left[shared] = from_right[shared] = 2 * side * side
    columns = (left, right, from_left[:, 0], from_right[:, 0], from_left[:, 1], from_right[:, 1])
    return Swaps(np.stack(columns, axis=1).astype(np.uint16), starts.astype(np.uint16))


def stuck(swaps: Swaps) -> Finished:
    """A board that cannot be changed, and is not solved, never will be."""
    return "" if len(swaps.pairs) else "failed"


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
def exchange(counts: Counts, a: Any, b: Any, here: Any, there: Any) -> Any:
    """What it costs if `here` leaves the unit at `a` for the one at `b`, and `there` comes back."""
    return (
        np.int64(counts[a + there] > 0)
        + np.int64(counts[b + here] > 0)
        - np.int64(counts[a + here] > 1)
        - np.int64(counts[b + there] > 1)
    )


@kernel
def count_exchange(counts: Counts, a: Any, b: Any, here: Any, there: Any) -> None:
    """Count the digits where they stand after an exchange."""
    counts[a + there] += 1
    counts[b + here] += 1
    counts[a + here] -= 1
    counts[b + there] -= 1


@kernel
def counted(board: Board, starts: NDArray[np.uint16]) -> Counts:
    """How often every digit stands in every unit, with room for the empty unit at the end."""
    counts = np.zeros(3 * len(board), np.uint8)
    for cell in range(len(board)):
        counts[starts[cell, 0] + board[cell]] += 1
        counts[starts[cell, 1] + board[cell]] += 1
    return counts


@kernel
def acceptance(temperature: float) -> NDArray[np.uint64]:
    """Below which of 2³² numbers a change is taken: −4 at place 0, and +4 at the end."""
    limits = np.full(2 * MOST_WORSE + 1, 2**32, np.uint64)
    for worse in range(1, MOST_WORSE + 1):
        chance = math.exp(-worse / temperature) if temperature > 0 else 0.0
        limits[MOST_WORSE + worse] = np.uint64(chance * 2.0**32)
    return limits
