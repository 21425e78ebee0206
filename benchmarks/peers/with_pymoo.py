"""The reference genetic algorithm in pymoo, with operators of its kind: whole populations at once.

The loop, the individuals, the matings, both probabilities and the evaluation are pymoo's. Selection
and survival are our own: pymoo's tournament deals the population out, so that every board plays
equally often, and its survival keeps the best of old and new, where the reference has generations.
"""

# pyright: reportMissingImports=false

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from pymoo.algorithms.base.genetic import GeneticAlgorithm
from pymoo.core.callback import Callback
from pymoo.core.crossover import Crossover
from pymoo.core.mutation import Mutation
from pymoo.core.problem import Problem
from pymoo.core.selection import Selection
from pymoo.core.survival import Survival
from pymoo.optimize import minimize

if TYPE_CHECKING:  # checkers know the module by where it is
    from benchmarks.peers import boards
else:
    import boards


class Sudoku(Problem):
    def __init__(self) -> None:
        super().__init__(n_var=81, n_obj=1, xl=1, xu=9, vtype=int)

    def _evaluate(self, x: Any, out: Any, *_args: Any, **_kwargs: Any) -> None:
        out["F"] = boards.costs(x)


class Tournament(Selection):
    """Select the better of two boards drawn at random."""

    def _do(
        self, _problem: Any, pop: Any, n_select: int, n_parents: int, *_args: Any, **kwargs: Any
    ) -> Any:
        costs = pop.get("F")[:, 0]
        one, two = kwargs["random_state"].integers(0, len(pop), (2, n_select, n_parents))
        return np.where(costs[one] <= costs[two], one, two)


class Rows(Crossover):
    """Exchange rows of two parents."""

    def __init__(self, wanted: boards.Wanted) -> None:
        super().__init__(2, 2, prob=wanted.crossover_rate)
        self.wanted = wanted

    def _do(self, _problem: Any, parents: Any, *_args: Any, **kwargs: Any) -> Any:
        masks = boards.exchanged(self.wanted, parents.shape[1], kwargs["random_state"])
        return np.where(masks, parents[::-1], parents)


class Swap(Mutation):
    """Exchange two blanks of a row."""

    def __init__(self, wanted: boards.Wanted) -> None:
        super().__init__(prob=wanted.mutation_rate)
        self.wanted = wanted

    def _do(self, _problem: Any, children: Any, *_args: Any, **kwargs: Any) -> Any:
        changed = children.copy()
        boards.swap(changed, np.arange(len(changed)), self.wanted, kwargs["random_state"])
        return changed


class Generational(Survival):
    """Keep the children, except the worst, which the best old board replaces."""

    def __init__(self) -> None:
        super().__init__(filter_infeasible=False)

    def _do(self, _problem: Any, pop: Any, *_args: Any, n_survive: int, **_kwargs: Any) -> Any:
        old, new = pop[:n_survive], pop[n_survive:]
        new[new.get("F")[:, 0].argmax()] = old[old.get("F")[:, 0].argmin()]
        return new


class Record(Callback):
    """Record a row of numbers for every generation."""

    def __init__(self, wanted: boards.Wanted) -> None:
        super().__init__()
        self.wanted = wanted
        self.history: list[dict[str, Any]] = []

    def notify(self, algorithm: Any) -> None:
        generation = algorithm.n_gen - 1
        if generation == 0:
            return
        costs = algorithm.pop.get("F")
        row = {"best": costs.min(), "mean": costs.mean(), "worst": costs.max()}
        if generation % self.wanted.diversity_every == 0:
            row["diversity"] = boards.diversity(algorithm.pop.get("X"), self.wanted.givens)
        self.history.append(row)
        if row["best"] == 0:
            algorithm.termination.terminate()


def evolve(wanted: boards.Wanted) -> boards.Course:
    record = Record(wanted)
    algorithm = GeneticAlgorithm(
        pop_size=wanted.population,
        sampling=boards.first_boards(wanted, np.random.default_rng(wanted.seed)),
        selection=Tournament(),
        crossover=Rows(wanted),
        mutation=Swap(wanted),
        survival=Generational(),
        eliminate_duplicates=False,
    )
    minimize(
        Sudoku(),
        algorithm,
        ("n_gen", wanted.generations + 1),  # the first boards count as one
        copy_algorithm=False,
        callback=record,
        seed=wanted.seed,
    )
    return boards.Course(record.history, algorithm.pop.get("X"))


if __name__ == "__main__":
    boards.measure("pymoo", evolve)
