"""Errors of users' own code, as one line: which part failed, why and where."""

from __future__ import annotations

import re
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from traceback import walk_tb
from types import TracebackType
from typing import Any, NamedTuple

import genoku
from genoku.errors import GenokuError, RecipeError
from genoku.runtime.signals import is_interrupt

OURS = Path(genoku.__file__).parent
LIBRARIES = [Path(sysconfig.get_path(name)) for name in ("stdlib", "purelib", "platlib")]
REMOTE = re.compile(r'^  File "(?P<file>.+)", line (?P<line>\d+), in (?P<name>.+)$', re.MULTILINE)
TOO_BIG = "array is too big"  # NumPy's message for an impossible size


class UserPart(NamedTuple):
    """A part of a recipe that is a user's own."""

    role: str  # the keys that lead to it: `mutation`, `mutation.parts.0`
    name: str  # `module:name`

    @property
    def module(self) -> str:
        return self.name.partition(":")[0]

    @property
    def file(self) -> str | None:
        return getattr(sys.modules.get(self.module), "__file__", None)

    def __str__(self) -> str:
        return f"{self.role} {self.name}"


class SourceLine(NamedTuple):
    """A line of an error's traceback."""

    file: str
    line: int
    name: str  # the function, if known

    def __str__(self) -> str:
        return f"{Path(self.file).name}:{self.line}"


class blaming_user_code:  # noqa: N801 (it is called like a function)
    """Turn errors of users' own parts into a RecipeError of one line; others pass unchanged.

    The recipe that names the parts is given, or a function that returns it, called only if
    something fails. An interrupt by Ctrl-C, in any form, is not a failure.
    """

    def __init__(self, recipe: Any) -> None:
        self.recipe = recipe

    def __enter__(self) -> None:
        """Do nothing: this is entered at every step."""

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        if error is None or isinstance(error, GenokuError) or is_interrupt(error):
            return
        places = source_lines(error)
        theirs = any(map(_is_user_line, places))
        if isinstance(error, SystemExit):
            if theirs and _is_user_line(places[-1]):  # not genoku's own, after SIGTERM
                raise RecipeError(_failure_message(error, self._user_parts(), places)) from error
        elif isinstance(error, Exception):
            own = self._user_parts()
            if own and (theirs or not isinstance(error, OSError | MemoryError)):
                raise RecipeError(_failure_message(error, own, places)) from error
            if TOO_BIG in str(error):
                raise MemoryError(str(error).partition(";")[0]) from error

    def _user_parts(self) -> list[UserPart]:
        return user_parts(self.recipe() if callable(self.recipe) else self.recipe)


def user_parts(recipe: Any, path: tuple[str, ...] = ()) -> list[UserPart]:
    """The parts of a recipe with a colon in their names, and their places in it."""
    if isinstance(recipe, dict):
        items: Iterator[tuple[str, Any]] = iter(recipe.items())
    elif isinstance(recipe, list):
        items = ((str(place), each) for place, each in enumerate(recipe))
    else:
        return []
    found = []
    for key, value in items:
        if isinstance(value, str) and re.fullmatch(r"[\w.]+:[\w.<>]+", value):
            where = path if key == "use" else (*path, key)
            found.append(UserPart(".".join(where) or "algorithm", value))
        found += user_parts(value, (*path, key))
    return found


def user_modules(recipe: Any) -> frozenset[str]:
    """The modules that a recipe names."""
    return frozenset(part.module for part in user_parts(recipe))


def source_lines(error: BaseException) -> list[SourceLine]:
    """The lines of an error's traceback, the innermost last; a worker's come as text."""
    seen = [
        SourceLine(frame.f_code.co_filename, line, frame.f_code.co_qualname)
        for frame, line in walk_tb(error.__traceback__)
    ]
    remote = REMOTE.finditer(str(error.__cause__ or ""))
    return seen + [SourceLine(each["file"], int(each["line"]), each["name"]) for each in remote]


def _is_user_line(place: SourceLine) -> bool:
    """Whether a line belongs neither to genoku nor to a library."""
    file = Path(place.file)
    return file.is_file() and not any(file.is_relative_to(each) for each in (OURS, *LIBRARIES))


def _failure_message(error: BaseException, own: list[UserPart], places: list[SourceLine]) -> str:
    kind, text = type(error).__name__, str(error).strip().partition("\n")[0]
    what = f"{kind}: {text}" if text else kind
    guilty = _failing_part(own, places)
    theirs = [place for place in places if _is_user_line(place)]
    if theirs:
        return f"{guilty} failed: {what} ({theirs[-1]})"
    return f"{guilty} cannot be used: {what} (genoku.testing.check_operator reports details)"


def _failing_part(own: list[UserPart], places: list[SourceLine]) -> str:
    """The part whose lines are in the traceback; all parts if none is."""
    for place in reversed(places):
        for part in own:
            qualname = part.name.partition(":")[2]
            first = place.name.partition(".<locals>")[0]
            if part.file == place.file and (first == qualname or first.startswith(f"{qualname}.")):
                return str(part)
    files = {place.file for place in places}
    near = [part for part in own if part.file in files] or own
    return " or ".join(map(str, dict.fromkeys(near))) or "a part of your own"
