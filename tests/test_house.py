"""The house: starting up stays light, and few tests assert wording."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from strategies import in_another_process
from wording import MOST, all_wording, wording_in

import genoku

PACKAGE = Path(genoku.__file__).parent
ROOT = Path(__file__).parent.parent

HEAVY = {"numba", "scipy", "pysat", "rich"}


@pytest.mark.parametrize(
    "program",
    [
        "import genoku",
        "from genoku.puzzle.board import Puzzle; Puzzle.parse('1...' * 4).picture()",
        "import genoku.puzzle.formats",
    ],
)
def test_starting_up_imports_nothing_heavy(program: str) -> None:
    loaded = in_another_process(f"{program}; import sys; print(*sys.modules)").split()
    assert "genoku" in loaded
    assert not HEAVY & set(loaded)


def test_few_tests_assert_how_a_sentence_goes() -> None:
    assert len(all_wording()) <= MOST
    sentence = "assert said == 'expected a digit, got a blank'\nassert code == 'no solution'\n"
    assert list(wording_in(ast.parse(sentence))) == [1]
