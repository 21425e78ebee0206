"""Files of puzzles: what is written comes back, and what is wrong is said with its line."""

from __future__ import annotations

import gzip
import io
import subprocess
import sys
import tracemalloc
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st
from strategies import examples

from genoku.errors import FormatError, GenokuError, PuzzleError
from genoku.puzzle.board import Puzzle
from genoku.puzzle.formats import (
    FORMATS,
    Entry,
    Format,
    format_for_path,
    read_puzzles,
    recognise,
    save_puzzles,
    text_writer,
    write_puzzles,
)
from genoku.puzzle.geometry import MAX_SIDE, Geometry
from genoku.puzzle.notation import Alphabet

SHAPES = [
    Geometry(rows, columns)
    for rows in range(2, MAX_SIDE)
    for columns in range(2, MAX_SIDE)
    if rows * columns <= MAX_SIDE
]
HARD = ".7..5.6.......97....24.....82......3.41.8..626..31..8..1..6.4...........58......7"
SOLVED = "173258649458639721962471835825946173341587962697312584219763458734895216586124397"

# What every format can hold: a line, without its separators or what XML forbids.
words = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Cn"], exclude_characters="=#,;"),
    max_size=12,
).map(lambda text: " ".join(text.split()))
keys = st.from_regex(r"[a-zA-Z]{1,8}", fullmatch=True).filter(
    lambda key: (
        key.lower() not in {"puzzle", "solution", "name", "box", "data"}
        and not key.lower().startswith("xml")  # XML keeps those for itself
    )
)


@st.composite
def boards(draw: st.DrawFn, shapes: list[Geometry], lowest: int = 0) -> tuple[Geometry, bytes]:
    """Any digits at all: drawn through a seed, so that large boards stay cheap."""
    geometry = draw(st.sampled_from(shapes))
    share = draw(st.integers(0, 100))
    random = draw(st.randoms(use_true_random=False))
    cells = range(geometry.cells)
    digits = bytes(random.randint(1, geometry.side) for _ in cells)
    if lowest == 0:
        digits = bytes(d if random.randrange(100) < share else 0 for d in digits)
    return geometry, digits


@st.composite
def entries(draw: st.DrawFn, known: Format, largest: int = MAX_SIDE) -> Entry:
    shapes = [shape for shape in SHAPES if known.holds(shape) and shape.side <= largest]
    geometry, digits = draw(boards(shapes))
    solution = None
    if "solution" in known.keeps and draw(st.booleans()):
        solution = draw(boards([geometry], lowest=1))[1]
        solution = bytes(d or s for d, s in zip(digits, solution, strict=True))
    fields: dict[str, str] = {}
    if "fields" in known.keeps:
        fields = draw(st.dictionaries(keys, words.filter(bool), max_size=3))
    elif "author" in known.keeps:
        fields = draw(st.dictionaries(st.sampled_from(["author", "level"]), words.filter(bool)))
    name = draw(words) if "name" in known.keeps else ""
    return Entry(Puzzle(geometry, digits), name, solution, fields)


def written(entries: list[Entry], name: str, alphabet: Alphabet = "one") -> str:
    stream = io.StringIO()
    assert write_puzzles(entries, stream, name, alphabet=alphabet) == len(entries)
    return stream.getvalue()


def read(text: str | bytes, **options: Any) -> list[Entry]:
    stream = io.BytesIO(text if isinstance(text, bytes) else text.encode())
    return list(read_puzzles(stream, **options))


def read_on(text: str | bytes, **options: Any) -> tuple[list[Entry], list[str]]:
    """What could be read, and what was said about the rest."""
    errors: list[FormatError] = []
    return read(text, on_error=errors.append, **options), list(map(str, errors))


@pytest.mark.parametrize("name", FORMATS)
@examples(25)
@given(data=st.data())
def test_what_a_format_writes_it_reads_back(name: str, data: st.DataObject) -> None:
    some = data.draw(st.lists(entries(FORMATS[name]), max_size=2))
    assert read(written(some, name), format=name) == some


