"""The reference genetic algorithm in PyGAD, whose operators and fitness take whole populations.

The loop, the tournament and the elite are PyGAD's: it makes one child less than there are places.
"""

# pyright: reportMissingImports=false

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pygad

if TYPE_CHECKING:  # checkers know the module by where it is
    from benchmarks.peers import boards
else:
    import boards


def evolve(wanted: boards.Wanted) -> boards.Course:
    rng = np.random.default_rng(wanted.seed)
    history: list[dict[str, Any]] = []

    def fitness(_ga: Any, solutions: Any, _indices: Any) -> Any:
        return (-boards.costs(solutions)).tolist()

    def cross(parents: Any, size: tuple[int, int], _ga: Any) -> Any:
        children = parents.copy()
        masks = boards.exchanged(wanted, len(children) // 2, rng)
        masks[rng.random(len(masks)) >= wanted.crossover_rate] = 0
        boards.exchange(children, masks)
        return children[: size[0]]

    def swap(children: Any, _ga: Any) -> Any:
        changed = np.flatnonzero(rng.random(len(children)) < wanted.mutation_rate)
        boards.swap(children, changed, wanted, rng)
        return children

    def record(ga: Any) -> str | None:
        scores = ga.last_generation_fitness
        row = {"best": -int(scores.max()), "mean": -scores.mean(), "worst": -int(scores.min())}
        if ga.generations_completed % wanted.diversity_every == 0:
            row["diversity"] = boards.diversity(ga.population, wanted.givens)
        history.append(row)
        return "stop" if row["best"] == 0 else None

    ga = pygad.GA(
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
    )
    ga.run()
    return boards.Course(history, ga.population)


if __name__ == "__main__":
    boards.measure("pygad", evolve)
