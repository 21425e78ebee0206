"""The oracle: known answers, brute force, two engines that agree, limits that are kept."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import chain, count as counting, islice, repeat
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from known_boards import AS_PRINTED, HARD, KNOWN, patience
from strategies import (
    FOUR,
    NINE,
    SEVERAL,
    SIX,
    all_4x4_grids,
    any_puzzles,
    doubtful_puzzles,
    examples,
    known_answers,
    pattern_grid,
    several_geometries,
    solvable_puzzles,
    with_digits,
)

from genoku.exact import oracle, sat
from genoku.exact.oracle import Count, SolutionIterator, Verdict, count, is_unique, solutions, solve
from genoku.exact.propagation import SINGLES, empty_masks, links, load_board, singles
from genoku.generator import PuzzleRequest, generate
from genoku.puzzle.board import Board, Puzzle
from genoku.puzzle.geometry import Geometry
from genoku.puzzle.isomorph import shuffled

UNSOLVABLE = [Puzzle.parse(line) for (line,) in known_answers("no-solution.txt")]


known_puzzles = pytest.mark.parametrize(
    ("puzzle", "solution"), KNOWN, ids=[name for name, *_ in known_answers("known-solutions.txt")]
)


def all_of(puzzle: Puzzle) -> set[bytes]:
    """Every solution, each of which must be one and come once."""
    found = list(solutions(puzzle))
    assert all(puzzle.is_solved_by(board) for board in found)
    distinct = {board.tobytes() for board in found}
    assert len(distinct) == len(found)
    return distinct


@known_puzzles
def test_every_known_solution_is_found_and_proved_unique(puzzle: Puzzle, solution: str) -> None:
    answer = solve(puzzle)
    assert answer.solved
    assert answer.stop_reason == "solved"
    assert answer.board is not None
    assert "".join(map(str, answer.board)) == solution
    assert puzzle.is_solved_by(answer.board)
    assert count(puzzle) == Count(1, complete=True)
    assert is_unique(puzzle)


@known_puzzles
def test_the_second_engine_finds_and_proves_the_same(puzzle: Puzzle, solution: str) -> None:
    with patience(0):
        assert all_of(puzzle) == {Puzzle.parse(solution).digits}


def test_report_000s_difficult_puzzle_as_printed_has_1539_solutions() -> None:
    assert count(AS_PRINTED, None) == Count(1539, complete=True)
    assert count(AS_PRINTED).verdict == "several"
    assert not is_unique(AS_PRINTED)
    assert len(all_of(AS_PRINTED)) == 1539


def test_an_empty_4x4_board_has_288_solutions() -> None:
    empty = Puzzle(FOUR, bytes(16))
    assert count(empty, None) == Count(288, complete=True)
    assert all_of(empty) == set(all_4x4_grids())


@given(puzzle=doubtful_puzzles([FOUR]) | any_puzzles([FOUR]))
def test_solutions_are_those_of_brute_force_on_4x4(puzzle: Puzzle) -> None:
    expected = {
        grid
        for grid in all_4x4_grids()
        if all(g in (0, d) for g, d in zip(puzzle.digits, grid, strict=True))
    }
    assert all_of(puzzle) == expected
    assert count(puzzle, None) == Count(len(expected), complete=True)
    assert solve(puzzle).solved == bool(expected)
    assert is_unique(puzzle) == (len(expected) == 1)
    with patience(0):
        assert all_of(puzzle) == expected


@given(
    puzzle=doubtful_puzzles([FOUR, SIX, Geometry(3, 2), NINE], least=0.25),
    failures=st.integers(0, 6),
)
@examples(60)
def test_handing_over_to_the_second_engine_loses_and_repeats_nothing(
    puzzle: Puzzle, failures: int
) -> None:
    assume(count(puzzle, 151).solutions <= 150)
    expected = all_of(puzzle)
    with patience(failures):
        assert all_of(puzzle) == expected
        assert count(puzzle, None) == Count(len(expected), complete=True)


@pytest.mark.parametrize("failures", [0, 1, 3, 10])
def test_the_1539_solutions_come_once_each_however_soon_the_second_engine_takes_over(
    failures: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    takes_over: list[int] = []
    real = sat.Formula.forbid

    def spied(formula: sat.Formula, board: Board) -> None:
        takes_over.append(1)
        real(formula, board)

    monkeypatch.setattr(sat.Formula, "forbid", spied)
    with patience(failures):
        assert len(all_of(AS_PRINTED)) == 1539
    assert takes_over


def test_with_too_many_solutions_to_forbid_the_search_goes_on_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(oracle, "SOLUTIONS_SAT_CAN_FORBID", 5)
    expected = all_of(AS_PRINTED)
    monkeypatch.delattr(sat, "Formula")
    search = SolutionIterator(AS_PRINTED)
    first = list(islice(search, 6))
    with patience(1):
        search._patience = 1
        rest = list(search)
    assert {board.tobytes() for board in [*first, *rest]} == expected
    assert len(first) + len(rest) == 1539


@pytest.mark.parametrize("puzzle", UNSOLVABLE, ids=lambda p: str(p.geometry))
def test_a_board_that_only_search_can_refute_has_no_solution(puzzle: Puzzle) -> None:
    assert not puzzle.conflicts()
    assert not singles(puzzle)[1]
    for failures in (10_000, 0):
        with patience(failures):
            assert count(puzzle).verdict == "none"
            answer = solve(puzzle)
            assert (answer.board, answer.stop_reason) == (None, "no solution")
            assert is_unique(puzzle) is False


@given(puzzle=any_puzzles(SEVERAL))
def test_a_board_with_clashes_has_no_solution(puzzle: Puzzle) -> None:
    assume(puzzle.conflicts())
    assert count(puzzle, None) == Count(0, complete=True)
    assert solve(puzzle).stop_reason == "no solution"
    assert list(solutions(puzzle)) == []


@several_geometries
def test_a_full_board_is_its_own_only_solution(geometry: Geometry) -> None:
    grid = pattern_grid(geometry)
    assert all_of(grid) == {grid.digits}
    assert solve(grid).nodes == 0
    swapped = with_digits(grid, {0: grid.digits[1], 1: grid.digits[0]})
    assert count(swapped).verdict == "none"


@given(pair=solvable_puzzles(SEVERAL, least=0.15))
def test_a_board_made_from_a_grid_is_solved_and_stays_as_it_was(
    pair: tuple[Puzzle, Puzzle],
) -> None:
    puzzle, _ = pair
    before = Puzzle(puzzle.geometry, bytes(puzzle.digits))
    board = solve(puzzle).board
    assert board is not None
    assert puzzle.is_solved_by(board)
    assert count(puzzle, 3).solutions >= 1
    assert puzzle == before
    board[:] = 0  # what is handed out is the caller's
    assert puzzle == before


@pytest.mark.parametrize("box", ["2x7", "3x6", "5x5", "6x6"])
def test_boards_beyond_the_quick_search_are_solved(box: str) -> None:
    geometry = Geometry.parse(box)
    grid = shuffled(pattern_grid(geometry), seed=4)
    rng = np.random.default_rng(0)
    kept = np.where(rng.random(geometry.cells) < 0.7, grid.board, 0).astype(np.uint8)
    puzzle = Puzzle(geometry, kept.tobytes())
    board = solve(puzzle).board
    assert board is not None
    assert puzzle.is_solved_by(board)


def test_a_unique_25x25_is_proved_unique() -> None:
    made = generate(PuzzleRequest(Geometry(5, 5), givens=312), seed=3)
    assert is_unique(made.puzzle)
    assert all_of(made.puzzle) == {made.solution.digits}


@pytest.mark.parametrize("limit", [1, 2, 10, 256, 257, 600, 1538])
def test_counting_stops_at_its_limit(limit: int) -> None:
    counted = count(AS_PRINTED, limit)
    assert counted == Count(limit, complete=False)
    assert str(counted) == f"at least {limit:,}"


@pytest.mark.parametrize("limit", [1539 + 1, 5000, None])
def test_a_limit_that_is_not_met_gives_the_whole_number(limit: int | None) -> None:
    assert str(count(AS_PRINTED, limit)) == "1,539"


@given(sizes=st.lists(st.integers(1, 300), min_size=1), failures=st.sampled_from([2, 10_000]))
@examples(20)
def test_batches_of_any_sizes_give_every_solution_once(sizes: list[int], failures: int) -> None:
    puzzle = with_digits(AS_PRINTED, {1: 4})  # 126 solutions
    with patience(failures):
        expected = all_of(puzzle)
        search = SolutionIterator(puzzle)
        found: list[bytes] = []
        for size in chain(sizes, repeat(7)):
            batch = search.batch(size)
            assert batch.shape == (len(batch), 81)
            assert len(batch) <= size
            found += [board.tobytes() for board in batch]
            if len(batch) == 0:
                break
        assert len(search.batch(1)) == 0
    assert set(found) == expected
    assert len(found) == len(expected)


@pytest.mark.parametrize("failures", [0, 1, 10_000])
def test_no_time_means_unknown_and_never_none(failures: int) -> None:
    with patience(failures):
        answer = solve(HARD, time_limit=0)
        assert (answer.board, answer.stop_reason, answer.solved) == (None, "time limit", False)
        counted = count(HARD, time_limit=0)
        assert counted == Count(0, complete=False, stopped_by_time=True)
        assert counted.verdict == "unknown"
        assert is_unique(HARD, time_limit=0) is None
        assert list(solutions(HARD, time_limit=0)) == []


@pytest.mark.parametrize("failures", [0, 1, 10_000])
def test_enough_time_changes_nothing(failures: int) -> None:
    with patience(failures):
        assert count(HARD, time_limit=1e9) == Count(1, complete=True)
        assert solve(UNSOLVABLE[1], time_limit=1e9).stop_reason == "no solution"


def test_the_second_engine_looks_at_the_clock_between_slices(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ticks = counting()
    monkeypatch.setattr(sat, "time", SimpleNamespace(monotonic=lambda: next(ticks)))
    monkeypatch.setattr(sat, "FIRST_SLICE", 1)
    monkeypatch.setattr(sat, "LONGEST_SLICE", 1)
    puzzle = UNSOLVABLE[2]
    masks = empty_masks(puzzle.geometry)
    load_board(puzzle.board.copy(), masks, links(puzzle.geometry), SINGLES)
    formula = sat.Formula(masks.bits, links(puzzle.geometry))
    assert formula.solve(deadline=0) is None
    assert next(ticks) == 1  # it looked once
    assert formula.solve(deadline=5) is None
    assert next(ticks) == 6  # and worked in between, until the time was up
    assert formula.solve() is False
    formula.close()


@pytest.mark.parametrize(
    ("counted", "verdict"),
    [
        (Count(0, complete=True), "none"),
        (Count(1, complete=True), "unique"),
        (Count(2, complete=True), "several"),
        (Count(2, complete=False), "several"),
        (Count(0, complete=False), "unknown"),
        (Count(1, complete=False), "unknown"),
        (Count(7, complete=False, stopped_by_time=True), "several"),
    ],
)
def test_a_verdict_is_only_given_on_proof(counted: Count, verdict: Verdict) -> None:
    assert counted.verdict == verdict


def test_search_nodes_are_counted_up_to_a_cap() -> None:
    nodes = oracle.search_nodes(HARD)
    assert nodes is not None
    assert nodes > 10
    assert oracle.search_nodes(HARD, cap=nodes + 1) == nodes
    assert oracle.search_nodes(HARD, cap=nodes) is None
    assert oracle.search_nodes(KNOWN[0][0]) == 0


def test_threads_do_not_disturb_each_other() -> None:
    puzzles = [shuffled(HARD, seed) for seed in range(30)]
    alone = [solve(puzzle).board for puzzle in puzzles]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(solve, puzzles))
        counts = list(pool.map(lambda puzzle: count(puzzle, None), [AS_PRINTED, *puzzles]))
    for puzzle, board, answer in zip(puzzles, alone, together, strict=True):
        assert board is not None
        assert answer.board is not None
        assert puzzle.is_solved_by(answer.board)
        assert np.array_equal(answer.board, board)
    assert [counted.solutions for counted in counts] == [1539] + [1] * 30
