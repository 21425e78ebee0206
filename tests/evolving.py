"""Runs by the command line."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from genoku.engine.run import View, run
from genoku.evolve.state import Algorithm
from genoku.puzzle.board import Puzzle

FOUR = "1.....3..4.....2"
QUICK = ("--preset", "charles", "--set", "population=40")
"""Solves no 9×9 board at all."""

SURE = (*QUICK, "--until", "generations=5000")
"""Solves a 4×4 board in a moment."""


def process(*words: str, **options: Any) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-m", "genoku", *words], text=True, **options)


@contextmanager
def at_a_terminal(
    *words: str, stdout: bool = False, **options: Any
) -> Iterator[tuple[subprocess.Popen[str], Iterator[str]]]:
    """Start genoku with stderr, or stdout too, at a terminal; and what it shows, by pieces."""
    import pty

    ours, theirs = pty.openpty()
    running = process(
        *words,
        stdout=theirs if stdout else subprocess.PIPE,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm-256color", "COLUMNS": "100", "LINES": "30"},
        start_new_session=True,
        **options,
    )
    os.close(theirs)
    try:
        yield running, _pieces(ours)
    finally:
        running.kill()
        running.wait()
        os.close(ours)


def _pieces(terminal: int) -> Iterator[str]:
    """What is shown at a terminal until nobody writes there any more."""
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # the other end is closed
            return
        if not piece:
            return
        yield piece.decode(errors="replace")


def views(puzzle: Puzzle, algorithm: Algorithm, steps: int) -> list[View]:
    seen: list[View] = []
    run(puzzle, algorithm, until=f"steps={steps}", watch=seen.append)
    return seen
