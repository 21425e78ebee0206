"""`genoku operators`: list the parts that recipes are made of."""

from __future__ import annotations

import re
from typing import Any

import click

from genoku.cli import completion
from genoku.cli.options import command, json_option
from genoku.cli.output import print_groups, print_json, wrap_text
from genoku.cli.study import MAX_DEPTH, recipe_text
from genoku.errors import RecipeError
from genoku.runtime.text import did_you_mean


@command()
@click.argument("kind", required=False, metavar="[KIND|NAME]", shell_complete=completion.operators)
@json_option
def operators(kind: str | None, as_json: bool) -> None:
    """List the parts that recipes are made of, and the parameters that `--set` can change.

    Examples:
      genoku operators                  list every part, by kind
      genoku operators crossover        list one kind, with its parameters
      genoku operators tournament       show one part in full
    """
    from genoku.evolve.parts import catalogue

    everything = catalogue()
    rows = [row for row in everything if kind in (None, row["kind"], row["name"])]
    if not rows:
        kinds = dict.fromkeys(row["kind"] for row in everything)
        hint = did_you_mean(kind or "", [*kinds, *(row["name"] for row in everything)])
        raise RecipeError(f"expected a kind ({', '.join(kinds)}) or a name, got {kind!r}{hint}")
    if as_json:
        print_json(rows)
        return
    print_groups(
        [(row["kind"], row["name"], row["doc"], _parameter_lines(row, kind)) for row in rows]
    )
    for row in rows:
        if kind == row["name"]:
            _print_part(row)


def _parameter_lines(row: dict[str, Any], kind: str | None) -> list[tuple[str, str]]:
    """One line per parameter, or one line in all if every part is listed."""
    words = [f"{each['name']}={_default(each['default'])}" for each in row["parameters"]]
    if kind is None:
        return [("", ", ".join(words))] if words else []
    choices = [
        " | ".join(map(str, each["choices"])) if each["type"] == "choice" else each["type"]
        for each in row["parameters"]
    ]
    return [(f"{word}  ", f"({choice})") for word, choice in zip(words, choices, strict=True)]


def _print_part(row: dict[str, Any]) -> None:
    """Print what a part does, its sources, and what DEAP has instead."""
    for paragraph in filter(None, row["about"].split("\n\n")):
        click.echo()
        for point in re.split(r"\n(?=- )", paragraph):
            line = " ".join(point.split())
            is_point = line.startswith("- ")
            click.echo(wrap_text("    - " if is_point else "  ", line[2:] if is_point else line))
    click.echo("\n  Sources:")
    for source in row["sources"] or ["genoku's own"]:
        click.echo(wrap_text("    - ", source))
    names = " and ".join(row["deap"]) or "none."
    click.echo(wrap_text("  In DEAP: ", f"{names} {row['in_deap']}"))


def _default(value: Any) -> str:
    """A default in the syntax of `--set`; a part by its name only."""
    return "required" if value is None else recipe_text(value, MAX_DEPTH)
