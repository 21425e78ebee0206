"""How the laboratory's values show themselves in a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genoku import display
from genoku.lab.charts import MOST_POINTS, colour_of, evenly
from genoku.lab.page.words import number
from genoku.words import listed


def told(value: Any) -> str:
    """The fields of a value as a table."""
    named = {each.name.replace("_", " "): getattr(value, each.name) for each in fields(value)}
    return display.shown(display.facts({name: _cell(each) for name, each in named.items()}))


def _cell(value: Any) -> str | None:
    """A number, an interval, or several of them, to read; None for what is not said."""
    if value is None or value == "":
        return None
    if hasattr(value, "low"):
        return f"{number(value.low)} to {number(value.high)}"
    if isinstance(value, tuple):
        return listed(map(number, value))
    return number(value) if isinstance(value, int | float) else str(value)


def stairs(x: NDArray[Any], named: Sequence[tuple[str, NDArray[Any]]], y_title: str) -> str:
    """Step functions over one grid: each value holds up to the next x; equal names look alike."""
    few = evenly(len(x), MOST_POINTS)
    along = np.repeat(x[few], 2)[1:]
    names = list(dict.fromkeys(name for name, _ in named))
    lines = [
        display.Line(
            name,
            colour_of(None, names.index(name)),
            along.tolist(),
            np.repeat(y[few], 2)[:-1].tolist(),
        )
        for name, y in named
    ]
    return display.shown(display.chart(lines, "effort", y_title))
