"""The files of a run, made from what its stage tells of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from genoku.board import Puzzle
from genoku.engine.history import History
from genoku.figures import Frame, board_png, write_gif
from genoku.fitness import fitness_map
from genoku.geometry import Geometry
from genoku.looks import MAP_COLOURS
from genoku.picture import draw
from genoku.problem import Problem
from genoku.recipe import build
from genoku.web.handlers.recipes import recipe_file

SAFE = ("#3b3f46", "#e69f00", "#56b4e9", "#f0e442")
"""A cell by its complete units, for any colour vision, as the page has it."""


def file(name: str, data: dict[str, Any], palette: str = "003") -> bytes:
    """A file of a run; `data` is what `result` of a live run gives."""
    puzzle = Puzzle(Geometry.parse(data["box"]), bytes(data["digits"]))
    geometry, board = puzzle.geometry, bytes(data["board"])
    colours = SAFE if palette == "safe" else MAP_COLOURS
    units = fitness_map(np.frombuffer(board, np.uint8), geometry).tolist()
    grounds = [colours[each] if digit else None for each, digit in zip(units, board, strict=True)]
    match name:
        case "board.svg":
            text = draw(geometry, board, puzzle.digits, style="svg", colours=grounds)
            return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'.encode()
        case "board.png":
            return board_png(puzzle, data["board"], grounds)
        case "solution.txt":
            verdict = "solved" if data["solved"] else "not solved: its best board"
            title = f"{data['title']}, seed {data['seed']}: {verdict}"
            picture = draw(geometry, board, puzzle.digits)
            return f"{title}\n\n{picture}\n\n{Puzzle(geometry, board)}\n".encode()
        case "history.csv":
            return _written(_history(data).to_csv, name)
        case "recipe.toml":
            about = f"{data['title']}, seed {data['seed']}"
            asked = data["until"], data["seed"], puzzle, data["name"]
            return recipe_file(data["recipe"], *asked, about).encode()
    algorithm = build(data["recipe"])
    problem = Problem.of(puzzle, algorithm.encoding, algorithm.fitness)
    frames, word = _film(data), data["step_word"]
    return _written(lambda path: write_gif(path, frames, problem, word, colours), name)


def _history(data: dict[str, Any]) -> History:
    columns = data["history"]["columns"].items()
    return History(
        {name: np.array([np.nan if v is None else v for v in column]) for name, column in columns}
    )


def _film(data: dict[str, Any]) -> list[Frame]:
    film = [*data["film"], [data["record"]["steps"], data["board"], data["record"]["cost"]]]
    if len(film) > 1 and film[-2][1] == film[-1][1]:
        del film[-2]  # else nothing would have changed in the last one
    return [Frame(step, np.array(board, np.uint8), cost) for step, board, cost in film]


def _written(write: Callable[[Path], None], name: str) -> bytes:
    """What a function writes to a path."""
    with TemporaryDirectory(prefix="genoku-") as folder:
        path = Path(folder, name)
        write(path)
        return path.read_bytes()
