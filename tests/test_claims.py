"""Verdicts follow from data by rule: contrasts, shares, readings, and ratios of running times."""

from __future__ import annotations

import math
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given, strategies as st
from slow_imports import Lazy

from genoku.lab.claims import (
    ALPHA,
    LEAST_RATIO,
    MARGIN,
    Claim,
    Contrast,
    Judgement,
    Ratio,
    Verdict,
    across_readings,
    all_of,
    any_of,
    best_of,
    count_verdicts,
    equivalent,
    judge,
    matches_published,
    median_interval,
    p_text,
    percentile,
    ratio_text,
    share_above,
    share_below,
    tail,
    time_ratio,
    too_few,
    within,
)
from genoku.lab.statistics import Interval, Proportion, a12, mann_whitney

stats = Lazy("scipy.stats")
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
LOW, HIGH = np.arange(10.0), np.arange(100.0, 110.0)

samples = st.lists(st.floats(-5, 5), min_size=3, max_size=8)


def verdict_of(first: Any, second: Any, lower_is_better: bool = True, **options: Any) -> str:
    contrast = Contrast("one", "two", (first, second), lower_is_better, **options)
    return judge([contrast])[0].verdict


def test_a_clear_difference_holds_fails_the_other_way_and_alike_samples_are_undecided() -> None:
    assert verdict_of(LOW, HIGH) == "holds"
    assert verdict_of(HIGH, LOW) == "fails"
    assert verdict_of(LOW, HIGH, lower_is_better=False) == "fails"
    assert verdict_of(LOW, LOW) == "undecided"


def test_many_comparisons_make_each_harder_to_hold() -> None:
    clear = Contrast("one", "two", (LOW[:4], HIGH[:4]))
    alike = Contrast("one", "two", (LOW, LOW))
    assert judge([clear])[0].verdict == "holds"
    assert judge([clear, alike, alike])[0].verdict == "undecided"


def test_a_difference_below_the_margin_never_decides_for_a_side() -> None:
    many = np.arange(4000.0)
    assert a12(many, many + 100).a12 < 0.5 + MARGIN  # and no two runs are alike
    for first, second in ((many, many + 100), (many + 100, many)):
        assert mann_whitney(first, second).p < ALPHA
        assert verdict_of(first, second) == "fails"
        assert verdict_of(first, second, alike=True) == "holds"
    few = many[:600]  # enough for the test, too few to say that a difference is that small
    assert mann_whitney(few, few + 30).p < ALPHA
    assert verdict_of(few, few + 30) == "undecided"
    assert verdict_of(few, few + 60) == "holds"


@given(samples, samples, st.booleans(), st.sampled_from([1, 40]))
def test_of_better_worse_and_alike_at_most_one_holds_and_then_the_others_fail(
    one: list[float], two: list[float], paired: bool, times: int
) -> None:
    size = min(len(one), len(two)) if paired else None
    first, second = np.tile(one[:size], times), np.tile(two[:size], times)
    verdicts = sorted(
        (
            verdict_of(first, second, paired=paired),
            verdict_of(second, first, paired=paired),
            verdict_of(first, second, paired=paired, alike=True),
        )
    )
    assert verdicts in (["fails", "fails", "holds"], ["undecided"] * 3)


@pytest.mark.parametrize("paired", [False, True])
def test_equal_samples_are_alike_only_if_there_are_enough_of_them(paired: bool) -> None:
    for runs, verdict in ((2, "undecided"), (100, "undecided"), (2000, "holds")):
        same = np.zeros(runs)
        assert verdict_of(same, same, alike=True, paired=paired) == verdict


def test_readings_of_a_report_that_do_not_agree_leave_its_claim_undecided() -> None:
    parts: dict[str, Judgement] = {word: Judgement(word, f"so {word}") for word in VERDICTS}
    for word, part in parts.items():
        claim = across_readings({"this": part, "that": part})
        assert claim.verdict == word
    claim = across_readings({"this": parts["holds"], "that": parts["undecided"]})
    assert claim.verdict == "undecided"
    assert all(f"so {word}" in claim.because for word in ("holds", "undecided"))


def test_pairs_are_compared_run_by_run() -> None:
    after = LOW + 0.5  # within the spread of the runs, but every one of them rises
    for paired, verdict in ((True, "holds"), (False, "undecided")):
        (claim,) = judge([Contrast("before", "after", (LOW, after), paired=paired)])
        assert claim.verdict == verdict
    (claim,) = judge([Contrast("after", "before", (after, LOW), paired=True)])
    assert claim.verdict == "fails"
    assert claim.figures["a12"] == 0


@pytest.mark.parametrize("paired", [False, True])
def test_too_few_runs_are_said_to_be_too_few(paired: bool) -> None:
    (claim,) = judge([Contrast("a", "b", ([1.0], [2.0]), paired=paired)])
    assert claim == too_few()
    same = equivalent([1.0], [1.0], margin=1.0, what="", paired=paired)
    assert same == too_few()
    best = best_of("a", {"a": [1.0, 2.0], "b": [3.0, 4.0]})
    assert best == too_few()


