"""What pictures of runs have in common: the colours of report 003's map, and words."""

from __future__ import annotations

from importlib.util import find_spec

from genoku.algorithms import Annealing, Genetic, MinConflicts
from genoku.board import Board
from genoku.errors import GenokuError
from genoku.fitness import fitness_map
from genoku.geometry import Geometry
from genoku.state import Algorithm

MAP_COLOURS = ("#3b3f46", "#e06c5f", "#6fa3e8", "#6fc28b")
"""A cell by its complete units, from 0 to 3; report 003's black, red, blue and green."""

INK, SOFT, PAPER = "#22252b", "#8a909c", "#ffffff"


def map_colours(board: Board, geometry: Geometry) -> list[str]:
    """The colour of every cell in report 003's fitness map."""
    return [MAP_COLOURS[points] for points in fitness_map(board, geometry).tolist()]


def require_lab() -> None:
    """Raise unless what draws is installed."""
    if find_spec("matplotlib") is None or find_spec("PIL") is None:
        raise GenokuError('pictures of runs need matplotlib: pip install "genoku[lab]"')


def step_word(algorithm: Algorithm) -> str:
    """What a step of the algorithm is called."""
    inner = getattr(algorithm, "algorithm", None)
    if inner is not None and not hasattr(algorithm, "interval"):  # restarts, but not islands
        return step_word(inner)
    return "generation" if isinstance(algorithm, Genetic) else "step"


def rate_word(algorithm: Algorithm) -> str:
    """What the rate of the algorithm is the rate of."""
    inner = getattr(algorithm, "algorithm", None)
    if inner is not None:
        return rate_word(inner)
    words = {Annealing: "temperature", MinConflicts: "chance", Genetic: "rate"}
    return next((word for kind, word in words.items() if isinstance(algorithm, kind)), "rate")
