"""Handle Ctrl-C reliably.

Python drops an exception that a signal raises inside a destructor or a callback of compiled code,
and loading kernels runs many of both. So the signal is recorded, and checked after every step.
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

_caught: list[int] = []


def install_handler() -> None:
    """Record Ctrl-C in this process, besides raising KeyboardInterrupt.

    A process that was started with Ctrl-C ignored, as by `&` in a script, keeps ignoring it.
    """
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, _record_interrupt)
    sys.unraisablehook = _hide_dropped_interrupt


def raise_if_interrupted() -> None:
    """Raise KeyboardInterrupt if Ctrl-C was pressed and not handled yet."""
    if _caught:
        raise KeyboardInterrupt


def clear_interrupt() -> None:
    """Mark Ctrl-C as handled."""
    _caught.clear()


def is_interrupt(error: BaseException) -> bool:
    """Return whether an error is Ctrl-C, or a SystemError that a kernel raises because of it."""
    if isinstance(error, SystemError):  # some `with` blocks remove its cause
        return bool(_caught) or isinstance(error.__cause__ or error.__context__, KeyboardInterrupt)
    return isinstance(error, KeyboardInterrupt)


@contextmanager
def catch_interrupts() -> Iterator[list[BaseException]]:
    """Let Ctrl-C end this block only; the list holds it afterwards, and is otherwise empty."""
    caught: list[BaseException] = []
    try:
        yield caught
    except (KeyboardInterrupt, SystemError) as error:
        if not is_interrupt(error):
            raise
        clear_interrupt()
        caught.append(error)


def _record_interrupt(number: int, _frame: FrameType | None) -> NoReturn:
    _caught.append(number)
    raise KeyboardInterrupt


def _hide_dropped_interrupt(dropped: UnraisableHookArgs) -> None:
    """Suppress the traceback of a dropped Ctrl-C, which has been recorded."""
    if dropped.exc_type is not KeyboardInterrupt:
        sys.__unraisablehook__(dropped)
