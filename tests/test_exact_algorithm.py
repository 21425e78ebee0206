"""The oracle as an algorithm: one step, the same for every seed, and proofs instead of failures."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from runs import problem_of, same, thinned
from strategies import examples

from genoku import bundled
from genoku.engine.run import resume, run
from genoku.errors import RecipeError
from genoku.evolve.algorithms import Exact, Islands, Restarts
from genoku.evolve.presets import preset
from genoku.evolve.recipe import build
from genoku.evolve.stopping import Stop
from genoku.exact import oracle
from genoku.exact.propagation import singles
from genoku.puzzle.board import Puzzle
from genoku.puzzle.geometry import Geometry
from genoku.runtime.random import stream

ESCARGOT = bundled()["ai-escargot"].puzzle
WRONG = Puzzle.parse(
    "18...7.9..3..2...8..96..5....53..9...1..8...26....4...3......1..4......7..7...3.."
)
"""Singles find nothing wrong with it; search does."""


@given(
    box=st.sampled_from(["2x2", "2x3", "3x3", "3x4", "4x4"]),
    share=st.floats(0.0, 0.8),
    seed=st.integers(0, 1000),
)
@examples(40)
def test_it_solves_in_one_step_or_in_none_where_singles_do(
    box: str, share: float, seed: int
) -> None:
    puzzle = thinned(Geometry.parse(box), share, seed)
    result = run(puzzle, Exact(), seed=seed)
    decided, _ = singles(puzzle)
    assert result.solved
    assert result.stop_reason == "solved"
    assert result.steps == (0 if decided.all() else 1)
    assert result.decided_by_singles == np.count_nonzero(decided) - puzzle.givens
    assert same(result, run(puzzle, Exact(), seed=seed))


def test_it_starts_with_what_singles_decide_and_counts_what_the_oracle_does() -> None:
    problem = problem_of(Exact(), ESCARGOT)
    state = Exact().start(problem, stream(1))
    assert np.array_equal(state.boards[0], singles(ESCARGOT)[0])
    assert state.costs[0] == np.count_nonzero(state.boards[0] == 0)
    assert (state.evaluations, state.finished) == (0, "")
    after = Exact().step(problem, state)
    answer = oracle.solve(problem.space.puzzle)
    assert answer.board is not None
    assert np.array_equal(after.boards[0], answer.board)
    assert (after.evaluations, after.finished) == (answer.nodes, "solved")
    assert state.costs[0] > 0  # a step leaves the state before it alone


@pytest.mark.parametrize(
    ("puzzle", "steps", "why"),
    [
        (WRONG, 1, ""),
        (Puzzle.parse("123....4........"), 0, "singles leave no digit for r1c4"),
        (bundled()["poderosas-easy"].puzzle, 0, "1 appears twice in column 7 (r4c7, r7c7)"),
    ],
    ids=["by search", "by singles", "by givens that clash"],
)
def test_no_solution_is_a_proof(puzzle: Puzzle, steps: int, why: str) -> None:
    result = run(puzzle, Exact(), allow_conflicts=True)
    assert (result.stop_reason, result.solved, result.steps) == ("no solution", False, steps)
    assert result.problem.space.refuted == why


def test_it_gives_up_when_its_seconds_are_up() -> None:
    large = bundled()["36x36-45-percent"].puzzle
    result = run(large, Exact(seconds=0.05))
    assert (result.stop_reason, result.steps, result.solved) == (Stop.TIME_LIMIT, 1, False)
    assert result.cost > 0
    for seconds in (-1.0, float("inf"), float("nan")):
        with pytest.raises(RecipeError, match="seconds"):
            Exact(seconds=seconds)


def test_it_can_be_wrapped_saved_and_built_like_any_other(tmp_path: Path) -> None:
    assert build("exact") == Exact() == preset("exact").build()
    for wrapped in (Restarts(Exact(), "steps=5"), Islands(Exact(), 2, 1)):
        result = run(ESCARGOT, wrapped, until="steps=3")
        assert result.solved
        assert "rate" not in result.state.memory  # what it has not, nobody makes up
        assert run(WRONG, wrapped, until="steps=3").stop_reason == "no solution"
    file = tmp_path / "run.ck"
    begun = run(ESCARGOT, Exact(), until="steps=0", checkpoint=file)
    assert (begun.steps, begun.solved) == (0, False)
    assert same(resume(file, until="steps=1"), run(ESCARGOT, Exact(), until="steps=1"))
    given_board = run(ESCARGOT, Exact()).board
    assert run(ESCARGOT, Exact(), boards=given_board[None]).steps == 0
