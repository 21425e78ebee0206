"""Restarts: when they come, and that the whole goes on counting."""

from __future__ import annotations

import numpy as np

from genoku import Puzzle, bundled
from genoku.engine.run import run
from genoku.evolve.algorithms import Genetic, MinConflicts, Restarts
from genoku.evolve.encoding import PermutedRows
from genoku.evolve.operators.adaptation import Constant
from genoku.evolve.operators.crossover import Clones
from genoku.evolve.problem import Problem
from genoku.runtime.random import stream

BASIC = bundled()["charles-basic"].puzzle
STILL = Genetic(PermutedRows(), population=6, crossover=Clones(), adaptation=Constant(0.0))
PROBLEM = Problem.of(BASIC, STILL.encoding, STILL.fitness)


def test_a_standstill_begins_anew_with_other_boards_and_counts_on() -> None:
    algorithm = Restarts(STILL, "stagnation=3")
    state = algorithm.start(PROBLEM, stream(1))
    restarts, starts = [], [state.boards]
    for _ in range(12):
        before, state = state, algorithm.step(PROBLEM, state)
        assert state.step == before.step + 1
        assert state.evaluations == before.evaluations + 6
        if state.memory["restarts"] > before.memory["restarts"]:
            restarts.append(state.step)
            starts.append(state.boards)
            assert set(state.ids.tolist()).isdisjoint(before.ids.tolist())
    assert restarts == [4, 8, 12]  # three steps without a better board, then a new start
    assert len({boards.tobytes() for boards in starts}) == 4


def test_limits_count_from_the_last_start() -> None:
    algorithm = Restarts(STILL, "steps=2 and evaluations=18")
    result = run(BASIC, algorithm, until="steps=9")
    assert result.state.memory["restarts"] == 3


def test_a_failure_is_a_new_start_and_not_the_end() -> None:
    result = run(BASIC, Restarts(MinConflicts(moves=10), "steps=1000"), until="steps=60")
    assert result.stop_reason in ("steps=60", "solved")
    assert result.state.memory["restarts"] > 3


def test_the_best_of_all_starts_is_kept() -> None:
    result = run(
        BASIC, Restarts(Genetic(PermutedRows(), population=20), "steps=5"), until="steps=40"
    )
    assert result.cost == result.history["best"].min() <= result.final_cost


def test_a_board_that_cannot_be_changed_uses_up_the_budget_and_ends() -> None:
    full = Puzzle.parse("1234 3412 2143 4312")
    result = run(
        full, Restarts(MinConflicts(), "steps=5"), until="evaluations=50", allow_conflicts=True
    )
    assert result.stop_reason == "evaluations=50"
    assert not result.solved
    assert np.array_equal(result.board, full.board)
