"""What report 004's mating pool is made of, generation by generation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from genoku.algorithms.genetic import Genetic
from genoku.board import Puzzle
from genoku.engine.history import Record
from genoku.engine.run import View, run
from genoku.selection import Pool
from genoku.stream import stream

GENERATIONS = (0, 1, 2, 5, 10, 20, 35, 50, 75, 100, 150, 200, 300, 400, 500)


@dataclass(frozen=True, eq=False)
class Copies:
    """Shares of a pool, `[run, generation]`, at `GENERATIONS` as far as the runs went."""

    largest: NDArray[np.float64]
    """Places that the most frequent board has."""
    same_mates: NDArray[np.float64]
    """Pairs of different places with equal boards: "two different parents" that are not."""

    @property
    def generations(self) -> tuple[int, ...]:
        return GENERATIONS[: self.largest.shape[1]]


def copies(
    algorithm: Genetic, puzzle: Puzzle, runs: int, generations: int = GENERATIONS[-1]
) -> Copies:
    """Fill a mating pool again and again on the way of some seeded runs, and count."""
    pool = algorithm.selection
    if not isinstance(pool, Pool):
        raise TypeError(f"expected an algorithm with a mating pool, got {pool}")
    largest: list[list[float]] = []
    same: list[list[float]] = []
    for seed in range(1, runs + 1):
        largest.append([])
        same.append([])

        def count(view: View, seed: int = seed) -> None:
            if view.state.step in GENERATIONS:
                # a stream of its own: looking must not change the run
                rng = stream(seed, "pool", view.state.step)
                size = pool.size or len(view.state.costs)
                places = pool.inner(view.state.costs, size, 1, view.problem, rng)[:, 0]
                shares = shares_of(view.state.boards[places])
                largest[-1].append(shares[0])
                same[-1].append(shares[1])

        few = Record(fields=("gen",), every=10_000)
        limit = f"generations={generations}"
        run(puzzle, algorithm, seed=seed, until=limit, record=few, watch=count)
    shortest = min(map(len, largest))  # a solved run ends early
    return Copies(*(np.array([row[:shortest] for row in rows]) for rows in (largest, same)))


def replaced_share(algorithm: Genetic, puzzle: Puzzle, runs: int, generations: int = 500) -> float:
    """The share of children that random boards replace, over some seeded runs."""
    born: list[tuple[int, int]] = []

    def count(view: View) -> None:
        if view.state.step:
            strangers = int((view.state.births[:, 1] < 0).sum())
            born.append((strangers, len(view.state.births) - strangers))

    few = Record(fields=("gen",), every=10_000)
    for seed in range(1, runs + 1):
        limit = f"generations={generations}"
        run(puzzle, algorithm, seed=seed, until=limit, record=few, watch=count)
    strangers, children = np.sum(born, axis=0)
    return float(strangers / children)


def shares_of(boards: NDArray[np.uint8]) -> tuple[float, float]:
    """The share of the most frequent board, and of pairs of places with equal boards."""
    _, counts = np.unique(boards, axis=0, return_counts=True)
    places = len(boards)
    pairs = float((counts * (counts - 1)).sum()) / max(1, places * (places - 1))
    return float(counts.max()) / places, pairs
