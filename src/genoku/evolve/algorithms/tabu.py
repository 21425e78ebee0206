"""Tabu search: always the best swap on one board that does not undo a recent one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from genoku.errors import require_at_least, require_between
from genoku.evolve.algorithms.swap_moves import (
    Counts,
    count_digits,
    exchange_cost,
    finish_without_swaps,
    refuse_without_swaps,
    start_single_board,
    state_after_moves,
    swaps_of,
    update_counts,
)
from genoku.evolve.encoding import Boards, Encoding, PermutedBoxes, SearchSpace, cached_in_space
from genoku.evolve.fitness import Fitness, Repetitions
from genoku.evolve.problem import Problem, refuse_misfits
from genoku.evolve.state import Finished, Search, State
from genoku.puzzle.board import Board
from genoku.runtime.jit import kernel
from genoku.runtime.random import Stream, below

LONGEST = 2**31  # moves of a tenure, and of its spread
Barred = NDArray[np.int64]  # [cells, side + 1] moves for which a digit may not return to a cell


@dataclass(frozen=True)
class Tabu(Search):
    """Make the best swap of a conflicting cell in a group, better or not, unless it is tabu.

    A cell is in conflict if its digit is repeated in one of its two units that are not kept whole.
    Swaps without a cell in conflict are ignored: of some 170 swaps of a hard 9×9 board about 30
    are left. Ties are broken at random.

    A digit that leaves a cell is barred from it for `tenure` moves plus a random number of moves
    below `spread`. A swap is tabu while both of its digits are barred from the cells they would
    move to: that forbids undoing a recent swap and little else. Forbidding swaps with one barred
    digit takes 1.5 times as many moves on hard 9×9 boards with 5 and 5, and three times as many
    with 10 and 10. A tabu swap is allowed if it leads below the lowest cost since the start
    (aspiration). If all swaps are tabu, a move changes nothing.

    One step makes `moves` moves, and ends early if the board is solved. If no swap has a cell in
    conflict, the search has failed. Every swap examined is an evaluation.
    """

    short_steps: ClassVar = {"moves": 1000}

    encoding: Encoding = PermutedBoxes(fixed="singles")
    fitness: Fitness = Repetitions()
    tenure: int = 5
    spread: int = 5
    moves: int = 1000

    def __post_init__(self) -> None:
        require_at_least(self, moves=1)
        require_between(self, 0, LONGEST, "tenure")
        require_between(self, 1, LONGEST, "spread")
        refuse_misfits(self.encoding, self.fitness, {})
        refuse_without_swaps(self)

    def start(self, problem: Problem, rng: Stream, boards: Boards | None = None) -> State:
        state = start_single_board(problem, rng, boards)
        side = problem.puzzle.side
        return state._replace(
            arrays={
                "barred": np.zeros((side * side, side + 1), np.int64),
                "best": state.costs.astype(np.int64),
            },
            finished=state.finished or finish_without_swaps(swaps_of(problem.space)),
        )

    def step(self, problem: Problem, state: State) -> State:
        """Make `moves` moves."""
        rng, boards = state.rng.copy(), state.boards.copy()
        barred, best = state.arrays["barred"].copy(), state.arrays["best"].copy()
        limits = self.tenure, self.spread, self.moves
        cost, swaps = int(state.costs[0]), swaps_by_cell(problem.space)
        made, *_ = done = tabu_search(boards[0], swaps, barred, best, *limits, cost, rng)
        arrays = {"barred": np.maximum(barred - made, 0), "best": best}
        state = state._replace(rng=rng, boards=boards, arrays=arrays)
        finished: Finished = "" if made == self.moves else "failed"
        return state_after_moves(problem, state, None, done, finished)


class SwapsByCell(NamedTuple):
    """Every swap of a space twice, once for each of its cells, sorted by cell."""

    cells: NDArray[np.uint16]  # [blanks that can be swapped]
    firsts: NDArray[np.uint16]  # [cells of the board + 1] where the swaps of a cell begin
    pairs: NDArray[np.uint16]  # [2 · swaps, 6] as in `Swaps`, sorted by the first cell
    starts: NDArray[np.uint16]  # [cells of the board, 2] as in `Swaps`


@cached_in_space
def swaps_by_cell(space: SearchSpace) -> SwapsByCell:
    pairs, starts = swaps_of(space)
    pairs = np.concatenate((pairs, pairs[:, [1, 0, 3, 2, 5, 4]]))
    pairs = np.ascontiguousarray(pairs[np.argsort(pairs[:, 0], kind="stable")])
    firsts = np.searchsorted(pairs[:, 0], np.arange(len(starts) + 1)).astype(np.uint16)
    return SwapsByCell(np.unique(pairs[:, 0]), firsts, pairs, starts)


@kernel
def tabu_search(
    board: Board,
    swaps: SwapsByCell,
    barred: Barred,
    best: NDArray[np.int64],
    tenure: int,
    spread: int,
    moves: int,
    cost: int,
    rng: Any,
) -> Any:
    """Make up to `moves` moves in place, until solved or stuck: moves, swaps tried, cost.

    `barred` counts from the first of these moves.
    """
    pairs = swaps.pairs
    counts = count_digits(board, swaps.starts)
    in_conflict = np.zeros(len(board), np.bool_)
    conflicting = np.empty(len(swaps.cells) + 1, np.uint16)
    equal = np.empty(len(pairs), np.uint16)
    best[0] = min(best[0], cost)
    made = tried = 0
    while made < moves and cost > 0:
        met = find_conflicts(board, counts, swaps, in_conflict, conflicting)
        if met == 0:
            break
        least, found, looked_at = best_swaps(
            board,
            counts,
            swaps,
            in_conflict,
            conflicting,
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
        update_counts(counts, pairs[swap, 2], pairs[swap, 3], here, there)
        update_counts(counts, pairs[swap, 4], pairs[swap, 5], here, there)
        cost += least
        best[0] = min(best[0], cost)
        barred[a, here] = barred[b, there] = made + tenure + below(rng, spread)
    return made, tried, cost


@kernel
def find_conflicts(
    board: Board,
    counts: Counts,
    swaps: SwapsByCell,
    in_conflict: NDArray[np.bool_],
    conflicting: NDArray[np.uint16],
) -> Any:
    """Mark and list the cells whose digit is repeated in a unit; return their number."""
    cells, starts = swaps.cells, swaps.starts
    met = np.uint64(0)
    for i in range(len(cells)):
        cell = cells[np.uint64(i)]
        digit = np.uint64(board[cell])
        one, other = counts[starts[cell, 0] + digit], counts[starts[cell, 1] + digit]
        in_conflict[cell] = (one > 1) | (other > 1)
        conflicting[met] = cell  # overwritten by the next cell if it is not in conflict
        met += np.uint64(in_conflict[cell])
    return met


@kernel
def best_swaps(
    board: Board,
    counts: Counts,
    swaps: SwapsByCell,
    in_conflict: NDArray[np.bool_],
    conflicting: NDArray[np.uint16],
    met: Any,
    barred: Barred,
    now: int,
    record: int,
    equal: NDArray[np.uint16],
) -> Any:
    """List the best allowed swaps: their change of cost, their number, and the number examined.

    A swap is allowed if it is not tabu, or if its change is below `record`, the change that leads
    to the lowest cost so far.
    """
    firsts, pairs = swaps.firsts, swaps.pairs
    least, found, looked_at = np.int64(2**31), 0, 0
    for i in range(met):
        a = np.uint64(conflicting[np.uint64(i)])
        here = np.uint64(board[a])
        for j in range(firsts[a], firsts[a + np.uint64(1)]):
            swap = np.uint64(j)
            b = np.uint64(pairs[swap, 1])
            if in_conflict[b] and b < a:  # examined from there
                continue
            looked_at += 1
            there = np.uint64(board[b])
            change = exchange_cost(
                counts, pairs[swap, 2], pairs[swap, 3], here, there
            ) + exchange_cost(counts, pairs[swap, 4], pairs[swap, 5], here, there)
            if change > least:
                continue
            if change >= record and barred[a, there] > now and barred[b, here] > now:
                continue
            if change < least:
                least, found = change, 0
            equal[np.uint64(found)] = swap
            found += 1
    return least, found, looked_at
