"""Runs held to one budget per puzzle, so that all algorithms are compared at equal effort."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from genoku.lab.results import Results

Floats = NDArray[np.float64]
Unit = Literal["evaluations", "CPU time"]
UNITS: tuple[Unit, ...] = ("evaluations", "CPU time")


def spent(results: Results, unit: Unit) -> Floats:
    """What every run spent."""
    column = results.evaluations if unit == "evaluations" else results.cpu_seconds
    return np.asarray(column, np.float64)


@dataclass(frozen=True, eq=False)
class Equal:
    """All runs up to one budget per puzzle: the largest that every algorithm was given.

    `efforts` is what a run spent until it was solved, infinite if that came later or never;
    `losses` its best loss by then.
    """

    unit: Unit
    budgets: Floats
    efforts: Floats
    losses: Floats
    beyond: NDArray[np.bool_]
    """Runs that went on unsolved, whose loss at the budget only their history knows."""

    def shares(self, results: Results) -> Floats:
        """The part of each run's evaluations that falls within the budget, from 0 to 1."""
        own = spent(results, self.unit)
        limits = self.budgets[results.instance]
        return np.where(own > limits, limits / np.maximum(own, 1e-300), 1.0)


def equal(results: Results, instances: int, unit: Unit) -> Equal:
    """Hold the runs to the largest common budget; losses at it are to be filled in.

    What an algorithm was given shows in its unsolved runs: all of them stop at much the same
    number of evaluations, the longest ones if some give up early; times vary, so their median
    counts. Where every run was solved there is no budget to hold them to.
    """
    own = spent(results, unit)
    limits = np.full(instances, np.inf)
    for instance in range(instances):
        here = (results.instance == instance) & ~results.solved
        for arm in np.unique(results.arm[here]):
            values = own[here & (results.arm == arm)]
            given = values.max() if unit == "evaluations" else float(np.median(values))
            limits[instance] = min(limits[instance], given)
    limit = limits[results.instance]
    in_time = results.solved & (own <= limit)
    efforts = np.where(in_time, own, np.inf)
    losses = np.where(in_time, 0.0, results.loss)
    return Equal(unit, limits, efforts, losses, (own > limit) & ~in_time)


def order(efforts: Floats, losses: Floats) -> Floats:
    """Runs by how well they did, as ranks from 0: sooner solved first, then the lower loss.

    The order of trial-based dominance (Price, Kumar and Suganthan 2023); equals share a rank.
    """
    places = np.lexsort((losses, efforts))
    sorted_efforts, sorted_losses = efforts[places], losses[places]
    new = np.ones(len(places), np.bool_)
    new[1:] = (sorted_efforts[1:] != sorted_efforts[:-1]) | (
        sorted_losses[1:] != sorted_losses[:-1]
    )
    ranks = np.empty(len(places))
    ranks[places] = np.cumsum(new) - 1.0
    return ranks
