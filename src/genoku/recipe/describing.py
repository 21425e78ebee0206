"""From a part to its recipe, and from a recipe to TOML."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from genoku.custom import own_name
from genoku.errors import RecipeError
from genoku.fitting import called
from genoku.recipe.catalog import NAMES, Recipe, parameters


def describe(part: Any) -> dict[str, Any]:
    """The whole recipe of a part, with everything that it leaves to defaults."""
    if isinstance(part, type):
        raise RecipeError(f"expected a part, got the class {part.__name__}: call it")
    if hasattr(part, "__qualname__"):  # a function, or what a decorator made of one
        return {"use": own_name(part)}
    each: type = type(part)
    described: dict[str, Any] = {"use": NAMES.get(each) or own_name(each)}
    for name, hint, default in parameters(each).values():
        if not hasattr(part, name):
            raise RecipeError(f"{called(part)} does not keep its {name}: make it a dataclass")
        held = getattr(part, name)
        if held is None and default is None:  # which recipes cannot say
            continue
        value = plain(held, f"{called(part)}.{name}")
        described[name] = float(value) if hint is float and type(value) is int else value
    return described


def plain(value: Any, where: str) -> Any:
    """A value as recipes say it: numbers, text, lists and tables."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list | tuple):
        return [plain(each, where) for each in value]
    if callable(value) or any(hasattr(value, name) for name in ("space", "costs", "start")):
        return describe(value)
    raise RecipeError(f"{where}: expected plain data or a part, got {value!r}")


def as_toml(recipe: Recipe) -> str:
    """A recipe as TOML: parameters first, then a table for every part that has some."""
    table = {"use": recipe} if isinstance(recipe, str) else recipe
    return "\n".join(_lines(table, ())) + "\n"


def _lines(table: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[str]:
    tables = {key: value for key, value in table.items() if isinstance(value, Mapping)}
    for key, value in table.items():
        if key not in tables:
            yield f"{_key(key)} = {_listed(value)}"
    for key, value in tables.items():
        here = (*path, _key(key))
        yield f"\n[{'.'.join(here)}]"
        yield from _lines(value, here)


def _key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else _text(key)


def _listed(value: Any) -> str:
    """A list of parts has a line for each of them."""
    if isinstance(value, list) and any(isinstance(each, Mapping) for each in value):
        lines = "".join(f"    {_inline(each)},\n" for each in value)
        return f"[\n{lines}]"
    return _inline(value)


def _inline(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, list):
        return f"[{', '.join(map(_inline, value))}]"
    if isinstance(value, Mapping):
        pairs = [f"{_key(key)} = {_inline(each)}" for key, each in value.items()]
        return f"{{ {', '.join(pairs)} }}" if pairs else "{}"
    raise RecipeError(f"expected plain data to write as TOML, got {value!r}")


def _text(text: str) -> str:
    """TOML escapes as JSON does, and the delete character too."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
