"""Constraint propagation on the bit masks of a board's candidates.

A Sudoku is an exact cover problem. A *candidate* is a digit in a cell, encoded as
`cell · 64 + digit` with digits from 0. It belongs to four *constraints*, each of which requires
exactly one of its `side` candidates: its cell, its digit in its row, its digit in its column, its
digit in its box. A board in progress is one bit mask per constraint, of the candidates left:

    kind  constraint                                meaning                   bits
    0     cell                                      the cell                  digits
    1     cells + row · side + digit                the digit in the row      columns
    2     2 · cells + column · side + digit         the digit in the column   rows
    3     3 · cells + box · side + digit            the digit in the box      places in the box

To *strike* a candidate is to clear its bit in four masks. All struck candidates are recorded on a
*trail*, and restored by setting those bits again. The masks that change show at once what follows,
so nothing has to be searched for:

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

from genoku.puzzle.board import Board, Puzzle
from genoku.puzzle.geometry import Geometry
from genoku.runtime.jit import inline, kernel, lowest_bit, popcount

Masks = NDArray[np.uint64]
Candidates = NDArray[np.uint32]

ONE = np.uint64(1)
NONE = np.uint64(0)
FOUR = np.uint64(4)
SHIFT = np.uint64(6)  # of the cell in a candidate
DIGIT = np.uint64(63)  # mask of the digit in a candidate
KIND = np.uint64(20)  # shift of a kind above a candidate
CELL = np.uint64(2**14 - 1)  # mask of the cell below a kind

TRAIL, STRIKES, PLACES = 0, 1, 2
"""Indices of `CandidateMasks.counts`: the trail's length, candidates to strike and to place."""


class Links(NamedTuple):
    """The constraints of every candidate of a geometry; small enough for the first-level cache."""

    side: int
    slot: NDArray[np.uint32]  # [cell · 4 + kind] the constraint of digit 0 in its unit · 64 + bit
    cell: NDArray[np.uint16]  # [constraint of digit 0 − cells + bit] → cell
    overlap: Masks  # [kind · 64 + bit] the bits in the same box, or line, as this one


class CandidateMasks(NamedTuple):
    """The candidates left on a board, and the buffers of propagation."""

    bits: Masks  # [4 · cells]
    trail: Candidates  # all struck candidates, in order
    queue: Candidates  # to strike, to place, locked and paired candidates, in four parts
    counts: NDArray[np.int64]  # by TRAIL, STRIKES and PLACES


@cache
def links(geometry: Geometry) -> Links:
    """Return the links of a geometry."""
    side, cells, width = geometry.side, geometry.cells, geometry.box_cols
    row, column, box = (
        of.astype(np.int64) for of in (geometry.row_of, geometry.column_of, geometry.box_of)
    )
    place = row % geometry.box_rows * width + column % width
    firsts = np.arange(cells), cells + row * side, 2 * cells + column * side, 3 * cells + box * side
    bits = np.zeros(cells, np.int64), column, row, place
    slot = [first << 6 | bit for first, bit in zip(firsts, bits, strict=True)]
    # A row meets boxes, a column meets boxes, a box meets rows, and (as kind 0) columns.
    every = np.arange(side)
    parts = every % width, every // width, every // geometry.box_rows, every // width
    overlap = np.zeros((4, 64), np.uint64)
    for kind, part in enumerate(parts):
        together = np.where(part[:, None] == part, ONE << every.astype(np.uint64), NONE)
        overlap[kind, :side] = together.sum(axis=1)
    return Links(
        side,
        np.stack(slot, axis=1).ravel().astype(np.uint32),
        geometry.units.ravel().astype(np.uint16),
        overlap.ravel(),
    )


def empty_masks(geometry: Geometry) -> CandidateMasks:
    """Allocate uninitialised masks; `load_board` or `load_candidates` fills them."""
    side, cells = geometry.side, geometry.cells
    return CandidateMasks(
        np.empty(4 * cells, np.uint64),
        np.empty(cells * side, np.uint32),
        np.empty(MOST_STRIKES * side + 3 * MOST_WAITING * cells, np.uint32),
        np.zeros(3, np.int64),
    )


MOST_STRIKES = 16  # times the side: the queue is emptied before anything else is added
MOST_WAITING = 8  # times the cells: a mask becomes single, locked or paired only once each


