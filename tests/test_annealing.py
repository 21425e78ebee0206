"""Annealing counts its cost right, takes worse boards as often as it should, and solves."""

from __future__ import annotations

import copy
from functools import cache
from itertools import combinations, pairwise, permutations
from math import exp, inf, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from runs import problem_of, states_of, thinned
from strategies import (
    EVERY_GEOMETRY,
    FOUR,
    NINE,
    SEVERAL,
    examples,
    in_python,
    pattern_grid,
    seeds,
    with_digits,
)

from genoku import Puzzle, PuzzleError, bundled
from genoku.engine.run import run
from genoku.errors import RecipeError
from genoku.evolve.algorithms.annealing import Annealing, acceptance, anneal
from genoku.evolve.algorithms.swap_moves import swaps_of
from genoku.evolve.encoding import (
    Encoding,
    PermutedBoxes,
    PermutedColumns,
    PermutedRows,
)
from genoku.evolve.fitness import (
    Normalised,
    Repetitions,
    Unique,
)
from genoku.evolve.operators.adaptation import Adaptation, Constant, Linear, Reheating
from genoku.evolve.presets import preset, presets
from genoku.evolve.problem import Problem
from genoku.evolve.state import State
from genoku.puzzle.board import Board
from genoku.puzzle.geometry import Geometry
from genoku.runtime.jit import JIT_IS_ON
from genoku.runtime.random import stream
from genoku.testing import equal

PERMUTED: list[Encoding] = [PermutedBoxes(), PermutedRows(), PermutedColumns()]
FIXED: list[Encoding] = [PermutedBoxes("singles"), PermutedRows("singles")]
BASIC = bundled()["charles-basic"].puzzle
ESCARGOT = bundled()["ai-escargot"].puzzle
HOT = Constant(1e12)  # every swap is taken


def check(problem: Problem, states: list[State]) -> None:
    """What is true of every state, and of every step."""
    for state in states:
        assert np.array_equal(state.costs, problem.costs(state.boards))
        assert problem.space.contains(state.boards[0])
        assert (state.finished == "solved") == problem.puzzle.is_solved_by(state.boards[0])
        assert (state.ids.tolist(), state.born, state.evaluations) == ([0], 1, 1 + state.moves)
    assert [state.step for state in states] == list(range(len(states)))


@examples(60)
@given(
    st.sampled_from(SEVERAL),
    st.sampled_from(PERMUTED + FIXED),
    st.sampled_from([Repetitions(), Unique(), Normalised()]),
    st.sampled_from([0.0, 0.2, 0.5, 3.0]),
    st.sampled_from([0.1, 0.5, 1.0]),
    st.integers(1, 60),
    seeds,
)
def test_the_cost_it_counts_is_the_cost_of_its_board(
    geometry: Geometry,
    encoding: Encoding,
    fitness: Repetitions,
    temperature: float,
    share: float,
    moves: int,
    seed: int,
) -> None:
    algorithm = Annealing(encoding, fitness, Constant(temperature), moves)
    problem = problem_of(algorithm, thinned(geometry, share, seed))
    states = states_of(algorithm, problem, seed, 12)
    check(problem, states)
    for before, after in pairwise(states):
        made = after.moves - before.moves
        assert made == moves or (after.finished == "solved" and 0 < made <= moves)


@pytest.mark.parametrize("encoding", PERMUTED, ids=repr)
@pytest.mark.parametrize(
    "geometry", [g for g in EVERY_GEOMETRY if g.side <= 25], ids=lambda g: g.box
)
def test_it_works_on_every_geometry(geometry: Geometry, encoding: Encoding) -> None:
    algorithm = Annealing(encoding, moves=200)
    problem = problem_of(algorithm, thinned(geometry, 0.6, 1))
    states = states_of(algorithm, problem, 1, 3)
    check(problem, states)
    assert states[-1].costs[0] < states[0].costs[0]


