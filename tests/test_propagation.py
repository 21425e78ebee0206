"""What follows from what: tables that fit together, rules that agree with plain sets, and undo."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from strategies import (
    EVERY_GEOMETRY,
    SEVERAL,
    UP_TO_NINE,
    any_puzzles,
    doubtful_puzzles,
    examples,
    in_python,
    pattern_grid,
    several_geometries,
    solvable_puzzles,
    with_digits,
)

from genoku.exact.propagation import (
    CONSISTENT,
    LOCKED,
    MOST_STRIKES,
    PAIRS,
    PLACES,
    SINGLES,
    TRAIL,
    CandidateMasks,
    empty_masks,
    failure,
    links,
    load_board,
    load_candidates,
    propagate,
    read_board,
    singles,
    undo,
)
from genoku.puzzle.board import Puzzle
from genoku.puzzle.geometry import Geometry

Options = list[set[int]]
every_rule = pytest.mark.parametrize(
    "rules", [SINGLES, LOCKED, PAIRS], ids=["singles", "locked", "pairs"]
)


def by_sets(puzzle: Puzzle, rules: int) -> Options | None:
    """The same rules until nothing more follows, in plain sets; None at a contradiction."""
    options = [{d} if d else set(range(1, puzzle.side + 1)) for d in puzzle.digits]
    before: Options = []
    while options != before:
        before = [set(o) for o in options]
        follow_singles(options, puzzle)
        if rules >= LOCKED:
            follow_locked(options, puzzle)
        if rules >= PAIRS:
            follow_pairs(options, puzzle)
        if not all(options) or not all(
            set().union(*(options[cell] for cell in unit)) == set(range(1, puzzle.side + 1))
            for unit in puzzle.geometry.units.tolist()
        ):
            return None
    return options


def follow_singles(options: Options, puzzle: Puzzle) -> None:
    for cell, peers in enumerate(puzzle.geometry.peers):
        if len(options[cell]) == 1:
            for peer in peers:
                options[peer] -= options[cell]
    for unit in puzzle.geometry.units.tolist():
        for digit in range(1, puzzle.side + 1):
            places = [cell for cell in unit if digit in options[cell]]
            if len(places) == 1:
                options[places[0]] &= {digit}


def follow_locked(options: Options, puzzle: Puzzle) -> None:
    units = [set(unit) for unit in puzzle.geometry.units.tolist()]
    lines, boxes = units[: 2 * puzzle.side], units[2 * puzzle.side :]
    for one, other in [
        (a, b) for line in lines for box in boxes for a, b in ((line, box), (box, line))
    ]:
        for digit in range(1, puzzle.side + 1):
            places = {cell for cell in one if digit in options[cell]}
            if one & other and places and places <= other:
                for cell in other - one:
                    options[cell].discard(digit)


def follow_pairs(options: Options, puzzle: Puzzle) -> None:
    for unit in puzzle.geometry.units.tolist():
        for one, other in combinations(unit, 2):
            if len(options[one]) == 2 and options[one] == options[other]:
                for cell in set(unit) - {one, other}:
                    options[cell] -= options[one]
        for two in combinations(range(1, puzzle.side + 1), 2):
            one, other = ({cell for cell in unit if digit in options[cell]} for digit in two)
            if len(one) == 2 and one == other:
                for cell in one:
                    options[cell] &= set(two)


def options_on(masks: CandidateMasks, cells: int) -> Options:
    return [{d + 1 for d in range(64) if mask >> d & 1} for mask in masks.bits[:cells].tolist()]


def propagated_masks(puzzle: Puzzle, rules: int) -> tuple[CandidateMasks, int]:
    masks = empty_masks(puzzle.geometry)
    return masks, load_board(puzzle.board.copy(), masks, links(puzzle.geometry), rules)


@pytest.mark.parametrize(
    "geometry", [*SEVERAL, Geometry(5, 5), Geometry(2, 18), Geometry(6, 6)], ids=lambda g: g.box
)
def test_a_cell_has_its_own_seat_in_its_row_column_and_box(geometry: Geometry) -> None:
    table = links(geometry)
    side, cells = geometry.side, geometry.cells
    first, bit = np.divmod(table.slot.reshape(cells, 4).astype(np.int64), 64)
    for kind, line in enumerate((geometry.row_of, geometry.column_of, geometry.box_of), 1):
        assert first[:, kind].tolist() == [kind * cells + int(i) * side for i in line]
        assert table.cell[first[:, kind] - cells + bit[:, kind]].tolist() == list(range(cells))
    assert first[:, 0].tolist() == list(range(cells))
    assert bit.max() < side


@several_geometries
def test_meetings_are_where_lines_and_boxes_meet(geometry: Geometry) -> None:
    table, units = links(geometry), geometry.units.tolist()
    side = geometry.side
    for kind, (own, others) in enumerate([(2, 1), (0, 2), (1, 2), (2, 0)]):
        for unit in units[own * side : (own + 1) * side]:
            for bit, cell in enumerate(unit):
                (other,) = (u for u in units[others * side : (others + 1) * side] if cell in u)
                together = {b for b, c in enumerate(unit) if c in other}
                mask = int(table.overlap[kind * 64 + bit])
                assert together == {b for b in range(64) if mask >> b & 1}


@given(pair=solvable_puzzles([g for g in EVERY_GEOMETRY if g.side <= 20], least=0.2))
@examples(50)
def test_singles_never_contradict_a_solution(pair: tuple[Puzzle, Puzzle]) -> None:
    puzzle, grid = pair
    board, clash = singles(puzzle)
    assert not clash
    assert np.all((board == 0) | (board == grid.board))
    assert np.all(board[puzzle.board > 0] == puzzle.board[puzzle.board > 0])


@given(puzzle=doubtful_puzzles(UP_TO_NINE))
def test_singles_decide_all_that_plain_sets_decide(puzzle: Puzzle) -> None:
    expected = by_sets(puzzle, SINGLES)
    board, clash = singles(puzzle)
    assert bool(clash) == (expected is None)
    if expected is not None:
        assert board.tolist() == [o.copy().pop() if len(o) == 1 else 0 for o in expected]


@given(puzzle=any_puzzles(SEVERAL))
def test_clashing_givens_are_found(puzzle: Puzzle) -> None:
    board, clash = singles(puzzle)
    if puzzle.conflicts():
        assert clash
        assert not board.any()


@several_geometries
def test_one_clash_is_found_wherever_it_is(geometry: Geometry) -> None:
    empty = Puzzle(geometry, bytes(geometry.cells))
    for unit in geometry.units.tolist():
        assert singles(with_digits(empty, {unit[0]: 1, unit[-1]: 1}))[1]
        assert not singles(with_digits(empty, {unit[0]: 1, unit[-1]: 2}))[1]


@several_geometries
def test_a_full_board_stays_as_it_is(geometry: Geometry) -> None:
    grid = pattern_grid(geometry)
    board, clash = singles(grid)
    assert not clash
    assert board.tobytes() == grid.digits


@every_rule
@given(puzzle=doubtful_puzzles(UP_TO_NINE))
@examples(60)
def test_every_rule_leaves_what_plain_sets_leave(puzzle: Puzzle, rules: int) -> None:
    masks, failed = propagated_masks(puzzle, rules)
    expected = by_sets(puzzle, rules)
    assert (failed != CONSISTENT) == (expected is None)
    if expected is not None:
        assert options_on(masks, puzzle.geometry.cells) == expected


@every_rule
@given(pair=solvable_puzzles([g for g in EVERY_GEOMETRY if g.side <= 20], least=0.3))
@examples(30)
def test_no_rule_contradicts_a_solution(pair: tuple[Puzzle, Puzzle], rules: int) -> None:
    puzzle, grid = pair
    masks, failed = propagated_masks(puzzle, rules)
    assert failed == CONSISTENT
    for options, digit in zip(options_on(masks, puzzle.geometry.cells), grid.digits, strict=True):
        assert digit in options


@every_rule
@given(puzzle=doubtful_puzzles(UP_TO_NINE), cut=st.floats(0, 1))
def test_undo_brings_back_what_was_there(puzzle: Puzzle, rules: int, cut: float) -> None:
    """Whether what came in between held together or not."""
    geometry, table = puzzle.geometry, links(puzzle.geometry)
    part = puzzle.board.copy()
    part[int(cut * len(part)) :] = 0
    before, failed = propagated_masks(Puzzle(geometry, part.tobytes()), rules)
    if failed != CONSISTENT:
        return
    masks = empty_masks(geometry)
    load_board(part, masks, table, rules)
    length = int(masks.counts[TRAIL])
    for cell in np.flatnonzero(puzzle.board > part).tolist():
        if masks.bits[cell] >> np.uint64(puzzle.board[cell] - 1) & np.uint64(1):
            masks.queue[MOST_STRIKES * geometry.side] = cell << 6 | int(puzzle.board[cell]) - 1
            masks.counts[PLACES] = 1
            if propagate(masks, table, rules) != CONSISTENT:
                break
    undo(masks, table, length)
    assert masks.bits.tolist() == before.bits.tolist()
    assert masks.counts[TRAIL] == length


@every_rule
@given(puzzle=doubtful_puzzles(UP_TO_NINE))
@examples(30)
def test_options_alone_say_it_all(puzzle: Puzzle, rules: int) -> None:
    masks, failed = propagated_masks(puzzle, rules)
    if failed == CONSISTENT:
        again = empty_masks(puzzle.geometry)
        load_candidates(masks.bits[: puzzle.geometry.cells].copy(), again, links(puzzle.geometry))
        assert again.bits.tolist() == masks.bits.tolist()


def test_what_is_missing_is_said_in_words() -> None:
    puzzle = Puzzle.parse("12.....3...4....", box="2x2")
    assert singles(puzzle)[1].endswith("r1c4")
    empty = Puzzle.parse("1.............4.", box="2x2")
    assert failure(16 + 4 + 2, empty).endswith("row 2")
    assert failure(2 * 16 + 3, empty).endswith("column 1")
    assert failure(3 * 16, empty).endswith("box 1")
    assert failure(3, empty).endswith("r1c4")
    assert failure(14, empty).endswith("r4c3")


@every_rule
@given(puzzle=doubtful_puzzles(UP_TO_NINE[:3]))
@examples(10)
def test_the_kernel_agrees_with_its_python(puzzle: Puzzle, rules: int) -> None:
    geometry, table = puzzle.geometry, links(puzzle.geometry)
    compiled, plain = empty_masks(geometry), empty_masks(geometry)
    board = puzzle.board.copy()
    with np.errstate(over="ignore"):
        failed = load_board(board, compiled, table, rules)
        assert in_python(load_board)(board, plain, table, rules) == failed
    assert board.tobytes() == puzzle.digits
    if failed == CONSISTENT:
        assert compiled.bits.tolist() == plain.bits.tolist()
        assert read_board(compiled.bits, board) == np.count_nonzero(board == 0)
