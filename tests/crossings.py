"""What the tests of crossovers share: matings whose children show whom they have a cell from."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from strategies import NINE

from genoku.evolve.encoding import Encoding, FreeCells
from genoku.evolve.fitness import Repetitions
from genoku.evolve.operators.crossover import By, Crossover
from genoku.evolve.problem import Problem
from genoku.puzzle.board import Puzzle
from genoku.puzzle.geometry import Geometry
from genoku.runtime.random import stream

Held = NDArray[np.int64]
"""Which parent each child has a cell from: `[matings, children, cells]`."""

EMPTY = Puzzle(NINE, bytes(81))


def problem_of(puzzle: Puzzle, encoding: Encoding | None = None) -> Problem:
    return Problem.of(puzzle, encoding or FreeCells(), Repetitions())


def held_by_children(crossover: Crossover, matings: int, puzzle: Puzzle = EMPTY) -> Held:
    """Every parent holds one digit everywhere, so that children show whom they have a cell from."""
    problem = problem_of(puzzle)
    blank = problem.puzzle.board == 0
    digits = np.arange(1, crossover.parents + 1, dtype=np.uint8)
    boards = np.where(blank, digits[:, None], problem.puzzle.board)
    mates = np.tile(np.arange(crossover.parents), (matings, 1))
    children = crossover(boards, mates, problem, stream(1))
    children[:, ~blank] = 1
    return children.reshape(matings, crossover.children, -1).astype(np.int64) - 1


def evenly(counts: Any, expected: float) -> bool:
    """Whether every count is within five standard deviations, and a few for luck."""
    spread = abs(np.array(counts) - expected).max()
    return bool(spread < 5 * expected**0.5 + 5)


def cuts_of(held: Held, by: By) -> list[tuple[int, ...]]:
    """Where child one changes parents, counted in blocks; a blank board has a gene per cell."""
    geometry = Geometry.of_side(int(held.shape[2] ** 0.5))
    rows, columns, boxes = geometry.units[:, 0].astype(np.int64).reshape(3, -1)
    cells = np.arange(geometry.cells)
    starts: dict[str, NDArray[np.int64]]
    starts = {"row": rows, "column": columns, "box": boxes, "cell": cells, "gene": cells}
    along = held[:, 0, starts[by]]
    # Child one begins with parent one: a piece before the first block would show as a change.
    steps = np.diff(along, axis=1, prepend=0) != 0
    return [tuple(np.flatnonzero(row).tolist()) for row in steps]
