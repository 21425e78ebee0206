"""Runs by the command line."""

from __future__ import annotations

import subprocess
import sys
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


def views(puzzle: Puzzle, algorithm: Algorithm, steps: int) -> list[View]:
    seen: list[View] = []
    run(puzzle, algorithm, until=f"steps={steps}", watch=seen.append)
    return seen
