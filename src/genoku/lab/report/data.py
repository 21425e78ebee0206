"""What a report needs of a store: runs held to equal budgets, curves of their histories, and tests.

The tests say which algorithm does better, on each puzzle and over all, and what each setting of a
grid does.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from genoku.engine.history import History
from genoku.engine.race import was_searched
from genoku.errors import GenokuError
from genoku.fitness import Fitness
from genoku.geometry import Geometry
from genoku.lab import statistics
from genoku.lab.charts import evenly
from genoku.lab.page import literal
from genoku.lab.store import Failure, Results, Store, history_of
from genoku.lab.study import Arm, Study, setting_text
from genoku.problem import called
from genoku.recipe import describe
from genoku.state import declared
from genoku.stopping import Stop, Until

Floats = NDArray[np.float64]
Unit = Literal["evaluations", "CPU time"]
UNITS: tuple[Unit, ...] = ("evaluations", "CPU time")

SHORTEST = 0.05
"""Seconds below which a run's start decides how many of its evaluations fall within them."""

GAVE_UP = (Stop.FAILED, Stop.NO_SOLUTION, Stop.TIME_LIMIT)
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
    _, ranks = np.unique(np.column_stack((efforts, losses)), axis=0, return_inverse=True)
    return ranks.ravel().astype(np.float64)


Trace = tuple[NDArray[Any], NDArray[Any]]
"""Effort and value, row by row."""

POINTS = 70  # of a curve


@dataclass(frozen=True, eq=False)
class Band:
    """Lower quartile, median and upper quartile of some runs' curves, and how many these are."""

    x: Floats
    quartiles: Floats
    histories: int


def losses(
    history: History, fitness: Fitness | None, geometry: Geometry, cost: int, loss: float
) -> Trace | None:
    """The best loss so far over evaluations, if the history tells."""
    name = "best_ever" if "best_ever" in history else "best"
    if "evals" not in history or name not in history or not history.rows:
        return None
    costs = np.minimum.accumulate(history[name])
    if fitness is not None:
        return history["evals"], fitness.loss(costs.astype(np.int32), geometry)
    if cost > 0:  # a part of the user's own that is not here: losses go with costs
        return history["evals"], costs * (loss / cost)
    return None


def rate(history: History) -> Trace | None:
    """The rate over steps, where it is one and does not stay as it is."""
    if "gen" not in history or "rate" not in history:
        return None
    values = history["rate"]
    known = np.isfinite(values)
    if known.sum() < 2 or np.ptp(values[known]) == 0:
        return None
    return history["gen"][known], values[known]


def thinned(trace: Trace) -> Trace:
    """The rows of a trace where its value changes, with the first and the last.

    Between rows a trace keeps its value, so that nothing is lost; of a long run little is left.
    """
    x, y = trace
    kept = np.ones(len(x), np.bool_)
    kept[1:-1] = y[1:-1] != y[:-2]
    return x[kept], y[kept]