@kernel
def load_candidates(options: Masks, masks: CandidateMasks, links: Links) -> None:
    """Load the digit mask of every cell, without propagation."""
    side = links.side
    bits, slots = masks.bits, links.slot
    for constraint in range(4 * side * side):
        bits[constraint] = NONE
    for cell in range(side * side):
        possible = options[cell] & ((ONE << np.uint64(side)) - ONE)
        bits[cell] = possible
        while possible != NONE:
            digit = np.uint64(lowest_bit(possible))
            possible &= possible - ONE
            for i in range(1, 4):
                slot = np.uint64(slots[np.uint64(cell) * FOUR + np.uint64(i)])
                bits[(slot >> SHIFT) + digit] |= ONE << (slot & DIGIT)
    for i in range(3):
        masks.counts[i] = 0


@kernel
def undo(masks: CandidateMasks, links: Links, length: Any) -> None:
    """Restore the candidates struck since the trail had this length."""
    bits, trail, slots = masks.bits, masks.trail, links.slot
    struck = np.uint64(masks.counts[TRAIL])
    while struck > np.uint64(length):
        struck -= ONE
        candidate = np.uint64(trail[struck])
        cell, digit = candidate >> SHIFT, candidate & DIGIT
        bits[cell] |= ONE << digit
        for i in range(1, 4):
            slot = np.uint64(slots[cell * FOUR + np.uint64(i)])
            bits[(slot >> SHIFT) + digit] |= ONE << (slot & DIGIT)
    masks.counts[TRAIL] = length


@kernel
def read_board(bits: Masks, board: Board) -> int:
    """Write the digits of decided cells to `board`, 0 elsewhere; return how many are undecided."""
    undecided = 0
    for cell in range(len(board)):
        mask = bits[cell]
        if mask != NONE and mask & (mask - ONE) == NONE:
            board[cell] = lowest_bit(mask) + 1
        else:
            board[cell] = 0
            undecided += 1
    return undecided


@inline
def candidate_of(constraint: Any, bit: Any, links: Links) -> Any:
    """Return the candidate of a bit of a constraint's mask."""
    side = np.uint64(links.side)
    if constraint < side * side:
        return (np.uint64(constraint) << SHIFT) | np.uint64(bit)
    digit = np.uint64(constraint) % side
    cell = links.cell[np.uint64(constraint) - digit - side * side + np.uint64(bit)]
    return (np.uint64(cell) << SHIFT) | digit


SINGLES, LOCKED, PAIRS = 0, 1, 2  # the rules to apply; each includes those before it

CONSISTENT = -1  # returned instead of a constraint without candidates if there is none


@kernel
def propagate(masks: CandidateMasks, links: Links, rules: int) -> Any:
    """Strike and place the queued candidates and all that follows by the rules.

    Returns a constraint without candidates, or `CONSISTENT`. The cheapest rule comes first.
    Arithmetic is unsigned: signed indices would be tested for negative values at every access.
    """
    bits, trail, queue = masks.bits, masks.trail, masks.queue
    slots, cell_at, overlap = links.slot, links.cell, links.overlap
    side = np.uint64(links.side)
    cells = side * side
    first_place = np.uint64(MOST_STRIKES) * side
    first_locked = first_place + np.uint64(MOST_WAITING) * cells
    first_pair = first_locked + np.uint64(MOST_WAITING) * cells
    struck, strikes = np.uint64(masks.counts[TRAIL]), np.uint64(masks.counts[STRIKES])
    places = first_place + np.uint64(masks.counts[PLACES])
    locked, pairs = first_locked, first_pair
    failed = np.int64(CONSISTENT)
    while failed == CONSISTENT:
        if strikes > 0:
            strikes -= ONE
            candidate = np.uint64(queue[strikes])
            cell, digit = candidate >> SHIFT, candidate & DIGIT
            if (bits[cell] >> digit) & ONE == NONE:
                continue
            trail[struck] = candidate
            struck += ONE
            for i in range(4):
                kind = np.uint64(i)
                constraint, bit = cell, digit
                if i > 0:
                    slot = np.uint64(slots[cell * FOUR + kind])
                    constraint, bit = (slot >> SHIFT) + digit, slot & DIGIT
                after = bits[constraint] & ~(ONE << bit)
                bits[constraint] = after
                if after == NONE:
                    failed = np.int64(constraint)
                    continue
                more = after & (after - ONE)
                if more == NONE:
                    single = (cell << SHIFT) | np.uint64(lowest_bit(after))
                    if i > 0:
                        single = candidate_at(after, constraint - digit, digit, cells, cell_at)
                    queue[places] = single
                    places += ONE
                elif rules >= LOCKED:
                    if i > 0 and is_locked(after, bit, kind, overlap):
                        other = candidate_at(after, constraint - digit, digit, cells, cell_at)
                        queue[locked] = (kind << KIND) | other
                        locked += ONE
                    if i == 3 and is_locked(after, bit, NONE, overlap):
                        queue[locked] = candidate_at(
                            after, constraint - digit, digit, cells, cell_at
                        )
                        locked += ONE
                    if rules >= PAIRS and more & (more - ONE) == NONE:
                        queue[pairs] = (kind << KIND) | candidate
                        pairs += ONE
        elif places > first_place:
            places -= ONE
            strikes = place(queue[places], bits, queue, cells, slots, cell_at)
        elif locked > first_locked:
            locked -= ONE
            strikes = confine(queue[locked], bits, queue, cells, slots, cell_at, overlap)
        elif pairs > first_pair:
            pairs -= ONE
            kind, candidate = np.uint64(queue[pairs]) >> KIND, np.uint64(queue[pairs])
            cell, digit = (candidate >> SHIFT) & CELL, candidate & DIGIT
            if kind == 0:
                strikes = pair_cells(cell, bits, queue, cells, side, slots, cell_at)
            else:
                first = np.uint64(slots[cell * FOUR + kind]) >> SHIFT
                strikes = pair_digits(first, digit, bits, queue, cells, side, cell_at)
        else:
            break
    masks.counts[TRAIL], masks.counts[STRIKES], masks.counts[PLACES] = struck, 0, 0
    return failed


