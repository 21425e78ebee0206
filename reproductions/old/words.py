"""Numbers within the sentences of a page: p-values, sizes, intervals and budgets."""

from __future__ import annotations

import numpy as np

from genoku.lab.page import number
from genoku.lab.statistics import Interval
from genoku.words import plural


def p_words(p: float) -> str:
    """A p-value within a sentence."""
    if p < 0.0001:
        return "p < 0.0001"
    return f"p = {p:.2g}" if p < 0.01 else f"p = {p:.3f}"


def over(family: int) -> str:
    """Beside a p-value: how many tests Holm's correction was for."""
    return f", Holm over {family}" if family > 1 else ""


def sizes(first: int, second: int, word: str = "run") -> str:
    """How many there are on both sides."""
    return plural(first, word) if first == second else f"{first} and {plural(second, word)}"


def interval_words(interval: Interval, form: str = ".4g") -> str:
    """An interval within a sentence; an infinite one says that there is none."""
    if not np.isfinite(interval).all():
        return "too few runs for an interval"
    return f"interval {interval.low:{form}} to {interval.high:{form}}"


def spanned(interval: tuple[float, float]) -> str:
    """An interval with three digits at each end."""
    return f"{short(interval[0])} to {short(interval[1])}"


def short(value: float) -> str:
    """A number with three digits, without an exponent."""
    if not np.isfinite(value):
        return number(value)
    if 0 < value < 0.001:
        return "less than 0.001"
    rounded = float(f"{value:.3g}")
    return number(int(rounded)) if rounded == int(rounded) else number(rounded)


def in_words(until: str) -> str:
    """A budget of one limit as people say it: 500,000 evaluations."""
    word, _, limit = until.partition("=")
    return f"{int(limit):,} {word}"
