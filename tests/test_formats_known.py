"""Files as they are found in the wild, and what they say."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from typing import Any

import pytest

from genoku.errors import FormatError, PuzzleError
from genoku.puzzle.board import Puzzle
from genoku.puzzle.formats import FORMATS, Entry, read_puzzles, recognise, write_puzzles
from genoku.puzzle.geometry import Geometry

HARD = ".7..5.6.......97....24.....82......3.41.8..626..31..8..1..6.4...........58......7"
SOLVED = "173258649458639721962471835825946173341587962697312584219763458734895216586124397"
ROWS = "\n".join(HARD[i : i + 9] for i in range(0, 81, 9))
NUMBERS = " ".join(HARD.replace(".", "0"))
SIXTEEN = ("1.3.5.7.9.B.D.F." + "." * 15 + "G") * 8
NUMBERS_16 = " ".join(str(".123456789ABCDEFG".index(c)) if c != "." else "0" for c in SIXTEEN)
ROWS_16 = "\n".join(SIXTEEN[i : i + 16] for i in range(0, 256, 16))
NUMBER_ROWS_36 = "\n".join(" ".join(str((i * 7 + j) % 37) for j in range(36)) for i in range(36))
SS = """\
 *-----------*
 |.7.|.5.|6..|
 |...|..9|7..|
 |..2|4..|...|
 |---+---+---|
 |82.|...|..3|
 |.41|.8.|.62|
 |6..|31.|.8.|
 |---+---+---|
 |.1.|.6.|4..|
 |...|...|...|
 |58.|...|..7|
 *-----------*
"""
PICTURE = Puzzle.parse(HARD).picture()
LIST = str([[int(c) for c in row.replace(".", "0")] for row in ROWS.split("\n")])
SHEET = "\n".join(",".join(c.replace(".", "") for c in row) for row in ROWS.split("\n"))
LLOYD = "3\n1\n" + "\n".join(" ".join(c.replace(".", "-1") for c in r) for r in ROWS.split("\n"))
XML = f"""\
<?xml version="1.0" encoding="UTF-8"?>
<opensudoku>
  <name>Easy ones</name><author>Jo &amp; Co</author><level>easy</level>
  <game data="{HARD.replace(".", "0")}"/>
