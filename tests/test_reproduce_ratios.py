"""Ratios of running times: their intervals, puzzles kept apart, and one margin."""

from __future__ import annotations

import numpy as np
import pytest

from reproductions.old.claims import MARGIN
from reproductions.old.ratios import LEAST, Ratio, time_ratio
from genoku.lab.statistics import Interval, a12


def test_a_ratio_of_equals_is_about_one_and_that_of_unequals_is_not() -> None:
    draws = np.random.default_rng(0)
    fast, slow = draws.exponential(1, 60), draws.exponential(4, 60)
    yes = np.ones(60, np.bool_)
    low, high = time_ratio(((fast, yes), (fast, yes))).interval
    assert low < 1 < high
    low, high = time_ratio(((slow, yes), (fast, yes))).interval
    assert 1 < low < 4 < high


def test_all_against_none_says_more_the_more_runs_there_are() -> None:
    two, ten, many = (
        time_ratio(
            (
                (np.full(runs, 10.0), np.zeros(runs, np.bool_)),
                (np.full(runs, 10.0), np.ones(runs, np.bool_)),
            )
        ).interval
        for runs in (2, 10, 200)
    )
    assert two == (0, np.inf)
    assert 1 < ten.low < many.low / 10


def test_the_interval_of_a_ratio_holds_the_true_one_as_often_as_it_says() -> None:
    draws, held = np.random.default_rng(5), 0
    for seed in range(200):  # exponential times that are cut off: 1 against 3, so a ratio of 3
        cut = [(np.minimum(times, 2.0), times < 2.0) for times in draws.exponential(1, (2, 30))]
        (one, solved), two = cut
        pair = (3 * one, solved), two
        low, high = time_ratio(pair, resamples=400, seed=seed).interval
        held += low <= 3 <= high
    assert 182 <= held <= 200


def test_a_puzzle_that_takes_a_hundred_times_as_long_weighs_no_more() -> None:
    draws, yes = np.random.default_rng(1), np.ones(60, np.bool_)
    one, two = draws.exponential(1, (2, 60))
    alone = [time_ratio(((3 * each, yes), (each, yes))).value for each in (one, two)]
    assert alone == pytest.approx([3, 3])
    easy, hard = (3 * one, yes), (100 * two, yes)
    both = time_ratio((easy, (one, yes)), (hard, (100 * two, yes)))
    assert both.value == pytest.approx(3**0.5)  # 3 on the easy one, 1 on the hard one
    assert both.interval.low < both.value < both.interval.high
    pooled = [np.concatenate((first, 100 * two)) for first in (3 * one, one)]
    assert pooled[0].mean() / pooled[1].mean() < 1.1


def test_what_was_never_solved_on_either_side_has_no_ratio() -> None:
    never, always = ([1.0] * 9, [False] * 9), ([1.0] * 9, [True] * 9)
    assert np.isnan(time_ratio((never, never)).value)
    assert np.isnan(time_ratio((always, always), (never, never)).value)
    assert time_ratio((never, never)).above_one == "undecided"
    assert time_ratio((always, always), (never, always)).value == np.inf


@pytest.mark.parametrize(
    ("value", "low", "high", "expected"),
    [
        (2.0, 1.1, 4.0, "holds"),
        (2.0, 0.9, 4.0, "undecided"),
        (0.5, 0.2, 0.9, "fails"),
        (1.1, 1.01, 1.4, "undecided"),  # found, and too small to matter
        (0.9, 0.7, 0.99, "undecided"),
        (1.1, 1.01, 1.2, "fails"),  # as good as equal
        (float("nan"), 0.0, float("inf"), "undecided"),
    ],
)
def test_a_ratio_is_judged_by_its_interval_and_the_one_margin(
    value: float, low: float, high: float, expected: str
) -> None:
    assert Ratio(value, Interval(low, high)).above_one == expected


def test_the_least_ratio_is_the_margin_of_exponential_times() -> None:
    draws = np.random.default_rng(4)
    one, two = LEAST * draws.exponential(1, 4000), draws.exponential(1, 4000)
    assert a12(one, two, lower_is_better=False).a12 == pytest.approx(0.5 + MARGIN, abs=0.02)
