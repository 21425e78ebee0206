"""The random stream: its values are fixed for ever, the same anywhere, and evenly spread."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from strategies import in_another_process, in_python, seeds

from genoku.runtime.random import (
    below,
    draw,
    integers,
    permutation,
    shuffle,
    stream,
    uniform,
    uniforms,
)

keys = st.lists(st.integers() | st.text(max_size=5), max_size=3).map(tuple)
bounds = st.integers(1, 2**32)

WORD = 2**64 - 1

# Recorded once. A change here would change every run that anybody has ever published.
FIRST_DRAWS: list[tuple[tuple[int | str, ...], list[int]]] = [
    ((0,), [15540387924497836671, 2285172524090566386, 8805200368579599660]),
    ((1,), [1757128100466647672, 8522537762667377301, 7797662943839895819]),
    ((-1,), [5014260034110098926, 17889752008877955703, 5263125990596274641]),
    (("0",), [3535341079063766413, 456798679053972187, 9915731293978649132]),
    ((2024, "generate", 17), [5608956395852847767, 8407818194135994315, 6226848821696559740]),
]


def xoroshiro(first: int, second: int) -> Iterator[int]:
    """xoroshiro128++ in whole numbers, after the authors' C."""

    def rotated(word: int, by: int) -> int:
        return (word << by | word >> (64 - by)) & WORD

    while True:
        yield (rotated((first + second) & WORD, 17) + first) & WORD
        second ^= first
        first = rotated(first, 49) ^ second ^ (second << 21) & WORD
        second = rotated(second, 28)


@pytest.mark.parametrize(("key", "values"), FIRST_DRAWS)
def test_the_first_draws_of_a_key_never_change(
    key: tuple[int | str, ...], values: list[int]
) -> None:
    rng = stream(*key)
    assert [int(draw(rng)) for _ in range(3)] == values


def test_the_draws_made_of_bits_never_change() -> None:
    rng = stream(7)
    assert integers(rng, 6, 12).tolist() == [3, 4, 4, 1, 1, 2, 0, 1, 2, 3, 0, 2]
    assert permutation(rng, 10).tolist() == [1, 8, 2, 7, 3, 9, 0, 5, 6, 4]
    assert uniforms(rng, 3).tolist() == [
        0.043359565311271164,
        0.798066698881009,
        0.47219251885151636,
    ]


def test_another_process_draws_the_same() -> None:
    program = (
        "from genoku.runtime.random import *; r = stream(1);print([int(draw(r)) for _ in range(3)])"
    )
    assert in_another_process(program) == str(FIRST_DRAWS[1][1])
    assert in_another_process(program, NUMBA_DISABLE_JIT="1") == str(FIRST_DRAWS[1][1])


@given(key=keys)
def test_draws_are_those_of_the_published_generator(key: tuple[int | str, ...]) -> None:
    rng = stream(*key)
    expected = xoroshiro(*rng.tolist())
    assert [int(draw(rng)) for _ in range(5)] == [next(expected) for _ in range(5)]


@given(key=keys, bound=bounds)
def test_bounded_draws_and_fractions_are_made_from_the_upper_bits(
    key: tuple[int | str, ...], bound: int
) -> None:
    rng = stream(*key)
    expected = xoroshiro(*rng.tolist())
    assert below(rng, bound) == (next(expected) >> 32) * bound >> 32
    assert uniform(rng) == (next(expected) >> 11) / 2**53


@given(one=keys, other=keys)
def test_keys_have_streams_of_their_own(
    one: tuple[int | str, ...], other: tuple[int | str, ...]
) -> None:
    assert (stream(*one).tolist() == stream(*other).tolist()) == (one == other)


def test_keys_that_print_alike_still_differ() -> None:
    alike: list[tuple[int | str, ...]] = [(1,), ("1",), (1, ""), ("", 1), (1, 1), (11,), ("1", 1)]
    assert len({tuple(stream(*key).tolist()) for key in alike}) == len(alike)


@given(seed=seeds, bound=bounds)
def test_draws_stay_in_range(seed: int, bound: int) -> None:
    rng = stream(seed)
    values = integers(rng, bound, 50)
    assert values.dtype == np.int64
    assert 0 <= values.min() <= values.max() < bound
    fractions = uniforms(rng, 50)
    assert 0 <= fractions.min() <= fractions.max() < 1


@given(seed=seeds, size=st.integers(0, 60))
def test_a_permutation_holds_every_number_once(seed: int, size: int) -> None:
    assert sorted(permutation(stream(seed), size).tolist()) == list(range(size))


@given(seed=seeds, values=st.lists(st.integers(0, 9)))
def test_shuffling_keeps_the_values(seed: int, values: list[int]) -> None:
    shuffled = np.array(values, np.int64)
    shuffle(stream(seed), shuffled)
    assert sorted(shuffled.tolist()) == sorted(values)


@given(seed=seeds, bound=bounds)
@pytest.mark.parametrize("kernel", [draw, uniform], ids=["draw", "uniform"])
def test_kernels_agree_with_their_python(kernel: object, seed: int, bound: int) -> None:
    compiled, plain = stream(seed), stream(seed)
    with np.errstate(over="ignore"):  # words wrap around on purpose
        for _ in range(3):
            assert kernel(compiled) == in_python(kernel)(plain)  # pyright: ignore[reportCallIssue]
        assert below(compiled, bound) == in_python(below)(plain, bound)
        assert (
            integers(compiled, bound, 4).tolist() == in_python(integers)(plain, bound, 4).tolist()
        )
        assert permutation(compiled, 7).tolist() == in_python(permutation)(plain, 7).tolist()
        assert uniforms(compiled, 4).tolist() == in_python(uniforms)(plain, 4).tolist()
    assert compiled.tolist() == plain.tolist()


def chi_square(counts: list[int]) -> float:
    mean = sum(counts) / len(counts)
    return sum((count - mean) ** 2 for count in counts) / mean


# The bounds are met by 999 of 1000 even streams; the seed is fixed, so a test cannot waver.


def test_bounded_draws_are_evenly_spread() -> None:
    counts = np.bincount(integers(stream(1), 10, 100_000), minlength=10)
    assert chi_square(counts.tolist()) < 27.9  # 9 degrees of freedom


def test_fractions_are_evenly_spread() -> None:
    counts, _ = np.histogram(uniforms(stream(2), 100_000), bins=20, range=(0, 1))
    assert chi_square(counts.tolist()) < 43.8  # 19 degrees of freedom


def test_every_order_comes_equally_often() -> None:
    rng = stream(3)
    counts = dict.fromkeys(permutations(range(4)), 0)
    for _ in range(12_000):
        counts[tuple(permutation(rng, 4).tolist())] += 1
    assert chi_square(list(counts.values())) < 49.8  # 23 degrees of freedom


def test_streams_of_neighbouring_seeds_are_unrelated() -> None:
    first = np.array([uniform(stream(seed)) for seed in range(2_000)])
    assert abs(np.corrcoef(first[:-1], first[1:])[0, 1]) < 0.08
    counts, _ = np.histogram(first, bins=20, range=(0, 1))
    assert chi_square(counts.tolist()) < 43.8
