"""A live pipe: puzzles are read as they come, and the same however the bytes are cut."""

from __future__ import annotations

import gzip
import io

import pytest
from hypothesis import given, strategies as st

from genoku import Entry, Puzzle, bundled, read_puzzles
from genoku.puzzle.formats import FORMATS, read_array, write_puzzles

NINE = str(bundled()["charles-easy"].puzzle)
FOUR = "1.....3..4.....2"
SIXTEEN = str(bundled()["16x16-easy"].puzzle)


class Pipe(io.BytesIO):
    """Gives a piece at a time, and counts them."""

    def __init__(self, pieces: list[bytes]) -> None:
        super().__init__()
        self.pieces, self.given = pieces, 0

    def read1(self, _size: int | None = -1, /) -> bytes:
        self.given += 1
        return self.pieces[self.given - 1] if self.given <= len(self.pieces) else b""


def lines_of(text: str) -> list[bytes]:
    return text.encode().splitlines(keepends=True)


@pytest.mark.parametrize(
    ("text", "waited"),
    [
        (f"{NINE}\n" * 5, 1),
        (f"# a name\n\n{NINE} # another\n{NINE}\n", 3),
        (f"{NINE},{NINE}\n" * 5, 1),
        (f"{SIXTEEN}\n" * 5, 1),
        (f"{' '.join(NINE.replace('.', '0'))}\n" * 5, 1),
        (f'{{"puzzle": "{NINE}"}}\n' * 5, 1),
        (f"puzzle,solution\n{NINE},\n{NINE},\n", 2),
    ],
)
def test_the_first_puzzle_is_there_as_soon_as_its_line_is(text: str, waited: int) -> None:
    pipe = Pipe(lines_of(text))
    first = next(iter(read_puzzles(pipe)))
    assert first.puzzle in (Puzzle.parse(NINE), Puzzle.parse(SIXTEEN))
    assert pipe.given == waited


@pytest.mark.parametrize("text", [f"{FOUR}\n" * 5, bundled()["16x16-easy"].puzzle.picture() + "\n"])
def test_what_could_be_the_row_of_a_grid_is_waited_for(text: str) -> None:
    pipe = Pipe(lines_of(text))
    next(iter(read_puzzles(pipe)))
    assert pipe.given > len(pipe.pieces)


def test_a_format_that_is_named_is_not_waited_for() -> None:
    pipe = Pipe(lines_of(f"{FOUR}\n" * 5))
    assert next(iter(read_puzzles(pipe, format="line"))).puzzle == Puzzle.parse(FOUR)
    assert pipe.given == 1


def test_a_file_tells_its_format_by_its_first_line_whatever_follows() -> None:
    """Else it would matter whether what follows was there in time."""
    rows = "\n".join(NINE[start : start + 9] for start in range(0, 81, 9))
    text = f"{NINE}\n\n{rows}\n"
    for pieces in (lines_of(text), [text.encode()]):
        bad: list[Exception] = []
        found = list(read_puzzles(Pipe(pieces), on_error=bad.append))
        assert [entry.puzzle for entry in found] == [Puzzle.parse(NINE)]
        assert len(bad) == 9


@given(st.sampled_from(sorted(FORMATS)), st.booleans(), st.data())
def test_it_does_not_matter_how_the_bytes_are_cut(
    name: str, zipped: bool, data: st.DataObject
) -> None:
    text = io.StringIO()
    write_puzzles([Entry(Puzzle.parse(NINE), name="one"), Puzzle.parse(NINE)], text, name)
    raw = text.getvalue().encode()
    raw = gzip.compress(raw) if zipped else raw
    places = data.draw(st.lists(st.integers(0, len(raw)), max_size=6).map(sorted))
    pieces = [raw[a:b] for a, b in zip([0, *places], [*places, len(raw)], strict=True) if a < b]
    whole = list(read_puzzles(io.BytesIO(raw)))
    assert len(whole) == 2
    assert list(read_puzzles(Pipe(pieces))) == whole
    (boards,) = read_array(Pipe(pieces))
    assert [bytes(board) for board in boards] == [entry.puzzle.digits for entry in whole]
