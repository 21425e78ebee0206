"""What plotly figures have in common: axes, margins, lines across a chart."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from genoku.figures.looks import SOFT
from genoku.lab import charts

Trace = dict[str, Any]
Spec = dict[str, Any]


def layout() -> Spec:
    return {
        "height": 380,
        "margin": {"l": 10, "r": 26, "t": 12, "b": 10},
        "hovermode": "closest",
        "legend": {
            "orientation": "h",
            "x": 0,
            "y": -0.22,
            "yanchor": "top",
            "traceorder": "normal",
        },
        "dragmode": "zoom",
    }


def axis(label: str, log: bool = False, **more: Any) -> Spec:
    return {
        "title": {"text": escape(label), "standoff": 10, "font": {"size": 13}},
        "automargin": True,
        "showline": True,
        "zeroline": False,
        "ticks": "outside",
        "ticklen": 4,
        **({"type": "log", "exponentformat": "power"} if log else {"tickformat": ",~f"}),
        **more,
    }


def log_ticks(values: Iterable[float]) -> Spec:
    """Powers of ten where there are several, else 2 and 5 times them too."""
    known = [value for value in values if value > 0]
    several = bool(known) and max(known) >= 100 * min(known)
    return {"dtick": 1 if several else "D2"}


def row_heights(names: Iterable[str], least: int) -> int:
    """How many pixels some rows need."""
    return sum(max(least, 8 + 17 * len(charts.wrapped(name))) for name in names) or least


def rows_axis(names: Iterable[str]) -> Spec:
    """Names down the left side, the first on top; plotly must not take them for numbers."""
    shown = ["<br>".join(map(escape, charts.wrapped(name))) for name in names]
    return axis(
        "",
        tickmode="array",
        tickvals=list(range(len(shown))),
        ticktext=shown,
        range=[len(shown) - 0.4, -0.6],
        showgrid=False,
    ) | {"showline": False, "ticks": "", "title": {"text": ""}}


def limits(limits: tuple[float, float], log: bool) -> list[float]:
    return [math.log10(each) for each in limits] if log else list(limits)


def shape(colour: str, look: str = "solid") -> Spec:
    return {"color": colour, "width": 2, "dash": look}


def faint(colour: str, share: float = 0.16) -> str:
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{share})"


def levels(levels: Sequence[charts.Level], log_x: bool, log_y: bool) -> Spec:
    """Lines across the chart, and their words at the end of them."""
    shapes, words = [], []
    for level in levels:
        log = log_x if level.of == "x" else log_y
        if not charts.drawable([level.value], log)[0]:
            continue
        along, across = ("x", "y") if level.of == "x" else ("y", "x")
        shapes.append(
            {
                "type": "line",
                f"{along}0": level.value,
                f"{along}1": level.value,
                f"{across}0": 0,
                f"{across}1": 1,
                f"{across}ref": "paper",
                "layer": "below",
                "line": {"color": SOFT, "width": 1.3, "dash": "dash"},
            }
        )
        words.append(
            {
                along: math.log10(level.value) if log else level.value,
                across: 1,
                f"{across}ref": "paper",
                "text": escape(level.label),
                "showarrow": False,
                "font": {"color": SOFT, "size": 12},
                "xanchor": "left" if level.of == "x" else "right",
                "yanchor": "top" if level.of == "x" else "bottom",
            }
        )
    return {"shapes": shapes, "annotations": words} if shapes else {}
