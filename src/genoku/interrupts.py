"""Ctrl-C that does not get lost.

Python drops an exception that a signal raises inside a destructor or a callback of compiled code,
which loading kernels is full of. What was pressed is therefore noted, and asked after every step.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, NoReturn

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
