"""The runs of a study as columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, fields
from itertools import islice
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
    _names: tuple[Sequence[str], Sequence[str]] = field(default=((), ()), init=False, repr=False)
    """What the study calls its arms and its instances; nothing where no study is known."""

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
        arms, instances = self._names
        return display.shown(
            display.headline(f"{plural(len(self), 'run')},", f"{int(self.solved.sum()):,} solved"),
            shares_table(
                self,
                _called(self.arm, arms, "algorithm"),
                _called(self.instance, instances, "puzzle"),
            ),
        )

    def where(self, chosen: NDArray[Any]) -> Results:
        """The runs of a mask, or at places."""
        arrays: list[Any] = [getattr(self, name)[chosen] for name in COLUMNS]
        return with_names(Results(*arrays), *self._names)


def with_names(results: Results, arms: Sequence[str], instances: Sequence[str]) -> Results:
    """The same runs, which show themselves by what a study calls its arms and its instances."""
    named = copy(results)
    object.__setattr__(named, "_names", (arms, instances))
    return named


def _called(places: Whole, names: Sequence[str], kind: str) -> dict[int, str]:
    """What there is at some places, each once, by its name or else by its place."""
    found: list[int] = np.unique(places).tolist()
    return {each: names[each] if each < len(names) else f"{kind} {each}" for each in found}


def shares_table(results: Results, arms: Mapping[int, str], instances: Mapping[int, str]) -> str:
    """How much every algorithm solved, of all and of each puzzle, with Wilson's intervals."""
    from genoku.lab.statistics.success import Proportion, share_text

    def cell(chosen: Results) -> str:
        return share_text(Proportion.of(chosen.solved)) if len(chosen) else "–"

    each = instances if 1 < len(instances) <= MOST_COLUMNS else {}
    rows = [
        (name, f"{len(own):,}", cell(own), *(cell(own.of(instance=place)) for place in each))
        for arm, name in islice(arms.items(), MOST_ROWS)
        for own in [results.of(arm)]
    ]
    headings = ("algorithm", "runs", "solved (95 % interval)", *each.values())
    more = len(arms) - MOST_ROWS
    return display.table(headings, rows, range(1, len(headings))) + display.note(
        f"… and {more} more" if more > 0 else ""
    )


COLUMNS = tuple(each.name for each in fields(Results) if each.init)
REAL = ("score", "loss", "seconds", "cpu_seconds")
CLOCKS = ("seconds", "cpu_seconds")
"""What differs from one machine, and one time, to another."""
