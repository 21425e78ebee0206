"""How good a board is: the reports' fitness functions, each as a cost and on its own scale.

A *cost* is an integer, lower is better, and 0 exactly when the board is solved (a fitness that
looks at some units only `needs` an encoding that keeps the others). A *score* is the same on the
report's own scale, a *loss* the cost from 0 to 1.

With U the number of distinct values summed over all rows, columns and boxes (a blank counts as
a value, which reproduces the reports' numbers), report 000's fitness and report 002's `unique` and
`repetitions` are one function of U on three scales.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from genoku.board import Board, Puzzle
from genoku.encoding import Boards, Kept
from genoku.errors import RecipeError
from genoku.geometry import Geometry
from genoku.jit import inlined, kernel, popcount

Costs = NDArray[np.int32]
"""The cost of every board: lower is better, 0 is solved."""

Scores = NDArray[np.floating[Any]]
"""Costs on another scale, such as a report's own."""

Counted = tuple[int, int, int]
"""Whether rows, columns and boxes count: 1 or 0 each."""

ALL_UNITS: Counted = (1, 1, 1)
LINES_ONLY: Counted = (1, 1, 0)

VALUES, SQUARES, UNITS = 0, 1, 2

MAX_PENALTY = 10_000  # costs stay far below 2³¹ on every board


class Fitness:
    """A cost, and the scale it is published on. Frozen values; a fitness of one's own too."""

    maximise: ClassVar[bool] = False
    """Whether a higher score is better."""

    needs: ClassVar[Kept] = "none"
    """What an encoding must keep for cost 0 to mean solved."""

    def costs(self, boards: Boards, puzzle: Puzzle) -> Costs:
        """The cost of every board."""
        raise NotImplementedError

    def worst(self, geometry: Geometry) -> int:
        """A cost that no board without blanks exceeds."""
        raise NotImplementedError

    def floor(self, puzzle: Puzzle) -> int:
        """A cost below which clashing givens let no board come; 0 without clashes."""
        del puzzle
        return 0

    def score(self, costs: Costs, geometry: Geometry) -> Scores:
        """Costs on the report's own scale."""
        del geometry
        return np.asarray(costs, np.float64)

    def loss(self, costs: Costs, geometry: Geometry) -> Scores:
        """Costs from 0 to 1 (report 002's normalized loss)."""
        return np.asarray(costs, np.float64) / self.worst(geometry)


@dataclass(frozen=True)
class Repetitions(Fitness):
    """Values that stand again in a unit: 3N² − U, from 0 to 3N(N − 1) (report 002)."""

    def costs(self, boards: Boards, puzzle: Puzzle) -> Costs:
        return unit_costs(boards, puzzle.geometry, ALL_UNITS, VALUES)

    def worst(self, geometry: Geometry) -> int:
        return 3 * geometry.side * (geometry.side - 1)

    def floor(self, puzzle: Puzzle) -> int:
        return sum(surplus_givens(puzzle))


@dataclass(frozen=True)
class Unique(Repetitions):
    """Distinct values over all units: U, from 3N to 3N² (report 002)."""

    maximise = True

    def score(self, costs: Costs, geometry: Geometry) -> Scores:
        return 3.0 * geometry.cells - costs


@dataclass(frozen=True)
class Normalised(Repetitions):
    """1 − C / 3N² with C the repetitions, up to 1 (report 000)."""

    maximise = True

    def score(self, costs: Costs, geometry: Geometry) -> Scores:
        # report 000: max_conflicts = 243, although at most 216 can be attained
        return 1.0 - costs / (3.0 * geometry.cells)


@dataclass(frozen=True)
class UniqueSquared(Fitness):
    """The squares of the distinct values of each unit, summed, up to 3N³ (report 002)."""

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
    """A point for every cell in a complete row, column and box: up to 3N² (report 003)."""

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
    """Digits missing in rows and columns, and 2 for every clash with a given (report 004).

    The report leaves open whether the penalty counts cells or lines; we count, for every cell
    filled in, its row and its column if a given there has the same digit.
    """

    needs = "box"
    penalty: int = 2

    def __post_init__(self) -> None:
        if not 0 <= self.penalty <= MAX_PENALTY:
            raise RecipeError(f"expected a penalty from 0 to {MAX_PENALTY}, got {self.penalty}")

    def costs(self, boards: Boards, puzzle: Puzzle) -> Costs:
        geometry = puzzle.geometry
        missing = unit_costs(boards, geometry, LINES_ONLY, VALUES)
        penalties = np.int32(self.penalty) * clashing(boards, given_clashes(puzzle))
        return np.asarray(missing + penalties, np.int32)

    def worst(self, geometry: Geometry) -> int:
        return 2 * geometry.side * (geometry.side - 1) + 2 * self.penalty * geometry.cells

    def floor(self, puzzle: Puzzle) -> int:
        return sum(surplus_givens(puzzle)[: 2 * puzzle.side])


@dataclass(frozen=True)
class Contradictions(Fitness):
    """Equal digits in a unit (report 001, which leaves open how they are counted).

    `pairs` counts every two equal digits of a unit, `surplus` every digit beyond the first.
    """

    counted: Literal["pairs", "surplus"] = "pairs"

    def __post_init__(self) -> None:
        if self.counted not in ("pairs", "surplus"):
            raise RecipeError(f"expected counted to be 'pairs' or 'surplus', got {self.counted!r}")

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
    """How many cells are open, on boards that break no rule."""

    needs: ClassVar[Kept] = "rules"

    def costs(self, boards: Boards, puzzle: Puzzle) -> Costs:
        return np.asarray(np.count_nonzero(boards == 0, axis=1), np.int32)

    def worst(self, geometry: Geometry) -> int:
        return geometry.cells


