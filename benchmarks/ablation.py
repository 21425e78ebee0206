"""The effect of each ingredient of the champion: the same runs with one thing changed at a time.

    python3 run.py bench ablation [--large] [--boards 40] [--seeds 3] [--limit 20] [--rows ROW …]
                                  [--quick] [--jobs N] [--json FILE]

Boards are fresh: complete 25×25 grids found by random search and blanked at random to 45 % givens,
or with --large 36×36 grids at 47 %. All rows have the same boards, seeds and limit, and run
in turns. CPU time on one core, warm; the expected time is that of all runs per solved one.
Intervals of ratios are at 95 %, by bootstrap: boards are drawn, with all their seeds, and the
ratio compares a row with the champion on the same boards. Every solution is verified.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import mean
from typing import NamedTuple

from benchmarks.measuring import SEED, machine_text
from benchmarks.racing import (
    RESAMPLES,
    Outcome,
    Summary,
    Task,
    as_json,
    bootstrapped,
    expected_text,
    fresh_boards,
    of_row,
    race,
    seconds_text,
    seeds_text,
    write_json,
)
from benchmarks.results import print_table
from genoku.evolve.algorithms import Champion
from genoku.evolve.presets import preset
from genoku.puzzle.geometry import Geometry

BASE = preset("champion").build()
assert isinstance(BASE, Champion)

EVERY_ROW: dict[str, Champion] = {
    "champion": BASE,
    "one parent (headless chicken)": replace(BASE, inherit="parent"),
    "independent trajectories": replace(BASE, inherit="nothing"),
    "one trajectory": replace(BASE, inherit="nothing", population=1),
    "no elite (trust 0)": replace(BASE, trust=0.0),
    "no place of failure (near 0)": replace(BASE, near=0.0),
    "no memory of failures (weigh 0)": replace(BASE, weigh=0.0),
    "rules: locked": replace(BASE, rules="locked"),
    "rules: singles": replace(BASE, rules="singles"),
    **{f"population {size}": replace(BASE, population=size) for size in (4, 8, 16)},
    **{f"forget {count}": replace(BASE, forget=float(count)) for count in (4, 8, 16)},
    **{f"tries {count}": replace(BASE, tries=count) for count in (20, 50, 100)},
}
# What a row changes nothing by is the champion itself.
ROWS = {row: each for row, each in EVERY_ROW.items() if row == "champion" or each != BASE}


class Size(NamedTuple):
    """The boards and limits to measure with."""

    geometry: Geometry
    percent: int
    boards: int
    seeds: int
    limit: float


FULL = Size(Geometry(5, 5), 45, 40, 3, 20.0)
LARGE = Size(Geometry(6, 6), 47, 20, 1, 60.0)
QUICK, QUICK_LARGE = FULL._replace(boards=4, seeds=1), LARGE._replace(boards=1, limit=3.0)


def table_row(row: str, outcomes: Sequence[Outcome], champion: Sequence[Outcome]) -> list[str]:
    found = Summary.of(outcomes)
    least, most = bootstrapped(outcomes, champion)
    ratio = found.expected / Summary.of(champion).expected
    same = row == "champion"
    return [
        row,
        f"{found.solved}/{found.runs}",
        expected_text(found),
        seconds_text(found.median),
        seconds_text(found.p95),
        seconds_text(found.most),
        f"{mean(outcome.built for outcome in outcomes):,.0f}",
        "1" if same else f"{ratio:.2f}",
        "" if same else f"{least:.2f} to {most:.2f}",
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure what the champion is made of.")
    parser.add_argument("--large", action="store_true", help="36×36 boards with 47 %% givens")
    parser.add_argument("--quick", action="store_true", help="a few boards, rough figures")
    parser.add_argument("--boards", type=int)
    parser.add_argument("--seeds", type=int)
    parser.add_argument("--limit", type=float, help="CPU seconds of a run")
    parser.add_argument("--rows", nargs="+", choices=list(ROWS), metavar="ROW", help="only these")
    parser.add_argument("--jobs", type=int, default=1, help="processes that runs are spread over")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every run there")
    options = parser.parse_args()
    size = (QUICK_LARGE if options.quick else LARGE) if options.large else FULL
    size = QUICK if options.quick and not options.large else size
    asked = {name: getattr(options, name) for name in ("boards", "seeds", "limit")}
    size = size._replace(**{name: value for name, value in asked.items() if value is not None})
    rows = ["champion", *(row for row in options.rows or ROWS if row != "champion")]

    print(f"{machine_text()}; {options.jobs} jobs")
    print(
        f"{size.boards} fresh {size.geometry} boards with {size.percent} % givens, "
        f"{seeds_text(size.seeds)}, {size.limit:g} CPU s limit; {RESAMPLES:,} resamples"
    )
    puzzles = fresh_boards(size.geometry, size.percent, size.boards)
    tasks = [
        Task(row, ROWS[row], puzzle, str(number), seed, size.limit)
        for number, puzzle in enumerate(puzzles)
        for seed in range(SEED, SEED + size.seeds)
        for row in rows
    ]
    outcomes = race(tasks, options.jobs)
    champion = of_row(outcomes, "champion")
    print_table(
        ("row", "solved", "expected (95 %)", "median", "p95", "max", "built", "ratio", "interval"),
        [table_row(row, of_row(outcomes, row), champion) for row in rows],
    )
    write_json(options.json, vars(options), {"runs": as_json(outcomes)})
