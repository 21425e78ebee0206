"""`genoku solve`: one puzzle on screen, or a file of them as a batch."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial
from itertools import chain
from typing import Any

import click
from click.core import ParameterSource

from genoku import collection
from genoku.board import Puzzle
from genoku.cli.asked import OF_A_NEW_RUN, OF_ONE_RUN, Asked, asks_for_evolution
from genoku.cli.batch import print_batch
from genoku.cli.exits import EXIT_INPUT, EXIT_UNSOLVED
from genoku.cli.inputs import Reading, json_option, jsonl_option, reads_puzzles
from genoku.cli.inputs import time_limit as limited
from genoku.cli.output import (
    board_text,
    compiling_announced,
    duration,
    load_kernels,
    plural,
    print_json,
    ready_kernels,
    refuse_conflicts,
    say,
)
from genoku.formats import Entry
from genoku.parallel import batched, in_order

BATCH = 64
UNIQUENESS_SECONDS = 2.0
EXACT = "exact"

Record = dict[str, Any]


def _complete_preset(_context: Any, _parameter: Any, typed: str) -> list[str]:
    from genoku.presets import presets

    names = [EXACT, *(each.name for each in presets())]
    return [name for name in names if name.startswith(typed)]


@click.command(
    epilog="""\b
Examples:
  genoku solve                       a hard puzzle that comes with genoku
  genoku solve random --seed 7       a new one
  genoku solve charles-hard --json
  genoku solve puzzles.txt --jobs 4 > solutions.txt
  cat puzzles.sdm | genoku solve - --jsonl
\b
Evolution (see `genoku presets` and `genoku operators`):
  genoku solve --preset simon --watch
  genoku solve charles-easy --preset charles --set population=500 --history run.csv
  genoku solve --preset poderosas --until "generations=500 or seconds=10" --plot run.svg
  genoku solve --preset simon --checkpoint run.ck
  genoku solve --resume run.ck --until generations=2000 --gif run.gif
""",
)
@reads_puzzles(default=collection.DEFAULT)
@click.option(
    "--preset",
    metavar="NAME",
    shell_complete=_complete_preset,
    help="How to solve: exact, or an evolution. [default: exact]",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the run.")
@limited()
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=1,
    help="Processes, for the puzzles of a file or for islands.",
)
@json_option
@jsonl_option
@click.option("--allow-conflicts", is_flag=True, help="Run even if givens clash.")
@asks_for_evolution
def solve(
    reading: Reading,
    preset: str | None,
    seed: int,
    time_limit: float | None,
    jobs: int,
    as_json: bool,
    jsonl: bool,
    allow_conflicts: bool,
    asked: Asked,
) -> int:
    """Solve a PUZZLE: a board, the name of a bundled one, a file, `random`, or - for stdin."""
    reading.check_json(as_json=as_json, jsonl=jsonl)
    asked.check(reading.source)
    if asked.resume is not None:
        return _resumed(asked, jobs, time_limit, as_json=as_json)
    if preset is not None and asked.recipe is not None:
        raise click.UsageError("expected one of --preset and --recipe")
    if preset in (None, EXACT) and asked.recipe is None:
        if asked.given():
            raise click.UsageError(
                f"expected a preset that evolves for {' and '.join(asked.given())} "
                "(see `genoku presets`): exact has no generations"
            )
        return _exact(reading, seed, time_limit, jobs, allow_conflicts, as_json, jsonl)
    return _evolved(reading, preset, seed, time_limit, jobs, allow_conflicts, as_json, jsonl, asked)


def _is_given(name: str) -> bool:
    """Whether a parameter was typed, and is not its default."""
    return click.get_current_context().get_parameter_source(name) != ParameterSource.DEFAULT


def _entries(reading: Reading, seed: int) -> tuple[Entry | None, Iterator[Entry]]:
    if reading.source == "random":
        from genoku.generator import generate

        entry = Entry(generate(seed=seed).puzzle, name="random")
        return entry, iter([entry])
    return reading.one_or_many()


def _exact(
    reading: Reading,
    seed: int,
    time_limit: float | None,
    jobs: int,
    allow_conflicts: bool,
    as_json: bool,
    jsonl: bool,
) -> int:
    lone, entries = _entries(reading, seed)
    ready_kernels()
    if lone is None or jsonl:
        if as_json:
            raise click.UsageError("expected one puzzle with --json; --jsonl is for many")
        work = partial(solve_batch, seed, time_limit, allow_conflicts)
        batches = in_order(work, batched(entries, BATCH), jobs)
        return print_batch(chain.from_iterable(batches), reading, jsonl=jsonl)
    if not allow_conflicts and refuse_conflicts(lone.puzzle):
        return EXIT_INPUT
    record = solve_one(lone, seed, time_limit)
    if as_json:
        print_json(record)
    else:
        _print_one(lone, record)
    return 0 if record["solved"] else EXIT_UNSOLVED


def solve_one(entry: Entry, seed: int, time_limit: float | None) -> Record:
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
        "preset": EXACT,
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
    seed: int, time_limit: float | None, allow_conflicts: bool, entries: list[Entry]
) -> list[tuple[Entry, Record | str]]:
    """Every entry with its record, or with a clash among its givens."""
    load_kernels()
    records: list[tuple[Entry, Record | str]] = []
    for entry in entries:
        clashes = [] if allow_conflicts else entry.puzzle.conflicts()
        told = str(clashes[0]) if clashes else solve_one(entry, seed, time_limit)
        records.append((entry, told))
    return records


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


def _evolved(
    reading: Reading,
    preset: str | None,
    seed: int,
    time_limit: float | None,
    jobs: int,
    allow_conflicts: bool,
    as_json: bool,
    jsonl: bool,
    asked: Asked,
) -> int:
    from genoku.cli.evolve import evolve_one
    from genoku.cli.plan import chosen, evolve_batch, planned

    found = chosen(preset, asked)
    plan = planned(found, asked, seed, time_limit, allow_conflicts)
    if _is_given("source"):
        lone, entries = _entries(reading, seed)
    else:
        lone = Entry(Puzzle.parse(found.puzzle, box=reading.box), name=found.puzzle_name)
        entries = iter([lone])
    if lone is not None and not jsonl:
        return evolve_one(lone, plan, asked, jobs, as_json=as_json)
    if as_json:
        raise click.UsageError("expected one puzzle with --json; --jsonl is for many")
    if asked.given(*OF_ONE_RUN):
        raise click.UsageError(f"expected one puzzle with {' and '.join(asked.given(*OF_ONE_RUN))}")
    work = partial(evolve_batch, plan)
    batches = in_order(work, batched(entries, 1), jobs)
    with compiling_announced():
        return print_batch(chain.from_iterable(batches), reading, jsonl=jsonl)


def _resumed(asked: Asked, jobs: int, time_limit: float | None, *, as_json: bool) -> int:
    too_much = [
        shown
        for name, shown in (
            ("source", "PUZZLE"),
            ("preset", "--preset"),
            ("seed", "--seed"),
            ("jsonl", "--jsonl"),
            ("allow_conflicts", "--allow-conflicts"),
        )
        if _is_given(name)
    ] + asked.given(*OF_A_NEW_RUN)
    if too_much:
        raise click.UsageError(
            f"expected --resume without {', '.join(too_much)}: the saved run has its own"
        )
    from genoku.cli.evolve import resume_one

    return resume_one(asked, jobs, time_limit, as_json=as_json)
