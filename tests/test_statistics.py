"""Statistics of runs: shares, running times and curves are what their definitions say."""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from statistics import fmean, stdev
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from slow_imports import Lazy

from genoku.errors import GenokuError
from genoku.lab.statistics import (
    Interval,
    Proportion,
    _tail_interval,
    critical_difference,
    describe,
    ecdf,
    ert,
    ert_interval,
    ert_ratio_interval,
    fixed_budget,
    fixed_target,
    quantile_bands,
    running_time,
    share_text,
    survival,
    time_to_solve,
    to_solution,
    wilson,
)

stats = Lazy("scipy.stats")
INF = math.inf
RUNS = st.lists(st.tuples(st.integers(0, 12), st.booleans()), min_size=1, max_size=30)
SOLVED = st.lists(st.integers(0, 12), min_size=1, max_size=30)


def split(runs: list[tuple[int, bool]]) -> tuple[list[int], list[bool]]:
    """Efforts and verdicts of runs."""
    return [effort for effort, _ in runs], [solved for _, solved in runs]


@st.composite
def histories(draw: Any) -> list[tuple[list[int], list[int]]]:
    """Runs as what they had spent, rising, and a cost that goes up and down."""
    found = []
    for _ in range(draw(st.integers(1, 8))):
        efforts = sorted(draw(st.sets(st.integers(0, 20), min_size=1, max_size=8)))
        costs = st.lists(st.integers(0, 9), min_size=len(efforts), max_size=len(efforts))
        found.append((efforts, draw(costs)))
    return found


# success


@given(st.integers(0, 200), st.integers(1, 200), st.sampled_from([0.8, 0.95, 0.99]))
def test_wilson_holds_the_share_and_solves_its_equation(
    successes: int, runs: int, level: float
) -> None:
    successes = min(successes, runs)
    share = Proportion(successes, runs).share
    low, high = wilson(successes, runs, level)
    assert 0 <= low <= share <= high <= 1
    z = {0.8: 1.2815515655446004, 0.95: 1.959963984540054, 0.99: 2.5758293035489004}[level]
    for end in {low, high} - {0.0, 1.0}:
        assert abs(share - end) == pytest.approx(z * math.sqrt(end * (1 - end) / runs), abs=1e-9)


def test_a_share_of_no_runs_is_unknown() -> None:
    nothing = Proportion.of([])
    assert math.isnan(nothing.share)
    assert nothing.wilson() == Interval(0, 1)
    assert str(nothing) == "no runs"
    assert str(Proportion.of([True, False, True])) == "2 of 3 (66.7 %)"


def test_a_share_has_wilsons_interval() -> None:
    solved = Proportion(19, 20)
    assert solved.wilson() == wilson(19, 20, 0.95)
    assert solved.wilson(0.5) == wilson(19, 20, 0.5)
    assert share_text(solved) == "95 % (76–99)"


@pytest.mark.parametrize("successes", [-1, 4])
def test_more_successes_than_runs_are_refused(successes: int) -> None:
    with pytest.raises(GenokuError, match=f"3.*{successes}"):
        wilson(successes, 3)


# running time


@given(RUNS)
def test_expected_running_time_is_effort_spent_per_success(runs: list[tuple[int, bool]]) -> None:
    spent = successes = 0
    for effort, solved in runs:
        spent += effort
        successes += solved
    assert ert(*split(runs)) == (spent / successes if successes else INF)


def simulated(efforts: list[float], solved: list[bool], level: float) -> Interval:
    """The interval's definition, drawn by SciPy."""
    spent, flags = np.array(efforts, float), np.array(solved)
    wins, losses = spent[flags], spent[~flags] if not all(solved) else spent[[spent.argmax()]]
    a, b, n = int(flags.sum()), int((~flags).sum()), 200_000
    generator = np.random.default_rng(99)

    def mean(of: Any) -> Any:
        if len(of) < 2:
            return sum(of)
        t = stats.t.rvs(len(efforts) - 1, size=n, random_state=generator)
        return of.mean() * np.exp(t * stats.sem(of) / of.mean())

    def at(tail: float, *shape: float) -> float:
        p = stats.beta.rvs(*shape, size=n, random_state=generator)
        return float(np.quantile(mean(wins) + (1 - p) / p * mean(losses), tail))

    tail = (1 - level) / 2
    return Interval(
        at(tail, a + 0.875, b + 0.125), at(1 - tail, a + 0.125, b + 0.875) if a else INF
    )


