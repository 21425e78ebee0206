"""Children stay in their space, come from their parents, and cross as often as they should."""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from crossings import EMPTY, problem_of
from hypothesis import example, given, strategies as st
from numpy.typing import NDArray
from strategies import (
    FOUR,
    NINE,
    SEVERAL,
    examples,
    in_python,
    pattern_grid,
    seeds,
    solvable_puzzles,
)

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
from genoku.evolve.operators import crossover as crossovers
from genoku.evolve.operators.crossover import (
    CROSSOVERS,
    Agreement,
    By,
    Clones,
    Crossover,
    Cycle,
    Mixed,
    OneBlock,
    Order,
    PartiallyMatched,
    Points,
    RowTails,
    Uniform,
)
from genoku.evolve.problem import Problem
from genoku.puzzle.board import Puzzle
from genoku.puzzle.geometry import Geometry
from genoku.runtime.random import stream

TWO_POINT = tuple(Points(by, points=2, first=0) for by in ("row", "column", "box", "cell"))
EVERYWHERE = Points(points=50)
EXCHANGES: list[Crossover] = [
    Points(),
    Points("gene"),
    Points("gene", points=4),
    Points("cell", within=9),
    Points("box", points=2, first=0, spare=0),
    EVERYWHERE,
    Points("column", points=2, parents=3),
    Points("box", points=5, parents=4),
    Uniform(),
    Uniform("cell", children=2),
    Uniform("row", children=2),
    Uniform("gene", parents=3),
    Uniform("column", parents=4, children=4),
    *(OneBlock(by) for by in ("row", "column", "box", "cell", "gene")),
    RowTails(),
    RowTails(with_column=False),
    Mixed(),
    Mixed(TWO_POINT),
    Mixed((Points("box"), OneBlock("box"), Uniform("box", children=2))),
    Mixed((Uniform("column", parents=3), Uniform("cell", parents=3))),
    Clones(),
    Cycle(),
]
REORDERED: list[Crossover] = [
    PartiallyMatched(),
    Order(),
    Agreement(),
    Mixed((Order(), Cycle(), Agreement())),
]
VARIANTS = EXCHANGES + REORDERED
OF_ANY_RATE = [crossover for crossover in VARIANTS if not isinstance(crossover, Clones)]

# Whatever is in the catalogue, with its defaults or in a variant.
DEFAULTS: list[Crossover] = [crossover() for crossover in CROSSOVERS]
FULL = pattern_grid(NINE)


def reason_against(crossover: Crossover, encoding: Encoding) -> str | None:
    fits = getattr(crossover, "fits", None)
    reason: str | None = fits(encoding, Repetitions()) if fits else None
    return reason


def fitting(crossover: Crossover) -> list[Encoding]:
    return [e() for e in ENCODINGS if reason_against(crossover, e()) is None]


def at_rate(crossover: Any, rate: float) -> Any:
    return replace(crossover, rate=rate)


def random_mates(crossover: Crossover, boards: int, matings: int, seed: int) -> NDArray[np.int64]:
    return np.random.default_rng(seed).integers(boards, size=(matings, crossover.parents))


def families(
    crossover: Crossover, problem: Problem, seed: int, matings: int = 12
) -> tuple[Boards, Boards]:
    """The parents `[matings, parents, cells]` of random matings, and their children."""
    boards = problem.space.sample(10, stream(seed, "boards"))
    mates = random_mates(crossover, 10, matings, seed)
    children = crossover(boards, mates, problem, stream(seed, "children"))
    return boards[mates], children.reshape(matings, crossover.children, -1)


# The contract, for every crossover there is


@pytest.mark.parametrize("crossover", DEFAULTS, ids=repr)
def test_every_crossover_of_the_catalogue_is_tried_here_and_fits_some_encoding(
    crossover: Crossover,
) -> None:
    assert crossover in VARIANTS
    assert fitting(crossover)
    assert type(crossover).__doc__


def check_contract(crossover: Crossover, puzzle: Puzzle, encoding: Encoding, seed: int) -> None:
    problem = problem_of(puzzle, encoding)
    boards = problem.space.sample(8, stream(seed, "boards"))
    mates = random_mates(crossover, 8, 7, seed)
    before = boards.copy(), mates.copy()
    children = crossover(boards, mates, problem, stream(seed))

    assert children.shape == (7 * crossover.children, puzzle.geometry.cells)
    assert children.dtype == np.uint8
    assert children.flags.c_contiguous
    assert all(problem.space.contains(child) for child in children)
    assert np.array_equal(boards, before[0])
    assert np.array_equal(mates, before[1])
    assert not np.shares_memory(children, boards)
    assert np.array_equal(children, crossover(boards, mates, problem, stream(seed)))
    nobody = crossover(boards, mates[:0], problem, stream(seed))
    assert nobody.shape == (0, puzzle.geometry.cells)


