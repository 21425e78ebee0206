"""`genoku score`: a board under the fitness functions of all five reports."""

from __future__ import annotations

import click
import numpy as np

from genoku.board import Puzzle
from genoku.cli import completion
from genoku.cli.options import Reading, json_option, reads_puzzles
from genoku.cli.output import board_text, print_json


@click.command(
    epilog="""\b
Examples:
  genoku score poderosas-medium        a puzzle counts with its blanks as a value
  genoku score BOARD --puzzle charles-hard
"""
)
@reads_puzzles()
@click.option(
    "--puzzle",
    metavar="PUZZLE",
    shell_complete=completion.puzzles,
    help="Whose givens count, for penalties.",
    show_default="none do",
)
@json_option
def score(reading: Reading, puzzle: str | None, as_json: bool) -> int:
    """Score a board (PUZZLE) under every report's fitness function, with report 003's map."""
    from genoku.fitness import FITNESSES, MAP_COLOURS, fitness_map

    scored = reading.only().puzzle
    geometry = scored.geometry
    givens = Puzzle(geometry, bytes(geometry.cells))
    if puzzle is not None:
        givens = Reading(puzzle, geometry.box, reading.alphabet).only().puzzle
    boards = scored.board[None].copy()
    rows = []
    for kind in FITNESSES:
        fitness = kind()
        costs = fitness.costs(boards, givens)
        rows.append(
            {
                "fitness": kind.__name__,
                "about": (kind.__doc__ or "").splitlines()[0],
                "score": float(fitness.score(costs, geometry)[0]),
                "better": "higher" if fitness.maximise else "lower",
                "cost": int(costs[0]),
                "loss": float(fitness.loss(costs, geometry)[0]),
            }
        )
    points = fitness_map(scored.board, geometry)
    if as_json:
        print_json({"board": str(scored), "scores": rows, "map": points.tolist()})
        return 0
    colours = [MAP_COLOURS[point] for point in points.tolist()]
    click.echo(board_text(scored, colours=colours))
    click.echo("complete units of every cell:")
    for line in points.reshape(geometry.side, geometry.side).tolist():
        click.echo("  " + " ".join(map(str, line)))
    counts = np.bincount(points, minlength=4).tolist()
    click.echo(
        "cells by complete units: "
        + ", ".join(f"{many} with {count}" for count, many in enumerate(counts))
    )
    for row in rows:
        click.echo(
            f"{row['fitness']:<15} {row['score']:>10.6g}  ({row['better']} is better)  "
            f"cost {row['cost']:>5}  {row['about']}"
        )
    return 0
