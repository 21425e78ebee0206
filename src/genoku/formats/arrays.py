"""The raw path: boards of one shape as arrays, for files of millions of lines.

Blocks of lines that are all alike go through lookup tables; any other block is read line by
line, with the same rules and the same errors as `read_puzzles`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import IO

import numpy as np

from genoku import notation
from genoku.board import Entry
from genoku.errors import FormatError
from genoku.formats.blocks import SYMBOLS, Boards, Found, read_blocks
from genoku.formats.catalogue import is_told, recognise
from genoku.formats.reading import OnError, check_alphabet
from genoku.formats.source import Readable, Source, decoded, encoding_of, head_text, opened
from genoku.formats.tables import puzzle_column
from genoku.geometry import Geometry
from genoku.notation import BLANK, CELLS, LETTERS, Alphabet

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
