"""Genoku's JSON: a versioned document of puzzles, or the same objects one per line.

`{"format": "genoku-puzzles", "version": 1, "puzzles": [{"puzzle": …, "box": "3x2", "name": …,
"solution": …, "fields": {…}}]}`. Only `puzzle` is required, unknown keys become fields, and a
bare string is a puzzle; so is what `genoku solve --jsonl` prints.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, cast

from genoku.errors import FormatError, GenokuError
from genoku.puzzle.board import Entry, Puzzle
from genoku.puzzle.formats.source import LONGEST_LINE, Source, read_solution
from genoku.puzzle.formats.tables import PUZZLE_NAMES, SOLUTION_NAMES
from genoku.puzzle.geometry import Geometry
from genoku.puzzle.notation import Alphabet, write

FORMAT, VERSION = "genoku-puzzles", 1

_NOT_SPACE = re.compile(r"\S")
_DECODER = json.JSONDecoder()


def read_jsonl(source: Source) -> Iterator[Entry | FormatError]:
    for number, text in source.lines():
        if not text.strip():
            continue
        if len(text) > LONGEST_LINE:
            yield source.too_long(number)
            continue
        try:
            record = json.loads(text)
        except (ValueError, RecursionError) as error:
            yield source.error(number, f"expected JSON: {error}")
            continue
        yield _entry(source, number, record)


def read_json(source: Source) -> Iterator[Entry | FormatError]:
    """Read a document, a list of records or one record; records are decoded one at a time."""
    cursor = _Cursor(source)
    if cursor.take("["):
        yield from _records(source, cursor)
    elif cursor.take("{"):
        yield from _document(source, cursor)
    else:
        raise source.error(cursor.line, "expected a JSON object or list")
    if cursor.peek():
        raise source.error(cursor.line, "expected the end of the file after the JSON document")


def _document(source: Source, cursor: _Cursor) -> Iterator[Entry | FormatError]:
    line, values, streamed = cursor.line, dict[str, Any](), False
    while not cursor.take("}"):
        if (values or streamed) and not cursor.take(","):
            raise source.error(cursor.line, "expected a comma or the end of the object")
        key = cursor.value()
        if not isinstance(key, str) or not cursor.take(":"):
            raise source.error(cursor.line, 'expected "key": value')
        if key == "puzzles" and cursor.take("["):
            streamed = True
            yield from _records(source, cursor)
            continue
        values[key] = cursor.value()
        _check_version(source, cursor.line, values)
    if not streamed:
        yield _entry(source, line, values)


def _check_version(source: Source, line: int, values: dict[str, Any]) -> None:
    if values.get("format", FORMAT) != FORMAT:
        raise source.error(line, f"expected the format {FORMAT!r}, got {values['format']!r:.60}")
    if "format" in values and values.get("version", VERSION) != VERSION:
        raise source.error(
            line,
            f"expected version {VERSION} of {FORMAT}, got {values['version']!r:.60}: "
            "a newer genoku may read it",
        )


def _records(source: Source, cursor: _Cursor) -> Iterator[Entry | FormatError]:
    first = True
    while not cursor.take("]"):
        if not first and not cursor.take(","):
            raise source.error(cursor.line, "expected a comma or the end of the list")
        cursor.peek()
        line = cursor.line
        yield _entry(source, line, cursor.value())
        first = False


class _Cursor:
    """Reads JSON values one by one from a text that is never completely in memory."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._chunks = source.chunks()
        self._text = ""
        self._at = 0
        self.line = 1

    def peek(self) -> str:
        """Return the next character that is not white space, or "" at the end."""
        while True:
            found = _NOT_SPACE.search(self._text, self._at)
            self._advance(found.start() if found else len(self._text))
            if found:
                return found[0]
            if not self._read_more():
                return ""

    def take(self, character: str) -> bool:
        if self.peek() != character:
            return False
        self._advance(self._at + 1)
        return True

    def value(self) -> Any:
        if not self.peek():
            raise self._source.error(self.line, "expected more JSON, got the end of the file")
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._at)
            except (ValueError, RecursionError) as error:
                if len(self._text) - self._at < LONGEST_LINE and self._read_more():
                    continue
                raise self._source.error(self.line, f"expected JSON: {error}") from None
            # A number may continue in the next chunk; everything else ends here.
            is_open = end == len(self._text) and not isinstance(value, (str, list, dict))
            if is_open and self._read_more():
                continue
            self._advance(end)
            return value

    def _advance(self, end: int) -> None:
        self.line += self._text.count("\n", self._at, end)
        self._at = end

    def _read_more(self) -> bool:
        chunk = next(self._chunks, "")
        self._text = self._text[self._at :] + chunk
        self._at = 0
        return bool(chunk)


