"""`python3 run.py bench`: the table and its sections, or one closer look by its name."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import NoReturn

if not __package__:  # started as a folder
    sys.path[0] = str(Path(__file__).resolve().parents[1])

CLOSER_LOOKS = {
    "ablation": "what each ingredient of the champion is worth",
    "boards": "boards proved unique, solved, made, rated, read and written a second",
    "champions": "the champion and the other searches on known puzzles",
    "evolution": "the engine, piece by piece: fitness, recording, annealing, first runs",
    "fuzz": "whether readers survive broken texts and files",
    "givens": "the champion's time by the side of a board and its share of givens",
    "house": "lines of the package, and the files that one command walks through",
    "screenshots": "nothing: it takes the pictures of the web app",
    "studies": "what a study costs beside its runs",
    "web": "the web app: frames, clicks, slow listeners, memory, made-up requests",
}
"""Modules of this folder that measure one thing each, with options of their own."""


def main(words: list[str]) -> NoReturn:
    if words and words[0] in CLOSER_LOOKS:
        sys.argv = [f"run.py bench {words[0]}", *words[1:]]
        sys.exit(import_module(f"benchmarks.{words[0]}").main())
    from benchmarks.command import bench
    from genoku.cli.entry import enter

    enter(words, bench)


if __name__ == "__main__":
    main(sys.argv[1:])
