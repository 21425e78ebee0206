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

from genoku import History, Preset, Puzzle, bundled, preset, run
from genoku.engine.result import Result
from genoku.exact.oracle import solve
from genoku.generator import generate
from genoku.lab.report import report
from genoku.lab.store import Store
from genoku.lab.study import Arm, Instance, Study, arm
from genoku.techniques import hint, solve_path
from genoku.techniques.rating import rate

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
    yield from (puzzle, result, result.history)
    yield from (solve(puzzle), rate(EASY), hint(puzzle), solve_path(puzzle))
    yield from (generate(seed=1), preset("simon"), bundled())
    recipe = {"use": "genetic", "mutation": FOREIGN}
    yield Preset(FOREIGN, FOREIGN, FOREIGN, FOREIGN, FOREIGN, (FOREIGN,), (FOREIGN,), recipe)
    yield History({FOREIGN: np.array([1.0, 2.0]), "gen": np.array([0, 1])})


def of_the_laboratory(folder: Path) -> Iterator[Any]:
    study = foreign_study()
    store = filled(folder / "small.db", small())
    yield from (study, store, Store.create(folder / "none.db", study), report(store))


def every_value(folder: Path) -> list[Any]:
    return [*of_the_core(), *of_the_laboratory(folder)]
