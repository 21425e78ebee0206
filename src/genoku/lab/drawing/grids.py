"""Heat maps and critical-difference diagrams, drawn."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from genoku.lab import charts
from genoku.lab.drawing.layout import as_it_stands, inches, lines_for, name_axes, room, say_nothing
from genoku.lab.labels import TICK, columns, shortened
from genoku.lab.rankdiagram import rank_diagram
from genoku.looks import INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def heat(axes: Axes, chart: charts.Heat) -> None:
    from matplotlib.colors import LinearSegmentedColormap

    axes.grid(visible=False)
    if not chart.x_names or not chart.y_names:
        say_nothing(axes)
        return
    width, _ = inches(axes)
    letters = room(width)
    low, high = chart.limits
    shades = LinearSegmentedColormap.from_list("heat", charts.HEAT_STOPS)
    masked = [[v if math.isfinite(v) else math.nan for v in row] for row in chart.values]
    across, down = range(len(chart.x_names) + 1), range(len(chart.y_names) + 1)
    mesh = axes.pcolormesh(
        *(across, down, masked), cmap=shades, vmin=low, vmax=high, edgecolors="white", lw=1.5
    )
    size = _letter_size(chart, letters, width)
    for row, values in enumerate(chart.values if size else ()):
        for column, value in enumerate(values):
            axes.text(
                column + 0.5,
                row + 0.5,
                as_it_stands(chart.cell_text(row, column)),
                color="white" if chart.is_dark(value) else INK,
                ha="center",
                va="center",
                fontsize=size,
            )
    every = math.ceil(0.15 * len(chart.x_names) / _inches(chart, letters, width))
    axes.set_xticks(
        [each + 0.5 for each in across][:-1:every],
        [as_it_stands(shortened(each, TICK)) for each in chart.x_names[::every]],
    )
    if is_turned(chart, width):
        axes.tick_params(axis="x", rotation=35)
        for label in axes.get_xticklabels():
            label.set_horizontalalignment("right")
    shown = [lines_for(each, letters) for each in chart.y_names]
    axes.set_yticks([each + 0.5 for each in down][:-1], shown)
    axes.tick_params(length=0)
    axes.invert_yaxis()
    axes.spines[:].set_visible(False)
    beside = max(4 * len(chart.y_names), 14)  # letters that run up a side
    name_axes(axes, chart.x_label, "")
    axes.set_ylabel(lines_for(chart.y_label, beside))
    bar = axes.figure.colorbar(
        mesh, ax=axes, label=lines_for(chart.value_label, beside), aspect=12, pad=0.02
    )
    bar.outline.set_visible(False)


def ranks(axes: Axes, chart: charts.Ranks) -> None:
    axes.axis("off")
    diagram = rank_diagram(chart)
    if not diagram.labels:
        say_nothing(axes)
        return
    for line in diagram.segments:
        axes.plot(
            *(line.x, line.y), color=line.colour or INK, linewidth=line.width, solid_capstyle="butt"
        )
    for label in diagram.labels:
        side = {"left": "right", "right": "left", "centre": "center"}[label.side]
        axes.text(
            label.x, label.y, as_it_stands(label.text), color=INK, ha=side, va="center", fontsize=8
        )
    axes.set_xlim(*diagram.x_limits)
    axes.set_ylim(*diagram.y_limits)


def is_turned(chart: charts.Heat, width: float) -> bool:
    """Whether the names below a map are too long to stand side by side."""
    longest = max((columns(shortened(each, TICK)) for each in chart.x_names), default=0)
    return longest * len(chart.x_names) > 10.5 * (width - 1.5)


def _inches(chart: charts.Heat, letters: int, width: float) -> float:
    """How wide the map itself is, beside names and scale."""
    names = min(letters, max(map(columns, chart.y_names)))
    return max(width - 1.1 - names * 0.075, 0.5)


def _letter_size(chart: charts.Heat, letters: int, width: float) -> float:
    """How large letters fit the cells, in points; 0 if only ones too small to read would."""
    cell = _inches(chart, letters, width) / len(chart.x_names)
    longest = max(
        (
            columns(chart.cell_text(row, column))
            for row in range(len(chart.y_names))
            for column in range(len(chart.x_names))
        ),
        default=0,
    )
    fitting = 72 * cell / (0.62 * (longest + 0.5))
    return min(8.0, fitting) if fitting >= 5 else 0.0
