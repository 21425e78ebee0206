"""Where the parts of the catalogue come from, and what they are called in DEAP."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple


class Reference(NamedTuple):
    """What is known of a part beyond this code."""

    sources: list[str]
    """Reports and papers, with the place in them; none for what is genoku's own."""
    deap: list[str]
    """Its names in DEAP; none where DEAP has no such thing."""
    in_deap: str
    """How those differ, or what comes near."""


@cache
def references() -> dict[tuple[str, str], Reference]:
    """A reference for every part, by kind and name."""
    text = files("genoku.recipe").joinpath("references.toml").read_text("utf-8")
    tables: dict[str, Any] = tomllib.loads(text)
    works: dict[str, str] = tables.pop("works")
    return {
        (kind, name): Reference(
            [_cited(cite, works) for cite in row["cites"]], row["deap"], row["in_deap"]
        )
        for kind, rows in tables.items()
        for name, row in rows.items()
    }


def _cited(cite: str, works: dict[str, str]) -> str:
    """A work and the place in it: "report-000, section 5" is written out."""
    key, _, place = cite.partition(", ")
    return f"{works[key]}, {place}" if place else works[key]
