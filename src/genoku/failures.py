"""What ends a run from outside: Ctrl-C, which does not get lost, and errors of user code.

Python drops an exception that a signal raises inside a destructor or a callback of compiled code,
which loading kernels is full of. What was pressed is therefore noted, and asked after every step.
Of what a part of the user's own raises, one line is made: which part, why and where.
"""

from __future__ import annotations

import re
import signal
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from traceback import walk_tb
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import genoku
from genoku.errors import GenokuError, RecipeError

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

_noted: list[int] = []


def listen() -> None:
    """Note Ctrl-C in this process from now on, besides raising KeyboardInterrupt."""
    signal.signal(signal.SIGINT, _note)
    sys.unraisablehook = _drop


def check() -> None:
    """Raise KeyboardInterrupt if Ctrl-C was pressed and nobody has answered it."""
    if _noted:
        raise KeyboardInterrupt


def answered() -> None:
    """It has been dealt with."""
    _noted.clear()


def is_interrupt(error: BaseException) -> bool:
    """Whether it is Ctrl-C, or what a kernel's dispatcher makes of it."""
    if isinstance(error, SystemError):  # whose cause does not survive every `with`
        return bool(_noted) or isinstance(error.__cause__ or error.__context__, KeyboardInterrupt)
    return isinstance(error, KeyboardInterrupt)


class Caught:
    """Whether Ctrl-C ended what was done; true once it has."""

    def __init__(self) -> None:
        self.interrupted = False

    def __bool__(self) -> bool:
        return self.interrupted


@contextmanager
def catching_interrupts() -> Iterator[Caught]:
    """Let Ctrl-C end what is done here and no more; whoever asks afterwards is told."""
    caught = Caught()
    try:
        yield caught
    except (KeyboardInterrupt, SystemError) as error:
        if not is_interrupt(error):
            raise
        answered()
        caught.interrupted = True


def _note(number: int, _frame: FrameType | None) -> NoReturn:
    _noted.append(number)
    raise KeyboardInterrupt


def _drop(dropped: UnraisableHookArgs) -> None:
    """Where Python drops an exception it prints a traceback; Ctrl-C has been noted."""
    if dropped.exc_type is not KeyboardInterrupt:
        sys.__unraisablehook__(dropped)


OURS = Path(genoku.__file__).parent
LIBRARIES = [Path(sysconfig.get_path(name)) for name in ("stdlib", "purelib", "platlib")]
REMOTE = re.compile(r'^  File "(?P<file>.+)", line (?P<line>\d+), in (?P<name>.+)$', re.MULTILINE)
TOO_BIG = "array is too big"  # NumPy's words for what no memory could hold


class Own(NamedTuple):
    """A part of a recipe that is somebody's own."""

    role: str
    """The keys that lead to it: `mutation`, `mutation.parts.0`."""
    name: str
    """`module:name`."""

    @property
    def module(self) -> str:
        return self.name.partition(":")[0]

    @property
    def file(self) -> str | None:
        return getattr(sys.modules.get(self.module), "__file__", None)

    def __str__(self) -> str:
        return f"{self.role} {self.name}"


class Place(NamedTuple):
    """A line that an error went through."""

    file: str
    line: int
    name: str
    """The function there, as far as known."""

    def __str__(self) -> str:
        return f"{Path(self.file).name}:{self.line}"


class blaming_user_code:  # noqa: N801 (it is called like a function)
    """Make one line of what parts of the user's own raise; errors of ours stay as they are.

    The recipe that names the parts is given, or made only when something fails. Ctrl-C, in any
    disguise, is no failure.
    """

    def __init__(self, recipe: Any) -> None:
        self.recipe = recipe

    def __enter__(self) -> None:
        """Nothing is needed: this is entered at every step."""

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        if error is None or isinstance(error, GenokuError) or is_interrupt(error):
            return
        places = places_of(error)
        theirs = any(map(_is_theirs, places))
        if isinstance(error, SystemExit):
            if theirs and _is_theirs(places[-1]):  # and not our own, after SIGTERM
                raise RecipeError(_said(error, self._own_parts(), places)) from error
        elif isinstance(error, Exception):
            own = self._own_parts()
            if own and (theirs or not isinstance(error, OSError | MemoryError)):
                raise RecipeError(_said(error, own, places)) from error
            if TOO_BIG in str(error):
                raise MemoryError(str(error).partition(";")[0]) from error

    def _own_parts(self) -> list[Own]:
        return own_parts(self.recipe() if callable(self.recipe) else self.recipe)


def own_parts(recipe: Any, path: tuple[str, ...] = ()) -> list[Own]:
    """Every part with a colon in its name, and where it stands in the recipe."""
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
            found.append(Own(".".join(where) or "algorithm", value))
        found += own_parts(value, (*path, key))
    return found


def modules_of(recipe: Any) -> frozenset[str]:
    """The modules that a recipe names."""
    return frozenset(part.module for part in own_parts(recipe))


def places_of(error: BaseException) -> list[Place]:
    """The lines an error went through, the innermost last; a worker's come as text."""
    seen = [
        Place(frame.f_code.co_filename, line, frame.f_code.co_qualname)
        for frame, line in walk_tb(error.__traceback__)
    ]
    remote = REMOTE.finditer(str(error.__cause__ or ""))
    return seen + [Place(each["file"], int(each["line"]), each["name"]) for each in remote]


def _is_theirs(place: Place) -> bool:
    """Whether a line is neither genoku's nor a library's."""
    file = Path(place.file)
    return file.is_file() and not any(file.is_relative_to(each) for each in (OURS, *LIBRARIES))


def _said(error: BaseException, own: list[Own], places: list[Place]) -> str:
    kind, text = type(error).__name__, str(error).strip().partition("\n")[0]
    what = f"{kind}: {text}" if text else kind
    guilty = _guilty(own, places)
    theirs = [place for place in places if _is_theirs(place)]
    if theirs:
        return f"{guilty} failed: {what} ({theirs[-1]})"
    return f"{guilty} cannot be used: {what} (genoku.testing.check_operator says more)"


def _guilty(own: list[Own], places: list[Place]) -> str:
    """The part whose lines are among the places; all of them where none is."""
    for place in reversed(places):
        for part in own:
            qualname = part.name.partition(":")[2]
            first = place.name.partition(".<locals>")[0]
            if part.file == place.file and (first == qualname or first.startswith(f"{qualname}.")):
                return str(part)
    files = {place.file for place in places}
    near = [part for part in own if part.file in files] or own
    return " or ".join(map(str, dict.fromkeys(near))) or "a part of your own"
