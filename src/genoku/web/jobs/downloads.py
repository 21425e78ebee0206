"""The files of a run, made from what its stage tells of it.

The server imports this to tell clerks what to do, so nothing heavy is imported before they do it.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from genoku.board import Puzzle

SAFE = ("#3b3f46", "#e69f00", "#56b4e9", "#f0e442")
"""A cell by its complete units, for any colour vision, as the page has it."""


def file(name: str, data: dict[str, Any], palette: str = "003") -> bytes:
    """A file of a run; `data` is what `result` of a live run gives."""
    made: bytes = {
        "board.svg": _svg,
        "board.png": _png,
        "solution.txt": _text,
        "history.csv": _csv,
        "recipe.toml": _toml,
        "run.gif": _gif,
    }[name](data, _colours(palette))
    return made


def _colours(palette: str) -> tuple[str, ...]:
    from genoku.figures import MAP_COLOURS

    return SAFE if palette == "safe" else MAP_COLOURS


def _puzzle(data: dict[str, Any]) -> Puzzle:
    from genoku.board import Puzzle
    from genoku.geometry import Geometry

    return Puzzle(Geometry.parse(data["box"]), bytes(data["digits"]))


def _grounds(data: dict[str, Any], colours: tuple[str, ...]) -> list[str | None]:
    """The colour of every cell of the best board; open cells have none."""
    import numpy as np

    from genoku.fitness import fitness_map

    board = np.array(data["board"], np.uint8)
    points = fitness_map(board, _puzzle(data).geometry).tolist()
    return [
        colours[each] if digit else None for each, digit in zip(points, data["board"], strict=True)
    ]


def _svg(data: dict[str, Any], colours: tuple[str, ...]) -> bytes:
    from genoku.picture import draw

    puzzle, board = _puzzle(data), bytes(data["board"])
    grounds = _grounds(data, colours)
    text = draw(puzzle.geometry, board, puzzle.digits, style="svg", colours=grounds)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'.encode()


def _png(data: dict[str, Any], colours: tuple[str, ...]) -> bytes:
    from genoku.figures import board_png

    return board_png(_puzzle(data), data["board"], _grounds(data, colours))


def _text(data: dict[str, Any], _colours: tuple[str, ...]) -> bytes:
    from genoku.board import Puzzle
    from genoku.picture import draw

    puzzle, board = _puzzle(data), bytes(data["board"])
    verdict = "solved" if data["solved"] else "not solved: its best board"
    lines = [
        f"{data['title']}, seed {data['seed']}: {verdict}",
        "",
        draw(puzzle.geometry, board, puzzle.digits),
        "",
        str(Puzzle(puzzle.geometry, board)),
        "",
    ]
    return "\n".join(lines).encode()


def _csv(data: dict[str, Any], _colours: tuple[str, ...]) -> bytes:
    import numpy as np

    from genoku.history import History

    columns = {
        name: np.array([np.nan if value is None else value for value in column])
        for name, column in data["history"]["columns"].items()
    }
    return _written(History(columns).to_csv, "history.csv")


def _toml(data: dict[str, Any], _colours: tuple[str, ...]) -> bytes:
    from genoku.web.jobs.checks import recipe_file

    about = f"{data['title']}, seed {data['seed']}"
    text = recipe_file(
        data["recipe"], data["until"], data["seed"], _puzzle(data), data["name"], about
    )
    return text.encode()


def _gif(data: dict[str, Any], colours: tuple[str, ...]) -> bytes:
    import numpy as np

    from genoku.figures import Frame, write_gif
    from genoku.problem import Problem
    from genoku.recipe import build

    algorithm = build(data["recipe"])
    problem = Problem.of(_puzzle(data), algorithm.encoding, algorithm.fitness)
    film = [*data["film"], [data["record"]["steps"], data["board"], data["record"]["cost"]]]
    if len(film) > 1 and film[-2][1] == film[-1][1]:
        del film[-2]  # else nothing would have changed in the last one
    frames = [Frame(step, np.array(board, np.uint8), cost) for step, board, cost in film]
    return _written(
        lambda path: write_gif(path, frames, problem, data["step_word"], colours), "run.gif"
    )


def _written(write: Any, name: str) -> bytes:
    """What a function writes to a path."""
    with TemporaryDirectory(prefix="genoku-") as folder:
        path = Path(folder, name)
        write(path)
        return path.read_bytes()
