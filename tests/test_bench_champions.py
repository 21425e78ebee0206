"""The benchmark of the champions invents no times for runs that are not solved."""

from __future__ import annotations

import math
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


@pytest.fixture
def racing(monkeypatch: pytest.MonkeyPatch) -> Any:
    if not BENCHMARKS.is_dir():
        pytest.skip("only a clone has the benchmarks")
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return import_module("racing")


def outcomes(racing: Any, *seconds: float, limit: float = 60.0) -> list[Any]:
    """A run a board; those that would take longer than the limit are stopped there."""
    return [
        racing.Outcome("champion", f"50 % {board}", 1, each <= limit, min(each, limit), 1)
        for board, each in enumerate(seconds)
    ]


def test_unsolved_runs_count_with_what_they_spent_and_never_as_solved(racing: Any) -> None:
    found = racing.Summary.of(outcomes(racing, 3, 5, 10, math.inf))
    assert (found.runs, found.solved) == (4, 3)
    assert found.expected == pytest.approx((3 + 5 + 10 + 60) / 3)
    assert found.interval.low < found.expected < found.interval.high
    assert (found.median, found.most) == (10, math.inf)


def test_solved_runs_have_their_plain_mean_and_median(racing: Any) -> None:
    found = racing.Summary.of(outcomes(racing, 1, 2, 6))
    assert (found.expected, found.median, found.most) == (3, 2, 6)


def test_what_nobody_solved_has_a_lower_bound_and_no_time(racing: Any) -> None:
    found = racing.Summary.of(outcomes(racing, math.inf, math.inf))
    assert (found.expected, found.median) == (math.inf, math.inf)
    assert racing.expected_text(found).startswith("> ")


def test_the_ratio_of_expected_times_holds_what_was_seen(racing: Any) -> None:
    champion = outcomes(racing, *range(1, 11))
    slower = outcomes(racing, *(3 * n for n in range(1, 11)))
    low, high = racing.bootstrapped(slower, champion)
    assert (low, high) == pytest.approx((3, 3))
    none = outcomes(racing, *[math.inf] * 10)
    assert racing.bootstrapped(none, champion) == (math.inf, math.inf)