@inline
def candidate_at(mask: Any, first: Any, digit: Any, cells: Any, cell_at: Any) -> Any:
    """Return the candidate of a digit in the first place of its mask in a unit."""
    cell = np.uint64(cell_at[first - cells + np.uint64(lowest_bit(mask))])
    return (cell << SHIFT) | digit


@inline
def is_locked(mask: Any, lost: Any, kind: Any, overlap: Masks) -> Any:
    """Return whether a mask that just lost a bit now lies in the overlap of a line and a box."""
    row = kind << SHIFT
    return mask & overlap[row + lost] == NONE and (
        mask & ~overlap[row + np.uint64(lowest_bit(mask))] == NONE
    )


@inline
def queue_digit(
    rivals: Any, first: Any, digit: Any, queue: Any, strikes: Any, cells: Any, cell_at: Any
) -> Any:
    """Queue a digit to be struck in some places of a unit; return the new number of strikes."""
    while rivals != NONE:
        queue[strikes] = candidate_at(rivals, first, digit, cells, cell_at)
        strikes += ONE
        rivals &= rivals - ONE
    return strikes


@inline
def queue_cell(rivals: Any, cell: Any, queue: Any, strikes: Any) -> Any:
    """Queue some digits to be struck in a cell; return the new number of strikes."""
    while rivals != NONE:
        queue[strikes] = (cell << SHIFT) | np.uint64(lowest_bit(rivals))
        strikes += ONE
        rivals &= rivals - ONE
    return strikes


@inline
def place(candidate: Any, bits: Any, queue: Any, cells: Any, slots: Any, cell_at: Any) -> Any:
    """Queue the rivals of a placed digit to be struck; return their number."""
    cell, digit = np.uint64(candidate) >> SHIFT, np.uint64(candidate) & DIGIT
    strikes = queue_cell(bits[cell] & ~(ONE << digit), cell, queue, NONE)
    for i in range(1, 4):
        slot = np.uint64(slots[cell * FOUR + np.uint64(i)])
        first = slot >> SHIFT
        rivals = bits[first + digit] & ~(ONE << (slot & DIGIT))
        strikes = queue_digit(rivals, first, digit, queue, strikes, cells, cell_at)
    return strikes


@inline
def confine(
    locked: Any, bits: Any, queue: Any, cells: Any, slots: Any, cell_at: Any, overlap: Any
) -> Any:
    """Queue a digit locked in the overlap of two units to be struck in the rest of the other.

    `locked` is a candidate of the overlap, with the kind of its unit above it; kind 0 is a box
    that overlaps a column.
    """
    kind = np.uint64(locked) >> KIND
    digit = np.uint64(locked) & DIGIT
    cell = ((np.uint64(locked) >> SHIFT) & CELL) * FOUR
    other = ONE if kind == 3 else np.uint64(2) if kind == 0 else np.uint64(3)
    met = NONE if kind == 2 else other  # of a box, the column
    slot = np.uint64(slots[cell + other])
    first = slot >> SHIFT
    rivals = bits[first + digit] & ~overlap[(met << SHIFT) + (slot & DIGIT)]
    return queue_digit(rivals, first, digit, queue, NONE, cells, cell_at)


