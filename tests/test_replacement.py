"""Every replacement fills the population, and each keeps whom it says it keeps."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from numpy.typing import NDArray
from strategies import FOUR, examples, in_python, seeds

from genoku import Puzzle
from genoku.errors import RecipeError
from genoku.evolve.encoding import FreeCells
from genoku.evolve.fitness import Repetitions
from genoku.evolve.operators.replacement import (
    REPLACEMENTS,
    Brood,
    Comma,
    Crowding,
    Generational,
    Plus,
    Tournaments,
    WorstFirst,
    replace_by_crowding,
)
from genoku.evolve.problem import Problem
from genoku.runtime.random import stream

PROBLEM = Problem.of(Puzzle(FOUR, bytes(16)), FreeCells(), Repetitions())

VARIANTS: list[Any] = [
    *(replacement() for replacement in REPLACEMENTS),
    Generational(elites=1),
    Generational(elites=3),
    Tournaments(size=1, elites=0),
    Tournaments(size=3, elites=2, replace=True),
    Tournaments(size=20),
    Tournaments(elites_of="new"),
]
every_variant = pytest.mark.parametrize("replacement", VARIANTS, ids=repr)


@st.composite
def broods(draw: st.DrawFn, most: int = 12) -> Brood:
    """Few different digits and costs, so that ties and twins are common."""
    random = np.random.default_rng(draw(seeds))
    population, new = draw(st.integers(2, most)), draw(st.integers(1, 2 * most))
    levels = draw(st.sampled_from([1, 3, 100, 100_000]))
    cells = draw(st.sampled_from([16, 81]))
    return Brood(
        random.integers(1, 3, (population, cells), np.uint8),
        random.integers(0, levels, population, np.int32),
        random.integers(1, 3, (new, cells), np.uint8),
        random.integers(0, levels, new, np.int32),
        random.integers(-1, population, (new, draw(st.integers(1, 3)))),
    )


def survivors_of(replacement: Any, brood: Brood, seed: int = 1) -> NDArray[np.int64]:
    survivors: NDArray[np.int64] = replacement(brood, PROBLEM, stream(seed))
    return survivors


def refusal(replacement: Any, brood: Brood) -> str | None:
    takes = getattr(replacement, "takes", lambda population, new: None)
    reason: str | None = takes(len(brood.costs), len(brood.new_costs))
    return reason


def pooled_costs(brood: Brood) -> NDArray[np.int32]:
    return np.concatenate((brood.costs, brood.new_costs))


@every_variant
@examples(50)
@given(brood=broods(), seed=seeds)
def test_survivors_fill_the_population_and_the_brood_stays_as_it_is(
    replacement: Any, brood: Brood, seed: int
) -> None:
    assume(refusal(replacement, brood) is None)
    before: list[Any] = [array.copy() for array in brood]
    survivors = survivors_of(replacement, brood, seed)
    assert survivors.dtype == np.int64
    assert survivors.shape == brood.costs.shape
    assert survivors.min() >= 0
    assert survivors.max() < len(brood.costs) + len(brood.new_costs)
    for was, now in zip(before, brood, strict=True):
        np.testing.assert_array_equal(was, now)
    assert np.array_equal(survivors, survivors_of(replacement, brood, seed))


@pytest.mark.parametrize(
    "replacement", [Generational(1), Generational(3), Plus(), Tournaments(), Crowding()], ids=repr
)
@given(brood=broods())
def test_with_elites_or_by_merit_the_best_cost_never_rises(replacement: Any, brood: Brood) -> None:
    assume(refusal(replacement, brood) is None)
    survivors = survivors_of(replacement, brood)
    assert pooled_costs(brood)[survivors].min() <= brood.costs.min()


@every_variant
@examples(50)
@given(brood=broods())
def test_only_tournaments_keep_a_board_twice(replacement: Any, brood: Brood) -> None:
    assume(refusal(replacement, brood) is None)
    survivors = survivors_of(replacement, brood)
    if not isinstance(replacement, Tournaments):
        assert len(set(survivors.tolist())) == len(survivors)


@given(broods(), st.integers(0, 12))
def test_the_best_old_boards_take_the_places_of_the_worst_new_ones(
    brood: Brood, elites: int
) -> None:
    replacement = Generational(elites)
    assume(refusal(replacement, brood) is None)
    population = range(len(brood.costs))
    expected = [len(population) + i for i in population]
    best = sorted(population, key=lambda i: brood.costs[i])
    worst = sorted(population, key=lambda i: -brood.new_costs[i])
    for elite, place in list(zip(best, worst, strict=True))[:elites]:
        expected[place] = elite
    assert survivors_of(replacement, brood).tolist() == expected


@given(broods())
def test_plus_keeps_the_best_of_all_and_prefers_the_new(brood: Brood) -> None:
    costs, population = pooled_costs(brood), len(brood.costs)
    everybody = sorted(range(len(costs)), key=lambda i: (costs[i], i < population, i))
    assert survivors_of(Plus(), brood).tolist() == everybody[:population]


@given(broods())
def test_comma_keeps_the_best_of_the_new(brood: Brood) -> None:
    assume(refusal(Comma(), brood) is None)
    costs, population = pooled_costs(brood), len(brood.costs)
    new = sorted(range(population, len(costs)), key=lambda i: (costs[i], i))
    assert survivors_of(Comma(), brood).tolist() == new[:population]


@given(broods())
def test_worst_first_keeps_the_best_old_boards_where_they_are(brood: Brood) -> None:
    assume(refusal(WorstFirst(), brood) is None)
    population, new = len(brood.costs), len(brood.new_costs)
    survivors = survivors_of(WorstFirst(), brood).tolist()
    best_to_worst = sorted(range(population), key=lambda i: brood.costs[i])
    taken = [survivors[place] for place in reversed(best_to_worst)][:new]
    assert taken == list(range(population, population + new))
    assert all(survivors[place] == place for place in best_to_worst[: population - new])


@given(broods(), seeds)
def test_elites_may_be_the_best_of_the_new_boards(brood: Brood, seed: int) -> None:
    population = len(brood.costs)
    survivors = survivors_of(Tournaments(elites_of="new"), brood, seed)
    assert (survivors >= population).all()  # a better old board is lost
    assert survivors[0] == population + int(np.argmin(brood.new_costs))
    as_coded = survivors_of(Tournaments(), brood, seed)
    assert as_coded[1:].tolist() == survivors[1:].tolist()


@given(broods(), seeds, st.integers(0, 2))
def test_elites_stand_first_and_the_others_won_among_the_new(
    brood: Brood, seed: int, elites: int
) -> None:
    population = len(brood.costs)
    survivors = survivors_of(Tournaments(2, elites), brood, seed)
    best = sorted(range(population), key=lambda i: brood.costs[i])
    assert survivors[:elites].tolist() == best[:elites]
    assert (survivors[elites:] >= population).all()


def test_in_a_pair_of_different_boards_the_worst_never_wins_and_the_best_always_does() -> None:
    new = np.arange(20, dtype=np.int32)
    old = np.zeros((10_001, 16), np.uint8)
    brood = Brood(old, np.zeros(10_001, np.int32), old[:20], new, np.zeros((20, 1), np.int64))
    wins = np.bincount(survivors_of(Tournaments(), brood)[1:] - 10_001, minlength=20)
    expected = (19 - new) / 190 * 10_000  # of 190 pairs, those with a worse board
    assert wins[19] == 0
    assert abs(wins - expected).max() < 150  # five standard deviations
    assert np.bincount(survivors_of(Tournaments(replace=True), brood))[-1] > 0


def crowded_by_hand(brood: Brood) -> list[int]:
    boards = [*brood.boards.tolist(), *brood.new_boards.tolist()]
    costs = pooled_costs(brood).tolist()
    holders = list(range(len(brood.boards)))
    for child, parents in enumerate(brood.parents.tolist(), start=len(holders)):
        places = [parent for parent in parents if parent >= 0]
        if not places:
            continue
        place = min(
            places,
            key=lambda parent: sum(
                a != b for a, b in zip(boards[child], boards[holders[parent]], strict=True)
            ),
        )
        if costs[child] <= costs[holders[place]]:
            holders[place] = child
    return holders


@given(broods())
def test_crowding_is_a_contest_with_the_most_similar_parent(brood: Brood) -> None:
    survivors = survivors_of(Crowding(), brood)
    assert survivors.tolist() == crowded_by_hand(brood)
    assert np.array_equal(survivors, in_python(replace_by_crowding)(*brood))


@given(broods())
def test_strangers_crowd_nobody_out(brood: Brood) -> None:
    orphans = brood._replace(parents=np.full_like(brood.parents, -1))
    assert survivors_of(Crowding(), orphans).tolist() == list(range(len(brood.costs)))


def test_crowding_keeps_a_good_board_that_is_unlike_the_better_ones() -> None:
    boards = np.array([[1] * 16, [2] * 16], np.uint8)
    near_first = np.array([[1] * 15 + [2]], np.uint8)
    brood = Brood(
        boards, np.array([3, 9], np.int32), near_first, np.array([2], np.int32), np.array([[1, 0]])
    )
    assert survivors_of(Crowding(), brood).tolist() == [2, 1]
    assert sorted(survivors_of(Plus(), brood).tolist()) == [0, 2]


@pytest.mark.parametrize(
    ("replacement", "population", "new", "numbers"),
    [
        (Generational(), 5, 4, (5, 4)),
        (Generational(), 5, 5, None),
        (Generational(6), 5, 5, (5, 6)),
        (Generational(5), 5, 5, None),
        (Comma(), 5, 4, (5, 4)),
        (Comma(), 5, 35, None),
        (Tournaments(elites=6), 5, 5, (5, 6)),
        (Tournaments(size=20), 5, 5, None),
        (Tournaments(elites=4, elites_of="new"), 5, 3, (3, 4)),
        (WorstFirst(), 5, 6, (5, 6)),
        (WorstFirst(), 5, 5, None),
    ],
)
def test_a_replacement_refuses_a_number_of_boards_with_the_expected_and_the_given_one(
    replacement: Any, population: int, new: int, numbers: tuple[int, int] | None
) -> None:
    reason = replacement.takes(population, new)
    found = re.findall(r"\d+", reason) if reason else []
    assert found == [str(number) for number in numbers or ()]


def test_senseless_parameters_are_refused() -> None:
    with pytest.raises(RecipeError, match=r"elites.*-1"):
        Generational(elites=-1)
    with pytest.raises(RecipeError, match=r"elites.*-2"):
        Tournaments(elites=-2)
    with pytest.raises(RecipeError, match=r"size.*0"):
        Tournaments(size=0)
