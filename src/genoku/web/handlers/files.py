"""The files of a run, made from its result."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from genoku.engine.result import errors_text
from genoku.evolve.fitness import MAP_COLOURS, fitness_map
from genoku.present.figures import board_png
from genoku.puzzle.board import Puzzle
from genoku.puzzle.render import draw
from genoku.web.handlers.recipes import recipe_file
from genoku.web.live.snapshot import SessionAnswer

# By complete units of a cell, for every kind of colour vision; as on the page.
SAFE_COLOURS = ("#3b3f46", "#e69f00", "#56b4e9", "#f0e442")


def run_file(name: str, facts: SessionAnswer, packed: bytes, palette: str = "003") -> bytes:
    """Return the content of a file; `packed` comes from `LiveSession.result`."""
    result, film = pickle.loads(packed)
    puzzle, geometry, board = result.puzzle, result.puzzle.geometry, result.board.tobytes()
    colours = SAFE_COLOURS if palette == "safe" else MAP_COLOURS
    units = fitness_map(result.board, geometry).tolist()
    grounds = [colours[each] if digit else None for each, digit in zip(units, board, strict=True)]
    title = f"{facts.title}, seed {facts.seed}"
    match name:
        case "board.svg":
            text = draw(geometry, board, puzzle.digits, style="svg", colours=grounds)
            return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'.encode()
        case "board.png":
            return board_png(puzzle, board, grounds)
        case "solution.txt":
            verdict = "solved" if result.solved else f"not solved, {errors_text(result.errors)}"
            picture = draw(geometry, board, puzzle.digits)
            return f"{title}: {verdict}\n\n{picture}\n\n{Puzzle(geometry, board)}\n".encode()
        case "history.csv":
            return _file_bytes(result.history.to_csv, name)
        case "recipe.toml":
            asked = facts.until, facts.seed, puzzle, facts.name
            return recipe_file(facts.lanes[0].recipe, *asked, title).encode()
        case _:
            return _file_bytes(lambda path: film.write(result, path, colours), name)


def _file_bytes(write: Callable[[Path], None], name: str) -> bytes:
    """Return what a function writes to a path."""
    with TemporaryDirectory(prefix="genoku-") as folder:
        path = Path(folder, name)
        write(path)
        return path.read_bytes()
