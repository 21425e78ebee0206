"""Report 002: 21 experiments as coded and as described, and what follows from five runs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from genoku import preset
from genoku.evolve import variants
from genoku.evolve.fitness import Repetitions
from genoku.lab import Store
from genoku.lab.claims import (
    ALPHA,
    Contrast,
    Judgement,
    Verdict,
    across_readings,
    all_of,
    compare,
    fact,
    judge,
    p_text,
    share_above,
    too_few,
)
from genoku.lab.report.charts import IntervalChart, IntervalMark, LineChart, ReferenceLine
from genoku.lab.report.page import Column, Figure, Part, Table
from genoku.lab.statistics import (
    Moments,
    Proportion,
    Sample,
    a12,
    holm,
    runs_for_a12,
    smallest_p,
    student,
    welch,
)
from genoku.reports import Experiment, Setting as PrintedSetting, reports
from genoku.runtime.text import format_count
from reproductions import Findings, band, published

PUBLISHED = published("002")
REPORT = reports()["002"]
FIRST = REPORT.experiment("1.1")
RUNS = FIRST.runs
GENERATIONS = FIRST.generations or 0
LONG = REPORT.experiment("5.1").generations or 0
"""As in the charts of experiment 5; the text says 100."""
CODED, DESCRIBED = VERSIONS = ("as coded", "as described")
"""What its published code does, from which its tables come, and what its text says."""

LINEAR = 1.1
"""Up to this factor, seconds per individual count as the same."""

MOST = 10_000
"""Runs on each side beyond which nobody would look for a difference."""


class Setting(NamedTuple):
    """An algorithm of the report and its puzzle."""

    fitness: str
    selection: str
    crossover: str
    mutation: str
    puzzle: str
    population: int
    elite: bool

    @property
    def same(self) -> Setting:
        """The setting whose runs are these runs.

        Unique and repetitions order boards alike, and rank and tournament use only the order.
        """
        alike = self.fitness == "repetitions" and self.selection != "roulette"
        return self._replace(fitness="unique") if alike else self

    def preset(self, version: str) -> str:
        """The name of its preset; the population is a setting."""
        labels = [
            "charles",
            self.fitness if self.fitness != "unique" else "",
            self.selection if self.selection != "rank" else "",
            self.crossover if self.crossover != "two" else "",
            "uniform" if self.mutation == "uniform" else "",
            "elite" if self.elite else "",
            version.replace(" ", "-") if version == CODED else "",
        ]
        return "-".join(filter(None, labels))


class Value(NamedTuple):
    """A published mean with its deviation, and the setting it is of."""

    experiment: str
    label: str
    setting: Setting
    moments: Moments
    seconds: float | None


WORDS: dict[Any, str] = {
    "roulette": "fitness-proportional",
    "single": "single point",
    "two": "two-point",
    "unique-squared": "unique²",
    "very-easy": "very easy",
    "very-hard": "very hard",
    False: "no elitism",
    True: "elitism",
}


def word(value: Any) -> str:
    return WORDS.get(value, str(value))


USUAL = Setting(
    fitness="unique",
    selection="rank",
    crossover="two",
    mutation="swap",
    puzzle="hard",
    population=FIRST.population or 0,
    elite=False,
)
"""What a row of a table does not say is as here."""


def _setting(one: PrintedSetting, experiment: Experiment) -> Setting:
    """The setting of a row, from the labels in the name of its preset."""
    own = f"-{one.preset}-"
    labels = {
        axis: label
        for axis, choices in variants("charles").items()
        for label in choices
        if f"-{label}-" in own
    }
    populations = [int(each.removeprefix("population=")) for each in one.changes]
    return Setting(
        fitness=labels.get("fitness", USUAL.fitness),
        selection=labels.get("selection", USUAL.selection),
        crossover=labels.get("crossover", USUAL.crossover),
        mutation=labels.get("mutation", USUAL.mutation),
        puzzle=(one.board or experiment.boards[0]).replace("_", "-"),
        population=populations[0] if populations else USUAL.population,
        elite="elitism" in labels,
    )


def _values(experiment: Experiment) -> Iterator[Value]:
    for each in experiment.settings:
        name = each.row.replace("_", " ")
        label = f"population {name}" if each.changes else name
        mean, sd, seconds = (each.printed.get(key) for key in ("mean", "sd", "seconds"))
        moments = Moments(float(mean or 0), float(sd or 0), experiment.runs)
        yield Value(
            experiment=experiment.id,
            label=label,
            setting=_setting(each, experiment),
            moments=moments,
            seconds=None if seconds is None else float(seconds),
        )


EXPERIMENTS = {each.id: tuple(_values(each)) for each in REPORT.experiments}
ABOUT = {each.id: each.title for each in REPORT.experiments}
VALUES = tuple(value for values in EXPERIMENTS.values() for value in values)


class Difference(NamedTuple):
    """A difference that the report calls significant."""

    better: Value
    worse: Value
    level: float

    @property
    def p(self) -> float:
        """Student's p from the published means, deviations and five runs."""
        return student(self.better.moments, self.worse.moments).p

    def __str__(self) -> str:
        better, worse = self.better, self.worse
        if better.experiment != worse.experiment:
            both = f"{better.experiment} and {worse.experiment}"
            return f"{both}, {better.label}: rank beats tournament"
        return f"{better.experiment}: {better.label} beats {worse.label}"


