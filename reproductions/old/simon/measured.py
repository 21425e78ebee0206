"""All that was measured of report 003, ready to be judged and shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genoku.board import Puzzle
from genoku.fitness import CompleteUnits
from genoku.geometry import Geometry
from genoku.lab.results import Results
from genoku.lab.statistics import Proportion
from genoku.lab.store import Store
from reproductions.old.simon.experiments import (
    ARM_OF,
    CODED,
    DESCRIBED,
    ONE_BOX,
    Curves,
    arm_name,
)


@dataclass(frozen=True, eq=False)
class Measured:
    """All that was measured with one reading of the elite, by study and arm.

    The studies of 25×25, of section E and of what the author asked for follow the code only.
    """

    nine: Mapping[str, Curves]
    sixteen: Mapping[str, Curves]
    twenty_five: Curves
    puzzles: Results
    answers: Mapping[str, Results]
    solved_empty: Proportion
    """Runs with the report's own settings on empty boards."""

    @classmethod
    def of(cls, stores: Mapping[str, Store], version: str = CODED) -> Measured:
        answers = stores["answer"].results()
        own = [
            *(_solved(stores["nine"], arm_name(name, version)) for name in ARM_OF.values()),
            _solved(stores["sixteen"], arm_name(ONE_BOX, version)),
        ]
        if version == CODED:
            own.append(stores["twenty-five"].results().solved)
        return cls(
            nine=_by_arm(stores["nine"], version),
            sixteen=_by_arm(stores["sixteen"], version),
            twenty_five=next(iter(_by_arm(stores["twenty-five"]).values())),
            puzzles=stores["puzzles"].results(),
            answers={
                each.name: answers.of(arm=place)
                for place, each in enumerate(stores["answer"].study.arms)
            },
            solved_empty=Proportion.of(np.concatenate(own)),
        )

    def bests(self, run: dict[str, Any]) -> NDArray[np.float64]:
        """Our best fitness with the settings of a published run, after as many generations."""
        if run["side"] == 9:
            curves = self.nine[ARM_OF[run["population"], run["tournament"]]]
        else:
            curves = self.sixteen[ONE_BOX] if run["side"] == 16 else self.twenty_five
        return curves.best_at(run["generations"])


def _solved(store: Store, name: str) -> NDArray[np.bool_]:
    place = [each.name for each in store.study.arms].index(name)
    return store.results().of(arm=place).solved


def _by_arm(store: Store, version: str = CODED) -> dict[str, Curves]:
    """The arms of a reading, by names without it."""
    mark = arm_name("", DESCRIBED)
    return {
        each.name.removesuffix(mark): Curves.of(store, each.name)
        for each in store.study.arms
        if each.name.endswith(mark) == (version == DESCRIBED)
    }


def fitness_of(cells: str) -> tuple[float, NDArray[np.uint8], Puzzle]:
    """The fitness of a printed board, the board, and the empty puzzle that it fills."""
    board = np.array(cells.split(), np.uint8)
    geometry = Geometry.of_side(round(len(board) ** 0.5))
    puzzle = Puzzle(geometry, bytes(geometry.cells))
    rule = CompleteUnits()
    return float(rule.score(rule.costs(board[None], puzzle), geometry)[0]), board, puzzle
