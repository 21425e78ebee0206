"""Changes to a recipe from the command line: `population=1000`, `crossover.parts.0.by=box`."""

from __future__ import annotations

import copy
import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import MISSING
from typing import Any, get_args, get_origin

from genoku.errors import RecipeError, located
from genoku.recipe.building import Trust, as_table, build_part, named
from genoku.recipe.catalog import Recipe, kind_of_hint, parameters, refuse_unknown
from genoku.recipe.describing import describe, plain
from genoku.state import Algorithm
from genoku.toml import parse_toml
from genoku.words import listed

MODULE = re.compile(r"(?<![\w.])([^\W\d][\w.]*):\w")
SHOWN = 120  # characters of a setting


def changed(recipe: Recipe, settings: Iterable[str], trust: Trust = False) -> dict[str, Any]:
    """A recipe with settings applied in turn; parts that it leaves to defaults are spelled out.

    Values are read as TOML, or as text if they do not begin like any. Naming another part starts
    it with its defaults, whether by `selection=rank` or by `selection.use=rank`.
    """
    result: Any = copy.deepcopy(recipe)
    for setting in settings:
        name, equals, text = setting.partition("=")
        keys = name.strip().split(".")
        if not (equals and text.strip() and all(keys)):
            raise RecipeError(
                "expected a setting such as population=1000 or selection.size=5, "
                f"got {_short(setting)!r}"
            )
        with located(source=_short(setting)):
            result = _with(Algorithm, result, keys, _read(text.strip()), trust)
    return as_table("algorithm", result)


def with_value(recipe: Recipe, path: str, value: Any, trust: Trust = False) -> dict[str, Any]:
    """A recipe with one value set: what a setting does, with data instead of text.

    The path leads into parts that are named as `module:name` only with `trust`.
    """
    keys = path.split(".")
    with located(*keys):
        after = _with(Algorithm, copy.deepcopy(recipe), keys, copy.deepcopy(value), trust)
    return as_table("algorithm", after)


def modules_named(settings: Iterable[str]) -> frozenset[str]:
    """The modules of parts that settings name themselves."""
    values = (setting.partition("=")[2] for setting in settings)
    return frozenset(module for text in values for module in MODULE.findall(text))


def _with(hint: Any, old: Any, keys: list[str], value: Any, trust: Trust) -> Any:
    """What stands in a recipe for a parameter of that type, with a value set inside it."""
    if not keys:
        return value
    key, *rest = keys
    kind = kind_of_hint(hint)
    if kind is not None:
        return _part_with(kind, as_table(kind, old), key, rest, value, trust)
    if get_origin(hint) is tuple and isinstance(old, list | tuple):
        return _list_with(get_args(hint), list(old), key, rest, value, trust)
    raise RecipeError(f"expected a part or a list to look for {key} in, got {old!r}")


def _part_with(
    kind: str, table: dict[str, Any], key: str, rest: list[str], value: Any, trust: Trust
) -> Any:
    if key == "use" and not rest:
        return value
    each = named(kind, table["use"], trust)
    known = parameters(each) if isinstance(each, type) else {}
    if key not in known:
        _suggest_place(kind, table, key, trust)
    refuse_unknown(table["use"], key, known)
    if rest and key not in table:
        default = known[key].default
        if default is MISSING:
            raise RecipeError(f"{table['use']} has no {key} yet to look for {rest[0]} in")
        table[key] = plain(default, key)
    table[key] = _with(known[key].hint, table.get(key), rest, value, trust)
    return table


def _suggest_place(kind: str, table: dict[str, Any], key: str, trust: Trust) -> None:
    """Raise, naming the paths, if parts inside of a part have such a parameter."""
    try:
        whole = describe(build_part(kind, table, trust))
    except RecipeError:  # of a recipe that is not sound yet
        whole = table
    if places := sorted(_places_of(key, whole), key=lambda place: place.count(".")):
        use, near = table["use"], listed(places[:3], "or")
        raise RecipeError(f"{use} has no {key!r} (did you mean {near}?)", alternatives=places)


def _places_of(key: str, data: Any) -> Iterator[str]:
    """The dotted paths to all values of that name in a recipe."""
    pairs = data.items() if isinstance(data, dict) else enumerate(data)
    for name, value in pairs:
        if name == key:
            yield key
        elif isinstance(value, dict | list):
            yield from (f"{name}.{rest}" for rest in _places_of(key, value))


def _list_with(
    hints: tuple[Any, ...], items: list[Any], key: str, rest: list[str], value: Any, trust: Trust
) -> list[Any]:
    places = [str(place) for place in range(len(items))]
    if key not in places:
        raise RecipeError(f"expected a place from 0 to {len(items) - 1} in the list, got {key}")
    place = int(key)
    hint = hints[0] if hints[1:] == (...,) else hints[place]
    items[place] = _with(hint, items[place], rest, value, trust)
    return items


def _read(text: str) -> Any:
    """The value of a setting; what begins as TOML does is no mere text."""
    reason = "it holds more than numbers, text, lists and tables"
    try:
        read = parse_toml(f"value = {text}")
        if len(read) == 1 and _is_data(read["value"]):
            return read["value"]
    except tomllib.TOMLDecodeError as error:
        reason = str(error).partition(" (at ")[0]  # a place in what we read, not in what was typed
    if text.startswith(("{", "[", '"', "'")) or len(text) > SHOWN:  # too long to be a name
        raise RecipeError(f"expected TOML after the =: {reason}")
    return text


def _short(text: str) -> str:
    """A setting as an error shows it: in one line, and not more than that."""
    text = " ".join(text.split())
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


def _is_data(value: Any) -> bool:
    """Whether recipes may hold it: TOML also knows dates."""
    if isinstance(value, dict):
        return all(map(_is_data, value.values()))
    if isinstance(value, list):
        return all(map(_is_data, value))
    return isinstance(value, bool | int | float | str)
