"""`genoku operators`: list the parts that recipes are made of."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import click

from genoku.cli import completion
from genoku.cli.options import command, json_option
from genoku.cli.output import print_groups, print_json, wrap_text
from genoku.cli.study import MAX_DEPTH, recipe_text
from genoku.cli.terms import (
    command_for,
    meaning_record,
    print_meanings,
    print_names_elsewhere,
    several_meanings,
)
from genoku.errors import RecipeError
from genoku.runtime.text import did_you_mean

Row = dict[str, Any]  # of `genoku.evolve.parts.catalogue`


@command()
@click.argument(
    "name", required=False, metavar="[KIND|NAME|TERM]", shell_complete=completion.operators
)
@json_option
def operators(name: str | None, as_json: bool) -> None:
    """List the parts that recipes are made of, and the parameters that `--set` can change.

    TERM is what a report, its published code or a textbook calls a part or a parameter.

    Examples:
      genoku operators                  list every part, by kind
      genoku operators crossover        list one kind, with its parameters
      genoku operators tournament       show one part in full
      genoku operators PMX              show what a textbook calls so
      genoku operators swap_in_row      show what a report or its code calls so
      genoku operators "mutation rate"  say which settings are meant
    """
    from genoku.evolve.parts import catalogue

    everything = catalogue()
    rows = [row for row in everything if name in (None, row["kind"], row["name"])]
    if name is not None and not rows:
        _show_term(name, everything, as_json=as_json)
    elif as_json:
        print_json([row | {"terms": _term_records(row)} for row in rows])
    else:
        _print_rows(rows, in_full=[row for row in rows if row["name"] == name], briefly=not name)
        _print_other_meanings(name or "", rows)


def _show_term(term: str, everything: list[Row], *, as_json: bool) -> None:
    """Show the one part that a term means, or say what else it is here."""
    from genoku.evolve.terms import find, known_terms

    meanings = find(term)
    if not meanings:
        kinds = dict.fromkeys(row["kind"] for row in everything)
        hint = did_you_mean(term, known_terms())
        raise RecipeError(
            f"expected a kind ({', '.join(kinds)}), a name or a term, got {term!r}{hint}"
        )
    if as_json:
        print_json([meaning_record(each) for each in meanings])
        return
    # What leads to a part or a kind is meant here; what leads elsewhere is mentioned.
    shown = [each for each in meanings if each.is_part] or [
        each for each in meanings if each.kind in ("kind", "preset", "puzzle")
    ]
    targets = dict.fromkeys(each.target for each in shown)
    if len(targets) > 1:
        raise several_meanings(term, shown)
    told = [each for each in meanings if each.source or each.kind in ("preset", "puzzle")]
    print_meanings(told)
    parts = [row for row in everything if (row["kind"], row["name"]) in targets]
    rows = parts or [row for row in everything if ("kind", row["kind"]) in targets]
    if told and rows:
        click.echo()
    if rows:
        _print_rows(rows, in_full=parts)
    elsewhere = [each for each in meanings if each.kind in ("option", "preset", "puzzle")]
    if elsewhere:
        click.echo()
    for line in dict.fromkeys(command_for(each) for each in elsewhere):
        click.echo(f"  {line}")


def _print_other_meanings(name: str, rows: list[Row]) -> None:
    """Print what else the name of a part means in reports: report 004's swap is another part."""
    from genoku.evolve.terms import find

    known = {(row["kind"], row["name"]) for row in rows}
    others = [each for each in find(name) if each.source and each.target not in known]
    if others:
        click.echo()
        print_meanings(others)


def _print_rows(rows: list[Row], in_full: Sequence[Row] = (), *, briefly: bool = False) -> None:
    print_groups(
        [(row["kind"], row["name"], row["doc"], _parameter_lines(row, briefly)) for row in rows]
    )
    for row in in_full:
        _print_part(row)


def _term_records(row: Row) -> list[dict[str, Any]]:
    from genoku.evolve.terms import terms_of

    return [meaning_record(each) for each in terms_of(row["kind"], row["name"])]


def _parameter_lines(row: Row, briefly: bool) -> list[tuple[str, str]]:
    """One line per parameter, or one line in all."""
    words = [f"{each['name']}={_default(each['default'])}" for each in row["parameters"]]
    if briefly:
        return [("", ", ".join(words))] if words else []
    choices = [
        " | ".join(map(str, each["choices"])) if each["type"] == "choice" else each["type"]
        for each in row["parameters"]
    ]
    return [(f"{word}  ", f"({choice})") for word, choice in zip(words, choices, strict=True)]


def _print_part(row: Row) -> None:
    """Print what a part does, its sources, what else it is called, and what DEAP has instead."""
    from genoku.evolve.terms import terms_of

    for paragraph in filter(None, row["about"].split("\n\n")):
        click.echo()
        for point in re.split(r"\n(?=- )", paragraph):
            line = " ".join(point.split())
            is_point = line.startswith("- ")
            click.echo(wrap_text("    - " if is_point else "  ", line[2:] if is_point else line))
    click.echo("\n  Sources:")
    for source in row["sources"] or ["genoku's own"]:
        click.echo(wrap_text("    - ", source))
    if elsewhere := [each for each in terms_of(row["kind"], row["name"]) if each.cite]:
        click.echo("\n  Terms:")
        print_names_elsewhere(elsewhere, "    - ")
    names = " and ".join(row["deap"]) or "none."
    click.echo(wrap_text("  In DEAP: ", f"{names} {row['in_deap']}"))


def _default(value: Any) -> str:
    """A default in the syntax of `--set`; a part by its name only."""
    return "required" if value is None else recipe_text(value, MAX_DEPTH)
