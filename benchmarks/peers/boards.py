"""What a careful NumPy user would write for any framework: boards, costs, operators.

These programs run in an environment of their own, where there is no genoku.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.metadata import version
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

Boards = NDArray[np.uint8]
"""`[boards, 81]`, or one board `[81]`."""

CELLS = np.arange(81).reshape(9, 9)
BOXES = CELLS.reshape(3, 3, 3, 3).swapaxes(1, 2).reshape(9, 9)
UNITS = np.concatenate((CELLS, CELLS.T, BOXES)).T.copy()  # [place, unit]
BIT = (1 << np.arange(10)).astype(np.uint16)
ONE = np.uint16(1)


@dataclass(frozen=True)
class Wanted:
    """The genetic algorithm to run, as the benchmark describes it."""

    puzzle: str
    generations: int
    seed: int
    crossover: str
    tuned: bool = False
    population: int = 500
    crossover_rate: float = 0.7
    mutation_rate: float = 0.5
    diversity_every: int = 50

    @cached_property
    def givens(self) -> Boards:
        return np.array([int(digit) for digit in self.puzzle], np.uint8)

    @cached_property
    def rows(self) -> list[NDArray[np.int64]]:
        """The blanks of every row that has two or more."""
        grid = self.givens.reshape(9, 9)
        blanks = [np.flatnonzero(row == 0) + 9 * i for i, row in enumerate(grid)]
        return [row for row in blanks if len(row) > 1]

    @cached_property
    def blanks(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The same as an array `[row, place]`, and how many places of each row are in use."""
        sizes = np.array([len(row) for row in self.rows])
        blanks = np.zeros((len(sizes), 9), np.int64)
        for i, row in enumerate(self.rows):
            blanks[i, : len(row)] = row
        return blanks, sizes

    @cached_property
    def masks(self) -> Boards:
        """All exchanges of rows, equally likely: cells with 255 are exchanged."""
        if self.crossover == "uniform":
            chosen = [set(rows) for n in range(10) for rows in combinations(range(9), n)]
        else:
            chosen = [set(range(*cuts)) for cuts in combinations(range(1, 9), 2)]
        rows = [[255 * (row in taken) for row in range(9)] for taken in chosen]
        return np.repeat(np.array(rows, np.uint8), 9, axis=1)


@dataclass(frozen=True)
class Course:
    """A finished run: a row of numbers for every generation, and the last population."""

    history: list[dict[str, Any]]
    boards: Boards


def cost(board: Boards) -> int:
    """Count the repeated values in rows, columns and boxes: the fastest of eight ways we tried."""
    masks = np.bitwise_or.reduce(BIT[board][UNITS], axis=0)
    return 243 - int.from_bytes(masks.tobytes(), "little").bit_count()


def costs(boards: Boards) -> NDArray[np.int64]:
    """Compute the cost of many boards cell by cell, ten times as fast as board by board."""
    grid = np.left_shift(ONE, np.ascontiguousarray(boards.T), dtype=np.uint16).reshape(9, 9, -1)
    masks = np.empty((27, len(boards)), np.uint16)
    np.bitwise_or.reduce(grid, axis=1, out=masks[:9])
    np.bitwise_or.reduce(grid, axis=0, out=masks[9:18])
    boxes = masks[18:].reshape(3, 3, -1)
    np.bitwise_or.reduce(grid.reshape(3, 3, 3, 3, -1), axis=(1, 3), out=boxes)
    held = np.bitwise_count(masks).sum(axis=0, dtype=np.uint8)  # at most 243
    repeated: NDArray[np.int64] = np.subtract(243, held, dtype=np.int64)
    return repeated


def first_boards(wanted: Wanted, rng: np.random.Generator) -> Boards:
    """Fill every row with its missing digits in random order."""
    boards = np.tile(wanted.givens, (wanted.population, 1))
    for i in range(0, 81, 9):
        blanks = np.flatnonzero(wanted.givens[i : i + 9] == 0) + i
        missing = np.setdiff1d(np.arange(1, 10), wanted.givens[i : i + 9]).astype(np.uint8)
        many = np.tile(missing, (wanted.population, 1))
        boards[:, blanks] = rng.permuted(many, axis=1)
    return boards


def exchanged(wanted: Wanted, matings: int, rng: np.random.Generator) -> Boards:
    """Draw the cells that the parents of every mating exchange, as masks of 0 and 255."""
    masks = wanted.masks
    return masks.take(rng.integers(0, len(masks), matings), axis=0)


def exchange(boards: Boards, masks: Boards) -> None:
    """Exchange cells of boards of the first half with those of the second, in place."""
    ours, theirs = boards[: len(masks)], boards[len(masks) :]
    differing = ours ^ theirs
    differing &= masks
    ours ^= differing
    theirs ^= differing


def swap(boards: Boards, which: NDArray[Any], wanted: Wanted, rng: np.random.Generator) -> None:
    """Exchange two blanks of a row in some of the boards, in place."""
    blanks, sizes = wanted.blanks
    drawn = rng.random((3, len(which)))
    row = (drawn[0] * len(sizes)).astype(np.int64)
    size = sizes.take(row)
    one = (drawn[1] * size).astype(np.int64)
    two = (one + 1 + (drawn[2] * (size - 1)).astype(np.int64)) % size
    here, there = 81 * which + blanks[row, one], 81 * which + blanks[row, two]
    cells = boards.reshape(-1)
    cells[here], cells[there] = cells[there], cells[here]


def diversity(boards: Boards, givens: Boards) -> float:
    """Return the mean share of blanks in which two boards differ."""
    genes = boards[:, givens == 0]
    count, places = genes.shape
    held = np.bincount((genes + 10 * np.arange(places)).ravel(), minlength=10 * places)
    return float(1 - (held * (held - 1)).sum() / (count * (count - 1) * places))


def measure(framework: str, evolve: Callable[[Wanted], Course]) -> None:
    """Make the runs of the job, with consecutive seeds, and print the results.

    Only `evolve` is timed. A run ends with its generations, or when a board is solved.
    """
    job = json.load(sys.stdin)
    runs = job.pop("runs")
    wanted = Wanted(**job)
    evolve(replace(wanted, generations=2))  # what is imported or built late
    seconds, told = 0.0, []
    for seed in range(wanted.seed, wanted.seed + runs):
        this = replace(wanted, seed=seed)
        start = time.process_time()
        course = evolve(this)
        seconds += time.process_time() - start
        told.append(facts(this, course))
    individuals = wanted.population * sum(run["generations"] for run in told)
    answer = {
        "version": version(framework),
        "seconds": seconds,
        "speed": individuals / seconds,
        "runs": told,
    }
    print(json.dumps(answer))


def facts(wanted: Wanted, course: Course) -> dict[str, Any]:
    """Return the results to compare, verified with the boards."""
    boards, last = course.boards, course.history[-1]
    again = costs(boards)
    assert boards.shape == (wanted.population, 81), boards.shape
    assert np.array_equal(np.where(wanted.givens, boards, 0)[0], wanted.givens)
    rows = np.sort(boards.reshape(-1, 9), axis=1)
    assert (rows == np.arange(1, 10)).all(), "a row that is no permutation"
    assert [last["best"], last["worst"]] == [again.min(), again.max()], last
    return {
        "generations": len(course.history),
        "history": {
            name: [float(row[name]) for row in course.history] for name in ("best", "mean")
        },
        "board": "".join(map(str, boards[again.argmin()].tolist())),
    }
