"""`genoku check`: clashes among givens, and how many solutions there are."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from genoku.board import Puzzle
from genoku.cli import EXIT_INPUT, EXIT_UNSOLVED
from genoku.cli.options import (
    Reading,
    jobs_option,
    json_option,
    jsonl_option,
    number_option,
    one_json_or_lines,
    reads_puzzles,
    time_limit_option,
)
from genoku.cli.output import (
    board_text,
    print_json,
    ready_kernels,
    refuse_conflicts,
    say,
    with_progress,
)
from genoku.errors import FormatError
from genoku.formats import Entry
from genoku.words import plural
from genoku.workers import batched, in_order

if TYPE_CHECKING:
    from genoku.exact import Count

BATCH = 64
CHECK_LIMIT = 100_000
FILE_LIMIT = 3  # one more than two, so that two solutions are not "at least 2"
CHECK_SECONDS = 20
WRONG_SOLUTION = "the solution given for this puzzle does not solve it"


@click.command(
    epilog="""\b
Examples:
  genoku check poderosas-difficult      1,539 solutions
  genoku check puzzles.txt --jsonl

\b
Exit codes: 0 exactly one solution; 1 none or several; 2 bad input, or givens that clash.
""",
)
@reads_puzzles()
@number_option(
    "--limit",
    "Largest number of solutions to count.",
    least=2,
    show_default=f"{CHECK_LIMIT:,}; {FILE_LIMIT} for a file",
)
@time_limit_option(CHECK_SECONDS, "Seconds per puzzle.")
@click.option("--allow-conflicts", is_flag=True, help="Count 0 solutions where givens clash.")
@jobs_option("Processes, for the puzzles of a file.")
@json_option
@jsonl_option
def check(
    reading: Reading,
    limit: int | None,
    time_limit: float,
    allow_conflicts: bool,
    jobs: int,
    as_json: bool,
    jsonl: bool,
) -> int:
    """Check a PUZZLE: do its givens clash, and how many solutions has it?

    A solution that a file gives beside its puzzle is checked too.
    """
    from genoku import exact

    lone, entries = reading.one_or_many()
    lone = one_json_or_lines(lone, as_json=as_json, jsonl=jsonl)
    ready_kernels()
    if lone is not None:
        if refuse_conflicts(lone.puzzle) and not allow_conflicts:
            if as_json:
                print_json(_checked(lone, None))
            return EXIT_INPUT
        if _has_wrong_solution(lone):
            raise FormatError(f"{reading.where(lone)}: {WRONG_SOLUTION}")
        counted = exact.count(lone.puzzle, limit or CHECK_LIMIT, time_limit=time_limit)
        if as_json:
            print_json(_checked(lone, counted))
        else:
            click.echo(board_text(lone.puzzle))
            click.echo(_in_words(lone.puzzle, counted))
        return 0 if counted.verdict == "unique" else EXIT_UNSOLVED
    work = partial(count_batch, limit or FILE_LIMIT, time_limit)
    counts = chain.from_iterable(in_order(work, batched(entries, BATCH), jobs))
    return _check_many(reading, counts, allow_conflicts, jsonl)


def _has_wrong_solution(entry: Entry) -> bool:
    solution = entry.solution
    return solution is not None and not entry.puzzle.is_solved_by(np.frombuffer(solution, np.uint8))


def count_batch(
    limit: int, time_limit: float, entries: list[Entry]
) -> list[tuple[Entry, Count | None]]:
    """Every entry with the count of its solutions, None where givens clash."""
    from genoku import exact

    sound = [entry.puzzle for entry in entries if not entry.puzzle.conflicts()]
    counts = dict(zip(sound, exact.count_many(sound, limit, time_limit=time_limit), strict=True))
    return [(entry, counts.get(entry.puzzle)) for entry in entries]


def _check_many(
    reading: Reading,
    counts: Iterable[tuple[Entry, Count | None]],
    allow_conflicts: bool,
    jsonl: bool,
) -> int:
    verdicts: dict[str, int] = {}
    for entry, counted in with_progress(counts, "checking"):
        if counted is None and not allow_conflicts:
            reading.bad += 1
        if _has_wrong_solution(entry):
            reading.report(FormatError(f"{reading.where(entry)}: {WRONG_SOLUTION}"))
        verdict = counted.verdict if counted else "conflicts"
        verdicts[verdict] = verdicts.get(verdict, 0) + 1
        if jsonl:
            print_json(_checked(entry, counted), compact=True)
        elif verdict != "unique":
            words = _in_words(entry.puzzle, counted) if counted else entry.puzzle.conflicts()[0]
            click.echo(f"{reading.where(entry)}: {words}")
    say("; ".join(f"{count:,} {verdict}" for verdict, count in sorted(verdicts.items())))
    return reading.exit_code(0 if set(verdicts) <= {"unique"} else EXIT_UNSOLVED)


def _checked(entry: Entry, counted: Count | None) -> dict[str, Any]:
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


def _in_words(puzzle: Puzzle, counted: Count) -> str:
    what = f"{puzzle.geometry}, {plural(puzzle.givens, 'given')}"
    if counted.verdict == "unique":
        return f"{what}: exactly one solution"
    if counted.verdict == "none":
        return f"{what}: no solution"
    late = " when time was up" if counted.stopped_by_time else ""
    if counted.complete or counted.solutions:
        return f"{what}: {counted} solution{'' if str(counted) == '1' else 's'}{late}"
    return f"{what}: no solution found when time was up, none excluded"
