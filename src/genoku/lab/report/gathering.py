"""What a report needs of a store, in one pass over its runs."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genoku.errors import GenokuError, StoreError
from genoku.figures import rate_word
from genoku.fitness import Fitness
from genoku.fitting import called
from genoku.history import History
from genoku.lab.packing import unpack
from genoku.lab.report.budgets import UNITS, Equal, Unit, equal
from genoku.lab.report.telling import labels
from genoku.lab.results import Results
from genoku.lab.statistics import ert, quantile_bands
from genoku.lab.store import Store
from genoku.lab.study import Arm, Study
from genoku.lab.work import Failure
from genoku.stopping import Until

Place = tuple[int, int]
"""An arm and an instance, by their places in the study."""

Floats = NDArray[np.float64]
Trace = tuple[NDArray[Any], NDArray[Any]]

HISTORIES = 30_000  # that curves are drawn from in all
MOST, FEWEST = 200, 20  # of them for an arm on a puzzle
CURVES = 8  # algorithms in one chart
POINTS = 70  # of a curve


@dataclass(frozen=True, eq=False)
class Band:
    """The median and the quartiles of some runs' curves, and how many runs these are."""

    x: Floats
    lower: Floats
    median: Floats
    upper: Floats
    histories: int


@dataclass(frozen=True)
class ArmFacts:
    """What must be known of an algorithm beside its recipe."""

    fitness_name: str
    kind: str
    """What it is below restarts and islands: genetic, annealing, …"""
    rate_word: str = "rate"
    fitness: Fitness | None = None