@inline
def pair_cells(
    cell: Any, bits: Any, queue: Any, cells: Any, side: Any, slots: Any, cell_at: Any
) -> Any:
    """Queue the digits of a naked pair to be struck in all other cells of the unit."""
    both = bits[cell]
    strikes = NONE
    for i in range(1, 4 if popcount(both) == 2 else 1):
        slot = np.uint64(slots[cell * FOUR + np.uint64(i)])
        first, own = slot >> SHIFT, slot & DIGIT
        for other in range(side):
            if other != own and bits[cell_at[first - cells + other]] == both:
                pair = (ONE << own) | (ONE << other)
                one, two = np.uint64(lowest_bit(both)), np.uint64(lowest_bit(both & (both - ONE)))
                rivals = bits[first + one] & ~pair
                strikes = queue_digit(rivals, first, one, queue, strikes, cells, cell_at)
                rivals = bits[first + two] & ~pair
                strikes = queue_digit(rivals, first, two, queue, strikes, cells, cell_at)
                break
    return strikes


@inline
def pair_digits(
    first: Any, digit: Any, bits: Any, queue: Any, cells: Any, side: Any, cell_at: Any
) -> Any:
    """Queue all other digits to be struck in the two cells of a hidden pair."""
    both = bits[first + digit]
    strikes = NONE
    for other in range(side if popcount(both) == 2 else NONE):
        if other != digit and bits[first + other] == both:
            pair = (ONE << digit) | (ONE << other)
            one = np.uint64(cell_at[first - cells + np.uint64(lowest_bit(both))])
            two = np.uint64(cell_at[first - cells + np.uint64(lowest_bit(both & (both - ONE)))])
            strikes = queue_cell(bits[one] & ~pair, one, queue, strikes)
            strikes = queue_cell(bits[two] & ~pair, two, queue, strikes)
            break
    return strikes


@inline
def assign(masks: CandidateMasks, links: Links, rules: int, candidate: Any) -> Any:
    """Place a candidate and propagate; return a constraint that fails, or `CONSISTENT`."""
    masks.queue[MOST_STRIKES * links.side] = candidate
    masks.counts[PLACES] = 1
    return propagate(masks, links, rules)


@inline
def strike(masks: CandidateMasks, links: Links, rules: int, candidate: Any) -> Any:
    """Strike a candidate and propagate; return a constraint that fails, or `CONSISTENT`."""
    masks.queue[0] = candidate
    masks.counts[STRIKES] = 1
    return propagate(masks, links, rules)


@kernel
def load_board(board: Board, masks: CandidateMasks, links: Links, rules: int) -> Any:
    """Load a board and propagate; return a constraint that fails, or `CONSISTENT`.

    A given that contradicts the others leaves its cell without candidates.
    """
    side = np.uint64(links.side)
    bits, queue = masks.bits, masks.queue
    for constraint in range(len(bits)):
        bits[constraint] = (ONE << side) - ONE
    places = first_place = np.uint64(MOST_STRIKES) * side
    for cell in range(len(board)):
        if board[cell] > 0:
            queue[places] = (np.uint64(cell) << SHIFT) | (np.uint64(board[cell]) - ONE)
            places += ONE
    masks.counts[TRAIL], masks.counts[STRIKES] = 0, 0
    masks.counts[PLACES] = places - first_place
    return propagate(masks, links, rules)


def singles(puzzle: Puzzle) -> tuple[Board, str]:
    """Return the board that singles alone decide, 0 elsewhere, and why they fail if they do.

    >>> singles(Puzzle.parse("12.....3...4...."))[1]
    'singles leave no digit for r1c4'
    """
    masks = empty_masks(puzzle.geometry)
    failed = load_board(puzzle.board.copy(), masks, links(puzzle.geometry), SINGLES)
    board = np.zeros(puzzle.geometry.cells, np.uint8)
    if failed == CONSISTENT:
        read_board(masks.bits, board)
    return board, "" if failed == CONSISTENT else failure(failed, puzzle)


def failure(constraint: int, puzzle: Puzzle) -> str:
    """Explain why singles fail: by the givens alone if they show it, else by the constraint."""
    geometry = puzzle.geometry
    for cell, digits in enumerate(puzzle.candidates()):
        if not (digits or puzzle.digits[cell]):
            return f"singles leave no digit for {geometry.cell_name(cell)}"
    kind, rest = divmod(constraint, geometry.cells)
    if kind == 0:
        given = puzzle.digits[rest]
        effect = f"contradict the {given} given at" if given else "leave no digit for"
        return f"singles {effect} {geometry.cell_name(rest)}"
    unit, digit = divmod(rest, geometry.side)
    unit += (kind - 1) * geometry.side
    is_given = digit + 1 in puzzle.board[geometry.units[unit]]
    effect = f"contradict the {digit + 1} given" if is_given else f"leave no place for {digit + 1}"
    return f"singles {effect} in {geometry.unit_name(unit)}"
