"""What searches on a single board have in common: how they start, and how they go on."""

from __future__ import annotations

import numpy as np

from genoku.adaptation import Adaptation, Progress
from genoku.encoding import Boards
from genoku.problem import Problem
from genoku.state import NO_BIRTHS, Finished, State, begun
from genoku.stream import Stream


def started(problem: Problem, rng: Stream, boards: Boards | None, schedule: Adaptation) -> State:
    """A random board, or the given one, and the first memory of the schedule."""
    state = begun(problem, rng, 1, boards)
    return state._replace(memory=schedule(None, Progress(0, int(state.costs[0])), problem))


def moved(
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
    """The state after a step of some moves; a board of cost 0 is solved whatever else is."""
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