def test_means_are_told_where_medians_are_equal() -> None:
    one, two = [0.0] * 9 + [5.0] * 10 + [9.0] * 1, [5.0] * 11 + [9.0] * 9
    (claim,) = judge([Contrast("a", "b", (one, two))])
    assert claim.verdict == "holds"
    assert claim.figures["medians"] == (5, 5)
    assert all(mean in claim.because for mean in ("2.95", "6.8"))


def test_the_evidence_names_medians_runs_and_p() -> None:
    (claim,) = judge([Contrast("first", "second", (LOW, HIGH), counted="seed")])
    assert claim.figures["medians"] == (4.5, 104.5)
    assert claim.figures["p"] < 0.001
    assert "10 seeds" in claim.because
    assert p_text(0.0526) == "p = 0.053"
    assert p_text(0.0028) == "p = 0.0028"


@given(st.floats(-2, 2), st.floats(0, 2), st.floats(-2, 2), st.floats(0, 2))
def test_an_interval_is_inside_outside_or_across(
    start: float, width: float, low: float, span: float
) -> None:
    interval, high = Interval(start, start + width), low + span
    inside = low <= interval.low and interval.high <= high
    apart = interval.high < low or interval.low > high
    expected = "holds" if inside else "fails" if apart else "undecided"
    assert within(interval, low, high) == expected


def test_a_claim_of_many_parts_falls_with_any_of_them() -> None:
    parts: dict[str, Judgement] = {word: Judgement(word, "") for word in VERDICTS}
    together = {
        ("holds", "holds"): "holds",
        ("holds", "undecided"): "undecided",
        ("holds", "undecided", "fails"): "fails",
    }
    for words, verdict in together.items():
        assert all_of([parts[word] for word in words]).verdict == verdict


def test_a_share_is_held_against_its_interval() -> None:
    verdicts = [share_above(Proportion(solved, 100), 0.5).verdict for solved in (0, 50, 100)]
    assert verdicts == ["fails", "undecided", "holds"]


def test_something_rare_is_held_against_its_interval() -> None:
    verdicts = [share_below(Proportion(seen, 1000), 0.01).verdict for seen in (0, 10, 100)]
    assert verdicts == ["holds", "undecided", "fails"]


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        (["fails", "holds"], "holds"),
        (["fails", "undecided"], "undecided"),
        (["fails", "fails"], "fails"),
    ],
)
def test_one_case_proves_that_something_can_be(verdicts: list[Verdict], expected: Verdict) -> None:
    assert any_of(verdicts) == expected


def test_verdicts_are_counted_in_their_order() -> None:
    claims = [Claim("", "", "", verdict, "") for verdict in ("fails", "holds", "fails")]
    assert count_verdicts(claims) == {"holds": 1, "fails": 2, "undecided": 0}


@given(st.integers(6, 40), st.integers(0, 2**32))
def test_the_interval_of_a_median_has_the_level_it_says(count: int, seed: int) -> None:
    values = np.random.default_rng(seed).permutation(count).astype(float)
    low, high = median_interval(values)
    # How often the median of the source lies between order statistics is a binomial's business.
    covered = 1 - 2 * stats.binom.cdf(low, count, 0.5)
    wider = 1 - 2 * stats.binom.cdf(low + 1, count, 0.5)
    assert low + high == count - 1
    assert covered >= 0.95 > wider


def test_few_values_say_nothing_about_a_median() -> None:
    assert median_interval([1, 2, 3, 4, 5]) == (-math.inf, math.inf)


def test_the_best_of_many_must_beat_all_others() -> None:
    middle = np.arange(50.0, 60.0)
    of = {"a": LOW, "b": middle, "c": HIGH}
    assert best_of("a", of).verdict == "holds"
    assert best_of("b", of).verdict == "fails"
    assert best_of("c", of, lower_is_better=False).verdict == "holds"
    tied = best_of("a", {**of, "d": LOW + 0.01})
    assert tied.verdict == "undecided"
    many = np.arange(3000.0)
    alike = best_of("a", {"a": many, "d": many + 0.01})
    assert alike.verdict == "fails"  # no better than another one
    assert tied.figures == {"mean": 4.5, "place": 1, "better": 0, "alike": 0, "worse": 2}
    assert best_of("b", of).figures["place"] == 2


def test_two_that_differ_by_less_than_a_margin_are_equivalent() -> None:
    def verdict(first: Any, second: Any, **options: Any) -> str:
        return equivalent(first, second, margin=1, what="", **options).verdict

    assert verdict(LOW / 100, LOW / 100 + 0.5) == "holds"
    assert verdict(LOW / 100, LOW / 100 + 2) == "fails"
    assert verdict(LOW, LOW + 0.5) == "undecided"
    assert verdict(LOW, LOW + 0.5, paired=True) == "holds"  # each pair differs by as much
    assert verdict([1.0], [1.0]) == verdict([1.0], [1.0], paired=True) == "undecided"


