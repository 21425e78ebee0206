"""Min-conflicts makes the moves that report 001 describes, and fails where it has none."""

from __future__ import annotations

import copy
from collections import Counter
from itertools import pairwise
from math import sqrt
from typing import Literal

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray
from runs import problem_of, states_of, thinned
from strategies import (
    EVERY_GEOMETRY,
    FOUR,
    SEVERAL,
    examples,
    in_python,
    pattern_grid,
    seeds,
    with_digits,
)

from genoku import Puzzle, PuzzleError, bundled
from genoku.evolve.algorithms.min_conflicts import MinConflicts, blanks_of, repair
from genoku.evolve.algorithms.restarts import Restarts
from genoku.evolve.encoding import (
    Encoding,
    FreeCells,
    LegalCells,
)
from genoku.evolve.fitness import (
    Contradictions,
    Fitness,
    Repetitions,
    Unique,
)
from genoku.evolve.operators.adaptation import Constant, Exponential
from genoku.evolve.problem import Problem
from genoku.evolve.state import State
from genoku.puzzle.board import Board
from genoku.puzzle.geometry import Geometry
from genoku.runtime.random import stream
from genoku.testing import equal

FREE: list[Encoding] = [LegalCells(), FreeCells()]
COUNTING: list[Fitness] = [
    Contradictions("pairs"),
    Contradictions("surplus"),
    Repetitions(),
    Unique(),
]
VERY_EASY = bundled()["charles-very-easy"].puzzle
NEVER, ALWAYS = Constant(0.0), Constant(1.0)

Stuck = Literal["fail", "downhill"]
Move = tuple[int, int]
"""A cell and its new digit."""


def conflicts(problem: Problem, board: Board, cell: int, digit: int) -> int:
    """How many other cells of each of the cell's units hold the digit, counted by hand."""
    units = [unit for unit in problem.puzzle.geometry.units.tolist() if cell in unit]
    return sum(board[other] == digit for unit in units for other in unit if other != cell)


def with_digit(board: Board, cell: int, digit: int) -> Board:
    changed = board.copy()
    changed[cell] = digit
    return changed


def legal_digits(problem: Problem, cell: int) -> list[int]:
    place = problem.space.genes.tolist().index(cell)
    digits: list[int] = problem.space.digits[place, : problem.space.choices[place]].tolist()
    return digits


def moves_of_the_report(problem: Problem, board: Board) -> tuple[set[Move], set[Move], list[int]]:
    """The neighbours report 001 may go to, the downhill moves instead, and all worst cells."""
    now = {
        cell: conflicts(problem, board, cell, int(board[cell]))
        for cell in problem.space.genes.tolist()
    }
    for level in sorted(set(now.values()), reverse=True):
        uphill: set[Move] = set()
        downhill: set[Move] = set()
        cells = [cell for cell in now if now[cell] == level]
        for cell in cells:
            then = {d: conflicts(problem, board, cell, d) for d in legal_digits(problem, cell)}
            better = [d for d in then if d != board[cell] and then[d] < level]
            if better:
                cost = {d: problem.costs(with_digit(board, cell, d)[None])[0] for d in better}
                uphill |= {(cell, d) for d in better if cost[d] == min(cost.values())}
                downhill |= {(cell, d) for d in then if then[d] > level and d != board[cell]}
        if uphill:
            return uphill, downhill, cells
    return set(), set(), []


def move_between(before: State, after: State) -> Move:
    (cell,) = np.flatnonzero(before.boards[0] != after.boards[0]).tolist()
    return cell, int(after.boards[0, cell])


def moves_drawn(
    problem: Problem, algorithm: MinConflicts, board: Board, times: int
) -> Counter[Move]:
    """The first moves from a board, over many seeds."""
    drawn: Counter[Move] = Counter()
    for seed in range(times):
        state = algorithm.start(problem, stream(seed), board[None])
        drawn[move_between(state, algorithm.step(problem, state))] += 1
    return drawn


