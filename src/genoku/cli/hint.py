"""`genoku hint`: explain the next solving step."""

from __future__ import annotations

from typing import Any

import click

from genoku.cli import EXIT_INPUT
from genoku.cli.options import (
    PuzzleInput,
    command,
    json_option,
    option,
    puzzle_argument,
    whole_number,
)
from genoku.cli.output import board_text, print_json, report_conflicts

HIGHLIGHT = "#ffe08a"
RESULT = "#9be29b"


@command()
@option("--count", help="Number of steps to show.", **whole_number(1))
@json_option
@puzzle_argument()
def hint(puzzles: PuzzleInput, count: int, as_json: bool) -> int:
    """Explain the next step in solving a puzzle.

    Examples:
      genoku hint charles-easy              explain the next step, and mark it on the board
      genoku hint charles-hard --count 5    explain the next five
    """
    from genoku import techniques

    puzzle = puzzles.only().puzzle
    if report_conflicts(puzzle):
        return EXIT_INPUT
    steps: list[techniques.Step] = []
    for board, step in techniques.solve_steps(puzzle):
        steps.append(step)
        if not as_json:
            if len(steps) == 1:
                colours = [HIGHLIGHT if c in step.cells else None for c in range(len(board.digits))]
                for cell, _ in (*step.placements, *step.eliminations):
                    colours[cell] = RESULT
                click.echo(board_text(board, colours=colours))
            click.echo(str(step))
        if len(steps) == count:
            break
    if as_json:
        print_json([_hint_record(step) for step in steps])
    elif not steps:
        click.echo("The board is full: there is no next step.")
    return 0


def _hint_record(step: Any) -> dict[str, Any]:
    name = step.geometry.cell_name
    return {
        "technique": step.technique,
        "explanation": str(step),
        "cells": [name(cell) for cell in step.cells],
        "placements": [(name(cell), digit) for cell, digit in step.placements],
        "eliminations": [(name(cell), digit) for cell, digit in step.eliminations],
    }
