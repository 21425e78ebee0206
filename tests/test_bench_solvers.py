"""The section `solvers`: permuted puzzles, checked attempts, and nothing left out."""

from __future__ import annotations

import math
import random
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from strategies import NINE, pattern_grid, seeds, with_digits

from benchmarks import sets, solvers
from benchmarks.environment import PeerError, Peers
from benchmarks.peers import with_sat, with_simanneal
from benchmarks.sections import Plan, Table
from benchmarks.sets import PuzzleSet
from benchmarks.solvers import Attempt, Solver, judge_attempt
from genoku.errors import GenokuError
from genoku.evolve.algorithms import Exact
from genoku.evolve.stopping import Stop
from genoku.exact.oracle import solve
from genoku.puzzle.board import Puzzle
from genoku.puzzle.bundled_puzzles import bundled
from genoku.puzzle.geometry import Geometry
from genoku.puzzle.isomorph import canonical
from genoku.runtime.jit import JIT_IS_ON

PLAN = Plan(quick=True, seed=3, puzzles=None, peers=None, without="left out")
EASY = bundled()["9x9-easy"].puzzle
FOUR = Puzzle.parse("1.....3..4....2.")
PEERS = Peers(Path("python"), {"simanneal": "0.5.0", "deap": "1.4.4"})

needs_jit = pytest.mark.skipif(not JIT_IS_ON, reason="kernels are not compiled")


def quiet(_words: str) -> None: ...


# Puzzles


@needs_jit
def test_puzzles_are_permuted_and_stay_what_they_are() -> None:
    ordinary = sets.puzzle_sets(PLAN)[0]
    for name, puzzle in zip(sets.ORDINARY, ordinary.puzzles, strict=False):
        known = bundled()[name].puzzle
        assert puzzle != known
        assert canonical(puzzle) == canonical(known)


@needs_jit
def test_the_seed_alone_decides_the_puzzles() -> None:
    assert sets.puzzle_sets(PLAN) == sets.puzzle_sets(PLAN)
    other = Plan(quick=True, seed=4, puzzles=None, peers=None)
    assert sets.puzzle_sets(PLAN)[0] != sets.puzzle_sets(other)[0]


@needs_jit
def test_a_folder_of_known_puzzles_is_used(tmp_path: Path) -> None:
    (tmp_path / "hardest-375.txt").write_text(f"{EASY}\n")
    plan = Plan(quick=True, seed=3, puzzles=tmp_path, peers=None)
    hard = next(each for each in sets.puzzle_sets(plan) if each.key == "hard")
    assert "375" in hard.title
    assert [canonical(puzzle) for puzzle in hard.puzzles] == [canonical(EASY)]


@pytest.mark.parametrize("side", [4, 9, 16])
def test_a_fresh_board_has_its_share_of_givens(side: int) -> None:
    geometry = Geometry.of_side(side)
    for kind in ("random", "pattern"):
        puzzle = sets.random_boards(geometry, 50, 0, 1, kind)
        assert puzzle.givens == round(geometry.cells / 2)
        assert solve(puzzle).solved


# Attempts, which the puzzle itself judges


def test_a_wrong_board_ends_the_benchmark() -> None:
    with pytest.raises(GenokuError, match="quick"):
        judge_attempt("quick", FOUR, [1] * 16, 0.1, 0.1, budget=1.0)


def test_what_comes_too_late_is_not_solved() -> None:
    board = solve(FOUR).board
    assert judge_attempt("any", FOUR, board, 0.9, 2.0, budget=1.0) == Attempt(True, 0.9, 2.0)
    assert judge_attempt("any", FOUR, board, 1.1, 2.0, budget=1.0) == Attempt(False, 1.0, 2.0)
    assert judge_attempt("any", FOUR, None, 0.3, 0.3, budget=1.0) == Attempt(False, 1.0, 1.0)


@pytest.mark.parametrize("name", ["champion", "exact"])
def test_ours_solve_an_easy_puzzle(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solvers, "warm", lambda *_: None)
    assert solvers.by_preset(name, EASY, 60.0, 1).solved