@pytest.mark.parametrize("level", [0.5, 0.95])
@pytest.mark.parametrize(
    ("efforts", "solved"),
    [
        ([3, 5, 8, 1, 9, 9, 9, 2, 9], [True, True, True, True, False, False, False, True, False]),
        ([1, 1, 2, 3, 5, 8, 13, 21], [True] * 8),
        ([7, 20, 30, 40, 50, 60], [True] + [False] * 5),
        ([4, 1, 2, 3, 20], [True] * 4 + [False]),
        ([10, 20, 30, 40], [False] * 4),
    ],
)
def test_the_interval_is_that_of_its_definition(
    efforts: list[float], solved: list[bool], level: float
) -> None:
    found = ert_interval(efforts, solved, level, resamples=100_000)
    assert found == pytest.approx(simulated(efforts, solved, level), rel=0.04)


def test_where_all_runs_cost_the_same_only_the_chance_of_success_is_unknown() -> None:
    found = ert_interval([7] * 12, [True] * 9 + [False] * 3, resamples=100_000)
    assert found.low == pytest.approx(7 / stats.beta.ppf(0.975, 9.875, 3.125), rel=0.01)
    assert found.high == pytest.approx(7 / stats.beta.ppf(0.025, 9.125, 3.875), rel=0.01)


def test_where_failures_cost_nothing_only_the_mean_of_solutions_is_unknown() -> None:
    found = ert_interval([1, 3, 0], [True, True, False], resamples=100_000)
    reach = np.exp(stats.t.ppf(0.975, 2) * stats.sem([1, 3]) / 2)
    assert found == pytest.approx(Interval(2 / reach, 2 * reach), rel=0.05)


def test_runs_that_cost_nothing_have_an_interval_of_nothing() -> None:
    assert ert_interval([0] * 5, [True] * 4 + [False]) == Interval(0, 0)
    assert ert_ratio_interval((([1] * 5, [True] * 5), ([0] * 5, [True] * 5))) == (INF, INF)


def test_the_interval_depends_on_its_seed_alone() -> None:
    generator = np.random.default_rng(0)
    efforts, solved = generator.exponential(1, 60), generator.random(60) < 0.5
    first = ert_interval(efforts, solved)
    assert first == ert_interval(efforts, solved)
    assert first != ert_interval(efforts, solved, seed=1)
    assert first == ert_interval(efforts, solved, level=0.95, resamples=2000, seed=0)
    found = running_time(efforts, solved)
    assert (found.value, found.interval) == (ert(efforts, solved), first)
    assert running_time(efforts, solved, seed=1).interval != first
    pair = (efforts, solved), (efforts[::-1], solved)
    ratio = ert_ratio_interval(pair)
    assert ratio == ert_ratio_interval(pair, level=0.95, resamples=4000, seed=0)
    assert ratio != ert_ratio_interval(pair, resamples=4001)


def test_the_tails_are_shares_of_the_draws_and_the_narrowest_interval_holds_their_middle() -> None:
    eight = np.arange(8.0)
    assert _tail_interval(eight, eight[::-1] + 10, 0.5) == (2, 15)
    assert _tail_interval(eight, eight, 0.75) == (1, 6)
    assert _tail_interval(eight, eight, 1e-12) == (3, 4)
    assert _tail_interval(eight[:5], eight[:5], 1e-12) == (2, 2)
    assert _tail_interval(eight[:1], eight[:1], 0.95) == (0, 0)


@given(RUNS, st.integers(1, 5))
def test_the_interval_holds_the_running_time_itself(
    runs: list[tuple[int, bool]], resamples: int
) -> None:
    low, high = ert_interval(*split(runs), level=1e-12, resamples=resamples)
    assert low <= ert(*split(runs)) <= high


def test_a_ratio_of_running_times_has_the_ends_of_both() -> None:
    one = ([10] * 8, [True] * 6 + [False] * 2)
    two = ([2] * 8, [True] * 6 + [False] * 2)
    low, high = ert_ratio_interval((one, two), resamples=100_000)
    assert low < 5 < high
    assert low == pytest.approx(25 / high, rel=0.02)  # alike but for a factor of 5
    ends = ert_ratio_interval((one, two), (two, one), resamples=100_000)
    assert low / 5 < ends.low < 1 < ends.high < high / 5  # of 5 and 1/5 the mean is 1, and surer
    assert ends.low == pytest.approx(1 / ends.high, rel=0.02)
    none = ([10] * 8, [False] * 8)
    assert ert_ratio_interval((none, one)).high == INF
    assert ert_ratio_interval((one, none)).low == 0
    assert ert_ratio_interval((one, none), seed=1) != ert_ratio_interval((one, none))


