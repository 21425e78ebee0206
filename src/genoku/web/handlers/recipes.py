"""Presets, checks of recipes with suggested fixes, and recipe files."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from genoku.errors import GenokuError, RecipeError
from genoku.evolve.presets import (
    DEFAULT_LIMITS,
    Preset,
    preset,
    preset_from_table,
    presets,
    variants,
)
from genoku.evolve.recipe import as_toml, build, describe, with_settings, with_value
from genoku.evolve.stopping import Until
from genoku.puzzle.board import Puzzle
from genoku.puzzle.bundled_puzzles import bundled
from genoku.runtime.toml import parse_toml
from genoku.web.http_errors import NotFoundError
from genoku.web.limits import Limits
from genoku.web.live.lanes import choose_lane, read_puzzle
from genoku.web.routes import recipes as api

MAX_ALTERNATIVES = 16


def all_presets() -> list[api.FullPresetAnswer]:
    """Return all presets, each with its recipe in full."""
    return [_preset_answer(each) for each in presets()]


def full_preset(name: str) -> api.FullPresetAnswer:
    """Return a preset or variant; NotFoundError if there is none of that name."""
    try:
        return _preset_answer(preset(name))
    except RecipeError as error:
        raise NotFoundError(str(error)) from None


def _preset_answer(found: Preset) -> api.FullPresetAnswer:
    recipe = describe(found.build())
    try:
        axes = variants(found.name)
    except RecipeError:  # it is a variant itself
        axes = {}
    puzzle = found.puzzle
    own = {"puzzle": found.puzzle_name, "board": str(puzzle), "box": puzzle.geometry.box}
    more = {"recipe": recipe, "toml": as_toml(recipe), "variants": axes}
    return api.FullPresetAnswer.model_validate({**asdict(found), **own, **more})


def check(asked: api.RecipeCheckRequest, limits: Limits) -> api.RecipeCheckAnswer:
    """Check whether a preset or recipe with settings can be run, and suggest fixes if not."""
    recipe: Any = asked.recipe
    until = asked.until
    if recipe is None:
        found = preset(asked.preset)
        recipe, until = found.recipe, until or found.until
    answer = api.RecipeCheckAnswer(ok=False, name=asked.preset, until=until or DEFAULT_LIMITS)
    place = ""  # the field at fault if the next line fails
    try:
        recipe = with_settings(recipe, asked.settings)
        answer.problem = diagnose(recipe)
        if answer.problem is None:
            answer.recipe = whole = describe(build(recipe))
            answer.toml = as_toml(whole)
            place = "puzzle"
            board = _board(asked)
            if asked.puzzle:
                answer.toml = recipe_file(whole, answer.until, asked.seed, board, asked.name)
            place = "until"
            Until.parse(answer.until)
            place = _population_path(whole)
            answer.name = choose_lane(asked, answer.until, board.geometry, limits).name
    except GenokuError as error:
        answer.problem = api.RecipeProblem(message=str(error), path=place)
    answer.ok = answer.problem is None
    return answer


def diagnose(recipe: Any) -> api.RecipeProblem | None:
    """Return why a recipe cannot be built, the field at fault, and changes that fix it."""
    error = build_error(recipe)
    if error is None:
        return None
    path = ".".join(error.path)
    fixes = [fix for fix in _candidate_fixes(recipe, error) if _is_fixed_by(recipe, fix, path)]
    below = f"{path}.".lstrip(".")
    inside = {fix.path for fix in fixes if fix.path.startswith(below) and fix.path != path}
    if len(inside) == 1 and "use" not in inside:
        path = inside.pop()
    fixes.sort(key=lambda fix: fix.path != path)
    return api.RecipeProblem(message=error.reason, path=path, alternatives=fixes)


def build_error(recipe: Any) -> RecipeError | None:
    """Return the error that building a recipe raises; None if it can be built."""
    try:
        build(recipe)
    except RecipeError as error:
        return error
    return None


def _candidate_fixes(recipe: Any, error: RecipeError) -> Iterator[api.Alternative]:
    """Yield changes to try: the error's alternatives, else defaults of the part at fault."""
    path, table = error.path, _at(recipe, error.path)
    if not error.alternatives and not isinstance(table, dict):
        path, table = path[:-1], {path[-1]: table} if path else {}
    whole = _with_default_part(recipe, path)
    usual = _at(whole, path)
    usual = usual if isinstance(usual, dict) else {}
    used = table if isinstance(table, str) else (table or usual).get("use")
    for value in error.alternatives[:MAX_ALTERNATIVES]:
        if isinstance(value, dict) and value["use"] == used:
            (key,) = value.keys() - {"use"}
            yield api.Alternative(path=".".join((*path, key)), value=value[key])
        else:
            yield api.Alternative(path=".".join(path) or "use", value=value)
    if not error.alternatives and isinstance(table, dict):
        for key, value in table.items():
            if key != "use" and usual.get(key, value) != value:
                yield api.Alternative(path=".".join((*path, key)), value=usual[key])


