"""The runs of a study as columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genoku import display
from genoku.words import plural

Whole = NDArray[np.int64]
Number = NDArray[np.float64]

MOST_ROWS, MOST_COLUMNS = 40, 6  # of a table in a notebook


@dataclass(frozen=True, eq=False)
class Results:
    """Columns of equal length, a run each, in the order of the plan.

    `arm` and `instance` are places in the study. `score` is on the report's own scale, `loss` from
    0 (solved) to 1. Times are those of the run alone, without loading kernels.
    """

    arm: Whole
    instance: Whole
    seed: Whole
    solved: NDArray[np.bool_]
    cost: Whole
    final_cost: Whole
    score: Number
    loss: Number
    steps: Whole
    evaluations: Whole
    moves: Whole
    seconds: Number
    cpu_seconds: Number
    stop_reason: NDArray[np.str_]

    @classmethod
    def of_rows(cls, rows: list[tuple[Any, ...]]) -> Results:
        """Rows with the columns in their order."""
        columns = list(zip(*rows, strict=True)) or [()] * len(COLUMNS)
        kinds = {"solved": np.bool_, "stop_reason": np.str_} | dict.fromkeys(REAL, np.float64)
        arrays: list[Any] = [
            np.array(column, kinds.get(name, np.int64))
            for name, column in zip(COLUMNS, columns, strict=True)
        ]
        return cls(*arrays)

    def __len__(self) -> int:
        return len(self.seed)

    def of(self, arm: int | None = None, instance: int | None = None) -> Results:
        """The runs of an arm, of an instance, or of both."""
        chosen = np.ones(len(self), np.bool_)
        if arm is not None:
            chosen &= self.arm == arm
        if instance is not None:
            chosen &= self.instance == instance
        return self.where(chosen)

    def _repr_html_(self) -> str:
        numbers = [f"algorithm {place}" for place in range(int(self.arm.max(initial=-1)) + 1)]
        puzzles = [f"puzzle {place}" for place in range(int(self.instance.max(initial=-1)) + 1)]
        return display.shown(
            display.headline(f"{plural(len(self), 'run')},", f"{int(self.solved.sum()):,} solved"),
            shares_table(self, numbers, puzzles),
        )

    def where(self, chosen: NDArray[Any]) -> Results:
        """The runs of a mask, or at places."""
        arrays: list[Any] = [getattr(self, name)[chosen] for name in COLUMNS]
        return Results(*arrays)


def shares_table(results: Results, arms: Sequence[str], instances: Sequence[str]) -> str:
    """How much every algorithm solved, of all and of each puzzle, with Wilson's intervals."""
    from genoku.lab.statistics.success import Proportion, share_text

    def cell(chosen: Results) -> str:
        return share_text(Proportion.of(chosen.solved)) if len(chosen) else "–"

    each = instances if 1 < len(instances) <= MOST_COLUMNS else ()
    rows = [
        (
            name,
            f"{len(own):,}",
            cell(own),
            *(cell(own.of(instance=place)) for place in range(len(each))),
        )
        for name, own in ((name, results.of(arm)) for arm, name in enumerate(arms[:MOST_ROWS]))
    ]
    headings = ("algorithm", "runs", "solved (95 % interval)", *each)
    more = len(arms) - MOST_ROWS
    return display.table(headings, rows, range(1, len(headings))) + display.note(
        f"… and {more} more" if more > 0 else ""
    )


COLUMNS = tuple(field.name for field in fields(Results))
REAL = ("score", "loss", "seconds", "cpu_seconds")
CLOCKS = ("seconds", "cpu_seconds")
"""What differs from one machine, and one time, to another."""
