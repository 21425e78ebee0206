"""Ctrl-C for a process in a test."""

from __future__ import annotations

import signal
import subprocess

from patience import PATIENCE


def interrupt(running: subprocess.Popen[str]) -> None:
    """Press Ctrl-C, once; it must not get lost."""
    running.send_signal(signal.SIGINT)
    try:
        running.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        running.kill()
        raise AssertionError(f"it still runs {PATIENCE} seconds after Ctrl-C") from None
