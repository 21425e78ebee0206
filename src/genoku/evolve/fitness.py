"""Fitness functions: the cost of a board, and the score on a report's own scale.

A *cost* is an integer: lower is better, and 0 means solved (a fitness that ignores some units
`needs` an encoding that keeps them whole). A *score* is the cost on the report's own scale,
a *loss* the cost scaled to 0 … 1.

With U the number of distinct values summed over all rows, columns and boxes (a blank counts as
a value, which reproduces the reports' numbers), report 000's fitness and report 002's `unique` and
`repetitions` are the same function of U on three scales.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from genoku.errors import require_between, require_choices
from genoku.evolve.encoding import Boards, Kept
from genoku.puzzle.board import Board, Puzzle
from genoku.puzzle.geometry import Geometry
from genoku.runtime.jit import inline, kernel, popcount

Costs = NDArray[np.int32]  #: The cost of every board: lower is better, 0 is solved
Scores = NDArray[np.floating[Any]]  # costs on another scale, such as a report's own
Counted = tuple[int, int, int]  # whether rows, columns and boxes count: 1 or 0 each

ALL_UNITS: Counted = (1, 1, 1)
LINES_ONLY: Counted = (1, 1, 0)

VALUES, SQUARES, UNITS = 0, 1, 2

MAX_PENALTY = 10_000  # costs stay far below 2³¹ on every board


class Fitness:
    """Gives boards their costs, and their scores on a published scale; the base of your own too."""

    maximise: ClassVar[bool] = False  #: Whether a higher score is better
    needs: ClassVar[Kept] = "none"  #: The units an encoding must keep, so that cost 0 means solved

    def costs(self, boards: Boards, puzzle: Puzzle) -> Costs:
        """Return the cost of every board `[boards, cells]`."""
        raise NotImplementedError

    def worst(self, geometry: Geometry) -> int:
        """Return a cost that no board without blanks exceeds."""
        raise NotImplementedError

    def floor(self, puzzle: Puzzle) -> int:
        """Return a lower bound of the cost: 0, or more if givens conflict."""
        del puzzle
        return 0

    def score(self, costs: Costs, geometry: Geometry) -> Scores:
        """Return costs on the report's own scale."""
        del geometry
        return np.asarray(costs, np.float64)

    def loss(self, costs: Costs, geometry: Geometry) -> Scores:
        """Return costs scaled to 0 … 1 (report 002's normalized loss)."""
        return np.asarray(costs, np.float64) / self.worst(geometry)


@dataclass(frozen=True)
class Repetitions(Fitness):
    """Count repeated values in units: 3N² − U, from 0 to 3N(N − 1) (report 002)."""

    def costs(self, boards: Boards, puzzle: Puzzle) -> Costs:
        return unit_costs(boards, puzzle.geometry, ALL_UNITS, VALUES)

    def worst(self, geometry: Geometry) -> int:
        return 3 * geometry.side * (geometry.side - 1)

    def floor(self, puzzle: Puzzle) -> int:
        return sum(surplus_givens(puzzle))


@dataclass(frozen=True)
class Unique(Repetitions):
    """Count distinct values in units: U, from 3N to 3N² (report 002)."""

    maximise = True

    def score(self, costs: Costs, geometry: Geometry) -> Scores:
        return 3.0 * geometry.cells - costs


@dataclass(frozen=True)
class Normalised(Repetitions):
    """Scale the repetitions C to a score of 1 − C / 3N², at most 1 (report 000)."""

    maximise = True

    def score(self, costs: Costs, geometry: Geometry) -> Scores:
        # report 000: max_conflicts = 243, although at most 216 can be attained
        return 1.0 - costs / (3.0 * geometry.cells)


@dataclass(frozen=True)
class UniqueSquared(Fitness):
    """Sum the squared numbers of distinct values of all units, at most 3N³ (report 002)."""

    maximise = True

    def costs(self, boards: Boards, puzzle: Puzzle) -> Costs:
        return unit_costs(boards, puzzle.geometry, ALL_UNITS, SQUARES)

    def worst(self, geometry: Geometry) -> int:
        return 3 * geometry.side * (geometry.cells - 1)

    def floor(self, puzzle: Puzzle) -> int:
        side = puzzle.side
        return sum(side * side - (side - surplus) ** 2 for surplus in surplus_givens(puzzle))

    def score(self, costs: Costs, geometry: Geometry) -> Scores:
        return 3.0 * geometry.side * geometry.cells - costs


