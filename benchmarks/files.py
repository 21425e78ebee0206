"""How fast files of 9×9 puzzles are read and written, as arrays and as entries.

    python3 run.py bench files [FOLDER] [--lines 1000000]

The lines are the 81-character lines of FOLDER's files repeated, or random boards; CPU time.
"""

from __future__ import annotations

import argparse
import gzip
import io
import platform
import re
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from genoku.formats import read_array, read_puzzles, save_puzzles, write_array

ENTRY_LINES = 100_000


def boards_from(folder: Path | None, lines: int) -> NDArray[np.uint8]:
    """`lines` boards `[lines, 81]`, from files or at random with a third of the cells given."""
    if folder is not None:
        texts = [path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file()]
        found = [
            line for text in texts for line in re.findall(rb"^[0-9.]{81}$", text, re.MULTILINE)
        ]
        if not found:
            sys.exit(f"{folder}: no lines of 81 cells")
        (some,) = read_array(io.BytesIO(b"\n".join(found) + b"\n"))
        return np.resize(some, (lines, 81))
    rng = np.random.default_rng(0)
    boards = rng.integers(1, 10, (lines, 81), np.uint8)
    boards[rng.random((lines, 81), np.float32) < 2 / 3] = 0
    return boards


def report(what: str, lines: int, work: Callable[[], object]) -> None:
    start = time.process_time()
    work()
    seconds = time.process_time() - start
    print(f"{what:34} {lines / seconds:>12,.0f} lines/s  ({lines:,} lines, {seconds:.2f} s CPU)")


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure reading and writing of puzzle files.")
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--lines", type=int, default=1_000_000)
    options = parser.parse_args()
    boards = boards_from(options.folder, options.lines)
    print(f"Python {platform.python_version()}, NumPy {np.__version__}, {platform.machine()}")
    with tempfile.TemporaryDirectory() as name:
        plain, zipped, table = (Path(name) / file for file in ("p.txt", "p.txt.gz", "p.csv"))

        def write() -> None:
            with plain.open("wb") as stream:
                write_array(stream, boards)

        def read(path: Path) -> int:
            return sum(len(batch) for batch in read_array(path))

        report("array: write", len(boards), write)
        report("array: read", len(boards), lambda: read(plain))
        zipped.write_bytes(gzip.compress(plain.read_bytes(), 1))
        report("array: read gzip", len(boards), lambda: read(zipped))
        text = plain.read_text()
        table.write_text("quizzes,solutions\n" + text.replace("\n", f",{'1' * 81}\n"))
        report("array: read csv with solutions", len(boards), lambda: read(table))
        plain.write_text(text[: 82 * ENTRY_LINES])
        entries = list(read_puzzles(plain))
        report("entries: read", len(entries), lambda: read_all(plain))
        report("entries: write", len(entries), lambda: save_puzzles(entries, plain))
        for known in ("csv", "jsonl", "json", "grid", "opensudoku"):
            path = Path(name) / known
            save = partial(save_puzzles, entries, path, known)
            report(f"entries: write {known}", len(entries), save)
            report(f"entries: read {known}", len(entries), partial(read_all, path))


def read_all(path: Path) -> int:
    return sum(1 for _ in read_puzzles(path))


if __name__ == "__main__":
    main()
