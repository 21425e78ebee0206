"""Boxes and intervals, drawn, a row for each name."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from genoku.lab import charts
from genoku.lab.drawing.layout import (
    as_it_stands,
    draw_levels,
    label_axes,
    name_rows,
    say_nothing,
    widen,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MARKS = {"circle": "o", "square": "s", "diamond": "D", "triangle-up": "^", "x": "X", "cross": "P"}
FAINT = "#e4e6eb"


def boxes(axes: Axes, chart: charts.Boxes) -> None:
    label_axes(axes, chart.axis, "", chart.log_x)
    drawn = False
    for row, box in enumerate(chart.boxes):
        five = (box.low, box.lower, box.median, box.upper, box.high)
        if not charts.drawable(five, chart.log_x).all():
            continue
        drawn = True
        colour = charts.colour_of(box.colour, row)
        told = dict(zip(("whislo", "q1", "med", "q3", "whishi"), five, strict=True))
        beyond = [each for each in box.beyond if charts.drawable([each], chart.log_x)[0]]
        axes.bxp(
            [{**told, "fliers": beyond}],
            positions=[row],
            widths=0.55,
            orientation="horizontal",
            patch_artist=True,
            manage_ticks=False,
            boxprops={"facecolor": colour + "33", "edgecolor": colour, "linewidth": 1.0},
            medianprops={"color": colour, "linewidth": 2.0},
            whiskerprops={"color": colour, "linewidth": 1.0},
            capprops={"color": colour, "linewidth": 1.0},
            flierprops={"marker": "o", "markersize": 2.2, "markeredgecolor": colour, "mew": 0.7},
        )
    name_rows(axes, chart.names)
    if not drawn:
        say_nothing(axes)
    else:
        widen(axes, chart)


def ranges(axes: Axes, chart: charts.Ranges) -> None:
    label_axes(axes, chart.x_label, "", chart.log_x)
    places = {name: row for row, name in enumerate(chart.names)}
    kinds = chart.kinds
    told: set[str] = set()
    for each in chart.ranges:
        kind = kinds.index(each.series)
        if not charts.drawable([each.value], chart.log_x)[0]:
            continue
        y = places[each.name] + (kind - (len(kinds) - 1) / 2) * 0.6 / max(len(kinds), 1)
        colour = charts.colour_of(each.colour, kind)
        if each.low is not None and each.high is not None:
            low = each.low if charts.drawable([each.low], chart.log_x)[0] else each.value
            high = each.high if charts.drawable([each.high], chart.log_x)[0] else each.value
            axes.plot((low, high), (y, y), color=colour, linewidth=1.6, solid_capstyle="butt")
            if each.high == math.inf:
                axes.plot([each.value], [y], ">", color=colour, markersize=3)
        axes.plot(
            [each.value],
            [y],
            MARKS[charts.MARKERS[kind % len(charts.MARKERS)]],
            color=colour,
            markersize=5,
            markeredgecolor="white",
            markeredgewidth=0.6,
            linestyle="none",
            label=as_it_stands(each.series) if each.series and each.series not in told else "",
        )
        told.add(each.series)
    draw_levels(axes, chart.levels, chart.log_x, False)
    name_rows(axes, chart.names)
    for row in range(1, len(chart.names)):
        axes.axhline(row - 0.5, color=FAINT, linewidth=0.6)
    if not any(charts.drawable((each.value for each in chart.ranges), chart.log_x)):
        say_nothing(axes)
    else:
        widen(axes, chart)
