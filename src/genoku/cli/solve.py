"""`genoku solve`: one puzzle on screen, or a file of them as a batch."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial
from itertools import islice
from typing import Any

import click
from click.core import ParameterSource

from genoku import collection
from genoku.board import Puzzle
from genoku.cli import completion
from genoku.cli.asked import OF_A_NEW_RUN, OF_ONE_RUN, Asked, asks_for_evolution
from genoku.cli.batch import Record, print_batch
from genoku.cli.options import (
    LIMITS,
    TIME_LIMIT,
    Reading,
    json_option,
    jsonl_option,
    random_entry,
    reads_puzzles,
    time_limit_option,
)
from genoku.cli.output import compiling_announced
from genoku.formats import Entry
from genoku.workers import in_order

DEFAULT = "champion"
"""The preset that solves where none is named."""

LARGEST_BATCH = 64  # puzzles that a process is given at a time
BATCH_SECONDS = 0.1  # that they should take together

Answer = tuple[Entry, Record | str]


@click.command(
    epilog=f"""\b
Examples:
  genoku solve                       a hard puzzle that comes with genoku
  genoku solve random --seed 7       a new one
  genoku solve charles-hard --json
  genoku solve golden-nugget --jobs 4    four seeds side by side: the fewest steps win
  genoku solve puzzles.txt --jobs 4 > solutions.txt
  cat puzzles.sdm | genoku solve - --jsonl

\b
Evolution (see `genoku presets` and `genoku operators`):
  genoku solve --preset simon --watch
  genoku solve charles-easy --preset charles --set population=500 --history run.csv
  genoku solve --preset poderosas --until "generations=500 or seconds=10" --plot run.svg
  genoku solve --preset simon --checkpoint run.ck
  genoku solve --resume run.ck --until generations=2000 --gif run.gif

\b
{LIMITS}

\b
--json says of one puzzle also how many blanks singles decided, and whether the solution is the
only one; --jsonl, for many, does not ask.

\b
Exit codes: 0 all solved; 1 not all; 2 bad input, or givens that clash; 130 interrupted.
""",
)
@reads_puzzles(default=collection.DEFAULT)
@click.option(
    "--preset",
    metavar="NAME",
    shell_complete=completion.presets,
    help="How to solve, see `genoku presets`.",
    show_default=DEFAULT,
)
@click.option("--seed", type=int, default=0, metavar="N", help="Seed of the run.")
@click.option(
    "--seeds",
    type=click.IntRange(1, 1000),
    metavar="K",
    help="Run SEED, SEED+1, … on one puzzle; the fewest steps win.",
    show_default="1, or 4 with --jobs",
)
@time_limit_option(about=TIME_LIMIT)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    metavar="N",
    help="Processes, for the puzzles of a file, for islands, or else for 4 seeds (see --seeds).",
    show_default="1",
)
@click.option(
    "--dask",
    metavar="ADDRESS",
    help="Dask scheduler for seeds or islands, such as tcp://head:8786, or `local`.",
)
@json_option
@jsonl_option
@click.option(
    "--prove",
    is_flag=True,
    help="Where no solution was found, let exact say if there is one, in 60 s or --time-limit.",
)
@click.option("--allow-conflicts", is_flag=True, help="Run even if givens clash.")
@asks_for_evolution
def solve(
    reading: Reading,
    preset: str | None,
    seed: int,
    seeds: int | None,
    time_limit: float | None,
    jobs: int | None,
    dask: str | None,
    as_json: bool,
    jsonl: bool,
    prove: bool,
    allow_conflicts: bool,
    asked: Asked,
) -> int:
    """Solve a PUZZLE: a board, the name of a bundled one, a file, `random`, or - for stdin."""
    if as_json and jsonl:
        raise click.UsageError("expected one of --json and --jsonl")
    asked.check(reading.source)
    from genoku.cli.evolve import Spreading, evolve_one, resume_one
    from genoku.cli.plan import chosen, planned
    from genoku.cli.verdicts import PROOF_SECONDS

    proving = (PROOF_SECONDS if time_limit is None else time_limit) if prove else None
    if asked.resume is not None:
        _refuse_what_is_saved(asked)
        spreading = Spreading(jobs, None, dask)
        return resume_one(asked, spreading, time_limit, proving, as_json=as_json)
    if preset is not None and asked.recipe is not None:
        raise click.UsageError("expected one of --preset and --recipe")
    found = chosen(DEFAULT if preset is None else preset, asked)
    if found.seed is not None and not _is_given("seed"):
        seed = found.seed
    plan = planned(found, asked, seed, time_limit, allow_conflicts, proving)
    by_default = preset is None and asked.recipe is None
    if _is_given("source") or by_default:
        lone, entries = _entries(reading, seed)
    else:
        lone = Entry(
            Puzzle.parse(found.puzzle, box=reading.box), name="" if found.box else found.puzzle_name
        )
        entries = iter([lone])
    if lone is not None and not jsonl:
        return evolve_one(lone, plan, asked, Spreading(jobs, seeds, dask), as_json=as_json)
    if as_json:
        raise click.UsageError("expected one puzzle with --json; --jsonl is for many")
    of_one = asked.given(*OF_ONE_RUN)
    of_one += [name for name, value in (("--seeds", seeds), ("--dask", dask)) if value is not None]
    if of_one:
        raise click.UsageError(f"expected one puzzle with {' and '.join(of_one)}")
    with compiling_announced():
        return print_batch(_answers(plan, entries, jobs or 1), reading, jsonl=jsonl)


def _is_given(name: str) -> bool:
    """Whether a parameter was typed, and is not its default."""
    return click.get_current_context().get_parameter_source(name) != ParameterSource.DEFAULT


def _entries(reading: Reading, seed: int) -> tuple[Entry | None, Iterator[Entry]]:
    if reading.source == "random":
        entry = random_entry(seed, reading.box)
        return entry, iter([entry])
    return reading.one_or_many()


def _answers(plan: Any, entries: Iterator[Entry], jobs: int) -> Iterator[Answer]:
    """Every puzzle with its answer; so many together as take a moment, for the sake of speed.

    Where a puzzle itself is long in coming, as from a live pipe, it is answered by itself.
    """
    from genoku.cli.plan import evolve_batch

    size, waited = 1, 0.0

    def batches() -> Iterator[list[Entry]]:
        nonlocal waited
        began = time.monotonic()
        while batch := list(islice(entries, size)):
            waited = time.monotonic() - began
            yield batch
            began = time.monotonic()

    for answers in in_order(partial(evolve_batch, plan), batches(), jobs):
        yield from answers
        times = [record["seconds"] for _, record in answers if isinstance(record, dict)]
        slowest = max(*times, waited, 1e-6)
        size = max(1, min(LARGEST_BATCH, 2 * size, int(BATCH_SECONDS / slowest)))


def _refuse_what_is_saved(asked: Asked) -> None:
    """A saved run has its own puzzle, recipe and seed."""
    too_much = [
        shown
        for name, shown in (
            ("source", "PUZZLE"),
            ("preset", "--preset"),
            ("seed", "--seed"),
            ("seeds", "--seeds"),
            ("jsonl", "--jsonl"),
            ("allow_conflicts", "--allow-conflicts"),
        )
        if _is_given(name)
    ] + asked.given(*OF_A_NEW_RUN)
    if too_much:
        raise click.UsageError(
            f"expected --resume without {', '.join(too_much)}: the saved run has its own"
        )