@dataclass(frozen=True)
class CompleteUnits(Fitness):
    """Give each cell a point for its complete row, column and box: up to 3N² (report 003)."""

    maximise = True

    def costs(self, boards: Boards, puzzle: Puzzle) -> Costs:
        geometry = puzzle.geometry
        open_units = unit_costs(boards, geometry, ALL_UNITS, UNITS)
        return open_units * np.int32(geometry.side)

    def worst(self, geometry: Geometry) -> int:
        return 3 * geometry.cells

    def floor(self, puzzle: Puzzle) -> int:
        return puzzle.side * sum(surplus > 0 for surplus in surplus_givens(puzzle))

    def score(self, costs: Costs, geometry: Geometry) -> Scores:
        return 3.0 * geometry.cells - costs


@dataclass(frozen=True)
class MissingDigits(Fitness):
    """Count digits missing in rows and columns, plus 2 for each conflict with a given (report 004).

    `penalty` is the cost of a conflict. The report does not say whether it counts cells or lines;
    here, every filled cell counts its row and its column if a given there has the same digit.
    """

    needs = "box"
    penalty: int = 2

    def __post_init__(self) -> None:
        require_between(self, 0, MAX_PENALTY, "penalty")

    def costs(self, boards: Boards, puzzle: Puzzle) -> Costs:
        geometry = puzzle.geometry
        missing = unit_costs(boards, geometry, LINES_ONLY, VALUES)
        penalties = np.int32(self.penalty) * sum_conflicts(boards, given_conflicts(puzzle))
        return np.asarray(missing + penalties, np.int32)

    def worst(self, geometry: Geometry) -> int:
        return 2 * geometry.side * (geometry.side - 1) + 2 * self.penalty * geometry.cells

    def floor(self, puzzle: Puzzle) -> int:
        return sum(surplus_givens(puzzle)[: 2 * puzzle.side])


@dataclass(frozen=True)
class Contradictions(Fitness):
    """Count equal digits in units (report 001, which does not say how).

    `counted` says how: `pairs` counts every two equal digits of a unit, `surplus` every digit
    beyond the first.
    """

    counted: Literal["pairs", "surplus"] = "pairs"

    def __post_init__(self) -> None:
        require_choices(self)

    def costs(self, boards: Boards, puzzle: Puzzle) -> Costs:
        if self.counted == "surplus":
            return Repetitions().costs(boards, puzzle)
        return equal_pairs(boards, puzzle.geometry.units.astype(np.int64))

    def worst(self, geometry: Geometry) -> int:
        if self.counted == "surplus":
            return Repetitions().worst(geometry)
        return 3 * geometry.side * geometry.side * (geometry.side - 1) // 2

    def floor(self, puzzle: Puzzle) -> int:
        if self.counted == "surplus":
            return Repetitions().floor(puzzle)
        return int(self.costs(puzzle.board[None].copy(), puzzle)[0])  # blanks do not count


FITNESSES: tuple[type[Fitness], ...] = (
    Normalised,
    Contradictions,
    Unique,
    Repetitions,
    UniqueSquared,
    CompleteUnits,
    MissingDigits,
)


@dataclass(frozen=True)
class OpenCells(Fitness):
    """Count the open cells of boards without conflicts."""

    needs: ClassVar[Kept] = "rules"

    def costs(self, boards: Boards, puzzle: Puzzle) -> Costs:
        return np.asarray(np.count_nonzero(boards == 0, axis=1), np.int32)

    def worst(self, geometry: Geometry) -> int:
        return geometry.cells


def surplus_givens(puzzle: Puzzle) -> list[int]:
    """The number of repeated givens in every unit."""
    units = ([d for d in puzzle.board[unit].tolist() if d] for unit in puzzle.geometry.units)
    return [len(givens) - len(set(givens)) for givens in units]


