"""How long it takes until genoku is there.

    python benchmarks/startup.py [--repeats 9]

Each figure is the median over new processes, wall-clock, with warm files. The cold solve compiles
every kernel it needs into an empty cache folder; the warm one finds them there.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from statistics import median

from oracle import machine

PUZZLE = "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4.."
SOLUTION = "812753649943682175675491283154237896369845721287169534521974368438526917796318452"


def seconds(arguments: list[str], expected: str = "", **environment: str) -> float:
    """The wall-clock time of one Python process that must succeed and print `expected`."""
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    spent = time.perf_counter() - start
    if done.returncode or expected not in done.stdout:
        sys.exit(f"{' '.join(arguments)} failed:\n{done.stdout}{done.stderr}")
    return spent


def report(what: str, times: list[float], bar: str = "") -> None:
    print(f"{what:32} median {median(times):6.3f} s  max {max(times):6.3f} s  {bar}")


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure start-up.")
    parser.add_argument("--repeats", type=int, default=9)
    repeats = range(parser.parse_args().repeats)
    print(f"{machine()}; medians of {len(repeats)} processes")
    for what, arguments, bar in (
        ("python -c pass", ["-c", "pass"], ""),
        ("import genoku", ["-c", "import genoku"], "bar 0.25 s"),
        ("genoku --help", ["-m", "genoku", "--help"], "bar 0.3 s"),
    ):
        seconds(arguments)
        report(what, [seconds(arguments) for _ in repeats], bar)
    solve = ["-m", "genoku", "solve", PUZZLE, "--json"]
    with tempfile.TemporaryDirectory() as folder:
        cold = seconds(solve, SOLUTION, NUMBA_CACHE_DIR=folder)
        report("first genoku solve, cold (once)", [cold])
        warm = [seconds(solve, SOLUTION, NUMBA_CACHE_DIR=folder) for _ in repeats]
        report("genoku solve, warm", warm)


if __name__ == "__main__":
    main()
