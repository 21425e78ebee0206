"""Random streams, made from a key such as a seed, for kernels and NumPy code.

The generator is xoroshiro128++ (Blackman & Vigna, 2019) in a `uint64[2]` array that kernels take
as an argument. A stream belongs to a run, never to a thread, a worker or a clock: the same key
gives the same draws anywhere.
"""

from __future__ import annotations

import hashlib
import operator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genoku.runtime.jit import kernel

Stream = NDArray[np.uint64]
"""The state of the generator, `[2]`; every draw changes it."""


def stream(*key: int | str) -> Stream:
    """Return the stream of a key, such as `stream(seed)` or `stream(seed, "generate", 17)`."""
    # A NumPy integer and a Python integer of the same value are the same key.
    parts = (f"str:{p}" if isinstance(p, str) else f"int:{operator.index(p)}" for p in key)
    text = "\x1f".join(parts)
    digest = hashlib.blake2b(text.encode(), digest_size=16, person=b"genoku-stream").digest()
    return np.frombuffer(digest, dtype="<u8").astype(np.uint64)


def split(rng: Stream) -> Stream:
    """Make a separate stream for a part of a run from two draws of the run's stream."""
    return stream("split", int(draw(rng)), int(draw(rng)))


@kernel
def draw(rng: Stream) -> Any:
    """Return the next 64 random bits."""
    first, second = rng[0], rng[1]
    total = first + second
    second ^= first
    rng[0] = (
        ((first << np.uint64(49)) | (first >> np.uint64(15))) ^ second ^ (second << np.uint64(21))
    )
    rng[1] = (second << np.uint64(28)) | (second >> np.uint64(36))
    return ((total << np.uint64(17)) | (total >> np.uint64(47))) + first


@kernel
def below(rng: Stream, bound: Any) -> Any:
    """Return a random integer in 0 … bound − 1, for bounds up to 2³²."""
    return np.int64(((draw(rng) >> np.uint64(32)) * np.uint64(bound)) >> np.uint64(32))


@kernel
def uniform(rng: Stream) -> float:
    """Return a random number in [0, 1)."""
    return np.float64(draw(rng) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@kernel
def shuffle(rng: Stream, values: NDArray[Any]) -> None:
    """Shuffle `values` in place."""
    for i in range(len(values) - 1, 0, -1):
        j = below(rng, i + 1)
        values[i], values[j] = values[j], values[i]


@kernel
def permutation(rng: Stream, size: int) -> NDArray[np.int64]:
    """Return the numbers 0 … size − 1 in random order."""
    order = np.arange(size)
    shuffle(rng, order)
    return order


@kernel
def integers(rng: Stream, bound: int, size: int) -> NDArray[np.int64]:
    """Return `size` random integers in 0 … bound − 1."""
    values = np.empty(size, np.int64)
    for i in range(size):
        values[i] = below(rng, bound)
    return values


@kernel
def uniforms(rng: Stream, size: int) -> NDArray[np.float64]:
    """Return `size` random numbers in [0, 1)."""
    values = np.empty(size, np.float64)
    for i in range(size):
        values[i] = uniform(rng)
    return values
