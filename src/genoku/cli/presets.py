"""`genoku presets` and `genoku operators`: what there is to evolve with, from the catalogue."""

from __future__ import annotations

import difflib
import re
import textwrap
from typing import TYPE_CHECKING, Any

import click

from genoku.cli import completion
from genoku.cli.options import found_preset, json_option
from genoku.cli.output import print_json
from genoku.errors import RecipeError
from genoku.failures import modules_of

if TYPE_CHECKING:
    from genoku.preset_library import Preset

WIDTH = 96


@click.command(
    name="presets",
    epilog="""\b
Examples:
  genoku presets                     all of them
  genoku presets simon               one in full: source, choices, recipe, variants
  genoku presets poderosas-rank-row  a variant: the name, and a label for any of its axes
""",
)
@click.argument("name", required=False, shell_complete=completion.presets_or_files)
@json_option
def presets(name: str | None, as_json: bool) -> None:
    """List the presets for `solve`, or show one in full, by its name or its file (.toml)."""
    from genoku.preset_library import presets as listed

    if name:
        found = found_preset(name)
        print_json(_facts(found)) if as_json else _show(found)
        return
    if as_json:
        print_json([_facts(each) for each in listed()])
        return
    named = sorted(listed(), key=lambda each: each.report)
    wide = max(len(each.name) for each in named)
    source = ""
    for each in named:
        if each.report != source:
            click.echo(("\n" if source else "") + each.report)
            source = each.report
        click.echo(_filled(f"  {each.name:<{wide}}  ", each.about))
        if axes := _axes(each.name):
            words = (f"{axis}: {' | '.join(labels)}" for axis, labels in axes.items())
            click.echo(_filled(" " * (wide + 4), f"({'; '.join(words)})"))
    click.echo("\nA variant is a preset's name and a label for any of its axes, in their order.")


def _axes(name: str) -> dict[str, list[str]]:
    """The variants of a preset that is no variant itself."""
    from genoku.preset_library import variants

    try:
        return variants(name)
    except RecipeError:
        return {}


def _filled(start: str, text: str) -> str:
    """Text after a start, wrapped so that it stays in its column."""
    indent = " " * len(start)
    return textwrap.fill(text, WIDTH, initial_indent=start, subsequent_indent=indent)


def _facts(found: Preset) -> dict[str, Any]:
    return {
        "name": found.name,
        "report": found.report,
        "about": found.about,
        "puzzle": found.puzzle_name,
        "until": found.until,
        "left_open": list(found.left_open),
        "differs": list(found.differs),
        "variants": _axes(found.name),
        "recipe": found.recipe,
    }


def _show(found: Preset) -> None:
    from genoku.recipe import as_toml, describe

    click.echo(f"{found.name}: {found.about}")
    click.echo(_filled("", found.report))
    click.echo(f"\nPuzzle: {found.puzzle_name}    Until: {found.until}")
    for title, points in (
        (found.chosen_title, found.left_open),
        ("Where we differ", found.differs),
    ):
        if points:
            click.echo(f"\n{title}:")
        for point in points:
            click.echo(_filled("  - ", point))
    if _axes(found.name):
        click.echo("\nVariants, one label for any axis in this order:")
        for axis, labels in _axes(found.name).items():
            click.echo(f"  {axis}: {' | '.join(labels)}")
    click.echo("\nRecipe:\n")
    # Parts of somebody's own are shown as the file has them: nothing is imported for it.
    whole = found.recipe if modules_of(found.recipe) else describe(found.build())
    click.echo(textwrap.indent(as_toml(whole).rstrip(), "  "))


@click.command(
    name="operators",
    epilog="""\b
Examples:
  genoku operators                  every part, by kind
  genoku operators crossover        one kind, with parameters
  genoku operators tournament       one part, with all there is to say about it
""",
)
@click.argument("kind", required=False, metavar="[KIND|NAME]", shell_complete=completion.operators)
@json_option
def operators(kind: str | None, as_json: bool) -> None:
    """List the parts that recipes are made of, with what `--set` can change."""
    from genoku.recipe import catalogue

    everything = catalogue()
    rows = [row for row in everything if kind in (None, row["kind"], row["name"])]
    if not rows:
        known = list(dict.fromkeys(row[key] for key in ("kind", "name") for row in everything))
        near = difflib.get_close_matches(kind or "", known, 3)
        hint = f" (did you mean {' or '.join(near)}?)" if near else ""
        kinds = ", ".join(dict.fromkeys(row["kind"] for row in everything))
        raise RecipeError(f"expected a kind ({kinds}) or a name, got {kind!r}{hint}")
    if as_json:
        print_json(rows)
        return
    wide = max(len(row["name"]) for row in rows)
    shown = ""
    for row in rows:
        if row["kind"] != shown:
            click.echo(("\n" if shown else "") + row["kind"])
            shown = row["kind"]
        click.echo(_filled(f"  {row['name']:<{wide}}  ", row["doc"]))
        indent = " " * (wide + 4)
        words = [f"{each['name']}={_default(each)}" for each in row["parameters"]]
        if kind is None and words:
            click.echo(_filled(indent, ", ".join(words)))
        elif kind is not None:
            for setting, each in zip(words, row["parameters"], strict=True):
                click.echo(_filled(f"{indent}{setting}  ", _choices(each)))
        if kind == row["name"]:
            click.echo("".join(f"\n{line}\n" for line in _paragraphs(row["about"])), nl=False)
            _show_references(row)


def _show_references(row: dict[str, Any]) -> None:
    """Where a part comes from, and what DEAP has for it."""
    click.echo("\n  Sources:")
    for source in row["sources"] or ["genoku's own"]:
        click.echo(_filled("    - ", source))
    named = " and ".join(row["deap"]) or "none."
    click.echo(_filled("  In DEAP: ", f"{named} {row['in_deap']}"))


def _paragraphs(text: str) -> list[str]:
    """Paragraphs filled to the width, the points of a list each on lines of their own."""
    return [
        "\n".join(_filled(*_point(point)) for point in re.split(r"\n(?=- )", paragraph))
        for paragraph in text.split("\n\n")
        if paragraph
    ]


def _point(text: str) -> tuple[str, str]:
    """How a paragraph or a point of a list starts, and its text on one line."""
    line = " ".join(text.split())
    return ("    - ", line[2:]) if line.startswith("- ") else ("  ", line)


def _default(parameter: dict[str, Any]) -> str:
    """A default as `--set` would say it; a part by its name alone."""
    default = parameter["default"]
    if isinstance(default, dict):
        return str(default["use"])
    if isinstance(default, list):
        names = (each["use"] if isinstance(each, dict) else str(each) for each in default)
        return f"[{', '.join(names)}]"
    if isinstance(default, bool):
        return "true" if default else "false"
    return "required" if default is None else str(default)


def _choices(parameter: dict[str, Any]) -> str:
    kind, choices = parameter["type"], parameter["choices"]
    return f"({' | '.join(map(str, choices)) if kind == 'choice' else kind})"
