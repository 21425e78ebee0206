"""How large a difference is: Vargha and Delaney's A12."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from genoku.lab.statistics.samples import Interval, deviate, midranks, sample

MAGNITUDES = ((0.71, "large"), (0.64, "medium"), (0.56, "small"))
"""From which A12 on, in either direction, a difference has its word (Vargha, Delaney 2000)."""


@dataclass(frozen=True)
class Effect:
    """How likely a value of the first sample beats one of the second, ties as halves."""

    a12: float
    interval: Interval
    sizes: tuple[int, int]

    @property
    def magnitude(self) -> str:
        """The size of the difference as a word: negligible, small, medium or large."""
        return magnitude(self.a12)


def a12(
    first: ArrayLike, second: ArrayLike, *, lower_is_better: bool = True, level: float = 0.95
) -> Effect:
    """Vargha and Delaney's A12 (2000): above 0.5 where the first sample is better.

    The interval is Newcombe's (2006, method 5): it stays within 0 and 1, and has a width even
    where all of one sample beats all of the other. Infinity (unsolved) is the greatest value.
    """
    one, two = sample(first, "the first sample"), sample(second, "the second sample")
    total = float(midranks(np.concatenate([one, two]))[: one.size].sum())
    greater = (total - one.size * (one.size + 1) / 2) / (one.size * two.size)
    value, sizes = 1 - greater if lower_is_better else greater, (one.size, two.size)
    return Effect(value, _newcombe(value, ((1.0, *sizes),), level), sizes)


def stratified_a12(
    strata: Iterable[tuple[ArrayLike, ArrayLike]],
    *,
    lower_is_better: bool = True,
    level: float = 0.95,
) -> Effect:
    """The mean A12 of two samples over strata, such as puzzles, with van Elteren's weights.

    The interval is Newcombe's, with the variances of all strata added up.
    """
    effects = [a12(one, two, lower_is_better=lower_is_better) for one, two in strata]
    sizes = [each.sizes for each in effects]
    weights = np.array([one * two / (one + two + 1) for one, two in sizes])
    total = float(weights.sum())
    value = float(weights @ [each.a12 for each in effects]) / total
    parts = [
        (weight, *each) for weight, each in zip((weights / total).tolist(), sizes, strict=True)
    ]
    first, second = (sum(each) for each in zip(*sizes, strict=True))
    return Effect(value, _newcombe(value, parts, level), (first, second))


def magnitude(value: float) -> str:
    """An A12 as a word."""
    distance = max(value, 1 - value)
    for least, word in MAGNITUDES:
        if distance >= least - 1e-12:  # 1 - 0.29 is a little less than 0.71
            return word
    return "negligible"


def _newcombe(value: float, strata: Iterable[tuple[float, int, int]], level: float) -> Interval:
    """All t with |value - t| <= z sqrt(variance(t)), the variance after Hanley, McNeil (1982).

    A stratum is its weight and the sizes of its two samples.
    """
    z, strata = deviate(level), list(strata)

    def variance(t: float, first: int, second: int) -> float:
        shape = 1 + ((first + second) / 2 - 1) * ((1 - t) / (2 - t) + t / (1 + t))
        return t * (1 - t) * shape / (first * second)

    def excluded(t: float) -> bool:
        spread = sum(weight**2 * variance(t, *sizes) for weight, *sizes in strata)
        return abs(value - t) > z * math.sqrt(spread)

    def edge(outside: float) -> float:
        if not excluded(outside):
            return outside
        inside = value
        for _ in range(60):
            middle = (inside + outside) / 2
            inside, outside = (inside, middle) if excluded(middle) else (middle, outside)
        return inside

    return Interval(edge(0.0), edge(1.0))
