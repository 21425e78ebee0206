"""Every mutation stays in its space, keeps its rate, and is refused where it does not fit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, strategies as st
from mutations import HARD, KEEPING, KINDS, MOVES, about, differ, problem_of, with_blanks
from strategies import NINE, SEVERAL, SIX, examples, in_python, seeds

from genoku.errors import RecipeError
from genoku.evolve.encoding import (
    ENCODINGS,
    Boards,
    Encoding,
    FreeCells,
    LegalCells,
    PermutedBoxes,
    PermutedColumns,
    PermutedRows,
)
from genoku.evolve.fitness import Repetitions
from genoku.evolve.operators import mutation
from genoku.evolve.operators.mutation import (
    MUTATIONS,
    REPEATS,
    Between,
    Binomial,
    Fixed,
    Inversion,
    Mutation,
    OneOf,
    Reset,
    RuledSwap,
    Shuffle,
    Swap,
    binomial_cdf,
)
from genoku.evolve.problem import Problem
from genoku.puzzle.board import Puzzle
from genoku.puzzle.geometry import Geometry
from genoku.runtime.random import Stream, stream

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


def misfit(mutate: Mutation, encoding: Encoding) -> str | None:
    fits: Any = getattr(mutate, "fits")  # noqa: B009 (a mutation may have none, these do)
    reason: str | None = fits(encoding, Repetitions())
    return reason


def fitting(mutate: Mutation) -> list[Encoding]:
    return [each() for each in ENCODINGS if misfit(mutate, each()) is None]


@st.composite
def puzzles(draw: st.DrawFn) -> Puzzle:
    """Any share of blanks, none and all of them included."""
    geometry = draw(st.sampled_from([*SEVERAL, Geometry(5, 5), Geometry(6, 6)]))
    share = draw(st.sampled_from([0.0, 0.02, 0.1, 0.5, 0.8, 1.0]))
    random = draw(st.randoms(use_true_random=False))
    return with_blanks(geometry, *(c for c in range(geometry.cells) if random.random() < share))


@every_mutation
@examples(12)
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
    assert 1 - binomial_cdf(trials, 0.01)[0] == pytest.approx(published, abs=5e-5)
    assert (times > 0).mean() == about(published, 20_000)
    boards = problem.space.sample(5_000, stream(2))
    changed = differ(Reset(repeats)(boards, 1.0, problem, stream(3)), boards)
    # two resets of one blank may undo each other, which is rare
    assert changed.mean() == pytest.approx(published, abs=0.03)


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
            "a digit that moves may conflict with a given",
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
    (Swap, {"unit": "diagonal"}, "unit"),
    (RuledSwap, {"unit": "line"}, "unit"),
    (RuledSwap, {"least": 3, "most": 2}, "most"),
    (RuledSwap, {"least": -1}, "least"),
    (RuledSwap, {"limit": -1}, "limit"),
    (OneOf, {"parts": ()}, "parts"),
]


@pytest.mark.parametrize(("each", "parameters", "name"), BAD)
def test_bad_parameters_are_refused(each: Any, parameters: dict[str, Any], name: str) -> None:
    with pytest.raises(RecipeError) as refused:
        each(**parameters)
    assert refused.value.path == (name,)


def test_mutations_leave_the_times_they_share_alone() -> None:
    problem = problem_of(HARD, FreeCells())
    boards = problem.space.sample(30, stream(1))
    for mutate in (Swap("any", Fixed(2)), Reset(Fixed(2))):
        mutate(boards, 1.0, problem, stream(1))
    assert (Fixed(2)(30, problem, stream(1)) == 2).all()
