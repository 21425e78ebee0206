"""What each mutation does to a board: which digits move, and how often."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from mutations import (
    HARD,
    KEEPING,
    KINDS,
    MOVES,
    about,
    alike,
    assert_equally_often,
    differ,
    problem_of,
    with_blanks,
)
from numpy.typing import NDArray
from strategies import FOUR, NINE, SIX

from genoku.evolve.encoding import (
    FreeCells,
    PermutedBoxes,
    PermutedRows,
)
from genoku.evolve.operators.mutation import (
    Inversion,
    Scramble,
    Shuffle,
    SkippingSwap,
    Swap,
    Unit,
    random_unit,
)
from genoku.runtime.random import stream


@pytest.mark.parametrize("unit", [*KINDS, "any"])
@pytest.mark.parametrize("each", MOVES)
def test_digits_move_among_the_blanks_of_one_unit(each: Any, unit: str) -> None:
    problem = problem_of(HARD, FreeCells())
    boards = problem.space.sample(300, stream(1))
    changed = each(unit)(boards, 1.0, problem, stream(2))
    first = {"row": 0, "column": 9, "box": 18, "any": 0}[unit]
    units = HARD.geometry.units[first : first + (27 if unit == "any" else 9)]
    for before, after in zip(boards, changed, strict=True):
        moved = np.flatnonzero(before != after)
        assert any(set(moved) <= set(cells) for cells in units.tolist())
        assert sorted(before[moved]) == sorted(after[moved])


@pytest.mark.parametrize(
    ("unit", "cells"), [("row", (4, 5, 6, 7)), ("column", (1, 5, 9, 13)), ("box", (2, 3, 6, 7))]
)
def test_a_swap_exchanges_two_blanks_and_every_pair_of_a_unit_equally_often(
    unit: Unit, cells: tuple[int, ...]
) -> None:
    problem = problem_of(with_blanks(FOUR, *cells, 8), KEEPING[unit])
    boards = alike(problem, 12_000)
    changed = Swap(unit)(boards, 1.0, problem, stream(2))
    pairs = Counter(tuple(np.flatnonzero(row).tolist()) for row in boards != changed)
    assert set(pairs) == set(combinations(cells, 2))
    assert_equally_often(pairs, 6, 12_000)


def test_any_unit_is_a_row_a_column_or_a_box() -> None:
    units = FreeCells().space(with_blanks(SIX, 0, 5, 6, 7, 8, 9)).swappable("any")
    blanks = [cells[:size].tolist() for cells, size in zip(units.cells, units.sizes, strict=True)]
    assert blanks == [[0, 5], [6, 7, 8, 9], [0, 6], [0, 6, 7, 8], [5, 9]]
    assert units.starts.tolist() == [0, 2, 3, 5]


@pytest.mark.parametrize(
    ("starts", "shares"),
    [
        ([0, 2, 3, 5], [1 / 6, 1 / 6, 1 / 3, 1 / 6, 1 / 6]),
        ([0, 1, 4], [1 / 2, 1 / 6, 1 / 6, 1 / 6]),
        ([0, 2], [1 / 2, 1 / 2]),
    ],
)
def test_the_kind_of_a_unit_is_drawn_first(starts: list[int], shares: list[float]) -> None:
    rng = stream(1)
    drawn = Counter(int(random_unit(np.array(starts), rng)) for _ in range(6_000))
    assert set(drawn) == set(range(len(shares)))
    for unit, share in enumerate(shares):
        assert drawn[unit] / 6_000 == about(share, 6_000)


def test_kinds_without_a_pair_are_not_drawn() -> None:
    space = FreeCells().space(with_blanks(NINE, 0, 8))
    assert space.swappable("any").cells[:, :2].tolist() == [[0, 8]]
    assert space.swappable("any").starts.tolist() == [0, 1]
    assert space.swappable("any", least=1).starts.tolist() == [0, 1, 3, 5]
    assert space.swappable("column").starts.tolist() == [0]
    assert space.swappable("column").cells.shape == (0, 9)


def test_report_002s_code_swaps_a_blank_with_itself_once_in_six_times() -> None:
    problem = problem_of(with_blanks(NINE, 0, 1, 2, 3, 4, 5), PermutedRows())
    boards = alike(problem, 20_000)
    changed = differ(Swap(distinct=False)(boards, 1.0, problem, stream(2)), boards)
    assert changed.mean() == about(5 / 6, 20_000)


def test_only_swaps_with_replacement_draw_units_with_a_single_blank() -> None:
    problem = problem_of(with_blanks(NINE, 0, 10, 11), PermutedRows())
    boards = alike(problem, 10_000)
    assert differ(Swap()(boards, 1.0, problem, stream(2)), boards).all()
    changed = differ(Swap(distinct=False)(boards, 1.0, problem, stream(2)), boards)
    assert changed.mean() == about(1 / 4, 10_000)


def test_a_skipping_swap_leaves_a_board_alone_whose_unit_has_one_blank_or_none() -> None:
    problem = problem_of(with_blanks(NINE, 0, 10, 11), PermutedRows())  # one row of nine has two
    boards = alike(problem, 10_000)
    changed = differ(SkippingSwap()(boards, 1.0, problem, stream(2)), boards)
    assert changed.mean() == about(1 / 9, 10_000)
    full = problem_of(HARD, FreeCells())  # every row has two: both readings are one
    boards = full.space.sample(100, stream(1))
    one, other = (each()(boards, 0.5, full, stream(2)) for each in (Swap, SkippingSwap))
    assert np.array_equal(one, other)


def places_moved(before: NDArray[Any], after: NDArray[Any]) -> tuple[int, int]:
    moved = np.flatnonzero(before != after)
    return int(moved[0]), int(moved[-1])


def test_an_inversion_reverses_every_stretch_equally_often() -> None:
    problem = problem_of(with_blanks(NINE, 0, 2, 3, 5, 8), PermutedRows())
    boards = alike(problem, 10_000)
    changed = Inversion()(boards, 1.0, problem, stream(2))
    blanks = [0, 2, 3, 5, 8]
    stretches: Counter[tuple[int, int]] = Counter()
    for before, after in zip(boards[:, blanks], changed[:, blanks], strict=True):
        first, last = places_moved(before, after)
        assert after[first : last + 1].tolist() == before[first : last + 1][::-1].tolist()
        stretches[first, last] += 1
    assert_equally_often(stretches, 10, 10_000)


def test_a_shuffle_gives_every_order_equally_often() -> None:
    problem = problem_of(with_blanks(FOUR, 0, 1, 4, 5), PermutedBoxes())
    changed = Shuffle()(alike(problem, 24_000), 1.0, problem, stream(2))
    orders = Counter(tuple(board[[0, 1, 4, 5]].tolist()) for board in changed)
    assert_equally_often(orders, 24, 24_000)


def test_a_scramble_shuffles_a_stretch() -> None:
    # of four blanks' six stretches, three have 2 blanks, two have 3 and one has 4
    unmoved = (3 / 2 + 2 / 6 + 1 / 24) / 6
    problem = problem_of(with_blanks(FOUR, 0, 1, 2, 3), PermutedRows())
    boards = alike(problem, 20_000)
    changed = Scramble()(boards, 1.0, problem, stream(2))
    assert differ(boards, changed).mean() == about(1 - unmoved, 20_000)
    orders = Counter(tuple(board[:4].tolist()) for board in changed)
    first, *rest = boards[0, :4].tolist()
    assert len(orders) == 24
    swapped_ends = orders[rest[2], rest[0], rest[1], first] / 20_000
    assert swapped_ends == about(1 / 6 / 24, 20_000)  # only the longest stretch does that
