"""What the usual terms set in a preset, and what would have to change where they cannot.

>>> from genoku.evolve.presets import preset
>>> settings_of(preset("simon"), {"population": 100, "tournament-size": 5})
['population=100', 'selection.inner.size=5', 'replacement.size=5']
>>> settings_of(preset("charles"), {"selection": "tournament"})  # as the report has it
['selection={ use = "tournament", size = 20, replace = false }']
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from genoku.errors import MisfitError, RecipeError, locate_errors
from genoku.evolve.presets import Preset, own_versions, preset
from genoku.evolve.problem import misfit_reason
from genoku.evolve.recipe import (
    CATALOG,
    Recipe,
    Trust,
    as_inline_toml,
    build,
    build_part,
    describe,
    parameters,
    resolve_part,
    with_settings,
    with_value,
)
from genoku.evolve.words import (
    Place,
    Word,
    candidate_paths,
    inmost_algorithm,
    inmost_prefix,
    paths,
    value_at,
    words,
)

FALLBACK = "textbook"  # a preset with most parameters that words name
MOST_CHANGES = 4  # of parts, in search of a recipe that works

Chosen = Mapping[str, Any]  # values of words, by their names


@dataclass(frozen=True)
class Remedy:
    """What to add to a request so that it works."""

    words: dict[str, Any] = field(default_factory=dict)
    settings: tuple[str, ...] = ()
    preset: str = ""  #: Another preset; empty for the same


class WordError(RecipeError):
    """Words that a preset cannot follow; `remedy` says what would work, if anything does."""

    def __init__(self, reason: str, *, word: str = "", remedy: Remedy | None = None) -> None:
        super().__init__(reason)
        self.word, self.remedy = word, remedy


class MissingParameterError(WordError):
    """A word for a parameter that the algorithm does not have."""


def settings_of(
    found: Preset, chosen: Chosen, trust: Trust = False, before: Sequence[str] = ()
) -> list[str]:
    """Return the settings of a preset's recipe, such as `population=50`, that words stand for.

    A part that the preset has already stays as it is, with its own parameters; one that a variant
    of the preset has is taken as there.

    Parameters
    ----------
    found
        The preset.
    chosen
        Values by word: numbers, or names of parts.
    trust
        Whose code may be imported for parts named `module:name`.
    before
        Settings that are applied before these.

    Raises
    ------
    WordError
        If the algorithm has no such parameter, or parts do not fit; with a remedy if there is one.
    RecipeError
        If there is no such part, or a value is wrong.
    """
    build(with_settings(found.recipe, before, trust), trust)  # whose errors no word is the cause of
    try:
        return _settings_of(found, chosen, trust, before)
    except MissingParameterError as error:
        error.remedy = _with_parameter(found, chosen, error.word, trust, before)
        raise
    except MisfitError as error:
        changes = _with_fitting_parts(found, chosen, error, trust, before)
        remedy = None if changes is None else Remedy(changes)
        raise WordError(error.reason, word=error.path[-1], remedy=remedy) from None


def _settings_of(found: Preset, chosen: Chosen, trust: Trust, before: Sequence[str]) -> list[str]:
    """`settings_of`, without a search for remedies."""
    recipe = describe(build(with_settings(found.recipe, before, trust), trust))
    settings: list[str] = []
    parts = [word for word in words().values() if word.takes_part and word.name in chosen]
    for word in sorted(parts, key=lambda each: each.name not in ("encoding", "fitness")):
        changed = _choose_part(found, word, chosen[word.name], recipe, trust)
        for path, value in changed.items():
            settings.append(f"{path}={as_inline_toml(value)}")
            recipe = with_value(recipe, path, value, trust)
    recipe = describe(build(recipe, trust))
    for word in words().values():
        if word.takes_part or word.name not in chosen:
            continue
        places = paths(word.name, recipe)
        if not places:
            raise _missing(found, word)
        for path in places:
            settings.append(f"{path}={chosen[word.name]}")
            recipe = with_value(recipe, path, chosen[word.name], trust)
        with locate_errors(source=f"--{word.name}"):
            build(recipe, trust)
    return settings


def _choose_part(
    found: Preset, word: Word, name: str, recipe: Mapping[str, Any], trust: Trust
) -> dict[str, Recipe]:
    """What to set, by path, for a part by name: the preset's version of it if that fits."""
    with locate_errors(source=f"--{word.name}"):
        resolve_part(word.value, name, trust)
    places = paths(word.name, recipe)
    if not places:
        raise _missing(found, word)
    for path in candidate_paths(word.name, recipe):
        held = value_at(recipe, path)
        if held["use"] == name and _fits(word, held, recipe, trust):
            return {}
    for path in candidate_paths(word.name, recipe):
        for version in own_versions(found.name, path, name):
            if _fits(word, version, recipe, trust):
                return {path: version}
    return dict.fromkeys(places, name)