@examples(60)
@given(
    st.sampled_from(SEVERAL),
    st.sampled_from(FREE),
    st.sampled_from(COUNTING),
    st.sampled_from([0.0, 0.4, 1.0]),
    st.sampled_from([0.1, 0.5, 1.0]),
    st.integers(1, 20),
    st.sampled_from(("fail", "downhill")),
    seeds,
)
def test_the_cost_it_counts_is_the_cost_of_its_board(
    geometry: Geometry,
    encoding: Encoding,
    fitness: Fitness,
    chance: float,
    share: float,
    moves: int,
    stuck: Stuck,
    seed: int,
) -> None:
    algorithm = MinConflicts(encoding, fitness, Constant(chance), moves, stuck)
    problem = problem_of(algorithm, thinned(geometry, share, seed))
    for number, state in enumerate(states_of(algorithm, problem, seed, 10)):
        assert np.array_equal(state.costs, problem.costs(state.boards))
        assert problem.space.contains(state.boards[0])
        assert (state.finished == "solved") == problem.puzzle.is_solved_by(state.boards[0])
        assert (state.step, state.ids.tolist(), state.born) == (number, [0], 1)
        assert state.evaluations > state.moves, "every move tries a digit or more"
        assert state.finished or state.moves == number * moves


@pytest.mark.parametrize("encoding", FREE, ids=repr)
@pytest.mark.parametrize(
    "geometry", [g for g in EVERY_GEOMETRY if g.side <= 25], ids=lambda g: g.box
)
def test_it_works_on_every_geometry(geometry: Geometry, encoding: Encoding) -> None:
    algorithm = MinConflicts(encoding, chance=NEVER, moves=20)
    problem = problem_of(algorithm, thinned(geometry, 0.6, 1))
    states = states_of(algorithm, problem, 1, 3)
    costs = [int(state.costs[0]) for state in states]
    assert costs == problem.costs(np.concatenate([state.boards for state in states])).tolist()
    assert costs[-1] < costs[0]


@examples(25)
@given(
    st.sampled_from([g for g in SEVERAL if g.side <= 9]),
    st.sampled_from(FREE),
    st.sampled_from(COUNTING[:2]),
    st.booleans(),
    seeds,
)
def test_every_move_is_one_the_report_allows(
    geometry: Geometry, encoding: Encoding, fitness: Fitness, is_downhill: bool, seed: int
) -> None:
    algorithm = MinConflicts(encoding, fitness, ALWAYS if is_downhill else NEVER, moves=1)
    problem = problem_of(algorithm, thinned(geometry, 0.7, seed))
    states = states_of(algorithm, problem, seed, 8)
    for before, after in pairwise(states):
        uphill, downhill, cells = moves_of_the_report(problem, before.boards[0])
        if after.finished == "failed":
            assert not uphill
            assert equal(after.boards, before.boards)
            continue
        cell, digit = move_between(before, after)
        assert cell in cells
        if is_downhill and any(place == cell for place, _ in downhill):
            assert (cell, digit) in downhill
        else:
            assert (cell, digit) in uphill


def test_ties_are_broken_at_random() -> None:
    algorithm = MinConflicts(FreeCells(), chance=NEVER, moves=1)
    problem = problem_of(algorithm, Puzzle(FOUR, bytes(16)))
    board = np.ones(16, np.uint8)  # every cell is as bad as any other, every digit as good
    uphill, _, _ = moves_of_the_report(problem, board)
    assert len(uphill) == 16 * 3
    times = 9_600
    drawn = moves_drawn(problem, algorithm, board, times)
    each = times / len(uphill)
    assert set(drawn) == uphill
    assert all(abs(count - each) < 5 * sqrt(each) for count in drawn.values())


# r1c1 can hold nothing but 1 and clashes six times; next comes r2c1, five times, which can hold 4.
#   1  1  1 (4)
#   1 (2) 3  1
#   1  4  3  2
#  (3) 4  2  1
HOPELESS = Puzzle.parse("...4 .2.. .... 3...")
HOPELESS_BOARD = Puzzle.parse("1114 1231 1432 3421").board.copy()


def test_a_worst_cell_that_nothing_improves_is_marked_and_the_next_worst_taken() -> None:
    algorithm = MinConflicts(chance=NEVER, moves=1)
    problem = problem_of(algorithm, HOPELESS)
    assert legal_digits(problem, 0) == [1]
    assert [conflicts(problem, HOPELESS_BOARD, cell, 1) for cell in (0, 4)] == [6, 5]
    assert set(moves_drawn(problem, algorithm, HOPELESS_BOARD, 50)) == {(4, 4)}