def fitness_map(board: Board, geometry: Geometry) -> NDArray[np.uint8]:
    """Return for every cell how many of its row, column and box are complete (report 003).

    Parameters
    ----------
    board, geometry
        One board `[cells]`, or many `[boards, cells]`, and their geometry.

    Returns
    -------
    NDArray[np.uint8]
        Numbers from 0 to 3, in the shape of `board`.
    """
    side = geometry.side
    complete = (unit_digits(board, geometry) == np.uint64(2 ** (side + 1) - 2)).view(np.uint8)
    rows, columns, boxes = complete[..., :side], complete[..., side:-side], complete[..., -side:]
    points: NDArray[np.uint8] = (
        rows[..., geometry.row_of] + columns[..., geometry.column_of] + boxes[..., geometry.box_of]
    )
    return points


def errors_left(board: Board, geometry: Geometry) -> int:
    """Return the errors left: the digits missing from a board `[cells]`, summed over all units.

    0 is solved, and a blank counts as a missing digit. It is the scale on which boards of all
    algorithms compare, whatever their fitness.
    """
    held = np.bitwise_count(unit_digits(board, geometry) & ~np.uint64(1))
    return geometry.side * len(geometry.units) - int(held.sum())


def unit_digits(board: Board, geometry: Geometry) -> NDArray[np.uint64]:
    """The digits of every unit as a bit mask, `[..., units]`; bit 0 stands for a blank."""
    bits = np.left_shift(np.uint64(1), board.astype(np.uint64))
    digits: NDArray[np.uint64] = np.bitwise_or.reduce(bits[..., geometry.units], axis=-1)
    return digits


MAP_COLOURS = ("#3b3f46", "#e06c5f", "#6fa3e8", "#6fc28b")  # by complete units, as in report 003


def map_colours(board: Board, geometry: Geometry) -> list[str | None]:
    """The colour of every cell in report 003's fitness map; open cells have none."""
    points = fitness_map(board, geometry).tolist()
    return [
        MAP_COLOURS[each] if digit else None
        for each, digit in zip(points, board.tolist(), strict=True)
    ]


def unit_costs(boards: Boards, geometry: Geometry, counted: Counted, term: int) -> Costs:
    """The cost of every board: what its counted units lack, summed."""
    costs_of = unit_costs_kernel(geometry.box_rows, geometry.box_cols)
    return costs_of(np.ascontiguousarray(boards), *counted, term)


@cache
def unit_costs_kernel(box_rows: int, box_cols: int) -> Callable[..., Costs]:
    """The kernel for boards with such boxes.

    The default box of each side is a constant in its own kernel: the compiler unrolls the loops,
    which is six times as fast, and a run compiles only the kernel that it needs. Other boxes share
    one kernel.
    """
    if not Geometry(box_rows, box_cols).is_default:
        return partial(unit_costs_any_box, box_rows, box_cols)
    side = box_rows * box_cols
    mask, highest = next(each for each in MASKS if side <= each[1])

    def unit_costs_of(boards: Any, rows: Any, columns: Any, boxes: Any, term: Any) -> Any:
        return shortfall(boards, box_rows, box_cols, mask, highest, rows, columns, boxes, term)

    unit_costs_of.__qualname__ = f"unit_costs_{box_rows}x{box_cols}"  # names the cache file
    return kernel(unit_costs_of)


@kernel
def unit_costs_any_box(
    box_rows: int, box_cols: int, boards: Boards, rows: int, columns: int, boxes: int, term: int
) -> Any:
    return shortfall(boards, box_rows, box_cols, np.uint64, 63, rows, columns, boxes, term)


MASKS: tuple[tuple[type[np.unsignedinteger[Any]], int], ...] = (
    (np.uint16, 15),
    (np.uint32, 31),
    (np.uint64, 63),
)  # types for sets of values as bits, and the highest value of each

AT_ONCE = 600  # cells at a time, about: they and their masks stay in the L1 cache


