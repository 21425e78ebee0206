"""The errors a user can meet: each says what was expected, what came, and where.

>>> error = RecipeError("expected 2 or more, got 1", path=("population",))
>>> error.path, error.reason, str(error)
(('population',), 'expected 2 or more, got 1', 'population: expected 2 or more, got 1')
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any, ClassVar


class GenokuError(Exception):
    """Anything genoku refuses, in words meant for the person who asked."""


class InputError(GenokuError, ValueError):
    """Data that cannot be used.

    Parameters
    ----------
    reason
        What is wrong, as a sentence.
    path
        The keys that lead to the value at fault.
    alternatives
        What could stand there instead: names, or tables of a recipe.
    source
        The file or setting that the data come from.
    advice
        The alternatives in words.
    """

    joint: ClassVar[str] = "."

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
        return ": ".join(filter(None, (self.source, self.joint.join(self.path), reason)))


@contextmanager
def located(*path: str, source: str = "") -> Iterator[None]:
    """Say where data are that turn out to be wrong: by more keys, and the file or setting."""
    try:
        yield
    except InputError as error:
        error.path = (*path, *error.path)
        error.source = ": ".join(filter(None, (source, error.source)))
        raise


class PuzzleError(GenokuError, ValueError):
    """Text or data that is not a Sudoku board.

    Where one cell is at fault, `cell` is its name, such as r1c1, and `expected` and `got` say what
    could be there and what is.
    """

    def __init__(
        self, reason: str = "", *, cell: str = "", expected: str = "", got: object = ""
    ) -> None:
        super().__init__(reason or f"expected {expected} at {cell}, got {got}")
        self.cell, self.expected, self.got = cell, expected, got


class UnknownPuzzleError(PuzzleError, KeyError):
    """The name of no bundled puzzle."""

    __str__ = Exception.__str__  # a KeyError would show its repr


class FormatError(GenokuError, ValueError):
    """A file of puzzles that cannot be read or written as asked."""


class ImpossibleError(GenokuError, ValueError):
    """A request that no puzzle can meet, or none was found for."""


class RecipeError(InputError):
    """An algorithm that cannot be built as asked: a part, a parameter, or a pair that clashes."""


class MisfitError(RecipeError):
    """A part that does not fit the encoding or the fitness; alternatives do."""


class CheckpointError(GenokuError, ValueError):
    """A file that holds no run to go on with."""


class StudyError(InputError):
    """A study that cannot be run as it is written."""

    joint = ": "


class StoreError(GenokuError):
    """A file of results that cannot be read or written."""


class MissingExtraError(GenokuError, ImportError):
    """A library that only some commands need, and how to install it."""


def require(extra: str, said: str, *modules: str) -> None:
    """Raise unless modules are installed, saying what needs them and how to get the extra."""
    if any(find_spec(module) is None for module in modules):
        raise MissingExtraError(f'{said}: pip install "genoku[{extra}]"')
