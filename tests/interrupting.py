"""Ctrl-C for a process in a test."""

from __future__ import annotations

import signal
import subprocess

PATIENCE = 30  # seconds in which a process must have ended


def interrupt(running: subprocess.Popen[str]) -> None:
    """Press Ctrl-C, once; it must not get lost."""
    running.send_signal(signal.SIGINT)
    try:
        running.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        running.kill()
        raise AssertionError(f"it still runs {PATIENCE} seconds after Ctrl-C") from None