@dataclass(frozen=True, eq=False)
class Gathered:
    """A study, its runs, and what their histories say."""

    study: Study
    results: Results
    failures: list[Failure]
    version: str
    arms: tuple[ArmFacts, ...]
    at_equal: dict[Unit, Equal]
    curves: dict[Place, Band]
    rates: dict[Place, Band]
    boards: dict[int, tuple[int, bytes]]
    """For each puzzle the row of the best algorithm's best run, and its board."""
    recorded: bool
    """Whether the loss of every run is known at the common budgets."""

    @cached_property
    def names(self) -> tuple[str, ...]:
        """What the algorithms are called in tables and figures."""
        return labels(self.study.arms)

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The arms, those that solve most, or come closest, first."""

        def merit(arm: int) -> tuple[float, float]:
            own = self.results.arm == arm
            if not own.any():
                return 1.0, 1.0
            return -float(self.results.solved[own].mean()), float(self.results.loss[own].mean())

        return tuple(sorted(range(len(self.study.arms)), key=merit))

    def leaders(self, most: int) -> list[int]:
        """At most so many of the best arms, in the order of the study."""
        return sorted(self.order[:most])

    @cached_property
    def colours(self) -> tuple[int, ...]:
        """A colour for every arm, in all figures; those that curves are drawn of have their own."""
        first = self.leaders(CURVES)
        rest = [arm for arm in range(len(self.study.arms)) if arm not in first]
        places = {arm: place for place, arm in enumerate([*first, *rest])}
        return tuple(places[arm] for arm in range(len(places)))

    @cached_property
    def cells(self) -> dict[Place, Results]:
        """The runs of every arm on every puzzle."""
        return {place: self.results.where(rows) for place, rows in _rows(self.results).items()}

    def rows(self, arm: int, instance: int) -> NDArray[np.int64]:
        """Where the runs of an arm on a puzzle stand among all."""
        return self._rows_of.get((arm, instance), np.empty(0, np.int64))

    @cached_property
    def _rows_of(self) -> dict[Place, NDArray[np.int64]]:
        return _rows(self.results)

    @property
    def primary(self) -> Unit:
        """What algorithms are compared by: evaluations, unless these are not the same work.

        That is where algorithms are of different kinds; and where time is their budget, time is
        what they are to make the most of.
        """
        words = {word for arm in self.study.arms for word in Until.parse(arm.until).words()}
        same = len({facts.kind for facts in self.arms}) == 1
        return "evaluations" if same and "seconds" not in words else "CPU time"

    def one_fitness(self, *arms: int) -> bool:
        """Whether the losses of some arms, or of all, mean the same."""
        chosen = arms or range(len(self.arms))
        return len({self.arms[arm].fitness_name for arm in chosen}) == 1


def gather(store: Store) -> Gathered:
    """Read a store once, history by history."""
    study, results = store.study, store.results()
    facts = tuple(_facts(arm) for arm in study.arms)
    at_equal: dict[Unit, Equal] = {
        unit: equal(results, len(study.instances), unit) for unit in UNITS
    }
    best = _best_rows(study, results)
    wanted = _sampled(results)
    beyond = np.logical_or.reduce([each.beyond for each in at_equal.values()])
    shares = {unit: each.shares(results) for unit, each in at_equal.items()}
    places = {
        key: row
        for row, key in enumerate(
            zip(results.arm.tolist(), results.instance.tolist(), results.seed.tolist(), strict=True)
        )
    }
    traces: dict[Place, list[Trace]] = defaultdict(list)
    rates: dict[Place, list[Trace]] = defaultdict(list)
    boards: dict[int, tuple[int, bytes]] = {}
    recorded = True
    for kept in store.rows():
        row = places.get((kept.arm, kept.instance, kept.seed))
        if row is None:  # written since
            continue
        if best.get(kept.instance) == row:
            boards[kept.instance] = (row, kept.board)
        if not (wanted[row] or beyond[row]):
            continue
        try:
            history = unpack(kept.history)
        except ValueError as error:
            raise StoreError(f"{store.path}: run {kept.key.hex()}: {error}") from None
        trace = _losses(history, facts[kept.arm], study, kept.instance, kept.cost, kept.loss)
        if trace is None:
            recorded &= not beyond[row]
        else:
            for unit, each in at_equal.items():
                if each.beyond[row]:
                    limit = shares[unit][row] * kept.evaluations
                    at = max(0, int(np.searchsorted(trace[0], limit, side="right")) - 1)
                    each.losses[row] = trace[1][at]
        if wanted[row]:
            if trace is not None:
                traces[kept.arm, kept.instance].append(trace)
            if (rate := _rate(history)) is not None:
                rates[kept.arm, kept.instance].append(rate)
    return Gathered(
        study,
        results,
        store.failures(),
        store.genoku,
        facts,
        at_equal,
        {place: _band(each) for place, each in traces.items()},
        {place: _band(each, best=False) for place, each in rates.items()},
        boards,
        recorded,
    )


def _facts(arm: Arm) -> ArmFacts:
    try:
        algorithm = arm.algorithm()
    except GenokuError:  # with parts of the user's own that are not here
        return ArmFacts(_fitness_of(dict(arm.recipe)), _kind_of(dict(arm.recipe)))
    fitness = algorithm.fitness
    return ArmFacts(called(fitness), _kind_of(dict(arm.recipe)), rate_word(algorithm), fitness)


def _kind_of(recipe: dict[str, Any]) -> str:
    """The algorithm inside all wrappers."""
    inner = recipe.get("algorithm")
    return _kind_of(inner) if isinstance(inner, dict) else str(recipe.get("use"))


def _fitness_of(recipe: dict[str, Any]) -> str:
    """The fitness that a recipe names, however deep."""
    if "fitness" in recipe:
        return json.dumps(recipe["fitness"], sort_keys=True)
    inner = recipe.get("algorithm")
    return _fitness_of(inner) if isinstance(inner, dict) else str(recipe.get("use"))


def _rows(results: Results) -> dict[Place, NDArray[np.int64]]:
    """The rows of every arm and instance, by one sort."""
    order = np.lexsort((np.arange(len(results)), results.instance, results.arm))
    arms, instances = results.arm[order], results.instance[order]
    cuts = np.flatnonzero((np.diff(arms) != 0) | (np.diff(instances) != 0)) + 1
    parts = np.split(order, cuts) if len(order) else []
    return {(int(results.arm[p[0]]), int(results.instance[p[0]])): p for p in parts}


def _sampled(results: Results) -> NDArray[np.bool_]:
    """Runs whose histories are drawn: all, or some spread evenly over the seeds."""
    groups = _rows(results)
    most = min(MOST, max(FEWEST, HISTORIES // max(len(groups), 1)))
    wanted = np.zeros(len(results), np.bool_)
    for rows in groups.values():
        chosen = np.linspace(0, len(rows) - 1, min(len(rows), most)).round().astype(np.int64)
        wanted[rows[chosen]] = True
    return wanted


def _best_rows(study: Study, results: Results) -> dict[int, int]:
    """For each puzzle the best run of the algorithm that solves most, or comes closest."""
    groups = _rows(results)
    found: dict[int, int] = {}
    for instance in range(len(study.instances)):
        ranked = []
        for arm in range(len(study.arms)):
            if (rows := groups.get((arm, instance))) is None:
                continue
            solved, spent = results.solved[rows], results.evaluations[rows]
            ranked.append(
                (-solved.mean(), ert(spent, solved), float(np.median(results.loss[rows])), arm)
            )
        if ranked:
            rows = groups[min(ranked)[-1], instance]
            keys = (results.evaluations[rows], results.loss[rows], ~results.solved[rows])
            found[instance] = int(rows[np.lexsort(keys)[0]])
    return found


def _losses(
    history: History, facts: ArmFacts, study: Study, instance: int, cost: int, loss: float
) -> Trace | None:
    """The best loss so far over evaluations, if the history tells."""
    name = "best_ever" if "best_ever" in history else "best"
    if "evals" not in history or name not in history or not history.rows:
        return None
    costs = np.minimum.accumulate(history[name])
    if facts.fitness is not None:
        geometry = study.instances[instance].puzzle.geometry
        return history["evals"], facts.fitness.loss(costs.astype(np.int32), geometry)
    if cost > 0:  # a part of the user's own that is not here: losses go with costs
        return history["evals"], costs * (loss / cost)
    return None


def _rate(history: History) -> Trace | None:
    """The rate over steps, where it is one and does not stay as it is."""
    if "gen" not in history or "rate" not in history:
        return None
    rate = history["rate"]
    known = np.isfinite(rate)
    if known.sum() < 2 or np.ptp(rate[known]) == 0:
        return None
    return history["gen"][known], rate[known]


def _band(traces: list[Trace], *, best: bool = True) -> Band:
    """Quartiles of curves: of the best so far, which ended runs keep, or of runs that go on."""
    first, last = max(float(x[0]) for x, _ in traces), max(float(x[-1]) for x, _ in traces)
    even = np.linspace(first, last, POINTS)
    grid = np.unique(np.concatenate((even, _spaced(first, last)))) if best else np.unique(even)
    if best:
        bands = quantile_bands(traces, grid=grid)
        lower, median, upper = bands.y
    else:
        rows = [
            np.where(grid > x[-1], np.nan, y[np.searchsorted(x, grid, side="right") - 1])
            for x, y in traces
        ]
        lower, median, upper = np.nanquantile(np.array(rows), (0.25, 0.5, 0.75), axis=0)
    return Band(grid, lower, median, upper, len(traces))


def _spaced(first: float, last: float) -> Floats:
    """Points evenly on a logarithmic axis, which needs them where others have few."""
    if last <= max(first, 1.0):
        return np.array([first])
    return np.geomspace(max(first, 1.0), last, POINTS // 2).clip(first, last)
