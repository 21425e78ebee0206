"""Operators that break the contract, each in its own way: `check_operator` must catch them all."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from genoku.evolve.fitness import MissingDigits, Repetitions
from genoku.evolve.operators.mutation import Reset, Swap
from genoku.runtime.random import below, uniforms


class Zoo:
    """Operators that break the contract, and what is said about each."""

    def __init__(self) -> None:
        self.animals: list[Any] = []

    def __call__(self, kind: str, sentence: str) -> Callable[[Any], Any]:
        def caught(animal: Any) -> Any:
            made = animal() if isinstance(animal, type) else animal
            self.animals.append(pytest.param(made, kind, sentence, id=animal.__name__))
            return animal

        return caught


zoo = Zoo()


@zoo("mutation", "expected new boards, got the old ones")
def does_nothing_at_all(boards: Any, rate: Any, problem: Any, rng: Any) -> Any:
    return boards


@zoo("mutation", "expected its inputs to stay as they were, got them changed")
def changes_in_place(boards: Any, rate: Any, problem: Any, rng: Any) -> Any:
    boards[:, problem.space.genes] = 1
    return boards.copy()


@zoo("mutation", "expected its inputs to stay as they were")
def changes_the_space(boards: Any, rate: Any, problem: Any, rng: Any) -> Any:
    problem.space.genes[:] = 0
    return boards.copy()


@zoo("mutation", "expected the givens to be kept, got other digits in their place")
def changes_givens(boards: Any, rate: Any, problem: Any, rng: Any) -> Any:
    return boards % problem.puzzle.side + 1 if rate else boards.copy()


@zoo("mutation", r"expected boards of permuted-rows, got \[")
def breaks_what_is_kept(boards: Any, rate: Any, problem: Any, rng: Any) -> Any:
    return Reset()(boards, rate, problem, rng)


@zoo("mutation", "expected boards of free-cells")
def leaves_blanks(boards: Any, rate: Any, problem: Any, rng: Any) -> Any:
    changed = boards.copy()
    changed[:, problem.space.genes] *= rate == 0
    return changed


@zoo("mutation", "expected rate 0 to change nothing, got [0-9]+ changed")
@dataclass(frozen=True)
class IgnoresTheRate:
    inner: Any = Swap()

    def fits(self, encoding: Any, fitness: Any) -> str | None:
        return self.inner.fits(encoding, fitness)

    def __call__(self, boards: Any, rate: Any, problem: Any, rng: Any) -> Any:
        return self.inner(boards, 1.0, problem, rng)


@zoo("mutation", "expected rate 0.5 to change half as many boards as rate 1, 4.% of them, got 2.%")
class AppliesTheRateTwice(IgnoresTheRate):
    def __call__(self, boards: Any, rate: Any, problem: Any, rng: Any) -> Any:
        changed = self.inner(boards, rate, problem, rng)
        spared = uniforms(rng, len(boards)) >= rate
        changed[spared] = boards[spared]
        return changed


@zoo("mutation", "expected all randomness to come from rng, got draws from the generator")
class DrawsFromNumPy(IgnoresTheRate):
    def __call__(self, boards: Any, rate: Any, problem: Any, rng: Any) -> Any:
        np.random.random()
        return boards.copy()


@zoo("mutation", "expected all randomness to come from rng, got draws from the generator")
class DrawsFromPython(IgnoresTheRate):
    def __call__(self, boards: Any, rate: Any, problem: Any, rng: Any) -> Any:
        return boards.copy() if random.random() < 2 else boards


@zoo("mutation", "expected the same result from the same stream, got two")
class HasAGeneratorOfItsOwn(IgnoresTheRate):
    def __call__(self, boards: Any, rate: Any, problem: Any, rng: Any) -> Any:
        seed = int(np.random.default_rng().integers(2**63))
        return self.inner(boards, rate, problem, np.array([seed, 1], np.uint64))


@zoo("mutation", "expected the same result from the same stream, got two")
class Remembers(IgnoresTheRate):
    calls: Any = ()

    def __call__(self, boards: Any, rate: Any, problem: Any, rng: Any) -> Any:
        object.__setattr__(self, "calls", (*self.calls, 1))
        for _ in self.calls:
            below(rng, 2)
        return boards.copy()


@zoo("mutation", "expected an array of uint8, got int64")
def widens(boards: Any, rate: Any, problem: Any, rng: Any) -> Any:
    return boards.astype(np.int64)


@zoo("mutation", r"expected an array of shape \(8, 16\), got \(7, 16\)")
def loses_a_board(boards: Any, rate: Any, problem: Any, rng: Any) -> Any:
    return boards[1:].copy()


@zoo("mutation", "expected boards one after the other, got a view")
def transposes(boards: Any, rate: Any, problem: Any, rng: Any) -> Any:
    return np.asfortranarray(boards)


@zoo("mutation", "expected boards that can be changed, got read-only ones")
def freezes(boards: Any, rate: Any, problem: Any, rng: Any) -> Any:
    frozen = boards.copy()
    frozen.flags.writeable = False
    return frozen


@zoo("mutation", "expected an array, got list")
def lists(boards: Any, rate: Any, problem: Any, rng: Any) -> Any:
    return boards.tolist()


@zoo("mutation", r"expected no exception, got IndexError: .* \(4×4, 0 blanks, free-cells, seed 0\)")
def needs_a_blank(boards: Any, rate: Any, problem: Any, rng: Any) -> Any:
    problem.space.genes[0]
    return boards.copy()


@zoo("mutation", "expected an encoding that it fits, got none")
class FitsNothing(IgnoresTheRate):
    def fits(self, encoding: Any, fitness: Any) -> str | None:
        return "it never does"


@zoo("mutation", "expected a callable as mutation, got 42")
class Number:
    def __new__(cls) -> Any:
        return 42


@zoo("crossover", "expected crossover with parents and children")
def parentless(boards: Any, mates: Any, problem: Any, rng: Any) -> Any:
    return boards[mates[:, 0]]


class Cross:
    parents = 2
    children = 2


@zoo("crossover", r"expected an array of shape \(12, 16\), got \(6, 16\)")
class MakesTooFew(Cross):
    def __call__(self, boards: Any, mates: Any, problem: Any, rng: Any) -> Any:
        return boards[mates[:, 0]]


@zoo("crossover", "expected boards of permuted-rows")
class TearsGroups(Cross):
    children = 1

    def __call__(self, boards: Any, mates: Any, problem: Any, rng: Any) -> Any:
        side = problem.puzzle.side
        made = boards[mates[:, 0]]
        made[:, : side * side // 2] = boards[mates[:, 1], : side * side // 2]
        return made


@zoo("selection", "expected places from 0 to 7, got")
def selects_nobody(costs: Any, matings: Any, parents: Any, problem: Any, rng: Any) -> Any:
    return np.full((matings, parents), len(costs))


@zoo("selection", "expected places from 0 to 7, got")
def selects_from_the_end(costs: Any, matings: Any, parents: Any, problem: Any, rng: Any) -> Any:
    return np.full((matings, parents), -1)


@zoo("selection", r"expected an array of shape \(5, 2\), got \(2, 5\)")
def selects_sideways(costs: Any, matings: Any, parents: Any, problem: Any, rng: Any) -> Any:
    return np.zeros((parents, matings), np.int64)


@zoo("selection", "expected its inputs to stay as they were")
def sorts_the_costs(costs: Any, matings: Any, parents: Any, problem: Any, rng: Any) -> Any:
    costs[:] = np.sort(costs) + 1
    return np.zeros((matings, parents), np.int64)


@zoo("repeats", "expected 0 times or more, got -1")
def undoes(count: Any, problem: Any, rng: Any) -> Any:
    return np.full(count, -1)


@zoo("repeats", "expected an array of int64, got float64")
def half_times(count: Any, problem: Any, rng: Any) -> Any:
    return np.full(count, 0.5)


@zoo("replacement", r"expected an array of shape \(8,\), got \(16,\)")
def everybody_lives(brood: Any, problem: Any, rng: Any) -> Any:
    return np.arange(len(brood.costs) + len(brood.new_costs))[:16]


@zoo("replacement", "expected places from 0 to 11, got")
def wants_many_children(brood: Any, problem: Any, rng: Any) -> Any:
    return np.arange(8) + len(brood.costs)


@zoo("diversity", "expected every place once")
def replaces_twice(children: Any, boards: Any, problem: Any, rng: Any) -> Any:
    return np.zeros(2, np.int64)


@zoo("diversity", "expected an array of int64, got bool")
def says_who_by_mask(children: Any, boards: Any, problem: Any, rng: Any) -> Any:
    return np.ones(len(children), np.bool_)


@zoo("adaptation", "expected a dict with a rate, got {}")
def forgets_the_rate(memory: Any, progress: Any, problem: Any) -> Any:
    return {}


@zoo("adaptation", "expected finite numbers, got")
def runs_away(memory: Any, progress: Any, problem: Any) -> Any:
    return {"rate": float("inf")}


@zoo("adaptation", "expected finite numbers, got")
def writes_words(memory: Any, progress: Any, problem: Any) -> Any:
    return {"rate": 1.0, "mood": "good"}


@zoo("adaptation", "expected a rate of 0 or more, got")
def goes_below(memory: Any, progress: Any, problem: Any) -> Any:
    return {"rate": 0.5 - progress.step}


@zoo("adaptation", "expected its inputs to stay as they were")
def edits_its_memory(memory: Any, progress: Any, problem: Any) -> Any:
    if memory is None:
        return {"rate": 1.0}
    memory["rate"] /= 2
    return dict(memory)


class Costs(Repetitions):
    """Ours, with one thing wrong."""


@zoo("fitness", "expected a cost above 0 for a board that is not solved, got 0")
class BlindToBoxes(Costs):
    def costs(self, boards: Any, puzzle: Any) -> Any:
        return MissingDigits(penalty=0).costs(boards, puzzle)


@zoo("fitness", "expected a cost above 0 for a board that is not solved, got 0")
class BlindToColumns(Costs):
    def costs(self, boards: Any, puzzle: Any) -> Any:
        rows = puzzle.geometry.units[: puzzle.side]
        return np.array([sum(puzzle.side - len(set(b[r])) for r in rows) for b in boards], np.int32)


@zoo("fitness", "expected cost 0 for a solved board, got 1")
class NeverContent(Costs):
    def costs(self, boards: Any, puzzle: Any) -> Any:
        return super().costs(boards, puzzle) + np.int32(1)


@zoo("fitness", "expected an array of int32, got float64")
class FloatCosts(Costs):
    def costs(self, boards: Any, puzzle: Any) -> Any:
        return super().costs(boards, puzzle) / 2


@zoo("fitness", "expected no cost above the worst, 1, got")
class Underestimates(Costs):
    def worst(self, geometry: Any) -> int:
        return 1


@zoo("fitness", "expected higher scores for lower costs, got")
class UpsideDown(Costs):
    maximise = True


@zoo("fitness", "expected lower scores for lower costs, got")
class AllAlike(Costs):
    def score(self, costs: Any, geometry: Any) -> Any:
        return np.zeros(len(costs))


@zoo("fitness", "expected finite scores, got")
class DividesByCost(Costs):
    def score(self, costs: Any, geometry: Any) -> Any:
        with np.errstate(divide="ignore"):
            return 1 / costs


@zoo("fitness", "expected fitness with worst and .*, got JustCosts without")
class JustCosts:
    costs = score = loss = None
