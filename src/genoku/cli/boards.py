"""`genoku check`, `rate`, `hint` and `show`: what can be said of a board."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from genoku.board import Puzzle
from genoku.cli.inputs import Reading, reads_puzzles
from genoku.cli.output import (
    EXIT_INPUT,
    EXIT_UNSOLVED,
    board_text,
    plural,
    print_json,
    ready_kernels,
    refuse_conflicts,
    say,
    with_progress,
)
from genoku.formats import Entry, replacing
from genoku.picture import STYLES, Style

if TYPE_CHECKING:
    from genoku.exact import Count
    from genoku.rating import Rating

CHECK_LIMIT = 100_000
CHECK_SECONDS = 20.0

HIGHLIGHT = "#ffe08a"
RESULT = "#9be29b"

_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
_jsonl = click.option("--jsonl", is_flag=True, help="Print one JSON line per puzzle.")


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
@click.option(
    "--limit",
    type=click.IntRange(min=2),
    help=f"Count at most so many solutions. [default: {CHECK_LIMIT:,}; 2 for a file]",
)
@click.option(
    "--time-limit",
    type=click.FloatRange(min=0),
    default=CHECK_SECONDS,
    show_default=True,
    metavar="S",
    help="Seconds per puzzle.",
)
@click.option("--allow-conflicts", is_flag=True, help="Count 0 solutions where givens clash.")
@_json
@_jsonl
def check(
    reading: Reading,
    limit: int | None,
    time_limit: float,
    allow_conflicts: bool,
    as_json: bool,
    jsonl: bool,
) -> int:
    """Check a PUZZLE: do its givens clash, and how many solutions has it?"""
    from genoku import exact

    lone, entries = reading.one_or_many()
    ready_kernels()
    if lone is not None and not jsonl:
        if refuse_conflicts(lone.puzzle) and not allow_conflicts:
            if as_json:
                print_json(_checked(lone, None))
            return EXIT_INPUT
        counted = exact.count(lone.puzzle, limit or CHECK_LIMIT, time_limit=time_limit)
        if as_json:
            print_json(_checked(lone, counted))
        else:
            click.echo(board_text(lone.puzzle))
            click.echo(_in_words(lone.puzzle, counted))
        return 0 if counted.verdict == "unique" else EXIT_UNSOLVED
    if as_json:
        raise click.UsageError("expected one puzzle with --json; --jsonl is for many")
    return _check_many(reading, entries, limit or 2, time_limit, allow_conflicts, jsonl)


def _check_many(
    reading: Reading,
    entries: Iterable[Entry],
    limit: int,
    time_limit: float,
    allow_conflicts: bool,
    jsonl: bool,
) -> int:
    from genoku import exact

    verdicts: dict[str, int] = {}
    for entry in with_progress(entries, "checking"):
        clash = bool(entry.puzzle.conflicts())
        if clash and not allow_conflicts:
            reading.bad += 1
        counted = None if clash else exact.count(entry.puzzle, limit, time_limit=time_limit)
        verdict = counted.verdict if counted else "conflicts"
        verdicts[verdict] = verdicts.get(verdict, 0) + 1
        if jsonl:
            print_json(_checked(entry, counted), compact=True)
        elif verdict != "unique":
            words = _in_words(entry.puzzle, counted) if counted else entry.puzzle.conflicts()[0]
            click.echo(f"{reading.where(entry)}: {words}")
    say("; ".join(f"{count:,} {verdict}" for verdict, count in sorted(verdicts.items())))
    if reading.bad:
        return EXIT_INPUT
    return 0 if set(verdicts) <= {"unique"} else EXIT_UNSOLVED


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


@click.command(
    epilog="""\b
Examples:
  genoku rate charles-hard --path       every step of the way
  genoku rate puzzles.txt               a line for each puzzle
