"""`genoku puzzles`, `genoku presets` and `genoku operators`: what genoku comes with."""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING, Any

import click

from genoku.cli import completion
from genoku.cli.options import command, json_option, load_preset
from genoku.cli.output import print_groups, print_json, wrap_text
from genoku.errors import RecipeError
from genoku.evolve.user.errors import user_modules
from genoku.puzzle.bundled_puzzles import bundled
from genoku.runtime.text import did_you_mean

if TYPE_CHECKING:
    from genoku.evolve.presets import Preset

HEADINGS = {"genoku": "genoku's own", "controls": "Controls, for comparison"}


@command()
@json_option
def puzzles(as_json: bool) -> None:
    """List the puzzles that come with genoku.

    Examples:
      genoku puzzles                 list names, sizes, givens and sources
      genoku puzzles --json          list the boards too
      genoku solve golden-nugget     solve one of them
    """
    all_puzzles = bundled().values()
    if as_json:
        print_json(
            [
                {
                    "name": one.name,
                    "size": one.puzzle.side,
                    "givens": one.puzzle.givens,
                    "solutions": one.solutions,
                    "source": one.source,
                    "note": one.note,
                    "puzzle": str(one.puzzle),
                }
                for one in all_puzzles
            ]
        )
        return
    wide = max(len(one.name) for one in all_puzzles)
    for one in all_puzzles:
        size = f"{one.puzzle.side}×{one.puzzle.side}"
        note = f" ({one.note})" if one.note else ""
        click.echo(
            f"{one.name:<{wide}}  {size:<5}  {one.puzzle.givens:4} givens  {one.source}{note}"
        )


@command()
@click.argument("name", required=False, shell_complete=completion.presets_or_files)
@json_option
def presets(name: str | None, as_json: bool) -> None:
    """List the presets for `genoku solve`, or show one by its name or .toml file.

    Examples:
      genoku presets                     list all presets
      genoku presets simon               show one: source, choices, variants, recipe
      genoku presets poderosas-rank-row  show a variant: a name and a label for any axis
    """
    from genoku.evolve.presets import presets as all_presets

    if name:
        found = load_preset(name)
        print_json(_facts(found)) if as_json else _print_preset(found)
        return
    if as_json:
        print_json([_facts(each) for each in all_presets()])
        return
    print_groups(
        [
            (HEADINGS.get(each.group, each.group), each.name, each.title, [("", each.character)])
            for each in all_presets()
        ]
    )
    click.echo("\nTo run one: genoku solve --preset NAME. To see one in full: genoku presets NAME.")


def _axes(name: str) -> dict[str, list[str]]:
    """The variants of a preset; none if it is a variant itself."""
    from genoku.evolve.presets import variants

    try:
        return variants(name)
    except RecipeError:
        return {}


def _facts(found: Preset) -> dict[str, Any]:
    return {
        "name": found.name,
        "title": found.title,
        "character": found.character,
        "group": found.group,
        "report": found.report,
        "about": found.about,
        "puzzle": found.puzzle_name,
        "until": found.until,
        "left_open": list(found.left_open),
        "differs": list(found.differs),
        "variants": _axes(found.name),
        "recipe": found.recipe,
    }


def _print_preset(found: Preset) -> None:
    from genoku.evolve.recipe import as_toml, describe

    click.echo(f"{found.name}: {found.title}")
    for text in filter(None, (found.character, found.report, found.about)):
        click.echo(wrap_text("", f"{text[:1].upper()}{text[1:]}"))
    click.echo(f"\nPuzzle: {found.puzzle_name}    Until: {found.until}")
    for title, points in (
        (found.choices_heading, found.left_open),
        ("Where we differ", found.differs),
    ):
        if points:
            click.echo(f"\n{title}:")
        for point in points:
            click.echo(wrap_text("  - ", point))
    if axes := _axes(found.name):
        click.echo("\nVariants, named by a label for any axis, in this order:")
        for axis, labels in axes.items():
            click.echo(f"  {axis}: {' | '.join(labels)}")
    click.echo("\nRecipe:\n")
    # Recipes with users' own parts are shown as they are, so that nothing is imported.
    whole = found.recipe if user_modules(found.recipe) else describe(found.build())
    click.echo(textwrap.indent(as_toml(whole).rstrip(), "  "))


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
    words = [f"{each['name']}={_default(each)}" for each in row["parameters"]]
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


def _default(parameter: dict[str, Any]) -> str:
    """A default in the syntax of `--set`; a part by its name only."""
    default = parameter["default"]
    if isinstance(default, dict):
        return str(default["use"])
    if isinstance(default, list):
        names = (each["use"] if isinstance(each, dict) else str(each) for each in default)
        return f"[{', '.join(names)}]"
    if isinstance(default, bool):
        return "true" if default else "false"
    return "required" if default is None else str(default)
