"""Puzzles: frozen values that repr rebuilds, that find their clashes and judge boards."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from strategies import (
    EVERY_GEOMETRY,
    NINE,
    SEVERAL,
    any_puzzles,
    every_geometry,
    grids,
    pattern_grid,
    solvable_puzzles,
    with_digits,
)

from genoku.errors import GenokuError, PuzzleError
from genoku.puzzle.board import Conflict, Puzzle
from genoku.puzzle.geometry import Geometry

REPORT_000_EASY = (
    "264073051975216483381540602529637148413085726697124835708302164132468590846750239"
)


@given(puzzle=any_puzzles(EVERY_GEOMETRY))
def test_a_puzzle_is_a_value_that_repr_rebuilds(puzzle: Puzzle) -> None:
    again = eval(repr(puzzle), {"Puzzle": Puzzle})
    assert again == puzzle
    assert hash(again) == hash(puzzle)
    assert len({again, puzzle}) == 1


@every_geometry
def test_repr_rebuilds_a_full_and_an_empty_board_of_every_geometry(geometry: Geometry) -> None:
    for puzzle in (pattern_grid(geometry), Puzzle(geometry, bytes(geometry.cells))):
        assert eval(repr(puzzle), {"Puzzle": Puzzle}) == puzzle


def test_repr_names_the_box_only_where_the_side_does_not() -> None:
    assert repr(Puzzle(Geometry(2, 2), bytes(16))) == f"Puzzle.parse('{'.' * 16}')"
    assert repr(Puzzle(Geometry(3, 2), bytes(36))) == f"Puzzle.parse('{'.' * 36}', box='3x2')"


@given(puzzle=any_puzzles(SEVERAL))
def test_a_puzzle_survives_pickling_and_copying(puzzle: Puzzle) -> None:
    assert puzzle.board.sum() == sum(puzzle.digits)  # the cached array travels too
    assert pickle.loads(pickle.dumps(puzzle)) == puzzle
    assert copy.deepcopy(puzzle) == puzzle


def test_a_puzzle_cannot_be_changed() -> None:
    puzzle = pattern_grid(NINE)
    with pytest.raises(FrozenInstanceError):
        puzzle.digits = bytes(81)  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(ValueError, match="read-only"):
        puzzle.board[0] = 9


def test_puzzles_of_one_text_and_two_box_shapes_differ() -> None:
    assert Puzzle.parse("." * 36, box="2x3") != Puzzle.parse("." * 36, box="3x2")


@given(puzzle=any_puzzles(SEVERAL))
def test_givens_are_the_cells_that_are_not_blank(puzzle: Puzzle) -> None:
    assert puzzle.givens == puzzle.geometry.cells - str(puzzle).count(".")
    assert puzzle.is_full == ("." not in str(puzzle))


@given(puzzle=any_puzzles(SEVERAL))
def test_conflicts_are_all_equal_digits_that_share_a_unit_and_nothing_else(puzzle: Puzzle) -> None:
    geometry, digits = puzzle.geometry, puzzle.digits
    clashing = {
        (cell, peer)
        for cell in range(geometry.cells)
        for peer in geometry.peers[cell]
        if cell < peer and digits[cell] and digits[cell] == digits[peer]
    }
    named: set[tuple[int, ...]] = set()
    for conflict in puzzle.conflicts():
        assert {digits[cell] for cell in conflict.cells} == {conflict.digit}
        assert set(conflict.cells) <= set(geometry.units[conflict.unit].tolist())
        named.update(combinations(conflict.cells, 2))
    assert named == clashing


@given(grid=grids(SEVERAL))
def test_a_correct_grid_has_no_conflicts(grid: Puzzle) -> None:
    assert grid.conflicts() == []


def test_report_000s_easy_puzzle_has_exactly_its_six_clashes() -> None:
    puzzle = Puzzle.parse(REPORT_000_EASY)
    assert puzzle.givens == 72
    named = puzzle.geometry.cell_name
    assert [(clash.digit, *map(named, clash.cells)) for clash in puzzle.conflicts()] == [
        (1, "r4c7", "r7c7"),
        (3, "r6c8", "r9c8"),
        (9, "r4c3", "r6c2"),
        (8, "r4c9", "r6c7"),
        (8, "r7c3", "r9c1"),
        (9, "r8c8", "r9c9"),
    ]


def test_a_digit_that_stands_three_times_is_one_conflict_in_each_unit() -> None:
    conflicts = Puzzle.parse("111." + "." * 12).conflicts()
    assert [(clash.digit, clash.cells) for clash in conflicts] == [(1, (0, 1, 2)), (1, (0, 1))]


def test_a_conflict_of_a_large_board_is_written_in_its_letters() -> None:
    geometry = Geometry(4, 4)
    puzzle = with_digits(Puzzle(geometry, bytes(256)), {0: 16, 15: 16})
    assert puzzle.conflicts() == [Conflict(geometry, 16, 0, (0, 15))]
    assert str(puzzle.conflicts()[0]).startswith("G ")


@given(pair=solvable_puzzles(SEVERAL))
def test_a_grid_solves_every_puzzle_made_from_it(pair: tuple[Puzzle, Puzzle]) -> None:
    puzzle, grid = pair
    assert puzzle.is_solved_by(grid.board)


@given(pair=solvable_puzzles(SEVERAL), data=st.data())
def test_a_grid_with_one_cell_changed_solves_nothing(
    pair: tuple[Puzzle, Puzzle], data: st.DataObject
) -> None:
    puzzle, grid = pair
    cell = data.draw(st.integers(0, grid.geometry.cells - 1))
    digit = data.draw(st.integers(0, grid.side))
    assume(digit != grid.digits[cell])
    assert not puzzle.is_solved_by(with_digits(grid, {cell: digit}).board)


@given(grid=grids(SEVERAL), data=st.data())
def test_a_correct_grid_with_another_digit_than_given_is_no_solution(
    grid: Puzzle, data: st.DataObject
) -> None:
    cell = data.draw(st.integers(0, grid.geometry.cells - 1))
    other = grid.digits[cell] % grid.side + 1
    puzzle = with_digits(Puzzle(grid.geometry, bytes(grid.geometry.cells)), {cell: other})
    assert not puzzle.is_solved_by(grid.board)


def test_rows_and_columns_without_boxes_are_no_solution() -> None:
    latin = np.array([(row + column) % 9 + 1 for row in range(9) for column in range(9)], np.uint8)
    assert not Puzzle(NINE, bytes(81)).is_solved_by(latin)


def test_a_board_of_another_size_is_no_solution() -> None:
    grid = pattern_grid(NINE)
    assert grid.is_solved_by(grid.board)
    assert grid.is_solved_by(grid.board.reshape(9, 9))
    for board in (grid.board[:80], np.array([], np.uint8), np.uint8(1)):
        assert not grid.is_solved_by(board)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("change", "solves"),
    [
        (lambda grid: grid.astype(np.int64), True),
        (lambda grid: grid.astype(np.int64) + 256, False),
        (lambda grid: grid - 1, False),
        (lambda grid: grid.astype(float) + 0.5, False),
    ],
    ids=["wider", "256 more", "from 0 to 8", "halves"],
)
def test_digits_out_of_range_solve_nothing_whatever_their_type(
    change: Callable[[Any], Any], solves: bool
) -> None:
    assert Puzzle(NINE, bytes(81)).is_solved_by(change(pattern_grid(NINE).board)) == solves


@given(pair=solvable_puzzles(SEVERAL))
def test_the_solution_is_among_the_candidates_and_no_given_is(pair: tuple[Puzzle, Puzzle]) -> None:
    puzzle, grid = pair
    for cell, candidates in enumerate(puzzle.candidates()):
        if puzzle.digits[cell]:
            assert candidates == set()
        else:
            assert grid.digits[cell] in candidates
            assert not candidates & {puzzle.digits[peer] for peer in grid.geometry.peers[cell]}


@pytest.mark.parametrize(
    ("digits", "message"),
    [
        (bytes(80), "expected 81 cells for a 9×9 board, got 80"),
        (bytes([*[0] * 22, 10, *[0] * 58]), "expected a digit from 0 to 9 at r3c5, got 10"),
    ],
)
def test_digits_that_make_no_board_are_refused(digits: bytes, message: str) -> None:
    with pytest.raises(PuzzleError, match=message):
        Puzzle(NINE, digits)


def test_our_errors_are_value_errors_with_one_root() -> None:
    assert issubclass(PuzzleError, ValueError)
    assert issubclass(PuzzleError, GenokuError)


def test_a_pickled_puzzle_carries_no_tables() -> None:
    puzzle = Puzzle(Geometry(5, 5), bytes(625))
    before = len(pickle.dumps(puzzle))
    puzzle.candidates()
    assert len(pickle.dumps(puzzle)) == before
    assert pickle.loads(pickle.dumps(puzzle)) == puzzle


def test_natural_input_is_taken_as_it_is_meant() -> None:
    puzzle = Puzzle.parse("1.....3..4.....2")
    assert Puzzle.parse(puzzle) == puzzle
    assert Puzzle.parse(str(puzzle), box=4) == puzzle
    assert hash(Puzzle(Geometry(2, 2), list(puzzle.digits))) == hash(puzzle)  # pyright: ignore[reportArgumentType]
    solved = np.array([[1, 3, 2, 4], [4, 2, 3, 1], [2, 4, 1, 3], [3, 1, 4, 2]])
    assert puzzle.is_solved_by(solved)
    for nonsense in (None, 5):
        with pytest.raises(PuzzleError, match="got"):
            Puzzle.parse(nonsense)  # pyright: ignore[reportArgumentType]
