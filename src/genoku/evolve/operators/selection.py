"""Selection of parents: every operator returns indices `[matings, parents]` into the population.

Lower cost is better. Matings are drawn with replacement: a good board may be a parent many times,
and, except with `Pool`, may mate with itself.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from genoku.errors import require_above, require_at_least, require_between
from genoku.evolve.encoding import Encoding
from genoku.evolve.fitness import Costs, Fitness
from genoku.evolve.problem import Problem, misfit_reason
from genoku.runtime.jit import kernel
from genoku.runtime.random import Stream, below, integers, shuffle, uniform

Mates = NDArray[np.int64]  #: Indices into the population, `[matings, parents]`
Weights = NDArray[np.float64]  # of every board, proportional to its chance of being drawn
PLAYED = 5  # tournaments up to this size are faster to play than to compute


class Selection(Protocol):
    """Draws the parents of every mating: `[matings, parents]` indices into the population."""

    def __call__(
        self, costs: Costs, matings: int, parents: int, problem: Problem, rng: Stream
    ) -> Mates: ...


@dataclass(frozen=True)
class Roulette:
    """Draw boards with chances proportional to their score (reports 000 and 002, proposed by 001).

    A score below 0 counts as 0. If no score is above 0, all boards have the same chance.
    """

    def fits(self, encoding: Encoding, fitness: Fitness) -> str | None:
        if fitness.maximise:
            return None
        return (
            "its score is minimised, so the worst boards would be preferred; use inverted-roulette"
        )

    def __call__(
        self, costs: Costs, matings: int, parents: int, problem: Problem, rng: Stream
    ) -> Mates:
        return spin_roulette(weights_of(costs, problem), matings, parents, rng)


@dataclass(frozen=True)
class InvertedRoulette:
    """Draw boards with chances proportional to 1 / (1 + cost).

    It works with any fitness; report 002 does not say how roulette works where lower is better.
    """

    def __call__(
        self, costs: Costs, matings: int, parents: int, problem: Problem, rng: Stream
    ) -> Mates:
        return spin_roulette(np.asarray(1.0 / (1.0 + costs), np.float64), matings, parents, rng)


@dataclass(frozen=True)
class UniversalSampling(Roulette):
    """Draw all parents by one spin of a roulette with evenly spaced pointers (Baker, 1987).

    Every board is a parent as often as its share of all scores says, rounded down or up. The
    parents are then shuffled into matings.
    """

    def __call__(
        self, costs: Costs, matings: int, parents: int, problem: Problem, rng: Stream
    ) -> Mates:
        return spin_universal(weights_of(costs, problem), matings, parents, rng)


@dataclass(frozen=True)
class Tournament:
    """Take the best of `size` boards drawn at random; the first drawn wins a tie.

    `replace=False` draws different boards, at most all of them (reports 002 and 003; reports 000
    and 004 do not say). Large tournaments are not played: a roulette with every board's chance of
    winning gives the same distribution.
    """

    size: int = 2
    replace: bool = True

    def __post_init__(self) -> None:
        require_at_least(self, size=1)

    def __call__(
        self, costs: Costs, matings: int, parents: int, problem: Problem, rng: Stream
    ) -> Mates:
        if self.size > PLAYED:
            chances = winning_chances(costs, best_first(costs), self.size, self.replace)
            return spin_roulette(chances, matings, parents, rng)
        if self.replace:
            return play_tournaments(costs, matings, parents, self.size, rng)
        return play_sampled_tournaments(costs, matings, parents, self.size, rng)


@dataclass(frozen=True)
class Rank:
    """Draw boards with chances proportional to their rank: worst 1, best N (report 002).

    Report 000 does not give its probabilities. Of equally good boards the first ranks highest.
    """

    def __call__(
        self, costs: Costs, matings: int, parents: int, problem: Problem, rng: Stream
    ) -> Mates:
        return draw_by_rank(best_first(costs), matings, parents, rng)


@dataclass(frozen=True)
class ExponentialRank:
    """Draw boards with chances that rise with the rank like a geometric series.

    A possible reading of report 000. The board of rank r, worst 1 and best N, has the weight
    1 + q + q² + … + q^(r − 1), with q the `ratio`. A ratio of 1 is `Rank`. Above 1 the best boards
    are preferred: in a population of 500, 1.01 draws the best five times as often as the average.
    Below 1 the chances level off: with 1/e, the exponential ranking of Eiben and Smith, all but the
    worst few are drawn equally often.
    """

    ratio: float = 1.01

    def __post_init__(self) -> None:
        require_above(self, ratio=0)

    def __call__(
        self, costs: Costs, matings: int, parents: int, problem: Problem, rng: Stream
    ) -> Mates:
        weights = np.empty(len(costs), np.float64)
        weights[best_first(costs)] = self.weights(len(costs))
        return spin_roulette(weights, matings, parents, rng)

    def weights(self, count: int) -> Weights:
        """The weights of `count` boards, best first."""
        ranks, growth = np.arange(count, 0, -1.0), math.log(self.ratio)
        if growth > 0:  # q^r soon exceeds all numbers, q^(r − N) does not
            return np.exp((ranks - count) * growth) - math.exp(-count * growth)
        return -np.expm1(ranks * growth) if growth else ranks


@dataclass(frozen=True)
class Truncation:
    """Draw any of the best `share` of the boards, at least one (report 001: the best half)."""

    share: float = 0.5

    def __post_init__(self) -> None:
        require_above(self, share=0)
        require_between(self, 0, 1, "share")

    def __call__(
        self, costs: Costs, matings: int, parents: int, problem: Problem, rng: Stream
    ) -> Mates:
        # 0.07 × 100 is a little more than 7 in floating point
        best = max(1, math.ceil(self.share * len(costs) - 1e-9))
        places = integers(rng, best, matings * parents).reshape(matings, parents)
        return best_first(costs)[places]


@dataclass(frozen=True)
class RandomMates:
    """Draw any board, whatever its cost: only the replacement selects."""

    def __call__(
        self, costs: Costs, matings: int, parents: int, problem: Problem, rng: Stream
    ) -> Mates:
        return integers(rng, len(costs), matings * parents).reshape(matings, parents)


@dataclass(frozen=True)
class Pool:
    """Draw mates uniformly from a mating pool that `inner` fills (reports 003 and 004).

    The pool has `size` places (0: as many as the population); a board may take several. With
    `distinct`, the parents of a mating come from different places while there are any left:
    report 004's "two different parents" are read like report 003's `random.sample`.
    """

    inner: Selection = Tournament(2)
    size: int = 0
    distinct: bool = True

    def __post_init__(self) -> None:
        require_at_least(self, size=0)

    def fits(self, encoding: Encoding, fitness: Fitness) -> str | None:
        return misfit_reason(self.inner, encoding, fitness)

    def __call__(
        self, costs: Costs, matings: int, parents: int, problem: Problem, rng: Stream
    ) -> Mates:
        pool = self.inner(costs, self.size or len(costs), 1, problem, rng)
        return draw_from_pool(pool, matings, parents, self.distinct, rng)


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


def weights_of(costs: Costs, problem: Problem) -> Weights:
    """The scores, as the one type of array the kernels are compiled for."""
    return np.ascontiguousarray(problem.scores(costs), np.float64)


@kernel
def wheel(weights: Weights) -> Weights:
    """The end of every board's sector; sectors are equal if the weights do not add up."""
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
def spin_roulette(weights: Weights, matings: int, parents: int, rng: Any) -> Mates:
    """Spin the wheel once for every parent.

    A guide table (Chen & Asau, 1974) says where the search for a sector starts: on average less
    than two sectors before it.
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
def spin_universal(weights: Weights, matings: int, parents: int, rng: Any) -> Mates:
    """Spin a wheel with a pointer for every parent once."""
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
def play_tournaments(costs: Costs, matings: int, parents: int, size: int, rng: Any) -> Mates:
    """The winners of tournaments of `size`, drawn with replacement."""
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
def play_sampled_tournaments(
    costs: Costs, matings: int, parents: int, size: int, rng: Any
) -> Mates:
    """The winners of tournaments of up to `size`, drawn without replacement."""
    order = np.arange(len(costs))  # reused: the first places of a shuffle are a fair sample
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
def winning_chances(costs: Costs, order: NDArray[np.int64], size: int, replace: bool) -> Weights:
    """Every board's chance of winning a tournament: the same for equally good boards.

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
def draw_by_rank(order: NDArray[np.int64], matings: int, parents: int, rng: Any) -> Mates:
    """Draw ranks: the higher of two different numbers of 0 … N is r with chance r / (1 + … + N)."""
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
    """The indices of boards by cost; equal ones keep their order."""
    # NumPy sorts 16 bits by counting: almost as fast as a kernel, with nothing to compile
    narrow = costs.astype(np.uint16) if costs.view(np.uint32).max() < 2**16 else costs
    return np.argsort(narrow, kind="stable")


@kernel
def draw_from_pool(pool: Mates, matings: int, parents: int, distinct: bool, rng: Any) -> Mates:
    """Draw members of a pool `[places, 1]`; distinct ones until all places are used."""
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
