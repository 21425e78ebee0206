"""Heat maps and critical-difference diagrams for plotly."""

from __future__ import annotations

import math
from html import escape

from genoku.figures.looks import INK, SOFT
from genoku.lab import charts
from genoku.lab.interactive.layout import Spec, Trace, axis, row_heights, rows_axis
from genoku.lab.rankdiagram import rank_diagram


def heat(chart: charts.Heat) -> Spec:
    if not chart.x_names or not chart.y_names:
        return {"data": [], "layout": {}}
    low, high = chart.limits
    stops = [
        [place / (len(charts.HEAT_STOPS) - 1), colour]
        for place, colour in enumerate(charts.HEAT_STOPS)
    ]
    rows, columns = range(len(chart.y_names)), range(len(chart.x_names))
    words = []
    for row in rows:
        for column in columns:
            value = chart.values[row][column]
            dark = math.isfinite(value) and (value - low) / (high - low) > 0.55
            words.append(
                {
                    "x": column,
                    "y": row,
                    "text": escape(chart.cell_text(row, column)),
                    "showarrow": False,
                    "font": {"size": 12, "color": "#ffffff" if dark else INK},
                }
            )
    trace = {
        "type": "heatmap",
        "z": chart.values,
        "x": list(columns),
        "y": list(rows),
        "zmin": low,
        "zmax": high,
        "colorscale": stops,
        "xgap": 2,
        "ygap": 2,
        "colorbar": {
            "title": {"text": escape(chart.value_label), "side": "right", "font": {"size": 13}},
            "thickness": 12,
            "outlinewidth": 0,
        },
        "hovertemplate": "%{customdata}<extra></extra>",
        "customdata": [
            [
                f"{escape(chart.y_names[row])}, {escape(chart.x_names[column])}: "
                f"{escape(chart.cell_text(row, column)) or 'none'}"
                for column in columns
            ]
            for row in rows
        ],
    }
    across = axis(chart.x_label, tickmode="array", tickvals=list(columns), showgrid=False)
    across |= {"ticktext": [escape(each) for each in chart.x_names], "showline": False, "ticks": ""}
    down = rows_axis(chart.y_names) | {"range": [len(chart.y_names) - 0.5, -0.5]}
    down["title"] = {"text": escape(chart.y_label), "font": {"size": 13}}
    height = 110 + row_heights(chart.y_names, 44)
    layout = {"xaxis": across, "yaxis": down, "height": height, "annotations": words}
    return {"data": [trace], "layout": layout}


def ranks(chart: charts.Ranks) -> Spec:
    diagram = rank_diagram(chart)
    if not diagram.labels:
        return {"data": [], "layout": {}}
    data: list[Trace] = [
        {
            "type": "scatter",
            "mode": "lines",
            "x": line.x,
            "y": line.y,
            "line": {"width": line.width * 1.3, "color": line.colour or SOFT},
            "hoverinfo": "skip",
            "showlegend": False,
        }
        for line in diagram.segments
    ]
    anchors = {"left": "right", "right": "left", "centre": "center"}
    words = [
        {
            "x": label.x,
            "y": label.y,
            "text": escape(label.text),
            "showarrow": False,
            "xanchor": anchors[label.side],
            "font": {"size": 12},
        }
        for label in diagram.labels
    ]
    bottom, top = diagram.y_limits
    layout = {
        "xaxis": {"visible": False, "range": list(diagram.x_limits), "fixedrange": True},
        "yaxis": {"visible": False, "range": [bottom, top], "fixedrange": True},
        "annotations": words,
        "height": round(40 + 27 * (top - bottom)),
        "meta": {"least": 560},  # narrower, its drawing is shown instead
    }
    return {"data": data, "layout": layout}
