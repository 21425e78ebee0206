"""What is printed of a file of puzzles: a line for each, and a summary."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

import click

from genoku.board import Puzzle
from genoku.cli import EXIT_UNSOLVED
from genoku.cli.options import Reading
from genoku.cli.output import print_json, say, with_progress
from genoku.errors import FormatError
from genoku.formats import Entry
from genoku.words import duration, limits, plural

Record = dict[str, Any]

ADDED: dict[Any, str] = {
    "no solution": " (proved: there is none)",
    "solvable": " (there is a solution)",
    "open": " (whether there is a solution is open)",
}
"""What `--prove` adds to a line about a search that ended without a proof."""


def print_batch(
    results: Iterable[tuple[Entry, Record | str]], reading: Reading, *, jsonl: bool
) -> int:
    """A line for every puzzle on stdout, the summary on stderr.

    In place of a record stands the reason why a puzzle was refused.
    """
    times: list[float] = []
    solved = 0
    for entry, record in with_progress(results, "solving"):
        if isinstance(record, str):
            refused = FormatError(f"{reading.where(entry)}: {record}")
            if reading.strict:
                raise refused
            reading.report(refused)
            if jsonl:
                print_json(refusal(entry, record), compact=True)
            else:
                word = "givens clash" if entry.puzzle.conflicts() else "refused"
                click.echo(f"# {entry.puzzle} {word}")
            continue
        times.append(record["seconds"])
        solved += record["solved"]
        if jsonl:
            print_json(record, compact=True)
        else:
            click.echo(_line(entry, record))
    if times and (not jsonl or sys.stderr.isatty()):
        say(_summary(solved, times, reading.bad))
    return reading.exit_code(0 if solved == len(times) else EXIT_UNSOLVED)


def refusal(entry: Entry, reason: str) -> Record:
    """What JSON says of a puzzle that was not run."""
    return {
        "puzzle": str(entry.puzzle),
        "solution": None,
        "solved": False,
        "stop_reason": "refused",
        "reason": reason,
        "conflicts": [str(conflict) for conflict in entry.puzzle.conflicts()],
    } | ({"name": entry.name} if entry.name else {})


def _line(entry: Entry, record: Record) -> str:
    """The solution as a line that reads back, or a comment that says why there is none."""
    if not record["solved"]:
        reason = record["stop_reason"]
        if reason != "no solution":
            reason = f"{limits(reason)}{ADDED.get(record.get('proof'), '')}"
        return f"# {record['puzzle']} {reason}"
    solution = Puzzle.parse(record["solution"], box=entry.puzzle.geometry)
    return solution.line


def _summary(solved: int, times: list[float], bad: int) -> str:
    import statistics

    ordered = sorted(times)
    p99 = ordered[min(len(ordered) - 1, int(0.99 * len(ordered)))]
    words = [
        f"{solved:,} of {plural(len(times), 'puzzle')} solved",
        f"median {duration(statistics.median(ordered))}, p99 {duration(p99)}, "
        f"max {duration(ordered[-1])}",
    ]
    if bad:
        words.append(f"{bad:,} bad")
    return "; ".join(words)
