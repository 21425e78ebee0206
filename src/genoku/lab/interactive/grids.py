"""Heat maps and critical-difference diagrams for plotly."""

from __future__ import annotations

from genoku.lab import charts
from genoku.lab.interactive.layout import Spec, Trace, axis, lines_of, row_heights, rows_axis, words
from genoku.lab.labels import TICK, columns, shortened
from genoku.lab.rankdiagram import rank_diagram
from genoku.looks import INK, SOFT


def heat(chart: charts.Heat) -> Spec:
    if not chart.x_names or not chart.y_names:
        return {"data": [], "layout": {}}
    low, high = chart.limits
    stops = [
        [place / (len(charts.HEAT_STOPS) - 1), colour]
        for place, colour in enumerate(charts.HEAT_STOPS)
    ]
    down, across = range(len(chart.y_names)), range(len(chart.x_names))
    height = max(110 + row_heights(chart.y_names, 44), 220)
    beside = (height - 80) // 8  # letters that run up a side
    texts = []
    for row in down:
        for column in across:
            dark = chart.is_dark(chart.values[row][column])
            texts.append(
                {
                    "x": column,
                    "y": row,
                    "text": words(chart.cell_text(row, column)),
                    "showarrow": False,
                    "font": {"size": 12, "color": "#ffffff" if dark else INK},
                }
            )
    trace = {
        "type": "heatmap",
        "z": chart.values,
        "x": list(across),
        "y": list(down),
        "zmin": low,
        "zmax": high,
        "colorscale": stops,
        "xgap": 2,
        "ygap": 2,
        "colorbar": {
            "title": {
                "text": lines_of(chart.value_label, beside),
                "side": "right",
                "font": {"size": 13},
            },
            "thickness": 12,
            "outlinewidth": 0,
        },
        "hovertemplate": "%{customdata}<extra></extra>",
        "customdata": [
            [
                f"{words(chart.y_names[row])}, {words(chart.x_names[column])}: "
                f"{words(chart.cell_text(row, column)) or 'none'}"
                for column in across
            ]
            for row in down
        ],
    }
    x_axis = axis(chart.x_label, tickmode="array", tickvals=list(across), showgrid=False)
    x_axis |= {
        "ticktext": [words(shortened(each, TICK)) for each in chart.x_names],
        "showline": False,
        "ticks": "",
    }
    y_axis = rows_axis(chart.y_names) | {"range": [len(chart.y_names) - 0.5, -0.5]}
    y_axis["title"] = {"text": lines_of(chart.y_label, beside), "font": {"size": 13}}
    longest = max(columns(chart.cell_text(row, column)) for row in down for column in across)
    names = 7 * min(28, max(map(columns, chart.y_names)))
    room = round(110 + names + len(across) * (7.5 * longest + 6))  # for texts side by side
    layout = {"xaxis": x_axis, "yaxis": y_axis, "height": height, "annotations": texts}
    # Narrower, cells are but coloured; on a phone the drawing is shown instead.
    layout["meta"] = {"texts": room, "least": min(room, 480)}
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
    labels = [
        {
            "x": label.x,
            "y": label.y,
            "text": words(label.text),
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
        "annotations": labels,
        "height": round(40 + 27 * (top - bottom)),
        "meta": {"least": 560},  # narrower, its drawing is shown instead
    }
    return {"data": data, "layout": layout}