</opensudoku>
"""

KNOWN: dict[str, tuple[str, str, dict[str, Any]]] = {
    "bare line": ("line", HARD, {}),
    "line with zeros": ("line", HARD.replace(".", "0"), {}),
    "line after a comment": ("line", f"# one\n{HARD}\n", {"name": "one"}),
    "comment apart from the line": ("line", f"# one\n\n{HARD}\n", {}),
    "line with trailing comment": ("line", f"{HARD} # two", {"name": "two"}),
    "line after a name": ("line", f"Mo 12: {HARD}", {"name": "Mo 12"}),
    "line with solution": ("line", f"{HARD},{SOLVED}", {"solution": SOLVED}),
    "line, quoted": ("line", f'"{HARD}","{SOLVED}"', {"solution": SOLVED}),
    "line with fields": (
        "line",
        f"{HARD}\t{SOLVED}\tSE=7.2\tJo Smith",
        {"solution": SOLVED, "fields": {"SE": "7.2", "field1": "Jo Smith"}},
    ),
    "line with words": ("line", f"{HARD} 23 hard", {"fields": {"field1": "23", "field2": "hard"}}),
    "line with colons": ("line", f"{HARD}:1:x", {"fields": {"field1": "1", "field2": "x"}}),
    "line of 81 characters that is no 9×9": (
        "line", f"{'.' * 36},{'123456' * 6},box=3x2", {"box": "3x2", "puzzle": "." * 36,
        "solution": "123456" * 6},
    ),
    "line in groups": ("line", ROWS.replace("\n", " "), {}),
    "numbers": ("numbers", NUMBERS, {}),
    "numbers with commas": ("numbers", NUMBERS.replace(" ", ","), {}),
    "numbers with more": (
        "numbers",
        f"{NUMBERS}; {' '.join(SOLVED)}; rating=3 # x",
        {"solution": SOLVED, "fields": {"rating": "3"}, "name": "x"},
    ),
    "numbers, sixteen": ("numbers", NUMBERS_16, {"puzzle": SIXTEEN}),
    "pasted grid": ("grid", ROWS, {}),
    "Project Euler's grid": ("grid", "Grid 01\n" + ROWS.replace(".", "0"), {"name": "Grid 01"}),
    "grid in bands": ("grid", "\n\n".join([ROWS[:29], ROWS[30:59], ROWS[60:]]), {}),
    "grid as drawn by us": ("grid", PICTURE, {}),
    "Python list on one line": ("line", LIST, {}),
    "grid as a list of rows": ("grid", LIST.replace("], ", "],\n"), {}),
    "grid from a spreadsheet": ("grid", SHEET, {}),
    "grid, sixteen": ("grid", ROWS_16, {"puzzle": SIXTEEN}),
    "grid, thirty-six": ("grid", NUMBER_ROWS_36, {"puzzle": NUMBER_ROWS_36}),
    "simple sudoku": ("ss", SS, {}),
    "simple sudoku, unframed": (
        "ss",
        SS.replace(" *-----------*\n", "").replace(" |---+---+---|", "-" * 11).replace(" |", ""),
        {},
    ),
    "sdk": (
        "sdk",
        f"#A Jo\n#D A hard one\n#C first\n#C second\n#B 2006-01-02\n#U http://x\n{ROWS}\n",
        {
            "name": "A hard one",
            "fields": {
                "author": "Jo", "comment": "first\nsecond", "date": "2006-01-02", "url": "http://x"
            },
        },
    ),
    "sdk with sections": (
        "sdk", f"[Puzzle]\n{ROWS}\n\n[State]\n{ROWS.replace('.', '1')}\n", {}
    ),
    "csv of Kaggle": ("csv", f"quizzes,solutions\n{HARD},{SOLVED}\n", {"solution": SOLVED}),
    "csv with more": (
        "csv",
        f'id;Puzzle;Solution;clues;Difficulty\n7;"{HARD}";{SOLVED};17;2.2\n',
        {"solution": SOLVED, "fields": {"id": "7", "clues": "17", "Difficulty": "2.2"}},
    ),
    "json": (
        "json",
        json.dumps({"format": "genoku-puzzles", "version": 1, "puzzles": [HARD]}, indent=1),
        {},
    ),
    "json list": ("json", json.dumps([{"quiz": HARD, "answer": SOLVED}]), {"solution": SOLVED}),
    "json of genoku solve": (
        "json",
        json.dumps({"puzzle": HARD, "solution": SOLVED, "solved": True, "seed": 3}, indent=2),
        {"solution": SOLVED, "fields": {"solved": "true", "seed": "3"}},
    ),
    "jsonl of genoku solve": (
        "jsonl",
        json.dumps({"puzzle": HARD, "solution": None, "solved": False, "seconds": 0.5}),
        {"fields": {"solved": "false", "seconds": "0.5"}},
    ),
    "jsonl of strings": ("jsonl", f'"{HARD}"\n', {}),
    "opensudoku": (
        "opensudoku",
        XML,
        {"fields": {"collection": "Easy ones", "author": "Jo & Co", "level": "easy"}},
    ),
    "lloyd and amos": ("lloyd-amos", LLOYD, {}),
    "lloyd and amos on one line": ("lloyd-amos", LLOYD.replace("\n", " "), {}),
}  # fmt: skip


def read(text: str | bytes, **options: Any) -> list[Entry]:
    return list(
        read_puzzles(io.BytesIO(text if isinstance(text, bytes) else text.encode()), **options)
    )


def read_on(text: str | bytes, **options: Any) -> tuple[list[Entry], list[str]]:
    errors: list[FormatError] = []
    return read(text, on_error=errors.append, **options), list(map(str, errors))


@pytest.mark.parametrize("case", KNOWN)
def test_files_found_in_the_wild_are_recognised_and_read(case: str) -> None:
    name, text, said = KNOWN[case]
    assert recognise(text).name == name
    puzzle = Puzzle.parse(said.get("puzzle", HARD), box=said.get("box"))
    solution = Puzzle.parse(said["solution"]).digits if "solution" in said else None
    expected = Entry(puzzle, said.get("name", ""), solution, said.get("fields", {}))
    assert read(text) == [expected]
    assert read(text.replace("\n", "\r\n")) == [expected]
    assert read(text.encode("utf-16")) == [expected]


@pytest.mark.parametrize("case", KNOWN)
def test_every_file_converts_to_every_format_that_holds_it(case: str) -> None:
    (entry,) = read(KNOWN[case][1])
    for name, known in FORMATS.items():
        if known.holds(entry.puzzle.geometry):
            stream = io.StringIO()
            write_puzzles([entry], stream, name)
            (back,) = read(stream.getvalue(), format=name)
            assert back.puzzle == entry.puzzle
            assert back.name == (entry.name if "name" in known.keeps else "")
            assert back.solution == (entry.solution if "solution" in known.keeps else None)


BAD: dict[str, tuple[str, str, str]] = {
    "a digit too many": ("line", HARD.replace("4", "x", 1), ":1: expected a digit from 1 to 9"),
    "a short row": ("grid", ROWS[:-1], ":9: expected a row of 9 cells, got '58......'"),
    "a row missing": ("grid", ROWS[:-10], ":8: expected 9 rows, got 8"),
    "a newer document": (
        "json", '{"format": "genoku-puzzles", "version": 2, "puzzles": []}', "expected version 1"
    ),
    "another document": ("json", '{"format": "x", "puzzles": []}', "expected the format"),
    "half a document": ("json", f'{{"puzzles": ["{HARD}"', ":1: expected a comma"),
    "no puzzle": ("jsonl", '{"board2": 1}', ":1: expected an object with a puzzle"),
    "a puzzle that is a number": ("jsonl", '{"puzzle": 17}', "expected the text of a puzzle"),
    "deep JSON": ("jsonl", "[" * 100_000, ":1: expected JSON"),
    "deep lists": ("jsonl", '{"puzzle": ' + "[" * 400 + "]" * 400 + "}", ":1: expected"),
    "no header": ("csv", f"{HARD},{SOLVED}", ":1: expected a header"),
    "a bad solution": ("csv", f"puzzle,solution\n{HARD},{HARD}", ":2: expected a digit of the sol"),
    "half an XML": ("opensudoku", XML.replace("</opensudoku>", ""), "XML: no element found"),
    "another XML": ("opensudoku", "<svg/>", ":1: expected <opensudoku>, got <svg>"),
    "a laughing XML": (
        "opensudoku",
        '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><opensudoku>&b;</opensudoku>',
        ":1: expected XML without DOCTYPE",
    ),
    "a deep XML": ("opensudoku", "<opensudoku>" + "<a>" * 1_000, "at most 50 nested"),
    "too few numbers": ("lloyd-amos", LLOYD[:-2], ":11: expected 81 cells for a 9×9 board, got 80"),
    "a number too large": ("lloyd-amos", LLOYD.replace("5", "10", 1), "-1 at r1c5, got 10"),
    "an order too large": ("lloyd-amos", "9\n1\n1 2 3", ":1: expected a box order from 2 to 6"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_what_is_wrong_is_said_with_its_place(case: str) -> None:
    name, text, message = BAD[case]
    got, errors = read_on(text, format=name)
    assert message in errors[0]
    assert errors[0].startswith("<stream>:")
    assert len(got) == (case in {"half a document", "half an XML"})


def test_sixteen_4x4_boards_are_lines_and_a_box_decides() -> None:
    lines = "1..4.2..3......1\n" * 16
    assert len(read(lines)) == 16
    assert len(read(lines, box="4x4")) == 1
    assert len(read(lines, box="2x2")) == 16


def test_an_alphabet_is_asked_for_where_zero_means_two_things() -> None:
    zeros = ("0123456789ABCDEF" * 16)[:256]
    assert "alphabet" in read_on(zeros)[1][0]
    (entry,) = read(zeros, alphabet="zero")
    assert entry.puzzle.digits[:3] == b"\1\2\3"
    letters = ("ABCDEFGHIJKLMNOP" * 16)[:256]
    (entry,) = read(f"{'.' * 240}{letters[:16]},{letters}")
    assert entry.solution == bytes(range(1, 17)) * 16


def test_a_box_is_written_where_the_side_does_not_say_it() -> None:
    entry = Entry(Puzzle(Geometry(3, 2), bytes(36)))
    for name in ("line", "numbers", "csv", "grid", "json", "jsonl"):
        stream = io.StringIO()
        write_puzzles([entry], stream, name)
        assert "3x2" in stream.getvalue()
    assert read("." * 36, box="3x2") == [entry]


def test_pasted_frames_and_endless_lists_are_read_or_refused() -> None:
    assert Puzzle.parse(SS) == Puzzle.parse(HARD)
    endless: list[Any] = []
    endless.append(endless)
    for bad in (endless, [10**5000] * 81):
        with pytest.raises(PuzzleError):
            Puzzle.parse(bad)
    for depth in range(300, 1_200, 7):
        assert read_on('{"puzzle": ' + "[" * depth + "]" * depth + "}", format="jsonl")[1]


def test_a_bad_grid_does_not_take_its_neighbours_along() -> None:
    bad = ROWS.replace(".5.", ".5", 1)
    got, errors = read_on(f"# a\n{ROWS}\n\n# b\n{bad}\n\n# c\n{ROWS}\n")
    assert [entry.name for entry in got] == ["a", "c"]
    assert len(errors) == 1


def test_a_file_without_end_is_read_one_puzzle_at_a_time() -> None:
    class Endless(io.BytesIO):
        def read1(self, size: int | None = -1) -> bytes:
            if self.tell() == len(self.getbuffer()):
                self.seek(0)
            return super().read1(size)

    stream = read_puzzles(Endless((HARD + "\n").encode()))
    assert [next(stream).line for _ in range(1_000)] == list(range(1, 1_001))


def test_a_quote_left_open_spoils_its_own_line_only() -> None:
    got, errors = read_on(f'puzzle,name\n{HARD},"oops\n{HARD},b\n{HARD},"c, d"\n')
    assert [entry.name for entry in got] == ["b", "c, d"]
    (error,) = errors
    assert error.startswith("<stream>:2: ")


def test_a_header_is_cut_at_the_mark_that_gives_a_puzzle_column() -> None:
    (entry,) = read(f"puzzle\tsolution\ta,b,c,d,e\n{HARD}\t\t1\n")
    assert entry.fields == {"a,b,c,d,e": "1"}
    (entry,) = read(f"\tpuzzle\tid\n0\t{HARD}\t7\n")
    assert entry.fields == {"column1": "0", "id": "7"}


SHEETS = {
    "blanks at both ends": HARD,
    "an empty first row": "." * 9 + HARD[9:],
    "an empty last row": HARD[:72] + "." * 9,
    "empty rows at both ends": "." * 9 + HARD[9:72] + "." * 9,
    "an empty band": "." * 27 + HARD[27:],
    "an empty row within": HARD[:36] + "." * 9 + HARD[45:],
    "two digits that look like another format": "3...1...." + HARD[9:],
    "a first row that is full but for its ends": ".3456789." + HARD[9:],
}


@pytest.mark.parametrize("case", SHEETS)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_spreadsheet_pasted_with_tabs_is_read_from_a_file_as_from_a_text(
    case: str, newline: str
) -> None:
    board = SHEETS[case].replace(".", " ")
    rows = ["\t".join(board[i : i + 9]).replace(" ", "") for i in range(0, 81, 9)]
    text = newline.join(rows) + newline
    expected = Puzzle.parse(SHEETS[case])
    assert Puzzle.parse(text) == expected
    assert [entry.puzzle for entry in read(text)] == [expected]
    several = newline.join([text] * 3)
    assert [entry.puzzle for entry in read(several)] == [expected] * 3


def test_tabs_around_rows_without_empty_cells_mean_nothing() -> None:
    expected = [Puzzle.parse(HARD)]
    rows = ["\t".join(row.replace(".", "0")) for row in ROWS.split("\n")]
    bands = ["\n".join(rows[i : i + 3]) for i in (0, 3, 6)]
    for text in (
        "\n".join(f"\t{row}" for row in rows),
        "\n".join(f"{row}\t" for row in rows),
        "\n".join(f"\t{row}" for row in ROWS.split("\n")),
        f"\n{chr(9) * 8}\n".join(bands),
        f"\t\t\t\n{ROWS}\n\t\n",
    ):
        assert [entry.puzzle for entry in read(text)] == expected, text
        assert [entry.puzzle for entry in read(f"{text}\n\n{text}\n")] == expected * 2, text
    numbers = [" ".join(map(str, range(1, 17)))] * 16
    assert len(read("\n".join(f"\t{row}" for row in numbers), format="grid")) == 1


def test_rows_of_empty_cells_above_and_below_a_grid_are_not_guessed_at() -> None:
    tabs = "\t" * 8
    rows = ["\t".join(row).replace(".", "") for row in ROWS.split("\n")]
    whole = "\n".join([tabs, *rows, tabs, *rows])
    assert [entry.puzzle for entry in read(whole)] == [Puzzle.parse(HARD)] * 2
    got, errors = read_on("\n".join([tabs, *rows[:8], tabs, *rows]))
    (error,) = errors
    assert error.startswith("<stream>:2: ")
    assert len(got) == 1


def test_standard_input_has_one_name_and_may_be_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"x\n")))
    with pytest.raises(FormatError, match=r"^standard input:1"):
        list(read_puzzles("-"))
    monkeypatch.setattr(sys, "stdin", io.StringIO(HARD))
    assert len(list(read_puzzles("-"))) == 1
    for closed in (None, io.StringIO()):
        if closed:
            closed.close()
        monkeypatch.setattr(sys, "stdin", closed)
        with pytest.raises(FormatError, match="is closed"):
            list(read_puzzles("-"))
    code = "import genoku.puzzle.formats as f, sys; list(f.read_puzzles(sys.stdin))"
    run = subprocess.run(
        [sys.executable, "-c", code], input="x\n", capture_output=True, text=True, check=False
    )
    assert "FormatError" in run.stderr
    assert "input:1: " in run.stderr
