"""Charts for the screen: figures for plotly's script as plain data, no part of it drawn here."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

from genoku.extras import require
from genoku.lab import charts
from genoku.lab.interactive.curves import lines, scatter
from genoku.lab.interactive.grids import heat, ranks
from genoku.lab.interactive.layout import Spec, layout
from genoku.lab.interactive.rows import boxes, ranges
from genoku.looks import INK, SOFT

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif"


def script() -> str:
    """Plotly's own script, out of the installed package."""
    require("lab", "interactive charts need plotly", "plotly")
    from plotly.offline import get_plotlyjs

    return str(get_plotlyjs())


def figure(chart: charts.Plot, *, legend: bool = True) -> Spec:
    """A chart as a plotly figure, `{"data": …, "layout": …}`."""
    ways: dict[type, Callable[[Any], Spec]] = {
        charts.Lines: lines,
        charts.Boxes: boxes,
        charts.Ranges: ranges,
        charts.Heat: heat,
        charts.Ranks: ranks,
        charts.Scatter: scatter,
    }
    made = ways[type(chart)](chart)
    if not made["data"]:
        made["layout"] |= {
            "annotations": [{"text": charts.NOTHING, "showarrow": False, "font": {"color": SOFT}}],
            "xaxis": {"visible": False},
            "yaxis": {"visible": False},
        }
    whole = layout() | made["layout"]
    if not legend:
        whole |= {"showlegend": False, "height": whole["height"] - 60}
    return {"data": made["data"], "layout": whole}


def as_json(figure: Spec) -> str:
    """A figure as JSON that may stand inside a script element."""
    text = json.dumps(_plain(figure), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    # Nothing may end the element early, whatever a study calls its parts.
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def templates() -> str:
    """What light and dark pages ask of a figure, as JSON."""
    return json.dumps(
        {
            "light": _template(INK, "#e4e6eb", "#b9bec8"),
            "dark": _template("#d7dae0", "#353942", "#5a606b"),
        },
        separators=(",", ":"),
    )


def _template(ink: str, grid: str, line: str) -> Spec:
    axis = {"gridcolor": grid, "linecolor": line, "zerolinecolor": grid, "tickcolor": line}
    return {
        "layout": {
            "font": {"color": ink, "family": FONT, "size": 13},
            "paper_bgcolor": "rgba(0,0,0,0)",
            "plot_bgcolor": "rgba(0,0,0,0)",
            "xaxis": axis,
            "yaxis": axis,
            "hoverlabel": {"font": {"family": FONT, "size": 12}},
            "modebar": {"bgcolor": "rgba(0,0,0,0)", "color": line, "activecolor": ink},
        }
    }


def _plain(value: Any) -> Any:
    """JSON knows neither NaN nor infinity; a curve needs no more than six digits."""
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, float):
        if not math.isfinite(value):
            return None
        short = float(f"{value:.6g}")
        return int(short) if short.is_integer() and abs(short) < 1e15 else short
    return value
