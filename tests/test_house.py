"""The house: starting up stays light."""

from __future__ import annotations

import pytest
from strategies import in_another_process

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
