"""Runs that nobody made, with the end that a test wants for them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from genoku.engine.history import History
from genoku.lab.store import Row, Store, pack
from genoku.lab.study import PlannedRun, Study
from genoku.puzzle.geometry import Geometry

WORST = 468
"""The highest cost of missing-digits, the fitness of most invented runs."""


class Fate(NamedTuple):
    """What becomes of a run."""

    solved: bool
    evaluations: int
    loss: float
    reason: str = "generations=50"
    is_recorded: bool = True


Fates = Callable[[PlannedRun], "Fate | tuple[bool, int, float] | None"]
"""The fate of every run, none for those that are not there."""


def invent(path: Path, study: Study, fates: Fates) -> None:
    """Keep the runs of a study in a store; 10,000 evaluations are a second."""
    rows: list[Row] = []
    for planned, key in zip(study.runs(), study.keys(study.runs()), strict=True):
        fate = fates(planned)
        if fate is not None:
            whole = fate if isinstance(fate, Fate) else Fate(*fate)
            rows.append(_row(key, planned, study, whole))
    with Store.create(path, study) as store:
        store.add(rows)


def errors_at(loss: float, geometry: Geometry) -> int:
    """The errors left of an unsolved run: that share of all cells is blank."""
    return len(geometry.units) // geometry.side * round(loss * geometry.cells)


def solved_board(geometry: Geometry) -> bytes:
    """A board without errors."""
    side, (down, across) = geometry.side, map(int, geometry.box.split("x"))
    rows = (across * (row % down) + row // down for row in range(side))
    return bytes((first + column) % side + 1 for first in rows for column in range(side))


def _row(key: bytes, planned: PlannedRun, study: Study, fate: Fate) -> Row:
    cost = 0 if fate.solved else max(1, round(fate.loss * WORST))
    geometry = study.instances[planned.instance].puzzle.geometry
    blanks = 0 if fate.solved else round(fate.loss * geometry.cells)
    spent, seconds = fate.evaluations, fate.evaluations / 1e4
    columns = {"gen": np.array([0, 1, 2])}
    if fate.is_recorded:
        columns["evals"] = np.array([10, max(10, spent // 2), max(10, spent)])
        columns["best_ever"] = np.array([200, max(cost, 100), cost])
        errors = errors_at(fate.loss, geometry)
        columns["errors"] = np.array([150, max(errors, 100), 0 if fate.solved else errors])
        columns = {name: each for name, each in columns.items() if name in study.record.fields}
    reason = "solved" if fate.solved else fate.reason
    board = bytes(blanks) + solved_board(geometry)[blanks:]
    scores = cost, cost, float(cost), cost / WORST
    place, instance, seed = planned
    return Row(
        *(key, place, instance, seed, fate.solved, *scores, 2, spent, 0),
        *(seconds, seconds, reason, board, pack(History(columns))),
    )
