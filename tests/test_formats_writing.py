"""Files are written whole or not at all, and nothing in them is lost without a word."""

from __future__ import annotations

import io
import os
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from patience import PATIENCE

from genoku.errors import FormatError
from genoku.puzzle.board import Puzzle
from genoku.puzzle.formats import (
    Entry,
    binary_writer,
    read_puzzles,
    save_puzzles,
    text_writer,
    write_puzzles,
)
from genoku.puzzle.geometry import Geometry

PUZZLE = Puzzle.parse("1.....3..4.....2")
SOLUTION = Puzzle.parse("1234341221434321").digits
MANY = [Entry(PUZZLE)] * 1_000


@pytest.mark.parametrize("name", ["csv", "tsv"])
@pytest.mark.parametrize(
    ("late", "lost"),
    [
        (Entry(PUZZLE, name="late"), "'name'"),
        (Entry(PUZZLE, fields={"rating": "3", "by": "Jo"}), "'rating', 'by'"),
        (Entry(Puzzle(Geometry(3, 2), bytes(36))), "'box'"),
    ],
)
def test_a_table_refuses_what_it_has_no_column_for(name: str, late: Entry, lost: str) -> None:
    with pytest.raises(FormatError, match=rf"1001.*{lost}.*jsonl"):
        write_puzzles([*MANY, late], io.StringIO(), name)
    assert write_puzzles([late, *MANY, late], io.StringIO(), name) == 1_002


def test_a_table_keeps_late_solutions_and_passes_over_empty_fields() -> None:
    stream = io.StringIO()
    late = Entry(PUZZLE, solution=SOLUTION, fields={"by": " "})
    write_puzzles([*MANY, late], stream, "csv")
    *_, last = read_puzzles(io.StringIO(stream.getvalue()))
    assert last == Entry(PUZZLE, solution=SOLUTION)


def test_a_tsv_file_has_tabs(tmp_path: Path) -> None:
    entry = Entry(PUZZLE, "a, b", SOLUTION, {"x;y,z": "1\t2"})
    save_puzzles([entry], tmp_path / "p.tsv")
    header, line = (tmp_path / "p.tsv").read_text().splitlines()
    assert header == "puzzle\tsolution\tname\tx;y,z"
    assert line.count("\t") == 3
    (back,) = read_puzzles(tmp_path / "p.tsv")
    assert back == Entry(PUZZLE, "a, b", SOLUTION, {"x;y,z": "1 2"})


def test_a_suffix_in_capitals_zips_too(tmp_path: Path) -> None:
    path = tmp_path / "D.TXT.GZ"
    save_puzzles([PUZZLE], path)
    assert path.read_bytes()[:2] == b"\x1f\x8b"
    assert list(read_puzzles(path)) == [Entry(PUZZLE)]


def test_bare_puzzles_are_entries_without_more(tmp_path: Path) -> None:
    assert save_puzzles([PUZZLE, Entry(PUZZLE, "b")], tmp_path / "p.txt") == 2
    assert list(read_puzzles(tmp_path / "p.txt")) == [Entry(PUZZLE), Entry(PUZZLE, "b")]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["1.....3..4.....2"], "puzzle 1: expected an Entry or a Puzzle, got str"),
        ([PUZZLE, None], "puzzle 2: expected an Entry or a Puzzle, got NoneType"),
        (Entry(PUZZLE), "expected entries or puzzles, got one Entry"),
        (7, "expected entries or puzzles, got one int"),
    ],
)
def test_what_is_no_puzzle_is_refused_by_name(given: Any, said: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=said):
        write_puzzles(given, io.StringIO(), "line")
    with pytest.raises(FormatError, match=said):
        save_puzzles(given, tmp_path / "p.txt")
    assert not list(tmp_path.iterdir())


def test_bytes_take_their_place_when_all_are_written(tmp_path: Path) -> None:
    path, link = tmp_path / "a.pdf", tmp_path / "link.pdf"
    path.write_bytes(b"old")
    path.chmod(0o640)
    link.symlink_to(path)
    with suppress(ZeroDivisionError), binary_writer(link) as stream:
        stream.write(b"half")
        raise ZeroDivisionError
    assert path.read_bytes() == b"old"
    with binary_writer(link) as stream:
        stream.write(b"\x00new")
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"\x00new"
    assert link.is_symlink()
    assert path.stat().st_mode & 0o777 == 0o640
    assert sorted(tmp_path.iterdir()) == [path, link]


@pytest.mark.parametrize("opened", [text_writer, binary_writer])
def test_what_cannot_be_written_is_named_as_it_was_given(
    opened: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("loop").symlink_to("loop")
    for name in ("no/such", ".", "a\0b", "loop"):
        with pytest.raises(FormatError) as caught, opened(name):
            pass
        assert str(caught.value).startswith(f"{name}: ")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got: list[bytes] = []
    for opened, data in ((text_writer, "né"), (binary_writer, b"\x00\xff")):
        reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
        reader.start()
        with opened(pipe) as stream:
            stream.write(data)  # pyright: ignore[reportArgumentType, reportCallIssue]
        reader.join(PATIENCE)
        assert pipe.is_fifo()
    assert got == ["né".encode(), b"\x00\xff"]
