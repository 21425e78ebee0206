"""What may be tuned: a range or some choices for every parameter of a recipe that has any.

A dimension is written as on the command line, and reads back:

>>> parse("population=50..2000:log")
Range(key='population', low=50, high=2000, log=True, whole=True)
>>> str(parse("selection = rank|tournament"))
'selection=rank|tournament'
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from genoku.errors import RecipeError
from genoku.recipe import CATALOG, Recipe, Trust, build, changed, describe
from genoku.recipe.building import named
from genoku.recipe.catalog import parameters
from genoku.recipe.listing import type_of

AROUND = 4  # a range goes from a quarter of a value to four times it
LOG_FROM = 10  # how often the low end goes into the high end of what is searched by its logarithm
MOST_RECIPES = 64  # in which a key is looked for
LARGEST = 2**53  # beyond, not every whole number is a number of its own
SHAPES = ("parents", "children", "first", "spare", "within", "fixed")
"""Parameters that say what a part is, rather than how strong it is."""
NEVER = ("fitness",)
"""Kinds that losses are measured by: with another one, trials could not be compared."""
CHANCES = ("adaptation", "chance")
"""Where rates are chances, and more than 1 is no more than 1; those of a temperature are not."""

NUMBER = r"[-+]?(?:\d+(?:_\d+)*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
BETWEEN = re.compile(rf"({NUMBER})\s*\.\.\s*({NUMBER})\s*(?::\s*(\w*))?")


@dataclass(frozen=True)
class Range:
    """Numbers from `low` to `high`, both included; whole ones, or any."""

    key: str
    low: float
    high: float
    log: bool = False
    whole: bool = False

    def __post_init__(self) -> None:
        if not (abs(self.low) < LARGEST and abs(self.high) < LARGEST):
            raise RecipeError(f"{self}: expected numbers below 2^53")
        if not self.low < self.high:
            raise RecipeError(f"{self}: expected a low end below the high one")
        if self.log and self.low <= 0:
            raise RecipeError(f"{self}: expected a low end above 0 for a logarithm")

    def holds(self, value: Any) -> bool:
        """Whether a value lies inside."""
        return type(value) in (int, float) and self.low <= value <= self.high

    def __str__(self) -> str:
        return f"{self.key}={self.low!r}..{self.high!r}{':log' if self.log else ''}"


@dataclass(frozen=True)
class Choice:
    """Some values, each written as after `--set KEY=`."""

    key: str
    values: tuple[str, ...]

    def __post_init__(self) -> None:
        if len(self.values) < 2 or not all(self.values):
            raise RecipeError(f"{self}: expected two choices or more, none of them empty")
        if len(set(self.values)) < len(self.values):
            raise RecipeError(f"{self}: expected every choice once")

    def holds(self, value: Any) -> bool:
        return written(value) in self.values

    def __str__(self) -> str:
        return f"{self.key}={'|'.join(self.values)}"


Dimension = Range | Choice


def parse(text: str) -> Dimension:
    """A dimension from `KEY=LOW..HIGH`, with `:log` behind or not, or `KEY=ONE|OTHER`."""
    key, equals, values = (each.strip() for each in text.partition("="))
    if not (equals and values and re.fullmatch(r"[\w-]+(?:\.[\w-]+)*", key)):
        raise _unlike(text)
    if between := BETWEEN.fullmatch(values):
        low, high, scale = between.groups()
        if scale not in (None, "log"):
            raise RecipeError(f"{text}: expected :log or nothing behind a range, got :{scale}")
        whole = not re.search(r"[.eE]", low + high)
        read = int if whole else float
        if not all(math.isfinite(float(end)) for end in (low, high)):
            raise RecipeError(f"{text}: expected finite numbers")
        return Range(key, read(low), read(high), scale == "log", whole)
    if "|" in values:
        return Choice(key, tuple(each.strip() for each in values.split("|")))
    raise _unlike(text)


def _unlike(text: str) -> RecipeError:
    return RecipeError(
        "expected a parameter such as population=50..2000:log or selection=rank|tournament, "
        f"got {text!r}"
    )


def space_of(
    recipe: Recipe, given: Sequence[Dimension] = (), trust: Trust = False
) -> tuple[Dimension, ...]:
    """What of a recipe is tuned: all that has a sensible range, with those `given` instead.

    A number is searched from a quarter of its value to four times it, as far as the recipe can be
    built with it; where 0 stands for "off", it stays. A choice has all its values. The parts of
    lists, and whether singles are fixed before a search, stay as they are unless given; fitness
    functions always do.
    """
    whole = describe(build(recipe, trust))
    taken = {each.key for each in given}
    found = [each for each in _dimensions("algorithm", whole, (), trust) if each.key not in taken]
    usual = [fitted for each in found if (fitted := _fitted(whole, each, trust))]
    known = _known(whole, given, trust)
    return tuple(sorted([*usual, *known], key=lambda each: each.key.count(".")))


def _known(recipe: dict[str, Any], given: Sequence[Dimension], trust: Trust) -> Iterator[Dimension]:
    """The given ones, by the types of their parameters; a key that nothing has is refused."""
    if len({each.key for each in given}) < len(given):
        raise RecipeError("expected every parameter once")
    recipes = [recipe]  # a key may belong to a part that another dimension brings
    for each in sorted(given, key=lambda each: each.key.count(".")):
        fits = list(_tried(recipes, each, trust))
        if any(_fitnesses(fit) != _fitnesses(recipe) for fit in fits):
            raise RecipeError(
                f"{each}: expected parameters that leave the fitness function as it is: trials "
                "are judged by their loss, which another one measures on another scale"
            )
        recipes = [*recipes, *fits][:MOST_RECIPES]
        now = value_at(recipe, each.key)
        if isinstance(each, Range) and type(now) is float:
            yield Range(each.key, float(each.low), float(each.high), each.log)
        elif isinstance(each, Range) and type(now) is int and not each.whole:
            raise RecipeError(f"{each}: expected whole numbers")
        else:
            yield each


def _tried(
    recipes: list[dict[str, Any]], dimension: Dimension, trust: Trust
) -> Iterator[dict[str, Any]]:
    """What can be built with an end, or a choice; a choice that fits nothing is refused."""
    count, reason = 0, ""
    for value in _ends(dimension):
        reasons = []
        for recipe in recipes:
            try:
                yield changed_by(recipe, {dimension.key: value}, trust)
                count += 1
            except RecipeError as error:
                reasons.append(str(error))
        reason = reason or (reasons[0] if reasons else "")
        if len(reasons) == len(recipes) and isinstance(dimension, Choice):
            raise RecipeError(f"{dimension.key}={value}: {reasons[0]}")
    if not count:
        raise RecipeError(f"{dimension}: {reason}")


def _fitnesses(table: Any) -> list[Any]:
    """The fitness functions inside a recipe, in order, with their parameters."""
    if isinstance(table, list):
        return [found for each in table for found in _fitnesses(each)]
    if not isinstance(table, Mapping):
        return []
    return [
        found
        for name, inner in table.items()
        for found in ([inner] if name in NEVER else _fitnesses(inner))
    ]


def _ends(dimension: Dimension) -> tuple[Any, ...]:
    if isinstance(dimension, Choice):
        return dimension.values
    return dimension.low, dimension.high


def _dimensions(
    kind: str, table: Mapping[str, Any], path: tuple[str, ...], trust: Trust
) -> Iterator[Dimension]:
    """Every parameter of a part and of those inside it, with the usual range around its value."""
    each = named(kind, table["use"], trust)
    for name, hint, _ in parameters(each).values() if isinstance(each, type) else ():
        word, choices = type_of(hint)
        key = ".".join((*path, name))
        value: Any = table.get(name)
        if isinstance(value, Mapping) and word not in NEVER:
            yield from _dimensions(word, value, (*path, name), trust) if word in CATALOG else ()
        elif name in SHAPES:
            continue
        elif word == "choice":
            yield Choice(key, tuple(map(written, choices)))
        elif word == "bool" or isinstance(value, bool):
            yield Choice(key, ("true", "false"))
        elif isinstance(value, int | float) and value:
            # A user's own may leave the type to the value.
            whole = word == "int" or (word != "float" and type(value) is int)
            yield _around(key, value, whole=whole)


def _around(key: str, value: float, *, whole: bool) -> Range:
    low, high = sorted((value / AROUND, value * AROUND))
    if not whole and value <= 1 and any(each in CHANCES for each in key.split(".")):
        high = min(high, 1.0)
    if whole:
        low, high = max(1, math.ceil(low)), int(high)
    return Range(key, low, high, low > 0 and high / low >= LOG_FROM, whole)


def _fitted(recipe: dict[str, Any], dimension: Dimension, trust: Trust) -> Dimension | None:
    """The part of a dimension that the recipe can be built with; None if that is one value."""
    if isinstance(dimension, Choice):
        fit = tuple(each for each in dimension.values if _fits(recipe, dimension.key, each, trust))
        return Choice(dimension.key, fit) if len(fit) > 1 else None
    low, high, whole = dimension.low, dimension.high, dimension.whole
    now = value_at(recipe, dimension.key)
    lowest = next((end for end in (low, now) if _fits(recipe, dimension.key, end, trust)), now)
    tried = (high, *([1.0] if not whole and now < 1 else []), now)
    highest = next((end for end in tried if _fits(recipe, dimension.key, end, trust)), now)
    if lowest >= highest:
        return None
    log = lowest > 0 and highest / lowest >= LOG_FROM
    return Range(dimension.key, lowest, highest, log, whole)


def _fits(recipe: dict[str, Any], key: str, value: Any, trust: Trust) -> bool:
    try:
        build(with_setting(recipe, key, value, trust), trust)
    except RecipeError:
        return False
    return True


def written(value: Any) -> str:
    """A value as a setting says it; a part by its name."""
    if isinstance(value, Mapping):
        return str(value["use"])
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else repr(value)


def value_at(recipe: Mapping[str, Any], key: str) -> Any:
    """What a recipe with all its parameters has under a key; None if it has no such thing."""
    value: Any = recipe
    for name in key.split("."):
        if isinstance(value, list) and name.isdigit() and int(name) < len(value):
            value = value[int(name)]
        else:
            value = value.get(name) if isinstance(value, Mapping) else None
    return value


def with_setting(
    recipe: dict[str, Any], key: str, value: Any, trust: Trust = False
) -> dict[str, Any]:
    """A recipe with one parameter set; a part that is there already keeps its own parameters."""
    if written(value) == _name_at(recipe, key):
        return recipe
    return changed(recipe, [f"{key}={written(value)}"], trust)


def _name_at(recipe: dict[str, Any], key: str) -> str | None:
    now = value_at(recipe, key)
    return None if now is None else written(now)


def changed_by(
    recipe: dict[str, Any], values: Mapping[str, Any], trust: Trust = False
) -> dict[str, Any]:
    """A recipe with the values of a trial, parts before what is inside them."""
    for key in sorted(values, key=lambda key: key.count(".")):
        recipe = with_setting(recipe, key, values[key], trust)
    return describe(build(recipe, trust))


def values_of(
    recipe: Recipe, space: Sequence[Dimension], trust: Trust = False
) -> dict[str, Any] | None:
    """The values that a recipe itself has in a space; None where one of them lies outside."""
    whole = describe(build(recipe, trust))
    values: dict[str, Any] = {}
    for each in space:
        now = value_at(whole, each.key)
        if now is None:  # it belongs to a part that the recipe has not
            continue
        if not each.holds(now):
            return None
        values[each.key] = now if isinstance(each, Range) else written(now)
    return values
