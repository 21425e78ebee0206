"""Every part there is, by kind and name, and what a part is made with."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from typing import Any, NamedTuple, get_type_hints

from genoku.adaptation import ADAPTATIONS, Adaptation
from genoku.algorithms import ALGORITHMS
from genoku.crossover import CROSSOVERS, Crossover
from genoku.custom import own_name
from genoku.diversity import DIVERSITIES, Diversity
from genoku.encoding import ENCODINGS, Encoding
from genoku.errors import RecipeError
from genoku.fitness import FITNESSES, Fitness
from genoku.fitting import name_of
from genoku.mutation import MUTATIONS, Mutation
from genoku.repeats import REPEATS, Repeats
from genoku.replacement import REPLACEMENTS, Replacement
from genoku.selection import SELECTIONS, Selection
from genoku.state import Algorithm
from genoku.words import did_you_mean

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
