"""Runs held to one budget per puzzle, so that all algorithms are compared at equal effort."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from genoku.lab.results import Results
from genoku.stopping import Until

Floats = NDArray[np.float64]
Unit = Literal["evaluations", "CPU time"]
UNITS: tuple[Unit, ...] = ("evaluations", "CPU time")

SHORTEST = 0.05
"""Seconds below which a run's start decides how many of its evaluations fall within them."""

GAVE_UP = ("failed", "no solution")
OF_ITS_OWN = ("stagnation", "cost")
"""Limits that a run reaches by how it goes, not by what it spends."""


def fair_unit(budgets: Iterable[str], kinds: Iterable[str]) -> Unit:
    """What algorithms are compared by: evaluations, unless these are not the same work.

    That is where algorithms are of different kinds; and where time is a budget, time is what they
    are to make the most of.
    """
    is_timed = any(Until.parse(budget).is_timed for budget in budgets)
    return "CPU time" if is_timed or len(set(kinds)) > 1 else "evaluations"


def spent(results: Results, unit: Unit) -> Floats:
    """What every run spent."""
    column = results.evaluations if unit == "evaluations" else results.cpu_seconds
    return np.asarray(column, np.float64)


@dataclass(frozen=True, eq=False)
class Equal:
    """All runs up to one budget per puzzle: the largest that every run could have spent.

    `efforts` is what a run spent until it was solved, infinite if that came later or never;
    `losses` its best loss by then, NaN where that is unknown.
    """

    unit: Unit
    budgets: Floats
    efforts: Floats
    losses: Floats
    beyond: NDArray[np.bool_]
    """Runs that went on unsolved, whose loss at the budget only their histories know."""

    def tells(self, instance: int) -> bool:
        """Whether losses at the budget can be told: not by a clock that has hardly begun to run."""
        return self.unit == "evaluations" or bool(self.budgets[instance] >= SHORTEST)

    def shares(self, results: Results) -> Floats:
        """The part of each run's evaluations that falls within the budget, from 0 to 1."""
        own = spent(results, self.unit)
        limits = self.budgets[results.instance]
        return np.where(own > limits, limits / np.maximum(own, 1e-300), 1.0)


def equal(results: Results, instances: int, unit: Unit) -> Equal:
    """Hold the runs to the largest common budget; losses at it are to be filled in.

    That is the least that an unsolved run had spent when a limit stopped it: had any run been
    allowed less than the budget, it would be unknown whether it solves within it. A run that gave
    up by itself is known to be unsolved at any budget. Where no limit stopped a run there is no
    budget to hold them to.
    """
    own = spent(results, unit)
    limits = np.full(instances, np.inf)
    stopped = ~results.solved & was_stopped(results)
    np.minimum.at(limits, results.instance[stopped], own[stopped])
    limit = limits[results.instance]
    in_time = results.solved & (own <= limit)
    efforts = np.where(in_time, own, np.inf)
    beyond = own > limit
    losses = np.where(in_time, 0.0, np.where(beyond, np.nan, results.loss))
    return Equal(unit, limits, efforts, losses, beyond)


def was_stopped(results: Results) -> NDArray[np.bool_]:
    """Runs that a limit on their effort stopped, not their own progress."""
    reasons, places = np.unique(results.stop_reason, return_inverse=True)
    by_limit = [
        reason not in GAVE_UP and not any(f"{word}=" in reason for word in OF_ITS_OWN)
        for reason in reasons.tolist()
    ]
    return np.array(by_limit, np.bool_)[places]


def order(efforts: Floats, losses: Floats) -> Floats:
    """Runs by how well they did, as ranks from 0: sooner solved first, then the lower loss.

    The order of trial-based dominance (Price, Kumar and Suganthan 2023); equals share a rank.
    Where a loss is unknown none counts: what runs had later would tell for those that ran longer.
    """
    if np.isnan(losses).any():
        losses = np.zeros(len(losses))
    places = np.lexsort((losses, efforts))
    sorted_efforts, sorted_losses = efforts[places], losses[places]
    new = np.ones(len(places), np.bool_)
    new[1:] = (sorted_efforts[1:] != sorted_efforts[:-1]) | (
        sorted_losses[1:] != sorted_losses[:-1]
    )
    ranks = np.empty(len(places))
    ranks[places] = np.cumsum(new) - 1.0
    return ranks
