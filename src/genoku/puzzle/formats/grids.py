"""Boards over several lines: `grid` as pasted, `sdk` with its metadata, `ss` with frames.

Decoration is skipped. A line `# …`, or one that is not a row, names the next grid; `# key=value` is
a field of it (`# box=3x2` its shape). A grid ends when it has as many rows as columns; an empty
line ends it early unless it separates two bands.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from operator import itemgetter

from genoku.errors import FormatError, GenokuError
from genoku.puzzle import notation
from genoku.puzzle.board import RESERVED, Entry
from genoku.puzzle.formats.lines import one_line
from genoku.puzzle.formats.source import LONGEST_LINE, Source
from genoku.puzzle.geometry import MAX_SIDE, Geometry, sides
from genoku.puzzle.notation import LETTERS, ONE, Alphabet

SDK_TAGS = {  # fields by the tags of an .sdk file
    "A": "author", "B": "date", "C": "comment", "D": "name", "L": "level", "S": "source", "U": "url"
}  # fmt: skip

_FRAME = re.compile(r"(?=[\s\-=+|:*]*?[\-=]{3})[\s\-=+|:*]+|(?=[\s+|─-╿]*?[─━═])[\s+|─-╿]+")
_DASHES = re.compile(r"-+")
_CLOSED = re.compile(r"(?<=[\])}])\s*[,;]\s*$")
_DECORATION = str.maketrans(
    dict.fromkeys("[](){}'\"|+" + "".join(map(chr, range(0x2500, 0x2580))), " ")
)
_TWO_DIGITS = re.compile(r"\d\d", re.ASCII)
_BLANKS = "._*-?0"
_PLAIN_ROW = re.compile(r"[ ]*[0-9A-Za-z.]+[ ]*\n?")
_SPACES = "".join(c for c in map(chr, range(0x3001)) if c.isspace() and c != "\t")
_TAG = re.compile(r"#([A-Z])(?:\s+(.*))?")
_SECTION = re.compile(r"\[\s*(\w+)\s*\]")


_Row = tuple[int, dict[int, str]]  # its line, and its readings by `read_row`


@dataclass
class _Block:
    """The rows of one grid so far, and its name and fields."""

    name: str = ""
    fields: dict[str, str] = field(default_factory=dict[str, str])
    rows: list[_Row] = field(default_factory=list[_Row])
    dashes: list[_Row] = field(default_factory=list[_Row])
    above: deque[_Row] = field(default_factory=lambda: deque[_Row](maxlen=MAX_SIDE))
    sides: list[int] = field(default_factory=list[int])
    has_empty_cells: bool = False
    ends_empty: bool = False

    @property
    def side(self) -> int:
        """The number of rows if they can be as wide, else their likeliest width."""
        return len(self.rows) if len(self.rows) in self.sides else self.sides[0]

    def add(self, number: int, line: str, row: dict[int, str]) -> bool:
        """Add a row if it can be as wide as those before; return whether it was added."""
        sides = [side for side in self.sides if side in row] if self.rows else list(row)
        if sides:
            self.sides, self.ends_empty = sides, not line.strip()
            self.has_empty_cells |= "\t" in line and "" in _cells(line.strip(_SPACES))
            self.rows.append((number, row))
        return bool(sides)

    def is_full(self) -> bool:
        return len(self.rows) == self.sides[0]

    def note(self, text: str) -> None:
        key, equals, value = text.partition("=")
        if equals and key.strip():
            self.fields[key.strip()] = value.strip()
        elif text:
            self.name = text

    def tag(self, letter: str, text: str) -> None:
        key = SDK_TAGS.get(letter, letter)
        if key == "name":
            self.name = text
        else:
            earlier = self.fields.get(key)
            self.fields[key] = text if earlier is None else f"{earlier}\n{text}"

    def shape(self, source: Source) -> Geometry:
        box = self.fields.get("box")
        return Geometry.parse(box) if box else source.geometry or Geometry.of_side(self.side)

    def is_between_bands(self, source: Source) -> bool:
        try:
            whole = len(self.above) + len(self.rows) == self.side
            return len(self.rows) % self.shape(source).box_rows == 0 and not whole
        except GenokuError:
            return False

    def entry(self, source: Source) -> Entry | FormatError:
        rows = self.rows
        dashes, above = (
            [row for row in some if self.side in row[1]] for some in (self.dashes, self.above)
        )
        if len(rows) + len(dashes) == self.side:
            # A row of dashes is taken for a rule unless the board lacks rows.
            rows = sorted(rows + dashes, key=itemgetter(0))
        if self.has_empty_cells and len(above) + len(rows) == self.side:
            rows = above + rows
        elif above and self.ends_empty:
            return source.error(
                rows[0][0], "expected an empty line between grids, got rows of empty cells"
            )
        first, last = rows[0][0], rows[-1][0]
        try:
            shape = self.shape(source)
            if shape.side != self.side:
                return source.error(first, f"expected a row of {shape.side} cells, got {self.side}")
            if len(rows) != self.side:
                return source.error(last, f"expected {self.side} rows, got {len(rows)}")
            puzzle = source.board(" ".join(row[self.side] for _, row in rows), shape)
            fields = {key: value for key, value in self.fields.items() if key not in RESERVED}
            return Entry(puzzle, self.name, None, fields, first)
        except GenokuError as error:
            return source.error(first, error)


def read_grids(source: Source, *, tags: bool = False) -> Iterator[Entry | FormatError]:
    """Read grids one after another, with `tags` also `#A…#U` lines and sections of .sdk files."""
    block = _Block()
    skipping = in_state = False  # the rest of a bad grid; the board a player had reached
    for number, line in source.lines():
        text = line.strip()
        if len(text) > LONGEST_LINE:
            yield source.too_long(number)
            block, skipping = _Block(), True
            continue
        heads = text.startswith("#") or (tags and _SECTION.fullmatch(text))
        if not text and "\t" in line and not (skipping or in_state):
            row = read_row(line)
            # A line of tabs is a row of blanks from a spreadsheet if it is above a grid with too
            # few other rows, or within one that has empty cells.
            if not block.rows:
                block.above.append((number, row))
                continue
            if block.has_empty_cells and block.add(number, line, row):
                if block.is_full():
                    yield block.entry(source)
                    block = _Block()
                continue
        if heads or not text:
            if block.rows and (heads or not block.is_between_bands(source)):
                yield block.entry(source)
                block = _Block()
            elif not block.rows:
                block.above.clear()
            skipping = False
        if heads:
            in_state = False
            if tags and (tag := _TAG.fullmatch(text)):
                block.tag(tag[1], (tag[2] or "").strip())
            elif section := _SECTION.fullmatch(text):
                in_state = section[1].lower() == "state"
            else:
                block.note(text.strip("# \t"))
            continue
        if not text or skipping or in_state:
            continue
        if _FRAME.fullmatch(text):
            if block.rows and _DASHES.fullmatch(text) and len(text) in block.sides:
                block.dashes.append((number, {len(text): text}))
            continue
        row = read_row(line)
        if not block.rows and not row:
            block.note(text)
            block.above.clear()
            continue
        if not block.add(number, line, row):
            yield source.error(
                number, f"expected a row of {block.sides[0]} cells, got {text[:40]!r}"
            )
            block, skipping = _Block(), True
            continue
        if block.is_full():
            yield block.entry(source)
            block = _Block()
    if block.rows:
        yield block.entry(source)


def read_row(line: str) -> dict[int, str]:
    """Return the text of a row by its possible numbers of cells, likeliest first; {} if none.

    A tab at either end may mark an empty cell of a spreadsheet, or nothing.
    """
    if _PLAIN_ROW.fullmatch(line):
        return _row_of_characters(line.strip())
    outer = _CLOSED.sub("", line).translate(_DECORATION).strip(_SPACES)
    inner = outer.strip()
    readings = [_cells(inner)]
    if outer != inner:
        at_ends = outer.count("\t") - inner.count("\t")
        readings.insert(1 if at_ends == 1 and "" not in readings[0] else 0, _cells(outer))
    rows = {
        len(cells): " ".join(cell or "." for cell in cells)
        for cells in readings
        if len(cells) in sides() and all(_is_cell(cell, len(cells)) for cell in cells)
    }
    if rows:
        return rows
    return _row_of_characters("".join(inner.replace(_separator(inner) or " ", " ").split()))


def _row_of_characters(characters: str) -> dict[int, str]:
    width = len(characters)
    if width not in sides():
        return {}
    symbols = _BLANKS + ONE[:width] + LETTERS[:width]
    plausible = sum(c.upper() in symbols or not c.isascii() for c in characters)
    return {width: characters} if plausible > 0.7 * width else {}


def _cells(text: str) -> list[str]:
    return [cell.strip() for cell in text.split(_separator(text))]


def _separator(text: str) -> str | None:
    return next((mark for mark in ",;\t" if mark in text), None)


def _is_cell(text: str, width: int) -> bool:
    return len(text) < 2 or text == "-1" or bool(_TWO_DIGITS.fullmatch(text) and int(text) <= width)


def is_grid(lines: list[str], geometry: Geometry | None) -> bool:
    """Return whether two consecutive rows near the top have the same width."""
    rows = [read_row(line) for line in lines[:60] if not _FRAME.fullmatch(line)]
    if geometry:
        return any(geometry.side in row for row in rows)
    return any(row.keys() & after.keys() for row, after in pairwise(rows))


def write_grid(entries: Iterable[Entry], alphabet: Alphabet) -> Iterator[str]:
    for entry in entries:
        geometry = entry.puzzle.geometry
        notes = [one_line(entry.name, "=")] if entry.name else []
        box = {} if geometry.is_default else {"box": geometry.box}
        fields = {**entry.fields, **box}
        notes += [f"{one_line(key, '=')}={one_line(value)}" for key, value in fields.items()]
        yield "".join(f"# {note}\n" for note in notes) + "".join(_rows(entry, alphabet)) + "\n"


def write_sdk(entries: Iterable[Entry], alphabet: Alphabet) -> Iterator[str]:
    for entry in entries:
        values = {**entry.fields, "name": one_line(entry.name)}
        tags = [
            f"#{letter} {one_line(line)}\n"
            for letter, key in SDK_TAGS.items()
            for line in values.get(key, "").splitlines()
            if one_line(line)
        ]
        yield "".join(tags) + "[Puzzle]\n" + "".join(_rows(entry, alphabet)) + "\n"


def write_ss(entries: Iterable[Entry], alphabet: Alphabet) -> Iterator[str]:
    for entry in entries:
        lines = [" *-----------*\n"]
        for number, row in enumerate(_rows(entry, alphabet)):
            if number in (3, 6):
                lines.append(" |---+---+---|\n")
            lines.append(f" |{row[0:3]}|{row[3:6]}|{row[6:9]}|\n")
        yield "".join(lines) + " *-----------*\n\n"


def _rows(entry: Entry, alphabet: Alphabet) -> Iterator[str]:
    digits, side = entry.puzzle.digits, entry.puzzle.side
    for start in range(0, len(digits), side):
        yield notation.write_in(digits[start : start + side], side, alphabet) + "\n"
