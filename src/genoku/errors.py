"""The errors genoku raises: each says what was expected, what came, and where; and common checks.

>>> error = RecipeError("expected 2 or more, got 1", path=("population",))
>>> error.path, error.reason, str(error)
(('population',), 'expected 2 or more, got 1', 'population: expected 2 or more, got 1')
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from importlib.util import find_spec
from typing import Any, ClassVar, Literal, get_args, get_origin, get_type_hints


class GenokuError(Exception):
    """Base class of all errors that genoku raises on purpose; the message is for users."""


class InputError(GenokuError, ValueError):
    """Data that cannot be used.

    Parameters
    ----------
    reason
        What is wrong, as a sentence.
    path
        The keys that lead to the wrong value.
    alternatives
        Valid values: names, or tables of a recipe.
    source
        The file or setting that the data come from.
    advice
        A sentence about the alternatives.
    """

    path_separator: ClassVar[str] = "."

    def __init__(
        self,
        reason: str = "",
        *,
        path: Iterable[str] = (),
        alternatives: Iterable[Any] = (),
        source: str = "",
        advice: str = "",
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.path = tuple(path)
        self.alternatives = tuple(alternatives)
        self.source = source
        self.advice = advice

    def __str__(self) -> str:
        reason = ". ".join(filter(None, (self.reason, self.advice)))
        path = self.path_separator.join(self.path)
        return ": ".join(filter(None, (self.source, path, reason)))


@contextmanager
def locate_errors(*path: str, source: str = "") -> Iterator[None]:
    """Prefix the path and source of any InputError raised in this block."""
    try:
        yield
    except InputError as error:
        error.path = (*path, *error.path)
        error.source = ": ".join(filter(None, (source, error.source)))
        raise


class PuzzleError(GenokuError, ValueError):
    """Text or data that is not a Sudoku board.

    Parameters
    ----------
    reason
        What is wrong; by default made from the cell, the expected value and the one found.
    cell
        The name of the wrong cell, such as r1c1; empty if the error concerns the whole board.
    expected
        What the cell could hold.
    got
        What it holds.
    """

    def __init__(
        self, reason: str = "", *, cell: str = "", expected: str = "", got: object = ""
    ) -> None:
        super().__init__(reason or f"expected {expected} at {cell}, got {got}")
        self.cell, self.expected, self.got = cell, expected, got


class UnknownPuzzleError(PuzzleError, KeyError):
    """A name that no bundled puzzle has."""

    __str__ = Exception.__str__  # a KeyError would show its repr


class AmbiguousPuzzleError(PuzzleError):
    """A name that several bundled puzzles have in their sources.

    Parameters
    ----------
    name
        The name, as it was given.
    alternatives
        The names here of the puzzles that may be meant.
    """

    def __init__(self, name: str, alternatives: Iterable[str]) -> None:
        self.name, self.alternatives = name, tuple(alternatives)
        super().__init__(f"several puzzles are named {name!r}: {', '.join(self.alternatives)}")

    def __reduce__(self) -> tuple[type[AmbiguousPuzzleError], tuple[str, tuple[str, ...]]]:
        return AmbiguousPuzzleError, (self.name, self.alternatives)


class FormatError(GenokuError, ValueError):
    """A file of puzzles that cannot be read or written as requested."""


class ImpossibleError(GenokuError, ValueError):
    """A puzzle without the solution required, or a request for a puzzle that cannot be met."""


class RecipeError(InputError):
    """A recipe that cannot be built: an unknown part, a bad parameter, or incompatible parts."""


class MisfitError(RecipeError):
    """A part that does not fit the encoding or the fitness; `alternatives` lists some that do."""


class CheckpointError(GenokuError, ValueError):
    """A checkpoint file from which no run can be resumed."""


class StudyError(InputError):
    """A study that cannot be run as written."""

    path_separator = ": "


class StoreError(GenokuError):
    """A store of results that cannot be read or written."""


class MissingExtraError(GenokuError, ImportError):
    """An optional dependency that is not installed; the message says how to install it."""


def require_extra(extra: str, reason: str, *modules: str) -> None:
    """Raise MissingExtraError, with the reason and the command, unless modules are installed."""
    if any(find_spec(module) is None for module in modules):
        raise MissingExtraError(f'{reason}: pip install "genoku[{extra}]"')


def require_at_least(part: Any, **bounds: float) -> None:
    """Raise unless each named field holds a finite number no smaller than its bound."""
    for name, bound in bounds.items():
        value = getattr(part, name)
        if not bound <= value < math.inf:
            raise RecipeError(f"expected {bound} or more, got {value}", path=(name,))


def require_above(part: Any, **bounds: float) -> None:
    """Raise unless each named field holds a finite number greater than its bound."""
    for name, bound in bounds.items():
        value = getattr(part, name)
        if not bound < value < math.inf:
            raise RecipeError(f"expected more than {bound}, got {value}", path=(name,))


def require_between(part: Any, low: float, high: float, *names: str) -> None:
    """Raise unless each named field holds a number from `low` to `high`."""
    for name in names:
        value = getattr(part, name)
        if not low <= value <= high:
            raise RecipeError(f"expected {low:g} to {high:g}, got {value}", path=(name,))


def require_choices(part: Any) -> None:
    """Raise unless every field declared as a `Literal` holds one of its values."""
    for name, choices in choices_of(type(part)).items():
        value = getattr(part, name)
        if value not in choices:
            expected = " or ".join(map(repr, choices))
            reason = f"expected {expected}, got {value!r}"
            raise RecipeError(reason, path=(name,), alternatives=choices)


def choices_of(part: type) -> dict[str, tuple[object, ...]]:
    """The values of every parameter of a class that is declared as a `Literal`."""
    if not is_dataclass(part):
        return {}
    hints = get_type_hints(part)
    literal = [each.name for each in fields(part) if get_origin(hints[each.name]) is Literal]
    return {name: get_args(hints[name]) for name in literal}
