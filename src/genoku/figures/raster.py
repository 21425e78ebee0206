"""A board as a PNG, for where only pixels are taken."""

from __future__ import annotations

import io
import math
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from genoku.figures.curves import require_lab
from genoku.notation import symbol

if TYPE_CHECKING:
    from PIL.ImageFont import FreeTypeFont

    from genoku.board import Puzzle

PAPER, SHADE, RULE, FRAME = "#ffffff", "#f0f1f4", "#b8bcc6", "#22252b"
ON_LIGHT, ON_DARK = "#22252b", "#ffffff"
MARGIN = 12


def board_png(
    puzzle: Puzzle,
    board: Sequence[int],
    grounds: Sequence[str | None] | None = None,
    candidates: Sequence[Collection[int]] | None = None,
) -> bytes:
    """Draw a board on the colours of its cells; givens are bold, candidates small in blanks."""
    require_lab()
    from PIL import Image, ImageDraw

    geometry, side = puzzle.geometry, puzzle.side
    cell = max(36, min(96, 1440 // side)) * (2 if candidates and side > 9 else 1)
    full = side * cell + 2 * MARGIN
    picture = Image.new("RGB", (full, full), PAPER)
    draw = ImageDraw.Draw(picture)
    size = round(cell * (0.55 if side <= 35 else 0.45))
    plain, bold = _font("DejaVuSans.ttf", size), _font("DejaVuSans-Bold.ttf", size)
    across = math.isqrt(side - 1) + 1  # candidates stand in rows of so many
    small = _font("DejaVuSans.ttf", round(cell / across * (0.8 if side <= 35 else 0.6)))
    for place, (digit, given) in enumerate(zip(board, puzzle.digits, strict=True)):
        row, column = divmod(place, side)
        x, y = MARGIN + column * cell, MARGIN + row * cell
        colour = (grounds[place] if grounds else None) or (SHADE if given else PAPER)
        draw.rectangle((x, y, x + cell, y + cell), colour)
        if digit:
            ink = ON_DARK if _is_dark(colour) else ON_LIGHT
            font = bold if given else plain
            draw.text((x + cell / 2, y + cell / 2), symbol(digit, side), ink, font, "mm")
            continue
        for each in candidates[place] if candidates else ():
            down, right = divmod(each - 1, across)
            middle = x + (right + 0.5) * cell / across, y + (down + 0.5) * cell / across
            draw.text(middle, symbol(each, side), FRAME, small, "mm")
    ends = MARGIN, full - MARGIN
    for i in range(side + 1):
        at = MARGIN + i * cell
        for line, box in (
            ((ends[0], at, ends[1], at), geometry.box_rows),
            ((at, ends[0], at, ends[1]), geometry.box_cols),
        ):
            draw.line(line, RULE if i % box else FRAME, 1 if i % box else 4)
    stream = io.BytesIO()
    picture.save(stream, format="PNG", optimize=True)
    return stream.getvalue()


def _font(name: str, size: int) -> FreeTypeFont:
    from matplotlib import get_data_path
    from PIL import ImageFont

    return ImageFont.truetype(Path(get_data_path(), "fonts", "ttf", name), size)


def _is_dark(colour: str) -> bool:
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return 299 * red + 587 * green + 114 * blue <= 128_000
