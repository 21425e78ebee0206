"""The reference genetic algorithm in DEAP, with NumPy arrays as individuals.

The loop is that of `eaSimple`, with one elite: select, `varAnd`, evaluate those whose fitness is no
longer valid, put the elite in the place of the worst, compile statistics, write the logbook.
`tuned` replaces two parts of the toolbox as an expert might: the clone, a deep copy, and the map
over individuals, by one evaluation of them all.
"""

# pyright: reportMissingImports=false

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import numpy as np
from deap import algorithms, base, creator, tools

if TYPE_CHECKING:  # checkers know the module by where it is
    from benchmarks.peers import boards
else:
    import boards


def two_points(one: Any, two: Any) -> tuple[Any, Any]:
    """Exchange the rows between two cuts, in place."""
    first, last = sorted(random.sample(range(9, 81, 9), 2))
    one[first:last], two[first:last] = two[first:last].copy(), one[first:last].copy()
    return one, two


def uniform(one: Any, two: Any) -> tuple[Any, Any]:
    """Exchange every row with probability ½, in place."""
    for row in range(0, 81, 9):
        if random.random() < 0.5:
            end = row + 9
            one[row:end], two[row:end] = two[row:end].copy(), one[row:end].copy()
    return one, two


def swap(board: Any, rows: list[list[int]]) -> tuple[Any]:
    """Exchange two blanks of a row, in place."""
    here, there = random.sample(random.choice(rows), 2)
    board[here], board[there] = board[there], board[here]
    return (board,)


def evaluate(board: Any) -> tuple[int]:
    return (boards.cost(board),)


def clone(board: Any) -> Any:
    copy = board.copy()
    copy.fitness = creator.Cost()
    copy.fitness.wvalues = board.fitness.wvalues
    return copy


def evaluate_all(_evaluate: Any, population: list[Any]) -> list[tuple[int]]:
    if not population:
        return []
    return [(cost,) for cost in boards.costs(np.array(population)).tolist()]


def evolve(wanted: boards.Wanted) -> boards.Course:
    random.seed(wanted.seed)
    if not hasattr(creator, "Individual"):
        creator.create("Cost", base.Fitness, weights=(-1.0,))
        creator.create("Individual", np.ndarray, fitness=creator.Cost)
    toolbox = base.Toolbox()
    toolbox.register("select", tools.selTournament, tournsize=2)
    toolbox.register("mate", two_points if wanted.crossover == "two points" else uniform)
    toolbox.register("mutate", swap, rows=[row.tolist() for row in wanted.rows])
    toolbox.register("evaluate", evaluate)
    if wanted.tuned:
        toolbox.register("clone", clone)
        toolbox.register("map", evaluate_all)
    statistics = tools.Statistics(key=lambda one: one.fitness.values[0])
    statistics.register("best", min)
    statistics.register("mean", np.mean)
    statistics.register("worst", max)
    logbook = tools.Logbook()

    drawn = boards.first_boards(wanted, np.random.default_rng(wanted.seed))
    population = [creator.Individual(board) for board in drawn]
    judge(population, toolbox)
    for generation in range(1, wanted.generations + 1):
        (elite,) = tools.selBest(population, 1)
        chosen = toolbox.select(population, len(population))
        children = algorithms.varAnd(chosen, toolbox, wanted.crossover_rate, wanted.mutation_rate)
        judge(children, toolbox)
        (worst,) = tools.selWorst(children, 1)
        population[:] = [elite if child is worst else child for child in children]
        record = statistics.compile(population)
        if generation % wanted.diversity_every == 0:
            record["diversity"] = boards.diversity(np.array(population), wanted.givens)
        logbook.record(gen=generation, **record)
        if record["best"] == 0:
            break
    return boards.Course(list(logbook), np.array(population))


def judge(population: list[Any], toolbox: Any) -> None:
    """Evaluate those whose fitness is not valid."""
    invalid = [one for one in population if not one.fitness.valid]
    for one, values in zip(invalid, toolbox.map(toolbox.evaluate, invalid), strict=True):
        one.fitness.values = values


if __name__ == "__main__":
    boards.measure("deap", evolve)