""",
)
@reads_puzzles()
@click.option("--path", "show_path", is_flag=True, help="Explain every step.")
@click.option("--seed", type=int, default=0, show_default=True, help="Draws the isomorphs.")
@_json
@_jsonl
def rate(reading: Reading, show_path: bool, seed: int, as_json: bool, jsonl: bool) -> int:
    """Rate a PUZZLE: the hardest technique it needs, and the effort of a machine."""
    from genoku import rating
    from genoku.errors import GenokuError

    lone, entries = reading.one_or_many()
    ready_kernels()
    if lone is not None and not jsonl:
        if refuse_conflicts(lone.puzzle):
            return EXIT_INPUT
        rated = rating.rate(lone.puzzle, seed=seed)
        if as_json:
            print_json(_rated(rated, with_path=show_path))
        else:
            _print_rating(rated, show_path=show_path)
        return 0
    if as_json:
        raise click.UsageError("expected one puzzle with --json; --jsonl is for many")
    for entry in with_progress(entries, "rating"):
        try:
            rated = rating.rate(entry.puzzle, seed=seed)
        except GenokuError as error:
            if reading.strict:
                raise
            reading.bad += 1
            say(f"genoku: {reading.where(entry)}: {error}")
            continue
        if jsonl:
            print_json(_rated(rated, with_path=show_path), compact=True)
        else:
            effort = "" if rated.effort is None else f"{rated.effort:.1f}"
            click.echo(f"{rated.level}\t{rated.technique}\t{effort}\t{rated.puzzle}")
    return EXIT_INPUT if reading.bad else 0


def _rated(rated: Rating, *, with_path: bool) -> dict[str, Any]:
    record: dict[str, Any] = {
        "puzzle": str(rated.puzzle),
        "level": rated.level,
        "technique": rated.technique,
        "steps": rated.counts,
        "effort": rated.effort,
        "effort_interval": rated.effort_interval,
        "givens": rated.givens,
    }
    return record | ({"path": [str(step) for step in rated.path.steps]} if with_path else {})


def _print_rating(rated: Rating, *, show_path: bool) -> None:
    if show_path:
        click.echo(str(rated.path))
        click.echo()
    click.echo(board_text(rated.puzzle))
    click.echo(str(rated))
    for technique, times in rated.counts.items():
        click.echo(f"  {times:4} × {technique}")


@click.command(
    epilog="""\b
Examples:
  genoku hint charles-easy
  genoku hint charles-hard --count 5
""",
)
@reads_puzzles()
@click.option("--count", type=click.IntRange(min=1), default=1, help="How many steps to show.")
@_json
def hint(reading: Reading, count: int, as_json: bool) -> int:
    """Explain the next step in solving a PUZZLE."""
    from genoku import techniques

    puzzle = reading.only().puzzle
    if refuse_conflicts(puzzle):
        return EXIT_INPUT
    steps: list[techniques.Step] = []
    for shown, step in techniques.walk(puzzle):
        steps.append(step)
        if not as_json:
            if len(steps) == 1:
                colours = [HIGHLIGHT if c in step.cells else None for c in range(len(shown.digits))]
                for cell, _ in (*step.placements, *step.eliminations):
                    colours[cell] = RESULT
                click.echo(board_text(shown, colours=colours))
            click.echo(str(step))
        if len(steps) == count:
            break
    if as_json:
        print_json([_hinted(step) for step in steps])
    elif not steps:
        click.echo("The board is full: nothing is left to do.")
    return 0


def _hinted(step: Any) -> dict[str, Any]:
    name = step.geometry.cell_name

    def pairs(candidates: Iterable[tuple[int, int]]) -> list[list[Any]]:
        return [[name(cell), digit] for cell, digit in candidates]

    return {
        "technique": step.technique,
        "explanation": str(step),
        "cells": [name(cell) for cell in step.cells],
        "placements": pairs(step.placements),
        "eliminations": pairs(step.eliminations),
    }


@click.command(
    epilog="""\b
Examples:
  genoku show ai-escargot --candidates
  genoku show ai-escargot --solution --style svg -o escargot.svg
""",
)
@reads_puzzles()
@click.option("--style", type=click.Choice(STYLES), help="[default: coloured text on a terminal]")
@click.option("--candidates", is_flag=True, help="Show what each blank could hold.")
@click.option("--solution", is_flag=True, help="Show the solution, givens distinct.")
@click.option("-o", "--output", type=click.Path(dir_okay=False), help="Write to a file.")
def show(
    reading: Reading, style: Style | None, candidates: bool, solution: bool, output: str | None
) -> int:
    """Draw a PUZZLE as text, SVG or HTML."""
    puzzle = reading.only().puzzle
    options: dict[str, Any] = {"candidates": puzzle.candidates()} if candidates else {}
    board = None
    if solution:
        from genoku import exact

        ready_kernels()
        board = exact.solve(puzzle, time_limit=CHECK_SECONDS).board
        if board is None:
            say("genoku: no solution to show")
            return EXIT_UNSOLVED
    if style is None and output is not None:
        suffix = Path(output).suffix.lower().lstrip(".")
        style = "svg" if suffix == "svg" else "html" if suffix in ("html", "htm") else "text"
    if style is None:
        picture = board_text(puzzle, board, **options)
    else:
        picture = puzzle.picture(board, style=style, **options)
    if output is None:
        click.echo(picture)
    else:
        with replacing(output) as stream:
            stream.write(picture + "\n")
    return 0
