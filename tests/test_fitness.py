"""The reports' fitness functions give the reports' numbers."""

from __future__ import annotations

import tomllib
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from strategies import EVERY_GEOMETRY, examples

from genoku import Geometry, Puzzle, bundled, solve
from genoku.errors import RecipeError
from genoku.evolve.encoding import FreeCells, PermutedBoxes
from genoku.evolve.fitness import (
    ALL_UNITS,
    FITNESSES,
    MAP_COLOURS,
    MAX_PENALTY,
    SQUARES,
    UNITS,
    VALUES,
    CompleteUnits,
    Contradictions,
    Fitness,
    MissingDigits,
    Normalised,
    OpenCells,
    Repetitions,
    Unique,
    UniqueSquared,
    errors_left,
    fitness_map,
    given_conflicts,
    map_colours,
    sum_conflicts,
    unit_costs,
    unit_costs_any_box,
    unit_costs_kernel,
)
from genoku.runtime.random import stream

SIMON = tomllib.loads((Path(__file__).parent / "data" / "simon.toml").read_text())
NINE = Geometry(3, 3)
EMPTY = Puzzle(NINE, bytes(81))
SHAPES = [Geometry(2, 2), Geometry(2, 3), NINE, Geometry(3, 4), Geometry(4, 4), Geometry(5, 5)]


def score(fitness: Fitness, board: object, puzzle: Puzzle = EMPTY) -> float:
    boards = np.array([board], np.uint8)
    return float(fitness.score(fitness.costs(boards, puzzle), puzzle.geometry)[0])


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        ("poderosas-easy", 0.9423868312757202),
        ("poderosas-medium", 0.4814814814814815),
        ("poderosas-difficult", 0.3580246913580247),
        ("poderosas-difficult-21", 0.37037037037037035),
    ],
)
def test_report_000s_puzzles_have_their_fitness(name: str, printed: float) -> None:
    puzzle = bundled()[name].puzzle
    assert score(Normalised(), puzzle.board, puzzle) == pytest.approx(printed, abs=1e-15)


def test_report_000s_easy_puzzle_has_its_ceiling() -> None:
    # SPEC: the one optimal filling, each row with its missing digits
    puzzle = bundled()["poderosas-easy"].puzzle
    board = puzzle.board.copy()
    for row, column, digit in [
        (0, 3, 8), (0, 6, 9), (2, 5, 9), (2, 7, 7), (4, 3, 9),
        (6, 1, 5), (6, 4, 9), (7, 8, 7), (8, 5, 1),
    ]:  # fmt: skip
        board[row * 9 + column] = digit
    assert score(Normalised(), board, puzzle) == pytest.approx(0.9753086419753086, abs=1e-15)


def test_report_002s_unit_values() -> None:
    solved = solve(bundled()["charles-hard"].puzzle).board
    ones = np.ones(81)
    drawn = np.random.RandomState(42).randint(1, 10, (9, 9)).ravel()
    assert [score(f, solved) for f in (Unique(), UniqueSquared(), Repetitions())] == [243, 2187, 0]
    assert [score(f, ones) for f in (Unique(), UniqueSquared(), Repetitions())] == [27, 27, 216]
    assert score(Unique(), drawn) == 162


@pytest.mark.parametrize(
    ("name", "share"),
    [("charles-basic", 0.4815), ("charles-very-easy", 0.4938), ("charles-easy", 0.4691),
     ("charles-moderate", 0.4815), ("charles-hard", 0.4321), ("charles-very-hard", 0.4321)],
)  # fmt: skip
def test_report_002s_puzzles_have_their_share_of_unique_values(name: str, share: float) -> None:
    puzzle = bundled()[name].puzzle
    assert score(Unique(), puzzle.board, puzzle) / 243 == pytest.approx(share, abs=5e-5)


@pytest.mark.parametrize("name", SIMON)
def test_report_003s_printed_boards_have_their_fitness(name: str) -> None:
    printed = Puzzle.parse(SIMON[name]["board"])
    empty = Puzzle(printed.geometry, bytes(printed.geometry.cells))
    assert score(CompleteUnits(), printed.board, empty) == SIMON[name]["fitness"]
    assert fitness_map(printed.board, printed.geometry).sum() == SIMON[name]["fitness"]


def test_report_003s_map_of_run_5_has_its_colours() -> None:
    points = fitness_map(Puzzle.parse(SIMON["simon-85611"]["board"]).board, NINE)
    assert np.bincount(points, minlength=4).tolist() == [0, 10, 43, 28]