@pytest.mark.parametrize("name", [name for name in FORMATS if name != "sdm"])
@examples(25)
@given(data=st.data())
def test_a_written_file_is_recognised(name: str, data: st.DataObject) -> None:
    # From side 16 on, a row may be a whole small board: known answers below.
    some = data.draw(st.lists(entries(FORMATS[name], largest=15), min_size=1, max_size=3))
    text = written(some, name)
    assert read(text) == some, recognise(text).name


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.box)
def test_every_shape_survives_every_format_that_holds_it(shape: Geometry) -> None:
    digits = bytes((7 * cell) % (shape.side + 1) for cell in range(shape.cells))
    entry = Entry(Puzzle(shape, digits))
    holding = [name for name, known in FORMATS.items() if known.holds(shape)]
    assert {"json", "jsonl", "csv", "numbers", "grid"} <= set(holding)
    for name in holding:
        assert read(written([entry], name), format=name) == [entry], name


@pytest.mark.parametrize("alphabet", ["zero", "letters"])
@pytest.mark.parametrize("name", ["line", "csv", "grid"])
@examples(20)
@given(data=st.data())
def test_other_alphabets_come_back_when_named(
    name: str, alphabet: Alphabet, data: st.DataObject
) -> None:
    shapes = [shape for shape in SHAPES if 9 < shape.side <= 26]
    entry = Entry(Puzzle(*data.draw(boards(shapes))))
    text = written([entry], name, alphabet)
    assert read(text, format=name, alphabet=alphabet) == [entry]


@pytest.mark.parametrize("name", FORMATS)
@examples(25)
@given(text=st.text(max_size=300) | st.binary(max_size=300))
def test_any_text_gives_entries_or_our_own_errors(name: str, text: str | bytes) -> None:
    raw = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    for entry in read_on(raw, format=name)[0]:
        assert isinstance(entry, Entry)
    for options in ({}, {"box": "3x3"}):
        read_on(raw, **options)


@pytest.mark.parametrize("name", ["sdm", "sdk", "ss", "opensudoku", "lloyd-amos"])
def test_a_board_that_does_not_fit_is_refused_with_alternatives(name: str) -> None:
    entry = Entry(Puzzle(Geometry(2, 3), bytes(36)), name="flat")
    with pytest.raises(FormatError, match=rf"{entry.name}.*json"):
        write_puzzles([entry], io.StringIO(), name)


def test_names_and_fields_stay_on_their_line() -> None:
    entry = Entry(Puzzle.parse(HARD), "two\nlines # and more", fields={"a=b": "1,2\n#3"})
    (back,) = read(written([entry], "line"))
    assert back.name == "two lines # and more"
    assert back.fields == {"a b": "1 2 3"}


def test_entries_check_their_solution_and_their_fields() -> None:
    puzzle = Puzzle.parse(HARD)
    with pytest.raises(PuzzleError, match=r"81.*3"):
        Entry(puzzle, solution=b"123")
    with pytest.raises(PuzzleError, match="r1c1"):
        Entry(puzzle, solution=bytes(81))
    with pytest.raises(FormatError, match="'name'"):
        Entry(puzzle, fields={"name": "x"})
    assert len({Entry(puzzle, line=1), Entry(puzzle, line=2)}) == 1


def test_a_bad_line_is_said_with_its_place_and_the_rest_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "some.txt"
    path.write_text(f"# comment\n{HARD}\n{HARD[:-1]}\n\n{HARD[:-1]}x\n{HARD}\n")
    errors: list[FormatError] = []
    assert [e.line for e in read_puzzles(path, on_error=errors.append)] == [2, 6]
    assert str(errors[0]).startswith(f"{path}:3: ")
    assert str(errors[1]).startswith(f"{path}:5: ")
    assert "r9c9" in str(errors[1])
    with pytest.raises(FormatError, match=r"some\.txt:3: "):
        list(read_puzzles(path))


