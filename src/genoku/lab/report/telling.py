"""Numbers of a report as words."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from genoku.lab.page import literal
from genoku.lab.statistics import Interval
from genoku.lab.study import Arm, setting_text


def rounded(value: float) -> str:
    """Three digits of a number: 12,300, 0.0123, ∞."""
    if math.isinf(value):
        return "∞"
    if value == 0 or math.isnan(value):
        return "0" if value == 0 else "–"
    digits = 2 - math.floor(math.log10(abs(value)))
    near = round(value, digits)
    return f"{near:,.0f}" if digits <= 0 else f"{near:.{min(digits, 9)}f}"


def with_interval(value: float, interval: Interval) -> str:
    """A value with its interval; one that is infinite has a lower end only."""
    if math.isinf(value):
        return f"> {rounded(interval.low)}"
    return f"{rounded(value)} ({rounded(interval.low)}–{rounded(interval.high)})"


def quartiles_text(low: float, middle: float, high: float) -> str:
    """A median and its quartiles."""
    return f"{_short(middle)} ({_short(low)}–{_short(high)})"


def _short(value: float) -> str:
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}"


def name(text: str) -> str:
    """A name of the study, bold."""
    return f"**{literal(text)}**"


def puzzle_name(text: str) -> str:
    """A puzzle's name, in italics."""
    return f"*{literal(text)}*"


def labels(arms: Sequence[Arm]) -> tuple[str, ...]:
    """Short names for tables and figures: of a grid's points what they set.

    What they are made from comes first where there is more than one grid, or where it takes part
    as it is.
    """
    bases = [arm.name.split(", ")[0] if arm.settings else "" for arm in arms]
    others = {arm.name for arm in arms if not arm.settings}
    several = len(set(bases) - {""}) > 1 or bool(others & set(bases))
    short = []
    for arm, base in zip(arms, bases, strict=True):
        values = ", ".join(_setting(key, value) for key, value in arm.settings.items())
        named = f"{base}: {values}" if several else values
        short.append(named if arm.settings else arm.name)
    return tuple(short) if len(set(short)) == len(arms) else tuple(arm.name for arm in arms)


def _setting(key: str, value: Any) -> str:
    """A part speaks for itself; a number needs to be called by its name."""
    if isinstance(value, Mapping) or (isinstance(value, str) and value):
        return setting_text(value)
    return f"{key.rpartition('.')[2]}={setting_text(value)}"
