"""What a candidate board may look like: which blanks move freely, which are kept together.

============== ======================================= ==================
encoding       a blank holds                           always true
============== ======================================= ==================
`FreeCells`    any digit                               givens
`LegalCells`   a digit that clashes with no given      givens
`PermutedRows` a missing digit of its row, each once   givens, rows
… `Columns`    … of its column                         givens, columns
… `Boxes`      … of its box                            givens, boxes
============== ======================================= ==================
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from genoku.board import Board, Puzzle
from genoku.errors import PuzzleError
from genoku.jit import kernel
from genoku.stream import Stream, below, shuffle

Boards = NDArray[np.uint8]
"""A population: one board per row, `[boards, cells]`."""

Kept = Literal["none", "row", "column", "box"]


@dataclass(frozen=True, eq=False)
class SearchSpace:
    """The boards an encoding allows for a puzzle, as arrays for the kernels.

    The blanks of a *group* are kept together: they hold the group's digits, each once, in any
    order. Where nothing is kept, every blank is a group of its own.
    """

    puzzle: Puzzle
    keeps: Kept
    genes: NDArray[np.int64]  # the blanks, in reading order
    groups: NDArray[np.int64]  # [groups, side] their cells, −1 beyond `sizes`
    sizes: NDArray[np.int64]  # [groups]
    digits: NDArray[np.uint8]  # [groups, side] what their cells may hold, 0 beyond `choices`
    choices: NDArray[np.int64]  # [groups]

    def blocks(self, by: str) -> NDArray[np.int64]:
        """The block of every cell: its row, column or box, itself, or its place among genes."""
        return self._blocks[by]

    def pieces(self, by: str) -> NDArray[np.uint8]:
        """For every place to cut, `[blocks + 1, cells]`: 255 in the blocks before it, else 0."""
        return self._pieces[by]

    @cached_property
    def _blocks(self) -> dict[str, NDArray[np.int64]]:
        geometry = self.puzzle.geometry
        cells = np.arange(geometry.cells)
        return {
            "row": geometry.row_of.astype(np.int64),
            "column": geometry.column_of.astype(np.int64),
            "box": geometry.box_of.astype(np.int64),
            "cell": cells,
            "gene": np.searchsorted(self.genes, cells),
        }

    @cached_property
    def _pieces(self) -> dict[str, NDArray[np.uint8]]:
        return {
            by: np.where(
                block[None] < np.arange(block.max() + 2)[:, None], np.uint8(255), np.uint8(0)
            )
            for by, block in self._blocks.items()
        }

    def swappable(self, unit: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The units with two blanks or more: their blanks (−1 beyond), and how many."""
        return self._swappable[unit]

    @cached_property
    def _swappable(self) -> dict[str, tuple[NDArray[np.int64], NDArray[np.int64]]]:
        side = self.puzzle.side
        units = self.puzzle.geometry.units.tolist()
        blanks = [[cell for cell in unit if self.puzzle.digits[cell] == 0] for unit in units]
        spans = {"row": (0, 1), "column": (1, 2), "box": (2, 3), "any": (0, 3)}
        return {
            name: padded([cells for cells in blanks[a * side : b * side] if len(cells) > 1], side)
            for name, (a, b) in spans.items()
        }

    def sample(self, count: int, rng: Stream) -> Boards:
        """Random boards `[count, cells]` of this space."""
        boards = np.tile(self.puzzle.board, (count, 1))
        fill_groups(boards, self.groups, self.sizes, self.digits, self.choices, rng)
        return boards

    def contains(self, board: Board) -> bool:
        """Whether a board keeps the givens and what the encoding promises."""
        kept = (self.puzzle.board == 0) | (self.puzzle.board == board)
        return bool(kept.all()) and all(
            self._allows(group, board[self.groups[group, : self.sizes[group]]].tolist())
            for group in range(len(self.groups))
        )

    def _allows(self, group: int, held: list[int]) -> bool:
        allowed = self.digits[group, : self.choices[group]].tolist()
        return sorted(held) == allowed if self.keeps != "none" else set(held) <= set(allowed)


class Encoding(Protocol):
    """A way to write candidate boards of a puzzle."""

    @property
    def keeps(self) -> Kept:
        """Which units of every board are whole."""
        ...

    @property
    def legal(self) -> bool:
        """Whether cells have digits of their own, so that two of them cannot simply swap."""
        ...

    def space(self, puzzle: Puzzle) -> SearchSpace: ...


@dataclass(frozen=True)
class FreeCells:
    """Any digit in any blank (reports 000 and 002)."""

    keeps: ClassVar[Kept] = "none"
    legal: ClassVar[bool] = False

    def space(self, puzzle: Puzzle) -> SearchSpace:
        everything = list(range(1, puzzle.side + 1))
        return _space(puzzle, "none", [([cell], everything) for cell in _blanks(puzzle)])


