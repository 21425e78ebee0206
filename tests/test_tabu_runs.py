"""Runs of the tabu search: seeds, copies, files and steps."""

from __future__ import annotations

import copy
from pathlib import Path

import numpy as np
from hypothesis import given, strategies as st
from runs import problem_of, same, states_of
from strategies import examples, seeds

from genoku import bundled
from genoku.engine.run import resume, run
from genoku.evolve.algorithms import Restarts
from genoku.evolve.algorithms.tabu import Tabu
from genoku.runtime.random import stream
from genoku.testing import equal

ESCARGOT = bundled()["ai-escargot"].puzzle


@examples(20)
@given(seeds, st.integers(0, 4), st.integers(0, 4))
def test_a_run_goes_on_from_a_copy_of_any_state(seed: int, before: int, after: int) -> None:
    algorithm = Tabu(moves=30)
    *_, whole = states_of(algorithm, problem_of(algorithm, ESCARGOT), seed, before + after)
    *_, saved = states_of(algorithm, problem_of(algorithm, ESCARGOT), seed, before)
    resumed = copy.deepcopy(saved)
    for _ in range(after):
        if not resumed.finished:
            resumed = algorithm.step(problem_of(algorithm, ESCARGOT), resumed)
    assert equal(whole, resumed)


def test_a_run_from_a_file_is_the_run_without_a_break(tmp_path: Path) -> None:
    algorithm = Restarts(Tabu(moves=20), "moves=60")
    file = tmp_path / "run.npz"
    whole = run(ESCARGOT, algorithm, seed=4, until="steps=9")
    for steps in (1, 2, 5, 6):
        run(ESCARGOT, algorithm, seed=4, until=f"steps={steps}", checkpoint=file)
        resumed = resume(file, until="steps=9")
        assert same(resumed, whole)
        assert equal(resumed.state, whole.state)


def test_only_the_number_of_moves_matters_not_the_steps() -> None:
    ends = []
    for moves, steps in ((300, 1), (100, 3), (1, 300)):
        algorithm = Tabu(moves=moves)
        ends.append(states_of(algorithm, problem_of(algorithm, ESCARGOT), 3, steps)[-1])
    assert all(equal(ends[0], end._replace(step=1)) for end in ends[1:])


def test_a_step_leaves_the_old_state_as_it_was() -> None:
    algorithm = Tabu(moves=20)
    problem = problem_of(algorithm, ESCARGOT)
    rng = stream(1)
    first = algorithm.start(problem, rng)
    state = algorithm.step(problem, first)
    before = copy.deepcopy(state)
    after = algorithm.step(problem, state)
    assert equal(state, before)
    assert not np.array_equal(after.boards, state.boards)
    assert not np.array_equal(after.arrays["barred"], state.arrays["barred"])
    assert np.array_equal(rng, stream(1))


def test_the_seed_makes_the_run() -> None:
    algorithm = Tabu(moves=100)
    problem = problem_of(algorithm, ESCARGOT)
    one, again, other = (states_of(algorithm, problem, seed, 3)[-1] for seed in (1, 1, 2))
    assert equal(one, again)
    assert not np.array_equal(one.boards, other.boards)
