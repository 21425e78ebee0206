"""Checks for exercises: tests judge a student's answer and say what is right or still missing.

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

from genoku.errors import GenokuError, RecipeError
from genoku.evolve.encoding import Encoding
from genoku.evolve.user.errors import LIBRARIES, OURS, source_lines
from genoku.lab.statistics import Interval
from genoku.runtime import notebook
from genoku.runtime.text import format_count
from genoku.testing import check_operator

Test = Callable[[Any], str]
"""Called with the answer: returns what is right, or raises `NotYet` with what is missing."""

NOTHING = "nothing is written yet; put your answer in place of the dots"


class NotYet(Exception):  # noqa: N818 (an incomplete answer is no error)
    """Raised by a test for an answer that is not right yet; its message says why."""


@dataclass(frozen=True)
class Verdict:
    """The verdict on an answer.

    Parameters
    ----------
    right
        Whether all tests passed.
    found
        What the passed tests say, in order.
    missing
        What the first failed test says; empty if all passed.
    """

    right: bool
    found: tuple[str, ...]
    missing: str = ""

    def __str__(self) -> str:
        last = "right!" if self.right else f"not yet: {self.missing}"
        return "\n".join([*(f"✓ {words}" for words in self.found), last])

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """Return the verdict as text and as HTML, for notebooks."""
        last = ("Right!", "") if self.right else ("Not yet:", self.missing)
        page = notebook.block(notebook.bullet_list(self.found), notebook.headline(*last))
        return {"text/plain": str(self), "text/html": page}


def check(answer: Any, *tests: Test) -> Verdict:
    """Run tests on an answer, up to the first that fails.

    Parameters
    ----------
    answer
        What the student wrote; `...` means that nothing is written yet.
    tests
        Functions that return what is right, or raise `NotYet`.

    Returns
    -------
    Verdict
        The verdict. Other exceptions become its message too, so that no answer ends in a traceback.
    """
    found: list[str] = []
    if answer is ...:
        return Verdict(False, (), NOTHING)
    for test in tests:
        try:
            found.append(test(answer))
        except (NotYet, GenokuError, AssertionError) as reason:
            cause = reason.__cause__ if isinstance(reason, RecipeError) else None
            if cause and not isinstance(cause, GenokuError):  # raised by the answer itself
                return Verdict(False, tuple(found), _exception_text(cause))
            return Verdict(False, tuple(found), str(reason) or _exception_text(reason))
        except Exception as error:
            return Verdict(False, tuple(found), _exception_text(error))
    return Verdict(True, tuple(found))


def expect(is_so: object, otherwise: str) -> None:
    """Raise `NotYet` with the message `otherwise` unless the condition holds."""
    if not is_so:
        refuse(otherwise)


def refuse(words: str) -> NoReturn:
    """Raise `NotYet` with a message."""
    raise NotYet(words)


def keeps_contract(kind: str | None = None, *, encodings: Iterable[Encoding] | None = None) -> Test:
    """Make a test: the operator passes `genoku.testing.check_operator`."""

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
    """Make a test: the function returns the reference's number in every case.

    Parameters
    ----------
    reference
        The correct function.
    cases
        Arguments of the calls to compare.
    mistakes
        Known wrong functions by their explanation, which is given if one explains all results.
    said
        What to say of a right answer.
    """

    def test(function: Any) -> str:
        expect(callable(function), f"expected a function, got {function!r}")
        given = [function(*case) for case in cases]
        expect(all(value is not ... for value in given), NOTHING)
        for case, value in zip(cases, given, strict=True):
            wanted = reference(*case)
            if not _is_close(value, wanted):
                arguments = ", ".join(map(str, case))
                got = f"for {arguments} expected {wanted:.4g}, got {_format(value)}"
                refuse(f"{_mistake_text(given, cases, mistakes or {})}{got}")
        return said or f"it is right in {format_count(len(cases), 'case')}"

    return test


def recall(prediction: Any, seen: Any) -> str:
    """Compare a student's prediction with the outcome: a value, or an `Interval` of numbers."""
    interval = seen if isinstance(seen, Interval) else None
    outcome = (
        f"it lies between {interval.low:g} and {interval.high:g}" if interval else f"it is {seen}"
    )
    if prediction is ...:
        return f"You wrote no prediction down; {outcome}."
    try:
        is_right = interval.low <= prediction <= interval.high if interval else prediction == seen
    except TypeError:
        return f"You wrote {prediction!r}, which is not a number; {outcome}."
    if is_right:
        return f"You predicted {prediction}, which is right: {outcome}."
    return f"You predicted {prediction}; {outcome}. What did you not think of?"


def _is_close(value: Any, wanted: float) -> bool:
    try:
        return math.isclose(value, wanted, rel_tol=1e-6, abs_tol=1e-9)
    except TypeError:
        return False


def _format(value: Any) -> str:
    if value is None:
        return "nothing"
    return f"{value:.4g}" if isinstance(value, Real) else repr(value)


def _mistake_text(
    given: Sequence[Any],
    cases: Sequence[tuple[Any, ...]],
    mistakes: Mapping[str, Callable[..., float]],
) -> str:
    """Return the explanation of the mistake that gives the same results, if any."""
    for words, mistaken in mistakes.items():
        if all(_is_close(value, mistaken(*case)) for value, case in zip(given, cases, strict=True)):
            return f"{words}: "
    return ""


def _exception_text(error: BaseException) -> str:
    """Describe an exception, with the student's line that raised it."""
    words = f"it raised {type(error).__name__}"
    if str(error):
        words += f": {' '.join(str(error).split())}"
    theirs = [
        place.line
        for place in source_lines(error)
        if not any(Path(place.file).is_relative_to(each) for each in (OURS, *LIBRARIES))
    ]
    return f"{words} (line {theirs[-1]} of its cell)" if theirs else words
