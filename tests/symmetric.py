"""When a pattern of givens is symmetric: by moving it, without a look at orbits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genoku.puzzle.board import Puzzle
from genoku.puzzle.geometry import Symmetry

MOVES: dict[Symmetry, Callable[[NDArray[Any]], NDArray[Any]]] = {
    "none": lambda grid: grid,
    "rotation180": lambda grid: grid[::-1, ::-1],
    "rotation90": lambda grid: grid.T[:, ::-1],
    "mirror": lambda grid: grid[:, ::-1],
    "diagonal": lambda grid: grid.T,
}


def is_symmetric(puzzle: Puzzle, symmetry: Symmetry) -> bool:
    """Whether moving the board gives the same cells, whatever they hold."""
    pattern = (puzzle.board > 0).reshape(puzzle.side, puzzle.side)
    return np.array_equal(MOVES[symmetry](pattern), pattern)
