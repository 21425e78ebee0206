"""Small puzzles to try operators on, and boards that are nearly solved."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

import numpy as np

from genoku.board import Board, Puzzle
from genoku.errors import PuzzleError
from genoku.geometry import Geometry
from genoku.problem import Problem
from genoku.stream import permutation, stream

SHAPES = [
    (Geometry(2, 2), 8),
    (Geometry(2, 2), 0),
    (Geometry(2, 2), 1),
    (Geometry(2, 3), 24),
    (Geometry(3, 3), 50),
    (Geometry(3, 3), 81),
]
"""The boards to try on, and how many of their cells are blank."""


def small_puzzles() -> list[Puzzle]:
    """A solvable puzzle of every shape."""
    puzzles = []
    for geometry, blanks in SHAPES:
        digits = _grid(geometry)
        digits[permutation(stream(blanks, "puzzle"), geometry.cells)[:blanks]] = 0
        puzzles.append(Puzzle(geometry, digits.tobytes()))
    return puzzles


@lru_cache(maxsize=64)
def solution(puzzle: Puzzle) -> Board:
    """A board that solves a puzzle."""
    grid = _grid(puzzle.geometry)
    if puzzle.is_solved_by(grid):
        return grid
    from genoku.exact import solve

    board = solve(puzzle).board
    if board is None:
        raise PuzzleError(f"expected a puzzle with a solution to try on, got {puzzle}")
    return board


def near_solved(problem: Problem) -> Iterator[Board]:
    """The solution, and boards of the space that are wrong in a few units only."""
    solved, side = solution(problem.puzzle), problem.puzzle.side
    genes = problem.space.genes.tolist()
    beside = pairwise(genes)
    above = [(cell, cell + side) for cell in genes if cell + side in genes]
    swapped = [_swapped(solved, one, two) for one, two in (*beside, *above)]
    latin = np.add.outer(np.arange(side), np.arange(side)) % side + 1  # boxes are not whole
    for board in (solved, latin.ravel().astype(np.uint8), *swapped):
        if problem.space.contains(board):
            yield board


def _swapped(board: Board, one: int, two: int) -> Board:
    swapped = board.copy()
    swapped[one], swapped[two] = board[two], board[one]
    return swapped


def _grid(geometry: Geometry) -> Board:
    """A solved board: every row is the one before, shifted."""
    rows, columns, side = geometry.box_rows, geometry.box_cols, geometry.side
    row, column = np.divmod(np.arange(geometry.cells), side)
    return np.asarray((row % rows * columns + row // rows + column) % side + 1, np.uint8)
