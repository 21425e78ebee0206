"""The puzzles that come with genoku, by name, each with its source and its facts."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from genoku.errors import UnknownPuzzleError
from genoku.puzzle.board import Puzzle
from genoku.runtime import notebook
from genoku.runtime.text import did_you_mean

FILES = ("reports.toml", "famous.toml", "made.toml")
DEFAULT = "ai-escargot"


@dataclass(frozen=True)
class Bundled:
    """A bundled puzzle."""

    name: str
    puzzle: Puzzle
    source: str
    """Where it was published, or the command that generated it."""
    note: str = ""
    solutions: int | None = None
    """The number of its solutions, None if unknown."""
    aliases: tuple[str, ...] = ()
    """Its names in its source, which other puzzles may share."""

    @property
    def report(self) -> str:
        """The report that printed it, such as `Report 000`; empty if none did."""
        printed = re.match(r"report \d+", self.source)
        return printed[0].capitalize() if printed else ""


class Collection(Mapping[str, Bundled]):
    """Bundled puzzles by name; each is parsed when it is first used."""

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
            facts.pop("aliases", None)
            self._parsed[name] = Bundled(name, puzzle, **facts, aliases=self.aliases(name))
        return self._parsed[name]

    def aliases(self, name: str) -> tuple[str, ...]:
        """Return the names of a puzzle in its source; it is not parsed."""
        return tuple(self._facts[name].get("aliases", ()))

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
                "unknown" if each.solutions is None else f"{each.solutions:,}",
                f"{each.source}; {each.note}" if each.note else each.source,
            )
            for name, each in self.items()
        ]
        headings = ("name", "board", "givens", "solutions", "source")
        return notebook.block(notebook.table(headings, rows, (2, 3)))


@cache
def bundled() -> Collection:
    """Return all bundled puzzles by name.

    An unknown name raises UnknownPuzzleError with similar names.

    Examples
    --------
    >>> bundled()["ai-escargot"].puzzle.givens
    23
    """
    folder = files("genoku.puzzle") / "data"
    facts: dict[str, dict[str, Any]] = {}
    for file in FILES:
        facts |= tomllib.loads((folder / file).read_text("utf-8"))
    return Collection(facts)


def report_of(puzzle: Puzzle) -> str:
    """Return the first report that printed a puzzle, such as `Report 000`; empty if none did."""
    printed = (each.report for each in bundled().values() if each.puzzle == puzzle)
    return next(filter(None, printed), "")
