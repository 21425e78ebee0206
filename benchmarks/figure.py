"""The benchmark's figure: a panel for every table's chart."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING

from benchmarks.sections import Chart
from genoku.lab.report.charts import PALETTE
from genoku.present.figures import UNDATED, drawing, picture_format
from genoku.runtime.notebook import INK
from genoku.runtime.text import format_compact

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

COLUMNS = 2
WIDE = 10
"""Inches of the whole."""
TITLE = 44
"""Letters in a line of a title."""
BAR = 0.24
"""Inches of a bar, or of a dot's line."""
LINES = 2.6
"""Inches of a panel with lines."""
AROUND = 0.85
"""Inches of a panel's title and axis."""
FAR_APART = 20
"""From so many times the first place to the last on, places on x stand by their logarithm."""
NAMES = 3
"""Names of series in a row, above a panel."""
POINTS = 14
"""Height of such a row, in points."""


def write_figure(charts: Sequence[Chart], path: str | Path) -> None:
    """Draw the charts to a `.svg`, `.png` or `.pdf` file."""
    kind = picture_format(path)
    with drawing():
        figure_of(charts).savefig(path, format=kind, metadata=UNDATED[kind], facecolor="white")


def figure_of(charts: Sequence[Chart]) -> Figure:
    """Draw panels in two columns: bars or dots for labels, lines for numbers.

    A panel is as high as its content, and goes into the shorter column.
    """
    from matplotlib.figure import Figure

    columns: list[list[Chart]] = [[] for _ in charts[:COLUMNS]]
    for chart in charts:
        min(columns, key=_height_of).append(chart)
    high = max(map(_height_of, columns), default=1.0)
    figure = Figure(figsize=(WIDE, high))
    figure.set_layout_engine("constrained", w_pad=0.1, h_pad=0.1)
    sides = figure.subfigures(1, len(columns), squeeze=False)[0] if columns else ()
    for side, column in zip(sides, columns, strict=True):
        heights = [*map(_height, column), max(0.01, high - _height_of(column))]
        places = side.subfigures(len(heights), 1, squeeze=False, height_ratios=heights)[:, 0]
        for place, chart in zip(places, column, strict=False):
            axes = place.subplots()
            axes.set_axisbelow(True)
            (_draw_labels if _has_labels(chart) else _draw_lines)(axes, chart)
            _head(axes, chart)
    return figure


def _height_of(column: Sequence[Chart]) -> float:
    return sum(map(_height, column))


def _has_labels(chart: Chart) -> bool:
    return any(isinstance(x, str) for _, points in chart.series for x, _ in points)


def _labels(chart: Chart) -> list[str]:
    """Return the labels of all series, each once, in order of appearance."""
    return list(dict.fromkeys(str(x) for _, points in chart.series for x, _ in points))


def _name_rows(chart: Chart) -> int:
    return -(-len(chart.series) // NAMES) if len(chart.series) > 1 else 0


def _height(chart: Chart) -> float:
    around = AROUND + _name_rows(chart) * POINTS / 72
    if not _has_labels(chart):
        return LINES + around
    return around + BAR * len(_labels(chart)) * (len(chart.series) + 0.6)


def _head(axes: Axes, chart: Chart) -> None:
    """Write the title, and below it the names of the series if there are several."""
    rows = _name_rows(chart)
    title = "\n".join(wrap(chart.title, TITLE))
    axes.set_title(title, loc="left", fontsize=10, color=INK, pad=6 + POINTS * rows)
    if rows:
        axes.legend(
            loc="lower left",
            bbox_to_anchor=(0, 1),
            ncols=NAMES,
            frameon=False,
            fontsize=8,
            borderaxespad=0.2,
            labelspacing=0.3,
            columnspacing=1.2,
        )


def _draw_labels(axes: Axes, chart: Chart) -> None:
    """Draw a group of values for every label, each written beside its bar.

    A logarithmic axis has no zero for bars to start from, so values are dots.
    """
    labels = _labels(chart)
    step = 1 / (len(chart.series) + 0.6)
    values = [value for _, points in chart.series for _, value in points if value > 0]
    for number, (name, points) in enumerate(chart.series):
        colour = PALETTE[number % len(PALETTE)]
        places = [labels.index(str(x)) + number * step for x, _ in points]
        across = [value for _, value in points]
        if chart.log:
            axes.plot(across, places, "o", markersize=6, color=colour, label=name)
        else:
            axes.barh(places, across, height=step * 0.92, color=colour, label=name)
        for place, value in zip(places, across, strict=True):
            axes.annotate(
                _number(value),
                (value, place),
                xytext=(6 if chart.log else 3, 0),
                textcoords="offset points",
                va="center",
                fontsize=7.5,
                color=INK,
            )
    middle = step * (len(chart.series) - 1) / 2
    axes.set_yticks([place + middle for place in range(len(labels))], labels)
    axes.set_ylim(len(labels) - 1 + middle + 0.55, middle - 0.55)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="y", visible=chart.log)
    axes.set_xlabel(chart.unit)
    if chart.log and values:
        axes.set_xscale("log")
        axes.set_xlim(min(values) / 2, max(values) * 4)  # room for the numbers
        _say_plainly(axes.xaxis, *axes.get_xlim())
    elif values:
        axes.set_xlim(0, max(values) * 1.18)


def _draw_lines(axes: Axes, chart: Chart) -> None:
    """Draw a line for every series, with ticks at the measured places."""
    places = sorted({float(x) for _, points in chart.series for x, _ in points})
    for number, (name, points) in enumerate(chart.series):
        across, values = [float(x) for x, _ in points], [value for _, value in points]
        colour = PALETTE[number % len(PALETTE)]
        axes.plot(across, values, marker="o", markersize=4, color=colour, label=name)
    if places and places[0] > 0 and places[-1] > FAR_APART * places[0]:
        axes.set_xscale("log")
    axes.set_xticks(places, [f"{place:g}" for place in places])
    axes.set_xticks([], minor=True)
    axes.set_ylabel(chart.unit)
    if chart.log:
        axes.set_yscale("log")
    else:
        axes.set_ylim(bottom=0)
    _say_plainly(axes.yaxis, *axes.get_ylim())


def _say_plainly(axis: Axis, low: float, high: float) -> None:
    """Write ticks without powers of ten; on a long logarithmic axis, only powers of ten."""
    from matplotlib.ticker import FuncFormatter, NullFormatter

    plain = FuncFormatter(lambda value, _place: _number(value))
    axis.set_major_formatter(plain)
    axis.set_minor_formatter(plain if 0 < high < 10 * low else NullFormatter())


def _number(value: float) -> str:
    """Format a number briefly."""
    return format_compact(value) if value >= 1000 else f"{value:.3g}"
