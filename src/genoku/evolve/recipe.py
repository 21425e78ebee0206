"""Recipes: algorithms as data, built from the catalogue of parts and described again.

A recipe is plain data, as in TOML. A part is its name, or a table with its name under `use` and any
of its parameters. A name with a colon, `module:name`, is a user's own part, which is imported only
if the caller trusts it.

Where an operator leaves out an option whose default does not fit the encoding, it takes the first
value that does: `points` exchanges boxes where boxes are kept.

>>> genetic = build({"use": "genetic", "population": 50, "fitness": "unique-squared"})
>>> genetic.population, genetic.fitness, build(describe(genetic)) == genetic
(50, UniqueSquared(), True)
>>> with_settings({"use": "genetic", "fitness": "unique"}, ["population=80", "fitness=repetitions"])
{'use': 'genetic', 'fitness': 'repetitions', 'population': 80}
"""

from __future__ import annotations

import copy
import inspect
import json
import re
import tomllib
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass, replace
from functools import cache
from reprlib import repr as short
from typing import Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

import numpy as np

from genoku.errors import RecipeError, choices_of, locate_errors
from genoku.evolve.algorithms import ALGORITHMS
from genoku.evolve.encoding import ENCODINGS, Encoding
from genoku.evolve.fitness import FITNESSES, Fitness
from genoku.evolve.operators.adaptation import ADAPTATIONS, Adaptation
from genoku.evolve.operators.crossover import CROSSOVERS, Crossover
from genoku.evolve.operators.diversity import DIVERSITIES, Diversity
from genoku.evolve.operators.mutation import MUTATIONS, REPEATS, Mutation, Repeats
from genoku.evolve.operators.replacement import REPLACEMENTS, Replacement
from genoku.evolve.operators.selection import SELECTIONS, Selection
from genoku.evolve.problem import (
    METHODS,
    display_name,
    misfit_reason,
    missing_members,
    recipe_name,
)
from genoku.evolve.state import Algorithm
from genoku.evolve.user.errors import blaming_user_code, user_parts
from genoku.evolve.user.operators import import_part, import_path
from genoku.evolve.words import paths, word_for
from genoku.runtime.text import did_you_mean, join_words
from genoku.runtime.toml import parse_toml

Recipe = str | dict[str, Any]  #: A part as its name, or as a table: plain data as TOML reads it

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
}  # the type of parameters that take each kind, and its classes

CATALOG: dict[str, dict[str, type]] = {
    kind: {recipe_name(each): each for each in classes} for kind, (_, classes) in ROLES.items()
}  #: All parts by kind and name

NAMES: dict[type, str] = {each: name for parts in CATALOG.values() for name, each in parts.items()}


class Parameter(NamedTuple):
    """A parameter of a part: its declared type, and its default or MISSING."""

    name: str
    hint: Any
    default: Any


def part_class(kind: str, name: str) -> type:
    """Return the class of a part by its kind and its name in recipes.

    Raises
    ------
    RecipeError
        If there is none; its alternatives are the names of that kind.
    """
    known = CATALOG[kind]
    if name not in known:
        hint = did_you_mean(name, known, 1)
        raise RecipeError(
            f"expected one of {', '.join(known)}, got {name!r}{hint}", alternatives=known
        )
    return known[name]


def kind_of_hint(hint: Any) -> str | None:
    """The kind of part that a parameter of that type takes, or None."""
    return next((kind for kind, (role, _) in ROLES.items() if hint is role), None)


@cache
def parameters(each: type) -> dict[str, Parameter]:
    """The parameters of a class: the fields of a dataclass, else those of its constructor."""
    try:
        found = _fields(each) if is_dataclass(each) else _arguments(each)
        return {parameter.name: parameter for parameter in found}
    except (NameError, TypeError, ValueError) as error:  # annotations in users' code
        raise RecipeError(
            f"the parameters of {import_path(each)} cannot be read: {error}"
        ) from error


def refuse_unknown(use: str, key: str, known: Iterable[str]) -> None:
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


Path = tuple[str, ...]  # the place of a value in a recipe: keys, and indices of lists
Trust = bool | frozenset[str]  #: Whose code a recipe may import: nobody's, some modules', or all
DEEPEST = 20  # keeps untrusted data from exhausting the stack

WORDS: dict[Any, str] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "text",
}


