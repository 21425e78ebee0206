"""Boards, bars and curves of scenes as HTML and SVG for the site, coloured by its style sheet.

The result has no blank lines, which would end it in Markdown.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from genoku.present.scenes.views import SceneBars, SceneBoard, SceneCurve
from genoku.puzzle.geometry import Geometry
from genoku.puzzle.notation import symbol
from genoku.puzzle.render import grid_path

CELL = 24
WIDE, HIGH = 640, 170  # of a chart, in all
LEFT, RIGHT, TOP, BOTTOM = 46, 10, 12, 34  # what its labels take
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
    for cell, digit in enumerate(view.digits):
        row, column = divmod(cell, side)
        x, y = column * CELL, row * CELL
        if tint := _tint(view, cell, givens[cell]):
            grounds[tint] = grounds.get(tint, "") + f"M{x} {y}h{CELL}v{CELL}h-{CELL}z"
        if digit:
            look = "clash" if cell in view.clashes else "fixed" if givens[cell] else ""
            of_class = f' class="{look}"' if look else ""
            text = symbol(digit, side)
            texts.append(f'<text{of_class} x="{x + CELL // 2}" y="{y + CELL // 2}">{text}</text>')
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
    high: int = HIGH,
) -> str:
    """Draw a bar for every value with its number; all are highlighted, or the chosen ones.

    A line is drawn at `level`, and the scale reaches to `top` at least.
    """
    labels, values = view.labels, view.values
    bright = set(range(len(values)) if all_bright else view.chosen)
    top = max([*values, level or 0.0, top, 1e-9])
    room = (WIDE - LEFT - RIGHT) / len(values)
    floor = high - BOTTOM
    scale = (floor - TOP - 14) / top
    parts = [f'<path class="axis" d="M{LEFT} {floor}H{WIDE - RIGHT}"/>']
    for place, (label, value) in enumerate(zip(labels, values, strict=True)):
        x, tall = LEFT + place * room, value * scale
        look = "bar" if place in bright else "bar faded"
        middle = f"{x + room / 2:.1f}"
        parts.append(
            f'<rect class="{look}" x="{x + room * 0.12:.1f}" y="{floor - tall:.1f}" '
            f'width="{room * 0.76:.1f}" height="{tall:.1f}"/>'
            f'<text class="number" x="{middle}" y="{floor - tall - 8:.1f}">{_short(value)}</text>'
            f'<text class="number" x="{middle}" y="{floor + 10}">{escape(label)}</text>'
        )
    if level is not None:
        y = floor - level * scale
        parts.append(f'<path class="level" d="M{LEFT} {y:.1f}H{WIDE - RIGHT}"/>')
    return _chart(view.title, high, across, parts)


def curves(title: str, first: SceneCurve, *others: SceneCurve) -> str:
    """Draw curves over steps on one scale from 0, all but the first dashed."""
    lines = (first, *others)
    low = min([0.0, *(value for line in lines for value in line.values)])
    top = max(value for line in lines for value in line.values)
    top = top if top > low else low + 1.0
    last = max((len(line.values) - 1) * line.every for line in lines) or 1
    floor, width = HIGH - BOTTOM, WIDE - LEFT - RIGHT
    parts = [
        f'<path class="axis" d="M{LEFT} {TOP}V{floor}H{WIDE - RIGHT}"/>',
        f'<text class="number end" x="{LEFT - 6}" y="{TOP + 4}">{_short(top)}</text>',
        f'<text class="number end" x="{LEFT - 6}" y="{floor}">{_short(low)}</text>',
        f'<text class="number" x="{LEFT}" y="{floor + 12}">0</text>',
        f'<text class="number end" x="{WIDE - RIGHT}" y="{floor + 12}">{_short(last)}</text>',
    ]
    for number, line in enumerate(lines):
        points = " ".join(
            f"{LEFT + place * line.every / last * width:.1f},"
            f"{floor - (value - low) / (top - low) * (floor - TOP):.1f}"
            for place, value in enumerate(line.values)
        )
        look = f"line line-{number}" + (" dashed" if number else "")
        parts.append(f'<polyline class="{look}" points="{points}"/>')
        if len(lines) > 1:
            y = TOP + 6 + 15 * number
            parts.append(
                f'<path class="{look}" d="M{WIDE - 190} {y}h24"/>'
                f'<text class="start" x="{WIDE - 160}" y="{y}">{escape(line.title)}</text>'
            )
    return _chart(title, HIGH, first.across, parts)


def _chart(title: str, high: int, across: str, parts: Iterable[str]) -> str:
    middle = (LEFT + WIDE - RIGHT) / 2
    return (
        f'<div class="chart"><b>{escape(title)}</b><svg viewBox="0 0 {WIDE} {high}" role="img" '
        f'aria-label="{escape(title)}">{"".join(parts)}'
        f'<text class="number" x="{middle:.0f}" y="{high - 8}">{escape(across)}</text></svg></div>'
    )


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.3g}"
