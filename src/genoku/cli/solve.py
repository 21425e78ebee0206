"""`genoku solve`: one puzzle on screen, or a file of them as a batch."""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain
from typing import Any

import click

from genoku import collection
from genoku.board import Puzzle
from genoku.cli.exits import EXIT_INPUT, EXIT_UNSOLVED
from genoku.cli.inputs import (
    Reading,
    jobs_option,
    json_option,
    jsonl_option,
    reads_puzzles,
    time_limit,
)
from genoku.cli.output import (
    bare_line,
    board_text,
    duration,
    load_kernels,
    plural,
    print_json,
    ready_kernels,
    refuse_conflicts,
    say,
    with_progress,
)
from genoku.errors import FormatError
from genoku.formats import Entry
from genoku.parallel import batched, in_order

BATCH = 64
UNIQUENESS_SECONDS = 2.0

Record = dict[str, Any]


@click.command(
    epilog="""\b
Examples:
  genoku solve                       a hard puzzle that comes with genoku
  genoku solve random --seed 7       a new one
  genoku solve charles-hard --json
  genoku solve puzzles.txt --jobs 4 > solutions.txt
  cat puzzles.sdm | genoku solve - --jsonl
""",
)
@reads_puzzles(default=collection.DEFAULT)
@click.option(
    "--preset",
    type=click.Choice(["exact"]),
    default="exact",
    help="How to solve.",
    show_default=True,
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the run.")
@time_limit()
@jobs_option
@json_option
@jsonl_option
@click.option("--allow-conflicts", is_flag=True, help="Run even if givens clash.")
def solve(
    reading: Reading,
    preset: str,
    seed: int,
    time_limit: float | None,
    jobs: int,
    as_json: bool,
    jsonl: bool,
    allow_conflicts: bool,
) -> int:
    """Solve a PUZZLE: a board, the name of a bundled one, a file, `random`, or - for stdin."""
    reading.check_json(as_json=as_json, jsonl=jsonl)
    if reading.source == "random":
        from genoku.generator import generate

        made = generate(seed=seed)
        lone: Entry | None = Entry(made.puzzle, name="random")
        entries: Iterator[Entry] = iter([Entry(made.puzzle, name="random")])
    else:
        lone, entries = reading.one_or_many()
    ready_kernels()
    if lone is None or jsonl:
        if as_json:
            raise click.UsageError("expected one puzzle with --json; --jsonl is for many")
        work = partial(solve_batch, preset, seed, time_limit, allow_conflicts)
        batches = in_order(work, batched(entries, BATCH), jobs)
        return _print_batch(chain.from_iterable(batches), reading, jsonl=jsonl)
    if not allow_conflicts and refuse_conflicts(lone.puzzle):
        return EXIT_INPUT
    record = solve_one(lone, preset, seed, time_limit)
    if as_json:
        print_json(record)
    else:
        _print_one(lone, record)
    return 0 if record["solved"] else EXIT_UNSOLVED


def solve_one(entry: Entry, preset: str, seed: int, time_limit: float | None) -> Record:
    """Solve one puzzle; what `--json` prints. The verdict does not come from the solver."""
    from genoku import exact

    puzzle = entry.puzzle
    wall, cpu = time.perf_counter(), time.process_time()
    found = exact.solve(puzzle, time_limit=time_limit)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    solved = found.board is not None and puzzle.is_solved_by(found.board)
    solution = Puzzle(puzzle.geometry, found.board.tobytes()) if found.board is not None else None
    record: Record = {
        "puzzle": str(puzzle),
        "solution": str(solution) if solved else None,
        "solved": solved,
        "preset": preset,
        "seed": seed,
        "steps": 1,
        "evaluations": found.nodes,
        "seconds": round(wall, 6),
        "cpu_seconds": round(cpu, 6),
        "stop_reason": found.stop_reason,
    }
    if not puzzle.geometry.is_default:
        record["box"] = puzzle.geometry.box
    if entry.name:
        record["name"] = entry.name
    return record


def solve_batch(
    preset: str, seed: int, time_limit: float | None, allow_conflicts: bool, entries: list[Entry]
) -> list[tuple[Entry, Record | None]]:
    """Every entry with its record, None where givens clash."""
    load_kernels()
    return [
        (
            entry,
            solve_one(entry, preset, seed, time_limit)
            if allow_conflicts or not entry.puzzle.conflicts()
            else None,
        )
        for entry in entries
    ]


def _print_batch(
    results: Iterable[tuple[Entry, Record | None]], reading: Reading, *, jsonl: bool
) -> int:
    """A line for every puzzle on stdout, the summary on stderr."""
    times: list[float] = []
    solved = 0
    for entry, record in with_progress(results, "solving"):
        if record is None:
            clash = FormatError(f"{reading.where(entry)}: {entry.puzzle.conflicts()[0]}")
            if reading.strict:
                raise clash
            reading.report(clash)
            if not jsonl:
                click.echo(f"# {entry.puzzle} givens clash")
            continue
        times.append(record["seconds"])
        solved += record["solved"]
        if jsonl:
            print_json(record, compact=True)
        else:
            click.echo(_line(entry, record))
    if times and (not jsonl or sys.stderr.isatty()):
        say(_summary(solved, times, reading.bad))
    if reading.bad:
        return EXIT_INPUT
    return 0 if solved == len(times) else EXIT_UNSOLVED


def _line(entry: Entry, record: Record) -> str:
    """The solution as a line that reads back, or a comment that says why there is none."""
    if not record["solved"]:
        return f"# {record['puzzle']} {record['stop_reason']}"
    solution = Puzzle.parse(record["solution"], box=entry.puzzle.geometry)
    return bare_line(solution)


def _summary(solved: int, times: list[float], bad: int) -> str:
    words = [f"{solved:,} of {plural(len(times), 'puzzle')} solved"]
    if times:
        ordered = sorted(times)
        p99 = ordered[min(len(ordered) - 1, int(0.99 * len(ordered)))]
        words.append(
            f"median {duration(statistics.median(ordered))}, p99 {duration(p99)}, "
            f"max {duration(ordered[-1])}"
        )
    if bad:
        words.append(f"{bad:,} bad")
    return "; ".join(words)


def _print_one(entry: Entry, record: Record) -> None:
    from genoku import exact

    puzzle = entry.puzzle
    if entry.name:
        say(f"{entry.name}: {puzzle.geometry}, {plural(puzzle.givens, 'given')}")
    if not record["solved"]:
        click.echo(board_text(puzzle))
        why = {"no solution": "This puzzle has no solution.", "time limit": "Time is up."}
        say(why[record["stop_reason"]])
        return
    solution = Puzzle.parse(record["solution"], box=puzzle.geometry)
    click.echo(board_text(puzzle, solution.board))
    unique = exact.is_unique(puzzle, time_limit=UNIQUENESS_SECONDS)
    words = {True: "the only solution", False: "one of several solutions", None: ""}[unique]
    said = f"Solved by {record['preset']} in {duration(record['seconds'])}"
    say(f"{said}: {words}." if words else f"{said}; whether it is the only solution is open.")
