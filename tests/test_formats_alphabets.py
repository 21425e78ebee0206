"""A file of large boards is in one alphabet: no board is read against its neighbours."""

from __future__ import annotations

import io
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st
from strategies import examples

from genoku.errors import FormatError
from genoku.puzzle.board import Puzzle
from genoku.puzzle.formats import read_array, read_puzzles, save_puzzles
from genoku.puzzle.geometry import Geometry
from genoku.puzzle.notation import Alphabet, write_in

SIXTEEN = Geometry(4, 4)


def line(start: str) -> str:
    return start.ljust(256, ".")


ZEROS = line("0123456789ABCDEF")  # beside dots, 0 is a digit
DOUBTFUL = line("123456789ABCDEF")  # 1 to 15 of `one`, or 2 to 16 of `zero`
DOUBTFUL_LETTERS = line("ABC")
LAST = line("1G")  # only `one` has these two
LETTERS_ONLY = line("AP")


def read(*lines: str, **options: Any) -> tuple[list[bytes], list[str]]:
    """The givens of every board, and the errors; arrays have to agree."""
    raw = "".join(f"{text}\n" for text in lines).encode()
    errors: list[FormatError] = []
    entries = list(read_puzzles(io.BytesIO(raw), on_error=errors.append, **options))
    boards = [entry.puzzle.digits for entry in entries]
    also: list[FormatError] = []
    arrays = list(read_array(io.BytesIO(raw), on_error=also.append, **options))
    assert [bytes(board.tolist()) for some in arrays for board in some] == boards
    assert list(map(str, also)) == list(map(str, errors))
    return [board.rstrip(b"\0") for board in boards], list(map(str, errors))


ALL = bytes(range(1, 17))


def test_a_board_in_doubt_follows_the_alphabet_the_file_has_shown() -> None:
    assert read(ZEROS, DOUBTFUL) == ([ALL, ALL[1:]], [])
    assert read(LETTERS_ONLY, DOUBTFUL_LETTERS) == ([b"\x01\x10", b"\1\2\3"], [])
    assert read(LAST, DOUBTFUL) == ([b"\x01\x10", ALL[:-1]], [])
    full = "0123456789ABCDEF" * 16  # 0 alone may be a blank, until the file has shown what it is
    assert read(ZEROS, full) == ([ALL, ALL * 16], [])
    assert "alphabet" in read(full)[1][0]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (DOUBTFUL, ZEROS),
        (DOUBTFUL_LETTERS, ZEROS),
        (DOUBTFUL_LETTERS, LETTERS_ONLY),
        (LAST, ZEROS),
        (ZEROS, LAST),
    ],
)
def test_a_board_that_puts_an_earlier_one_in_doubt_asks_for_the_alphabet(
    first: str, second: str
) -> None:
    got, (error,) = read(first, first, "", second, first)
    assert len(got) == 3
    assert error.startswith("<stream>:4: ")
    assert "--alphabet" in error


def test_the_alphabet_that_is_named_settles_every_doubt() -> None:
    assert read(DOUBTFUL, ZEROS, alphabet="zero") == ([ALL[1:], ALL], [])
    assert read(DOUBTFUL, line("G"), alphabet="one") == ([ALL[:-1], b"\x10"], [])


def test_boards_that_can_only_mean_one_thing_may_stand_side_by_side() -> None:
    got, errors = read(LETTERS_ONLY, LAST, line(""), DOUBTFUL_LETTERS)
    assert got == [b"\x01\x10", b"\x01\x10", b""]
    assert len(errors) == 1
    assert ":4: " in errors[0]
    assert "'one'" in errors[0]
    assert "'letters'" in errors[0]


def test_empty_and_bad_boards_show_nothing_and_sides_do_not_mix() -> None:
    assert read(line(""), line("0" * 100), ZEROS)[1] == []
    got, errors = read(line("1G!"), ZEROS, DOUBTFUL)
    assert got == [ALL, ALL[1:]]
    assert len(errors) == 1
    raw = f"{'123456789ABC'.ljust(144, '.')}\n{ZEROS}\n".encode()
    assert len(list(read_puzzles(io.BytesIO(raw)))) == 2


@examples(100)
@given(
    side=st.sampled_from([10, 12, 16, 25, 26]),
    alphabet=st.sampled_from(["one", "zero", "letters"]),
    rng=st.randoms(use_true_random=False),
    sizes=st.lists(st.integers(0, 8), min_size=1, max_size=6),
)
def test_a_file_that_shows_its_alphabet_is_read_in_it_or_questioned(
    side: int, alphabet: Alphabet, rng: random.Random, sizes: list[int]
) -> None:
    boards = [bytes(rng.randint(1, side) for _ in range(size)) for size in sizes]
    padded = [board.ljust(side * side, b"\0") for board in boards]
    got, errors = read(*(write_in(board, side, alphabet) for board in padded))
    telling = {"one": range(side + 1), "zero": [1], "letters": range(side - 8, side + 1)}[alphabet]
    if alphabet == "one":
        assert not errors
    if not errors and any(digit in telling for board in boards for digit in board):
        assert got == boards


def test_what_we_write_comes_back_whatever_its_boards_hold(tmp_path: Path) -> None:
    puzzles = [
        Puzzle(SIXTEEN, digits.ljust(256, b"\0"))
        for digits in (ALL[:-1], ALL, b"\x0a", b"\x10", b"", ALL[9:])
    ]
    for name in ("p.txt", "p.csv", "p.tsv", "p.grid", "p.jsonl", "p.json", "p.numbers"):
        save_puzzles(puzzles, tmp_path / name)
        assert [entry.puzzle for entry in read_puzzles(tmp_path / name)] == puzzles, name
