"""The benchmark of the champions invents no times for runs that are not solved."""

from __future__ import annotations

import math
from typing import Any

import pytest

from benchmarks import racing


def outcomes(*seconds: float, limit: float = 60.0) -> list[Any]:
    """A run a board; those that would take longer than the limit are stopped there."""
    return [
        racing.Outcome("champion", f"50 % {board}", 1, each <= limit, min(each, limit), 1)
        for board, each in enumerate(seconds)
    ]


def test_unsolved_runs_count_with_what_they_spent_and_never_as_solved() -> None:
    found = racing.Summary.of(outcomes(3, 5, 10, math.inf))
    assert (found.runs, found.solved) == (4, 3)
    assert found.expected == pytest.approx((3 + 5 + 10 + 60) / 3)
    assert found.interval.low < found.expected < found.interval.high
    assert (found.median, found.most) == (10, math.inf)


def test_solved_runs_have_their_plain_mean_and_median() -> None:
    found = racing.Summary.of(outcomes(1, 2, 6))
    assert (found.expected, found.median, found.most) == (3, 2, 6)


def test_what_nobody_solved_has_a_lower_bound_and_no_time() -> None:
    found = racing.Summary.of(outcomes(math.inf, math.inf))
    assert (found.expected, found.median) == (math.inf, math.inf)
    assert racing.expected_text(found).startswith("> ")


def test_the_ratio_of_expected_times_holds_what_was_seen() -> None:
    champion = outcomes(*range(1, 11))
    slower = outcomes(*(3 * n for n in range(1, 11)))
    low, high = racing.bootstrapped(slower, champion)
    assert (low, high) == pytest.approx((3, 3))
    none = outcomes(*[math.inf] * 10)
    assert racing.bootstrapped(none, champion) == (math.inf, math.inf)