def test_a_ratio_of_equals_is_about_one_and_that_of_unequals_is_not() -> None:
    draws = np.random.default_rng(0)
    fast, slow = draws.exponential(1, 60), draws.exponential(4, 60)
    yes = np.ones(60, np.bool_)
    low, high = time_ratio(((fast, yes), (fast, yes))).interval
    assert low < 1 < high
    low, high = time_ratio(((slow, yes), (fast, yes))).interval
    assert 1 < low < 4 < high


def test_all_against_none_says_more_the_more_runs_there_are() -> None:
    two, ten, many = (
        time_ratio(
            (
                (np.full(runs, 10.0), np.zeros(runs, np.bool_)),
                (np.full(runs, 10.0), np.ones(runs, np.bool_)),
            )
        ).interval
        for runs in (2, 10, 200)
    )
    assert two == (0, np.inf)
    assert 1 < ten.low < many.low / 10


def test_the_interval_of_a_ratio_holds_the_true_one_as_often_as_it_says() -> None:
    draws, held = np.random.default_rng(5), 0
    for seed in range(200):  # exponential times that are cut off: 1 against 3, so a ratio of 3
        cut = [(np.minimum(times, 2.0), times < 2.0) for times in draws.exponential(1, (2, 30))]
        (one, solved), two = cut
        pair = (3 * one, solved), two
        low, high = time_ratio(pair, resamples=400, seed=seed).interval
        held += low <= 3 <= high
    assert 182 <= held <= 200


def test_a_puzzle_that_takes_a_hundred_times_as_long_weighs_no_more() -> None:
    draws, yes = np.random.default_rng(1), np.ones(60, np.bool_)
    one, two = draws.exponential(1, (2, 60))
    alone = [time_ratio(((3 * each, yes), (each, yes))).value for each in (one, two)]
    assert alone == pytest.approx([3, 3])
    easy, hard = (3 * one, yes), (100 * two, yes)
    both = time_ratio((easy, (one, yes)), (hard, (100 * two, yes)))
    assert both.value == pytest.approx(3**0.5)  # 3 on the easy one, 1 on the hard one
    assert both.interval.low < both.value < both.interval.high
    pooled = [np.concatenate((first, 100 * two)) for first in (3 * one, one)]
    assert pooled[0].mean() / pooled[1].mean() < 1.1


def test_what_was_never_solved_on_either_side_has_no_ratio() -> None:
    never, always = ([1.0] * 9, [False] * 9), ([1.0] * 9, [True] * 9)
    assert np.isnan(time_ratio((never, never)).value)
    assert np.isnan(time_ratio((always, always), (never, never)).value)
    assert time_ratio((never, never)).above_one == "undecided"
    assert time_ratio((always, always), (never, always)).value == np.inf


@pytest.mark.parametrize(
    ("value", "low", "high", "expected"),
    [
        (2.0, 1.1, 4.0, "holds"),
        (2.0, 0.9, 4.0, "undecided"),
        (0.5, 0.2, 0.9, "fails"),
        (1.1, 1.01, 1.4, "undecided"),  # found, and too small to matter
        (0.9, 0.7, 0.99, "undecided"),
        (1.1, 1.01, 1.2, "fails"),  # as good as equal
        (float("nan"), 0.0, float("inf"), "undecided"),
    ],
)
def test_a_ratio_is_judged_by_its_interval_and_the_one_margin(
    value: float, low: float, high: float, expected: str
) -> None:
    assert Ratio(value, Interval(low, high)).above_one == expected


def test_the_least_ratio_is_the_margin_of_exponential_times() -> None:
    draws = np.random.default_rng(4)
    one, two = LEAST_RATIO * draws.exponential(1, 4000), draws.exponential(1, 4000)
    assert a12(one, two, lower_is_better=False).a12 == pytest.approx(0.5 + MARGIN, abs=0.02)


def test_a_published_value_is_placed_among_ours() -> None:
    ours = np.arange(100.0)
    assert percentile(ours, 49.5) == 50
    assert percentile([1, 1, 1], 1) == 50
    assert tail(ours, 1000) == pytest.approx(2 / 101)
    assert tail(ours, 50) == 1


def test_one_far_out_or_all_a_little_high_is_not_ours() -> None:
    ours = np.arange(100.0)
    assert matches_published({"far": (1000, ours)}).verdict == "fails"
    assert matches_published({"near": (60, ours)}).verdict == "undecided"  # one says little
    spread = {str(place): (10.0 * place + 5, ours) for place in range(10)}
    assert matches_published(spread).verdict == "holds"
    assert matches_published({"near": (2, [1, 2, 3])}).verdict == "undecided"
    high = {str(place): (85.0, ours) for place in range(10)}
    assert matches_published(high).verdict == "fails"


def test_draws_of_ours_are_hardly_ever_taken_for_others() -> None:
    draws = np.random.default_rng(3)
    ours = draws.integers(0, 12, 200)  # few levels, as fitness has
    failed = sum(
        matches_published(
            {str(place): (float(draws.choice(ours)), ours) for place in range(10)}
        ).verdict
        == "fails"
        for _ in range(200)
    )
    assert failed <= 18


def test_ratios_are_short() -> None:
    assert [ratio_text(each) for each in (0.12345, 123456, np.inf)] == ["0.123", "123,000", "∞"]
