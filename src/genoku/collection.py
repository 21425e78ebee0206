"""The puzzles that come with genoku, by name, each with its source and what is known of it."""

from __future__ import annotations

import difflib
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from genoku.board import Puzzle

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


@cache
def bundled() -> dict[str, Bundled]:
    """All bundled puzzles by name, in the order of their files."""
    folder = files("genoku") / "puzzles"
    listed: dict[str, Bundled] = {}
    for file in FILES:
        for name, facts in tomllib.loads((folder / file).read_text("utf-8")).items():
            puzzle = Puzzle.parse(facts.pop("puzzle"))
            listed[name] = Bundled(name, puzzle, **facts)
    return listed


def similar(name: str) -> list[str]:
    """Bundled names that look like this one, the likeliest first."""
    return difflib.get_close_matches(name, bundled(), n=3, cutoff=0.6)
