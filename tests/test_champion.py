"""The champion: partial boards that break no rule, proofs that hold, and boards that get solved."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray
from runs import problem_of, same, states_of
from strategies import (
    SEVERAL,
    UP_TO_NINE,
    doubtful_puzzles,
    examples,
    pattern_grid,
    solvable_puzzles,
)

from genoku import bundled, resume, run
from genoku.engine.history import Record
from genoku.errors import CheckpointError, PuzzleError, RecipeError
from genoku.evolve.algorithms import Champion, Islands, Restarts
from genoku.evolve.algorithms.champion import find_place
from genoku.evolve.problem import Problem
from genoku.evolve.state import State
from genoku.exact import oracle
from genoku.puzzle.board import Puzzle
from genoku.puzzle.geometry import Geometry
from genoku.runtime.random import stream

HARD = bundled()["golden-nugget"].puzzle
SLOW = Champion(population=4, tries=2)
CHAMPIONS = {
    "champion": SLOW,
    "headless chicken": replace(SLOW, inherit="parent"),
    "alone": replace(SLOW, inherit="nothing"),
    "one trajectory": replace(SLOW, inherit="nothing", population=1),
    "locked": replace(SLOW, rules="locked"),
    "singles": replace(SLOW, rules="singles", trust=0.0),
    "restarted": Restarts(SLOW, "steps=5"),
    "islands": Islands(SLOW, islands=2, interval=3),
}
every_champion = pytest.mark.parametrize("algorithm", CHAMPIONS.values(), ids=CHAMPIONS)


@every_champion
def test_boards_break_no_rule_and_cost_what_is_open(algorithm: Champion) -> None:
    problem = problem_of(algorithm, HARD)
    for state in states_of(algorithm, problem, 1, 12):
        assert all(problem.space.contains(board) for board in state.boards)
        assert state.costs.tolist() == (state.boards == 0).sum(axis=1).tolist()
        assert (state.finished == "solved") == bool(state.costs.min() == 0)


@every_champion
def test_the_same_seed_gives_the_same_run_and_another_seed_another(algorithm: Champion) -> None:
    record = Record(lineage=True)
    one, again, other = (
        run(HARD, algorithm, seed=s, until="steps=12", record=record) for s in (3, 3, 4)
    )
    assert same(one, again)
    assert not np.array_equal(one.state.boards, other.state.boards)


@every_champion
def test_a_step_leaves_the_state_before_it_alone(algorithm: Champion) -> None:
    problem = problem_of(algorithm, HARD)
    state = states_of(algorithm, problem, 2, 5)[-1]
    before = frozen(state)
    algorithm.step(problem, state)
    assert frozen(state) == before


def frozen(state: State) -> list[bytes]:
    arrays: list[NDArray[Any]] = [
        state.rng,
        state.boards,
        state.costs,
        state.ids,
        *state.arrays.values(),
    ]
    return [array.tobytes() for array in arrays] + [
        b for inner in state.inner for b in frozen(inner)
    ]


@every_champion
def test_a_resumed_run_goes_on_as_if_never_stopped(algorithm: Champion, tmp_path: Path) -> None:
    file = tmp_path / "run.ck"
    whole = run(HARD, algorithm, seed=5, until="steps=12")
    run(HARD, algorithm, seed=5, until="steps=5", checkpoint=file)
    assert same(resume(file, until="steps=12"), whole)


@given(pair=solvable_puzzles(SEVERAL), seed=st.integers(0, 2**20))
@examples(40)
def test_a_puzzle_with_a_solution_is_solved(pair: tuple[Puzzle, Puzzle], seed: int) -> None:
    puzzle, _ = pair
    result = run(puzzle, Champion(), seed=seed, until="steps=400")
    assert result.solved
    assert puzzle.is_solved_by(result.board)


@given(puzzle=doubtful_puzzles(UP_TO_NINE), seed=st.integers(0, 2**20))
@examples(60)
def test_no_solution_is_a_proof_and_a_solution_is_one(puzzle: Puzzle, seed: int) -> None:
    if puzzle.conflicts():
        return
    result = run(puzzle, Champion(), seed=seed, until="steps=40")
    solvable = oracle.solve(puzzle).solved
    assert result.solved == solvable
    if result.stop_reason == "no solution":
        assert not solvable


@pytest.mark.parametrize("rules", ["singles", "locked", "pairs"])
@given(seed=st.integers(0, 2**20))
@examples(15)
def test_what_is_ruled_out_for_good_is_in_no_solution(rules: Any, seed: int) -> None:
    algorithm = Champion(population=2, tries=1, rules=rules)
    problem = problem_of(algorithm, HARD)
    solution = oracle.solve(HARD).board
    assert solution is not None
    before = None
    for state in states_of(algorithm, problem, seed, 20):
        options = state.arrays["options"]
        assert np.all(options >> (solution.astype(np.uint64) - np.uint64(1)) & np.uint64(1))
        assert before is None or not np.any(options & ~before)
        before = options


@given(content=st.randoms(use_true_random=False))
@examples(40)
def test_whatever_the_arrays_hold_a_step_bears_it(content: Random) -> None:
    """A checkpoint may come from anywhere, and kernels do not look before they leap."""
    algorithm = Champion(population=3, tries=4)
    problem = problem_of(algorithm, HARD)
    state = states_of(algorithm, problem, 0, 4)[-1]
    rng = np.random.default_rng(content.getrandbits(32))
    wild = {
        name: np.frombuffer(rng.bytes(array.nbytes), array.dtype).reshape(array.shape).copy()
        for name, array in state.arrays.items()
    }
    odd = [np.zeros_like(wild["weights"]), np.full_like(wild["weights"], np.nan)]
    for weights in (wild["weights"], *odd):
        with np.errstate(all="ignore"):
            after = algorithm.step(problem, state._replace(arrays={**wild, "weights": weights}))
        assert after.costs.tolist() == problem.costs(after.boards).tolist()


def test_who_migrates_brings_decisions_along_and_is_not_built_anew() -> None:
    algorithm = Champion(population=3, tries=1)
    problem, other = under_way(algorithm)
    state = algorithm.start(problem, stream(1))
    best = int(other.costs.argmin())
    after = algorithm.with_immigrants(
        state, np.array([0]), other.boards[best : best + 1], other.costs[best : best + 1]
    )
    assert after.boards[0].tolist() == other.boards[best].tolist()
    decided = (after.boards[0] > 0) & (state.boards[0] == 0)
    assert (after.arrays["marks"][0] > 0).tolist() == decided.tolist()
    later = algorithm.step(problem, after)
    assert later.ids[0] == after.ids[0]
    assert later.ids[1] == after.born


def test_a_checkpoint_with_other_arrays_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "run.ck"
    run(HARD, SLOW, until="steps=2", checkpoint=file)
    held = dict(np.load(file))
    held["state.arrays.weights"] = held["state.arrays.weights"][:5]
    with file.open("wb") as out:
        np.savez(out, **held)
    with pytest.raises(CheckpointError, match="arrays"):
        resume(file)


def test_a_puzzle_that_singles_refute_ends_at_once() -> None:
    result = run(Puzzle.parse("12.....3...4...."), Champion())
    assert (result.stop_reason, result.steps, result.solved) == ("no solution", 0, False)
    assert "r1c4" in result.problem.space.refuted


def test_clashing_givens_have_no_solution() -> None:
    clash = Puzzle.parse("11..............")
    assert run(clash, Champion(), allow_conflicts=True).stop_reason == "no solution"
    with pytest.raises(PuzzleError, match="conflict"):
        run(clash, Champion())


def test_what_singles_decide_needs_no_step() -> None:
    result = run(bundled()["charles-basic"].puzzle, Champion())
    assert (result.solved, result.steps) == (True, 0)
    full = pattern_grid(Geometry(2, 3))
    assert run(full, Champion()).solved


def test_given_boards_are_where_it_starts() -> None:
    solution = oracle.solve(HARD).board
    assert solution is not None
    part = solution.copy()
    part[np.flatnonzero(HARD.board == 0)[::2]] = 0
    problem = problem_of(SLOW, HARD)
    state = SLOW.start(problem, stream(1), part[None])
    assert state.boards[0].tolist() == part.tolist()
    assert state.arrays["marks"][0].sum() == np.count_nonzero(part) - problem.space.puzzle.givens
    assert SLOW.start(problem, stream(1), solution[None]).finished == "solved"


def under_way(algorithm: Champion) -> tuple[Problem, State]:
    """The pool of a run that has made children, and is not solved yet."""
    problem = problem_of(algorithm, HARD)
    pools = (states_of(algorithm, problem, seed, 8)[-1] for seed in range(100))
    return problem, next(pool for pool in pools if not pool.finished)


def test_a_child_of_agreement_keeps_what_its_parents_agree_on_and_nothing_else() -> None:
    algorithm = Champion(population=4, tries=1, keep=1.0)
    problem, state = under_way(algorithm)
    child = algorithm._create_child(problem, state, stream(3))
    one, other = (state.boards[parent] for parent in child.parents)
    agreed = (one == other) & (one > 0) & (problem.space.puzzle.board == 0)
    assert (child.marks > 0).tolist() == agreed.tolist()
    assert child.board[agreed].tolist() == one[agreed].tolist()


def test_a_headless_chicken_inherits_as_many_cells_on_average() -> None:
    ours, chicken = (
        Champion(population=4, tries=1, inherit=way) for way in ("agreement", "parent")
    )
    problem, state = under_way(ours)
    kept = [
        [int(each._create_child(problem, state, stream(s)).marks.sum()) for s in range(300)]
        for each in (ours, chicken)
    ]
    means = [float(np.mean(counts)) for counts in kept]
    error = np.hypot(*(np.std(counts) / np.sqrt(300) for counts in kept))
    assert abs(means[0] - means[1]) < 4 * error


def test_a_child_takes_the_place_of_its_twin_or_of_the_worst() -> None:
    _, state = under_way(SLOW)
    costs = np.array([9, 5, 30, 7], np.int32)
    state = state._replace(costs=costs)
    twin = state.boards[1]
    assert find_place(state, twin, 5, stream(1)) == 1
    assert find_place(state, twin, 6, stream(1)) == -1
    stranger = (twin + 1) % 10
    assert find_place(state, stranger, 20, stream(1)) == 2
    places = [find_place(state, stranger, 40, stream(s)) for s in range(2000)]
    share = np.mean([place >= 0 for place in places])
    assert 0.07 < share < 0.13
    assert set(places) == {-1, 0, 2, 3}  # never the best one's


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"population": 1}, "population"),
        ({"population": 0, "inherit": "nothing"}, "population"),
        ({"tries": 0}, "tries"),
        ({"keep": 1.5}, "keep"),
        ({"near": float("nan")}, "near"),
        ({"forget": 0.0}, "forget"),
        ({"weigh": -0.5}, "weigh"),
        ({"weigh": float("inf")}, "weigh"),
        ({"temperature": -1.0}, "temperature"),
        ({"inherit": "all"}, "inherit"),
        ({"rules": "chains"}, "rules"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(wrong: dict[str, Any], field: str) -> None:
    with pytest.raises(RecipeError) as caught:
        Champion(**wrong)
    assert caught.value.path == (field,)