def test_the_largest_board_without_givens_is_counted_right() -> None:
    algorithm = Annealing(moves=2_000)
    problem = problem_of(algorithm, Puzzle(Geometry(6, 6), bytes(36 * 36)))
    check(problem, states_of(algorithm, problem, 1, 2))


@examples(20)
@given(seeds, st.integers(0, 5), st.integers(0, 5))
def test_a_run_goes_on_from_a_copy_of_any_state(seed: int, before: int, after: int) -> None:
    algorithm = Annealing(temperature=Linear(1.0, 0.1, over=8), moves=40)
    *_, whole = states_of(algorithm, problem_of(algorithm, BASIC), seed, before + after)
    *_, saved = states_of(algorithm, problem_of(algorithm, BASIC), seed, before)
    resumed = copy.deepcopy(saved)
    for _ in range(after):
        resumed = algorithm.step(problem_of(algorithm, BASIC), resumed)
    assert equal(whole, resumed)


def test_at_one_temperature_only_the_number_of_moves_matters() -> None:
    ends = []
    for moves, steps in ((600, 1), (100, 6), (1, 600)):
        algorithm = Annealing(moves=moves)
        ends.append(states_of(algorithm, problem_of(algorithm, ESCARGOT), 3, steps)[-1])
    assert all(equal(ends[0], end._replace(step=1)) for end in ends[1:])


def test_a_step_leaves_the_old_state_as_it_was() -> None:
    algorithm = Annealing(temperature=HOT, moves=20)
    problem = problem_of(algorithm, BASIC)
    rng = stream(1)
    state = algorithm.start(problem, rng)
    before = copy.deepcopy(state)
    after = algorithm.step(problem, state)
    assert equal(state, before)
    assert not np.array_equal(after.boards, state.boards)
    assert np.array_equal(rng, stream(1))


def test_the_seed_makes_the_run() -> None:
    algorithm = Annealing(moves=300)
    problem = problem_of(algorithm, ESCARGOT)
    one, again, other = (states_of(algorithm, problem, seed, 3)[-1] for seed in (1, 1, 2))
    assert equal(one, again)
    assert not np.array_equal(one.boards, other.boards)


def test_it_starts_from_the_board_it_is_given() -> None:
    algorithm = Annealing()
    problem = problem_of(algorithm, BASIC)
    board = problem.space.sample(1, stream(7))
    assert np.array_equal(algorithm.start(problem, stream(1), board).boards, board)
    with pytest.raises(PuzzleError, match=r"1.*board"):
        algorithm.start(problem, stream(1), problem.space.sample(2, stream(7)))


@pytest.mark.parametrize(
    ("puzzle", "encoding"),
    [
        (BASIC, PermutedBoxes()),
        (BASIC, PermutedRows()),
        (BASIC, PermutedColumns()),
        pytest.param(
            ESCARGOT,
            PermutedBoxes(),
            marks=pytest.mark.skipif(not JIT_IS_ON, reason="millions of moves in plain Python"),
        ),
    ],
)
def test_it_solves(puzzle: Puzzle, encoding: Encoding) -> None:
    algorithm = Annealing(encoding)
    last = states_of(algorithm, problem_of(algorithm, puzzle), 1, 2_000)[-1]
    assert last.finished == "solved"
    assert puzzle.is_solved_by(last.boards[0])
    assert last.moves % algorithm.moves != 0, "it stops in the midst of a step"


@pytest.mark.parametrize("name", ["golden-nugget", "easter-monster", "16x16-medium", "seventeen-1"])
@pytest.mark.skipif(not JIT_IS_ON, reason="millions of moves in plain Python")
def test_every_schedule_of_the_preset_solves_hard_boards(name: str) -> None:
    puzzle = bundled()[name].puzzle
    for each in presets():
        if each.name.startswith("annealing") and not each.name.endswith("raw"):
            result = run(puzzle, each.build(), seed=1, until=each.until)
            assert puzzle.is_solved_by(result.board), each.name


