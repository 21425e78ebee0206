"""The usual terms for an evolutionary algorithm, and where they lead to in a recipe.

`words.toml` lists the words. The same word leads to different parameters of different algorithms:
the mutation rate of most is their adaptation's, that of report 002 is a binomial's probability.

>>> from genoku.evolve.presets import preset
>>> from genoku.evolve.recipe import describe
>>> for name in ("sundy", "charles", "simon"):
...     print(*paths("mutation-rate", describe(preset(name).build())))
adaptation.rate
mutation.repeats.p
adaptation.start
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

Value = Literal[
    "whole number", "number", "encoding", "fitness", "selection", "crossover", "mutation"
]
"""What a word takes: a number, or the name of a part of that kind."""

NUMBERS = ("whole number", "number")


@dataclass(frozen=True)
class Place:
    """Where recipes may have what a word sets."""

    parameter: str
    part: str = ""  #: The part that has the parameter; any if empty
    within: str = (
        ""  #: The algorithm's parameter that holds the part; the algorithm itself if empty
    )


@dataclass(frozen=True)
class Word:
    """A word for a parameter of evolutionary algorithms."""

    name: str  #: As in options, such as "mutation-rate"
    label: str  #: As in forms, such as "Mutation rate"
    about: str
    value: Value
    places: tuple[Place, ...]
    only: Literal["first", ""] = ""

    @property
    def takes_part(self) -> bool:
        """Whether it takes the name of a part, not a number."""
        return self.value not in NUMBERS


@cache
def words() -> dict[str, Word]:
    """Return all words by name."""
    text = files("genoku.evolve").joinpath("words.toml").read_text("utf-8")
    found = {}
    for name, facts in tomllib.loads(text).items():
        places = tuple(Place(**place) for place in facts.pop("places"))
        found[name] = Word(name=name, places=places, **facts)
    return found


def paths(name: str, recipe: Mapping[str, Any]) -> list[str]:
    """Return the paths that a word sets in the full recipe of an algorithm; none if it has none."""
    prefix, algorithm = _inmost(recipe)
    word = words()[name]
    found: list[str] = []
    for place in word.places:
        found += [prefix + path for path in _paths_of(place, algorithm)]
        if found and word.only == "first":
            break
    return found


def candidate_paths(name: str, recipe: Mapping[str, Any]) -> list[str]:
    """Return the paths of all places of a word in a full recipe."""
    prefix, algorithm = _inmost(recipe)
    return [prefix + path for place in words()[name].places for path in _paths_of(place, algorithm)]


def value_at(recipe: Any, path: str) -> Any:
    """Return the value at a path of a full recipe."""
    for key in path.split("."):
        recipe = recipe[int(key)] if isinstance(recipe, list) else recipe[key]
    return recipe


def inmost_algorithm(recipe: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the recipe of the algorithm that restarts and islands wrap."""
    return _inmost(recipe)[1]


def inmost_prefix(recipe: Mapping[str, Any]) -> str:
    """Return the start of paths to the algorithm that restarts and islands wrap."""
    return _inmost(recipe)[0]


def word_for(parameter: str) -> Word | None:
    """Return the word that is written like a parameter: `tournament_size`, `Mutation rate`."""
    return words().get(parameter.strip().lower().replace("_", "-").replace(" ", "-"))


def label_of(kind: str, part: str, parameter: str) -> str:
    """Return the label of the word that sets a parameter of a part; empty if none always does.

    Of adaptations none does: they also lead a temperature.
    """
    for word in words().values():
        for place in word.places:
            holder = place.within or "algorithm"
            is_part = place.part == part if place.part else kind == holder
            if place.parameter == parameter and is_part and kind != "adaptation":
                return word.label
    return ""


def _inmost(recipe: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """The algorithm that restarts and islands wrap, and the path to it."""
    prefix = ""
    while isinstance(recipe.get("algorithm"), Mapping):
        prefix += "algorithm."
        recipe = recipe["algorithm"]
    return prefix, recipe


def _paths_of(place: Place, algorithm: Mapping[str, Any]) -> Iterator[str]:
    if not place.within:
        if place.parameter in algorithm:
            yield place.parameter
    elif place.within in algorithm:
        yield from _search(place, algorithm[place.within], place.within)


def _search(place: Place, data: Any, path: str) -> Iterator[str]:
    """The paths to the parameter in data of a recipe, outermost parts first."""
    if isinstance(data, Mapping):
        if place.parameter in data and place.part in ("", data.get("use")):
            yield f"{path}.{place.parameter}"
            return
        inner = data.items()
    elif isinstance(data, list):
        inner = enumerate(data)
    else:
        return
    for key, value in inner:
        yield from _search(place, value, f"{path}.{key}")
