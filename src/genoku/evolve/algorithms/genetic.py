"""The genetic algorithm, with the operators of all five reports."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from genoku.errors import RecipeError, require_at_least, require_choices
from genoku.evolve.encoding import Boards, Encoding, FreeCells
from genoku.evolve.fitness import Costs, Fitness, Repetitions
from genoku.evolve.operators.adaptation import ADAPTATIONS, Adaptation, Constant, Progress
from genoku.evolve.operators.crossover import CROSSOVERS, Crossover, Points
from genoku.evolve.operators.diversity import DIVERSITIES, AsItComes, Diversity
from genoku.evolve.operators.mutation import MUTATIONS, Mutation, Swap
from genoku.evolve.operators.replacement import (
    REPLACEMENTS,
    Brood,
    Generational,
    Replacement,
    size_misfit,
)
from genoku.evolve.operators.selection import SELECTIONS, Selection, Tournament
from genoku.evolve.problem import Problem, display_name, refuse_misfits, uses_user_code
from genoku.evolve.state import Search, State, births_without_parents, initial_state
from genoku.runtime.jit import kernel
from genoku.runtime.random import Stream


@dataclass(frozen=True)
class Genetic(Search):
    """Select parents, cross them, mutate the children, and replace the population.

    `offspring` is the number of children per generation; 0 means as many as the population.
    `mutates="pool"` is report 003's order: the population and its children form a pool, all of it
    is mutated, and the next population comes from that pool.
    """

    step_name = "generation"

    encoding: Encoding = FreeCells()
    fitness: Fitness = Repetitions()
    population: int = 500
    selection: Selection = Tournament()
    crossover: Crossover = Points()
    mutation: Mutation = Swap()
    adaptation: Adaptation = Constant()
    replacement: Replacement = Generational()
    diversity: Diversity = AsItComes()
    offspring: int = 0
    mutates: Literal["children", "pool"] = "children"

    def __post_init__(self) -> None:
        require_at_least(self, population=2, offspring=0)
        require_choices(self)
        refuse_misfits(
            self.encoding,
            self.fitness,
            {
                "selection": (self.selection, SELECTIONS),
                "crossover": (self.crossover, CROSSOVERS),
                "mutation": (self.mutation, MUTATIONS),
                "adaptation": (self.adaptation, ADAPTATIONS),
                "replacement": (self.replacement, REPLACEMENTS),
                "diversity": (self.diversity, DIVERSITIES),
            },
        )
        new = (self.offspring or self.population) + self.population * (self.mutates == "pool")
        reason = size_misfit(self.replacement, self.population, new)
        if reason:
            raise RecipeError(f"{display_name(self.replacement)}: {reason}", path=("replacement",))

    @cached_property
    def _has_user_code(self) -> bool:
        """Whether results of operators must be checked, since kernels do not check them."""
        return uses_user_code((self.selection, self.crossover, self.mutation, self.replacement))

    def start(self, problem: Problem, rng: Stream, boards: Boards | None = None) -> State:
        state = initial_state(problem, rng, self.population, boards)
        memory = self.adaptation(None, Progress(0, int(state.costs.min())), problem)
        if not 0 <= memory["rate"] <= 1:
            raise RecipeError(f"expected a mutation rate from 0 to 1, got {memory['rate']}")
        return state._replace(memory=memory)

    def step(self, problem: Problem, state: State) -> State:
        """One generation."""
        rng = state.rng.copy()
        count = self.offspring or self.population
        matings = -(-count // self.crossover.children)

        mates = self.selection(state.costs, matings, self.crossover.parents, problem, rng)
        if self._has_user_code:
            shape = matings, self.crossover.parents
            check_indices(self.selection, mates, shape, len(state.boards))
        children = self.crossover(state.boards, mates, problem, rng)[:count]
        ids, parents, births = record_births(
            mates, self.crossover.children, count, state.ids, state.born
        )
        others = state.boards
        if self.mutates == "pool":  # report 003: the population mutates too and keeps its ids
            others = others[:0]
            children = np.concatenate((state.boards, children))
            itself = np.repeat(np.arange(len(state.ids))[:, None], parents.shape[1], axis=1)
            parents = np.concatenate((itself, parents))  # an old board is its own parent
            ids = np.concatenate((state.ids, ids))
        children = self.mutation(children, float(state.memory["rate"]), problem, rng)
        makers = self.crossover, self.mutation
        if state.step == 0 or self._has_user_code:
            first = state.step == 0
            check_children(children, len(ids), problem, self.encoding, *makers, first=first)
        strangers = self.diversity(children, others, problem, rng)
        born = state.born + count
        if len(strangers):
            children[strangers] = problem.space.sample(len(strangers), rng)
            parents[strangers] = -1
            ids[strangers] = np.arange(born, born + len(strangers))
            orphans = births_without_parents(ids[strangers], mates.shape[1])
            births = np.concatenate((births, orphans))
            born += len(strangers)
        costs = problem.costs(children)

        brood = Brood(state.boards, state.costs, children, costs, parents)
        survivors = self.replacement(brood, problem, rng)
        if self._has_user_code:
            total = len(state.boards) + len(children)
            check_indices(self.replacement, survivors, (len(state.boards),), total)
        boards, costs, ids, best = take_survivors(*brood[:4], state.ids, ids, survivors)
        progress = Progress(state.step + 1, best, brood)
        return State(
            rng,
            boards,
            costs,
            ids,
            born=born,
            births=births,
            step=progress.step,
            evaluations=state.evaluations + len(children),
            memory=self.adaptation(state.memory, progress, problem),
            finished="solved" if best == 0 else "",
        )


def check_children(
    children: Boards, count: int, problem: Problem, encoding: Encoding, *operators: Any, first: bool
) -> None:
    """Raise if users' operators did not return boards, since kernels do not check them.

    In the `first` generation a sample is also checked against the search space.
    """
    shape = count, problem.puzzle.geometry.cells
    makers = " and ".join(map(display_name, operators))
    array = np.asarray(children)
    if array is not children or array.shape != shape or array.dtype != np.uint8:
        raise RecipeError(
            f"expected {count} boards of {shape[1]} digits (uint8) from {makers}, "
            f"got {type(children).__name__} of {array.dtype}, shape {array.shape}"
        )
    if children.max(initial=1) > problem.puzzle.side:
        raise RecipeError(
            f"expected digits up to {problem.puzzle.side} from {makers}, got {children.max()}"
        )
    for board in children[:: max(1, count // 8)] if first else ():
        if not problem.space.contains(board):
            raise RecipeError(
                f"expected boards with the givens and the units that {display_name(encoding)} "
                f"keeps from {makers}, got another board (genoku.testing.check_operator "
                "reports details)"
            )


def check_indices(part: Any, places: Any, shape: tuple[int, ...], bound: int) -> None:
    """Raise if a user's part did not return indices of boards."""
    array = np.asarray(places)
    if array is not places or array.dtype != np.int64 or array.shape != shape:
        got = f"{type(places).__name__} of {array.dtype}, shape {array.shape}"
    elif array.size and not (array.min() >= 0 and array.max() < bound):
        got = f"{array.min()} to {array.max()}"
    else:
        return
    wanted = f"indices from 0 to {bound - 1} (int64, shape {shape})"
    raise RecipeError(f"expected {wanted} from {display_name(part)}, got {got}")


