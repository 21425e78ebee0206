"""The oracle as an algorithm of one step, so that it can be raced like any other."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from genoku.encoding import Boards
from genoku.errors import RecipeError
from genoku.problem import Problem
from genoku.state import NO_BIRTHS, OnPartialBoards, State, begun
from genoku.stream import Stream


@dataclass(frozen=True)
class Exact(OnPartialBoards):
    """Singles first, then in one step search and SAT: a solution, or the proof that there is none.

    It gives up after so many `seconds` (0: never). Nothing in it is random, so all seeds give the
    same run; its evaluations are the decisions of the search.
    """

    is_random = False

    seconds: float = 0.0

    def __post_init__(self) -> None:
        if not (self.seconds >= 0 and math.isfinite(self.seconds)):
            raise RecipeError(f"expected 0 or more, got {self.seconds}", path=("seconds",))

    def with_deadline(self, seconds: float) -> Exact:
        return replace(self, seconds=min(seconds, self.seconds or seconds))

    def start(self, problem: Problem, rng: Stream, boards: Boards | None = None) -> State:
        """The board that singles decide."""
        return begun(problem, rng, 1, boards)._replace(evaluations=0)  # it counts decisions

    def step(self, problem: Problem, state: State) -> State:
        """Ask the oracle."""
        from genoku import exact  # which loads more than other algorithms need

        found = exact.solve(problem.space.puzzle, time_limit=self.seconds or None)
        boards = state.boards if found.board is None else found.board[None].copy()
        return state._replace(
            boards=boards,
            costs=problem.costs(boards),
            births=NO_BIRTHS,
            step=state.step + 1,
            evaluations=state.evaluations + found.nodes,
            finished=found.stop_reason,
        )
