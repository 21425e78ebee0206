"""The reference genetic algorithm in NumPy alone: all boards at once, one array after another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:  # checkers know the module by where it is
    from benchmarks.peers import boards
else:
    import boards


def evolve(wanted: boards.Wanted) -> boards.Course:
    rng = np.random.default_rng(wanted.seed)
    size = wanted.population
    history: list[dict[str, Any]] = []
    population = boards.first_boards(wanted, rng)
    costs = boards.costs(population)
    for generation in range(1, wanted.generations + 1):
        one, two = rng.integers(0, size, (2, size), dtype=np.uint16)
        children = population.take(np.where(costs[one] <= costs[two], one, two), axis=0)
        masks = boards.exchanged(wanted, size // 2, rng)
        masks[rng.random(len(masks)) >= wanted.crossover_rate] = 0
        boards.exchange(children, masks)
        changed = np.flatnonzero(rng.random(size) < wanted.mutation_rate)
        boards.swap(children, changed, wanted, rng)
        judged = boards.costs(children)
        worst, elite = judged.argmax(), costs.argmin()
        children[worst], judged[worst] = population[elite], costs[elite]
        population, costs = children, judged

        row = {"best": costs.min(), "mean": costs.mean(), "worst": costs.max()}
        if generation % wanted.diversity_every == 0:
            row["diversity"] = boards.diversity(population, wanted.givens)
        history.append(row)
        if row["best"] == 0:
            break
    return boards.Course(history, population)


if __name__ == "__main__":
    boards.measure("numpy", evolve)
