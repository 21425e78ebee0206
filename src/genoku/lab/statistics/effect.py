"""How large a difference is: Vargha and Delaney's A12."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from genoku.lab.showing import told
from genoku.lab.statistics.samples import Interval, deviate, midranks, sample

MAGNITUDES = ((0.71, "large"), (0.64, "medium"), (0.56, "small"))
"""From which A12 on, in either direction, a difference has its word (Vargha, Delaney 2000)."""


@dataclass(frozen=True)
class Effect:
    """How likely a value of the first sample beats one of the second, ties as halves."""

    a12: float
    interval: Interval
    sizes: tuple[int, int]

    _repr_html_ = told

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
    value = 1 - greater if lower_is_better else greater
    return Effect(value, _newcombe(value, one.size, two.size, level), (one.size, two.size))


def magnitude(value: float) -> str:
    """An A12 as a word."""
    distance = max(value, 1 - value)
    for least, word in MAGNITUDES:
        if distance >= least - 1e-12:  # 1 - 0.29 is a little less than 0.71
            return word
    return "negligible"


def _newcombe(value: float, first: int, second: int, level: float) -> Interval:
    """All t with |value - t| <= z sqrt(variance(t)), the variance after Hanley, McNeil (1982)."""
    z = deviate(level)
    others = (first + second) / 2 - 1

    def excluded(t: float) -> bool:
        shape = 1 + others * ((1 - t) / (2 - t) + t / (1 + t))
        return abs(value - t) > z * math.sqrt(t * (1 - t) * shape / (first * second))

    def edge(outside: float) -> float:
        if not excluded(outside):
            return outside
        inside = value
        for _ in range(60):
            middle = (inside + outside) / 2
            inside, outside = (inside, middle) if excluded(middle) else (middle, outside)
        return inside

    return Interval(edge(0.0), edge(1.0))
