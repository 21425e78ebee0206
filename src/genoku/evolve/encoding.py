"""Encodings: which boards are candidates for a puzzle.

============== ========================================= ==================
encoding       a blank holds                             always correct
============== ========================================= ==================
`FreeCells`    any digit                                 givens
`LegalCells`   a digit that conflicts with no given      givens
`PermutedRows` a missing digit of its row, each once     givens, rows
… `Columns`    … of its column                           givens, columns
… `Boxes`      … of its box                              givens, boxes
============== ========================================= ==================

With `fixed="singles"`, cells that naked and hidden singles decide are fixed like the givens; the
blanks are those left.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, ClassVar, Literal, NamedTuple, Protocol, TypeVar, cast, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from genoku.errors import PuzzleError
from genoku.exact.propagation import singles
from genoku.puzzle.board import Board, Puzzle
from genoku.runtime.jit import kernel
from genoku.runtime.random import Stream, below

Boards = NDArray[np.uint8]  #: A population: one board per row, `[boards, cells]`
Cells = NDArray[np.int64]  # cells, or numbers of them: the block of every cell, or sizes of groups

Kept = Literal["none", "row", "column", "box", "rules"]
"""Which units of every board hold each digit once; `rules` is for partial boards."""

Fixed = Literal["givens", "singles"]
Function = TypeVar("Function", bound=Callable[..., Any])
MANY = {"row": "rows", "column": "columns", "box": "boxes"}


class Units(NamedTuple):
    """Units with blanks to draw from, by kind; a kind without such units is left out."""

    cells: NDArray[np.int64]  # [units, side] their blanks, −1 beyond `sizes`
    sizes: NDArray[np.int64]  # [units]
    starts: NDArray[np.int64]  # [kinds + 1] where each kind begins, and where the last one ends


def cached_in_space(compute: Function) -> Function:
    """Cache the results of a function of a space, and of further arguments, with the space."""
    name = compute.__qualname__

    @wraps(compute)
    def cached(space: SearchSpace, *args: Any, **kwargs: Any) -> Any:
        key = name, args, *kwargs.items()
        if key not in space.cache:
            space.cache[key] = compute(space, *args, **kwargs)
        return space.cache[key]

    return cast("Function", cached)


@dataclass(frozen=True, eq=False)
class SearchSpace:
    """The boards that an encoding allows for a puzzle, as arrays for the kernels.

    The blanks of a *group* hold the group's digits, each once, in any order. If the encoding keeps
    no units, every blank is a group with a choice of digits.
    """

    puzzle: Puzzle  # its givens are all fixed cells
    keeps: Kept
    genes: NDArray[np.int64]  # the blanks, in reading order
    groups: NDArray[np.int64]  # [groups, side] their cells, −1 beyond `sizes`
    sizes: NDArray[np.int64]  # [groups]
    digits: NDArray[np.uint8]  # [groups, side] what their cells may hold, 0 beyond `choices`
    choices: NDArray[np.int64]  # [groups]
    refuted: str = ""  # why the puzzle has no solution, if singles show it
    cache: dict[Any, Any] = field(default_factory=dict, init=False, repr=False)

    @cached_in_space
    def blocks(self, by: str) -> NDArray[np.int64]:
        """Return the block of every cell: its row, column, box, index, or index among the genes.

        Among the genes, a given belongs to the next blank, or to the last one.
        """
        geometry = self.puzzle.geometry
        cells = np.arange(geometry.cells)
        if by == "cell":
            return cells
        if by == "gene":
            return np.searchsorted(self.genes, cells).clip(max=max(0, len(self.genes) - 1))
        unit_of = {"row": geometry.row_of, "column": geometry.column_of, "box": geometry.box_of}
        return unit_of[by].astype(np.int64)

    @cached_in_space
    def pieces(self, by: str) -> NDArray[np.uint8]:
        """Return masks `[blocks + 1, cells]` for every cut: 1 in the blocks after it, else 0."""
        blocks = self.blocks(by)
        count = len(self.genes) if by == "gene" else int(blocks[-1]) + 1
        return (blocks[None] >= np.arange(count + 1)[:, None]).astype(np.uint8)

    @cached_in_space
    def swappable(self, unit: str, least: int = 2) -> Units:
        """Return the rows, columns or boxes (`any`: all of them) with `least` blanks or more."""
        side, units = self.puzzle.side, self.puzzle.geometry.units
        found: list[list[int]] = []
        starts = [0]
        for i, kind in enumerate(MANY):
            if unit in (kind, "any"):
                for cells in units[i * side : (i + 1) * side].tolist():
                    blanks = [cell for cell in cells if self.puzzle.digits[cell] == 0]
                    if len(blanks) >= least:
                        found.append(blanks)
                if len(found) > starts[-1]:
                    starts.append(len(found))
        return Units(*pad_rows(found, side), np.array(starts, np.int64))

    def sample(self, count: int, rng: Stream) -> Boards:
        """Return random boards `[count, cells]` of this space."""
        boards = np.empty((count, len(self.puzzle.board)), np.uint8)
        boards[:] = self.puzzle.board
        fill_groups(boards, self.groups, self.sizes, self.digits, self.choices, rng)
        return boards

    def contains(self, board: Board) -> bool:
        """Whether a board has the givens and the whole units that the encoding guarantees."""
        kept = (self.puzzle.board == 0) | (self.puzzle.board == board)
        if not kept.all() or board.max(initial=0) > self.puzzle.side:
            return False
        if self.keeps == "rules":
            return not Puzzle(self.puzzle.geometry, board.tobytes()).conflicts()
        return all(
            self._allows(group, board[self.groups[group, : self.sizes[group]]].tolist())
            for group in range(len(self.groups))
        )

    def _allows(self, group: int, held: list[int]) -> bool:
        allowed = self.digits[group, : self.choices[group]].tolist()
        return sorted(held) == allowed if self.keeps != "none" else set(held) <= set(allowed)


class Encoding(Protocol):
    """Defines which boards are candidates for a puzzle."""

    keeps: ClassVar[Kept]  #: Which units of every board hold each digit once
    legal: ClassVar[bool]  #: Whether cells differ in their digits, so that two cannot always swap

    def space(self, puzzle: Puzzle) -> SearchSpace:
        """Return the candidate boards of a puzzle."""
        ...


@runtime_checkable
class Fixing(Protocol):
    """An encoding that can fix cells beside the givens."""

    @property
    def fixed(self) -> Fixed: ...


@dataclass(frozen=True)
class FreeCells:
    """Put any digit into any blank (reports 000 and 002).

    `fixed` says which cells never change: the `givens`, or also those that `singles` decide.
    """

    keeps: ClassVar[Kept] = "none"
    legal: ClassVar[bool] = False
    fixed: Fixed = "givens"

    def space(self, puzzle: Puzzle) -> SearchSpace:
        puzzle, refuted = with_fixed(puzzle, self.fixed)
        everything = list(range(1, puzzle.side + 1))
        groups = [([cell], everything) for cell in _blanks(puzzle)]
        return space_of(puzzle, "none", groups, refuted)


@dataclass(frozen=True)
class LegalCells:
    """Put into every blank a digit that conflicts with no given (report 001).

    `fixed` says which cells never change: the `givens`, or also those that `singles` decide.
    """

    keeps: ClassVar[Kept] = "none"
    legal: ClassVar[bool] = True
    fixed: Fixed = "givens"

    def space(self, puzzle: Puzzle) -> SearchSpace:
        puzzle, refuted = with_fixed(puzzle, self.fixed)
        candidates = puzzle.candidates()
        for cell in _blanks(puzzle):
            if not (candidates[cell] or refuted):
                raise PuzzleError(
                    "legal-cells requires a legal digit for every blank, and "
                    f"{puzzle.geometry.cell_name(cell)} has none"
                )
        groups = [([cell], sorted(candidates[cell])) for cell in _blanks(puzzle)]
        return space_of(puzzle, "none", groups, refuted)


@dataclass(frozen=True)
class PermutedUnits:
    """Base of encodings that put the missing digits into every unit of one kind."""

    keeps: ClassVar[Kept]
    legal: ClassVar[bool] = False
    fixed: Fixed = "givens"

    def space(self, puzzle: Puzzle) -> SearchSpace:
        puzzle, refuted = with_fixed(puzzle, self.fixed)
        side, kind = puzzle.side, list(MANY).index(self.keeps)
        for conflict in puzzle.conflicts():
            if conflict.unit // side == kind:
                raise PuzzleError(
                    f"permuted {MANY[self.keeps]} require givens without conflicts: {conflict}"
                )
        groups: list[tuple[list[int], list[int]]] = []
        for unit in puzzle.geometry.units[kind * side : (kind + 1) * side].tolist():
            blanks = [cell for cell in unit if puzzle.digits[cell] == 0]
            given = {puzzle.digits[cell] for cell in unit}
            if blanks:
                groups.append((blanks, [d for d in range(1, side + 1) if d not in given]))
        return space_of(puzzle, self.keeps, groups, refuted)


@dataclass(frozen=True)
class PermutedRows(PermutedUnits):
    """Put the missing digits into every row, in any order.

    `fixed` says which cells never change: the `givens`, or also those that `singles` decide.
    """

    keeps: ClassVar[Kept] = "row"


@dataclass(frozen=True)
class PermutedColumns(PermutedUnits):
    """Put the missing digits into every column, in any order.

    `fixed` says which cells never change: the `givens`, or also those that `singles` decide.
    """

    keeps: ClassVar[Kept] = "column"


@dataclass(frozen=True)
class PermutedBoxes(PermutedUnits):
    """Put the missing digits into every box, in any order (reports 003 and 004).

    `fixed` says which cells never change: the `givens`, or also those that `singles` decide.
    """

    keeps: ClassVar[Kept] = "box"


ENCODINGS: tuple[type[Encoding], ...] = (
    FreeCells,
    LegalCells,
    PermutedRows,
    PermutedColumns,
    PermutedBoxes,
)


@dataclass(frozen=True)
class PartialBoards:
    """Leave blanks open, or fill them without conflicts; cells decided by singles are fixed."""

    keeps: ClassVar[Kept] = "rules"
    legal: ClassVar[bool] = True
    fixed: ClassVar[Fixed] = "singles"

    def space(self, puzzle: Puzzle) -> SearchSpace:
        fixed, refuted = with_fixed(puzzle, "singles")
        if fixed is puzzle and not refuted:  # the givens may conflict
            refuted = "; ".join(map(str, puzzle.conflicts()[:1]))
        genes = np.flatnonzero(fixed.board == 0)
        none = np.empty((0, puzzle.side), np.int64)
        sizes = np.empty(0, np.int64)
        return SearchSpace(
            fixed, "rules", genes, none, sizes, none.astype(np.uint8), sizes, refuted
        )


def with_fixed(puzzle: Puzzle, fixed: Fixed) -> tuple[Puzzle, str]:
    """The puzzle with all fixed cells as givens, and why it has no solution, if singles prove it.

    If givens conflict, singles are not applied.
    """
    if fixed == "givens" or puzzle.conflicts():
        return puzzle, ""
    board, contradiction = singles(puzzle)
    if contradiction:
        return puzzle, contradiction
    return Puzzle(puzzle.geometry, board.tobytes()), ""


def pad_rows(rows: list[list[int]], width: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Lists of numbers as one array, filled with −1, and their lengths."""
    cells = np.full((len(rows), width), -1, np.int64)
    for i, row in enumerate(rows):
        cells[i, : len(row)] = row
    return cells, np.array([len(row) for row in rows], np.int64)


