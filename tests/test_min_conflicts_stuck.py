"""Where no cell can be improved, min-conflicts fails or goes on: report 001 says both."""

from __future__ import annotations

from math import sqrt
from typing import get_args

import pytest
from runs import problem_of, states_of
from test_min_conflicts import VERY_EASY, Stuck, conflicts, legal_digits, moves_drawn

from genoku import Puzzle, RecipeError, bundled, preset
from genoku.evolve.algorithms.min_conflicts import MinConflicts
from genoku.evolve.encoding import FreeCells
from genoku.evolve.recipe import build, describe
from genoku.evolve.state import State
from genoku.runtime.random import stream


def test_a_stuck_search_that_goes_on_worsens_any_cell_that_can_be() -> None:
    fails, goes_on = (MinConflicts(moves=1, stuck=word) for word in get_args(Stuck))
    problem = problem_of(fails, VERY_EASY)
    end = states_of(fails, problem, 1, 1_000)[-1]
    assert end.finished == "failed"
    board, times = end.boards[0], 6_000
    worse: dict[int, list[int]] = {}
    for cell in problem.space.genes.tolist():
        then = {d: conflicts(problem, board, cell, d) for d in legal_digits(problem, cell)}
        if digits := [d for d in then if then[d] > then[int(board[cell])]]:
            worse[cell] = digits
    drawn = moves_drawn(problem, goes_on, board, times)
    assert set(drawn) == {(cell, digit) for cell in worse for digit in worse[cell]}
    for (cell, _), count in drawn.items():  # cells alike, then the digits of a cell
        share = 1 / len(worse) / len(worse[cell])
        assert abs(count / times - share) <= 5 * sqrt(share / times)


def test_what_goes_on_when_stuck_solves_where_single_starts_fail() -> None:
    puzzle = bundled()["9x9-easy"].puzzle
    ends: dict[Stuck, list[State]] = {}
    for word in get_args(Stuck):
        algorithm = MinConflicts(stuck=word)
        problem = problem_of(algorithm, puzzle)
        ends[word] = [states_of(algorithm, problem, seed, 2_000)[-1] for seed in range(10)]
    assert {end.finished for end in ends["fail"]} == {"failed"}
    solved = [end for end in ends["downhill"] if end.finished == "solved"]
    assert len(solved) > 5
    assert all(puzzle.is_solved_by(end.boards[0]) for end in solved)


def test_a_search_that_has_nothing_to_worsen_fails() -> None:
    algorithm = MinConflicts(FreeCells(), stuck="downhill", moves=1)
    problem = problem_of(algorithm, Puzzle.parse("1122 3344 1122 3344"))
    state = algorithm.start(problem, stream(1))
    assert algorithm.step(problem, state).finished == "failed"


def test_an_unknown_word_for_stuck_is_refused() -> None:
    with pytest.raises(RecipeError, match=r"'fail'.*'downhill'.*'restart'"):
        build({"use": "min-conflicts", "stuck": "restart"})


def test_the_presets_have_both_readings_of_the_report() -> None:
    words = {
        name: describe(preset(f"eran-shahar-sa-{name}").build())["stuck"]
        for name in ("once", "continues")
    }
    assert words == {"once": "fail", "continues": "downhill"}
