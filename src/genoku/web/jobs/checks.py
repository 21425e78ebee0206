"""Whether a recipe can be run as it is, and what a recipe's file says."""

from __future__ import annotations

import tomllib
from typing import Any, TypedDict

from genoku.board import Puzzle
from genoku.collection import bundled
from genoku.errors import GenokuError, RecipeError
from genoku.geometry import Geometry
from genoku.preset_library import preset
from genoku.preset_library.own import UNTIL, from_facts
from genoku.recipe import as_toml, build, describe
from genoku.stopping import Until
from genoku.toml import parse_toml
from genoku.web.jobs.misfits import Trouble, simple, trouble
from genoku.web.limits import Limits
from genoku.web.stage.plans import chosen_by, with_settings


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

    `asked` has `preset`, `recipe`, `settings`, `until`, `seed` and `name`, as a run's plan has
    them.
    """
    name, recipe = asked["preset"], asked["recipe"]
    until = asked["until"]
    if recipe is None:
        found = preset(name)
        recipe, until = found.recipe, until or found.until
    until = until or UNTIL
    try:
        recipe = with_settings(recipe, asked["settings"])
        problem = trouble(recipe)
    except RecipeError as error:
        problem = simple(str(error), "")
    if problem is not None:
        return Checked(ok=False, recipe=None, toml="", name=name, until=until, problem=problem)
    whole = describe(build(recipe))
    board = _board(puzzle, box)
    told, problem = _within_limits(asked, whole, until, board, limits)
    toml = as_toml(whole)
    if puzzle and isinstance(board, Puzzle):
        toml = recipe_file(whole, until, asked["seed"], board, asked["name"])
    return Checked(
        ok=problem is None,
        recipe=whole,
        toml=toml,
        name=told or name,
        until=until,
        problem=problem,
    )


def recipe_file(
    recipe: dict[str, Any], until: str, seed: int, puzzle: Puzzle, name: str, about: str = ""
) -> str:
    """A recipe's file with all that decides a run, which `read` and `genoku solve` read back."""
    known = bundled().get(name)
    if known is not None and known.puzzle == puzzle:
        board = {"puzzle": name}
    else:
        board = {"puzzle": str(puzzle), "box": puzzle.geometry.box}
    said = {"about": about} if about else {}
    return as_toml({**said, **board, "until": until, "seed": seed, "recipe": recipe})


def read(text: str) -> dict[str, Any]:
    """What a TOML file says: one like those of the presets, or the recipe alone."""
    try:
        facts = parse_toml(text.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        raise RecipeError(f"expected TOML: {error}") from None
    found = from_facts(facts, str(facts.get("name", "")))
    answer = {
        "recipe": describe(found.build()),
        "name": found.name,
        "about": found.about,
        "until": found.until,
        "seed": found.seed,
    }
    if "puzzle" not in facts:
        return answer | {"puzzle": "", "box": "", "puzzle_name": ""}
    known = found.puzzle_name if found.puzzle_name in bundled() else ""
    board = {"puzzle": str(found.puzzle), "box": found.puzzle.geometry.box, "puzzle_name": known}
    return answer | board


def _board(puzzle: str | None, box: str | None) -> Puzzle | str:
    """The puzzle, or why there is none; an empty one of 9×9 where none was named."""
    try:
        if puzzle:
            known = bundled().get(puzzle)
            return known.puzzle if known else Puzzle.parse(puzzle, box=box)
        geometry = Geometry.parse(box) if box else Geometry.of_side(9)
        return Puzzle(geometry, bytes(geometry.cells))
    except GenokuError as error:
        return str(error)


def _within_limits(
    asked: dict[str, Any],
    recipe: dict[str, Any],
    until: str,
    board: Puzzle | str,
    limits: Limits,
) -> tuple[str, Trouble | None]:
    """What a run of it would be called, and what is beyond what a server gives."""
    try:
        Until.parse(until)
    except RecipeError as error:
        return "", simple(str(error), "until")
    if isinstance(board, str):
        return "", simple(board, "puzzle")
    try:
        return chosen_by(asked, until, board.geometry, limits).name, None
    except RecipeError as error:
        return "", simple(str(error), _where_boards_are_counted(recipe))


def _where_boards_are_counted(recipe: dict[str, Any]) -> str:
    inner = recipe.get("algorithm")
    if isinstance(inner, dict):
        return f"algorithm.{_where_boards_are_counted(inner)}".rstrip(".")
    more = recipe.get("offspring", 0) > recipe.get("population", 0)
    return "offspring" if more else "population" if "population" in recipe else ""
