"""Write puzzles as a vector PDF, with the solutions at the back.

The fonts are among the fourteen that every PDF reader has, so none are embedded. There is no time
stamp, so the same puzzles give the same bytes. Text with characters that those fonts lack, such as
Greek, is drawn as outlines of a font that comes with matplotlib.
"""

from __future__ import annotations

import os
import unicodedata
import zlib
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import BinaryIO, Literal, get_args

import numpy as np

from genoku.errors import FormatError, require_extra
from genoku.puzzle.board import Board, Puzzle
from genoku.puzzle.formats import binary_writer
from genoku.puzzle.notation import symbol
from genoku.puzzle.render import Colours, is_light

Paper = Literal["a4", "letter"]
PAPERS: tuple[Paper, ...] = get_args(Paper)
MAX_PER_PAGE = 9

# Lengths are in points, 72 to the inch; y increases upwards from the bottom of the page.
_SIZES: dict[Paper, tuple[float, float]] = {"a4": (595.28, 841.89), "letter": (612.0, 792.0)}
_MARGIN, _HEADING, _FOOTER, _CAPTION, _GAP = 40.0, 36.0, 20.0, 16.0, 20.0
_LARGEST_CELL = 64.0
_SMALLEST_SOLVED_CELL, _LARGEST_SOLVED_CELL = 10.0, 20.0

_CAP_HEIGHT = 0.71  # of an em; digits are as tall
_REGULAR, _BOLD = "F1", "F2"
_FONTS = ("Helvetica", "Helvetica-Bold")
# Helvetica's widths in thousandths of an em, rare signs rounded; all others, digits too, have
# 556. Bold digits are as wide, and bold capitals within 0.06 em.
_WIDTHS = {
    **dict.fromkeys("'ijl|‘’", 222),
    **dict.fromkeys(" !,./:;I[\\]ft·", 278),
    **dict.fromkeys("()-`r{}“”„", 333),
    **dict.fromkeys("Jcksvxyz", 500),
    **dict.fromkeys("+<=>~×FTZßø", 611),
    **dict.fromkeys("&ABEKPSVXY", 667),
    **dict.fromkeys("CDHNRUw", 722),
    **dict.fromkeys("GOQØ", 778),
    **dict.fromkeys("Mm", 833),
    **dict.fromkeys("%@W…—™ÆŒæœ", 1000),
}


def write_pdf(
    target: str | os.PathLike[str] | BinaryIO,
    puzzles: Sequence[Puzzle],
    *,
    solutions: Sequence[Board | None] | None = None,
    per_page: int = 4,
    paper: Paper = "a4",
    title: str = "",
    captions: Sequence[str] | None = None,
    boards: Sequence[Board] | None = None,
    colours: Sequence[Colours] | None = None,
) -> None:
    """Write puzzles, then their solutions, as a PDF.

    Parameters
    ----------
    target
        A path, which is replaced atomically, or an open binary stream.
    puzzles
        The puzzles, at least one.
    solutions
        A board `[cells]` or None for each puzzle, printed at the back; by default none.
    per_page
        The number of puzzles on a page, 1 to 9.
    paper
        "a4" or "letter".
    title
        A heading for every page.
    captions
        A text above each board, by default `No. 1`, `No. 2`, …
    boards
        Boards `[cells]` to print instead of the puzzles, whose givens stay bold. Their captions
        stand below them.
    colours
        A colour `#rrggbb` or None for every cell of each board, solutions excepted.

    Raises
    ------
    FormatError
        For arguments out of range or of different lengths, a board that does not solve its
        puzzle, or a file that cannot be written.
    MissingExtraError
        For text that requires matplotlib if it is not installed.
    """
    _check(puzzles, solutions, per_page, paper, captions)
    _check_lengths(puzzles, boards=boards, colours=colours)
    if captions is None:
        captions = [f"No. {number}" for number in range(1, len(puzzles) + 1)]
    digits = [each.digits for each in puzzles]
    if boards is not None:
        digits = [bytes(board.tolist()) for board in boards]
    grounds = [None] * len(puzzles) if colours is None else colours
    posed = [
        _Entry(*parts, is_caption_below=boards is not None)
        for parts in zip(puzzles, digits, captions, grounds, strict=True)
    ]
    pages = _pages(posed, paper, title, min(per_page, len(posed)), _LARGEST_CELL)
    if solutions is not None and any(board is not None for board in solutions):
        for page in pages:
            page.text(page.width - _MARGIN, _MARGIN, "Solutions at the back", 8, align=1)
        solved = [
            replace(entry, digits=bytes(board.tolist()), colours=None, is_caption_below=False)
            for entry, board in zip(posed, solutions, strict=True)
            if board is not None
        ]
        heading = f"{title} – Solutions" if title else "Solutions"
        fitting = _solved_per_page(solved, paper)
        pages += _pages(solved, paper, heading, fitting, _LARGEST_SOLVED_CELL)
    for number, page in enumerate(pages, start=1):
        page.text(page.width / 2, _MARGIN, f"{number} / {len(pages)}", 8, align=0.5)
    document = _document(pages, title)
    if isinstance(target, (str, os.PathLike)):
        with binary_writer(target) as stream:
            stream.write(document)
    else:
        target.write(document)


