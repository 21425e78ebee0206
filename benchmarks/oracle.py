"""How fast the oracle proves boards unique, and solves large ones.

    python3 run.py bench oracle [FOLDER] [--repeats 5] [--time-limit 20]

FOLDER may hold top1465.txt, 17clue-sample.txt, hardest-375.txt (9×9, one solution each),
16x16-unique.txt, 16x16.txt, 25x25.txt and 36x36.txt; what is missing is generated. 9×9 boards are
permuted at random, then counted by one kernel over all of them. CPU time on one core, warm: the
best of the repeats for 9×9, one solve of every large board. Every solution is verified.
"""

from __future__ import annotations

import argparse
import platform
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from statistics import median

import numba
import numpy as np

from genoku import exact
from genoku.board import Puzzle
from genoku.formats import read_puzzles
from genoku.generator import Wanted, generate_many
from genoku.geometry import Geometry
from genoku.isomorph import shuffled

SEED = 1
NINE = Geometry(3, 3)

# File, puzzles to make where it is missing, and the puzzles a second asked of us.
UNIQUE_9X9 = [
    ("top1465", 1465, Wanted(), 10_000),
    ("17clue-sample", 1000, Wanted(givens=24), 40_000),
    ("hardest-375", 375, Wanted(), None),
]
# File, puzzles to make where it is missing, and whether each has one solution.
LARGE = [
    ("16x16-unique", 30, Wanted(Geometry(4, 4)), True),
    ("16x16", 30, Wanted(Geometry(4, 4), share=0.4), False),
    ("25x25", 10, Wanted(Geometry(5, 5), share=0.5), False),
    ("36x36", 5, Wanted(Geometry(6, 6), share=0.7), False),
]


def machine() -> str:
    """The CPU and the versions that figures depend on."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    models = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    versions = f"NumPy {np.__version__}, Numba {numba.__version__}"
    cpu = models[0] if models else platform.processor() or platform.machine()
    return f"{cpu}; Python {platform.python_version()}, {versions}; seed {SEED}"


def puzzles_of(
    folder: Path | None, name: str, count: int, wanted: Wanted
) -> tuple[str, list[Puzzle]]:
    """The puzzles of a file, or as many made by the generator; and what to call them."""
    path = folder / f"{name}.txt" if folder else None
    if path is not None and path.exists():
        return name, [entry.puzzle for entry in read_puzzles(path)]
    made = generate_many(wanted, count, seed=SEED)
    return f"like {name}, generated", [one.puzzle for one in made]


def seconds_of(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def prove_unique(name: str, puzzles: list[Puzzle], bar: int | None, repeats: int) -> None:
    boards = np.stack([shuffled(p, SEED + i).board for i, p in enumerate(puzzles)])
    exact.count_batch(boards[:1], NINE)
    counts = exact.count_batch(boards, NINE)
    if not np.all(counts == 1):
        sys.exit(f"{name}: {np.count_nonzero(counts != 1)} boards are not unique")
    best = min(seconds_of(lambda: exact.count_batch(boards, NINE)) for _ in range(repeats))
    asked = f"bar {bar:,}" if bar else ""
    print(f"{name:31} {len(boards):6,} boards {len(boards) / best:10,.0f} /s  {asked}")


def solve_all(name: str, puzzles: list[Puzzle], *, unique: bool, time_limit: float) -> None:
    exact.solve(puzzles[0], time_limit=1)
    outcomes: Counter[str] = Counter()
    times: list[float] = []
    for puzzle in puzzles:
        start = time.process_time()
        answer = exact.solve(puzzle, time_limit=time_limit)
        times.append(time.process_time() - start)
        outcomes[answer.stop_reason] += 1
        if answer.board is not None and not puzzle.is_solved_by(answer.board):
            sys.exit(f"{name}: a wrong solution of {puzzle}")
        if unique and exact.is_unique(puzzle) is not True:
            sys.exit(f"{name}: not unique: {puzzle}")
    said = ", ".join(f"{number} {outcome}" for outcome, number in sorted(outcomes.items()))
    print(
        f"{name:31} {len(puzzles):6,} boards  median {1000 * median(times):8.2f} ms  "
        f"max {1000 * max(times):10.2f} ms  {said}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the oracle.")
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--time-limit", type=float, default=20.0)
    options = parser.parse_args()
    print(machine())
    print(f"prove unique, best of {options.repeats}:")
    for name, count, wanted, bar in UNIQUE_9X9:
        label, puzzles = puzzles_of(options.folder, name, count, wanted)
        prove_unique(label, puzzles, bar if label == name else None, options.repeats)
    print(f"solve, at most {options.time_limit:g} s each:")
    for name, count, wanted, unique in LARGE:
        label, puzzles = puzzles_of(options.folder, name, count, wanted)
        solve_all(label, puzzles, unique=unique, time_limit=options.time_limit)


if __name__ == "__main__":
    main()
