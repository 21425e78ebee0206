"""Singles: candidates and constraints that fit together, and nothing decided wrongly."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from strategies import (
    EVERY_GEOMETRY,
    SEVERAL,
    UP_TO_NINE,
    any_puzzles,
    doubtful_puzzles,
    in_python,
    pattern_grid,
    several_geometries,
    solvable_puzzles,
    with_digits,
)

from genoku.board import Puzzle
from genoku.geometry import Geometry
from genoku.propagation import begin, links, singles, workspace


def singles_by_sets(puzzle: Puzzle) -> list[set[int]] | None:
    """Naked and hidden singles until nothing more follows, in plain sets; None at a clash."""
    geometry = puzzle.geometry
    options = [{d} if d else set(range(1, puzzle.side + 1)) for d in puzzle.digits]
    units = geometry.units.tolist()
    changed = True
    while changed:
        before = [set(o) for o in options]
        for cell, peers in enumerate(geometry.peers):
            if len(options[cell]) == 1:
                for peer in peers:
                    options[peer] -= options[cell]
        for unit in units:
            for digit in range(1, puzzle.side + 1):
                places = [cell for cell in unit if digit in options[cell]]
                if not places:
                    return None
                if len(places) == 1:
                    options[places[0]] &= {digit}
        if not all(options):
            return None
        changed = options != before
    return options


@pytest.mark.parametrize(
    "geometry", [*SEVERAL, Geometry(5, 5), Geometry(2, 18), Geometry(6, 6)], ids=lambda g: g.box
)
def test_candidates_and_constraints_lead_to_each_other(geometry: Geometry) -> None:
    table = links(geometry)
    candidates = np.arange(geometry.cells * geometry.side)
    constraint = table.constraint.reshape(-1, 4).astype(np.int64)
    bit = table.bit.reshape(-1, 4).astype(np.int64)
    assert table.side == geometry.side
    assert np.all(bit < geometry.side)
    back = table.candidate[constraint * geometry.side + bit]
    assert np.array_equal(back, np.repeat(candidates[:, None], 4, axis=1))
    # Every constraint wants one of `side` candidates, all different.
    assert np.all(np.bincount(constraint.ravel()) == geometry.side)
    assert len(np.unique(constraint * geometry.side + bit)) == 4 * len(candidates)


@several_geometries
def test_a_candidate_meets_its_cell_and_its_digit_in_row_column_and_box(
    geometry: Geometry,
) -> None:
    table = links(geometry)
    side, cells = geometry.side, geometry.cells
    lines = zip(
        *(of.tolist() for of in (geometry.row_of, geometry.column_of, geometry.box_of)), strict=True
    )
    for cell, (row, column, box) in enumerate(lines):
        for digit in (0, side - 1):
            four = table.constraint[(cell * side + digit) * 4 :][:4].tolist()
            assert four == [
                cell,
                cells + row * side + digit,
                2 * cells + column * side + digit,
                3 * cells + box * side + digit,
            ]


@given(pair=solvable_puzzles([g for g in EVERY_GEOMETRY if g.side <= 20], least=0.2))
@settings(max_examples=50)
def test_singles_never_contradict_a_solution(pair: tuple[Puzzle, Puzzle]) -> None:
    puzzle, grid = pair
    board, clash = singles(puzzle)
    assert not clash
    assert np.all((board == 0) | (board == grid.board))
    assert np.all(board[puzzle.board > 0] == puzzle.board[puzzle.board > 0])


@given(puzzle=doubtful_puzzles(UP_TO_NINE))
def test_singles_decide_all_that_plain_sets_decide(puzzle: Puzzle) -> None:
    expected = singles_by_sets(puzzle)
    board, clash = singles(puzzle)
    assert clash == (expected is None)
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


@given(puzzle=doubtful_puzzles(UP_TO_NINE[:3]))
@settings(max_examples=20)
def test_the_kernel_agrees_with_its_python(puzzle: Puzzle) -> None:
    geometry, table = puzzle.geometry, links(puzzle.geometry)
    (compiled, queue), (plain, another) = workspace(geometry), workspace(geometry)
    board = puzzle.board.copy()
    with np.errstate(over="ignore"):
        consistent = begin(board, compiled, queue, table)
        assert in_python(begin)(board, plain, another, table) == consistent
    assert board.tobytes() == puzzle.digits
    if consistent:
        assert compiled.tolist() == plain.tolist()
