"""Isomorphs: one canonical form for all of a class, and for no others."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, product

import pytest
from hypothesis import given
from strategies import (
    FOUR,
    NINE,
    SEVERAL,
    SIX,
    all_4x4_grids,
    any_puzzles,
    examples,
    grids,
    known_answers,
    pattern_grid,
    seeds,
    several_geometries,
    solvable_puzzles,
    with_digits,
)

from genoku.exact.oracle import count
from genoku.generator import PuzzleRequest, generate_many, random_grid
from genoku.puzzle.board import Puzzle
from genoku.puzzle.geometry import Geometry
from genoku.puzzle.isomorph import canonical, shuffled
from genoku.runtime.random import stream

LINE_ORDERS_4X4 = [
    [*first, *second]
    for pair in (([0, 1], [2, 3]), ([2, 3], [0, 1]))
    for first, second in product(*([half, half[::-1]] for half in pair))
]


def least_4x4(puzzle: Puzzle) -> bytes:
    """The least board over all 128 ways to move a 4×4, digits as they first appear."""
    grid = puzzle.board.reshape(4, 4)
    forms = []
    for turned in (grid, grid.T):
        for rows, columns in product(LINE_ORDERS_4X4, LINE_ORDERS_4X4):
            label = {0: 0}
            cells = turned[rows][:, columns].ravel().tolist()
            forms.append(bytes(label.setdefault(digit, len(label)) for digit in cells))
    return min(forms)


def check_form(puzzle: Puzzle, *seeds: int) -> None:
    form = canonical(puzzle)
    assert form.geometry == puzzle.geometry
    assert form.givens == puzzle.givens
    assert canonical(form) == form
    for seed in seeds:
        assert canonical(shuffled(puzzle, seed)) == form


@given(pair=solvable_puzzles(SEVERAL), seed=seeds)
@examples(60)
def test_isomorphs_share_their_canonical_form(pair: tuple[Puzzle, Puzzle], seed: int) -> None:
    check_form(pair[0], seed)


@given(grid=grids(SEVERAL), seed=seeds)
@examples(40)
def test_isomorphic_grids_share_their_canonical_form(grid: Puzzle, seed: int) -> None:
    check_form(grid, seed)


@given(puzzle=any_puzzles(SEVERAL), seed=seeds)
def test_boards_with_clashes_have_canonical_forms_too(puzzle: Puzzle, seed: int) -> None:
    check_form(puzzle, seed)


@given(one=any_puzzles([FOUR]), other=any_puzzles([FOUR]))
def test_4x4_boards_share_a_form_exactly_when_brute_force_says_so(
    one: Puzzle, other: Puzzle
) -> None:
    assert (canonical(one) == canonical(other)) == (least_4x4(one) == least_4x4(other))


def test_all_4x4_boards_of_two_givens_fall_into_the_classes_of_brute_force() -> None:
    empty = Puzzle(FOUR, bytes(16))
    boards = [
        with_digits(empty, {cell: 1, other: digit})
        for cell, other in combinations(range(16), 2)
        for digit in (1, 2)
    ]
    pairs = {(canonical(board), least_4x4(board)) for board in boards}
    assert len(pairs) == len({form for form, _ in pairs}) == len({least for _, least in pairs})
    assert len(pairs) > 5


def test_all_complete_4x4_grids_fall_into_two_classes() -> None:
    classes = Counter(canonical(Puzzle(FOUR, grid)) for grid in all_4x4_grids())
    assert sorted(classes.values()) == [96, 192]


def test_shuffling_reaches_every_member_of_a_class() -> None:
    grid = Puzzle(FOUR, all_4x4_grids()[0])
    own_class = {g for g in all_4x4_grids() if canonical(Puzzle(FOUR, g)) == canonical(grid)}
    assert {shuffled(grid, seed).digits for seed in range(3_000)} == own_class


@given(pair=solvable_puzzles([FOUR, SIX, Geometry(3, 2), NINE], least=0.3), seed=seeds)
@examples(40)
def test_isomorphs_and_canonical_forms_have_as_many_solutions(
    pair: tuple[Puzzle, Puzzle], seed: int
) -> None:
    puzzle, _ = pair
    solutions = count(puzzle, 50).solutions
    assert count(canonical(puzzle), 50).solutions == solutions
    assert count(shuffled(puzzle, seed), 50).solutions == solutions
    assert bool(canonical(puzzle).conflicts()) == bool(puzzle.conflicts())


@several_geometries
def test_the_most_symmetric_boards_have_canonical_forms(geometry: Geometry) -> None:
    side = geometry.side
    empty = Puzzle(geometry, bytes(geometry.cells))
    diagonal = with_digits(empty, {i * (side + 1): i + 1 for i in range(side)})
    all_ones = Puzzle(geometry, bytes([1] * geometry.cells))
    one_row = with_digits(empty, {i: i + 1 for i in range(side)})
    for puzzle in (empty, diagonal, all_ones, one_row, with_digits(empty, {side: 3})):
        check_form(puzzle, 1, 2, 3)
    assert canonical(empty) == empty


@pytest.mark.parametrize("box", ["2x2", "2x3", "3x3", "3x4", "4x4"])
def test_pattern_grids_have_canonical_forms(box: str) -> None:
    check_form(pattern_grid(Geometry.parse(box)), 1)


@several_geometries
def test_one_given_is_the_same_puzzle_wherever_and_whatever_it_is(geometry: Geometry) -> None:
    empty = Puzzle(geometry, bytes(geometry.cells))
    cells = range(0, geometry.cells, max(1, geometry.cells // 12))
    forms = {canonical(with_digits(empty, {cell: cell % geometry.side + 1})) for cell in cells}
    assert len(forms) == 1


def test_two_givens_fall_into_few_classes_on_9x9() -> None:
    """Same box or not, same line or not, same digit or not: nothing else can matter."""
    empty = Puzzle(NINE, bytes(81))
    kinds: dict[Puzzle, set[tuple[bool, ...]]] = {}
    for other in range(1, 81):
        for digit in (1, 2):
            row, column = divmod(other, 9)
            same_band, same_stack = row < 3, column < 3
            lines = sorted([(row == 0, same_band), (column == 0, same_stack)])
            kind = (*lines[0], *lines[1], digit == 1)
            form = canonical(with_digits(empty, {0: 1, other: digit}))
            kinds.setdefault(form, set()).add(kind)
    assert all(len(kind) == 1 for kind in kinds.values())
    assert len(kinds) == len(set.union(*kinds.values())) == 10


def test_puzzles_that_are_not_isomorphic_differ() -> None:
    made = [m.puzzle for m in generate_many(PuzzleRequest(), 200, seed=1)]
    assert len(set(map(canonical, made))) == 200
    known = [Puzzle.parse(puzzle) for _, puzzle, _ in known_answers("known-solutions.txt")]
    assert len(set(map(canonical, known))) == len(known)


def test_a_changed_given_makes_another_puzzle() -> None:
    puzzle = Puzzle.parse(known_answers("known-solutions.txt")[0][1])
    forms = {canonical(puzzle)}
    changed = [with_digits(puzzle, {cell: 0}) for cell in range(81) if puzzle.digits[cell]]
    forms.update(map(canonical, changed))
    assert len(forms) == 31


def test_transposing_is_an_isomorphism_of_square_boxes_only() -> None:
    grid = random_grid(SIX, stream(1)).reshape(6, 6)
    tall = Puzzle(Geometry(3, 2), grid.T.tobytes())
    assert canonical(tall).geometry == Geometry(3, 2)
    nine = random_grid(NINE, stream(1)).reshape(9, 9)
    assert canonical(Puzzle(NINE, nine.tobytes())) == canonical(Puzzle(NINE, nine.T.tobytes()))


@given(seed=seeds, puzzle=any_puzzles(SEVERAL))
@examples(30)
def test_a_seed_always_shuffles_alike_and_keeps_the_shape(seed: int, puzzle: Puzzle) -> None:
    again = shuffled(puzzle, seed)
    assert shuffled(puzzle, seed) == again
    assert again.geometry == puzzle.geometry
    assert sorted(Counter(again.digits).values()) == sorted(Counter(puzzle.digits).values())
    assert len(again.conflicts()) == len(puzzle.conflicts())