@pytest.mark.skipif(not JIT_IS_ON, reason="millions of moves in plain Python")
def test_what_singles_decide_is_not_searched_for() -> None:
    puzzle, until = bundled()["16x16-medium"].puzzle, "moves=15000000"
    moves = []
    for name in ("annealing", "annealing-raw"):
        runs = [run(puzzle, preset(name).build(), seed=seed, until=until) for seed in range(3)]
        moves.append(sum(each.state.moves for each in runs))
    assert 2 * moves[0] < moves[1]


def test_every_swap_is_as_likely_as_any_other() -> None:
    problem = Problem.of(Puzzle(FOUR, bytes(16)), PermutedBoxes(), Repetitions())
    swaps = swaps_of(problem.space)
    board = problem.space.sample(1, stream(1))[0]
    cost = int(problem.costs(board[None])[0])
    assert cost > 0
    each, drawn, rng = 250, dict[tuple[int, ...], int](), stream(2)
    for _ in range(each * len(swaps.pairs)):
        moved = board.copy()
        anneal(moved, swaps, 1e12, 1, cost, rng)
        changed = tuple(np.flatnonzero(moved != board).tolist())
        drawn[changed] = drawn.get(changed, 0) + 1
    assert sorted(drawn) == sorted(map(tuple, swaps.pairs[:, :2].tolist()))
    assert all(abs(times - each) < 5 * sqrt(each) for times in drawn.values())


@cache
def two_blanks_by_change() -> dict[int, tuple[Problem, Board]]:
    """Boards with two blanks, both in the first box, by what it costs to swap these."""
    found: dict[int, tuple[Problem, Board]] = {}
    for board in PermutedBoxes().space(Puzzle(NINE, bytes(81))).sample(30, stream(1)):
        for blanks in combinations(NINE.units[18].tolist(), 2):
            puzzle = with_digits(Puzzle(NINE, board.tobytes()), dict.fromkeys(blanks, 0))
            problem = Problem.of(puzzle, PermutedBoxes(), Repetitions())
            swapped = board.copy()
            swapped[list(blanks)] = board[list(blanks[::-1])]
            cost, then = problem.costs(np.stack((board, swapped))).tolist()
            found[then - cost] = problem, board
    return found


@pytest.mark.parametrize("temperature", [0.8, 2.5])
@pytest.mark.parametrize("change", range(-4, 5))
def test_a_worse_board_is_taken_with_the_probability_of_metropolis(
    change: int, temperature: float
) -> None:
    problem, board = two_blanks_by_change()[change]
    swaps, cost = swaps_of(problem.space), int(problem.costs(board[None])[0])
    tries, taken, rng = 4_000, 0, stream(change + 10, str(temperature))
    for _ in range(tries):
        moved = board.copy()
        _, now = anneal(moved, swaps, temperature, 1, cost, rng)
        taken += not np.array_equal(moved, board)
        assert now == problem.costs(moved[None])[0]
    expected = min(1.0, exp(-change / temperature))
    assert abs(taken / tries - expected) <= 5 * sqrt(expected * (1 - expected) / tries)


def test_boards_are_visited_as_boltzmann_says() -> None:
    # A box with all its cells blank, beside clashing givens: no board is solved, so it never ends.
    grid = pattern_grid(FOUR)
    clash = {10: grid.digits[15], 15: grid.digits[10]}
    puzzle = with_digits(grid, {**clash, **dict.fromkeys((0, 1, 4, 5), 0)})
    temperature, samples = 1.5, 40_000
    algorithm = Annealing(temperature=Constant(temperature), moves=samples)
    problem = problem_of(algorithm, puzzle)
    boards = []
    for digits in permutations((1, 2, 3, 4)):
        board = puzzle.board.copy()
        board[[0, 1, 4, 5]] = digits
        boards.append(board)
    weights = np.exp(-problem.costs(np.stack(boards)) / temperature)
    visits = dict.fromkeys((board.tobytes() for board in boards), 0)
    state = algorithm.start(problem, stream(1))
    board, rng, swaps = state.boards[0].copy(), stream(2), swaps_of(problem.space)
    cost = int(state.costs[0])
    for _ in range(samples):
        _, cost = anneal(board, swaps, temperature, 3, cost, rng)
        visits[board.tobytes()] += 1
    shares = np.array(list(visits.values())) / samples
    assert np.abs(shares - weights / weights.sum()).sum() / 2 < 0.03


