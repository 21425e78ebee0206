"""Answers are judged in words, whatever they are."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any

import pytest

from genoku.errors import GenokuError
from genoku.evolve.operators.mutation import Reset, Swap
from genoku.lab.statistics import Interval
from genoku.teaching import (
    NotYet,
    Verdict,
    agrees_with,
    check,
    expect,
    keeps_contract,
    recall,
    refuse,
)


def is_even(number: int) -> str:
    expect(number % 2 == 0, f"{number} is odd")
    return "it is even"


def is_small(number: int) -> str:
    expect(number < 10, f"{number} is large")
    return "it is small"


def test_what_passes_all_tests_is_right_and_says_why() -> None:
    assert check(4, is_even, is_small) == Verdict(True, ("it is even", "it is small"))


def test_the_first_test_that_fails_has_the_last_word() -> None:
    assert check(12, is_even, is_small) == Verdict(False, ("it is even",), "12 is large")
    assert check(13, is_even, is_small) == Verdict(False, (), "13 is odd")


def test_dots_are_no_answer() -> None:
    verdict = check(..., is_even)
    assert not verdict.right
    assert verdict.missing


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (NotYet("too few"), "too few"),
        (GenokuError("expected a list, got 3"), "expected a list, got 3"),
        (AssertionError("expected new boards"), "expected new boards"),
        (AssertionError(), "it raised AssertionError"),
        (KeyError("rows"), "it raised KeyError: 'rows'"),
        (ValueError("one\n  two"), "it raised ValueError: one two"),
        (ZeroDivisionError(), "it raised ZeroDivisionError"),
    ],
)
def test_whatever_an_answer_raises_becomes_words(error: Exception, said: str) -> None:
    def failing(_: Any) -> str:
        raise error

    verdict = check(1, failing)
    assert not verdict.right
    assert verdict.missing.startswith(said)
    assert "\n" not in verdict.missing


def test_an_error_is_told_with_the_line_of_the_cell() -> None:
    names: dict[str, Any] = {}
    exec(compile("def third(values):\n    return values[3]\n", "<cell>", "exec"), names)
    verdict = check(names["third"], lambda function: str(function([1, 2])))
    assert "IndexError" in verdict.missing
    assert "line 2" in verdict.missing


def test_a_notebook_shows_the_words_and_escapes_them() -> None:
    verdict = Verdict(False, ("a < b",), "c & d")
    shown = verdict._repr_mimebundle_(include=None, exclude=None)
    assert shown["text/plain"] == str(verdict) == "✓ a < b\nnot yet: c & d"
    assert "a &lt; b" in shown["text/html"]
    assert "Not yet:" in shown["text/html"]
    assert "c &amp; d" in shown["text/html"]
    assert "Right!" in Verdict(True, ())._repr_mimebundle_()["text/html"]


def test_an_operator_is_held_to_the_contract() -> None:
    assert check(Swap(), keeps_contract("mutation")).right
    verdict = check(lambda boards, rate, problem, rng: boards, keeps_contract("mutation"))
    assert "new boards" in verdict.missing


def mean(values: list[float]) -> float:
    return sum(values) / len(values)


CASES = [([1, 2, 6],), ([4, 4],)]
MISTAKES: dict[str, Callable[..., float]] = {
    "that is the sum": sum,
    "that is the middle": lambda values: sorted(values)[len(values) // 2],
}


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (sum, "that is the sum: for [1, 2, 6] expected 3, got 9"),
        (lambda values: sorted(values)[1], "that is the middle: for [1, 2, 6] expected 3, got 2"),
        (lambda values: 3, "for [4, 4] expected 4, got 3"),
        (lambda values: None, "for [1, 2, 6] expected 3, got nothing"),
        (lambda values: "3", "for [1, 2, 6] expected 3, got '3'"),
        (lambda values: float("nan"), "for [1, 2, 6] expected 3, got nan"),
        (lambda values: ..., "nothing is written yet"),
        (7, "expected a function, got 7"),
    ],
)
def test_a_wrong_function_is_told_where_and_by_which_mistake(function: Any, said: str) -> None:
    assert check(function, agrees_with(mean, CASES, MISTAKES)).missing.startswith(said)


def test_a_right_function_may_differ_in_the_last_digits_and_be_infinite() -> None:
    test = agrees_with(lambda value: 1 / value if value else inf, [(3,), (0,)])
    assert check(lambda value: 1 / value + 1e-12 if value else inf, test).right
    assert not check(lambda value: 0.3333 if value else inf, test).right


@pytest.mark.parametrize(
    ("prediction", "seen", "said"),
    [
        ("rank", "rank", "You predicted rank, which is right"),
        ("rank", "roulette", "You predicted rank; it is roulette"),
        (..., "roulette", "You wrote no prediction down; it is roulette"),
        (30, Interval(25, 40), "You predicted 30, which is right: it lies between 25 and 40"),
        (50, Interval(25, 40), "You predicted 50; it lies between 25 and 40"),
        ("half", Interval(25, 40), "You wrote 'half', which is not a number"),
    ],
)
def test_a_prediction_is_held_against_what_was_seen(prediction: Any, seen: Any, said: str) -> None:
    assert recall(prediction, seen).startswith(said)


def test_refusing_says_why() -> None:
    with pytest.raises(NotYet, match="like"):
        refuse("not like this")
    expect(True, "never said")


def test_an_operator_of_another_kind_is_refused() -> None:
    assert not check(Reset(), keeps_contract("selection")).right
