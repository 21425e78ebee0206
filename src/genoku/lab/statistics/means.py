"""t-tests of two means: from samples, or from what is published of them."""

from __future__ import annotations

import math
from dataclasses import dataclass

from numpy.typing import ArrayLike

from genoku.errors import GenokuError
from genoku.lab.statistics.samples import Interval, chance, sample, special, spread


@dataclass(frozen=True)
class Moments:
    """A sample as reports publish it: mean, standard deviation (n - 1) and size."""

    mean: float
    sd: float
    n: int

    def __post_init__(self) -> None:
        if self.n < 1:
            raise GenokuError(f"expected at least one value, got {self.n}")
        if not (math.isfinite(self.mean) and math.isfinite(self.sd) and self.sd >= 0):
            raise GenokuError(
                f"expected a finite mean and a standard deviation of 0 or more, "
                f"got {self.mean} and {self.sd}"
            )

    @classmethod
    def of(cls, values: ArrayLike) -> Moments:
        """The moments of a sample; one value alone has a deviation of 0."""
        array = sample(values, finite=True)
        return cls(float(array.mean()), spread(array), array.size)


@dataclass(frozen=True)
class MeanComparison:
    """What a t-test says of the first mean less the second; NaN where `note` says why."""

    test: str
    difference: float
    interval: Interval
    t: float
    freedom: float
    p: float
    sizes: tuple[int, int]
    note: str = ""


def welch(
    first: ArrayLike | Moments, second: ArrayLike | Moments, level: float = 0.95
) -> MeanComparison:
    """Welch's t-test (1947), two-sided, for means of samples that may differ in spread."""
    one, two = _moments(first), _moments(second)
    if min(one.n, two.n) < 2:
        return _undecided(
            "Welch's t-test", one, two, "one run has no spread: two are needed on each side"
        )
    errors = one.sd**2 / one.n, two.sd**2 / two.n
    below = errors[0] ** 2 / (one.n - 1) + errors[1] ** 2 / (two.n - 1)
    freedom = sum(errors) ** 2 / below if below else math.nan
    return _compared("Welch's t-test", one, two, math.sqrt(sum(errors)), freedom, level)


def student(
    first: ArrayLike | Moments, second: ArrayLike | Moments, level: float = 0.95
) -> MeanComparison:
    """Student's t-test (1908), two-sided, for means of samples of one spread."""
    one, two = _moments(first), _moments(second)
    freedom = one.n + two.n - 2
    if not freedom:
        return _undecided("Student's t-test", one, two, "one run on each side has no spread")
    pooled = ((one.n - 1) * one.sd**2 + (two.n - 1) * two.sd**2) / freedom
    error = math.sqrt(pooled * (1 / one.n + 1 / two.n))
    return _compared("Student's t-test", one, two, error, freedom, level)


def _moments(values: ArrayLike | Moments) -> Moments:
    return values if isinstance(values, Moments) else Moments.of(values)


def _compared(
    test: str, one: Moments, two: Moments, error: float, freedom: float, level: float
) -> MeanComparison:
    if not error:
        return _undecided(test, one, two, "neither sample varies: a t-test says nothing")
    chance(level, "level")
    student_t = special("stats").t
    difference = one.mean - two.mean
    reach = float(student_t.ppf(0.5 + level / 2, freedom)) * error
    return MeanComparison(
        test=test,
        difference=difference,
        interval=Interval(difference - reach, difference + reach),
        t=difference / error,
        freedom=float(freedom),
        p=min(1.0, float(2 * student_t.sf(abs(difference / error), freedom))),
        sizes=(one.n, two.n),
    )


def _undecided(test: str, one: Moments, two: Moments, note: str) -> MeanComparison:
    unknown = math.nan
    return MeanComparison(
        test,
        one.mean - two.mean,
        Interval(unknown, unknown),
        unknown,
        unknown,
        unknown,
        (one.n, two.n),
        note,
    )