def build(recipe: Recipe, trust: Trust = False) -> Algorithm:
    """Build the algorithm of a recipe.

    Parameters
    ----------
    recipe
        The name of an algorithm, or a table with the name under `use` and its parameters.
    trust
        Which users' code may be imported: False for none, True for all, or names of modules.
        A part named `module:name` is imported, which runs the module.

    Raises
    ------
    RecipeError
        If the recipe cannot be built; `path` leads to the value at fault.
    """
    algorithm: Algorithm = build_part("algorithm", recipe, trust)
    return algorithm


def build_part(kind: str, recipe: Recipe, trust: Trust = False) -> Any:
    """Build a part of any kind from its recipe; `trust` is that of `build`."""
    with blaming_user_code(recipe):
        return _part(kind, recipe, (), trust)


def refuse_untrusted(recipe: Any, trust: Trust) -> None:
    """Raise RecipeError if a recipe names untrusted code; nothing is imported."""
    for role, name in user_parts(recipe):
        with locate_errors(*role.split(".")):
            _refuse_untrusted(name, trust)


def as_table(kind: str, recipe: Any) -> dict[str, Any]:
    """The recipe of a part as a table with its name under `use`."""
    if isinstance(recipe, str):
        return {"use": recipe}
    if isinstance(recipe, Mapping) and isinstance(recipe.get("use"), str):
        return dict(recipe)
    raise _unexpected_value(
        f"the name of a part ({kind}), or a table with the name under use", recipe
    )


def resolve_part(kind: str, name: str, trust: Trust) -> Any:
    """The class of a part's name, or the function or value of a user's own."""
    if ":" not in name:
        return part_class(kind, name)
    _refuse_untrusted(name, trust)
    try:
        found = import_part(name)
    except SystemExit as end:  # a script that runs its main function on import
        module = name.partition(":")[0]
        raise RecipeError(f"{module} cannot be imported: SystemExit: {end}") from end
    _refuse_foreign(found, kind, name)
    return found


def is_trusted(module: str, trust: Trust) -> bool:
    if isinstance(trust, bool):
        return trust
    return any(f"{module}.".startswith(f"{each}.") for each in trust)


def _refuse_untrusted(name: str, trust: Trust) -> None:
    if not is_trusted(name.partition(":")[0], trust):
        raise RecipeError(
            f"expected a part of genoku, got {name!r}, which is users' own code: "
            "it is imported only with --trust (trust=True in Python)"
        )


def _refuse_foreign(found: Any, kind: str, name: str) -> None:
    """Raise if an imported object was not written as such a part, before it is called.

    It must be defined in the named package, and a class must have the methods of its kind.
    """
    owner = found if hasattr(found, "__qualname__") else type(found)
    home = import_path(owner).partition(":")[0]
    if home.partition(".")[0] not in (re.split(r"[.:]", name)[0], "genoku"):
        raise RecipeError(f"expected a part defined in the package of {name}, got one of {home}")
    if not isinstance(found, type):
        return
    if kind in METHODS:
        lacking = [each for each in METHODS[kind] if not callable(getattr(found, each, None))]
        if lacking:
            raise RecipeError(f"expected {kind} with {' and '.join(lacking)}, got {name} without")
    elif not any("__call__" in vars(base) for base in found.__mro__):
        raise RecipeError(f"expected a callable as {kind}, got {name}")


class Surroundings(NamedTuple):
    """What the operators of an algorithm must fit."""

    encoding: Encoding
    fitness: Fitness


def _part(
    kind: str, recipe: Any, path: Path, trust: Trust, around: Surroundings | None = None
) -> Any:
    with locate_errors(*path):
        if len(path) > DEEPEST:
            raise RecipeError(f"expected up to {DEEPEST} levels of nested parts, got more")
        table = as_table(kind, recipe)
        use = table.pop("use")
        made = resolve_part(kind, use, trust)
        known = parameters(made) if isinstance(made, type) else {}
        for key in table:
            refuse_unknown(use, key, known)
    if kind == "algorithm":
        arguments = _algorithm_arguments(known, table, path, trust)
    else:
        arguments = {
            key: _value(known[key].hint, value, (*path, key), trust, around)
            for key, value in table.items()
        }
    with locate_errors(*path):
        if isinstance(made, type):
            try:
                made = made(**arguments)
                if around is not None:
                    made = _with_fitting_option(made, arguments, around)
            except RecipeError:
                raise
            except (TypeError, ValueError) as error:
                raise RecipeError(f"{use} cannot be made: {error}") from error
        lacking = missing_members(made, kind)
        if lacking is None and ":" in use:
            lacking = _signature_mismatch(made, kind, use)
        if lacking is not None:
            raise RecipeError(lacking)
    return made


