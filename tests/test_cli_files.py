"""What commands write into files: always what the suffix says, in every format there is."""

from __future__ import annotations

import csv
import io
from itertools import combinations
from pathlib import Path

import pytest
from commands import called as genoku
from PIL import Image
from strategies import pattern_grid

from genoku import Count, Puzzle, bundled, canonical, count, rate, read_puzzles, shuffled
from genoku.cli.output import file_format
from genoku.errors import FormatError
from genoku.evolve.fitness import MAP_COLOURS
from genoku.puzzle.geometry import Geometry

BEGINS = {
    ".png": b"\x89PNG\r\n",
    ".pdf": b"%PDF-1.4",
    ".svg": b"<svg ",
    ".html": b"<table ",
    ".txt": "┌──".encode(),
    "": "┌──".encode(),
}


@pytest.mark.parametrize("suffix", BEGINS)
@pytest.mark.parametrize("options", [(), ("--solution",)])
def test_show_writes_what_the_suffix_says(
    suffix: str, options: tuple[str, ...], tmp_path: Path
) -> None:
    target = tmp_path / f"board{suffix}"
    assert genoku("show", "6x6-easy", *options, "-o", str(target)).returncode == 0
    assert target.read_bytes().startswith(BEGINS[suffix])


@pytest.mark.parametrize("suffix", BEGINS)
def test_show_colours_by_the_fitness_map_and_writes_a_caption(suffix: str, tmp_path: Path) -> None:
    board = str(pattern_grid(Geometry(2, 3)))
    paths = [tmp_path / f"{name}{suffix}" for name in ("plain", "coloured")]
    more = ("--colours", "map", "--caption", "ID 1 · Fitness <108>")
    for path, options in zip(paths, ((), more), strict=True):
        assert genoku("show", board, *options, "-o", str(path)).returncode == 0
        assert path.read_bytes().startswith(BEGINS[suffix])
    plain, coloured = (path.read_bytes() for path in paths)
    assert plain != coloured
    if suffix in (".svg", ".html"):
        assert MAP_COLOURS[3].encode() in coloured
        assert "ID 1 · Fitness &lt;108&gt;".encode() in coloured
    if suffix in (".txt", ""):
        assert str(Puzzle.parse(coloured.decode())) == board


def test_a_png_shows_candidates_and_solutions(tmp_path: Path) -> None:
    def inked(*options: str) -> int:
        assert genoku("show", "6x6-easy", *options, "-o", str(tmp_path / "x.png")).returncode == 0
        with Image.open(tmp_path / "x.png") as picture:
            return sum(picture.convert("L").histogram()[:100])

    assert inked() < inked("--candidates")
    assert inked() < inked("--solution")


@pytest.mark.parametrize(
    "words",
    [
        ("show", "6x6-easy", "-o", "x.jpg"),
        ("show", "6x6-easy", "--style", "svg", "-o", "x.png"),
        ("show", "6x6-easy", "--style", "png"),
        ("show", "6x6-easy", "--candidates", "-o", "x.pdf"),
        ("convert", "6x6-easy", "-o", "x.png"),
        ("convert", "6x6-easy", "--to", "csv", "-o", "x.pdf"),
        ("convert", "6x6-easy", "--to", "csv", "-o", "x.json.gz"),
        ("convert", "6x6-easy", "--to", "pdf"),
        ("generate", "-o", "x.html"),
        ("generate", "--pdf", "x.csv"),
        ("generate", "--to", "csv", "-o", "x.pdf"),
        ("report", "x.db", "-o", "x.pdf"),
        ("report", "x.db", "--markdown", "x.html"),
        ("race", "sundy", "charles", "--report", "x.pdf"),
        ("tune", "sundy", "-o", "x.db"),
        ("study", "export", "x.db", "-o", "x.html"),
        ("study", "export", "x.db", "--to", "csv", "-o", "x.parquet"),
        ("evolve", "--preset", "sundy", "--history", "x.png"),
        ("evolve", "--preset", "sundy", "--save-recipe", "x.csv"),
        ("evolve", "--preset", "sundy", "--gif", "x.png"),
        ("evolve", "--preset", "sundy", "--plot", "x.csv"),
    ],
)
def test_no_file_is_written_under_a_suffix_of_another_kind(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert genoku(*words).returncode == 2
    assert list(tmp_path.iterdir()) == []


def test_a_suffix_of_no_meaning_and_txt_take_what_was_chosen() -> None:
    known = {".a": "one", ".b": "two"}
    assert file_format("-o", "x.A.gz", known) == "one"
    assert file_format("-o", "x.dat", known, "two") == "two"
    assert file_format("-o", "x.txt", known, "two") == "two"
    assert file_format("-o", "x", known, default="one") == "one"
    for path, chosen in (("x.a", "two"), ("x.pdf", "one"), ("x.dat", None), ("x", None)):
        with pytest.raises(FormatError):
            file_format("-o", path, known, chosen)


def test_ones_own_puzzles_are_printed_with_the_solutions_that_are_the_only_ones(
    tmp_path: Path,
) -> None:
    several = "." * 81
    given = "\n".join([str(bundled()["charles-easy"].puzzle), several])
    target = tmp_path / "sheet.pdf"
    done = genoku("convert", "-", "-o", str(target), "--title", "Ελλάδα", stdin=given)
    assert done.returncode == 0
    assert target.read_bytes().count(b"/Type /Page ") == 2
    assert "\n1 puzzle" in done.stderr


def test_two_solutions_are_two_in_a_file_too() -> None:
    solved = "1324423124133142"
    two = next(
        puzzle
        for i, j in combinations(range(16), 2)
        for k, m in combinations(range(16), 2)
        if count(puzzle := "".join("." if n in (i, j, k, m) else solved[n] for n in range(16)), 3)
        == Count(2, complete=True)
    )
    done = genoku("check", "-", stdin=f"{two}\n{solved}\n{'.' * 16}\n")
    assert done.returncode == 1
    first, last = done.stdout.splitlines()
    assert first.endswith(": 2 solutions")
    assert last.endswith("3 solutions")


def test_convert_writes_canonical_forms() -> None:
    puzzle = bundled()["charles-hard"].puzzle
    isomorphs = "\n".join(str(shuffled(puzzle, seed)) for seed in (1, 2))
    lines = genoku("convert", "-", "--canonical", stdin=isomorphs).stdout.splitlines()
    assert lines == [str(canonical(puzzle))] * 2


def test_a_levelled_puzzle_may_be_asked_to_be_minimal_and_its_level_is_written() -> None:
    words = ("generate", "--level", "medium", "--minimal", "--seed", "2", "--count", "3")
    rows = list(csv.DictReader(io.StringIO(genoku(*words, "--to", "csv").stdout)))
    assert [row["level"] for row in rows] == ["medium"] * 3
    for row in rows:
        puzzle = Puzzle.parse(row["puzzle"])
        assert rate(puzzle).level == "medium"
        fewer = [
            Puzzle(puzzle.geometry, puzzle.digits[:i] + b"\0" + puzzle.digits[i + 1 :])
            for i in range(81)
            if puzzle.digits[i]
        ]
        checked = genoku("check", "-", "--jsonl", stdin="\n".join(map(str, fewer))).stdout
        assert checked.count('"several"') == len(fewer)
    assert genoku("generate", "--minimal", "--givens", "30").returncode == 2


def test_a_generated_table_reads_back_with_its_level(tmp_path: Path) -> None:
    target = tmp_path / "made.csv"
    genoku("generate", "--level", "easy", "--seed", "1", "-o", str(target))
    (entry,) = read_puzzles(target)
    assert entry.fields["level"] == "easy"
