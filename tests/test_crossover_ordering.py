"""Order inside groups: children are those worked by hand, and those of the definitions."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from crossings import evenly, problem_of
from hypothesis import given, strategies as st
from strategies import SEVERAL, seeds, solvable_puzzles

from genoku.evolve.encoding import Boards, PermutedBoxes, PermutedRows
from genoku.evolve.operators import crossover as ordering
from genoku.evolve.operators.crossover import Agreement, Cycle
from genoku.evolve.problem import Problem
from genoku.puzzle.board import Puzzle
from genoku.puzzle.geometry import Geometry
from genoku.runtime.random import stream


def row_problem(length: int) -> Problem:
    geometry = Geometry.of_side(length)
    return problem_of(Puzzle(geometry, bytes(geometry.cells)), PermutedRows())


def rows_as_boards(problem: Problem, rows: list[str]) -> Boards:
    """Boards with these first rows, and equal below."""
    boards = np.repeat(problem.space.sample(1, stream(1)), len(rows), axis=0)
    for board, row in zip(boards, rows, strict=True):
        board[: len(row)] = [int(digit) for digit in row]
    return boards


def crossed_rows(rows: list[str], start: int, stop: int, *, matches: bool) -> list[str]:
    problem = row_problem(len(rows[0]))
    space, boards = problem.space, rows_as_boards(problem, rows)
    spans = np.zeros((1, len(space.groups), 2), np.int64)
    spans[0, 0] = start, stop
    mates = np.array([[0, 1]])
    children = ordering.cross_spans(boards, mates, space.groups, space.sizes, spans, matches)
    assert np.array_equal(children[:, len(rows[0]) :], boards[:, len(rows[0]) :])
    return ["".join(map(str, child[: len(rows[0])])) for child in children.tolist()]


# Worked by hand: parents, the first place of the span and the one after it, children.
MATCHED = [
    ("123456", "365124", 1, 3, "165432", "523164"),  # 6 drives out 2, and 5 drives out 3
    ("123456", "234165", 0, 2, "231456", "124365"),  # 3 drives out 2, which drove out 1
    ("123456", "365124", 0, 6, "365124", "123456"),
    ("123456", "365124", 2, 2, "123456", "365124"),
    ("123456789", "452187693", 3, 7, "423187659", "182456793"),
]
KEPT = [
    ("123456", "365124", 2, 4, "513426", "345162"),
    ("123456", "365124", 0, 2, "125436", "364512"),  # the second: 3 4 5 6 1 2 without 3 and 6
    ("123456", "365124", 4, 6, "312456", "135624"),
    ("123456", "365124", 0, 6, "123456", "365124"),
    ("123456", "365124", 2, 2, "123456", "365124"),
    ("123456789", "452187693", 3, 7, "218456793", "345187692"),
]


@pytest.mark.parametrize(("one", "two", "start", "stop", "first", "second"), MATCHED)
def test_partially_matched_children_are_those_worked_by_hand(
    one: str, two: str, start: int, stop: int, first: str, second: str
) -> None:
    assert crossed_rows([one, two], start, stop, matches=True) == [first, second]


@pytest.mark.parametrize(("one", "two", "start", "stop", "first", "second"), KEPT)
def test_order_children_are_those_worked_by_hand(
    one: str, two: str, start: int, stop: int, first: str, second: str
) -> None:
    assert crossed_rows([one, two], start, stop, matches=False) == [first, second]


def matched(own: str, other: str, start: int, stop: int) -> str:
    """PMX once more, from its definition: follow what each digit drove out."""
    drove_out = dict(zip(other[start:stop], own[start:stop], strict=True))
    child = ""
    for place, digit in enumerate(own):
        if start <= place < stop:
            child += other[place]
            continue
        while digit in drove_out:
            digit = drove_out[digit]  # noqa: PLW2901 (a chain has an end outside the span)
        child += digit
    return child


def in_order(own: str, other: str, start: int, stop: int) -> str:
    """OX once more, from its definition."""
    kept = own[start:stop]
    others = [digit for digit in other[stop:] + other[:stop] if digit not in kept]
    after = len(own) - stop
    return "".join(others[after:]) + kept + "".join(others[:after])


@given(st.permutations("123456789"), st.permutations("123456789"), st.data())
def test_children_with_spans_are_those_of_the_definitions(
    one: list[str], two: list[str], data: st.DataObject
) -> None:
    rows = ["".join(one), "".join(two)]
    start = data.draw(st.integers(0, 8))
    stop = data.draw(st.integers(start + 1, 9))
    for matches, definition in ((True, matched), (False, in_order)):
        expected = [definition(a, b, start, stop) for a, b in (rows, rows[::-1])]
        assert crossed_rows(rows, start, stop, matches=matches) == expected


def test_every_cycle_is_exchanged_or_not_by_a_coin_of_its_own() -> None:
    # 1 → 2 → 3 → 1, 4 → 5 → 4, and 6 where both parents have it
    rows = ["123456", "231546"]
    problem = row_problem(6)
    boards = rows_as_boards(problem, rows)
    children = Cycle()(boards, np.tile([0, 1], (800, 1)), problem, stream(1))
    texts = ["".join(map(str, child)) for child in children[:, :6].tolist()]
    counts = Counter(zip(texts[::2], texts[1::2], strict=True))
    assert set(counts) == {
        ("123456", "231546"),
        ("231456", "123546"),
        ("123546", "231456"),
        ("231546", "123456"),
    }
    assert evenly([*counts.values()], 200)


def test_spans_lie_between_any_two_cuts_and_every_group_has_its_own() -> None:
    sizes = np.array([3, 1, 3])
    spans = ordering.random_spans(sizes, 1_200, 1.0, stream(1))
    for group, size in enumerate(sizes.tolist()):
        counts = Counter(map(tuple, spans[:, group].tolist()))
        assert set(counts) == set(combinations(range(size + 1), 2))
        assert evenly([*counts.values()], 1_200 / len(counts))
    together = Counter(map(str, spans[:, [0, 2]].tolist()))
    assert len(together) == 36


@given(puzzle=solvable_puzzles(SEVERAL).map(lambda pair: pair[0]), seed=seeds)
def test_agreement_keeps_the_digits_on_which_the_parents_agree(puzzle: Puzzle, seed: int) -> None:
    problem = problem_of(puzzle, PermutedBoxes())
    one, other = problem.space.sample(2, stream(seed, "boards"))
    two = np.where(np.isin(problem.space.blocks("box"), [0, 2]), one, other)  # two boxes in common
    mates = np.tile([0, 1], (6, 1))
    children = Agreement()(np.stack((one, two)), mates, problem, stream(seed))
    assert (children[:, one == two] == one[one == two]).all()
    assert all(problem.space.contains(child) for child in children)


def test_agreement_shuffles_the_other_digits_evenly() -> None:
    problem = row_problem(4)
    boards = rows_as_boards(problem, ["1234", "1342"])
    children = Agreement()(boards, np.tile([0, 1], (3_000, 1)), problem, stream(1))
    assert np.array_equal(children[:, 4:], np.repeat(boards[:1, 4:], 6_000, axis=0))
    for first in (0, 1):  # children of the first parent, and of the second
        rows = Counter(map(bytes, children[first::2, :4]))
        assert {row[0] for row in rows} == {1}
        assert len(rows) == 6
        assert evenly(list(rows.values()), 500)


def test_each_child_has_a_shuffle_of_its_own() -> None:
    problem = row_problem(9)
    boards = problem.space.sample(2, stream(1))
    one, two = Agreement()(boards, np.array([[0, 1]]), problem, stream(2))
    assert not np.array_equal(one, two)
