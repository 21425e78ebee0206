"""A portfolio: the seeds decide who wins, and neither processes nor clocks do."""

from __future__ import annotations

import os
import pickle
from dataclasses import replace
from multiprocessing import parent_process
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from runs import ALGORITHMS, BASIC, SMALL, same
from strategies import examples

from genoku import bundled
from genoku.engine import portfolio
from genoku.engine.history import Record
from genoku.engine.portfolio import run_portfolio
from genoku.engine.result import Result
from genoku.engine.run import Run, View, run
from genoku.errors import GenokuError, PuzzleError
from genoku.evolve.algorithms import Exact
from genoku.evolve.algorithms.annealing import Annealing
from genoku.evolve.operators.mutation import Swap
from genoku.evolve.problem import Problem
from genoku.evolve.stopping import Stop
from genoku.puzzle.board import Puzzle

QUICK = Annealing(moves=300)
"""Solves the basic board in some dozens of steps."""

LIMIT = "steps=400"


@pytest.fixture
def short_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other processes from the first round on, and many rounds."""
    monkeypatch.setattr(portfolio, "SERIAL_SECONDS", 0.0)
    monkeypatch.setattr(portfolio, "ROUND_SECONDS", 0.02)


def by_one_after_another(algorithm: Any, seeds: list[int], until: str) -> Result:
    """The winner by its definition: every seed to its end."""
    runs = [run(BASIC, algorithm, seed=seed, until=until) for seed in sorted(seeds)]
    solved = [result for result in runs if result.solved]
    if solved:
        return min(solved, key=lambda result: result.steps)
    rows = [(result.cost, int(np.argmin(result.history["best"]))) for result in runs]
    return runs[rows.index(min(rows))]


@given(
    seeds=st.lists(st.integers(0, 10_000), min_size=1, max_size=5),
    length=st.sampled_from([1e-9, 0.005, 60.0]),
    until=st.sampled_from([LIMIT, "steps=8", "steps=0", "moves=3000"]),
)
@examples(25)
def test_the_winner_has_the_fewest_steps_and_then_the_lowest_seed_however_long_rounds_are(
    seeds: list[int], length: float, until: str
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(portfolio, "ROUND_SECONDS", length)
        won = run_portfolio(BASIC, QUICK, seeds=seeds, until=until)
    assert same(won, by_one_after_another(QUICK, seeds, until))


@pytest.mark.parametrize(
    "name",
    [
        "islands",
        pytest.param("genetic", marks=pytest.mark.release),
        pytest.param("restarts", marks=pytest.mark.release),
    ],
)
@pytest.mark.usefixtures("short_rounds")
def test_where_nobody_solves_it_the_best_wins_on_any_number_of_processes(name: str) -> None:
    algorithm = ALGORITHMS[name]
    alone, two, four = (
        run_portfolio(BASIC, algorithm, seeds=range(3, 8), until="steps=12", jobs=jobs)
        for jobs in (1, 2, 4)
    )
    assert same(alone, two)
    assert same(alone, four)
    assert same(alone, by_one_after_another(algorithm, list(range(3, 8)), "steps=12"))


@pytest.mark.usefixtures("short_rounds")
def test_the_first_to_solve_it_wins_on_any_number_of_processes() -> None:
    asked: Any = {"seeds": range(6), "until": LIMIT, "record": Record(lineage=True)}
    alone, two, four = (run_portfolio(BASIC, QUICK, jobs=jobs, **asked) for jobs in (1, 2, 4))
    assert alone.solved
    assert same(alone, two)
    assert same(alone, four)


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.usefixtures("short_rounds")
def test_a_proof_ends_all_runs(jobs: int) -> None:
    wrong = "18...7.9..3..2...8..96..5....53..9...1..8...26....4...3......1..4......7..7...3.."
    proved = run_portfolio(Puzzle.parse(wrong), Exact(), seeds=(5, 3, 4), jobs=jobs)
    assert (proved.stop_reason, proved.seed, proved.steps) == ("no solution", 3, 1)
    hopeless = Puzzle.parse("12....3....4....")
    refuted = run_portfolio(hopeless, Exact(), seeds=(2, 1), jobs=jobs)
    assert (refuted.stop_reason, refuted.seed, refuted.steps) == ("no solution", 1, 0)


def test_seconds_are_those_of_all_runs_together() -> None:
    hard = bundled()["inkala-2012"].puzzle
    run(hard, SMALL, until="steps=1")  # compile first, where that is due
    result = run_portfolio(hard, SMALL, seeds=range(6), until="seconds=0.4")
    assert result.stop_reason == "seconds=0.4"
    assert 0.4 <= result.seconds < 2
    assert result.cpu_seconds <= result.seconds


def test_watchers_see_the_leading_run_and_may_end_all() -> None:
    seen: list[View] = []
    won = run_portfolio(BASIC, QUICK, seeds=range(4), until=LIMIT, watch=seen.append)
    assert won.solved
    assert seen[0].state.step == 0
    assert seen[-1].best_cost == won.cost == 0
    costs = [view.best_cost for view in seen]
    assert costs == sorted(costs, reverse=True)
    ended = run_portfolio(BASIC, SMALL, seeds=range(4), watch=lambda view: view.state.step > 3)
    assert (ended.stop_reason, ended.steps > 3) == ("stopped", True)


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.usefixtures("short_rounds")
def test_an_interrupt_ends_with_the_best_so_far(jobs: int) -> None:
    def interrupt(view: View) -> None:
        if view.state.step > 5:
            raise KeyboardInterrupt

    halted = run_portfolio(BASIC, SMALL, seeds=range(3), jobs=jobs, watch=interrupt)
    assert halted.stop_reason == "interrupted"
    assert halted.history["gen"][-1] == halted.steps > 5
    assert same(
        replace(halted, stop_reason=Stop.STOPPED, until=""),
        replace(
            run(BASIC, SMALL, seed=halted.seed, until=f"steps={halted.steps}"),
            stop_reason=Stop.STOPPED,
            until="",
        ),
    )


def test_an_interrupt_in_the_middle_of_a_step_loses_nothing() -> None:
    calls = 0

    def interrupted(boards: Any, rate: float, problem: Problem, rng: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == 11:
            raise KeyboardInterrupt
        return Swap("row")(boards, rate, problem, rng)

    halted = run_portfolio(BASIC, replace(SMALL, mutation=interrupted), seeds=range(3))
    whole = run(BASIC, SMALL, seed=halted.seed, until=f"steps={halted.steps}")
    assert halted.history == whole.history


def dies_elsewhere(boards: Any, rate: float, problem: Problem, rng: Any) -> Any:
    """Ends the process, but not the one that the tests run in."""
    if parent_process() is not None:
        os._exit(9)
    return Swap("row")(boards, rate, problem, rng)


@pytest.mark.usefixtures("short_rounds")
def test_a_killed_worker_is_an_error_in_words(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    dying: Any = dies_elsewhere
    with pytest.raises(GenokuError, match="died"):
        run_portfolio(BASIC, replace(SMALL, mutation=dying), seeds=range(3), jobs=2)


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(GenokuError, match="seed"):
        run_portfolio(BASIC, SMALL, seeds=())
    with pytest.raises(PuzzleError, match="column 7"):
        run_portfolio(bundled()["poderosas-easy"].puzzle, SMALL)


def test_runs_that_cannot_begin_end_at_once() -> None:
    alone_in_its_box = Puzzle.parse("12.2343412123434")  # wrong, and nothing to swap
    result = run_portfolio(alone_in_its_box, QUICK, seeds=(7, 6), allow_conflicts=True)
    assert (result.stop_reason, result.seed, result.steps) == ("failed", 6, 0)
    full = Puzzle.parse("1234341221434321")
    assert run_portfolio(full, QUICK, seeds=range(2)).solved


def test_a_run_travels_to_another_process_and_back() -> None:
    here = Run.start(BASIC, SMALL, 3, "steps=5")
    there = pickle.loads(pickle.dumps(here))
    assert (there.seed, there.until, there.best_cost) == (3, here.until, here.best_cost)
    assert there.problem.puzzle == BASIC
    again = pickle.loads(pickle.dumps(there))
    assert again.problem is there.problem  # made once in a process
    assert np.array_equal(again.state.boards, here.state.boards)
