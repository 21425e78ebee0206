"""Encodings and algorithms that break the contract, for the zoo."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from zoo import zoo

from genoku.evolve.algorithms import Genetic
from genoku.evolve.encoding import FreeCells, PermutedRows, SearchSpace
from genoku.evolve.fitness import Fitness, Repetitions


@zoo("encoding", "expected a space that keeps box, got none")
class Promises(FreeCells):
    keeps = "box"


@zoo("encoding", "expected every box complete, got a repeated digit")
class PromisesMore(Promises):
    def space(self, puzzle: Any) -> SearchSpace:
        return replace(PermutedRows().space(puzzle), keeps="box")


@zoo("encoding", "expected a space with the solution, got one without")
class OnesOnly(FreeCells):
    def space(self, puzzle: Any) -> SearchSpace:
        space = super().space(puzzle)
        return replace(space, choices=np.minimum(space.choices, 1))


@zoo("encoding", "expected keeps to be none, row, column, box or rules, got 'diagonal'")
class KeepsDiagonals(FreeCells):
    keeps: ClassVar[Any] = "diagonal"


@zoo("encoding", r"expected a space for a solvable puzzle, got IndexError: .* \(Puzzle\.parse")
class NeedsABlank(FreeCells):
    def space(self, puzzle: Any) -> SearchSpace:
        np.flatnonzero(puzzle.board == 0)[0]
        return super().space(puzzle)


@zoo("encoding", "expected a SearchSpace, got NoneType")
class ForgetsToReturn(FreeCells):
    def space(self, puzzle: Any) -> Any:
        super().space(puzzle)


@zoo("encoding", "expected no objection to a solvable puzzle, got 'too hard'")
class Refuses(FreeCells):
    def space(self, puzzle: Any) -> SearchSpace:
        return replace(super().space(puzzle), refuted="too hard")


@zoo("encoding", "expected one space for one puzzle, got two")
class ThinksAgain(FreeCells):
    def space(self, puzzle: Any) -> SearchSpace:
        space, met = super().space(puzzle), vars(self).setdefault("met", set())
        fewer = int(puzzle in met)  # kept from call to call
        met.add(puzzle)
        return replace(space, choices=space.choices - fewer)


@zoo("encoding", "expected the blanks in reading order as genes")
class WritesBackwards(FreeCells):
    def space(self, puzzle: Any) -> SearchSpace:
        space = super().space(puzzle)
        return replace(space, genes=space.genes[::-1].copy())


@zoo("encoding", "expected every blank in one group, got")
class ForgetsABlank(FreeCells):
    def space(self, puzzle: Any) -> SearchSpace:
        space = super().space(puzzle)
        return replace(
            space,
            groups=space.groups[1:],
            sizes=space.sizes[1:],
            digits=space.digits[1:],
            choices=space.choices[1:],
        )


@zoo("encoding", "expected digits from 1 to 4, got")
class CountsFromZero(FreeCells):
    def space(self, puzzle: Any) -> SearchSpace:
        space = super().space(puzzle)
        return replace(space, digits=np.maximum(space.digits, 1) - np.uint8(1))


@zoo("encoding", "expected 1 to 4 cells and digits in every group, got")
class OffersNothing(FreeCells):
    def space(self, puzzle: Any) -> SearchSpace:
        space = super().space(puzzle)
        return replace(space, choices=np.zeros_like(space.choices))


@zoo("encoding", "expected an array of int64, got int32")
class NarrowGroups(FreeCells):
    def space(self, puzzle: Any) -> SearchSpace:
        space = super().space(puzzle)
        return replace(space, groups=space.groups.astype(np.int32))


@zoo("encoding", "expected groups of one cell where nothing is kept, got more")
class KeepsInSecret(FreeCells):
    def space(self, puzzle: Any) -> SearchSpace:
        return replace(PermutedRows().space(puzzle), keeps="none")


@zoo("encoding", "expected as many digits as cells in a group that is kept together, got others")
class OffersTooMany(PermutedRows):
    def space(self, puzzle: Any) -> SearchSpace:
        space = super().space(puzzle)
        every = np.tile(np.arange(1, puzzle.side + 1, dtype=np.uint8), (len(space.sizes), 1))
        return replace(space, digits=every, choices=np.full_like(space.choices, puzzle.side))


@dataclass(frozen=True)
class Wrapped:
    inner: Any = Genetic(population=10)
    encoding: Any = FreeCells()
    fitness: Fitness = Repetitions()

    def start(self, problem: Any, rng: Any, boards: Any = None) -> Any:
        return self.inner.start(problem, rng, boards)

    def step(self, problem: Any, state: Any) -> Any:
        return self.inner.step(problem, state)


@zoo("algorithm", "expected a step to keep the old state, got it changed")
class ReusesItsState(Wrapped):
    def step(self, problem: Any, state: Any) -> Any:
        state.boards[:] = self.inner.step(problem, state).boards
        return state._replace(step=state.step + 1)


@zoo("algorithm", "expected step 1, got 0")
class StandsStill(Wrapped):
    def step(self, problem: Any, state: Any) -> Any:
        return state


@zoo("algorithm", "expected the costs of its boards, .*, got")
class LiesAboutCosts(Wrapped):
    def step(self, problem: Any, state: Any) -> Any:
        new = self.inner.step(problem, state)
        return new._replace(costs=new.costs - np.int32(1))


@zoo("algorithm", "expected solved at cost 0 only, got")
class GivesItselfAMedal(Wrapped):
    def step(self, problem: Any, state: Any) -> Any:
        return self.inner.step(problem, state)._replace(finished="solved")


@zoo("algorithm", "expected the same step from the same state, got another")
class KeepsSomethingBeside(Wrapped):
    def start(self, problem: Any, rng: Any, boards: Any = None) -> Any:
        state = self.inner.start(problem, rng, boards)
        vars(self)["streams"] = [state.rng]
        return state

    def step(self, problem: Any, state: Any) -> Any:
        streams = vars(self)["streams"]
        new = self.inner.step(problem, state._replace(rng=streams[-1]))
        streams.append(new.rng)
        return new


@zoo("algorithm", "expected evaluations that never fall, 10 before, got 9")
class CountsBackwards(Wrapped):
    def step(self, problem: Any, state: Any) -> Any:
        return self.inner.step(problem, state)._replace(evaluations=state.evaluations - 1)


@zoo("algorithm", "expected arrays of the same types and shapes as before, .*, got")
class GrowsItsArrays(Wrapped):
    def step(self, problem: Any, state: Any) -> Any:
        new = self.inner.step(problem, state)
        return new._replace(arrays={"seen": np.zeros(new.step)})


@zoo("algorithm", "expected a memory of finite numbers, got {.*'mood': 'good'}")
class RemembersWords(Wrapped):
    def start(self, problem: Any, rng: Any, boards: Any = None) -> Any:
        state = self.inner.start(problem, rng, boards)
        return state._replace(memory={**state.memory, "mood": "good"})


@zoo("algorithm", "expected a known end, got done")
class EndsSomehow(Wrapped):
    def start(self, problem: Any, rng: Any, boards: Any = None) -> Any:
        return self.inner.start(problem, rng, boards)._replace(finished="done")


@zoo("algorithm", "expected a table of births, got")
class ListsBirths(Wrapped):
    def start(self, problem: Any, rng: Any, boards: Any = None) -> Any:
        return self.inner.start(problem, rng, boards)._replace(births=np.arange(3))


@zoo("algorithm", "expected no exception, got TypeError: .*start")
class StartsAlone(Wrapped):
    def start(self, problem: Any, rng: Any) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        return self.inner.start(problem, rng)
