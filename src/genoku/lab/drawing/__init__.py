"""Charts drawn for print: SVG by matplotlib, the same bytes for the same chart."""

from __future__ import annotations

import io
import math
import re
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from genoku.display import printable
from genoku.figures import require_lab
from genoku.figures.curves import DRAWING, STYLE
from genoku.lab import charts
from genoku.lab.boardviews import boards_svg
from genoku.lab.drawing.curves import lines, scatter
from genoku.lab.drawing.grids import heat, is_turned, ranks
from genoku.lab.drawing.layout import draw_legend, lay_out, lines_of, ticks
from genoku.lab.drawing.rows import boxes, ranges
from genoku.lab.labels import TICK, columns

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

HALF, FULL = 3.6, 7.2  # inches that a drawing is wide, beside another or alone


def svg(chart: charts.Chart, width: float = 7.0, *, legend: bool = True) -> str:
    """A chart as SVG, so many inches wide; its title belongs into the caption."""
    if isinstance(chart, charts.Boards):
        return boards_svg(chart)
    require_lab()
    from matplotlib import rc_context, rcParams

    if isinstance(chart, charts.Ranks):
        width = max(width, 7.0)  # its names stand on both sides
    looks: Any = {**STYLE, "svg.fonttype": "path", "axes.axisbelow": True}
    with DRAWING, rc_context(looks), warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"Glyph \d+ .* missing from font")
        figure = _figure(chart, width, legend)
        if _lacks_letters(figure):  # a reader's own fonts may have them
            rcParams["svg.fonttype"] = "none"
        file = io.StringIO()
        told = {"Date": None, "Title": printable(chart.title)}
        figure.savefig(file, format="svg", metadata=told)
    return _shortened(file.getvalue())


def _figure(chart: charts.Plot, width: float, legend: bool) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, _height(chart, width)), layout="constrained")
    axes = figure.subplots()
    ways: dict[type, Callable[[Axes, Any], None]] = {
        charts.Lines: lines,
        charts.Boxes: boxes,
        charts.Ranges: ranges,
        charts.Heat: heat,
        charts.Ranks: ranks,
        charts.Scatter: scatter,
    }
    ways[type(chart)](axes, chart)
    ticks(axes, width)
    if legend:
        draw_legend(figure, axes, width)
    lay_out(figure)
    return figure


def _lacks_letters(figure: Figure) -> bool:
    """Whether the font that drawings are measured in has no shape for some letter."""
    from matplotlib.font_manager import FontProperties, findfont, get_font
    from matplotlib.text import Text

    known = get_font(findfont(FontProperties())).get_charmap()
    texts = {each.get_text() for each in figure.findobj(Text) if isinstance(each, Text)}
    return any(ord(letter) not in known for letter in set("".join(texts)) - {"\n"})


def _height(chart: charts.Plot, width: float) -> float:
    """Rows of one height each, other charts of one shape."""
    if isinstance(chart, charts.Boxes):
        return 0.75 + sum(max(0.3, 0.06 + 0.15 * each) for each in lines_of(chart.names, width))
    if isinstance(chart, charts.Ranges):
        least = 0.16 + 0.12 * max(len(chart.kinds), 1)
        rows = sum(max(least, 0.06 + 0.15 * each) for each in lines_of(chart.names, width))
        return 0.75 + rows + 0.25 * len(chart.levels[:1])
    if isinstance(chart, charts.Heat):
        turned = (
            0.045 * min(TICK, max(map(columns, chart.x_names), default=0)) * is_turned(chart, width)
        )
        rows = sum(max(0.34, 0.06 + 0.15 * each) for each in lines_of(chart.y_names, width))
        return max(1.8, 0.9 + rows) + turned
    if isinstance(chart, charts.Ranks):
        return 0.5 + 0.2 * (math.ceil(len(chart.names) / 2) + len(chart.cliques) * 0.5 + 1)
    return 0.62 * width if width < 5 else 0.47 * width


def _shortened(text: str) -> str:
    """Paths to a hundredth of a point, which no eye can tell from the millionths as written."""

    def short(found: re.Match[str]) -> str:
        return re.sub(r"-?\d+\.\d{3,}", lambda each: f"{float(each[0]):.2f}", found[0])

    return re.sub(r' (d|x|y)="[^"]*"', short, text)