@pytest.mark.parametrize("crossover", VARIANTS, ids=repr)
@examples(10)
@given(puzzle=solvable_puzzles(SEVERAL).map(lambda pair: pair[0]), seed=seeds)
@example(puzzle=EMPTY, seed=1)
@example(puzzle=FULL, seed=1)
@example(puzzle=Puzzle(Geometry(2, 2), b"\0" + pattern_grid(FOUR).digits[1:]), seed=1)
def test_children_stay_in_the_space_and_parents_as_they_were(
    crossover: Crossover, puzzle: Puzzle, seed: int
) -> None:
    for encoding in fitting(crossover):
        check_contract(crossover, puzzle, encoding, seed)


@pytest.mark.parametrize("crossover", VARIANTS, ids=repr)
def test_the_largest_boards_cross_too(crossover: Crossover) -> None:
    check_contract(crossover, Puzzle(Geometry(6, 6), bytes(1296)), fitting(crossover)[0], 1)


@pytest.mark.parametrize("crossover", [c for c in OF_ANY_RATE if c != EVERYWHERE], ids=repr)
def test_another_stream_makes_other_children(crossover: Crossover) -> None:
    problem = problem_of(EMPTY, fitting(crossover)[0])
    boards = problem.space.sample(10, stream(1))
    mates = random_mates(crossover, 10, 20, 1)
    one, other = (crossover(boards, mates, problem, stream(seed)) for seed in (1, 2))
    assert not np.array_equal(one, other)


@pytest.mark.parametrize("crossover", EXCHANGES, ids=repr)
@given(seed=seeds, rate=st.sampled_from([0.0, 0.5, 1.0]))
@examples(10)
def test_every_cell_is_one_of_the_parents_there_and_together_children_hold_them_all(
    crossover: Crossover, seed: int, rate: float
) -> None:
    if hasattr(crossover, "rate"):
        crossover = at_rate(crossover, rate)
    for encoding in fitting(crossover):
        parents, children = families(crossover, problem_of(EMPTY, encoding), seed)
        if crossover.children == crossover.parents:
            assert np.array_equal(np.sort(children, axis=1), np.sort(parents, axis=1))
        else:
            assert (children[:, :, None] == parents[:, None]).any(axis=2).all()


@pytest.mark.parametrize("crossover", OF_ANY_RATE, ids=repr)
def test_at_rate_0_the_parents_are_passed_on(crossover: Crossover) -> None:
    for encoding in fitting(crossover):
        parents, children = families(at_rate(crossover, 0.0), problem_of(EMPTY, encoding), 1)
        assert np.array_equal(children, parents[:, : crossover.children])


@pytest.mark.parametrize("rate", [0.4, 1.0])
@pytest.mark.parametrize("crossover", OF_ANY_RATE, ids=repr)
def test_the_rate_is_the_share_of_matings_that_cross(crossover: Crossover, rate: float) -> None:
    problem = problem_of(EMPTY, fitting(crossover)[0])
    # Every parent has other digits everywhere, and each group its own once.
    further = np.arange(crossover.parents, dtype=np.uint8)[:, None]
    boards = (problem.space.sample(1, stream(1)) - 1 + further) % np.uint8(9) + 1
    mates = np.tile(np.arange(crossover.parents), (1_000, 1))
    children = at_rate(crossover, rate)(boards, mates, problem, stream(2))
    passed_on = boards[mates[:, : crossover.children]].reshape(children.shape)
    differ = (children != passed_on).any(axis=1).reshape(1_000, -1).any(axis=1)
    # Nothing is right of the last column, and nine coins fall on the same side now and then.
    expected = rate * 7 / 8 if crossover == RowTails(with_column=False) else rate
    assert abs(differ.mean() - expected) < 5 * (0.25 / 1_000) ** 0.5


# What does not fit, and what cannot be asked for

