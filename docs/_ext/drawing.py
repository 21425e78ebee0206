"""Boards, bars and curves of scenes as HTML and SVG for the site, coloured by its style sheet.

Charts are drawn by matplotlib in the style of reports. The result has no blank lines, which would
end it in Markdown.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Sequence
from html import escape
from itertools import groupby
from zlib import crc32

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from genoku.lab.report.charts import PALETTE
from genoku.lab.report.page import themed_svg
from genoku.present.figures import drawing, fix_layout, save
from genoku.present.scenes.views import SceneBars, SceneBoard, SceneCurve
from genoku.puzzle.geometry import Geometry
from genoku.puzzle.notation import symbol
from genoku.puzzle.render import grid_path
from genoku.runtime.notebook import INK

CELL = 24
WIDE, HIGH = 7.2, 1.9  # of a chart, in inches
BAR, LEVEL = PALETTE[:2]
SITE = {BAR: "var(--bar)", LEVEL: "var(--level)"}  # colours of the site's style sheet
ORIGINS = ("given", "from-a", "from-b", "from-both", "from-neither")  # classes of cells


def figure(content: str, caption: str) -> str:
    """Wrap a picture with its caption."""
    return f'<figure class="made">{content}<figcaption>{caption}</figcaption></figure>'


def boards(geometry: Geometry, givens: Sequence[int], views: Iterable[SceneBoard]) -> str:
    """Draw boards side by side, or stacked on a narrow page."""
    made = "".join(
        f'<div class="board"><b>{escape(view.title)}</b>{_board(geometry, givens, view)}'
        f"<span>{escape(view.note)}</span></div>"
        for view in views
    )
    return f'<div class="boards">{made}</div>'


def _board(geometry: Geometry, givens: Sequence[int], view: SceneBoard) -> str:
    side, size = geometry.side, geometry.side * CELL
    grounds: dict[str, str] = {}
    texts: list[str] = []
    for row in range(side):
        cells = range(row * side, row * side + side)
        for tint, run in groupby(cells, lambda cell: _tint(view, cell, givens[cell])):
            if tint:
                first, *others = run
                wide = CELL * (1 + len(others))
                ground = f"M{first % side * CELL} {row * CELL}h{wide}v{CELL}h-{wide}z"
                grounds[tint] = grounds.get(tint, "") + ground
        for look in ("clash", "fixed", ""):
            of_look = [c for c in cells if view.digits[c] and _look(view, c, givens[c]) == look]
            if of_look:  # one element for all, with a place for every digit
                of_class = f' class="{look}"' if look else ""
                places = " ".join(str(cell % side * CELL + CELL // 2) for cell in of_look)
                text = "".join(symbol(view.digits[cell], side) for cell in of_look)
                y = row * CELL + CELL // 2
                texts.append(f'<text{of_class} x="{places}" y="{y}">{text}</text>')
    outlines = "".join(
        f"M{cell % side * CELL + 1.5} {cell // side * CELL + 1.5}"
        f"h{CELL - 3}v{CELL - 3}h-{CELL - 3}z"
        for cell in view.marked
    )
    parts = [f'<path class="{tint}" d="{path}"/>' for tint, path in grounds.items()]
    boxes = grid_path(side, geometry.box_rows, geometry.box_cols, CELL)
    parts.append(f'<path class="thin" d="{grid_path(side, 1, 1, CELL)}"/>')
    parts.append(f'<path class="thick" d="{boxes}"/>')
    if outlines:
        parts.append(f'<path class="marked" d="{outlines}"/>')
    told = escape(f"{view.title}: {''.join(symbol(digit, side) for digit in view.digits)}")
    box = f"-2 -2 {size + 4} {size + 4}"
    return (
        f'<svg viewBox="{box}" width="{size + 4}" height="{size + 4}" role="img" '
        f'aria-label="{told}">{"".join(parts)}{"".join(texts)}</svg>'
    )


def _look(view: SceneBoard, cell: int, given: int) -> str:
    """Return the class of a cell's digit; empty for none."""
    return "clash" if cell in view.clashes else "fixed" if given else ""


def _tint(view: SceneBoard, cell: int, given: int) -> str:
    """Return the class of a cell's background; empty for none."""
    if view.paint == "units":
        return f"units-{view.colours[cell]}"
    if view.paint == "origin":
        return ORIGINS[view.colours[cell]]
    if given:
        return "given"
    return f"group-{view.colours[cell]}" if view.paint == "group" else ""


def bars(
    view: SceneBars,
    *,
    all_bright: bool = True,
    level: float | None = None,
    top: float = 0.0,
    across: str = "",
    high: float = HIGH,
) -> str:
    """Draw a bar for every value with its number; all are highlighted, or the chosen ones.

    A line is drawn at `level`, and the scale reaches to `top` at least.
    """

    def draw(axes: Axes) -> None:
        places = range(len(view.values))
        drawn = axes.bar(places, view.values, 0.76, color=BAR)
        for place, bar in enumerate(drawn):
            bar.set_alpha(1.0 if all_bright or place in view.chosen else 0.25)
        axes.bar_label(drawn, [_short(value) for value in view.values], padding=2, color=INK)
        axes.set_xticks(places, view.labels)
        axes.set(xlim=(-0.5, len(places) - 0.5), ylim=(0, 1.16 * max(*view.values, top, 1e-9)))
        axes.tick_params(length=0)
        axes.grid(visible=False)
        axes.yaxis.set_visible(False)
        axes.spines["left"].set_visible(False)
        if level is not None:
            axes.axhline(level, color=LEVEL, linewidth=1.0, linestyle="--", zorder=1)

    return _chart(view.title, across, high, draw)


def curves(title: str, first: SceneCurve, *others: SceneCurve) -> str:
    """Draw curves over steps on one scale from 0, all but the first dashed."""

    def draw(axes: Axes) -> None:
        for place, line in enumerate((first, *others)):
            steps = range(0, len(line.values) * line.every, line.every)
            style = "--" if place else "-"
            axes.plot(steps, line.values, style, color=PALETTE[place], label=line.title)
        axes.margins(x=0)
        axes.set_ylim(bottom=min(0.0, axes.dataLim.y0))
        axes.xaxis.set_major_locator(MaxNLocator("auto", steps=[1, 2, 5, 10], integer=True))
        axes.xaxis.set_major_formatter("{x:,.10g}")
        axes.yaxis.set_major_formatter("{x:,.10g}")
        if others:
            axes.legend()

    return _chart(title, first.across, HIGH, draw)


def _chart(title: str, across: str, high: float, draw: Callable[[Axes], None]) -> str:
    with drawing():
        picture = Figure(figsize=(WIDE, high), facecolor="none", layout="constrained")
        axes = picture.subplots()
        axes.set_facecolor("none")  # the page shows through
        draw(axes)
        axes.set_xlabel(across)
        picture.draw_without_rendering()
        fix_layout(picture)
        file = io.BytesIO()
        save(picture, file, "svg", title)
    made = themed_svg(file.getvalue().decode(), f"d{crc32(file.getvalue()):08x}-")
    for colour, ours in SITE.items():
        made = made.replace(colour, ours)
    return f'<div class="chart"><b>{escape(title)}</b>{made}</div>'


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.3g}"
