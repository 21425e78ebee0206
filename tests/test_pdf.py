"""Printable sheets: files a PDF reader accepts, with every digit where it belongs."""

from __future__ import annotations

import io
import random
import re
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from genoku.errors import FormatError
from genoku.puzzle.board import Board, Puzzle
from genoku.puzzle.geometry import Geometry
from genoku.puzzle.pdf import MAX_PER_PAGE, PAPERS, write_pdf

_SHOWN = re.compile(rb"/(F\d) ([\d.]+) Tf ([\d.]+) ([\d.]+) Td \(((?:[^\\()]|\\.)*)\) Tj")


def problem(box: str = "3x3", seed: int = 0, share: float = 0.4) -> tuple[Puzzle, Board]:
    """A puzzle and a board that solves it."""
    geometry = Geometry.parse(box)
    rows, columns, side = geometry.box_rows, geometry.box_cols, geometry.side
    shifts = [row % rows * columns + row // rows for row in range(side)]
    board = [(shift + column) % side + 1 for shift in shifts for column in range(side)]
    draw = random.Random(seed)
    givens = bytes(digit if draw.random() < share else 0 for digit in board)
    return Puzzle(geometry, givens), np.array(board, np.uint8)


def puzzles_of(count: int, box: str = "3x3") -> list[Puzzle]:
    return [problem(box, seed)[0] for seed in range(count)]


def pdf(puzzles: list[Puzzle], **options: Any) -> bytes:
    stream = io.BytesIO()
    write_pdf(stream, puzzles, **options)
    return stream.getvalue()


def objects_of(document: bytes) -> dict[int, bytes]:
    """Every object, found as a reader finds it: by its place in the table at the end."""
    tail = re.search(rb"startxref\n(\d+)\n%%EOF\n$", document)
    assert tail is not None
    table = document[int(tail[1]) :]
    head = re.match(rb"xref\n0 (\d+)\n0{10} 65535 f \n((?:\d{10} 00000 n \n)+)trailer\n", table)
    assert head is not None
    offsets = [int(line[:10]) for line in head[2].splitlines()]
    assert int(head[1]) == len(offsets) + 1
    assert b"/Size %d " % int(head[1]) in table
    objects: dict[int, bytes] = {}
    for number, offset in enumerate(offsets, start=1):
        assert document[offset:].startswith(b"%d 0 obj\n" % number)
        objects[number] = document[offset : document.index(b"\nendobj\n", offset)]
    return objects


def pages_of(document: bytes) -> list[bytes]:
    """The operators of every page, in the order of the page tree."""
    objects = objects_of(document)
    kids = re.search(rb"/Kids \[([^]]*)\] /Count (\d+)", objects[2])
    assert kids is not None
    numbers = [int(number) for number in re.findall(rb"(\d+) 0 R", kids[1])]
    assert int(kids[2]) == len(numbers)
    return [_operators(objects, number) for number in numbers]


def _operators(objects: dict[int, bytes], page: int) -> bytes:
    contents = re.search(rb"/Contents (\d+) 0 R", objects[page])
    assert contents is not None
    head, _, rest = objects[int(contents[1])].partition(b"stream\n")
    length = re.search(rb"/Length (\d+)", head)
    assert length is not None
    assert rest[int(length[1]) :] == b"\nendstream"
    return zlib.decompress(rest[: int(length[1])])


def texts_of(page: bytes, font: bytes | None = None) -> list[str]:
    return [
        re.sub(rb"\\(.)", rb"\1", shown[4]).decode("cp1252")
        for shown in _SHOWN.findall(page)
        if font in (None, shown[0])
    ]


def test_a_sheet_is_a_pdf_whose_table_leads_to_every_object() -> None:
    document = pdf(puzzles_of(3), title="Friday")
    assert document.startswith(b"%PDF-1.4\n")
    assert len(objects_of(document)) == 5 + 2


def test_the_same_puzzles_give_the_same_bytes() -> None:
    options = {"title": "Friday", "solutions": [problem()[1]] * 2}
    assert pdf(puzzles_of(2), **options) == pdf(puzzles_of(2), **options)


@pytest.mark.parametrize("per_page", range(1, MAX_PER_PAGE + 1))
def test_ten_puzzles_take_as_many_pages_as_they_need(per_page: int) -> None:
    pages = pages_of(pdf(puzzles_of(10), per_page=per_page))
    assert len(pages) == -(-10 // per_page)
    captions = [text for page in pages for text in texts_of(page) if text.startswith("No. ")]
    assert captions == [f"No. {number}" for number in range(1, 11)]
    assert [texts_of(page)[-1] for page in pages] == [
        f"{number} / {len(pages)}" for number in range(1, len(pages) + 1)
    ]


@pytest.mark.parametrize("box", ["2x2", "2x3", "3x2", "3x3", "4x4", "5x7", "6x6"])
def test_a_page_shows_every_given_in_bold_and_in_order(box: str) -> None:
    puzzle, _ = problem(box)
    (page,) = pages_of(pdf([puzzle]))
    letters = "123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    names = list(letters) if puzzle.side <= 35 else [str(n) for n in range(1, 37)]
    assert texts_of(page, b"F2") == [names[digit - 1] for digit in puzzle.digits if digit]


@pytest.mark.parametrize("paper", PAPERS)
@pytest.mark.parametrize("per_page", [1, 2, 4, 6, 9])
@pytest.mark.parametrize("box", ["2x2", "3x3", "4x4", "6x6"])
def test_everything_stays_on_the_paper_and_nothing_overlaps(
    box: str, per_page: int, paper: str
) -> None:
    boards = [problem(box)] * per_page
    document = pdf(
        [puzzle for puzzle, _ in boards],
        solutions=[board for _, board in boards],
        per_page=per_page,
        paper=paper,
        title="Friday",
    )
    width, height = {"a4": (595.28, 841.89), "letter": (612.0, 792.0)}[paper]
    for page in pages_of(document):
        lines = re.findall(rb"([\d.]+) ([\d.]+) m ([\d.]+) ([\d.]+) l", page)
        points = [(float(x), float(y)) for line in lines for x, y in (line[:2], line[2:])]
        assert min(x for x, _ in points) >= 36
        assert max(x for x, _ in points) <= width - 36
        assert min(y for _, y in points) >= 50
        assert max(y for _, y in points) <= height - 76
        places = [(shown[2], shown[3]) for shown in _SHOWN.findall(page)]
        assert len(set(places)) == len(places)


def test_digits_stand_in_the_middle_of_their_cells() -> None:
    (page,) = pages_of(pdf([Puzzle.parse("1" + 15 * ".")]))
    grid = re.search(rb"G (?:2 J )?([\d.]+) ([\d.]+) m ([\d.]+) [\d.]+ l", page)
    assert grid is not None
    left, top, right = map(float, grid.groups())
    cell = (right - left) / 4
    _, size, x, y, _ = next(shown for shown in _SHOWN.findall(page) if shown[0] == b"F2")
    assert float(x) + 0.556 * float(size) / 2 == pytest.approx(left + cell / 2, abs=0.02)
    assert float(y) + 0.71 * float(size) / 2 == pytest.approx(top - cell / 2, abs=0.02)


def test_solutions_follow_at_the_back() -> None:
    boards = [problem(seed=seed) for seed in range(10)]
    puzzles, solutions = [puzzle for puzzle, _ in boards], [board for _, board in boards]
    pages = pages_of(pdf(puzzles, solutions=solutions, per_page=6, title="Friday"))
    assert len(pages) == 2 + 2
    assert all("Solutions at the back" in texts_of(page) for page in pages[:2])
    assert all(texts_of(page)[0] == "Friday – Solutions" for page in pages[2:])
    digits = [t for page in pages[2:] for t in texts_of(page) if re.fullmatch("[1-9]", t)]
    assert digits == [str(digit) for board in solutions for digit in board.tolist()]
    givens = [text for page in pages[2:] for text in texts_of(page, b"F2")]
    assert givens == [str(digit) for puzzle in puzzles for digit in puzzle.digits if digit]


@pytest.mark.parametrize(("box", "pages"), [("3x3", 1), ("4x4", 2), ("5x5", 5), ("6x6", 9)])
def test_solutions_of_larger_boards_get_more_room(box: str, pages: int) -> None:
    boards = [problem(box, seed) for seed in range(9)]
    document = pdf([p for p, _ in boards], solutions=[b for _, b in boards], per_page=9)
    assert len(pages_of(document)) == 1 + pages


def test_boards_of_several_shapes_share_a_page() -> None:
    puzzles = [problem(box)[0] for box in ("2x2", "3x3", "4x4")]
    (page,) = pages_of(pdf(puzzles))
    assert len(texts_of(page, b"F2")) == sum(puzzle.givens for puzzle in puzzles)


@pytest.mark.parametrize(
    ("title", "printed"),
    [
        (r"Größe (3×3) \ 50 €", r"Größe (3×3) \ 50 €"),
        ("Šárka Dvořák", "Šárka Dvorák"),
        ("Sudoku?", "Sudoku?"),
        ("two\nlines\tof text", "two lines of text"),
        ("e\u0301", "é"),
    ],
)
def test_titles_use_the_letters_the_font_has(title: str, printed: str) -> None:
    (page,) = pages_of(pdf(puzzles_of(1), title=title))
    assert texts_of(page)[0] == printed


def test_the_title_of_the_document_keeps_every_letter() -> None:
    facts = objects_of(pdf(puzzles_of(1), title="Судоку"))[5]
    assert "\ufeffСудоку".encode("utf-16-be").hex().encode() in facts


def test_letters_that_the_fonts_lack_are_drawn_and_fit_the_page() -> None:
    for title in ("Судоку", "Σουντόκου → 9×9", "Судоку " * 50):
        (page,) = pages_of(pdf(puzzles_of(1), title=title))
        drawn = page.split(b" f\n")[0]
        assert drawn.count(b" h") > 5
        places = [float(x) for x in re.findall(rb"([\d.]+) [\d.]+ [ml]", drawn)]
        assert 36 < min(places) < max(places) < 560
        assert title not in texts_of(page)


@pytest.mark.parametrize("title", ["数独", "שלום", "\ud800"])
def test_letters_that_cannot_be_drawn_are_refused(title: str) -> None:
    with pytest.raises(FormatError):
        pdf(puzzles_of(1), title=title)


def test_titles_and_captions_too_long_for_their_place_are_cut() -> None:
    long = "a very long story " * 1000
    (page,) = pages_of(pdf(puzzles_of(1), title=long, captions=[long]))
    title, caption, *_ = texts_of(page)
    assert title.endswith("…")
    assert caption.endswith("…")
    assert len(title) < len(caption) < 200


def test_captions_stand_in_place_of_numbers() -> None:
    (page,) = pages_of(pdf(puzzles_of(2), captions=["No. 3 · hard · 24 givens", "easy"]))
    texts = texts_of(page)
    assert "No. 3 · hard · 24 givens" in texts
    assert "easy" in texts
    assert "No. 1" not in texts


@pytest.mark.parametrize("per_page", [0, -1, 10])
def test_a_page_holds_one_to_nine_puzzles(per_page: int) -> None:
    with pytest.raises(FormatError, match=f"1 to 9.*{per_page}"):
        pdf(puzzles_of(1), per_page=per_page)


def test_what_cannot_be_printed_is_refused_in_words() -> None:
    puzzle, board = problem()
    with pytest.raises(FormatError, match="none"):
        pdf([])
    with pytest.raises(FormatError, match=r"a4, letter.*'a5'"):
        pdf([puzzle], paper="a5")
    with pytest.raises(FormatError, match=r"solutions.*2 for 1"):
        pdf([puzzle], solutions=[board, board])
    with pytest.raises(FormatError, match=r"captions.*0 for 1"):
        pdf([puzzle], captions=[])
    with pytest.raises(FormatError, match="puzzle 2"):
        pdf([puzzle, puzzle], solutions=[board, board[::-1]])


def test_a_path_gets_the_whole_sheet_and_nothing_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "sheet.pdf"
    path.write_text("before")
    write_pdf(path, puzzles_of(1))
    assert path.read_bytes() == pdf(puzzles_of(1))
    write_pdf(str(path), puzzles_of(2))
    assert path.read_bytes() == pdf(puzzles_of(2))
    assert list(tmp_path.iterdir()) == [path]


def test_a_sheet_that_cannot_be_written_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "sheet.pdf"
    path.write_text("before")

    def fail(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(FormatError, match="disk full"):
        write_pdf(path, puzzles_of(1))
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


def test_a_board_can_be_printed_with_colours_in_place_of_its_puzzle() -> None:
    puzzle, solution = problem()
    wrong = solution.copy()
    wrong[:2] = wrong[1]
    colours = ["#6fc28b", "#3b3f46", *[None] * 79]
    (page,) = pages_of(pdf([puzzle], boards=[wrong], colours=[colours], captions=["ID 1"]))
    shown = texts_of(page)
    assert shown[0] == "ID 1"
    assert sorted(shown[1:82]) == sorted(map(str, wrong.tolist()))
    filled = re.findall(rb"([\d.]+ [\d.]+ [\d.]+) rg [\d. ]+ re f", page)
    assert filled == [b"0.435 0.761 0.545", b"0.231 0.247 0.275"]
    assert page.count(b"1 g\n") == 1  # white on the dark cell
    (plain,) = pages_of(pdf([puzzle], boards=[wrong], captions=["ID 1"]))
    assert b" rg" not in plain
    assert texts_of(plain) == shown
    with pytest.raises(FormatError, match=r"boards.*0 for 1"):
        pdf([puzzle], boards=[])
