"""Mutations of every kind, boards to try them on, and shares to measure."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from strategies import pattern_grid, with_digits

from genoku import bundled
from genoku.evolve.encoding import (
    Boards,
    Encoding,
    PermutedBoxes,
    PermutedColumns,
    PermutedRows,
)
from genoku.evolve.fitness import Repetitions
from genoku.evolve.operators.mutation import (
    Inversion,
    RuledSwap,
    Scramble,
    Shuffle,
    SkippingSwap,
    Swap,
    Unit,
)
from genoku.evolve.problem import Problem
from genoku.puzzle.board import Puzzle
from genoku.puzzle.geometry import Geometry
from genoku.runtime.random import stream

KINDS: tuple[Unit, ...] = ("row", "column", "box")


MOVES: list[Any] = [Swap, SkippingSwap, RuledSwap, Shuffle, Inversion, Scramble]


HARD = bundled()["charles-hard"].puzzle


KEEPING: dict[Unit, Encoding] = {
    "row": PermutedRows(),
    "column": PermutedColumns(),
    "box": PermutedBoxes(),
}


def problem_of(puzzle: Puzzle, encoding: Encoding) -> Problem:
    return Problem.of(puzzle, encoding, Repetitions())


def with_blanks(geometry: Geometry, *cells: int) -> Puzzle:
    return with_digits(pattern_grid(geometry), dict.fromkeys(cells, 0))


def alike(problem: Problem, count: int, seed: int = 1) -> Boards:
    """The same random board, again and again."""
    return np.repeat(problem.space.sample(1, stream(seed)), count, axis=0)


def differ(one: Boards, two: Boards) -> NDArray[np.bool_]:
    """Whether each board differs."""
    different: NDArray[np.bool_] = np.any(one != two, axis=1)
    return different


def about(share: float, count: int) -> Any:
    """A share measured over so many draws: five standard deviations either way."""
    return pytest.approx(share, abs=5 * (share * (1 - share) / count) ** 0.5 + 1e-12)


def assert_equally_often(found: Counter[Any], outcomes: int, draws: int) -> None:
    assert len(found) == outcomes
    for times in found.values():
        assert times / draws == about(1 / outcomes, draws)
