"""Tabu search: one board, always the best swap that does not lead back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from genoku.adaptation import Memory, Progress
from genoku.algorithms.lone import moved, started
from genoku.algorithms.swaps import (
    Counts,
    count_exchange,
    counted,
    exchange,
    refuse_without_swaps,
    stuck,
    swaps_of,
)
from genoku.board import Board
from genoku.encoding import Boards, Encoding, PermutedBoxes, SearchSpace
from genoku.fitness import Fitness, Repetitions
from genoku.jit import kernel
from genoku.problem import Problem, refuse_below, refuse_misfits, refuse_outside
from genoku.state import Search, State
from genoku.stream import Stream, below

LONGEST = 2**31  # moves that a tenure and its spread may last, each

Barred = NDArray[np.int64]
"""For how many more moves a digit may not return to a cell, `[cells, side + 1]`."""


@dataclass(frozen=True)
class Tabu(Search):
    """Make the best swap in a group that touches a clash, better or not, unless it is tabu.

    A cell clashes if its digit stands again in one of its two units that are not kept whole. A
    solution moves all clashes away, so swaps that touch none are not looked at: of some 170 swaps
    of a hard 9×9 board about 30 are left. Ties are broken at random.

    A digit that leaves a cell is barred from it for the next `tenure` moves and a random number
    of moves below `spread`. A swap is tabu while both of its digits would come back to cells they
    are barred from: that undoes what was done, and hardly anything else. To forbid a swap where
    one of them comes back shuts out more: with 5 and 5 it takes half as many moves again on hard
    9×9 boards, with 10 and 10 three times as many. A tabu swap is made all the same where it leads
    below the lowest cost of this start (aspiration). Where all swaps are tabu, a move passes and
    nothing changes.

    One step makes `moves` moves, and ends early where the board is solved. A board whose clashes
    no swap can touch has failed. Every swap looked at is an evaluation.
    """

    short_steps: ClassVar = {"moves": 1000}

    encoding: Encoding = PermutedBoxes(fixed="singles")
    fitness: Fitness = Repetitions()
    tenure: int = 5
    spread: int = 5
    moves: int = 1000

    def __post_init__(self) -> None:
        refuse_below(self, moves=1)
        refuse_outside(self, 0, LONGEST, "tenure")
        refuse_outside(self, 1, LONGEST, "spread")
        refuse_misfits(self.encoding, self.fitness, {})
        refuse_without_swaps(self)

    def start(self, problem: Problem, rng: Stream, boards: Boards | None = None) -> State:
        state = started(problem, rng, boards, without_rate)
        side = problem.puzzle.side
        return state._replace(
            arrays={
                "barred": np.zeros((side * side, side + 1), np.int64),
                "best": state.costs.astype(np.int64),
            },
            finished=state.finished or stuck(swaps_of(problem.space)),
        )

    def step(self, problem: Problem, state: State) -> State:
        """A number of moves."""
        rng, boards = state.rng.copy(), state.boards.copy()
        barred, best = state.arrays["barred"].copy(), state.arrays["best"].copy()
        made, tried, cost = search(
            boards[0],
            *reach_of(problem.space),
            barred,
            best,
            self.tenure,
            self.spread,
            self.moves,
            int(state.costs[0]),
            rng,
        )
        after = moved(
            problem,
            state,
            without_rate,
            rng=rng,
            boards=boards,
            cost=cost,
            moves=made,
            evaluations=tried,
            finished="" if made == self.moves else "failed",
        )
        return after._replace(arrays={"barred": np.maximum(barred - made, 0), "best": best})


def without_rate(memory: Memory | None, progress: Progress, problem: Problem) -> Memory:
    """Nothing in this search has a rate."""
    del memory, progress, problem
    return {}


class Reach(NamedTuple):
    """Every swap of a space twice, once from each of its cells, those of a cell in a row."""

    cells: NDArray[np.uint16]  # [blanks that can be swapped]
    firsts: NDArray[np.uint16]  # [cells of the board + 1] where the swaps of a cell begin
    pairs: NDArray[np.uint16]  # [2 · swaps, 6] as in `Swaps`, the cell they are reached from first
    starts: NDArray[np.uint16]  # [cells of the board, 2] as in `Swaps`


_REACH: WeakKeyDictionary[SearchSpace, Reach] = WeakKeyDictionary()


def reach_of(space: SearchSpace) -> Reach:
    """The swaps of every cell, made once and kept as long as the space itself."""
    if space not in _REACH:
        pairs, starts = swaps_of(space)
        pairs = np.concatenate((pairs, pairs[:, [1, 0, 3, 2, 5, 4]]))
        pairs = np.ascontiguousarray(pairs[np.argsort(pairs[:, 0], kind="stable")])
        firsts = np.searchsorted(pairs[:, 0], np.arange(len(starts) + 1)).astype(np.uint16)
        _REACH[space] = Reach(np.unique(pairs[:, 0]), firsts, pairs, starts)
    return _REACH[space]


@kernel
def search(
    board: Board,
    cells: NDArray[np.uint16],
    firsts: NDArray[np.uint16],
    pairs: NDArray[np.uint16],
    starts: NDArray[np.uint16],
    barred: Barred,
    best: NDArray[np.int64],
    tenure: int,
    spread: int,
    moves: int,
    cost: int,
    rng: Any,
) -> Any:
    """Make `moves` moves in place, fewer where solved or stuck: moves, swaps tried, cost.

    `barred` goes on counting from the first of these moves.
    """
    counts = counted(board, starts)
    clashes = np.zeros(len(board), np.bool_)
    clashing = np.empty(len(cells) + 1, np.uint16)
    equal = np.empty(len(pairs), np.uint16)
    best[0] = min(best[0], cost)
    made = tried = 0
    while made < moves and cost > 0:
        met = find_clashes(board, counts, cells, starts, clashes, clashing)
        if met == 0:
            break
        least, found, looked_at = best_swaps(
            board,
            counts,
            firsts,
            pairs,
            clashes,
            clashing,
            met,
            barred,
            made,
            best[0] - cost,
            equal,
        )
        tried += looked_at
        made += 1
        if found == 0:
            continue
        swap = np.uint64(equal[np.uint64(below(rng, found))])
        a, b = pairs[swap, 0], pairs[swap, 1]
        here, there = np.uint64(board[a]), np.uint64(board[b])
        board[a], board[b] = there, here
        count_exchange(counts, pairs[swap, 2], pairs[swap, 3], here, there)
        count_exchange(counts, pairs[swap, 4], pairs[swap, 5], here, there)
        cost += least
        best[0] = min(best[0], cost)
        barred[a, here] = barred[b, there] = made + tenure + below(rng, spread)
    return made, tried, cost


@kernel
def find_clashes(
    board: Board,
    counts: Counts,
    cells: NDArray[np.uint16],
    starts: NDArray[np.uint16],
    clashes: NDArray[np.bool_],
    clashing: NDArray[np.uint16],
) -> Any:
    """Mark the cells whose digit stands again in a unit, list them, and say how many there are."""
    met = np.uint64(0)
    for i in range(len(cells)):
        cell = cells[np.uint64(i)]
        digit = np.uint64(board[cell])
        one, other = counts[starts[cell, 0] + digit], counts[starts[cell, 1] + digit]
        clashes[cell] = (one > 1) | (other > 1)
        clashing[met] = cell  # stays only if the next one does not take its place
        met += np.uint64(clashes[cell])
    return met


@kernel
def best_swaps(
    board: Board,
    counts: Counts,
    firsts: NDArray[np.uint16],
    pairs: NDArray[np.uint16],
    clashes: NDArray[np.bool_],
    clashing: NDArray[np.uint16],
    met: Any,
    barred: Barred,
    now: int,
    record: int,
    equal: NDArray[np.uint16],
) -> Any:
    """List the best swaps that are allowed: their change, how many, and how many were looked at.

    A swap is allowed if it is not tabu, or its change is below that which makes a `record`.
    """
    least, found, looked_at = np.int64(2**31), 0, 0
    for i in range(met):
        a = np.uint64(clashing[np.uint64(i)])
        here = np.uint64(board[a])
        for j in range(firsts[a], firsts[a + np.uint64(1)]):
            swap = np.uint64(j)
            b = np.uint64(pairs[swap, 1])
            if clashes[b] and b < a:  # seen from there
                continue
            looked_at += 1
            there = np.uint64(board[b])
            change = exchange(counts, pairs[swap, 2], pairs[swap, 3], here, there) + exchange(
                counts, pairs[swap, 4], pairs[swap, 5], here, there
            )
            if change > least:
                continue
            if change >= record and barred[a, there] > now and barred[b, here] > now:
                continue
            if change < least:
                least, found = change, 0
            equal[np.uint64(found)] = swap
            found += 1
    return least, found, looked_at
