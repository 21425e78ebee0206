"""The memetic algorithm keeps its best, has no twins, begins anew in time, and solves."""

from __future__ import annotations

import copy
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from runs import problem_of, same, states_of, thinned
from strategies import FOUR, SEVERAL, examples, in_python, pattern_grid, seeds, with_digits

from genoku import Puzzle, PuzzleError, bundled
from genoku.engine.history import Record
from genoku.engine.run import resume, run
from genoku.errors import MisfitError, RecipeError
from genoku.evolve.algorithms import Islands, Restarts
from genoku.evolve.algorithms.memetic import Memetic, anneal_each, rank_boards
from genoku.evolve.algorithms.swap_moves import swaps_of
from genoku.evolve.encoding import FreeCells, PermutedBoxes, PermutedColumns, PermutedRows
from genoku.evolve.fitness import Contradictions, Repetitions
from genoku.evolve.operators.adaptation import Constant, Exponential, Linear, Reheating
from genoku.evolve.operators.crossover import (
    Agreement,
    Clones,
    Crossover,
    Cycle,
    OneBlock,
    PartiallyMatched,
    Points,
    Uniform,
)
from genoku.evolve.operators.diversity import diversity
from genoku.evolve.operators.selection import Pool, Rank, Tournament
from genoku.evolve.presets import all_variants
from genoku.evolve.problem import Problem
from genoku.evolve.state import State, as_search
from genoku.puzzle.geometry import Geometry
from genoku.runtime.jit import JIT_IS_ON
from genoku.runtime.random import stream
from genoku.testing import equal

ESCARGOT = bundled()["ai-escargot"].puzzle
SMALL = Memetic(population=6, moves=40)
CROSSOVERS: list[Crossover] = [
    Agreement(),
    Uniform(),
    Uniform(parents=3),
    Points("box", points=2),
    OneBlock("box"),
    PartiallyMatched(),
    Cycle(rate=0.5),
    Clones(),
]


def distinct(boards: Any) -> int:
    return len({board.tobytes() for board in boards})


@cache
def varied(seed: int = 1, steps: int = 60) -> list[State]:
    """A run on a hard board, with generations of children and of strangers."""
    algorithm = replace(SMALL, patience=4, elites=2)
    return states_of(algorithm, problem_of(algorithm, ESCARGOT), seed, steps)


def strangers(state: State) -> bool:
    """Whether nobody who was born in a step has parents."""
    return bool((state.births[:, 1:] < 0).all())


@examples(30)
@given(
    st.sampled_from(SEVERAL),
    st.sampled_from(["givens", "singles"]),
    st.sampled_from(CROSSOVERS),
    st.sampled_from([Tournament(), Rank(), Pool()]),
    st.integers(2, 9),
    st.integers(0, 12),
    st.sampled_from([0.3, 0.8, 1.0]),
    seeds,
)
def test_boards_stay_in_the_space_with_their_costs_and_none_is_born_unnamed(
    geometry: Geometry,
    fixed: Any,
    crossover: Crossover,
    selection: Any,
    population: int,
    offspring: int,
    share: float,
    seed: int,
) -> None:
    algorithm = Memetic(
        PermutedBoxes(fixed),
        population=population,
        selection=selection,
        crossover=crossover,
        moves=20,
        offspring=offspring,
        patience=3,
    )
    problem = problem_of(algorithm, thinned(geometry, share, seed))
    states = states_of(algorithm, problem, seed, 8)
    named: set[int] = set()
    for state in states:
        assert all(problem.space.contains(board) for board in state.boards)
        assert np.array_equal(state.costs, problem.costs(state.boards))
        assert len(state.boards) == len(set(state.ids.tolist())) == population
        assert (state.finished == "solved") == any(map(problem.puzzle.is_solved_by, state.boards))
        parents = set(state.births[:, 1:].ravel().tolist()) - {-1}
        assert parents <= named
        named |= set(state.births[:, 0].tolist())
        assert set(state.ids.tolist()) <= named == set(range(state.born))
        assert state.evaluations == state.born + state.moves
    for before, after in pairwise(states):
        assert after.costs.min() <= before.costs.min(), "the best is never lost"
        assert distinct(after.boards) >= min(distinct(before.boards), algorithm.elites)


