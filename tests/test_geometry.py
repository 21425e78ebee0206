"""Geometries: every box shape up to side 36, its units, names and limits."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, strategies as st
from strategies import EVERY_GEOMETRY, every_geometry

from genoku.errors import PuzzleError
from genoku.puzzle.geometry import MAX_SIDE, Geometry, sides


@given(text=st.text() | st.from_regex(r"\s?\d{0,4}\s?[x×*X]?\s?\d{0,4}\s?", fullmatch=True))
def test_any_text_is_a_geometry_or_a_puzzle_error(text: str) -> None:
    try:
        geometry = Geometry.parse(text)
    except PuzzleError:
        return
    assert Geometry.parse(geometry.box) == geometry


@given(rows=st.integers(-3, 60), columns=st.integers(-3, 60))
def test_a_box_is_taken_exactly_when_it_is_2x2_or_more_and_the_side_36_or_less(
    rows: int, columns: int
) -> None:
    if rows >= 2 and columns >= 2 and rows * columns <= 36:
        assert Geometry(rows, columns).side == rows * columns
    else:
        with pytest.raises(PuzzleError, match=f"{rows}x{columns}"):
            Geometry(rows, columns)


@given(side=st.integers(-40, 100))
def test_a_side_has_the_squarest_boxes_never_taller_than_wide(side: int) -> None:
    shapes = [g for g in EVERY_GEOMETRY if g.side == side and g.box_rows <= g.box_cols]
    if shapes:
        assert Geometry.of_side(side) == max(shapes, key=lambda g: g.box_rows)
    else:
        with pytest.raises(PuzzleError, match=f"got {side}$"):
            Geometry.of_side(side)


@every_geometry
def test_a_geometry_is_a_value_that_repr_rebuilds(geometry: Geometry) -> None:
    again = eval(repr(geometry), {"Geometry": Geometry})
    assert again == geometry
    assert hash(again) == hash(geometry)
    assert len({again, geometry, Geometry.parse(geometry.box)}) == 1


@every_geometry
def test_every_unit_has_side_cells_and_every_cell_three_units(geometry: Geometry) -> None:
    units = geometry.units
    side = geometry.side
    assert units.shape == (3 * side, side)
    for kind in range(3):
        assert sorted(units[kind * side : (kind + 1) * side].ravel()) == list(range(side * side))
    for cell in range(geometry.cells):
        assert cell in units[geometry.row_of[cell]]
        assert cell in units[side + geometry.column_of[cell]]
        assert cell in units[2 * side + geometry.box_of[cell]]


@every_geometry
def test_a_box_is_a_rectangle_of_its_rows_and_columns(geometry: Geometry) -> None:
    for box in geometry.units[2 * geometry.side :]:
        rows, columns = np.unique(box // geometry.side), np.unique(box % geometry.side)
        assert (len(rows), len(columns)) == (geometry.box_rows, geometry.box_cols)
        assert rows[0] % geometry.box_rows == columns[0] % geometry.box_cols == 0
        assert set(box.tolist()) == {
            int(row * geometry.side + column) for row, column in product(rows, columns)
        }


@every_geometry
def test_peers_are_the_other_cells_of_a_cells_units(geometry: Geometry) -> None:
    side, rows, columns = geometry.side, geometry.box_rows, geometry.box_cols
    for cell in (0, geometry.cells // 2, geometry.cells - 1):
        sharing = {c for unit in geometry.units.tolist() if cell in unit for c in unit}
        assert set(geometry.peers[cell]) == sharing - {cell}
    assert {len(peers) for peers in geometry.peers} == {3 * side - 1 - rows - columns}


@every_geometry
def test_the_tables_of_a_geometry_cannot_be_written(geometry: Geometry) -> None:
    for table in (geometry.units, geometry.row_of, geometry.column_of, geometry.box_of):
        with pytest.raises(ValueError, match="read-only"):
            table[0] = 0


def test_the_sides_are_all_products_of_two_numbers_from_2_up_to_36() -> None:
    assert sides() == tuple(sorted({g.side for g in EVERY_GEOMETRY}))
    assert sides()[:7] == (4, 6, 8, 9, 10, 12, 14)
    assert sides()[-1] == MAX_SIDE == 36
    assert 35 in sides()
    assert 31 not in sides()


@pytest.mark.parametrize(
    ("text", "box"),
    [("9", "3x3"), (" 12 ", "3x4"), ("4X3", "4x3"), ("2×5", "2x5"), ("6*6", "6x6")],
)
def test_a_geometry_reads_a_side_or_a_box(text: str, box: str) -> None:
    assert Geometry.parse(text).box == box


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("7", "expected a side such as 4, 6, 8, .* or 36, got 7"),
        ("1x9", "expected a box of at least 2x2 cells .*, got a box of 1x9"),
        ("7x6", "a side of at most 36, got a box of 7x6"),
        ("square", "expected a box such as 3x3 or a side such as 9, got 'square'"),
        ("٩", "expected a box such as 3x3"),
    ],
)
def test_what_is_no_geometry_is_refused_in_words(text: str, message: str) -> None:
    with pytest.raises(PuzzleError, match=message):
        Geometry.parse(text)


def test_cells_and_units_have_names_people_use() -> None:
    geometry = Geometry(2, 3)
    assert [geometry.cell_name(cell) for cell in (0, 5, 6, 35)] == ["r1c1", "r1c6", "r2c1", "r6c6"]
    assert [geometry.unit_name(unit) for unit in (0, 5, 6, 17)] == [
        "row 1",
        "row 6",
        "column 1",
        "box 6",
    ]


def test_a_geometry_says_its_size_and_its_boxes_where_they_are_not_square() -> None:
    assert str(Geometry(3, 3)) == "9×9"
    assert str(Geometry(3, 4)) == "12×12 (boxes 3×4)"
    assert Geometry(3, 4).is_default
    assert not Geometry(4, 3).is_default
    assert not Geometry(2, 8).is_default
    assert Geometry(4, 4).is_square
