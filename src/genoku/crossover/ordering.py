"""Crossovers that mix the order of digits inside the groups of a permuted encoding.

Parents hold the same digits in every group, in another order, and so must their children. These
are the permutation crossovers of the textbooks, at work in every group by itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genoku.crossover.mating import check_rate
from genoku.encoding import Boards, Encoding
from genoku.fitness import Fitness
from genoku.jit import kernel
from genoku.problem import Problem
from genoku.selection import Mates
from genoku.stream import Stream, below, uniform

Spans = NDArray[np.int64]
"""For every mating and group, its first place and the place after its last: `[…, …, 2]`."""


@dataclass(frozen=True)
class WithinGroups:
    """Two children of two parents, each group by itself."""

    rate: float = 1.0

    parents = 2
    children = 2

    def __post_init__(self) -> None:
        check_rate(self.rate)

    def fits(self, encoding: Encoding, fitness: Fitness) -> str | None:
        if encoding.keeps != "none":
            return None
        return "it mixes the order inside permuted rows, columns or boxes, and none are kept"


@dataclass(frozen=True)
class PartiallyMatched(WithinGroups):
    """Exchange a random span of every group and swap what is then double (report 000's wish).

    PMX: each child takes the other parent's digits in the span. Where it held such a digit
    before, it now holds what that digit drove out.
    A mating crosses with probability `rate`; else its children are copies.
    """

    def __call__(self, boards: Boards, mates: Mates, problem: Problem, rng: Stream) -> Boards:
        groups, sizes = problem.space.groups, problem.space.sizes
        spans = random_spans(sizes, len(mates), self.rate, rng)
        return match_spans(boards, mates, groups, sizes, spans)


@dataclass(frozen=True)
class Order(WithinGroups):
    """Keep a random span of every group, and order the other digits as the other parent does.

    OX: the other digits come in the order in which they follow the span in the other parent,
    and fill the places after the span; both go round at the end of the group.
    A mating crosses with probability `rate`; else its children are copies.
    """

    def __call__(self, boards: Boards, mates: Mates, problem: Problem, rng: Stream) -> Boards:
        groups, sizes = problem.space.groups, problem.space.sizes
        spans = random_spans(sizes, len(mates), self.rate, rng)
        return keep_spans(boards, mates, groups, sizes, spans)


@dataclass(frozen=True)
class Cycle(WithinGroups):
    """Exchange cycles: places of a group where both parents hold the same digits.

    CX, with a coin for every cycle. Textbooks let the cycles take turns, from the first place
    on; with many groups in a board, their first places would never part.
    A mating crosses with probability `rate`; else its children are copies.
    """

    def __call__(self, boards: Boards, mates: Mates, problem: Problem, rng: Stream) -> Boards:
        space = problem.space
        return exchange_cycles(boards, mates, space.groups, space.sizes, self.rate, rng)


@dataclass(frozen=True)
class Agreement(WithinGroups):
    """Keep the digits on which both parents agree, and shuffle the others of every group.

    What good boards have in common is more often right than the rest of them. Where the parents
    agree nowhere, their children are random boards; where they agree everywhere, copies.
    A mating crosses with probability `rate`; else its children are copies.
    """

    def __call__(self, boards: Boards, mates: Mates, problem: Problem, rng: Stream) -> Boards:
        space = problem.space
        return shuffle_differences(boards, mates, space.groups, space.sizes, self.rate, rng)


@kernel
def random_spans(sizes: NDArray[np.int64], matings: int, rate: float, rng: Any) -> Spans:
    """A span between two distinct cuts in every group of a mating that crosses, else empty."""
    spans = np.zeros((matings, len(sizes), 2), np.int64)
    for i in range(matings):
        if uniform(rng) < rate:
            for group in range(len(sizes)):
                one = below(rng, sizes[group] + 1)
                two = below(rng, sizes[group])
                if two >= one:
                    two += 1
                spans[i, group, 0] = min(one, two)
                spans[i, group, 1] = max(one, two)
    return spans


@kernel
def match_spans(
    boards: Boards,
    mates: Mates,
    groups: NDArray[np.int64],
    sizes: NDArray[np.int64],
    spans: Spans,
) -> Boards:
    """Two children of every mating by PMX, as swaps inside each child."""
    cells = boards.shape[1]
    children = np.empty((2 * len(mates), cells), np.uint8)
    place_of = np.zeros(groups.shape[1] + 1, np.int64)
    for child in range(len(children)):
        own, other = mates[child // 2, child % 2], mates[child // 2, 1 - child % 2]
        for cell in range(cells):
            children[child, cell] = boards[own, cell]
        for group in range(len(groups)):
            start, stop = spans[child // 2, group, 0], spans[child // 2, group, 1]
            if start == stop:
                continue
            for place in range(sizes[group]):
                place_of[boards[own, groups[group, place]]] = place
            for place in range(start, stop):
                here = groups[group, place]
                leaves, comes = children[child, here], boards[other, here]
                there = place_of[comes]
                children[child, groups[group, there]] = leaves
                children[child, here] = comes
                place_of[leaves] = there
                place_of[comes] = place
    return children


@kernel
def keep_spans(
    boards: Boards,
    mates: Mates,
    groups: NDArray[np.int64],
    sizes: NDArray[np.int64],
    spans: Spans,
) -> Boards:
    """Two children of every mating by order crossover."""
    cells = boards.shape[1]
    children = np.empty((2 * len(mates), cells), np.uint8)
    is_kept = np.zeros(groups.shape[1] + 1, np.bool_)
    for child in range(len(children)):
        own, other = mates[child // 2, child % 2], mates[child // 2, 1 - child % 2]
        for cell in range(cells):
            children[child, cell] = boards[own, cell]
        for group in range(len(groups)):
            start, stop = spans[child // 2, group, 0], spans[child // 2, group, 1]
            if start == stop:
                continue
            for place in range(sizes[group]):
                is_kept[boards[own, groups[group, place]]] = start <= place < stop
            target = stop if stop < sizes[group] else 0
            source = target
            for _ in range(sizes[group]):
                digit = boards[other, groups[group, source]]
                source = source + 1 if source + 1 < sizes[group] else 0
                if not is_kept[digit]:
                    children[child, groups[group, target]] = digit
                    target = target + 1 if target + 1 < sizes[group] else 0
    return children


@kernel
def exchange_cycles(
    boards: Boards,
    mates: Mates,
    groups: NDArray[np.int64],
    sizes: NDArray[np.int64],
    rate: float,
    rng: Any,
) -> Boards:
    """Two children of every mating by cycle crossover."""
    cells = boards.shape[1]
    children = np.empty((2 * len(mates), cells), np.uint8)
    cell_of = np.zeros(groups.shape[1] + 1, np.int64)
    for i in range(len(mates)):
        one, two = mates[i, 0], mates[i, 1]
        for cell in range(cells):
            children[2 * i, cell] = boards[one, cell]
            children[2 * i + 1, cell] = boards[two, cell]
        if uniform(rng) >= rate:
            continue
        for group in range(len(groups)):
            for place in range(sizes[group]):
                cell = groups[group, place]
                cell_of[boards[one, cell]] = cell
            for place in range(sizes[group]):
                cell = groups[group, place]
                # Digits of cells already visited have lost their cell; equal ones need no coin.
                if cell_of[boards[one, cell]] < 0 or boards[one, cell] == boards[two, cell]:
                    continue
                swaps = below(rng, 2) == 1
                while cell >= 0:  # until back where the cycle began
                    cell_of[boards[one, cell]] = -1
                    if swaps:
                        children[2 * i, cell] = boards[two, cell]
                        children[2 * i + 1, cell] = boards[one, cell]
                    cell = cell_of[boards[two, cell]]
    return children


@kernel
def shuffle_differences(
    boards: Boards,
    mates: Mates,
    groups: NDArray[np.int64],
    sizes: NDArray[np.int64],
    rate: float,
    rng: Any,
) -> Boards:
    """Two children of every mating, each with a shuffle of its own where the parents differ."""
    cells = boards.shape[1]
    children = np.empty((2 * len(mates), cells), np.uint8)
    differing = np.empty(groups.shape[1], np.int64)
    for i in range(len(mates)):
        one, two = mates[i, 0], mates[i, 1]
        for cell in range(cells):
            children[2 * i, cell] = boards[one, cell]
            children[2 * i + 1, cell] = boards[two, cell]
        if uniform(rng) >= rate:
            continue
        for group in range(len(groups)):
            count = 0
            for place in range(sizes[group]):
                cell = groups[group, place]
                if boards[one, cell] != boards[two, cell]:
                    differing[count] = cell
                    count += 1
            for child in range(2 * i, 2 * i + 2):
                for last in range(count - 1, 0, -1):
                    here, there = differing[last], differing[below(rng, last + 1)]
                    digit = children[child, here]
                    children[child, here] = children[child, there]
                    children[child, there] = digit
    return children