@dataclass(frozen=True)
class LegalCells:
    """In every blank a digit that clashes with no given (report 001)."""

    keeps: ClassVar[Kept] = "none"
    legal: ClassVar[bool] = True

    def space(self, puzzle: Puzzle) -> SearchSpace:
        candidates = puzzle.candidates()
        for cell in _blanks(puzzle):
            if not candidates[cell]:
                raise PuzzleError(
                    "legal cells need a digit for every blank, and no digit fits "
                    f"{puzzle.geometry.cell_name(cell)}"
                )
        return _space(
            puzzle, "none", [([cell], sorted(candidates[cell])) for cell in _blanks(puzzle)]
        )


@dataclass(frozen=True)
class PermutedRows:
    """In every row the missing digits, in any order."""

    keeps: ClassVar[Kept] = "row"
    legal: ClassVar[bool] = False

    def space(self, puzzle: Puzzle) -> SearchSpace:
        return _permuted(puzzle, "row", 0)


@dataclass(frozen=True)
class PermutedColumns:
    """In every column the missing digits, in any order."""

    keeps: ClassVar[Kept] = "column"
    legal: ClassVar[bool] = False

    def space(self, puzzle: Puzzle) -> SearchSpace:
        return _permuted(puzzle, "column", 1)


@dataclass(frozen=True)
class PermutedBoxes:
    """In every box the missing digits, in any order (reports 003 and 004)."""

    keeps: ClassVar[Kept] = "box"
    legal: ClassVar[bool] = False

    def space(self, puzzle: Puzzle) -> SearchSpace:
        return _permuted(puzzle, "box", 2)


ENCODINGS: tuple[type[Encoding], ...] = (
    FreeCells,
    LegalCells,
    PermutedRows,
    PermutedColumns,
    PermutedBoxes,
)


def padded(rows: list[list[int]], width: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Lists of cells as one array, −1 beyond their lengths, and the lengths."""
    cells = np.full((len(rows), width), -1, np.int64)
    for i, row in enumerate(rows):
        cells[i, : len(row)] = row
    return cells, np.array([len(row) for row in rows], np.int64)


def _blanks(puzzle: Puzzle) -> list[int]:
    return [cell for cell, digit in enumerate(puzzle.digits) if digit == 0]


def _permuted(puzzle: Puzzle, keeps: Kept, kind: int) -> SearchSpace:
    side = puzzle.side
    for conflict in puzzle.conflicts():
        if conflict.unit // side == kind:
            raise PuzzleError(f"a {keeps} cannot be kept whole: {conflict}")
    groups: list[tuple[list[int], list[int]]] = []
    for unit in puzzle.geometry.units[kind * side : (kind + 1) * side].tolist():
        blanks = [cell for cell in unit if puzzle.digits[cell] == 0]
        given = {puzzle.digits[cell] for cell in unit}
        if blanks:
            groups.append((blanks, [d for d in range(1, side + 1) if d not in given]))
    return _space(puzzle, keeps, groups)


def _space(puzzle: Puzzle, keeps: Kept, groups: list[tuple[list[int], list[int]]]) -> SearchSpace:
    cells = np.full((len(groups), puzzle.side), -1, np.int64)
    digits = np.zeros((len(groups), puzzle.side), np.uint8)
    for i, (blanks, allowed) in enumerate(groups):
        cells[i, : len(blanks)] = blanks
        digits[i, : len(allowed)] = allowed
    return SearchSpace(
        puzzle,
        keeps,
        np.array(_blanks(puzzle), np.int64),
        cells,
        np.array([len(blanks) for blanks, _ in groups], np.int64),
        digits,
        np.array([len(allowed) for _, allowed in groups], np.int64),
    )


@kernel
def fill_groups(
    boards: Boards,
    groups: NDArray[np.int64],
    sizes: NDArray[np.int64],
    digits: NDArray[np.uint8],
    choices: NDArray[np.int64],
    rng: Any,
) -> None:
    """Fill every group's cells: one cell with any of its digits, several with all of them."""
    order = np.empty(digits.shape[1], np.uint8)
    for i in range(len(boards)):
        for group in range(len(groups)):
            if sizes[group] == 1:
                boards[i, groups[group, 0]] = digits[group, below(rng, choices[group])]
                continue
            for j in range(sizes[group]):
                order[j] = digits[group, j]
            shuffle(rng, order[: sizes[group]])
            for j in range(sizes[group]):
                boards[i, groups[group, j]] = order[j]
