"""What all pictures of runs have in common: colours, and how scores and steps are called."""

from __future__ import annotations

from genoku import display
from genoku.board import Board, Puzzle
from genoku.fitness import fitness_map
from genoku.geometry import Geometry

MAP_COLOURS = ("#3b3f46", "#e06c5f", "#6fa3e8", "#6fc28b")
"""A cell by its complete units, from 0 to 3; report 003's black, red, blue and green."""

CURVES = {"best": "#1b7a4b", "mean": "#2b64b8", "worst": "#c2573f"}
"""The columns of a history that are drawn as curves, and their colours."""

INK, SOFT, PAPER = "#22252b", "#8a909c", "#ffffff"


def map_colours(board: Board, geometry: Geometry) -> list[str | None]:
    """The colour of every cell in report 003's fitness map; open cells have none."""
    points = fitness_map(board, geometry).tolist()
    return [
        MAP_COLOURS[each] if digit else None
        for each, digit in zip(points, board.tolist(), strict=True)
    ]


def mapped(puzzle: Puzzle, board: Board) -> str:
    """A board in the colours of the map, with its key, as a notebook shows it."""
    colours = map_colours(board, puzzle.geometry)
    key = display.legend("complete units of a cell:", dict(zip("0123", MAP_COLOURS, strict=True)))
    return puzzle.picture(board, style="svg", colours=colours) + key
