"""Statistics held against answers of statsmodels and scikit-posthocs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from known_statistics import ask_holm, ask_nemenyi, ask_survival, ask_wilson, known

from genoku.lab.statistics import holm, nemenyi, survival, wilson

MANY = settings(max_examples=300)


def check_survival(efforts: list[int], solved: list[bool], answer: list[list[float]]) -> None:
    times, shares, errors = answer
    found = survival(efforts, solved)
    assert found.at(np.array(times)) == pytest.approx(shares)
    # Rothman's band is Wilson's: its ends solve |S - p| = z sqrt(p (1 - p) / n), n by Greenwood
    for time, share, error in zip(times, shares, errors, strict=True):
        if 0 < share < 1:
            place = np.searchsorted(found.x, time)
            low, high = float(found.low[place]), float(found.high[place])
            for end in (low, high):
                deviations = (share - end) / np.sqrt(end * (1 - end))
                reach = 1.959963984540054 * error / np.sqrt(share * (1 - share))
                assert abs(deviations) == pytest.approx(reach)


def test_wilson_gives_the_known_answers() -> None:
    for each in known("wilson"):
        found = wilson(each["successes"], each["runs"], each["level"])
        assert found == pytest.approx(tuple(each["answer"]), abs=1e-9)


def test_holm_gives_the_known_answers() -> None:
    for each in known("holm"):
        assert holm(each["p_values"]) == pytest.approx(each["answer"])


def test_holm_of_nothing_is_nothing() -> None:
    assert holm([]).size == 0


def test_survival_gives_the_known_answers() -> None:
    for each in known("survival"):
        check_survival(**each)


def test_nemenyi_gives_the_known_answers() -> None:
    for each in known("nemenyi"):
        assert nemenyi(each["table"]) == pytest.approx(np.array(each["answer"]), abs=1e-6)


@pytest.mark.release
@MANY
@given(st.integers(1, 500), st.floats(0, 1), st.floats(0.5, 0.999))
def test_wilson_agrees_with_statsmodels(runs: int, share: float, level: float) -> None:
    successes = round(share * runs)
    answer = ask_wilson(successes, runs, level)
    assert wilson(successes, runs, level) == pytest.approx(tuple(answer), abs=1e-9)


@pytest.mark.release
@settings(max_examples=30)  # each call of statsmodels collects garbage, for a tenth of a second
@given(st.lists(st.sampled_from((0.0, 0.001, 0.01, 0.04, 0.3, 1.0)), min_size=1, max_size=40))
def test_holm_agrees_with_statsmodels(p_values: list[float]) -> None:
    assert holm(p_values) == pytest.approx(ask_holm(p_values))


@pytest.mark.release
@MANY
@given(
    st.lists(st.tuples(st.integers(1, 15), st.booleans()), min_size=1, max_size=40).filter(
        lambda runs: any(solved for _, solved in runs)
    )
)
def test_survival_agrees_with_statsmodels(runs: list[tuple[int, bool]]) -> None:
    efforts, solved = [effort for effort, _ in runs], [solved for _, solved in runs]
    check_survival(efforts, solved, ask_survival(efforts, solved))


@pytest.mark.release
@MANY
@given(st.integers(0, 2**32), st.integers(2, 15), st.integers(3, 6))
def test_nemenyi_agrees_with_scikit_posthocs(seed: int, puzzles: int, algorithms: int) -> None:
    table = np.random.default_rng(seed).integers(0, 30, (puzzles, algorithms)).tolist()
    assert nemenyi(table) == pytest.approx(np.array(ask_nemenyi(table)), abs=1e-6)
