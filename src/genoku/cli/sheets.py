"""Sheets to print, as `generate --pdf` and `convert -o FILE.pdf` write them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any, TypeVar, cast

import click

from genoku.board import Board, Puzzle
from genoku.cli.output import say
from genoku.sheet import MAX_PER_PAGE, PAPERS, Paper, check_letters, write_pdf
from genoku.words import plural

Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(frozen=True)
class Sheets:
    """How sheets are to look."""

    per_page: int
    paper: Paper
    title: str

    def __post_init__(self) -> None:
        check_letters(self.title)  # before minutes of work

    def write(
        self,
        target: str,
        puzzles: Sequence[Puzzle],
        solutions: Sequence[Board | None],
        level: str = "",
    ) -> None:
        """Write the puzzles, numbered, and their solutions at the back."""
        captions = [
            " · ".join(filter(None, [f"No. {i}", level, plural(puzzle.givens, "given")]))
            for i, puzzle in enumerate(puzzles, start=1)
        ]
        write_pdf(
            target,
            puzzles,
            solutions=solutions,
            per_page=self.per_page,
            paper=self.paper,
            title=self.title,
            captions=captions,
        )
        say(f"wrote {plural(len(puzzles), 'puzzle')} to {target}")


def sheet_options(function: Command) -> Command:
    """Give a command the options of sheets; it receives them as one `Sheets`."""

    @functools.wraps(function)
    def call(*arguments: Any, **options: Any) -> Any:
        own = {field.name: options.pop(field.name) for field in fields(Sheets)}
        return function(*arguments, sheets=Sheets(**own), **options)

    for option in reversed(
        [
            click.option(
                "--per-page",
                type=click.IntRange(1, MAX_PER_PAGE),
                default=4,
                metavar="N",
                help="Boards on a page of a PDF.",
            ),
            click.option("--paper", type=click.Choice(PAPERS), default="a4", help="Of a PDF."),
            click.option("--title", default="", show_default=False, help="Heading of a PDF."),
        ]
    ):
        call = option(call)
    return cast("Command", call)
