"""Who becomes a parent: every selection returns indices `[matings, parents]` into the population.

Lower cost is better. A selection draws with replacement over matings: a good board may be
a parent many times, and but for `Pool` it may be its own mate.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from genoku.encoding import Encoding
from genoku.errors import RecipeError
from genoku.fitness import Costs, Fitness
from genoku.jit import kernel
from genoku.problem import Problem, misfit
from genoku.stream import Stream, below, integers, shuffle, uniform

Mates = NDArray[np.int64]
"""Indices into the population, `[matings, parents]`."""

Weights = NDArray[np.float64]
"""What the chance of every board is in proportion to."""

PLAYED = 5
"""Tournaments up to this size are quicker played than reckoned."""


class Selection(Protocol):
    """`matings` times `parents` indices of boards that may have children."""

    def __call__(
        self, costs: Costs, matings: int, parents: int, problem: Problem, rng: Stream
    ) -> Mates: ...


@dataclass(frozen=True)
class Roulette:
    """Chances in proportion to the score (reports 000 and 002, wished for by 001).

    A score below 0 counts as 0; where no score is above 0, all boards have the same chance.
    """

    def fits(self, encoding: Encoding, fitness: Fitness) -> str | None:
        return lacks_a_wheel(fitness)

    def __call__(
        self, costs: Costs, matings: int, parents: int, problem: Problem, rng: Stream
    ) -> Mates:
        return spins(weights_of(costs, problem), matings, parents, rng)


@dataclass(frozen=True)
class InvertedRoulette:
    """Chances in proportion to 1 / (1 + cost), for any fitness (report 002 left that open)."""

    def __call__(
        self, costs: Costs, matings: int, parents: int, problem: Problem, rng: Stream
    ) -> Mates:
        return spins(np.asarray(1.0 / (1.0 + costs), np.float64), matings, parents, rng)


@dataclass(frozen=True)
class UniversalSampling:
    """One spin of a roulette with evenly spaced pointers, shuffled into matings (Baker, 1987).

    Every board is a parent as often as its share of all scores says, rounded down or up.
    """

    def fits(self, encoding: Encoding, fitness: Fitness) -> str | None:
        return lacks_a_wheel(fitness)

    def __call__(
        self, costs: Costs, matings: int, parents: int, problem: Problem, rng: Stream
    ) -> Mates:
        return pointers(weights_of(costs, problem), matings, parents, rng)


@dataclass(frozen=True)
class Tournament:
    """The best of `size` boards drawn at random, the first drawn of equally good ones.

    `replace=False` draws different boards, all of them at most (reports 002 and 003; 000 does not
    say, nor does 004 of its two). Large tournaments are not played: the chances of every board to
    win are known, and a roulette with them gives the same distribution.
    """

    size: int = 2
    replace: bool = True

    def __post_init__(self) -> None:
        if self.size < 1:
            raise RecipeError(f"expected a tournament of 1 or more, got size {self.size}")

    def __call__(
        self, costs: Costs, matings: int, parents: int, problem: Problem, rng: Stream
    ) -> Mates:
        if self.size > PLAYED:
            return spins(
                winning(costs, best_first(costs), self.size, self.replace), matings, parents, rng
            )
        if self.replace:
            return tournaments(costs, matings, parents, self.size, rng)
        return sampled_tournaments(costs, matings, parents, self.size, rng)


@dataclass(frozen=True)
class Rank:
    """Chances in proportion to the rank: worst 1, best N (report 002; 000 does not say how).

    Of equally good boards the first ranks highest.
    """

    def __call__(
        self, costs: Costs, matings: int, parents: int, problem: Problem, rng: Stream
    ) -> Mates:
        return by_rank(best_first(costs), matings, parents, rng)


@dataclass(frozen=True)
class ExponentialRank:
    """Chances that rise with the rank by steps of a geometric series (report 000 may mean it).

    The board of rank r, worst 1 and best N, has the weight 1 + q + q² + … + q^(r − 1), q being the
    `ratio` of one step to the last. With 1 that is `Rank`. Above 1, the best stand out: in a
    population of 500, 1.01 draws the best five times as often as the average. Below 1, chances
    level off: with 1/e, the exponential ranking of Eiben and Smith, all but the worst few have the
    same.
    """

    ratio: float = 1.01

    def __post_init__(self) -> None:
        if not 0 < self.ratio < math.inf:
            raise RecipeError(f"expected a ratio above 0, got {self.ratio}")

    def __call__(
        self, costs: Costs, matings: int, parents: int, problem: Problem, rng: Stream
    ) -> Mates:
        weights = np.empty(len(costs), np.float64)
        weights[best_first(costs)] = self.weights(len(costs))
        return spins(weights, matings, parents, rng)

    def weights(self, count: int) -> Weights:
        """What the chances of so many boards, best first, are in proportion to."""
        ranks, growth = np.arange(count, 0, -1.0), math.log(self.ratio)
        if growth > 0:  # q^r soon exceeds all numbers, q^(r − N) does not
            return np.exp((ranks - count) * growth) - math.exp(-count * growth)
        return -np.expm1(ranks * growth) if growth else ranks


@dataclass(frozen=True)
class Truncation:
    """Any of the best `share` of the boards, one of them at least (report 001: the best half)."""

    share: float = 0.5

    def __post_init__(self) -> None:
        if not 0 < self.share <= 1:
            raise RecipeError(f"expected a share above 0 and up to 1, got {self.share}")

    def __call__(
        self, costs: Costs, matings: int, parents: int, problem: Problem, rng: Stream
    ) -> Mates:
        # 0.07 × 100 is a little more than 7 for a computer, and means 7
        best = max(1, math.ceil(self.share * len(costs) - 1e-9))
        places = integers(rng, best, matings * parents).reshape(matings, parents)
        return best_first(costs)[places]


@dataclass(frozen=True)
class RandomMates:
    """Any board, whatever it costs: the replacement alone selects."""

    def __call__(
        self, costs: Costs, matings: int, parents: int, problem: Problem, rng: Stream
    ) -> Mates:
        return integers(rng, len(costs), matings * parents).reshape(matings, parents)


@dataclass(frozen=True)
class Pool:
    """Mates drawn evenly from a mating pool that `inner` fills (reports 003 and 004).

    The pool has `size` places (0: as many as the population), and a board may take several.
    With `distinct`, the members of a mating come from different places, as far as there are any:
    "two different parents" of report 004 are read like report 003's `random.sample`.
    """

    inner: Selection = Tournament(2)
    size: int = 0
    distinct: bool = True

    def __post_init__(self) -> None:
        if self.size < 0:
            raise RecipeError(
                f"expected a pool of 1 or more places, or 0 for the population's, got {self.size}"
            )

    def fits(self, encoding: Encoding, fitness: Fitness) -> str | None:
        return misfit(self.inner, encoding, fitness)

    def __call__(
        self, costs: Costs, matings: int, parents: int, problem: Problem, rng: Stream
    ) -> Mates:
        pool = self.inner(costs, self.size or len(costs), 1, problem, rng)
        return from_pool(pool, matings, parents, self.distinct, rng)


SELECTIONS: tuple[type[Selection], ...] = (
    Roulette,
    InvertedRoulette,
    UniversalSampling,
    Tournament,
    Rank,
    ExponentialRank,
    Truncation,
    RandomMates,
    Pool,
)


def lacks_a_wheel(fitness: Fitness) -> str | None:
    """Why no roulette can be made of a fitness's scores, if so."""
    if fitness.maximise:
        return None
    return (
        "its score is minimised, and the worst would have the best chances; use inverted-roulette"
    )


