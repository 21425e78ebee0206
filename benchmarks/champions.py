"""How well the champion and the other searches solve, compared with their controls and CaDiCaL.

    python3 run.py bench champions [SECTION …] [--puzzles FOLDER] [--quick] [--jobs N] [--json FILE]

Sections: nine, sixteen, twentyfive, thirtysix, searches; all of them where none is named.
FOLDER may hold hardest-375.txt, top1465.txt, 17clue-sample.txt, 16x16.txt, 16x16-unique.txt,
25x25.txt and 36x36.txt; missing sets are generated, and then have no target. Times are CPU
time on one core, warm, of `run()` as anybody calls it; limits are CPU seconds too. Expected times
are those of all runs, by the number of solved ones; by rank, what is not solved is later than all
that is. Every solution is verified. A missed bar changes no exit code, since other work on the
machine slows every figure here.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.measuring import SEED, Bars, machine_text
from benchmarks.processes import genoku, time_process
from benchmarks.racing import (
    Outcome,
    Summary,
    Task,
    as_json,
    expected_text,
    fresh_boards,
    of_row,
    on,
    race,
    seconds_text,
    seeds_text,
    solved_text,
    write_json,
)
from benchmarks.results import print_table
from benchmarks.sets import Kind, by_percent, puzzles_like, read_set
from genoku.evolve.presets import preset
from genoku.evolve.state import Algorithm
from genoku.generator import PuzzleRequest
from genoku.lab.statistics import wilson
from genoku.puzzle.board import Puzzle
from genoku.puzzle.bundled_puzzles import bundled
from genoku.puzzle.geometry import Geometry

SIXTEEN, TWENTY_FIVE, THIRTY_SIX = Geometry(4, 4), Geometry(5, 5), Geometry(6, 6)
CADICAL = "CaDiCaL"
LIMIT = 10.0  # CPU seconds of a run on small boards

Set = tuple[str, PuzzleRequest, int]

# Set, and what to make, how many, where it is missing.
NINES: tuple[Set, ...] = (
    ("hardest-375", PuzzleRequest(), 375),
    ("top1465", PuzzleRequest(), 1465),
    ("17clue-sample", PuzzleRequest(givens=24), 1000),
)
SIXTEENS: tuple[Set, ...] = (
    ("16x16", PuzzleRequest(SIXTEEN, share=0.4), 30),
    ("16x16-unique", PuzzleRequest(SIXTEEN), 30),
)
LEVELS_25 = (30, 35, 40, 45, 50, 55)
LEVELS_36 = (35, 40, 45, 47, 50, 55)
ROWS_36 = ("champion", "champion-lone", "champion-chicken", "champion-alone", CADICAL)

# Preset, its limit in CPU seconds, and the median milliseconds asked of it.
SEARCHES: tuple[tuple[str, float, float | None], ...] = (
    ("annealing", 2, 100),
    ("tabu", 2, 100),
    ("memetic", 5, 200),
    ("champion", 2, None),
    ("exact", 2, None),
)
FAMOUS = ("ai-escargot", "golden-nugget", "inkala-2012", "platinum-blonde", "easter-monster")

PUBLISHED_25 = """\
  published for this set at 45 %: ant colony (Lloyd & Amos 2019) 85 % in 120 s; iterated local
  search with constraint programming 10 %; simulated annealing (Lewis 2007) about 30 %"""


class Size(NamedTuple):
    """How much to measure: boards per set or level, seeds, and so on."""

    boards_9: int
    boards: int
    seeds_9: int
    seeds_16: int
    seeds_25: int
    seeds_searches: int
    grids_36: int
    limit_36: float


FULL = Size(10_000, 10_000, 3, 5, 5, 30, 10, 60.0)
QUICK = Size(375, 8, 1, 1, 1, 3, 1, 2.0)


class Bench(NamedTuple):
    """The arguments of every section."""

    folder: Path | None
    size: Size
    jobs: int
    bars: Bars
    options: argparse.Namespace


def algorithm_of(row: str) -> Algorithm | None:
    return None if row == CADICAL else preset(row).build()


def tasks_of(
    row: str, puzzles: Sequence[Puzzle], label: str, seeds: int, limit: float
) -> list[Task]:
    """Return a task for every puzzle and seed; CaDiCaL has no seeds."""
    algorithm = algorithm_of(row)
    return [
        Task(row, algorithm, puzzle, f"{label} {number}", seed, limit)
        for number, puzzle in enumerate(puzzles)
        for seed in range(SEED, SEED + (1 if algorithm is None else seeds))
    ]


def puzzles_of(
    bench: Bench, name: str, wanted: PuzzleRequest, count: int
) -> tuple[str, list[Puzzle]]:
    """Return puzzles of a set, or generated ones like it, and their name."""
    at_most = bench.size.boards_9 if wanted.geometry.side == 9 else bench.size.boards
    return puzzles_like(bench.folder, name, count, wanted, at_most)


def least(bench: Bench, label: str, what: str, value: float, bar: float) -> str:
    return f"{what} {bench.bars.least(f'{label}: {what}', value, bar).removeprefix('bar ')}"


def most(bench: Bench, label: str, what: str, value: float, bar: float) -> str:
    return f"{what} {bench.bars.most(f'{label}: {what}', value, bar).removeprefix('bar ')}"


def milliseconds(*seconds: float) -> list[str]:
    return [f"{1000 * each:.2f}" for each in seconds]


# 9×9 and 16×16


def nine(bench: Bench) -> dict[str, Any]:
    asked = {"hardest-375": {"median": 1.0, "p99": 10.0, "max": 100.0}}
    outcomes = small(bench, "9×9", NINES, bench.size.seeds_9, asked)
    return {"runs": as_json(outcomes), "end to end": end_to_end(bench)}


def sixteen(bench: Bench) -> dict[str, Any]:
    asked = {name: {"p99": 20.0} for name, _, _ in SIXTEENS}
    return {"runs": as_json(small(bench, "16×16", SIXTEENS, bench.size.seeds_16, asked))}


def small(
    bench: Bench, size: str, sets: Sequence[Set], seeds: int, asked: dict[str, dict[str, float]]
) -> list[Outcome]:
    """Measure the champion on sets that it solves in milliseconds."""
    print(f"\n{size}, champion, {seeds_text(seeds)}, {LIMIT:g} s limit; milliseconds")
    named = dict(puzzles_of(bench, *each) for each in sets)
    tasks = [tasks_of("champion", each, label, seeds, LIMIT) for label, each in named.items()]
    everything = race([*chain(*tasks)], bench.jobs)
    rows = []
    for label in named:
        outcomes = on(label, everything)
        found = Summary.of(outcomes)
        times = {"median": found.median, "p99": found.p99, "max": found.most}
        said = []
        if label in asked:
            said.append(least(bench, label, "solved %", found.share, 100))
        for what, bar in asked.get(label, {}).items():
            said.append(most(bench, label, f"{what} ms", 1000 * times[what], bar))
        rows.append([label, solved_text(outcomes), *milliseconds(*times.values()), ", ".join(said)])
    print_table(("set", "solved", "median", "p99", "max", ""), rows)
    return everything


def end_to_end(bench: Bench) -> dict[str, Any]:
    """Solve a file of puzzles with the command line, in a process of its own."""
    name, wanted, count = NINES[1]
    puzzles = read_set(bench.folder, name)  # all of them: a few would measure the start alone
    label, puzzles = (name, puzzles) if puzzles else puzzles_of(bench, name, wanted, count)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "puzzles.txt"
        few = Path(folder) / "few.txt"
        file.write_text("".join(f"{puzzle}\n" for puzzle in puzzles), "utf-8")
        few.write_text("".join(f"{puzzle}\n" for puzzle in puzzles[:5]), "utf-8")
        time_process(genoku("solve", str(few), "--jsonl"))
        done = time_process(genoku("solve", str(file), "--jsonl"))
    answers = [json.loads(line) for line in done.output.splitlines()]
    right = [
        Puzzle.parse(answer["puzzle"]) == puzzle
        and puzzle.is_solved_by(Puzzle.parse(answer["solution"]).board)
        for puzzle, answer in zip(puzzles, answers, strict=True)
    ]
    if not all(right):
        sys.exit(f"{label}: {right.count(False)} wrong answers of genoku solve")
    rate = len(puzzles) / done.cpu
    asked = bench.bars.least("puzzles a CPU second", rate, 500) if label == "top1465" else ""
    print(
        f"  genoku solve FILE --jsonl on {label}: {len(puzzles)} puzzles in "
        f"{done.cpu:.2f} CPU s of the whole process, {rate:.0f} /s  {asked}"
    )
    return {"puzzles": len(puzzles), "cpu_seconds": done.cpu}


# 25×25 and 36×36


def twentyfive(bench: Bench) -> dict[str, Any]:
    seeds, limit = bench.size.seeds_25, 20.0
    public = read_set(bench.folder, "25x25")
    levels = by_percent(public, LEVELS_25)
    name = "25x25" if public else "like 25x25, made"
    print(f"\n{name} by share of givens, {seeds_text(seeds)}, {limit:g} s limit; seconds")
    solvers = ("champion", CADICAL)
    tasks = []
    for percent in LEVELS_25:
        puzzles = levels[percent] or fresh_boards(TWENTY_FIVE, percent, 10)
        for row in solvers:
            tasks += tasks_of(row, puzzles[: bench.size.boards], f"{percent} %", seeds, limit)
    everything = race(tasks, bench.jobs)
    rows = []
    for percent in LEVELS_25:
        for row in solvers:
            outcomes = of_row(on(f"{percent} %", everything), row)
            found = Summary.of(outcomes)
            times = [
                f"{each:.4f}" for each in (found.expected, found.median, found.p95, found.most)
            ]
            said = []
            if public and row == "champion":
                label = f"25x25 at {percent} %"
                said.append(least(bench, label, "solved %", found.share, 100))
                if percent == 45:
                    said.append(most(bench, label, "mean s", found.expected, 0.1))
                    said.append(most(bench, label, "p95 s", found.p95, 0.3))
                    said.append(most(bench, label, "max s", found.most, 2))
            rows.append([f"{percent} % {row}", solved_text(outcomes), *times, ", ".join(said)])
    print_table(("givens", "solved", "expected", "median", "p95", "max", ""), rows)
    if public:
        print(PUBLISHED_25)
    return {"runs": as_json(everything)}


def thirtysix(bench: Bench) -> dict[str, Any]:
    options, size = bench.options, bench.size
    grids, limit = options.grids or size.grids_36, options.limit or size.limit_36
    kind: Kind = options.kind
    public = by_percent(read_set(bench.folder, "36x36"), LEVELS_36)
    print(
        f"\n36×36 by share of givens: {grids} fresh boards ({kind}) beside what is public, "
        f"{seeds_text(options.seeds)}, {limit:g} s limit"
    )
    everything: list[Outcome] = []
    for percent in options.levels:
        fresh = fresh_boards(THIRTY_SIX, percent, grids, kind)
        tasks = []
        for row in options.rows:
            for label, boards in (("public", public.get(percent, [])), ("fresh", fresh)):
                tasks += tasks_of(row, boards, f"{percent} % {label}", options.seeds, limit)
        # Board by board, so that other load on the machine slows all rows alike.
        tasks.sort(key=lambda task: (task.instance, task.seed))
        outcomes = race(tasks, bench.jobs)
        everything += outcomes
        rows = [at_36(row, of_row(outcomes, row), limit) for row in options.rows]
        header = ("public", "fresh", "solved, 95 % interval", "median", "expected (95 %)")
        print_table((f"{f'{percent} %':16}", *header), rows)
    return {"runs": as_json(everything)}


def at_36(row: str, outcomes: Sequence[Outcome], limit: float) -> list[str]:
    public = [each for each in outcomes if "public" in each.instance]
    fresh = [each for each in outcomes if "fresh" in each.instance]
    found = Summary.of(outcomes)
    low, high = wilson(found.solved, found.runs)
    return [
        row,
        solved_text(public) if public else "-",
        solved_text(fresh),
        f"{found.share:.0f} % ({100 * low:.0f} to {100 * high:.0f})",
        seconds_text(found.median) if found.median < limit else f"> {limit:g} s",
        expected_text(found),
    ]


# The other searches


def searches(bench: Bench) -> dict[str, Any]:
    seeds = bench.size.seeds_searches
    print(f"\nsearches on famous 9×9 puzzles, {seeds_text(seeds)}; milliseconds")
    tasks = []
    for famous in FAMOUS:
        puzzles = [bundled()[famous].puzzle]
        for name, limit, _ in SEARCHES:
            tasks += tasks_of(name, puzzles, famous, seeds, limit)
    everything = race(tasks, bench.jobs)
    rows = []
    for name, limit, bar in SEARCHES:
        for famous in FAMOUS:
            outcomes = of_row(on(famous, everything), name)
            found = Summary.of(outcomes)
            said = []
            if bar is not None:
                label = f"{name} on {famous}"
                said.append(least(bench, label, "solved %", found.share, 100))
                said.append(most(bench, label, "median ms", 1000 * found.median, bar))
            times = milliseconds(found.median, found.p95, found.most)
            rows.append(
                [name, famous, f"{limit:g} s", solved_text(outcomes), *times, ", ".join(said)]
            )
    print_table(("preset", "puzzle", "limit", "solved", "median", "p95", "max", ""), rows)
    return {"runs": as_json(everything)}


SECTIONS: dict[str, Callable[[Bench], dict[str, Any]]] = {
    "nine": nine,
    "sixteen": sixteen,
    "twentyfive": twentyfive,
    "thirtysix": thirtysix,
    "searches": searches,
}


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the champion and the other searches.")
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=", ".join(SECTIONS))
    parser.add_argument("--puzzles", type=Path, metavar="FOLDER", help="the public sets")
    parser.add_argument("--quick", action="store_true", help="a minute or two, rougher figures")
    parser.add_argument("--jobs", type=int, default=1, help="processes that runs are spread over")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every run there")
    large = parser.add_argument_group("of section thirtysix")
    large.add_argument("--grids", type=int, help="fresh grids of each level")
    large.add_argument("--kind", choices=("random", "pattern"), default="pattern")
    large.add_argument("--levels", type=int, nargs="+", default=list(LEVELS_36))
    large.add_argument("--rows", nargs="+", choices=ROWS_36, default=list(ROWS_36))
    large.add_argument("--seeds", type=int, default=1, help="of each grid")
    large.add_argument("--limit", type=float, help="CPU seconds of a run")
    options = parser.parse_args()
    unknown = set(options.sections) - set(SECTIONS)
    if unknown:
        parser.error(f"expected sections among {', '.join(SECTIONS)}, got {', '.join(unknown)}")
    size, bars = QUICK if options.quick else FULL, Bars()
    bench = Bench(options.puzzles, size, options.jobs, bars, options)
    print(f"{machine_text()}; {options.jobs} jobs")
    results = {name: SECTIONS[name](bench) for name in options.sections or SECTIONS}
    print(f"\n{bars}")
    write_json(options.json, vars(options), results)