def test_without_a_success_only_a_lower_end_is_known() -> None:
    found = running_time([10] * 20, [False] * 20, resamples=100_000)
    assert (found.value, found.interval.high) == (INF, INF)
    likely = stats.beta.ppf(0.975, 0.875, 20.125)
    assert found.interval.low == pytest.approx(10 * (1 - likely) / likely, rel=0.02)
    assert found.success == Proportion(0, 20)


def test_one_solved_run_has_no_interval() -> None:
    assert ert_interval([10], [True]) == Interval(0, INF)


@given(SOLVED, st.sampled_from([0.1, 0.25, 0.5, 0.75, 0.9]))
def test_without_unsolved_runs_the_time_to_solve_is_a_plain_quantile(
    efforts: list[int], share: float
) -> None:
    found = time_to_solve(efforts, [True] * len(efforts), share)
    assert found == np.quantile(efforts, share, method="inverted_cdf")


@given(st.integers(2, 60), st.data())
def test_a_share_that_is_reached_exactly_is_reached(n: int, data: Any) -> None:
    solved = data.draw(st.integers(1, n - 1))
    assert time_to_solve(range(1, n + 1), [True] * n, solved / n) == solved


def test_a_median_that_was_not_reached_is_none() -> None:
    quarters = (0.25, 0.5, 0.75)
    one = [time_to_solve([3, 9, 9, 9], [True, False, False, False], each) for each in quarters]
    assert one == [3, None, None]
    assert [time_to_solve(range(1, 9), [True] * 8, each) for each in quarters] == [2, 4, 6]


def test_runs_stopped_early_do_not_count_as_slow() -> None:
    # two of four were stopped at 1, before anything could be seen of them
    assert time_to_solve([1, 1, 5, 7], [False, False, True, True]) == 5
    assert time_to_solve([9, 9, 5, 7], [False, False, True, True]) == 7


@given(RUNS, st.integers(0, 12))
def test_a_solution_beyond_the_budget_is_none(runs: list[tuple[int, bool]], budget: int) -> None:
    expected = [effort if solved and effort <= budget else INF for effort, solved in runs]
    assert to_solution(*split(runs), within=budget).tolist() == expected


# curves


@given(RUNS)
def test_the_ecdf_counts_all_runs(runs: list[tuple[int, bool]]) -> None:
    curve = ecdf(*split(runs))
    grid = np.arange(0, 14, 0.5)
    counted = [sum(s and e <= t for e, s in runs) / len(runs) for t in grid]
    assert curve.at(grid).tolist() == counted
    for y, low, high in zip(curve.y, curve.low, curve.high, strict=True):
        assert (low, high) == pytest.approx(wilson(round(y * len(runs)), len(runs)))


@given(RUNS)
def test_up_to_the_first_stopped_run_ecdf_and_survival_are_one(
    runs: list[tuple[int, bool]],
) -> None:
    seen, unsolved = ecdf(*split(runs)), survival(*split(runs))
    estimated = replace(unsolved, y=1 - unsolved.y, low=1 - unsolved.high, high=1 - unsolved.low)
    assert seen.until == estimated.until == min((e for e, s in runs if not s), default=INF)
    before = seen.x <= seen.until
    for name in ("x", "y", "low", "high"):
        one, other = getattr(seen, name)[before], getattr(estimated, name)[before]
        assert one == pytest.approx(other, abs=1e-9)
    assert (estimated.y >= seen.y - 1e-12).all()
    assert (estimated.low <= estimated.y + 1e-12).all()
    assert (estimated.y <= estimated.high + 1e-12).all()


@given(histories(), st.integers(0, 22))
def test_a_budget_buys_the_best_so_far(
    traces: list[tuple[list[int], list[int]]], budget: int
) -> None:
    bought = [min((c for e, c in zip(*t, strict=True) if e <= budget), default=INF) for t in traces]
    assert fixed_budget(traces, budget).tolist() == bought


@given(histories(), st.integers(0, 9))
def test_a_target_is_reached_at_the_first_effort_whose_budget_buys_it(
    traces: list[tuple[list[int], list[int]]], target: int
) -> None:
    reached = fixed_target(traces, target)
    for trace, effort in zip(traces, reached, strict=True):
        bought = [fixed_budget([trace], budget)[0] for budget in range(22)]
        assert effort == next((e for e, best in enumerate(bought) if best <= target), INF)


