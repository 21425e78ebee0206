"""`genoku show`: a board as text, SVG or HTML."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from genoku.cli.exits import EXIT_UNSOLVED
from genoku.cli.inputs import Reading, reads_puzzles
from genoku.cli.output import board_text, ready_kernels, say
from genoku.formats import replacing
from genoku.picture import STYLES, Style

SOLVE_SECONDS = 20.0


@click.command(
    epilog="""\b
Examples:
  genoku show ai-escargot --candidates             what each blank could hold
  genoku show ai-escargot --solution -o escargot.svg
""",
)
@reads_puzzles()
@click.option(
    "--style",
    type=click.Choice(STYLES),
    help="How to draw.",
    show_default="as the suffix of -o says, or text, coloured on a terminal",
)
@click.option("--candidates", is_flag=True, help="Show what each blank could hold.")
@click.option("--solution", is_flag=True, help="Show the solution, givens distinct.")
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False),
    help="File to write.",
    show_default="standard output",
)
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
        found = exact.solve(puzzle, time_limit=SOLVE_SECONDS)
        board = found.board
        if board is None:
            say(f"genoku: no solution to show: {found.stop_reason}")
            return EXIT_UNSOLVED
    if style is None and output is not None:
        suffix = Path(output).suffix.lower().lstrip(".")
        style = "svg" if suffix == "svg" else "html" if suffix in ("html", "htm") else "text"
    if style is None:
        picture = board_text(puzzle, board, **options)
    else:
        picture = puzzle.picture(board, style=style, **options)
    if output is None or output == "-":
        click.echo(picture)
    else:
        with replacing(output) as stream:
            stream.write(picture + "\n")
    return 0
