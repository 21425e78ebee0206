"""Which cells are exchanged: cuts, blocks, tails and mixtures are those of the reports."""

from __future__ import annotations

import tracemalloc
from collections import Counter
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from crossings import EMPTY, cuts_of, evenly, held_by_children, problem_of
from strategies import FOUR, NINE, SIX, pattern_grid

from genoku.evolve.encoding import Boards, PermutedBoxes
from genoku.evolve.fitness import Repetitions
from genoku.evolve.operators.crossover import (
    By,
    Crossover,
    Mixed,
    OneBlock,
    Points,
    RowTails,
    Uniform,
)
from genoku.evolve.problem import Problem
from genoku.puzzle.board import Puzzle
from genoku.puzzle.geometry import Geometry
from genoku.runtime.random import Stream, stream

FULL = pattern_grid(NINE)


# by, first, spare, within and the cuts they stand for on a 9×9 board
CUTS: list[tuple[By, int, int, int, range]] = [
    ("row", 1, 2, 0, range(1, 8)),  # report 000: rows 1 to 7
    ("gene", 1, 1, 0, range(1, 81)),  # report 001
    ("row", 1, 1, 0, range(1, 9)),  # report 002: randint(1, 9)
    ("column", 1, 1, 0, range(1, 9)),
    ("box", 1, 1, 0, range(1, 9)),
    ("cell", 1, 1, 9, range(1, 9)),  # report 002's sp_co_cell as coded
    ("cell", 1, 1, 0, range(1, 81)),  # and as its figure shows it
    ("cell", 1, 1, 500, range(1, 81)),
    ("row", 3, 4, 0, range(3, 6)),
]


@pytest.mark.parametrize(("by", "first", "spare", "within", "cuts"), CUTS)
def test_a_cut_lies_at_every_place_it_may_and_at_no_other(
    by: By, first: int, spare: int, within: int, cuts: range
) -> None:
    crossover = Points(by, first=first, spare=spare, within=within)
    counts = Counter(cuts_of(held_by_children(crossover, 60 * len(cuts)), by))
    assert set(counts) == {(cut,) for cut in cuts}
    assert evenly([*counts.values()], 60)


def test_report_002_takes_73_cells_always_from_the_other_parent() -> None:
    held = held_by_children(Points("cell", within=9), 500)
    assert held[:, 0, 8:].all()
    assert set(held[:, 0].sum(axis=1).tolist()) == set(range(73, 81))


@pytest.mark.parametrize("by", ["row", "column", "box", "cell"])
def test_two_points_as_coded_never_exchange_the_last_block_and_as_described_they_do(
    by: By,
) -> None:
    cells = {"row": slice(72, 81), "column": slice(8, 81, 9), "cell": slice(80, 81)}
    last = {**cells, "box": NINE.units[-1]}[by]
    coded = held_by_children(Points(by, points=2, first=0, spare=1), 500)
    described = held_by_children(Points(by, points=2, first=0, spare=0), 500)
    assert not coded[:, 0, last].any()
    assert coded[:, 0].any(axis=0).sum() == 81 - coded[0, 0, last].size
    assert described[:, 0].any(axis=0).all()


def test_two_points_are_any_two_distinct_ones_of_nine() -> None:
    held = held_by_children(Points("row", points=2, first=0, spare=1), 3_600)
    counts = Counter(cuts_of(held, "row"))
    assert set(counts) == set(combinations(range(9), 2))
    assert evenly([*counts.values()], 100)


@pytest.mark.parametrize("by", ["row", "box", "gene"])
@pytest.mark.parametrize("points", [1, 2, 3, 5, 8])
def test_the_cuts_of_a_mating_are_distinct(by: By, points: int) -> None:
    cuts = cuts_of(held_by_children(Points(by, points=points), 100), by)
    assert {len(places) for places in cuts} == {points}


@pytest.mark.parametrize(("geometry", "places"), [(FOUR, 3), (SIX, 5), (NINE, 8)])
def test_where_there_are_fewer_places_than_points_all_are_cut(
    geometry: Geometry, places: int
) -> None:
    held = held_by_children(Points(points=100), 20, Puzzle(geometry, bytes(geometry.cells)))
    assert {len(cuts) for cuts in cuts_of(held, "row")} == {places}


