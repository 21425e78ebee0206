"""What goes with what: parts that do not fit an encoding are refused, with what would fit."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, Literal, get_args, get_origin, get_type_hints

from genoku.encoding import ENCODINGS, MANY, Encoding
from genoku.errors import RecipeError
from genoku.fitness import FITNESSES, Fitness

ATTRIBUTES = {
    "algorithm": ("encoding", "fitness", "start", "step"),
    "encoding": ("keeps", "legal", "space"),
    "fitness": ("costs", "score", "loss", "worst", "needs", "maximise"),
    "crossover": ("parents", "children"),
}
"""What a part of a kind must have."""

METHODS = {
    "algorithm": ("start", "step"),
    "encoding": ("space",),
    "fitness": ("costs", "score", "loss", "worst"),
}
"""Those that a class must have which is a part of a kind."""

NOT_CALLED = tuple(METHODS)
"""Kinds that have methods; parts of the other kinds are called themselves."""


def name_of(part: type) -> str:
    """The name of a class in recipes: `FreeCells` is `free-cells`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "-", part.__name__).lower()


def is_ours(part: type) -> bool:
    """Whether a class belongs to genoku, and so goes by its name alone."""
    return part.__module__.startswith("genoku.")


def has_own(part: Any) -> bool:
    """Whether a part is a user's own, or has one inside it."""
    if isinstance(part, tuple):
        return any(map(has_own, part))
    if hasattr(part, "__qualname__"):  # a function, or what a decorator of ours made of one
        return True
    if not is_dataclass(part):
        return callable(part) and not is_ours(type(part))
    return not is_ours(type(part)) or any(has_own(getattr(part, e.name)) for e in fields(part))


def called(part: Any) -> str:
    """How messages call a part: by its name in recipes, or a user's own by that in their code."""
    if hasattr(part, "__qualname__"):  # a function, or what a decorator of ours made of one
        return str(part.__qualname__)
    return name_of(type(part)) if is_ours(type(part)) else type(part).__qualname__


def what_lacks(part: object, kind: str) -> str | None:
    """What keeps a value from being a part of that kind, if anything does."""
    if isinstance(part, type):
        return f"expected a value as {kind}, got the class {part.__name__}: call it"
    lacking = [name for name in ATTRIBUTES.get(kind, ()) if not hasattr(part, name)]
    if lacking:
        return f"expected {kind} with {' and '.join(lacking)}, got {called(part)} without"
    if kind not in NOT_CALLED and not callable(part):
        return f"expected something to call as {kind}, got {part!r}"
    return None


def refuse_other_choices(part: Any) -> None:
    """Raise if a field that is a choice among a few values holds another one."""
    for name, choices in choices_of(type(part)).items():
        value = getattr(part, name)
        if value not in choices:
            expected = " or ".join(map(repr, choices))
            raise RecipeError(f"expected {name} to be {expected}, got {value!r}")


def refuse_misfits(
    encoding: Encoding, fitness: Fitness, parts: Mapping[str, tuple[Any, tuple[type, ...]]]
) -> None:
    """Raise if a part does not fit the encoding and the fitness, saying what would.

    `parts` gives for every kind the part and all classes of that kind. A part that has no `fits`
    fits everything.
    """
    for kind, part in (("encoding", encoding), ("fitness", fitness)):
        _refuse(what_lacks(part, kind))
    for part, keeps in ((encoding, encoding.keeps), (fitness, fitness.needs)):
        if keeps == "rules":
            _refuse(f"{called(part)} is for boards with open cells, which champions build")
    if fitness.needs not in ("none", encoding.keeps):
        _refuse(
            f"fitness {called(fitness)} does not fit {called(encoding)}: it needs an encoding "
            f"that keeps {MANY[fitness.needs]} whole"
            f"{_listed('', _those(ENCODINGS, lambda other: other.keeps == fitness.needs))}"
            f"{_listed('. Or take', _those(FITNESSES, lambda other: _suits(other, encoding)))}"
        )
    for kind, (part, classes) in parts.items():
        _refuse(what_lacks(part, kind))
        reason = misfit(part, encoding, fitness)
        if reason is not None:
            fitting = [
                choice for each in classes for choice in _alternatives(each, encoding, fitness)
            ]
            _refuse(
                f"{kind} {called(part)} does not fit {called(encoding)}: {reason}."
                f"{_listed(' What fits', fitting)}"
            )


def misfit(part: Any, encoding: Encoding, fitness: Fitness) -> str | None:
    """Why a part does not fit, in its own words; None if it does."""
    fits: Callable[[Encoding, Fitness], str | None] | None = getattr(part, "fits", None)
    return None if fits is None else fits(encoding, fitness)


def first_misfit(parts: Iterable[Any], encoding: Encoding, fitness: Fitness) -> str | None:
    """Why one of several parts does not fit, for those that draw among them."""
    reasons = (misfit(part, encoding, fitness) for part in parts)
    return next((reason for reason in reasons if reason is not None), None)


def _refuse(reason: str | None) -> None:
    if reason is not None:
        raise RecipeError(reason)


def _suits(fitness: Fitness, encoding: Encoding) -> bool:
    return fitness.needs in ("none", encoding.keeps)


def _those(classes: tuple[type[Any], ...], suits: Callable[[Any], bool]) -> list[str]:
    return [name_of(each) for each in classes if suits(each())]


def _listed(start: str, names: list[str]) -> str:
    return f"{start}: {', '.join(names)}" if names else ""


def _alternatives(part: type, encoding: Encoding, fitness: Fitness) -> Iterator[str]:
    """The class as it comes if that fits, else with each choice of one parameter that does."""
    if misfit(part(), encoding, fitness) is None:
        yield name_of(part)
        return
    for parameter, choices in choices_of(part).items():
        fitting = [
            choice for choice in choices if fits_with(part, parameter, choice, encoding, fitness)
        ]
        if fitting:
            yield f"{name_of(part)} with {parameter}={' or '.join(map(str, fitting))}"
            return


def choices_of(part: type) -> dict[str, tuple[object, ...]]:
    """The parameters of a class that are a choice among a few values."""
    if not is_dataclass(part):
        return {}
    hints = get_type_hints(part)
    literal = [each.name for each in fields(part) if get_origin(hints[each.name]) is Literal]
    return {name: get_args(hints[name]) for name in literal}


def fits_with(
    part: type, parameter: str, choice: object, encoding: Encoding, fitness: Fitness
) -> bool:
    """Whether a class with one parameter chosen, and the others as they come, fits."""
    try:
        return misfit(part(**{parameter: choice}), encoding, fitness) is None
    except RecipeError:  # a choice that other parameters rule out
        return False
