"""From a recipe to an algorithm: everything is checked, and errors say where."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from reprlib import repr as short
from typing import Any, Literal, get_args, get_origin

from genoku.custom import own_name, own_part
from genoku.errors import RecipeError, located
from genoku.failures import blaming_user_code, own_parts
from genoku.fitting import METHODS, NOT_CALLED, what_lacks
from genoku.recipe.catalog import ROLES, Recipe, kind_of_hint, parameters, part, refuse_unknown
from genoku.state import Algorithm
from genoku.words import listed

Path = tuple[str, ...]
"""Where a value stands in a recipe: keys, and places in lists."""

Trust = bool | frozenset[str]
"""Whose code a recipe may name: nobody's, that of some modules, or anybody's."""

DEEPEST = 20  # so that data from outside cannot exhaust the stack

WORDS: dict[Any, str] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "text",
}


def build(recipe: Recipe, trust: Trust = False) -> Algorithm:
    """The algorithm of a recipe.

    A part that is named as `module:name` is imported, which runs the module: only with `trust`.
    """
    algorithm: Algorithm = build_part("algorithm", recipe, trust)
    return algorithm


def build_part(kind: str, recipe: Recipe, trust: Trust = False) -> Any:
    """The part of any kind that a recipe describes."""
    with blaming_user_code(recipe):
        return _part(kind, recipe, (), trust)


def refuse_untrusted(recipe: Any, trust: Trust) -> None:
    """Raise RecipeError if a recipe names code that is not trusted; nothing is imported."""
    for role, name in own_parts(recipe):
        with located(*role.split(".")):
            _refuse_untrusted(name, trust)


def as_table(kind: str, recipe: Any) -> dict[str, Any]:
    """The recipe of a part with its name under `use`."""
    if isinstance(recipe, str):
        return {"use": recipe}
    if isinstance(recipe, Mapping) and isinstance(recipe.get("use"), str):
        return dict(recipe)
    raise _unlike(f"the name of a part ({kind}), or a table with the name under use", recipe)


def named(kind: str, name: str, trust: Trust) -> Any:
    """What the name of a part stands for: a class, or a function or value of a user's own."""
    if ":" not in name:
        return part(kind, name)
    _refuse_untrusted(name, trust)
    try:
        found = own_part(name)
    except SystemExit as end:  # a script that calls its main whoever imports it
        module = name.partition(":")[0]
        raise RecipeError(f"{module} cannot be imported: SystemExit: {end}") from end
    _refuse_strangers(found, kind, name)
    return found


def is_trusted(module: str, trust: Trust) -> bool:
    """Whether a module may be imported."""
    if isinstance(trust, bool):
        return trust
    return any(f"{module}.".startswith(f"{each}.") for each in trust)


def _refuse_untrusted(name: str, trust: Trust) -> None:
    if not is_trusted(name.partition(":")[0], trust):
        raise RecipeError(
            f"expected a part of genoku, got {name!r}, which is code of somebody's own: "
            "it is imported with --trust alone (trust=True in Python)"
        )


def _refuse_strangers(found: Any, kind: str, name: str) -> None:
    """Refuse what was not written to be such a part, before it is made or called.

    It must be defined in the package that is named, and a class must have the methods of its role.
    """
    owner = found if hasattr(found, "__qualname__") else type(found)
    home = own_name(owner).partition(":")[0]
    if home.partition(".")[0] not in (re.split(r"[.:]", name)[0], "genoku"):
        raise RecipeError(f"expected a part that {name} defines, got one of {home}")
    if not isinstance(found, type):
        return
    if kind in NOT_CALLED:
        lacking = [each for each in METHODS[kind] if not callable(getattr(found, each, None))]
        if lacking:
            raise RecipeError(f"expected {kind} with {' and '.join(lacking)}, got {name} without")
    elif not any("__call__" in vars(base) for base in found.__mro__):
        raise RecipeError(f"expected something to call as {kind}, got {name}")


def _part(kind: str, recipe: Any, path: Path, trust: Trust) -> Any:
    with located(*path):
        if len(path) > DEEPEST:
            raise RecipeError("expected fewer parts inside each other")
        table = as_table(kind, recipe)
        use = table.pop("use")
        made = named(kind, use, trust)
        known = parameters(made) if isinstance(made, type) else {}
        for key in table:
            refuse_unknown(use, key, known)
    arguments = {
        key: _value(known[key].hint, value, (*path, key), trust) for key, value in table.items()
    }
    with located(*path):
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


def _value(hint: Any, value: Any, path: Path, trust: Trust) -> Any:
    """A value of a recipe as the type that its parameter is declared with."""
    kind = kind_of_hint(hint)
    if kind is not None:
        return _part(kind, value, path, trust)
    if get_origin(hint) is tuple:
        return _tuple(get_args(hint), value, path, trust)
    with located(*path):
        return _scalar(hint, value)


def _tuple(hints: tuple[Any, ...], value: Any, path: Path, trust: Trust) -> tuple[Any, ...]:
    with located(*path):
        if not isinstance(value, list | tuple):
            raise _unlike("a list", value)
        if hints[1:] == (...,):
            hints = hints[:1] * len(value)
        if len(hints) != len(value):
            raise _unlike(f"a list of {len(hints)}", value)
    return tuple(
        _value(hint, each, (*path, str(place)), trust)
        for place, (hint, each) in enumerate(zip(hints, value, strict=True))
    )


def _scalar(hint: Any, value: Any) -> Any:
    """Types count as they are: `true` is not 1; but 1 is a number, and 1.0 a whole one."""
    if hint is int and type(value) is float and value.is_integer():  # such as 1e3
        value = int(value)
    if get_origin(hint) is Literal:
        choices = get_args(hint)
        if not any(type(value) is type(choice) and value == choice for choice in choices):
            raise _unlike(listed(map(repr, choices), "or"), value, choices)
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


def _unlike(expected: str, value: object, choices: tuple[Any, ...] = ()) -> RecipeError:
    return RecipeError(f"expected {expected}, got {short(value)}", alternatives=choices)
