"""Who makes room for random boards, and how varied a population is."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from strategies import FOUR, NINE, SEVERAL, any_puzzles, examples, in_python, pattern_grid, seeds

from genoku import Geometry, Puzzle
from genoku.errors import RecipeError
from genoku.evolve.encoding import Boards, FreeCells
from genoku.evolve.fitness import Repetitions
from genoku.evolve.operators.diversity import (
    DIVERSITIES,
    WEIGHTS,
    AsItComes,
    Diversity,
    Immigrants,
    NoTwins,
    differing_pairs,
    diversity,
    twins,
)
from genoku.evolve.problem import Problem
from genoku.runtime.random import stream


def problem_of(puzzle: Puzzle) -> Problem:
    return Problem.of(puzzle, FreeCells(), Repetitions())


BLANK = problem_of(Puzzle(FOUR, bytes(16)))


def with_repeats(problem: Problem, kinds: int, count: int, seed: int) -> Boards:
    """Boards drawn from a few kinds, so that many are equal and others differ in one cell."""
    random = np.random.default_rng(seed)
    boards = problem.space.sample(kinds, stream(seed))[random.integers(0, kinds, count)]
    genes = problem.space.genes
    if len(genes):
        changed = np.flatnonzero(random.random(count) < 0.3)
        boards[changed, random.choice(genes, len(changed))] = random.integers(1, 3, len(changed))
    return boards


@st.composite
def families(draw: st.DrawFn) -> tuple[Problem, Boards, Boards, int]:
    """A problem, children, a population and a seed."""
    problem = problem_of(draw(any_puzzles([*SEVERAL, Geometry(6, 6)])))
    seed = draw(seeds)
    kinds, children, population = (draw(st.integers(1, most)) for most in (6, 20, 20))
    boards = with_repeats(problem, kinds, children + population, seed)
    return problem, boards[:children].copy(), boards[children:].copy(), seed


@pytest.mark.parametrize("operator", DIVERSITIES)
@examples(40)
@given(families())
def test_places_are_different_children_and_nothing_else_changes(
    operator: type[Diversity], family: tuple[Problem, Boards, Boards, int]
) -> None:
    problem, children, boards, seed = family
    before = children.copy(), boards.copy()
    places = operator()(children, boards, problem, stream(seed))
    assert places.dtype == np.int64
    assert set(places.tolist()) <= set(range(len(children)))
    assert len(set(places.tolist())) == len(places)
    assert np.array_equal(before[0], children)
    assert np.array_equal(before[1], boards)
    assert np.array_equal(places, operator()(children, boards, problem, stream(seed)))


def twins_by_hand(children: Boards, boards: Boards) -> list[int]:
    seen = {board.tobytes() for board in boards}
    found = []
    for place, child in enumerate(children):
        if child.tobytes() in seen:
            found.append(place)
        seen.add(child.tobytes())
    return found


@examples(40)
@given(families())
def test_twins_are_the_children_that_stand_there_already(
    family: tuple[Problem, Boards, Boards, int],
) -> None:
    problem, children, boards, seed = family
    expected = twins_by_hand(children, boards)
    assert NoTwins()(children, boards, problem, stream(seed)).tolist() == expected
    among_children = NoTwins()(children, boards[:0], problem, stream(seed)).tolist()
    assert among_children == twins_by_hand(children, boards[:0])


@given(seeds)
def test_boards_with_one_hash_are_twins_only_if_they_are_equal(seed: int) -> None:
    boards = with_repeats(BLANK, 4, 30, seed)
    useless = np.zeros_like(WEIGHTS)
    expected = twins_by_hand(boards[10:], boards[:10])
    assert twins(boards, 10, useless).tolist() == expected
    assert in_python(twins)(boards, 10, useless).tolist() == expected
    assert in_python(twins)(boards, 10, WEIGHTS).tolist() == expected


def test_hardly_any_two_of_many_boards_have_the_same_hash() -> None:
    boards = problem_of(Puzzle(NINE, bytes(81))).space.sample(2_000, stream(1))
    hashes = boards.astype(np.uint64) @ WEIGHTS[:81].astype(np.uint64)
    assert len(np.unique(hashes)) == 2_000


def test_as_it_comes_replaces_nobody() -> None:
    twins_all = np.repeat(BLANK.space.sample(1, stream(1)), 5, axis=0)
    assert AsItComes()(twins_all, twins_all, BLANK, stream(1)).tolist() == []
    assert NoTwins()(twins_all, twins_all, BLANK, stream(1)).tolist() == [0, 1, 2, 3, 4]


@given(st.floats(0, 1), st.integers(1, 60), seeds)
def test_immigrants_come_in_exactly_the_share_asked_for(
    share: float, children: int, seed: int
) -> None:
    boards = BLANK.space.sample(children, stream(seed))
    places = Immigrants(share)(boards, boards, BLANK, stream(seed))
    assert len(places) == round(share * children)


def test_every_child_makes_room_for_an_immigrant_equally_often() -> None:
    boards, rng = BLANK.space.sample(20, stream(1)), stream(1)
    times = np.zeros(20, int)
    for _ in range(4_000):
        times[Immigrants(0.25)(boards, boards, BLANK, rng)] += 1
    assert abs(times - 1_000).max() < 140  # five standard deviations


@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan")])
def test_a_share_is_from_0_to_1(share: float) -> None:
    with pytest.raises(RecipeError, match="share"):
        Immigrants(share)


@examples(40)
@given(families())
def test_diversity_is_the_mean_over_all_pairs(
    family: tuple[Problem, Boards, Boards, int],
) -> None:
    problem, children, boards, _ = family
    population = np.concatenate((boards, children))
    blanks = len(problem.space.genes)
    differing = [int((one != two).sum()) for one, two in combinations(population, 2)]
    mean = sum(differing) / (len(differing) * blanks) if blanks else 0.0
    assert diversity(population, problem) == mean
    side = problem.puzzle.side
    assert in_python(differing_pairs)(population, problem.space.genes, side) == sum(differing)


def test_diversity_goes_from_0_to_1() -> None:
    alike = np.repeat(BLANK.space.sample(1, stream(1)), 7, axis=0)
    unlike = np.repeat(np.arange(1, 5, dtype=np.uint8)[:, None], 16, axis=1)
    assert diversity(alike, BLANK) == 0.0
    assert diversity(unlike, BLANK) == 1.0


def test_one_board_or_a_full_puzzle_has_no_diversity() -> None:
    full = problem_of(pattern_grid(NINE))
    assert diversity(full.space.sample(10, stream(1)), full) == 0.0
    assert diversity(BLANK.space.sample(1, stream(1)), BLANK) == 0.0
