"""Recipes of one's own, from files like those of the presets."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from genoku import collection
from genoku.errors import RecipeError
from genoku.presets.named import Preset
from genoku.recipe import changed
from genoku.stopping import Until
from genoku.toml import read_toml

KEYS = ("name", "report", "about", "puzzle", "until", "left_open", "differs", "recipe")


def with_own_parts() -> None:
    """Let recipes name parts of modules in the folder where the command is called."""
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)  # last, so that nothing there hides a module of Python


def from_file(path: str) -> Preset:
    """A recipe of one's own: a file like those of the presets, or the recipe alone."""
    try:
        facts = read_toml(path)
    except tomllib.TOMLDecodeError as error:
        raise RecipeError(f"{path}: expected TOML: {error}") from None
    if "use" in facts:
        facts = {"recipe": facts}
    if "recipe" not in facts:
        raise RecipeError(f'{path}: expected a table [recipe], or use = "genetic" and its parts')
    for key, value in facts.items():
        if key not in KEYS:
            raise RecipeError(f"{path}: expected keys among {', '.join(KEYS)}, got {key!r}")
        if key in ("report", "about", "puzzle", "until") and not isinstance(value, str):
            raise RecipeError(f"{path}: expected text as {key}, got {value!r}")
        if key in ("left_open", "differs") and not _are_texts(value):
            raise RecipeError(f"{path}: expected a list of texts as {key}, got {value!r}")
    found = Preset(
        name=Path(path).stem,
        report=facts.get("report", ""),
        about=facts.get("about", ""),
        puzzle_name=facts.get("puzzle", collection.DEFAULT),
        until=facts.get("until", "generations=1000"),
        left_open=tuple(facts.get("left_open", ())),
        differs=tuple(facts.get("differs", ())),
        recipe=facts["recipe"],
    )
    try:
        found.puzzle  # noqa: B018 (there may be none of that name)
    except (KeyError, ValueError):
        raise RecipeError(
            f"{path}: expected the name of a bundled puzzle, or empty 9, got {found.puzzle_name!r}"
        ) from None
    with named_file(path):
        Until.parse(found.until)
        changed(found.recipe, ())  # it may be no table at all
    return found


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


@contextmanager
def named_file(path: str | None) -> Iterator[None]:
    """Put the name of a recipe's file in front of what is wrong with it."""
    try:
        yield
    except RecipeError as error:
        raise RecipeError(f"{path}: {error}" if path else str(error)) from error
