"""Read and write boards of one shape as arrays, for files of millions of lines.

Blocks of lines of equal length are converted by lookup tables; other blocks are read line by line,
with the rules and errors of `read_puzzles`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, partial
from typing import IO

import numpy as np
from numpy.typing import NDArray

from genoku.errors import FormatError
from genoku.puzzle import notation
from genoku.puzzle.board import Entry
from genoku.puzzle.formats.catalogue import is_determined, recognise
from genoku.puzzle.formats.entries import OnError, check_alphabet
from genoku.puzzle.formats.lines import read_line
from genoku.puzzle.formats.source import (
    LONGEST_LINE,
    READ_ERRORS,
    PeekedStream,
    Readable,
    Source,
    decode,
    encoding_of,
    head_text,
    open_source,
    read_error,
)
from genoku.puzzle.formats.tables import is_header, puzzle_column
from genoku.puzzle.geometry import Geometry
from genoku.puzzle.notation import BLANK, CELLS, LETTERS, SYMBOLS, Alphabet, fits

_BATCH = 1 << 14


def read_array(
    source: Readable,
    *,
    box: str | Geometry | None = None,
    alphabet: Alphabet = "auto",
    on_error: OnError | None = None,
) -> Iterator[Boards]:
    """Read the boards of a file, all of one shape, as arrays.

    Fast for one puzzle per line, with or without more fields, and for CSV whose first column is
    the puzzle; other formats are read entry by entry. Other fields, such as a solution, are
    ignored.

    Parameters
    ----------
    source, box, alphabet, on_error
        As for `read_puzzles`.

    Yields
    ------
    Boards
        `uint8` arrays `[k, cells]`, 0 for a blank.

    Raises
    ------
    FormatError
        `FILE:LINE: reason` for a bad board, or if the file cannot be read.
    """
    geometry = Geometry.parse(box) if isinstance(box, str) else box
    check_alphabet(alphabet)
    return _batches(_items(source, geometry, alphabet), on_error)


def write_array(stream: IO[bytes], boards: Boards, *, alphabet: Alphabet = "one") -> None:
    """Write boards one per line, those above 35×35 in numbers.

    Parameters
    ----------
    stream
        The open binary stream.
    boards
        Integers `[k, cells]`, 0 for a blank.
    alphabet
        The alphabet of the boards.

    Raises
    ------
    FormatError
        For an array of another shape or type, a value out of range, or too small an alphabet.
    """
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


def _batches(found: Iterator[ReadItem], on_error: OnError | None) -> Iterator[Boards]:
    """Collect single entries into arrays, in the order of the file."""
    waiting: list[bytes] = []
    for item in found:
        if isinstance(item, Entry):
            waiting.append(item.puzzle.digits)
        if waiting and (len(waiting) == _BATCH or not isinstance(item, Entry)):
            yield _stack(waiting)
            waiting = []
        if isinstance(item, tuple):
            yield item[1]
        elif isinstance(item, FormatError):
            if on_error is None:
                raise item
            on_error(item)
    if waiting:
        yield _stack(waiting)


def _stack(digits: list[bytes]) -> Boards:
    return np.frombuffer(b"".join(digits), np.uint8).reshape(len(digits), -1)


def _items(readable: Readable, geometry: Geometry | None, alphabet: Alphabet) -> Iterator[ReadItem]:
    try:
        with open_source(readable, partial(is_determined, geometry=geometry)) as (name, stream):
            head = head_text(stream)
            known = recognise(head, geometry)
            first = head.lstrip("\r\n ").partition("\n")[0]
            table = known.name == "csv" and puzzle_column(first) == 0
            lines = table or known.name in {"line", "numbers"}
            if lines and _has_plain_lines(stream.head):
                found = read_blocks(Source(name, geometry, alphabet), stream, has_header=table)
            else:
                found = known.read(Source(name, geometry, alphabet, decode(stream)))
            yield from _of_one_shape(name, found)
    except FormatError as error:
        yield error


def _has_plain_lines(head: bytes) -> bool:
    """Return whether lines end with `\\n`: no UTF-16, no lone `\\r`."""
    return encoding_of(head) != "utf-16" and head.count(b"\r") <= head.count(b"\n")


def _of_one_shape(name: str, found: Iterator[ReadItem]) -> Iterator[ReadItem]:
    cells = 0
    for item in found:
        if isinstance(item, FormatError):
            yield item
            continue
        if isinstance(item, tuple):
            line, got = item[0], item[1].shape[1]
        else:
            line, got = item.line, item.puzzle.geometry.cells
        cells = cells or got
        if got == cells:
            yield item
        else:
            yield FormatError(f"{name}:{line}: expected {cells} cells as before, got {got}")


Boards = NDArray[np.uint8]
ReadItem = Entry | FormatError | tuple[int, Boards]  # boards with the number of their first line

_BLOCK = 1 << 22
_LONGEST = 4 * LONGEST_LINE  # a character takes up to four bytes
_WRONG = 255
_TOKEN = re.compile(rb"[^\s,;:\"']+")
_AFTER = frozenset(b" ,;:\t\r\n")


def read_blocks(source: Source, stream: PeekedStream, *, has_header: bool) -> Iterator[ReadItem]:
    number, starting = 0, True
    for lines in _whole_lines(source, stream):
        if starting:
            lines = lines.removeprefix(b"\xef\xbb\xbf")  # noqa: PLW2901
            skipped = _header_length(lines, has_header=has_header)
            number += lines.count(b"\n", 0, skipped)
            lines, starting = lines[skipped:], False  # noqa: PLW2901
        boards = _parse_regular(source, lines)
        if boards is not None:
            yield number + 1, boards
            number += len(boards)
            continue
        for line in lines.split(b"\n")[:-1]:
            number += 1
            text = line.decode("utf-8", "replace").strip()
            if text and not text.startswith("#"):
                yield read_line(source, number, text)


def _whole_lines(source: Source, stream: PeekedStream) -> Iterator[bytes]:
    """Yield blocks of complete lines; a line that is too long is cut, and refused later."""
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


def _blocks(source: Source, stream: PeekedStream) -> Iterator[bytes]:
    """Yield large blocks, joined from small reads."""
    seen = 0
    while True:
        pieces: list[bytes] = []
        size = 0
        failed: Exception | None = None
        try:
            while size < _BLOCK and (data := stream.read(1 << 18)):
                pieces.append(data)
                size += len(data)
        except READ_ERRORS as error:
            failed = error
        block = b"".join(pieces)
        seen += block.count(b"\n")
        if block:
            yield block
        if failed:
            raise read_error(source.name, seen, failed)
        if not block:
            return


def _header_length(lines: bytes, *, has_header: bool) -> int:
    """Return the number of bytes of comments and header before the first board."""
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


def _parse_regular(source: Source, lines: bytes) -> Boards | None:
    """Return the boards of lines of equal length that start with a board; None for others."""
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
    """Return the value of every byte; `_WRONG` for those that only `notation` can decide."""
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