def surplus_givens(puzzle: Puzzle) -> list[int]:
    """For every unit, how many of its givens repeat another one."""
    units = ([d for d in puzzle.board[unit].tolist() if d] for unit in puzzle.geometry.units)
    return [len(givens) - len(set(givens)) for givens in units]


def fitness_map(board: Board, geometry: Geometry) -> NDArray[np.uint8]:
    """For every cell, how many of its row, column and box are complete: 0 to 3 (report 003).

    Of one board `[cells]`, or of many `[boards, cells]`.
    """
    side = geometry.side
    bits = np.left_shift(np.uint64(1), board.astype(np.uint64))
    met = np.bitwise_or.reduce(bits[..., geometry.units], axis=-1)
    complete = (met == np.uint64(2 ** (side + 1) - 2)).view(np.uint8)
    rows, columns, boxes = complete[..., :side], complete[..., side:-side], complete[..., -side:]
    points: NDArray[np.uint8] = (
        rows[..., geometry.row_of] + columns[..., geometry.column_of] + boxes[..., geometry.box_of]
    )
    return points


MAP_COLOURS = ("#3b3f46", "#e06c5f", "#6fa3e8", "#6fc28b")
"""A cell by its complete units, from 0 to 3; report 003's black, red, blue and green."""


def map_colours(board: Board, geometry: Geometry) -> list[str | None]:
    """The colour of every cell in report 003's fitness map; open cells have none."""
    points = fitness_map(board, geometry).tolist()
    return [
        MAP_COLOURS[each] if digit else None
        for each, digit in zip(points, board.tolist(), strict=True)
    ]


def unit_costs(boards: Boards, geometry: Geometry, counted: Counted, term: int) -> Costs:
    """What the counted units of every board lack, in all."""
    kernel_of_box = counting(geometry.box_rows, geometry.box_cols)
    return kernel_of_box(np.ascontiguousarray(boards), *counted, term)


@cache
def counting(box_rows: int, box_cols: int) -> Callable[..., Costs]:
    """The kernel for boards with such boxes.

    The usual box of a side is a constant of a kernel of its own: the compiler unrolls its loops,
    which is worth a factor of six, and a run compiles only the one it needs. All others share one.
    """
    if not Geometry(box_rows, box_cols).is_default:
        return partial(any_box, box_rows, box_cols)
    side = box_rows * box_cols
    mask, highest = next(each for each in MASKS if side <= each[1])

    def unit_costs_of(boards: Any, rows: Any, columns: Any, boxes: Any, term: Any) -> Any:
        return shortfall(boards, box_rows, box_cols, mask, highest, rows, columns, boxes, term)

    unit_costs_of.__qualname__ = f"unit_costs_{box_rows}x{box_cols}"  # the file it is kept in
    return kernel(unit_costs_of)


@kernel
def any_box(
    box_rows: int, box_cols: int, boards: Boards, rows: int, columns: int, boxes: int, term: int
) -> Any:
    return shortfall(boards, box_rows, box_cols, np.uint64, 63, rows, columns, boxes, term)


MASKS: tuple[tuple[type[np.unsignedinteger[Any]], int], ...] = (
    (np.uint16, 15),
    (np.uint32, 31),
    (np.uint64, 63),
)
"""Sets of values as bits, and the highest value each holds."""

AT_ONCE = 600  # cells looked at together, about: they and their masks stay in the nearest cache


@inlined
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
    """What the counted units lack, with values up to `highest` as the bits of a `mask`.

    The first two loops go over all cells of a few boards, without branches and with narrow masks,
    so that the compiler takes many cells at once. It does so only where indices are unsigned: a
    signed one is first asked whether it counts from the end.
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
                    lack += lacking(in_unit[np.uint64(kind * side + unit)], side, term)
                cost += lack * (rows if kind == 0 else columns if kind == 1 else boxes)
            costs[first + board] = cost
    return costs


@inlined
def lacking(values: Any, side: Any, term: Any) -> Any:
    """What a unit with this set of values lacks; a blank is the value 0."""
    distinct = np.int64(popcount(values))
    if term == VALUES:
        return side - distinct
    if term == SQUARES:
        return side * side - distinct * distinct
    return np.int64(distinct - np.int64(values & 1) != side)


@kernel
def equal_pairs(boards: Boards, units: NDArray[np.int64]) -> Costs:
    """Pairs of equal digits in a unit; blanks do not count."""
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
def given_clashes(puzzle: Puzzle) -> NDArray[np.int32]:
    """For every cell and digit, `[cells, side + 1]`: its row and column if a given there has it."""
    lines = puzzle.geometry.units[: 2 * puzzle.side]
    clashes = np.zeros((puzzle.geometry.cells, puzzle.side + 1), np.int32)
    for line in lines:
        for digit in set(puzzle.board[line].tolist()) - {0}:
            clashes[line, digit] += 1
    clashes[puzzle.board > 0] = 0
    return clashes


@kernel
def clashing(boards: Boards, clashes: NDArray[np.int32]) -> Costs:
    """The clashes of every board's digits, summed."""
    costs = np.zeros(len(boards), np.int32)
    for i in range(len(boards)):
        cost = 0
        for cell in range(boards.shape[1]):
            cost += clashes[cell, boards[i, cell]]
        costs[i] = cost
    return costs
