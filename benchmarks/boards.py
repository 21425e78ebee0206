"""How fast puzzles are proved unique, solved, generated, rated, read and written.

    python3 run.py bench boards [oracle] [generate] [files] [--puzzles FOLDER] [--repeats 5]
                                [--time-limit 20] [--minimal-25 3] [--lines 1000000]

oracle    9×9 boards proved to have one solution, permuted at random, by one kernel over all of
          them; large boards solved one by one
generate  puzzles generated, each proved unique outside the time; canonical forms and ratings
files     lines of 9×9 puzzles read and written, as arrays and as entries

FOLDER may hold top1465.txt, 17clue-sample.txt, hardest-375.txt (9×9, one solution each),
16x16-unique.txt, 16x16.txt, 25x25.txt and 36x36.txt; what is missing is generated. CPU time on one
core, warm: the best of the repeats for rates, one solve of every large board. Every solution is
verified.
"""

from __future__ import annotations

import argparse
import gzip
import io
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median

import numpy as np
from numpy.typing import NDArray

from benchmarks.measuring import SEED, cpu_seconds, machine_text
from benchmarks.sets import puzzles_like
from genoku.exact import oracle
from genoku.generator import GeneratedPuzzle, PuzzleRequest, generate
from genoku.puzzle.board import Puzzle
from genoku.puzzle.formats import read_array, read_puzzles, save_puzzles, write_array
from genoku.puzzle.geometry import Geometry
from genoku.puzzle.isomorph import canonical, shuffled
from genoku.techniques.rating import rate

NINE, SIXTEEN, TWENTY_FIVE = Geometry(3, 3), Geometry(4, 4), Geometry(5, 5)

# File, puzzles to make where it is missing, and the puzzles a second asked of us.
UNIQUE_9X9 = [
    ("top1465", 1465, PuzzleRequest(), 10_000),
    ("17clue-sample", 1000, PuzzleRequest(givens=24), 40_000),
    ("hardest-375", 375, PuzzleRequest(), None),
]
# File, puzzles to make where it is missing, and whether each has one solution.
LARGE = [
    ("16x16-unique", 30, PuzzleRequest(SIXTEEN), True),
    ("16x16", 30, PuzzleRequest(SIXTEEN, share=0.4), False),
    ("25x25", 10, PuzzleRequest(TWENTY_FIVE, share=0.5), False),
    ("36x36", 5, PuzzleRequest(Geometry(6, 6), share=0.7), False),
]
ENTRY_LINES = 100_000


def per_second(
    what: str, work: Callable[[], object], count: int, repeats: int, bar: str = ""
) -> None:
    """Print the best rate over repeats of `work`, which processes `count` items."""
    best = min(cpu_seconds(work) for _ in range(repeats))
    print(f"{what:34} {count / best:12,.0f} /s  {bar:12} ({count:,} in {best:.2f} s)", flush=True)


# The oracle


def measure_oracle(options: argparse.Namespace) -> None:
    print("prove unique:")
    for name, count, wanted, bar in UNIQUE_9X9:
        label, puzzles = puzzles_like(options.puzzles, name, count, wanted)
        asked = f"bar {bar:,}" if bar and label == name else ""
        prove_unique(label, puzzles, asked, options.repeats)
    print(f"solve, at most {options.time_limit:g} s each:")
    for name, count, wanted, unique in LARGE:
        label, puzzles = puzzles_like(options.puzzles, name, count, wanted)
        solve_all(label, puzzles, unique=unique, time_limit=options.time_limit)


def prove_unique(name: str, puzzles: list[Puzzle], bar: str, repeats: int) -> None:
    boards = np.stack([shuffled(p, SEED + i).board for i, p in enumerate(puzzles)])
    oracle.count_batch(boards[:1], NINE)
    counts = oracle.count_batch(boards, NINE)
    if not np.all(counts == 1):
        sys.exit(f"{name}: {np.count_nonzero(counts != 1)} boards are not unique")
    per_second(name, lambda: oracle.count_batch(boards, NINE), len(boards), repeats, bar)


def solve_all(name: str, puzzles: list[Puzzle], *, unique: bool, time_limit: float) -> None:
    oracle.solve(puzzles[0], time_limit=1)
    outcomes: Counter[str] = Counter()

    def solve(puzzle: Puzzle) -> None:
        answer = oracle.solve(puzzle, time_limit=time_limit)
        outcomes[answer.stop_reason] += 1
        if answer.board is not None and not puzzle.is_solved_by(answer.board):
            sys.exit(f"{name}: a wrong solution of {puzzle}")

    times = [cpu_seconds(partial(solve, puzzle)) for puzzle in puzzles]
    for puzzle in puzzles if unique else ():
        if oracle.is_unique(puzzle) is not True:
            sys.exit(f"{name}: not unique: {puzzle}")
    said = ", ".join(f"{number} {outcome}" for outcome, number in sorted(outcomes.items()))
    print_times(name, times, said)


