"""Curves and clouds of points for plotly."""

from __future__ import annotations

from genoku.lab import charts
from genoku.lab.interactive.layout import (
    Spec,
    Trace,
    axis,
    entry,
    faint,
    legend_height,
    levels,
    log_ticks,
    reaching,
    shape,
)
from genoku.lab.reaches import reaches
from genoku.looks import SOFT


def lines(chart: charts.Lines) -> Spec:
    data: list[Trace] = []
    entries = charts.legend_entries(chart.series)
    for index, whole in enumerate(chart.series):
        series = charts.shown(whole, chart.log_x, chart.log_y)
        if not series.x:
            continue
        colour = charts.colour_of(series.colour, index)
        look = charts.round_of(series.colour, index, charts.LOOKS)
        stepped = {"shape": "hv"} if series.style == "steps" else {}
        group = series.group or f"{index}"
        if series.low is not None and series.high is not None and len(series.x) > 1:
            edge: Trace = {"mode": "lines", "type": "scatter", "x": series.x, "legendgroup": group}
            edge |= {"line": {"width": 0, **stepped}, "showlegend": False, "hoverinfo": "skip"}
            data.append(edge | {"y": series.low})
            data.append(edge | {"y": series.high, "fill": "tonexty", "fillcolor": faint(colour)})
        dotted = series.style == "points" or len(series.x) == 1
        data.append(
            {
                "type": "scatter",
                "name": entry(series.name),
                "x": series.x,
                "y": series.y,
                "mode": "markers" if dotted else "lines",
                "marker": {"color": colour, "size": 6},
                "line": shape(colour, "dash" if series.style == "dashed" else look) | stepped,
                "legendgroup": group,
                **_entry(entries[index], series),
            }
        )
    x_ends, y_ends = reaches(chart)
    across = log_ticks(x for trace in data for x in trace["x"]) if chart.log_x else {}
    across |= reaching(x_ends, chart.log_x)
    layout: Spec = {
        "xaxis": axis(chart.x_label, chart.log_x, **across),
        "yaxis": axis(chart.y_label, chart.log_y, **reaching(y_ends, chart.log_y)),
        "height": 360 + legend_height(said for said in entries if said),
        "hovermode": "x unified" if len(data) < 30 else "closest",
        "showlegend": True,
        **(levels(chart.levels, chart.log_x, chart.log_y) if data else {}),
    }
    return {"data": data, "layout": layout}


def _entry(said: str | None, series: charts.Series) -> Trace:
    """How the legend names a series of a group: by the group, once; a pointer sees its own name."""
    if not series.group:
        return {}
    own = {"showlegend": said is not None, "name": entry(series.group)}
    name = entry(series.name).replace("%{", "%&#123;")  # no place for a number
    return own | {"hovertemplate": f"{name}: %{{y}}<extra></extra>"}


def scatter(chart: charts.Scatter) -> Spec:
    data: list[Trace] = []
    ends: list[float] = []
    for index, whole in enumerate(chart.clouds):
        cloud = charts.dots(whole, chart.log_x, chart.log_y)
        if not cloud.x:
            continue
        ends += [min(*cloud.x, *cloud.y), max(*cloud.x, *cloud.y)]
        data.append(
            {
                "type": "scatter",
                "mode": "markers",
                "name": entry(cloud.name),
                "x": cloud.x,
                "y": cloud.y,
                "marker": {
                    "color": charts.colour_of(cloud.colour, index),
                    "size": 5 if len(cloud.x) > 200 else 7,
                    "opacity": 0.5 if len(cloud.x) > 200 else 0.8,
                },
            }
        )
    if chart.diagonal and ends:
        data.append(
            {
                "type": "scatter",
                "mode": "lines",
                "x": [min(ends), max(ends)],
                "y": [min(ends), max(ends)],
                "line": {"color": SOFT, "width": 1.3, "dash": "dash"},
                "showlegend": False,
                "hoverinfo": "skip",
            }
        )
    x_ends, y_ends = reaches(chart)
    layout: Spec = {
        "xaxis": axis(chart.x_label, chart.log_x, **reaching(x_ends, chart.log_x)),
        "yaxis": axis(chart.y_label, chart.log_y, **reaching(y_ends, chart.log_y)),
        "height": 360 + legend_height(each.name for each in chart.clouds),
        "showlegend": True,
        **(levels(chart.levels, chart.log_x, chart.log_y) if data else {}),
    }
    return {"data": data, "layout": layout}