def _is_fixed_by(recipe: Any, fix: api.Alternative, path: str) -> bool:
    """Whether a change fixes the error at a path; the recipe may have others."""
    try:
        rest = build_error(with_value(recipe, fix.path, fix.value))
    except RecipeError:
        return False
    return rest is None or (path != "" and not ".".join(rest.path).startswith(path))


def _with_default_part(recipe: Any, path: tuple[str, ...]) -> Any:
    """Return a recipe in full with default parameters of the part at a path; None on errors."""
    part = _at(recipe, path)
    try:
        if not isinstance(part, dict):
            return describe(build(recipe["use"]))
        return describe(build(with_value(recipe, ".".join(path) or "use", part["use"])))
    except (RecipeError, KeyError):  # KeyError: without "use"
        return None


def _at(recipe: Any, path: tuple[str, ...]) -> Any:
    """Return the value of a recipe at a path; None if it is not set."""
    for key in path:
        try:
            recipe = recipe[int(key) if isinstance(recipe, list) else key]
        except (LookupError, TypeError, ValueError):
            return None
    return recipe


def _board(asked: api.RecipeCheckRequest) -> Puzzle:
    """Return the puzzle of a request; by default an empty board."""
    return read_puzzle(asked.puzzle or "empty", asked.box or None, asked.seed).puzzle


def _population_path(recipe: dict[str, Any]) -> str:
    inner = recipe.get("algorithm")
    if isinstance(inner, dict):
        return f"algorithm.{_population_path(inner)}".rstrip(".")
    more = recipe.get("offspring", 0) > recipe.get("population", 0)
    return "offspring" if more else "population" if "population" in recipe else ""


def recipe_file(
    recipe: dict[str, Any], until: str, seed: int, puzzle: Puzzle, name: str, about: str = ""
) -> str:
    """Return the TOML file of a run, which `read` and `genoku evolve` can read."""
    known = bundled().get(name)
    if known is not None and known.puzzle == puzzle:
        board = {"puzzle": name}
    else:
        board = {"puzzle": str(puzzle), "box": puzzle.geometry.box}
    said = {"about": about} if about else {}
    return as_toml({**said, **board, "until": until, "seed": seed, "recipe": recipe})


def read(text: str) -> api.RecipeReadAnswer:
    """Read a TOML file: one like those of the presets, or a recipe alone."""
    try:
        facts = parse_toml(text.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        raise RecipeError(f"expected TOML: {error}") from None
    found = preset_from_table(facts, str(facts.get("name", "")))
    board = {"puzzle": "", "box": "", "puzzle_name": ""}
    if "puzzle" in facts:
        known = found.puzzle_name if found.puzzle_name in bundled() else ""
        box = found.puzzle.geometry.box
        board = {"puzzle": str(found.puzzle), "box": box, "puzzle_name": known}
    return api.RecipeReadAnswer.model_validate(
        {**asdict(found), "recipe": describe(found.build()), **board}
    )
