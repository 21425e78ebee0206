"""The web app's puzzles: listed, read, checked, explained and made, by real jobs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from web_server import EASY, HARD, client_of

from genoku.errors import GenokuError
from genoku.exact import oracle
from genoku.puzzle.board import Puzzle
from genoku.puzzle.bundled_puzzles import bundled
from genoku.puzzle.formats import FORMATS, Entry, write_puzzles
from genoku.puzzle.geometry import Geometry
from genoku.techniques import LEVELS, solve_steps
from genoku.web import app
from genoku.web.routes import boards

CLASHING = bundled()["poderosas-easy"].puzzle
SEVERAL = bundled()["poderosas-difficult"].puzzle
MEDIUM = bundled()["charles-hard"].puzzle
SCRIPT = "<script>alert('1')</script>"


class Asker:
    """Asks the server about puzzles."""

    def __init__(self, client: httpx.Client) -> None:
        self.client = client

    def __call__(self, what: str, **body: Any) -> Any:
        answer = self.client.post(f"/api/puzzles/{what}", json=body)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def refused(self, what: str, **body: Any) -> str:
        """The one sentence that comes where a request is bad."""
        answer = self.client.post(f"/api/puzzles/{what}", json=body)
        assert answer.status_code == 422, answer.text
        said: str = answer.json()["detail"]
        return said


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asker]:
    with client_of(tmp_path_factory.mktemp("boards")) as client:
        yield Asker(client)


# The collection


def test_every_bundled_puzzle_is_listed_with_its_shape_and_group(ask: Asker) -> None:
    listed = ask.client.get("/api/puzzles").json()["puzzles"]
    assert [one["name"] for one in listed] == list(bundled())
    for one in listed:
        puzzle = Puzzle.parse(one["puzzle"], box=one["box"])
        assert puzzle == bundled()[one["name"]].puzzle
        assert bytes(one["digits"]) == puzzle.digits
        assert one["about"]
    assert len({one["group"] for one in listed}) == 4


def test_the_puzzle_that_a_newcomer_sees_is_a_bundled_one() -> None:
    script = (app.STATIC / "js/puzzle/panel.js").read_text("utf-8")
    said = re.search(r'name: "(.+)",\s+puzzle: "(.+)"', script)
    assert said is not None
    assert Puzzle.parse(said[2]) == bundled()[said[1]].puzzle


@pytest.mark.parametrize(
    "text",
    [" \n" * 400_000, "\t\n" * 400_000, "-" * 99_000 + "x", "=|" * 49_000 + "1", "a:" * 90_000],
    ids=["lines", "tabs", "rules", "frames", "names"],
)
def test_a_long_text_of_nothing_much_is_refused_and_not_pondered(text: str) -> None:
    with pytest.raises(GenokuError):
        boards.parse(boards.ParseRequest(text=text))
    with pytest.raises(GenokuError):
        boards.import_(boards.ImportRequest(text=text, filename="x.gz"))


# Reading one puzzle


@pytest.mark.parametrize(
    "box", ["2x2", "2x3", "3x2", "3x3", "3x4", "4x3", "2x6", "4x4", "5x5", "6x6"]
)
def test_a_board_of_any_size_is_read_back_as_it_is(ask: Asker, box: str) -> None:
    geometry = Geometry.parse(box)
    digits = bytes((cell * 7) % (geometry.side + 1) for cell in range(geometry.cells))
    puzzle = Puzzle(geometry, digits)
    read = ask("parse", text=str(puzzle), box=box)
    assert bytes(read["digits"]) == digits
    assert (read["puzzle"], read["box"], read["side"]) == (str(puzzle), box, geometry.side)
    assert read["givens"] == puzzle.givens


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_is_read(ask: Asker, name: str, tmp_path: Path) -> None:
    path = tmp_path / "puzzle"
    with path.open("w", encoding="utf-8") as stream:
        write_puzzles([Entry(MEDIUM)], stream, name)
    text = path.read_text("utf-8")
    assert ask("parse", text=text)["puzzle"] == str(MEDIUM)
    (one,) = ask("import", text=text, filename=f"x{(*FORMATS[name].suffixes, '')[0]}")["puzzles"]
    assert one["puzzle"] == str(MEDIUM)


def test_a_drawn_frame_and_a_bundled_name_are_read_too(ask: Asker) -> None:
    assert ask("parse", text=MEDIUM.picture())["puzzle"] == str(MEDIUM)
    assert ask("parse", text=" ai-escargot\n")["name"] == "ai-escargot"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("hello", "'hello'"),
        (EASY.replace("3", "7"), "expected a digit from 1 to 4 or a blank at r2c3, got '7'"),
        (SCRIPT, "<script>"),
        ("\n \t", "got none"),
        ('{"puzzle": 5}', "expected"),
    ],
)
def test_what_is_no_puzzle_is_refused_in_a_sentence(ask: Asker, text: str, said: str) -> None:
    assert said in ask.refused("parse", text=text)
    assert ask.refused("import", text=text)


def test_puzzles_have_their_names_here_and_in_the_reports(ask: Asker) -> None:
    very_hard = str(bundled()["charles-very-hard"].puzzle)
    for name in ("charles-very-hard", "very_hard", " Very Hard\n"):
        found = ask("parse", text=name)
        assert (found["puzzle"], found["name"]) == (very_hard, "charles-very-hard")
    assert ask("check", puzzle="very_hard")["verdict"] == "unique"
    assert ask("hint", puzzle="very_hard") == ask("hint", puzzle=very_hard)
    assert set(ask("parse", text="empty 16")["digits"]) == {0}
    assert "charles-easy" in ask.refused("parse", text="easy")


def test_a_random_puzzle_has_a_name_that_makes_it_again(ask: Asker) -> None:
    found = ask("parse", text="random 6")
    assert ask("parse", text=found["name"]) == found
    assert ask("check", puzzle=found["name"])["verdict"] == "unique"
    assert ask.refused("check", puzzle="random 6")  # which would not be known to the asker


def test_two_puzzles_are_a_file_but_not_one_puzzle(ask: Asker) -> None:
    found = ask("import", text=f"{MEDIUM}\n{SEVERAL}\nnonsense\n", filename="mine.txt")
    assert [one["puzzle"] for one in found["puzzles"]] == [str(MEDIUM), str(SEVERAL)]
    assert [one["name"] for one in found["puzzles"]] == ["mine 1", "mine 2"]
    assert found["bad"] == 1
    assert found["complaints"][0].startswith("mine.txt:3: ")
    assert ask.refused("parse", text=f"{MEDIUM}\n{SEVERAL}")


def test_a_large_file_is_cut_off_and_the_rest_is_counted(ask: Asker) -> None:
    found = ask("import", text=f"{EASY}\n" * 1000)
    assert (len(found["puzzles"]), found["more"]) == (boards.MAX_PUZZLES, 800)


def test_a_file_of_nothing_but_nonsense_is_left_early(ask: Asker) -> None:
    found = ask("import", text=f"{EASY}\n" + "x\n" * 400_000)
    assert (len(found["puzzles"]), found["bad"]) == (1, boards.MAX_BAD)
    assert "text.txt:2000: " in ask.refused("import", text="x\n" * 400_000, filename="text.txt")


def test_a_file_name_is_never_opened(ask: Asker, tmp_path: Path) -> None:
    (tmp_path / "real.txt").write_text(str(MEDIUM))
    named = str(tmp_path / "real.txt")
    assert ask("import", text=EASY, filename=named)["puzzles"][0]["puzzle"] == EASY
    assert ask("import", text=EASY, filename="../../etc/passwd")["puzzles"][0]["puzzle"] == EASY
    assert "expected" in ask.refused("parse", text=named)


def test_script_in_names_stays_text(ask: Asker) -> None:
    text = json.dumps([{"puzzle": EASY, "name": SCRIPT}])
    assert ask("import", text=text, filename=SCRIPT)["puzzles"][0]["name"] == SCRIPT


def test_text_beyond_the_limit_is_refused(ask: Asker) -> None:
    assert "1000000" in ask.refused("parse", text="1" * 1_000_001)
    assert "1000000" in ask.refused("import", text="1" * 1_000_001)
    assert ask.refused("parse", text="." * 1_000_000)
    assert ask.refused("import", text="." * 1_000_000)
    huge = ask.client.post("/api/puzzles/import", json={"text": "1" * 3_000_000})
    assert huge.status_code == 413
    assert ask.refused("check", puzzle="1" * 100_001)


# Checking


def test_clashes_come_with_their_cells_and_without_the_oracle(ask: Asker) -> None:
    said = ask("check", puzzle=str(CLASHING), count=False)
    conflicts = CLASHING.conflicts()
    assert [clash["words"] for clash in said["clashes"]] == [f"{each}." for each in conflicts]
    assert said["clashing"] == sorted({cell for each in conflicts for cell in each.cells})
    assert (said["verdict"], said["solutions"]) == ("clashes", 0)
    quick = ask("check", puzzle=HARD, count=False)
    assert (quick["verdict"], quick["clashes"], quick["rating"]) == ("", [], None)


def test_solutions_are_counted(ask: Asker) -> None:
    assert ask("check", puzzle=HARD)["verdict"] == "unique"
    several = ask("check", puzzle=str(SEVERAL))
    assert (several["verdict"], several["words"]) == ("several", "1,539 solutions.")
    for side, most in ((9, 10_000), (25, 2)):
        many = ask("check", puzzle="." * side**2)
        assert (many["solutions"], many["complete"]) == (most, False)
    assert ask("check", puzzle="123. ...4 .... ....")["verdict"] == "none"


def test_a_full_board_is_right_or_clashes(ask: Asker) -> None:
    solution = oracle.solve(MEDIUM).board
    assert solution is not None
    full = str(Puzzle(MEDIUM.geometry, solution.tobytes()))
    assert ask("check", puzzle=full, rate=True)["words"]
    assert ask("check", puzzle="1" * 81)["verdict"] == "clashes"


@pytest.mark.parametrize("name", ["4x4-easy", "6x6-medium", "9x9-hard", "16x16-medium"])
def test_a_puzzle_is_rated(ask: Asker, name: str) -> None:
    rating = ask("check", puzzle=str(bundled()[name].puzzle), count=False, rate=True)["rating"]
    assert rating["level"] == name.partition("-")[2]
    assert rating["technique"] in rating["steps"]
    assert rating["words"].lower().startswith(rating["level"])


def test_the_largest_boards_are_checked_and_rated(ask: Asker) -> None:
    said = ask("check", puzzle=str(bundled()["36x36-60-percent"].puzzle), rate=True)
    assert (said["verdict"], said["rating"]["level"]) == ("unique", "easy")


# Hints


def test_hints_lead_to_the_solution_as_the_ladder_does(ask: Asker) -> None:
    digits, removed = list(MEDIUM.digits), list[dict[str, int]]()
    for board, step in solve_steps(MEDIUM):
        assert bytes(digits) == board.digits
        said = ask("hint", puzzle=str(MEDIUM), board=digits, removed=removed)
        assert (said["state"], said["explanation"]) == ("step", str(step))
        assert said["level"] in LEVELS
        could = {each["cell"]: each["digits"] for each in said["candidates"]}
        assert all(each["digit"] in could[each["cell"]] for each in said["eliminations"])
        for placed in said["placements"]:
            digits[placed["cell"]] = placed["digit"]
        removed += said["eliminations"]
    assert ask("hint", puzzle=str(MEDIUM), board=digits)["state"] == "solved"


def test_a_hint_says_what_is_wrong(ask: Asker) -> None:
    clash = ask("hint", puzzle=str(CLASHING))
    assert (clash["state"], clash["cells"] != []) == ("clashes", True)
    solution = oracle.solve(MEDIUM).board
    assert solution is not None
    wrong = list(MEDIUM.digits)
    cell, digit = next(
        (cell, digit)
        for cell, options in enumerate(MEDIUM.candidates())
        for digit in sorted(options)
        if digit != solution[cell]
    )
    wrong[cell] = digit
    mistake = ask("hint", puzzle=str(MEDIUM), board=wrong)
    assert (mistake["state"], mistake["cells"]) == ("mistake", [cell])
    line = str(Puzzle(MEDIUM.geometry, bytes(wrong)))
    assert ask("hint", puzzle=line)["state"] == "impossible"


def test_a_hint_refuses_a_board_of_another_puzzle(ask: Asker) -> None:
    assert "given" in ask.refused("hint", puzzle=EASY, board=[2] * 16)
    assert "16 cells" in ask.refused("hint", puzzle=EASY, board=[1])
    assert ask.refused("hint", puzzle=EASY, board=[9] * 16)
    assert "16" in ask.refused("hint", puzzle=EASY, removed=[{"cell": 16, "digit": 1}])


@pytest.mark.parametrize("name", ["4x4-easy", "12x12-easy", "25x25-half", "36x36-60-percent"])
def test_hints_work_on_every_size(ask: Asker, name: str) -> None:
    puzzle = bundled()[name].puzzle
    said = ask("hint", puzzle=str(puzzle), box=puzzle.geometry.box)
    assert said["state"] == "step"
    assert said["placements"] or said["eliminations"]
    assert all(0 <= cell < puzzle.geometry.cells for cell in said["cells"] + said["unit_cells"])


# Making


@pytest.mark.parametrize("size", [4, 6, 9, 12, 16])
def test_a_new_puzzle_has_one_solution_and_comes_again_by_its_seed(ask: Asker, size: int) -> None:
    made = ask("generate", size=size)
    puzzle = Puzzle.parse(made["puzzle"], box=made["box"])
    assert (puzzle.side, made["verdict"]) == (size, "unique")
    assert oracle.is_unique(puzzle)
    again = ask("generate", box=made["box"], seed=made["seed"])
    assert again == made


def test_a_new_puzzle_is_as_asked(ask: Asker) -> None:
    made = ask("generate", level="medium", symmetry="rotation180", seed=3)
    digits = made["digits"]
    assert all(bool(one) == bool(other) for one, other in zip(digits, digits[::-1], strict=True))
    assert ask("check", puzzle=made["puzzle"], rate=True)["rating"]["level"] == "medium"
    assert ask("generate", size=9, givens=30, seed=1)["givens"] == 30
    assert ask("generate", box="3x2", seed=1)["box"] == "3x2"


@pytest.mark.parametrize(("size", "givens"), [(25, 312), (36, 778)])
def test_large_puzzles_are_made_by_their_share_of_givens(
    ask: Asker, size: int, givens: int
) -> None:
    made = ask("generate", size=size, share=givens / size**2, seed=1)
    assert (made["side"], made["givens"]) == (size, givens)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"size": 7}, "expected a side"),
        ({"size": 9, "box": "2x3"}, "expected boxes for a side of 9, got 2x3"),
        ({"givens": 10}, "fewer than 17"),
        ({"givens": 30, "share": 0.5}, "one of givens, share"),
        ({"box": "2x3", "symmetry": "diagonal"}, "square boxes"),
        ({"level": "gentle"}, "level"),
        ({"share": 2}, "share"),
        ({"seed": -1}, "seed"),
        ({"seed": "soon"}, "seed"),
        ({"size": 10**9}, "size"),
        ({"box": SCRIPT}, "box"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_what_cannot_be_made_is_refused(ask: Asker, body: dict[str, Any], said: str) -> None:
    assert said in ask.refused("generate", **body)


@pytest.mark.parametrize("what", ["parse", "import", "check", "hint", "generate"])
@pytest.mark.parametrize("body", [b"", b"[]", b"null", b"{", b'"text"', b'{"puzzle": [1]}'])
def test_nonsense_is_refused_with_a_sentence(ask: Asker, what: str, body: bytes) -> None:
    headers = {"Content-Type": "application/json"}
    answer = ask.client.post(f"/api/puzzles/{what}", content=body, headers=headers)
    assert answer.status_code == 422
    assert answer.json()["detail"]


# Words


def test_a_verdict_that_time_cut_short_says_so() -> None:
    puzzle = Puzzle.parse(EASY)
    some, none = oracle.Count(1, complete=False), oracle.Count(0, complete=False)
    told = [boards.count_sentence(puzzle, each) for each in (some, none)]
    assert all(f"{boards.COUNT_SECONDS:g} s" in each for each in told)
    assert told[0] != told[1]
