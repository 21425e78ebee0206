"""CSV with any of the usual headers: `quizzes,solutions`, `puzzle,solution,rating`, …"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice

from genoku import notation
from genoku.board import RESERVED, Entry
from genoku.errors import FormatError, GenokuError
from genoku.formats.lines import flat
from genoku.formats.source import LONGEST_LINE, Source, read_solution
from genoku.geometry import Geometry
from genoku.notation import Alphabet

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
            raise source.bad(number, f"expected a header with a column named one of {names}")
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
            yield source.bad(number, error)
            continue
        if any(row):
            yield _entry(source, number, columns, row)


def _fields(line: str, separator: str) -> list[str]:
    """One line is one record: a quote left open would take all that follows for its field."""
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


def puzzle_column(line: str) -> int | None:
    """Which column of a header holds the puzzle."""
    return _puzzle_column(line, _separator(line))


def _puzzle_column(line: str, separator: str) -> int | None:
    names = next(csv.reader([line.strip("\r\n ")], delimiter=separator), [])
    return _column([name.strip() for name in names], PUZZLE_NAMES)


def _separator(header: str) -> str:
    """The mark that cuts out a column for the puzzle; a name may hold more of another one."""
    marks = sorted(",;\t", key=header.count, reverse=True)
    return next((mark for mark in marks if _puzzle_column(header, mark) is not None), marks[0])


def _column(columns: Sequence[str], names: Iterable[str]) -> int | None:
    lowered = [column.lower() for column in columns]
    return next((lowered.index(name) for name in names if name in lowered), None)


def _entry(source: Source, line: int, columns: list[str], row: list[str]) -> Entry | FormatError:
    def taken(names: Iterable[str]) -> str:
        at = _column(columns, names)
        if at is None:
            return ""
        used.add(at)
        return row[at].strip() if at < len(row) else ""

    used: set[int] = set()
    board, solved, name = taken(PUZZLE_NAMES), taken(SOLUTION_NAMES), taken(["name"])
    box = taken(["box"])
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
        return source.bad(line, error)


class _Line:
    """A file for `csv.writer` that gives back the one line written to it."""

    text = ""

    def write(self, text: str) -> None:
        self.text = text


def write_csv(entries: Iterable[Entry], alphabet: Alphabet, separator: str = ",") -> Iterator[str]:
    """The columns are those the first entries need: a stream cannot be read twice."""
    waiting = iter(entries)
    first = list(islice(waiting, _LOOKED_AHEAD))
    columns = ["puzzle", "solution"]
    if any(entry.name for entry in first):
        columns.append("name")
    if any(not entry.puzzle.geometry.is_default for entry in first):
        columns.append("box")
    columns += dict.fromkeys(flat(key) for entry in first for key in entry.fields if flat(key))
    line = _Line()
    writer = csv.writer(line, delimiter=separator, lineterminator="\n")
    writer.writerow(columns)
    yield line.text
    for number, entry in enumerate(chain(first, waiting), start=1):
        values = _values(entry, alphabet)
        if lost := [key for key, value in values.items() if value and key not in columns]:
            raise FormatError(
                f"puzzle {number}: expected {', '.join(map(repr, lost))} within the first "
                f"{_LOOKED_AHEAD:,} puzzles, so that the table has a column for it: "
                "write jsonl instead"
            )
        writer.writerow([values.get(column, "") for column in columns])
        yield line.text


def write_tsv(entries: Iterable[Entry], alphabet: Alphabet) -> Iterator[str]:
    return write_csv(entries, alphabet, "\t")


def _values(entry: Entry, alphabet: Alphabet) -> dict[str, str]:
    puzzle = entry.puzzle
    values = {flat(key): flat(value) for key, value in entry.fields.items()}
    values = {key: value for key, value in values.items() if key not in RESERVED}
    values["puzzle"] = notation.write_in(puzzle.digits, puzzle.side, alphabet)
    if entry.solution:
        values["solution"] = notation.write_in(entry.solution, puzzle.side, alphabet)
    if not puzzle.geometry.is_default:
        values["box"] = puzzle.geometry.box
    return values | {"name": flat(entry.name)}
