"""Intervals cover, tests keep their level, and sample sizes give their power: by simulation."""

from __future__ import annotations

import numpy as np
import pytest

from genoku.lab.statistics import (
    Proportion,
    a12,
    ert,
    ert_interval,
    ert_ratio_interval,
    fisher,
    mann_whitney,
    runs_for_a12,
    runs_for_shares,
)

INF = float("inf")


@pytest.mark.parametrize("count", [10, 60])
@pytest.mark.parametrize("limit", [5, 30, INF])
def test_the_interval_of_the_running_time_covers_the_truth(count: int, limit: float) -> None:
    # tries of 1 in 20 until the first success, given up at a limit: restarts need 20 on average
    generator = np.random.default_rng(7)
    held, repeats = np.zeros(2), 400
    for repeat in range(repeats):
        tries = generator.geometric(0.05, (2, count))
        one, other = ((np.minimum(each, limit), each <= limit) for each in tries)
        low, high = ert_interval(*one, resamples=400, seed=repeat)
        lower, upper = ert_ratio_interval((one, other), resamples=400, seed=repeat)
        held += low <= 20 <= high, lower <= 1 <= upper
    assert (held >= 0.93 * repeats).all()
    assert (held <= 0.995 * repeats).all()


def test_the_running_time_does_not_depend_on_where_geometric_runs_are_given_up() -> None:
    tries = np.random.default_rng(1).geometric(0.05, 40_000)
    for limit in (5, 20, 100):
        assert ert(np.minimum(tries, limit), tries <= limit) == pytest.approx(20, rel=0.04)


@pytest.mark.parametrize(("shift", "n"), [(0.0, 8), (0.8, 15), (2.5, 12)])
def test_the_interval_of_a12_covers_the_truth(shift: float, n: int) -> None:
    generator = np.random.default_rng(11)
    draws = generator.normal(size=(2, 400_000))
    truth = float((draws[0] < draws[1] + shift).mean())
    intervals = [
        a12(generator.normal(size=n), generator.normal(shift, 1, n)).interval for _ in range(600)
    ]
    covered = np.mean([low <= truth <= high for low, high in intervals])
    assert 0.92 <= covered <= 0.99


@pytest.mark.parametrize("unsolved", [False, True])
def test_noethers_number_of_runs_gives_the_power_it_promises(unsolved: bool) -> None:
    generator = np.random.default_rng(5)
    limit = 1.0 if unsolved else np.inf  # about 4 of 10 runs never end, and are equal

    def draw(scale: float, n: int) -> np.ndarray:
        efforts = generator.exponential(scale, n)
        return np.where(efforts > limit, np.inf, efforts)

    first, second = draw(0.8, 4000), draw(1.6, 4000)
    times = np.unique(np.concatenate([first, second]), return_counts=True)[1]
    runs = runs_for_a12(
        a12(first, second).a12, ties=float((times / 8000) ** 3 @ np.ones(times.size))
    )
    assert runs is not None
    seen = np.mean([mann_whitney(draw(0.8, runs), draw(1.6, runs)).p < 0.05 for _ in range(500)])
    assert 0.74 <= seen <= 0.87


def test_the_number_of_runs_for_shares_gives_the_power_it_promises() -> None:
    generator = np.random.default_rng(6)
    runs = runs_for_shares(0.5, 0.75)
    assert runs is not None
    successes = generator.binomial(runs, [0.5, 0.75], (500, 2)).tolist()
    seen = [fisher(Proportion(a, runs), Proportion(b, runs)).p < 0.05 for a, b in successes]
    assert 0.75 <= np.mean(seen) <= 0.87


def test_mann_whitney_with_many_unsolved_runs_keeps_its_level() -> None:
    generator = np.random.default_rng(8)
    efforts = generator.exponential(1, (800, 2, 12))
    efforts[efforts > 1] = np.inf
    assert np.mean([mann_whitney(a, b).p < 0.05 for a, b in efforts]) <= 0.06
