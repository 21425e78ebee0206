"""Reading what people paste: every notation, the odd on purpose, errors with a place."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, strategies as st
from strategies import EVERY_GEOMETRY, SIXTEEN, any_puzzles, every_geometry, pattern_grid

from genoku.errors import PuzzleError
from genoku.puzzle.board import Puzzle
from genoku.puzzle.geometry import Geometry
from genoku.puzzle.notation import (
    LETTERS,
    MAX_TEXT,
    ONE,
    ZERO,
    Alphabet,
    symbol,
    write_in,
    write_numbers,
)

LINE = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
EASY = Puzzle.parse(LINE)
ROWS = [LINE[start : start + 9] for start in range(0, 81, 9)]
VALUES = [[int(c) if c != "." else 0 for c in row] for row in ROWS]

shape_of_a_text = st.sampled_from([16, 36, 64, 81, 100, 144, 256, 625])
separators = st.sampled_from(["", "", " ", ",", "\n", ", ", "|", "\t", ";"])


@st.composite
def nearly_boards(draw: st.DrawFn) -> str:
    """As many cells as a board has, or one more, in one or another notation."""
    symbols = draw(
        st.sampled_from([ONE[:4], ONE[:9] + ".", ZERO[:16], ONE[:16] + ".", LETTERS, "0._*-?·٣x"])
    )
    count = draw(shape_of_a_text) + draw(st.sampled_from([0, 0, 0, 1, -1]))
    shuffler = random.Random(draw(st.integers(0, 2**32)))
    return draw(separators).join(shuffler.choices(symbols, k=count))


@given(text=st.text() | nearly_boards(), box=st.none() | st.sampled_from(["2x2", "3x2", "3x3"]))
@example(text="-" * 16, box=None)
@example(text="0" * 256, box=None)
@example(text="ß" * 16, box=None)
@example(text="²" * 81, box=None)
@example(text="\r".join(ROWS), box=None)
def test_any_text_is_a_puzzle_that_prints_back_to_itself_or_a_puzzle_error(
    text: str, box: str | None
) -> None:
    try:
        puzzle = Puzzle.parse(text, box=box)
    except PuzzleError:
        return
    assert Puzzle.parse(str(puzzle), box=puzzle.geometry) == puzzle
    assert str(Puzzle.parse(str(puzzle))) == str(puzzle)


@every_geometry
@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 1.0])
def test_every_geometry_reads_what_it_prints(geometry: Geometry, share: float) -> None:
    draw = random.Random(geometry.box)
    digits = bytes(
        draw.randint(1, geometry.side) if draw.random() < share else 0
        for _ in range(geometry.cells)
    )
    puzzle = Puzzle(geometry, digits)
    assert Puzzle.parse(str(puzzle), box=geometry) == puzzle
    assert Puzzle.parse(str(puzzle), box=geometry.box) == puzzle


@given(puzzle=any_puzzles(EVERY_GEOMETRY))
def test_numbers_hold_every_geometry_whatever_stands_between_them(puzzle: Puzzle) -> None:
    for separator in (" ", ",", ", ", "\n", ";", "\t"):
        text = write_numbers(puzzle.digits, separator)
        assert Puzzle.parse(text, box=puzzle.geometry) == puzzle


@given(
    puzzle=any_puzzles([g for g in EVERY_GEOMETRY if g.side <= 26]),
    alphabet=st.sampled_from(["one", "zero", "letters"]),
)
def test_what_is_written_in_an_alphabet_reads_back_when_it_is_named(
    puzzle: Puzzle, alphabet: Alphabet
) -> None:
    text = write_in(puzzle.digits, puzzle.side, alphabet)
    assert Puzzle.parse(text, box=puzzle.geometry, alphabet=alphabet) == puzzle


@given(puzzle=any_puzzles([g for g in EVERY_GEOMETRY if g.side <= 36]))
def test_a_drawn_board_reads_back(puzzle: Puzzle) -> None:
    assert Puzzle.parse(puzzle.picture(), box=puzzle.geometry) == puzzle


@given(puzzle=any_puzzles(EVERY_GEOMETRY))
def test_nested_lists_and_arrays_read_back(puzzle: Puzzle) -> None:
    side, box = puzzle.side, puzzle.geometry
    grid = puzzle.board.reshape(side, side)
    assert Puzzle.parse(grid, box=box) == puzzle
    assert Puzzle.parse(puzzle.board, box=box) == puzzle
    assert Puzzle.parse(grid.astype(float), box=box) == puzzle
    assert Puzzle.parse(grid.tolist(), box=box) == puzzle
    assert Puzzle.parse(str(grid.tolist()), box=box) == puzzle
    assert Puzzle.parse([[d or None for d in row] for row in grid.tolist()], box=box) == puzzle


@pytest.mark.parametrize(
    "text",
    [
        LINE,
        LINE.replace(".", "0"),
        LINE.replace(".", "*"),
        LINE.replace(".", "_"),
        LINE.replace(".", "-"),
        LINE.replace(".", "?"),
        LINE.replace(".", "·"),
        LINE.replace(".", "□"),
        f"  {LINE}\r\n",
        f"\ufeff{LINE}",
        f'"{LINE}"',
        "\n".join(ROWS),
        "\r\n".join(ROWS),
        "\n\n".join(" ".join(row) for row in ROWS),
        " ".join(LINE.replace(".", "0")),
        ",".join(LINE.replace(".", "0")),
        ", ".join(LINE),
        "\n".join(",".join(row).replace(".", "") for row in ROWS),
        "\n".join("\t".join(row).replace(".", "") for row in ROWS),
        ";".join(LINE).replace(".", ""),
        str(VALUES),
        str(VALUES).replace("0", "None"),
        str(VALUES).replace("0", "null"),
        str(np.array(VALUES)),
        str([list(row) for row in ROWS]),
        "\n".join(f"|{row[:3]}|{row[3:6]}|{row[6:]}|" for row in ROWS),
        LINE.translate(str.maketrans("123456789", "١٢٣٤٥٦٧٨٩")),
        LINE.translate(str.maketrans("123456789", "１２３４５６７８９")),
        LINE.translate(str.maketrans("123456789", "१२३४५६७८९")),
        EASY.picture(),
        "+---+---+---+\n" + "\n---+---+---\n".join("\n".join(ROWS[i : i + 3]) for i in (0, 3, 6)),
        "*-----------*\n" + "\n".join(ROWS) + "\n*-----------*",
        "=======\n" + "\n".join(ROWS),
    ],
)
def test_every_way_to_write_a_board_reads_the_same(text: str) -> None:
    assert Puzzle.parse(text) == EASY


@pytest.mark.parametrize(
    "values",
    [
        VALUES,
        tuple(map(tuple, VALUES)),
        [value for row in VALUES for value in row],
        ROWS,
        [list(row) for row in ROWS],
        [[str(value) for value in row] for row in VALUES],
        [[value or "" for value in row] for row in VALUES],
        [[value or False for value in row] for row in VALUES],
        [[value or float("nan") for value in row] for row in VALUES],
        [[value or -1 for value in row] for row in VALUES],
        np.array(VALUES),
        np.array(VALUES, np.int8),
        np.array(VALUES, np.float32),
        (row for row in VALUES),
        [np.array(row) for row in VALUES],
    ],
    ids=range(15),
)
def test_every_way_to_hand_a_board_over_reads_the_same(values: Any) -> None:
    assert Puzzle.parse(values) == EASY


def test_a_rule_of_dashes_is_not_a_row_but_dashes_alone_are_blanks() -> None:
    dashed = "12--\n----\n--34\n----\n"
    assert str(Puzzle.parse(f"12..\n34..\n{'-' * 9}\n....\n....")) == "12..34.........."
    assert str(Puzzle.parse("-" * 81)) == "." * 81
    assert str(Puzzle.parse(dashed)) == "12........34...."


def test_sixteen_digits_read_in_each_convention_where_only_one_fits() -> None:
    full = pattern_grid(SIXTEEN)
    one = write_in(full.digits, 16, "one")
    zero = write_in(full.digits, 16, "zero")
    letters = write_in(full.digits, 16, "letters")
    assert (one[:16], zero[:16], letters[:16]) == (
        "123456789ABCDEFG",
        "0123456789ABCDEF",
        "ABCDEFGHIJKLMNOP",
    )
    assert Puzzle.parse(one) == Puzzle.parse(one.lower()) == Puzzle.parse(letters) == full
    # A full board of 0–F has no blank beside its zeros: they might be blanks themselves.
    with pytest.raises(PuzzleError, match="16×16"):
        Puzzle.parse(zero)
    assert Puzzle.parse(zero, alphabet="zero") == full


def test_zero_beside_another_blank_is_a_digit() -> None:
    text = "0123456789ABCDEF" + "." * 240
    assert Puzzle.parse(text).digits[:17] == bytes([*range(1, 17), 0])


def test_zero_beside_the_last_digit_of_the_first_convention_is_a_blank() -> None:
    text = "0G" + "0" * 15 + "123456789ABCDEF" + "." * 224
    assert Puzzle.parse(text).digits[:3] == bytes([0, 16, 0])


def test_more_zeros_than_rows_are_blanks() -> None:
    assert Puzzle.parse("1" + "0" * 255).givens == 1
    assert Puzzle.parse("1" + "0" * 17 + "." * 238).givens == 1


@pytest.mark.parametrize("zeros", [1, 16])
def test_an_ambiguous_zero_asks_for_the_alphabet(zeros: int) -> None:
    text = ("0" * zeros).ljust(256, "F")
    with pytest.raises(PuzzleError, match=r"'one'.*'zero'"):
        Puzzle.parse(text)
    assert Puzzle.parse(text, alphabet="one").digits[zeros - 1 : zeros + 1] == bytes([0, 15])
    assert Puzzle.parse(text, alphabet="zero").digits[zeros - 1 : zeros + 1] == bytes([1, 16])


def test_zero_is_always_a_blank_up_to_9x9() -> None:
    assert Puzzle.parse("0123" * 4).digits == bytes([0, 1, 2, 3] * 4)
    assert Puzzle.parse("012345678" * 9).givens == 72


def test_letters_alone_are_the_third_convention_only_where_they_reach_beyond_the_first() -> None:
    assert Puzzle.parse("ABCDEFG" + "." * 249).digits[:7] == bytes(range(10, 17))
    assert Puzzle.parse("ABCDEFGH" + "." * 248).digits[:8] == bytes(range(1, 9))
    assert Puzzle.parse("ABCD" + "." * 12).digits[:4] == bytes([1, 2, 3, 4])
    assert Puzzle.parse("ABCDEFG" + "." * 249, alphabet="letters").digits[:2] == bytes([1, 2])


def test_a_board_of_36_has_no_letters_and_is_written_as_numbers() -> None:
    full = pattern_grid(Geometry(6, 6))
    assert str(full).split()[:3] == ["1", "2", "3"]
    assert symbol(36, 36) == "36"
    assert symbol(35, 35) == "Z"
    assert symbol(0, 36) == "."
    with pytest.raises(PuzzleError, match="numbers"):
        Puzzle.parse("." * 1295 + "A")


def test_an_alphabet_too_short_for_a_board_is_refused() -> None:
    full = pattern_grid(Geometry(6, 6))
    assert write_in(full.digits, 36, "zero")[:36] == ZERO
    with pytest.raises(PuzzleError, match=r"26.*'letters'.*27"):
        write_in(bytes(27 * 27), 27, "letters")


def test_an_unknown_alphabet_is_refused_with_those_there_are() -> None:
    with pytest.raises(PuzzleError, match=r"zero, letters.*'greek'"):
        Puzzle.parse(LINE, alphabet="greek")  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("", "expected a Sudoku board, got no cells at all"),
        (" \n\t|+|\n", "expected a Sudoku board, got no cells at all"),
        (LINE[:-1], "such as 64 (8×8) or 81 (9×9), got 80"),
        (LINE + "1", "such as 81 (9×9) or 100 (10×10), got 82"),
        ("1", "such as 16 (4×4), got 1"),
        ("1" * 2000, "such as 1296 (36×36), got 2000"),
        ("Hello, here is my puzzle: " + LINE, "is there other text around the board?"),
        (
            " ".join(["10"] * 257),
            "such as 256 (16×16) or 324 (18×18), got 257",
        ),
        (LINE[:22] + "x" + LINE[23:], "expected a digit from 1 to 9 or a blank at r3c5, got 'x'"),
        (LINE[:22] + "ß" + LINE[23:], "or a blank at r3c5, got 'ß'"),
        ("." * 37 + "Q" + "." * 217 + "1", "from 1 to 9 or A to G or a blank at r3c6, got 'Q'"),
        (
            [*VALUES[:2], [0, 0, 0, 0, 10, 0, 0, 0, 0], *VALUES[3:]],
            "expected a digit from 1 to 9 or a blank at r3c5, got '10'",
        ),
        (
            [*VALUES[:2], [0, 0, 0, 0, 2.5, 0, 0, 0, 0], *VALUES[3:]],
            "or a blank at r3c5, got '2.5'",
        ),
        ([*VALUES[:2], [0, 0, 0, 0, True, 0, 0, 0, 0], *VALUES[3:]], "at r3c5, got 'True'"),
        ([*VALUES[:2], [0, 0, 0, 0, 10**400, 0, 0, 0, 0], *VALUES[3:]], "a very large number"),
        (VALUES[:8], "such as 64 (8×8) or 81 (9×9), got 72"),
        ([], "got no cells at all"),
        (" ".join(["1"] * 80 + ["17"]), "at r9c9, got '17'"),
        ("1" * (MAX_TEXT + 1), "expected one board of at most 100,000 characters, got 100,001"),
    ],
)
def test_what_is_no_board_is_refused_with_what_where_and_expected(
    source: Any, message: str
) -> None:
    with pytest.raises(PuzzleError) as error:
        Puzzle.parse(source)
    assert message in str(error.value)


def test_a_list_that_holds_itself_is_refused() -> None:
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(PuzzleError, match="nested"):
        Puzzle.parse(endless)


@pytest.mark.parametrize("box", ["2x6", "3x4", "4x3", "6x2"])
def test_a_given_shape_decides_between_boxes_of_one_side(box: str) -> None:
    text = "1" + "." * 143
    assert Puzzle.parse(text, box=box).geometry == Geometry.parse(box)
    assert Puzzle.parse(text).geometry == Geometry(3, 4)


def test_a_given_shape_that_does_not_fit_is_refused() -> None:
    with pytest.raises(PuzzleError, match=r"144.*12×12"):
        Puzzle.parse(LINE, box="3x4")
    with pytest.raises(PuzzleError, match="9x9"):
        Puzzle.parse(LINE, box="9x9")


def test_a_given_shape_decides_what_the_text_could_mean() -> None:
    """Sixteen words of four digits: a board of 8×8, and no board of 4×4."""
    text = " ".join(["1234"] * 16)
    assert Puzzle.parse(text).geometry == Geometry(2, 4)
    with pytest.raises(PuzzleError, match=r"r1c1.*'1234'"):
        Puzzle.parse(text, box=Geometry(2, 2))
