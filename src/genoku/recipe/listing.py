"""The catalogue as rows of plain data, with where its parts come from and their names in DEAP."""

from __future__ import annotations

import inspect
import tomllib
from dataclasses import MISSING
from functools import cache
from importlib.resources import files
from typing import Any, Literal, NamedTuple, get_args, get_origin

from genoku.recipe.building import CATALOG, Parameter, kind_of_hint, parameters, plain


def catalogue() -> list[dict[str, Any]]:
    """A row for every part: `kind`, `name`, `doc` (one line), `about` (more) and `parameters`.

    A parameter has a `name`, a `type` (int, float, bool, str, choice, a kind, or "list of" one),
    a `default`, and `choices`: the values of a choice, the names of a kind, else none.
    A row also has `sources` (reports and papers), its names in `deap`, and `in_deap`: how those
    differ, or what comes near.
    """
    known = references()
    return [
        {
            "kind": kind,
            "name": name,
            **_told(each),
            "parameters": [_row(parameter) for parameter in parameters(each).values()],
            **known[kind, name]._asdict(),
        }
        for kind, parts in CATALOG.items()
        for name, each in parts.items()
    ]


def _told(each: type) -> dict[str, str]:
    """The first line of a docstring, and the paragraphs after it."""
    doc, _, about = (inspect.getdoc(each) or "").partition("\n")
    return {"doc": doc, "about": about.strip()}


def _row(parameter: Parameter) -> dict[str, Any]:
    word, choices = type_of(parameter.hint)
    default = parameter.default
    return {
        "name": parameter.name,
        "type": word,
        "default": None if default is MISSING else plain(default, parameter.name),
        "choices": choices,
    }


def type_of(hint: Any) -> tuple[str, list[Any]]:
    """The type of a parameter in a word, and its choices, as `catalogue` has them."""
    kind = kind_of_hint(hint)
    if kind is not None:
        return kind, list(CATALOG[kind])
    if get_origin(hint) is Literal:
        return "choice", list(get_args(hint))
    if get_origin(hint) is tuple:
        word, choices = type_of(get_args(hint)[0])
        return f"list of {word}", choices
    return getattr(hint, "__name__", str(hint)), []


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
