"""Report 001 again: what its tables say, and the rules that judge them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from genoku.jit import JIT_IS_ON
from genoku.lab.page import Verdict
from genoku.lab.reproduce import Findings, Scale, reproduce, reproduction
from genoku.lab.reproduce.eran_shahar.experiments import (
    ALGORITHMS,
    CHOICES,
    GENETIC,
    LEVELS,
    Attempts,
    Measured,
    average,
    solving_times,
)
from genoku.lab.reproduce.eran_shahar.verdicts import (
    above_two,
    drawn_quotients,
    faster_everywhere,
    most_in_hard,
    needs_a_limit,
    published_quotients,
)
from genoku.lab.reproduce.places import could_be_ours, percentile, rare, ratio_interval, tail
from genoku.lab.reproduce.words import in_words, short
from genoku.lab.statistics import Proportion

SMALL = Scale(quick=True, seeds=1)


def attempts(times: list[float], solved: list[bool]) -> Attempts:
    return Attempts(np.array(times), np.array(times), np.array(solved))


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Findings:
    if not JIT_IS_ON:
        pytest.skip("whole runs take minutes where nothing is compiled")
    return reproduce(reproduction("001"), SMALL, tmp_path_factory.mktemp("001"))


def test_the_published_averages_are_those_of_the_report() -> None:
    assert [average(level, 40, "genetic") for level in LEVELS] == [39, 337, 478, 18379]
    assert [average(level, 80, "annealing") for level in LEVELS] == [7, 11, 14, 6316]


def test_the_advantage_is_smallest_where_the_report_says_it_is_largest() -> None:
    claim = most_in_hard()
    assert claim.verdict == "fails"
    assert "hard 1.2" in claim.because


def test_six_of_eight_averages_fall_by_more_than_the_same_attempts_could() -> None:
    quotients = published_quotients()
    assert len(quotients) == len(LEVELS) * len(ALGORITHMS)
    assert all(quotient >= 2 for quotient in quotients.values())
    assert above_two() == 6


@given(st.lists(st.floats(0.1, 1e6), min_size=80, max_size=80))
def test_a_mean_of_eighty_is_at_least_half_of_the_mean_of_forty_of_them(times: list[float]) -> None:
    assert np.mean(times[:40]) / np.mean(times) <= 2 + 1e-9


def test_averages_of_one_distribution_are_about_equal() -> None:
    drawn = drawn_quotients(attempts([1.0, 2.0, 5.0, 9.0], [True] * 4), 2000)
    assert abs(float(np.median(drawn)) - 1) < 0.05
    assert float(drawn.max()) < 2


def test_attempts_that_are_begun_anew_cost_the_expected_running_time() -> None:
    one = attempts([10.0, 20.0, 30.0], [True, False, False])
    drawn = solving_times(one, "cpu", (200, 200), np.random.default_rng(1))
    assert drawn.mean() == pytest.approx(one.time("cpu").value, rel=0.03)
    never = solving_times(attempts([3.0], [False]), "cpu", (1, 2), np.random.default_rng(1))
    assert np.isinf(never).all()


@pytest.mark.parametrize(
    ("levels", "expected"),
    [
        ([{"holds"}, {"holds"}], "holds"),
        ([{"holds"}, {"holds", "undecided"}], "undecided"),
        ([{"holds"}, {"fails", "undecided"}], "undecided"),
        ([{"holds"}, {"fails"}], "fails"),
    ],
)
def test_one_board_on_which_all_measures_agree_refutes_whatever_the_board(
    levels: list[set[Verdict]], expected: Verdict
) -> None:
    assert faster_everywhere({str(place): each for place, each in enumerate(levels)}) == expected


def test_a_ratio_of_equals_is_about_one_and_that_of_unequals_is_not() -> None:
    draws = np.random.default_rng(0)
    fast, slow = draws.exponential(1, 60), draws.exponential(4, 60)
    yes = np.ones(60, np.bool_)
    low, high = ratio_interval((fast, yes), (fast, yes))
    assert low < 1 < high
    low, high = ratio_interval((slow, yes), (fast, yes))
    assert 1 < low < 4 < high


def test_all_against_none_says_more_the_more_runs_there_are() -> None:
    two, ten, many = (
        ratio_interval(
            (np.full(runs, 10.0), np.zeros(runs, np.bool_)),
            (np.full(runs, 10.0), np.ones(runs, np.bool_)),
        )
        for runs in (2, 10, 200)
    )
    assert two == (0, np.inf)
    assert 1 < ten.low < many.low / 10


def test_the_interval_of_a_ratio_holds_the_true_one_as_often_as_it_says() -> None:
    draws, held = np.random.default_rng(5), 0
    for seed in range(200):  # exponential times that are cut off: 1 against 3, so a ratio of 3
        cut = [(np.minimum(times, 2.0), times < 2.0) for times in draws.exponential(1, (2, 30))]
        (one, solved), two = cut
        low, high = ratio_interval((3 * one, solved), two, resamples=400, seed=seed)
        held += low <= 3 <= high
    assert 182 <= held <= 200


def test_a_published_value_is_placed_among_ours() -> None:
    ours = np.arange(100.0)
    assert percentile(ours, 49.5) == 50
    assert percentile([1, 1, 1], 1) == 50
    assert tail(ours, 1000) == pytest.approx(2 / 101)
    assert tail(ours, 50) == 1


def test_one_far_out_or_all_a_little_high_is_not_ours() -> None:
    ours = np.arange(100.0)
    assert could_be_ours("", "", {"far": (1000, ours)}).verdict == "fails"
    assert could_be_ours("", "", {"near": (60, ours)}).verdict == "undecided"  # one says little
    spread = {str(place): (10.0 * place + 5, ours) for place in range(10)}
    assert could_be_ours("", "", spread).verdict == "holds"
    assert could_be_ours("", "", {"near": (2, [1, 2, 3])}).verdict == "undecided"
    high = {str(place): (85.0, ours) for place in range(10)}
    assert could_be_ours("", "", high).verdict == "fails"


def test_draws_of_ours_are_hardly_ever_taken_for_others() -> None:
    draws = np.random.default_rng(3)
    ours = draws.integers(0, 12, 200)  # few levels, as fitness has
    failed = sum(
        could_be_ours(
            "", "", {str(place): (float(draws.choice(ours)), ours) for place in range(10)}
        ).verdict
        == "fails"
        for _ in range(200)
    )
    assert failed <= 18


def test_what_is_rare_needs_many_runs_to_be_known_as_rare() -> None:
    verdicts = [
        rare("", "", Proportion(successes, runs), share=0.05, because="").verdict
        for successes, runs in ((0, 10), (0, 200), (50, 200))
    ]
    assert verdicts == ["undecided", "holds", "fails"]


def test_numbers_are_short() -> None:
    assert [short(each) for each in (0.12345, 123456, float("inf"))] == ["0.123", "123,000", "∞"]
    assert in_words("evaluations=500000") == "500,000 evaluations"


def test_a_run_is_stuck_where_its_boards_are_alike() -> None:
    def verdict(unsolved: list[float], solved: list[float]) -> str:
        tried = {(GENETIC, board): attempts([1.0], [False]) for board in LEVELS.values()}
        variety = {"unsolved": np.array(unsolved), "solved": np.array(solved)}
        return needs_a_limit(Measured(tried, {}, {}, variety, "")).verdict

    varied, alike = [0.5, 0.6, 0.7, 0.8], [0.01, 0.02, 0.03, 0.04]
    assert verdict(alike, varied) == "holds"
    assert verdict(varied, alike) == "fails"
    assert verdict(varied, varied) == verdict(alike, []) == "undecided"


def test_a_small_reproduction_says_what_arithmetic_decides(found: Findings) -> None:
    verdicts = {claim.text: claim.verdict for claim in found.claims}
    assert verdicts["The difference is especially noticeable on hard boards."] == "fails"
    assert verdicts["The annealing's loop continues until a solution is found."] == "fails"
    assert len(verdicts) == len(found.claims)


def test_one_attempt_decides_nothing_that_takes_many(found: Findings) -> None:
    wishes = [claim for claim in found.claims if "wish" in claim.where]
    assert [claim.verdict for claim in wishes] == ["undecided"] * 3


def test_the_page_shows_published_beside_measured(found: Findings, tmp_path: Path) -> None:
    page = reproduction("001").page(found, SMALL)
    page.write_markdown(tmp_path / "001.md")
    text = (tmp_path / "001.md").read_text("utf-8")
    assert "18,379" in text
    assert all(name in text for name in CHOICES)
    assert "genoku reproduce 001 --quick --seeds 1" in text
    assert not re.search(r"\b(nan|inf)\b", text)


def test_other_programs_get_the_figures_as_json(found: Findings) -> None:
    assert "genetic_by_annealing" in found.figures
    json.dumps(found.figures, allow_nan=False)
