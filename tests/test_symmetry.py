"""Symmetries: orbits that partition the board, and patterns that keep them."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, strategies as st
from strategies import EVERY_GEOMETRY, NINE, SIX, every_geometry
from symmetric import MOVES, is_symmetric

from genoku.errors import ImpossibleError
from genoku.puzzle.board import Puzzle
from genoku.puzzle.geometry import SYMMETRIES, Geometry, Symmetry, orbits

SIZES = {
    "none": {1},
    "rotation180": {1, 2},
    "rotation90": {1, 4},
    "mirror": {1, 2},
    "diagonal": {1, 2},
}


def possible(geometry: Geometry) -> list[Symmetry]:
    return [s for s in SYMMETRIES if geometry.is_square or s not in ("rotation90", "diagonal")]


@every_geometry
def test_orbits_hold_every_cell_once_and_are_closed(geometry: Geometry) -> None:
    grid = np.arange(geometry.cells).reshape(geometry.side, geometry.side)
    for symmetry in possible(geometry):
        groups = orbits(geometry, symmetry)
        assert sorted(cell for group in groups for cell in group) == list(range(geometry.cells))
        assert {len(group) for group in groups} <= SIZES[symmetry]
        image = MOVES[symmetry](grid).ravel().tolist()
        for group in groups:
            assert {image[cell] for cell in group} == set(group)


@given(
    geometry=st.sampled_from([g for g in EVERY_GEOMETRY if g.side <= 12]),
    random=st.randoms(use_true_random=False),
    data=st.data(),
)
def test_moving_a_pattern_of_whole_orbits_changes_nothing(
    geometry: Geometry, random: random.Random, data: st.DataObject
) -> None:
    symmetry = data.draw(st.sampled_from(possible(geometry)))
    digits = bytearray(geometry.cells)
    for group in orbits(geometry, symmetry):
        if random.random() < 0.5:
            for cell in group:
                digits[cell] = random.randint(1, geometry.side)
    assert is_symmetric(Puzzle(geometry, bytes(digits)), symmetry)


@pytest.mark.parametrize("symmetry", ["rotation90", "diagonal"])
def test_turning_a_board_needs_square_boxes(symmetry: Symmetry) -> None:
    with pytest.raises(ImpossibleError, match=f"{symmetry}.*6×6"):
        orbits(SIX, symmetry)


def test_an_unknown_symmetry_is_refused_with_those_there_are() -> None:
    with pytest.raises(ImpossibleError, match=r"none, rotation180.*'spiral'"):
        orbits(NINE, "spiral")  # pyright: ignore[reportArgumentType]
