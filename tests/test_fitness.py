"""The reports' fitness functions give the reports' numbers."""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genoku import Geometry, Puzzle, bundled, solve
from genoku.encoding import FreeCells, PermutedBoxes
from genoku.fitness import (
    FITNESSES,
    CompleteUnits,
    Contradictions,
    Fitness,
    MissingDigits,
    Normalised,
    Repetitions,
    Unique,
    UniqueSquared,
    fitness_map,
)
from genoku.stream import stream

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


@settings(max_examples=60, deadline=None)
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


def test_a_clash_with_a_given_costs_two_in_report_004() -> None:
    puzzle = Puzzle.parse("1... .... .... ....")
    board = Puzzle.parse("1213 3434 2121 4343").board
    missing = MissingDigits(penalty=0)
    assert score(MissingDigits(), board, puzzle) == score(missing, board, puzzle) + 2


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
    losses = fitness().loss(costs, geometry)
    assert costs[0] == 0
    assert (costs[1:] > 0).all()
    assert ((losses >= 0) & (losses <= 1)).all()
    better = fitness().score(costs, geometry)
    assert (better[0] >= better.max()) == fitness.maximise
