"""Many boards at once, counted as each alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from known_boards import AS_PRINTED, HARD, KNOWN, patience
from strategies import (
    FOUR,
    NINE,
    any_puzzles,
    doubtful_puzzles,
    examples,
)

from genoku.errors import PuzzleError
from genoku.exact import oracle
from genoku.exact.oracle import count, count_batch, solve
from genoku.puzzle.board import Board, Puzzle
from genoku.puzzle.bundled_puzzles import bundled
from genoku.puzzle.geometry import Geometry


@given(data=st.data(), limit=st.integers(0, 5), failures=st.sampled_from([1, 10_000]))
@examples(40)
def test_many_boards_are_counted_as_each_alone(
    data: st.DataObject, limit: int, failures: int
) -> None:
    geometry = data.draw(st.sampled_from([FOUR, Geometry(3, 2), NINE]))
    mixed = doubtful_puzzles([geometry], least=0.2) | any_puzzles([geometry])
    puzzles = data.draw(st.lists(mixed, max_size=6))
    boards = np.array([p.board for p in puzzles], np.uint8).reshape(-1, geometry.cells)
    before = boards.copy()
    with patience(failures):
        counts = count_batch(boards, geometry, limit)
    assert counts.tolist() == [count(puzzle, limit).solutions for puzzle in puzzles]
    assert np.array_equal(boards, before)


def test_many_boards_are_two_by_default_and_any_integers() -> None:
    boards = np.stack([HARD.board, AS_PRINTED.board, bytes_of(KNOWN[0][1])]).astype(np.int64)
    assert count_batch(boards, NINE).tolist() == [1, 2, 1]  # pyright: ignore[reportArgumentType]
    assert count_batch(boards, NINE, 2000).tolist() == [1, 1539, 1]  # pyright: ignore[reportArgumentType]


def bytes_of(line: str) -> np.ndarray[tuple[int], np.dtype[np.uint8]]:
    return np.array(list(map(int, line)), np.uint8)


@pytest.mark.parametrize(
    ("boards", "message"),
    [
        (np.zeros(81, np.uint8), r"expected boards \[n, 81\], got an array \(81,\)"),
        (np.zeros((2, 80), np.uint8), r"got an array \(2, 80\)"),
        (np.full((1, 81), 10, np.uint8), "expected digits up to 9, got 10"),
        (np.full((1, 81), 257), "expected digits up to 9, got 257"),
    ],
)
def test_arrays_that_are_no_boards_are_refused(boards: Board, message: str) -> None:
    with pytest.raises(PuzzleError, match=message):
        count_batch(boards, NINE)


def test_many_puzzles_are_counted_as_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    puzzles = [
        Puzzle.parse("1.....3..4.....2"),
        Puzzle(NINE, bytes(81)),
        Puzzle.parse("1..............."),
        Puzzle.parse("123....4........"),
        Puzzle.parse("11.............."),
    ]
    for failures in (oracle.FAILURES_BEFORE_SAT, 1):
        monkeypatch.setattr(oracle, "FAILURES_BEFORE_SAT", failures)
        many = oracle.count_many(puzzles, 5)
        assert [c.solutions for c in many] == [count(p, 5).solutions for p in puzzles]
        assert [c.verdict for c in many] == ["unique", "several", "several", "none", "none"]
    assert oracle.count_many([]) == []


@pytest.mark.parametrize("name", ["25x25-45-percent", "25x25-minimal", "9x9-hard"])
def test_whether_a_solution_is_the_only_one_does_not_depend_on_how_it_is_asked(name: str) -> None:
    puzzle = bundled()[name].puzzle
    board = solve(puzzle).board
    assert board is not None
    assert oracle.is_only_solution(puzzle, board) is (count(puzzle).verdict == "unique")


def test_a_second_solution_of_a_large_board_is_soon_found() -> None:
    empty = Puzzle(Geometry(5, 5), bytes(625))
    board = solve(empty).board
    assert board is not None
    assert oracle.is_only_solution(empty, board, time_limit=20) is False
    assert oracle.is_only_solution(empty, board, time_limit=0) is None
