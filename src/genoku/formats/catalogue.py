"""Every file format, listed once: what reads it, writes it, recognises it and fits in it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import dropwhile, takewhile
from os import PathLike, fspath
from pathlib import PurePath

from genoku.board import Entry
from genoku.errors import FormatError, GenokuError
from genoku.formats import grids, jsons, lines, lloyd_amos, opensudoku, tables
from genoku.formats.source import Source
from genoku.geometry import MAX_SIDE, Geometry
from genoku.notation import Alphabet, read

EVERYTHING = frozenset({"name", "solution", "fields"})


@dataclass(frozen=True)
class Format:
    """A way to write puzzles in a file.

    `keeps` says what it has a place for besides the puzzle: `name`, `solution`, `fields` (any),
    or the names of the fields it knows. `holds` says whether a shape of board fits, and comes
    back as it was without help.
    """

    name: str
    about: str
    suffixes: tuple[str, ...]
    recognises: Callable[[str, Geometry | None], bool]
    read: Callable[[Source], Iterator[Entry | FormatError]]
    write: Callable[[Iterable[Entry], Alphabet], Iterator[str]]
    holds: Callable[[Geometry], bool]
    keeps: frozenset[str] = frozenset()


def format_named(name: str) -> Format:
    if name not in FORMATS:
        raise FormatError(f"expected a format among {', '.join(FORMATS)}, got {name!r}")
    return FORMATS[name]


def format_for_path(path: str | PathLike[str]) -> Format:
    """The format a file's suffix asks for, `.gz` aside."""
    suffixes = [suffix.lower() for suffix in PurePath(fspath(path)).suffixes]
    suffix = next((suffix for suffix in reversed(suffixes) if suffix != ".gz"), "")
    if suffix in SUFFIXES:
        return FORMATS[SUFFIXES[suffix]]
    known = ", ".join(sorted(SUFFIXES))
    raise FormatError(f"{fspath(path)}: expected a suffix among {known}, or a format")


def recognise(head: str, geometry: Geometry | None = None) -> Format:
    """The format the first lines of a file are in; one puzzle per line where nothing speaks."""
    shown = next(filter(partial(_tells, geometry=geometry), _content(head)[:1]), head)
    found = (known for known in FORMATS.values() if known.recognises(shown, geometry))
    return next(found, FORMATS["line"])


def is_told(head: str, geometry: Geometry | None = None) -> bool:
    """Whether lines show their format whatever follows, as files of one puzzle per line do."""
    return any(_tells(line, geometry) for line in _content(head)[:1])


def _tells(line: str, geometry: Geometry | None) -> bool:
    """Whether the first line of a file is a record by itself, or the header of a table.

    A board in it must be larger than a row, which might be the first of a grid.
    """
    if _is_jsonl(line, geometry) or tables.is_header(line):
        return True
    if not (lines.is_line(line, geometry) or lines.is_numbers(line, geometry)):
        return False
    board = lines.split_line(line.partition("#")[0].strip(), geometry)[0]
    return len(board.split() if " " in board.strip() else board) > MAX_SIDE


def _content(head: str) -> list[str]:
    """The lines that are no comments; as they are, since tabs may stand for empty cells."""
    lines = head.split("\n")
    return [line for line in lines if line.strip() and not line.lstrip().startswith("#")]


def _is_json(head: str, geometry: Geometry | None) -> bool:
    # A pasted Python list of lists starts with [[ and is read as a grid.
    return bool(re.match(r'\s*(?:\{|\[\s*[{"\]])', head)) and not _is_jsonl(head, geometry)


def _is_jsonl(head: str, _: Geometry | None) -> bool:
    first = head.lstrip().partition("\n")[0]
    return first[:1] in {"{", '"'} and jsons.is_record(first)


def _is_opensudoku(head: str, _: Geometry | None) -> bool:
    return head.lstrip().startswith("<")


def _is_csv(head: str, _: Geometry | None) -> bool:
    return any(map(tables.is_header, _content(head)[:1]))


def _is_lloyd_amos(head: str, _: Geometry | None) -> bool:
    return lloyd_amos.is_lloyd_amos(head)


def _is_sdk(head: str, geometry: Geometry | None) -> bool:
    tagged = re.search(r"^(?:#[A-Z](?:\s|$)|\[puzzle\])", head, re.M | re.I) is not None
    return tagged and _is_grid(head, geometry)


