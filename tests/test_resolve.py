"""Text becomes a puzzle: names here and in the reports, empty and random boards, and boards."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st
from strategies import UP_TO_NINE, any_puzzles

from genoku import bundled
from genoku.errors import AmbiguousPuzzleError, PuzzleError, StudyError, UnknownPuzzleError
from genoku.evolve.presets import preset_from_table
from genoku.generator import random_puzzle
from genoku.lab.studyfile import study_of
from genoku.puzzle.board import Puzzle
from genoku.puzzle.geometry import Geometry
from genoku.puzzle.resolve import known_names, names_of, resolve
from genoku.web.live.lanes import choose_puzzle
from genoku.web.live.plan import RunPlan

# What the reports and their code call their puzzles.
IN_REPORTS = {
    "easy_sudoku": ["poderosas-easy"],
    "medium_sudoku": ["poderosas-medium"],
    "difficult_sudoku": ["poderosas-difficult", "poderosas-difficult-21"],
    "basic": ["charles-basic"],
    "very_easy": ["charles-very-easy"],
    "easy": ["poderosas-easy", "charles-easy"],
    "medium": ["poderosas-medium"],
    "moderate": ["charles-moderate"],
    "hard": ["poderosas-difficult", "poderosas-difficult-21", "charles-hard"],
    "very_hard": ["charles-very-hard"],
}
SHAPES = {"empty": "3x3", "empty 9": "3x3", "Empty-16": "4x4", "empty_6": "2x3", "empty 3x2": "3x2"}


@pytest.mark.parametrize("name", bundled())
def test_a_bundled_puzzle_has_its_name_whatever_the_spelling(name: str) -> None:
    for spelling in (name, name.upper(), name.replace("-", " "), name.replace("-", "_")):
        found = resolve(spelling)
        assert (found.name, found.puzzle) == (name, bundled()[name].puzzle)


@pytest.mark.parametrize("name", IN_REPORTS)
def test_a_name_of_a_report_is_its_puzzle_or_all_that_may_be_meant(name: str) -> None:
    assert list(names_of(name)) == IN_REPORTS[name]
    assert names_of(name.replace("_", " ").title()) == names_of(name)
    if len(IN_REPORTS[name]) == 1:
        assert resolve(name).name == IN_REPORTS[name][0]
        return
    with pytest.raises(AmbiguousPuzzleError) as raised:
        resolve(name)
    assert list(raised.value.alternatives) == IN_REPORTS[name]


def test_every_name_of_a_puzzle_is_known() -> None:
    for name in known_names():
        assert set(names_of(name)) <= set(bundled())
        assert names_of(name)
    assert all(name in bundled()[each].aliases for name in IN_REPORTS for each in names_of(name))


@pytest.mark.parametrize("text", SHAPES)
def test_an_empty_board_is_of_the_named_shape(text: str) -> None:
    found = resolve(text).puzzle
    assert (found.geometry.box, found.givens) == (SHAPES[text], 0)
    assert resolve(resolve(text).name).puzzle == found


def test_a_box_says_what_the_text_does_not() -> None:
    assert resolve("empty", box="2x3").puzzle.geometry == Geometry(2, 3)
    assert resolve("empty 6", box="3x2").puzzle.geometry == Geometry(3, 2)
    for text, box in (("empty 9", "2x3"), ("empty 3x2", "2x3"), ("very_hard", "4x4")):
        with pytest.raises(PuzzleError):
            resolve(text, box=box)


@pytest.mark.parametrize("text", ["random", "Random 6", "random_16", "random 2x2"])
def test_a_random_puzzle_is_that_of_its_seed(text: str) -> None:
    def made(text: str, seed: int | None = None) -> Any:
        return resolve(text, generate=random_puzzle, seed=seed)

    found = made(text, 7)
    assert made(f"{text} seed=7") == made(f"{text}, seed=7", 8) == found
    assert made(found.name) == found
    assert found.puzzle == random_puzzle(found.puzzle.geometry, 7)
    assert made(text, 8).puzzle != found.puzzle
    for refused in (lambda: made(text), lambda: resolve(text, seed=7)):
        with pytest.raises(PuzzleError):
            refused()


@given(any_puzzles(UP_TO_NINE))
def test_a_board_is_read_as_by_parse(puzzle: Puzzle) -> None:
    found = resolve(str(puzzle), box=puzzle.geometry)
    assert (found.puzzle, found.name) == (puzzle, "")


@given(st.text(max_size=120))
def test_any_text_is_a_puzzle_or_refused(text: str) -> None:
    try:
        found = resolve(text, generate=random_puzzle, or_file=True)
    except PuzzleError:
        return
    assert isinstance(found.puzzle, Puzzle)


@pytest.mark.parametrize("text", ["nowhere", "very_hart", "ai-escargott", "Very Hart"])
def test_what_can_only_be_a_name_is_called_unknown(text: str) -> None:
    for or_file in (False, True):
        with pytest.raises(UnknownPuzzleError):
            resolve(text, or_file=or_file)


@pytest.mark.parametrize("text", ["12345", "..53.....8......2.abc", "empty 7", "empty 9x9", ""])
def test_what_was_meant_as_a_board_is_judged_as_one(text: str) -> None:
    with pytest.raises(PuzzleError) as raised:
        resolve(text)
    assert not isinstance(raised.value, UnknownPuzzleError)


# Where puzzles are named


def test_a_study_names_puzzles_as_all_do() -> None:
    facts: dict[str, Any] = {"algorithms": ["sundy"], "seeds": 1}
    wanted = ["very_hard", "empty 4", "random 4 seed=3", {"puzzle": "random 4", "seed": 4}]
    made = study_of({**facts, "puzzles": wanted}).instances
    names = [each.name for each in made]
    assert names == ["charles-very-hard", "empty 4", "random 4 seed=3", "random 4 seed=4"]
    assert made[2].puzzle == random_puzzle(Geometry(2, 2), 3)
    for bad in ("random", "easy", "very_hart"):
        with pytest.raises(StudyError):
            study_of({**facts, "puzzles": bad})
    with pytest.raises(StudyError) as raised:
        study_of({**facts, "puzzles": "easy"})
    assert list(raised.value.alternatives) == IN_REPORTS["easy"]


def test_a_session_names_puzzles_as_all_do() -> None:
    assert choose_puzzle(RunPlan(puzzle="Very Hard"))[1] == "charles-very-hard"
    assert choose_puzzle(RunPlan(puzzle="very_hard", name="mine"))[1] == "mine"
    puzzle, name = choose_puzzle(RunPlan(puzzle="random 6", seed=4))
    assert (puzzle, name) == (random_puzzle(Geometry.of_side(6), 4), "random 6 seed=4")
    for bad in ("easy", "random 25", "very_hart"):
        with pytest.raises(PuzzleError):
            choose_puzzle(RunPlan(puzzle=bad))


def test_a_file_of_that_name_wins(genoku: Any, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    Path("very_hard").write_text("1.....3..4.....2\n")
    assert json.loads(genoku("check", "very_hard", "--json").out)["puzzle"] == "1.....3..4.....2"
    made = study_of({"algorithms": "sundy", "puzzles": "very_hard", "seeds": 1}, tmp_path)
    assert made.instances[0].puzzle.side == 4


def test_a_recipe_file_names_puzzles_as_all_do() -> None:
    def made(puzzle: str, **more: Any) -> Puzzle:
        return preset_from_table({"recipe": "tabu", "puzzle": puzzle, **more}, "mine").puzzle

    assert made("very_hard") == bundled()["charles-very-hard"].puzzle
    assert made("empty 16").side == 16
    assert made("random 4", seed=5) == made("random 4 seed=5") == random_puzzle(Geometry(2, 2), 5)


@pytest.mark.parametrize("command", ["check", "rate", "show", "hint", "convert", "solve"])
def test_a_command_takes_the_name_of_a_report(genoku: Any, command: str) -> None:
    by_name = genoku(command, "Very Easy")
    assert by_name.code == 0
    if command != "solve":  # which says how long it took
        assert by_name.out == genoku(command, "charles-very-easy").out


@pytest.mark.parametrize("command", ["check", "show"])
def test_a_new_random_puzzle_says_how_to_have_it_again(genoku: Any, command: str) -> None:
    first = genoku(command, "random 4")
    again = first.err.splitlines()[0].partition(f"genoku {command} ")[2].strip("'")
    assert again.startswith("random 4 seed=")
    assert genoku(command, again).out == first.out
    assert genoku(command, again).err == ""


def test_a_race_has_the_random_puzzle_of_its_seed(genoku: Any) -> None:
    words = ("--until", "generations=2", "--seeds", "0", "--json", "--seed", "3")
    done = genoku("race", "charles", "sundy", "--puzzle", "random 6", *words)
    assert json.loads(done.out)["puzzle"] == str(random_puzzle(Geometry.of_side(6), 3))


@pytest.mark.parametrize(
    "words", [("check", "easy"), ("race", "charles", "sundy", "--puzzle=easy")]
)
def test_a_name_of_several_is_refused_with_the_commands(
    genoku: Any, words: tuple[str, ...]
) -> None:
    done = genoku(*words)
    assert done.code == 2
    for name in IN_REPORTS["easy"]:
        assert " ".join(("genoku", *words)).replace("easy", name) in done.err
