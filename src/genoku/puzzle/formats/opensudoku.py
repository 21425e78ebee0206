"""OpenSudoku's XML, parsed as a stream; documents that define entities are refused.

A game's attributes other than `data` and the collection's own elements (`author`, `level`, …)
become fields; the collection's name is the field `collection`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from html import escape
from typing import NoReturn
from xml.parsers import expat

from genoku.errors import FormatError, GenokuError
from genoku.puzzle.board import RESERVED, Entry
from genoku.puzzle.formats.source import LONGEST_LINE, Source, read_solution
from genoku.puzzle.notation import Alphabet, write

_DEEPEST = 50
_NAME = re.compile(r"[A-Za-z_][\w.-]*", re.ASCII)
_SPACES = {ord(space): f"&#{ord(space)};" for space in "\t\n\r"}
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def read_opensudoku(source: Source) -> Iterator[Entry | FormatError]:
    collection = _Collection(source)
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = collection.refuse
    parser.EntityDeclHandler = collection.refuse
    parser.StartElementHandler = collection.start
    parser.EndElementHandler = collection.end
    parser.CharacterDataHandler = collection.text
    collection.parser = parser
    since = 0
    try:
        for chunk in source.chunks():
            seen = collection.events
            parser.Parse(chunk, False)
            # Expat buffers an unfinished tag: one that never ends would fill the memory.
            since = since + len(chunk) if collection.events == seen else 0
            if since > LONGEST_LINE:
                raise source.error(parser.CurrentLineNumber, "expected a shorter XML element")
            yield from collection.take_games()
        parser.Parse("", True)
    except expat.ExpatError as error:
        yield from collection.take_games()
        raise source.error(error.lineno, f"expected XML: {expat.ErrorString(error.code)}") from None
    yield from collection.take_games()


class _Collection:
    """The parser's state: the collection's fields, and games not yet yielded."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.parser: expat.XMLParserType
        self.events = 0
        self._path: list[str] = []
        self._fields: dict[str, str] = {}
        self._text: list[str] = []
        self._games: list[Entry | FormatError] = []

    def take_games(self) -> list[Entry | FormatError]:
        games, self._games = self._games, []
        return games

    def refuse(self, *declared: object) -> NoReturn:
        raise self.source.error(
            self.parser.CurrentLineNumber, "expected XML without DOCTYPE or entities"
        )

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self.events += 1
        self._path.append(tag)
        self._text = []
        line = self.parser.CurrentLineNumber
        if len(self._path) == 1 and tag != "opensudoku":
            raise self.source.error(line, f"expected <opensudoku>, got <{tag[:40]}>")
        if len(self._path) > _DEEPEST:
            raise self.source.error(line, f"expected at most {_DEEPEST} nested XML elements")
        if tag == "folder" and attributes.get("name"):
            self._fields["collection"] = attributes["name"]
        if tag == "game":
            self._games.append(self._game(line, dict(attributes)))

    def text(self, text: str) -> None:
        if len(self._text) < 1_000:
            self._text.append(text[:10_000])

    def end(self, tag: str) -> None:
        self.events += 1
        self._path.pop()
        text = "".join(self._text).strip()
        self._text = []
        if text and self._path == ["opensudoku"] and len(self._fields) < 100:
            self._fields["collection" if tag in RESERVED else tag] = text

    def _game(self, line: int, attributes: dict[str, str]) -> Entry | FormatError:
        name, solved = attributes.pop("name", ""), attributes.pop("solution", "")
        try:
            puzzle = self.source.board(attributes.pop("data", ""))
            solution = read_solution(solved, puzzle, self.source.alphabet) if solved else None
            return Entry(puzzle, name, solution, {**self._fields, **attributes}, line)
        except GenokuError as error:
            return self.source.error(line, error)


def write_opensudoku(entries: Iterable[Entry], _: Alphabet) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<opensudoku>\n'
    for entry in entries:
        attributes = {"data": str(entry.puzzle).replace(".", "0")}
        if entry.name:
            attributes["name"] = entry.name
        if entry.solution:
            attributes["solution"] = write(entry.solution, entry.puzzle.side)
        attributes |= {key: value for key, value in entry.fields.items() if _is_attribute(key)}
        text = "".join(f" {key}={_quote(value)}" for key, value in attributes.items())
        yield f"  <game{text}/>\n"
    yield "</opensudoku>\n"


def _is_attribute(key: str) -> bool:
    return bool(_NAME.fullmatch(key)) and key != "data" and not key.lower().startswith("xml")


def _quote(value: str) -> str:
    # A parser would turn line breaks and tabs into spaces.
    escaped = escape(_FORBIDDEN.sub("\ufffd", value)).translate(_SPACES)
    return f'"{escaped}"'
