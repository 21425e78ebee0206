"""The data of a report: runs at equal budgets, convergence curves, and statistical tests.

The tests compare algorithms, on each puzzle and over all puzzles, and the settings of a grid.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from genoku.engine.history import History
from genoku.engine.race import was_searched
from genoku.errors import GenokuError
from genoku.evolve.fitness import Fitness
from genoku.evolve.recipe import describe
from genoku.evolve.state import as_search
from genoku.evolve.stopping import Stop, Until
from genoku.lab import statistics
from genoku.lab.report.charts import evenly_spaced
from genoku.lab.report.page import literal
from genoku.lab.store import Failure, Results, Row, Store, history_of
from genoku.lab.study import Arm, Study, setting_text
from genoku.puzzle.geometry import Geometry

Floats = NDArray[np.float64]
Effort = Literal["evaluations", "CPU time"]
EFFORTS: tuple[Effort, ...] = ("evaluations", "CPU time")

SHORTEST_BUDGET = 0.05  # seconds; below, start-up time would decide the number of evaluations

GAVE_UP = (Stop.FAILED, Stop.NO_SOLUTION, Stop.TIME_LIMIT)
PROGRESS_LIMITS = ("stagnation", "cost")  # limits on the progress of a run, not on its effort

# What unsolved runs are compared by; loss in stores that did not record errors
Quality = Literal["errors left", "loss"]


def fair_effort(budgets: Iterable[str], kinds: Iterable[str]) -> Effort:
    """Choose the effort to compare by: CPU time if a budget limits it or if kinds differ.

    Evaluations of different kinds of algorithms are not the same work.
    """
    is_timed = any(Until.parse(budget).is_timed for budget in budgets)
    return "CPU time" if is_timed or len(set(kinds)) > 1 else "evaluations"


def efforts_of(results: Results, effort: Effort) -> Floats:
    column = results.evaluations if effort == "evaluations" else results.cpu_seconds
    return np.asarray(column, np.float64)


@dataclass(frozen=True, eq=False)
class EqualBudget:
    """All runs, cut at one budget per puzzle: the largest that every run could have spent."""

    budgets: Floats  # of each puzzle; infinite if no limit stopped a run
    efforts: Floats  # of each run until it was solved; infinite if not solved by then
    quality: Floats  # errors left (or loss) of each run at the budget; NaN where unknown
    cut_at: Floats  # evaluations at the budget of runs that exceeded it; NaN for others


def cut_at_equal_budget(
    results: Results, final: Floats, instances: int, effort: Effort
) -> EqualBudget:
    """Cut the runs at the largest common budget, given their `final` quality.

    The budget is the least that an unsolved run had spent when a limit stopped it: with a larger
    one it would be unknown whether that run solves the puzzle. A run that gave up by itself is
    unsolved at any budget. The quality of runs beyond the budget is left to be read from histories.
    """
    own = efforts_of(results, effort)
    limits = np.full(instances, np.inf)
    stopped = ~results.solved & stopped_by_limit(results)
    np.minimum.at(limits, results.instance[stopped], own[stopped])
    limit = limits[results.instance]
    in_time = results.solved & (own <= limit)
    efforts = np.where(in_time, own, np.inf)
    beyond = own > limit
    quality = np.where(in_time, 0.0, np.where(beyond, np.nan, final))
    can_be_cut = beyond & ((effort == "evaluations") | (limit >= SHORTEST_BUDGET))
    cut_at = np.full(len(own), np.nan)
    cut_at[can_be_cut] = limit[can_be_cut] / own[can_be_cut] * results.evaluations[can_be_cut]
    return EqualBudget(limits, efforts, quality, cut_at)


def stopped_by_limit(results: Results) -> NDArray[np.bool_]:
    """Which runs a limit on their effort stopped, rather than their own progress."""
    reasons, places = np.unique(results.stop_reason, return_inverse=True)
    by_limit = [
        reason not in GAVE_UP and not any(f"{word}=" in reason for word in PROGRESS_LIMITS)
        for reason in reasons.tolist()
    ]
    return np.array(by_limit, np.bool_)[places]


def dominance_ranks(efforts: Floats, quality: Floats) -> Floats:
    """Rank runs from 0, ties sharing a rank: solved sooner first, then by quality.

    This is trial-based dominance (Price, Kumar and Suganthan 2023). If any quality is unknown,
    none counts: later values would favour longer runs.
    """
    if np.isnan(quality).any():
        quality = np.zeros(len(quality))
    _, ranks = np.unique(np.column_stack((efforts, quality)), axis=0, return_inverse=True)
    return ranks.ravel().astype(np.float64)


Trace = tuple[NDArray[Any], NDArray[Any]]  # effort and value of every recorded row of a run
POINTS = 70  # of a curve


@dataclass(frozen=True, eq=False)
class QuartileBand:
    """Lower quartile, median and upper quartile of the curves of `histories` runs."""

    x: Floats
    quartiles: Floats
    histories: int


def quality_trace(
    history: History, quality: Quality, fitness: Fitness | None, geometry: Geometry, row: Row
) -> Trace | None:
    """Errors left, or the lowest loss so far, over evaluations; None if not recorded."""
    name = "best_ever" if "best_ever" in history else "best"
    name = name if quality == "loss" else "errors"
    if "evals" not in history or name not in history or not history.rows:
        return None
    if quality == "errors left":
        return history["evals"], history["errors"]
    costs = np.minimum.accumulate(history[name])
    if fitness is not None:
        return history["evals"], fitness.loss(costs.astype(np.int32), geometry)
    if row.cost > 0:  # a user's own fitness that is not installed: losses go with costs
        return history["evals"], costs * (row.loss / row.cost)
    return None


def rate_trace(history: History) -> Trace | None:
    """The rate over steps; None if it was not recorded or does not change."""
    if "gen" not in history or "rate" not in history:
        return None
    values = history["rate"]
    known = np.isfinite(values)
    if known.sum() < 2 or np.ptp(values[known]) == 0:
        return None
    return history["gen"][known], values[known]


def drop_repeats(trace: Trace) -> Trace:
    """Keep the rows of a trace where its value changes, the first and the last."""
    x, y = trace
    kept = np.ones(len(x), np.bool_)
    kept[1:-1] = y[1:-1] != y[:-2]
    return x[kept], y[kept]


def quartile_band(traces: list[Trace], *, keep_last: bool = True) -> QuartileBand:
    """Quartiles of curves; runs that have ended keep their last value, or no longer count."""
    first, last = max(float(x[0]) for x, _ in traces), max(float(x[-1]) for x, _ in traces)
    grid = np.unique(np.linspace(first, last, POINTS))
    if keep_last and last > max(first, 1.0):  # a logarithmic axis needs points at small efforts
        spaced = np.geomspace(max(first, 1.0), last, POINTS // 2).clip(first, last)
        grid = np.union1d(grid, spaced)
    rows = [
        np.where((grid <= x[-1]) | keep_last, y[np.searchsorted(x, grid, side="right") - 1], np.nan)
        for x, y in traces
    ]
    method: Any = "inverted_cdf" if keep_last else "linear"
    quartiles = np.nanquantile(np.array(rows), (0.25, 0.5, 0.75), axis=0, method=method)
    return QuartileBand(grid, quartiles, len(traces))


Place = tuple[int, int]  # the indices of an arm and an instance in the study
MAX_HISTORIES = 30_000  # for all curves of a report
MOST, FEWEST = 200, 20  # histories for an arm on a puzzle
MOST_CURVES = 8  # algorithms in one chart


@dataclass(frozen=True)
class ArmFacts:
    """What a report says about an algorithm beside its recipe."""

    fitness_name: str  # with all parameters
    kind: str  # the algorithm inside restarts and islands: genetic, annealing, …
    rate_word: str  # the name of its rate
    fitness: Fitness | None  # None for users' own code that is not installed or not trusted


@dataclass(frozen=True, eq=False)
class ReportData:
    """A study, its runs, and curves of their histories."""

    study: Study
    results: Results
    failures: list[Failure]
    version: str  # of genoku, which made the runs
    arms: tuple[ArmFacts, ...]
    quality: Quality
    at_equal: dict[Effort, EqualBudget]
    curves: dict[Place, QuartileBand]  # quality over evaluations
    rates: dict[Place, QuartileBand]  # adapted rates over steps
    rows_of: dict[Place, NDArray[np.int64]]  # rows in `results`
    boards: dict[int, tuple[int, bytes]]  # of each puzzle's best run, with its row in `results`

    def knows_quality(self, effort: Effort) -> bool:
        """Whether the quality of every run is known at the common budgets."""
        return not np.isnan(self.at_equal[effort].quality).any()

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the algorithms in tables and figures."""
        return arm_labels(self.study.arms)

    def bold(self, arm: int) -> str:
        """Return an algorithm's name for a sentence."""
        return f"**{literal(self.names[arm])}**"

    def italic(self, instance: int) -> str:
        """Return a puzzle's name for a sentence."""
        return f"*{literal(self.study.instances[instance].name)}*"

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The arms, ordered by the share of runs they solve, then by their mean errors left."""

        def merit(arm: int) -> tuple[float, float]:
            own = self.results.of(arm)
            return (-float(own.solved.mean()), float(own.errors.mean())) if len(own) else (1.0, 0.0)

        return tuple(sorted(range(len(self.study.arms)), key=merit))

    def leaders(self, most: int) -> list[int]:
        """Return the best arms, at most `most`, in the order of the study."""
        return sorted(self.order[:most])

    @cached_property
    def colours(self) -> tuple[int, ...]:
        """A place in the palette for every arm; the arms with curves have the first places."""
        arms, first = range(len(self.study.arms)), self.leaders(MOST_CURVES)
        places = [*first, *(arm for arm in arms if arm not in first)]
        return tuple(map(places.index, arms))

    @cached_property
    def cells(self) -> dict[Place, Results]:
        """The runs of every arm on every puzzle."""
        return {place: self.results.where(rows) for place, rows in self.rows_of.items()}

    @cached_property
    def solved_without_search(self) -> set[Place]:
        """Where rules such as singles solve a puzzle before an algorithm's first step."""
        found = set()
        for (arm, instance), own in self.cells.items():
            if (own.solved & (own.steps == 0)).any():
                with suppress(GenokuError):  # users' own code that is not installed
                    encoding = self.study.arms[arm].algorithm().encoding
                    if not was_searched(encoding.space(self.study.instances[instance].puzzle), 0):
                        found.add((arm, instance))
        return found

    @cached_property
    def primary(self) -> Effort:
        """The effort that algorithms are compared by."""
        return fair_effort((arm.until for arm in self.study.arms), (arm.kind for arm in self.arms))


