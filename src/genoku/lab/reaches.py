"""Where axes begin and end whose values lie too close together for ticks."""

from __future__ import annotations

import math
from collections.abc import Iterable

from genoku.lab.charts import Boxes, Lines, Plot, Ranges, Scatter, dots, drawable, shown

Ends = tuple[float, float]
CLOSE = 5  # times the least value: fewer hold but one of the ticks 1, 2 and 5


def reach(values: Iterable[float], log: bool) -> Ends | None:
    """A wider axis for values that are all but equal; None if they themselves may say.

    A logarithmic axis then has a whole power of ten, which is three ticks.
    """
    known = [each for each in values if drawable([each], log)[0]]
    if not known:
        return None
    low, high = min(known), max(known)
    if log:
        middle = math.sqrt(low) * math.sqrt(high)
        return (middle / 10**0.5, middle * 10**0.5) if high / low < CLOSE else None
    if high - low > 1e-9 * max(abs(low), abs(high)):
        return None
    room = abs(low) / 2 or 0.5
    return low - room, high + room


def reaches(chart: Plot) -> tuple[Ends | None, Ends | None]:
    """Ends of the x and the y axis where a chart's own values leave no room for ticks."""
    x: list[float] = []
    y: list[float] = []
    if isinstance(chart, Lines):
        for series in (shown(each, chart.log_x, chart.log_y) for each in chart.series):
            x += series.x
            y += (*series.y, *(series.low or ()), *(series.high or ()))
    elif isinstance(chart, Scatter):
        for cloud in (dots(each, chart.log_x, chart.log_y) for each in chart.clouds):
            x += cloud.x
            y += cloud.y
    elif isinstance(chart, Boxes):
        x += (each for box in chart.boxes for each in (box.low, box.high, *box.beyond))
    elif isinstance(chart, Ranges):
        ends = (end for each in chart.ranges for end in (each.value, each.low, each.high))
        x += (end for end in ends if end is not None)
    else:
        return None, None
    if not isinstance(chart, Boxes) and (x or y):
        for level in chart.levels:
            (x if level.of == "x" else y).append(level.value)
    own_x = chart.x_limits if isinstance(chart, Ranges) else None
    own_y = chart.y_limits if isinstance(chart, Lines) else None
    log_y = isinstance(chart, Lines | Scatter) and chart.log_y
    return own_x or reach(x, chart.log_x), own_y or reach(y, log_y)