@given(histories())
def test_bands_are_quantiles_of_what_each_effort_buys(
    traces: list[tuple[list[int], list[int]]],
) -> None:
    bands = quantile_bands(iter(traces), points=7)
    assert bands.x[0] == max(efforts[0] for efforts, _ in traces)
    assert bands.x[-1] == max(efforts[-1] for efforts, _ in traces)
    for place, effort in enumerate(bands.x):
        costs = fixed_budget(traces, effort)
        for row, share in zip(bands.y, bands.shares, strict=True):
            assert row[place] == np.quantile(costs, share, method="inverted_cdf")
    assert (np.diff(bands.y, axis=1) <= 0).all()


def test_a_history_may_stand_still_and_a_grid_has_200_points_if_nothing_else_is_said() -> None:
    assert fixed_target([([1, 1, 3], [5, 4, 2])], 4).tolist() == [1]
    assert len(quantile_bands([([1, 1, 3], [5, 4, 2])]).x) == 200


def test_bands_on_a_grid_that_begins_too_early_are_infinite_there() -> None:
    bands = quantile_bands([([5, 10], [4, 2])], shares=(0.5,), grid=[0, 5, 12])
    assert bands.y.tolist() == [[INF, 4, 2]]


# descriptions, and what is refused


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=20))
def test_a_sample_is_described_by_the_usual_numbers(values: list[float]) -> None:
    found = describe(values)
    assert (found.n, found.minimum, found.maximum) == (len(values), min(values), max(values))
    assert (found.mean, found.sd) == pytest.approx((fmean(values), stdev(values)), abs=1e-8)
    quartiles = np.quantile(values, [0.25, 0.5, 0.75])
    assert (*found.quartiles, found.median) == pytest.approx(tuple(quartiles[[0, 2, 1]]), abs=1e-9)


def test_equal_values_have_no_spread_and_one_value_says_nothing_of_it() -> None:
    assert describe([0.1] * 3).sd == 0  # although their mean rounds
    alone = describe([5.0])
    assert (alone.n, alone.mean, alone.median, alone.quartiles) == (1, 5, 5, Interval(5, 5))
    assert math.isnan(alone.sd)
    assert math.isnan(describe([-INF, INF]).mean)


def test_unsolved_runs_leave_a_median() -> None:
    found = describe([1, 2, 3, INF, INF])
    assert (found.median, found.upper_quartile, found.mean) == (3, INF, INF)
    assert math.isnan(found.sd)
    assert describe([1, 2, INF, INF]).median == INF


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda: ert([], []), "at least one value in the efforts, got none"),
        (lambda: ert([1, math.nan], [True, True]), "got NaN at place 2"),
        (
            lambda: ert([1, INF], [True, False]),
            "finite numbers in the efforts, got infinity at place 2",
        ),
        (lambda: ert([1, -2], [True, False]), "0 or more, got -2"),
        (lambda: ert([1, 2], [True]), "one verdict for each of the 2 efforts, got 1"),
        (lambda: ecdf([1], [True], level=95), "a level between 0 and 1, got 95"),
        (lambda: ert_interval([1], [True], level=95), "a level between 0 and 1, got 95"),
        (lambda: ert_interval([1], [True], resamples=0), "at least one resample, got 0"),
        (lambda: time_to_solve([1], [True], share=0), "a share between 0 and 1, got 0"),
        (lambda: time_to_solve([1], [True], share=1), "a share between 0 and 1, got 1"),
        (lambda: describe([]), "at least one value in the sample, got none"),
        (lambda: describe([[1, 2]]), "a list of numbers as the sample, got an array of 2"),
        (lambda: quantile_bands([]), "at least one history, got none"),
        (lambda: fixed_target([([2, 1], [0, 0])], 0), "that never decrease"),
        (lambda: fixed_target([([1, 2], [0])], 0), "a best for each of 2 efforts, got 1"),
    ],
)
def test_what_makes_no_sense_is_refused_in_words(wrong: Any, words: str) -> None:
    with pytest.raises(GenokuError, match=words):
        wrong()


def test_a_missing_scipy_is_one_line_with_its_cure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy", None)
    with pytest.raises(GenokuError, match=r'pip install "genoku\[lab\]"'):
        critical_difference(3, 10)
