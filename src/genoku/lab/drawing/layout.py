"""What drawings have in common: axes, ticks, legends, lines across a chart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from genoku.figures.looks import INK, SOFT
from genoku.lab import charts

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NOTHING = "nothing to draw"


def label_axes(
    axes: Axes, x_label: str, y_label: str, log_x: bool = False, log_y: bool = False
) -> None:
    axes.set_xlabel(as_it_stands(x_label))
    axes.set_ylabel(as_it_stands(y_label))
    if log_x:
        axes.set_xscale("log")
    if log_y:
        axes.set_yscale("log")
    for axis, log in ((axes.xaxis, log_x), (axes.yaxis, log_y)):
        if not log:
            axis.set_major_formatter(plain_number)


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
    letters = room(axes.get_figure(root=True).get_figwidth())  # type: ignore[union-attr]
    shown = [as_it_stands("\n".join(charts.wrapped(name, letters))) for name in names]
    axes.set_yticks(range(len(names)), shown)
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.grid(visible=False, axis="y")
    axes.spines["left"].set_visible(False)


def lines_of(names: Sequence[str], width: float) -> list[int]:
    """How many lines each name takes."""
    return [len(charts.wrapped(name, room(width))) for name in names] or [1]


def room(width: float) -> int:
    """How many letters a line of a name beside the chart may have."""
    return 18 if width < 5 else 30


def draw_legend(figure: Figure, axes: Axes, width: float) -> None:
    handles, labels = axes.get_legend_handles_labels()
    if not labels:
        return
    longest = max(map(len, labels))
    columns = max(1, min(len(labels), int(width * 14 / (longest + 7))))
    rows = -(-len(labels) // columns)
    if rows > 1:  # room of its own, not the chart's
        figure.set_figheight(figure.get_figheight() + 0.17 * (rows - 1))
    figure.legend(
        handles,
        labels,
        loc="outside lower center",
        ncols=columns,
        frameon=False,
        fontsize=8,
        labelcolor=INK,
    )


def settle(figure: Figure) -> None:
    """Lay it out once and for all; the solver's last digits differ from time to time."""
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    for axes in figure.axes:
        left, bottom, width, height = axes.get_position().bounds
        axes.set_position((round(left, 4), round(bottom, 4), round(width, 4), round(height, 4)))


def as_it_stands(text: str) -> str:
    """A name as it stands: a dollar would begin a formula, an underscore hide a legend entry."""
    return (" " if text.startswith("_") else "") + text.replace("$", r"\$")


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
    axes.text(0.5, 0.5, NOTHING, color=SOFT, ha="center", va="center", transform=axes.transAxes)
    axes.set_xticks([])
    axes.set_yticks([])
