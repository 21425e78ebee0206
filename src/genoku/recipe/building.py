"""The catalogue of parts, and the way from a recipe to an algorithm and back.

`build` makes an algorithm of a recipe, where everything is checked and errors say where; `describe`
makes the recipe of an algorithm; `changed` and `with_value` change a recipe.
"""

from __future__ import annotations

import copy
import inspect
import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from reprlib import repr as short
from typing import Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

import numpy as np

from genoku.adaptation import ADAPTATIONS, Adaptation
from genoku.algorithms import ALGORITHMS
from genoku.crossover import CROSSOVERS, Crossover
from genoku.custom import own_name, own_part
from genoku.diversity import DIVERSITIES, Diversity
from genoku.encoding import ENCODINGS, Encoding
from genoku.errors import RecipeError, located
from genoku.failures import blaming_user_code, own_parts
from genoku.fitness import FITNESSES, Fitness
from genoku.mutation import MUTATIONS, REPEATS, Mutation, Repeats
from genoku.problem import METHODS, NOT_CALLED, called, name_of, what_lacks
from genoku.replacement import REPLACEMENTS, Replacement
from genoku.selection import SELECTIONS, Selection
from genoku.state import Algorithm
from genoku.toml import parse_toml
from genoku.words import did_you_mean, listed

Recipe = str | dict[str, Any]
"""A part as its name, or as a table: plain data as TOML reads it."""

ROLES: dict[str, tuple[Any, tuple[type, ...]]] = {
    "algorithm": (Algorithm, ALGORITHMS),
    "encoding": (Encoding, ENCODINGS),
    "fitness": (Fitness, FITNESSES),
    "selection": (Selection, SELECTIONS),
    "crossover": (Crossover, CROSSOVERS),
    "mutation": (Mutation, MUTATIONS),
    "repeats": (Repeats, REPEATS),
    "adaptation": (Adaptation, ADAPTATIONS),
    "replacement": (Replacement, REPLACEMENTS),
    "diversity": (Diversity, DIVERSITIES),
}
"""For every kind, the type that parameters of the kind are declared with, and its classes."""

CATALOG: dict[str, dict[str, type]] = {
    kind: {name_of(each): each for each in classes} for kind, (_, classes) in ROLES.items()
}
"""Every part there is, by kind and name."""

NAMES: dict[type, str] = {each: name for named in CATALOG.values() for name, each in named.items()}


class Parameter(NamedTuple):
    """A parameter of a part, the type it is declared with, and its default or MISSING."""

    name: str
    hint: Any
    default: Any


def part(kind: str, name: str) -> type:
    """The class of a kind with that name."""
    known = CATALOG[kind]
    if name not in known:
        hint = did_you_mean(name, known, 1)
        raise RecipeError(
            f"expected one of {', '.join(known)}, got {name!r}{hint}", alternatives=known
        )
    return known[name]


def kind_of_hint(hint: Any) -> str | None:
    """The kind of part that a parameter of that type takes, if it takes one."""
    return next((kind for kind, (role, _) in ROLES.items() if hint is role), None)


@cache
def parameters(each: type) -> dict[str, Parameter]:
    """What a class is made with: the fields of a dataclass, else what its constructor takes."""
    try:
        found = _fields(each) if is_dataclass(each) else _arguments(each)
        return {parameter.name: parameter for parameter in found}
    except (NameError, TypeError, ValueError) as error:  # annotations of a user's own
        raise RecipeError(f"the parameters of {own_name(each)} cannot be read: {error}") from error


def refuse_unknown(use: str, key: str, known: Iterable[str]) -> None:
    """Raise if a part has no such parameter."""
    names = list(known)
    if key not in names:
        has = f"it has {', '.join(names)}" if names else "it has no parameters"
        hint = did_you_mean(key, names, 1)
        raise RecipeError(f"{use} has no {key!r}: {has}{hint}", alternatives=names)


def _fields(each: Any) -> list[Parameter]:
    hints = get_type_hints(each)
    return [
        Parameter(
            one.name,
            hints[one.name],
            one.default if one.default_factory is MISSING else one.default_factory(),
        )
        for one in fields(each)
        if one.init
    ]


def _arguments(each: Any) -> list[Parameter]:
    hints = get_type_hints(each.__init__)
    return [
        Parameter(
            one.name, hints.get(one.name, Any), MISSING if one.default is one.empty else one.default
        )
        for one in inspect.signature(each).parameters.values()
        if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)
    ]


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
