"""Ctrl-C for a process in a test."""

from __future__ import annotations

import signal
import subprocess

PATIENCE = 10  # seconds after which a person would press it again
PRESSES = 5


def interrupt(running: subprocess.Popen[str]) -> None:
    """Press Ctrl-C, once more if need be: one in many is lost on the way into a kernel."""
    for _ in range(PRESSES):
        running.send_signal(signal.SIGINT)
        try:
            running.wait(PATIENCE)
            return
        except subprocess.TimeoutExpired:
            continue
