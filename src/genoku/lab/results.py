"""The runs of a study as columns."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

Whole = NDArray[np.int64]
Number = NDArray[np.float64]


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

    def where(self, chosen: NDArray[Any]) -> Results:
        """The runs of a mask, or at places."""
        arrays: list[Any] = [getattr(self, name)[chosen] for name in COLUMNS]
        return Results(*arrays)


COLUMNS = tuple(each.name for each in fields(Results))
REAL = ("score", "loss", "seconds", "cpu_seconds")
CLOCKS = ("seconds", "cpu_seconds")
"""What differs from one machine, and one time, to another."""
