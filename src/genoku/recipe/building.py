"""From a recipe to an algorithm: everything is checked, and errors say where."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from reprlib import repr as short
from typing import Any, Literal, get_args, get_origin

from genoku.custom import own_part
from genoku.errors import RecipeError
from genoku.fitting import NOT_CALLED, what_lacks
from genoku.recipe.catalog import ROLES, Recipe, kind_of_hint, parameters, part, refuse_unknown
from genoku.state import Algorithm

Path = tuple[str, ...]
"""Where a value stands in a recipe: keys, and places in lists."""

DEEPEST = 20  # so that data from outside cannot exhaust the stack

WORDS: dict[Any, str] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "text",
}


def build(recipe: Recipe, own: bool = True) -> Algorithm:
    """The algorithm of a recipe; `own=False`, for data from outside, refuses a user's own parts."""
    algorithm: Algorithm = build_part("algorithm", recipe, own)
    return algorithm


def build_part(kind: str, recipe: Recipe, own: bool = True) -> Any:
    """The part of any kind that a recipe describes."""
    return _part(kind, recipe, (), own)


def as_table(kind: str, recipe: Any) -> dict[str, Any]:
    """The recipe of a part with its name under `use`."""
    if isinstance(recipe, str):
        return {"use": recipe}
    if isinstance(recipe, Mapping) and isinstance(recipe.get("use"), str):
        return dict(recipe)
    raise _unlike(f"the name of a part ({kind}), or a table with the name under use", recipe)


def named(kind: str, name: str, own: bool) -> Any:
    """What the name of a part stands for: a class, or a function or value of a user's own."""
    if ":" not in name:
        return part(kind, name)
    if not own:
        raise RecipeError(f"expected a part of genoku, got {name!r}, which is somebody's own")
    try:
        return own_part(name)
    except SystemExit as end:  # a script that calls its main whoever imports it
        module = name.partition(":")[0]
        raise RecipeError(f"{module} cannot be imported: SystemExit: {end}") from end


@contextmanager
def located(path: Path) -> Iterator[None]:
    """Put the path in front of what is wrong there."""
    try:
        yield
    except RecipeError as error:
        raise RecipeError(f"{'.'.join(path)}: {error}" if path else str(error)) from error


def _part(kind: str, recipe: Any, path: Path, own: bool) -> Any:
    with located(path):
        if len(path) > DEEPEST:
            raise RecipeError("expected fewer parts inside each other")
        table = as_table(kind, recipe)
        use = table.pop("use")
        made = named(kind, use, own)
        known = parameters(made) if isinstance(made, type) else {}
        for key in table:
            refuse_unknown(use, key, known)
    arguments = {
        key: _value(known[key].hint, value, (*path, key), own) for key, value in table.items()
    }
    with located(path):
        if isinstance(made, type):
            made = _made(made, use, arguments)
        lacking = what_lacks(made, kind)
        if lacking is None and ":" in use:
            lacking = _unlike_its_role(made, kind, use)
        if lacking is not None:
            raise RecipeError(lacking)
    return made


def _made(each: type, use: str, arguments: dict[str, Any]) -> Any:
    try:
        return each(**arguments)
    except RecipeError:
        raise
    except (TypeError, ValueError) as error:
        raise RecipeError(f"{use} cannot be made: {error}") from error


def _unlike_its_role(made: Any, kind: str, use: str) -> str | None:
    """Why a part of a user's own cannot be called as its role is, if its parameters tell."""
    if kind in NOT_CALLED:
        return None
    _self, *wanted = inspect.signature(ROLES[kind][0].__call__).parameters
    try:
        taken = inspect.signature(made)
    except (TypeError, ValueError):  # some of Python's own do not tell
        return None
    try:
        taken.bind(*wanted)
    except TypeError:
        called = f"({', '.join(wanted)})"
        return f"expected {use}{called}, got {use}({', '.join(taken.parameters)})"
    return None


def _value(hint: Any, value: Any, path: Path, own: bool) -> Any:
    """A value of a recipe as the type that its parameter is declared with."""
    kind = kind_of_hint(hint)
    if kind is not None:
        return _part(kind, value, path, own)
    if get_origin(hint) is tuple:
        return _tuple(get_args(hint), value, path, own)
    with located(path):
        return _scalar(hint, value)


def _tuple(hints: tuple[Any, ...], value: Any, path: Path, own: bool) -> tuple[Any, ...]:
    with located(path):
        if not isinstance(value, list | tuple):
            raise _unlike("a list", value)
        if hints[1:] == (...,):
            hints = hints[:1] * len(value)
        if len(hints) != len(value):
            raise _unlike(f"a list of {len(hints)}", value)
    return tuple(
        _value(hint, each, (*path, str(place)), own)
        for place, (hint, each) in enumerate(zip(hints, value, strict=True))
    )


def _scalar(hint: Any, value: Any) -> Any:
    """Types count as they are: `true` is not 1; but 1 is a number, and 1.0 a whole one."""
    if hint is int and type(value) is float and value.is_integer():  # such as 1e3
        value = int(value)
    if get_origin(hint) is Literal:
        choices = get_args(hint)
        if not any(type(value) is type(choice) and value == choice for choice in choices):
            *others, last = map(repr, choices)
            raise _unlike(f"{', '.join(others)} or {last}" if others else last, value)
    elif hint is float and type(value) in (int, float):
        return _finite(value)
    elif hint in WORDS and type(value) is not hint:
        raise _unlike(WORDS[hint], value)
    elif hint is int and abs(value) >= 2**63:
        raise _unlike("a whole number of up to 63 bits", value)
    return value


def _finite(value: float) -> float:
    if not -1e300 < value < 1e300:  # nor NaN, nor an integer too large to convert
        raise _unlike("a finite number", value)
    return float(value)


def _unlike(expected: str, value: object) -> RecipeError:
    return RecipeError(f"expected {expected}, got {short(value)}")
