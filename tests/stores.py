"""Small studies and stores of them, made by real runs."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from functools import cache
from pathlib import Path

from runs import BASIC, SMALL
from strategies import FOUR, pattern_grid, with_digits

from genoku.evolve.algorithms.annealing import Annealing
from genoku.lab.runner import make_runs
from genoku.lab.store import Row, RunOutcome, Store
from genoku.lab.study import Arm, Instance, Study, arm

TINY = with_digits(pattern_grid(FOUR), dict.fromkeys((0, 1, 2, 4, 5, 6, 9, 11, 12, 13, 15), 0))
GENETIC = arm(SMALL, "genetic", until="generations=6", settings={"population": 30})
ANNEALING = arm(Annealing(moves=20), "annealing", until="generations=4")


def small(
    arms: tuple[Arm, ...] = (GENETIC, ANNEALING),
    seeds: tuple[int, ...] = (0, 1, 2),
    name: str = "small",
) -> Study:
    """Two algorithms on a puzzle that they solve and on one that they do not."""
    return Study(name, arms, (Instance("tiny", TINY), Instance("basic", BASIC)), seeds)


@cache
def outcomes_of(text: str) -> tuple[RunOutcome, ...]:
    study = Study.of_text(text)
    return tuple(make_runs(text, list(study.runs())))


def outcomes(study: Study) -> list[RunOutcome]:
    """What all runs of a study come to, in order."""
    return list(outcomes_of(study.text()))


def rows_of(outcomes: list[RunOutcome]) -> list[Row]:
    """The runs among outcomes that did not fail."""
    return [each for each in outcomes if isinstance(each, Row)]


def filled(path: Path, study: Study) -> Store:
    """A store with all runs of a study."""
    store = Store.create(path, study)
    store.add(outcomes(study))
    return store


def altered(path: Path, *statements: str) -> None:
    """Do to a file what genoku never would."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)
