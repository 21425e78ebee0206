"""Ctrl-C ends a run even where Python loses the exception."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator

import pytest
from runs import BASIC, SMALL

from genoku import run
from genoku.engine.run import View
from genoku.runtime.signals import (
    clear_interrupt,
    install_handler,
    is_interrupt,
    raise_if_interrupted,
)


@pytest.fixture
def _listening() -> Iterator[None]:
    before, hook = signal.getsignal(signal.SIGINT), sys.unraisablehook
    install_handler()
    yield
    signal.signal(signal.SIGINT, before)
    sys.unraisablehook = hook
    clear_interrupt()


class PressedWhileDying:
    """Python drops what a destructor raises, as when kernels are loaded."""

    def __del__(self) -> None:
        signal.raise_signal(signal.SIGINT)


@pytest.mark.usefixtures("_listening")
def test_a_run_ends_though_the_exception_was_lost(capsys: pytest.CaptureFixture[str]) -> None:
    def press(view: View) -> None:
        if view.state.step == 3:
            dying = PressedWhileDying()
            del dying

    result = run(BASIC, SMALL, until="generations=100", watch=press)
    assert (result.stop_reason, result.steps) == ("interrupted", 3)
    raise_if_interrupted()  # it has been answered, and ends nothing else
    assert run(BASIC, SMALL, until="generations=5").steps == 5
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.usefixtures("_listening")
def test_what_was_pressed_is_raised_until_it_is_answered() -> None:
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        raise_if_interrupted()
    clear_interrupt()
    raise_if_interrupted()


def test_an_interrupt_is_known_in_the_disguise_of_a_kernel() -> None:
    disguised = SystemError("returned a result with an exception set")
    disguised.__context__ = KeyboardInterrupt()
    assert is_interrupt(disguised)
    assert is_interrupt(KeyboardInterrupt())
    assert not is_interrupt(SystemError("something else"))


@pytest.mark.usefixtures("_listening")
def test_an_interrupt_is_known_even_where_its_cause_is_gone() -> None:
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
    assert is_interrupt(SystemError("returned a result with an exception set"))
    clear_interrupt()
    assert not is_interrupt(SystemError("something else"))
