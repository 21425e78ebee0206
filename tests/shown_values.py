"""A value of every class that shows itself in a notebook, and what it shows as words."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
from runs import SMALL
from stores import TINY, filled, small

from genoku import Entry, History, Preset, Puzzle, bundled, preset, run
from genoku.exact import count, solve
from genoku.generator import generate
from genoku.lab import statistics
from genoku.lab.duels import duels
from genoku.lab.report import report
from genoku.lab.report.gathering import gather
from genoku.lab.runner import Progress
from genoku.lab.store import Store
from genoku.lab.study import Arm, Instance, Study, arm
from genoku.lab.turns import Contender, finish, line_up, turns
from genoku.rating import rate
from genoku.result import Result
from genoku.techniques import hint, solve_path

EASY = Puzzle.parse("1.....3..4.....2")
FOREIGN = "<script>alert('x')</script> & \"quoted\" \x00\x1b[31m"


def tree(html: str) -> ElementTree.Element:
    return ElementTree.fromstring(html)


def words(html: str) -> str:
    """The text of a display outside of its pictures."""
    root = tree(html)
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag.endswith("svg"):
                for inside in list(child):
                    child.remove(inside)
    return " ".join(" ".join(root.itertext()).split())


@cache
def tiny_result() -> Result:
    return run(TINY, SMALL, seed=1, until="generations=5")


@cache
def tiny_race() -> list[Contender]:
    arms = [arm(SMALL, FOREIGN, until="generations=2"), arm("annealing", until="generations=2")]
    contenders = line_up(TINY, arms, 1)
    for _ in turns(contenders):
        pass
    return contenders


def foreign_study() -> Study:
    algorithms = (
        Arm(FOREIGN, arm(SMALL).recipe, "generations=2"),
        arm("sundy", until="generations=3"),
    )
    return Study(FOREIGN, algorithms, (Instance(FOREIGN, TINY),), (0, 1), FOREIGN)


def of_the_core() -> Iterator[Any]:
    """A value of every class of `genoku` that shows itself, with foreign words where it has any."""
    puzzle = bundled()["charles-hard"].puzzle
    result = tiny_result()
    yield from (puzzle, result, result.history, result.state, result.problem)
    yield from (solve(puzzle), count(puzzle), rate(EASY), hint(puzzle), solve_path(puzzle))
    yield from (generate(seed=1), preset("simon"), bundled(), bundled()["6x6-easy"])
    board = solve(puzzle).board
    assert board is not None
    yield Entry(puzzle, FOREIGN, board.tobytes(), {FOREIGN: FOREIGN}, 3)
    recipe = {"use": "genetic", "mutation": FOREIGN}
    yield Preset(FOREIGN, FOREIGN, FOREIGN, FOREIGN, FOREIGN, (FOREIGN,), (FOREIGN,), recipe)
    yield History({FOREIGN: np.array([1.0, 2.0]), "gen": np.array([0, 1])})


def of_the_laboratory(folder: Path) -> Iterator[Any]:
    study = foreign_study()
    yield from (study, study.arms[0], study.instances[0])
    store = filled(folder / "small.db", small())
    yield from (store, store.results(), Progress(4, 3, 2, 1, 0.5, None, 1))
    yield Store.create(folder / "none.db", study)
    yield from duels(gather(store))
    yield report(store)
    yield from (*tiny_race(), finish(tiny_race()))


def of_statistics() -> Iterator[Any]:
    first, second, solved = [1.0, 2.0, 4.0], [3.0, 5.0, 9.0], [True, True, False]
    yield from (statistics.describe(first), statistics.mann_whitney(first, second))
    yield from (statistics.wilcoxon(first, second), statistics.a12(first, second))
    yield from (statistics.welch(first, second), statistics.welch([1.0], second))
    yield from (statistics.Moments.of(first), statistics.friedman([first, second, first]))
    yield from (statistics.Proportion(3, 7), statistics.Proportion(0, 0))
    yield statistics.running_time(first, solved)
    yield statistics.running_time(first, [False] * 3)
    yield statistics.quartiles_to_solve(first, solved)
    yield from (statistics.ecdf(first, solved), statistics.survival(first, solved).complement())
    yield statistics.quantile_bands([(first, second), (first, first)])


def every_value(folder: Path) -> list[Any]:
    return [*of_the_core(), *of_the_laboratory(folder), *of_statistics()]