def _fits(word: Word, part: Recipe, recipe: Mapping[str, Any], trust: Trust) -> bool:
    """Whether an operator fits the recipe's encoding and fitness; those are not asked."""
    if word.value in ("encoding", "fitness"):
        return True
    algorithm = inmost_algorithm(recipe)
    encoding = build_part("encoding", algorithm["encoding"], trust)
    fitness = build_part("fitness", algorithm["fitness"], trust)
    return misfit_reason(build_part(word.value, part, trust), encoding, fitness) is None


def _missing(found: Preset, word: Word) -> MissingParameterError:
    return MissingParameterError(f"{found.name} has no {word.label.lower()}", word=word.name)


def _with_parameter(
    found: Preset, chosen: Chosen, name: str, trust: Trust, before: Sequence[str]
) -> Remedy | None:
    """A part that has the parameter a word stands for, or else a preset that has it."""
    for place in words()[name].places:
        for part in _parts_with(place):
            remedy = _remedy_by_part(found, place, part)
            with suppress(RecipeError):
                more = (*before, *remedy.settings)
                _settings_of(found, {**chosen, **remedy.words}, trust, more)
                return remedy
    if found.name == FALLBACK:
        return None
    other = preset(FALLBACK)
    try:
        _settings_of(other, chosen, trust, before)
    except MissingParameterError as error:
        remedy = _with_parameter(other, chosen, error.word, trust, before)
        return None if remedy is None else replace(remedy, preset=FALLBACK)
    except MisfitError as error:
        changes = _with_fitting_parts(other, chosen, error, trust, before)
        return None if changes is None else Remedy(changes, preset=FALLBACK)
    except RecipeError:  # such as settings that it does not have
        return None
    return Remedy(preset=FALLBACK)


def _parts_with(place: Place) -> Iterator[str]:
    """The names of parts that have the parameter of a place."""
    if place.part:
        yield place.part
    elif place.within:
        for name, part in CATALOG[place.within].items():
            if place.parameter in parameters(part):
                yield name


def _remedy_by_part(found: Preset, place: Place, part: str) -> Remedy:
    if place.within in words():
        return Remedy({place.within: part})
    path = f"{inmost_prefix(describe(found.build()))}{place.within}"
    return Remedy(settings=(f"{path}={part}",))


def _with_fitting_parts(
    found: Preset, chosen: Chosen, error: MisfitError, trust: Trust, before: Sequence[str]
) -> dict[str, Any] | None:
    """The fewest other parts, by word, with which all fit; None if none were found.

    A part that was asked for stays, if there is an encoding or a fitness that it fits.
    """
    request = _Request(found, trust, before)
    asked = error.path[-1]
    if asked not in chosen:
        return request.replacements(chosen, error, kept=chosen)
    tried: list[dict[str, Any]] = []
    for kind in ("encoding", "fitness"):
        for name in () if kind in chosen else CATALOG[kind]:
            wanted = {**chosen, kind: name}
            more = request.completed(wanted, kept=wanted)
            if more is not None:
                tried.append({kind: name, **more})
    if tried:
        return min(tried, key=len)
    return request.replacements(chosen, error, kept=chosen.keys() - {asked})


@dataclass(frozen=True)
class _Request:
    """A search for parts that fit others."""

    found: Preset
    trust: Trust
    before: Sequence[str]

    def completed(
        self, chosen: Chosen, kept: Container[str], depth: int = MOST_CHANGES
    ) -> dict[str, Any] | None:
        """The parts to replace, by word, so that all fit; None if those kept do not allow it."""
        try:
            _settings_of(self.found, chosen, self.trust, self.before)
        except MisfitError as error:
            return self.replacements(chosen, error, kept, depth)
        except RecipeError:
            return None
        return {}

    def replacements(
        self, chosen: Chosen, error: MisfitError, kept: Container[str], depth: int = MOST_CHANGES
    ) -> dict[str, Any] | None:
        """The parts to replace, by word, where one does not fit."""
        kind = error.path[-1]
        if depth == 0 or kind in kept or kind not in words():
            return None
        names = [each if isinstance(each, str) else each["use"] for each in error.alternatives]
        others: list[tuple[str, MisfitError]] = []
        for name in dict.fromkeys(names):
            try:
                _settings_of(self.found, {**chosen, kind: name}, self.trust, self.before)
            except MisfitError as next_error:
                if next_error.path != error.path:
                    others.append((name, next_error))
            except RecipeError:
                continue
            else:
                return {kind: name}
        for name, next_error in others[:2]:
            more = self.replacements({**chosen, kind: name}, next_error, kept, depth - 1)
            if more is not None:
                return {kind: name, **more}
        return None
