"""How children are made: parents exchange blocks of cells, or mix the order inside groups.

Most of the reports' operators only differ in *which cells* two children exchange. They draw
a mask for every mating, and one kernel makes the children: child one takes the masked cells from
parent two, child two the other way round. Cells come in *blocks* (rows, columns, boxes, cells, or
genes, which are the blanks in reading order), and a block is never torn.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from genoku.encoding import Boards, Encoding
from genoku.errors import RecipeError
from genoku.fitness import Fitness
from genoku.jit import kernel
from genoku.problem import Problem
from genoku.selection import Mates
from genoku.stream import Stream, below, uniform

By = Literal["row", "column", "box", "cell", "gene"]
Masks = NDArray[np.uint8]
"""For every mating and cell, 255 where the parents exchange it, else 0."""


class Crossover(Protocol):
    """Children `[matings × children, cells]` of the boards that `mates` points to."""

    @property
    def parents(self) -> int: ...

    @property
    def children(self) -> int: ...

    def __call__(self, boards: Boards, mates: Mates, problem: Problem, rng: Stream) -> Boards: ...


@dataclass(frozen=True)
class Points:
    """Cut all blocks at `points` places and exchange every other piece."""

    by: By = "row"
    points: int = 1
    first: int = 1
    spare: int = 1
    rate: float = 1.0

    parents = 2
    children = 2

    def fits(self, encoding: Encoding, fitness: Fitness) -> str | None:
        return tears(self.by, encoding)

    def __call__(self, boards: Boards, mates: Mates, problem: Problem, rng: Stream) -> Boards:
        pieces = problem.space.pieces(self.by)
        masks = point_masks(pieces, len(mates), self.points, self.first, self.spare, self.rate, rng)
        return exchange(boards, mates, masks)


CROSSOVERS: tuple[type[Crossover], ...] = (Points,)


def tears(by: By, encoding: Encoding) -> str | None:
    """Why exchanging such blocks breaks what an encoding keeps, if it does."""
    if encoding.keeps in ("none", by):
        return None
    return f"exchanging by {by} would tear the {encoding.keeps}es it keeps whole"


@kernel
def point_masks(
    pieces: Masks, matings: int, points: int, first: int, spare: int, rate: float, rng: Any
) -> Masks:
    """`pieces[b]` marks the cells of the blocks before b; cuts lie at first … blocks − spare."""
    cells = pieces.shape[1]
    places = len(pieces) - spare - first
    masks = np.zeros((matings, cells), np.uint8)
    for i in range(matings):
        if uniform(rng) < rate:
            for _ in range(points):
                cut = first + below(rng, places)
                for cell in range(cells):
                    masks[i, cell] ^= pieces[cut, cell]
    return masks


@kernel
def exchange(boards: Boards, mates: Mates, masks: Masks) -> Boards:
    """Two children of every mating, exchanging the masked cells."""
    cells = boards.shape[1]
    children = np.empty((2 * len(mates), cells), np.uint8)
    for i in range(len(mates)):
        one, two = mates[i, 0], mates[i, 1]
        for cell in range(cells):
            ours, theirs = boards[one, cell], boards[two, cell]
            swapped = (ours ^ theirs) & masks[i, cell]
            children[2 * i, cell] = ours ^ swapped
            children[2 * i + 1, cell] = theirs ^ swapped
    return children
