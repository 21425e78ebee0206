"""Many runs as one curve: the median with its quartiles."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from genoku.lab.charts import Series, Style, numbers


def band(
    name: str,
    runs: NDArray[np.float64],
    colour: int | None = None,
    style: Style = "line",
    *,
    x: ArrayLike | None = None,
) -> Series:
    """The median of runs, a row each, with their quartiles; at `x`, or at generations 0, 1, …"""
    low, middle, high = map(numbers, np.quantile(runs, (0.25, 0.5, 0.75), axis=0))
    places = np.arange(runs.shape[1]) if x is None else np.asarray(x)
    return Series(name, numbers(places), middle, low, high, style, colour)
