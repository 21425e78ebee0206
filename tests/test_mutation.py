"""Every mutation stays in its space, keeps its rate, and does what its report says."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from strategies import FOUR, NINE, SEVERAL, SIX, in_python, pattern_grid, seeds, with_digits

from genoku import bundled, mutation, solve
from genoku.board import Puzzle
from genoku.encoding import (
    ENCODINGS,
    Boards,
    Encoding,
    FreeCells,
    LegalCells,
    PermutedBoxes,
    PermutedColumns,
    PermutedRows,
)
from genoku.errors import RecipeError
from genoku.fitness import Repetitions
from genoku.geometry import Geometry
from genoku.mutation import (
    MUTATIONS,
    Inversion,
    Mutation,
    OneOf,
    Reset,
    RuledSwap,
    Scramble,
    Shuffle,
    Swap,
    Unit,
    appearances,
    random_unit,
)
from genoku.problem import Problem
from genoku.repeats import REPEATS, Between, Binomial, Fixed, successes_up_to
from genoku.stream import Stream, stream

KINDS: tuple[Unit, ...] = ("row", "column", "box")
MOVES: list[Any] = [Swap, RuledSwap, Shuffle, Inversion, Scramble]
OTHERS: list[Mutation] = [
    Swap("any", Binomial(0.3), distinct=False),
    Swap("box", Between(0, 4)),
    Swap("column", distinct=False),
    RuledSwap(limit=4, exactly=True),
    Reset(Fixed(3)),
    Reset(Binomial(0.3, of="blanks"), different=False),
    OneOf((Reset(), Swap("any"))),
    OneOf((Shuffle("column"), OneOf((Swap("column"), Inversion("column"))))),
]
EVERY: list[Mutation] = [
    *(each() for each in MUTATIONS if each not in MOVES),
    *(each(unit) for each in MOVES for unit in (*KINDS, "any")),
    *OTHERS,
]
every_mutation = pytest.mark.parametrize("mutate", EVERY, ids=repr)

HARD = bundled()["charles-hard"].puzzle
KEEPING: dict[Unit, Encoding] = {
    "row": PermutedRows(),
    "column": PermutedColumns(),
    "box": PermutedBoxes(),
}


def problem_of(puzzle: Puzzle, encoding: Encoding) -> Problem:
    return Problem.of(puzzle, encoding, Repetitions())


def misfit(mutate: Mutation, encoding: Encoding) -> str | None:
    fits: Any = getattr(mutate, "fits")  # noqa: B009 (a mutation may have none, these do)
    reason: str | None = fits(encoding, Repetitions())
    return reason


def fitting(mutate: Mutation) -> list[Encoding]:
    return [each() for each in ENCODINGS if misfit(mutate, each()) is None]


def with_blanks(geometry: Geometry, *cells: int) -> Puzzle:
    return with_digits(pattern_grid(geometry), dict.fromkeys(cells, 0))


def alike(problem: Problem, count: int, seed: int = 1) -> Boards:
    """The same random board, again and again."""
    return np.repeat(problem.space.sample(1, stream(seed)), count, axis=0)


def differ(one: Boards, two: Boards) -> NDArray[np.bool_]:
    """Whether each board differs."""
    different: NDArray[np.bool_] = np.any(one != two, axis=1)
    return different


def about(share: float, count: int) -> Any:
    """A share measured over so many draws: five standard deviations either way."""
    return pytest.approx(share, abs=5 * (share * (1 - share) / count) ** 0.5 + 1e-12)


def assert_equally_often(found: Counter[Any], outcomes: int, draws: int) -> None:
    assert len(found) == outcomes
    for times in found.values():
        assert times / draws == about(1 / outcomes, draws)


@st.composite
def puzzles(draw: st.DrawFn) -> Puzzle:
    """Any share of blanks, none and all of them included."""
    geometry = draw(st.sampled_from([*SEVERAL, Geometry(5, 5), Geometry(6, 6)]))
    share = draw(st.sampled_from([0.0, 0.02, 0.1, 0.5, 0.8, 1.0]))
    random = draw(st.randoms(use_true_random=False))
    return with_blanks(geometry, *(c for c in range(geometry.cells) if random.random() < share))


# What holds for all of them


@every_mutation
@settings(max_examples=12)
@given(puzzles(), st.sampled_from([0.0, 0.3, 1.0]), seeds)
@example(with_blanks(NINE), 1.0, 1)
@example(with_blanks(NINE, 40), 1.0, 1)
@example(with_blanks(NINE, 40, 44), 1.0, 1)
@example(with_blanks(SIX, *range(36)), 1.0, 1)
def test_boards_stay_in_their_space_and_the_input_as_it_was(
    mutate: Mutation, puzzle: Puzzle, rate: float, seed: int
) -> None:
    for encoding in fitting(mutate):
        problem = problem_of(puzzle, encoding)
        boards = problem.space.sample(4, stream(seed))
        before = boards.copy()
        changed = mutate(boards, rate, problem, stream(seed, "mutation"))
        assert np.array_equal(boards, before)
        assert not np.shares_memory(boards, changed)
        assert changed.shape == boards.shape
        assert changed.dtype == np.uint8
        assert changed.flags.c_contiguous
        assert all(problem.space.contains(board) for board in changed)
        assert rate > 0 or np.array_equal(changed, boards)


@every_mutation
def test_the_same_stream_gives_the_same_boards_and_another_others(mutate: Mutation) -> None:
    for encoding in fitting(mutate):
        problem = problem_of(HARD, encoding)
        boards = problem.space.sample(50, stream(1))
        one, again, other = (mutate(boards, 0.5, problem, stream(seed)) for seed in (1, 1, 2))
        assert np.array_equal(one, again)
        assert not np.array_equal(one, other)


@every_mutation
def test_no_boards_give_no_boards(mutate: Mutation) -> None:
    problem = problem_of(HARD, fitting(mutate)[0])
    assert mutate(np.empty((0, 81), np.uint8), 1.0, problem, stream(1)).shape == (0, 81)


@every_mutation
def test_what_is_refused_would_leave_the_space(mutate: Mutation) -> None:
    for encoding in (each() for each in ENCODINGS if misfit(mutate, each()) is not None):
        problem = problem_of(HARD, encoding)
        boards = mutate(problem.space.sample(200, stream(1)), 1.0, problem, stream(2))
        assert not all(problem.space.contains(board) for board in boards)


@every_mutation
def test_the_kernels_agree_with_plain_python(
    mutate: Mutation, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = problem_of(HARD, fitting(mutate)[0])
    boards = problem.space.sample(20, stream(1))
    fast = mutate(boards, 0.7, problem, stream(2))
    names = [name for name, value in vars(mutation).items() if hasattr(value, "py_func")]
    for name in names:
        monkeypatch.setattr(mutation, name, in_python(getattr(mutation, name)))
    assert np.array_equal(mutate(boards, 0.7, problem, stream(2)), fast)


@every_mutation
def test_a_mutation_is_rebuilt_from_what_it_prints(mutate: Mutation) -> None:
    parts = {each.__name__: each for each in (*MUTATIONS, *REPEATS)}
    assert eval(repr(mutate), parts) == mutate
    assert len({mutate, mutate}) == 1


# How many boards change: the rate has one owner


ALWAYS_SEEN: list[tuple[Mutation, Encoding]] = [
    *((Swap(kind), encoding) for kind, encoding in KEEPING.items()),
    *((Inversion(kind), encoding) for kind, encoding in KEEPING.items()),
    *((RuledSwap(kind, most=1, limit=36), encoding) for kind, encoding in KEEPING.items()),
    (Swap("box", Fixed(3)), PermutedBoxes()),
    (Reset(), FreeCells()),
    (Reset(), LegalCells()),
    (OneOf((Swap(), Inversion())), PermutedRows()),
    (OneOf((Swap(), OneOf((Inversion(), Swap())))), PermutedRows()),
]


@pytest.mark.parametrize("rate", [0.1, 0.5, 1.0])
@pytest.mark.parametrize(("mutate", "encoding"), ALWAYS_SEEN, ids=repr)
def test_the_share_of_changed_boards_is_the_rate(
    mutate: Mutation, encoding: Encoding, rate: float
) -> None:
    problem = problem_of(HARD, encoding)
    boards = problem.space.sample(2_000, stream(1))
    changed = differ(mutate(boards, rate, problem, stream(2)), boards)
    assert changed.mean() == about(rate, 2_000)


@pytest.mark.parametrize(
    ("of", "trials", "published"), [("units", 27, 0.2377), ("blanks", 55, 0.4246)]
)
def test_report_002_mutates_its_published_share_of_boards(
    of: Any, trials: int, published: float
) -> None:
    repeats = Binomial(0.01, of=of)
    problem = problem_of(HARD, FreeCells())
    times = repeats(20_000, problem, stream(1))
    assert 1 - successes_up_to(trials, 0.01)[0] == pytest.approx(published, abs=5e-5)
    assert (times > 0).mean() == about(published, 20_000)
    boards = problem.space.sample(5_000, stream(2))
    changed = differ(Reset(repeats)(boards, 1.0, problem, stream(3)), boards)
    # two resets of one blank may undo each other, which is rare
    assert changed.mean() == pytest.approx(published, abs=0.03)


# Digits that change places


@pytest.mark.parametrize("unit", [*KINDS, "any"])
@pytest.mark.parametrize("each", MOVES)
def test_digits_move_among_the_blanks_of_one_unit(each: Any, unit: str) -> None:
    problem = problem_of(HARD, FreeCells())
    boards = problem.space.sample(300, stream(1))
    changed = each(unit)(boards, 1.0, problem, stream(2))
    first = {"row": 0, "column": 9, "box": 18, "any": 0}[unit]
    units = HARD.geometry.units[first : first + (27 if unit == "any" else 9)]
    for before, after in zip(boards, changed, strict=True):
        moved = np.flatnonzero(before != after)
        assert any(set(moved) <= set(cells) for cells in units.tolist())
        assert sorted(before[moved]) == sorted(after[moved])


@pytest.mark.parametrize(
    ("unit", "cells"), [("row", (4, 5, 6, 7)), ("column", (1, 5, 9, 13)), ("box", (2, 3, 6, 7))]
)
def test_a_swap_exchanges_two_blanks_and_every_pair_of_a_unit_equally_often(
    unit: Unit, cells: tuple[int, ...]
) -> None:
    problem = problem_of(with_blanks(FOUR, *cells, 8), KEEPING[unit])
    boards = alike(problem, 12_000)
    changed = Swap(unit)(boards, 1.0, problem, stream(2))
    pairs = Counter(tuple(np.flatnonzero(row).tolist()) for row in boards != changed)
    assert set(pairs) == set(combinations(cells, 2))
    assert_equally_often(pairs, 6, 12_000)


def test_any_unit_is_a_row_a_column_or_a_box() -> None:
    units = FreeCells().space(with_blanks(SIX, 0, 5, 6, 7, 8, 9)).swappable("any")
    blanks = [cells[:size].tolist() for cells, size in zip(units.cells, units.sizes, strict=True)]
    assert blanks == [[0, 5], [6, 7, 8, 9], [0, 6], [0, 6, 7, 8], [5, 9]]
    assert units.starts.tolist() == [0, 2, 3, 5]


@pytest.mark.parametrize(
    ("starts", "shares"),
    [
        ([0, 2, 3, 5], [1 / 6, 1 / 6, 1 / 3, 1 / 6, 1 / 6]),
        ([0, 1, 4], [1 / 2, 1 / 6, 1 / 6, 1 / 6]),
        ([0, 2], [1 / 2, 1 / 2]),
    ],
)
def test_the_kind_of_a_unit_is_drawn_first(starts: list[int], shares: list[float]) -> None:
    rng = stream(1)
    drawn = Counter(int(random_unit(np.array(starts), rng)) for _ in range(6_000))
    assert set(drawn) == set(range(len(shares)))
    for unit, share in enumerate(shares):
        assert drawn[unit] / 6_000 == about(share, 6_000)


def test_kinds_without_a_pair_are_not_drawn() -> None:
    space = FreeCells().space(with_blanks(NINE, 0, 8))
    assert space.swappable("any").cells[:, :2].tolist() == [[0, 8]]
    assert space.swappable("any").starts.tolist() == [0, 1]
    assert space.swappable("any", least=1).starts.tolist() == [0, 1, 3, 5]
    assert space.swappable("column").starts.tolist() == [0]
    assert space.swappable("column").cells.shape == (0, 9)


def test_report_002s_code_swaps_a_blank_with_itself_once_in_six_times() -> None:
    problem = problem_of(with_blanks(NINE, 0, 1, 2, 3, 4, 5), PermutedRows())
    boards = alike(problem, 20_000)
    changed = differ(Swap(distinct=False)(boards, 1.0, problem, stream(2)), boards)
    assert changed.mean() == about(5 / 6, 20_000)


def test_only_swaps_with_replacement_draw_units_with_a_single_blank() -> None:
    problem = problem_of(with_blanks(NINE, 0, 10, 11), PermutedRows())
    boards = alike(problem, 10_000)
    assert differ(Swap()(boards, 1.0, problem, stream(2)), boards).all()
    changed = differ(Swap(distinct=False)(boards, 1.0, problem, stream(2)), boards)
    assert changed.mean() == about(1 / 4, 10_000)


def places_moved(before: NDArray[Any], after: NDArray[Any]) -> tuple[int, int]:
    moved = np.flatnonzero(before != after)
    return int(moved[0]), int(moved[-1])


def test_an_inversion_reverses_every_stretch_equally_often() -> None:
    problem = problem_of(with_blanks(NINE, 0, 2, 3, 5, 8), PermutedRows())
    boards = alike(problem, 10_000)
    changed = Inversion()(boards, 1.0, problem, stream(2))
    blanks = [0, 2, 3, 5, 8]
    stretches: Counter[tuple[int, int]] = Counter()
    for before, after in zip(boards[:, blanks], changed[:, blanks], strict=True):
        first, last = places_moved(before, after)
        assert after[first : last + 1].tolist() == before[first : last + 1][::-1].tolist()
        stretches[first, last] += 1
    assert_equally_often(stretches, 10, 10_000)


def test_a_shuffle_gives_every_order_equally_often() -> None:
    problem = problem_of(with_blanks(FOUR, 0, 1, 4, 5), PermutedBoxes())
    changed = Shuffle()(alike(problem, 24_000), 1.0, problem, stream(2))
    orders = Counter(tuple(board[[0, 1, 4, 5]].tolist()) for board in changed)
    assert_equally_often(orders, 24, 24_000)


def test_a_scramble_shuffles_a_stretch() -> None:
    # of four blanks' six stretches, three have 2 blanks, two have 3 and one has 4
    unmoved = (3 / 2 + 2 / 6 + 1 / 24) / 6
    problem = problem_of(with_blanks(FOUR, 0, 1, 2, 3), PermutedRows())
    boards = alike(problem, 20_000)
    changed = Scramble()(boards, 1.0, problem, stream(2))
    assert differ(boards, changed).mean() == about(1 - unmoved, 20_000)
    orders = Counter(tuple(board[:4].tolist()) for board in changed)
    first, *rest = boards[0, :4].tolist()
    assert len(orders) == 24
    swapped_ends = orders[rest[2], rest[0], rest[1], first] / 20_000
    assert swapped_ends == about(1 / 6 / 24, 20_000)  # only the longest stretch does that


# Report 004's rule


def counted_by_hand(board: NDArray[Any], one: int, two: int) -> int:
    grid = board.reshape(9, 9).tolist()
    (row1, column1), (row2, column2) = divmod(one, 9), divmod(two, 9)
    a, b = grid[row1][column1], grid[row2][column2]
    columns = list(zip(*grid, strict=True))
    return (
        grid[row2].count(a) + columns[column2].count(a)
        + grid[row1].count(b) + columns[column1].count(b)
    )  # fmt: skip


def in_box_pairs() -> list[tuple[int, int]]:
    return [pair for box in NINE.units[18:].tolist() for pair in combinations(box, 2)]


def test_a_solved_grid_has_four_appearances_for_every_pair_of_a_box() -> None:
    solved = np.asarray(solve(HARD).board)
    assert len(in_box_pairs()) == 324
    for one, two in in_box_pairs():
        assert appearances(solved[None], 0, one, two, 9) == counted_by_hand(solved, one, two) == 4


@given(seeds)
@settings(max_examples=10)
def test_appearances_are_counted_as_by_hand(seed: int) -> None:
    boards = FreeCells().space(HARD).sample(2, stream(seed))
    for one, two in in_box_pairs()[::7]:
        assert appearances(boards, 1, one, two, 9) == counted_by_hand(boards[1], one, two)


@pytest.mark.parametrize("exactly", [False, True])
@pytest.mark.parametrize("limit", [3, 4, 5])
def test_swaps_are_made_by_the_rule(limit: int, exactly: bool) -> None:
    problem = problem_of(HARD, PermutedBoxes())
    boards = problem.space.sample(400, stream(1))
    ruled = RuledSwap(most=1, limit=limit, exactly=exactly)(boards, 1.0, problem, stream(2))
    # without a limit the same stream makes every swap it draws
    drawn = RuledSwap(most=1, limit=36)(boards, 1.0, problem, stream(2))
    for before, after, swapped in zip(boards, ruled, drawn, strict=True):
        one, two = np.flatnonzero(before != swapped)
        met = counted_by_hand(before, int(one), int(two))
        allowed = met == limit if exactly else met <= limit
        assert np.array_equal(after, swapped if allowed else before)


@pytest.mark.parametrize("name", ["charles-basic", "charles-hard"])
def test_the_rule_accepts_its_known_share_of_swaps(name: str) -> None:
    problem = problem_of(bundled()[name].puzzle, PermutedBoxes())
    boards = problem.space.sample(10_000, stream(1))
    for share, rule in [
        (0.885, RuledSwap(most=1, limit=5)),
        (0.715, RuledSwap(most=1, limit=4)),
        (0.17, RuledSwap(most=1, limit=5, exactly=True)),
    ]:
        accepted = differ(rule(boards, 1.0, problem, stream(2)), boards)
        assert accepted.mean() == pytest.approx(share, abs=0.02)


def is_odd(before: NDArray[Any], after: NDArray[Any]) -> bool:
    """Whether an odd number of exchanges leads from one order to the other."""
    order: list[int] = [after.tolist().index(digit) for digit in before.tolist()]
    return sum(order[i] > order[j] for j in range(len(order)) for i in range(j)) % 2 == 1


@pytest.mark.parametrize(
    ("mutate", "share"),
    [(RuledSwap("row", limit=36), 3 / 5), (RuledSwap("row", 2, 3, 36), 1 / 2),
     (RuledSwap("row", 4, 4, 36), 0), (Swap("row", Fixed(2)), 0), (Swap("row", Fixed(5)), 1),
     (Swap("row", Between(1, 5)), 3 / 5), (Swap("row", Binomial(1.0, trials=3)), 1),
     (Swap("row", Binomial(0.5, trials=4)), 1 / 2), (Swap("row", Binomial(0.0)), 0)],
    ids=repr,
)  # fmt: skip
def test_swaps_are_made_as_many_times_as_asked(mutate: Mutation, share: float) -> None:
    # the parity of the order tells how many swaps there were
    problem = problem_of(with_blanks(NINE, *range(9)), PermutedRows())
    boards = problem.space.sample(3_000, stream(1))
    changed = mutate(boards, 1.0, problem, stream(2))
    odd = [is_odd(*rows) for rows in zip(boards[:, :9], changed[:, :9], strict=True)]
    assert np.mean(odd) == about(share, 3_000)


# New digits


def test_a_reset_gives_every_blank_every_other_digit_equally_often() -> None:
    # report 002's uniform mutation
    problem = problem_of(with_blanks(NINE, 3, 40, 80), FreeCells())
    boards = alike(problem, 24_000)
    changed = Reset()(boards, 1.0, problem, stream(2))
    assert ((boards != changed).sum(axis=1) == 1).all()
    places = np.argmax(boards != changed, axis=1)
    drawn = Counter(zip(places.tolist(), changed[np.arange(24_000), places].tolist(), strict=True))
    assert {place for place, _ in drawn} == {3, 40, 80}
    assert_equally_often(drawn, 3 * 8, 24_000)


def test_a_reset_draws_among_the_blanks_that_have_a_choice() -> None:
    puzzle = Puzzle.parse("12.. 3.12 ..4. ....")
    candidates = puzzle.candidates()
    problem = problem_of(puzzle, LegalCells())
    boards = alike(problem, 24_000)
    changed = Reset()(boards, 1.0, problem, stream(2))
    assert ((boards != changed).sum(axis=1) == 1).all()
    places = np.argmax(boards != changed, axis=1)
    drawn = Counter(zip(places.tolist(), changed[np.arange(24_000), places].tolist(), strict=True))
    choosing = [cell for cell in range(16) if len(candidates[cell]) > 1]
    assert any(len(candidates[cell]) == 1 for cell in range(16) if puzzle.digits[cell] == 0)
    for cell in choosing:
        others = set(candidates[cell]) - {int(boards[0, cell])}
        for digit in others:
            expected = 1 / len(choosing) / len(others)
            assert drawn.pop((cell, digit)) / 24_000 == about(expected, 24_000)
    assert not drawn


def test_where_every_blank_has_a_single_legal_digit_a_reset_changes_nothing() -> None:
    problem = problem_of(with_blanks(NINE, 0, 40, 80), LegalCells())
    boards = alike(problem, 100)
    assert not differ(Reset()(boards, 1.0, problem, stream(2)), boards).any()


def test_a_reset_that_need_not_differ_keeps_its_digit_once_in_nine_times() -> None:
    problem = problem_of(HARD, FreeCells())
    boards = problem.space.sample(6_000, stream(1))
    changed = differ(Reset(different=False)(boards, 1.0, problem, stream(2)), boards)
    assert changed.mean() == about(8 / 9, 6_000)


# One of several


def marking(digit: int) -> Mutation:
    def mark(boards: Boards, rate: float, problem: Problem, rng: Stream) -> Boards:
        assert rate == 1
        assert len(boards) > 0
        return np.full_like(boards, digit)

    return mark


def test_every_part_is_drawn_equally_often_and_the_rate_stays_one() -> None:
    problem = problem_of(HARD, FreeCells())
    boards = np.zeros((20_000, 81), np.uint8)
    drawn = OneOf((marking(1), marking(2), marking(3)))(boards, 0.6, problem, stream(1))
    assert (drawn == drawn[:, :1]).all()
    assert (drawn[:, 0] == 0).mean() == about(0.4, 20_000)
    for digit in (1, 2, 3):
        assert (drawn[:, 0] == digit).mean() == about(0.2, 20_000)


def test_parts_are_not_called_without_boards() -> None:
    problem = problem_of(HARD, FreeCells())
    one_board = np.zeros((1, 81), np.uint8)
    drawn = OneOf((marking(1), marking(2)))(one_board, 1.0, problem, stream(1))
    assert drawn[0, 0] in (1, 2)


# What fits what


@pytest.mark.parametrize(
    ("mutate", "encoding", "reason"),
    [
        (Swap("row"), FreeCells(), None),
        (Swap("any"), FreeCells(), None),
        (Swap("box"), PermutedBoxes(), None),
        (RuledSwap(), PermutedBoxes(), None),
        (Shuffle(), PermutedBoxes(), None),
        (Inversion(), PermutedRows(), None),
        (Reset(), FreeCells(), None),
        (Reset(), LegalCells(), None),
        (OneOf((Reset(), marking(1))), LegalCells(), None),
        (
            Swap("row"),
            PermutedBoxes(),
            "moving digits within a row would break the boxes it keeps whole",
        ),
        (
            Swap("any"),
            PermutedRows(),
            "moving digits within any unit would break the rows it keeps whole",
        ),
        (
            Swap("row"),
            LegalCells(),
            "a digit that moves may clash with a given at its new place",
        ),
        (Reset(), PermutedColumns(), "a new digit would break the columns it keeps whole"),
        (
            OneOf((marking(1), Swap("box"), Reset())),
            PermutedBoxes(),
            "a new digit would break the boxes it keeps whole",
        ),
    ],
)
def test_a_misfit_says_why(mutate: Mutation, encoding: Encoding, reason: str | None) -> None:
    assert misfit(mutate, encoding) == reason


@pytest.mark.parametrize("each", MOVES)
def test_moves_fit_free_cells_and_the_encoding_that_keeps_their_unit(
    each: Any,
) -> None:
    for unit in KINDS:
        fits = [type(encoding) for encoding in fitting(each(unit))]
        assert fits == [FreeCells, type(KEEPING[unit])]
    assert [type(encoding) for encoding in fitting(each("any"))] == [FreeCells]


BAD: list[tuple[Any, dict[str, Any], str]] = [
    (Swap, {"unit": "diagonal"}, "expected the unit row, column, box or any, got 'diagonal'"),
    (RuledSwap, {"unit": "line"}, "expected the unit row, column, box or any, got 'line'"),
    (RuledSwap, {"least": 3, "most": 2}, "got least 3 and most 2"),
    (RuledSwap, {"least": -1}, "expected at least 0 swaps"),
    (RuledSwap, {"limit": -1}, "expected a limit of 0 or more, got limit -1"),
    (OneOf, {"parts": ()}, "expected one mutation or more to draw from, got none"),
]


@pytest.mark.parametrize(("each", "parameters", "message"), BAD)
def test_bad_parameters_are_refused(each: Any, parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        each(**parameters)


def test_mutations_leave_the_times_they_share_alone() -> None:
    problem = problem_of(HARD, FreeCells())
    boards = problem.space.sample(30, stream(1))
    for mutate in (Swap("any", Fixed(2)), Reset(Fixed(2))):
        mutate(boards, 1.0, problem, stream(1))
    assert (Fixed(2)(30, problem, stream(1)) == 2).all()