@kernel
def record_births(
    mates: NDArray[np.int64], litter: int, count: int, old_ids: NDArray[np.int64], born: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """The ids of children, the indices of their parents, and births: an id and the parents' ids."""
    ids = np.empty(count, np.int64)
    parents = np.empty((count, mates.shape[1]), np.int64)
    births = np.empty((count, 1 + mates.shape[1]), np.int64)
    for i in range(count):
        ids[i] = births[i, 0] = born + i
        for j in range(mates.shape[1]):
            parents[i, j] = mates[i // litter, j]
            births[i, 1 + j] = old_ids[parents[i, j]]
    return ids, parents, births


@kernel
def take_survivors(
    boards: Boards,
    costs: Costs,
    new_boards: Boards,
    new_costs: Costs,
    ids: NDArray[np.int64],
    new_ids: NDArray[np.int64],
    survivors: NDArray[np.int64],
) -> Any:
    """The boards, costs and ids of the survivors of old ++ new, and the lowest cost.

    A solution always survives, whatever the replacement chose: it ends the run.
    """
    count, cells = len(survivors), boards.shape[1]
    kept = np.empty((count, cells), np.uint8)
    kept_costs = np.empty(count, np.int32)
    kept_ids = np.empty(count, np.int64)
    best = np.int64(2**31)
    solution = -1
    for i in range(len(new_costs)):
        if new_costs[i] == 0:
            solution = len(boards) + i
    for i in range(count):
        place = survivors[i]
        if i == 0 and solution >= 0:
            place = solution
        if place < len(boards):
            kept_costs[i], kept_ids[i] = costs[place], ids[place]
            for cell in range(cells):
                kept[i, cell] = boards[place, cell]
        else:
            place -= len(boards)
            kept_costs[i], kept_ids[i] = new_costs[place], new_ids[place]
            for cell in range(cells):
                kept[i, cell] = new_boards[place, cell]
        best = min(best, np.int64(kept_costs[i]))
    return kept, kept_costs, kept_ids, best
