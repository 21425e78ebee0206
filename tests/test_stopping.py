"""Budgets: what they read, when they end a run, and how they combine."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given, strategies as st

from genoku.errors import RecipeError
from genoku.evolve.stopping import WORDS, Counters, Limit, Stop, Until

limits = st.builds(Limit, st.sampled_from(sorted(WORDS)), st.integers(0, 1000).map(float))
untils = st.builds(
    Until,
    st.lists(st.lists(limits, min_size=1, max_size=3).map(tuple), max_size=3).map(tuple),
)
counters = st.builds(
    Counters, *[st.integers(0, 1000)] * 3, *[st.floats(0, 1000)] * 2, *[st.integers(0, 1000)] * 2
)


@given(untils)
def test_what_is_written_reads_back(until: Until) -> None:
    assert Until.parse(str(until)) == until


@given(untils, untils, counters)
def test_or_and_and_mean_what_they_say(one: Until, two: Until, now: Counters) -> None:
    either, both = bool((one | two).first_reached(now)), bool((one & two).first_reached(now))
    assert either == bool(one.first_reached(now) or two.first_reached(now))
    assert both == bool(one.first_reached(now) and two.first_reached(now))


@pytest.mark.parametrize(
    ("text", "now", "reason"),
    [
        ("generations=5", Counters(steps=4), ""),
        ("generations=5", Counters(steps=5), "generations=5"),
        ("evaluations=1_000", Counters(evaluations=1000), "evaluations=1000"),
        ("moves=10", Counters(moves=12), "moves=10"),
        ("seconds=0.5", Counters(seconds=0.4), ""),
        ("cpu_seconds=0.5", Counters(seconds=9, cpu_seconds=0.4), ""),
        ("cpu_seconds=0.5", Counters(cpu_seconds=0.6), "cpu_seconds=0.5"),
        ("cost=3", Counters(cost=3), "cost=3"),
        ("cost=3", Counters(cost=4), ""),
        ("stagnation=9", Counters(stagnation=9), "stagnation=9"),
        ("steps=9 or seconds=1 and stagnation=2", Counters(seconds=2), ""),
        ("", Counters(steps=10**9), ""),
    ],
)
def test_limits_end_a_run_when_they_are_reached(text: str, now: Counters, reason: str) -> None:
    assert (Until.parse(text).first_reached(now) or "") == reason


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("generation=5", "expected one of generations, steps"),
        ("generations=-1", "expected 0 or more"),
        ("generations=nan", "expected 0 or more"),
        ("generations", "expected limits such as generations=500"),
        ("generations=5 or", "expected limits such as"),
        ("generations=five", "expected limits such as"),
        ("5 generations", "expected limits such as"),
        (" or ".join(["steps=1"] * 200), "expected limits of up to 1,000 characters, got 2,196"),
    ],
)
def test_nonsense_is_refused_with_the_place(text: str, message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        Until.parse(text)


def test_a_million_blanks_between_limits_are_one() -> None:
    gap = " \t\n" * 333_333  # which took hours where every blank was a place to begin
    text = f"{gap}steps{gap}={gap}5{gap}or{gap}cost=0{gap}and{gap}moves=7{gap}"
    assert str(Until.parse(text)) == "steps=5 or cost=0 and moves=7"
    with pytest.raises(RecipeError):
        Until.parse(f"steps=5{gap}cost=0")


def test_the_bound_is_known_only_where_it_stands_alone() -> None:
    until = Until.parse("generations=500 or seconds=10 and stagnation=5")
    assert until.bound("generations") == 500
    assert until.bound("seconds") is None


def test_a_race_counts_all_seconds_in_processor_time() -> None:
    until = Until.parse("seconds=5 and cost=3 or cpu_seconds=60 or generations=9")
    assert str(until.in_cpu_time()) == "cpu_seconds=5 and cost=3 or cpu_seconds=60 or generations=9"


@pytest.mark.parametrize(
    ("text", "timed", "limit"),
    [
        ("seconds=0 or cpu_seconds=4", True, 0),
        ("cpu_seconds=4 or seconds=9 and cost=3", True, 4),
        ("cpu_seconds=4 and cost=3", True, None),
        ("generations=5", False, None),
    ],
)
def test_a_time_limit_is_one_of_either_clock(text: str, timed: bool, limit: float | None) -> None:
    until = Until.parse(text)
    assert (until.is_timed, until.time_limit) == (timed, limit)


def test_what_is_a_limit_of_one_word_alone_can_be_left_out() -> None:
    until = Until.parse("seconds=60 or steps=5 and seconds=2 or moves=9")
    assert str(until.without("seconds")) == "steps=5 and seconds=2 or moves=9"
    assert until.without("cost") == until


def test_a_reason_is_a_value_that_travels_and_is_read_again_from_its_text() -> None:
    reached = Until.parse("steps=9 or seconds=1 and stagnation=2").first_reached(
        Counters(seconds=1, stagnation=2)
    )
    assert reached is not None
    assert reached.limits == (Limit("seconds", 1), Limit("stagnation", 2))
    for reason in (reached, *Stop):
        assert pickle.loads(pickle.dumps(reason)) == reason
    assert pickle.loads(pickle.dumps(reached)).limits == reached.limits
