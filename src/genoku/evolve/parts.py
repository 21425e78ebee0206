"""The catalogue of parts as plain data, with their sources and their names in DEAP."""

from __future__ import annotations

import inspect
import re
import tomllib
from dataclasses import MISSING
from functools import cache
from importlib.resources import files
from typing import Any, Literal, get_args, get_origin

from genoku.evolve.recipe import CATALOG, Parameter, as_plain_data, kind_of_hint, parameters
from genoku.evolve.words import label_of
from genoku.reports import reports

INITIALS = re.compile(r"\b(?:[A-Z]\.[- ]?)+")  # of authors


def catalogue() -> list[dict[str, Any]]:
    """Return a row for every part of recipes.

    Returns
    -------
    list of dict
        `kind`, `name`, `doc` (one line), `about` (the rest of the docstring), `parameters`,
        `sources` (reports and papers), `deap` (its names in DEAP) and `in_deap` (how those differ,
        or what comes near). A parameter has a `name`, a `type` (int, float, bool, str, choice,
        a kind, or "list of" one), a `default`, and `choices`: the values of a choice, the names of
        a kind, else none. Its `label` is the usual term for it, if there is one.
    """
    known = references()
    return [
        {
            "kind": kind,
            "name": name,
            **_doc_parts(each),
            "parameters": [
                {**_row(parameter), "label": label_of(kind, name, parameter.name)}
                for parameter in parameters(each).values()
            ],
            **known[kind, name],
        }
        for kind, parts in CATALOG.items()
        for name, each in parts.items()
    ]


def _doc_parts(each: type) -> dict[str, str]:
    """The first line of a docstring, and the paragraphs after it."""
    doc, _, about = (inspect.getdoc(each) or "").partition("\n")
    return {"doc": doc, "about": about.strip()}


def _row(parameter: Parameter) -> dict[str, Any]:
    word, choices = type_of(parameter.hint)
    default = parameter.default
    return {
        "name": parameter.name,
        "type": word,
        "default": None if default is MISSING else as_plain_data(default, parameter.name),
        "choices": choices,
    }


def type_of(hint: Any) -> tuple[str, list[Any]]:
    """The type of a parameter as text, and its choices, as in `catalogue`."""
    kind = kind_of_hint(hint)
    if kind is not None:
        return kind, list(CATALOG[kind])
    if get_origin(hint) is Literal:
        return "choice", list(get_args(hint))
    if get_origin(hint) is tuple:
        word, choices = type_of(get_args(hint)[0])
        return f"list of {word}", choices
    return getattr(hint, "__name__", str(hint)), []


@cache
def references() -> dict[tuple[str, str], dict[str, Any]]:
    """The `sources`, `deap` and `in_deap` of every part, by kind and name."""
    return {
        (kind, name): {
            "sources": [_cite(cite) for cite in row["cites"]],
            "deap": row["deap"],
            "in_deap": row["in_deap"],
        }
        for kind, rows in _reference_tables().items()
        if kind != "works"
        for name, row in rows.items()
    }


@cache
def works() -> dict[str, str]:
    """The reports and papers that are cited, in full, by their keys such as `holland-1975`."""
    known = {f"report-{number}": each.cite for number, each in reports().items()}
    return known | _reference_tables()["works"]


def short_citation(cite: str) -> str:
    """A citation in few words.

    >>> short_citation("report-000, section 5"), short_citation("eiben-2015")
    ('report 000, section 5', 'Eiben & Smith, 2015')
    """
    key, comma, place = cite.partition(", ")
    if key.startswith("report-"):
        return f"{key.replace('-', ' ')}{comma}{place}"
    authors = INITIALS.sub("", works()[key].partition(":")[0])
    return f"{authors}, {key[-4:]}{comma}{place}"


def _cite(cite: str) -> str:
    """A citation in full: "report-000, section 5" becomes the work and the section."""
    key, _, place = cite.partition(", ")
    return f"{works()[key]}, {place}" if place else works()[key]


@cache
def _reference_tables() -> dict[str, Any]:
    text = files("genoku.evolve").joinpath("references.toml").read_text("utf-8")
    return tomllib.loads(text)
