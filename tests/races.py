"""What the tests of races share."""

from __future__ import annotations

from genoku.board import Puzzle
from genoku.collection import bundled
from genoku.lab.study import arm
from genoku.lab.turns import Contender, line_up

HARD = bundled()["charles-hard"].puzzle
FOUR = "1.....3..4.....2"
CLASH = "11.............."


def contenders(*names: str, until: str = "seconds=0.3", puzzle: Puzzle = HARD) -> list[Contender]:
    return line_up(puzzle, [arm(name, until=until) for name in names], seed=0)
