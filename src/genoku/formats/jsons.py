"""Our JSON: a versioned document of puzzles, and the same objects one per line.

`{"format": "genoku-puzzles", "version": 1, "puzzles": [{"puzzle": …, "box": "3x2", "name": …,
"solution": …, "fields": {…}}]}`. Only `puzzle` is required, unknown keys become fields, and a
bare string is a puzzle; so is what `genoku solve --jsonl` prints.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, cast

from genoku.board import Entry, Puzzle
from genoku.errors import FormatError, GenokuError
from genoku.formats.source import LONGEST_LINE, Source, read_solution
from genoku.formats.tables import PUZZLE_NAMES, SOLUTION_NAMES
from genoku.geometry import Geometry
from genoku.notation import Alphabet, write

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
            yield source.bad(number, f"expected JSON: {error}")
            continue
        yield _entry(source, number, record)


def read_json(source: Source) -> Iterator[Entry | FormatError]:
    """A document, a list of records or one record; records are decoded one at a time."""
    cursor = _Cursor(source)
    if cursor.take("["):
        yield from _records(source, cursor)
    elif cursor.take("{"):
        yield from _document(source, cursor)
    else:
        raise source.bad(cursor.line, "expected a JSON object or list")
    if cursor.peek():
        raise source.bad(cursor.line, "expected the end of the file after the JSON document")


def _document(source: Source, cursor: _Cursor) -> Iterator[Entry | FormatError]:
    line, said, streamed = cursor.line, dict[str, Any](), False
    while not cursor.take("}"):
        if (said or streamed) and not cursor.take(","):
            raise source.bad(cursor.line, "expected a comma or the end of the object")
        key = cursor.value()
        if not isinstance(key, str) or not cursor.take(":"):
            raise source.bad(cursor.line, 'expected "key": value')
        if key == "puzzles" and cursor.take("["):
            streamed = True
            yield from _records(source, cursor)
            continue
        said[key] = cursor.value()
        _check_version(source, cursor.line, said)
    if not streamed:
        yield _entry(source, line, said)


def _check_version(source: Source, line: int, said: dict[str, Any]) -> None:
    if said.get("format", FORMAT) != FORMAT:
        raise source.bad(line, f"expected the format {FORMAT!r}, got {said['format']!r:.60}")
    if "format" in said and said.get("version", VERSION) != VERSION:
        raise source.bad(
            line,
            f"expected version {VERSION} of {FORMAT}, got {said['version']!r:.60}: "
            "a newer genoku may read it",
        )


def _records(source: Source, cursor: _Cursor) -> Iterator[Entry | FormatError]:
    first = True
    while not cursor.take("]"):
        if not first and not cursor.take(","):
            raise source.bad(cursor.line, "expected a comma or the end of the list")
        cursor.peek()
        line = cursor.line
        yield _entry(source, line, cursor.value())
        first = False


class _Cursor:
    """JSON values taken one after another from a text that is never whole in memory."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._chunks = source.chunks()
        self._text = ""
        self._at = 0
        self.line = 1

    def peek(self) -> str:
        """The next character that is not space, or nothing at the end."""
        while True:
            found = _NOT_SPACE.search(self._text, self._at)
            self._go(found.start() if found else len(self._text))
            if found:
                return found[0]
            if not self._more():
                return ""

    def take(self, character: str) -> bool:
        if self.peek() != character:
            return False
        self._go(self._at + 1)
        return True

    def value(self) -> Any:
        if not self.peek():
            raise self._source.bad(self.line, "expected more JSON, got the end of the file")
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._at)
            except (ValueError, RecursionError) as error:
                if len(self._text) - self._at < LONGEST_LINE and self._more():
                    continue
                raise self._source.bad(self.line, f"expected JSON: {error}") from None
            # A number may go on in the next chunk; everything else ends with its last character.
            if end == len(self._text) and not isinstance(value, (str, list, dict)) and self._more():
                continue
            self._go(end)
            return value

    def _go(self, end: int) -> None:
        self.line += self._text.count("\n", self._at, end)
        self._at = end

    def _more(self) -> bool:
        chunk = next(self._chunks, "")
        self._text = self._text[self._at :] + chunk
        self._at = 0
        return bool(chunk)


def _entry(source: Source, line: int, record: Any) -> Entry | FormatError:
    try:
        return _of_record(source, line, record)
    except GenokuError as error:
        return source.bad(line, error)


def _of_record(source: Source, line: int, record: Any) -> Entry:
    if isinstance(record, str):
        return Entry(source.board(record), line=line)
    if not isinstance(record, dict):
        raise FormatError(f"expected an object with a puzzle, got {_shown(record)}")
    said = cast("dict[str, Any]", record)
    boards = [said.pop(name) for name in PUZZLE_NAMES if name in said][:1]
    if not boards:
        raise FormatError(f"expected an object with a puzzle, got one with {_shown(list(said))}")
    box, name, solved = said.pop("box", None), said.pop("name", None), None
    for key in SOLUTION_NAMES:
        # `genoku solve` prints "solved": true beside the solution.
        if isinstance(said.get(key), str):
            solved = said.pop(key)
            break
    shape = Geometry.parse(_text(box)) if box is not None else source.geometry
    puzzle = _board(source, boards[0], shape)
    solution = read_solution(solved, puzzle, source.alphabet) if solved else None
    more = said.pop("fields", None)
    if isinstance(more, dict):
        said |= cast("dict[str, Any]", more)
    elif more is not None:
        said["fields"] = more
    fields = {_text(key): _text(value) for key, value in said.items() if value is not None}
    return Entry(puzzle, "" if name is None else _text(name), solution, fields, line)


def _board(source: Source, board: Any, shape: Geometry | None) -> Puzzle:
    if isinstance(board, str):
        return source.board(board, shape)
    if isinstance(board, list):
        return Puzzle.parse(board, box=shape)
    raise FormatError(f"expected the text of a puzzle, got {_shown(board)}")


def _text(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    # JSON can escape half a character (\ud800), which no file can hold.
    return text.encode("utf-8", "replace").decode() if not text.isascii() else text


def _shown(value: object) -> str:
    return f"{value!r:.60}"


def is_record(line: str) -> bool:
    """Whether a line is a whole JSON object with a puzzle, or a JSON string."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return False
    if isinstance(record, dict):
        return "puzzles" not in record and any(name in record for name in PUZZLE_NAMES)
    return isinstance(record, str)


def write_jsonl(entries: Iterable[Entry], alphabet: Alphabet) -> Iterator[str]:
    del alphabet  # JSON holds the canonical text
    for entry in entries:
        yield json.dumps(_record(entry), ensure_ascii=False) + "\n"


def write_json(entries: Iterable[Entry], alphabet: Alphabet) -> Iterator[str]:
    del alphabet
    yield f'{{"format": "{FORMAT}", "version": {VERSION}, "puzzles": ['
    separator = "\n"
    for entry in entries:
        yield separator + json.dumps(_record(entry), ensure_ascii=False)
        separator = ",\n"
    yield "\n]}\n"


def _record(entry: Entry) -> dict[str, Any]:
    puzzle = entry.puzzle
    record: dict[str, Any] = {"puzzle": str(puzzle)}
    if not puzzle.geometry.is_default:
        record["box"] = puzzle.geometry.box
    if entry.name:
        record["name"] = entry.name
    if entry.solution:
        record["solution"] = write(entry.solution, puzzle.side)
    if entry.fields:
        record["fields"] = dict(entry.fields)
    return record
