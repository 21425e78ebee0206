"""Singles, on any board: the one kernel behind the oracle, the generator and the solvers.

A Sudoku is an exact cover. A *candidate* is a digit in a cell, numbered `cell · side + digit − 1`.
It meets four *constraints*, each of which wants exactly one of its `side` candidates: its cell,
its digit in its row, its digit in its column, its digit in its box. A board in progress is one bit
mask per constraint, of the candidates still possible:

    index                       constraint               bits
    cell                        the cell                 digits
    cells + row · side + digit      the digit in the row     columns
    2 · cells + column · side + …   the digit in the column  rows
    3 · cells + box · side + …      the digit in the box     places in the box

A mask with one bit left is a naked single (cell) or a hidden single (row, column, box), found the
moment it arises; a mask with none is a contradiction.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from genoku.board import Board, Puzzle
from genoku.geometry import Geometry
from genoku.jit import kernel, lowest

Masks = NDArray[np.uint64]
Queue = NDArray[np.uint16]

ONE = np.uint64(1)
NONE = np.uint64(0)
FOUR = np.uint64(4)


class Links(NamedTuple):
    """How candidates and constraints meet, for one geometry. Flat, for the kernels."""

    side: int
    candidate: NDArray[np.uint16]  # [constraint · side + bit] → candidate
    constraint: NDArray[np.uint16]  # [candidate · 4 + 0 … 3] → constraint
    bit: NDArray[np.uint8]  # [candidate · 4 + 0 … 3] → its bit in that constraint's mask


@cache
def links(geometry: Geometry) -> Links:
    side, cells = geometry.side, geometry.cells
    cell, digit = np.divmod(np.arange(cells * side), side)
    row, column, box = (
        of.astype(np.int64)[cell] for of in (geometry.row_of, geometry.column_of, geometry.box_of)
    )
    place = row % geometry.box_rows * geometry.box_cols + column % geometry.box_cols
    constraint = np.stack(
        [
            cell,
            cells + row * side + digit,
            2 * cells + column * side + digit,
            3 * cells + box * side + digit,
        ],
        axis=1,
    )
    bit = np.stack([digit, column, row, place], axis=1)
    candidate = np.empty(4 * cells * side, np.uint16)
    candidate[constraint * side + bit] = np.arange(cells * side)[:, None]
    return Links(
        side,
        candidate,
        constraint.ravel().astype(np.uint16),
        bit.ravel().astype(np.uint8),
    )


@kernel
def strike(masks: Masks, base: Any, candidate: Any, queue: Queue, queued: int, links: Links) -> int:
    """Rule a candidate out, and queue every candidate thereby left alone.

    Returns the new length of the queue, or −1 if a constraint has no candidate left. All
    arithmetic is unsigned: signed indices cost a test for negative ones at every access.
    """
    first = np.uint64(candidate) * FOUR
    for i in range(4):
        link = first + np.uint64(i)
        constraint = np.uint64(links.constraint[link])
        before = masks[base + constraint]
        after = before & ~(ONE << np.uint64(links.bit[link]))
        masks[base + constraint] = after
        if after != before and after & (after - ONE) == NONE:
            if after == NONE:
                return -1
            only = constraint * np.uint64(links.side) + np.uint64(lowest(after))
            queue[queued] = links.candidate[only]
            queued += 1
    return queued


@kernel
def propagate(masks: Masks, base: Any, queue: Queue, queued: int, links: Links) -> bool:
    """Place the queued candidates and all singles that follow; False on a contradiction."""
    side = np.uint64(links.side)
    while queued > 0:
        queued -= 1
        first = np.uint64(queue[queued]) * FOUR
        for i in range(4):  # the digit uses up its cell, and its place in row, column and box
            constraint = np.uint64(links.constraint[first + np.uint64(i)])
            own = ONE << np.uint64(links.bit[first + np.uint64(i)])
            rivals = masks[base + constraint] & ~own
            masks[base + constraint] = own
            while rivals != NONE:
                rival = links.candidate[constraint * side + np.uint64(lowest(rivals))]
                rivals &= rivals - ONE
                queued = strike(masks, base, rival, queue, queued, links)
                if queued < 0:
                    return False
    return True


@kernel
def begin(board: Board, masks: Masks, queue: Queue, links: Links) -> bool:
    """Fill the first masks from a board's givens and their consequences; False if they clash."""
    side = links.side
    for constraint in range(4 * side * side):
        masks[constraint] = (ONE << np.uint64(side)) - ONE
    for cell in range(side * side):
        if board[cell] > 0:
            digit = np.uint64(board[cell]) - ONE
            if (masks[cell] >> digit) & ONE == NONE:
                return False
            queue[0] = np.uint64(cell * side) + digit
            if not propagate(masks, NONE, queue, 1, links):
                return False
    return True


@kernel
def read_board(masks: Masks, base: Any, board: Board) -> int:
    """Write every decided cell's digit into `board`, 0 elsewhere; returns how many are open."""
    undecided = 0
    for cell in range(len(board)):
        mask = masks[base + np.uint64(cell)]
        if mask != NONE and mask & (mask - ONE) == NONE:
            board[cell] = lowest(mask) + 1
        else:
            board[cell] = 0
            undecided += 1
    return undecided


def workspace(geometry: Geometry, depth: int = 1) -> tuple[Masks, Queue]:
    """Masks for `depth` boards one behind another, and a queue long enough for any of them."""
    masks = np.empty(depth * 4 * geometry.cells, np.uint64)
    return masks, np.empty(8 * geometry.cells, np.uint16)


def singles(puzzle: Puzzle) -> tuple[Board, bool]:
    """What singles alone decide: a board with 0 where they do not, and whether they clash."""
    masks, queue = workspace(puzzle.geometry)
    consistent = begin(puzzle.board.copy(), masks, queue, links(puzzle.geometry))
    board = np.zeros(puzzle.geometry.cells, np.uint8)
    if consistent:
        read_board(masks, NONE, board)
    return board, not consistent
