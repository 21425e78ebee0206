"""The first and the next state of searches on a single board."""

from __future__ import annotations

import numpy as np

from genoku.evolve.encoding import Boards
from genoku.evolve.operators.adaptation import Adaptation, Progress
from genoku.evolve.problem import Problem
from genoku.evolve.state import NO_BIRTHS, Finished, State, initial_state
from genoku.runtime.random import Stream


def start_single_board(
    problem: Problem, rng: Stream, boards: Boards | None, schedule: Adaptation
) -> State:
    """The state of a random board, or of the given one, with the schedule's first memory."""
    state = initial_state(problem, rng, 1, boards)
    return state._replace(memory=schedule(None, Progress(0, int(state.costs[0])), problem))


def state_after_moves(
    problem: Problem,
    state: State,
    schedule: Adaptation,
    *,
    rng: Stream,
    boards: Boards,
    cost: int,
    moves: int,
    evaluations: int,
    finished: Finished,
) -> State:
    """The state after a step of some moves; at cost 0 it is solved, else as `finished` says."""
    progress = Progress(state.step + 1, int(cost))
    return state._replace(
        rng=rng,
        boards=boards,
        costs=np.array([cost], np.int32),
        births=NO_BIRTHS,
        step=progress.step,
        evaluations=state.evaluations + int(evaluations),
        moves=state.moves + int(moves),
        memory=schedule(state.memory, progress, problem),
        finished="solved" if cost == 0 else finished,
    )
