"""Tests and effects over strata, held against SciPy, against all orders, and by simulation."""

from __future__ import annotations

import math
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from slow_imports import Lazy

from genoku.errors import GenokuError
from genoku.lab.statistics import a12, mann_whitney, stratified_a12, van_elteren

INF = math.inf
oracle = Lazy("scipy.stats")
DISTINCT = st.lists(st.floats(0, 1), min_size=2, max_size=60, unique=True)


@given(DISTINCT, st.data())
def test_van_elteren_with_one_stratum_is_mann_whitney(values: list[float], data: Any) -> None:
    cut = data.draw(st.integers(1, len(values) - 1))
    pair = values[:cut], values[cut:]
    found, plain = van_elteren([pair]), mann_whitney(*pair)
    assert found.p == pytest.approx(plain.p)
    assert found.sizes == plain.sizes
    known = oracle.mannwhitneyu(*pair, method="asymptotic", use_continuity=False)
    assert oracle.norm.sf(abs(found.statistic)) * 2 == pytest.approx(known.pvalue)
    effect, alone = stratified_a12([pair]), a12(*pair)
    assert (effect.a12, *effect.interval) == pytest.approx((alone.a12, *alone.interval))
    assert effect.sizes == alone.sizes


def test_van_elteren_is_about_what_all_orders_within_strata_give() -> None:
    strata: Any = [
        ([1, 2, 5], [3, 4, 9, 6]),
        ([30, 10], [20, 40, 40]),
        ([7, 7, 8, INF], [9, 8, INF]),
    ]
    parts = []  # of the sum, for every order within a stratum
    for one, two in strata:
        ranks = oracle.rankdata([*one, *two])
        chosen = combinations(ranks, len(one))
        parts.append([sum(each) / (len(ranks) + 1) - len(one) / 2 for each in chosen])
    sums = np.array([sum(each) for each in product(*parts)])
    seen = sum(part[0] for part in parts)
    found = van_elteren(strata)
    assert found.statistic == pytest.approx(seen / sums.std())
    assert found.p == pytest.approx(np.mean(abs(sums) >= abs(seen) - 1e-9), abs=0.03)
    assert found.sizes == (9, 10)
    assert (found.exact, found.note) == (False, "")


def test_van_elteren_claims_no_more_than_its_few_runs_allow() -> None:
    apart = [([1], [2])] * 4
    assert van_elteren(apart).p == 2 / 2**4
    assert van_elteren(apart[:1]).p == 1
    alike = van_elteren([([1, 1], [1]), ([2], [2, 2])])
    assert (alike.p, alike.statistic, bool(alike.note)) == (1, 0, True)
    with pytest.raises(GenokuError, match="stratum"):
        van_elteren([])


def test_a_hard_puzzle_is_never_set_against_an_easy_one() -> None:
    easy, hard = np.arange(10.0), 1000 + np.arange(10.0)
    strata = [(easy, easy + 20), (hard, hard + 20)]
    assert van_elteren(strata).p < 1e-6
    assert stratified_a12(strata).a12 == 1
    assert stratified_a12(strata, lower_is_better=False).a12 == 0
    mixed = [(easy, easy + 20), (hard[:2] + 20, hard[:2])]
    weights = np.array([100 / 21, 4 / 5])
    assert stratified_a12(mixed).a12 == pytest.approx(weights[0] / weights.sum())


def test_the_interval_of_an_effect_over_strata_covers_the_truth() -> None:
    generator, held = np.random.default_rng(3), 0
    truth = float(oracle.norm.cdf(0.7 / math.sqrt(2)))
    for _ in range(300):
        draws = generator.normal(size=(6, 2, 5)) + 10 * np.arange(6)[:, None, None]
        draws[:, 1] += 0.7
        low, high = stratified_a12(list(draws)).interval
        held += low <= truth <= high
    assert 0.92 * 300 <= held <= 0.99 * 300