def print_times(what: str, times: list[float], said: str) -> None:
    middle, most = 1000 * median(times), 1000 * max(times)
    print(f"{what:34} median {middle:8.2f} ms  max {most:10.2f} ms  {said}", flush=True)


# The generator


def generator(options: argparse.Namespace) -> None:
    made: list[GeneratedPuzzle] = []

    def minimal() -> None:
        made[:] = [generate(PuzzleRequest(), SEED, index) for index in range(500)]

    minimal()
    per_second("minimal 9×9", minimal, len(made), options.repeats, "bar 1,000")
    refuse_several_solutions(made)
    one_by_one("minimal 16×16", PuzzleRequest(SIXTEEN), 20, "bar 500 ms")
    one_by_one("25×25 at 50 % givens", PuzzleRequest(TWENTY_FIVE, givens=312), 10, "bar 200 ms")
    one_by_one("minimal 25×25", PuzzleRequest(TWENTY_FIVE), options.minimal_25, "bar 5,000 ms")
    label, puzzles = puzzles_like(options.puzzles, "top1465", 300, PuzzleRequest())
    puzzles, grids = puzzles[:300], [one.solution for one in made[:300]]
    print(f"on {len(puzzles)} puzzles ({label}):")
    for what, function, boards, repeats in (
        ("canonical 9×9 puzzles", canonical, puzzles, options.repeats),
        ("canonical 9×9 grids", canonical, grids, options.repeats),
        ("ratings, 9×9", rate, puzzles[:60], min(options.repeats, 3)),
    ):
        function(boards[0])
        per_second(what, partial(for_each, function, boards), len(boards), repeats)


def for_each(function: Callable[[Puzzle], object], puzzles: list[Puzzle]) -> None:
    for puzzle in puzzles:
        function(puzzle)


def one_by_one(what: str, wanted: PuzzleRequest, count: int, bar: str) -> None:
    generate(wanted, SEED, count)
    made: list[GeneratedPuzzle] = []
    times = [
        cpu_seconds(partial(lambda index: made.append(generate(wanted, SEED, index)), index))
        for index in range(count)
    ]
    refuse_several_solutions(made)
    givens = median(one.puzzle.givens for one in made)
    print_times(what, times, f"{bar}  ({count} boards, {givens:g} givens)")


def refuse_several_solutions(made: list[GeneratedPuzzle]) -> None:
    for one in made:
        if oracle.is_unique(one.puzzle, time_limit=60) is not True:
            sys.exit(f"not proved unique: {one.puzzle}")


# Files


def files(options: argparse.Namespace) -> None:
    boards = lines_of(options.puzzles, options.lines)
    rate = partial(per_second, repeats=1)
    with tempfile.TemporaryDirectory() as name:
        plain, zipped, table = (Path(name) / file for file in ("p.txt", "p.txt.gz", "p.csv"))

        def write() -> None:
            with plain.open("wb") as stream:
                write_array(stream, boards)

        def read(path: Path) -> None:
            for _ in read_array(path):
                pass

        rate("array: lines written", write, len(boards))
        rate("array: lines read", partial(read, plain), len(boards))
        zipped.write_bytes(gzip.compress(plain.read_bytes(), 1))
        rate("array: lines read, gzip", partial(read, zipped), len(boards))
        text = plain.read_text()
        table.write_text("quizzes,solutions\n" + text.replace("\n", f",{'1' * 81}\n"))
        rate("array: lines read, csv", partial(read, table), len(boards))
        plain.write_text(text[: 82 * ENTRY_LINES])
        entries = list(read_puzzles(plain))
        for known in (None, "csv", "jsonl", "json", "grid", "opensudoku"):
            path = Path(name) / known if known else plain
            save = partial(save_puzzles, entries, path, *filter(None, [known]))
            rate(f"entries: written, {known or 'lines'}", save, len(entries))
            rate(f"entries: read, {known or 'lines'}", partial(read_all, path), len(entries))


def read_all(path: Path) -> None:
    for _ in read_puzzles(path):
        pass


def lines_of(folder: Path | None, lines: int) -> NDArray[np.uint8]:
    """Return boards, shape `(lines, 81)`, from files or random with a third of the cells given."""
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


PARTS: dict[str, Callable[[argparse.Namespace], None]] = {
    "oracle": measure_oracle,
    "generate": generator,
    "files": files,
}


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the oracle, the generator and files.")
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], metavar="PART", default=[])
    parser.add_argument("--puzzles", type=Path, metavar="FOLDER", help="the public sets")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--time-limit", type=float, default=20.0)
    parser.add_argument("--minimal-25", type=int, default=3, metavar="N")
    parser.add_argument("--lines", type=int, default=1_000_000)
    options = parser.parse_args()
    print(machine_text())
    for part in options.parts or PARTS:
        PARTS[part](options)