def test_marks_are_taken_away_after_a_move() -> None:
    # One step of many moves does what as many steps of one move do, which begin without marks.
    for seed in range(20):
        ends = []
        for moves, steps in ((12, 1), (1, 12)):
            algorithm = MinConflicts(chance=Constant(0.3), moves=moves)
            problem = problem_of(algorithm, bundled()["charles-hard"].puzzle)
            ends.append(states_of(algorithm, problem, seed, steps)[-1])
        assert equal(ends[0], ends[1]._replace(step=1))


def test_the_digits_tried_are_counted() -> None:
    algorithm = MinConflicts(chance=NEVER, moves=1)
    problem = problem_of(algorithm, HOPELESS)
    state = algorithm.start(problem, stream(1), HOPELESS_BOARD[None])
    after = algorithm.step(problem, state)
    others = 0 + 1  # than 1: none in r1c1, and 4 in r2c1
    assert (state.evaluations, after.evaluations, after.moves) == (1, 1 + others, 1)


def test_with_chance_0_every_move_improves_the_board() -> None:
    algorithm = MinConflicts(chance=NEVER, moves=1)
    problem = problem_of(algorithm, VERY_EASY)
    for seed in range(30):
        states = states_of(algorithm, problem, seed, 1_000)
        costs = [int(state.costs[0]) for state in states if state.finished != "failed"]
        assert all(after < before for before, after in pairwise(costs))
        assert states[-1].finished


def test_with_chance_1_the_neighbour_is_taken_where_no_digit_is_worse() -> None:
    # One blank in a solved board: every wrong digit clashes three times, in row, column and box.
    algorithm = MinConflicts(FreeCells(), chance=ALWAYS, moves=1)
    grid = pattern_grid(FOUR)
    problem = problem_of(algorithm, with_digits(grid, {0: 0}))
    board = with_digit(grid.board, 0, grid.digits[1])
    assert set(moves_drawn(problem, algorithm, board, 50)) == {(0, grid.digits[0])}


@pytest.mark.parametrize("chance", [0.0, 0.25, 0.7, 1.0])
def test_the_chance_is_the_share_of_downhill_moves(chance: float) -> None:
    # One blank, among clashing givens: 1 clashes once there, 2 never, 3 and 4 four times each.
    algorithm = MinConflicts(FreeCells(), chance=Constant(chance), moves=1)
    problem = problem_of(algorithm, Puzzle.parse(".341 4422 3222 3222"))
    board = with_digit(problem.puzzle.board, 0, 1)
    assert [conflicts(problem, board, 0, digit) for digit in (1, 2, 3, 4)] == [1, 0, 4, 4]
    times = 3_000
    drawn = moves_drawn(problem, algorithm, board, times)
    uphill, *downhill = (drawn[0, digit] for digit in (2, 3, 4))
    assert uphill + sum(downhill) == times
    for count, share in ((uphill, 1 - chance), *((each, chance / 2) for each in downhill)):
        assert abs(count / times - share) <= 5 * sqrt(share * (1 - share) / times)


def test_the_chance_belongs_to_its_adaptation_and_falls() -> None:
    algorithm = MinConflicts(moves=2)
    states = states_of(algorithm, problem_of(algorithm, VERY_EASY), 1, 8)
    rates = [state.memory["rate"] for state in states]
    assert len(rates) > 4
    assert rates == sorted(set(rates), reverse=True)
    schedule = MinConflicts(chance=Exponential(0.5, 0.1, over=2), moves=1)
    states = states_of(schedule, problem_of(schedule, VERY_EASY), 1, 3)
    assert [state.memory["rate"] for state in states] == pytest.approx([0.5, 0.05**0.5, 0.1, 0.1])


def test_a_failure_leaves_no_cell_that_a_digit_improves() -> None:
    algorithm = MinConflicts()
    problem = problem_of(algorithm, bundled()["charles-hard"].puzzle)
    for seed in range(5):
        last = states_of(algorithm, problem, seed, 1_000)[-1]
        assert last.finished == "failed"
        assert last.costs[0] > 0
        assert moves_of_the_report(problem, last.boards[0]) == (set(), set(), [])
        assert last.moves % algorithm.moves != 0 or last.moves == (last.step - 1) * algorithm.moves


