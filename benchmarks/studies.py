"""The overhead of a study: processor time, disk space, and the time of its report.

    python3 run.py bench studies [--runs 5000] [--kept 100000] [--jobs 2] [--no-report]

The first figure is the share of all CPU time, of the driver and its workers from their start to
their end, that is spent inside runs. The second is the size of a file of many runs of 150
generations, of which `--runs` are real and the others copies with other seeds; the third is the CPU
time of its report.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path

from benchmarks.measuring import Bars, machine_text
from benchmarks.processes import genoku, time_process
from genoku.lab.store import Row, Store
from genoku.lab.study import PlannedRun, Study

GENERATIONS = 150
FILE = """
puzzles = ["charles-easy", "charles-hard"]
seeds = {seeds}
until = "generations={generations}"

[[algorithms]]
preset = "charles"
grid.population = [150, 300]

[[algorithms]]
preset = "simon"
"""
PER_SEED = 6


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure what a study costs beside its runs.")
    parser.add_argument("--runs", type=int, default=5_000)
    parser.add_argument("--kept", type=int, default=100_000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--no-report", action="store_true")
    options = parser.parse_args()
    bars = Bars()
    print(f"{machine_text()}; {options.jobs} processes")
    with tempfile.TemporaryDirectory() as folder:
        real = Path(folder) / "real.db"
        print(share_of_search(real, options.runs, options.jobs, bars))
        many = Path(folder) / "many.db"
        print(size_of_many(real, many, options.kept, bars))
        if not options.no_report:
            print(time_of_report(many, bars))
    print(bars)
    sys.exit(bool(bars.missed))


def share_of_search(path: Path, runs: int, jobs: int, bars: Bars) -> str:
    seeds = -(-runs // PER_SEED)
    file = path.with_suffix(".toml")
    file.write_text(FILE.format(seeds=seeds, generations=GENERATIONS), "utf-8")
    done = time_process(genoku("study", "run", str(file), "--jobs", str(jobs)))
    with Store.open(path) as store:
        results = store.results()
    inside = float(results.cpu_seconds.sum())
    share = inside / done.cpu
    return (
        f"{len(results):,} runs of {1000 * inside / len(results):.1f} ms: {100 * share:.1f} % of "
        f"{done.cpu:.1f} s CPU inside the search, {bars.least('share', share, 0.9)}"
    )


def size_of_many(real: Path, path: Path, kept: int, bars: Bars) -> str:
    """Write a store with many rows, copied from real runs."""
    with Store.open(real) as store:
        rows = list(store.rows())
        there = store.study
    study = Study(
        "many", there.arms, there.instances, tuple(range(-(-kept // PER_SEED))), "What is it worth?"
    )
    begun = time.process_time()
    with Store.create(path, study) as store:
        store.add(_again(rows, study))
        count = len(store.done())
    size = path.stat().st_size / 1e6
    steps = sum(row.steps for row in rows) / len(rows)
    return (
        f"{count:,} runs of {steps:.0f} generations: {size:.1f} MB, "
        f"{time.process_time() - begun:.1f} s CPU to write, {bars.most('size', size, 100)}"
    )


def _again(rows: list[Row], study: Study) -> Iterator[Row]:
    """Yield rows in the order of a larger plan, copied from runs of the same arm and puzzle."""
    by_pair = {
        (arm, instance): cycle([row for row in rows if (row.arm, row.instance) == (arm, instance)])
        for arm in range(len(study.arms))
        for instance in range(len(study.instances))
    }
    plan: list[PlannedRun] = list(study.runs())
    for planned, key in zip(plan, study.keys(plan), strict=True):
        row = next(by_pair[planned.arm, planned.instance])
        yield row._replace(key=key, seed=planned.seed)


def time_of_report(path: Path, bars: Bars) -> str:
    from genoku.lab.report import report

    begun, wall = time.process_time(), time.perf_counter()
    with Store.open(path) as store:
        page = report(store).html()
    seconds, waited = time.process_time() - begun, time.perf_counter() - wall
    return (
        f"its report: {len(page) / 1e6:.1f} MB in {seconds:.1f} s CPU ({waited:.1f} s), "
        f"{bars.most('report', seconds, 60)}"
    )
