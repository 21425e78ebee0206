"""How fast puzzles are made, brought to canonical form and rated.

    python3 run.py bench generate [FOLDER] [--repeats 5] [--minimal-25 3]

Canonical forms and ratings are measured on FOLDER's top1465.txt, or on generated puzzles. CPU time
on one core, warm: the best of the repeats for rates, the median over puzzles for single boards.
Every puzzle made is proved unique by the oracle, outside the time.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from benchmarks.oracle import SEED, machine, puzzles_of
from genoku import exact
from genoku.board import Puzzle
from genoku.generator import Made, Wanted, generate
from genoku.geometry import Geometry
from genoku.isomorph import canonical
from genoku.rating import rate

SIXTEEN, TWENTY_FIVE = Geometry(4, 4), Geometry(5, 5)


def checked(made: list[Made]) -> None:
    for one in made:
        if exact.is_unique(one.puzzle, time_limit=60) is not True:
            sys.exit(f"not proved unique: {one.puzzle}")


def per_second(what: str, work: Callable[[], int], repeats: int, bar: str = "") -> None:
    """The best rate of several runs of `work`, which says how much it did."""
    best = 0.0
    for _ in range(repeats):
        start = time.process_time()
        done = work()
        best = max(best, done / (time.process_time() - start))
    print(f"{what:28} {best:10,.0f} /s  {bar}")


def one_by_one(what: str, wanted: Wanted, count: int, bar: str) -> None:
    generate(wanted, SEED, count)
    made: list[Made] = []
    times: list[float] = []
    for index in range(count):
        start = time.process_time()
        made.append(generate(wanted, SEED, index))
        times.append(time.process_time() - start)
    checked(made)
    givens = median(one.puzzle.givens for one in made)
    print(
        f"{what:28} median {median(times):7.3f} s  max {max(times):7.3f} s  {bar}  "
        f"({count} boards, {givens:g} givens)"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the generator.")
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--minimal-25", type=int, default=3, metavar="N")
    options = parser.parse_args()
    print(machine())
    made: list[Made] = []

    def minimal() -> int:
        made[:] = [generate(Wanted(), SEED, index) for index in range(500)]
        return len(made)

    minimal()
    per_second("minimal 9×9", minimal, options.repeats, "bar 1,000")
    checked(made)
    one_by_one("minimal 16×16", Wanted(SIXTEEN), 20, "bar 0.5 s")
    one_by_one("25×25 at 50 % givens", Wanted(TWENTY_FIVE, givens=312), 10, "bar 0.2 s")
    one_by_one("minimal 25×25", Wanted(TWENTY_FIVE), options.minimal_25, "bar 5 s")

    label, puzzles = puzzles_of(options.folder, "top1465", 300, Wanted())
    puzzles = puzzles[:300]

    def all_of(function: Callable[[Puzzle], object], some: list[Puzzle]) -> Callable[[], int]:
        return lambda: len([function(puzzle) for puzzle in some])

    all_of(canonical, puzzles)()
    all_of(rate, puzzles[:5])()
    print(f"on {len(puzzles)} puzzles ({label}):")
    per_second("canonical 9×9 puzzles", all_of(canonical, puzzles), options.repeats)
    grids = [one.solution for one in made[:300]]
    per_second("canonical 9×9 grids", all_of(canonical, grids), options.repeats)
    per_second("ratings, 9×9", all_of(rate, puzzles[:60]), min(options.repeats, 3))


if __name__ == "__main__":
    main()
