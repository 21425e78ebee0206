"""Survivor selection: every operator returns indices into the old boards followed by the new."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from genoku.errors import require_at_least, require_choices
from genoku.evolve.encoding import Boards
from genoku.evolve.fitness import Costs
from genoku.evolve.operators.selection import Tournament, best_first
from genoku.evolve.problem import Problem
from genoku.runtime.jit import kernel
from genoku.runtime.random import Stream


class Brood(NamedTuple):
    """A population and its new boards."""

    boards: Boards
    costs: Costs
    new_boards: Boards
    new_costs: Costs
    parents: NDArray[np.int64]  #: `[new, parents]` places of each new board's parents; −1 for none


class Replacement(Protocol):
    """Chooses the next population, as indices into the old boards followed by the new."""

    def __call__(self, brood: Brood, problem: Problem, rng: Stream) -> NDArray[np.int64]: ...


@runtime_checkable
class Limited(Protocol):
    """A replacement that requires certain numbers of boards; one without `takes` does not."""

    def takes(self, population: int, new: int) -> str | None:
        """Why it cannot work with that many new boards; None if it can."""
        ...


def size_misfit(replacement: Replacement, population: int, new: int) -> str | None:
    """Why a replacement cannot work with that many new boards; None if it can."""
    return replacement.takes(population, new) if isinstance(replacement, Limited) else None


@dataclass(frozen=True)
class Generational:
    """Replace all boards by new ones; the `elites` best old ones replace the worst new ones.

    Report 000 has no elites, report 002 none or one. If there are more new boards than places, the
    first are taken. Among equals the first counts as best, and the first as worst.
    """

    elites: int = 0

    def __post_init__(self) -> None:
        require_at_least(self, elites=0)

    def takes(self, population: int, new: int) -> str | None:
        return _too_many(self.elites, population) or _too_few(new, population)

    def __call__(self, brood: Brood, problem: Problem, rng: Stream) -> NDArray[np.int64]:
        population = len(brood.costs)
        survivors = np.arange(population, 2 * population, dtype=np.int64)
        if self.elites:
            worst = best_places(-brood.new_costs[:population], self.elites)
            survivors[worst] = best_places(brood.costs, self.elites)
        return survivors


@dataclass(frozen=True)
class Plus:
    """Keep the best of the old and the new boards (μ + λ); new ones come first among equals."""

    def __call__(self, brood: Brood, problem: Problem, rng: Stream) -> NDArray[np.int64]:
        population, new = len(brood.costs), len(brood.new_costs)
        costs = np.concatenate((brood.new_costs, brood.costs))
        return (best_first(costs)[:population] + population) % (population + new)


@dataclass(frozen=True)
class Comma:
    """Keep the best of the new boards (μ, λ); there should be several for every place."""

    def takes(self, population: int, new: int) -> str | None:
        return _too_few(new, population)

    def __call__(self, brood: Brood, problem: Problem, rng: Stream) -> NDArray[np.int64]:
        population = len(brood.costs)
        return best_first(brood.new_costs)[:population] + population


@dataclass(frozen=True)
class Tournaments:
    """Keep the `elites` best old boards and winners of tournaments among the new (report 003).

    In the report the new boards are the whole pool: population and children after mutation. Its
    code keeps the best board as it was before mutation; its text can also mean the best of the pool
    (`elites_of="new"`), so that a best board that mutated is lost. A tournament is among `size`
    different boards, at most all of them; with `replace`, a board may be drawn twice. A board may
    win several tournaments.
    """

    size: int = 2
    elites: int = 1
    replace: bool = False
    elites_of: Literal["old", "new"] = "old"

    def __post_init__(self) -> None:
        require_at_least(self, elites=0)
        require_at_least(self, size=1)
        require_choices(self)

    def takes(self, population: int, new: int) -> str | None:
        if self.elites_of == "new" and self.elites > new:
            return f"expected up to {new} elites, the number of new boards, got {self.elites}"
        return _too_many(self.elites, population)

    def __call__(self, brood: Brood, problem: Problem, rng: Stream) -> NDArray[np.int64]:
        population = len(brood.costs)
        survivors = np.empty(population, np.int64)
        if self.elites_of == "old":
            survivors[: self.elites] = best_places(brood.costs, self.elites)
        else:
            survivors[: self.elites] = best_places(brood.new_costs, self.elites) + population
        tournament = Tournament(self.size, self.replace)
        winners = tournament(brood.new_costs, population - self.elites, 1, problem, rng)
        survivors[self.elites :] = winners[:, 0] + population
        return survivors


@dataclass(frozen=True)
class WorstFirst:
    """Replace the worst old boards by the new ones, worst first (report 004).

    The report sorts its population and replaces from the end. If there are fewer new boards than
    places, the best old ones stay; the `kept` best always stay.
    """

    kept: int = 0

    def __post_init__(self) -> None:
        require_at_least(self, kept=0)

    def takes(self, population: int, new: int) -> str | None:
        if new > population:
            return f"it accepts up to {population} new boards, got {new}"
        return None

    def __call__(self, brood: Brood, problem: Problem, rng: Stream) -> NDArray[np.int64]:
        population, new = len(brood.costs), len(brood.new_costs)
        survivors = np.arange(population, dtype=np.int64)
        worst = best_first(brood.costs)[self.kept :][::-1][:new]
        survivors[worst] = np.arange(population, population + len(worst))
        return survivors


@dataclass(frozen=True)
class Crowding:
    """Replace the most similar parent by a new board that is at least as good.

    Deterministic crowding (Mahfoud, 1992) keeps a population varied, as reports 001 and 004
    propose: similar boards compete, so good but different ones survive. The most similar parent
    differs in the fewest cells; the first one wins a tie. If a parent was already replaced, the
    board in its place competes. A board without parents is dropped.
    """

    def __call__(self, brood: Brood, problem: Problem, rng: Stream) -> NDArray[np.int64]:
        return replace_by_crowding(*brood)


REPLACEMENTS: tuple[type[Replacement], ...] = (
    Generational,
    Plus,
    Comma,
    Tournaments,
    WorstFirst,
    Crowding,
)


def _too_many(elites: int, population: int) -> str | None:
    if elites > population:
        return f"expected up to {population} elites, the size of the population, got {elites}"
    return None


def _too_few(new: int, population: int) -> str | None:
    if new < population:
        return f"it requires a new board for each of {population} places, got {new}"
    return None


def best_places(costs: Costs, count: int) -> NDArray[np.int64]:
    """The indices of the lowest costs; the earlier comes first among equals."""
    if count == 1:  # spares a sort
        place: NDArray[np.int64] = costs.argmin(0, keepdims=True)
        return place
    return best_first(costs)[:count]


@kernel
def replace_by_crowding(
    boards: Boards, costs: Costs, new_boards: Boards, new_costs: Costs, parents: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The board in each place after every new board has competed."""
    count, cells = boards.shape
    holders = np.arange(count)
    for child in range(len(new_boards)):
        place, nearest = -1, cells + 1
        for j in range(parents.shape[1]):
            parent = parents[child, j]
            if parent < 0:
                continue
            holder = holders[parent]
            apart = 0
            if holder < count:
                for cell in range(cells):
                    apart += boards[holder, cell] != new_boards[child, cell]
            else:
                for cell in range(cells):
                    apart += new_boards[holder - count, cell] != new_boards[child, cell]
            if apart < nearest:
                place, nearest = parent, apart
        if place < 0:
            continue
        holder = holders[place]
        held = costs[holder] if holder < count else new_costs[holder - count]
        if new_costs[child] <= held:
            holders[place] = count + child
    return holders
