"""The one loop: same seed same run, whatever happens to it on the way."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from runs import ALGORITHMS, BASIC, SMALL, every_algorithm, same
from strategies import in_another_process, printed_with_compiler

from genoku import bundled
from genoku.engine.history import Record
from genoku.engine.result import Result
from genoku.engine.run import View, resume, run
from genoku.errors import GenokuError, PuzzleError, RecipeError
from genoku.evolve.algorithms import Genetic, Islands, Restarts
from genoku.evolve.algorithms.annealing import Annealing
from genoku.evolve.encoding import FreeCells, PermutedBoxes
from genoku.evolve.fitness import Fitness, Normalised
from genoku.evolve.operators.adaptation import Constant
from genoku.evolve.operators.crossover import Points
from genoku.evolve.operators.mutation import Swap
from genoku.evolve.problem import Problem
from genoku.evolve.state import Algorithm
from genoku.evolve.stopping import Stop
from genoku.puzzle.board import Puzzle
from genoku.runtime.random import stream

EASY = bundled()["poderosas-easy"].puzzle


@every_algorithm
def test_the_same_seed_gives_the_same_run_and_another_seed_another(algorithm: Algorithm) -> None:
    one, again, other = (run(BASIC, algorithm, seed=s, until="steps=12") for s in (1, 1, 2))
    assert same(one, again)
    assert not np.array_equal(one.state.boards, other.state.boards)


@every_algorithm
def test_boards_stay_in_the_space_and_costs_are_true(algorithm: Algorithm) -> None:
    result = run(BASIC, algorithm, seed=4, until="steps=10")
    problem = result.problem
    assert all(problem.space.contains(board) for board in result.state.boards)
    assert np.array_equal(problem.costs(result.state.boards), result.state.costs)
    assert problem.costs(result.board[None])[0] == result.cost
    assert result.cost <= result.final_cost == result.state.costs.min()
    assert len(set(result.state.ids.tolist())) == len(result.state.ids) or algorithm is SMALL


def test_a_step_leaves_the_state_before_it_alone() -> None:
    for algorithm in ALGORITHMS.values():
        problem = Problem.of(BASIC, algorithm.encoding, algorithm.fitness)
        state = algorithm.start(problem, stream(1))
        kept = [np.copy(array) for array in state[:4]]
        one, again = algorithm.step(problem, state), algorithm.step(problem, state)
        for before, after in zip(kept, state[:4], strict=True):
            assert np.array_equal(before, np.asarray(after))
        assert np.array_equal(one.boards, again.boards)


def test_a_thread_runs_the_same() -> None:
    found: list[Result] = []
    worker = threading.Thread(target=lambda: found.append(run(BASIC, SMALL, until="steps=20")))
    worker.start()
    worker.join()
    assert same(found[0], run(BASIC, SMALL, until="steps=20"))


def test_another_process_runs_the_same() -> None:
    program = """
