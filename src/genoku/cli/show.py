"""`genoku show`: draw a board as text, SVG, HTML, PNG or PDF."""

from __future__ import annotations

from typing import Any, cast

import click

from genoku.cli import EXIT_UNSOLVED
from genoku.cli.options import (
    COLOURS,
    PuzzleInput,
    command,
    option,
    output_option,
    puzzle_argument,
)
from genoku.cli.output import (
    BOARD_STYLES,
    announce_and_load_kernels,
    board_text,
    file_format,
    say,
    write_board,
)
from genoku.puzzle.render import STYLES, Style

SOLVE_SECONDS = 20.0


@command()
@option(
    "--style",
    type=click.Choice((*STYLES, "png", "pdf")),
    help="Style of the drawing.",
    show_default="by the suffix of -o, else text, coloured on a terminal",
)
@option("--candidates", is_flag=True, help="Show the candidates of each blank.")
@option("--solution", is_flag=True, help="Show the solution; givens are marked.")
@option("--colours", **COLOURS, default="plain", show_default="plain")
@option("--caption", metavar="TEXT", help="A text below the board.")
@output_option("File to write.")
@puzzle_argument()
def show(
    puzzles: PuzzleInput,
    style: str | None,
    candidates: bool,
    solution: bool,
    colours: str,
    caption: str | None,
    output: str | None,
) -> int:
    """Draw a puzzle as text, SVG, HTML, PNG or PDF.

    Examples:
      genoku show ai-escargot --candidates                   with the candidates of each blank
      genoku show ai-escargot --solution -o escargot.svg     or .png, .pdf, .html, .txt
      genoku show BOARD --colours map -o board.png           coloured by report 003's fitness map
    """
    if output is not None:
        style = file_format("-o", output, BOARD_STYLES, style, default="text")
    elif style in ("png", "pdf"):
        raise click.UsageError(f"--style {style} requires -o")
    if style == "pdf" and candidates:
        raise click.UsageError("--candidates are not available in a PDF")
    puzzle = puzzles.only().puzzle
    options: dict[str, Any] = {"candidates": puzzle.candidates()} if candidates else {}
    options["caption"] = caption or ""
    board = None
    if solution:
        from genoku.exact import oracle

        announce_and_load_kernels()
        found = oracle.solve(puzzle, time_limit=SOLVE_SECONDS)
        board = found.board
        if board is None:
            say(f"genoku: no solution to show: {found.stop_reason}")
            return EXIT_UNSOLVED
    if style == "pdf" and board is not None:  # the puzzle, and its solution on the next page
        options["solutions"], board = [board], None
    if colours == "map":
        from genoku.evolve.fitness import map_colours

        coloured = puzzle.board if board is None else board
        options["colours"] = map_colours(coloured, puzzle.geometry)
    if output is not None:
        write_board(output, style or "text", puzzle, board, **options)
    elif style is None:
        click.echo(board_text(puzzle, board, **options))
    else:
        click.echo(puzzle.picture(board, style=cast("Style", style), **options))
    return 0
