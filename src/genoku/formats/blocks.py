"""Lines of a file in large blocks: those that are all alike become arrays at once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

import numpy as np
from numpy.typing import NDArray

from genoku.board import Entry
from genoku.errors import FormatError
from genoku.formats.lines import read_line
from genoku.formats.source import BROKEN, LONGEST_LINE, Rewound, Source, broken
from genoku.formats.tables import is_header
from genoku.notation import LETTERS, ONE, ZERO, Alphabet, fits

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
