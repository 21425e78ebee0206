"""The champion: a pool of partial boards that are ruined, rebuilt and recombined."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from genoku.algorithms.rebuilding import UNKNOWN, Rates, improve
from genoku.board import Board
from genoku.encoding import Boards
from genoku.errors import RecipeError
from genoku.fitness import Costs
from genoku.problem import Problem, refuse_below, refuse_other_choices, refuse_outside
from genoku.propagation import (
    CONSISTENT,
    LOCKED,
    NONE,
    ONE,
    PAIRS,
    SINGLES,
    begin,
    lay,
    links,
    new_desk,
    read_board,
)
from genoku.state import NO_BIRTHS, Finished, OnPartialBoards, State, orphans, replaced
from genoku.stream import Stream, below, uniform, uniforms

RULES = {"singles": SINGLES, "locked": LOCKED, "pairs": PAIRS}
ENDS: tuple[Finished, ...] = ("", "solved", "no solution")
STRANGERS = 0.1  # chance of a child that is worse than all to take a place all the same


@dataclass(frozen=True)
class Champion(OnPartialBoards):
    """Evolve partial boards, and let propagation fill in what follows.

    An individual is a set of *decisions*, digits in cells, with all that follows from them by the
    `rules` (`singles`; `locked` candidates too; `pairs` too). It is built decision by decision
    until a cell or a digit has no place left: the dead end. The cost is the number of cells open
    just before.

    One step makes one child for a pool of `population` and improves it by so many `tries` of ruin
    and recreate: `forget` about so many decisions, and each that shares a unit or a digit with the
    failure with probability `near`; take the others again in random order; then decide the most
    constrained cell, over and over, and keep what is no worse, or with probability
    exp(−worse / `temperature`). A cell that no digit is left for becomes heavier by `weigh`, and
    heavy cells go first.
    A digit that contradicts at once is ruled out, for good if there was no decision before it.
    Every board built is an evaluation, and every decision tried a move.

    A child is what it can `inherit`: from `agreement`, the cells on which two parents agree, each
    with probability `keep`; from one `parent` alone, equally many cells at random (the "headless
    chicken" control); or `nothing`: then every individual goes on alone (the control of
    independent trajectories, which share the weights). With probability `trust` a decision follows
    an elite board, the best of three; or, alone, its own.
    """

    short_steps: ClassVar = {"tries": 50}

    population: int = 8
    tries: int = 50
    forget: float = 8.0
    near: float = 0.6
    temperature: float = 1.0
    weigh: float = 1.0
    inherit: Literal["agreement", "parent", "nothing"] = "agreement"
    keep: float = 0.7
    trust: float = 0.5
    rules: Literal["singles", "locked", "pairs"] = "pairs"

    def __post_init__(self) -> None:
        refuse_other_choices(self)
        refuse_below(self, population=1 if self.inherit == "nothing" else 2, tries=1)
        refuse_outside(self, 0, 1, "near", "keep", "trust")
        refuse_below(self, weigh=0)
        if math.isinf(self.weigh):
            raise RecipeError("expected a finite number, got inf", path=("weigh",))
        for name in ("forget", "temperature"):
            if not getattr(self, name) > 0:
                raise RecipeError(f"expected more than 0, got {getattr(self, name)}", path=(name,))

    def start(self, problem: Problem, rng: Stream, boards: Boards | None = None) -> State:
        """A pool without decisions, or with all that given boards hold as decisions."""
        rng = rng.copy()
        desk, table = new_desk(problem.puzzle.geometry), links(problem.puzzle.geometry)
        pool = problem.first_boards(self.population, rng, boards)
        root = problem.space.puzzle.board.copy()
        marks = (pool > 0) & (root == 0)
        failed = begin(root, desk, table, RULES[self.rules])
        if failed == CONSISTENT:
            read_board(desk.masks, root)
            pool[~marks.any(axis=1)] = root
        costs, ids = problem.costs(pool), np.arange(self.population)
        solved: Finished = "solved" if costs.min() == 0 else ""
        return State(
            rng,
            pool,
            costs,
            ids,
            born=len(ids),
            births=orphans(ids),
            evaluations=len(ids),
            arrays={
                "marks": marks.astype(np.uint8),  # [population, cells] which are decisions
                "options": desk.masks[: len(root)].copy(),  # [cells] what no decision rules out
                "weights": np.ones(len(root), np.float32),  # [cells]
            },
            finished=solved if failed == CONSISTENT else "no solution",
        )

    def step(self, problem: Problem, state: State) -> State:
        """One child: conceived, improved, and given a place in the pool."""
        rng = state.rng.copy()
        options, weights = state.arrays["options"], np.fmax(state.arrays["weights"], 1)
        child = self._conceived(problem, state, rng)
        alone = self.inherit == "nothing"
        elite = state.boards[child.place if alone else fittest(state, 3, rng)]
        desk, table = new_desk(problem.puzzle.geometry), links(problem.puzzle.geometry)
        lay(options, desk, table)
        end, built, decisions = improve(
            desk,
            table,
            RULES[self.rules],
            Rates(self.forget, self.near, self.temperature, self.weigh, self.trust),
            self.tries,
            child.cost,
            child.board,
            child.marks,
            elite,
            weights,
            problem.space.genes,
            rng,
        )
        after = state._replace(
            rng=rng,
            births=NO_BIRTHS,
            step=state.step + 1,
            evaluations=state.evaluations + built,
            moves=state.moves + decisions,
            arrays={
                **state.arrays,
                "options": desk.masks[: len(options)].copy(),
                "weights": weights,
            },
            finished=ENDS[end],
        )
        place = child.place
        cost = int(problem.costs(child.board[None])[0])
        if place < 0:
            place = placed(state, child.board, cost, rng)
        return settled(after, child, place, cost) if place >= 0 else after

    def receive(
        self, state: State, places: NDArray[np.int64], boards: Boards, costs: Costs
    ) -> State:
        """Newcomers from outside: all that they hold and the puzzle does not are decisions."""
        after = replaced(state, places, boards, costs)
        marks = state.arrays["marks"].copy()
        options = state.arrays["options"]
        marks[places] = (boards > 0) & (options & (options - ONE) != NONE)
        return after._replace(arrays={**state.arrays, "marks": marks})

    def _conceived(self, problem: Problem, state: State, rng: Stream) -> Child:
        """The next of the pool that has no decisions yet, or that goes on alone; or a child."""
        unbuilt = np.flatnonzero(~state.arrays["marks"].any(axis=1))
        if len(unbuilt) or self.inherit == "nothing":
            place = int(unbuilt[0]) if len(unbuilt) else state.step % self.population
            cost = UNKNOWN if len(unbuilt) else int(state.costs[place])
            marks = state.arrays["marks"][place].copy()
            return Child(state.boards[place].copy(), marks, cost, place, (place,))
        one = fittest(state, 2, rng)
        other = (one + 1 + below(rng, self.population - 1)) % self.population
        board, mate = state.boards[one], state.boards[other]
        filled = (board > 0) & (problem.space.puzzle.board == 0)
        agreed = filled & (board == mate)
        chance = np.where(agreed, self.keep, 0.0)
        if self.inherit == "parent":
            chance = filled * (self.keep * agreed.sum() / max(1, filled.sum()))
        marks = (uniforms(rng, len(board)) < chance).astype(np.uint8)
        parents = (one, other) if self.inherit == "agreement" else (one,)
        return Child(board.copy(), marks, UNKNOWN, -1, parents)


class Child(NamedTuple):
    """A board with its decisions marked, before it is built."""

    board: Board
    marks: NDArray[np.uint8]
    cost: int
    place: int  # −1 if it has to find one
    parents: tuple[int, ...]  # places in the pool


def fittest(state: State, among: int, rng: Stream) -> int:
    """The place of the best of a few individuals drawn at random."""
    drawn = [int(below(rng, len(state.costs))) for _ in range(among)]
    return min(drawn, key=lambda place: int(state.costs[place]))


def placed(state: State, board: Board, cost: int, rng: Stream) -> int:
    """Whose place a child takes: its near twin's, or the worst one's, if it is no worse; else −1.

    Now and then one that is worse than all takes any place but the best one's.
    """
    apart = (state.boards != board).sum(axis=1)
    rival, count = int(apart.argmin()), len(state.costs)
    if apart[rival] >= len(board) // 50 + 3:
        rival = int(state.costs.argmax())
        if cost > state.costs[rival] and uniform(rng) < STRANGERS:
            return (int(state.costs.argmin()) + 1 + int(below(rng, count - 1))) % count
    return rival if cost <= state.costs[rival] else -1


def settled(state: State, child: Child, place: int, cost: int) -> State:
    """The pool with a child in that place."""
    boards, costs, ids = state.boards.copy(), state.costs.copy(), state.ids.copy()
    marks = state.arrays["marks"].copy()
    boards[place], marks[place], costs[place], ids[place] = (
        child.board,
        child.marks,
        cost,
        state.born,
    )
    parents = [int(state.ids[parent]) for parent in child.parents]
    births = np.array([[state.born, *parents, *[-1] * (2 - len(parents))]])
    return state._replace(
        boards=boards,
        costs=costs,
        ids=ids,
        born=state.born + 1,
        births=births,
        arrays={**state.arrays, "marks": marks},
    )
