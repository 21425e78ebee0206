"""The benchmark files of Lloyd & Amos: the order, 1, then every cell as a number, -1 for a blank.

Line breaks are ignored; the order is the side of a box, so boxes are square. Original files hold
one puzzle; several in sequence are read and written too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from genoku.errors import FormatError, PuzzleError
from genoku.puzzle.board import Entry, Puzzle
from genoku.puzzle.formats.source import LONGEST_LINE, Source
from genoku.puzzle.geometry import Geometry
from genoku.puzzle.notation import Alphabet

_INTEGER = re.compile(r"-?\d{1,3}", re.ASCII)


def read_lloyd_amos(source: Source) -> Iterator[Entry | FormatError]:
    """Read until the first error: there is no mark at which to resume."""
    numbers = _numbers(source)
    for line, order in numbers:
        _, one = next(numbers, (line, 0))
        if not 2 <= order <= 6 or one != 1:
            raise source.error(
                line, f"expected a box order from 2 to 6 and 1, got {order} and {one}"
            )
        geometry = Geometry(order, order)
        cells = list(islice(numbers, geometry.cells))
        digits = bytearray()
        for at, (where, value) in enumerate(cells):
            if value != -1 and not 0 <= value <= geometry.side:
                raise source.error(
                    where,
                    f"expected a digit from 1 to {geometry.side} or -1 "
                    f"at {geometry.cell_name(at)}, got {value}",
                )
            digits.append(max(value, 0))
        try:
            yield Entry(Puzzle(geometry, bytes(digits)), line=line)
        except PuzzleError as error:
            raise source.error(cells[-1][0] if cells else line, error) from None


def _numbers(source: Source) -> Iterator[tuple[int, int]]:
    for line, text in source.lines():
        if len(text) > LONGEST_LINE:
            raise source.too_long(line)
        for word in text.replace(",", " ").split():
            if not _INTEGER.fullmatch(word):
                raise source.error(line, f"expected a whole number, got {word[:40]!r}")
            yield line, int(word)


def is_lloyd_amos(head: str) -> bool:
    """Return whether the order and 1 are apart from the cells, or blanks are -1."""
    lines = [line for line in head.split("\n") if line.strip()]
    words = " ".join(lines).split()
    if len(words) < 3 or not all(map(_INTEGER.fullmatch, words)):
        return False
    # A row of a spreadsheet with two digits in it has tabs for its empty cells.
    apart = len(lines[0].split()) <= 2 and lines[0].count("\t") <= 2
    return words[0] in {"2", "3", "4", "5", "6"} and words[1] == "1" and (apart or "-1" in words)


def write_lloyd_amos(entries: Iterable[Entry], _: Alphabet) -> Iterator[str]:
    for entry in entries:
        digits, side = entry.puzzle.digits, entry.puzzle.side
        rows = [digits[start : start + side] for start in range(0, len(digits), side)]
        lines = [" ".join(str(value or -1) for value in row) + "\n" for row in rows]
        yield f"{entry.puzzle.geometry.box_rows}\n1\n" + "".join(lines)
