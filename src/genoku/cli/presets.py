"""`genoku presets` and `genoku operators`: what there is to evolve with, from the catalogue."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from genoku.cli import completion
from genoku.cli.options import found_preset, json_option
from genoku.cli.output import print_json
from genoku.errors import RecipeError
from genoku.failures import modules_of
from genoku.words import did_you_mean

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
    rows = []
    for each in sorted(listed(), key=lambda each: each.report):
        axes = "; ".join(_axis_lines(each.name))
        rows.append((each.report, each.name, each.about, [("", f"({axes})")] if axes else []))
    _print_groups(rows)
    click.echo("\nA variant is a preset's name and a label for any of its axes, in their order.")


def _print_groups(rows: Sequence[tuple[str, str, str, Sequence[tuple[str, str]]]]) -> None:
    """Under each heading its names, with what is said of them, and more, in the same column."""
    wide = max(len(name) for _, name, _, _ in rows)
    heading = ""
    for group, name, about, more in rows:
        if group != heading:
            click.echo(("\n" if heading else "") + group)
            heading = group
        click.echo(_filled(f"  {name:<{wide}}  ", about))
        for start, text in more:
            click.echo(_filled(f"{'':{wide + 4}}{start}", text))


def _axes(name: str) -> dict[str, list[str]]:
    """The variants of a preset that is no variant itself."""
    from genoku.preset_library import variants

    try:
        return variants(name)
    except RecipeError:
        return {}


def _axis_lines(name: str) -> list[str]:
    return [f"{axis}: {' | '.join(labels)}" for axis, labels in _axes(name).items()]


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
    if axes := _axis_lines(found.name):
        click.echo("\nVariants, one label for any axis in this order:")
        click.echo(textwrap.indent("\n".join(axes), "  "))
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
        kinds = dict.fromkeys(row["kind"] for row in everything)
        hint = did_you_mean(kind or "", [*kinds, *(row["name"] for row in everything)])
        raise RecipeError(f"expected a kind ({', '.join(kinds)}) or a name, got {kind!r}{hint}")
    if as_json:
        print_json(rows)
        return
    _print_groups([(row["kind"], row["name"], row["doc"], _parameters(row, kind)) for row in rows])
    for row in rows:
        if kind == row["name"]:
            click.echo("".join(f"\n{line}\n" for line in _paragraphs(row["about"])), nl=False)
            _show_references(row)


def _parameters(row: dict[str, Any], kind: str | None) -> list[tuple[str, str]]:
    """The parameters on a line of their own each, or all on one where everything is listed."""
    words = [f"{each['name']}={_default(each)}" for each in row["parameters"]]
    if kind is None:
        return [("", ", ".join(words))] if words else []
    return [
        (f"{word}  ", _choices(each)) for word, each in zip(words, row["parameters"], strict=True)
    ]


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