@pytest.mark.parametrize(("side", "mean", "margin"), [(9, 81.459, 0.1), (16, 256.003, 0.05)])
def test_random_boards_of_report_003_have_the_computed_mean(
    side: int, mean: float, margin: float
) -> None:
    empty = Puzzle(Geometry.of_side(side), bytes(side**4 // side**2))
    boards = PermutedBoxes().space(empty).sample(20_000, stream(1))
    costs = CompleteUnits().costs(boards, empty)
    assert CompleteUnits().score(costs, empty.geometry).mean() == pytest.approx(mean, abs=margin)


@examples(60)
@given(st.sampled_from(SHAPES), st.integers(0, 10_000))
def test_the_kernels_agree_with_counting_by_hand(geometry: Geometry, seed: int) -> None:
    empty = Puzzle(geometry, bytes(geometry.cells))
    board = FreeCells().space(empty).sample(1, stream(seed))[0]
    units = [board[unit].tolist() for unit in geometry.units]
    side = geometry.side
    distinct = [len(set(unit)) for unit in units]
    assert score(Unique(), board, empty) == sum(distinct)
    assert score(UniqueSquared(), board, empty) == sum(d * d for d in distinct)
    assert score(CompleteUnits(), board, empty) == side * sum(d == side for d in distinct)
    assert score(Contradictions(), board, empty) == sum(
        unit[i] == unit[j] for unit in units for i in range(side) for j in range(i)
    )
    assert score(Contradictions("surplus"), board, empty) == 3 * geometry.cells - sum(distinct)
    assert score(MissingDigits(), board, empty) == 2 * geometry.cells - sum(distinct[: 2 * side])


@pytest.mark.parametrize("geometry", [*SHAPES, Geometry(6, 6)], ids=str)
def test_the_kernels_of_usual_boxes_agree_with_the_one_for_any_box(geometry: Geometry) -> None:
    # every digit in each unit that a random board has it in, and more boards than go at once
    empty = Puzzle(geometry, bytes(geometry.cells))
    boards = FreeCells().space(empty).sample(2 + 600 // geometry.cells, stream(1))
    boards[0, ::3] = 0
    box = geometry.box_rows, geometry.box_cols
    for term in (VALUES, SQUARES, UNITS):
        for counted in (ALL_UNITS, (1, 0, 0), (0, 1, 0), (0, 0, 1)):
            together = unit_costs(boards, geometry, counted, term)
            assert together.dtype == np.int32
            assert together.tolist() == unit_costs_any_box(*box, boards, *counted, term).tolist()
            alone = [unit_costs(each[None], geometry, counted, term)[0] for each in boards[:3]]
            assert together[:3].tolist() == alone


def test_usual_boxes_have_kernels_of_their_own_and_all_others_share_one() -> None:
    for geometry in EVERY_GEOMETRY:
        shares = isinstance(unit_costs_kernel(geometry.box_rows, geometry.box_cols), partial)
        assert shares == (not geometry.is_default), geometry.box


def test_boards_of_every_shape_are_counted_by_their_own_units() -> None:
    for geometry in EVERY_GEOMETRY:
        board = FreeCells().space(Puzzle(geometry, bytes(geometry.cells))).sample(1, stream(1))
        distinct = sum(len(set(board[0, unit].tolist())) for unit in geometry.units)
        lacking = unit_costs(board, geometry, ALL_UNITS, VALUES).tolist()
        assert lacking == [3 * geometry.cells - distinct], geometry.box


@pytest.mark.parametrize("digit", [1, 36])
def test_the_largest_board_of_one_digit_has_every_cost_at_its_worst(digit: int) -> None:
    geometry = Geometry(6, 6)
    board = np.full(1296, digit)
    empty = Puzzle(geometry, bytes(1296))
    assert score(Unique(), board, empty) == 3 * 36
    assert score(UniqueSquared(), board, empty) == 3 * 36
    assert score(Contradictions(), board, empty) == 3 * 36 * 36 * 35 / 2


def test_boards_may_lie_in_memory_as_they_like() -> None:
    boards = FreeCells().space(EMPTY).sample(30, stream(1))
    costs = Repetitions().costs(boards, EMPTY)
    assert Repetitions().costs(np.asfortranarray(boards), EMPTY).tolist() == costs.tolist()
    assert Repetitions().costs(boards[::2], EMPTY).tolist() == costs[::2].tolist()


def test_a_unit_with_a_blank_is_not_complete_although_its_values_differ() -> None:
    puzzle = Puzzle.parse("123. 34.. .... ....")
    assert score(Unique(), puzzle.board, puzzle) == 4 + 3 + 1 + 1 + 3 + 3 + 2 + 1 + 4 + 2 + 1 + 1
    assert score(CompleteUnits(), puzzle.board, puzzle) == 4  # the first box alone
    assert fitness_map(puzzle.board, puzzle.geometry).tolist() == [1, 1, 0, 0] * 2 + [0] * 8
    solved = Puzzle.parse("1234 3412 2143 4321")
    assert fitness_map(solved.board, solved.geometry).tolist() == [3] * 16
    assert score(Contradictions(), puzzle.board, puzzle) == 0  # blanks are equal to nothing


@pytest.mark.parametrize("side", [4, 6, 9, 25, 36])
def test_the_map_of_many_boards_counts_the_complete_units_of_each(side: int) -> None:
    geometry = Geometry.of_side(side)
    boards = np.random.default_rng(1).integers(0, side + 1, (9, side * side)).astype(np.uint8)
    row = np.arange(1, side + 1, dtype=np.uint8)
    boards[0], boards[1] = np.tile(row, side), np.repeat(row, side)
    wanted = np.zeros(boards.shape, int)
    for board, points in zip(boards, wanted, strict=True):
        for unit in geometry.units:
            points[unit] += set(board[unit].tolist()) == {*range(1, side + 1)}
    np.testing.assert_array_equal(fitness_map(boards, geometry), wanted)


def test_cells_are_coloured_by_their_complete_units_and_open_ones_not_at_all() -> None:
    puzzle = Puzzle.parse("1234 34.. 2.1. 4...")
    black, red, blue, green = MAP_COLOURS
    assert map_colours(puzzle.board, puzzle.geometry) == [
        *(green, blue, red, red),
        *(blue, red, None, None),
        *(red, None, black, None),
        *(red, None, None, None),
    ]


def test_open_cells_are_counted_on_each_board() -> None:
    puzzle = Puzzle.parse("1... .2.. .... ....")
    costs = OpenCells().costs(np.stack([puzzle.board, np.ones(16, np.uint8)]), puzzle)
    assert costs.tolist() == [14, 0]
    assert costs.dtype == np.int32
    assert OpenCells().worst(puzzle.geometry) == 16


def test_a_clash_with_a_given_costs_two_in_report_004() -> None:
    puzzle = Puzzle.parse("1... .... .... ....")
    board = Puzzle.parse("1213 3434 2121 4343").board
    missing = MissingDigits(penalty=0)
    assert score(MissingDigits(), board, puzzle) == score(missing, board, puzzle) + 2


def test_clashes_with_givens_are_counted_by_row_and_column_of_cells_filled_in() -> None:
    puzzle = Puzzle.parse("12.. 1... .... ...4")
    clashes = given_conflicts(puzzle)
    assert clashes.shape == (16, 5)
    counted = [
        [
            sum(puzzle.board[unit].tolist().count(digit) > 0 for unit in (row, column))
            if digit and not puzzle.board[cell]
            else 0
            for digit in range(5)
        ]
        for cell in range(16)
        for row, column in [(slice(cell // 4 * 4, cell // 4 * 4 + 4), slice(cell % 4, None, 4))]
    ]
    assert clashes.tolist() == counted
    assert sum_conflicts(puzzle.board[None], clashes).dtype == np.int32
    board = Puzzle.parse("1221 1143 2211 4434").board
    per_clash = sum(counted[cell][digit] for cell, digit in enumerate(board.tolist()))
    free = score(MissingDigits(penalty=0), board, puzzle)
    for penalty in (1, 2, 7):
        assert score(MissingDigits(penalty), board, puzzle) == free + penalty * per_clash
    assert per_clash > 5


@pytest.mark.parametrize("geometry", SHAPES, ids=str)
def test_a_board_of_one_digit_is_the_worst(geometry: Geometry) -> None:
    empty = Puzzle(geometry, bytes(geometry.cells))
    ones = np.ones((1, geometry.cells), np.uint8)
    every = [each() for each in FITNESSES if each is not MissingDigits]
    for fitness in (*every, MissingDigits(penalty=0), Contradictions("surplus")):
        costs = fitness.costs(ones, empty)
        assert costs.tolist() == [fitness.worst(geometry)]
        assert isinstance(fitness.worst(geometry), int)
        assert fitness.loss(costs, geometry).tolist() == [1.0]
    side = geometry.side
    penalties = 2 * 2 * side * side  # were every cell to clash with a given of both its lines
    assert MissingDigits().worst(geometry) == 2 * side * (side - 1) + penalties
    assert MissingDigits(3).worst(geometry) - MissingDigits(0).worst(geometry) == penalties * 3 / 2


CLASHING = Puzzle.parse("11.1 1... ...2 ....")  # row 1: three; column 1 and box 1: two and three


@pytest.mark.parametrize(
    ("fitness", "floor"),
    [
        (Repetitions(), 2 + 1 + 2),
        (Unique(), 2 + 1 + 2),
        (Normalised(), 2 + 1 + 2),
        (Contradictions("surplus"), 2 + 1 + 2),
        (Contradictions(), 3 + 1 + 3),
        (UniqueSquared(), (16 - 4) + (16 - 9) + (16 - 4)),
        (CompleteUnits(), 4 * 3),
        (MissingDigits(), 2 + 1),
        (Fitness(), 0),
    ],
)
def test_clashing_givens_set_a_floor(fitness: Fitness, floor: int) -> None:
    assert fitness.floor(CLASHING) == floor
    assert fitness.floor(Puzzle.parse("12.. .... .... ....")) == 0


@pytest.mark.parametrize("fitness", [*(each() for each in FITNESSES), Contradictions("surplus")])
@pytest.mark.parametrize(
    "text", ["11.1 1... ...2 ....", "1..1 .2.2 3..3 4..4", "1... .2.. ..3. ...4"]
)
def test_no_board_is_better_than_its_floor(fitness: Fitness, text: str) -> None:
    puzzle = Puzzle.parse(text)
    boards = FreeCells().space(puzzle).sample(500, stream(1))
    assert fitness.costs(boards, puzzle).min() >= fitness.floor(puzzle)


def test_a_score_without_a_scale_of_its_own_is_the_cost() -> None:
    scores = Repetitions().score(np.array([3, 7], np.int32), NINE)
    assert scores.tolist() == [3, 7]
    assert scores.dtype == np.float64
    assert not Repetitions.maximise


def test_a_fitness_that_looks_at_lines_alone_needs_the_boxes_kept() -> None:
    assert [fitness.__name__ for fitness in FITNESSES if fitness.needs == "box"] == [
        "MissingDigits"
    ]
    boxes_broken = Puzzle.parse("1234 2341 3412 4123").board
    assert score(MissingDigits(), boxes_broken, Puzzle(Geometry(2, 2), bytes(16))) == 0


def test_a_fitness_of_ones_own_says_what_it_lacks() -> None:
    with pytest.raises(NotImplementedError):
        Fitness().costs(EMPTY.board[None], EMPTY)
    with pytest.raises(NotImplementedError):
        Fitness().worst(NINE)


def test_parameters_out_of_range_are_refused() -> None:
    for penalty in (-1, MAX_PENALTY + 1):
        with pytest.raises(RecipeError, match=f"penalty.*{penalty}"):
            MissingDigits(penalty)
    assert MissingDigits() == MissingDigits(2)
    assert [MissingDigits(penalty).penalty for penalty in (0, MAX_PENALTY)] == [0, 10_000]
    with pytest.raises(RecipeError, match=r"'pairs'.*'surplus'.*'some'"):
        Contradictions("some")  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("fitness", FITNESSES)
@pytest.mark.parametrize("geometry", SHAPES, ids=str)
def test_cost_0_means_solved_and_loss_runs_from_0_to_1(
    fitness: type[Fitness], geometry: Geometry
) -> None:
    empty = Puzzle(geometry, bytes(geometry.cells))
    solved = solve(empty).board
    assert solved is not None
    boards = np.stack([solved, *FreeCells().space(empty).sample(20, stream(1))])
    costs = fitness().costs(boards, empty)
    assert costs.dtype == np.int32
    losses = fitness().loss(costs, geometry)
    assert costs[0] == 0
    assert (costs[1:] > 0).all()
    assert ((losses >= 0) & (losses <= 1)).all()
    better = fitness().score(costs, geometry)
    assert (better[0] >= better.max()) == fitness.maximise


def test_errors_left_are_the_digits_missing_from_all_units() -> None:
    geometry = Geometry(2, 2)
    solved = Puzzle.parse("1234 3412 2143 4321").board
    assert errors_left(solved, geometry) == 0
    blank = solved.copy()
    blank[5] = 0
    assert errors_left(blank, geometry) == 3  # in its row, its column and its box
    assert errors_left(np.zeros(16, np.uint8), geometry) == 12 * 4
    assert errors_left(np.ones(16, np.uint8), geometry) == 12 * 3


@given(st.sampled_from(SHAPES), st.integers(0, 10_000))
def test_errors_left_of_full_boards_are_their_repetitions(shape: Geometry, seed: int) -> None:
    puzzle = Puzzle(shape, bytes(shape.cells))
    board = FreeCells().space(puzzle).sample(1, stream(seed))
    assert errors_left(board[0], shape) == Repetitions().costs(board, puzzle)[0]
