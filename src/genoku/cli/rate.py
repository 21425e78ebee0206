"""`genoku rate` and `genoku hint`: how hard a puzzle is, and the next step."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any

import click

from genoku.cli import EXIT_INPUT
from genoku.cli.options import (
    Reading,
    jobs_option,
    json_option,
    jsonl_option,
    number_option,
    one_json_or_lines,
    reads_puzzles,
)
from genoku.cli.output import (
    board_text,
    print_json,
    ready_kernels,
    refuse_conflicts,
    with_progress,
)
from genoku.errors import GenokuError
from genoku.formats import Entry
from genoku.workers import batched, in_order

if TYPE_CHECKING:
    from genoku.rating import Rating

BATCH = 16

HIGHLIGHT = "#ffe08a"
RESULT = "#9be29b"


@click.command(
    epilog="""\b
Examples:
  genoku rate charles-hard --path       every step of the way
  genoku rate puzzles.txt               a line each: level, technique, effort and board
""",
)
@reads_puzzles()
@click.option("--path", "show_path", is_flag=True, help="Explain every step.")
@number_option("--seed", "Draws the isomorphs that the effort is measured on.", 0, least=None)
@jobs_option("Processes, for the puzzles of a file.")
@json_option
@jsonl_option
def rate(
    reading: Reading, show_path: bool, seed: int, jobs: int, as_json: bool, jsonl: bool
) -> int:
    """Rate a PUZZLE: the hardest technique it needs, and the effort of a machine."""
    from genoku import rating

    lone, entries = reading.one_or_many()
    lone = one_json_or_lines(lone, as_json=as_json, jsonl=jsonl)
    ready_kernels()
    if lone is not None:
        if refuse_conflicts(lone.puzzle):
            return EXIT_INPUT
        lone_rating = rating.rate(lone.puzzle, seed=seed)
        if as_json:
            print_json(_rated(lone_rating, with_path=show_path))
        else:
            _print_rating(lone_rating, show_path=show_path)
        return 0
    batches = in_order(partial(rate_batch, seed), batched(entries, BATCH), jobs)
    for entry, rated in with_progress(chain.from_iterable(batches), "rating"):
        if isinstance(rated, str):
            reading.refuse(entry, rated)
        elif jsonl:
            print_json(_rated(rated, with_path=show_path), compact=True)
        else:
            effort = "" if rated.effort is None else f"{rated.effort:.1f}"
            click.echo(f"{rated.level}\t{rated.technique}\t{effort}\t{rated.puzzle}")
    return reading.exit_code()


def rate_batch(seed: int, entries: list[Entry]) -> list[tuple[Entry, Rating | str]]:
    """Every entry with its rating, or the reason why it has none."""
    from genoku import rating

    rated: list[tuple[Entry, Rating | str]] = []
    for entry in entries:
        try:
            rated.append((entry, rating.rate(entry.puzzle, seed=seed)))
        except GenokuError as error:
            rated.append((entry, str(error)))
    return rated


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
  genoku hint charles-easy              the next step, and where it is on the board
  genoku hint charles-hard --count 5    the next five
""",
)
@reads_puzzles()
@number_option("--count", "How many steps to show.", 1)
@json_option
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
