"""`python3 run.py bench`: all sections, or one benchmark by its name."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import NoReturn

if not __package__:  # started as a folder
    sys.path[0] = str(Path(__file__).resolve().parents[1])

BENCHMARKS = {
    "ablation": "the effect of each ingredient of the champion",
    "boards": "boards proved unique, solved, generated, rated, read and written per second",
    "champions": "the champion and the other searches on known puzzles",
    "evolution": "the engine, part by part: fitness, recording, annealing, first runs",
    "fuzz": "whether readers survive broken texts and files",
    "givens": "the champion's time by the side of a board and its share of givens",
    "house": "lines of the package, and the files that one command passes through",
    "screenshots": "nothing: it takes the pictures of the web app",
    "speed": "this tree beside another commit: searches and start-up, timed in turns",
    "studies": "the overhead of a study",
    "textbook": "the textbook genetic algorithm: the hardest puzzles, and its ingredients",
    "web": "the web app: frames, clicks, slow listeners, memory, random requests",
}
"""Modules of this folder with single benchmarks, each with its own options."""


def main(words: list[str]) -> NoReturn:
    if words and words[0] in BENCHMARKS:
        sys.argv = [f"run.py bench {words[0]}", *words[1:]]
        sys.exit(import_module(f"benchmarks.{words[0]}").main())
    from benchmarks.command import bench
    from genoku.cli.main import run_and_exit

    run_and_exit(words, bench)


if __name__ == "__main__":
    main(sys.argv[1:])
