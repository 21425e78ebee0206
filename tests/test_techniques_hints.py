"""Hints: the next step in words, honest guesses, and boards that have no next step."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hard_boards import EMPTY, HARDEST_NEEDED, INKALA_2012, NINE
from strategies import pattern_grid

from genoku.errors import ImpossibleError, PuzzleError
from genoku.puzzle.board import Board, Puzzle
from genoku.puzzle.geometry import Geometry
from genoku.techniques import GUESS, hint, solve_path
from genoku.techniques.grid import Grid


def test_hint_on_a_full_board_is_nothing() -> None:
    assert hint(pattern_grid(Geometry(3, 4))) is None


def test_hint_is_the_first_in_reading_order() -> None:
    puzzle = Puzzle.parse(next(iter(HARDEST_NEEDED)))
    first = min(solve_path(puzzle).rounds[0], key=lambda step: step.cells)
    assert hint(puzzle) == first


@pytest.mark.parametrize("text", list(HARDEST_NEEDED)[4::5])
def test_following_hints_with_their_candidates_solves_the_puzzle(text: str) -> None:
    puzzle, left = Puzzle.parse(text), Puzzle.parse(text).candidates()
    digits = bytearray(puzzle.digits)
    while step := hint(Puzzle(NINE, bytes(digits)), left):
        for at, digit in step.placements:
            digits[at] = digit
        for at, digit in step.eliminations:
            left[at].discard(digit)
    assert puzzle.is_solved_by(np.frombuffer(digits, np.uint8))


def test_guess_is_honest_and_right() -> None:
    from genoku.exact import oracle

    puzzle = Puzzle.parse(INKALA_2012)
    step, board = hint(puzzle), oracle.solve(puzzle).board
    assert step is not None
    assert board is not None
    ((at, digit),) = step.placements
    fewest = min(len(options) for options in puzzle.candidates() if options)
    assert digit == board[at]
    assert len(puzzle.candidates()[at]) == fewest
    assert str(step).startswith("Guess: ")
    assert f"only solution has {digit}" in str(step)


def test_guess_says_so_where_there_are_several_solutions() -> None:
    step = hint(Puzzle(Geometry(2, 2), bytes(16)))
    assert step is not None
    assert step.technique == "guess"
    assert "several solutions" in str(step)


def test_clashing_givens_are_refused_by_name() -> None:
    puzzle = Puzzle.parse("11.. .... .... ....")
    for ask in (hint, solve_path):
        with pytest.raises(PuzzleError, match="r1c1, r1c2"):
            ask(puzzle)


def test_a_cell_without_candidates_is_named() -> None:
    with pytest.raises(ImpossibleError, match="r1c4"):
        hint(Puzzle.parse("123. ...4 .... ...."))


def test_a_digit_without_a_place_is_named() -> None:
    with pytest.raises(ImpossibleError, match=r"1.*row 2"):
        hint(Puzzle.parse("2..1 .3.. .... 1..."))


def test_a_wrong_digit_is_found_out_along_the_path() -> None:
    easy = next(iter(HARDEST_NEEDED))
    with pytest.raises(ImpossibleError, match="no solution: "):
        solve_path(Puzzle.parse(easy[:2] + "1" + easy[3:]))


def test_a_wrong_digit_that_only_search_can_refute_is_found_out_at_the_guess() -> None:
    puzzle = Puzzle.parse("82" + INKALA_2012[2:])
    assert not solve_path(puzzle).is_solved
    with pytest.raises(ImpossibleError, match="no solution"):
        hint(puzzle)


def test_a_board_the_oracle_cannot_solve_in_time_is_not_called_unsolvable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Exhausted(Iterator[Board]):
        out_of_time = True

        def __init__(self, *_: object) -> None: ...

        def __next__(self) -> Board:
            raise StopIteration

    monkeypatch.setattr("genoku.exact.oracle.SolutionIterator", Exhausted)
    with pytest.raises(ImpossibleError, match="60 seconds"):
        hint(Puzzle.parse(INKALA_2012))


def test_candidates_of_the_wrong_number_are_refused() -> None:
    with pytest.raises(PuzzleError, match=r"81 cells.*2"):
        hint(EMPTY, [{1}, {2}])


def test_candidates_that_rule_out_the_solution_are_refused_at_a_guess() -> None:
    puzzle = Puzzle.parse(INKALA_2012)
    step = hint(puzzle)
    assert step is not None
    ((at, digit),) = step.placements
    wrong = puzzle.candidates()
    wrong[at].discard(digit)
    with pytest.raises(ImpossibleError, match=r"9.*r8c7"):
        GUESS.steps(Grid(puzzle, wrong))