@pytest.mark.parametrize("encoding", [PermutedRows(), PermutedColumns()], ids=repr)
def test_rows_and_columns_may_be_kept_as_well(encoding: Any) -> None:
    algorithm = replace(SMALL, encoding=encoding)
    problem = problem_of(algorithm, ESCARGOT)
    states = states_of(algorithm, problem, 1, 5)
    assert all(problem.space.contains(board) for board in states[-1].boards)
    assert states[-1].costs.min() < states[0].costs.min()


@examples(10)
@given(seeds)
def test_a_hard_board_never_has_twins(seed: int) -> None:
    algorithm = Memetic(population=6, moves=3, temperature=Constant(0.0), crossover=Clones())
    for state in states_of(algorithm, problem_of(algorithm, ESCARGOT), seed, 20):
        assert distinct(state.boards) == 6


def test_children_take_the_places_of_the_worst() -> None:
    algorithm = replace(SMALL, offspring=2)
    states = states_of(algorithm, problem_of(algorithm, ESCARGOT), 1, 10)
    for before, after in pairwise(states):
        stayed = set(before.ids.tolist()) & set(after.ids.tolist())
        left = set(before.ids.tolist()) - stayed
        assert len(left) <= 2
        cost_of = dict(zip(before.ids.tolist(), before.costs.tolist(), strict=True))
        if left and stayed:
            assert min(cost_of[name] for name in left) >= max(cost_of[name] for name in stayed)


def test_twins_rank_last_and_the_new_before_their_equals() -> None:
    problem = problem_of(SMALL, ESCARGOT)
    one, two, three = problem.space.sample(3, stream(1))
    boards = np.stack((one, two, two, three))
    assert rank_boards(boards, np.array([5, 3, 3, 5], np.int32), 1).tolist() == [1, 3, 0, 2]


def test_a_stale_population_keeps_its_elite_and_is_else_made_of_strangers() -> None:
    found = 0
    for before, after in pairwise(varied()):
        if before.memory["unimproved"] < 4:
            continue
        found += 1
        best = before.boards[np.argsort(before.costs, kind="stable")[:2]]
        held = {board.tobytes() for board in after.boards}
        assert {board.tobytes() for board in best} <= held
        assert strangers(after)
        assert len(after.births) == 4
        assert after.memory["unimproved"] == 0
    assert found > 1


def test_the_wait_counts_generations_without_a_better_board() -> None:
    for before, after in pairwise(varied()):
        waits = not strangers(after) and after.costs.min() == before.costs.min()
        assert after.memory["unimproved"] == (before.memory["unimproved"] + 1 if waits else 0)


@pytest.mark.parametrize(("least", "anew"), [(0.0, False), (1.0, True)])
def test_a_population_that_has_grown_alike_begins_anew(least: float, anew: bool) -> None:
    algorithm = replace(SMALL, least_diversity=least, patience=1000)
    problem = problem_of(algorithm, ESCARGOT)
    start, *states = states_of(algorithm, problem, 1, 6)
    assert 0 < diversity(start.boards, problem) < 1
    assert [strangers(state) for state in states] == [anew] * len(states)


def test_a_space_with_fewer_boards_than_places_is_filled_up_with_twins() -> None:
    grid = pattern_grid(FOUR)
    clash = {10: grid.digits[15], 15: grid.digits[10]}  # never solved, so that it goes on
    puzzle = with_digits(grid, {**clash, 0: 0, 1: 0})
    algorithm = Memetic(PermutedBoxes(), population=5, elites=2, moves=3)
    problem = problem_of(algorithm, puzzle)
    for state in states_of(algorithm, problem, 1, 6):
        assert len(state.boards) == 5
        assert distinct(state.boards) <= 2


def test_a_step_leaves_the_old_state_as_it_was() -> None:
    for crossover in (Clones(), Agreement()):
        algorithm = replace(SMALL, crossover=crossover, temperature=Constant(5.0))
        problem, rng = problem_of(algorithm, ESCARGOT), stream(1)
        state = algorithm.start(problem, rng)
        before = copy.deepcopy(state)
        assert equal(algorithm.step(problem, state), algorithm.step(problem, state))
        assert equal(state, before)
        assert np.array_equal(rng, stream(1))


