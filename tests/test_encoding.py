"""Every encoding samples boards it contains, on every geometry."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from strategies import examples

from genoku import Geometry, Puzzle, PuzzleError, bundled
from genoku.evolve.encoding import ENCODINGS, FreeCells, LegalCells, PermutedBoxes, PermutedRows
from genoku.runtime.random import stream

SHAPES = [Geometry(2, 2), Geometry(2, 3), Geometry(3, 2), Geometry(3, 3), Geometry(4, 4)]
CLASHING = bundled()["poderosas-easy"].puzzle


def thinned(geometry: Geometry, seed: int, share: float) -> Puzzle:
    from genoku.generator import PuzzleRequest, generate

    return generate(PuzzleRequest(geometry, share=share), seed).puzzle


@examples(40)
@given(st.sampled_from(SHAPES), st.integers(0, 50), st.sampled_from([0.0, 0.3, 0.6, 1.0]))
def test_samples_lie_in_their_space(geometry: Geometry, seed: int, share: float) -> None:
    puzzle = thinned(geometry, seed, share)
    for encoding in ENCODINGS:
        space = encoding().space(puzzle)
        boards = space.sample(5, stream(seed))
        assert boards.min() >= 1
        assert all(space.contains(board) for board in boards)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_sampling_is_the_seeds_alone(encoding: type) -> None:
    space = encoding().space(bundled()["charles-hard"].puzzle)
    one, again, other = (space.sample(20, stream(seed)) for seed in (1, 1, 2))
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_board_with_another_given_is_outside(encoding: type) -> None:
    puzzle = bundled()["charles-hard"].puzzle
    space = encoding().space(puzzle)
    board = space.sample(1, stream(1))[0]
    cell = next(i for i, digit in enumerate(puzzle.digits) if digit)
    board[cell] = board[cell] % 9 + 1
    assert not space.contains(board)


def test_permuted_boxes_keep_every_box_whole() -> None:
    geometry = Geometry(3, 3)
    space = PermutedBoxes().space(Puzzle(geometry, bytes(81)))
    for board in space.sample(10, stream(1)):
        boxes = np.sort(board[geometry.units[18:]], axis=1)
        assert (boxes == np.arange(1, 10)).all()


def test_free_cells_take_every_digit_about_equally_often() -> None:
    space = FreeCells().space(Puzzle(Geometry(3, 3), bytes(81)))
    counts = np.bincount(space.sample(2_000, stream(1)).ravel(), minlength=10)[1:]
    assert abs(counts - 18_000).max() < 700  # about five standard deviations


def test_a_clashing_puzzle_can_be_run_where_the_clash_is_not_in_what_is_kept() -> None:
    assert FreeCells().space(CLASHING).sample(1, stream(1)).shape == (1, 81)
    assert PermutedRows().space(CLASHING).sample(1, stream(1)).shape == (1, 81)
    with pytest.raises(PuzzleError, match=r"9.*box 4"):
        PermutedBoxes().space(CLASHING)


def test_a_blank_without_a_legal_digit_is_named() -> None:
    puzzle = Puzzle.parse("123. ...4 .... ....")
    with pytest.raises(PuzzleError, match="r1c4"):
        LegalCells().space(puzzle)