ROWS_TORN = "exchanging by {} would break the rows that permuted rows keep whole"
BOXES_TORN = "exchanging {} would break the boxes that permuted boxes keep whole"
NO_ORDER = "it requires an encoding that permutes rows, columns or boxes"
MISFITS: list[tuple[Crossover, Encoding, str]] = [
    (Points("row"), PermutedBoxes(), BOXES_TORN.format("by row")),
    (Points("box"), PermutedRows(), ROWS_TORN.format("box")),
    (Points("gene"), PermutedRows(), ROWS_TORN.format("gene")),
    (Uniform("cell"), PermutedBoxes(), BOXES_TORN.format("by cell")),
    (
        OneBlock("row"),
        PermutedColumns(),
        "exchanging by row would break the columns that permuted columns keep whole",
    ),
    (RowTails(), PermutedBoxes(), BOXES_TORN.format("tails of rows")),
    (Mixed(), PermutedBoxes(), BOXES_TORN.format("by row")),
    (Mixed((Points("box"), Uniform("gene", children=2))), PermutedBoxes(),
     BOXES_TORN.format("by gene")),
    (PartiallyMatched(), FreeCells(), NO_ORDER),
    (Order(), LegalCells(), NO_ORDER),
    (Agreement(), FreeCells(), NO_ORDER),
    (Mixed((Cycle(),)), FreeCells(), NO_ORDER),
]  # fmt: skip


@pytest.mark.parametrize(("crossover", "encoding", "reason"), MISFITS)
def test_what_does_not_fit_is_told_why(
    crossover: Crossover, encoding: Encoding, reason: str
) -> None:
    assert reason_against(crossover, encoding) == reason


TEARING = [
    (crossover, encoding())
    for crossover in EXCHANGES
    for encoding in (PermutedRows, PermutedColumns, PermutedBoxes)
    if reason_against(crossover, encoding()) is not None
]


@pytest.mark.parametrize(("crossover", "encoding"), TEARING)
def test_what_is_said_to_tear_groups_does(crossover: Crossover, encoding: Encoding) -> None:
    every_fourth = bytes(0 if cell % 4 else digit for cell, digit in enumerate(FULL.digits))
    problem = problem_of(Puzzle(NINE, every_fourth), encoding)
    _, children = families(crossover, problem, 1, matings=30)
    assert not all(problem.space.contains(child) for child in children.reshape(-1, 81))


@pytest.mark.parametrize("by", ["row", "column", "box"])
def test_blocks_that_an_encoding_keeps_may_be_exchanged_by(by: By) -> None:
    for kind in (Points, Uniform, OneBlock):
        assert [e.keeps for e in fitting(kind(by))] == ["none", "none", by]


REFUSED = [
    (lambda: Points(rate=1.1), "rate"),
    (lambda: Uniform(rate=-0.1), "rate"),
    (lambda: OneBlock(rate=float("nan")), "rate"),
    (lambda: RowTails(rate=2), "rate"),
    (lambda: PartiallyMatched(rate=2), "rate"),
    (lambda: Order(rate=2), "rate"),
    (lambda: Agreement(rate=2), "rate"),
    (lambda: Cycle(rate=2), "rate"),
    (lambda: Mixed(rate=2), "rate"),
    (lambda: Points(points=0), "points"),
    (lambda: Points(first=-1), "first"),
    (lambda: Points(parents=1), "parents"),
    (lambda: Uniform(parents=256), "parents"),
    (lambda: Uniform(parents=3, children=2), "children"),
    (lambda: Points(by="diagonal"), "by"),  # pyright: ignore[reportArgumentType]
    (lambda: OneBlock(by="unit"), "by"),  # pyright: ignore[reportArgumentType]
    (lambda: Mixed(()), "parts"),
    (lambda: Mixed((Points(), Uniform())), "parts"),
    (lambda: Mixed((Points(), OneBlock(rate=0.5))), "parts"),
]


@pytest.mark.parametrize(("build", "name"), REFUSED)
def test_a_parameter_out_of_range_is_refused_by_name(build: Any, name: str) -> None:
    with pytest.raises(RecipeError) as refused:
        build()
    assert refused.value.path == (name,)


# Kernels


def plain(module: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put the kernels of a module in plain Python."""
    for name, kernel in list(vars(module).items()):
        if getattr(kernel, "__module__", "") == module.__name__:
            monkeypatch.setattr(module, name, in_python(kernel))


@pytest.mark.parametrize("crossover", VARIANTS, ids=repr)
def test_kernels_do_the_same_in_plain_python(
    crossover: Crossover, monkeypatch: pytest.MonkeyPatch
) -> None:
    if hasattr(crossover, "rate"):
        crossover = at_rate(crossover, 0.8)
    problem = problem_of(Puzzle.parse("1.3. .2.4 .... 2.4."), fitting(crossover)[0])
    boards = problem.space.sample(6, stream(1))
    mates = random_mates(crossover, 6, 10, 1)
    streams = stream(2), stream(2)
    compiled = crossover(boards, mates, problem, streams[0])
    plain(crossovers, monkeypatch)
    assert np.array_equal(crossover(boards, mates, problem, streams[1]), compiled)
    assert np.array_equal(*streams)
