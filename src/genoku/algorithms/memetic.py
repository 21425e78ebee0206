"""The memetic algorithm: a population whose children all learn before they compete."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from genoku.adaptation import ADAPTATIONS, Adaptation, Constant, Progress
from genoku.algorithms.annealing import anneal
from genoku.algorithms.genetic import families, refuse_foreign, refuse_misplaced
from genoku.algorithms.swaps import refuse_without_swaps, stuck, swaps_of
from genoku.crossover import CROSSOVERS, Agreement, Crossover
from genoku.diversity import WEIGHTS, diversity, twins
from genoku.encoding import Boards, Encoding, PermutedBoxes
from genoku.fitness import Costs, Fitness, Repetitions
from genoku.jit import kernel
from genoku.problem import Problem, has_own, refuse_below, refuse_misfits, refuse_outside
from genoku.selection import SELECTIONS, Selection, Tournament
from genoku.state import Search, State, begun, orphans
from genoku.stream import Stream


@dataclass(frozen=True)
class Memetic(Search):
    """Select parents, cross them, anneal every child, and keep the best, but no twins.

    A child is annealed for `moves` moves at the `temperature`. `offspring` is the number of
    children in a generation, 0 for as many as the population. Where two boards differ in less than
    `least_diversity` of their blanks on average, or the best has not improved for `patience`
    generations, the next generation is one of strangers: annealed random boards take all places
    but those of the `elites` best.
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
        refuse_below(self, population=2, moves=1, offspring=0, patience=1)
        refuse_outside(self, 1, self.population - 1, "elites")
        refuse_outside(self, 0, 1, "least_diversity")
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
    def _has_own(self) -> bool:
        return has_own((self.selection, self.crossover))

    def start(self, problem: Problem, rng: Stream, boards: Boards | None = None) -> State:
        state = begun(problem, rng, self.population, boards)
        memory = self.temperature(None, Progress(0, int(state.costs.min())), problem)
        return state._replace(
            memory={**memory, "unimproved": 0.0},
            finished=state.finished or stuck(swaps_of(problem.space)),
        )

    def step(self, problem: Problem, state: State) -> State:
        """One generation."""
        rng = state.rng.copy()
        boards, costs, ids = state.boards, state.costs, state.ids
        begins_anew = self._is_spent(problem, state)
        if begins_anew:
            elite = ranking(boards, costs, 0)[: self.elites]
            children = problem.space.sample(len(boards) - len(elite), rng)
            births = orphans(state.born + np.arange(len(children)))
            boards, costs, ids = boards[elite], costs[elite], ids[elite]
        else:
            count = self.offspring or len(boards)
            matings = -(-count // self.crossover.children)
            mates = self.selection(costs, matings, self.crossover.parents, problem, rng)
            if self._has_own:
                shape = matings, self.crossover.parents
                refuse_misplaced(self.selection, mates, shape, len(boards))
            children = self.crossover(boards, mates, problem, rng)[:count]
            if state.step == 0 or self._has_own:
                first = state.step == 0
                refuse_foreign(children, count, problem, self.encoding, self.crossover, first=first)
            _, _, births = families(mates, self.crossover.children, count, ids, state.born)
        children, new_costs, moves = self._annealed(problem, children, state.memory["rate"], rng)

        boards = np.concatenate((boards, children))
        costs = np.concatenate((costs, new_costs))
        ids = np.concatenate((ids, births[:, 0]))
        survivors = ranking(boards, costs, len(children))[: len(state.boards)]
        best = int(costs.min())
        waits = not begins_anew and best == state.costs.min()
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
            finished="solved" if best == 0 else stuck(swaps_of(problem.space)),
        )

    def _is_spent(self, problem: Problem, state: State) -> bool:
        """Whether the population has nothing left to find."""
        return (
            state.memory["unimproved"] >= self.patience
            or diversity(state.boards, problem) < self.least_diversity
        )

    def _annealed(
        self, problem: Problem, boards: Boards, temperature: float, rng: Stream
    ) -> tuple[Boards, Costs, int]:
        """The boards after a short annealing each, their costs, and the moves of all together."""
        boards, costs = boards.copy(), problem.costs(boards)
        swaps = swaps_of(problem.space)
        made = anneal_each(boards, costs, *swaps, float(temperature), self.moves, rng)
        return boards, costs, int(made)


def ranking(boards: Boards, costs: Costs, new: int) -> NDArray[np.int64]:
    """All places, best first; the last `new` come before their equals, and twins after everybody.

    So twins live on only where there are not enough different boards.
    """
    is_twin = np.zeros(len(boards), np.bool_)
    is_twin[twins(boards, 0, WEIGHTS)] = True
    is_old = np.arange(len(boards)) < len(boards) - new
    return np.lexsort((is_old, costs, is_twin))


@kernel
def anneal_each(
    boards: Boards,
    costs: Costs,
    pairs: NDArray[np.uint16],
    starts: NDArray[np.uint16],
    temperature: float,
    moves: int,
    rng: Any,
) -> Any:
    """Make `moves` moves on every board in place, until one is solved: how many in all."""
    total = 0
    for i in range(len(boards)):
        cost: Any = np.int64(costs[i])
        made, cost = anneal(boards[i], pairs, starts, temperature, moves, cost, rng)
        total += made
        costs[i] = cost
        if cost == 0:
            break
    return total
