"""Who lives on: every replacement returns indices into the old boards followed by the new ones.

A replacement may have a method `takes(population, new)`: why it cannot work with so many new
boards, or None.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from genoku.encoding import Boards
from genoku.errors import RecipeError
from genoku.fitness import Costs
from genoku.jit import kernel
from genoku.problem import Problem
from genoku.selection import Tournament, best_first
from genoku.stream import Stream


class Brood(NamedTuple):
    """The population and what came of it."""

    boards: Boards
    costs: Costs
    new_boards: Boards
    new_costs: Costs
    parents: NDArray[np.int64]
    """`[new, parents]` the places of each new board's parents, −1 for none."""


class Replacement(Protocol):
    """The next population, as indices into old ++ new."""

    def __call__(self, brood: Brood, problem: Problem, rng: Stream) -> NDArray[np.int64]: ...


@dataclass(frozen=True)
class Generational:
    """The new boards replace the old; the `elites` best old ones replace the worst new ones.

    Report 000 has no elites, report 002 none or one. Of more new boards than places the first
    are taken; among equals the first is best, and the first is worst.
    """

    elites: int = 0

    def __post_init__(self) -> None:
        _require_elites(self.elites)

    def takes(self, population: int, new: int) -> str | None:
        return _too_many(self.elites, population) or _too_few(new, population)

    def __call__(self, brood: Brood, problem: Problem, rng: Stream) -> NDArray[np.int64]:
        population = len(brood.costs)
        survivors = np.arange(population, 2 * population, dtype=np.int64)
        if self.elites:
            worst = worst_places(brood.new_costs[:population], self.elites)
            survivors[worst] = best_places(brood.costs, self.elites)
        return survivors


@dataclass(frozen=True)
class Plus:
    """The best of the old and the new boards (μ + λ), the new ones first among equals."""

    def __call__(self, brood: Brood, problem: Problem, rng: Stream) -> NDArray[np.int64]:
        population, new = len(brood.costs), len(brood.new_costs)
        costs = np.concatenate((brood.new_costs, brood.costs))
        return (best_first(costs)[:population] + population) % (population + new)


@dataclass(frozen=True)
class Comma:
    """The best of the new boards (μ, λ), of which there should be several for every place."""

    def takes(self, population: int, new: int) -> str | None:
        return _too_few(new, population)

    def __call__(self, brood: Brood, problem: Problem, rng: Stream) -> NDArray[np.int64]:
        population = len(brood.costs)
        return best_first(brood.new_costs)[:population] + population


@dataclass(frozen=True)
class Tournaments:
    """The `elites` best old boards, and winners of tournaments among the new ones (report 003).

    In the report the new boards are the whole pool, population and children after mutation. Its
    code keeps the best board as it was before; by its text the elite may as well be the best of
    the pool (`elites_of="new"`), and a best board that mutated is lost. A board may win several
    times; a tournament larger than the pool, which the report's `random.sample` refuses, is among
    all of it. Each is among `size` different boards; with `replace`, a board may be drawn twice.
    """

    size: int = 2
    elites: int = 1
    replace: bool = False
    elites_of: Literal["old", "new"] = "old"

    def __post_init__(self) -> None:
        _require_elites(self.elites)
        Tournament(self.size, self.replace)  # refuses what no tournament can have

    def takes(self, population: int, new: int) -> str | None:
        if self.elites_of == "new" and self.elites > new:
            return f"{self.elites} elites are more than {new} new boards"
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
    """The new boards take the places of the worst old ones, worst first (report 004).

    The report sorts its population and replaces from the end; with fewer new boards than places
    the best old ones stay, and so do the `kept` best in any case.
    """

    kept: int = 0

    def __post_init__(self) -> None:
        if self.kept < 0:
            raise RecipeError(f"expected to keep 0 boards or more, got {self.kept}")

    def takes(self, population: int, new: int) -> str | None:
        if new > population:
            return f"it has places for {population} new boards, not for {new}"
        return None

    def __call__(self, brood: Brood, problem: Problem, rng: Stream) -> NDArray[np.int64]:
        population, new = len(brood.costs), len(brood.new_costs)
        survivors = np.arange(population, dtype=np.int64)
        worst = best_first(brood.costs)[self.kept :][::-1][:new]
        survivors[worst] = np.arange(population, population + len(worst))
        return survivors


@dataclass(frozen=True)
class Crowding:
    """A new board takes the place of its most similar parent if it is at least as good.

    Deterministic crowding (Mahfoud, 1992), for the varied populations that reports 001 and 004
    wish for: boards compete with their like, so that good but different ones live on. Similar is
    who differs in fewer cells, the first parent if all are alike. A parent that was replaced is
    stood for by the board in its place; a board without parents competes with nobody.
    """

    def __call__(self, brood: Brood, problem: Problem, rng: Stream) -> NDArray[np.int64]:
        return crowded(*brood)


REPLACEMENTS: tuple[type[Replacement], ...] = (
    Generational,
    Plus,
    Comma,
    Tournaments,
    WorstFirst,
    Crowding,
)


def _require_elites(elites: int) -> None:
    if elites < 0:
        raise RecipeError(f"expected 0 elites or more, got {elites}")


def _too_many(elites: int, population: int) -> str | None:
    if elites > population:
        return f"{elites} elites are more than a population of {population}"
    return None


def _too_few(new: int, population: int) -> str | None:
    if new < population:
        return f"it needs a new board for each of {population} places, not only {new}"
    return None


def best_places(costs: Costs, count: int) -> NDArray[np.int64]:
    """The places of the lowest costs, the earlier first among equals."""
    if count == 1:  # spares a sort
        place: NDArray[np.int64] = costs.argmin(0, keepdims=True)
        return place
    return best_first(costs)[:count]


def worst_places(costs: Costs, count: int) -> NDArray[np.int64]:
    """The places of the highest costs, the earlier first among equals."""
    return best_places(-costs, count)


@kernel
def crowded(
    boards: Boards,
    costs: Costs,
    new_boards: Boards,
    new_costs: Costs,
    parents: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Who holds each place after every new board has had its turn."""
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
