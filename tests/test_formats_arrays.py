"""The raw path agrees with the entries, at the speed of arrays."""

from __future__ import annotations

import gzip
import io
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from strategies import examples

from genoku.errors import FormatError
from genoku.puzzle.formats import read_array, read_puzzles, write_array
from genoku.puzzle.geometry import Geometry, sides
from genoku.puzzle.notation import ALPHABETS, Alphabet

HARD = ".7..5.6.......97....24.....82......3.41.8..626..31..8..1..6.4...........58......7"
SOLVED = "173258649458639721962471835825946173341587962697312584219763458734895216586124397"


def digits_by_entry(raw: bytes, **options: Any) -> tuple[list[bytes], list[str]]:
    errors: list[FormatError] = []
    found = read_puzzles(io.BytesIO(raw), on_error=errors.append, **options)
    return [entry.puzzle.digits for entry in found], list(map(str, errors))


def digits_by_array(raw: bytes, **options: Any) -> tuple[list[bytes], list[str]]:
    errors: list[FormatError] = []
    found = read_array(io.BytesIO(raw), on_error=errors.append, **options)
    return [bytes(board.tolist()) for boards in found for board in boards], list(map(str, errors))


@pytest.mark.parametrize("alphabet", ALPHABETS)
@examples(40)
@given(side=st.sampled_from(sides()), seed=st.integers(0, 2**32), count=st.integers(0, 5))
def test_arrays_come_back(alphabet: Alphabet, side: int, seed: int, count: int) -> None:
    boards = np.random.default_rng(seed).integers(0, side + 1, (count, side * side), np.uint8)
    stream = io.BytesIO()
    if alphabet == "letters" and side > 26:
        with pytest.raises(FormatError, match="letters"):
            write_array(stream, boards, alphabet=alphabet)
        return
    write_array(stream, boards, alphabet=alphabet)
    options = {"alphabet": alphabet, "box": Geometry.of_side(side)}
    assert digits_by_array(stream.getvalue(), **options)[0] == list(map(bytes, boards.tolist()))


LINES = [
    HARD, HARD.replace(".", "0"), HARD[:-1], "", "x" * 81, "." * 81, "-" * 81, "é" * 81,
    f"{HARD},{SOLVED}", HARD + "\r", f"{HARD} 12", f'"{HARD}"', "# note",
]  # fmt: skip


@examples(150)
@given(
    kinds=st.lists(st.tuples(st.sampled_from(LINES), st.integers(1, 40)), max_size=4),
    start=st.sampled_from(["", "\ufeff", "# all\n", "puzzle,solution\n"]),
    end=st.sampled_from(["\n", ""]),
    zipped=st.booleans(),
)
def test_arrays_and_entries_agree_on_any_lines(
    kinds: list[tuple[str, int]], start: str, end: str, zipped: bool
) -> None:
    text = start + "\n".join(line for line, times in kinds for _ in range(times)) + end
    raw = text.encode()
    if start.startswith("puzzle") and any(char in text for char in '"# '):
        return  # a table knows its own separator, quotes and no comments
    raw = gzip.compress(raw, 1) if zipped else raw
    by_entry, wrong = digits_by_entry(raw)
    by_array, also_wrong = digits_by_array(raw)
    assert by_array == by_entry
    assert [error.split(" ")[0] for error in also_wrong] == [error.split(" ")[0] for error in wrong]


def test_other_formats_give_arrays_too() -> None:
    grid = "\n".join(HARD[i : i + 9] for i in range(0, 81, 9)) + "\n\n"
    assert digits_by_array(grid.encode() * 3) == digits_by_entry(grid.encode() * 3)
    utf16 = f"{HARD}\n{HARD}\n".encode("utf-16")
    assert len(digits_by_array(utf16)[0]) == 2


def test_a_line_without_end_is_refused_and_the_next_is_read() -> None:
    raw = b"1" * 9_000_000 + f"\n{HARD}\n".encode()
    got, errors = digits_by_array(raw)
    assert len(got) == 1
    (error,) = errors
    assert error.startswith("<stream>:1: ")
    assert "200,000" in error


def test_a_board_of_another_shape_is_an_error_with_its_line() -> None:
    got, errors = digits_by_array(f"{HARD}\n{'.' * 16}\n{HARD}\n".encode())
    assert len(got) == 2
    (error,) = errors
    assert re.fullmatch("<stream>:2: .*81.*16", error)
    with pytest.raises(FormatError, match=r"<stream>:2: expected 81"):
        list(read_array(io.BytesIO(f"{HARD}\n{'.' * 16}\n".encode())))


def test_a_broken_archive_gives_what_came_before() -> None:
    boards = np.random.default_rng(0).integers(0, 10, (20_000, 81), np.uint8)
    stream = io.BytesIO()
    write_array(stream, boards)
    raw = gzip.compress(stream.getvalue(), 1)
    got, errors = digits_by_array(raw[: len(raw) // 2])
    assert len(errors) == 1
    assert 5_000 < len(got) < 20_000
    assert got == list(map(bytes, boards[: len(got)].tolist()))


@pytest.mark.parametrize(
    "boards", [np.zeros(81), np.zeros((2, 80), int), np.full((1, 81), 10), np.full((1, 81), -1)]
)
def test_arrays_that_are_no_boards_are_refused(boards: np.ndarray) -> None:
    with pytest.raises(FormatError):
        write_array(io.BytesIO(), boards)
