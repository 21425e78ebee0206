"""The memetic algorithm: an evolution whose children are annealed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from genoku.errors import require_at_least, require_between
from genoku.evolve.algorithms.annealing import anneal
from genoku.evolve.algorithms.genetic import check_children, check_indices, record_births
from genoku.evolve.algorithms.swap_moves import (
    Swaps,
    finish_without_swaps,
    refuse_without_swaps,
    swaps_of,
)
from genoku.evolve.encoding import Boards, Encoding, PermutedBoxes
from genoku.evolve.fitness import Costs, Fitness, Repetitions
from genoku.evolve.operators.adaptation import ADAPTATIONS, Adaptation, Constant, Progress
from genoku.evolve.operators.crossover import CROSSOVERS, Agreement, Crossover
from genoku.evolve.operators.diversity import WEIGHTS, diversity, twins
from genoku.evolve.operators.selection import SELECTIONS, Selection, Tournament
from genoku.evolve.problem import Problem, refuse_misfits, uses_user_code
from genoku.evolve.state import Search, State, births_without_parents, initial_state
from genoku.runtime.jit import kernel
from genoku.runtime.random import Stream


@dataclass(frozen=True)
class Memetic(Search):
    """Select parents, cross them, anneal every child, and keep the best different boards.

    A child is annealed for `moves` moves at the `temperature`. `offspring` is the number of
    children per generation; 0 means as many as the population. If two boards differ in less than
    `least_diversity` of their blanks on average, or the best has not improved for `patience`
    generations, annealed random boards replace all but the `elites` best.
    """

    step_name, rate_name = "generation", "temperature"
    short_steps: ClassVar = {"moves": 1000}

    encoding: Encoding = PermutedBoxes(fixed="singles")
    fitness: Fitness = Repetitions()
    population: int = 12
    selection: Selection = Tournament()
    crossover: Crossover = Agreement()
    temperature: Adaptation = Constant(0.3)
    moves: int = 20_000
    offspring: int = 0
    elites: int = 1
    least_diversity: float = 0.1
    patience: int = 20

    def __post_init__(self) -> None:
        require_at_least(self, population=2, moves=1, offspring=0, patience=1)
        require_between(self, 1, self.population - 1, "elites")
        require_between(self, 0, 1, "least_diversity")
        refuse_misfits(
            self.encoding,
            self.fitness,
            {
                "selection": (self.selection, SELECTIONS),
                "crossover": (self.crossover, CROSSOVERS),
                "temperature": (self.temperature, ADAPTATIONS),
            },
        )
        refuse_without_swaps(self)

    @cached_property
    def _has_user_code(self) -> bool:
        return uses_user_code((self.selection, self.crossover))

    def start(self, problem: Problem, rng: Stream, boards: Boards | None = None) -> State:
        state = initial_state(problem, rng, self.population, boards)
        memory = self.temperature(None, Progress(0, int(state.costs.min())), problem)
        return state._replace(
            memory={**memory, "unimproved": 0.0},
            finished=state.finished or finish_without_swaps(swaps_of(problem.space)),
        )

    def step(self, problem: Problem, state: State) -> State:
        """One generation."""
        rng = state.rng.copy()
        boards, costs, ids = state.boards, state.costs, state.ids
        is_renewed = (
            state.memory["unimproved"] >= self.patience
            or diversity(boards, problem) < self.least_diversity
        )
        if is_renewed:
            elite = rank_boards(boards, costs, 0)[: self.elites]
            children = problem.space.sample(len(boards) - len(elite), rng)
            births = births_without_parents(state.born + np.arange(len(children)))
            boards, costs, ids = boards[elite], costs[elite], ids[elite]
        else:
            count = self.offspring or len(boards)
            matings = -(-count // self.crossover.children)
            mates = self.selection(costs, matings, self.crossover.parents, problem, rng)
            if self._has_user_code:
                shape = matings, self.crossover.parents
                check_indices(self.selection, mates, shape, len(boards))
            children = self.crossover(boards, mates, problem, rng)[:count]
            if state.step == 0 or self._has_user_code:
                first = state.step == 0
                check_children(children, count, problem, self.encoding, self.crossover, first=first)
            _, _, births = record_births(mates, self.crossover.children, count, ids, state.born)
        children, rate = children.copy(), float(state.memory["rate"])
        new_costs, swaps = problem.costs(children), swaps_of(problem.space)
        moves = int(anneal_each(children, new_costs, swaps, rate, self.moves, rng))

        boards = np.concatenate((boards, children))
        costs = np.concatenate((costs, new_costs))
        ids = np.concatenate((ids, births[:, 0]))
        survivors = rank_boards(boards, costs, len(children))[: len(state.boards)]
        best = int(costs.min())
        waits = not is_renewed and best == state.costs.min()
        memory = self.temperature(state.memory, Progress(state.step + 1, best), problem)
        return State(
            rng,
            boards[survivors],
            costs[survivors],
            ids[survivors],
            born=state.born + len(children),
            births=births,
            step=state.step + 1,
            evaluations=state.evaluations + len(children) + moves,
            moves=state.moves + moves,
            memory={**memory, "unimproved": state.memory["unimproved"] + 1.0 if waits else 0.0},
            finished="solved" if best == 0 else finish_without_swaps(swaps),
        )


def rank_boards(boards: Boards, costs: Costs, new: int) -> NDArray[np.int64]:
    """The indices of all boards, best first; the last `new` come first among equals.

    Duplicates come last, so they survive only if there are not enough different boards.
    """
    is_twin = np.zeros(len(boards), np.bool_)
    is_twin[twins(boards, 0, WEIGHTS)] = True
    is_old = np.arange(len(boards)) < len(boards) - new
    return np.lexsort((is_old, costs, is_twin))


@kernel
def anneal_each(
    boards: Boards, costs: Costs, swaps: Swaps, temperature: float, moves: int, rng: Any
) -> Any:
    """Make `moves` moves on every board in place, until one is solved; return their number."""
    total = 0
    for i in range(len(boards)):
        cost: Any = np.int64(costs[i])
        made, cost = anneal(boards[i], swaps, temperature, moves, cost, rng)
        total += made
        costs[i] = cost
        if cost == 0:
            break
    return total