def test_some_starts_solve_a_small_board_and_some_fail() -> None:
    algorithm = MinConflicts()
    problem = problem_of(algorithm, thinned(FOUR, 0.6, 2))
    ends = Counter(states_of(algorithm, problem, seed, 100)[-1].finished for seed in range(200))
    assert ends["solved"] > 10
    assert ends["failed"] > 10
    assert ends[""] == 0


def test_it_solves_an_easy_board_when_it_is_restarted() -> None:
    algorithm = Restarts(MinConflicts(), "stagnation=100")
    puzzle = bundled()["6x6-easy"].puzzle
    last = states_of(algorithm, problem_of(algorithm, puzzle), 1, 5_000)[-1]
    assert last.finished == "solved"
    assert puzzle.is_solved_by(last.boards[0])


@examples(20)
@given(seeds, st.integers(0, 4), st.integers(0, 4))
def test_a_run_goes_on_from_a_copy_of_any_state(seed: int, before: int, after: int) -> None:
    algorithm = MinConflicts(moves=3)
    *_, whole = states_of(algorithm, problem_of(algorithm, VERY_EASY), seed, before + after)
    *_, saved = states_of(algorithm, problem_of(algorithm, VERY_EASY), seed, before)
    resumed = copy.deepcopy(saved)
    while resumed.step < before + after and not resumed.finished:
        resumed = algorithm.step(problem_of(algorithm, VERY_EASY), resumed)
    assert equal(whole, resumed)


def test_a_step_leaves_the_old_state_as_it_was() -> None:
    algorithm = MinConflicts()
    problem = problem_of(algorithm, VERY_EASY)
    rng = stream(1)
    state = algorithm.start(problem, rng)
    before = copy.deepcopy(state)
    assert not equal(algorithm.step(problem, state).boards, state.boards)
    assert equal(state, before)
    assert np.array_equal(rng, stream(1))


def test_the_seed_makes_the_run() -> None:
    algorithm = MinConflicts()
    problem = problem_of(algorithm, VERY_EASY)
    one, again, other = (states_of(algorithm, problem, seed, 3)[-1] for seed in (1, 1, 2))
    assert equal(one, again)
    assert not np.array_equal(one.boards, other.boards)


def test_it_starts_from_one_board_at_most() -> None:
    algorithm = MinConflicts()
    problem = problem_of(algorithm, VERY_EASY)
    with pytest.raises(PuzzleError, match=r"1.*board"):
        algorithm.start(problem, stream(1), problem.space.sample(2, stream(7)))


@pytest.mark.parametrize("encoding", FREE, ids=repr)
def test_a_full_board_is_solved_or_never_will_be(encoding: Encoding) -> None:
    algorithm = MinConflicts(encoding)
    grid = pattern_grid(FOUR)
    assert algorithm.start(problem_of(algorithm, grid), stream(1)).finished == "solved"
    clashing = problem_of(algorithm, with_digits(grid, {0: grid.digits[1]}))
    state = algorithm.start(clashing, stream(1))
    after = algorithm.step(clashing, state)
    assert (state.finished, after.finished, after.moves) == ("", "failed", 0)


@examples(15)
@given(
    st.sampled_from(SEVERAL),
    st.sampled_from(FREE),
    st.sampled_from(COUNTING[:2]),
    st.sampled_from([0.0, 0.5, 1.0]),
    st.booleans(),
    seeds,
)
def test_the_kernel_agrees_with_its_python(
    geometry: Geometry,
    encoding: Encoding,
    fitness: Contradictions,
    chance: float,
    goes_on: bool,
    seed: int,
) -> None:
    problem = Problem.of(thinned(geometry, 0.7, seed), encoding, fitness)
    boards = problem.space.sample(1, stream(seed))
    cost, in_pairs = int(problem.costs(boards)[0]), fitness.counted == "pairs"
    ends: list[tuple[list[int], list[int], NDArray[np.uint64]]] = []
    for kernel in (repair, in_python(repair)):
        board, rng = boards[0].copy(), stream(seed)
        result = kernel(board, blanks_of(problem.space), in_pairs, chance, 15, goes_on, cost, rng)
        ends.append((list(map(int, result)), board.tolist(), rng))
    assert equal(*ends)
