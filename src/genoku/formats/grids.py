"""Boards drawn over several lines: `grid` as pasted, `sdk` with its metadata, `ss` with frames.

Lines of decoration are passed over, a line `# …` or one that is no row names the grid that
follows, and `# key=value` is a field of it (`# box=3x2` its shape). A grid ends when it has as
many rows as columns; an empty line ends it early unless it stands between two bands.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from genoku import notation
from genoku.errors import FormatError, GenokuError
from genoku.formats.entry import RESERVED, Entry
from genoku.formats.lines import flat
from genoku.formats.source import LONGEST_LINE, Source
from genoku.geometry import Geometry, sides
from genoku.notation import LETTERS, ONE, Alphabet

SDK_TAGS = {
    "A": "author",
    "B": "date",
    "C": "comment",
    "D": "name",
    "L": "level",
    "S": "source",
    "U": "url",
}
"""What the tags of an .sdk file say; the description is the puzzle's name."""

_FRAME = re.compile(r"[\s\-=+|:*]*[\-=]{3,}[\s\-=+|:*]*|[\s+|─-╿]*[─━═][\s+|─-╿]*")
_DASHES = re.compile(r"-+")
_CLOSED = re.compile(r"(?<=[\])}])\s*[,;]\s*$")
_DECORATION = str.maketrans(
    dict.fromkeys("[](){}'\"|+" + "".join(map(chr, range(0x2500, 0x2580))), " ")
)
_TWO_DIGITS = re.compile(r"\d\d", re.ASCII)
_BLANKS = "._*-?0"
_TAG = re.compile(r"#([A-Z])(?:\s+(.*))?")
_SECTION = re.compile(r"\[\s*(\w+)\s*\]")


@dataclass
class _Block:
    """The rows of one grid so far, and what was said above it."""

    name: str = ""
    fields: dict[str, str] = field(default_factory=dict[str, str])
    rows: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    dashes: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    side: int = 0

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
            return len(self.rows) % self.shape(source).box_rows == 0
        except GenokuError:
            return False

    def entry(self, source: Source) -> Entry | FormatError:
        rows = self.rows
        if len(rows) + len(self.dashes) == self.side:
            # A row of dashes reads as a rule until the board turns out to need it.
            rows = sorted(rows + self.dashes)
        first, last = rows[0][0], rows[-1][0]
        try:
            shape = self.shape(source)
            if shape.side != self.side:
                return source.bad(first, f"expected a row of {shape.side} cells, got {self.side}")
            if len(rows) != self.side:
                return source.bad(last, f"expected {self.side} rows, got {len(rows)}")
            puzzle = source.board(" ".join(text for _, text in rows), shape)
            fields = {key: value for key, value in self.fields.items() if key not in RESERVED}
            return Entry(puzzle, self.name, None, fields, first)
        except GenokuError as error:
            return source.bad(first, error)


def read_grids(source: Source, *, tags: bool = False) -> Iterator[Entry | FormatError]:
    """Grids one after another; with `tags`, the `#A…#U` lines and sections of .sdk files."""
    block = _Block()
    skipping = in_state = False  # the rest of a bad grid; the board a player had reached
    for number, line in source.lines():
        text = line.strip()
        if len(text) > LONGEST_LINE:
            yield source.bad(number, f"expected a line of at most {LONGEST_LINE:,} characters")
            block, skipping = _Block(), True
            continue
        heads = text.startswith("#") or (tags and _SECTION.fullmatch(text))
        if heads or not text:
            if block.rows and (heads or not block.is_between_bands(source)):
                yield block.entry(source)
                block = _Block()
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
            if block.rows and _DASHES.fullmatch(text) and len(text) == block.side:
                block.dashes.append((number, text))
            continue
        row = read_row(text)
        if not block.rows:
            if row is None:
                block.note(text)
                continue
            block.side = row[0]
        elif row is None or row[0] != block.side:
            yield source.bad(number, f"expected a row of {block.side} cells, got {text[:40]!r}")
            block, skipping = _Block(), True
            continue
        block.rows.append((number, row[1]))
        if len(block.rows) == block.side:
            yield block.entry(source)
            block = _Block()
    if block.rows:
        yield block.entry(source)


def read_sdk(source: Source) -> Iterator[Entry | FormatError]:
    return read_grids(source, tags=True)


def read_row(text: str) -> tuple[int, str] | None:
    """How many cells a line of a grid has, and their text; None for a line that is no row."""
    bare = _CLOSED.sub("", text).translate(_DECORATION).strip(" ")
    separator = next((mark for mark in ",;\t" if mark in bare), None)
    cells = [cell.strip() for cell in bare.split(separator)]
    width = len(cells)
    if width in sides() and all(_is_cell(cell, width) for cell in cells):
        return width, " ".join(cell or "." for cell in cells)
    characters = "".join(cells).replace(" ", "")
    width = len(characters)
    if width not in sides():
        return None
    symbols = _BLANKS + ONE[:width] + LETTERS[:width]
    plausible = sum(c.upper() in symbols or not c.isascii() for c in characters)
    return (width, characters) if plausible > 0.7 * width else None


def _is_cell(text: str, width: int) -> bool:
    return len(text) < 2 or text == "-1" or bool(_TWO_DIGITS.fullmatch(text) and int(text) <= width)


def is_grid(lines: list[str], geometry: Geometry | None) -> bool:
    """Whether two rows of one width stand one after another, near the top."""
    rows = [read_row(line) for line in lines[:60] if not _FRAME.fullmatch(line)]
    widths = [row[0] if row else 0 for row in rows]
    if geometry:
        return geometry.side in widths
    return any(width and width == after for width, after in pairwise(widths))


def write_grid(entries: Iterable[Entry], alphabet: Alphabet) -> Iterator[str]:
    for entry in entries:
        geometry = entry.puzzle.geometry
        notes = [flat(entry.name, "=")] if entry.name else []
        fields = (
            dict(entry.fields) if geometry.is_default else {**entry.fields, "box": geometry.box}
        )
        notes += [f"{flat(key, '=')}={flat(value)}" for key, value in fields.items()]
        yield "".join(f"# {note}\n" for note in notes) + "".join(_rows(entry, alphabet)) + "\n"


def write_sdk(entries: Iterable[Entry], alphabet: Alphabet) -> Iterator[str]:
    for entry in entries:
        said = {**entry.fields, "name": flat(entry.name)}
        tags = [
            f"#{letter} {flat(line)}\n"
            for letter, key in SDK_TAGS.items()
            for line in said.get(key, "").splitlines()
            if flat(line)
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
