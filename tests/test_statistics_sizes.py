"""How many runs it takes: textbook numbers, and hints that claim no more than the tests."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, strategies as st

from genoku.errors import GenokuError
from genoku.lab.statistics import (
    fewest_runs,
    hint,
    mann_whitney,
    p_text,
    runs_for_a12,
    runs_for_shares,
    smallest_p,
)

INF = math.inf
FEW = st.lists(st.one_of(st.integers(0, 6), st.just(INF)), min_size=1, max_size=6)


def test_noether_gives_the_textbook_number() -> None:
    # (1.95996 + 0.84162)² / (6 · 0.15²) = 58.1
    assert runs_for_a12(0.65) == runs_for_a12(0.35) == 59
    assert runs_for_a12(0.65, ties=0.125) == 51
    assert runs_for_a12(0.5) is None
    assert runs_for_a12(1.0, power=0.5) == fewest_runs() == 4
    assert smallest_p(4, 4) < 0.05 <= smallest_p(3, 3)


def test_shares_need_the_textbook_number() -> None:
    # Fleiss: 60 % against 80 % at 5 % and 80 %: 82 without correction for continuity, 91 with
    assert runs_for_shares(0.6, 0.8) == 91
    assert runs_for_shares(0.3, 0.3) is None
    assert runs_for_shares(0, 1) == runs_for_shares(1, 0) == 4
    assert runs_for_a12(0.0) == runs_for_a12(1.0)


def test_what_just_reaches_the_level_is_not_below_it() -> None:
    assert smallest_p(3, 3) == 0.1
    assert fewest_runs(0.1) == 4
    assert "p = 0.05)" in hint([0], range(1, 40))
    assert "With 3 runs each, no result can" in hint([1, 2, 3], [4, 5, 6], alpha=0.1)


@given(st.floats(0.55, 1), st.floats(0.001, 0.05))
def test_a_stricter_level_never_takes_fewer_runs(value: float, alpha: float) -> None:
    usual, strict = runs_for_a12(value), runs_for_a12(value, alpha=alpha)
    assert usual is not None
    assert strict is not None
    assert strict >= usual
    assert smallest_p(strict, strict) < alpha


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (
            lambda: hint([1, 3, 5, 7, 9], [2, 4, 6, 8, 10]),
            "With 5 runs each, these do not differ significantly (p = 0.69); "
            "about 140 each would show a difference of the observed size (A12 = 0.60).",
        ),
        (
            lambda: hint([1, 2, 3], [4, 5, 6]),
            "With 3 runs each, no result can reach p < 0.05 (at best p = 0.1); at least 4 each "
            "are required; about 6 each would show a difference of the observed size (A12 = 1.00).",
        ),
        (
            lambda: hint([1], [2]),
            "With 1 run each, no result can reach p < 0.05 (at best p = 1); "
            "at least 4 each are required.",
        ),
        (
            lambda: hint(range(20), range(18, 38)),
            "With 20 runs each, these differ (p < 0.0001, A12 = 0.99).",
        ),
        (
            lambda: hint([1, 2, 3, 4], [1, 2, 3, 4]),
            "With 4 runs each, these do not differ significantly (p = 1); "
            "there is no observed difference (A12 = 0.50) to estimate a number from.",
        ),
        (
            lambda: hint([1, 2, 3, INF, INF], [2, INF, INF, INF, INF]),  # 33 if none were equal
            "With 5 runs each, these do not differ significantly (p = 0.405); "
            "about 26 each would show a difference of the observed size (A12 = 0.70).",
        ),
        (
            lambda: hint([1, 3, 5, 7, 9], [2, 4, 6, 8, 10], power=0.05),  # 4 would do for so little
            "With 5 runs each, these do not differ significantly (p = 0.69); "
            "about 6 each would show a difference of the observed size (A12 = 0.60).",
        ),
        (
            lambda: hint([INF] * 4, [INF] * 5),
            "With 4 and 5 runs, all values are equal.",
        ),
        (
            lambda: hint(range(0, 200, 2), range(1, 200, 2)),
            "With 100 runs each, these do not differ significantly (p = 0.904); "
            "the observed difference (A12 = 0.51) would require over 10,000 each.",
        ),
    ],
)
def test_a_hint_is_one_plain_sentence(said: Any, words: str) -> None:
    assert said() == words


def test_a_hint_names_the_runs_for_its_level_and_power() -> None:
    one, two = [1, 3, 5, 7, 9], [2, 4, 6, 8, 10]
    assert (runs_for_a12(0.6, alpha=0.01), runs_for_a12(0.6, power=0.9)) == (195, 176)
    assert [runs_named(hint(one, two, **each)) for each in STRICTER] == [200, 200, 180]


STRICTER: list[dict[str, Any]] = [{"alpha": 0.01}, {"tests": 5}, {"power": 0.9}]


def runs_named(said: str) -> int:
    """The number of runs that a hint asks for."""
    return int(said.rpartition("about ")[2].partition(" ")[0])


@given(FEW, FEW)
def test_a_hint_claims_a_difference_only_where_the_test_does(
    first: list[float], second: list[float]
) -> None:
    said = hint(first, second)
    assert ("these differ" in said) == (mann_whitney(first, second).p < 0.05)
    assert said.endswith(".")


def test_p_values_are_never_printed_as_nothing() -> None:
    assert [p_text(p) for p in (1e-9, 0.0423, 1)] == ["p < 0.0001", "p = 0.0423", "p = 1"]
    assert p_text(0.0001) == "p = 0.0001"
    assert [p_text(p, bare=True) for p in (1e-9, 0.0423, 1)] == ["< 0.0001", "0.0423", "1"]


def test_a_level_is_rounded_only_where_it_is_printed() -> None:
    found = hint([1, 2, 3], [4, 5, 6], tests=3)
    assert "p < 0.0167" in found
    assert "p = 0.1)" in found


def test_one_comparison_of_many_is_told_by_its_corrected_p() -> None:
    one, two = [1, 2, 3, 4, 6], [5, 7, 8, 9, 10]
    assert "these differ (p = 0.0159, " in hint(one, two)
    assert "significantly (p = 0.0635 after correction" in hint(one, two, tests=4)
    assert "significantly (p = 1 after correction" in hint(
        [1, 3, 5, 7, 9], [2, 4, 6, 8, 10], tests=4
    )
    assert "significantly (p = 0.06 after correction" in hint(one, two, tests=4, corrected=0.06)
    assert "these differ (p = 0.04 after" in hint(one, two, tests=2, corrected=0.04)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda: runs_for_a12(1.2), "an A12 from 0 to 1, got 1.2"),
        (lambda: runs_for_shares(0.5, 2), "a share from 0 to 1, got 2"),
        (lambda: runs_for_shares(-0.5, 0.5), "a share from 0 to 1, got -0.5"),
        (lambda: runs_for_a12(-0.1), "an A12 from 0 to 1, got -0.1"),
        (
            lambda: runs_for_shares(0.1, 0.5, alpha=0),
            "level of significance between 0 and 1, got 0",
        ),
        (lambda: fewest_runs(1), "level of significance between 0 and 1, got 1"),
        (lambda: runs_for_a12(0.7, power=80), "a power between 0 and 1, got 80"),
    ],
)
def test_what_makes_no_sense_is_refused_in_words(wrong: Any, words: str) -> None:
    with pytest.raises(GenokuError, match=words):
        wrong()