@pytest.mark.parametrize(
    "crossover",
    [Points(first=9), Points(spare=20), Points("box", first=5, spare=5), Points(within=1)],
    ids=repr,
)
def test_without_a_place_to_cut_the_parents_are_passed_on(crossover: Crossover) -> None:
    held = held_by_children(crossover, 20)
    assert (held == [[[0], [1]]]).all()


@pytest.mark.parametrize("parents", [2, 3, 4, 7])
@pytest.mark.parametrize("points", [1, 2, 3, 6])
def test_child_j_has_piece_s_from_parent_j_plus_s(parents: int, points: int) -> None:
    held = held_by_children(Points("cell", points=points, parents=parents), 50)
    for mating, cuts in zip(held, cuts_of(held, "cell"), strict=True):
        assert len(cuts) == points
        piece = np.searchsorted(cuts, np.arange(81), side="right")
        expected = (np.arange(parents)[:, None] + piece) % parents
        assert np.array_equal(mating, expected)


def test_genes_are_the_blanks_in_reading_order() -> None:
    puzzle = Puzzle.parse("12.. .... ..12 .3.4")
    held = held_by_children(Points("gene"), 500, puzzle)
    taken = {tuple(np.flatnonzero(child).tolist()) for child in held[:, 0]}
    genes = (2, 3, 4, 5, 6, 7, 8, 9, 12, 14)
    assert taken == {genes[cut:] for cut in range(1, 10)}


@pytest.mark.parametrize("by", ["row", "column", "box"])
@pytest.mark.parametrize("geometry", [SIX, Geometry(3, 2), NINE], ids=str)
@pytest.mark.parametrize("kind", [Points, Uniform, OneBlock])
def test_a_block_is_never_torn(kind: Any, by: By, geometry: Geometry) -> None:
    unit = ("row", "column", "box").index(by) * geometry.side
    units = geometry.units[unit : unit + geometry.side]
    held = held_by_children(kind(by), 200, Puzzle(geometry, bytes(geometry.cells)))
    assert (held[:, :, units] == held[:, :, units[:, :1]]).all()
    # and each of them parts from each other one some time
    for one, other in combinations(units[:, 0].tolist(), 2):
        assert (held[:, 0, one] != held[:, 0, other]).any()


def test_uniform_takes_half_of_nine_boxes_from_either_parent() -> None:
    held = held_by_children(Uniform(), 5_000)[:, 0, NINE.units[18:, 0]]
    taken = held.sum(axis=1)
    assert abs(taken.mean() - 4.5) < 5 * 1.5 / 5_000**0.5  # report 004: L/2
    assert abs(taken.var() - 9 / 4) < 0.25  # the variance of nine fair coins
    assert set(taken.tolist()) == set(range(10))


@pytest.mark.parametrize("parents", [2, 3, 5])
def test_every_block_of_uniform_draws_its_parent_alone(parents: int) -> None:
    held = held_by_children(Uniform("cell", parents=parents), 1_500)[:, 0]
    shares = (held[..., None] == np.arange(parents)).sum(axis=0)
    assert evenly(shares, 1_500 / parents)
    # No two cells go together: near ones, distant ones, and 64 apart, where a new word of coins
    # begins, are equal as often as chance has it.
    for distance in (1, 2, 9, 16, 32, 63, 64, 65):
        equal = (held[:, distance:] == held[:, :-distance]).sum(axis=0)
        assert evenly(equal, 1_500 / parents)


def test_one_block_is_exchanged_and_every_one_as_often() -> None:
    held = held_by_children(OneBlock(), 1_800)[:, 0].reshape(-1, 9, 9)
    assert (held == held[:, :1]).all()
    assert (held[:, 0].sum(axis=1) == 1).all()
    assert evenly(held[:, 0].sum(axis=0), 200)


