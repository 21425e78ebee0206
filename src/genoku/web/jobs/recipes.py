"""Recipes for the page: the catalogue, the presets, and whether a recipe can be run as it is.

The server imports this to tell clerks what to do, so nothing heavy is imported before they do it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from genoku.errors import RecipeError
from genoku.web.refusals import NotFoundError

if TYPE_CHECKING:
    from genoku.preset_library import Preset
    from genoku.web.jobs.checks import Checked
    from genoku.web.limits import Limits


def catalogue() -> list[dict[str, Any]]:
    """Every part that recipes are made of."""
    from genoku.recipe import catalogue as rows

    return rows()


def listed() -> list[dict[str, Any]]:
    """The presets, each with its recipe in full."""
    from genoku.preset_library import presets

    return [_facts(each) for each in presets()]


def shown(name: str) -> dict[str, Any]:
    """One preset or variant: also what was open, where we differ, and what it can be varied by."""
    from genoku.preset_library import preset
    from genoku.recipe import as_toml, describe

    try:
        found = preset(name)
    except RecipeError as error:
        raise NotFoundError(str(error)) from None
    return {
        **_facts(found),
        "toml": as_toml(describe(found.build())),
        "left_open": list(found.left_open),
        "differs": list(found.differs),
    }


def check(asked: dict[str, Any], puzzle: str | None, box: str | None, limits: Limits) -> Checked:
    """Whether a preset or a recipe can be run with settings, and if not, why and what else can."""
    from genoku.web.jobs import checks

    return checks.check(asked, puzzle, box, limits)


def read(text: str) -> dict[str, Any]:
    """The recipe of a TOML file's text."""
    from genoku.web.jobs import checks

    return checks.read(text)


def _facts(found: Preset) -> dict[str, Any]:
    from genoku.recipe import describe

    return {
        "name": found.name,
        "report": found.report,
        "about": found.about,
        "puzzle": found.puzzle_name,
        "until": found.until,
        "recipe": describe(found.build()),
        "variants": _axes(found.name),
    }


def _axes(name: str) -> dict[str, list[str]]:
    from genoku.preset_library import variants

    try:
        return variants(name)
    except RecipeError:  # which is one itself
        return {}
