"""Histories as bytes: whole numbers come back as they were, others within four digits."""

from __future__ import annotations

import math
import struct
import zlib
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import example, given, strategies as st
from runs import ALGORITHMS, BASIC, every_algorithm

from genoku.engine.history import FIELDS, INTEGER_FIELDS, History, Record
from genoku.engine.run import run
from genoku.evolve.state import Algorithm
from genoku.lab.store import pack, unpack

NEAR = 2.0**-14  # half a unit in the last of 14 bits

wholes = st.integers(-(2**63), 2**63 - 1) | st.integers(-300, 300)
numbers = st.floats(width=32) | st.sampled_from([0.0, -0.0, math.nan, math.inf, -math.inf, 0.05])


@st.composite
def histories(draw: st.DrawFn) -> History:
    """Any fields in any order, with any numbers."""
    fields = draw(st.lists(st.sampled_from(list(FIELDS)), unique=True))
    rows = draw(st.integers(0, 40))

    def column(field: str) -> np.ndarray:
        values, kind = (wholes, np.int64) if field in INTEGER_FIELDS else (numbers, np.float64)
        return np.array(draw(st.lists(values, min_size=rows, max_size=rows)), kind)

    return History({field: column(field) for field in fields})


def is_near(kept: np.ndarray, value: np.ndarray) -> bool:
    """Equal to four digits; what is not finite exactly."""
    same = (kept == value) | (np.isnan(kept) & np.isnan(value))
    with np.errstate(invalid="ignore", over="ignore"):
        close = np.abs(kept - value) <= NEAR * np.maximum(np.abs(value), 2.0**-126)
    largest = np.abs(value) > 2.0**128 * (1 - NEAR)  # rounds up to infinity
    return bool(np.all(same | close | (largest & np.isinf(kept))))


@given(histories())
def test_any_history_comes_back(history: History) -> None:
    back = unpack(pack(history))
    assert list(back) == list(history)
    for field, column in history.items():
        assert back[field].dtype == column.dtype
        if field in INTEGER_FIELDS:
            assert np.array_equal(back[field], column)
        else:
            assert is_near(back[field], column)


@given(histories())
def test_what_came_back_is_kept_as_it_is(history: History) -> None:
    once = unpack(pack(history))
    assert unpack(pack(once)) == once


@pytest.mark.parametrize("value", [1e300, -1e300, 1e39])
def test_numbers_beyond_all_figures_become_infinite_without_a_word(value: float) -> None:
    (kept,) = unpack(pack(History({"mean": np.array([value])})))["mean"].tolist()
    assert kept == math.copysign(math.inf, value)


@every_algorithm
def test_real_runs_come_back_with_every_field(algorithm: Algorithm) -> None:
    record = Record(fields=tuple(FIELDS), diversity_every=3)
    history = run(BASIC, algorithm, seed=3, until="steps=12", record=record).history
    back = unpack(pack(history))
    assert list(back) == list(FIELDS)
    assert all(np.array_equal(back[field], history[field]) for field in INTEGER_FIELDS)
    assert all(
        is_near(back[field], history[field]) for field in FIELDS if field not in INTEGER_FIELDS
    )


def test_a_hundred_and_fifty_generations_take_less_than_a_kilobyte() -> None:
    record = Record(fields=("gen", "evals", "moves", "best", "mean", "best_ever", "rate"))
    history = run(BASIC, ALGORITHMS["genetic"], until="steps=150", record=record).history
    assert len(pack(history)) < 1000


@given(st.binary(max_size=60))
@example(b"")
def test_bytes_that_are_no_history_are_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="history"):
        unpack(data)


@given(histories(), st.data())
def test_damaged_bytes_are_refused(history: History, data: st.DataObject) -> None:
    """Whatever is flipped, cut off or left over."""
    packed = pack(history)
    place = data.draw(st.integers(0, len(packed) - 1))
    flipped = bytearray(packed)
    flipped[place] ^= 1 << data.draw(st.integers(0, 7))
    for damaged in (bytes(flipped), packed[:place], packed + b"\0"):
        with suppress(ValueError):
            # Such as another level of compression in zlib's own header.
            assert unpack(damaged) == unpack(packed)
            assert damaged == bytes(flipped)


@given(
    st.binary(max_size=80)
    | st.builds(lambda *n: struct.pack("<IBBB", *n), *[st.integers(0, 255)] * 4)
)
@example(struct.pack("<IB", 2**32 - 1, 0))
@example(struct.pack("<IBBB", 0, 1, 0, 3))
@example(struct.pack("<IBBB", 0, 1, 255, 8))
@example(struct.pack("<IBBBBB", 0, 2, 0, 8, 0, 8))
def test_other_content_is_refused_or_is_a_history(content: bytes) -> None:
    with suppress(ValueError):
        history = unpack(zlib.compress(content))
        assert {len(column) for column in history.values()} <= {history.rows}