def _check(
    puzzles: Sequence[Puzzle],
    solutions: Sequence[Board | None] | None,
    per_page: int,
    paper: str,
    captions: Sequence[str] | None,
) -> None:
    if not puzzles:
        raise FormatError("expected at least one puzzle to print, got none")
    if per_page not in range(1, MAX_PER_PAGE + 1):
        raise FormatError(f"expected from 1 to {MAX_PER_PAGE} puzzles a page, got {per_page}")
    if paper not in PAPERS:
        raise FormatError(f"expected a paper among {', '.join(PAPERS)}, got {paper!r}")
    _check_lengths(puzzles, solutions=solutions, captions=captions)
    if solutions is not None:
        for number, (puzzle, board) in enumerate(zip(puzzles, solutions, strict=True), start=1):
            if board is not None and not puzzle.is_solved_by(board):
                raise FormatError(f"expected a solution of puzzle {number}, got another board")


def _check_lengths(puzzles: Sequence[Puzzle], **lists: Sequence[object] | None) -> None:
    for name, values in lists.items():
        if values is not None and len(values) != len(puzzles):
            count = f"{len(values)} for {len(puzzles)}"
            raise FormatError(f"expected as many {name} as puzzles, got {count}")


@dataclass(frozen=True)
class _Entry:
    """A board to print: `digits` are the givens, or the solution."""

    puzzle: Puzzle
    digits: bytes
    caption: str
    colours: Colours | None = None
    is_caption_below: bool = False