def read_report_data(store: Store) -> ReportData:
    """Read a store once, history by history."""
    study, results = store.study, store.results()
    facts = tuple(_facts(arm) for arm in study.arms)
    has_one_fitness = len({each.fitness_name for each in facts}) == 1
    # Stores of version 0.1.0 did not record errors; losses of one fitness function compare as well.
    by_loss = "errors" not in study.record.fields and has_one_fitness
    quality: Quality = "loss" if by_loss else "errors left"
    final = (results.loss if by_loss else results.errors).astype(np.float64)
    at_equal: dict[Effort, EqualBudget] = {
        effort: cut_at_equal_budget(results, final, len(study.instances), effort)
        for effort in EFFORTS
    }
    groups = _rows(results)
    best = _best_rows(groups, results)
    is_drawn = np.zeros(len(results), np.bool_)  # all histories, or some spread over the seeds
    most = min(MOST, max(FEWEST, MAX_HISTORIES // max(len(groups), 1)))
    for rows in groups.values():
        is_drawn[rows[evenly_spaced(len(rows), most)]] = True
    cuts = [(each, np.isfinite(each.cut_at)) for each in at_equal.values()]
    keys = np.column_stack((results.arm, results.instance, results.seed)).tolist()
    places = {tuple(key): row for row, key in enumerate(keys)}
    traces: dict[Place, list[Trace]] = defaultdict(list)
    rates: dict[Place, list[Trace]] = defaultdict(list)
    boards: dict[int, tuple[int, bytes]] = {}
    for stored in store.rows():
        row = places.get((stored.arm, stored.instance, stored.seed))
        if row is None:  # written after the results were read
            continue
        if best.get(stored.instance) == row:
            boards[stored.instance] = (row, stored.board)
        if not (is_drawn[row] or any(beyond[row] for _, beyond in cuts)):
            continue
        history = history_of(stored, store.path)
        geometry = study.instances[stored.instance].puzzle.geometry
        trace = quality_trace(history, quality, facts[stored.arm].fitness, geometry, stored)
        if trace is not None:
            for each, beyond in cuts:
                if beyond[row]:
                    at = max(0, int(np.searchsorted(trace[0], each.cut_at[row], "right")) - 1)
                    each.quality[row] = trace[1][at]
        if is_drawn[row]:
            if trace is not None:
                traces[stored.arm, stored.instance].append(drop_repeats(trace))
            if (changing := rate_trace(history)) is not None:
                rates[stored.arm, stored.instance].append(drop_repeats(changing))
    return ReportData(
        study,
        results,
        store.failures(),
        store.genoku,
        facts,
        quality,
        at_equal,
        {place: quartile_band(each) for place, each in traces.items()},
        {place: quartile_band(each, keep_last=False) for place, each in rates.items()},
        groups,
        boards,
    )


def _facts(arm: Arm) -> ArmFacts:
    recipe: Any = arm.recipe
    while isinstance(inner := recipe.get("algorithm"), Mapping):
        recipe = inner
    rate_word, fitness = "rate", None
    with suppress(GenokuError):  # users' own code that is not installed or not trusted
        rate_word = as_search(arm.algorithm()).rate_name
    with suppress(GenokuError):
        fitness = arm.fitness()
    name = setting_text(arm.named_fitness if fitness is None else describe(fitness))
    return ArmFacts(name, str(recipe.get("use")), rate_word, fitness)


def _rows(results: Results) -> dict[Place, NDArray[np.int64]]:
    places: dict[Place, list[int]] = defaultdict(list)
    for row, place in enumerate(zip(results.arm.tolist(), results.instance.tolist(), strict=True)):
        places[place].append(row)
    return {place: np.array(places[place]) for place in sorted(places)}


def _best_rows(groups: Mapping[Place, NDArray[np.int64]], results: Results) -> dict[int, int]:
    """For each puzzle the best run of the algorithm that solves most, or comes closest."""
    merits: dict[int, list[tuple[float, float, float, int]]] = defaultdict(list)
    for (arm, instance), rows in groups.items():
        solved, errors = results.solved[rows], float(np.median(results.errors[rows]))
        expected = statistics.ert(results.evaluations[rows], solved)
        merits[instance].append((-float(solved.mean()), expected, errors, arm))
    found = {}
    for instance, each in merits.items():
        rows = groups[min(each)[-1], instance]
        keys = (results.evaluations[rows], results.errors[rows], ~results.solved[rows])
        found[instance] = int(rows[np.lexsort(keys)[0]])
    return found


def arm_labels(arms: Sequence[Arm]) -> tuple[str, ...]:
    """Name arms briefly for tables and figures: points of a grid by their settings.

    The base's name comes first if there are several grids, or if the base itself takes part.
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
    """Format a setting in a name: a part alone, a number with its key."""
    if isinstance(value, Mapping) or (isinstance(value, str) and value):
        return setting_text(value)
    return f"{key.rpartition('.')[2]}={setting_text(value)}"


Measure = Effort | Quality | Literal["nothing"]
MOST_TESTS = 5000
FEWEST_PUZZLES = 6  # with fewer, Wilcoxon's test cannot give p < 0.05


@dataclass(frozen=True)
class PairwiseResult:
    """A comparison of two algorithms on one puzzle; the first is better if A12 is above 0.5."""

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
        """The algorithm that seems better."""
        return self.first if self.a12 >= 0.5 else self.second

    @property
    def worse(self) -> int:
        return self.second if self.a12 >= 0.5 else self.first

    @property
    def effect(self) -> float:
        """A12 of the better algorithm: 0.5 or more."""
        return max(self.a12, 1 - self.a12)


@dataclass(frozen=True)
class OverallResult:
    """A comparison of two algorithms over all puzzles, which are pairs.

    `ahead` and `behind` count the puzzles on which the better one seems better, or worse. The
    better one has the greater sum of ranks, on which the test is based; it may be ahead on fewer.
    """

    better: int
    worse: int
    ahead: int
    behind: int
    p: float
    corrected: float = 1.0


TestResult = TypeVar("TestResult", "PairwiseResult", "OverallResult", "MainEffect")


def ranked_samples(
    data: ReportData, effort: Effort, instance: int, arms: list[int]
) -> list[Floats]:
    """Rank the runs of some arms on a puzzle by how well they did."""
    at_equal = data.at_equal[effort]
    rows = [data.rows_of[arm, instance] for arm in arms]
    together = np.concatenate(rows)
    ranks = dominance_ranks(at_equal.efforts[together], at_equal.quality[together])
    return np.split(ranks, np.cumsum([len(each) for each in rows])[:-1])


def pairwise_results(data: ReportData, effort: Effort) -> list[PairwiseResult]:
    """Compare all pairs of algorithms on every puzzle, with Holm's correction over all of them."""
    study = data.study
    if too_many_pairs(data):
        return []
    found: list[PairwiseResult] = []
    for instance in range(len(study.instances)):
        for first, second in combinations(range(len(study.arms)), 2):
            if {(first, instance), (second, instance)} <= data.rows_of.keys():
                one, two = ranked_samples(data, effort, instance, [first, second])
                test = statistics.mann_whitney(one, two)
                effect = statistics.a12(one, two).a12
                found.append(PairwiseResult(first, second, instance, test.sizes, effect, test.p))
    return _apply_holm(found)


def _apply_holm(found: list[TestResult]) -> list[TestResult]:
    """Set `corrected` to the p-values after Holm's correction."""
    corrected = statistics.holm([each.p for each in found]).tolist()
    return [replace(each, corrected=p) for each, p in zip(found, corrected, strict=True)]


def too_many_pairs(data: ReportData) -> str:
    """Say why pairs are not compared, if there are too many; else empty."""
    count = math.comb(len(data.study.arms), 2) * len(data.study.instances)
    if count <= MOST_TESTS:
        return ""
    return (
        f"Algorithms are not compared in pairs: {count:,} comparisons would be needed, and the "
        f"limit is {MOST_TESTS:,}."
    )


def sample_size_hint(data: ReportData, effort: Effort, pair: PairwiseResult, tests: int) -> str:
    """Say how many runs might show a difference, corrected for the number of tests."""
    one, two = ranked_samples(data, effort, pair.instance, [pair.better, pair.worse])
    return statistics.hint(one, two, tests=tests, corrected=pair.corrected)


def mean_ranks(data: ReportData, effort: Effort) -> Floats:
    """Mean ranks of the arms' runs, `[instances, arms]`; lower is better."""
    arms = list(range(len(data.study.arms)))
    table = []
    for instance in range(len(data.study.instances)):
        ranked = ranked_samples(data, effort, instance, arms)
        sizes = np.cumsum([len(each) for each in ranked])[:-1]
        shared = np.split(statistics.midranks(np.concatenate(ranked)), sizes)
        table.append([each.mean() for each in shared])
    return np.array(table)


def friedman_test(data: ReportData, effort: Effort) -> statistics.Friedman | str:
    """Friedman's test of all algorithms over all puzzles, or the reason why there is none."""
    arms, instances = len(data.study.arms), len(data.study.instances)
    if arms < 3 or instances < 3:
        return (
            "Friedman's test and the critical-difference diagram require at least three algorithms "
            f"and three puzzles; this study has {arms} and {instances}."
        )
    if len(data.cells) < arms * instances:
        return "Friedman's test requires runs of every algorithm on every puzzle; some are missing."
    test = statistics.friedman(mean_ranks(data, effort))
    if test.note and not data.knows_quality(effort):
        any_solved = np.isfinite(data.at_equal[effort].efforts).any()
        much = "all do equally well on every puzzle" if any_solved else "nothing was solved"
        return (
            f"Friedman's test: the {data.quality} at the common budget is unknown for some runs, "
            f"so algorithms are ranked by solved runs only, and at equal {effort} {much}."
        )
    return f"Friedman's test: {test.note}." if test.note else test


def overall_results(data: ReportData, found: list[PairwiseResult]) -> list[OverallResult] | str:
    """Wilcoxon's test of every pair over the puzzles, or the reason why there is none."""
    arms, instances = len(data.study.arms), len(data.study.instances)
    if arms < 2:
        return ""
    if instances < FEWEST_PUZZLES:
        return (
            f"A paired test over puzzles requires at least {FEWEST_PUZZLES} of them to reach "
            f"p < {statistics.LEVEL:g}; this study has {instances}."
        )
    if not found:  # too many pairs, which is reported elsewhere
        return ""
    effects: dict[tuple[int, int], list[float]] = {}
    for pair in found:
        effects.setdefault((pair.first, pair.second), []).append(round(pair.a12 - 0.5, 12))
    made = []
    for (first, second), each in effects.items():
        test = statistics.wilcoxon(each, np.zeros(len(each)))
        ahead, behind = sum(value > 0 for value in each), sum(value < 0 for value in each)
        ranks = (ahead + behind) * (ahead + behind + 1) / 2
        better = OverallResult(first, second, ahead, behind, test.p)
        worse = OverallResult(second, first, behind, ahead, test.p)
        made.append(better if test.statistic >= ranks / 2 else worse)
    return _apply_holm(made)


Stratum = tuple[int, int, int]  # two arms that differ in one setting, and a puzzle


@dataclass(frozen=True)
class Reversal:
    """A value of another setting with which the difference seems reversed.

    Its p is corrected over all values of the other settings.
    """

    key: str
    value: str
    a12: float
    p: float


@dataclass(frozen=True)
class MainEffect:
    """A comparison of two values of a setting over all other settings and all puzzles.

    The first value is the one that seems better: its A12 is 0.5 or more.
    """

    key: str
    values: tuple[str, str]
    shares: tuple[statistics.Proportion, statistics.Proportion]
    effect: statistics.Effect
    p: float
    corrected: float = 1.0
    reversals: tuple[Reversal, ...] = ()

    @property
    def differs(self) -> bool:
        return self.corrected < statistics.LEVEL


def grid_settings(data: ReportData) -> dict[str, list[str]]:
    """The settings that a grid varies, with their values in order."""
    found: dict[str, list[str]] = {}
    for arm in data.study.arms:
        for key, value in arm.settings.items():
            if (text := setting_text(value)) not in found.setdefault(key, []):
                found[key].append(text)
    return {key: values for key, values in found.items() if len(values) > 1}


def main_effects(data: ReportData) -> list[MainEffect]:
    """Compare all pairs of values of every setting but the budget, with Holm's correction.

    Empty if there are too many to test.
    """
    pairs = {
        (key, values): strata
        for key, each in grid_settings(data).items()
        if key != "until"
        for values in combinations(each, 2)
        if (strata := _strata(data, key, values))
    }
    if sum(map(len, pairs.values())) > MOST_TESTS:
        return []
    return _apply_holm([_main_effect(data, *pair, strata) for pair, strata in pairs.items()])


def _strata(data: ReportData, key: str, values: tuple[str, str]) -> list[Stratum]:
    """Pairs of arms that differ only in these values, on each puzzle that both ran on."""
    places: dict[tuple[object, ...], dict[str, int]] = {}
    for place, arm in enumerate(data.study.arms):
        if key in arm.settings:
            others = sorted((k, setting_text(v)) for k, v in arm.settings.items() if k != key)
            alike = (arm.name.split(", ")[0], arm.until, *others)
            places.setdefault(alike, {})[setting_text(arm.settings[key])] = place
    return [
        (*arms, instance)
        for at in places.values()
        if all(value in at for value in values)
        for arms in [(at[values[0]], at[values[1]])]
        for instance in range(len(data.study.instances))
        if all((arm, instance) in data.rows_of for arm in arms)
    ]


def _main_effect(
    data: ReportData, key: str, values: tuple[str, str], strata: list[Stratum]
) -> MainEffect:
    ranked = _stratum_samples(data, strata)
    if statistics.stratified_a12(ranked).a12 < 0.5:  # the better value first
        values = values[1], values[0]
        strata = [(two, one, instance) for one, two, instance in strata]
        ranked = [(two, one) for one, two in ranked]
    first, second = (
        statistics.Proportion.of(
            np.concatenate([data.cells[each[side], each[2]].solved for each in strata])
        )
        for side in (0, 1)
    )
    reversals = tuple(_reversals(data, key, strata))
    effect, p = statistics.stratified_a12(ranked), statistics.van_elteren(ranked).p
    return MainEffect(key, values, (first, second), effect, p, reversals=reversals)


def _stratum_samples(data: ReportData, strata: list[Stratum]) -> list[tuple[Floats, Floats]]:
    made = [ranked_samples(data, data.primary, at, [one, two]) for one, two, at in strata]
    return [(one, two) for one, two in made]


def _reversals(data: ReportData, key: str, strata: list[Stratum]) -> Iterator[Reversal]:
    """Find values of other settings with which the second value seems better."""
    arms = data.study.arms
    parts: dict[tuple[str, str], list[Stratum]] = {}
    for each in strata:
        for other, value in arms[each[0]].settings.items():
            if other != key:
                parts.setdefault((other, setting_text(value)), []).append(each)
    ranked = [_stratum_samples(data, part) for part in parts.values()]
    corrected = statistics.holm([statistics.van_elteren(each).p for each in ranked]).tolist()
    for (other, value), part, p in zip(parts, ranked, corrected, strict=True):
        if (effect := statistics.stratified_a12(part).a12) < 0.5:
            yield Reversal(other, value, effect, p)


def comparison_measure(data: ReportData, pair: PairwiseResult) -> Measure:
    """What a pair is compared by: the effort to solve, or quality if neither solved anything.

    "nothing" if the quality of some runs is unknown.
    """
    at_equal, both = data.at_equal[data.primary], (pair.first, pair.second)
    rows = np.concatenate([data.rows_of[arm, pair.instance] for arm in both])
    if np.isfinite(at_equal.efforts[rows]).any():
        return data.primary
    return data.quality if np.isfinite(at_equal.quality[rows]).all() else "nothing"
