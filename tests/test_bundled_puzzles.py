"""The bundled puzzles are what their entries say."""

from __future__ import annotations

import shlex

import pytest

from genoku import Bundled, bundled, count, generator, solve
from genoku.cli.generate import generate as generate_command
from genoku.errors import UnknownPuzzleError
from genoku.puzzle.bundled_puzzles import report_of

SMALL = [one for one in bundled().values() if one.puzzle.side <= 16]
LARGE = [one for one in bundled().values() if one.puzzle.side > 16]
MADE = [one for one in bundled().values() if one.source.startswith("genoku generate")]


@pytest.mark.parametrize("one", SMALL, ids=lambda one: one.name)
def test_a_bundled_puzzle_has_as_many_solutions_as_it_says(one: Bundled) -> None:
    counted = count(one.puzzle, limit=None)
    assert counted.solutions == one.solutions
    assert bool(one.puzzle.conflicts()) == (one.name == "poderosas-easy")


@pytest.mark.parametrize("one", LARGE, ids=lambda one: one.name)
def test_a_large_bundled_puzzle_is_unique_where_it_says_so(one: Bundled) -> None:
    if one.solutions == 1:
        assert count(one.puzzle).verdict == "unique"
    elif one.name != "36x36-45-percent":
        board = solve(one.puzzle).board
        assert board is not None
        assert one.puzzle.is_solved_by(board)


@pytest.mark.parametrize("one", MADE, ids=lambda one: one.name)
def test_a_made_puzzle_comes_again_from_the_command_that_is_its_source(
    one: Bundled, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(generator, "LABEL_SECONDS", 0.1)  # the label does not matter here
    words = shlex.split(one.source.removeprefix("genoku generate"))
    generate_command.main(words, standalone_mode=False)
    assert capsys.readouterr().out.strip() == str(one.puzzle)


def test_a_mistyped_name_finds_its_neighbour() -> None:
    with pytest.raises(UnknownPuzzleError, match=r"ai-escargot\?"):
        bundled()["ai-escargott"]


def test_a_puzzle_of_a_report_says_which_printed_it() -> None:
    assert bundled()["charles-hard"].report == "Report 002"
    assert bundled()["ai-escargot"].report == ""
    assert report_of(bundled()["poderosas-medium"].puzzle) == "Report 000"  # the first of three
    assert report_of(bundled()["ai-escargot"].puzzle) == ""