from genoku import bundled
from genoku.evolve.presets import preset
from genoku.engine.run import run
result = run(bundled()["charles-basic"].puzzle, preset("sundy").build(), until="steps=6", seed=5)
print(result.state.boards.tobytes().hex()[-200:], result.cost)
"""
    assert in_another_process(program) == printed_with_compiler(program)


def test_islands_run_the_same_on_any_number_of_workers() -> None:
    islands = ALGORITHMS["islands"]
    alone = run(BASIC, islands, seed=6, until="steps=4")
    assert same(alone, run(BASIC, islands, seed=6, until="steps=4", jobs=2))
    wrapped = Restarts(islands, "steps=2")
    assert same(run(BASIC, wrapped, until="steps=4"), run(BASIC, wrapped, until="steps=4", jobs=3))


def test_solved_is_the_puzzles_verdict() -> None:
    result = run(BASIC, Annealing(), seed=1, until="steps=2000")
    assert result.solved
    assert result.stop_reason == "solved"
    assert BASIC.is_solved_by(result.board)
    assert result.record()["solution"] == str(Puzzle(BASIC.geometry, result.board.tobytes()))


class Flatters(Fitness):
    """Finds everything perfect."""

    def costs(self, boards: Any, puzzle: Puzzle) -> Any:
        return np.zeros(len(boards), np.int32)

    def worst(self, geometry: Any) -> int:
        return 1


def test_a_fitness_that_is_wrong_about_a_board_is_not_believed() -> None:
    result = run(BASIC, replace(SMALL, fitness=Flatters()))
    assert not result.solved
    assert result.stop_reason is Stop.NOT_SOLVED


@pytest.mark.parametrize(
    ("until", "reason"),
    [
        ("evaluations=200", "evaluations=200"),
        ("stagnation=4", "stagnation=4"),
        ("cost=40", "cost=40"),
        ("seconds=0.05", "seconds=0.05"),
        ("cpu_seconds=0.05 or seconds=60", "cpu_seconds=0.05"),
        ("generations=3 and evaluations=1", "generations=3 and evaluations=1"),
        ("steps=0", "steps=0"),
    ],
)
def test_runs_end_where_they_should(until: str, reason: str) -> None:
    assert run(BASIC, SMALL, until=until).stop_reason == reason


def test_a_watcher_sees_the_start_and_every_step_and_may_end_the_run() -> None:
    seen: list[View] = []

    def watch(view: View) -> bool:
        seen.append(view)
        return view.state.step == 7

    result = run(BASIC, SMALL, watch=watch)
    assert result.stop_reason == "stopped"
    assert [view.state.step for view in seen] == list(range(8))
    assert run(BASIC, SMALL, watch=lambda _: True).steps == 0
    assert seen[-1].best_cost == result.cost
    assert seen[-1].counters.evaluations == result.evaluations


def test_an_interrupt_ends_with_the_best_so_far_and_a_checkpoint(tmp_path: Path) -> None:
    file = tmp_path / "run.ckpt"

    def interrupt(view: View) -> None:
        if view.state.step == 5:
            raise KeyboardInterrupt

    result = run(BASIC, SMALL, watch=interrupt, until="steps=9", checkpoint=file)
    assert result.stop_reason == "interrupted"
    assert result.steps == 5
    assert same(resume(file), run(BASIC, SMALL, until="steps=9"))


def test_an_interrupt_in_the_middle_of_a_step_loses_nothing() -> None:
    calls = 0

    def interrupted(boards: Any, rate: float, problem: Problem, rng: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == 4:
            raise KeyboardInterrupt
        return Swap("row")(boards, rate, problem, rng)

    halted = run(BASIC, replace(SMALL, mutation=interrupted), until="steps=9")
    assert halted.steps == 3
    assert halted.history == run(BASIC, SMALL, until="steps=3").history


def test_an_interrupt_inside_a_kernels_dispatcher_is_an_interrupt() -> None:
    def interrupted(*_: Any) -> Any:
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt as error:
            raise SystemError("returned a result with an exception set") from error

    def broken(*_: Any) -> Any:
        raise SystemError("something else")

    ends: Any = interrupted
    assert run(BASIC, replace(SMALL, mutation=ends)).stop_reason == "interrupted"
    breaks: Any = broken
    with pytest.raises(RecipeError, match="something else"):
        run(BASIC, replace(SMALL, mutation=breaks))


@pytest.mark.parametrize(
    "mutation",
    [
        lambda boards, *_: boards[:3],
        lambda boards, *_: boards.astype(np.int64),
        lambda boards, *_: np.ones_like(boards),
    ],
)
def test_what_is_no_board_is_refused_in_the_first_generation(mutation: Any) -> None:
    with pytest.raises(RecipeError, match=r"expected .*boards .* got"):
        run(BASIC, replace(SMALL, mutation=mutation))


def test_a_solution_that_was_evaluated_is_never_lost() -> None:
    solved = run(BASIC, Annealing(), seed=1, until="steps=2000").board

    def drops_the_new(brood: Any, problem: Problem, rng: Any) -> Any:
        return np.arange(len(brood.boards))

    def finds_it(boards: Any, rate: float, problem: Problem, rng: Any) -> Any:
        found = boards.copy()
        found[-1] = solved
        return found

    result = run(BASIC, replace(SMALL, mutation=finds_it, replacement=drops_the_new))
    assert result.solved


def test_a_run_can_start_from_given_boards() -> None:
    problem = Problem.of(BASIC, SMALL.encoding, SMALL.fitness)
    boards = problem.space.sample(3, stream(99))
    result = run(BASIC, SMALL, boards=boards, until="steps=0")
    assert np.array_equal(result.state.boards[:3], boards)
    solved = run(BASIC, Annealing(), seed=1, until="steps=2000").board
    assert run(BASIC, SMALL, boards=solved[None]).steps == 0
    boards[1, 0] = 9
    with pytest.raises(PuzzleError, match="board 2"):
        run(BASIC, SMALL, boards=boards)
    for algorithm in (SMALL, ALGORITHMS["islands"], ALGORITHMS["restarts"]):
        with pytest.raises(PuzzleError, match=r"40.*81"):
            run(BASIC, algorithm, boards=np.ones((2, 80), np.uint8))


def test_clashing_givens_are_refused_by_name_and_run_on_request_up_to_their_ceiling() -> None:
    free = replace(SMALL, encoding=FreeCells(), fitness=Normalised())
    with pytest.raises(PuzzleError, match=r"r4c7, r7c7.*box 9"):
        run(EASY, free)
    result = run(EASY, free, allow_conflicts=True, until="steps=60", seed=1)
    ceiling = result.ceiling
    assert ceiling is not None
    assert ceiling == pytest.approx(0.9753086419753086)
    assert result.score <= ceiling
    assert not result.solved
    assert run(BASIC, free, until="steps=1").ceiling is None
    with pytest.raises(PuzzleError, match="box"):
        run(EASY, Annealing(), allow_conflicts=True)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Genetic(population=1),
        lambda: Islands(SMALL, islands=1),
        lambda: Islands(SMALL, interval=0),
        lambda: Islands(SMALL, topology=cast("Any", "rnig")),
        lambda: Genetic(mutates=cast("Any", "pol")),
        lambda: run(BASIC, replace(SMALL, adaptation=Constant(7.0))),
        lambda: Restarts(SMALL, "seconds=3"),
        lambda: Restarts(SMALL, "cpu_seconds=3"),
        lambda: Restarts(SMALL, "whenever"),
        lambda: Record(fields=("fitness",)),
        lambda: Record(every=0),
        lambda: Genetic(PermutedBoxes(), crossover=Points("row")),
    ],
)
def test_what_cannot_work_is_refused_when_it_is_built(make: Any) -> None:
    with pytest.raises((RecipeError, GenokuError), match=r"expected|does not fit"):
        make()
