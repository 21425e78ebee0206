"""Diversity control: every operator names the children to be replaced by random boards."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from genoku.errors import require_between
from genoku.evolve.encoding import Boards
from genoku.evolve.problem import Problem
from genoku.puzzle.geometry import MAX_SIDE
from genoku.runtime.jit import kernel
from genoku.runtime.random import Stream, permutation


class Diversity(Protocol):
    """Chooses the children to be replaced by random boards: their indices."""

    def __call__(
        self, children: Boards, boards: Boards, problem: Problem, rng: Stream
    ) -> NDArray[np.int64]: ...


@dataclass(frozen=True)
class AsItComes:
    """Replace no children, as in the reports."""

    def __call__(
        self, children: Boards, boards: Boards, problem: Problem, rng: Stream
    ) -> NDArray[np.int64]:
        return NONE


@dataclass(frozen=True)
class NoTwins:
    """Replace children that equal a board of the population or an earlier child.

    Report 004 warns that copies of one strong parent fill its mating pool.
    """

    def __call__(
        self, children: Boards, boards: Boards, problem: Problem, rng: Stream
    ) -> NDArray[np.int64]:
        return twins(np.concatenate((boards, children)), len(boards), WEIGHTS)


@dataclass(frozen=True)
class Immigrants:
    """Replace a random `share` of the children, for the variety that report 001 proposes."""

    share: float = 0.05

    def __post_init__(self) -> None:
        require_between(self, 0, 1, "share")

    def __call__(
        self, children: Boards, boards: Boards, problem: Problem, rng: Stream
    ) -> NDArray[np.int64]:
        return permutation(rng, len(children))[: round(self.share * len(children))]


NONE: NDArray[np.int64] = np.empty(0, np.int64)

DIVERSITIES: tuple[type[Diversity], ...] = (AsItComes, NoTwins, Immigrants)


def diversity(boards: Boards, problem: Problem) -> float:
    """Return the mean share of blanks in which two boards of a population differ.

    It is 0 if all boards `[boards, cells]` are equal.
    """
    genes = problem.space.genes
    pairs = len(boards) * (len(boards) - 1) // 2 * len(genes)
    return differing_pairs(boards, genes, problem.puzzle.side) / pairs if pairs else 0.0


# a board's hash is the sum of its digits, each multiplied by a random number of its cell
WEIGHTS = np.frombuffer(hashlib.shake_128(b"genoku twins").digest(4 * MAX_SIDE**2), "<u4").astype(
    np.uint32
)


@kernel
def twins(boards: Boards, first: int, weights: NDArray[np.uint32]) -> NDArray[np.int64]:
    """The indices, relative to `first`, of boards from `first` on that equal an earlier board."""
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
    """The number of blanks in which two boards differ, summed over all pairs of boards."""
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