class _Page:
    """A page, as PDF operators."""

    def __init__(self, paper: Paper, heading: str) -> None:
        self.width, self.height = _SIZES[paper]
        self.top = self.height - _MARGIN
        self.operators: list[str] = []
        if heading:
            self.top -= _HEADING
            heading = _shorten(heading, 18, self.width - 2 * _MARGIN)
            self.text(self.width / 2, self.top + 20, heading, 18, align=0.5)

    def text(
        self, x: float, y: float, text: str, size: float, *, font: str = _REGULAR, align: float = 0
    ) -> None:
        """Write text on the baseline `y`; `x` is its start (align 0), middle (0.5) or end (1)."""
        left = x - align * _width(text, size)
        if not _is_in_fonts(text):
            drawn = f"{_outlines(text, left, y, size)} f"
        else:
            drawn = f"BT /{font} {size:.2f} Tf {left:.2f} {y:.2f} Td {_literal(text)} Tj ET"
        self.operators.append(drawn)

    def board(self, entry: _Entry, left: float, top: float, size: float) -> None:
        """Draw a board, its givens in bold."""
        geometry, side = entry.puzzle.geometry, entry.puzzle.side
        cell = size / side
        cells = _lines(left, top, cell, range(side + 1), range(side + 1))
        down, across = range(0, side + 1, geometry.box_rows), range(0, side + 1, geometry.box_cols)
        boxes = _lines(left, top, cell, down, across)
        for place, colour in enumerate(entry.colours or ()):
            if colour is not None:
                x, y = left + place % side * cell, top - (place // side + 1) * cell
                fill = _pdf_colour(colour)
                self.operators.append(f"{fill} rg {x:.2f} {y:.2f} {cell:.2f} {cell:.2f} re f")
        # Grey cells, then black boxes, whose square caps (2 J) close the corners of the frame.
        self.operators.append(f"{min(0.6, 0.04 * cell):.2f} w 0.6 G {cells} S")
        self.operators.append(f"{min(1.6, 0.1 * cell):.2f} w 0 G 2 J {boxes} S")
        font_size = 0.62 * cell
        for place, digit in enumerate(entry.digits):
            if digit:
                x = left + (place % side + 0.5) * cell
                y = top - (place // side + 0.5) * cell - font_size * _CAP_HEIGHT / 2
                font = _BOLD if entry.puzzle.digits[place] else _REGULAR
                colour = entry.colours[place] if entry.colours else None
                is_dark = colour is not None and not is_light(colour)
                self.operators += ["1 g"] if is_dark else ["0 g"] if entry.colours else []
                self.text(x, y, symbol(digit, side), font_size, font=font, align=0.5)
        self.operators += ["0 g"] if entry.colours else []


def _pdf_colour(colour: str) -> str:
    """Convert `#rrggbb` to the three numbers of a PDF colour."""
    return " ".join(f"{int(colour[at : at + 2], 16) / 255:.3f}" for at in (1, 3, 5))


def _lines(left: float, top: float, cell: float, down: range, across: range) -> str:
    right, bottom = left + across[-1] * cell, top - down[-1] * cell
    ys, xs = [top - step * cell for step in down], [left + step * cell for step in across]
    rules = [f"{left:.2f} {y:.2f} m {right:.2f} {y:.2f} l" for y in ys]
    return " ".join(rules + [f"{x:.2f} {top:.2f} m {x:.2f} {bottom:.2f} l" for x in xs])


@dataclass(frozen=True)
class _Layout:
    """Equal slots on a page, filled row by row."""

    columns: int
    width: float
    height: float

    @classmethod
    def of(cls, page: _Page, slots: int) -> _Layout:
        """Return the layout with the largest boards."""
        width, height = page.width - 2 * _MARGIN, page.top - _MARGIN - _FOOTER
        layouts = [cls(n, width / n, height / -(-slots // n)) for n in range(1, slots + 1)]
        best = max(layouts, key=lambda layout: layout.room)
        # Keep rows together, and leave the rest of the page free.
        return replace(best, height=min(best.height, best.room + _CAPTION + 3 * _GAP))

    @property
    def room(self) -> float:
        """The side of the largest board that fits a slot with its caption."""
        return min(self.width - (_GAP if self.columns > 1 else 0), self.height - _CAPTION - _GAP)

    def place(self, page: _Page, slot: int, entry: _Entry, largest_cell: float) -> None:
        """Draw a board in the middle of its slot, its caption above its left edge or below it."""
        row, column = divmod(slot, self.columns)
        size = min(self.room, largest_cell * entry.puzzle.side)
        left = _MARGIN + (column + 0.5) * self.width - size / 2
        middle = page.top - (row + 0.5) * self.height
        font_size = 10.0 if self.room > 200 else 8.0
        caption = _shorten(entry.caption, font_size, (self.width + size) / 2)
        if entry.is_caption_below:
            top = middle + (size + _CAPTION) / 2
            page.text(left + size / 2, top - size - 6 - font_size, caption, font_size, align=0.5)
        else:
            top = middle + (size - _CAPTION) / 2
            page.text(left, top + 6, caption, font_size)
        page.board(entry, left, top, size)


def _pages(
    entries: Sequence[_Entry], paper: Paper, heading: str, per_page: int, largest_cell: float
) -> list[_Page]:
    pages: list[_Page] = []
    for start in range(0, len(entries), per_page):
        page = _Page(paper, heading)
        layout = _Layout.of(page, per_page)
        for slot, entry in enumerate(entries[start : start + per_page]):
            layout.place(page, slot, entry, largest_cell)
        pages.append(page)
    return pages


def _solved_per_page(entries: Sequence[_Entry], paper: Paper) -> int:
    """Return the largest legible number of solutions per page: nine for 9×9, fewer if larger."""
    page, side = _Page(paper, "Solutions"), max(entry.puzzle.side for entry in entries)
    legible = (n for n in (9, 6, 4, 2) if _Layout.of(page, n).room >= _SMALLEST_SOLVED_CELL * side)
    return next(legible, 1)


def _printable(text: str) -> str:
    """Convert text to the fonts' characters: missing accents are dropped, others become `?`."""
    composed = unicodedata.normalize("NFC", " ".join(text.split()))
    return "".join(map(_printable_character, composed))


def _printable_character(character: str) -> str:
    for attempt in (character, unicodedata.normalize("NFKD", character)):
        if encoded := attempt.encode("cp1252", "ignore"):
            return encoded.decode("cp1252")
    return "" if unicodedata.combining(character) else "?"


def _is_in_fonts(text: str) -> bool:
    """Return whether the PDF's fonts have all characters of a text, at least without accents."""
    return all(each == "?" or _printable_character(each) != "?" for each in text)


def check_letters(text: str) -> None:
    """Raise FormatError for a text that cannot be printed."""
    if _is_in_fonts(text):
        return
    require_extra("lab", f"letters as in {text!r} require matplotlib", "matplotlib")
    from matplotlib.font_manager import get_font

    known = get_font(str(_outline_font()))
    # Right-to-left scripts, such as Arabic and Hebrew, are not supported.
    lacking = [
        each
        for each in text
        if not known.get_char_index(ord(each)) or unicodedata.bidirectional(each) in ("R", "AL")
    ]
    if lacking:
        letters = "".join(dict.fromkeys(lacking))
        raise FormatError(f"expected letters that can be printed in {text!r}, got {letters}")


def _outline_font() -> Path:
    from matplotlib import get_data_path

    return Path(get_data_path(), "fonts", "ttf", "DejaVuSans.ttf")


@cache
def _polygons(text: str) -> list[list[list[float]]]:
    """Return the outlines of a text as polygons, in thousandths of its size."""
    check_letters(text)
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextPath

    path = TextPath((0, 0), text, size=1000, prop=FontProperties(fname=_outline_font()))
    return [np.asarray(polygon).tolist() for polygon in path.to_polygons()]


def _outlines(text: str, left: float, bottom: float, size: float) -> str:
    """Return the operators that draw the outlines of a text."""
    shapes = []
    for polygon in _polygons(text):
        corners = [
            f"{left + x * size / 1000:.2f} {bottom + y * size / 1000:.2f}" for x, y in polygon
        ]
        shapes.append(f"{corners[0]} m {' '.join(f'{each} l' for each in corners[1:])} h")
    return " ".join(shapes)


def _width(text: str, size: float) -> float:
    if not _is_in_fonts(text):
        return size / 1000 * max(x for polygon in _polygons(text) for x, _ in polygon)
    # An accented letter is as wide as its letter.
    letters = (unicodedata.normalize("NFD", character)[0] for character in _printable(text))
    return size / 1000 * sum(_WIDTHS.get(letter, 556) for letter in letters)


def _shorten(text: str, size: float, room: float) -> str:
    if _width(text, size) <= room:
        return text
    lengths = range(1, min(len(text), 500) + 1)  # no page is wider than 500 letters
    fitting = bisect_right(lengths, room, key=lambda length: _width(f"{text[:length]}…", size))
    return f"{text[:fitting].rstrip()}…"


def _literal(text: str) -> str:
    """Return a PDF string literal, one character per encoded byte."""
    encoded = _printable(text).encode("cp1252").decode("latin-1")
    return "(" + encoded.translate({ord(c): f"\\{c}" for c in "\\()"}) + ")"


def _document(pages: Sequence[_Page], title: str) -> bytes:
    """Return the file: catalogue, page tree, fonts, information, and two objects per page."""
    kids = " ".join(f"{6 + 2 * i} 0 R" for i in range(len(pages)))
    font = "<< /Type /Font /Subtype /Type1 /BaseFont /{} /Encoding /WinAnsiEncoding >>"
    title_in_hex = f"\ufeff{title}".encode("utf-16-be", "replace").hex()
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        *(font.format(name).encode() for name in _FONTS),
        f"<< /Title <{title_in_hex}> /Producer (genoku) >>".encode(),
    ]
    for page in pages:
        stream = zlib.compress("\n".join(page.operators).encode("latin-1"), 9)
        objects += [
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {page.width:g} {page.height:g}] "
            f"/Resources << /Font << /{_REGULAR} 3 0 R /{_BOLD} 4 0 R >> >> "
            f"/Contents {len(objects) + 2} 0 R >>".encode(),
            b"<< /Filter /FlateDecode /Length %d >>\nstream\n%b\nendstream" % (len(stream), stream),
        ]
    document = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
    offsets: list[int] = []
    for number, content in enumerate(objects, start=1):
        offsets.append(len(document))
        document += b"%d 0 obj\n%b\nendobj\n" % (number, content)
    start = len(document)
    document += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    document += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    document += b"trailer\n<< /Size %d /Root 1 0 R /Info 5 0 R >>\n" % (len(objects) + 1)
    return bytes(document + b"startxref\n%d\n%%%%EOF\n" % start)
