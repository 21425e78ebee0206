"""Crossovers made of others, and the one that crosses nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genoku.crossover.exchange import Points
from genoku.crossover.mating import Crossover, check_rate
from genoku.encoding import Boards, Encoding
from genoku.errors import RecipeError
from genoku.fitness import Fitness
from genoku.fitting import first_misfit
from genoku.jit import kernel
from genoku.problem import Problem
from genoku.selection import Mates
from genoku.stream import Stream, below, uniform


@dataclass(frozen=True)
class Mixed:
    """Cross every mating with one of several operators, drawn at random (report 002).

    A mating crosses with probability `rate`, by one of the `parts`, which always cross: the rate is
    the mixture's own. Report 002 draws from single points, from two points, or from all eight, by
    row, column, box and cell.
    """

    parts: tuple[Crossover, ...] = (Points("row"), Points("column"), Points("box"))
    rate: float = 1.0

    def __post_init__(self) -> None:
        check_rate(self.rate)
        if not self.parts:
            raise RecipeError("expected one or more crossovers to draw from, got none")
        for part in self.parts:
            if (part.parents, part.children) != (self.parents, self.children):
                raise RecipeError(
                    f"expected parts of {self.parents} parents and {self.children} children, as "
                    f"the first has, got {part!r} of {part.parents} and {part.children}"
                )
            if getattr(part, "rate", 1.0) != 1:
                raise RecipeError(f"expected parts of rate 1, and the rate on Mixed, got {part!r}")

    @property
    def parents(self) -> int:
        return self.parts[0].parents

    @property
    def children(self) -> int:
        return self.parts[0].children

    def fits(self, encoding: Encoding, fitness: Fitness) -> str | None:
        return first_misfit(self.parts, encoding, fitness)

    def __call__(self, boards: Boards, mates: Mates, problem: Problem, rng: Stream) -> Boards:
        order, ends = assigned(len(mates), len(self.parts), self.rate, rng)
        mates = mates[order]
        litters: list[Boards] = []
        start = 0
        for part, end in zip(self.parts, ends.tolist(), strict=True):
            if start < end:
                litters.append(part(boards, mates[start:end], problem, rng))
            start = end
        heirs = np.arange(self.children) % self.parents
        litters.append(boards.take(mates[start:, heirs].ravel(), axis=0))

        by_mating = (len(mates), self.children, boards.shape[1])
        children = np.empty(by_mating, np.uint8)
        children[order] = np.concatenate(litters).reshape(by_mating)
        return children.reshape(-1, boards.shape[1])


@dataclass(frozen=True)
class Clones:
    """Copy the only parent: a child differs from it by mutation alone."""

    parents = 1
    children = 1

    def __call__(self, boards: Boards, mates: Mates, problem: Problem, rng: Stream) -> Boards:
        return boards.take(mates[:, 0], axis=0)


@kernel
def assigned(
    matings: int, parts: int, rate: float, rng: Any
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The matings sorted by the part drawn for each, and where each part ends.

    Those that do not cross come last.
    """
    part_of = np.empty(matings, np.int64)
    ends = np.zeros(parts + 1, np.int64)
    for i in range(matings):
        part_of[i] = below(rng, parts) if uniform(rng) < rate else parts
        ends[part_of[i]] += 1
    for part in range(1, parts + 1):
        ends[part] += ends[part - 1]
    order = np.empty(matings, np.int64)
    free = ends.copy()
    for i in range(matings - 1, -1, -1):
        free[part_of[i]] -= 1
        order[free[part_of[i]]] = i
    return order, ends[:parts]
