"""Tests of two and more samples, held against SciPy and against counting by hand."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from slow_imports import Lazy

from genoku.errors import GenokuError
from genoku.lab.statistics import (
    Comparison,
    Interval,
    MeanComparison,
    Moments,
    Proportion,
    a12,
    cliques,
    critical_difference,
    fisher,
    friedman,
    holm,
    magnitude,
    mann_whitney,
    nemenyi,
    smallest_p,
    student,
    van_elteren,
    welch,
    wilcoxon,
)

INF = math.inf
oracle = Lazy("scipy.stats")
FEW = st.lists(st.one_of(st.integers(0, 6), st.just(INF)), min_size=1, max_size=6)
DISTINCT = st.lists(st.floats(0, 1), min_size=2, max_size=60, unique=True)
NUMBERS = st.lists(st.floats(-100, 100).map(lambda x: round(x, 3)), min_size=2, max_size=20)


def greater(first: Any, second: Any) -> float:
    """Pairs in which the first is greater, ties as halves."""
    return sum(float(a > b) + float(a == b) / 2 for a, b in product(first, second))


def tails(sums: list[float], seen: float) -> float:
    """Twice the smaller tail."""
    below, above = sum(s <= seen for s in sums), sum(s >= seen for s in sums)
    return min(1.0, 2 * min(below, above) / len(sums))


# two samples


@given(FEW, FEW)
def test_mann_whitney_with_ties_and_unsolved_runs_is_counted_out(
    first: list[float], second: list[float]
) -> None:
    found, together = mann_whitney(first, second), first + second
    assert found.statistic == greater(first, second)
    sums = []
    for chosen in combinations(range(len(together)), len(first)):
        rest = [together[i] for i in range(len(together)) if i not in chosen]
        sums.append(greater([together[i] for i in chosen], rest))
    assert found.exact
    assert found.p == pytest.approx(tails(sums, found.statistic))
    assert bool(found.note) == (len(set(together)) == 1)


@given(DISTINCT, st.data())
def test_mann_whitney_agrees_with_scipy(values: list[float], data: Any) -> None:
    cut = data.draw(st.integers(1, len(values) - 1))
    first, second = values[:cut], values[cut:]
    found = mann_whitney(first, second)
    method = "exact" if found.exact else "asymptotic"
    known = oracle.mannwhitneyu(first, second, method=method)
    assert (found.statistic, found.p) == pytest.approx((known.statistic, known.pvalue))


@given(st.integers(0, 2**32), st.integers(2, 50))
def test_mann_whitney_of_large_samples_with_ties_agrees_with_scipy(seed: int, top: int) -> None:
    generator = np.random.default_rng(seed)
    first, second = generator.integers(0, top, 70), generator.integers(0, top + 3, 80)
    found = mann_whitney(first, second)
    known = oracle.mannwhitneyu(first, second, method="asymptotic")
    assert not found.exact
    assert (found.statistic, found.p) == pytest.approx((known.statistic, known.pvalue))


@given(
    st.lists(st.tuples(*[st.one_of(st.integers(0, 5), st.just(INF))] * 2), min_size=1, max_size=9)
)
def test_wilcoxon_with_ties_and_unsolved_runs_is_counted_out(
    pairs: list[tuple[float, float]],
) -> None:
    first, second = zip(*pairs, strict=True)
    found = wilcoxon(first, second)
    differences = [a - b for a, b in pairs if a != b]
    ranks = oracle.rankdata(np.abs(differences)) if differences else []
    assert found.differing == len(differences)
    assert found.statistic == sum(r for r, d in zip(ranks, differences, strict=True) if d > 0)
    flips = [sum(c) for c in product(*((0.0, float(rank)) for rank in ranks))]
    assert found.p == pytest.approx(tails(flips, found.statistic))
    assert bool(found.note) == (not differences)


@given(st.integers(0, 2**32), st.integers(2, 120))
def test_wilcoxon_agrees_with_scipy(seed: int, n: int) -> None:
    generator = np.random.default_rng(seed)
    first, second = generator.normal(size=n), generator.normal(0.3, 1, n)
    if n > 80:  # beyond counting, where SciPy too knows of ties
        first, second = np.round(first * 3), np.round(second * 3)
    found = wilcoxon(first, second)
    method = "exact" if found.exact else "approx"  # asymptotic, as every SciPy knows it
    known = oracle.wilcoxon(first, second, method=method, alternative="greater")
    both = oracle.wilcoxon(first, second, method=method)
    assert (found.statistic, found.p) == pytest.approx((known.statistic, both.pvalue))


@given(st.integers(1, 25), st.integers(1, 25))
def test_the_smallest_p_is_that_of_samples_wholly_apart(first: int, second: int) -> None:
    found = mann_whitney(range(first), range(100, 100 + second))
    assert found.p == pytest.approx(smallest_p(first, second), rel=1e-9)


def test_the_normal_takes_over_from_counting_without_a_step() -> None:
    generator = np.random.default_rng(2)
    first, second = generator.normal(size=(2, 28))
    counted = mann_whitney(first, second)
    beyond = mann_whitney([*first, 9.0], [*second, 9.0])
    assert (counted.exact, beyond.exact) == (True, False)
    assert counted.p == pytest.approx(beyond.p, abs=0.02)
    assert not mann_whitney([5], range(150)).exact  # few ways, but long to count


def test_p_is_counted_out_as_far_as_doubles_can_count_the_ways() -> None:
    assert mann_whitney([5], range(99)).exact  # 100 values
    assert not mann_whitney([5], range(100)).exact
    assert mann_whitney(range(28), range(28)).exact  # 56 over 28 is below 2^53
    assert not mann_whitney(range(28), range(29)).exact
    assert wilcoxon(range(1, 53), [0] * 52).exact
    assert not wilcoxon(range(1, 54), [0] * 53).exact


def test_samples_that_are_quite_alike_have_a_p_of_1() -> None:
    found = mann_whitney(range(200), range(200))
    assert (found.exact, found.p) == (False, 1.0)


@given(st.integers(0, 9), st.integers(1, 9), st.integers(0, 9), st.integers(1, 9))
def test_fisher_agrees_with_scipy(a: int, n: int, b: int, m: int) -> None:
    first, second = Proportion(min(a, n), n), Proportion(min(b, m), m)
    found = fisher(first, second)
    table = [[p.successes, p.runs - p.successes] for p in (first, second)]
    assert found.p == pytest.approx(oracle.fisher_exact(table)[1])
    assert found.statistic == first.share - second.share


@given(st.lists(st.floats(0, 1), min_size=1, max_size=7))
def test_holm_is_bonferroni_of_every_subset_closed(p_values: list[float]) -> None:
    places = range(len(p_values))
    subsets = [s for n in range(1, len(p_values) + 1) for s in combinations(places, n)]
    closed = [
        max(min(1, len(s) * min(p_values[i] for i in s)) for s in subsets if place in s)
        for place in places
    ]
    assert holm(p_values).tolist() == pytest.approx(closed)


@pytest.mark.parametrize(
    ("found", "name", "sizes"),
    [
        (lambda: mann_whitney([1, 2, 3], [2, 4]), "Mann–Whitney U test", (3, 2)),
        (lambda: wilcoxon([1, 2], [2, 4]), "Wilcoxon signed-rank test", (2, 2)),
        (lambda: van_elteren([([1, 2, 3], [2, 4])]), "van Elteren's test", (3, 2)),
        (lambda: fisher(Proportion(1, 3), Proportion(2, 2)), "Fisher's exact test", (3, 2)),
        (lambda: welch([1, 2, 3], [2, 4]), "Welch's t-test", (3, 2)),
        (lambda: student([1, 2, 3], [2, 4]), "Student's t-test", (3, 2)),
    ],
)
def test_a_test_says_its_name_and_its_sizes(
    found: Callable[[], Comparison | MeanComparison], name: str, sizes: tuple[int, int]
) -> None:
    said = found()
    assert (said.test, said.sizes, said.note) == (name, sizes, "")


# means


@given(NUMBERS, NUMBERS)
def test_t_tests_agree_with_scipy_from_samples_and_from_moments(
    first: list[float], second: list[float]
) -> None:
    for test, equal in ((welch, False), (student, True)):
        found = test(first, second)
        assert repr(found) == repr(test(Moments.of(first), Moments.of(second)))  # may be nan
        if found.note:
            assert len(set(first)) == len(set(second)) == 1
            continue
        if min(np.std(first), np.std(second)) == 0 or found.p < 1e-12:
            continue  # SciPy loses its digits there, and says so
        known = oracle.ttest_ind(first, second, equal_var=equal)
        low, high = known.confidence_interval(0.95)
        assert (found.t, found.freedom, found.p) == pytest.approx(
            (known.statistic, known.df, known.pvalue)
        )
        assert found.interval == pytest.approx(Interval(low, high), abs=1e-9)


def test_published_moments_are_enough() -> None:
    # means, deviations and sizes as a report would print them
    found = student(Moments(12.4, 2.1, 5), Moments(16.9, 1.7, 5))
    known = oracle.ttest_ind_from_stats(12.4, 2.1, 5, 16.9, 1.7, 5)
    assert (found.t, found.p) == pytest.approx((known.statistic, known.pvalue))
    assert (found.difference, found.freedom) == pytest.approx((-4.5, 8))


def test_means_without_spread_are_left_undecided_in_words() -> None:
    alone, still = welch([1], [2, 3]), student([0.1] * 3, [0.3] * 3)  # whose means round
    assert alone.note
    assert still.note != alone.note
    assert still.note == welch([0.1] * 3, [0.3] * 3).note
    assert math.isnan(alone.p)
    assert math.isnan(still.p)
    assert "no variance" in student([1], [2]).note


# effect size


@given(FEW, FEW)
def test_a12_is_the_share_of_pairs_won_and_mirrors(first: list[float], second: list[float]) -> None:
    found, mirrored = a12(first, second), a12(second, first)
    pairs = len(first) * len(second)
    assert found.a12 == pytest.approx(greater(second, first) / pairs)
    assert found.a12 == pytest.approx(1 - mirrored.a12)
    assert found.a12 == pytest.approx(a12(second, first, lower_is_better=False).a12)
    low, high = found.interval
    assert 0 <= low <= found.a12 <= high <= 1
    assert (low, high) == pytest.approx((1 - mirrored.interval.high, 1 - mirrored.interval.low))
    assert found.magnitude == mirrored.magnitude


def test_a_clear_difference_has_an_interval_with_a_width() -> None:
    found = a12([1, 2, 3, 4, 5], [6, 7, 8, 9, 10])
    assert (found.a12, found.interval.high, found.magnitude) == (1, 1, "large")
    assert 0.5 < found.interval.low < 0.9


@given(st.integers(1, 12), st.integers(1, 12), st.integers(0, 2**32))
def test_the_ends_of_the_interval_of_a12_solve_newcombes_equation(
    first: int, second: int, seed: int
) -> None:
    draws = np.random.default_rng(seed).integers(0, 20, first + second)
    found = a12(draws[:first], draws[first:])
    others = (first + second) / 2 - 1  # in place of each size less 1 (Newcombe's method 5)
    for end in set(found.interval) - {0.0, 1.0}:
        # Hanley, McNeil: that two of one sample both beat one of the other, by exponentials
        two_of_first, two_of_second = end / (2 - end), 2 * end**2 / (1 + end)
        variance = end * (1 - end) + others * (two_of_first + two_of_second - 2 * end**2)
        reach = 1.959963984540054 * math.sqrt(variance / (first * second))
        assert abs(found.a12 - end) == pytest.approx(reach, abs=1e-9)


@pytest.mark.parametrize(
    ("value", "word"),
    [
        (0.5, "negligible"),
        (0.559, "negligible"),
        (0.56, "small"),
        (0.44, "small"),
        (0.64, "medium"),
        (0.36, "medium"),
        (0.71, "large"),
        (0.29, "large"),
        (0.0, "large"),
    ],
)
def test_magnitudes_have_the_words_of_vargha_and_delaney(value: float, word: str) -> None:
    assert magnitude(value) == word


# several algorithms


@given(st.integers(0, 2**32), st.integers(2, 12), st.integers(3, 6), st.integers(1, 9))
def test_friedman_agrees_with_scipy(seed: int, puzzles: int, algorithms: int, top: int) -> None:
    table = np.random.default_rng(seed).integers(0, top + 1, (puzzles, algorithms))
    found = friedman(table)
    if found.note:
        assert (np.ptp(table, axis=1) == 0).all()
        assert (found.statistic, found.p, found.puzzles) == (0, 1, puzzles)
        assert found.ranks == ((algorithms + 1) / 2,) * algorithms
        return
    known = oracle.friedmanchisquare(*table.T)
    assert (found.statistic, found.p) == pytest.approx((known.statistic, known.pvalue), abs=1e-12)
    assert found.ranks == pytest.approx(oracle.rankdata(table, axis=1).mean(axis=0).tolist())
    turned = friedman((top - table).astype(np.uint8), lower_is_better=False)
    assert (turned.ranks, turned.p) == (found.ranks, found.p)


def test_one_puzzle_is_enough_to_rank_and_freedom_is_one_less_than_algorithms() -> None:
    found = friedman([[3, 1, 2, 4]])
    assert (found.ranks, found.freedom, found.puzzles) == ((3, 1, 2, 4), 3, 1)
    assert critical_difference(2, 1) == pytest.approx(1.959963984540054, rel=1e-6)


def test_unsolved_puzzles_rank_last_and_alike() -> None:
    assert friedman([[1, INF, INF], [2, 3, INF]]).ranks == (1, 2.25, 2.75)


def test_critical_differences_are_those_of_demsars_table() -> None:
    table = [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164]
    for k, q in enumerate(table, 2):
        expected = q * math.sqrt(k * (k + 1) / (6 * 14))
        # Demšar prints tables of the studentized range, rounded, over the root of 2
        assert critical_difference(k, 14) == pytest.approx(expected, rel=4e-4)


def test_nemenyi_and_the_critical_difference_draw_one_line() -> None:
    generator = np.random.default_rng(3)
    for _ in range(5):
        table = generator.normal([0, 0.6, 1.2, 1.8], 1, (15, 4))
        ranks, p = np.array(friedman(table).ranks), nemenyi(table)
        apart = np.abs(ranks[:, None] - ranks) >= critical_difference(4, 15)
        assert np.array_equal(apart, p <= 0.05)
        assert np.array_equal(p, p.T)
        assert (np.diag(p) == 1).all()


def test_two_algorithms_by_nemenyi_are_a_sign_test_in_the_normal_limit() -> None:
    table = [[0, 1]] * 14 + [[1, 0]] * 6
    z = (14 - 6) / math.sqrt(20)
    assert nemenyi(table)[0, 1] == pytest.approx(2 * oracle.norm.sf(z), rel=1e-4)


@given(st.lists(st.floats(1, 6), min_size=2, max_size=7), st.floats(0.1, 4))
def test_cliques_are_all_largest_groups_that_nothing_parts(
    ranks: list[float], difference: float
) -> None:
    places = range(len(ranks))

    def together(group: tuple[int, ...]) -> bool:
        return all(abs(ranks[a] - ranks[b]) < difference for a, b in combinations(group, 2))

    groups = [
        set(g) for n in range(2, len(ranks) + 1) for g in combinations(places, n) if together(g)
    ]
    largest = [g for g in groups if not any(g < other for other in groups)]
    found = cliques(ranks, difference)
    assert sorted(map(sorted, found)) == sorted(map(sorted, largest))
    for group in found:
        assert [ranks[place] for place in group] == sorted(ranks[place] for place in group)


def test_ranks_just_the_critical_difference_apart_are_parted() -> None:
    assert cliques([1, 2, 2.5], 1.0) == [(1, 2)]


def test_equal_ranks_keep_their_order() -> None:
    assert cliques([2, 1] * 10, 0.5) == [tuple(range(1, 20, 2)), tuple(range(0, 20, 2))]


# what is refused


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda: mann_whitney([], [1]), "at least one value in the first sample, got none"),
        (lambda: mann_whitney([1], [math.nan]), "numbers in the second sample, got NaN at place 1"),
        (lambda: wilcoxon([1, 2], [1]), "expected pairs, got 2 and 1 values"),
        (lambda: fisher(Proportion(0, 0), Proportion(1, 2)), "at least one run on each side"),
        (lambda: holm([0.5, 1.5]), "p-values from 0 to 1"),
        (lambda: holm([-0.5, 0.5]), "p-values from 0 to 1"),
        (lambda: friedman([1, 2, 3]), "a row per puzzle and two columns or more"),
        (lambda: friedman([[1.0, 2.0], [math.nan, 1.0]]), "NaN in row 2, column 1"),
        (lambda: friedman(np.empty((0, 3))), r"got an array of shape \(0, 3\)"),
        (lambda: friedman([[1], [2]]), r"got an array of shape \(2, 1\)"),
        (lambda: critical_difference(1, 5), "two algorithms or more"),
        (lambda: critical_difference(2, 0), "a puzzle or more, got 2 and 0"),
        (lambda: critical_difference(3, 5, alpha=1), "a level of significance between 0 and 1"),
        (lambda: welch([1, 2], [1, 3], level=2), "a level between 0 and 1, got 2"),
        (lambda: welch([1, INF], [1, 2]), "finite numbers in the sample"),
        (lambda: Moments(1, -1, 3), "a standard deviation of 0 or more, got 1 and -1"),
        (lambda: Moments(1, 1, 0), "at least one value, got 0"),
    ],
)
def test_what_makes_no_sense_is_refused_in_words(wrong: Any, words: str) -> None:
    with pytest.raises(GenokuError, match=words):
        wrong()