def test_a_run_that_is_interrupted_interrupts_the_benchmark(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(solvers, "warm", lambda *_: None)
    monkeypatch.setattr(
        solvers, "run", lambda *_, **__: SimpleNamespace(stop_reason=Stop.INTERRUPTED)
    )
    with pytest.raises(KeyboardInterrupt):
        solvers.by_preset("champion", EASY, 1.0, 1)


def test_the_oracle_has_its_cpu_time_on_a_busy_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def run(_puzzle: Puzzle, algorithm: Exact, **_: Any) -> Any:
        asked.append(algorithm.seconds)  # of which it gets a third
        return SimpleNamespace(stop_reason=Stop.TIME_LIMIT, cpu_seconds=algorithm.seconds / 3)

    monkeypatch.setattr(solvers, "run", run)
    assert solvers.within(1.0, EASY, Exact(), 1).cpu_seconds >= 1.0
    assert asked == [1.0, 2.0, 4.0]


def test_cadical_is_asked_in_a_process_of_its_own() -> None:
    assert solvers.by_cadical("", FOUR, 60.0, 1).solved


@pytest.mark.parametrize("answer", [{"board": None, "cpu": 0.1}, {"board": [1] * 16}])
def test_a_wrong_answer_of_cadical_is_noticed(
    answer: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    told = {"cpu": 0.1, "wall": 0.1, **answer}
    monkeypatch.setattr(Peers, "ask", lambda *_, **__: told)
    with pytest.raises(GenokuError, match="CaDiCaL"):
        solvers.by_cadical("", FOUR, 1.0, 1)


def test_simanneal_is_asked_only_where_it_is_installed() -> None:
    assert "simanneal" not in [solver.key for solver in solvers.solvers(None)]
    assert "simanneal" in [solver.key for solver in solvers.solvers(PEERS)]


# The peers' programs


@pytest.mark.parametrize("name", ["4x4-easy", "6x6-easy", "9x9-hard", "12x12-easy"])
def test_the_encoding_says_exactly_the_rules(name: str) -> None:
    puzzle = bundled()[name].puzzle
    found = with_sat.solve(solvers.job(puzzle, 60.0))["board"]
    assert puzzle.is_solved_by(np.array(found))


def test_the_encoding_of_a_clash_has_no_solution() -> None:
    clashing = with_digits(FOUR, {1: 1})
    assert with_sat.solve(solvers.job(clashing, 60.0))["board"] is None


def test_every_pair_of_a_constraint_is_a_clause() -> None:
    clauses = with_sat.clauses_of([0] * 16, 2, 2)
    assert sum(len(clause) == 4 for clause in clauses) == 4 * 16  # one at least
    assert sum(len(clause) == 2 for clause in clauses) == 4 * 16 * 6  # not two


@given(seeds)
def test_a_swap_tells_what_it_changes(seed: int) -> None:
    board = EASY.board.tolist()
    groups = with_simanneal.Groups(board, 3, 3)
    random.seed(seed)
    state = with_simanneal.first_state(board, groups)
    boxes = [sorted(state[cell] for cell in box) for box in groups.boxes]
    assert boxes == [list(range(1, 10))] * 9
    change = with_simanneal.swap(state, groups)
    lines = (*groups.rows, *groups.columns)
    assert state[-1] + change == sum(with_simanneal.lacking(state, line) for line in lines)
    assert all(state[cell] == digit for cell, digit in enumerate(board) if digit)


class Greedy:
    """Takes what is no worse: enough of `simanneal.Annealer` for a small board."""

    steps = 100
    user_exit = False

    def __init__(self, state: list[int]) -> None:
        self.state = state[:]

    def move(self) -> int:
        raise NotImplementedError

    def anneal(self) -> tuple[list[int], int]:
        best = self.state[:]
        for _ in range(self.steps):
            if self.move() > 0:
                self.state = best[:]
            best = self.state[:]
            if self.user_exit:
                break
        return best, best[-1]


def test_an_annealing_that_ends_unsolved_is_followed_by_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "simanneal", SimpleNamespace(Annealer=Greedy))
    job = {**solvers.job(FOUR, 60.0), "seed": 1}
    answer = with_simanneal.solve(job)
    assert FOUR.is_solved_by(np.array(answer["board"]))
    unsolvable = with_digits(FOUR, {1: 1})
    out_of_time = with_simanneal.solve({**job, "board": unsolvable.board.tolist(), "seconds": 0.05})
    assert out_of_time["board"] is None
    assert out_of_time["moves"] > 100


def test_a_complete_board_needs_no_annealing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "simanneal", SimpleNamespace(Annealer=Greedy))
    whole = pattern_grid(NINE)
    assert with_simanneal.solve({**solvers.job(whole, 1.0), "seed": 1})["moves"] == 0


