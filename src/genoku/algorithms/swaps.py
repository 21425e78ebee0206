"""Swaps of two blanks that are kept together: which there are, and what they cost."""

from __future__ import annotations

from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from genoku.board import Board
from genoku.encoding import ENCODINGS, MANY, SearchSpace
from genoku.fitness import FITNESSES, Fitness, Repetitions
from genoku.jit import kernel
from genoku.problem import does_not_fit, name_of
from genoku.state import Algorithm, Finished

Counts = NDArray[np.uint8]
"""How often a unit holds a digit, at `unit · side + digit`."""


def refuse_without_swaps(search: Algorithm) -> None:
    """Raise if a search by swaps does not fit its encoding or fitness, saying what would."""
    if search.encoding.keeps not in MANY:
        fitting = [name_of(each) for each in ENCODINGS if each().keeps in MANY]
        reason = "it swaps two blanks that are kept together"
        raise does_not_fit("encoding", search, search.encoding, reason, fitting)
    if not counts_repetitions(type(search.fitness)):
        fitting = [name_of(each) for each in FITNESSES if counts_repetitions(each)]
        reason = "from swap to swap it counts the repeated values of a unit"
        raise does_not_fit("fitness", search, search.fitness, reason, fitting)


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
