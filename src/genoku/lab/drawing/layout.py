"""What drawings have in common: axes, ticks, legends, lines across a chart."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from genoku.display import printable
from genoku.figures.curves import settle
from genoku.lab import charts
from genoku.lab.labels import LEGEND, columns, shortened, wrapped
from genoku.lab.reaches import reaches
from genoku.looks import INK, SOFT

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LEAST = 0.22  # of a drawing's width and height that the chart itself has, words around it
COLLAPSED = "constrained_layout not applied"  # as matplotlib says it


def label_axes(
    axes: Axes, x_label: str, y_label: str, log_x: bool = False, log_y: bool = False
) -> None:
    name_axes(axes, x_label, y_label)
    if log_x:
        axes.set_xscale("log")
    if log_y:
        axes.set_yscale("log")
    for axis, log in ((axes.xaxis, log_x), (axes.yaxis, log_y)):
        if not log:
            axis.set_major_formatter(plain_number)


def name_axes(axes: Axes, x_label: str, y_label: str) -> None:
    """What the axes say, in as many lines as it takes."""
    across, down = inches(axes)
    axes.set_xlabel(lines_for(x_label, int(11 * across)))
    axes.set_ylabel(lines_for(y_label, max(int(13 * (down - 0.5)), 12)))


def inches(axes: Axes) -> tuple[float, float]:
    """How wide and how high the drawing is that axes are part of."""
    figure: Any = axes.get_figure(root=True)  # which is none only for axes that were taken out
    across, down = figure.get_size_inches()
    return across, down


def lines_for(text: str, letters: int) -> str:
    return as_it_stands("\n".join(wrapped(text, letters)))


def widen(axes: Axes, chart: charts.Plot) -> None:
    """Axes as long as the chart asks, or as the ticks of values that are all but equal need."""
    x, y = reaches(chart)
    if x:
        axes.set_xlim(*x)
    if y:
        axes.set_ylim(*y)


def plain_number(value: float, place: Any = None) -> str:
    del place
    if abs(value) >= 1e6:
        return f"{value / 1e6:.6g} M"
    return f"{value:,.10g}".replace("-", "−")


def ticks(axes: Axes, width: float) -> None:
    """As many labels as there is room for; on logarithmic axes powers of ten, or 1, 2 and 5."""
    from matplotlib.ticker import AutoLocator, LogLocator, MaxNLocator, NullFormatter

    for axis in (axes.xaxis, axes.yaxis):
        if axis.get_scale() == "log":
            low, high = sorted(axis.get_view_interval())
            if low > 0 and high < 100 * low:
                axis.set_major_locator(LogLocator(10, (1.0, 2.0, 5.0)))
                axis.set_major_formatter(plain_number)
            axis.set_minor_formatter(NullFormatter())
    if width < 5 and isinstance(axes.xaxis.get_major_locator(), AutoLocator):
        axes.xaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 2.5, 5, 10]))


def name_rows(axes: Axes, names: Sequence[str]) -> None:
    """Names down the left side, the first on top."""
    letters = room(inches(axes)[0])
    axes.set_yticks(range(len(names)), [lines_for(name, letters) for name in names])
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.grid(visible=False, axis="y")
    axes.spines["left"].set_visible(False)


def lines_of(names: Sequence[str], width: float) -> list[int]:
    """How many lines each name takes."""
    return [len(wrapped(name, room(width))) for name in names] or [1]


def room(width: float) -> int:
    """How many letters a line of a name beside the chart may have."""
    return 18 if width < 5 else 30


def draw_legend(figure: Figure, axes: Axes, width: float) -> None:
    handles, labels = axes.get_legend_handles_labels()
    if not labels:
        return
    labels = [_entry(label) for label in labels]
    longest = max(map(columns, labels))
    across = max(1, min(len(labels), int(width * 14 / (longest + 7))))
    rows = -(-len(labels) // across)
    if rows > 1:  # room of its own, not the chart's
        figure.set_figheight(figure.get_figheight() + 0.17 * (rows - 1))
    figure.legend(
        handles,
        labels,
        loc="outside lower center",
        ncols=across,
        frameon=False,
        fontsize=8,
        labelcolor=INK,
    )


def _entry(label: str) -> str:
    """A label as a legend shows it; it stands as it is already, with dollars escaped."""
    return shortened(label.replace(r"\$", "$"), LEGEND).replace("$", r"\$")


def lay_out(figure: Figure) -> None:
    """Lay it out, larger where words would leave the chart no room."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", COLLAPSED)  # then its room is made below
        for _ in range(8):
            figure.draw_without_rendering()
            across, down = (share < LEAST for share in figure.axes[0].get_position().size)
            if not across and not down:
                break
            width, height = figure.get_size_inches()
            figure.set_size_inches(width * (1.2 if across else 1), height * (1.2 if down else 1))
    settle(figure)


def as_it_stands(text: str) -> str:
    """A name as it stands: a dollar would begin a formula, an underscore hide a legend entry."""
    return (" " if text.startswith("_") else "") + printable(text).replace("$", r"\$")


def draw_levels(axes: Axes, levels: Sequence[charts.Level], log_x: bool, log_y: bool) -> None:
    for level in levels:
        if not charts.drawable([level.value], log_x if level.of == "x" else log_y)[0]:
            continue
        line = axes.axvline if level.of == "x" else axes.axhline
        line(
            level.value,
            color=SOFT,
            linewidth=1.0,
            linestyle="--",
            label=as_it_stands(level.label),
            zorder=1,
        )


def say_nothing(axes: Axes) -> None:
    axes.text(
        0.5, 0.5, charts.NOTHING, color=SOFT, ha="center", va="center", transform=axes.transAxes
    )
    axes.set_xticks([])
    axes.set_yticks([])
