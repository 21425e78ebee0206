"""The shape of a board: side, boxes, which cells share a unit, and its symmetries."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from genoku.errors import ImpossibleError, PuzzleError
from genoku.runtime.text import join_words

MAX_SIDE = 36

Symmetry = Literal["none", "rotation180", "rotation90", "mirror", "diagonal"]
"""The symmetry of a pattern of givens."""
SYMMETRIES: tuple[Symmetry, ...] = get_args(Symmetry)

_MAPS: dict[Symmetry, Callable[[NDArray[np.int64]], NDArray[np.int64]]] = {
    "none": lambda grid: grid,
    "rotation180": lambda grid: np.rot90(grid, 2),
    "rotation90": np.rot90,
    "mirror": np.fliplr,
    "diagonal": np.transpose,
}
_NEEDS_SQUARE_BOXES = ("rotation90", "diagonal")


@dataclass(frozen=True, order=True)
class Geometry:
    """The shape of a board: its boxes have `box_rows` × `box_cols` cells, its side is the product.

    Raises
    ------
    PuzzleError
        For boxes smaller than 2×2 or a side above 36.

    Examples
    --------
    >>> Geometry.of_side(12)
    Geometry(box_rows=3, box_cols=4)
    >>> Geometry(2, 3).cells
    36
    """

    box_rows: int
    box_cols: int

    def __post_init__(self) -> None:
        if min(self.box_rows, self.box_cols) < 2 or self.side > MAX_SIDE:
            raise PuzzleError(
                f"expected a box of at least 2x2 cells and a side of at most {MAX_SIDE}, "
                f"got a box of {self.box_rows}x{self.box_cols}"
            )

    @classmethod
    def of_side(cls, side: int) -> Geometry:
        """Return the geometry with the squarest boxes, never taller than wide: 12 → 3×4.

        Raises
        ------
        PuzzleError
            For a side that no board has.
        """
        if side in sides():
            rows = max(r for r in range(2, int(side) + 1) if side % r == 0 and r * r <= side)
            return cls(rows, int(side) // rows)
        known = join_words(map(str, sides()), "or")
        raise PuzzleError(f"expected a side such as {known}, got {side}")

    @classmethod
    def parse(cls, text: str) -> Geometry:
        """Read the shape of a box, `"3x4"` (rows × columns), or a side, `"12"`.

        Raises
        ------
        PuzzleError
            If the text is neither, or no board has this shape.
        """
        if match := re.fullmatch(r"\s*(\d{1,3})\s*[x×*]\s*(\d{1,3})\s*", text, re.ASCII | re.I):
            return cls(int(match[1]), int(match[2]))
        if re.fullmatch(r"\s*\d{1,3}\s*", text, re.ASCII):
            return cls.of_side(int(text))
        raise PuzzleError(f"expected a box such as 3x3 or a side such as 9, got {text!r}")

    def __reduce__(self) -> tuple[type[Geometry], tuple[int, int]]:
        """Pickle without the cached tables."""
        return Geometry, (self.box_rows, self.box_cols)

    @property
    def side(self) -> int:
        return self.box_rows * self.box_cols

    @property
    def cells(self) -> int:
        return self.side * self.side

    @property
    def box(self) -> str:
        """The shape of a box as `parse` reads it: `"3x4"`."""
        return f"{self.box_rows}x{self.box_cols}"

    @property
    def is_square(self) -> bool:
        """Whether boxes are square, so that the board can be rotated and transposed."""
        return self.box_rows == self.box_cols

    @property
    def is_default(self) -> bool:
        """Whether the boxes are those of `of_side`."""
        return self == Geometry.of_side(self.side)

    def __str__(self) -> str:
        size = f"{self.side}×{self.side}"
        return size if self.is_square else f"{size} (boxes {self.box_rows}×{self.box_cols})"

    def cell_name(self, cell: int) -> str:
        """Return the name of a cell, such as r1c9 for cell 8 of a 9×9 board."""
        return f"r{cell // self.side + 1}c{cell % self.side + 1}"

    def unit_name(self, unit: int) -> str:
        """Return the name of a unit, such as "column 2", numbered as in `units`."""
        kind = ("row", "column", "box")[unit // self.side]
        return f"{kind} {unit % self.side + 1}"

    @cached_property
    def row_of(self) -> NDArray[np.uint8]:
        """The row of every cell, `[cells]`."""
        return _freeze(np.arange(self.cells) // self.side, np.uint8)

    @cached_property
    def column_of(self) -> NDArray[np.uint8]:
        """The column of every cell, `[cells]`."""
        return _freeze(np.arange(self.cells) % self.side, np.uint8)

    @cached_property
    def box_of(self) -> NDArray[np.uint8]:
        """The box of every cell, `[cells]`, numbered left to right, top to bottom."""
        rows, columns = self.row_of.astype(int), self.column_of.astype(int)
        return _freeze(rows // self.box_rows * self.box_rows + columns // self.box_cols, np.uint8)

    @cached_property
    def units(self) -> NDArray[np.int16]:
        """The cells of every unit, `[3·side, side]`: rows, then columns, then boxes."""
        grid = np.arange(self.cells).reshape(self.side, self.side)
        boxes = [np.flatnonzero(self.box_of == box) for box in range(self.side)]
        return _freeze(np.concatenate([grid, grid.T, boxes]), np.int16)

    @cached_property
    def peers(self) -> tuple[tuple[int, ...], ...]:
        """The other cells that share a unit with each cell."""
        sharing: list[set[int]] = [set() for _ in range(self.cells)]
        for unit in self.units.tolist():
            for cell in unit:
                sharing[cell].update(unit)
        return tuple(tuple(sorted(others - {cell})) for cell, others in enumerate(sharing))


@cache
def sides() -> tuple[int, ...]:
    """Return all sides a board can have."""
    products = {r * c for r in range(2, MAX_SIDE) for c in range(r, MAX_SIDE)}
    return tuple(sorted(side for side in products if side <= MAX_SIDE))


def orbits(geometry: Geometry, symmetry: Symmetry) -> list[list[int]]:
    """Return the groups of cells that a symmetric pattern gives or leaves blank together."""
    if symmetry not in _MAPS:
        raise ImpossibleError(
            f"expected a symmetry among {', '.join(SYMMETRIES)}, got {symmetry!r}"
        )
    if symmetry in _NEEDS_SQUARE_BOXES and not geometry.is_square:
        raise ImpossibleError(f"{symmetry} requires square boxes, got a board of {geometry}")
    grid = np.arange(geometry.cells).reshape(geometry.side, geometry.side)
    image = _MAPS[symmetry](grid).ravel().tolist()
    groups: list[list[int]] = []
    seen: set[int] = set()
    for cell in range(geometry.cells):
        group: list[int] = []
        while cell not in seen:
            seen.add(cell)
            group.append(cell)
            cell = image[cell]  # noqa: PLW2901 (follow the orbit until it closes)
        if group:
            groups.append(group)
    return groups


def _freeze(values: Any, dtype: type) -> NDArray[Any]:
    array: NDArray[Any] = np.ascontiguousarray(values, dtype=dtype)
    array.flags.writeable = False
    return array
