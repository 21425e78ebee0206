"""What the tests of races share."""

from __future__ import annotations

from genoku.engine.race import RaceEntry, RaceRun, start_runs
from genoku.lab.study import Arm, arm
from genoku.puzzle.board import Puzzle
from genoku.puzzle.bundled_puzzles import bundled

HARD = bundled()["charles-hard"].puzzle
FOUR = "1.....3..4.....2"
CLASH = "11.............."


def entrant(of: Arm) -> RaceEntry:
    return RaceEntry(of.name, of.algorithm(), of.until)


def contenders(*names: str, until: str = "seconds=0.3", puzzle: Puzzle = HARD) -> list[RaceRun]:
    return start_runs(puzzle, [entrant(arm(name, until=until)) for name in names], seed=0)
