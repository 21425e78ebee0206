"""Keeping a population varied: every operator names the children that random boards replace."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from genoku.encoding import Boards
from genoku.errors import RecipeError
from genoku.geometry import MAX_SIDE
from genoku.jit import kernel
from genoku.problem import Problem
from genoku.stream import Stream, permutation


class Diversity(Protocol):
    """Places of the children to be replaced by random boards."""

    def __call__(
        self, children: Boards, boards: Boards, problem: Problem, rng: Stream
    ) -> NDArray[np.int64]: ...


@dataclass(frozen=True)
class AsItComes:
    """Replace none: the reports' way."""

    def __call__(
        self, children: Boards, boards: Boards, problem: Problem, rng: Stream
    ) -> NDArray[np.int64]:
        return NONE


@dataclass(frozen=True)
class NoTwins:
    """Replace children equal to a board of the population or to an earlier child.

    Report 004 warns that copies of one strong parent fill its mating pool.
    """

    def __call__(
        self, children: Boards, boards: Boards, problem: Problem, rng: Stream
    ) -> NDArray[np.int64]:
        return twins(np.concatenate((boards, children)), len(boards), WEIGHTS)


@dataclass(frozen=True)
class Immigrants:
    """Replace a random `share` of the children, for the variety that report 001 wishes for."""

    share: float = 0.05

    def __post_init__(self) -> None:
        if not 0.0 <= self.share <= 1.0:
            raise RecipeError(f"expected a share of immigrants from 0 to 1, got {self.share}")

    def __call__(
        self, children: Boards, boards: Boards, problem: Problem, rng: Stream
    ) -> NDArray[np.int64]:
        return permutation(rng, len(children))[: round(self.share * len(children))]


NONE: NDArray[np.int64] = np.empty(0, np.int64)

DIVERSITIES: tuple[type[Diversity], ...] = (AsItComes, NoTwins, Immigrants)


def diversity(boards: Boards, problem: Problem) -> float:
    """The mean share of blanks in which two boards of a population differ: 0 if all are equal."""
    genes = problem.space.genes
    pairs = len(boards) * (len(boards) - 1) // 2 * len(genes)
    return differing_pairs(boards, genes, problem.puzzle.side) / pairs if pairs else 0.0


# A board's hash is the sum of its digits, each times a random number that belongs to its cell.
WEIGHTS = np.frombuffer(hashlib.shake_128(b"genoku twins").digest(4 * MAX_SIDE**2), "<u4").astype(
    np.uint32
)


@kernel
def twins(boards: Boards, first: int, weights: NDArray[np.uint32]) -> NDArray[np.int64]:
    """The places from `first` on, counted from there, of boards equal to one before them."""
    count, cells = boards.shape
    slots = 2
    while slots < 2 * count:
        slots *= 2
    tenants = np.full(slots, -1)
    hashes = np.empty(count, np.uint64)
    found = np.empty(count - first, np.int64)
    twins_found = 0
    for i in range(count):
        total = np.uint64(0)
        for cell in range(cells):
            total += np.uint64(weights[cell]) * np.uint64(boards[i, cell])
        hashes[i] = total
        slot = np.int64(total) & (slots - 1)
        while tenants[slot] >= 0:
            other = tenants[slot]
            if hashes[other] == total:
                apart = 0
                for cell in range(cells):
                    apart += boards[other, cell] != boards[i, cell]
                if apart == 0:
                    break
            slot = (slot + 1) & (slots - 1)
        if tenants[slot] < 0:
            tenants[slot] = i
        elif i >= first:
            found[twins_found] = i - first
            twins_found += 1
    return found[:twins_found]


@kernel
def differing_pairs(boards: Boards, genes: NDArray[np.int64], side: int) -> int:
    """In how many blanks two boards differ, summed over all pairs of them."""
    count = len(boards)
    holding = np.zeros((len(genes), side + 1), np.int64)
    for i in range(count):
        for gene in range(len(genes)):
            holding[gene, boards[i, genes[gene]]] += 1
    pairs = len(genes) * (count * (count - 1) // 2)
    for gene in range(len(genes)):
        for digit in range(side + 1):
            pairs -= holding[gene, digit] * (holding[gene, digit] - 1) // 2
    return pairs
