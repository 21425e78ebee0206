"""What a report needs of a store, in one pass over its runs."""

from __future__ import annotations

import json
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genoku.errors import GenokuError
from genoku.fitness import Fitness
from genoku.fitting import called, name_of
from genoku.lab.charts import evenly
from genoku.lab.report.budgets import UNITS, Equal, Unit, equal, fair_unit
from genoku.lab.report.telling import labels
from genoku.lab.report.traces import Band, Trace, band_of, losses, rate, thinned
from genoku.lab.results import Results
from genoku.lab.scales import scale_of
from genoku.lab.statistics import ert
from genoku.lab.store import Store, history_of
from genoku.lab.study import Arm, Study, setting_text
from genoku.lab.turns import was_searched
from genoku.lab.work import Failure
from genoku.looks import RATES

Place = tuple[int, int]
"""An arm and an instance, by their places in the study."""

HISTORIES = 30_000  # that curves are drawn from in all
MOST, FEWEST = 200, 20  # of them for an arm on a puzzle
CURVES = 8  # algorithms in one chart


@dataclass(frozen=True)
class ArmFacts:
    """What must be known of an algorithm beside its recipe."""

    fitness_name: str
    """What its fitness is called, for the eye."""
    scale: str
    """Its fitness with all parameters, as JSON: losses of one scale can be compared."""
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
    unsearched: frozenset[Place] = frozenset()
    """Where an algorithm solves a puzzle before its first step, by rules such as singles."""

    def knows_losses(self, unit: Unit) -> bool:
        """Whether the loss of every run is known at the common budgets."""
        return not np.isnan(self.at_equal[unit].losses).any()

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
        return {place: self.results.where(rows) for place, rows in self._rows_of.items()}

    def rows(self, arm: int, instance: int) -> NDArray[np.int64]:
        """Where the runs of an arm on a puzzle stand among all."""
        return self._rows_of.get((arm, instance), np.empty(0, np.int64))

    @cached_property
    def _rows_of(self) -> dict[Place, NDArray[np.int64]]:
        return _rows(self.results)

    @property
    def primary(self) -> Unit:
        """What algorithms are compared by."""
        return fair_unit(
            [arm.until for arm in self.study.arms], [facts.kind for facts in self.arms]
        )

    def one_fitness(self, *arms: int) -> bool:
        """Whether the losses of some arms, or of all, mean the same."""
        chosen = arms or range(len(self.arms))
        return len({self.arms[arm].scale for arm in chosen}) == 1

    def fitness_names(self) -> list[str]:
        """What the fitness functions are called, with parameters where names are the same."""
        named = {facts.scale: facts.fitness_name for facts in self.arms}
        if len(set(named.values())) == len(named):
            return sorted(named.values())
        return [setting_text(json.loads(scale)) for scale in sorted(named)]


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
    for kept in store.rows():
        row = places.get((kept.arm, kept.instance, kept.seed))
        if row is None:  # written since
            continue
        if best.get(kept.instance) == row:
            boards[kept.instance] = (row, kept.board)
        if not (wanted[row] or beyond[row]):
            continue
        history = history_of(kept, store.path)
        geometry = study.instances[kept.instance].puzzle.geometry
        trace = losses(history, facts[kept.arm].fitness, geometry, kept.cost, kept.loss)
        if trace is not None:
            for unit, each in at_equal.items():
                if each.beyond[row] and each.tells(kept.instance):
                    limit = shares[unit][row] * kept.evaluations
                    at = max(0, int(np.searchsorted(trace[0], limit, side="right")) - 1)
                    each.losses[row] = trace[1][at]
        if wanted[row]:
            if trace is not None:
                traces[kept.arm, kept.instance].append(thinned(trace))
            if (changing := rate(history)) is not None:
                rates[kept.arm, kept.instance].append(thinned(changing))
    return Gathered(
        study,
        results,
        store.failures(),
        store.genoku,
        facts,
        at_equal,
        {place: band_of(each) for place, each in traces.items()},
        {place: band_of(each, best=False) for place, each in rates.items()},
        boards,
        _unsearched(study, results),
    )


def _unsearched(study: Study, results: Results) -> frozenset[Place]:
    at_once = results.where(results.solved & (results.steps == 0))
    found = set()
    for arm, instance in set(zip(at_once.arm.tolist(), at_once.instance.tolist(), strict=True)):
        with suppress(GenokuError):  # with parts of the user's own that are not here
            space = study.arms[arm].algorithm().encoding.space(study.instances[instance].puzzle)
            if not was_searched(space, 0):
                found.add((arm, instance))
    return frozenset(found)


def _facts(arm: Arm) -> ArmFacts:
    kind = _kind_of(dict(arm.recipe))
    changing = next((word for each, word in RATES.items() if name_of(each) == kind), "rate")
    try:
        fitness = arm.fitness()
    except GenokuError:  # somebody's own, which is not here or not trusted
        named = arm.named_fitness
        scale = json.dumps(named, sort_keys=True, default=dict)
        return ArmFacts(setting_text(named), scale, kind, changing)
    return ArmFacts(called(fitness), scale_of(fitness), kind, changing, fitness)


def _kind_of(recipe: dict[str, Any]) -> str:
    """The algorithm inside all wrappers."""
    inner = recipe.get("algorithm")
    return _kind_of(inner) if isinstance(inner, dict) else str(recipe.get("use"))


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
        wanted[rows[evenly(len(rows), most)]] = True
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
