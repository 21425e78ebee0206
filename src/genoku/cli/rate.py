"""`genoku rate`: rate the difficulty of a puzzle."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from genoku.cli import EXIT_INPUT
from genoku.cli.options import (
    INTEGER,
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
)
from genoku.errors import GenokuError
from genoku.puzzle.formats import Entry

if TYPE_CHECKING:
    from genoku.techniques.rating import Rating

BATCH = 16


@command()
@option("--path", "show_path", is_flag=True, help="Explain every step.")
@option(
    "--seed", default=0, help="Random seed of the isomorphs on which effort is measured.", **INTEGER
)
@option("--jobs", help="Processes for the puzzles of a file.", **whole_number(1))
@json_option
@jsonl_option
@puzzle_argument()
def rate(
    puzzles: PuzzleInput, show_path: bool, seed: int, jobs: int, as_json: bool, jsonl: bool
) -> int:
    """Rate a puzzle by the hardest technique it requires and the effort to solve it.

    Examples:
      genoku rate charles-hard --path       explain every step
      genoku rate puzzles.txt               print level, technique, effort and board of each puzzle
    """
    from genoku.techniques import rating

    lone, entries = puzzles.one_or_many(as_json=as_json, jsonl=jsonl)
    announce_and_load_kernels()
    if lone is not None:
        if report_conflicts(lone.puzzle):
            return EXIT_INPUT
        lone_rating = rating.rate(lone.puzzle, seed=seed)
        if as_json:
            print_json(_record(lone_rating, with_path=show_path))
            return 0
        if show_path:
            click.echo(f"{lone_rating.path}\n")
        click.echo(board_text(lone_rating.puzzle))
        click.echo(str(lone_rating))
        for technique, times in lone_rating.counts.items():
            click.echo(f"  {times:4} × {technique}")
        return 0
    for entry, rated in in_batches(partial(rate_batch, seed), entries, BATCH, jobs, "rating"):
        if isinstance(rated, str):
            puzzles.refuse(entry, rated)
        elif jsonl:
            print_json(_record(rated, with_path=show_path), compact=True)
        else:
            effort = "" if rated.effort is None else f"{rated.effort:.1f}"
            click.echo(f"{rated.level}\t{rated.technique}\t{effort}\t{rated.puzzle}")
    return puzzles.exit_code()


def rate_batch(seed: int, entries: list[Entry]) -> list[tuple[Entry, Rating | str]]:
    """Rate every entry; the reason instead of a rating if it cannot be rated."""
    from genoku.techniques import rating

    rated: list[tuple[Entry, Rating | str]] = []
    for entry in entries:
        try:
            rated.append((entry, rating.rate(entry.puzzle, seed=seed)))
        except GenokuError as error:
            rated.append((entry, str(error)))
    return rated


def _record(rated: Rating, *, with_path: bool) -> dict[str, Any]:
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
