"""Statistics held against statsmodels and scikit-posthocs, which are slow to import."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from slow_imports import Lazy

from genoku.lab.statistics import holm, nemenyi, survival, wilson

posthocs = Lazy("scikit_posthocs")
duration = Lazy("statsmodels.duration.api")
proportion = Lazy("statsmodels.stats.proportion")
multitest = Lazy("statsmodels.stats.multitest")


@given(st.integers(1, 500), st.floats(0, 1), st.floats(0.5, 0.999))
def test_wilson_agrees_with_statsmodels(runs: int, share: float, level: float) -> None:
    successes = round(share * runs)
    known = proportion.proportion_confint(successes, runs, alpha=1 - level, method="wilson")
    assert wilson(successes, runs, level) == pytest.approx(tuple(known), abs=1e-9)


@pytest.mark.parametrize("count", [1, 2, 7, 30])
def test_holm_agrees_with_statsmodels(count: int) -> None:
    p_values = np.random.default_rng(count).choice([0.0, 0.001, 0.01, 0.04, 0.3, 1.0], count)
    known = multitest.multipletests(p_values, method="holm")[1]
    assert holm(p_values) == pytest.approx(known)


def test_holm_of_nothing_is_nothing() -> None:
    assert holm([]).size == 0


@given(
    st.lists(st.tuples(st.integers(1, 15), st.booleans()), min_size=1, max_size=40).filter(
        lambda runs: any(solved for _, solved in runs)
    )
)
def test_survival_agrees_with_statsmodels(runs: list[tuple[int, bool]]) -> None:
    efforts, solved = np.array(runs).T
    known = duration.SurvfuncRight(efforts.astype(float), solved)
    found = survival(efforts, solved)
    assert found.at(known.surv_times) == pytest.approx(known.surv_prob)
    # Rothman's band is Wilson's: its ends solve |S - p| = z sqrt(p (1 - p) / n), n by Greenwood
    for time, share, error in zip(
        known.surv_times, known.surv_prob, known.surv_prob_se, strict=True
    ):
        if 0 < share < 1:
            place = np.searchsorted(found.x, time)
            low, high = float(found.low[place]), float(found.high[place])
            for end in (low, high):
                deviations = (share - end) / np.sqrt(end * (1 - end))
                reach = 1.959963984540054 * error / np.sqrt(share * (1 - share))
                assert abs(deviations) == pytest.approx(reach)


@given(st.integers(0, 2**32), st.integers(2, 15), st.integers(3, 6))
def test_nemenyi_agrees_with_scikit_posthocs(seed: int, puzzles: int, algorithms: int) -> None:
    table = np.random.default_rng(seed).integers(0, 30, (puzzles, algorithms))
    known = posthocs.posthoc_nemenyi_friedman(table).to_numpy()
    assert nemenyi(table) == pytest.approx(known, abs=1e-6)