def _algorithm_arguments(
    known: Mapping[str, Parameter], table: Mapping[str, Any], path: Path, trust: Trust
) -> dict[str, Any]:
    """The arguments of an algorithm, with operators that fit where options are left out."""
    arguments: dict[str, Any] = {}
    for name in Surroundings._fields:
        if name in table and name in known:
            arguments[name] = _value(known[name].hint, table[name], (*path, name), trust)
    around = _surroundings(known, arguments)
    for name, value in table.items():
        if name not in arguments:
            arguments[name] = _value(known[name].hint, value, (*path, name), trust, around)
    for name, parameter in known.items():
        if name in arguments or around is None:
            continue
        if kind_of_hint(parameter.hint) is not None:
            fitting = _with_fitting_option(parameter.default, (), around)
            if fitting is not parameter.default:
                arguments[name] = fitting
    return arguments


def _surroundings(
    known: Mapping[str, Parameter], arguments: Mapping[str, Any]
) -> Surroundings | None:
    """The encoding and the fitness of an algorithm; None if it has no such parameters."""
    if not known.keys() >= set(Surroundings._fields):
        return None
    found = Surroundings(
        *(arguments.get(name, known[name].default) for name in Surroundings._fields)
    )
    return None if MISSING in found else found


def _with_fitting_option(part: Any, given: Container[str], around: Surroundings) -> Any:
    """The part; if it does not fit, with the first value that does of an option not given."""
    if misfit_reason(part, *around) is None:
        return part
    for name, choices in choices_of(type(part)).items():
        for choice in () if name in given else choices:
            other = replace(part, **{name: choice})
            if misfit_reason(other, *around) is None:
                return other
    return part


def _signature_mismatch(made: Any, kind: str, use: str) -> str | None:
    """Why a user's part cannot be called with the arguments of its kind; None if it can."""
    if kind in METHODS:
        return None
    _self, *wanted = inspect.signature(ROLES[kind][0].__call__).parameters
    try:
        taken = inspect.signature(made)
    except (TypeError, ValueError):  # some built-in functions have no signature
        return None
    try:
        taken.bind(*wanted)
    except TypeError:
        expected, got = ", ".join(wanted), ", ".join(taken.parameters)
        return f"expected {use}({expected}), got {use}({got})"
    return None


def _value(
    hint: Any, value: Any, path: Path, trust: Trust, around: Surroundings | None = None
) -> Any:
    """A value of a recipe as the declared type of its parameter."""
    kind = kind_of_hint(hint)
    if kind is not None:
        return _part(kind, value, path, trust, around)
    with locate_errors(*path):
        if get_origin(hint) is not tuple:
            return _scalar(hint, value)
        if not isinstance(value, list | tuple):
            raise _unexpected_value("a list", value)
        hints = get_args(hint)
        if hints[1:] == (...,):
            hints = hints[:1] * len(value)
        if len(hints) != len(value):
            raise _unexpected_value(f"a list of {len(hints)}", value)
    return tuple(
        _value(hint, each, (*path, str(place)), trust, around)
        for place, (hint, each) in enumerate(zip(hints, value, strict=True))
    )


def _scalar(hint: Any, value: Any) -> Any:
    """Check a plain value strictly: `true` is not 1; but 1 is a float, and 1.0 an integer."""
    if hint is int and type(value) is float and value.is_integer():  # such as 1e3
        value = int(value)
    if get_origin(hint) is Literal:
        choices = get_args(hint)
        if not any(type(value) is type(choice) and value == choice for choice in choices):
            raise _unexpected_value(join_words(map(repr, choices), "or"), value, choices)
    elif hint is float and type(value) in (int, float):
        if not -1e300 < value < 1e300:  # nor NaN, nor an integer too large to convert
            raise _unexpected_value("a finite number", value)
        return float(value)
    elif hint in WORDS and type(value) is not hint:
        raise _unexpected_value(WORDS[hint], value)
    elif hint is int and abs(value) >= 2**63:
        raise _unexpected_value("a whole number of up to 63 bits", value)
    return value


def _unexpected_value(expected: str, value: object, choices: tuple[Any, ...] = ()) -> RecipeError:
    return RecipeError(f"expected {expected}, got {short(value)}", alternatives=choices)


