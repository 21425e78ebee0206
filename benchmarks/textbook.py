"""How well the preset `textbook` solves, and what each of its ingredients is worth.

    python3 run.py bench textbook ordinary [--preset NAME …] [--limit 60] [--seeds 10] [--jobs N]
                                           [--json FILE]
    python3 run.py bench textbook hardest --puzzles FOLDER [--preset NAME …] [--limit 60]
                                          [--every 1] [--seeds 1] [--jobs N] [--json FILE]
    python3 run.py bench textbook ingredients [--store FILE.db] [--base NAME] [--figure FILE.svg]
                                              [--jobs N]

`ordinary` gives every run on nine bundled puzzles a number of CPU seconds, and `hardest` those on
hardest-375.txt in FOLDER; with `--every 4` every fourth puzzle. Every solution is verified.

`ingredients` makes the runs of benchmarks/textbook.toml that the store lacks, and compares every
algorithm of that study with its first one, or with `--base`. Evaluations per solution are those of
all runs by the number of solved ones, with the interval of the lab. The ratio of two such numbers
has a 95 % interval by bootstrap: puzzles are drawn, with all their seeds. A12 is the chance that a
run of the base is better than one of the other algorithm on the same puzzle.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.measuring import SEED, machine_text
from benchmarks.racing import (
    Outcome,
    Summary,
    Task,
    as_json,
    bootstrapped,
    expected_text,
    of_row,
    on,
    race,
    seconds_text,
    seeds_text,
    solved_text,
    write_json,
)
from benchmarks.results import print_table
from benchmarks.sets import ORDINARY, read_set
from genoku.cli.study import show_progress
from genoku.errors import GenokuError
from genoku.evolve.presets import preset
from genoku.lab import Results, Store, Study, run_study
from genoku.lab.report.charts import IntervalChart, IntervalMark, ReferenceLine, draw
from genoku.lab.statistics import (
    Effect,
    RunningTime,
    running_time,
    stratified_a12,
    to_solution,
    wilson,
)
from genoku.lab.studyfile import read_study
from genoku.present.figures import drawing, picture_format, save
from genoku.puzzle.board import Puzzle
from genoku.puzzle.bundled_puzzles import bundled
from genoku.runtime.text import format_compact

HARDEST = "hardest-375"
STUDY = Path(__file__).with_suffix(".toml")


# How well it solves


def measure_ordinary(options: argparse.Namespace) -> None:
    puzzles = {name: [bundled()[name].puzzle] for name in ORDINARY}
    measure(f"{len(puzzles)} bundled puzzles", puzzles, options)


def measure_hardest(options: argparse.Namespace) -> None:
    puzzles = read_set(options.puzzles, HARDEST)[:: options.every]
    if not puzzles:
        raise SystemExit(f"expected {HARDEST}.txt in {options.puzzles}")
    measure(f"{len(puzzles)} of {HARDEST}", {HARDEST: puzzles}, options)


def measure(title: str, sets: Mapping[str, Sequence[Puzzle]], options: argparse.Namespace) -> None:
    """Run every preset on all puzzles, and print a row for each set."""
    print(
        f"{title}, {seeds_text(options.seeds)}, {options.limit:g} CPU s limit; "
        f"{machine_text()}; {options.jobs} jobs"
    )
    tasks = [
        Task(name, preset(name).build(), puzzle, f"{label} {number}", seed, options.limit)
        for label, puzzles in sets.items()
        for number, puzzle in enumerate(puzzles)
        for seed in range(SEED, SEED + options.seeds)
        for name in options.preset
    ]
    outcomes = race(tasks, options.jobs)
    print_table(
        ("puzzles", "preset", "solved", "", "95 %", "median", "p90", "max", "expected (95 %)"),
        [
            [label, *summary_row(name, on(label, of_row(outcomes, name)))]
            for label in sets
            for name in options.preset
        ],
    )
    write_json(options.json, vars(options), {"runs": as_json(outcomes)})


def summary_row(name: str, outcomes: Sequence[Outcome]) -> list[str]:
    """Times to a solution by rank; an unsolved run is later than all solved ones."""
    found = Summary.of(outcomes)
    low, high = wilson(found.solved, found.runs)
    times = to_solution([each.seconds for each in outcomes], [each.solved for each in outcomes])
    p90 = float(np.quantile(times, 0.9, method="higher"))
    return [
        name,
        solved_text(outcomes),
        f"{found.share:.1f} %",
        f"{100 * low:.1f} to {100 * high:.1f}",
        *map(seconds_text, (found.median, p90, found.most)),
        expected_text(found),
    ]


# The ingredients


class Ingredient(NamedTuple):
    """An algorithm of the study, compared with the base on the same puzzles and seeds."""

    name: str
    found: RunningTime
    """Evaluations per solution."""
    cpu_seconds: float
    """CPU seconds per solution."""
    ratio: float
    """Evaluations per solution, divided by those of the base."""
    low: float
    high: float
    effect: Effect


def measure_ingredients(options: argparse.Namespace) -> None:
    study = read_study(STUDY)
    with show_progress(study, options.store) as progress:
        run_study(study, options.store, jobs=options.jobs, progress=progress)
    with Store.open(options.store) as store:
        for failure in store.failures()[:1]:
            raise GenokuError(f"{options.store}: a run failed: {failure.message}")
        ingredients = compare(study, store.results(), options.base)
    print(f"{study.size_text}, {study.arms[0].until} each; {machine_text()}")
    print_table(
        ("", "solved", "95 %", "evaluations per solution", "times", "95 %", "A12", "CPU s"),
        list(map(ingredient_row, ingredients)),
    )
    if options.figure:
        write_chart(ingredients, options.figure)


def compare(study: Study, results: Results, base: str = "") -> list[Ingredient]:
    """Compare every algorithm with the one of that name, or with the first."""
    names = [arm.name for arm in study.arms]
    if base and base not in names:
        raise SystemExit(f"--base: expected one of {', '.join(names)}, got {base}")
    own = results.of(names.index(base) if base else 0)
    return [compare_two(name, results.of(number), own) for number, name in enumerate(names)]


def compare_two(name: str, own: Results, base: Results) -> Ingredient:
    found, theirs = (running_time(each.evaluations, each.solved) for each in (own, base))
    seconds = running_time(own.cpu_seconds, own.solved).value
    low, high = bootstrapped(outcomes_of(own), outcomes_of(base))
    pairs = [
        (to_solution(one.evaluations, one.solved), to_solution(two.evaluations, two.solved))
        for place in np.unique(base.instance).tolist()
        for one, two in [(base.of(instance=place), own.of(instance=place))]
    ]
    return Ingredient(
        name, found, seconds, found.value / theirs.value, low, high, stratified_a12(pairs)
    )


def outcomes_of(results: Results) -> list[Outcome]:
    """The runs with evaluations in place of seconds."""
    rows = zip(results.instance, results.seed, results.solved, results.evaluations, strict=True)
    return [
        Outcome("", str(instance), int(seed), bool(solved), float(effort), int(effort))
        for instance, seed, solved, effort in rows
    ]


def ingredient_row(each: Ingredient) -> list[str]:
    success, interval = each.found.success, each.found.interval
    low, high = success.wilson()
    per_solution = f"more than {format_compact(interval.low)}"
    ratio = between = "-"
    if success.successes:
        ends = f"{format_compact(interval.low)} to {format_compact(interval.high)}"
        per_solution = f"{format_compact(each.found.value)} ({ends})"
        ratio, between = f"{each.ratio:.2f}", f"{each.low:.2f} to {each.high:.2f}"
    return [
        each.name,
        f"{success.successes}/{success.runs}",
        f"{100 * low:.0f} to {100 * high:.0f} %",
        per_solution,
        ratio,
        between,
        f"{each.effect.a12:.2f}",
        f"{each.cpu_seconds:.2f}",
    ]


def write_chart(ingredients: Sequence[Ingredient], path: Path) -> None:
    """Draw the evaluations per solution of every algorithm that solved a puzzle."""
    marks = [
        IntervalMark(each.name, each.found.value, each.found.interval.low, each.found.interval.high)
        for each in ingredients
        if each.found.success.successes
    ]
    first = ReferenceLine(ingredients[0].found.value, ingredients[0].name, "x")
    title = "Evaluations per solution, with one ingredient changed at a time"
    chart = IntervalChart(title, "evaluations per solution", tuple(marks), True, (first,))
    with drawing(), path.open("wb") as file:
        save(draw(chart), file, picture_format(path), title)


PARTS: dict[str, Callable[[argparse.Namespace], None]] = {
    "ordinary": measure_ordinary,
    "hardest": measure_hardest,
    "ingredients": measure_ingredients,
}


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the textbook genetic algorithm.")
    parts = parser.add_subparsers(dest="part", required=True, metavar="PART")
    ordinary = parts.add_parser("ordinary", help="bundled 9×9 puzzles")
    hardest = parts.add_parser("hardest", help="the hardest public 9×9 puzzles")
    hardest.add_argument("--puzzles", type=Path, required=True, metavar="FOLDER")
    hardest.add_argument("--every", type=int, default=1, metavar="N", help="every Nth puzzle")
    for part, seeds in ((ordinary, 10), (hardest, 1)):
        part.add_argument("--preset", nargs="+", default=["textbook"], metavar="NAME")
        part.add_argument("--limit", type=float, default=60.0, help="CPU seconds of a run")
        part.add_argument("--seeds", type=int, default=seeds, help="of each puzzle")
        part.add_argument("--json", type=Path, metavar="FILE", help="write every run there")
    ingredients = parts.add_parser("ingredients", help="one ingredient changed at a time")
    ingredients.add_argument("--store", type=Path, default=Path("textbook.db"), metavar="FILE.db")
    ingredients.add_argument("--base", default="", metavar="NAME", help="the first algorithm")
    ingredients.add_argument("--figure", type=Path, metavar="FILE", help="draw a chart: .svg, …")
    for part in (ordinary, hardest, ingredients):
        part.add_argument("--jobs", type=int, default=1, help="processes that runs are spread over")
    options = parser.parse_args()
    PARTS[options.part](options)
