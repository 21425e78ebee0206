"""Random and mutated texts and files give only puzzles or our own errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchmarks import fuzz

SEEDS = (1, 2)  # so that several processes share the work
COUNT = 4_000
BEFORE_A_RELEASE = 100_000


@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_but_puzzles_or_our_own_errors(seed: int) -> None:
    check(COUNT, seed)


@pytest.mark.release
@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_but_puzzles_or_our_own_errors_in_many_more_cases(seed: int) -> None:
    check(BEFORE_A_RELEASE, seed)


def check(count: int, seed: int) -> None:
    outcomes = list(fuzz.fuzz(count, seed=seed))
    failures = [outcome for outcome in outcomes if isinstance(outcome, fuzz.Failure)]
    assert not failures, failures[0]
    assert outcomes.count("text: puzzles") > count // 20
    assert outcomes.count("file: puzzles") > count // 20


def test_a_case_is_the_same_every_time_and_a_break_is_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert fuzz.make(3, 77, ()) == fuzz.make(3, 77, ())
    not_text: Any = 5
    broken = fuzz.Case("text", not_text, None, "auto", None)
    monkeypatch.setattr(fuzz, "make", lambda *_: broken)
    (outcome,) = fuzz.fuzz(1)
    assert isinstance(outcome, fuzz.Failure)


@pytest.mark.parametrize("count", [400, pytest.param(20_000, marks=pytest.mark.release)])
def test_a_damaged_checkpoint_is_refused_by_our_own_error(count: int, tmp_path: Path) -> None:
    outcomes = list(fuzz.fuzz_checkpoints(count, 0, tmp_path))
    assert outcomes.count("refused") > count // 2
