"""CSV with any of the usual headers: `quizzes,solutions`, `puzzle,solution,rating`, …"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice

from genoku.errors import FormatError, GenokuError
from genoku.puzzle import notation
from genoku.puzzle.board import RESERVED, Entry
from genoku.puzzle.formats.lines import one_line
from genoku.puzzle.formats.source import LONGEST_LINE, Source, read_solution
from genoku.puzzle.geometry import Geometry
from genoku.puzzle.notation import Alphabet

PUZZLE_NAMES = (
    "puzzle", "puzzles", "quiz", "quizzes", "question", "sudoku", "sudokus", "grid", "board",
    "problem",
)  # fmt: skip
SOLUTION_NAMES = ("solution", "solutions", "solved", "answer", "answers")

_LOOKED_AHEAD = 1_000


def read_csv(source: Source) -> Iterator[Entry | FormatError]:
    lines = source.lines()
    for number, text in lines:
        if is_header(text):
            break
        if text.strip() and not text.lstrip().startswith("#"):
            names = ", ".join(PUZZLE_NAMES)
            raise source.error(number, f"expected a header with a column named one of {names}")
    else:
        return
    separator = _separator(text)
    header = next(csv.reader([text], delimiter=separator))
    columns = [name.strip() for name in header]
    for number, text in lines:
        if len(text) > LONGEST_LINE:
            yield source.too_long(number)
            continue
        try:
            row = _fields(text, separator)
        except csv.Error as error:
            yield source.error(number, error)
            continue
        if any(row):
            yield _entry(source, number, columns, row)


def _fields(line: str, separator: str) -> list[str]:
    """Return the fields of one line; an open quote must not include the lines after it."""
    rows = csv.reader((line, ""), delimiter=separator, skipinitialspace=separator != "\t")
    row = next(rows)
    if rows.line_num > 1:
        raise csv.Error("expected a record on one line, got a quote that is not closed")
    return row


def is_header(line: str) -> bool:
    try:
        return puzzle_column(line) is not None
    except csv.Error:
        return False


def puzzle_column(line: str, separator: str = "") -> int | None:
    """Return the index of the puzzle's column in a header."""
    names = csv.reader([line.strip("\r\n ")], delimiter=separator or _separator(line))
    return _column([name.strip() for name in next(names, [])], PUZZLE_NAMES)


def _separator(header: str) -> str:
    """Return the most frequent mark that yields a column for the puzzle."""
    marks = sorted(",;\t", key=header.count, reverse=True)
    return next((mark for mark in marks if puzzle_column(header, mark) is not None), marks[0])


def _column(columns: Sequence[str], names: Iterable[str]) -> int | None:
    lowered = [column.lower() for column in columns]
    return next((lowered.index(name) for name in names if name in lowered), None)


def _entry(source: Source, line: int, columns: list[str], row: list[str]) -> Entry | FormatError:
    def take(names: Iterable[str]) -> str:
        at = _column(columns, names)
        if at is None:
            return ""
        used.add(at)
        return row[at].strip() if at < len(row) else ""

    used: set[int] = set()
    board, solved, name = take(PUZZLE_NAMES), take(SOLUTION_NAMES), take(["name"])
    box = take(["box"])
    try:
        puzzle = source.board(board, Geometry.parse(box) if box else None)
        solution = read_solution(solved, puzzle, source.alphabet) if solved else None
        fields = {
            columns[at] if at < len(columns) and columns[at] else f"column{at + 1}": value.strip()
            for at, value in enumerate(row)
            if at not in used and value.strip()
        }
        return Entry(puzzle, name, solution, fields, line)
    except GenokuError as error:
        return source.error(line, error)


def write_csv(entries: Iterable[Entry], alphabet: Alphabet, separator: str = ",") -> Iterator[str]:
    """Write a table with the columns of the first entries: a stream cannot be read twice."""
    waiting = iter(entries)
    first = list(islice(waiting, _LOOKED_AHEAD))
    columns = ["puzzle", "solution"]
    if any(entry.name for entry in first):
        columns.append("name")
    if any(not entry.puzzle.geometry.is_default for entry in first):
        columns.append("box")
    columns += dict.fromkeys(
        one_line(key) for entry in first for key in entry.fields if one_line(key)
    )
    yield _line(columns, separator)
    for number, entry in enumerate(chain(first, waiting), start=1):
        values = _values(entry, alphabet)
        if lost := [key for key, value in values.items() if value and key not in columns]:
            raise FormatError(
                f"puzzle {number}: expected {', '.join(map(repr, lost))} within the first "
                f"{_LOOKED_AHEAD:,} puzzles, so that the table has a column for it: "
                "write jsonl instead"
            )
        yield _line([values.get(column, "") for column in columns], separator)


def _line(values: Sequence[str], separator: str) -> str:
    text = io.StringIO()
    csv.writer(text, delimiter=separator, lineterminator="\n").writerow(values)
    return text.getvalue()


def _values(entry: Entry, alphabet: Alphabet) -> dict[str, str]:
    puzzle = entry.puzzle
    values = {one_line(key): one_line(value) for key, value in entry.fields.items()}
    values = {key: value for key, value in values.items() if key not in RESERVED}
    values["puzzle"] = notation.write_in(puzzle.digits, puzzle.side, alphabet)
    if entry.solution:
        values["solution"] = notation.write_in(entry.solution, puzzle.side, alphabet)
    if not puzzle.geometry.is_default:
        values["box"] = puzzle.geometry.box
    return values | {"name": one_line(entry.name)}
