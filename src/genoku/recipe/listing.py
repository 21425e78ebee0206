"""The catalogue as rows of plain data: for the command line, the web and the documentation."""

from __future__ import annotations

import inspect
from dataclasses import MISSING
from typing import Any, Literal, get_args, get_origin

from genoku.recipe.catalog import CATALOG, Parameter, kind_of_hint, parameters
from genoku.recipe.describing import plain
from genoku.recipe.references import references


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