def test_no_swap_makes_a_frozen_board_worse() -> None:
    algorithm = Annealing(temperature=Constant(0.0), moves=1)
    states = states_of(algorithm, problem_of(algorithm, ESCARGOT), 1, 400)
    costs = [int(state.costs[0]) for state in states]
    assert costs == sorted(costs, reverse=True)
    assert costs[-1] < costs[0]


def test_every_swap_is_taken_where_it_is_hot() -> None:
    algorithm = Annealing(temperature=HOT, moves=1)
    states = states_of(algorithm, problem_of(algorithm, ESCARGOT), 1, 200)
    changed = [int((a.boards != b.boards).sum()) for a, b in pairwise(states)]
    assert changed == [2] * 200


@pytest.mark.parametrize("temperature", [0.0, 1e-300, 0.35, 10.0, inf])
def test_the_chances_of_acceptance_fall_with_the_cost(temperature: float) -> None:
    limits = acceptance(temperature).astype(float) / 2**32
    assert (limits[:5] == 1).all()
    wanted = [exp(-worse / temperature) if temperature else 0.0 for worse in range(1, 5)]
    assert limits[5:] == pytest.approx(wanted, abs=2**-32)


def test_the_temperature_belongs_to_its_adaptation() -> None:
    algorithm = Annealing(temperature=Linear(2.0, 1.0, over=4), moves=5)
    states = states_of(algorithm, problem_of(algorithm, ESCARGOT), 1, 6)
    assert [state.memory["rate"] for state in states] == [2.0, 1.75, 1.5, 1.25, 1.0, 1.0, 1.0]


def test_a_board_that_stands_still_is_heated_again() -> None:
    heat = Reheating(Linear(1.0, 0.0, over=4), every=50, patience=6)
    algorithm = Annealing(temperature=heat, moves=200)
    states = states_of(algorithm, problem_of(algorithm, ESCARGOT), 1, 60)
    for before, after in pairwise(states):
        if before.memory["rate"] < after.memory["rate"] == 1.0:
            assert before.memory["waited"] == 5 or before.memory["step"] == 49
    assert [state.memory["rate"] for state in states].count(1.0) > 3


@examples(15)
@given(st.sampled_from(SEVERAL), st.sampled_from(PERMUTED), st.sampled_from([0.0, 0.5]), seeds)
def test_the_kernel_agrees_with_its_python(
    geometry: Geometry, encoding: Encoding, temperature: float, seed: int
) -> None:
    problem = Problem.of(thinned(geometry, 0.7, seed), encoding, Repetitions())
    boards = problem.space.sample(1, stream(seed))
    cost = int(problem.costs(boards)[0])
    ends = []
    for kernel in (anneal, in_python(anneal)):
        board, rng = boards[0].copy(), stream(seed)
        result = kernel(board, swaps_of(problem.space), temperature, 60, cost, rng)
        ends.append((tuple(map(int, result)), board.tolist(), rng.tolist()))
    assert ends[0] == ends[1]


def test_it_refuses_steps_without_moves_and_temperatures_that_are_none() -> None:
    with pytest.raises(RecipeError, match="got 0"):
        Annealing(moves=0)
    number: Any = 0.35
    temperature: Adaptation = number
    with pytest.raises(RecipeError, match=r"temperature.*0\.35"):
        Annealing(temperature=temperature)
