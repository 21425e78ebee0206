"""Every selection gives good boards their exact chances."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, strategies as st
from strategies import FOUR, in_python, seeds

from genoku.errors import RecipeError
from genoku.evolve.encoding import Encoding, FreeCells
from genoku.evolve.fitness import FITNESSES, Costs, Fitness, Repetitions, Scores, Unique
from genoku.evolve.operators import selection
from genoku.evolve.operators.selection import (
    PLAYED,
    SELECTIONS,
    ExponentialRank,
    InvertedRoulette,
    Mates,
    Pool,
    RandomMates,
    Rank,
    Roulette,
    Selection,
    Tournament,
    Truncation,
    UniversalSampling,
    best_first,
    wheel,
    winning_chances,
)
from genoku.evolve.problem import Problem
from genoku.puzzle.board import Puzzle
from genoku.puzzle.geometry import Geometry
from genoku.runtime.random import Stream, below, integers, stream

BLANK = Puzzle(FOUR, bytes(16))
PROBLEM = Problem.of(BLANK, FreeCells(), Unique())  # a cost of c is a score of 48 − c
EVERY: list[Selection] = [
    *(each() for each in SELECTIONS),
    Tournament(3, replace=False),
    Tournament(100),
    Tournament(100, replace=False),
    Truncation(0.01),
    Truncation(1.0),
    Pool(Rank(), size=1),
    Pool(UniversalSampling(), size=7, distinct=False),
    Pool(Pool(Roulette())),
]


def chances_of_winning(costs: Any, size: int, replace: bool) -> Any:
    return winning_chances(costs, best_first(costs), size, replace)


every_selection = pytest.mark.parametrize(
    "select", EVERY, ids=lambda each: repr(each).split(" at 0x")[0]
)


def costs_of(*values: int) -> Costs:
    return np.array(values, np.int32)


def drawn(
    select: Selection,
    costs: Costs,
    matings: int,
    parents: int,
    seed: int = 1,
    on: Problem = PROBLEM,
) -> Mates:
    return select(costs, matings, parents, on, stream(seed, "selection"))


def everybody(costs: Costs, matings: int, parents: int, problem: Problem, rng: Stream) -> Mates:
    """The population itself as a mating pool."""
    return np.arange(matings * parents).reshape(matings, parents)


def assert_follow(counts: Iterable[float], chances: Iterable[float]) -> None:
    """Chi-square, within five standard deviations; what has no chance never happens."""
    counted, expected = np.array(list(counts), float), np.array(list(chances), float)
    expected *= counted.sum() / expected.sum()
    possible = expected > 0
    assert not counted[~possible].any()
    freedom = possible.sum() - 1
    chi_square = ((counted - expected)[possible] ** 2 / expected[possible]).sum()
    assert chi_square < freedom + 5 * np.sqrt(2 * freedom) + 1e-9, (counted, expected)


@st.composite
def populations(draw: st.DrawFn) -> Costs:
    size, spread = draw(st.integers(2, 40)), draw(st.sampled_from([0, 1, 50, 100_000]))
    return costs_of(*draw(st.lists(st.integers(0, spread), min_size=size, max_size=size)))


@every_selection
@given(costs=populations(), matings=st.integers(0, 30), parents=st.integers(1, 5), seed=seeds)
@example(costs=costs_of(3, 0), matings=1, parents=5, seed=1)
@example(costs=costs_of(0, 0), matings=3, parents=2, seed=1)
def test_mates_are_places_of_the_population_and_the_streams_alone(
    select: Selection, costs: Costs, matings: int, parents: int, seed: int
) -> None:
    before = costs.copy()
    mates, again = (drawn(select, costs, matings, parents, seed) for _ in range(2))
    assert mates.shape == (matings, parents)
    assert mates.dtype == np.int64
    assert ((mates >= 0) & (mates < len(costs))).all()
    assert np.array_equal(mates, again)
    assert np.array_equal(costs, before)


@every_selection
def test_every_call_goes_on_in_the_stream(select: Selection) -> None:
    rng = stream(1)
    select(costs_of(1, 2, 3), 4, 2, PROBLEM, rng)
    assert not np.array_equal(rng, stream(1))


@every_selection
def test_a_selection_is_a_value_that_its_repr_rebuilds(select: Selection) -> None:
    rebuilt = eval(repr(select), dict(vars(selection)))
    assert rebuilt == select
    assert hash(rebuilt) == hash(select)


def test_what_nobody_says_is_what_reports_had() -> None:
    assert Tournament() == Tournament(size=2, replace=True)
    assert Truncation() == Truncation(share=0.5)
    assert Pool() == Pool(Tournament(2), size=0, distinct=True)


RANKED = costs_of(40, 12, 30)  # places 1, 2, 0 from the best to the worst
CHANCES: list[tuple[Selection, Costs, list[float]]] = [
    (Roulette(), RANKED, [8, 36, 18]),
    (Roulette(), costs_of(48, 12, 30, 48, 50), [0, 36, 18, 0, 0]),
    (Roulette(), costs_of(48, 50, 48), [1, 1, 1]),
    (InvertedRoulette(), RANKED, [1 / 41, 1 / 13, 1 / 31]),
    (InvertedRoulette(), costs_of(0, 1, 3, 1), [1, 1 / 2, 1 / 4, 1 / 2]),
    (Rank(), RANKED, [1, 3, 2]),
    (Rank(), costs_of(7, 7, 2_000_000, 0), [3, 2, 1, 4]),
    (ExponentialRank(1.0), RANKED, [1, 3, 2]),
    (ExponentialRank(3.0), RANKED, [1, 13, 4]),
    (ExponentialRank(0.5), costs_of(7, 7, 2_000_000, 0), [1.75, 1.5, 1, 1.875]),
    (Tournament(1), RANKED, [1, 1, 1]),
    (Tournament(2), RANKED, [1, 5, 3]),
    (Tournament(2), costs_of(9, 9, 9), [1, 1, 1]),
    (Tournament(2, replace=False), RANKED, [0, 2, 1]),
    (Tournament(2, replace=False), costs_of(9, 5, 9, 9), [1, 3, 1, 1]),
    (Tournament(5, replace=False), RANKED, [0, 1, 0]),
    (Tournament(7), RANKED, [1, 3**7 - 2**7, 2**7 - 1]),
    (Tournament(7, replace=False), RANKED, [0, 1, 0]),
    (Tournament(7, replace=False), costs_of(3, 3, 9), [1, 1, 0]),
    (Truncation(), costs_of(9, 1, 8, 2), [0, 1, 0, 1]),
    (Truncation(0.5), RANKED, [0, 1, 1]),
    (Truncation(0.01), RANKED, [0, 1, 0]),
    (Truncation(1.0), RANKED, [1, 1, 1]),
    (RandomMates(), RANKED, [1, 1, 1]),
    (Pool(everybody, distinct=False), RANKED, [1, 1, 1]),
]


@pytest.mark.parametrize(("select", "costs", "chances"), CHANCES)
def test_both_parents_have_the_exact_chances_and_do_not_depend_on_each_other(
    select: Selection, costs: Costs, chances: list[float]
) -> None:
    pairs = drawn(select, costs, 20_000, 2) @ (len(costs), 1)
    counts = np.bincount(pairs, minlength=len(costs) ** 2)
    assert_follow(counts, np.outer(chances, chances).ravel())


@pytest.mark.parametrize(
    ("ratio", "best", "worst"), [(1.01, 5.1, 0), (1 / math.e, 1.0, 0.63), (1e300, 500, 0)]
)
def test_a_ratio_says_how_much_more_often_than_the_average_a_rank_is_drawn(
    ratio: float, best: float, worst: float
) -> None:
    weights = ExponentialRank(ratio).weights(500)
    assert (np.diff(weights) <= 0).all()
    assert weights[[0, -1]] / weights.mean() == pytest.approx([best, worst], abs=0.1)


@pytest.mark.parametrize("replace", [True, False])
@pytest.mark.parametrize("size", [2, PLAYED, PLAYED + 1, 20, 100])
def test_the_best_board_wins_as_often_as_it_is_drawn(size: int, replace: bool) -> None:
    costs = np.arange(200, 0, -1, dtype=np.int32)
    won = int((drawn(Tournament(size, replace), costs, 10_000, 2) == 199).sum())
    drawn_at_all = 1 - (199 / 200) ** size if replace else size / 200
    assert_follow([won, 20_000 - won], [drawn_at_all, 1 - drawn_at_all])


@pytest.mark.parametrize("values", [(5, 1, 3, 2), (4, 1, 1, 4), (1, 2, 2, 2), (0, 0, 0, 0)])
@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_the_chances_to_win_are_those_of_all_tournaments_played(
    values: tuple[int, ...], size: int
) -> None:
    def shares(tournaments: list[tuple[int, ...]]) -> list[float]:
        winners = [min(boards, key=lambda board: values[board]) for boards in tournaments]
        return [winners.count(board) / len(winners) for board in range(4)]

    with_replacement = shares(list(product(range(4), repeat=size)))
    assert chances_of_winning(costs_of(*values), size, True) == pytest.approx(with_replacement)
    assert chances_of_winning(costs_of(*values), size, False) == pytest.approx(
        shares(list(permutations(range(4), size)))
    )


@given(populations(), st.integers(1, 300), st.booleans())
def test_somebody_wins_every_tournament(costs: Costs, size: int, replace: bool) -> None:
    chances = chances_of_winning(costs, size, replace)
    assert (chances >= 0).all()
    assert chances.sum() == pytest.approx(1)


def test_universal_sampling_keeps_every_count_next_to_its_share() -> None:
    for seed in range(20):
        costs = drawn(RandomMates(), np.zeros(48, np.int32), 30, 1, seed)[:, 0].astype(np.int32)
        chosen = drawn(UniversalSampling(), costs, 40, 3, seed)
        counts = np.bincount(chosen.ravel(), minlength=len(costs))
        scores = 48 - costs
        assert (abs(counts - 120 * scores / scores.sum()) < 1).all()
    even = drawn(UniversalSampling(), costs_of(48, 50, 48), 50, 3).ravel()
    assert np.bincount(even).tolist() == [50, 50, 50]


def test_universal_sampling_mixes_its_matings() -> None:
    mates = np.concatenate(
        [drawn(UniversalSampling(), np.zeros(4, np.int32), 2, 2, seed) for seed in range(5_000)]
    )
    counts = np.bincount(mates @ (4, 1), minlength=16)
    # each of the four boards once: a pair is any two different ones
    assert_follow(counts, (1 - np.eye(4)).ravel())


@pytest.mark.parametrize("parents", [2, 3])
def test_a_pools_members_of_a_mating_come_from_different_places(parents: int) -> None:
    costs = np.zeros(4, np.int32)
    mates = drawn(Pool(everybody), costs, 20_000, parents)
    met = np.bincount(mates @ 4 ** np.arange(parents), minlength=4**parents)
    wanted = [len(set(places)) == parents for places in product(range(4), repeat=parents)]
    assert_follow(met, wanted)


def test_a_pool_smaller_than_a_mating_starts_anew() -> None:
    mates = drawn(Pool(everybody, size=2), costs_of(1, 2, 3), 1_000, 5)
    assert (np.sort(mates[:, :2]) == (0, 1)).all()
    assert (np.sort(mates[:, 2:4]) == (0, 1)).all()
    assert set(mates[:, 4].tolist()) == {0, 1}
    assert len(np.unique(drawn(Pool(size=1), costs_of(1, 2, 3), 50, 2))) == 1


def test_a_pool_holds_what_its_inner_selection_draws() -> None:
    asked: list[tuple[int, int]] = []

    def best_half(costs: Costs, matings: int, parents: int, problem: Problem, rng: Stream) -> Mates:
        asked.append((matings, parents))
        return Truncation()(costs, matings, parents, problem, rng)

    costs = np.arange(10, dtype=np.int32)
    for size in (0, 25):
        assert drawn(Pool(best_half, size), costs, 100, 2).max() < 5
    assert asked == [(10, 1), (25, 1)]


def test_truncation_takes_the_share_it_says() -> None:
    costs = np.arange(100, dtype=np.int32)
    for share in (0.07, 0.29, 0.5, 0.57, 1.0):
        assert drawn(Truncation(share), costs, 2_000, 2).max() + 1 == round(100 * share)
    assert not drawn(Truncation(1e-12), costs, 10, 2).any()  # the best one at least


def test_of_equally_good_boards_the_first_drawn_wins() -> None:
    equal, rng = np.zeros(9, np.int32), stream(1, "selection")
    first, *_ = integers(rng, 9, 50 * 3).reshape(50, 3).T
    assert drawn(Tournament(3), equal, 50, 1)[:, 0].tolist() == first.tolist()
    alone = below(stream(1, "selection"), 9)  # of the first tournament, before anything moved
    assert drawn(Tournament(3, replace=False), equal, 1, 1).tolist() == [[alone]]


@given(
    st.lists(st.integers(-(2**31), 2**31 - 1), min_size=1, max_size=50)
    | st.lists(st.integers(0, 9), min_size=1, max_size=50)
    | st.lists(st.integers(0, 5_000), min_size=1, max_size=50)
)
@example([2**16, 1])  # one bit more than the narrow numbers have
@example([-1, 1])
@example([2, 1] * 30)
def test_best_first_is_a_stable_sort(values: list[int]) -> None:
    costs = costs_of(*values)
    assert best_first(costs).tolist() == np.argsort(costs, kind="stable").tolist()


@dataclass(frozen=True)
class Odd(Fitness):
    """A fitness of one's own with scores that no wheel can be made of, or of another type."""

    factor: float = np.inf
    maximise = True

    def score(self, costs: Costs, geometry: Geometry) -> Scores:
        return (costs * np.float32(self.factor)).astype(np.float32)