def weights_of(costs: Costs, problem: Problem) -> Weights:
    """The scores, as the one type of array the kernels are compiled for."""
    return np.ascontiguousarray(problem.scores(costs), np.float64)


@kernel
def wheel(weights: Weights) -> Weights:
    """Where the sector of every board ends: an even wheel where the weights make none."""
    ends = np.empty(len(weights), np.float64)
    total = 0.0
    for i in range(len(weights)):
        if weights[i] > 0:
            total += weights[i]
        ends[i] = total
    if not 0 < total < np.inf:
        for i in range(len(weights)):
            ends[i] = i + 1
    return ends


@kernel
def spins(weights: Weights, matings: int, parents: int, rng: Any) -> Mates:
    """A spin for every parent.

    The search for its sector starts where an even share of the wheel says (a guide table: Chen &
    Asau, 1974), on average less than two sectors too early.
    """
    ends = wheel(weights)
    count, last = len(ends), len(ends) - 1
    total = ends[last]
    guide = np.empty(count, np.int64)
    place = 0
    for i in range(count):
        while place < last and ends[place] <= i * total / count:
            place += 1
        guide[i] = place
    mates = np.empty((matings, parents), np.int64)
    for i in range(matings):
        for j in range(parents):
            turn = uniform(rng)
            place = guide[np.int64(turn * count)]
            while place < last and ends[place] <= turn * total:
                place += 1
            mates[i, j] = place
    return mates


