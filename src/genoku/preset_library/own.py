"""Recipes of one's own, from files like those of the presets."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path
from typing import Any

from genoku import collection
from genoku.errors import RecipeError, located
from genoku.preset_library.named import USUAL_LIMITS, Preset
from genoku.recipe import changed
from genoku.stopping import LARGEST_SEED, Until
from genoku.toml import read_toml

TEXTS = ("name", "report", "about", "puzzle", "box", "until")
KEYS = (*TEXTS, "seed", "left_open", "differs", "recipe")


def with_own_parts() -> None:
    """Let recipes name parts of modules in the folder where the command is called."""
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)  # last, so that nothing there hides a module of Python


def from_file(path: str) -> Preset:
    """A recipe of one's own: a file like those of the presets, or the recipe alone.

    It may also say on which board (`puzzle` as text, `box`) and with which `seed` it was run.
    """
    try:
        facts = read_toml(path)
    except tomllib.TOMLDecodeError as error:
        raise RecipeError(f"{path}: expected TOML: {error}") from None
    with located(source=path):
        return from_facts(facts, Path(path).stem)


def from_facts(facts: dict[str, Any], name: str) -> Preset:
    """The recipe that a file's table holds."""
    if "use" in facts:
        facts = {"recipe": facts}
    if "recipe" not in facts:
        raise RecipeError('expected a table [recipe], or use = "genetic" and its parts')
    for key, value in facts.items():
        if key not in KEYS:
            raise RecipeError(f"expected keys among {', '.join(KEYS)}, got {key!r}")
        if key in TEXTS and not isinstance(value, str):
            raise RecipeError(f"expected text as {key}, got {value!r}")
        if key in ("left_open", "differs") and not _are_texts(value):
            raise RecipeError(f"expected a list of texts as {key}, got {value!r}")
    seed = facts.get("seed")
    if seed is not None and (type(seed) is not int or not 0 <= seed <= LARGEST_SEED):
        raise RecipeError(f"expected a seed from 0 to {LARGEST_SEED}, got {seed!r}")
    found = Preset(
        name=name,
        report=facts.get("report", ""),
        about=facts.get("about", ""),
        puzzle_name=facts.get("puzzle", collection.DEFAULT),
        until=facts.get("until") or USUAL_LIMITS,
        left_open=tuple(facts.get("left_open", ())),
        differs=tuple(facts.get("differs", ())),
        recipe=facts["recipe"],
        box=facts.get("box", ""),
        seed=seed,
    )
    try:
        found.puzzle  # noqa: B018 (there may be none of that name)
    except ValueError as error:
        raise RecipeError(
            "expected the name of a bundled puzzle, empty 9, or a board as puzzle, "
            f"got {found.puzzle_name[:60]!r}: {error}"
        ) from None
    Until.parse(found.until)
    changed(found.recipe, ())  # it may be no table at all
    return found


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)