def _entry(source: Source, line: int, record: Any) -> Entry | FormatError:
    try:
        return _of_record(source, line, record)
    except GenokuError as error:
        return source.error(line, error)


def _of_record(source: Source, line: int, record: Any) -> Entry:
    if isinstance(record, str):
        return Entry(source.board(record), line=line)
    if not isinstance(record, dict):
        raise FormatError(f"expected an object with a puzzle, got {_preview(record)}")
    values = cast("dict[str, Any]", record)
    boards = [values.pop(name) for name in PUZZLE_NAMES if name in values][:1]
    if not boards:
        raise FormatError(f"expected an object with a puzzle, got keys {_preview(list(values))}")
    box, name, solved = values.pop("box", None), values.pop("name", None), None
    for key in SOLUTION_NAMES:
        # `genoku solve` prints "solved": true beside the solution.
        if isinstance(values.get(key), str):
            solved = values.pop(key)
            break
    shape = Geometry.parse(_text(box)) if box is not None else source.geometry
    if isinstance(boards[0], str):
        puzzle = source.board(boards[0], shape)
    elif isinstance(boards[0], list):
        puzzle = Puzzle.parse(boards[0], box=shape)
    else:
        raise FormatError(f"expected the text of a puzzle, got {_preview(boards[0])}")
    solution = read_solution(solved, puzzle, source.alphabet) if solved else None
    more = values.pop("fields", None)
    if isinstance(more, dict):
        values |= cast("dict[str, Any]", more)
    elif more is not None:
        values["fields"] = more
    fields = {_text(key): _text(value) for key, value in values.items() if value is not None}
    return Entry(puzzle, "" if name is None else _text(name), solution, fields, line)


def _text(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    # JSON can escape half a character (\ud800), which no file can hold.
    return text.encode("utf-8", "replace").decode() if not text.isascii() else text


def _preview(value: object) -> str:
    return f"{value!r:.60}"


def is_record(line: str) -> bool:
    """Return whether a line is a complete JSON object with a puzzle, or a JSON string."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return False
    if isinstance(record, dict):
        return "puzzles" not in record and any(name in record for name in PUZZLE_NAMES)
    return isinstance(record, str)


def write_jsonl(entries: Iterable[Entry], _: Alphabet) -> Iterator[str]:
    for entry in entries:
        yield json.dumps(_record(entry), ensure_ascii=False) + "\n"


def write_json(entries: Iterable[Entry], _: Alphabet) -> Iterator[str]:
    yield f'{{"format": "{FORMAT}", "version": {VERSION}, "puzzles": ['
    separator = "\n"
    for entry in entries:
        yield separator + json.dumps(_record(entry), ensure_ascii=False)
        separator = ",\n"
    yield "\n]}\n"


def _record(entry: Entry) -> dict[str, Any]:
    puzzle = entry.puzzle
    facts = {
        "puzzle": str(puzzle),
        "box": None if puzzle.geometry.is_default else puzzle.geometry.box,
        "name": entry.name,
        "solution": entry.solution and write(entry.solution, puzzle.side),
        "fields": dict(entry.fields),
    }
    return {key: value for key, value in facts.items() if value}
