"""The puzzles that come with genoku, by name, each with its source and what is known of it."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from genoku import display
from genoku.board import Puzzle
from genoku.errors import UnknownPuzzleError
from genoku.words import did_you_mean

FILES = ("reports.toml", "famous.toml", "made.toml")
DEFAULT = "ai-escargot"


@dataclass(frozen=True)
class Bundled:
    """A named puzzle; `solutions` is how many it has, None where that is open."""

    name: str
    puzzle: Puzzle
    source: str
    note: str = ""
    solutions: int | None = None


class Collection(Mapping[str, Bundled]):
    """Bundled puzzles by name, which a notebook shows as a table; each is parsed when needed."""

    def __init__(self, facts: dict[str, dict[str, Any]]) -> None:
        self._facts = facts
        self._parsed: dict[str, Bundled] = {}

    def __getitem__(self, name: str) -> Bundled:
        if name not in self._facts:
            hint = did_you_mean(str(name), self) or f", one of {', '.join(self)}"
            raise UnknownPuzzleError(f"expected the name of a bundled puzzle, got {name!r}{hint}")
        if name not in self._parsed:
            facts = dict(self._facts[name])
            puzzle = Puzzle.parse(facts.pop("puzzle"))
            self._parsed[name] = Bundled(name, puzzle, **facts)
        return self._parsed[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._facts)

    def __len__(self) -> int:
        return len(self._facts)

    def __contains__(self, name: object) -> bool:
        return name in self._facts

    def __repr__(self) -> str:
        return repr(dict(self))

    def _repr_html_(self) -> str:
        rows = [
            (
                name,
                each.puzzle.geometry,
                each.puzzle.givens,
                "open" if each.solutions is None else f"{each.solutions:,}",
                f"{each.source}; {each.note}" if each.note else each.source,
            )
            for name, each in self.items()
        ]
        headings = ("name", "board", "givens", "solutions", "source")
        return display.shown(display.table(headings, rows, (2, 3)))


@cache
def bundled() -> Collection:
    """All bundled puzzles by name, in the order of their files.

    >>> bundled()["ai-escargot"].puzzle.givens
    23
    """
    folder = files("genoku") / "puzzles"
    facts: dict[str, dict[str, Any]] = {}
    for file in FILES:
        facts |= tomllib.loads((folder / file).read_text("utf-8"))
    return Collection(facts)
