"""Searches on a single board: their states, and swaps of two blanks of a group with their cost."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from genoku.evolve.encoding import ENCODINGS, MANY, Boards, SearchSpace, cached_in_space
from genoku.evolve.fitness import FITNESSES, Fitness, Repetitions
from genoku.evolve.operators.adaptation import Adaptation, Progress
from genoku.evolve.problem import Problem, misfit_error, recipe_name
from genoku.evolve.state import NO_BIRTHS, Algorithm, Finished, State, initial_state
from genoku.puzzle.board import Board
from genoku.runtime.jit import kernel
from genoku.runtime.random import Stream

Counts = NDArray[np.uint8]  # how often each unit holds each digit, at `unit · side + digit`


def start_single_board(
    problem: Problem, rng: Stream, boards: Boards | None, schedule: Adaptation | None = None
) -> State:
    """The state of a random board, or of the given one, with the first memory of any schedule."""
    state = initial_state(problem, rng, 1, boards)
    if schedule is None:
        return state
    return state._replace(memory=schedule(None, Progress(0, int(state.costs[0])), problem))


def state_after_moves(
    problem: Problem,
    state: State,
    schedule: Adaptation | None,
    done: tuple[int, int, int],
    finished: Finished,
) -> State:
    """The state after some moves and evaluations led to a cost: solved at 0, else `finished`.

    `state` already has the stream and the board after the moves.
    """
    moves, evaluations, cost = done
    progress = Progress(state.step + 1, int(cost))
    return state._replace(
        costs=np.array([cost], np.int32),
        births=NO_BIRTHS,
        step=progress.step,
        evaluations=state.evaluations + int(evaluations),
        moves=state.moves + int(moves),
        memory=schedule(state.memory, progress, problem) if schedule else {},
        finished="solved" if cost == 0 else finished,
    )


def refuse_without_swaps(search: Algorithm) -> None:
    """Raise if a search by swaps does not fit its encoding or fitness, and name what fits."""
    if search.encoding.keeps not in MANY:
        fitting = [recipe_name(each) for each in ENCODINGS if each().keeps in MANY]
        reason = "it swaps two blanks of a permuted row, column or box"
        raise misfit_error("encoding", search, search.encoding, reason, fitting)
    if not counts_repetitions(type(search.fitness)):
        fitting = [recipe_name(each) for each in FITNESSES if counts_repetitions(each)]
        reason = "it updates the repeated values of units from swap to swap"
        raise misfit_error("fitness", search, search.fitness, reason, fitting)


def counts_repetitions(fitness: type[Fitness]) -> bool:
    """Whether a fitness has the cost of `Repetitions`, on any scale."""
    return fitness.costs is Repetitions.costs


class Swaps(NamedTuple):
    """Every swap that a space allows, and where its digits are counted.

    Only the two kinds of units that the encoding does not keep are counted. If both cells share
    a unit, nothing changes in it: such a swap is counted in an empty unit after the last one, which
    avoids a branch.
    """

    pairs: NDArray[np.uint16]  # [swaps, 6] two cells, and where their units of each kind start
    starts: NDArray[np.uint16]  # [cells, 2] where the counts of a cell's units start


@cached_in_space
def swaps_of(space: SearchSpace) -> Swaps:
    side = space.puzzle.side
    one, other = (space.blocks(kind) for kind in MANY if kind != space.keeps)
    starts = np.stack((one, side + other), axis=1) * side
    left, right = (space.groups[:, places].ravel() for places in np.triu_indices(side, 1))
    left, right = left[right >= 0], right[right >= 0]
    from_left, from_right = starts[left], starts[right]
    shared = from_left == from_right
    from_left[shared] = from_right[shared] = 2 * side * side
    columns = (left, right, from_left[:, 0], from_right[:, 0], from_left[:, 1], from_right[:, 1])
    return Swaps(np.stack(columns, axis=1).astype(np.uint16), starts.astype(np.uint16))


def finish_without_swaps(swaps: Swaps) -> Finished:
    """The end of a search without swaps: a board that cannot be changed has failed."""
    return "" if len(swaps.pairs) else "failed"


@kernel
def exchange_cost(counts: Counts, a: Any, b: Any, here: Any, there: Any) -> Any:
    """The change of cost if digit `here` moves from the unit at `a` to `b`, and `there` back."""
    return (
        np.int64(counts[a + there] > 0)
        + np.int64(counts[b + here] > 0)
        - np.int64(counts[a + here] > 1)
        - np.int64(counts[b + there] > 1)
    )


@kernel
def update_counts(counts: Counts, a: Any, b: Any, here: Any, there: Any) -> None:
    counts[a + there] += 1
    counts[b + here] += 1
    counts[a + here] -= 1
    counts[b + there] -= 1


@kernel
def count_digits(board: Board, starts: NDArray[Any]) -> Counts:
    """The counts of every digit in the units that start there, `[cells, kinds]`."""
    counts = np.zeros(3 * len(board) + 1, np.uint8)
    for cell in range(len(board)):
        for kind in range(starts.shape[1]):
            counts[starts[cell, kind] + board[cell]] += 1
    return counts
