"""`genoku check`: find conflicts among givens and count solutions."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from genoku.cli import EXIT_INPUT, EXIT_UNSOLVED
from genoku.cli.options import (
    TIME_LIMIT,
    PuzzleInput,
    command,
    json_option,
    jsonl_option,
    option,
    puzzle_argument,
    whole_number,
)
from genoku.cli.output import (
    announce_and_load_kernels,
    board_text,
    in_batches,
    print_json,
    report_conflicts,
    say,
)
from genoku.errors import FormatError
from genoku.puzzle.board import Puzzle
from genoku.puzzle.formats import Entry
from genoku.runtime.text import format_count

if TYPE_CHECKING:
    from genoku.exact.oracle import Count

BATCH = 64
CHECK_LIMIT = 100_000
FILE_LIMIT = 3  # so that two solutions are reported as 2, not as "at least 2"
CHECK_SECONDS = 20
WRONG_SOLUTION = "the solution given in the file does not solve the puzzle"


@command()
@option(
    "--limit",
    help="Maximum number of solutions to count.",
    **whole_number(least=2),
    show_default=f"{CHECK_LIMIT:,}; {FILE_LIMIT} for a file",
)
@option("--time-limit", default=CHECK_SECONDS, help="Seconds per puzzle.", **TIME_LIMIT)
@option(
    "--allow-conflicts",
    is_flag=True,
    help="Report conflicting givens as 0 solutions, not as an error.",
)
@option("--jobs", help="Processes for the puzzles of a file.", **whole_number(1))
@json_option
@jsonl_option
@puzzle_argument()
def check(
    puzzles: PuzzleInput,
    limit: int | None,
    time_limit: float,
    allow_conflicts: bool,
    jobs: int,
    as_json: bool,
    jsonl: bool,
) -> int:
    """Find conflicts among the givens of a puzzle, and count its solutions.

    If a file gives a solution, that is checked too.

    Examples:
      genoku check poderosas-difficult      1,539 solutions
      genoku check puzzles.txt --jsonl

    Exit codes: 0 exactly one solution; 1 none or several; 2 bad input or conflicting givens.
    """
    from genoku.exact import oracle

    lone, entries = puzzles.one_or_many(as_json=as_json, jsonl=jsonl)
    announce_and_load_kernels()
    if lone is not None:
        if report_conflicts(lone.puzzle) and not allow_conflicts:
            if as_json:
                print_json(_record(lone, None))
            return EXIT_INPUT
        if _has_wrong_solution(lone):
            raise FormatError(f"{puzzles.where(lone)}: {WRONG_SOLUTION}")
        found = oracle.count(lone.puzzle, limit or CHECK_LIMIT, time_limit=time_limit)
        if as_json:
            print_json(_record(lone, found))
        else:
            click.echo(board_text(lone.puzzle))
            click.echo(_verdict_text(lone.puzzle, found))
        return 0 if found.verdict == "unique" else EXIT_UNSOLVED
    work = partial(count_batch, limit or FILE_LIMIT, time_limit)
    verdicts: Counter[str] = Counter()
    for entry, counted in in_batches(work, entries, BATCH, jobs, "checking"):
        if counted is None and not allow_conflicts:
            puzzles.bad += 1
        if _has_wrong_solution(entry):
            puzzles.report(FormatError(f"{puzzles.where(entry)}: {WRONG_SOLUTION}"))
        verdict = counted.verdict if counted else "conflicts"
        verdicts[verdict] += 1
        if jsonl:
            print_json(_record(entry, counted), compact=True)
        elif verdict != "unique":
            words = _verdict_text(entry.puzzle, counted) if counted else entry.puzzle.conflicts()[0]
            click.echo(f"{puzzles.where(entry)}: {words}")
    say("; ".join(f"{count:,} {verdict}" for verdict, count in sorted(verdicts.items())))
    return puzzles.exit_code(0 if set(verdicts) <= {"unique"} else EXIT_UNSOLVED)


def _has_wrong_solution(entry: Entry) -> bool:
    solution = entry.solution
    return solution is not None and not entry.puzzle.is_solved_by(np.frombuffer(solution, np.uint8))


def count_batch(
    limit: int, time_limit: float, entries: list[Entry]
) -> list[tuple[Entry, Count | None]]:
    """Count the solutions of every entry; None if its givens are in conflict."""
    from genoku.exact import oracle

    sound = [entry.puzzle for entry in entries if not entry.puzzle.conflicts()]
    counts = dict(zip(sound, oracle.count_many(sound, limit, time_limit=time_limit), strict=True))
    return [(entry, counts.get(entry.puzzle)) for entry in entries]


def _record(entry: Entry, counted: Count | None) -> dict[str, Any]:
    return {
        "puzzle": str(entry.puzzle),
        "size": entry.puzzle.side,
        "box": entry.puzzle.geometry.box,
        "givens": entry.puzzle.givens,
        "conflicts": [str(conflict) for conflict in entry.puzzle.conflicts()],
        "verdict": counted.verdict if counted else "conflicts",
        "solutions": counted.solutions if counted else 0,
        "complete": counted.complete if counted else True,
    } | ({"name": entry.name} if entry.name else {})


def _verdict_text(puzzle: Puzzle, counted: Count) -> str:
    what = f"{puzzle.geometry}, {format_count(puzzle.givens, 'given')}"
    if counted.verdict == "unique":
        return f"{what}: exactly one solution"
    if counted.verdict == "none":
        return f"{what}: no solution"
    late = " within the time limit" if counted.stopped_by_time else ""
    if counted.complete or counted.solutions:
        return f"{what}: {counted} solution{'' if str(counted) == '1' else 's'}{late}"
    return f"{what}: no solution found within the time limit, but there may be one"
