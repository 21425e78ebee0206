"""`genoku presets`: list the presets, or show one in full."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

import click

from genoku.cli import completion
from genoku.cli.options import command, json_option, load_preset
from genoku.cli.output import print_groups, print_json, wrap_text
from genoku.errors import RecipeError
from genoku.evolve.user.errors import user_modules

if TYPE_CHECKING:
    from genoku.evolve.presets import Preset

HEADINGS = {"genoku": "genoku's own", "controls": "Controls, for comparison"}


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
    texts = ("name", "title", "character", "group", "report", "about")
    return {
        **{name: getattr(found, name) for name in texts},
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