def describe(part: Any) -> dict[str, Any]:
    """Return the full recipe of a part, with all defaults; `build` restores the part.

    Raises
    ------
    RecipeError
        If a user's part does not keep its parameters, or keeps data that TOML cannot hold.
    """
    if isinstance(part, type):
        raise RecipeError(f"expected a part, got the class {part.__name__}: call it")
    if hasattr(part, "__qualname__"):  # a function, plain or decorated
        return {"use": import_path(part)}
    each: type = type(part)
    described: dict[str, Any] = {"use": NAMES.get(each) or import_path(each)}
    for name, hint, default in parameters(each).values():
        if not hasattr(part, name):
            raise RecipeError(f"{display_name(part)} does not keep its {name}: make it a dataclass")
        held = getattr(part, name)
        if held is None and default is None:  # TOML has no null
            continue
        value = as_plain_data(held, f"{display_name(part)}.{name}")
        described[name] = float(value) if hint is float and type(value) is int else value
    return described


def as_plain_data(value: Any, where: str) -> Any:
    """A value as in recipes: numbers, text, lists and tables."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list | tuple):
        return [as_plain_data(each, where) for each in value]
    if callable(value) or any(hasattr(value, name) for name in ("space", "costs", "start")):
        return describe(value)
    raise RecipeError(f"{where}: expected plain data or a part, got {value!r}")


def as_toml(recipe: Recipe) -> str:
    """Return a recipe as TOML: plain parameters first, then a table for every part."""
    table = {"use": recipe} if isinstance(recipe, str) else recipe
    return "\n".join(_lines(table, ())) + "\n"


def _lines(table: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[str]:
    tables = {key: value for key, value in table.items() if isinstance(value, Mapping)}
    for key, value in table.items():
        if key not in tables:
            text = as_inline_toml(value)
            if isinstance(value, list) and any(isinstance(each, Mapping) for each in value):
                lines = "".join(f"    {as_inline_toml(each)},\n" for each in value)
                text = f"[\n{lines}]"
            yield f"{_key(key)} = {text}"
    for key, value in tables.items():
        here = (*path, _key(key))
        yield f"\n[{'.'.join(here)}]"
        yield from _lines(value, here)


def _key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else _text(key)


def as_inline_toml(value: Any) -> str:
    """Return a value of a recipe as TOML in one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, list):
        return f"[{', '.join(map(as_inline_toml, value))}]"
    if isinstance(value, Mapping):
        pairs = [f"{_key(key)} = {as_inline_toml(each)}" for key, each in value.items()]
        return f"{{ {', '.join(pairs)} }}" if pairs else "{}"
    raise RecipeError(f"expected plain data to write as TOML, got {value!r}")


def _text(text: str) -> str:
    """Text as TOML: escaped as in JSON, and the delete character too."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


MODULE = re.compile(r"(?<![\w.])([^\W\d][\w.]*):\w")
SHOWN = 120  # characters of a setting in an error


def with_settings(
    recipe: Recipe, settings: Iterable[str] | Mapping[str, Any], trust: Trust = False
) -> dict[str, Any]:
    """Return a recipe with settings applied in turn; parts left to defaults are spelled out.

    Naming another part starts it with its defaults, whether by `selection=rank` or by
    `selection.use=rank`.

    Parameters
    ----------
    recipe
        The recipe of an algorithm; it is not changed.
    settings
        Texts such as `selection.size=5`, whose value is TOML or else plain text; or values by
        their paths.
    trust
        Whose code the recipe and the settings may name as `module:name`.

    Raises
    ------
    RecipeError
        If a setting cannot be read, or names no parameter of the recipe.
    """
    result: Any = copy.deepcopy(recipe)
    if isinstance(settings, Mapping):
        for path, value in settings.items():
            result = with_value(result, path, value, trust)
        settings = ()
    for setting in settings:
        name, equals, text = setting.partition("=")
        keys = name.strip().split(".")
        if not (equals and text.strip() and all(keys)):
            raise RecipeError(
                "expected a setting such as population=1000 or selection.size=5, "
                f"got {_one_line(setting)!r}"
            )
        with locate_errors(source=_one_line(setting)):
            result = _set_value(Algorithm, result, keys, _parse_value(text.strip()), trust)
    return as_table("algorithm", result)


def with_value(recipe: Recipe, path: str, value: Any, trust: Trust = False) -> dict[str, Any]:
    """Return a recipe with one value set.

    Parameters
    ----------
    recipe
        The recipe of an algorithm; it is not changed.
    path
        Keys and indices of lists, such as `selection.size` or `crossover.parts.0.rate`.
    value
        Plain data.
    trust
        Whose code may be imported, if the path leads into parts named `module:name`.
    """
    keys = path.split(".")
    with locate_errors(*keys):
        after = _set_value(Algorithm, copy.deepcopy(recipe), keys, copy.deepcopy(value), trust)
    return as_table("algorithm", after)


def modules_in_settings(settings: Iterable[str]) -> frozenset[str]:
    """The modules of users' parts that settings name."""
    values = (setting.partition("=")[2] for setting in settings)
    return frozenset(module for text in values for module in MODULE.findall(text))


