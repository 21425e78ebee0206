"""Boards and curves as a terminal shows them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from genoku.board import Board, Puzzle
from genoku.cli.output import is_colourless
from genoku.fitness import fitness_map
from genoku.geometry import Geometry
from genoku.looks import MAP_COLOURS, map_colours

if TYPE_CHECKING:
    from rich.text import Text

DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""The bit of each dot of a Braille character, by row and column."""


def board_picture(puzzle: Puzzle, board: Board) -> Text:
    """The board with its digits, coloured by report 003's map."""
    from rich.text import Text

    colours = map_colours(board, puzzle.geometry)
    return Text.from_ansi(puzzle.picture(board, style="ansi", colours=colours))


def tight_board(puzzle: Puzzle, board: Board) -> Text:
    """The board without lines: a digit on the colour of its cell, two columns wide; givens bold."""
    from rich.text import Text

    geometry, side = puzzle.geometry, puzzle.side
    digits = str(Puzzle(geometry, board.tobytes()))
    shown = digits if len(digits) == geometry.cells else " " * geometry.cells
    text = Text()
    for cell, (digit, colour) in enumerate(zip(shown, map_colours(board, geometry), strict=True)):
        weight = "bold " if puzzle.digits[cell] else ""
        ink = "#ffffff" if colour == MAP_COLOURS[0] else "#22252b"
        text.append(f"{digit} " if colour else "  ", f"{weight}{ink} on {colour}" if colour else "")
        text.append("\n" if cell % side == side - 1 and cell + 1 < geometry.cells else "")
    return text


def small_map(geometry: Geometry, board: Board) -> Text:
    """The map alone, two rows in a line; without colours, the digits in its place."""
    from rich.text import Text

    side = geometry.side
    if is_colourless():
        signs = str(Puzzle(geometry, board.tobytes()))
        if len(signs) != geometry.cells:  # numbers; the map's own are one digit each
            signs = "".join(map(str, fitness_map(board, geometry).tolist()))
        return Text("\n".join(signs[i : i + side] for i in range(0, len(signs), side)))
    colours = map_colours(board, geometry)
    text = Text()
    for row in range(0, side, 2):
        for column in range(side):
            below = (row + 1) * side + column
            lower = colours[below] if below < len(colours) else None
            text.append(*_half_blocks(colours[row * side + column], lower))
        text.append("\n" if row + 2 < side else "")
    return text


def _half_blocks(upper: str | None, lower: str | None) -> tuple[str, str]:
    """Two cells in one character, and its style; an open cell shows the terminal's own ground."""
    if upper is None:
        return ("▄", lower) if lower else (" ", "")
    return "▀", f"{upper} on {lower}" if lower else upper


def chart(steps: Any, curves: dict[str, Any], width: int, height: int) -> Text:
    """Curves in Braille dots over the logarithm of the steps, the last named on top."""
    from rich.text import Text

    low = min(float(curve.min()) for curve in curves.values())
    high = max(float(curve.max()) for curve in curves.values())
    labels = [f"{high:.5g}" if high > low else "", *[""] * (height - 2), f"{low:.5g}"]
    room = max(map(len, labels))
    columns = 2 * max(1, width - room - 1)
    times = np.log(np.maximum(steps, 1))  # most happens early
    at = np.linspace(times[0], times[-1], columns)
    heights = {
        style: (np.interp(at, times, curve) - low) / ((high - low) or 1.0)
        for style, curve in curves.items()
    }
    text = Text()
    for label, line in zip(labels, dotted(heights, columns // 2, height), strict=True):
        text.append(f"{label:>{room}} ", "dim").append_text(line).append("\n")
    ends = f"{steps[0]:,}", f"{steps[-1]:,} (log)"
    return text.append(f"{'':{room}} {ends[0]}{ends[1]:>{columns // 2 - len(ends[0])}}", "dim")


def dotted(curves: Mapping[str, Any], width: int, height: int) -> list[Text]:
    """Curves by their styles, the last on top, as lines of Braille dots.

    A curve has a height from 0 to 1 for each of its columns, of which a character has two; one
    that is shorter than the room ends before it.
    """
    from rich.text import Text

    rows = 4 * height
    cells = np.zeros((height, width), np.int64)
    colour = np.full(cells.shape, "", object)
    for style, heights in curves.items():
        places = np.rint((1 - np.asarray(heights)) * (rows - 1)).astype(int).tolist()
        for x, y in enumerate(places):
            before = places[max(0, x - 1)]
            for dot in range(min(y, before), max(y, before) + 1):
                cells[dot // 4, x // 2] |= DOTS[dot % 4][x % 2]
                colour[dot // 4, x // 2] = style
    lines = []
    for bits_of_row, styles in zip(cells.tolist(), colour.tolist(), strict=True):
        line = Text()
        for bits, style in zip(bits_of_row, styles, strict=True):
            line.append(chr(0x2800 + bits), style)
        lines.append(line)
    return lines
