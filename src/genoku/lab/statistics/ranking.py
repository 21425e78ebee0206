"""Several algorithms over several puzzles: Friedman, Nemenyi, and the critical difference."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from genoku.errors import GenokuError
from genoku.lab.statistics.samples import LEVEL, chance, midranks, special


@dataclass(frozen=True)
class Friedman:
    """Mean ranks of the algorithms (1 is best), and how likely chance alone spreads them so."""

    ranks: tuple[float, ...]
    statistic: float
    p: float
    puzzles: int
    note: str = ""

    @property
    def freedom(self) -> int:
        """Degrees of freedom of the statistic."""
        return len(self.ranks) - 1


def friedman(table: ArrayLike, *, lower_is_better: bool = True) -> Friedman:
    """Friedman's test (1937), corrected for ties: a row per puzzle, a column per algorithm.

    Infinity (never solved) is the greatest value. p is that of chi-squared, which is rough for
    few puzzles.
    """
    ranks = _ranks(table, lower_is_better)
    puzzles, algorithms = ranks.shape
    means = ranks.mean(axis=0)
    middle = (algorithms + 1) / 2
    within = float(((ranks - middle) ** 2).sum())  # smaller the more ties there are
    if not within:
        note = "all algorithms are equal on every puzzle: nothing to tell apart"
        return Friedman(tuple(means.tolist()), 0.0, 1.0, puzzles, note)
    between = float(((means - middle) ** 2).sum())
    statistic = (algorithms - 1) * puzzles**2 * between / within
    p = float(special("stats").chi2.sf(statistic, algorithms - 1))
    return Friedman(tuple(means.tolist()), statistic, p, puzzles)


def nemenyi(table: ArrayLike, *, lower_is_better: bool = True) -> NDArray[np.float64]:
    """Nemenyi's p (1963) for every pair of columns, by the studentized range (Demšar 2006)."""
    ranks = _ranks(table, lower_is_better)
    puzzles, algorithms = ranks.shape
    means = ranks.mean(axis=0)
    error = math.sqrt(algorithms * (algorithms + 1) / (12 * puzzles))
    first, second = np.triu_indices(algorithms, 1)
    distances = np.abs(means[first] - means[second]) / error
    p = np.ones((algorithms, algorithms))
    p[first, second] = special("stats").studentized_range.sf(distances, algorithms, np.inf)
    p[second, first] = p[first, second]
    return np.clip(p, 0, 1)


def critical_difference(algorithms: int, puzzles: int, alpha: float = LEVEL) -> float:
    """How far mean ranks must be apart: q sqrt(k (k + 1) / 6 n) (Demšar 2006)."""
    if algorithms < 2 or puzzles < 1:
        raise GenokuError(
            f"expected two algorithms or more and a puzzle or more, got {algorithms} and {puzzles}"
        )
    share = 1 - chance(alpha, "level of significance")
    reach = float(special("stats").studentized_range.ppf(share, algorithms, np.inf))
    return reach / math.sqrt(2) * math.sqrt(algorithms * (algorithms + 1) / (6 * puzzles))


def cliques(ranks: Sequence[float], difference: float) -> list[tuple[int, ...]]:
    """The bars of a critical-difference diagram: largest groups that no difference parts.

    Each is two or more places in `ranks`, best rank first; ranks exactly the critical difference
    apart are parted (Demšar 2006: "at least").
    """
    order = [int(place) for place in np.argsort(np.asarray(ranks), kind="stable")]
    groups: list[tuple[int, ...]] = []
    reached = 0
    for start, place in enumerate(order):
        end = start + 1
        while end < len(order) and ranks[order[end]] - ranks[place] < difference:
            end += 1
        if end - start > 1 and end > reached:  # else it lies within the group before
            groups.append(tuple(order[start:end]))
            reached = end
    return groups


def _ranks(table: ArrayLike, lower_is_better: bool) -> NDArray[np.float64]:
    """Ranks within each row."""
    array: NDArray[np.float64] = np.asarray(table, np.float64)
    if array.ndim != 2 or array.shape[0] < 1 or array.shape[1] < 2:
        raise GenokuError(
            "expected a row per puzzle and two columns or more, one per algorithm, "
            f"got an array of shape {array.shape}"
        )
    if np.isnan(array).any():
        row, column = (int(each) + 1 for each in np.argwhere(np.isnan(array))[0])
        raise GenokuError(f"expected numbers in the table, got NaN in row {row}, column {column}")
    return np.array([midranks(row if lower_is_better else -row) for row in array])
