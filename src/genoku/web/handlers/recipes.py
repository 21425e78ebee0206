"""Recipes for the page: the presets, whether a recipe can be run as it is, and recipe files."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from typing import Any

from genoku.board import Puzzle
from genoku.collection import bundled
from genoku.errors import GenokuError, RecipeError
from genoku.geometry import Geometry
from genoku.preset_library import USUAL_LIMITS, Preset, preset, presets, variants
from genoku.preset_library.named import with_settings
from genoku.preset_library.own import from_facts
from genoku.recipe import as_toml, build, describe, with_value
from genoku.stopping import Until
from genoku.toml import parse_toml
from genoku.web.limits import Limits
from genoku.web.live.choice import choose
from genoku.web.refusals import NotFoundError
from genoku.web.routes import recipes as models
from genoku.web.routes.recipes import Alternative, Checked, Read, ToCheck, Trouble, WholePreset

MOST_ALTERNATIVES = 16


def all_presets() -> list[models.Preset]:
    """The presets, each with its recipe in full."""
    return [models.Preset(**_facts(each)) for each in presets()]


def whole_preset(name: str) -> WholePreset:
    """One preset or variant: also what was open, where we differ, and what it can be varied by."""
    try:
        found = preset(name)
    except RecipeError as error:
        raise NotFoundError(str(error)) from None
    facts = _facts(found)
    return WholePreset(
        **facts,
        toml=as_toml(facts["recipe"]),
        left_open=list(found.left_open),
        differs=list(found.differs),
    )


def _facts(found: Preset) -> dict[str, Any]:
    try:
        axes = variants(found.name)
    except RecipeError:  # which is one itself
        axes = {}
    return {
        "name": found.name,
        "report": found.report,
        "about": found.about,
        "puzzle": found.puzzle_name,
        "until": found.until,
        "recipe": describe(found.build()),
        "variants": axes,
    }


def check(asked: ToCheck, limits: Limits) -> Checked:
    """Whether a preset or a recipe can be run with settings, and if not, why and what else can."""
    recipe: Any = asked.recipe
    until = asked.until
    if recipe is None:
        found = preset(asked.preset)
        recipe, until = found.recipe, until or found.until
    answer = Checked(ok=False, name=asked.preset, until=until or USUAL_LIMITS)
    try:
        recipe = with_settings(recipe, asked.settings)
        answer.problem = trouble(recipe)
    except RecipeError as error:
        answer.problem = Trouble(message=str(error))
    if answer.problem is None:
        answer.recipe = whole = describe(build(recipe))
        answer.toml = as_toml(whole)
        _check_the_run(asked, whole, answer, limits)
    answer.ok = answer.problem is None
    return answer


def trouble(recipe: Any) -> Trouble | None:
    """Why a recipe cannot be built, at which of its fields, and changes that would mend it."""
    error = refusal(recipe)
    if error is None:
        return None
    path = ".".join(error.path)
    fixes = [fix for fix in _changes(recipe, error) if _mends(recipe, *fix, path)]
    inside = {
        where for where, _ in fixes if where.startswith(f"{path}.".lstrip(".")) and path != where
    }
    if len(inside) == 1 and "use" not in inside:
        path = inside.pop()
    fixes.sort(key=lambda fix: fix[0] != path)
    alternatives = [Alternative(path=where, value=value) for where, value in fixes]
    return Trouble(message=error.reason, path=path, alternatives=alternatives)


def refusal(recipe: Any) -> RecipeError | None:
    """What keeps a recipe from being built; None if nothing does."""
    try:
        build(recipe)
    except RecipeError as error:
        return error
    return None


def _changes(recipe: Any, error: RecipeError) -> Iterator[tuple[str, Any]]:
    """Paths and values to try: what the error names, else what is usual in the part at fault."""
    path, table = error.path, _at(recipe, error.path)
    if not error.alternatives and not isinstance(table, dict):
        path, table = path[:-1], {path[-1]: table} if path else {}
    whole = _as_it_comes(recipe, path)
    usual = _at(whole, path)
    usual = usual if isinstance(usual, dict) else {}
    used = table if isinstance(table, str) else (table or usual).get("use")
    for value in error.alternatives[:MOST_ALTERNATIVES]:
        if isinstance(value, dict) and value["use"] == used:
            (key,) = value.keys() - {"use"}
            yield ".".join((*path, key)), value[key]
        else:
            yield ".".join(path) or "use", value
    if not error.alternatives and isinstance(table, dict):
        for key, value in table.items():
            if key != "use" and usual.get(key, value) != value:
                yield ".".join((*path, key)), usual[key]


def _mends(recipe: Any, where: str, value: Any, path: str) -> bool:
    """Whether a recipe can be built after a change, or is next refused somewhere else."""
    try:
        rest = refusal(with_value(recipe, where, value))
    except RecipeError:
        return False
    return rest is None or (path != "" and not ".".join(rest.path).startswith(path))


def _as_it_comes(recipe: Any, path: tuple[str, ...]) -> Any:
    """A recipe in full with the part at a path as it is by default; None if it cannot be built."""
    part = _at(recipe, path)
    try:
        if not isinstance(part, dict):
            return describe(build(recipe["use"]))
        return describe(build(with_value(recipe, ".".join(path) or "use", part["use"])))
    except (RecipeError, KeyError):  # also where nothing says what to use
        return None


def _at(recipe: Any, path: tuple[str, ...]) -> Any:
    """What a recipe has at a path; None where it leaves that to defaults."""
    for key in path:
        try:
            recipe = recipe[int(key) if isinstance(recipe, list) else key]
        except (LookupError, TypeError, ValueError):
            return None
    return recipe


def _check_the_run(asked: ToCheck, recipe: dict[str, Any], answer: Checked, limits: Limits) -> None:
    """Say what a run of a recipe would be called, its file, and what is beyond the limits."""
    place = "puzzle"
    try:
        board = _board(asked.puzzle, asked.box)
        if asked.puzzle:
            answer.toml = recipe_file(recipe, answer.until, asked.seed, board, asked.name)
        place = "until"
        Until.parse(answer.until)
        place = _where_boards_are_counted(recipe)
        answer.name = choose(asked, answer.until, board.geometry, limits).name
    except GenokuError as error:
        answer.problem = Trouble(message=str(error), path=place)


def _board(puzzle: str | None, box: str | None) -> Puzzle:
    """The puzzle; an empty one of 9×9 where none was named."""
    if puzzle:
        known = bundled().get(puzzle)
        return known.puzzle if known else Puzzle.parse(puzzle, box=box)
    geometry = Geometry.parse(box) if box else Geometry.of_side(9)
    return Puzzle(geometry, bytes(geometry.cells))


def _where_boards_are_counted(recipe: dict[str, Any]) -> str:
    inner = recipe.get("algorithm")
    if isinstance(inner, dict):
        return f"algorithm.{_where_boards_are_counted(inner)}".rstrip(".")
    more = recipe.get("offspring", 0) > recipe.get("population", 0)
    return "offspring" if more else "population" if "population" in recipe else ""


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


def read(text: str) -> Read:
    """What a TOML file says: one like those of the presets, or the recipe alone."""
    try:
        facts = parse_toml(text.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        raise RecipeError(f"expected TOML: {error}") from None
    found = from_facts(facts, str(facts.get("name", "")))
    answer = Read(
        recipe=describe(found.build()),
        name=found.name,
        about=found.about,
        until=found.until,
        seed=found.seed,
    )
    if "puzzle" in facts:
        answer.puzzle, answer.box = str(found.puzzle), found.puzzle.geometry.box
        answer.puzzle_name = found.puzzle_name if found.puzzle_name in bundled() else ""
    return answer
