"""Symmetries of a board's pattern: which cells a rotation or mirror carries into each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from genoku.errors import ImpossibleError
from genoku.geometry import Geometry

Symmetry = Literal["none", "rotation180", "rotation90", "mirror", "diagonal"]
SYMMETRIES: tuple[Symmetry, ...] = get_args(Symmetry)

_MAPS: dict[Symmetry, Callable[[NDArray[np.int64]], NDArray[np.int64]]] = {
    "none": lambda grid: grid,
    "rotation180": lambda grid: np.rot90(grid, 2),
    "rotation90": np.rot90,
    "mirror": np.fliplr,
    "diagonal": np.transpose,
}
_NEEDS_SQUARE_BOXES = ("rotation90", "diagonal")


def orbits(geometry: Geometry, symmetry: Symmetry) -> list[list[int]]:
    """The groups of cells that must be given, or left blank, together."""
    if symmetry not in _MAPS:
        raise ImpossibleError(
            f"expected a symmetry among {', '.join(SYMMETRIES)}, got {symmetry!r}"
        )
    if symmetry in _NEEDS_SQUARE_BOXES and not geometry.is_square:
        raise ImpossibleError(f"{symmetry} needs square boxes, which a {geometry} board has not")
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