@pytest.mark.parametrize(
    ("factor", "chances"),
    [(np.inf, [1, 1, 1]), (np.nan, [1, 1, 1]), (-1.0, [1, 1, 1]), (0.5, [1, 2, 3])],
)
@pytest.mark.parametrize("select", [Roulette(), UniversalSampling()], ids=repr)
def test_any_scores_make_a_wheel(select: Selection, factor: float, chances: list[float]) -> None:
    odd = Problem.of(BLANK, FreeCells(), Odd(factor))
    mates = drawn(select, costs_of(1, 2, 3), 6_000, 1, on=odd)
    assert_follow(np.bincount(mates[:, 0], minlength=3), chances)


def test_a_score_below_0_counts_as_0() -> None:
    assert wheel(np.array([-0.5, 1.0, -3.0, 0.5])).tolist() == [0, 1, 1, 1.5]
    assert wheel(np.array([-0.5, -1.0])).tolist() == [1, 2]


@pytest.mark.parametrize("fitness", FITNESSES)
def test_roulettes_refuse_a_score_that_is_minimised(fitness: type[Fitness]) -> None:
    for select in (Roulette(), UniversalSampling(), Pool(Roulette()), Pool(Pool(Roulette()))):
        reason = select.fits(FreeCells(), fitness())
        assert (reason is None) == fitness.maximise
        assert reason is None or reason.endswith("use inverted-roulette")


