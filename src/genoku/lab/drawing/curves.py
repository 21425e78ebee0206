"""Curves and clouds of points, drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from genoku.lab import charts
from genoku.lab.drawing.layout import as_it_stands, draw_levels, label_axes, say_nothing, widen
from genoku.looks import SOFT

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DASHES: dict[str, Any] = {
    "solid": "-",
    "dash": (0, (5, 2)),
    "dot": (0, (1.2, 1.6)),
    "dashdot": (0, (5, 1.6, 1.2, 1.6)),
}


def lines(axes: Axes, chart: charts.Lines) -> None:
    label_axes(axes, chart.x_label, chart.y_label, chart.log_x, chart.log_y)
    drawn = False
    entries = [said and as_it_stands(said) for said in charts.legend_entries(chart.series)]
    for index, whole in enumerate(chart.series):
        series = charts.shown(whole, chart.log_x, chart.log_y)
        colour = charts.colour_of(series.colour, index)
        if not series.x:
            continue
        drawn = True
        stepped: Any = "post" if series.style == "steps" else None
        if series.low is not None and series.high is not None:
            axes.fill_between(
                series.x, series.low, series.high, step=stepped, color=colour, alpha=0.16, lw=0
            )
        look = charts.round_of(series.colour, index, charts.LOOKS)
        if series.style == "dashed":
            look = "dash"
        if series.style == "points" or len(series.x) == 1:
            axes.plot(series.x, series.y, "o", color=colour, markersize=3.5, label=entries[index])
        else:
            axes.plot(
                series.x,
                series.y,
                color=colour,
                linestyle=DASHES[look],
                drawstyle="steps-post" if stepped else "default",
                label=entries[index],
            )
    draw_levels(axes, chart.levels, chart.log_x, chart.log_y)
    axes.margins(x=0.01)
    if not drawn:
        say_nothing(axes)
        return
    widen(axes, chart)


def scatter(axes: Axes, chart: charts.Scatter) -> None:
    label_axes(axes, chart.x_label, chart.y_label, chart.log_x, chart.log_y)
    ends: list[float] = []
    for index, whole in enumerate(chart.clouds):
        cloud = charts.dots(whole, chart.log_x, chart.log_y)
        if not cloud.x:
            continue
        ends += [min(*cloud.x, *cloud.y), max(*cloud.x, *cloud.y)]
        axes.plot(
            cloud.x,
            cloud.y,
            "o",
            color=charts.colour_of(cloud.colour, index),
            markersize=2.6 if len(cloud.x) > 200 else 3.6,
            alpha=0.45 if len(cloud.x) > 200 else 0.75,
            markeredgewidth=0,
            label=as_it_stands(cloud.name),
        )
    if not ends:
        say_nothing(axes)
        return
    draw_levels(axes, chart.levels, chart.log_x, chart.log_y)
    widen(axes, chart)
    if chart.diagonal:
        axes.plot((min(ends), max(ends)), (min(ends), max(ends)), color=SOFT, lw=0.9, ls="--")