# Time to a solution


def told(*cpus: float) -> list[Attempt]:
    """Attempts that took so long; infinity is not solved within a second."""
    return [Attempt(math.isfinite(cpu), min(cpu, 1.0), 2 * min(cpu, 1.0)) for cpu in cpus]


def solver_of(key: str) -> Solver:
    return next(solver for solver in solvers.solvers(PEERS) if solver.key == key)


def table_of(found: dict[str, list[Attempt] | str]) -> Table:
    puzzles = PuzzleSet("four", "4×4", "4×4, small", (FOUR,) * 3, 1.0)
    return solvers.table(puzzles, [solver_of(key) for key in found], found)


def test_unsolved_attempts_are_counted_and_never_in_a_median() -> None:
    table = table_of(
        {
            "champion": told(0.001, 0.002, 0.004),
            "tabu": told(0.1, math.inf, 0.2),
            "simanneal": told(0.1, math.inf, math.inf),
        }
    )
    champion, tabu, simanneal = table.rows
    assert champion[1:] == ("3/3", "44–100 %", "2 ms", "4 ms", "4 ms")
    assert tabu[1:] == ("2/3", "21–94 %", "200 ms", "> 1 s", "400 ms")
    assert simanneal[1:] == ("1/3", "6–79 %", "> 1 s", "> 1 s", "> 1 s")
    assert table.figures["four.tabu.median_ms"] == pytest.approx(200)
    assert "four.simanneal.median_ms" not in table.figures
    assert table.chart is not None
    ((_, bars),) = table.chart.series
    assert [label for label, _ in bars] == ["genoku champion", "genoku tabu"]
    assert "3 puzzles" in table.legend


def test_of_an_even_number_half_solved_is_enough_for_a_median() -> None:
    assert solvers.middle_of([3.0, math.inf, 1.0, math.inf]) == 3.0
    assert solvers.middle_of([3.0, math.inf, math.inf]) == math.inf


def test_a_peer_that_fails_is_named_and_the_others_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def failing(*_: object) -> Attempt:
        asked.append("simanneal")
        raise PeerError("with_simanneal.py failed: absent")

    champion = Solver("champion", "champion", solver_of("champion").may, lambda *_: told(0.5)[0])
    broken = Solver("simanneal", "simanneal", solver_of("simanneal").may, failing)
    monkeypatch.setattr(solvers, "solvers", lambda _peers: [champion, broken])
    four = PuzzleSet("four", "4×4", "4×4, small", (FOUR,) * 3, 1.0)
    monkeypatch.setattr(solvers, "puzzle_sets", lambda _plan: [four])
    may, table = solvers.measure(PLAN, quiet)
    assert [row[0] for row in may.rows] == ["champion", "simanneal"]
    assert [row[1] for row in table.rows] == ["3/3", "failed"]
    assert "absent" in table.legend
    assert len(asked) == 1


def test_the_legend_says_what_each_may_do() -> None:
    everybody = solvers.solvers(PEERS)
    legend = solvers.permissions(everybody, PLAN)
    assert len(legend.rows) == len(everybody)
    proofs = {solver.key for solver in everybody if solver.may.proves_none == "yes"}
    assert proofs == {"exact", "cadical", "cadical-solving"}
    assert "python-sat" in legend.legend
    assert "left out" in legend.legend
    assert "from 3" in legend.legend
