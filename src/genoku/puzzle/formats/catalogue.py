"""The catalogue of file formats: how each is recognised, read and written."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import dropwhile, takewhile
from os import PathLike, fspath
from pathlib import PurePath

from genoku.errors import FormatError, GenokuError
from genoku.puzzle.board import Entry
from genoku.puzzle.formats import grids, jsons, lines, lloyd_amos, opensudoku, tables
from genoku.puzzle.formats.source import Source
from genoku.puzzle.geometry import MAX_SIDE, Geometry
from genoku.puzzle.notation import Alphabet, read

EVERYTHING = frozenset({"name", "solution", "fields"})


@dataclass(frozen=True)
class Format:
    """A file format for puzzles."""

    name: str
    about: str
    suffixes: tuple[str, ...]
    recognises: Callable[[str, Geometry | None], bool]
    """Whether the first lines of a file are in this format."""
    read: Callable[[Source], Iterator[Entry | FormatError]]
    write: Callable[[Iterable[Entry], Alphabet], Iterator[str]]
    holds: Callable[[Geometry], bool]
    """Whether boards of a shape can be written and read back."""
    keeps: frozenset[str] = frozenset()
    """What is stored besides the puzzle: `name`, `solution`, `fields` (any), or certain fields."""


def format_by_name(name: str) -> Format:
    """Return the format with this name; FormatError if there is none."""
    if name not in FORMATS:
        raise FormatError(f"expected a format among {', '.join(FORMATS)}, got {name!r}")
    return FORMATS[name]


def format_for_path(path: str | PathLike[str]) -> Format:
    """Return the format for a file's suffix, ignoring `.gz`; FormatError if there is none."""
    suffixes = [suffix.lower() for suffix in PurePath(fspath(path)).suffixes]
    suffix = next((suffix for suffix in reversed(suffixes) if suffix != ".gz"), "")
    if suffix in SUFFIXES:
        return FORMATS[SUFFIXES[suffix]]
    known = ", ".join(sorted(SUFFIXES))
    raise FormatError(f"{fspath(path)}: expected a suffix among {known}, or the name of a format")


def recognise(head: str, geometry: Geometry | None = None) -> Format:
    """Return the format of a file by its first lines; `line` if none is recognised."""
    sample = _content_lines(head)[0] if is_determined(head, geometry) else head
    found = (known for known in FORMATS.values() if known.recognises(sample, geometry))
    return next(found, FORMATS["line"])


def is_determined(head: str, geometry: Geometry | None = None) -> bool:
    """Return whether the first line alone determines the format."""
    return any(_determines_format(line, geometry) for line in _content_lines(head)[:1])


def _determines_format(line: str, geometry: Geometry | None) -> bool:
    """Return whether a first line is a header, or a record whose board is longer than any row."""
    if _is_jsonl(line, geometry) or tables.is_header(line):
        return True
    if not (lines.is_line(line, geometry) or lines.is_numbers(line, geometry)):
        return False
    board = lines.split_line(line.partition("#")[0].strip(), geometry)[0]
    return len(board.split() if " " in board.strip() else board) > MAX_SIDE


def _content_lines(head: str) -> list[str]:
    """Return the lines without comments, unstripped, since tabs may be empty cells."""
    lines = head.split("\n")
    return [line for line in lines if line.strip() and not line.lstrip().startswith("#")]


def _is_json(head: str, geometry: Geometry | None) -> bool:
    # A pasted Python list of lists starts with [[ and is read as a grid.
    return bool(re.match(r'\s*(?:\{|\[\s*[{"\]])', head)) and not _is_jsonl(head, geometry)


def _is_jsonl(head: str, _: Geometry | None) -> bool:
    first = head.lstrip().partition("\n")[0]
    return first[:1] in {"{", '"'} and jsons.is_record(first)


def _is_sdk(head: str, geometry: Geometry | None) -> bool:
    tagged = re.search(r"^(?:#[A-Z](?:\s|$)|\[puzzle\])", head, re.M | re.I) is not None
    return tagged and _is_grid(head, geometry)


def _is_ss(head: str, geometry: Geometry | None) -> bool:
    framed = re.search(r"^[^\S\n]*(?:\*-{5,}\*|-{11})[^\S\n]*$", head, re.M) is not None
    return framed and _is_grid(head, geometry)


def _is_grid(head: str, geometry: Geometry | None) -> bool:
    content = _content_lines(head)
    if not grids.is_grid(content, geometry):
        return False
    if geometry:
        return True
    # A row of a 16×16 board is as long as a 4×4 board, and a row of 36×36 as a 6×6 board: such
    # lines are rows if some of them are no boards and there are as many as a grid has.
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


def _any_shape(_: Geometry) -> bool:
    return True


def _nine(geometry: Geometry) -> bool:
    return geometry == Geometry(3, 3)


_CATALOGUE = (
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
        lambda head, _: head.lstrip().startswith("<"),
        opensudoku.read_opensudoku, opensudoku.write_opensudoku, _nine, EVERYTHING,
    ),
    Format(
        "csv", "a table with a header: puzzle, solution and more", (".csv",),
        lambda head, _: any(map(tables.is_header, _content_lines(head)[:1])),
        tables.read_csv, tables.write_csv, _any_shape, EVERYTHING,
    ),
    Format(
        "tsv", "the same with tabs instead of commas", (".tsv",),
        lambda _head, _: False,
        tables.read_csv, partial(tables.write_csv, separator="\t"), _any_shape, EVERYTHING,
    ),
    Format(
        "lloyd-amos", "order, 1, then numbers with -1 for a blank; square boxes", (),
        lambda head, _: lloyd_amos.is_lloyd_amos(head),
        lloyd_amos.read_lloyd_amos, lloyd_amos.write_lloyd_amos,
        lambda geometry: geometry.is_square,
    ),
    Format(
        "sdk", "nine rows with #A…#U metadata, 9×9", (".sdk",),
        _is_sdk, partial(grids.read_grids, tags=True), grids.write_sdk, _nine,
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
        lambda head, box: any(lines.is_numbers(line, box) for line in _content_lines(head)[:1]),
        lines.read_lines, lines.write_numbers, _any_shape, EVERYTHING,
    ),
    Format(
        "line", "one puzzle per line, in numbers above 35×35", (".txt", ".sudoku"),
        lambda head, box: any(lines.is_line(line, box) for line in _content_lines(head)[:10]),
        lines.read_lines, lines.write_line, _any_shape, EVERYTHING,
    ),
    Format(
        "sdm", "one 9×9 puzzle per line, nothing else", (".sdm",),
        lambda _head, _: False, lines.read_lines, lines.write_sdm, _nine,
    ),
)  # fmt: skip

FORMATS: dict[str, Format] = {known.name: known for known in _CATALOGUE}
"""All formats by name, in the order in which they are tried on a file."""

SUFFIXES = {suffix: known.name for known in _CATALOGUE for suffix in known.suffixes}
"""Names of formats by suffix."""
