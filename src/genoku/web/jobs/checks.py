"""Whether a recipe can be run as it is, and what a recipe's file says."""

from __future__ import annotations

import tomllib
from typing import Any, TypedDict

from genoku.board import Puzzle
from genoku.collection import bundled
from genoku.errors import GenokuError, RecipeError
from genoku.geometry import Geometry
from genoku.presets import preset
from genoku.recipe import as_toml, build, describe
from genoku.stopping import Until
from genoku.toml import parse_toml
from genoku.web.jobs.misfits import Trouble, simple, trouble
from genoku.web.limits import Limits
from genoku.web.stage.plans import chosen_by, with_settings

FACTS = ("about", "report", "puzzle", "until", "left_open", "differs", "name", "recipe")
TEXTS = ("name", "about", "report", "puzzle", "until")


class Checked(TypedDict):
    """What came of checking a recipe."""

    ok: bool
    recipe: dict[str, Any] | None
    """The whole of it, with all that it leaves to defaults; None where it cannot be built."""
    toml: str
    name: str
    """What pictures and verdicts call it."""
    until: str
    problem: Trouble | None


def check(asked: dict[str, Any], puzzle: str | None, box: str | None, limits: Limits) -> Checked:
    """Whether a preset or a recipe can be run with settings, and if not, why and what else can.

    `asked` has `preset`, `recipe`, `settings` and `until`, as a run's plan has them.
    """
    name, recipe = asked["preset"], asked["recipe"]
    until = asked["until"]
    if recipe is None:
        found = preset(name)
        recipe, until = found.recipe, until or found.until
    try:
        recipe = with_settings(recipe, asked["settings"])
        problem = trouble(recipe)
    except RecipeError as error:
        problem = simple(str(error), "")
    if problem is not None:
        return Checked(ok=False, recipe=None, toml="", name=name, until=until, problem=problem)
    whole = describe(build(recipe))
    told, problem = _within_limits(asked, whole, until, _geometry(puzzle, box), limits)
    return Checked(
        ok=problem is None,
        recipe=whole,
        toml=as_toml(whole),
        name=told or name,
        until=until,
        problem=problem,
    )


def read(text: str) -> dict[str, Any]:
    """The recipe of a TOML file: a file like those of the presets, or the recipe alone."""
    try:
        facts = parse_toml(text.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        raise RecipeError(f"expected TOML: {error}") from None
    return _read(facts)


def _read(facts: dict[str, Any]) -> dict[str, Any]:
    if "use" in facts:
        facts = {"recipe": facts}
    if not isinstance(facts.get("recipe"), dict | str):
        raise RecipeError('expected a table [recipe], or use = "genetic" and its parts')
    for key, value in facts.items():
        if key not in FACTS:
            raise RecipeError(f"expected keys among {', '.join(FACTS)}, got {key!r}")
        if key in TEXTS and not isinstance(value, str):
            raise RecipeError(f"expected text as {key}, got {value!r}")
    Until.parse(facts.get("until", ""))
    return {
        "recipe": describe(build(facts["recipe"])),
        **{key: facts.get(key, "") for key in TEXTS if key != "report"},
    }


def _geometry(puzzle: str | None, box: str | None) -> Geometry | str:
    """The shape of the puzzle, or why there is none; 9×9 where none was named."""
    try:
        if not puzzle:
            return Geometry.parse(box) if box else Geometry.of_side(9)
        known = bundled().get(puzzle)
        return known.puzzle.geometry if known else Puzzle.parse(puzzle, box=box).geometry
    except GenokuError as error:
        return str(error)


def _within_limits(
    asked: dict[str, Any],
    recipe: dict[str, Any],
    until: str,
    geometry: Geometry | str,
    limits: Limits,
) -> tuple[str, Trouble | None]:
    """What a run of it would be called, and what is beyond what a server gives."""
    try:
        Until.parse(until)
    except RecipeError as error:
        return "", simple(str(error), "until")
    if isinstance(geometry, str):
        return "", simple(geometry, "puzzle")
    try:
        return chosen_by(asked, until, geometry, limits).name, None
    except RecipeError as error:
        return "", simple(str(error), _where_boards_are_counted(recipe))


def _where_boards_are_counted(recipe: dict[str, Any]) -> str:
    inner = recipe.get("algorithm")
    if isinstance(inner, dict):
        return f"algorithm.{_where_boards_are_counted(inner)}".rstrip(".")
    more = recipe.get("offspring", 0) > recipe.get("population", 0)
    return "offspring" if more else "population" if "population" in recipe else ""