@inline
def shortfall(
    boards: Any,
    box_rows: Any,
    box_cols: Any,
    mask: Any,
    highest: Any,
    rows: Any,
    columns: Any,
    boxes: Any,
    term: Any,
) -> Any:
    """The costs of boards, with values up to `highest` as the bits of a `mask`.

    The first two loops run over all cells of a few boards, without branches and with narrow masks,
    so that the compiler vectorises them. It does so only with unsigned indices: a signed index is
    checked for wraparound.
    """
    side = box_rows * box_cols
    cells = side * side
    batch = 1 + AT_ONCE // cells
    in_cell = np.zeros((batch + 1) * cells, mask)
    in_run = np.zeros((batch + 1) * cells, mask)  # a cell and those after it: a row of a box
    in_unit = np.zeros(3 * side, mask)
    values = boards.reshape(boards.size)
    costs = np.empty(len(boards), np.int32)
    for first in range(0, len(boards), batch):
        count = min(batch, len(boards) - first)
        start = np.uint64(first * cells)
        for i in range(count * cells):
            value = values[start + np.uint64(i)] & np.uint8(highest)
            in_cell[np.uint64(i)] = mask(1) << mask(value)
        for i in range(count * cells):
            met = in_cell[np.uint64(i)]
            for j in range(1, box_cols):
                met |= in_cell[np.uint64(i) + np.uint64(j)]
            in_run[np.uint64(i)] = met
        for board in range(count):
            corner = np.uint64(board * cells)
            for unit in range(side):
                row = corner + np.uint64(unit * side)
                column = corner + np.uint64(unit)
                box = corner + np.uint64(unit // box_rows * box_rows * side)
                box += np.uint64(unit % box_rows * box_cols)
                in_row, in_column, in_box = in_run[row], in_cell[column], in_run[box]
                for j in range(1, box_rows):
                    in_row |= in_run[row + np.uint64(j * box_cols)]
                    in_box |= in_run[box + np.uint64(j * side)]
                for j in range(1, side):
                    in_column |= in_cell[column + np.uint64(j * side)]
                in_unit[np.uint64(unit)] = in_row
                in_unit[np.uint64(side + unit)] = in_column
                in_unit[np.uint64(2 * side + unit)] = in_box
            cost = 0
            for kind in range(3):
                lack = 0
                for unit in range(side):
                    lack += unit_shortfall(in_unit[np.uint64(kind * side + unit)], side, term)
                cost += lack * (rows if kind == 0 else columns if kind == 1 else boxes)
            costs[first + board] = cost
    return costs


@inline
def unit_shortfall(values: Any, side: Any, term: Any) -> Any:
    """The cost of a unit with this set of values; a blank is the value 0."""
    distinct = np.int64(popcount(values))
    if term == VALUES:
        return side - distinct
    if term == SQUARES:
        return side * side - distinct * distinct
    return np.int64(distinct - np.int64(values & 1) != side)


@kernel
def equal_pairs(boards: Boards, units: NDArray[np.int64]) -> Costs:
    """The pairs of equal digits in the units of every board; blanks do not count."""
    costs = np.zeros(len(boards), np.int32)
    seen = np.zeros(units.shape[1] + 1, np.int64)
    for i in range(len(boards)):
        for unit in range(len(units)):
            seen[:] = 0
            for place in range(units.shape[1]):
                digit = boards[i, units[unit, place]]
                if digit > 0:
                    costs[i] += seen[digit]
                    seen[digit] += 1
    return costs


@lru_cache(8)
def given_conflicts(puzzle: Puzzle) -> NDArray[np.int32]:
    """The lines of a cell in which a digit is given, `[cells, side + 1]`: 0, 1 or 2."""
    lines = puzzle.geometry.units[: 2 * puzzle.side]
    conflicts = np.zeros((puzzle.geometry.cells, puzzle.side + 1), np.int32)
    for line in lines:
        for digit in set(puzzle.board[line].tolist()) - {0}:
            conflicts[line, digit] += 1
    conflicts[puzzle.board > 0] = 0
    return conflicts


@kernel
def sum_conflicts(boards: Boards, conflicts: NDArray[np.int32]) -> Costs:
    """The conflicts of every board's digits with givens, summed."""
    costs = np.zeros(len(boards), np.int32)
    for i in range(len(boards)):
        cost = 0
        for cell in range(boards.shape[1]):
            cost += conflicts[cell, boards[i, cell]]
        costs[i] = cost
    return costs
