"""The reference genetic algorithm in PyGAD, whose operators and fitness take whole populations."""

from __future__ import annotations

from typing import Any

import boards
import numpy as np
import pygad  # type: ignore[import-not-found,import-untyped,unused-ignore] # pyright: ignore[reportMissingImports]


def evolve(wanted: boards.Wanted) -> list[dict[str, Any]]:
    rng = np.random.default_rng(wanted.seed)
    history: list[dict[str, Any]] = []
    sizes = np.array([len(row) for row in wanted.rows])
    blanks = np.zeros((len(sizes), 9), np.int64)
    for i, row in enumerate(wanted.rows):
        blanks[i, : len(row)] = row

    def fitness(_ga: Any, solutions: Any, _indices: Any) -> Any:
        return (-boards.costs(solutions)).tolist()

    def cross(parents: Any, size: tuple[int, int], _ga: Any) -> Any:
        """Two children of every two parents that follow each other."""
        ours, theirs = parents[0::2], parents[1::2]
        matings, rows = len(ours), np.arange(9)
        if wanted.crossover == "two points":
            first, last = rng.integers(1, 9, matings), rng.integers(1, 8, matings)
            last += last >= first
            first, last = np.minimum(first, last), np.maximum(first, last)
            taken = (rows >= first[:, None]) & (rows < last[:, None])
        else:
            taken = rng.random((matings, 9)) < 0.5
        taken &= rng.random((matings, 1)) < wanted.crossover_rate
        cells = np.repeat(taken, 9, axis=1)
        children = np.empty_like(parents)
        children[0::2] = np.where(cells, theirs, ours)
        children[1::2] = np.where(cells, ours, theirs)
        return children[: size[0]]

    def swap(children: Any, _ga: Any) -> Any:
        """Exchange two blanks of a row in some of the children."""
        changed = np.flatnonzero(rng.random(len(children)) < wanted.mutation_rate)
        row = rng.integers(0, len(sizes), len(changed))
        one, two = rng.integers(0, sizes[row]), rng.integers(0, sizes[row] - 1)
        two += two >= one
        here, there = blanks[row, one], blanks[row, two]
        children[changed, here], children[changed, there] = (
            children[changed, there],
            children[changed, here],
        )
        return children

    def record(ga: Any) -> None:
        scores = ga.last_generation_fitness
        row = {"best": -int(scores.max()), "mean": -scores.mean(), "worst": -int(scores.min())}
        if ga.generations_completed % wanted.diversity_every == 0:
            row["diversity"] = boards.diversity(ga.population, wanted.givens)
        history.append(row)

    pygad.GA(
        num_generations=wanted.generations,
        num_parents_mating=wanted.population,
        initial_population=boards.first_boards(wanted, rng),
        gene_type=np.uint8,
        fitness_func=fitness,
        fitness_batch_size=wanted.population,
        parent_selection_type="tournament",
        K_tournament=2,
        crossover_type=cross,
        mutation_type=swap,
        keep_elitism=1,
        keep_parents=0,
        on_generation=record,
        random_seed=wanted.seed,
        suppress_warnings=True,
    ).run()
    return history


if __name__ == "__main__":
    boards.measure("pygad", evolve)
