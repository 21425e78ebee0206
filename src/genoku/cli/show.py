"""`genoku show`: a board as text, SVG or HTML."""

from __future__ import annotations

from typing import Any, cast

import click

from genoku.board import Board, Puzzle
from genoku.cli import EXIT_UNSOLVED
from genoku.cli.options import Reading, output_option, reads_puzzles
from genoku.cli.output import board_text, kind_of, ready_kernels, say
from genoku.formats import replacing, replacing_bytes
from genoku.picture import STYLES, Style

SOLVE_SECONDS = 20.0
SUFFIXES = {
    ".txt": "text", ".svg": "svg", ".html": "html", ".htm": "html", ".png": "png", ".pdf": "pdf"
}  # fmt: skip


@click.command(
    epilog="""\b
Examples:
  genoku show ai-escargot --candidates             what each blank could hold
  genoku show ai-escargot --solution -o escargot.svg     or .png, .pdf, .html, .txt
""",
)
@reads_puzzles()
@click.option(
    "--style",
    type=click.Choice((*STYLES, "png", "pdf")),
    help="How to draw.",
    show_default="as the suffix of -o says, or text, coloured on a terminal",
)
@click.option("--candidates", is_flag=True, help="Show what each blank could hold.")
@click.option("--solution", is_flag=True, help="Show the solution, givens distinct.")
@output_option("File to write.")
def show(
    reading: Reading, style: str | None, candidates: bool, solution: bool, output: str | None
) -> int:
    """Draw a PUZZLE as text, SVG, HTML, PNG or PDF."""
    target = None if output == "-" else output
    if target is not None:
        style = kind_of("-o", target, SUFFIXES, style, default="text")
    elif style in ("png", "pdf"):
        raise click.UsageError(f"expected a file for --style {style}: add -o")
    if style == "pdf" and candidates:
        raise click.UsageError("expected no --candidates in a PDF")
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
    if target is not None:
        _write(target, style or "text", puzzle, board, options)
    elif style is None:
        click.echo(board_text(puzzle, board, **options))
    else:
        click.echo(puzzle.picture(board, style=cast("Style", style), **options))
    return 0


def _write(
    target: str, style: str, puzzle: Puzzle, board: Board | None, options: dict[str, Any]
) -> None:
    if style == "pdf":
        from genoku.sheet import write_pdf

        write_pdf(target, [puzzle], solutions=None if board is None else [board], captions=[""])
    elif style == "png":
        from genoku.figures import board_png

        picture = board_png(puzzle, puzzle.digits if board is None else board.tolist(), **options)
        with replacing_bytes(target) as file:
            file.write(picture)
    else:
        text = puzzle.picture(board, style=cast("Style", style), **options)
        with replacing(target) as stream:
            stream.write(text + "\n")
