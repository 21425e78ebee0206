"""Boxes and intervals for plotly, a row for each name."""

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
    reaching,
    room_for,
    row_heights,
    rows_axis,
    words,
)
from genoku.lab.reaches import reaches

_FIVE = ("lowerfence", "q1", "median", "q3", "upperfence")


def boxes(chart: charts.Boxes) -> Spec:
    data: list[Trace] = []
    for row, box in enumerate(chart.boxes):
        five = (box.low, box.lower, box.median, box.upper, box.high)
        if not charts.drawable(five, chart.log_x).all():
            continue
        colour = charts.colour_of(box.colour, row)
        data.append(
            {
                "type": "box",
                "orientation": "h",
                "name": entry(box.name),
                "y": [row],
                **{key: [value] for key, value in zip(_FIVE, five, strict=True)},
                "line": {"color": colour, "width": 1.5},
                "fillcolor": faint(colour, 0.2),
                "width": 0.55,
                "showlegend": False,
                "hoverinfo": "x",
            }
        )
        if beyond := [each for each in box.beyond if charts.drawable([each], chart.log_x)[0]]:
            data.append(
                {
                    "type": "scatter",
                    "mode": "markers",
                    "x": beyond,
                    "y": [row] * len(beyond),
                    "marker": {"color": colour, "size": 4, "symbol": "circle-open"},
                    "showlegend": False,
                    "hoverinfo": "x",
                }
            )
    made: Spec = {
        "xaxis": axis(chart.axis, chart.log_x, **reaching(reaches(chart)[0], chart.log_x)),
        "yaxis": rows_axis(chart.names),
        "meta": room_for(chart.names),
        "height": 90 + row_heights(chart.names, 40),
    }
    return {"data": data, "layout": made}


def ranges(chart: charts.Ranges) -> Spec:
    names, kinds = chart.names, chart.kinds
    places = {name: row for row, name in enumerate(names)}
    data: list[Trace] = []
    for kind, series in enumerate(kinds):
        own = [
            each
            for each in chart.ranges
            if each.series == series and charts.drawable([each.value], chart.log_x)[0]
        ]
        if not own:
            continue
        shift = (kind - (len(kinds) - 1) / 2) * 0.6 / len(kinds)
        colours = [charts.colour_of(each.colour, kind) for each in own]
        ends = [
            tuple(
                end if end is not None and charts.drawable([end], chart.log_x)[0] else each.value
                for end in (each.low, each.high)
            )
            for each in own
        ]
        for colour in dict.fromkeys(colours):
            taken = [i for i, each in enumerate(colours) if each == colour]
            data.append(
                {
                    "type": "scatter",
                    "mode": "markers",
                    "name": entry(series),
                    "x": [own[i].value for i in taken],
                    "y": [places[own[i].name] + shift for i in taken],
                    "error_x": {
                        "type": "data",
                        "symmetric": False,
                        "array": [ends[i][1] - own[i].value for i in taken],
                        "arrayminus": [own[i].value - ends[i][0] for i in taken],
                        "color": colour,
                        "thickness": 2,
                        "width": 0,
                    },
                    "marker": {
                        "color": colour,
                        "size": 9,
                        "symbol": charts.MARKERS[kind % len(charts.MARKERS)],
                    },
                    "text": [_interval(own[i]) for i in taken],
                    "hoverinfo": "text",
                    "showlegend": bool(series) and colour == colours[0],
                    "legendgroup": str(kind),
                }
            )
    rows = row_heights(names, 18 + 14 * max(len(kinds), 1))
    below = 66 if chart.log_x else 50  # tick labels and title; powers of ten are larger
    reach = reaching(reaches(chart)[0], chart.log_x)
    made: Spec = {
        "xaxis": axis(chart.x_label, chart.log_x, **reach),
        "yaxis": rows_axis(names),
        "meta": room_for(names),
        "height": 30 + below + rows + legend_height(kind for kind in kinds if kind),
        **(levels(chart.levels, chart.log_x, False) if data else {}),
    }
    return {"data": data, "layout": made}


def _interval(each: charts.Range) -> str:
    name = words(each.name) + (f", {words(each.series)}" if each.series else "")
    if each.low is None or each.high is None:
        return f"{name}: {each.value:.4g}"
    return f"{name}: {each.value:.4g} ({each.low:.4g} to {each.high:.4g})"