def test_a_crossover_that_hands_back_the_boards_themselves_cannot_change_them() -> None:
    class Nothing:
        parents = children = 1

        def __call__(self, boards: Any, mates: Any, problem: Problem, rng: Any) -> Any:
            return boards

    algorithm = replace(SMALL, crossover=Nothing())
    problem = problem_of(algorithm, ESCARGOT)
    state = algorithm.start(problem, stream(1))
    before = copy.deepcopy(state)
    algorithm.step(problem, state)
    assert equal(state, before)


def test_the_seed_makes_the_run() -> None:
    problem = problem_of(SMALL, ESCARGOT)
    one, again, other = (states_of(SMALL, problem, seed, 5)[-1] for seed in (1, 1, 2))
    assert equal(one, again)
    assert not np.array_equal(one.boards, other.boards)


@examples(10)
@given(seeds, st.integers(0, 5), st.integers(0, 5))
def test_a_run_goes_on_from_a_copy_of_any_state(seed: int, before: int, after: int) -> None:
    heat = Reheating(Linear(1.0, 0.1, over=4), every=6, patience=2)
    algorithm = replace(SMALL, temperature=heat, patience=2)
    *_, whole = states_of(algorithm, problem_of(algorithm, ESCARGOT), seed, before + after)
    *_, saved = states_of(algorithm, problem_of(algorithm, ESCARGOT), seed, before)
    resumed = copy.deepcopy(saved)
    for _ in range(after):
        resumed = algorithm.step(problem_of(algorithm, ESCARGOT), resumed)
    assert equal(whole, resumed)


@pytest.mark.parametrize("algorithm", [SMALL, Restarts(SMALL, "steps=4"), Islands(SMALL, 2, 3)])
def test_a_saved_run_goes_on_as_if_it_had_never_stopped(algorithm: Any, tmp_path: Path) -> None:
    record = Record(individuals=True, lineage=True)
    whole = run(ESCARGOT, algorithm, seed=3, until="steps=9", record=record)
    file = tmp_path / "run"
    run(ESCARGOT, algorithm, seed=3, until="steps=4", record=record, checkpoint=file)
    assert same(resume(file, until="steps=9"), whole)


def test_every_ancestor_of_the_best_is_known_down_to_those_without_parents() -> None:
    algorithm = replace(SMALL, patience=4)
    result = run(ESCARGOT, algorithm, seed=2, until="steps=15", record=Record(lineage=True))
    family_of_best = {ancestor.id: ancestor for ancestor in result.lineage()}
    assert len(family_of_best) > 3
    for ancestor in family_of_best.values():
        assert set(ancestor.parents) <= set(family_of_best)


def test_it_starts_from_the_boards_it_is_given() -> None:
    problem = problem_of(SMALL, ESCARGOT)
    boards = problem.space.sample(2, stream(7))
    state = SMALL.start(problem, stream(1), boards)
    assert np.array_equal(state.boards[:2], boards)
    assert len(state.boards) == 6
    with pytest.raises(PuzzleError, match=r"6.*board"):
        SMALL.start(problem, stream(1), problem.space.sample(7, stream(7)))


def test_the_temperature_belongs_to_its_adaptation() -> None:
    algorithm = replace(SMALL, temperature=Linear(2.0, 1.0, over=4), patience=1)
    states = states_of(algorithm, problem_of(algorithm, ESCARGOT), 1, 5)
    assert [state.memory["rate"] for state in states] == [2.0, 1.75, 1.5, 1.25, 1.0, 1.0]


def test_a_full_board_is_solved_or_never_will_be() -> None:
    grid = pattern_grid(FOUR)
    assert SMALL.start(problem_of(SMALL, grid), stream(1)).finished == "solved"
    clashing = problem_of(SMALL, with_digits(grid, {0: grid.digits[1], 1: grid.digits[0]}))
    state = SMALL.start(clashing, stream(1))
    again = SMALL.step(clashing, state)
    assert (state.finished, again.finished, again.moves) == ("failed", "failed", 0)


