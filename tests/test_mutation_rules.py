"""Swaps by report 004's rule, and resets, as often as they are asked for."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from mutations import HARD, about, alike, assert_equally_often, differ, problem_of, with_blanks
from numpy.typing import NDArray
from strategies import NINE, examples, seeds

from genoku import bundled, solve
from genoku.evolve.encoding import (
    FreeCells,
    LegalCells,
    PermutedBoxes,
    PermutedRows,
)
from genoku.evolve.operators.mutation import (
    Between,
    Binomial,
    Fixed,
    Mutation,
    Reset,
    RuledSwap,
    Swap,
    appearances,
)
from genoku.puzzle.board import Puzzle
from genoku.runtime.random import stream


def counted_by_hand(board: NDArray[Any], one: int, two: int) -> int:
    grid = board.reshape(9, 9).tolist()
    (row1, column1), (row2, column2) = divmod(one, 9), divmod(two, 9)
    a, b = grid[row1][column1], grid[row2][column2]
    columns = list(zip(*grid, strict=True))
    return (
        grid[row2].count(a) + columns[column2].count(a)
        + grid[row1].count(b) + columns[column1].count(b)
    )  # fmt: skip


def in_box_pairs() -> list[tuple[int, int]]:
    return [pair for box in NINE.units[18:].tolist() for pair in combinations(box, 2)]


def test_a_solved_grid_has_four_appearances_for_every_pair_of_a_box() -> None:
    solved = np.asarray(solve(HARD).board)
    assert len(in_box_pairs()) == 324
    for one, two in in_box_pairs():
        assert appearances(solved[None], 0, one, two, 9) == counted_by_hand(solved, one, two) == 4


@given(seeds)
@examples(10)
def test_appearances_are_counted_as_by_hand(seed: int) -> None:
    boards = FreeCells().space(HARD).sample(2, stream(seed))
    for one, two in in_box_pairs()[::7]:
        assert appearances(boards, 1, one, two, 9) == counted_by_hand(boards[1], one, two)


@pytest.mark.parametrize("exactly", [False, True])
@pytest.mark.parametrize("limit", [3, 4, 5])
def test_swaps_are_made_by_the_rule(limit: int, exactly: bool) -> None:
    problem = problem_of(HARD, PermutedBoxes())
    boards = problem.space.sample(400, stream(1))
    ruled = RuledSwap(most=1, limit=limit, exactly=exactly)(boards, 1.0, problem, stream(2))
    # without a limit the same stream makes every swap it draws
    drawn = RuledSwap(most=1, limit=36)(boards, 1.0, problem, stream(2))
    for before, after, swapped in zip(boards, ruled, drawn, strict=True):
        one, two = np.flatnonzero(before != swapped)
        met = counted_by_hand(before, int(one), int(two))
        allowed = met == limit if exactly else met <= limit
        assert np.array_equal(after, swapped if allowed else before)


@pytest.mark.parametrize("name", ["charles-basic", "charles-hard"])
def test_the_rule_accepts_its_known_share_of_swaps(name: str) -> None:
    problem = problem_of(bundled()[name].puzzle, PermutedBoxes())
    boards = problem.space.sample(10_000, stream(1))
    for share, rule in [
        (0.885, RuledSwap(most=1, limit=5)),
        (0.715, RuledSwap(most=1, limit=4)),
        (0.17, RuledSwap(most=1, limit=5, exactly=True)),
    ]:
        accepted = differ(rule(boards, 1.0, problem, stream(2)), boards)
        assert accepted.mean() == pytest.approx(share, abs=0.02)


def is_odd(before: NDArray[Any], after: NDArray[Any]) -> bool:
    """Whether an odd number of exchanges leads from one order to the other."""
    order: list[int] = [after.tolist().index(digit) for digit in before.tolist()]
    return sum(order[i] > order[j] for j in range(len(order)) for i in range(j)) % 2 == 1


@pytest.mark.parametrize(
    ("mutate", "share"),
    [(RuledSwap("row", limit=36), 3 / 5), (RuledSwap("row", 2, 3, 36), 1 / 2),
     (RuledSwap("row", 4, 4, 36), 0), (Swap("row", Fixed(2)), 0), (Swap("row", Fixed(5)), 1),
     (Swap("row", Between(1, 5)), 3 / 5), (Swap("row", Binomial(1.0, trials=3)), 1),
     (Swap("row", Binomial(0.5, trials=4)), 1 / 2), (Swap("row", Binomial(0.0)), 0)],
    ids=repr,
)  # fmt: skip
def test_swaps_are_made_as_many_times_as_asked(mutate: Mutation, share: float) -> None:
    # the parity of the order tells how many swaps there were
    problem = problem_of(with_blanks(NINE, *range(9)), PermutedRows())
    boards = problem.space.sample(3_000, stream(1))
    changed = mutate(boards, 1.0, problem, stream(2))
    odd = [is_odd(*rows) for rows in zip(boards[:, :9], changed[:, :9], strict=True)]
    assert np.mean(odd) == about(share, 3_000)


def test_a_reset_gives_every_blank_every_other_digit_equally_often() -> None:
    # report 002's uniform mutation
    problem = problem_of(with_blanks(NINE, 3, 40, 80), FreeCells())
    boards = alike(problem, 24_000)
    changed = Reset()(boards, 1.0, problem, stream(2))
    assert ((boards != changed).sum(axis=1) == 1).all()
    places = np.argmax(boards != changed, axis=1)
    drawn = Counter(zip(places.tolist(), changed[np.arange(24_000), places].tolist(), strict=True))
    assert {place for place, _ in drawn} == {3, 40, 80}
    assert_equally_often(drawn, 3 * 8, 24_000)


def test_a_reset_draws_among_the_blanks_that_have_a_choice() -> None:
    puzzle = Puzzle.parse("12.. 3.12 ..4. ....")
    candidates = puzzle.candidates()
    problem = problem_of(puzzle, LegalCells())
    boards = alike(problem, 24_000)
    changed = Reset()(boards, 1.0, problem, stream(2))
    assert ((boards != changed).sum(axis=1) == 1).all()
    places = np.argmax(boards != changed, axis=1)
    drawn = Counter(zip(places.tolist(), changed[np.arange(24_000), places].tolist(), strict=True))
    choosing = [cell for cell in range(16) if len(candidates[cell]) > 1]
    assert any(len(candidates[cell]) == 1 for cell in range(16) if puzzle.digits[cell] == 0)
    for cell in choosing:
        others = set(candidates[cell]) - {int(boards[0, cell])}
        for digit in others:
            expected = 1 / len(choosing) / len(others)
            assert drawn.pop((cell, digit)) / 24_000 == about(expected, 24_000)
    assert not drawn


def test_where_every_blank_has_a_single_legal_digit_a_reset_changes_nothing() -> None:
    problem = problem_of(with_blanks(NINE, 0, 40, 80), LegalCells())
    boards = alike(problem, 100)
    assert not differ(Reset()(boards, 1.0, problem, stream(2)), boards).any()


def test_a_reset_that_need_not_differ_keeps_its_digit_once_in_nine_times() -> None:
    problem = problem_of(HARD, FreeCells())
    boards = problem.space.sample(6_000, stream(1))
    changed = differ(Reset(different=False)(boards, 1.0, problem, stream(2)), boards)
    assert changed.mean() == about(8 / 9, 6_000)