def test_a_pool_fits_where_its_inner_selection_does() -> None:
    class Picky(Rank):
        def fits(self, encoding: Encoding, fitness: Fitness) -> str | None:
            return f"{encoding} {fitness}"

    assert Pool(Picky()).fits(FreeCells(), Unique()) == f"{FreeCells()} {Unique()}"


def test_other_selections_fit_any_fitness() -> None:
    assert Pool(Tournament()).fits(FreeCells(), Repetitions()) is None
    assert Pool(everybody).fits(FreeCells(), Repetitions()) is None
    assert not hasattr(InvertedRoulette(), "fits")


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda: Tournament(0), "size"),
        (lambda: Truncation(0.0), "share"),
        (lambda: Truncation(1.5), "share"),
        (lambda: Truncation(np.nan), "share"),
        (lambda: ExponentialRank(0.0), "ratio"),
        (lambda: ExponentialRank(np.nan), "ratio"),
        (lambda: ExponentialRank(np.inf), "ratio"),
        (lambda: Pool(size=-1), "size"),
    ],
)
def test_parameters_out_of_range_are_refused(make: Any, name: str) -> None:
    with pytest.raises(RecipeError) as refused:
        make()
    assert refused.value.path == (name,)


def test_the_least_parameters_are_allowed() -> None:
    assert (Tournament(1).size, Truncation(1e-9).share, Pool(size=0).size) == (1, 1e-9, 0)
    assert ExponentialRank(1e-9).ratio == 1e-9


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("spin_roulette", (30, 2)),
        ("spin_universal", (30, 2)),
        ("play_tournaments", (30, 2, 3)),
        ("play_sampled_tournaments", (30, 2, 3)),
        ("draw_by_rank", (30, 2)),
        ("draw_from_pool", (30, 3, True)),
        ("draw_from_pool", (30, 3, False)),
    ],
)
def test_drawing_kernels_agree_with_their_python(name: str, arguments: tuple[Any, ...]) -> None:
    kernel = getattr(selection, name)
    first: Any = costs_of(*range(900, 0, -60), 7, 7)
    if name in ("spin_roulette", "spin_universal"):
        first = 500.0 - first
    elif name == "draw_from_pool":
        first = first.astype(np.int64)[:, None]
    one, two = stream(1), stream(1)
    assert np.array_equal(kernel(first, *arguments, one), in_python(kernel)(first, *arguments, two))
    assert np.array_equal(one, two)


@given(populations(), st.integers(1, 50), st.booleans())
def test_reckoning_kernels_agree_with_their_python(costs: Costs, size: int, replace: bool) -> None:
    order = best_first(costs)
    assert winning_chances(costs, order, size, replace) == pytest.approx(
        in_python(winning_chances)(costs, order, size, replace)
    )
    weights = (100 - costs).astype(np.float64)
    assert np.array_equal(wheel(weights), in_python(wheel)(weights))