def _is_ss(head: str, geometry: Geometry | None) -> bool:
    framed = re.search(r"^[^\S\n]*(?:\*-{5,}\*|-{11})[^\S\n]*$", head, re.M) is not None
    return framed and _is_grid(head, geometry)


def _is_grid(head: str, geometry: Geometry | None) -> bool:
    content = _content(head)
    if not grids.is_grid(content, geometry):
        return False
    if geometry:
        return True
    # A row of a 16×16 board is as long as a whole 4×4, and one of a 36×36 as a 6×6: such
    # lines are rows where some do not make a board and there are as many as a grid has.
    block = list(takewhile(str.strip, dropwhile(_is_no_row, head.split("\n"))))
    boards = sum(map(_reads_alone, block))
    widths = grids.read_row(block[0]) if block else {}
    return boards == 0 or (boards < len(block) and len(block) in widths)


def _is_no_row(line: str) -> bool:
    return not line.strip() or line.lstrip().startswith("#") or not grids.read_row(line)


def _reads_alone(line: str) -> bool:
    try:
        return bool(read(lines.split_line(line.partition("#")[0].strip(), None)[0]))
    except GenokuError:
        return False


def _is_numbers(head: str, geometry: Geometry | None) -> bool:
    return any(lines.is_numbers(line, geometry) for line in _content(head)[:1])


def _is_line(head: str, geometry: Geometry | None) -> bool:
    return any(lines.is_line(line, geometry) for line in _content(head)[:10])


def _never(_head: str, _: Geometry | None) -> bool:
    return False


def _any_shape(_: Geometry) -> bool:
    return True


def _nine(geometry: Geometry) -> bool:
    return geometry == Geometry(3, 3)


def _square(geometry: Geometry) -> bool:
    return geometry.is_square


_LISTED = (
    Format(
        "json", "our versioned document, every size", (".json",),
        _is_json, jsons.read_json, jsons.write_json, _any_shape, EVERYTHING,
    ),
    Format(
        "jsonl", "one JSON object per line, every size", (".jsonl", ".ndjson"),
        _is_jsonl, jsons.read_jsonl, jsons.write_jsonl, _any_shape, EVERYTHING,
    ),
    Format(
        "opensudoku", "OpenSudoku's XML, 9×9", (".opensudoku", ".xml"),
        _is_opensudoku, opensudoku.read_opensudoku, opensudoku.write_opensudoku, _nine, EVERYTHING,
    ),
    Format(
        "csv", "a table with a header: puzzle, solution and more", (".csv",),
        _is_csv, tables.read_csv, tables.write_csv, _any_shape, EVERYTHING,
    ),
    Format(
        "tsv", "the same with tabs instead of commas", (".tsv",),
        _never, tables.read_csv, tables.write_tsv, _any_shape, EVERYTHING,
    ),
    Format(
        "lloyd-amos", "order, 1, then numbers with -1 for a blank; square boxes", (),
        _is_lloyd_amos, lloyd_amos.read_lloyd_amos, lloyd_amos.write_lloyd_amos, _square,
    ),
    Format(
        "sdk", "nine rows with #A…#U metadata, 9×9", (".sdk",),
        _is_sdk, grids.read_sdk, grids.write_sdk, _nine,
        frozenset({*grids.SDK_TAGS.values()}),
    ),
    Format(
        "ss", "Simple Sudoku's framed grid, 9×9", (".ss",),
        _is_ss, grids.read_grids, grids.write_ss, _nine,
    ),
    Format(
        "grid", "rows as pasted, grids separated by empty lines", (".grid",),
        _is_grid, grids.read_grids, grids.write_grid, _any_shape, frozenset({"name", "fields"}),
    ),
    Format(
        "numbers", "one puzzle per line in numbers, every size", (".numbers",),
        _is_numbers, lines.read_lines, lines.write_numbers, _any_shape, EVERYTHING,
    ),
    Format(
        "line", "one puzzle per line, numbers where letters do not reach", (".txt", ".sudoku"),
        _is_line, lines.read_lines, lines.write_line, _any_shape, EVERYTHING,
    ),
    Format(
        "sdm", "one 9×9 puzzle per line, nothing else", (".sdm",),
        _never, lines.read_lines, lines.write_sdm, _nine,
    ),
)  # fmt: skip

FORMATS: dict[str, Format] = {known.name: known for known in _LISTED}
"""Every format by name, in the order in which a file is held against them."""

SUFFIXES = {suffix: known.name for known in _LISTED for suffix in known.suffixes}
"""The format that every suffix stands for."""
