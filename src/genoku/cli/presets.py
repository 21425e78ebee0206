"""`genoku presets`: list the presets, or show one in full."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

import click

from genoku.cli import completion
from genoku.cli.options import command, json_option, load_preset
from genoku.cli.output import print_groups, print_json, wrap_text
from genoku.cli.terms import (
    command_for,
    meaning_record,
    print_meanings,
    print_names_elsewhere,
    several_meanings,
    target_text,
)
from genoku.errors import RecipeError
from genoku.evolve.user.errors import user_modules
from genoku.runtime.text import did_you_mean

if TYPE_CHECKING:
    from genoku.evolve.presets import Preset
    from genoku.evolve.terms import Meaning

HEADINGS = {"genoku": "genoku's own", "controls": "Controls, for comparison"}


@command()
@click.argument("name", required=False, shell_complete=completion.presets_or_files)
@json_option
def presets(name: str | None, as_json: bool) -> None:
    """List the presets for `genoku evolve`, or show one by its name or .toml file.

    NAME may also be what a report or a textbook calls a run, a model or an algorithm.

    Examples:
      genoku presets                     list all presets
      genoku presets simon               show one: source, choices, variants, recipe
      genoku presets poderosas-rank-row  show a variant: a name and a label for any axis
      genoku presets long_run            show the preset of a report's run
      genoku presets "model 9"           show the preset of a report's model
    """
    from genoku.evolve.presets import presets as all_presets

    if name:
        found, meanings = _find(name)
        if as_json:
            terms = [meaning_record(each) for each in meanings or _terms_of(found)]
            print_json(_facts(found) | {"terms": terms})
            return
        if meanings:
            print_meanings(meanings)
            click.echo()
        _print_preset(found)
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
    click.echo(
        "\nTo run one: genoku evolve --preset NAME. To see one in full: genoku presets NAME."
    )


def _find(name: str) -> tuple[Preset, list[Meaning]]:
    """The preset of a name or file, or the one that a term means, with those meanings.

    Raises
    ------
    RecipeError
        If there is none, or if a term means several.
    """
    try:
        return load_preset(name), []
    except RecipeError as error:
        if name.endswith(".toml"):
            raise
        unknown = error
    from genoku.evolve.presets import presets as all_presets
    from genoku.evolve.terms import find, terms

    found = find(name)
    meanings = [each for each in found if each.kind == "preset"]
    names = dict.fromkeys(each.name for each in meanings)
    if len(names) > 1:
        raise several_meanings(name, meanings)
    if meanings:
        return load_preset(meanings[0].name), [each for each in meanings if each.source]
    if found:
        commands = dict.fromkeys(command_for(each) for each in found if each.kind != "word")
        raise RecipeError(
            f"expected the name of a preset, got {name!r}, which means {target_text(found[0])}"
            f"{': ' if commands else ''}{' or '.join(commands)}",
            alternatives=commands,
        )
    if not did_you_mean(name, [each.name for each in all_presets()]):
        of_presets = [each.term for each in terms() if each.kind == "preset"]
        if hint := did_you_mean(name, of_presets):
            raise RecipeError(f"expected the name of a preset, got {name!r}{hint}")
    raise unknown


def _terms_of(found: Preset) -> list[Meaning]:
    from genoku.evolve.terms import terms_of

    return terms_of("preset", found.name)


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


def _citation(found: Preset) -> str:
    """The source of a preset; of a report also its title and where its code is."""
    from genoku.reports import cited_report

    report = cited_report(found.report)
    return f"{found.report}. {report.source}" if report else found.report


def _print_preset(found: Preset) -> None:
    from genoku.evolve.recipe import as_toml, describe

    click.echo(f"{found.name}: {found.title}")
    for text in filter(None, (found.character, _citation(found), found.about)):
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
    if terms := _terms_of(found):
        click.echo("\nTerms:")
        print_names_elsewhere(terms)
    if axes := _axes(found.name):
        click.echo("\nVariants, named by a label for any axis, in this order:")
        for axis, labels in axes.items():
            click.echo(f"  {axis}: {' | '.join(labels)}")
    click.echo("\nRecipe:\n")
    # Recipes with users' own parts are shown as they are, so that nothing is imported.
    whole = found.recipe if user_modules(found.recipe) else describe(found.build())
    click.echo(textwrap.indent(as_toml(whole).rstrip(), "  "))
