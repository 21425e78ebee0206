"""Heat maps and critical-difference diagrams, drawn."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from genoku.figures.looks import INK
from genoku.lab import charts
from genoku.lab.drawing.layout import as_it_stands, room, say_nothing
from genoku.lab.rankdiagram import rank_diagram

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def heat(axes: Axes, chart: charts.Heat) -> None:
    from matplotlib.colors import LinearSegmentedColormap

    axes.grid(visible=False)
    if not chart.x_names or not chart.y_names:
        say_nothing(axes)
        return
    low, high = chart.limits
    shades = LinearSegmentedColormap.from_list("heat", charts.HEAT_STOPS)
    masked = [[v if math.isfinite(v) else math.nan for v in row] for row in chart.values]
    columns, rows = range(len(chart.x_names) + 1), range(len(chart.y_names) + 1)
    mesh = axes.pcolormesh(
        *(columns, rows, masked), cmap=shades, vmin=low, vmax=high, edgecolors="white", lw=1.5
    )
    for row, values in enumerate(chart.values):
        for column, value in enumerate(values):
            dark = math.isfinite(value) and (value - low) / (high - low) > 0.55
            axes.text(
                column + 0.5,
                row + 0.5,
                as_it_stands(chart.cell_text(row, column)),
                color="white" if dark else INK,
                ha="center",
                va="center",
                fontsize=8,
            )
    axes.set_xticks(
        [each + 0.5 for each in columns][:-1], [as_it_stands(each) for each in chart.x_names]
    )
    if is_turned(chart):
        axes.tick_params(axis="x", rotation=35)
        for label in axes.get_xticklabels():
            label.set_horizontalalignment("right")
    letters = room(axes.get_figure(root=True).get_figwidth())  # type: ignore[union-attr]
    shown = [as_it_stands("\n".join(charts.wrapped(each, letters))) for each in chart.y_names]
    axes.set_yticks([each + 0.5 for each in rows][:-1], shown)
    axes.tick_params(length=0)
    axes.invert_yaxis()
    axes.spines[:].set_visible(False)
    axes.set_xlabel(as_it_stands(chart.x_label))
    axes.set_ylabel(as_it_stands(chart.y_label))
    bar = axes.figure.colorbar(
        mesh, ax=axes, label=as_it_stands(chart.value_label), aspect=12, pad=0.02
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


def is_turned(chart: charts.Heat) -> bool:
    """Whether the names below a map are too long to stand side by side."""
    return sum(map(len, chart.x_names)) > 60