def band_of(traces: list[Trace], *, best: bool = True) -> Band:
    """Quartiles of curves: of the best so far, which ended runs keep, or of runs that go on."""
    first, last = max(float(x[0]) for x, _ in traces), max(float(x[-1]) for x, _ in traces)
    grid = np.unique(np.linspace(first, last, POINTS))
    if not best:
        rows = [
            np.where(grid > x[-1], np.nan, y[np.searchsorted(x, grid, side="right") - 1])
            for x, y in traces
        ]
        return Band(grid, np.nanquantile(np.array(rows), (0.25, 0.5, 0.75), axis=0), len(traces))
    if last > max(first, 1.0):  # a logarithmic axis needs points where others have few
        spaced = np.geomspace(max(first, 1.0), last, POINTS // 2).clip(first, last)
        grid = np.union1d(grid, spaced)
    return Band(grid, statistics.quantile_bands(traces, grid=grid).y, len(traces))


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

    def bold(self, arm: int) -> str:
        """An algorithm's name in a sentence."""
        return f"**{literal(self.names[arm])}**"

    def italic(self, instance: int) -> str:
        """A puzzle's name in a sentence."""
        return f"*{literal(self.study.instances[instance].name)}*"

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
        return {place: self.results.where(rows) for place, rows in self.rows_of.items()}

    def rows(self, arm: int, instance: int) -> NDArray[np.int64]:
        """Where the runs of an arm on a puzzle stand among all."""
        return self.rows_of.get((arm, instance), np.empty(0, np.int64))

    @cached_property
    def rows_of(self) -> dict[Place, NDArray[np.int64]]:
        """Where the runs of every arm on every puzzle stand among all."""
        return _rows(self.results)

    @cached_property
    def primary(self) -> Unit:
        """What algorithms are compared by."""
        kinds = [facts.kind for facts in self.arms]
        return fair_unit([arm.until for arm in self.study.arms], kinds)

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
    puzzles = len(study.instances)
    at_equal: dict[Unit, Equal] = {unit: equal(results, puzzles, unit) for unit in UNITS}
    groups = _rows(results)
    best = _best_rows(groups, results)
    wanted = np.zeros(len(results), np.bool_)  # histories to draw: all, or some spread over seeds
    most = min(MOST, max(FEWEST, HISTORIES // max(len(groups), 1)))
    for rows in groups.values():
        wanted[rows[evenly(len(rows), most)]] = True
    beyond = np.logical_or.reduce([each.beyond for each in at_equal.values()])
    shares = {unit: each.shares(results) for unit, each in at_equal.items()}
    keys = np.column_stack((results.arm, results.instance, results.seed)).tolist()
    places = {tuple(key): row for row, key in enumerate(keys)}
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
    changing = "rate"
    with suppress(GenokuError):
        changing = declared(arm.algorithm()).rate_name
    try:
        fitness = arm.fitness()
    except GenokuError:  # somebody's own, which is not here or not trusted
        named = arm.named_fitness
        scale = json.dumps(named, sort_keys=True, default=dict)
        return ArmFacts(setting_text(named), scale, kind, changing)
    scale = json.dumps(describe(fitness), sort_keys=True)
    return ArmFacts(called(fitness), scale, kind, changing, fitness)


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


def _best_rows(groups: Mapping[Place, NDArray[np.int64]], results: Results) -> dict[int, int]:
    """For each puzzle the best run of the algorithm that solves most, or comes closest."""
    merits: dict[int, list[tuple[float, float, float, int]]] = defaultdict(list)
    for (arm, instance), rows in groups.items():
        solved, loss = results.solved[rows], float(np.median(results.loss[rows]))
        expected = statistics.ert(results.evaluations[rows], solved)
        merits[instance].append((-float(solved.mean()), expected, loss, arm))
    found: dict[int, int] = {}
    for instance, each in merits.items():
        rows = groups[min(each)[-1], instance]
        keys = (results.evaluations[rows], results.loss[rows], ~results.solved[rows])
        found[instance] = int(rows[np.lexsort(keys)[0]])
    return found


def labels(arms: Sequence[Arm]) -> tuple[str, ...]:
    """Short names for tables and figures: of a grid's points what they set.

    What they are made from comes first where there is more than one grid, or where it takes part
    as it is.
    """
    bases = [arm.name.split(", ")[0] if arm.settings else "" for arm in arms]
    others = {arm.name for arm in arms if not arm.settings}
    several = len(set(bases) - {""}) > 1 or bool(others & set(bases))
    short = []
    for arm, base in zip(arms, bases, strict=True):
        values = ", ".join(_setting(key, value) for key, value in arm.settings.items())
        named = f"{base}: {values}" if several else values
        short.append(named if arm.settings else arm.name)
    return tuple(short) if len(set(short)) == len(arms) else tuple(arm.name for arm in arms)


def _setting(key: str, value: Any) -> str:
    """A part speaks for itself; a number needs to be called by its name."""
    if isinstance(value, Mapping) or (isinstance(value, str) and value):
        return setting_text(value)
    return f"{key.rpartition('.')[2]}={setting_text(value)}"


Measure = Literal["CPU time", "evaluations", "loss", "nothing"]
MOST_TESTS = 5000
FEWEST_PUZZLES = 6
"""Below so many, Wilcoxon's test cannot give p < 0.05."""


@dataclass(frozen=True)
class Pair:
    """Two algorithms on one puzzle, at equal effort. A12 above 0.5: the first does better."""

    first: int
    second: int
    instance: int
    sizes: tuple[int, int]
    a12: float
    p: float
    corrected: float = 1.0

    @property
    def differs(self) -> bool:
        return self.corrected < statistics.LEVEL

    @property
    def better(self) -> int:
        """Who seems better."""
        return self.first if self.a12 >= 0.5 else self.second

    @property
    def worse(self) -> int:
        return self.second if self.a12 >= 0.5 else self.first

    @property
    def effect(self) -> float:
        """A12 of the better one: 0.5 or more."""
        return max(self.a12, 1 - self.a12)


@dataclass(frozen=True)
class Overall:
    """Two algorithms over all puzzles, paired.

    Better is who has the greater sum of ranks, by which the test judges: not always who is ahead
    on more puzzles, if by less.
    """

    better: int
    worse: int
    ahead: int
    """Puzzles on which the better one seems better."""
    behind: int
    p: float
    corrected: float = 1.0


@dataclass(frozen=True)
class Ranking:
    """All algorithms over all puzzles; the test says whether they differ at all."""

    test: statistics.Friedman
    critical_difference: float
    cliques: tuple[tuple[int, ...], ...]


def samples(gathered: Gathered, unit: Unit, instance: int, arms: list[int]) -> list[Floats]:
    """The runs of some arms on a puzzle, ranked by how well they did among themselves."""
    held = gathered.at_equal[unit]
    rows = [gathered.rows(arm, instance) for arm in arms]
    together = np.concatenate(rows)
    losses = held.losses[together]
    if not gathered.one_fitness(*arms):  # then unsolved runs are all alike
        losses = np.zeros(len(together))
    ranks = order(held.efforts[together], losses)
    return np.split(ranks, np.cumsum([len(each) for each in rows])[:-1])


def pairs(gathered: Gathered, unit: Unit) -> list[Pair]:
    """Every pair of algorithms on every puzzle, corrected after Holm over all of them."""
    study = gathered.study
    if too_many(gathered):
        return []
    found: list[Pair] = []
    for instance in range(len(study.instances)):
        for first, second in combinations(range(len(study.arms)), 2):
            if not (len(gathered.rows(first, instance)) and len(gathered.rows(second, instance))):
                continue
            one, two = samples(gathered, unit, instance, [first, second])
            test = statistics.mann_whitney(one, two)
            found.append(
                Pair(
                    first,
                    second,
                    instance,
                    test.sizes,
                    statistics.a12(one, two).a12,
                    min(1.0, test.p),
                )
            )
    corrected = statistics.holm([pair.p for pair in found])
    return [
        replace(pair, corrected=float(p)) for pair, p in zip(found, corrected.tolist(), strict=True)
    ]


def too_many(gathered: Gathered) -> str:
    """Why nothing is tested pair by pair, if there are too many pairs."""
    count = math.comb(len(gathered.study.arms), 2) * len(gathered.study.instances)
    if count <= MOST_TESTS:
        return ""
    return (
        f"Two algorithms on one puzzle can be compared in {count:,} ways, more than the "
        f"{MOST_TESTS:,} that are tested at most, so nothing is tested pair by pair."
    )


def could_differ(found: list[Pair]) -> bool:
    """Whether any result at all could have been significant with so few runs."""
    least = [statistics.smallest_p(*pair.sizes) for pair in found]
    return bool(least) and min(least) * len(found) < statistics.LEVEL


def hint_for(gathered: Gathered, unit: Unit, pair: Pair, tests: int) -> str:
    """How many runs might tell a pair apart, corrected for the number of tests."""
    one, two = samples(gathered, unit, pair.instance, [pair.better, pair.worse])
    return statistics.hint(one, two, tests=tests, corrected=pair.corrected)


def mean_ranks(gathered: Gathered, unit: Unit) -> Floats | None:
    """The mean rank of each arm's runs among all on a puzzle: a row per puzzle, lower is better.

    None unless every arm has runs on every puzzle.
    """
    arms, instances = len(gathered.study.arms), len(gathered.study.instances)
    table = np.empty((instances, arms))
    for instance in range(instances):
        if not all(len(gathered.rows(arm, instance)) for arm in range(arms)):
            return None
        ranked = samples(gathered, unit, instance, list(range(arms)))
        sizes = np.cumsum([len(each) for each in ranked])[:-1]
        shared = np.split(statistics.midranks(np.concatenate(ranked)), sizes)
        table[instance] = [each.mean() for each in shared]
    return table


def ranking(gathered: Gathered, unit: Unit) -> Ranking | str:
    """Friedman's test and the critical difference, or why there is none."""
    arms, instances = len(gathered.study.arms), len(gathered.study.instances)
    if arms < 3 or instances < 3:
        return (
            "Friedman's test and a critical-difference diagram need three algorithms and three "
            f"puzzles or more; this study has {arms} and {instances}."
        )
    table = mean_ranks(gathered, unit)
    if table is None:
        return "Friedman's test needs runs of every algorithm on every puzzle; some are missing."
    test = statistics.friedman(table)
    if test.note:
        return f"Friedman's test: {_alike(gathered, unit) or test.note}."
    gap = statistics.critical_difference(arms, instances, statistics.LEVEL)
    return Ranking(test, gap, tuple(statistics.cliques(test.ranks, gap)))


def _alike(gathered: Gathered, unit: Unit) -> str:
    """What makes all equal where losses do not count."""
    if gathered.one_fitness() and gathered.knows_losses(unit):
        return ""
    why = "some losses are unknown at the common budget"
    if not gathered.one_fitness():
        why = "the algorithms have different fitness functions"
    any_solved = np.isfinite(gathered.at_equal[unit].efforts).any()
    much = "all do equally well on every puzzle" if any_solved else "nothing was solved"
    return f"{why}, so they are ranked by solving alone, and at equal {unit} {much}"


def overall(gathered: Gathered, found: list[Pair]) -> list[Overall] | str:
    """Wilcoxon's test of every pair over the puzzles, or why there is none."""
    arms, instances = len(gathered.study.arms), len(gathered.study.instances)
    if arms < 2:
        return ""
    if instances < FEWEST_PUZZLES:
        return (
            f"A paired test over puzzles needs {FEWEST_PUZZLES} of them to be able to reach "
            f"p < {statistics.LEVEL:g}; this study has {instances}."
        )
    if not found:  # where there are too many pairs, which is said elsewhere
        return ""
    effects: dict[tuple[int, int], list[float]] = {}
    for pair in found:
        effects.setdefault((pair.first, pair.second), []).append(round(pair.a12 - 0.5, 12))
    made = []
    for (first, second), each in effects.items():
        test = statistics.wilcoxon(each, np.zeros(len(each)))
        ahead, behind = sum(value > 0 for value in each), sum(value < 0 for value in each)
        ranks = (ahead + behind) * (ahead + behind + 1) / 2
        if test.statistic >= ranks / 2:
            made.append(Overall(first, second, ahead, behind, test.p))
        else:
            made.append(Overall(second, first, behind, ahead, test.p))
    corrected = statistics.holm([each.p for each in made])
    return [
        replace(each, corrected=float(p)) for each, p in zip(made, corrected.tolist(), strict=True)
    ]


Stratum = tuple[int, int, int]
"""Two arms that differ in one setting, and a puzzle."""


@dataclass(frozen=True)
class Turned:
    """Where another setting has a value, the difference seems to go the other way."""

    key: str
    value: str
    a12: float
    p: float
    """Corrected for all values of the other settings."""


@dataclass(frozen=True)
class Contrast:
    """Two values of a setting, over all combinations of the others and all puzzles.

    The first is the one that seems better: its A12 is 0.5 or more.
    """

    key: str
    values: tuple[str, str]
    shares: tuple[statistics.Proportion, statistics.Proportion]
    effect: statistics.Effect
    strata: int
    p: float
    corrected: float = 1.0
    turned: tuple[Turned, ...] = ()

    @property
    def differs(self) -> bool:
        return self.corrected < statistics.LEVEL


def settings_of(gathered: Gathered) -> dict[str, list[str]]:
    """The settings that a grid varies, each with its values in their order."""
    found: dict[str, list[str]] = {}
    for arm in gathered.study.arms:
        for key, value in arm.settings.items():
            if (text := setting_text(value)) not in found.setdefault(key, []):
                found[key].append(text)
    return {key: values for key, values in found.items() if len(values) > 1}


def contrasts(gathered: Gathered) -> list[Contrast]:
    """Every two values of every setting, corrected after Holm over all of them.

    Nothing where there are too many to test. A budget is no setting to compare: all runs are held
    to the same one.
    """
    pairs = {
        (key, values): strata
        for key, each in settings_of(gathered).items()
        if key != "until"
        for values in combinations(each, 2)
        if (strata := _strata(gathered, key, values))
    }
    if sum(map(len, pairs.values())) > MOST_TESTS:
        return []
    found = [_contrast(gathered, *pair, strata) for pair, strata in pairs.items()]
    corrected = statistics.holm([each.p for each in found]).tolist()
    return [replace(each, corrected=p) for each, p in zip(found, corrected, strict=True)]


def _strata(gathered: Gathered, key: str, values: tuple[str, str]) -> list[Stratum]:
    """The pairs of arms that differ in nothing but these values, on each puzzle they ran on."""
    places: dict[tuple[object, ...], dict[str, int]] = {}
    for place, arm in enumerate(gathered.study.arms):
        if key in arm.settings:
            others = sorted((k, setting_text(v)) for k, v in arm.settings.items() if k != key)
            alike = (arm.name.split(", ")[0], arm.until, *others)
            places.setdefault(alike, {})[setting_text(arm.settings[key])] = place
    return [
        (*arms, instance)
        for at in places.values()
        if all(value in at for value in values)
        for arms in [(at[values[0]], at[values[1]])]
        for instance in range(len(gathered.study.instances))
        if all(len(gathered.rows(arm, instance)) for arm in arms)
    ]


def _contrast(
    gathered: Gathered, key: str, values: tuple[str, str], strata: list[Stratum]
) -> Contrast:
    if statistics.stratified_a12(_ranked(gathered, strata)).a12 < 0.5:  # the better one first
        values = values[1], values[0]
        strata = [(two, one, instance) for one, two, instance in strata]
    ranked = _ranked(gathered, strata)
    first, second = (
        statistics.Proportion.of(
            np.concatenate([gathered.cells[each[side], each[2]].solved for each in strata])
        )
        for side in (0, 1)
    )
    turned = tuple(_turned(gathered, key, strata))
    effect, p = statistics.stratified_a12(ranked), statistics.van_elteren(ranked).p
    return Contrast(key, values, (first, second), effect, len(strata), p, turned=turned)


def _ranked(gathered: Gathered, strata: list[Stratum]) -> list[tuple[Floats, Floats]]:
    made = [samples(gathered, gathered.primary, at, [one, two]) for one, two, at in strata]
    return [(one, two) for one, two in made]


def _turned(gathered: Gathered, key: str, strata: list[Stratum]) -> Iterator[Turned]:
    """The values of other settings with which the second seems better."""
    arms = gathered.study.arms
    parts: dict[tuple[str, str], list[Stratum]] = {}
    for each in strata:
        for other, value in arms[each[0]].settings.items():
            if other != key:
                parts.setdefault((other, setting_text(value)), []).append(each)
    ranked = [_ranked(gathered, part) for part in parts.values()]
    corrected = statistics.holm([statistics.van_elteren(each).p for each in ranked]).tolist()
    for (other, value), part, p in zip(parts, ranked, corrected, strict=True):
        if (effect := statistics.stratified_a12(part).a12) < 0.5:
            yield Turned(other, value, effect, p)


class Duel(NamedTuple):
    """What can be said of two algorithms, by the tests of reports."""

    first: str
    second: str
    measure: Measure
    """What they were compared by; nothing, where there was nothing to compare."""
    p: float
    """After Holm's correction."""
    a12: float
    """How often the first does better, ties as halves."""
    sentence: str


def duels(gathered: Gathered) -> list[Duel]:
    """All pairs that have runs, in the order of the arms."""
    found = pairs(gathered, gathered.primary)
    return [_duel(gathered, pair, len(found)) for pair in found]


def _measure(gathered: Gathered, pair: Pair) -> Measure:
    """The effort to solve; where neither did, the loss, if both are on one scale."""
    unit = gathered.primary
    held, both = gathered.at_equal[unit], (pair.first, pair.second)
    rows = np.concatenate([gathered.rows(arm, pair.instance) for arm in both])
    if np.isfinite(held.efforts[rows]).any():
        return unit
    known = bool(np.isfinite(held.losses[rows]).all())
    return "loss" if known and gathered.one_fitness(*both) else "nothing"


def _duel(gathered: Gathered, pair: Pair, tests: int) -> Duel:
    first, second = (gathered.study.arms[place].name for place in (pair.first, pair.second))
    measure = _measure(gathered, pair)
    if measure == "nothing":
        said = (
            f"{first} and {second}: neither solved it at equal {gathered.primary}, and their "
            "losses are on different scales or unknown there: nothing to compare."
        )
    elif not pair.differs:
        told = hint_for(gathered, gathered.primary, pair, tests)
        said = f"{first} and {second}, by {measure}: {told}"
    else:
        better, worse = (gathered.study.arms[arm].name for arm in (pair.better, pair.worse))
        what = f"does better than {worse} at equal {measure}"
        if measure == "loss":
            what = f"comes to a lower loss than {worse} at equal {gathered.primary}"
        corrected = f" after Holm's correction for {tests} pairs" if tests > 1 else ""
        figures = (
            f"Mann–Whitney, {statistics.p_text(pair.corrected)}{corrected}; A12 = {pair.effect:.2f}"
        )
        said = f"{better} {what} on this puzzle ({figures}, {statistics.magnitude(pair.effect)})."
    return Duel(first, second, measure, pair.corrected, pair.a12, said)
