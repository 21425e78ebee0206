"""Pictures: well formed in every style, true to the board, and safe to put in a page."""

from __future__ import annotations

import random
import re
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from genoku.errors import PuzzleError
from genoku.puzzle.board import Board, Puzzle
from genoku.puzzle.geometry import MAX_SIDE, Geometry
from genoku.puzzle.notation import symbol
from genoku.puzzle.render import STYLES, Style

GEOMETRIES = [Geometry.parse(box) for box in ("2x2", "2x3", "3x2", "3x3", "2x5", "4x4", "6x6")]
EVERY_GEOMETRY = [
    Geometry(rows, columns)
    for rows in range(2, MAX_SIDE // 2 + 1)
    for columns in range(2, MAX_SIDE // rows + 1)
]

every_geometry = pytest.mark.parametrize("geometry", GEOMETRIES, ids=lambda g: g.box)


def solved(geometry: Geometry) -> Board:
    rows, columns, side = geometry.box_rows, geometry.box_cols, geometry.side
    shifts = [row % rows * columns + row // rows for row in range(side)]
    board = [(shift + column) % side + 1 for shift in shifts for column in range(side)]
    return np.array(board, np.uint8)


def puzzle_of(geometry: Geometry) -> Puzzle:
    draw = random.Random(geometry.box)
    return Puzzle(geometry, bytes(d if draw.random() < 0.4 else 0 for d in solved(geometry)))


def without_colours(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def svg_texts(svg: str) -> list[tuple[str, dict[str, str]]]:
    """Every text with the look of its group."""
    root = ElementTree.fromstring(svg)
    groups = root.iter("{http://www.w3.org/2000/svg}g")
    return [(text.text or "", dict(group.attrib)) for group in groups for text in group]


def html_cells(html: str) -> list[tuple[str, str]]:
    """The text and the style of every cell."""
    cells = ElementTree.fromstring(html).iter("td")
    return [("".join(cell.itertext()), cell.attrib["style"]) for cell in cells]


def shown_values(puzzle: Puzzle) -> list[str]:
    return [symbol(digit, puzzle.side) for digit in puzzle.digits if digit]


@settings(deadline=None)
@given(st.sampled_from(EVERY_GEOMETRY), st.data())
def test_plain_text_reads_back_as_the_same_puzzle(geometry: Geometry, data: st.DataObject) -> None:
    seed, share = data.draw(st.integers(0, 2**32)), data.draw(st.floats(0, 1))
    draw = random.Random(seed)
    digits = (draw.randint(1, geometry.side) if draw.random() < share else 0 for _ in range(10**4))
    puzzle = Puzzle(geometry, bytes(next(digits) for _ in range(geometry.cells)))
    assert Puzzle.parse(puzzle.picture(), box=geometry) == puzzle
    assert Puzzle.parse(without_colours(puzzle.picture(style="ansi")), box=geometry) == puzzle
    if geometry.is_default:
        assert Puzzle.parse(puzzle.picture()) == puzzle


def test_plain_text_rules_off_the_boxes() -> None:
    puzzle = Puzzle.parse("1.....3..4.....2")
    assert puzzle.picture().split("\n") == [
        "┌─────┬─────┐",
        "│ 1 . │ . . │",
        "│ . . │ 3 . │",
        "├─────┼─────┤",
        "│ . 4 │ . . │",
        "│ . . │ . 2 │",
        "└─────┴─────┘",
    ]


@every_geometry
@pytest.mark.parametrize("coloured", [False, True])
@pytest.mark.parametrize("with_candidates", [False, True])
@pytest.mark.parametrize("style", ["text", "ansi"])
def test_lines_of_text_are_equally_long(
    geometry: Geometry, style: Style, coloured: bool, with_candidates: bool
) -> None:
    puzzle = puzzle_of(geometry)
    text = puzzle.picture(
        style=style,
        colours=["#ffd75f"] * geometry.cells if coloured else None,
        candidates=puzzle.candidates() if with_candidates else None,
    )
    assert len({len(line) for line in without_colours(text).split("\n")}) == 1


@every_geometry
def test_every_given_is_bold_in_ansi(geometry: Geometry) -> None:
    puzzle = puzzle_of(geometry)
    text = puzzle.picture(solved(geometry), style="ansi")
    bold = [value.strip() for value in re.findall(r"\x1b\[1m([^\x1b]*)", text)]
    filled = re.findall(r"\x1b\[36m([^\x1b]*)", text)
    assert bold == shown_values(puzzle)
    assert len(bold) + len(filled) == geometry.cells


@every_geometry
def test_every_given_is_bold_in_svg(geometry: Geometry) -> None:
    puzzle = puzzle_of(geometry)
    texts = svg_texts(puzzle.picture(solved(geometry), style="svg"))
    bold = [text for text, look in texts if look.get("font-weight") == "700"]
    assert bold == shown_values(puzzle)
    assert len(texts) == geometry.cells


@every_geometry
def test_every_given_is_bold_in_html(geometry: Geometry) -> None:
    puzzle = puzzle_of(geometry)
    board = solved(geometry)
    cells = html_cells(puzzle.picture(board, style="html"))
    assert [text for text, _ in cells] == [symbol(digit, geometry.side) for digit in board.tolist()]
    assert [text for text, style in cells if "font-weight:700" in style] == shown_values(puzzle)


@every_geometry
def test_every_candidate_appears_once_in_its_cell(geometry: Geometry) -> None:
    puzzle = puzzle_of(geometry)
    candidates = puzzle.candidates()
    expected = [[symbol(d, geometry.side) for d in sorted(digits)] for digits in candidates]
    cells = html_cells(puzzle.picture(style="html", candidates=candidates))
    blanks = [cell for cell, digit in enumerate(puzzle.digits) if not digit]
    assert [cells[cell][0].split() for cell in blanks] == [expected[cell] for cell in blanks]

    texts = svg_texts(puzzle.picture(style="svg", candidates=candidates))
    small = [text for text, look in texts if look.get("font-weight") != "700"]
    assert sorted(small) == sorted(text for texts in expected for text in texts)

    text = puzzle.picture(candidates=candidates)
    between = "" if geometry.side <= 35 else ","
    assert all(between.join(expected[cell]) in text for cell in blanks)


def test_candidates_of_a_filled_cell_are_not_drawn() -> None:
    puzzle = Puzzle.parse("1.....3..4.....2")
    board = solved(puzzle.geometry)
    candidates = [{1, 2, 3, 4}] * 16
    for style in STYLES:
        with_them = puzzle.picture(board, style=style, candidates=candidates)
        assert without_colours(with_them).count("4") >= 4
        assert "1234" not in with_them
    assert len(svg_texts(puzzle.picture(board, style="svg", candidates=candidates))) == 16


def test_struck_candidates_are_crossed_out_and_no_others() -> None:
    puzzle = Puzzle.parse("1.....3..4.....2")
    struck = [(1, 2), (1, 3), (15, 2)]  # the last is no candidate, so not drawn
    options: dict[str, Any] = {"candidates": puzzle.candidates(), "struck": struck}
    svg = svg_texts(puzzle.picture(style="svg", **options))
    assert [text for text, look in svg if "text-decoration" in look] == ["2", "3"]
    html = ElementTree.fromstring(puzzle.picture(style="html", **options))
    assert ["".join(crossed.itertext()) for crossed in html.iter("s")] == ["2", "3"]
    assert puzzle.picture(**options) == puzzle.picture(candidates=puzzle.candidates())


def test_svg_draws_every_digit_inside_its_cell() -> None:
    geometry = Geometry(6, 6)
    puzzle = puzzle_of(geometry)
    root = ElementTree.fromstring(puzzle.picture(style="svg", candidates=puzzle.candidates()))
    size = geometry.side * 40
    for text in root.iter("{http://www.w3.org/2000/svg}text"):
        assert 0 < float(text.attrib["x"]) < size
        assert 0 < float(text.attrib["y"]) < size


@pytest.mark.parametrize("style", ["svg", "html"])
def test_pages_bring_their_own_ground_and_ink(style: Style) -> None:
    picture = Puzzle.parse("1.....3..4.....2").picture(style=style)
    assert "#ffffff" in picture
    if style == "html":
        assert all("background:#" in css and ";color:#" in css for _, css in html_cells(picture))


@pytest.mark.parametrize("style", ["ansi", "svg", "html"])
def test_a_colour_shows_in_its_cell_alone(style: Style) -> None:
    colours: list[str | None] = [None] * 16
    colours[5] = "#7a1020"
    picture = Puzzle.parse("1.....3..4.....2").picture(style=style, colours=colours)
    assert picture.count("48;2;122;16;32" if style == "ansi" else "#7a1020") == 1


def test_digits_on_a_dark_colour_are_light() -> None:
    puzzle = Puzzle.parse("1.....3..4.....2")
    dark = puzzle.picture(style="html", colours=["#101020"] * 16)
    assert all(";color:#ffffff" in css for text, css in html_cells(dark) if text)
    assert "38;2;255;255;255" in puzzle.picture(style="ansi", colours=["#101020"] * 16)
    assert "38;2;0;0;0" in puzzle.picture(style="ansi", colours=["#f0f0e0"] * 16)


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize(
    "colour",
    [
        "red",
        "#fff",
        "",
        "#12345g",
        "#123456\n",
        '#123456"/><script>alert(1)</script>',
        "red;background:url(//example.org)",
        "\x1b[31m",
    ],
)
def test_what_is_no_colour_is_refused_with_its_place(style: Style, colour: str) -> None:
    colours = [None, colour, *[None] * 14]
    with pytest.raises(PuzzleError, match=r"colour.*r1c2"):
        Puzzle.parse("1.....3..4.....2").picture(style=style, colours=colours)


def test_what_does_not_fit_the_board_is_refused() -> None:
    puzzle = Puzzle.parse("1.....3..4.....2")
    with pytest.raises(PuzzleError, match=r"16 colours.*3"):
        puzzle.picture(colours=[None] * 3)
    with pytest.raises(PuzzleError, match=r"16 candidates.*3"):
        puzzle.picture(candidates=[set()] * 3)
    with pytest.raises(PuzzleError, match=r"16 cells.*81"):
        puzzle.picture(np.zeros(81, np.uint8))
    with pytest.raises(PuzzleError, match=r"1 to 4.*r1c1.*'5'"):
        puzzle.picture(np.full(16, 5, np.uint8))
    with pytest.raises(PuzzleError, match=r"1 to 4.*r1c1.*\[9\]"):
        puzzle.picture(candidates=[{9}] * 16)
    with pytest.raises(PuzzleError, match=r"ansi, svg, html.*'x'"):
        puzzle.picture(style="x")  # pyright: ignore[reportArgumentType]


def test_a_notebook_shows_the_svg() -> None:
    puzzle = Puzzle.parse("1.....3..4.....2")
    assert puzzle._repr_html_() == puzzle.picture(style="svg")
    assert 'aria-label="Sudoku 4×4: 4 givens, 4 of 16 cells filled"' in puzzle._repr_html_()


@pytest.mark.parametrize("style", ["text", "ansi", "svg", "html"])
@pytest.mark.parametrize("box", ["2x2", "3x3", "4x4"])
def test_a_caption_is_below_the_board_and_no_part_of_it(box: str, style: Style) -> None:
    geometry = Geometry.parse(box)
    puzzle = Puzzle(geometry, bytes([1] + [0] * (geometry.cells - 1)))
    drawn = puzzle.picture(style=style, caption="ID 262301 · Fitness 180 <9>")
    if style in ("svg", "html"):
        assert "ID 262301 · Fitness 180 &lt;9&gt;" in drawn
        assert "caption" not in puzzle.picture(style=style)
    else:
        assert drawn.splitlines()[-1].strip() == "ID 262301 · Fitness 180 <9>"
        assert drawn.splitlines()[:-1] == puzzle.picture(style=style).splitlines()
    if style == "text":
        assert Puzzle.parse(drawn) == puzzle
