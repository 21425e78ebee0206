"""Tabu search makes the best swap it may, forgets in time, counts its cost right, and solves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from runs import problem_of, states_of, thinned
from strategies import FOUR, NINE, SEVERAL, examples, in_python, pattern_grid, seeds, with_digits

from genoku import Puzzle, bundled
from genoku.engine.run import run
from genoku.errors import RecipeError
from genoku.evolve.algorithms.swap_moves import count_digits
from genoku.evolve.algorithms.tabu import (
    Tabu,
    best_swaps,
    find_conflicts,
    swaps_by_cell,
    tabu_search,
)
from genoku.evolve.encoding import (
    Encoding,
    PermutedBoxes,
    PermutedColumns,
    PermutedRows,
)
from genoku.evolve.fitness import Normalised, Repetitions
from genoku.evolve.presets import preset
from genoku.evolve.problem import Problem
from genoku.evolve.state import State
from genoku.puzzle.board import Board
from genoku.puzzle.geometry import Geometry
from genoku.runtime.jit import JIT_IS_ON
from genoku.runtime.random import stream

PERMUTED: list[Encoding] = [
    PermutedBoxes(),
    PermutedRows(),
    PermutedColumns(),
    PermutedBoxes(fixed="singles"),
]
BASIC = bundled()["charles-basic"].puzzle
ESCARGOT = bundled()["ai-escargot"].puzzle

Pair = tuple[int, int]


def reference(
    problem: Problem, board: Board, barred: Any, lowest: int
) -> tuple[int, set[Pair], int]:
    """The best swaps that are allowed, what they change, and how many touch a clash: by the rules.

    Nothing is counted along: every swap is made, and the whole board evaluated.
    """
    space, geometry = problem.space, problem.puzzle.geometry
    unit_of = {"row": geometry.row_of, "column": geometry.column_of, "box": geometry.box_of}
    others = [unit_of[kind] for kind in unit_of if kind != space.keeps]
    clashes = {
        cell
        for cell in range(geometry.cells)
        for units in others
        if ((units == units[cell]) & (board == board[cell])).sum() > 1
    }
    cost = int(problem.costs(board[None])[0])
    looked_at, allowed = 0, dict[Pair, int]()
    for group, size in zip(space.groups.tolist(), space.sizes.tolist(), strict=True):
        for a, b in pairs_of(group[:size]):
            if not {a, b} & clashes:
                continue
            looked_at += 1
            after = board.copy()
            after[[a, b]] = board[[b, a]]
            then = int(problem.costs(after[None])[0])
            tabu = barred[a, board[b]] > 0 and barred[b, board[a]] > 0
            if not tabu or then < lowest:
                allowed[a, b] = then - cost
    least = min(allowed.values(), default=0)
    return least, {pair for pair, change in allowed.items() if change == least}, looked_at


def pairs_of(cells: list[int]) -> Iterator[Pair]:
    return ((a, b) for i, a in enumerate(cells) for b in cells[i + 1 :])


def chosen(problem: Problem, board: Board, barred: Any, lowest: int) -> tuple[int, list[Pair], int]:
    """The same as the kernels have it."""
    swaps = swaps_by_cell(problem.space)
    cells, _, pairs, starts = swaps
    counts, clashes = count_digits(board, starts), np.zeros(len(board), np.bool_)
    clashing, found = np.empty(len(cells) + 1, np.uint16), np.empty(len(pairs), np.uint16)
    met = find_conflicts(board, counts, swaps, clashes, clashing)
    record = lowest - int(problem.costs(board[None])[0])
    least, count, looked_at = best_swaps(
        board, counts, swaps, clashes, clashing, met, barred, 0, record, found
    )
    listed = [(min(a, b), max(a, b)) for a, b in pairs[found[:count], :2].tolist()]
    return int(least) if count else 0, sorted(listed), int(looked_at)


def swapped(before: State, after: State) -> Pair | None:
    """The two cells whose digits a single move exchanged; None if it passed."""
    cells = np.flatnonzero(before.boards[0] != after.boards[0]).tolist()
    if not cells:
        return None
    a, b = cells
    assert before.boards[0, [a, b]].tolist() == after.boards[0, [b, a]].tolist()
    return a, b


@examples(60)
@given(
    st.sampled_from(SEVERAL),
    st.sampled_from(PERMUTED),
    st.sampled_from([Repetitions(), Normalised()]),
    st.integers(0, 12),
    st.sampled_from([0.1, 0.5, 1.0]),
    st.integers(1, 30),
    seeds,
)
def test_the_cost_it_counts_is_the_cost_of_its_board(
    geometry: Geometry,
    encoding: Encoding,
    fitness: Repetitions,
    tenure: int,
    share: float,
    moves: int,
    seed: int,
) -> None:
    algorithm = Tabu(encoding, fitness, tenure, moves=moves)
    problem = problem_of(algorithm, thinned(geometry, share, seed))
    states = states_of(algorithm, problem, seed, 5)
    for state in states:
        assert np.array_equal(state.costs, problem.costs(state.boards))
        assert problem.space.contains(state.boards[0])
        assert (state.finished == "solved") == problem.puzzle.is_solved_by(state.boards[0])
        assert 0 <= state.arrays["best"][0] <= state.costs[0]
    for before, after in pairwise(states):
        made = after.moves - before.moves
        assert after.evaluations - before.evaluations >= made
        assert after.step == before.step + 1
        assert made == moves or after.finished


@examples(60)
@given(
    st.sampled_from(SEVERAL[:6]),
    st.sampled_from(PERMUTED),
    st.floats(0.2, 0.9),
    st.floats(0, 1),
    st.integers(-3, 3),
    seeds,
)
def test_it_chooses_among_the_best_swaps_that_are_allowed(
    geometry: Geometry, encoding: Encoding, share: float, memory: float, above: int, seed: int
) -> None:
    problem = Problem.of(thinned(geometry, share, seed), encoding, Repetitions())
    board = problem.space.sample(1, stream(seed))[0]
    random = np.random.default_rng(seed)
    shape = geometry.cells, geometry.side + 1
    barred = np.where(random.random(shape) < memory, random.integers(-2, 9, shape), 0)
    lowest = max(0, int(problem.costs(board[None])[0]) + above)
    least, pairs, looked_at = reference(problem, board, barred, lowest)
    assert chosen(problem, board, barred, lowest) == (least, sorted(pairs), looked_at)


@examples(15)
@given(st.sampled_from([0, 3, 30]), st.integers(1, 8), seeds)
def test_every_move_is_one_that_a_plain_reference_allows(
    tenure: int, spread: int, seed: int
) -> None:
    algorithm = Tabu(tenure=tenure, spread=spread, moves=1)
    problem = problem_of(algorithm, ESCARGOT)
    barred, lowest = np.zeros((81, 10), np.int64), 1000
    for before, after in pairwise(states_of(algorithm, problem, seed, 25)):
        lowest = min(lowest, int(before.costs[0]))
        change, allowed, looked_at = reference(problem, before.boards[0], barred, lowest)
        assert after.evaluations - before.evaluations == looked_at
        assert after.costs[0] - before.costs[0] == change
        pair = swapped(before, after)
        assert (pair in allowed) if allowed else pair is None
        barred = np.maximum(barred - 1, 0)
        if pair:
            left = [(cell, int(before.boards[0, cell])) for cell in pair]
            terms = {int(after.arrays["barred"][place]) for place in left}
            assert len(terms) == 1
            assert terms <= set(range(tenure, tenure + spread))
            for place in left:
                barred[place] = max(terms)
        assert np.array_equal(after.arrays["barred"], barred)
        assert after.arrays["best"].tolist() == [min(lowest, int(after.costs[0]))]


def one_way_out() -> tuple[Tabu, Problem, State]:
    """Two blanks whose only swap solves the board, barred from going where they belong."""
    algorithm = Tabu(PermutedBoxes(), moves=1)
    grid = pattern_grid(FOUR)
    problem = problem_of(algorithm, with_digits(grid, {0: 0, 1: 0}))
    board = grid.board.copy()
    board[[0, 1]] = board[[1, 0]]
    state = algorithm.start(problem, stream(1), board[None])
    barred = state.arrays["barred"].copy()
    barred[0, grid.digits[0]] = barred[1, grid.digits[1]] = 3
    return algorithm, problem, state._replace(arrays={**state.arrays, "barred": barred})


def test_a_tabu_swap_is_made_where_it_leads_below_the_best_of_the_start() -> None:
    algorithm, problem, state = one_way_out()
    assert algorithm.step(problem, state).finished == "solved"


def test_a_tabu_swap_waits_where_it_does_not() -> None:
    algorithm, problem, state = one_way_out()
    as_good_before = {**state.arrays, "best": np.zeros(1, np.int64)}
    state = state._replace(arrays=as_good_before)
    for passed in range(3):
        state = algorithm.step(problem, state)
        assert (state.finished, state.moves, state.costs[0] > 0) == ("", passed + 1, True)
    assert algorithm.step(problem, state).finished == "solved"


def test_a_swap_is_tabu_only_if_both_of_its_digits_come_back() -> None:
    algorithm, problem, state = one_way_out()
    barred = state.arrays["barred"].copy()
    barred[1] = 0
    best = np.zeros(1, np.int64)
    state = state._replace(arrays={"barred": barred, "best": best})
    assert algorithm.step(problem, state).finished == "solved"


def test_without_a_tenure_it_falls_back_and_with_one_it_goes_on() -> None:
    """How many boards are seen in 300 moves: the memory is what leads out of a local optimum."""
    seen = []
    for tenure in (0, 5):
        algorithm = Tabu(tenure=tenure, spread=1, moves=1)
        states = states_of(algorithm, problem_of(algorithm, ESCARGOT), 3, 300)
        seen.append(len({state.boards.tobytes() for state in states}) / len(states))
    assert seen[0] < 0.5
    assert seen[1] > 0.9


def test_equal_swaps_are_chosen_alike() -> None:
    algorithm = Tabu(moves=1)
    problem = problem_of(algorithm, ESCARGOT)
    barred = np.zeros((81, 10), np.int64)
    starts = (algorithm.start(problem, stream(seed)) for seed in range(50))
    choices = ((start, reference(problem, start.boards[0], barred, 0)[1]) for start in starts)
    start, allowed = next((start, pairs) for start, pairs in choices if len(pairs) > 2)
    tries, drawn = 300 * len(allowed), dict[Any, int]()
    for i in range(tries):
        pair = swapped(start, algorithm.step(problem, start._replace(rng=stream(i))))
        drawn[pair] = drawn.get(pair, 0) + 1
    assert set(drawn) == allowed
    assert all(abs(times - 300) < 90 for times in drawn.values())


@examples(20)
@given(seeds)
def test_a_step_bears_any_memory(seed: int) -> None:
    algorithm = Tabu(moves=30)
    problem = problem_of(algorithm, ESCARGOT)
    state = algorithm.start(problem, stream(seed))
    random = np.random.default_rng(seed)
    lowest, highest = -(2**60), 2**60
    strange = {
        name: random.integers(lowest, highest, array.shape) for name, array in state.arrays.items()
    }
    after = algorithm.step(problem, state._replace(arrays=strange))
    assert np.array_equal(after.costs, problem.costs(after.boards))
    assert problem.space.contains(after.boards[0])


def test_a_newcomer_sets_its_own_record() -> None:
    algorithm = Tabu(moves=1)
    problem = problem_of(algorithm, ESCARGOT)
    state = algorithm.start(problem, stream(1))
    barred = np.full_like(state.arrays["barred"], 9)
    several = states_of(algorithm, problem, 2, 60)
    good = next(s for s in several if not reference(problem, s.boards[0], barred, s.costs[0])[1])
    assert good.costs[0] + 4 < state.costs[0], "or any swap would be a record"
    state = algorithm.with_immigrants(state, np.array([0]), good.boards, good.costs)
    after = algorithm.step(problem, state._replace(arrays={**state.arrays, "barred": barred}))
    assert np.array_equal(after.boards, good.boards)
    assert np.array_equal(after.arrays["best"], good.costs)


@pytest.mark.parametrize("encoding", PERMUTED, ids=repr)
def test_it_solves_an_easy_board(encoding: Encoding) -> None:
    algorithm = Tabu(encoding)
    last = states_of(algorithm, problem_of(algorithm, BASIC), 1, 300)[-1]
    assert last.finished == "solved"
    assert BASIC.is_solved_by(last.boards[0])


@pytest.mark.skipif(not JIT_IS_ON, reason="ten thousands of moves in plain Python")
@pytest.mark.parametrize("name", ["ai-escargot", "golden-nugget", "16x16-medium"])
def test_its_preset_solves_hard_and_large_boards(name: str) -> None:
    tabu = preset("tabu")
    puzzle = bundled()[name].puzzle
    result = run(puzzle, tabu.build(), seed=1, until=tabu.until)
    assert result.solved
    assert puzzle.is_solved_by(result.board)


def test_what_singles_decide_needs_no_search() -> None:
    algorithm = Tabu()
    problem = problem_of(algorithm, bundled()["9x9-easy"].puzzle)
    assert algorithm.start(problem, stream(1)).finished == "solved"


def test_clashes_that_no_swap_touches_end_the_search() -> None:
    algorithm = Tabu(PermutedBoxes())
    grid = pattern_grid(NINE)
    first, second = grid.digits[:2]
    puzzle = with_digits(grid, {0: second, 1: first, 80: 0, 79: 0})
    problem = problem_of(algorithm, puzzle)
    last = states_of(algorithm, problem, 1, 5)[-1]
    assert (last.finished, last.step) == ("failed", 1)
    assert last.moves <= 1
    assert last.costs[0] == Repetitions().floor(puzzle)


@pytest.mark.parametrize("encoding", PERMUTED, ids=repr)
def test_every_swap_is_reached_from_both_of_its_cells(encoding: Encoding) -> None:
    space = encoding.space(ESCARGOT)
    reach = swaps_by_cell(space)
    groups = [group[:size].tolist() for group, size in zip(space.groups, space.sizes, strict=True)]
    wanted = sorted((a, b) for group in groups for a in group for b in group if a != b)
    assert sorted(map(tuple, reach.pairs[:, :2].tolist())) == wanted
    assert reach.cells.tolist() == sorted({a for a, _ in wanted})
    for cell, (first, last) in enumerate(pairwise(reach.firsts.tolist())):
        assert sorted(reach.pairs[first:last, 1].tolist()) == [b for a, b in wanted if a == cell]
        assert (reach.pairs[first:last, 0] == cell).all()
    assert swaps_by_cell(space) is reach


def test_the_largest_board_without_givens_is_counted_right() -> None:
    algorithm = Tabu(PermutedBoxes(), moves=20)
    problem = problem_of(algorithm, Puzzle(Geometry(6, 6), bytes(36 * 36)))
    first, last = states_of(algorithm, problem, 1, 1)
    assert np.array_equal(last.costs, problem.costs(last.boards))
    assert last.costs[0] < first.costs[0]


@examples(15)
@given(st.sampled_from(SEVERAL), st.sampled_from(PERMUTED), st.integers(0, 9), seeds)
def test_the_kernel_agrees_with_its_python(
    geometry: Geometry, encoding: Encoding, tenure: int, seed: int
) -> None:
    problem = Problem.of(thinned(geometry, 0.6, seed), encoding, Repetitions())
    boards = problem.space.sample(1, stream(seed))
    cost = int(problem.costs(boards)[0])
    ends = []
    for kernel in (tabu_search, in_python(tabu_search)):
        board, rng = boards[0].copy(), stream(seed)
        barred = np.zeros((geometry.cells, geometry.side + 1), np.int64)
        best = np.array([cost])
        result = kernel(board, swaps_by_cell(problem.space), barred, best, tenure, 3, 15, cost, rng)
        end = tuple(map(int, result)), board.tolist(), rng.tolist()
        ends.append((*end, barred.tolist(), best.tolist()))
    assert ends[0] == ends[1]


@pytest.mark.parametrize(
    ("field", "value"),
    [("moves", 0), ("tenure", -1), ("tenure", 2**40), ("spread", 0), ("spread", 2**40)],
)
def test_it_refuses_numbers_that_make_no_sense(field: str, value: Any) -> None:
    with pytest.raises(RecipeError) as caught:
        replace(Tabu(), **{field: value})
    assert caught.value.path == (field,)
