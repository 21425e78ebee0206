"""A file of puzzles: solved in batches, in several processes, with a line for every puzzle."""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import islice
from typing import Any

import click

from genoku.cli import EXIT_UNSOLVED
from genoku.cli.options import PuzzleInput
from genoku.cli.output import announcing_compilation, print_json, say, with_progress
from genoku.cli.runs import Proof, RunSpec, prove, refusal_record
from genoku.errors import PuzzleError
from genoku.evolve.stopping import Stop
from genoku.puzzle.board import Puzzle
from genoku.puzzle.formats import Entry
from genoku.runtime.text import format_count, format_duration, format_limits

LARGEST = 64  # puzzles in a batch
BATCH_SECONDS = 0.1  # intended time of a batch

Answer = tuple[Entry, dict[str, Any] | str]  # an entry with its record, or why it was refused

PROVED: dict[Proof | None, str] = {  # what `--prove` adds to the line of an unsolved puzzle
    "no solution": " (proved: no solution)",
    "solvable": " (a solution exists)",
    "open": " (unknown whether a solution exists)",
}


def solve_batch(
    spec: RunSpec, entries: Iterator[Entry], puzzles: PuzzleInput, *, jobs: int, jsonl: bool
) -> int:
    """Solve all puzzles, print their lines and a summary, and return the exit code."""
    with announcing_compilation():
        return _print_answers(_solve_all(spec, entries, jobs), puzzles, jsonl=jsonl)


def _solve_all(spec: RunSpec, entries: Iterator[Entry], jobs: int) -> Iterator[Answer]:
    """Yield answers, in batches that take `BATCH_SECONDS`; slow input is answered one by one."""
    from genoku.runtime.workers import map_in_order

    size, waited = 1, 0.0

    def batches() -> Iterator[list[Entry]]:
        nonlocal waited
        began = time.monotonic()
        while batch := list(islice(entries, size)):
            waited = time.monotonic() - began
            yield batch
            began = time.monotonic()

    for answers in map_in_order(partial(_solve_some, spec), batches(), jobs):
        yield from answers
        times = [record["seconds"] for _, record in answers if isinstance(record, dict)]
        slowest = max(*times, waited, 1e-6)
        size = max(1, min(LARGEST, 2 * size, int(BATCH_SECONDS / slowest)))


def _solve_some(spec: RunSpec, entries: list[Entry]) -> list[Answer]:
    from genoku.engine.run import warm_up

    warm_up(spec.chosen.algorithm, entries[0].puzzle.geometry)
    return [(entry, _record_or_refusal(spec, entry)) for entry in entries]


def _record_or_refusal(spec: RunSpec, entry: Entry) -> dict[str, Any] | str:
    from genoku.engine.run import run

    options, chosen = spec.options, spec.chosen
    if not (options.allow_conflicts or spec.preset.accepts(entry.puzzle)):
        return str(entry.puzzle.conflicts()[0])
    try:
        result = run(
            entry.puzzle,
            chosen.algorithm,
            seed=options.seed,
            until=chosen.until,
            record=spec.record,
            allow_conflicts=True,
        )
    except PuzzleError as error:  # such as a blank without a legal digit
        return str(error)
    if result.stop_reason is Stop.INTERRUPTED:
        raise KeyboardInterrupt
    record, seconds = spec.json_record(result, entry.name), options.proof_seconds
    return record if seconds is None else record | {"proof": prove(result, seconds)}


def _print_answers(answers: Iterable[Answer], puzzles: PuzzleInput, *, jsonl: bool) -> int:
    """Print one line per puzzle on stdout, the summary on stderr."""
    times: list[float] = []
    solved = 0
    for entry, answer in with_progress(answers, "solving"):
        if isinstance(answer, str):
            puzzles.refuse(entry, answer)
            word = "conflicting givens" if entry.puzzle.conflicts() else "refused"
            line, record = f"# {entry.puzzle} {word}", refusal_record(entry, answer)
        else:
            record = answer
            times.append(record["seconds"])
            solved += record["solved"]
            line = _line(entry, record)
        if jsonl:
            print_json(record, compact=True)
        else:
            click.echo(line)
    if times and (not jsonl or sys.stderr.isatty()):
        say(_summary(times, solved, puzzles.bad))
    return puzzles.exit_code(0 if solved == len(times) else EXIT_UNSOLVED)


def _summary(times: list[float], solved: int, bad: int) -> str:
    """How many puzzles were solved, and in which times."""
    ordered = sorted(times)
    p99 = format_duration(ordered[min(len(times) - 1, int(0.99 * len(times)))])
    median, longest = format_duration(statistics.median(times)), format_duration(ordered[-1])
    refused = f"; {bad:,} bad" if bad else ""
    counts = f"{solved:,} of {format_count(len(times), 'puzzle')} solved"
    return f"{counts}; median {median}, p99 {p99}, max {longest}{refused}"


def _line(entry: Entry, record: dict[str, Any]) -> str:
    """The solution as a line, or a comment on why there is none."""
    if record["solved"]:
        return Puzzle.parse(record["solution"], box=entry.puzzle.geometry).line
    reason = record["stop_reason"]
    if reason != "no solution":
        reason = f"{format_limits(reason)}{PROVED.get(record.get('proof'), '')}"
    return f"# {record['puzzle']} {reason}"