def _blanks(puzzle: Puzzle) -> list[int]:
    return [cell for cell, digit in enumerate(puzzle.digits) if digit == 0]


def space_of(
    puzzle: Puzzle, keeps: Kept, groups: list[tuple[list[int], list[int]]], refuted: str = ""
) -> SearchSpace:
    """Return the search space of a puzzle from groups of its blanks.

    Parameters
    ----------
    puzzle
        The puzzle; its givens are all fixed cells.
    keeps
        Which units every board keeps whole, or "none".
    groups
        The cells of every group, and the digits that they may hold. If units are kept, the cells
        hold the digits, each once; else a group is one cell with a choice of digits.
    refuted
        Why the puzzle has no solution, if that is known.
    """
    cells, sizes = pad_rows([blanks for blanks, _ in groups], puzzle.side)
    digits, choices = pad_rows([allowed for _, allowed in groups], puzzle.side)
    allowed = np.maximum(digits, 0).astype(np.uint8)
    genes = np.array(_blanks(puzzle), np.int64)
    return SearchSpace(puzzle, keeps, genes, cells, sizes, allowed, choices, refuted)


@kernel
def fill_groups(
    boards: Boards, groups: Cells, sizes: Cells, digits: NDArray[np.uint8], choices: Cells, rng: Any
) -> None:
    """Fill the cells of every group: a single cell with any digit, several with all digits."""
    for i in range(len(boards)):
        for group in range(len(groups)):
            size = sizes[group]
            if size == 1:
                boards[i, groups[group, 0]] = digits[group, below(rng, choices[group])]
                continue
            for j in range(size):
                boards[i, groups[group, j]] = digits[group, j]
            for j in range(size - 1, 0, -1):
                one, two = groups[group, j], groups[group, below(rng, j + 1)]
                boards[i, one], boards[i, two] = boards[i, two], boards[i, one]