def _set_value(hint: Any, old: Any, keys: list[str], value: Any, trust: Trust) -> Any:
    """A parameter of that type in a recipe, with a value set inside it."""
    if not keys:
        return value
    key, *rest = keys
    kind = kind_of_hint(hint)
    if kind is not None:
        return _set_in_part(kind, as_table(kind, old), key, rest, value, trust)
    if get_origin(hint) is not tuple or not isinstance(old, list | tuple):
        raise RecipeError(f"expected a part or a list that contains {key}, got {old!r}")
    if key not in map(str, range(len(old))):
        raise RecipeError(f"expected an index from 0 to {len(old) - 1} of the list, got {key}")
    items, hints, place = list(old), get_args(hint), int(key)
    inner = hints[0] if hints[1:] == (...,) else hints[place]
    items[place] = _set_value(inner, items[place], rest, value, trust)
    return items


def _set_in_part(
    kind: str, table: dict[str, Any], key: str, rest: list[str], value: Any, trust: Trust
) -> Any:
    if key == "use" and not rest:
        return value
    each = resolve_part(kind, table["use"], trust)
    known = parameters(each) if isinstance(each, type) else {}
    if key not in known:
        _suggest_place(kind, table, key, trust)
    refuse_unknown(table["use"], key, known)
    if rest and key not in table:
        default = known[key].default
        if default is MISSING:
            raise RecipeError(
                f"expected {key} of {table['use']} before {key}.{rest[0]}: set it first"
            )
        table[key] = as_plain_data(default, key)
    table[key] = _set_value(known[key].hint, table.get(key), rest, value, trust)
    return table


def _suggest_place(kind: str, table: dict[str, Any], key: str, trust: Trust) -> None:
    """Raise with the paths of such a parameter inside a part, or those that a word stands for."""
    try:
        whole = describe(build_part(kind, table, trust))
    except RecipeError:  # the recipe is not valid yet
        whole = table
    word = word_for(key)
    if kind == "algorithm" and word is not None:
        places = paths(word.name, whole)
    else:
        places = sorted(_places_of(key, whole), key=lambda place: place.count("."))
    if places:
        use, near = table["use"], join_words(places[:3], "or")
        raise RecipeError(f"{use} has no {key!r} (did you mean {near}?)", alternatives=places)


def _places_of(key: str, data: Any) -> Iterator[str]:
    """The dotted paths of all values with that name in a recipe."""
    pairs = data.items() if isinstance(data, dict) else enumerate(data)
    for name, value in pairs:
        if name == key:
            yield key
        elif isinstance(value, dict | list):
            yield from (f"{name}.{rest}" for rest in _places_of(key, value))


def _parse_value(text: str) -> Any:
    """The value of a setting: TOML, or plain text if it does not start like TOML."""
    reason = "only numbers, text, lists and tables are allowed"
    try:
        read = parse_toml(f"value = {text}")
        if len(read) == 1 and _is_data(read["value"]):
            return read["value"]
    except tomllib.TOMLDecodeError as error:
        reason = str(error).partition(" (at ")[0]  # the position is not that in the setting
    if text.startswith(("{", "[", '"', "'")) or len(text) > SHOWN:  # too long to be a name
        raise RecipeError(f"expected TOML after the =: {reason}")
    return text


def _one_line(text: str) -> str:
    """A setting in one short line, for errors."""
    text = " ".join(text.split())
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


def _is_data(value: Any) -> bool:
    """Whether recipes may hold a value; TOML also has dates."""
    if isinstance(value, dict):
        return all(map(_is_data, value.values()))
    if isinstance(value, list):
        return all(map(_is_data, value))
    return isinstance(value, bool | int | float | str)