@pytest.mark.parametrize("name", ["ai-escargot", "platinum-blonde", "16x16-medium"])
@pytest.mark.skipif(not JIT_IS_ON, reason="millions of moves in plain Python")
def test_the_presets_solve_hard_boards(name: str) -> None:
    puzzle = bundled()[name].puzzle
    for each in all_variants("memetic"):
        result = run(puzzle, each.build(), seed=1, until=each.until)
        assert result.solved, each.name
        assert puzzle.is_solved_by(result.board)


@examples(15)
@given(st.sampled_from(SEVERAL), seeds)
def test_the_kernel_agrees_with_its_python(geometry: Geometry, seed: int) -> None:
    problem = Problem.of(thinned(geometry, 0.7, seed), PermutedBoxes(), Repetitions())
    boards = problem.space.sample(3, stream(seed))
    ends = []
    for kernel in (anneal_each, in_python(anneal_each)):
        annealed, costs, rng = boards.copy(), problem.costs(boards), stream(seed)
        made = int(kernel(annealed, costs, swaps_of(problem.space), 0.4, 30, rng))
        assert np.array_equal(costs, problem.costs(annealed))
        ends.append((made, annealed.tolist(), rng.tolist()))
    assert ends[0] == ends[1]


def test_its_steps_are_generations_and_its_rate_a_temperature() -> None:
    assert as_search(SMALL).step_name == as_search(Restarts(SMALL)).step_name == "generation"
    assert as_search(SMALL).rate_name == "temperature"


REFUSED: list[tuple[dict[str, Any], str, str]] = [
    ({"population": 1}, "population", ""),
    ({"moves": 0}, "moves", ""),
    ({"offspring": -1}, "offspring", ""),
    ({"patience": 0}, "patience", ""),
    ({"elites": 0}, "elites", ""),
    ({"elites": 12}, "elites", ""),
    ({"least_diversity": 1.5}, "least_diversity", ""),
    ({"crossover": Points("row")}, "crossover", "agreement"),
    ({"encoding": FreeCells()}, "crossover", "points"),
    ({"encoding": FreeCells(), "crossover": Clones()}, "encoding", "permuted-boxes"),
    ({"fitness": Contradictions()}, "fitness", "repetitions"),
    ({"temperature": 0.3}, "temperature", ""),
]


@pytest.mark.parametrize(("changes", "place", "fitting"), REFUSED)
def test_what_does_not_fit_is_refused_with_what_does(
    changes: dict[str, Any], place: str, fitting: str
) -> None:
    with pytest.raises(RecipeError) as caught:
        Memetic(**changes)
    assert caught.value.path == (place,)
    assert isinstance(caught.value, MisfitError) == bool(fitting)
    assert not fitting or fitting in caught.value.alternatives


def test_children_of_an_own_crossover_must_be_boards_of_the_space() -> None:
    class Ones:
        parents = children = 1

        def __call__(self, boards: Any, mates: Any, problem: Problem, rng: Any) -> Any:
            return np.ones((len(mates), boards.shape[1]), np.uint8)

    algorithm = replace(SMALL, crossover=Ones())
    problem = problem_of(algorithm, ESCARGOT)
    with pytest.raises(RecipeError, match=r"givens.*Ones"):
        algorithm.step(problem, algorithm.start(problem, stream(1)))


def test_a_puzzle_that_singles_refute_needs_no_generation() -> None:
    puzzle = Puzzle.parse("12.. ..3. .... ....")  # no 3 fits the first row
    result = run(puzzle, Memetic(), until="steps=5")
    assert (result.stop_reason, result.steps) == ("no solution", 0)


def test_a_temperature_that_reheats_keeps_numbers_of_its_own() -> None:
    heat = Reheating(Exponential(1.0, 0.1, over=5), every=10, patience=3)
    algorithm = replace(SMALL, temperature=heat)
    states = states_of(algorithm, problem_of(algorithm, ESCARGOT), 1, 12)
    assert all({"rate", "unimproved", "lowest"} <= set(state.memory) for state in states)
    assert len({state.memory["rate"] for state in states}) > 3
