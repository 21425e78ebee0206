"""Exercises that answer: tests judge what a student wrote and say what is right, or not yet.

>>> def is_even(number):
...     expect(number % 2 == 0, f"{number} is odd")
...     return "it is even"
>>> check(4, is_even)
Verdict(right=True, found=('it is even',), missing='')
>>> print(check(3, is_even))
not yet: 3 is odd
>>> print(check(..., is_even))
not yet: nothing is written yet; put your answer in place of the dots
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from pathlib import Path
from typing import Any, NoReturn

from genoku import display
from genoku.encoding import Encoding
from genoku.errors import GenokuError, RecipeError
from genoku.failures import LIBRARIES, OURS, places_of
from genoku.lab.statistics import Interval
from genoku.testing import check_operator
from genoku.words import plural

Test = Callable[[Any], str]
"""Called with the answer: says what is right about it, or raises `NotYet` with what is not."""

NOTHING = "nothing is written yet; put your answer in place of the dots"


class NotYet(Exception):  # noqa: N818 (an answer on its way is no error)
    """Why an answer is not right yet, in words."""


@dataclass(frozen=True)
class Verdict:
    """What tests say of an answer: what is right so far, and what is missing first."""

    right: bool
    found: tuple[str, ...]
    missing: str = ""

    def __str__(self) -> str:
        last = "right!" if self.right else f"not yet: {self.missing}"
        return "\n".join([*(f"✓ {words}" for words in self.found), last])

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """The words, and the same words for a notebook."""
        last = ("Right!", "") if self.right else ("Not yet:", self.missing)
        page = display.shown(display.points(self.found), display.headline(*last))
        return {"text/plain": str(self), "text/html": page}


def check(answer: Any, *tests: Test) -> Verdict:
    """Try an answer with one test after another, up to the first that it does not pass.

    Whatever is raised on the way becomes words, so that no answer ends in a traceback.
    """
    found: list[str] = []
    if answer is ...:
        return Verdict(False, (), NOTHING)
    for test in tests:
        try:
            found.append(test(answer))
        except (NotYet, GenokuError, AssertionError) as reason:
            cause = reason.__cause__ if isinstance(reason, RecipeError) else None
            if cause is not None and not isinstance(cause, GenokuError):  # a line of the answer's
                return Verdict(False, tuple(found), _raised(cause))
            return Verdict(False, tuple(found), str(reason) or _raised(reason))
        except Exception as error:
            return Verdict(False, tuple(found), _raised(error))
    return Verdict(True, tuple(found))


def expect(is_so: object, otherwise: str) -> None:
    """Raise `NotYet` with words unless it is so."""
    if not is_so:
        refuse(otherwise)


def refuse(words: str) -> NoReturn:
    """Raise `NotYet` with words."""
    raise NotYet(words)


def keeps_contract(kind: str | None = None, *, encodings: Iterable[Encoding] | None = None) -> Test:
    """A test: the operator keeps the contract that all operators of its kind keep."""

    def test(operator: Any) -> str:
        check_operator(operator, kind, encodings=encodings)
        return "it keeps the contract of operators"

    return test


def agrees_with(
    reference: Callable[..., float],
    cases: Sequence[tuple[Any, ...]],
    mistakes: Mapping[str, Callable[..., float]] | None = None,
    *,
    said: str = "",
) -> Test:
    """A test: the function gives the reference's number in every case, which `said` says.

    Where it gives what a known mistake would give in every case, the words of that mistake say so.
    """

    def test(function: Any) -> str:
        expect(callable(function), f"expected a function, got {function!r}")
        given = [function(*case) for case in cases]
        expect(all(value is not ... for value in given), NOTHING)
        for case, value in zip(cases, given, strict=True):
            wanted = reference(*case)
            if not _is_close(value, wanted):
                shown = ", ".join(map(str, case))
                got = f"for {shown} expected {wanted:.4g}, got {_shown(value)}"
                refuse(f"{_named(given, cases, mistakes or {})}{got}")
        return said or f"it is right in {plural(len(cases), 'case')}"

    return test


def recall(prediction: Any, seen: Any) -> str:
    """A student's prediction beside what was seen: a value, or an `Interval` of numbers."""
    if prediction is ...:
        return f"You wrote no prediction down; {_seen(seen)}."
    if isinstance(seen, Interval):
        try:
            is_right = seen.low <= prediction <= seen.high
        except TypeError:
            return f"You wrote {prediction!r}, which is no number; {_seen(seen)}."
    else:
        is_right = prediction == seen
    if is_right:
        return f"You predicted {prediction}, and so it is: {_seen(seen)}."
    return f"You predicted {prediction}; {_seen(seen)}. What did you not think of?"


def _seen(seen: Any) -> str:
    if isinstance(seen, Interval):
        return f"it lies between {seen.low:g} and {seen.high:g}"
    return f"it is {seen}"


def _is_close(value: Any, wanted: float) -> bool:
    try:
        return math.isclose(value, wanted, rel_tol=1e-6, abs_tol=1e-9)
    except TypeError:
        return False


def _shown(value: Any) -> str:
    if value is None:
        return "nothing"
    return f"{value:.4g}" if isinstance(value, Real) else repr(value)


def _named(
    given: Sequence[Any],
    cases: Sequence[tuple[Any, ...]],
    mistakes: Mapping[str, Callable[..., float]],
) -> str:
    """The words of the mistake that explains everything given, if one does."""
    for words, mistaken in mistakes.items():
        if all(_is_close(value, mistaken(*case)) for value, case in zip(given, cases, strict=True)):
            return f"{words}: "
    return ""


def _raised(error: BaseException) -> str:
    """What was raised, and in which of the student's lines."""
    words = f"it raised {type(error).__name__}"
    if str(error):
        words += f": {' '.join(str(error).split())}"
    theirs = [place for place in places_of(error) if _is_theirs(place.file)]
    return f"{words} (line {theirs[-1].line} of its cell)" if theirs else words


def _is_theirs(file: str) -> bool:
    """Whether a line is neither genoku's nor a library's; a notebook's cell is no file at all."""
    return not any(Path(file).is_relative_to(each) for each in (OURS, *LIBRARIES))
