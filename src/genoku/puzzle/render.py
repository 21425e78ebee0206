"""Draw boards as plain text, coloured text for terminals, SVG and HTML, with givens highlighted."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby
from typing import Literal, NamedTuple, get_args

from genoku.errors import PuzzleError
from genoku.puzzle.geometry import Geometry
from genoku.puzzle.notation import symbol

Style = Literal["text", "ansi", "svg", "html"]
STYLES: tuple[Style, ...] = get_args(Style)

Colours = Sequence[str | None]
Candidates = Sequence[Collection[int]]
Struck = Collection[tuple[int, int]]  # candidates to cross out: cells, each with a digit

_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")
_PAPER, SHADE, RULE, _FRAME = "#ffffff", "#f0f1f4", "#b8bcc6", "#22252b"


class _Inks(NamedTuple):
    given: str
    filled: str
    candidate: str


_ON_LIGHT = _Inks(given="#16181d", filled="#1a55c4", candidate="#4a505c")
_ON_DARK = _Inks(given="#ffffff", filled="#bcd4ff", candidate="#e2e5ec")
_STRUCK = "#b3261e"


def draw(
    geometry: Geometry,
    board: bytes,
    givens: bytes,
    *,
    style: Style = "text",
    colours: Colours | None = None,
    candidates: Candidates | None = None,
    struck: Struck = (),
    caption: str = "",
) -> str:
    """Draw a board, its givens highlighted; `struck` candidates are crossed out in SVG and HTML.

    A `caption` stands below the board.
    """
    if style not in STYLES:
        raise PuzzleError(f"expected a style among {', '.join(STYLES)}, got {style!r}")
    for name, values in (("digits", board), ("colours", colours), ("candidates", candidates)):
        if values is not None and len(values) != geometry.cells:
            raise PuzzleError(f"expected {geometry.cells} {name}, got {len(values)}")
    side, place = geometry.side, geometry.cell_name
    for cell, digit in enumerate(board):
        if digit > side:
            raise PuzzleError(cell=place(cell), expected=f"a digit up to {side}", got=digit)
    for cell, digits in enumerate(candidates or []):
        if not set(digits) <= set(range(1, side + 1)):
            expected, got = f"candidates from 1 to {side}", sorted(digits)
            raise PuzzleError(f"expected {expected} at {place(cell)}, got {got}")
    for cell, colour in enumerate(colours or []):
        # Checked for every style, so that no other text can reach an attribute or a terminal.
        if colour is not None and not _COLOUR.fullmatch(colour):
            raise PuzzleError(f"expected a colour such as #ffd75f at {place(cell)}, got {colour!r}")
    crossed = frozenset(struck)
    drawing = _Drawing(geometry, board, givens, colours, candidates, crossed, caption)
    if style == "svg":
        return _svg(drawing)
    if style == "html":
        return _html(drawing)
    return _text(drawing, ansi=style == "ansi")


@dataclass(frozen=True)
class _Drawing:
    """The board, colours and candidates to draw, in any style."""

    geometry: Geometry
    board: bytes
    givens: bytes
    colours: Colours | None
    candidates: Candidates | None
    struck: frozenset[tuple[int, int]]
    caption: str

    def colour(self, cell: int) -> str | None:
        return self.colours[cell] if self.colours is not None else None

    def pencil_marks(self, cell: int) -> list[int]:
        """Return the candidates to draw in a cell; none if it has a digit."""
        if self.candidates is None or self.board[cell]:
            return []
        return sorted(self.candidates[cell])

    def symbol(self, digit: int) -> str:
        return symbol(digit, self.geometry.side)

    def background(self, cell: int) -> str:
        return self.colour(cell) or (SHADE if self.givens[cell] else _PAPER)

    def inks(self, cell: int) -> _Inks:
        inks = _ON_LIGHT if is_light(self.background(cell)) else _ON_DARK
        # Blue digits would be hard to read on a colour; givens are still bold.
        return inks if self.colour(cell) is None else inks._replace(filled=inks.given)

    @property
    def places(self) -> tuple[int, int]:
        """The rows and columns of the candidates within a cell, as square as possible."""
        columns = math.isqrt(self.geometry.side - 1) + 1
        return -(-self.geometry.side // columns), columns

    @property
    def description(self) -> str:
        cells = self.geometry.cells
        given, filled = cells - self.givens.count(0), cells - self.board.count(0)
        return f"Sudoku {self.geometry}: {given} givens, {filled} of {cells} cells filled"


def _text(drawing: _Drawing, *, ansi: bool) -> str:
    geometry, side = drawing.geometry, drawing.geometry.side
    between = "" if side <= 35 else ","
    texts = [
        between.join(map(drawing.symbol, drawing.pencil_marks(cell))) or drawing.symbol(digit)
        for cell, digit in enumerate(drawing.board)
    ]
    width = max(map(len, texts))
    align = str.rjust if drawing.candidates is None else str.center
    texts = [align(text, width) for text in texts]
    # Coloured cells touch, like tiles; others are separated by spaces.
    tiled = ansi and drawing.colours is not None
    gap = "" if tiled else " "
    if tiled:
        texts = [f" {text} " for text in texts]
    if ansi:
        texts = [_paint(drawing, cell, text) for cell, text in enumerate(texts)]
    rule = "─" * (geometry.box_cols * (width + 2 if tiled else width + 1) + len(gap))

    def dim(line: str) -> str:
        return f"\x1b[2m{line}\x1b[0m" if ansi else line

    def rule_line(left: str, cross: str, right: str) -> str:
        return dim(left + cross.join([rule] * (side // geometry.box_cols)) + right)

    bar = dim("│")
    lines = [rule_line("┌", "┬", "┐")]
    for row in range(side):
        if row and row % geometry.box_rows == 0:
            lines.append(rule_line("├", "┼", "┤"))
        boxes = [
            gap + gap.join(texts[start : start + geometry.box_cols]) + gap
            for start in range(row * side, (row + 1) * side, geometry.box_cols)
        ]
        lines.append(bar + bar.join(boxes) + bar)
    lines.append(rule_line("└", "┴", "┘"))
    if drawing.caption:
        boxes = side // geometry.box_cols
        lines.append(drawing.caption.center(len(rule) * boxes + boxes + 1).rstrip())
    return "\n".join(lines)


def _paint(drawing: _Drawing, cell: int, text: str) -> str:
    if colour := drawing.colour(cell):
        red, green, blue = _rgb(colour)
        ink = 0 if is_light(colour) else 255
        bold = ";1" if drawing.givens[cell] else ""
        codes = f"48;2;{red};{green};{blue};38;2;{ink};{ink};{ink}{bold}"
    elif not drawing.board[cell]:
        codes = "2"
    else:
        codes = "1" if drawing.givens[cell] else "36"
    return f"\x1b[{codes}m{text}\x1b[0m"


def _rgb(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def is_light(colour: str) -> bool:
    """Return whether dark text is easier to read on a colour."""
    red, green, blue = _rgb(colour)
    return 299 * red + 587 * green + 114 * blue > 128_000


_CELL, _MARGIN, _CAPTION_ROOM = 40, 6, 28
_SMALL_ROOM = 0.88 * _CELL
_CAP_HEIGHT = 0.72  # of the fonts named below, in ems


def _svg(drawing: _Drawing) -> str:
    geometry, side = drawing.geometry, drawing.geometry.side
    full = side * _CELL + 2 * _MARGIN
    width = min(full, 760)
    if drawing.candidates is not None:
        # Candidates are at least 7 pixels tall, however large the board.
        width = max(width, round(full * 7 / _small_font(drawing)))
    boxes = grid_path(side, geometry.box_rows, geometry.box_cols)
    tall = full + (_CAPTION_ROOM if drawing.caption else 0)
    height = round(width * tall / full)
    return "\n".join(
        [
            '<svg xmlns="http://www.w3.org/2000/svg" '
            f'viewBox="{-_MARGIN} {-_MARGIN} {full} {tall}" width="{width}" height="{height}" '
            f'style="max-width:100%;height:auto" role="img" aria-label="{drawing.description}" '
            'font-family="Helvetica, Arial, sans-serif" text-anchor="middle">',
            f'<rect x="{-_MARGIN}" y="{-_MARGIN}" width="{full}" height="{tall}" fill="{_PAPER}"/>',
            *_svg_backgrounds(drawing),
            f'<path d="{grid_path(side, 1, 1)}" stroke="{RULE}" stroke-width="1"/>',
            f'<path d="{boxes}" stroke="{_FRAME}" stroke-width="2.5" stroke-linecap="square"/>',
            *_svg_digits(drawing),
            *_svg_caption(drawing),
            "</svg>",
        ]
    )


def _svg_backgrounds(drawing: _Drawing) -> Iterator[str]:
    """Yield a path for every background colour; neighbours in a row are one rectangle."""
    side = drawing.geometry.side
    paths: dict[str, list[str]] = {}
    for row in range(side):
        cells = range(row * side, (row + 1) * side)
        column = 0
        for background, alike in groupby(map(drawing.background, cells)):
            wide = len(list(alike))
            along = f"M{column * _CELL} {row * _CELL}h{wide * _CELL}v{_CELL}h{-wide * _CELL}z"
            paths.setdefault(background, []).append(along)
            column += wide
    for background, pieces in paths.items():
        if background != _PAPER:
            yield f'<path fill="{background}" d="{"".join(pieces)}"/>'


def _svg_digits(drawing: _Drawing) -> Iterator[str]:
    """Yield the digits, grouped by style."""
    font = 22 if drawing.geometry.side <= 35 else 19
    small_font = _small_font(drawing)
    rows, columns = drawing.places
    styles: dict[str, list[str]] = {}

    def write(attributes: str, size: float, x: float, y: float, digit: int) -> None:
        baseline = y + size * _CAP_HEIGHT / 2
        text = f'<text x="{x:.5g}" y="{baseline:.5g}">{drawing.symbol(digit)}</text>'
        styles.setdefault(f'font-size="{size:.3g}" {attributes}', []).append(text)

    for cell, digit in enumerate(drawing.board):
        row, column = divmod(cell, drawing.geometry.side)
        x, y = (column + 0.5) * _CELL, (row + 0.5) * _CELL
        inks = drawing.inks(cell)
        if digit:
            bold = f'fill="{inks.given}" font-weight="700"'
            write(bold if drawing.givens[cell] else f'fill="{inks.filled}"', font, x, y, digit)
        for small in drawing.pencil_marks(cell):
            down, right = divmod(small - 1, columns)
            dx = ((right + 0.5) / columns - 0.5) * _SMALL_ROOM
            dy = ((down + 0.5) / rows - 0.5) * _SMALL_ROOM
            attributes = f'fill="{inks.candidate}"'
            if (cell, small) in drawing.struck:
                attributes = f'fill="{_STRUCK}" text-decoration="line-through"'
            write(attributes, small_font, x + dx, y + dy, small)
    for attributes, texts in styles.items():
        yield f"<g {attributes}>{''.join(texts)}</g>"


def _svg_caption(drawing: _Drawing) -> Iterator[str]:
    if drawing.caption:
        size = drawing.geometry.side * _CELL
        yield (
            f'<text x="{size / 2:.5g}" y="{size + 24}" font-size="15" '
            f'fill="{_ON_LIGHT.given}">{escape(drawing.caption)}</text>'
        )


def _small_font(drawing: _Drawing) -> float:
    pitch = _SMALL_ROOM / drawing.places[1]
    return min(11.0, pitch * (0.9 if drawing.geometry.side <= 35 else 0.72))


def grid_path(side: int, rows: int, columns: int, cell: int = _CELL) -> str:
    """Return the SVG path of the lines between blocks of `rows` × `columns` cells."""
    size = side * cell
    across = [f"M0 {y * cell}H{size}" for y in range(0, side + 1, rows)]
    down = [f"M{x * cell} 0V{size}" for x in range(0, side + 1, columns)]
    return "".join(across + down)


def _html(drawing: _Drawing) -> str:
    """Return a table with its own colours, which looks the same in light and dark notebooks."""
    side = drawing.geometry.side
    rows, columns = drawing.places
    digits = 1 if side <= 35 else 2
    size = 2.0
    if drawing.candidates is not None:
        # Candidates are 0.6 em, and a monospaced character is 0.6 of that wide.
        size = max(size, 0.3 + 0.66 * rows, 0.3 + 0.36 * ((digits + 1) * columns - 1))
    cells = [_html_cell(drawing, cell, size) for cell in range(drawing.geometry.cells)]
    lines = ["".join(cells[start : start + side]) for start in range(0, len(cells), side)]
    return (
        f'<table aria-label="{drawing.description}" style="border-collapse:collapse;'
        f"table-layout:fixed;width:{side * size:.4g}em;margin:0;border:3px solid {_FRAME};"
        f'background:{_PAPER};font:16px/1 Helvetica,Arial,sans-serif">'
        f"{_html_caption(drawing)}"
        f"<tbody>{''.join(f'<tr>{line}</tr>' for line in lines)}</tbody></table>"
    )


def _html_caption(drawing: _Drawing) -> str:
    if not drawing.caption:
        return ""
    style = "caption-side:bottom;padding:.6em 0;text-align:center"
    return f'<caption style="{style}">{escape(drawing.caption)}</caption>'


def _html_cell(drawing: _Drawing, cell: int, size: float) -> str:
    geometry = drawing.geometry
    row, column = divmod(cell, geometry.side)
    inks = drawing.inks(cell)
    given, digit = drawing.givens[cell], drawing.board[cell]
    style = (
        f"width:{size:.4g}em;height:{size:.4g}em;padding:0;border:0;text-align:center;"
        f"border-left:{_edge(column, geometry.box_cols)};"
        f"border-top:{_edge(row, geometry.box_rows)};"
        f"background:{drawing.background(cell)};color:{inks.given if given else inks.filled};"
        f"font-weight:{700 if given else 400}"
    )
    text = drawing.symbol(digit) if digit else _html_candidates(drawing, cell)
    return f'<td style="{style}">{text}</td>'


def _html_candidates(drawing: _Drawing, cell: int) -> str:
    if not (digits := drawing.pencil_marks(cell)):
        return ""
    width = len(drawing.symbol(drawing.geometry.side))
    columns = drawing.places[1]
    texts = [
        (drawing.symbol(digit) if digit in digits else "").rjust(width)
        for digit in range(1, drawing.geometry.side + 1)
    ]
    for digit in digits:
        if (cell, digit) in drawing.struck:
            texts[digit - 1] = f'<s style="color:{_STRUCK}">{texts[digit - 1]}</s>'
    lines = [" ".join(texts[start : start + columns]) for start in range(0, len(texts), columns)]
    block = "\n".join(lines)
    # Spaces keep every digit in its place; the block is as wide as its longest line, and centred.
    return (
        '<span style="display:inline-block;white-space:pre;text-align:left;font:0.6em/1.1 '
        f'monospace;color:{drawing.inks(cell).candidate}">{block}</span>'
    )


def _edge(index: int, size: int) -> str:
    return f"2px solid {_FRAME}" if index and index % size == 0 else f"1px solid {RULE}"
