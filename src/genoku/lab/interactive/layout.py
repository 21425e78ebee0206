"""What plotly figures have in common: axes, margins, lines across a chart."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from genoku.lab import charts
from genoku.lab.labels import columns, shortened, wrapped
from genoku.looks import SOFT

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
            "y": 0,
            "yref": "container",  # however many lines it has, they end at the foot
            "yanchor": "bottom",
            "traceorder": "normal",
        },
        "dragmode": "zoom",
    }


def axis(label: str, log: bool = False, **more: Any) -> Spec:
    return {
        "title": {
            "text": lines_of(label, 44),
            "standoff": 10,
            "font": {"size": 13},
        },
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


def words(text: str) -> str:
    """A text as it stands: plotly knows tags, and of the entities but a few, not quotes."""
    return escape(text, quote=False)


def lines_of(text: str, letters: int) -> str:
    """A text in at most three lines."""
    return "<br>".join(map(words, wrapped(text, letters)))


def entry(name: str) -> str:
    """A name as the legend shows it."""
    return words(shortened(name))


def legend_height(names: Iterable[str]) -> int:
    """How many pixels a legend needs below a chart as wide as a page is."""
    wide = [45 + 7 * columns(shortened(name)) for name in names]
    return 20 * math.ceil(len(wide) / (640 // max(wide))) if wide else 0  # in columns


def reaching(ends: tuple[float, float] | None, log: bool) -> Spec:
    return {"range": limits(ends, log)} if ends else {}


def row_heights(names: Iterable[str], least: int) -> int:
    """How many pixels some rows need."""
    return sum(max(least, 8 + 17 * len(wrapped(name))) for name in names) or least


def room_for(names: Iterable[str]) -> Spec:
    """How wide a chart with names beside it must be, else its drawing is shown instead."""
    lines = (columns(line) for name in names for line in wrapped(name))
    return {"least": 180 + 7 * max(lines, default=0)}


def rows_axis(names: Iterable[str]) -> Spec:
    """Names down the left side, the first on top; plotly must not take them for numbers."""
    shown = [lines_of(name, 28) for name in names]
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
                "text": entry(level.label),
                "showarrow": False,
                "font": {"color": SOFT, "size": 12},
                "xanchor": "left" if level.of == "x" else "right",
                "yanchor": "top" if level.of == "x" else "bottom",
            }
        )
    return {"shapes": shapes, "annotations": words} if shapes else {}
