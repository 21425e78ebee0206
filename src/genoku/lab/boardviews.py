"""Boards side by side as one SVG, with the key of report 003's fitness map."""

from __future__ import annotations

import re
from html import escape
from textwrap import wrap

import numpy as np

from genoku import picture
from genoku.lab.charts import Boards, BoardView
from genoku.looks import INK, MAP_COLOURS, SOFT, map_colours

SIDE, GAP, LINE = 300, 24, 20
KEY = ("0", "1", "2", "3 complete units")


def boards_svg(chart: Boards, columns: int = 3) -> str:
    """The boards in rows, their captions below them, and the key where colours mean something."""
    columns = max(1, min(columns, len(chart.boards)))
    captions = [wrap(view.caption, 40) for view in chart.boards]
    words = max(map(len, captions), default=0) * LINE + 14
    rows = -(-len(chart.boards) // columns)
    mapped = any(view.mapped for view in chart.boards)
    width = columns * (SIDE + GAP) - GAP
    height = max(1, rows * (SIDE + words + GAP) - GAP + (30 if mapped else 0))
    pieces = []
    for place, (view, lines) in enumerate(zip(chart.boards, captions, strict=True)):
        row, column = divmod(place, columns)
        x, y = column * (SIDE + GAP), row * (SIDE + words + GAP)
        pieces.append(_placed(view, x, y))
        pieces += [
            f'<text x="{x + SIDE / 2:g}" y="{y + SIDE + 22 + i * LINE:g}" fill="{INK}" '
            f'text-anchor="middle" font-size="15">{escape(line)}</text>'
            for i, line in enumerate(lines)
        ]
    if mapped:
        pieces.append(_key(height - 20))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" role="img" font-family="Helvetica, Arial, sans-serif">'
        f"<title>{escape(chart.title)}</title>{''.join(pieces)}</svg>\n"
    )


def board_svg(view: BoardView) -> str:
    """A board by itself, as large as its place allows."""
    return _placed(view, 0, 0).replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)


def key_svg() -> str:
    """The key of the fitness map."""
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 290 20" width="290" height="20" '
        f'font-family="Helvetica, Arial, sans-serif">{_key(2)}</svg>'
    )


def _placed(view: BoardView, x: int, y: int) -> str:
    """A board's own picture, moved and scaled to its place."""
    geometry = view.puzzle.geometry
    board = np.frombuffer(view.board, np.uint8)
    colours = map_colours(board, geometry) if view.mapped else None
    drawn = picture.draw(geometry, view.board, view.puzzle.digits, style="svg", colours=colours)
    box = re.search(r'viewBox="[^"]*"', drawn)
    start = drawn.index(">") + 1
    shown = box[0] if box else ""
    return (
        f'<svg x="{x}" y="{y}" width="{SIDE}" height="{SIDE}" {shown} text-anchor="middle" '
        'font-family="Helvetica, Arial, sans-serif">'
        f"{drawn[start:]}"
    )


def _key(y: int) -> str:
    pieces = [f'<g font-size="14" fill="{SOFT}">']
    for points, (colour, text) in enumerate(zip(MAP_COLOURS, KEY, strict=True)):
        x = points * 46
        pieces.append(
            f'<rect x="{x}" y="{y}" width="16" height="16" rx="3" fill="{colour}"/>'
            f'<text x="{x + 22}" y="{y + 13}">{text}</text>'
        )
    return "".join([*pieces, "</g>"])
