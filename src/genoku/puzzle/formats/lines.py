"""One puzzle per line: `line` and `sdm` in characters, `numbers` for every size.

A line is a board, then fields: `board[,solution][,key=value …] [# name]`. Fields are separated
by commas, semicolons, colons, tabs or spaces, whichever follows the board (semicolons after a
board in numbers). A field that is a full board of the same shape is the solution, `box=3x2` is the
shape, and a field without a key becomes `field1`, `field2`, … A name may also come before the
board (`name: board`) or on a comment line directly above it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from genoku.errors import FormatError, GenokuError, PuzzleError
from genoku.puzzle import notation
from genoku.puzzle.board import Entry, Puzzle
from genoku.puzzle.formats.source import LONGEST_LINE, Source, read_solution
from genoku.puzzle.geometry import Geometry
from genoku.puzzle.notation import PLAIN_9X9, Alphabet, fits

_FIRST = re.compile(r"""["']?([^\s,;:"']+)["']?(\ *[,;:\t]|\ +|$)\s*(.*)""", re.DOTALL)
_NAMED = re.compile(r"([^:]{1,200}):\s*(\S.*)", re.DOTALL)
MOST_COLONS = 8  # in front of a board
_NUMBERS = re.compile(r"[\s,]*(?:-?\d{1,2}[\s,]+)+-?\d{1,2}[\s,]*")


def read_lines(source: Source) -> Iterator[Entry | FormatError]:
    above = ""
    for number, text in source.lines():
        stripped = text.strip()
        if stripped.startswith("#"):
            above = stripped.strip("# \t")
            continue
        if stripped:
            yield read_line(source, number, stripped, above)
        above = ""


def read_line(source: Source, number: int, text: str, above: str = "") -> Entry | FormatError:
    """Read a line that is neither blank nor a comment."""
    if len(text) > LONGEST_LINE:
        return source.too_long(number)
    body, _, name = text.partition("#")
    try:
        # Most lines of most files: a board and nothing else.
        if PLAIN_9X9.fullmatch(text):
            return Entry(source.board(text), above, line=number)
        return _entry(source, number, body.strip(), name.strip() or above)
    except GenokuError as error:
        return source.error(number, error)


def _entry(source: Source, number: int, body: str, name: str) -> Entry:
    board, texts, label = split_line(body, source.geometry)
    name = name or label
    fields: dict[str, str] = {}
    unnamed: list[str] = []
    for text in texts:
        key, equals, value = text.partition("=")
        if equals and key.strip():
            fields[key.strip()] = value.strip()
        elif text:
            unnamed.append(text)
    box = fields.pop("box", None)
    name = fields.pop("name", name)
    puzzle = source.board(board, Geometry.parse(box) if box else None)
    solution = _solution(unnamed, puzzle, source.alphabet)
    fields.update((f"field{i}", text) for i, text in enumerate(unnamed, start=1))
    return Entry(puzzle, name, solution, fields, number)


def split_line(
    body: str, geometry: Geometry | None, colons: int = MOST_COLONS
) -> tuple[str, list[str], str]:
    """Split a line into the board, the fields after it and the name before it."""
    first = _FIRST.match(body)
    if first and fits(len(first[1]), geometry) and not _is_grid_of_words(body, len(first[1])):
        separator = first[2].strip(" ")
        return first[1], [_unquote(field) for field in first[3].split(separator or None)], ""
    board, *fields = body.split(";")
    if fields and fits(len(re.split(r"[\s,]+", board.strip(" ,\t"))), geometry):
        return board, [field.strip() for field in fields], ""
    if colons and (named := _NAMED.fullmatch(body)):
        board, fields, _ = split_line(named[2], geometry, colons - 1)
        return board, fields, named[1].strip()
    return body, [], ""


def _is_grid_of_words(body: str, length: int) -> bool:
    """Return whether a line is a 16×16 board in sixteen words, each as long as a 4×4 board."""
    words = body.split()
    return len(words) == length and all(len(word) == length for word in words)


def _unquote(field: str) -> str:
    field = field.strip()
    quoted = len(field) > 1 and field[0] == field[-1] and field[0] in "\"'"
    return field[1:-1] if quoted else field


def _solution(fields: list[str], puzzle: Puzzle, alphabet: Alphabet) -> bytes | None:
    """Remove the solution from the front of the fields and return it, if there is one."""
    if not fields or len(fields[0]) < puzzle.geometry.cells:
        return None
    try:
        solution = read_solution(fields[0], puzzle, alphabet)
    except PuzzleError:
        return None
    del fields[0]
    return solution


def is_numbers(line: str, geometry: Geometry | None) -> bool:
    board = line.partition("#")[0].partition(";")[0].strip()
    return bool(_NUMBERS.fullmatch(board)) and fits(len(re.split(r"[\s,]+", board)), geometry)


def is_line(line: str, geometry: Geometry | None) -> bool:
    """Return whether a line is a board, with or without more."""
    try:
        board = split_line(line.partition("#")[0].strip(), geometry)[0]
        characters = len("".join(board.split()))
        return fits(characters, geometry) or bool(notation.read(board, geometry, "one"))
    except PuzzleError:
        return False


def write_line(entries: Iterable[Entry], alphabet: Alphabet) -> Iterator[str]:
    for entry in entries:
        side = entry.puzzle.side
        if side > len(notation.ONE):  # no one-character form
            yield _line(entry, notation.write_numbers, ";")
        else:
            yield _line(entry, partial(notation.write_in, side=side, alphabet=alphabet), ",")


def write_numbers(entries: Iterable[Entry], _: Alphabet) -> Iterator[str]:
    return (_line(entry, notation.write_numbers, ";") for entry in entries)


def write_sdm(entries: Iterable[Entry], _: Alphabet) -> Iterator[str]:
    for entry in entries:
        yield str(entry.puzzle).replace(".", "0") + "\n"  # as other programs expect


def _line(entry: Entry, write: Callable[[bytes], str], separator: str) -> str:
    boards = [write(digits) for digits in (entry.puzzle.digits, entry.solution) if digits]
    fields = dict(entry.fields)
    if not entry.puzzle.geometry.is_default:
        fields["box"] = entry.puzzle.geometry.box
    pairs = [
        f"{one_line(key, '=#' + separator)}={one_line(value, '#' + separator)}"
        for key, value in fields.items()
        if one_line(key, "=#" + separator)
    ]
    line = separator.join(boards + pairs)
    name = one_line(entry.name)
    return f"{line} # {name}\n" if name else f"{line}\n"


def one_line(text: str, without: str = "") -> str:
    """Join text to one line, with the characters in `without` replaced by spaces."""
    return " ".join(text.translate(dict.fromkeys(map(ord, without), " ")).split())
