"""The working place of propagation: a board in progress as bit masks, and what was struck.

A Sudoku is an exact cover. A *candidate* is a digit in a cell, written `cell · 64 + digit` with
digits from 0. It meets four *constraints*, each of which wants exactly one of its `side`
candidates: its cell, its digit in its row, its digit in its column, its digit in its box. A board
in progress is one bit mask per constraint, of the candidates still possible:

    kind  constraint                                what                      bits
    0     cell                                      the cell                  digits
    1     cells + row · side + digit                the digit in the row      columns
    2     2 · cells + column · side + digit         the digit in the column   rows
    3     3 · cells + box · side + digit            the digit in the box      places in the box

To *strike* a candidate is to clear its bit in four masks. Everything struck is noted on a *trail*,
and undone by setting those bits again.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from genoku.board import Board
from genoku.geometry import Geometry
from genoku.jit import inlined, kernel, lowest

Masks = NDArray[np.uint64]
Candidates = NDArray[np.uint32]

ONE = np.uint64(1)
NONE = np.uint64(0)
FOUR = np.uint64(4)
SHIFT = np.uint64(6)  # of a cell in a candidate
DIGIT = np.uint64(63)  # its other bits
KIND = np.uint64(20)  # shift of a kind, where it stands above a candidate
CELL = np.uint64(2**14 - 1)  # the bits of a cell, where a kind stands above it

TRAIL, STRIKES, PLACES = 0, 1, 2
"""What a desk counts: the trail's length, and what waits to be struck and to be placed."""


class Links(NamedTuple):
    """How candidates and constraints meet, for one geometry. Small enough for the first cache."""

    side: int
    seat: NDArray[np.uint32]  # [cell · 4 + kind] the constraint of digit 0 in its unit · 64 + bit
    cell: NDArray[np.uint16]  # [constraint of digit 0 − cells + bit] → cell
    meeting: Masks  # [kind · 64 + bit] the bits that lie in the same box, or line, as this one


class Desk(NamedTuple):
    """A board in progress, and all that propagation needs to work on it."""

    masks: Masks  # [4 · cells]
    trail: Candidates  # every candidate struck, in order
    todo: Candidates  # to be struck, to be placed, locked and paired, one part after the other
    counts: NDArray[np.int64]  # by TRAIL, STRIKES and PLACES


@cache
def links(geometry: Geometry) -> Links:
    side, cells, width = geometry.side, geometry.cells, geometry.box_cols
    row, column, box = (
        of.astype(np.int64) for of in (geometry.row_of, geometry.column_of, geometry.box_of)
    )
    place = row % geometry.box_rows * width + column % width
    firsts = np.arange(cells), cells + row * side, 2 * cells + column * side, 3 * cells + box * side
    bits = np.zeros(cells, np.int64), column, row, place
    seat = [first << 6 | bit for first, bit in zip(firsts, bits, strict=True)]
    # A row meets boxes, a column meets boxes, a box meets rows, and (as kind 0) columns.
    every = np.arange(side)
    parts = every % width, every // width, every // geometry.box_rows, every // width
    meeting = np.zeros((4, 64), np.uint64)
    for kind, part in enumerate(parts):
        together = np.where(part[:, None] == part, ONE << every.astype(np.uint64), NONE)
        meeting[kind, :side] = together.sum(axis=1)
    return Links(
        side,
        np.stack(seat, axis=1).ravel().astype(np.uint32),
        geometry.units.ravel().astype(np.uint16),
        meeting.ravel(),
    )


def new_desk(geometry: Geometry) -> Desk:
    """An untidy desk: `begin` lays a board on it."""
    side, cells = geometry.side, geometry.cells
    return Desk(
        np.empty(4 * cells, np.uint64),
        np.empty(cells * side, np.uint32),
        np.empty(MOST_STRIKES * side + 3 * MOST_WAITING * cells, np.uint32),
        np.zeros(3, np.int64),
    )


MOST_STRIKES = 16  # times the side: they are struck before anything else adds to them
MOST_WAITING = 8  # times the cells: a mask comes to one bit, to a meeting, to two bits once each


@kernel
def lay(options: Masks, desk: Desk, links: Links) -> None:
    """Lay a board on the desk of which only the digits possible in every cell are known."""
    side = links.side
    masks, seats = desk.masks, links.seat
    for constraint in range(4 * side * side):
        masks[constraint] = NONE
    for cell in range(side * side):
        possible = options[cell] & ((ONE << np.uint64(side)) - ONE)
        masks[cell] = possible
        while possible != NONE:
            digit = np.uint64(lowest(possible))
            possible &= possible - ONE
            for i in range(1, 4):
                seat = np.uint64(seats[np.uint64(cell) * FOUR + np.uint64(i)])
                masks[(seat >> SHIFT) + digit] |= ONE << (seat & DIGIT)
    for i in range(3):
        desk.counts[i] = 0


@kernel
def undo(desk: Desk, links: Links, length: Any) -> None:
    """Take back all that was struck since the trail was that long."""
    masks, trail, seats = desk.masks, desk.trail, links.seat
    struck = np.uint64(desk.counts[TRAIL])
    while struck > np.uint64(length):
        struck -= ONE
        candidate = np.uint64(trail[struck])
        cell, digit = candidate >> SHIFT, candidate & DIGIT
        masks[cell] |= ONE << digit
        for i in range(1, 4):
            seat = np.uint64(seats[cell * FOUR + np.uint64(i)])
            masks[(seat >> SHIFT) + digit] |= ONE << (seat & DIGIT)
    desk.counts[TRAIL] = length


@kernel
def read_board(masks: Masks, board: Board) -> int:
    """Write every decided cell's digit into `board`, 0 elsewhere; returns how many are open."""
    undecided = 0
    for cell in range(len(board)):
        mask = masks[cell]
        if mask != NONE and mask & (mask - ONE) == NONE:
            board[cell] = lowest(mask) + 1
        else:
            board[cell] = 0
            undecided += 1
    return undecided


@inlined
def candidate_of(constraint: Any, bit: Any, links: Links) -> Any:
    """The candidate that a bit of a constraint's mask stands for."""
    side = np.uint64(links.side)
    if constraint < side * side:
        return (np.uint64(constraint) << SHIFT) | np.uint64(bit)
    digit = np.uint64(constraint) % side
    cell = links.cell[np.uint64(constraint) - digit - side * side + np.uint64(bit)]
    return (np.uint64(cell) << SHIFT) | digit
