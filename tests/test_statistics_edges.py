"""Statistics at their edges: no division by nothing, exact ends, and words that are true."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from genoku.errors import GenokuError
from genoku.lab.statistics import (
    Moments,
    Proportion,
    describe,
    ecdf,
    ert_interval,
    ert_ratio_interval,
    fisher,
    fixed_target,
    friedman,
    hint,
    mann_whitney,
    quantile_bands,
    student,
    survival,
    welch,
    wilson,
)
from genoku.runtime.text import format_percent

INF = math.inf


def test_nothing_is_divided_by_nothing() -> None:
    with np.errstate(all="raise"):
        for solved in ([True] * 4, [False] * 4, [False, True, False, True]):
            assert survival([1, 2, 2, 5], solved).x[0] == 0
        assert math.isnan(describe([-INF, INF]).mean)
        for solved in ([True, False], [True, True], [False, False]):
            assert ert_interval([1, 1000], solved).high > 1000
        never = [1, 2], [False, False]
        assert ert_ratio_interval((never, ([0, 0], [True, True]))) == (INF, INF)
        assert ert_ratio_interval((([1, 2], [True, True]), never)).low == 0


def test_a_curve_begins_where_nothing_is_spent() -> None:
    for curve in (ecdf([3, 5], [True, False]), survival([3, 5], [True, False])):
        assert curve.x.tolist() == [0, 3, 5]


@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_where_all_or_none_succeed_an_end_of_wilsons_interval_is_exact(level: float) -> None:
    for runs in range(1, 300):
        assert wilson(0, runs, level).low == 0
        assert wilson(runs, runs, level).high == 1


def test_a_sample_of_one_has_a_deviation_of_0_among_moments() -> None:
    assert Moments.of([3.5]) == Moments(mean=3.5, sd=0, n=1)


def test_what_is_undecided_still_says_what_was_compared() -> None:
    for found, test, difference, sizes in (
        (welch([1], [2, 3]), "Welch's t-test", -1.5, (1, 2)),
        (welch([1, 1], [2, 2]), "Welch's t-test", -1, (2, 2)),
        (student([1], [2]), "Student's t-test", -1, (1, 1)),
        (student([1], [2, 2]), "Student's t-test", -1, (1, 2)),
    ):
        assert (found.test, found.difference, found.sizes) == (test, difference, sizes)
        assert all(map(math.isnan, (*found.interval, found.t, found.freedom, found.p)))
        assert found.note


def test_fishers_p_is_exact() -> None:
    assert fisher(Proportion(1, 6), Proportion(5, 6)).exact


@pytest.mark.parametrize("solved", [0, 6])
def test_equal_shares_of_nothing_or_everything_are_noted_and_not_compared(solved: int) -> None:
    found = fisher(Proportion(solved, 6), Proportion(solved, 6))
    assert found.p == 1.0
    assert found.note


def test_a_single_solved_run_is_compared() -> None:
    assert not fisher(Proportion(1, 6), Proportion(0, 6)).note


def test_a_p_at_the_level_is_not_below_it() -> None:
    one, two = [1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]
    p = mann_whitney(one, two).p
    undecided, decided = (hint(one, two, alpha=p + more) for more in (0, 1e-9))
    assert " differ " in decided
    assert "these differ" not in undecided


def test_ties_take_their_share_of_the_runs_needed() -> None:
    # ties of 2, 4 and 2 among 8: (6 + 60 + 6) / (512 - 8) of the variance; 37.2 without them
    assert "32 each" in hint([2, 0, 1, 0], [1, 1, 1, 2])


@pytest.mark.parametrize(
    ("share", "said"),
    [
        (0.0, "0"),
        (0.00012, "0.012"),
        (0.004, "0.4"),
        (0.006, "1"),
        (0.5, "50"),
        (0.994, "99"),
        (0.996, "99.6"),
        (0.99999, "99.9"),
        (1.0, "100"),
    ],
)
def test_what_is_not_quite_0_or_100_percent_does_not_look_like_it(share: float, said: str) -> None:
    assert format_percent(share) == said


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda: ecdf([1, -0.5], [True, False]), "0 or more, got -0.5"),
        (lambda: friedman([[1.0, math.nan], [math.nan, 1.0]]), "NaN in row 1, column 2"),
        (lambda: quantile_bands([([1], [1])], shares=(0.5, 1)), "a share between 0 and 1, got 1"),
        (lambda: quantile_bands([([1], [1])], grid=[1, INF]), "finite numbers in the grid"),
        (lambda: fixed_target([([1, INF], [1, 1])], 1), "finite numbers in a history's efforts"),
    ],
)
def test_what_makes_no_sense_is_refused_in_words(wrong: Any, words: str) -> None:
    with pytest.raises(GenokuError, match=words):
        wrong()
