"""Report 004's rule for swaps, counted out: how often two digits meet themselves."""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from genoku.board import Puzzle
from genoku.encoding import Boards, PermutedBoxes
from genoku.exact import solve
from genoku.geometry import Geometry
from genoku.stream import stream


class Pairs(NamedTuple):
    """Two cells of a box each, and whether they share a row or a column."""

    one: NDArray[np.int64]
    two: NDArray[np.int64]
    aligned: NDArray[np.bool_]


def pairs_of(geometry: Geometry, free: NDArray[np.bool_] | None = None) -> Pairs:
    """All pairs of cells of a box, 324 at 9×9, or those of `free` cells only."""
    may = np.ones(geometry.cells, np.bool_) if free is None else free
    boxes = [np.flatnonzero((geometry.box_of == box) & may) for box in range(geometry.side)]
    chosen = np.array([pair for box in boxes for pair in combinations(box.tolist(), 2)])
    one, two = chosen[:, 0], chosen[:, 1]
    aligned = (geometry.row_of[one] == geometry.row_of[two]) | (
        geometry.column_of[one] == geometry.column_of[two]
    )
    return Pairs(one, two, aligned)


def met(boards: Boards, geometry: Geometry, pairs: Pairs) -> NDArray[np.int64]:
    """How often the digits of every pair stand in the row and column of the other.

    `[boards, pairs]`, before the swap.
    """
    one, two, _ = pairs
    side = geometry.side
    squares = boards.reshape(-1, side, side)
    counts = np.zeros((len(boards), len(one)), np.int64)
    for here, there in ((one, two), (two, one)):
        digits = boards[:, here][:, :, None]
        rows = squares[:, geometry.row_of[there], :]
        columns = squares.transpose(0, 2, 1)[:, geometry.column_of[there], :]
        counts += (rows == digits).sum(axis=2) + (columns == digits).sum(axis=2)
    return counts


def solved_board(puzzle: Puzzle) -> Boards:
    """The solution of a puzzle as the only board of a population."""
    found = solve(puzzle).board
    if found is None:
        raise ValueError(f"expected a puzzle with a solution, got {puzzle}")
    return np.asarray(found, np.uint8)[None]


def random_boards(puzzle: Puzzle, count: int, seed: int = 0) -> Boards:
    """Boards as the report's first population has them."""
    return PermutedBoxes().space(puzzle).sample(count, stream(seed, "swaps"))
