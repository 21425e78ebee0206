"""`genoku show`: draw a board as text, SVG, HTML, PNG or PDF."""

from __future__ import annotations

from typing import Any, cast

import click

from genoku.cli import EXIT_UNSOLVED
from genoku.cli.options import PuzzleInput, command, option, output_option, puzzle_argument
from genoku.cli.output import announce_and_load_kernels, board_text, file_format, say
from genoku.puzzle.board import Board, Puzzle
from genoku.puzzle.formats import binary_writer, text_writer
from genoku.puzzle.render import STYLES, Style

SOLVE_SECONDS = 20.0
SUFFIXES = {
    ".txt": "text", ".svg": "svg", ".html": "html", ".htm": "html", ".png": "png", ".pdf": "pdf"
}  # fmt: skip


@command()
@option(
    "--style",
    type=click.Choice((*STYLES, "png", "pdf")),
    help="Style of the drawing.",
    show_default="by the suffix of -o, else text, coloured on a terminal",
)
@option("--candidates", is_flag=True, help="Show the candidates of each blank.")
@option("--solution", is_flag=True, help="Show the solution; givens are marked.")
@output_option("File to write.")
@puzzle_argument()
def show(
    puzzles: PuzzleInput, style: str | None, candidates: bool, solution: bool, output: str | None
) -> int:
    """Draw a puzzle as text, SVG, HTML, PNG or PDF.

    Examples:
      genoku show ai-escargot --candidates                   with the candidates of each blank
      genoku show ai-escargot --solution -o escargot.svg     or .png, .pdf, .html, .txt
    """
    if output is not None:
        style = file_format("-o", output, SUFFIXES, style, default="text")
    elif style in ("png", "pdf"):
        raise click.UsageError(f"--style {style} requires -o")
    if style == "pdf" and candidates:
        raise click.UsageError("--candidates are not available in a PDF")
    puzzle = puzzles.only().puzzle
    options: dict[str, Any] = {"candidates": puzzle.candidates()} if candidates else {}
    board = None
    if solution:
        from genoku.exact import oracle

        announce_and_load_kernels()
        found = oracle.solve(puzzle, time_limit=SOLVE_SECONDS)
        board = found.board
        if board is None:
            say(f"genoku: no solution to show: {found.stop_reason}")
            return EXIT_UNSOLVED
    if output is not None:
        _write(output, style or "text", puzzle, board, options)
    elif style is None:
        click.echo(board_text(puzzle, board, **options))
    else:
        click.echo(puzzle.picture(board, style=cast("Style", style), **options))
    return 0


def _write(
    target: str, style: str, puzzle: Puzzle, board: Board | None, options: dict[str, Any]
) -> None:
    if style == "pdf":
        from genoku.puzzle.pdf import write_pdf

        write_pdf(target, [puzzle], solutions=None if board is None else [board], captions=[""])
    elif style == "png":
        from genoku.present.figures import board_png

        picture = board_png(puzzle, puzzle.digits if board is None else board.tolist(), **options)
        with binary_writer(target) as file:
            file.write(picture)
    else:
        text = puzzle.picture(board, style=cast("Style", style), **options)
        with text_writer(target) as stream:
            stream.write(text + "\n")
