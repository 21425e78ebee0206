"""Numbers of times are drawn by their exact chances."""

from __future__ import annotations

from math import comb
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, strategies as st
from strategies import NINE, examples, pattern_grid

from genoku import bundled
from genoku.errors import RecipeError
from genoku.evolve.encoding import FreeCells
from genoku.evolve.fitness import Repetitions
from genoku.evolve.operators.mutation import (
    REPEATS,
    Between,
    Binomial,
    Fixed,
    Repeats,
    binomial_cdf,
)
from genoku.evolve.problem import Problem
from genoku.runtime.random import stream

HARD = Problem.of(bundled()["charles-hard"].puzzle, FreeCells(), Repetitions())


@pytest.mark.parametrize(
    ("repeats", "chances"),
    [
        (Fixed(), {1: 1.0}),
        (Fixed(4), {4: 1.0}),
        (Between(), dict.fromkeys(range(1, 6), 0.2)),
        (Between(0, 1), {0: 0.5, 1: 0.5}),
        (Between(7, 7), {7: 1.0}),
        (Binomial(0.0), {0: 1.0}),
        (Binomial(1.0), {27: 1.0}),
        (Binomial(1.0, of="blanks"), {55: 1.0}),
        (Binomial(1.0, trials=3, of="blanks"), {3: 1.0}),
        (Binomial(0.3, trials=5), {k: comb(5, k) * 0.3**k * 0.7 ** (5 - k) for k in range(6)}),
        (Binomial(), {k: comb(27, k) * 0.01**k * 0.99 ** (27 - k) for k in range(28)}),
    ],
    ids=repr,
)
def test_times_are_drawn_by_their_chances(repeats: Repeats, chances: dict[int, float]) -> None:
    times = repeats(20_000, HARD, stream(1))
    assert times.shape == (20_000,)
    assert times.dtype == np.int64
    assert set(times.tolist()) <= set(chances)
    for number, chance in chances.items():
        margin = 5 * (chance * (1 - chance) / 20_000) ** 0.5 + 1e-4
        assert (times == number).mean() == pytest.approx(chance, abs=margin)


@given(st.integers(0, 1300), st.floats(0, 1))
@examples(15)
@example(1296, 0.5)
@example(1296, 1.0)
def test_the_table_of_successes_is_the_binomial_distribution(trials: int, p: float) -> None:
    table = binomial_cdf(trials, p)
    chances = np.diff(table, prepend=0.0)
    assert len(table) == trials + 1
    assert table[-1] == pytest.approx(1, abs=1e-12)
    assert (chances >= 0).all()
    assert chances @ np.arange(trials + 1) == pytest.approx(trials * p, rel=1e-9, abs=1e-9)
    variance = chances @ (np.arange(trials + 1) - trials * p) ** 2
    assert variance == pytest.approx(trials * p * (1 - p), rel=1e-6, abs=1e-6)


def test_a_full_board_has_no_blanks_to_count() -> None:
    problem = Problem.of(pattern_grid(NINE), FreeCells(), Repetitions())
    assert Binomial(1.0, of="blanks")(5, problem, stream(1)).tolist() == [0] * 5


@pytest.mark.parametrize("each", REPEATS)
def test_the_same_stream_gives_the_same_times(each: Any) -> None:
    one, again = (each()(50, HARD, stream(1)) for _ in range(2))
    assert np.array_equal(one, again)
    assert each() == each()


BAD: list[tuple[Any, dict[str, Any], str]] = [
    (Fixed, {"times": 0}, "times"),
    (Between, {"least": -1}, "least"),
    (Between, {"least": 3, "most": 2}, "most"),
    (Binomial, {"p": 1.5}, "p"),
    (Binomial, {"p": float("nan")}, "p"),
    (Binomial, {"trials": -1}, "trials"),
    (Binomial, {"of": "cells"}, "of"),
]


@pytest.mark.parametrize(("each", "parameters", "name"), BAD)
def test_bad_parameters_are_refused(each: Any, parameters: dict[str, Any], name: str) -> None:
    with pytest.raises(RecipeError) as refused:
        each(**parameters)
    assert refused.value.path == (name,)