def _value(at: list[Any]) -> Value:
    name, place = at
    found: Value = EXPERIMENTS[name][place]
    return found


DIFFERENCES = tuple(
    Difference(_value(each["better"]), _value(each["worse"]), each["level"])
    for each in PUBLISHED["tests"]
)


@dataclass(frozen=True, eq=False)
class Runs:
    """The runs of a setting, one per seed."""

    losses: Sample
    """Normalized loss of the last population's best, which the report tabulates."""
    curves: Sample
    """`[seed, row]`: normalized loss of the population's best."""
    every: int
    repetitions: Sample
    """Of each run's best board: the same yardstick whatever the fitness."""
    solved: NDArray[np.bool_]
    cpu_seconds: Sample

    def after(self, generation: int) -> Sample:
        """Return the losses after some generations."""
        return self.curves[:, generation // self.every]

    @classmethod
    def of(cls, store: Store, arm: int, instance: int) -> Runs:
        study = store.study
        kept, every = list(store.histories(arm, instance)), study.record.every
        fitness = "unique-squared" if "unique-squared" in study.arms[arm].name else "unique"
        worst = REPORT.value(f"loss-{fitness}")
        rows = int(study.arms[arm].until.partition("=")[2]) // every + 1
        curves = np.empty((len(kept), rows))
        for curve, (row, history) in zip(curves, kept, strict=True):
            best = history["best"][history["gen"] % every == 0]
            curve[:] = row.final_cost  # holds where a solved run ended early
            curve[: len(best)] = best
        boards = np.array([np.frombuffer(row.board, np.uint8) for row, _ in kept])
        return cls(
            np.array([row.final_cost / worst for row, _ in kept]),
            curves / worst,
            every,
            Repetitions().costs(boards, study.instances[instance].puzzle).astype(np.float64),
            np.array([row.solved for row, _ in kept]),
            np.array([row.cpu_seconds for row, _ in kept]),
        )


class ReportRuns(dict[tuple[str, int, str], Runs]):
    """All runs, by preset, population and puzzle."""

    @classmethod
    def read(cls, stores: Mapping[str, Store]) -> ReportRuns:
        return cls(
            (
                (
                    arm.name.partition(",")[0],
                    arm.settings.get("population", USUAL.population),
                    each.name.removeprefix("charles-"),
                ),
                Runs.of(store, one, two),
            )
            for store in stores.values()
            for one, arm in enumerate(store.study.arms)
            for two, each in enumerate(store.study.instances)
        )

    @staticmethod
    def key(setting: Setting, version: str) -> tuple[str, int, str]:
        same = setting.same
        return same.preset(version), same.population, same.puzzle

    def of(self, setting: Setting, version: str = CODED) -> Runs:
        return self[self.key(setting, version)]


def findings(stores: Mapping[str, Store]) -> Findings:
    runs = ReportRuns.read(stores)
    coded = preset("charles-as-coded")
    parts: dict[str, Part] = {
        "published": published_table(),
        "selection": selection_curves(runs),
        **population_parts(runs),
        "comparisons": comparisons(runs),
        "same-algorithm": same_algorithm(),
        "solved": solved_table(runs),
    }
    for number, about in GROUPS.items():
        parts[f"figure-{number}"] = Figure(group_chart(number, about, runs), "")
        parts[f"table-{number}"] = group_table(number, runs)
    words = {
        "seeds": format_count(len(runs.of(USUAL).losses), "seed"),
        "chosen": "\n".join(f"- {each}" for each in (*coded.left_open, *coded.differs)),
        "agreement": agreement_text(runs),
        "asked": len(contrasts(runs, CODED)),
    }
    losses = [
        {
            "experiment": value.experiment,
            "value": value.label,
            "published": value.moments.mean,
            **{
                version: round(float(runs.of(value.setting, version).losses.mean()), 5)
                for version in VERSIONS
            },
        }
        for value in VALUES
    ]
    return Findings(judgements(runs), parts, words, {"losses": losses})


def judgements(runs: ReportRuns) -> dict[str, Judgement]:
    solved = Proportion.of(np.concatenate([each.solved for each in runs.values()]))
    shown = "No curve of its charts reaches 0. Of all our runs, solved: "
    return {
        **recommendations(runs),
        "linear-time": linear_time(runs),
        "hundred-generations": hundred_generations(runs),
        "significant": significant(),
        "deviation": deviation(),
        "significant-together": significant_together(),
        "solves": share_above(solved, 0.5, shown),
    }


# What it recommends -----------------------------------------------------------------------------


class Pair(NamedTuple):
    """Two settings with their names, the allegedly better one first."""

    better: Setting
    worse: Setting
    named: tuple[str, str]
    by: Literal["losses", "repetitions"] = "losses"


def vary_one(of: str, first: Any, second: Any, among: list[Setting]) -> list[Pair]:
    """Return pairs that differ in one thing, for each of some settings."""
    pairs = []
    for each in among:
        where = [each.fitness]
        if of in ("crossover", "mutation", "elite"):
            where.append(each.selection)
        named = f"{', '.join(map(word, where)).capitalize()}: {word(first)}", word(second)
        pairs.append(Pair(each._replace(**{of: first}), each._replace(**{of: second}), named))
    return pairs


UNIQUE, SQUARED = BOTH = [USUAL, USUAL._replace(fitness="unique-squared")]
UNIFORM = [each._replace(mutation="uniform") for each in BOTH]
ROULETTE = [each._replace(selection="roulette") for each in BOTH]
FOUR = [each._replace(selection=name) for each in BOTH for name in ("tournament", "rank")]
FOUR_UNIFORM = [each._replace(mutation="uniform") for each in FOUR]

RECOMMENDED: dict[str, list[Pair]] = {
    "rank-beats-tournament": vary_one("selection", "rank", "tournament", UNIFORM),
    "roulette-is-worst": [
        *vary_one("selection", "rank", "roulette", UNIFORM),
        *vary_one("selection", "tournament", "roulette", UNIFORM),
    ],
    "two-beats-single": vary_one("crossover", "two", "single", FOUR_UNIFORM),
    "two-beats-random": vary_one("crossover", "two", "random", FOUR_UNIFORM),
    "swap-beats-uniform": vary_one("mutation", "swap", "uniform", FOUR),
    "larger-population": [
        *vary_one("population", 500, 100, BOTH),
        *vary_one("population", 100, 20, BOTH),
    ],
    "elitism-helps-roulette": vary_one("elite", True, False, ROULETTE),
    "elitism-does-not-help": vary_one("elite", True, False, FOUR),
    "elitism-worsens-tournament": vary_one(
        "elite", False, True, [USUAL._replace(selection="tournament")]
    ),
    "very-easy-is-nearer": [
        *vary_one("puzzle", "very-easy", "moderate", [UNIQUE]),
        *vary_one("puzzle", "very-easy", "very-hard", [UNIQUE]),
    ],
    "very-hard-is-farther": [
        *vary_one("puzzle", "very-easy", "very-hard", [SQUARED]),
        *vary_one("puzzle", "moderate", "very-hard", [SQUARED]),
    ],
    "unique-squared": [
        Pair(
            SQUARED._replace(selection=name),
            UNIQUE._replace(selection=name),
            (f"{name.capitalize()}: unique²", "unique"),
            "repetitions",
        )
        for name in ("rank", "tournament")
    ],
}
"""The claims that all of some pairs must bear out; of `elitism-does-not-help`, none of them."""

CONTRARY: dict[Verdict, Verdict] = {"holds": "fails", "fails": "holds", "undecided": "undecided"}


def notes() -> dict[str, str]:
    """Return the text before the reason of some claims."""
    one, two = EXPERIMENTS["6.1.2"][0], EXPERIMENTS["3.1.1"][1]
    return {
        "unique-squared": "Repetitions left on the best board, as losses have different scales. ",
        "elitism-worsens-tournament": (
            f"The report ran the better one twice, {one.moments.mean:.3f} in {one.experiment} and "
            f"{two.moments.mean:.3f} in {two.experiment}: two samples of one algorithm that differ "
            f"with {p_text(student(one.moments, two.moments).p)} themselves. "
        ),
    }


def recommendations(runs: ReportRuns) -> dict[str, Judgement]:
    """Judge the runs as coded and as described; undecided if the two disagree."""
    coded, described = (judge_all(runs, version) for version in VERSIONS)
    found = {}
    for name, first in coded.items():
        second = described[name]
        if first == too_few():
            found[name] = first
        elif first.verdict == second.verdict:
            same = f"{first.because} With the operators as described: the same verdict."
            found[name] = replace(first, because=same)
        else:
            found[name] = across_readings({CODED: first, DESCRIBED: second})
    return found


def contrasts(runs: ReportRuns, version: str) -> dict[Pair, Contrast]:
    """Return all comparisons, so that Holm's correction covers all."""
    found = {}
    for pair in (pair for pairs in RECOMMENDED.values() for pair in pairs):
        one, two = (runs.of(setting, version) for setting in (pair.better, pair.worse))
        found[pair] = Contrast(*pair.named, (getattr(one, pair.by), getattr(two, pair.by)))
    return found


def judge_all(runs: ReportRuns, version: str) -> dict[str, Judgement]:
    asked = contrasts(runs, version)
    judged = dict(zip(asked, judge(list(asked.values())), strict=True))
    found = {}
    for name, pairs in RECOMMENDED.items():
        parts = [judged[pair] for pair in pairs]
        if name == "elitism-does-not-help":
            parts = [replace(part, verdict=CONTRARY[part.verdict]) for part in parts]
        whole = all_of(parts)
        if whole.because == too_few().because:
            whole = too_few()
        elif name in notes():
            whole = replace(whole, because=notes()[name] + whole.because)
        found[name] = whole
    return found


def linear_time(runs: ReportRuns) -> Judgement:
    values = EXPERIMENTS["5.1"]
    sizes = [each.setting.population for each in values]
    costs = [(each.seconds or math.nan) / size for each, size in zip(values, sizes, strict=True)]
    ours = [float(np.mean(runs.of(each.setting).cpu_seconds)) for each in values]
    ratio = ours[-1] / sizes[-1] / (ours[0] / sizes[0])
    said = ", ".join(f"{cost:.3f} ({size})" for size, cost in zip(sizes, costs, strict=True))
    because = (
        f"Its own seconds per individual are {said}: {100 * (costs[-1] / costs[0] - 1):.0f} % more "
        "at 500 than at 20. Its rank selection sorts the whole population for every parent. Ours "
        f"sorts once and shares fixed costs: at 500 an individual takes {ratio:.2f} times the CPU "
        f"of one at 20. (We ask: equal within {100 * (LINEAR - 1):.0f} %.)"
    )
    return fact(max(costs) <= LINEAR * min(costs), because)


def hundred_generations(runs: ReportRuns) -> Judgement:
    """Judge which of the two budgets matches the published values."""
    values = [each for each in VALUES if each.seconds is not None]
    short, long = (
        sum(
            p < ALPHA
            for p in holm(
                [welch_p(each.moments, runs.of(each.setting).after(at)) for each in values]
            )
        )
        for at in (GENERATIONS, LONG)
    )
    verdict: Verdict = "undecided"
    if short != long:
        verdict = "fails" if short > long else "holds"
    said = (
        f"Of its {len(values)} means, {short} differ from ours after {GENERATIONS:,} generations "
        f"and {long} differ from ours after {LONG:,} generations (Welch, Holm over {len(values)})."
    )
    if any(len(runs.of(each.setting).losses) < 2 for each in values):
        said = too_few().because
    return Judgement(verdict, f"Its charts go to {LONG:,}. {said}")


def welch_p(first: Moments, second: Sample) -> float:
    """Return Welch's p; 1 for single runs or equal ones."""
    p = welch(first, second).p if len(second) > 1 else math.nan
    return 1.0 if math.isnan(p) else p


# Its own tests and tables -----------------------------------------------------------------------


def significant() -> Judgement:
    """Recompute the published tests; our runs say whether the differences exist."""
    missed = [each for each in DIFFERENCES if each.p >= each.level]
    said = "; ".join(f"{each} ({p_text(each.p)}, not {each.level:g})" for each in missed)
    because = (
        "Student's test recomputed from published means, deviations and five runs: "
        f"{len(DIFFERENCES) - len(missed)} of {len(DIFFERENCES)} reach their level. Not so {said}."
    )
    return fact(not missed, because, missed=list(map(str, missed)))


def significant_together() -> Judgement:
    kept = int((holm([each.p for each in DIFFERENCES]) < ALPHA).sum())
    because = (
        f"With Holm's correction for these {len(DIFFERENCES)} alone (21 experiments were run) "
        f"{kept} stay below {ALPHA:g}."
    )
    return fact(kept == len(DIFFERENCES), because)


def deviation() -> Judgement:
    low, high = REPORT.value("chart-low-2.1.2"), REPORT.value("chart-high-2.1.2")
    (value,) = (each for each in EXPERIMENTS["2.1.2"] if each.label == "random")
    # Five values in a range spread most with two at one end and three at the other.
    most = (high - low) * math.sqrt(2 * 3 / (RUNS * (RUNS - 1)))
    because = (
        f"Its chart spans {low:g} to {high:g}, where five runs cannot deviate by more than "
        f"{most:.3f}; the mean is {value.moments.mean:.3f}, too."
    )
    return fact(value.moments.sd <= most, because)


def published_table() -> Table:
    rows = tuple(
        (
            name,
            ABOUT[name],
            ", ".join(f"{each.label} {spread_text(each.moments)}" for each in values),
        )
        for name, values in EXPERIMENTS.items()
    )
    return Table(("experiment", "varied", "normalized loss, mean ± standard deviation"), rows)


def spread_text(moments: Moments) -> str:
    """Format the mean and the standard deviation, which a single run does not have."""
    return f"{moments.mean:.3f}" + (f" ± {moments.sd:.3f}" if moments.n > 1 else "")


def agreement(runs: ReportRuns, version: str) -> list[float]:
    """Return Welch's p of every published mean against our runs, corrected for all."""
    raw = [welch_p(value.moments, runs.of(value.setting, version).losses) for value in VALUES]
    return [float(p) for p in holm(raw)]


def agreement_text(runs: ReportRuns) -> str:
    if len(runs.of(USUAL).losses) < 2:
        return too_few().because
    texts, roots = [], []
    for version in VERSIONS:
        p_values = zip(VALUES, agreement(runs, version), strict=True)
        differing = [f"{value.experiment} {value.label}" for value, p in p_values if p < ALPHA]
        named = f": {', '.join(differing)}" if differing else ""
        texts.append(f"**{version}** {len(differing)} of {len(VALUES)} differ{named}")
        losses = [(value, runs.of(value.setting, version).losses) for value in VALUES]
        distances = [value.moments.mean - own.mean() for value, own in losses]
        roots.append(f"{version} {np.sqrt(np.mean(np.square(distances))):.4f}")
    spreads = [Moments.of(runs.of(value.setting).losses).sd for value in VALUES]
    chance = np.sqrt(np.mean(np.square(spreads)) / RUNS)
    return (
        "Each published mean against ours, by Welch's t-test from its mean, deviation and five "
        f"runs, with Holm's correction over all {len(VALUES)}: {'; '.join(texts)}. Root mean "
        f"square distance between published and measured means: {', '.join(roots)} (chance alone "
        f"moves a mean of five runs by {chance:.4f})."
    )


def pairs_within() -> list[tuple[Value, Value]]:
    """Return the pairs to compare: values of an experiment, and the selections of experiment 1.

    Unique and repetitions are the same runs, and the loss of unique² has another scale.
    """
    of_fitness = [value for value in VALUES if value.experiment.startswith("1.")]
    found = [*combinations(of_fitness, 2)]
    found += [pair for values in EXPERIMENTS.values() for pair in combinations(values, 2)]
    return [
        (one, two)
        for one, two in found
        if one.setting.fitness == two.setting.fitness and one.setting != two.setting
    ]


def comparisons(runs: ReportRuns) -> Table:
    levels = {frozenset((each.better, each.worse)): each.level for each in DIFFERENCES}
    asked = contrasts(runs, CODED)
    tested = {
        frozenset((pair.better.same, pair.worse.same)): found.p
        for pair, found in zip(asked, compare(list(asked.values())), strict=True)
        if found.outcome != "too few"
    }
    rows = []
    for one, two in pairs_within():
        first, second = (runs.of(value.setting).losses for value in (one, two))
        effect = a12(first, second)
        needed = runs_for_a12(effect.a12)
        level = levels.get(frozenset((one, two)))
        p = tested.get(frozenset((one.setting.same, two.setting.same)))
        few = smallest_p(len(first), len(second)) >= ALPHA
        rows.append(
            (
                *_named(one, two),
                short_p(student(one.moments, two.moments).p),
                f"{100 * level:g} %" if level else "",
                "–" if p is None else short_p(p),
                "–" if few else f"{effect.a12:.2f}",
                "–" if few or needed is None or needed > MOST else f"{needed:,}",
            )
        )
    columns = (
        Column("experiment", align="left"),
        "compared",
        Column("published", "Student's p"),
        Column("said", "significant at"),
        Column("ours, Mann–Whitney", f"p, Holm over {len(asked)}"),
        Column("A12"),
        Column("runs needed", "each side"),
    )
    return Table(columns, tuple(rows))


def _named(one: Value, two: Value) -> tuple[str, str]:
    if one.experiment == two.experiment:
        return one.experiment, f"{one.label} – {two.label}"
    words = [word(value.setting.selection) for value in (one, two)]
    return f"{one.experiment}, {two.experiment}", f"{one.label}: {words[0]} – {words[1]}"


def short_p(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def same_algorithm() -> Table:
    groups: dict[Setting, list[Value]] = {}
    for value in VALUES:
        groups.setdefault(value.setting.same, []).append(value)
    rows = []
    for setting, values in groups.items():
        if len(values) > 1:
            smallest = min(
                student(one.moments, two.moments).p for one, two in combinations(values, 2)
            )
            means = ", ".join(f"{each.experiment}: {each.moments.mean:.3f}" for each in values)
            rows.append((", ".join(map(word, setting[:4])), means, f"{smallest:.3f}"))
    columns = (
        "algorithm",
        Column("published means", align="left"),
        Column("smallest p", "of two of them, Student"),
    )
    return Table(columns, tuple(rows))


def solved_table(runs: ReportRuns) -> Part:
    rows: list[tuple[str, ...]] = []
    once: dict[Setting, Value] = {}
    for value in VALUES:
        once.setdefault(value.setting.same, value)
    for value in once.values():
        counts = [runs.of(value.setting, version).solved for version in VERSIONS]
        if any(each.any() for each in counts):
            shares = tuple(f"{int(each.sum())} of {len(each)}" for each in counts)
            name = f"{value.experiment} {value.label}"
            rows.append((word(value.setting.puzzle), name, *shares))
    versions = (f"solved, {version}" for version in VERSIONS)
    columns: tuple[str | Column, ...] = ("puzzle", Column("setting", align="left"), *versions)
    return Table(columns, tuple(rows)) if rows else "None was solved, either."


# Published beside measured ----------------------------------------------------------------------

GROUPS = {
    "1": "fitness and selection",
    "2": "crossover",
    "3": "mutation",
    "4": "puzzles",
    "5": "population",
    "6": "elitism",
}


def group_chart(number: str, about: str, runs: ReportRuns) -> IntervalChart:
    ranges = []
    for value in (each for each in VALUES if each.experiment.startswith(f"{number}.")):
        name = f"{value.experiment} {value.label}"
        ranges.append(_range(name, value.moments, f"published ({RUNS} runs)"))
        for version in VERSIONS:
            losses = runs.of(value.setting, version).losses
            ranges.append(_range(name, Moments.of(losses), f"ours, {version} ({len(losses)})"))
    title = f"Experiment {number}: {about}"
    return IntervalChart(title, "normalized loss, mean ± standard deviation", tuple(ranges))


def _range(name: str, moments: Moments, series: str) -> IntervalMark:
    if moments.n < 2:
        return IntervalMark(name, moments.mean, None, None, series)
    return IntervalMark(
        name, moments.mean, moments.mean - moments.sd, moments.mean + moments.sd, series
    )


def group_table(number: str, runs: ReportRuns) -> Table:
    rows = []
    for name, values in EXPERIMENTS.items():
        for place, value in enumerate(values if name.startswith(f"{number}.") else ()):
            ours = [Moments.of(runs.of(value.setting, version).losses) for version in VERSIONS]
            first = ("", "") if place else (name, ABOUT[name].partition(": ")[2])
            rows.append((*first, value.label, *map(spread_text, (value.moments, *ours))))
    columns: tuple[str | Column, ...] = (
        Column("experiment", align="left"),
        "",
        "value",
        Column("published", f"{RUNS} runs"),
        *(
            Column(f"ours, {name}", format_count(len(runs.of(USUAL, name).losses), "run"))
            for name in VERSIONS
        ),
    )
    return Table(columns, tuple(rows))


def _curves(named: Mapping[str, Setting], runs: ReportRuns, title: str, **other: Any) -> LineChart:
    series = []
    for place, (name, setting) in enumerate(named.items()):
        own = runs.of(setting)
        x = np.arange(own.curves.shape[1]) * own.every
        series.append(band(name, own.curves, place, x=x))
    return LineChart(title, "generation", "normalized loss", tuple(series), **other)


def selection_curves(runs: ReportRuns) -> Figure:
    charts = []
    for each in UNIFORM:
        named = {
            word(selection): each._replace(selection=selection)
            for selection in ("roulette", "tournament", "rank")
        }
        charts.append(_curves(named, runs, f"Loss by generation: {word(each.fitness)}"))
    return Figure(tuple(charts), "")


def population_parts(runs: ReportRuns) -> dict[str, Part]:
    charts = []
    rows = []
    budget = (ReferenceLine(GENERATIONS, "the text's budget", "x"),)
    for name in ("5.1", "5.2"):
        values = EXPERIMENTS[name]
        named = {value.label: value.setting for value in values}
        title = f"Experiment {name}: {word(values[0].setting.same.fitness)}"
        charts.append(_curves(named, runs, title, levels=budget))
        for value in values:
            own = runs.of(value.setting)
            rows.append(
                (
                    name,
                    value.setting.population,
                    spread_text(value.moments),
                    *_comparison_text(value, own.after(GENERATIONS)),
                    *_comparison_text(value, own.after(LONG)),
                    value.seconds,
                    float(own.cpu_seconds.mean()),
                )
            )
    columns = (
        "",
        "population",
        "published",
        Column("ours", f"after {GENERATIONS}"),
        Column("p"),
        Column("ours", f"after {LONG:,}"),
        Column("p"),
        Column("its time", "s", 1),
        Column("our CPU", "s", 3),
    )
    return {"population": Figure(tuple(charts), ""), "budgets": Table(columns, tuple(rows))}


def _comparison_text(value: Value, losses: Sample) -> tuple[str, str]:
    """Format our mean, and whether it differs from the published one."""
    p = p_text(welch_p(value.moments, losses)).lstrip("p= ") if len(losses) > 1 else "–"
    return f"{losses.mean():.3f}", p