@pytest.mark.parametrize("with_column", [True, False])
def test_tails_are_those_of_rows_with_a_blank_in_the_column(with_column: bool) -> None:
    puzzle = Puzzle.parse("1.3. .2.4 .... 2.4.")
    # By hand, for the second to the last column: x is exchanged, and is seen where no given is.
    expected = {
        True: [".x.x .... .xxx .x.x", ".... ..x. ..xx ....", "...x .... ...x ...x"],
        False: ["...x .... ..xx ...x", ".... .... ...x ....", ".... .... .... ...."],
    }[with_column]
    held = held_by_children(RowTails(with_column), 300, puzzle)[:, 0]
    seen = Counter("".join(".x"[cell] for cell in child) for child in held.tolist())
    assert set(seen) == {text.replace(" ", "") for text in expected}
    assert evenly([*seen.values()], 100)


# Mixtures


def test_a_mixture_draws_its_parts_equally_often() -> None:
    crossover = Mixed((OneBlock("row"), OneBlock("column"), OneBlock("box")), rate=0.6)
    held = held_by_children(crossover, 3_000)[:, 0]
    cells_of = {frozenset(unit): i // 9 for i, unit in enumerate(NINE.units.tolist())}
    drawn = Counter(cells_of.get(frozenset(np.flatnonzero(child).tolist()), 3) for child in held)
    assert evenly([drawn[kind] for kind in range(3)], 600)
    assert evenly([drawn[3]], 1_200)


def test_a_mixture_of_one_part_crosses_as_that_part_does() -> None:
    counts = Counter(cuts_of(held_by_children(Mixed((Points(),)), 800), "row"))
    assert set(counts) == {(cut,) for cut in range(1, 9)}


class Mirrored:
    """Somebody's own crossover, with more children than parents and without a rate."""

    parents = 1
    children = 2

    def __call__(self, boards: Boards, mates: Any, problem: Problem, rng: Stream) -> Boards:
        return np.stack((boards[mates[:, 0]], boards[mates[:, 0], ::-1]), axis=1).reshape(-1, 81)


def test_a_mixture_takes_parts_of_ones_own_and_keeps_the_order_of_matings() -> None:
    crossover = Mixed((Mirrored(), Mirrored()), rate=0.5)
    problem = problem_of(EMPTY)
    boards = problem.space.sample(200, stream(1))
    mates = np.arange(200)[::-1, None].copy()
    children = crossover(boards, mates, problem, stream(1)).reshape(200, 2, 81)
    assert np.array_equal(children[:, 0], boards[::-1])
    mirrored = (children[:, 1] == boards[::-1, ::-1]).all(axis=1)
    passed_on = (children[:, 1] == boards[::-1]).all(axis=1)
    assert (mirrored != passed_on).all()
    assert 60 < mirrored.sum() < 140
    assert crossover.fits(PermutedBoxes(), Repetitions()) is None


# Blocks and pieces


@pytest.mark.parametrize("by", ["row", "column", "box", "cell", "gene"])
@pytest.mark.parametrize("puzzle", [EMPTY, FULL, Puzzle.parse("1.3. .2.4 .... 2.4.")])
def test_pieces_are_the_blocks_from_a_cut_on(by: By, puzzle: Puzzle) -> None:
    space = problem_of(puzzle).space
    side, cells = puzzle.side, puzzle.geometry.cells
    counts = {"cell": cells, "gene": cells - puzzle.givens}
    pieces, blocks = space.pieces(by), space.blocks(by)
    assert pieces.shape == (counts.get(by, side) + 1, cells)
    blank = puzzle.board == 0
    for cut, piece in enumerate(pieces):
        assert np.array_equal(piece[blank], blocks[blank] >= cut)
    assert (np.diff(pieces.astype(int), axis=0) <= 0).all()
    assert blocks.min() == 0
    assert blocks[-1] == blocks.max()
    assert space.pieces(by) is pieces
    assert space.blocks(by) is blocks


def test_only_the_pieces_asked_for_are_made() -> None:
    space = problem_of(Puzzle(Geometry(6, 6), bytes(1296))).space
    tracemalloc.start()
    try:
        space.pieces("row")
        assert tracemalloc.get_traced_memory()[1] < 500_000
        assert space.pieces("cell").nbytes == 1297 * 1296
    finally:
        tracemalloc.stop()
