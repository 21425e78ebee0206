"""Propagation: a board in progress as bit masks, and the one kernel that finds what follows.

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
and undone by setting those bits again. Whatever follows shows in those masks the moment it arises,
so that nothing is ever searched for:

    a mask without bits                             a contradiction
    one bit                                         a naked or hidden single
    all bits where a line and a box meet            locked candidates
    two bits, and another mask of the unit equal    a naked or hidden pair
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from genoku.board import Board, Puzzle
from genoku.geometry import Geometry
from genoku.jit import inlined, kernel, lowest, popcount

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


SINGLES, LOCKED, PAIRS = 0, 1, 2
"""Which rules are followed: each with those before it."""

CONSISTENT = -1
"""In place of a constraint that nothing is left for."""


@kernel
def propagate(desk: Desk, links: Links, rules: int) -> Any:
    """Strike and place what waits on the desk, and all that follows by the rules.

    Returns a constraint that has no candidate left, or `CONSISTENT`. The cheapest rule goes
    first. Arithmetic is unsigned: signed indices cost a test for negative ones at every access.
    """
    masks, trail, todo = desk.masks, desk.trail, desk.todo
    seats, cell_at, meeting = links.seat, links.cell, links.meeting
    side = np.uint64(links.side)
    cells = side * side
    first_place = np.uint64(MOST_STRIKES) * side
    first_locked = first_place + np.uint64(MOST_WAITING) * cells
    first_pair = first_locked + np.uint64(MOST_WAITING) * cells
    struck, strikes = np.uint64(desk.counts[TRAIL]), np.uint64(desk.counts[STRIKES])
    places = first_place + np.uint64(desk.counts[PLACES])
    locked, pairs = first_locked, first_pair
    failed = np.int64(CONSISTENT)
    while failed == CONSISTENT:
        if strikes > 0:
            strikes -= ONE
            candidate = np.uint64(todo[strikes])
            cell, digit = candidate >> SHIFT, candidate & DIGIT
            if (masks[cell] >> digit) & ONE == NONE:
                continue
            trail[struck] = candidate
            struck += ONE
            for i in range(4):
                kind = np.uint64(i)
                constraint, bit = cell, digit
                if i > 0:
                    seat = np.uint64(seats[cell * FOUR + kind])
                    constraint, bit = (seat >> SHIFT) + digit, seat & DIGIT
                after = masks[constraint] & ~(ONE << bit)
                masks[constraint] = after
                if after == NONE:
                    failed = np.int64(constraint)
                    continue
                more = after & (after - ONE)
                if more == NONE:
                    single = (cell << SHIFT) | np.uint64(lowest(after))
                    if i > 0:
                        single = at(after, constraint - digit, digit, cells, cell_at)
                    todo[places] = single
                    places += ONE
                elif rules >= LOCKED:
                    if i > 0 and meets(after, bit, kind, meeting):
                        other = at(after, constraint - digit, digit, cells, cell_at)
                        todo[locked] = (kind << KIND) | other
                        locked += ONE
                    if i == 3 and meets(after, bit, NONE, meeting):
                        todo[locked] = at(after, constraint - digit, digit, cells, cell_at)
                        locked += ONE
                    if rules >= PAIRS and more & (more - ONE) == NONE:
                        todo[pairs] = (kind << KIND) | candidate
                        pairs += ONE
        elif places > first_place:
            places -= ONE
            strikes = place(todo[places], masks, todo, cells, seats, cell_at)
        elif locked > first_locked:
            locked -= ONE
            strikes = confine(todo[locked], masks, todo, cells, seats, cell_at, meeting)
        elif pairs > first_pair:
            pairs -= ONE
            kind, candidate = np.uint64(todo[pairs]) >> KIND, np.uint64(todo[pairs])
            cell, digit = (candidate >> SHIFT) & CELL, candidate & DIGIT
            if kind == 0:
                strikes = pair_cells(cell, masks, todo, cells, side, seats, cell_at)
            else:
                first = np.uint64(seats[cell * FOUR + kind]) >> SHIFT
                strikes = pair_digits(first, digit, masks, todo, cells, side, cell_at)
        else:
            break
    desk.counts[TRAIL], desk.counts[STRIKES], desk.counts[PLACES] = struck, 0, 0
    return failed


@inlined
def at(mask: Any, first: Any, digit: Any, cells: Any, cell_at: Any) -> Any:
    """The candidate of a digit in the first place that its mask in a unit has."""
    cell = np.uint64(cell_at[first - cells + np.uint64(lowest(mask))])
    return (cell << SHIFT) | digit


@inlined
def meets(mask: Any, lost: Any, kind: Any, meeting: Masks) -> Any:
    """Whether a mask, with that bit just lost, now lies where a line and a box meet."""
    row = kind << SHIFT
    return mask & meeting[row + lost] == NONE and (
        mask & ~meeting[row + np.uint64(lowest(mask))] == NONE
    )


@inlined
def queue_digit(
    rivals: Any, first: Any, digit: Any, todo: Any, strikes: Any, cells: Any, cell_at: Any
) -> Any:
    """Let a digit wait to be struck in some places of a unit; returns how many wait by then."""
    while rivals != NONE:
        todo[strikes] = at(rivals, first, digit, cells, cell_at)
        strikes += ONE
        rivals &= rivals - ONE
    return strikes


@inlined
def queue_cell(rivals: Any, cell: Any, todo: Any, strikes: Any) -> Any:
    """Let some digits wait to be struck in a cell."""
    while rivals != NONE:
        todo[strikes] = (cell << SHIFT) | np.uint64(lowest(rivals))
        strikes += ONE
        rivals &= rivals - ONE
    return strikes


@inlined
def place(candidate: Any, masks: Any, todo: Any, cells: Any, seats: Any, cell_at: Any) -> Any:
    """The digit stands in the cell: its rivals are to be struck. Returns how many."""
    cell, digit = np.uint64(candidate) >> SHIFT, np.uint64(candidate) & DIGIT
    strikes = queue_cell(masks[cell] & ~(ONE << digit), cell, todo, NONE)
    for i in range(1, 4):
        seat = np.uint64(seats[cell * FOUR + np.uint64(i)])
        first = seat >> SHIFT
        rivals = masks[first + digit] & ~(ONE << (seat & DIGIT))
        strikes = queue_digit(rivals, first, digit, todo, strikes, cells, cell_at)
    return strikes


@inlined
def confine(
    locked: Any, masks: Any, todo: Any, cells: Any, seats: Any, cell_at: Any, meeting: Any
) -> Any:
    """A digit of one unit must stand where it meets another: to be struck elsewhere in that one.

    `locked` is a candidate of the meeting, with the kind of the unit above it; 0 stands for a box
    that a column meets.
    """
    kind = np.uint64(locked) >> KIND
    digit = np.uint64(locked) & DIGIT
    cell = ((np.uint64(locked) >> SHIFT) & CELL) * FOUR
    other = ONE if kind == 3 else np.uint64(2) if kind == 0 else np.uint64(3)
    met = NONE if kind == 2 else other  # of a box, the column
    seat = np.uint64(seats[cell + other])
    first = seat >> SHIFT
    rivals = masks[first + digit] & ~meeting[(met << SHIFT) + (seat & DIGIT)]
    return queue_digit(rivals, first, digit, todo, NONE, cells, cell_at)


@inlined
def pair_cells(
    cell: Any, masks: Any, todo: Any, cells: Any, side: Any, seats: Any, cell_at: Any
) -> Any:
    """Another cell of a unit has the same two digits: both are to be struck in all others."""
    both = masks[cell]
    strikes = NONE
    for i in range(1, 4 if popcount(both) == 2 else 1):
        seat = np.uint64(seats[cell * FOUR + np.uint64(i)])
        first, own = seat >> SHIFT, seat & DIGIT
        for other in range(side):
            if other != own and masks[cell_at[first - cells + other]] == both:
                pair = (ONE << own) | (ONE << other)
                one, two = np.uint64(lowest(both)), np.uint64(lowest(both & (both - ONE)))
                rivals = masks[first + one] & ~pair
                strikes = queue_digit(rivals, first, one, todo, strikes, cells, cell_at)
                rivals = masks[first + two] & ~pair
                strikes = queue_digit(rivals, first, two, todo, strikes, cells, cell_at)
                break
    return strikes


@inlined
def pair_digits(
    first: Any, digit: Any, masks: Any, todo: Any, cells: Any, side: Any, cell_at: Any
) -> Any:
    """Another digit of a unit has the same two places: all others are to be struck there."""
    both = masks[first + digit]
    strikes = NONE
    for other in range(side if popcount(both) == 2 else NONE):
        if other != digit and masks[first + other] == both:
            pair = (ONE << digit) | (ONE << other)
            one = np.uint64(cell_at[first - cells + np.uint64(lowest(both))])
            two = np.uint64(cell_at[first - cells + np.uint64(lowest(both & (both - ONE)))])
            strikes = queue_cell(masks[one] & ~pair, one, todo, strikes)
            strikes = queue_cell(masks[two] & ~pair, two, todo, strikes)
            break
    return strikes


@inlined
def put(desk: Desk, links: Links, rules: int, candidate: Any) -> Any:
    """Place a candidate, with all that follows; a constraint that fails, or `CONSISTENT`."""
    desk.todo[MOST_STRIKES * links.side] = candidate
    desk.counts[PLACES] = 1
    return propagate(desk, links, rules)


@inlined
def strike(desk: Desk, links: Links, rules: int, candidate: Any) -> Any:
    """Rule a candidate out, with all that follows."""
    desk.todo[0] = candidate
    desk.counts[STRIKES] = 1
    return propagate(desk, links, rules)


@kernel
def begin(board: Board, desk: Desk, links: Links, rules: int) -> Any:
    """Lay a board on the desk, with all that follows; a constraint that fails, or `CONSISTENT`.

    A given that what follows from others has ruled out leaves its cell without a digit.
    """
    side = np.uint64(links.side)
    masks, todo = desk.masks, desk.todo
    for constraint in range(len(masks)):
        masks[constraint] = (ONE << side) - ONE
    places = first_place = np.uint64(MOST_STRIKES) * side
    for cell in range(len(board)):
        if board[cell] > 0:
            todo[places] = (np.uint64(cell) << SHIFT) | (np.uint64(board[cell]) - ONE)
            places += ONE
    desk.counts[TRAIL], desk.counts[STRIKES] = 0, 0
    desk.counts[PLACES] = places - first_place
    return propagate(desk, links, rules)


def singles(puzzle: Puzzle) -> tuple[Board, str]:
    """What singles alone decide: a board with 0 where they do not, and why they fail, if they do.

    >>> singles(Puzzle.parse("12.....3...4...."))[1]
    'singles leave no digit for r1c4'
    """
    desk = new_desk(puzzle.geometry)
    failed = begin(puzzle.board.copy(), desk, links(puzzle.geometry), SINGLES)
    board = np.zeros(puzzle.geometry.cells, np.uint8)
    if failed == CONSISTENT:
        read_board(desk.masks, board)
    return board, "" if failed == CONSISTENT else failure(failed, puzzle)


def failure(constraint: int, puzzle: Puzzle) -> str:
    """Why singles fail, in words: as the givens alone show it, or else where they failed."""
    geometry = puzzle.geometry
    for cell, digits in enumerate(puzzle.candidates()):
        if not (digits or puzzle.digits[cell]):
            return f"singles leave no digit for {geometry.cell_name(cell)}"
    kind, rest = divmod(constraint, geometry.cells)
    if kind == 0:
        given = puzzle.digits[rest]
        told = f"contradict the {given} given at" if given else "leave no digit for"
        return f"singles {told} {geometry.cell_name(rest)}"
    unit, digit = divmod(rest, geometry.side)
    unit += (kind - 1) * geometry.side
    is_given = digit + 1 in puzzle.board[geometry.units[unit]]
    told = f"contradict the {digit + 1} given" if is_given else f"leave no place for {digit + 1}"
    return f"singles {told} in {geometry.unit_name(unit)}"