@kernel
def pointers(weights: Weights, matings: int, parents: int, rng: Any) -> Mates:
    """One spin of a wheel with a pointer for every parent."""
    ends = wheel(weights)
    last = len(ends) - 1
    slots = matings * parents
    mates = np.empty(slots, np.int64)
    turn = uniform(rng)
    place = 0
    for i in range(slots):
        while place < last and ends[place] <= (i + turn) / slots * ends[last]:
            place += 1
        mates[i] = place
    shuffle(rng, mates)
    return mates.reshape((matings, parents))


@kernel
def tournaments(costs: Costs, matings: int, parents: int, size: int, rng: Any) -> Mates:
    """Every winner of `size` draws with replacement."""
    winners = np.empty((matings, parents), np.int64)
    for i in range(matings):
        for j in range(parents):
            best = below(rng, len(costs))
            for _ in range(size - 1):
                other = below(rng, len(costs))
                if costs[other] < costs[best]:
                    best = other
            winners[i, j] = best
    return winners


@kernel
def sampled_tournaments(costs: Costs, matings: int, parents: int, size: int, rng: Any) -> Mates:
    """Every winner of up to `size` draws without replacement."""
    order = np.arange(len(costs))  # in any order, the first places of a shuffle are a fair sample
    winners = np.empty((matings, parents), np.int64)
    for i in range(matings):
        for j in range(parents):
            best = -1
            for place in range(min(size, len(costs))):
                drawn = place + below(rng, len(costs) - place)
                order[place], order[drawn] = order[drawn], order[place]
                if best < 0 or costs[order[place]] < costs[best]:
                    best = order[place]
            winners[i, j] = best
    return winners


@kernel
def winning(costs: Costs, order: NDArray[np.int64], size: int, replace: bool) -> Weights:
    """The chance of every board to win a tournament: equal for equally good boards.

    All of a tournament's draws miss the best b of N boards with probability ((N − b) / N)^size,
    without replacement with the product of (N − size − i) / (N − i) over i < b.
    """
    count = len(costs)
    chances = np.empty(count, np.float64)
    misses_better, misses = 1.0, 1.0
    start = 0
    for place in range(count):
        misses *= max(0.0, count - size - place) / (count - place)
        if place == count - 1 or costs[order[place + 1]] != costs[order[place]]:
            if replace:
                misses = ((count - 1.0 - place) / count) ** size
            for equal in range(start, place + 1):
                chances[order[equal]] = (misses_better - misses) / (place + 1 - start)
            misses_better, start = misses, place + 1
    return chances


@kernel
def by_rank(order: NDArray[np.int64], matings: int, parents: int, rng: Any) -> Mates:
    """The higher of two different numbers of 0 … N is r with probability r / (1 + … + N)."""
    count = len(order)
    mates = np.empty((matings, parents), np.int64)
    for i in range(matings):
        for j in range(parents):
            one, two = below(rng, count + 1), below(rng, count)
            if two >= one:
                two += 1
            mates[i, j] = order[count - max(one, two)]
    return mates


def best_first(costs: Costs) -> NDArray[np.int64]:
    """The boards in order of cost, equal ones in the order they stand in."""
    # NumPy sorts 16 bits by counting: almost as fast as a kernel of ours, with nothing to compile.
    narrow = costs.astype(np.uint16) if costs.view(np.uint32).max() < 2**16 else costs
    return np.argsort(narrow, kind="stable")


@kernel
def from_pool(pool: Mates, matings: int, parents: int, distinct: bool, rng: Any) -> Mates:
    """Members of a pool `[places, 1]`; distinct places until all are taken, then anew."""
    places = np.empty(len(pool), np.int64)
    for place in range(len(pool)):  # np.arange takes twice as long to compile
        places[place] = place
    mates = np.empty((matings, parents), np.int64)
    for i in range(matings):
        for j in range(parents):
            taken = j % len(pool) if distinct else 0
            drawn = taken + below(rng, len(pool) - taken)
            places[taken], places[drawn] = places[drawn], places[taken]
            mates[i, j] = pool[places[taken], 0]
    return mates
