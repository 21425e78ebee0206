"""What the tests of races share."""

from __future__ import annotations

from genoku.board import Puzzle
from genoku.collection import bundled
from genoku.engine.race import Contender, Entrant, prepare
from genoku.lab.study import Arm, arm

HARD = bundled()["charles-hard"].puzzle
FOUR = "1.....3..4.....2"
CLASH = "11.............."


def entrant(of: Arm) -> Entrant:
    return Entrant(of.name, of.algorithm(), of.until)


def contenders(*names: str, until: str = "seconds=0.3", puzzle: Puzzle = HARD) -> list[Contender]:
    return prepare(puzzle, [entrant(arm(name, until=until)) for name in names], seed=0)
