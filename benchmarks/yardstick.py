"""Two plain loops that kernels are measured by, in the same process and in turns with them.

They never change: expected ratios are recorded against them. A quicker processor, or one that
others use too, speeds or slows a kernel and its yardstick alike, so that their ratio stays what it
is; a kernel that has come to do more does not take its yardstick with it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from genoku.jit import kernel, popcount

BYTES = 81 * 400
PASSES = 120
PLACES = 4096
STEPS = 120_000


@kernel
def sweep(values: NDArray[np.uint8], masks: NDArray[np.uint16], passes: int) -> Any:
    """Byte after byte, in order: masks of values and their neighbours, which compilers widen."""
    found: Any = 0
    last = np.uint64(len(values) - 2)
    for shift in range(passes):
        for i in range(len(values)):
            value = (values[np.uint64(i)] + np.uint8(shift)) & np.uint8(15)
            masks[np.uint64(i)] = np.uint16(1) << np.uint16(value)
        place = np.uint64(0)
        while place < last:
            met = masks[place] | masks[place + np.uint64(1)] | masks[place + np.uint64(2)]
            found += np.int64(popcount(met))
            place += np.uint64(3)
    return found


@kernel
def walk(table: NDArray[np.uint32], steps: int) -> Any:
    """Step after step, each where the last one led: draws, look-ups, a branch nobody guesses."""
    bits = np.uint64(0x9E3779B97F4A7C15)
    places = np.uint64(len(table))
    met = np.uint64(0)
    for _ in range(steps):
        bits ^= bits << np.uint64(13)
        bits ^= bits >> np.uint64(7)
        bits ^= bits << np.uint64(17)
        here = ((bits >> np.uint64(32)) * places) >> np.uint64(32)
        seen = np.uint64(table[here])
        there = (seen + met) % places
        if (seen ^ bits) & np.uint64(1):
            table[here], table[there] = table[there], table[here]
            met += seen & np.uint64(7)
        else:
            met ^= np.uint64(table[there])
    return met


def sweep_once() -> Any:
    """A round of `sweep`, about a millisecond."""
    return sweep(VALUES, MASKS, PASSES)


def walk_once() -> Any:
    """A round of `walk`, about a millisecond."""
    return walk(TABLE.copy(), STEPS)


VALUES: NDArray[np.uint8] = (np.arange(BYTES) * 7 % 9 + 1).astype(np.uint8)
MASKS: NDArray[np.uint16] = np.zeros(BYTES, np.uint16)
TABLE: NDArray[np.uint32] = (np.arange(PLACES, dtype=np.uint64) * 2_654_435_761 % 2**32).astype(
    np.uint32
)
