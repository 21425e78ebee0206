"""The oracle as an algorithm of one step, so that it can be compared with the others."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from genoku.errors import RecipeError
from genoku.evolve.encoding import Boards
from genoku.evolve.problem import Problem
from genoku.evolve.state import NO_BIRTHS, PartialBoardSearch, State, initial_state
from genoku.runtime.random import Stream


@dataclass(frozen=True)
class Exact(PartialBoardSearch):
    """Solve the puzzle by singles, backtracking and SAT, or prove that it has no solution.

    The search is a single step, which gives up after `seconds` (0: never). Nothing is random, so
    all seeds give the same run. Evaluations are the decisions of the search.
    """

    is_random = False

    seconds: float = 0.0

    def __post_init__(self) -> None:
        if not (self.seconds >= 0 and math.isfinite(self.seconds)):
            raise RecipeError(f"expected 0 or more, got {self.seconds}", path=("seconds",))

    def with_deadline(self, seconds: float) -> Exact:
        return replace(self, seconds=min(seconds, self.seconds or seconds))

    def start(self, problem: Problem, rng: Stream, boards: Boards | None = None) -> State:
        """Return the state of the board that singles decide."""
        return initial_state(problem, rng, 1, boards)._replace(evaluations=0)  # it counts decisions

    def step(self, problem: Problem, state: State) -> State:
        """Ask the oracle."""
        from genoku.exact import oracle  # loads modules that other algorithms do not require

        found = oracle.solve(problem.space.puzzle, time_limit=self.seconds or None)
        boards = state.boards if found.board is None else found.board[None].copy()
        return state._replace(
            boards=boards,
            costs=problem.costs(boards),
            births=NO_BIRTHS,
            step=state.step + 1,
            evaluations=state.evaluations + found.nodes,
            finished=found.stop_reason,
        )
