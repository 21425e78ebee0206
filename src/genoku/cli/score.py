"""`genoku score`: count the errors of a board, and score it by the reports' fitness functions."""

from __future__ import annotations

import click
import numpy as np

from genoku.cli.options import (
    PUZZLE_NAME,
    PuzzleInput,
    command,
    json_option,
    option,
    puzzle_argument,
)
from genoku.cli.output import board_text, print_json
from genoku.puzzle.board import Puzzle


@command()
@option(
    "--puzzle", help="Puzzle whose givens count in penalties.", show_default="none", **PUZZLE_NAME
)
@json_option
@puzzle_argument()
def score(puzzles: PuzzleInput, puzzle: str | None, as_json: bool) -> None:
    """Count the errors left on a board, and score it by the fitness function of each report.

    The colours are those of report 003: the number of complete units of each cell.

    Examples:
      genoku score poderosas-medium              a puzzle; its blanks count as a value
      genoku score BOARD --puzzle charles-hard
    """
    from genoku.engine.result import errors_text
    from genoku.evolve.fitness import FITNESSES, MAP_COLOURS, errors_left, fitness_map

    scored = puzzles.only().puzzle
    geometry = scored.geometry
    givens = Puzzle(geometry, bytes(geometry.cells))
    if puzzle is not None:
        givens = PuzzleInput(puzzle, geometry.box, puzzles.alphabet).only().puzzle
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
    points, errors = fitness_map(scored.board, geometry), errors_left(scored.board, geometry)
    if as_json:
        print_json({"board": str(scored), "errors": errors, "scores": rows, "map": points.tolist()})
        return
    colours = [MAP_COLOURS[point] for point in points.tolist()]
    click.echo(board_text(scored, colours=colours))
    click.echo(f"{errors_text(errors)}: digits missing from the units; 0 is solved")
    click.echo("\nComplete units of each cell:")
    for line in points.reshape(geometry.side, geometry.side).tolist():
        click.echo("  " + " ".join(map(str, line)))
    counts = enumerate(np.bincount(points, minlength=4).tolist())
    click.echo(
        f"Cells by complete units: {', '.join(f'{many} with {each}' for each, many in counts)}"
    )
    click.echo("\nScores by fitness function:")
    for row in rows:
        better = f"({row['better']} is better)"
        click.echo(f"  {row['fitness']:<15} {row['score']:>10.6g}  {better:<18}  {row['about']}")