def test_what_cannot_be_opened_is_said_in_one_line(tmp_path: Path) -> None:
    for path in (tmp_path / "none.txt", tmp_path, "a\0b"):
        with pytest.raises(FormatError, match=r"no such|directory|null"):
            list(read_puzzles(path))
    with pytest.raises(FormatError, match="format among"):
        read_puzzles("x", format="sdx")
    with pytest.raises(FormatError, match="alphabet among"):
        read_puzzles("x", alphabet="two")  # pyright: ignore[reportArgumentType]
    assert read(b"") == []


def test_gzip_and_encodings_are_seen_through() -> None:
    text = f"# né\n{HARD}\n"
    for raw in (
        text.encode(),
        text.encode("utf-8-sig"),
        text.encode("utf-16"),
        text.replace("\n", "\r\n").encode(),
        text.replace("\n", "\r").encode(),
        gzip.compress(text.encode()),
        gzip.compress(text.encode("utf-16")),
    ):
        assert read(raw) == [Entry(Puzzle.parse(HARD), "né")]
    (entry,) = read(b"# \xff\n" + HARD.encode())
    assert entry.name == "\ufffd"
    (entry,) = list(read_puzzles(io.StringIO(text)))
    assert entry.name == "né"


def test_a_broken_archive_keeps_what_came_before() -> None:
    lines = "".join(f"{HARD[i % 81 :]}{HARD[: i % 81]}\n" for i in range(20_000))
    raw = gzip.compress(lines.encode(), 1)
    got, errors = read_on(raw[: len(raw) * 3 // 4])
    assert 1_000 < len(got) < 20_000
    assert len(errors) == 1
    garbled = raw[:2000] + bytes(100) + raw[2100:]
    assert len(read_on(garbled)[1]) >= 1


def test_a_line_without_end_is_refused_in_bounded_memory() -> None:
    class Endless(io.BytesIO):
        left = 5_000_000

        def read1(self, size: int | None = -1) -> bytes:
            assert size
            self.left -= size
            return b"1" * size if self.left > 0 else super().read1(size)

    tracemalloc.start()
    for name in ("line", "grid", "jsonl", "csv", "opensudoku", "json", "lloyd-amos"):
        errors: list[FormatError] = []
        stream = Endless(b"\n" + HARD.encode())
        got = list(read_puzzles(stream, format=name, on_error=errors.append))
        assert errors, name
        if name == "line":
            assert got == [Entry(Puzzle.parse(HARD))]
    assert tracemalloc.get_traced_memory()[1] < 5_000_000
    tracemalloc.stop()


def test_saving_leaves_the_old_file_whole_when_it_fails(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    entry = Entry(Puzzle.parse(HARD), "a")
    assert save_puzzles([entry], path) == 1
    before = path.read_bytes()
    with suppress(ZeroDivisionError), text_writer(path) as stream:
        stream.write("half")
        raise ZeroDivisionError
    with pytest.raises(FormatError):
        save_puzzles([Entry(Puzzle(Geometry(2, 3), bytes(36)))], path, "sdm")
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(FormatError, match="written"):
        save_puzzles([entry], tmp_path / "no" / "such.csv")
    with pytest.raises(FormatError, match="suffix"):
        save_puzzles([entry], tmp_path / "a.b")


@pytest.mark.parametrize("name", FORMATS)
def test_a_suffix_picks_the_format_and_gz_zips_it(name: str, tmp_path: Path) -> None:
    entry = Entry(Puzzle.parse(HARD))
    for suffix in FORMATS[name].suffixes:
        path = tmp_path / f"p{suffix}.gz"
        assert format_for_path(path).name == name
        save_puzzles([entry], path)
        assert path.read_bytes()[:2] == b"\x1f\x8b"
        assert list(read_puzzles(path)) == [entry]


def test_text_that_cannot_be_encoded_is_our_own_error(tmp_path: Path) -> None:
    entry = Entry(Puzzle.parse(HARD), name="\ud800")
    with pytest.raises(GenokuError):
        save_puzzles([entry], tmp_path / "p.jsonl")


def test_reading_files_does_not_wait_for_the_compiler() -> None:
    code = "import sys, genoku.puzzle.formats; assert 'numba' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
