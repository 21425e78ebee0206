"""The raw path: boards of one shape as arrays, for files of millions of lines.

Blocks of lines that are all alike go through lookup tables; any other block is read line by
line, with the same rules and the same errors as `read_puzzles`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, partial
from typing import IO

import numpy as np
from numpy.typing import NDArray

from genoku import notation
from genoku.board import Entry
from genoku.errors import FormatError
from genoku.formats.catalogue import is_told, recognise
from genoku.formats.entries import OnError, check_alphabet
from genoku.formats.lines import read_line
from genoku.formats.source import (
    BROKEN,
    LONGEST_LINE,
    Readable,
    Rewound,
    Source,
    broken,
    decoded,
    encoding_of,
    head_text,
    opened,
)
from genoku.formats.tables import is_header, puzzle_column
from genoku.geometry import Geometry
from genoku.notation import BLANK, CELLS, LETTERS, ONE, ZERO, Alphabet, fits

_BATCH = 1 << 14


def read_array(
    source: Readable,
    *,
    box: str | Geometry | None = None,
    alphabet: Alphabet = "auto",
    on_error: OnError | None = None,
) -> Iterator[Boards]:
    """The boards of a file as arrays `[k, cells]`, 0 for a blank; all of the first one's shape.

    Fast for one puzzle per line, with or without more fields, and for CSV whose first column is
    the puzzle; any other format is read entry by entry. Errors of boards are as for
    `read_puzzles`; there, the other fields of a line, a solution among them, are not looked at.
    """
    geometry = Geometry.parse(box) if isinstance(box, str) else box
    check_alphabet(alphabet)
    return _batches(_found(source, geometry, alphabet), on_error)


def write_array(stream: IO[bytes], boards: Boards, *, alphabet: Alphabet = "one") -> None:
    """Write boards `[k, cells]` one per line (in numbers where letters do not reach)."""
    check_alphabet(alphabet)
    boards = np.asarray(boards)
    cells = boards.shape[1] if boards.ndim == 2 else 0
    if cells not in CELLS or not np.issubdtype(boards.dtype, np.integer):
        raise FormatError(f"expected whole numbers [k, cells], got {boards.dtype} {boards.shape}")
    side = round(cells**0.5)
    if boards.size and not 0 <= boards.min() <= boards.max() <= side:
        row, cell = np.argwhere((boards < 0) | (boards > side))[0].tolist()
        raise FormatError(f"board {row + 1}: expected 0 to {side}, got {boards[row, cell]}")
    symbols = BLANK + SYMBOLS[alphabet]
    if side >= len(symbols):
        if alphabet == "letters":
            raise FormatError(f"expected a side of at most {len(LETTERS)} for letters, got {side}")
        for board in boards:
            stream.write(notation.write_numbers(bytes(board.tolist())).encode() + b"\n")
        return
    table = np.frombuffer(symbols.encode(), np.uint8)
    for start in range(0, len(boards), _BATCH):
        batch = boards[start : start + _BATCH]
        lines = np.full((len(batch), cells + 1), ord("\n"), np.uint8)
        lines[:, :cells] = table[batch]
        stream.write(lines.tobytes())


def _batches(found: Iterator[Found], on_error: OnError | None) -> Iterator[Boards]:
    """Single entries gathered into arrays, in the order of the file."""
    waiting: list[bytes] = []
    for item in found:
        if isinstance(item, Entry):
            waiting.append(item.puzzle.digits)
        if waiting and (len(waiting) == _BATCH or not isinstance(item, Entry)):
            yield _stacked(waiting)
            waiting = []
        if isinstance(item, tuple):
            yield item[1]
        elif isinstance(item, FormatError):
            if on_error is None:
                raise item
            on_error(item)
    if waiting:
        yield _stacked(waiting)


def _stacked(digits: list[bytes]) -> Boards:
    return np.frombuffer(b"".join(digits), np.uint8).reshape(len(digits), -1)


def _found(readable: Readable, geometry: Geometry | None, alphabet: Alphabet) -> Iterator[Found]:
    try:
        with opened(readable, partial(is_told, geometry=geometry)) as (name, stream):
            head = head_text(stream)
            known = recognise(head, geometry)
            first = head.lstrip("\r\n ").partition("\n")[0]
            table = known.name == "csv" and puzzle_column(first) == 0
            lines = table or known.name in {"line", "numbers"}
            if lines and _has_plain_lines(stream.head):
                found = read_blocks(Source(name, geometry, alphabet), stream, has_header=table)
            else:
                found = known.read(Source(name, geometry, alphabet, decoded(stream)))
            yield from _of_one_shape(name, found)
    except FormatError as error:
        yield error


def _has_plain_lines(head: bytes) -> bool:
    """Whether bytes can be cut at `\\n`: no UTF-16, no lone `\\r` of an old Macintosh."""
    return encoding_of(head) != "utf-16" and head.count(b"\r") <= head.count(b"\n")


def _of_one_shape(name: str, found: Iterator[Found]) -> Iterator[Found]:
    cells = 0
    for item in found:
        if isinstance(item, FormatError):
            yield item
            continue
        line, got = (
            (item[0], item[1].shape[1])
            if isinstance(item, tuple)
            else (item.line, item.puzzle.geometry.cells)
        )
        cells = cells or got
        if got == cells:
            yield item
        else:
            yield FormatError(f"{name}:{line}: expected {cells} cells as before, got {got}")


Boards = NDArray[np.uint8]
Found = Entry | FormatError | tuple[int, Boards]
"""One entry, one error, or the boards of many lines and the number of the first."""

SYMBOLS = {"auto": ONE, "one": ONE, "zero": ZERO, "letters": LETTERS}

_BLOCK = 1 << 22
_LONGEST = 4 * LONGEST_LINE  # a character takes up to four bytes
_WRONG = 255
_TOKEN = re.compile(rb"[^\s,;:\"']+")
_AFTER = frozenset(b" ,;:\t\r\n")


def read_blocks(source: Source, stream: Rewound, *, has_header: bool) -> Iterator[Found]:
    number, starting = 0, True
    for lines in _whole_lines(source, stream):
        if starting:
            lines = lines.removeprefix(b"\xef\xbb\xbf")  # noqa: PLW2901
            skipped = _introduction(lines, has_header=has_header)
            number += lines.count(b"\n", 0, skipped)
            lines, starting = lines[skipped:], False  # noqa: PLW2901
        boards = _regular(source, lines)
        if boards is not None:
            yield number + 1, boards
            number += len(boards)
            continue
        for line in lines.split(b"\n")[:-1]:
            number += 1
            text = line.decode("utf-8", "replace").strip()
            if text and not text.startswith("#"):
                yield read_line(source, number, text)


def _whole_lines(source: Source, stream: Rewound) -> Iterator[bytes]:
    """Blocks that end where a line ends; a line too long to hold is cut, and then refused."""
    rest = b""
    for block in _blocks(source, stream):
        whole, newline, after = block.rpartition(b"\n")
        if newline:
            yield rest + whole + newline
            rest = after
        elif len(rest) <= _LONGEST:
            rest += after
    if rest:
        yield rest + b"\n"


def _blocks(source: Source, stream: Rewound) -> Iterator[bytes]:
    """Large blocks, put together from whatever the stream gives at once."""
    seen = 0
    while True:
        pieces: list[bytes] = []
        size = 0
        failed: Exception | None = None
        try:
            while size < _BLOCK and (data := stream.read(1 << 18)):
                pieces.append(data)
                size += len(data)
        except BROKEN as error:
            failed = error
        block = b"".join(pieces)
        seen += block.count(b"\n")
        if block:
            yield block
        if failed:
            raise broken(source.name, seen, failed)
        if not block:
            return


def _introduction(lines: bytes, *, has_header: bool) -> int:
    """How many bytes of comments and header come before the first board."""
    at = 0
    while at < len(lines):
        end = lines.index(b"\n", at) + 1
        text = lines[at:end].decode("utf-8", "replace").strip()
        if has_header and is_header(text):
            return end
        if text and not text.startswith("#"):
            return at
        at = end
    return at


def _regular(source: Source, lines: bytes) -> Boards | None:
    """The boards of lines that all have one length and start with one; None for others."""
    stride = lines.find(b"\n") + 1
    token = _TOKEN.match(lines)
    cells = len(token[0]) if token else 0
    if not fits(cells, source.geometry) or len(lines) % stride:
        return None
    count = len(lines) // stride
    if lines.count(b"\n") != count or (cells in (16, 36) and stride > cells + 2):
        return None  # sixteen words of sixteen characters are one board, not a 4×4 with fields
    raw = np.frombuffer(lines, np.uint8).reshape(count, stride)
    ends = np.unique(raw[:, cells]).tolist()
    if (raw[:, -1] != ord("\n")).any() or not _AFTER.issuperset(ends):
        return None
    side = round(cells**0.5)
    table = _table(side, source.alphabet)
    if table is None:
        return None
    values = np.frombuffer(lines.translate(table), np.uint8).reshape(count, stride)[:, :cells]
    if values.max() == _WRONG:
        return None
    boards = np.ascontiguousarray(values)
    settled = source.alphabet != "auto" or source.alphabets.settle_as_one(side, boards)
    return boards if settled else None


@cache
def _table(side: int, alphabet: Alphabet) -> bytes | None:
    """The value of every byte, as `notation` reads it; what it has to think about is wrong."""
    symbols = SYMBOLS[alphabet][:side]
    if side > len(symbols):
        return None
    table = bytearray([_WRONG]) * 256
    for blank in b"._*-?":
        table[blank] = 0
    if alphabet != "zero" and not (alphabet == "auto" and side > 9):
        table[ord("0")] = 0
    for value, symbol in enumerate(symbols, start=1):
        table[ord(symbol)] = table[ord(symbol.lower())] = value
    return bytes(table)
