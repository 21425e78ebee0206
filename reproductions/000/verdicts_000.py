"""Report 000, As Poderosas: 27 combinations, three puzzles, four experiments; its claims judged."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations, product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from genoku import bundled, preset
from genoku.evolve.fitness import Normalised
from genoku.lab import Store
from genoku.lab.claims import (
    ALPHA,
    FEWEST,
    Contrast,
    Judgement,
    across_readings,
    all_of,
    best_of,
    equivalent,
    fact,
    interval_text,
    judge,
    median_interval,
    p_text,
    share_above,
    too_few,
    within,
)
from genoku.lab.report.charts import (
    BoardGallery,
    BoardPicture,
    HeatMap,
    LineChart,
    RankDiagram,
    ReferenceLine,
    Series,
    numbers,
)
from genoku.lab.report.page import Cell, Column, Figure, Part, Table
from genoku.lab.statistics import (
    Friedman,
    Proportion,
    a12,
    cliques,
    critical_difference,
    friedman,
)
from genoku.reports import Experiment as PrintedExperiment, reports
from genoku.runtime.text import format_count
from reproductions import Findings, band, published

PUBLISHED = published("000")
ORDERS: dict[str, list[str]] = PUBLISHED["orders"]
REPORT = reports()["000"]
GENERATIONS = REPORT.experiments[0].generations or 0
LONG = 1000
"""Generations of the longer runs."""
PUZZLES = ("easy", "medium", "difficult", "difficult-21")
"""As printed; `difficult-21` is the difficult one with the given that its print has lost."""
PRINTED, SOLVABLE = PUZZLES[:3], PUZZLES[1:]
PRINTED_FITNESS = {
    name: float(fitness or 0)
    for name, (_, fitness) in zip(PRINTED, REPORT.table("puzzles").rows, strict=True)
}
READABLE = 0.01
"""Fitness that can be told apart in a printed chart: "barely", "converged" mean less than this."""
QUICK = int(REPORT.value("easy-generations"))
"""Generations after which most configurations of Figure 12 are high, which it calls quick."""
AFTER = 20
"""Generations that "after 80 generations" may be off."""
CROSSOVERS = {"row": "row", "column": "single column", "point": "single point", "pmx": "PMX"}

Values = NDArray[np.float64]


class Model(NamedTuple):
    """A combination of the report: its selection, crossover and mutation."""

    selection: str
    crossover: str
    mutation: str

    def __str__(self) -> str:
        return f"{self.selection}, {CROSSOVERS[self.crossover]}, {self.mutation} swap"


class Setting(NamedTuple):
    """The parameters of an experiment."""

    population: int
    tournament: int
    rate: float

    def __str__(self) -> str:
        return f"population {self.population}, tournament {self.tournament}, rate {self.rate:g}"


class Experiment(NamedTuple):
    """One of the four experiments: its parameters, its models, and its figures by puzzle."""

    number: int
    setting: Setting
    models: tuple[Model, ...]
    figures: dict[str, int]


class Reading(NamedTuple):
    """A reading of what the report leaves open."""

    swap: str = "redraw"
    """In a unit with fewer than two blanks: draw another, or skip the mutation."""
    rank: str = "linear"
    """How the chances rise with the rank."""


class Wish(NamedTuple):
    """A tournament model with an operator that the report proposes, or its control."""

    encoding: str
    crossover: str
    mutation: str
    unit: str

    def __str__(self) -> str:
        return f"{self.encoding}, {CROSSOVERS[self.crossover]}, {self.unit} {self.mutation}"


def models(*selections: str) -> tuple[Model, ...]:
    """In the report's order: selection outermost, mutation innermost."""
    return tuple(
        Model(*each) for each in product(selections, ORDERS["crossover"], ORDERS["mutation"])
    )


def selections_of(experiment: PrintedExperiment) -> list[str]:
    """The selections that an experiment compares, in the report's order."""
    words = {each.labels["selection"] for each in experiment.settings}
    return [each for each in ORDERS["selection"] if any(word.startswith(each) for word in words)]


TOURNAMENTS = models("tournament")
EXPERIMENTS = tuple(
    Experiment(
        number=int(each.id),
        setting=Setting(
            population=each.population or 0,
            tournament=int(each.parameters["tournament size"]),
            rate=each.parameters["mutation rate"],
        ),
        models=models(*selections_of(each)),
        figures=dict(zip(PRINTED, each.figures, strict=True)),
    )
    for each in REPORT.experiments
)
BASE, LARGER, WIDER, GENTLER = (each.setting for each in EXPERIMENTS)
DECLARED_BEST = Model(*PUBLISHED["declared_best"]["model"])
OURS = Reading()
SWAPS, RANKS = ("redraw", "skip"), ("linear", "flat", "steep")
INVERTED = tuple(
    Wish("free-cells", *each)
    for each in product(ORDERS["crossover"], ["inversion"], ORDERS["mutation"])
)
PERMUTED = tuple(
    Wish(f"permuted-{unit}s", crossover, mutation, unit)
    for unit in ("row", "column")
    for crossover, mutation in product((unit, "pmx"), ("swap", "inversion"))
)


def readings(*, easy: bool, ranked: bool) -> tuple[Reading, ...]:
    """Return the readings that matter: only the easy puzzle has units without two blanks."""
    swaps, ranks = (SWAPS if easy else SWAPS[:1]), (RANKS if ranked else RANKS[:1])
    return tuple(Reading(*each) for each in product(swaps, ranks))


def name_of(model: Model, setting: Setting, reading: Reading = OURS, elites: int = 0) -> str:
    """Name some runs; runs that are the same in two experiments have the same name."""
    parts = (
        f"{model}; population {setting.population}",
        f"tournament {setting.tournament}" if model.selection == "tournament" else "",
        f"rate {setting.rate:g}",
        f"{reading.rank} rank" if model.selection == "rank" and reading.rank != "linear" else "",
        "skipping" if reading.swap == "skip" else "",
        "one elite" if elites else "",
    )
    return ", ".join(filter(None, parts))


def name_of_recipe(recipe: Mapping[str, Any]) -> str:
    """The same of an arm of the studies."""
    selection, mutation, encoding = recipe["selection"], recipe["mutation"], recipe["encoding"]
    used = {"points": "row", "one-block": "column", "row-tails": "point"}
    crossover = used.get(recipe["crossover"]["use"], "pmx")
    if encoding["use"] != "free-cells" or mutation["use"] == "inversion":
        return str(Wish(encoding["use"], crossover, mutation["use"], mutation["unit"]))
    ratio = selection.get("ratio")
    reading = Reading(
        "skip" if mutation["use"] == "skipping-swap" else "redraw",
        "linear" if ratio is None else "flat" if ratio < 1 else "steep",
    )
    kind = "rank" if selection["use"].endswith("rank") else selection["use"]
    rate = recipe["adaptation"]["rate"]
    setting = Setting(recipe["population"], selection.get("size", 0), rate)
    model = Model(kind, crossover, mutation["unit"])
    return name_of(model, setting, reading, recipe["replacement"]["elites"])


def fitness(costs: Any) -> Any:
    """Convert conflicts to the report's scale."""
    return 1.0 - costs / REPORT.value("max-conflicts")


@dataclass(frozen=True, eq=False)
class ReportRuns:
    """Runs by name and puzzle, on the report's scale, under one reading of what it leaves open."""

    curves: dict[tuple[str, str], Values]
    """`[seed, row]`: best fitness of the population; a solved run stays at 1."""
    solved: dict[tuple[str, str], NDArray[np.bool_]]
    every: int = 1
    reading: Reading = OURS

    @classmethod
    def of(cls, *stores: Store) -> ReportRuns:
        """All runs of some studies of equal length."""
        curves: dict[tuple[str, str], Values] = {}
        solved: dict[tuple[str, str], NDArray[np.bool_]] = {}
        for store in stores:
            study, every = store.study, store.study.record.every
            rows = int(study.arms[0].until.partition("=")[2]) // every + 1
            places = {seed: place for place, seed in enumerate(study.seeds)}
            names = [name_of_recipe(arm.recipe) for arm in study.arms]
            for row, history in store.histories():
                key = names[row.arm], study.instances[row.instance].name
                if key not in curves:
                    curves[key] = np.full((len(places), rows), np.nan)
                    solved[key] = np.zeros(len(places), np.bool_)
                best = history["best"][history["gen"] % every == 0]
                curve = curves[key][places[row.seed]]
                curve[:] = fitness(row.final_cost)  # holds where a run ended early
                curve[: len(best)] = fitness(best)
                solved[key][places[row.seed]] = row.solved
        return cls(curves, solved, stores[0].study.record.every)

    def under(self, reading: Reading) -> ReportRuns:
        """Return the same runs under another reading."""
        return replace(self, reading=reading)

    @property
    def seeds(self) -> int:
        """Of its experiments, under this reading."""
        return len(self.finals(DECLARED_BEST, BASE, "easy"))

    def curves_of(self, model: Model, setting: Setting, puzzle: str, elites: int = 0) -> Values:
        """Rows of seeds, columns of generations."""
        swap = self.reading.swap if puzzle == "easy" else "redraw"
        reading = self.reading._replace(swap=swap)
        return self.curves[name_of(model, setting, reading, elites), puzzle]

    def finals(self, model: Model, setting: Setting, puzzle: str) -> Values:
        """The best fitness of the last population, which is what the report returns."""
        found: Values = self.curves_of(model, setting, puzzle)[:, -1]
        return found

    def mean_of(
        self, of: tuple[Model, ...], setting: Setting, puzzle: str, row: int = -1, elites: int = 0
    ) -> Values:
        """For every seed the mean over some models, at the end or at a row of the curves."""
        rows = [self.curves_of(each, setting, puzzle, elites)[:, row] for each in of]
        means: Values = np.mean(rows, axis=0)
        return means

    def settled(self, model: Model, setting: Setting, puzzle: str) -> NDArray[np.int64]:
        """Return the generation in which each run first reaches its best fitness."""
        first: NDArray[np.int64] = self.curves_of(model, setting, puzzle).argmax(axis=1)
        return first * self.every

    def settling(
        self, setting: Setting, puzzle: str, of: tuple[Model, ...] = TOURNAMENTS
    ) -> Values:
        """Return when runs settle: the median over some models, for every seed."""
        found: Values = np.median([self.settled(each, setting, puzzle) for each in of], axis=0)
        return found

    def arrived(self, model: Model, setting: Setting, puzzle: str) -> NDArray[np.int64]:
        """Return the generation in which each run is first as near its best as a chart can show."""
        curves = self.curves_of(model, setting, puzzle)
        near = curves > curves.max(axis=1)[:, None] - READABLE
        first: NDArray[np.int64] = near.argmax(axis=1)
        return first * self.every

    def swing(self, model: Model, setting: Setting, puzzle: str) -> Values:
        """Return the range of each run's fitness after its peak."""
        curves = self.curves_of(model, setting, puzzle)
        after = np.arange(curves.shape[1]) >= curves.argmax(axis=1)[:, None]
        lowest = np.where(after, curves, np.inf).min(axis=1)
        found: Values = curves.max(axis=1) - lowest
        return found

    def alternating(
        self, of: tuple[Model, ...], setting: Setting, puzzle: str
    ) -> NDArray[np.bool_]:
        """Return which runs of some models swing between two values until the end."""
        last = np.concatenate([self.curves_of(each, setting, puzzle)[:, -10:] for each in of])
        same = (last[:, 2:] == last[:, :-2]).all(axis=1)
        found: NDArray[np.bool_] = same & (last[:, 1:] != last[:, :-1]).all(axis=1)
        return found


def findings(stores: Mapping[str, Store]) -> Findings:
    runs = ReportRuns.of(
        *(stores[name] for name in ("experiments", "ranks", "elitism", "skipping"))
    )
    longer = ReportRuns.of(stores["longer"], stores["longer-skipping"])
    wishes = ReportRuns.of(stores["wishes"])
    means: dict[str, dict[str, float]] = {}
    for (name, puzzle), curves in runs.curves.items():
        means.setdefault(name, {})[puzzle] = float(curves[:, -1].mean())
    judgements = dict(
        (
            *printed_claims(),
            *claims(runs, longer),
            *figure_claims(),
            *observations(runs, wishes),
        )
    )
    shown = dict(parts(runs, longer, wishes))
    return Findings(judgements, shown, words(runs, longer, wishes), {"mean_fitness": means})


Named = Iterator[tuple[str, Judgement]]
"""Judgements with the ids of their claims."""


# Readings: a claim is judged under every one that matters to it


def on_puzzles(
    puzzles: Sequence[str],
    runs: ReportRuns,
    judge_them: Callable[[ReportRuns], Sequence[Judgement]],
    *,
    ranked: bool = False,
) -> Judgement:
    """Judge a claim about several puzzles: `judge_them` judges each, as one family of tests."""
    tried = readings(easy="easy" in puzzles, ranked=ranked)
    found = {reading: judge_them(runs.under(reading)) for reading in tried}
    parts = []
    for place, puzzle in enumerate(puzzles):
        own = readings(easy=puzzle == "easy", ranked=ranked)
        named = {_name(each, own): found[each][place] for each in own}
        parts.append(next(iter(named.values())) if len(own) == 1 else across_readings(named))
    return all_of(parts)


def over_readings(
    runs: ReportRuns,
    judge_it: Callable[[ReportRuns], Judgement],
    *,
    easy: bool = True,
    ranked: bool = False,
) -> Judgement:
    """Judge a claim about one puzzle."""
    return on_puzzles(["easy" if easy else ""], runs, lambda read: [judge_it(read)], ranked=ranked)


def _name(reading: Reading, among: Sequence[Reading]) -> str:
    """Name a reading where the readings differ."""
    swap = reading.swap if len({each.swap for each in among}) > 1 else ""
    rank = f"{reading.rank} rank" if len({each.rank for each in among}) > 1 else ""
    return ", ".join(filter(None, (swap, rank)))


def higher(
    pairs: Iterable[tuple[str, Values, str, Values]], *, paired: bool = False
) -> list[Judgement]:
    """Judge that the first of two samples of seeds is higher, for a family of them."""
    return judge(
        [
            Contrast(one, two, (first, second), False, "seed", paired)
            for one, first, two, second in pairs
        ]
    )


def best_on_puzzles(
    puzzles: Sequence[str],
    runs: ReportRuns,
    name: str,
    samples: Callable[[ReportRuns, str], Mapping[str, Values]],
    *,
    ranked: bool,
) -> Judgement:
    """Judge that a model is the best, also without rank models."""

    def judge_all(read: ReportRuns) -> list[Judgement]:
        return [_brief(puzzle, name, samples(read, puzzle)) for puzzle in puzzles]

    def without(read: ReportRuns) -> list[Judgement]:
        found = []
        for puzzle in puzzles:
            every = samples(read, puzzle)
            few = {each: every[each] for each in every if not each.startswith("rank,")}
            found.append(_brief(puzzle, name, few))
        return found

    claim = on_puzzles(puzzles, runs, judge_all, ranked=ranked)
    if not ranked:
        return claim
    fewer = on_puzzles(puzzles, runs, without)
    verb = {"holds": "holds", "fails": "fails", "undecided": "is undecided"}[fewer.verdict]
    more = f" **Without the rank models it {verb}.** {fewer.because}"
    figures = {**claim.figures, "without rank": fewer.verdict}
    return replace(claim, because=claim.because + more, figures=figures)


def _brief(puzzle: str, name: str, samples: Mapping[str, Values]) -> Judgement:
    """Shorten a verdict to its counts; tables of the page have the rest."""
    found = best_of(name, samples, lower_is_better=False)
    if not found.figures:
        return replace(found, because=f"{puzzle.capitalize()}: {found.because}")
    counts = {word: found.figures[word] for word in ("better", "alike", "worse")}
    said = ", ".join(f"{count} {word}" for word, count in counts.items() if count)
    because = (
        f"{puzzle.capitalize()}: mean {found.figures['mean']:.4f}, place {found.figures['place']} "
        f"of {len(samples)} by mean; of {len(samples) - 1} others "
        f"{said or 'none can be told apart from it'}."
    )
    return replace(found, because=because)


# What is printed in the report, recomputed: facts that need no run


def printed_fitness(puzzle: str) -> float:
    """Return the fitness of a puzzle, with blanks as a value."""
    grid = bundled()[f"poderosas-{puzzle}"].puzzle
    costs = Normalised().costs(grid.board[None].copy(), grid)
    return float(Normalised().score(costs, grid.geometry)[0])


def ceiling(puzzle: str) -> float:
    """Return the highest fitness that conflicting givens allow."""
    return float(fitness(Normalised().floor(bundled()[f"poderosas-{puzzle}"].puzzle)))


def numbers_of(model: Model) -> set[int]:
    """Return every number that a model of 27 can have, by the order of the report's three lists."""
    axes = ("selection", "crossover", "mutation")
    places = {axis: ORDERS[axis].index(getattr(model, axis)) for axis in axes}
    return {
        9 * places[outer] + 3 * places[middle] + places[inner] + 1
        for outer, middle, inner in permutations(axes)
    }


def chance_of_all_rows(population: int = BASE.population) -> float:
    """Return the probability that the first population has the digits of each row.

    Row crossover and row swap never change a row's digits, so a solution needs all of them in the
    first population.
    """
    grid = bundled()["poderosas-medium"].puzzle.board.reshape(9, 9)
    chance = 1.0
    for blanks in (grid == 0).sum(axis=1):
        right = float(np.prod(np.arange(1, blanks + 1) / 9.0))  # b! of 9^b fillings
        chance *= 1.0 - (1.0 - right) ** population
    return chance


def printed_claims() -> Named:
    printed = PRINTED_FITNESS
    ours = {name: printed_fitness(name) for name in (*printed, "difficult-21")}
    wrong = [name for name in printed if abs(ours[name] - printed[name]) > 1e-12]
    fits = wrong == ["difficult"] and abs(ours["difficult-21"] - printed["difficult"]) < 1e-12
    more = (
        f". The difficult one does not match: with one given more, 21, it is "
        f"{ours['difficult-21']:.5f}. That given may be lost in print, or in the text of the "
        "report that we have."
    )
    said = ", ".join(f"{name} {ours[name]:.5f}" for name in printed)
    yield (
        "printed-fitness",
        Judgement(
            "holds" if not wrong else "undecided" if fits else "fails",
            f"Recomputed from the grids: {said}{more if fits else '.'}",
            ours,
        ),
    )
    worst = 27 * 8
    holds = worst == REPORT.value("max-conflicts")
    yield "max-conflicts", fact(holds, "", worst=worst, start=fitness(worst))
    for number, model in ((each.get("number", 0), Model(*each["model"])) for each in WINNERS):
        if number > len(TOURNAMENTS):
            yield f"model-{number}", about_the_number(number, model)


WINNERS: list[dict[str, Any]] = PUBLISHED["winners"]
"""Each time the report calls a model the best."""


def about_the_number(number: int, model: Model) -> Judgement:
    """Judge a model's number, which follows from the unknown orders of three lists."""
    own = numbers_of(model)
    others = [numbers_of(model._replace(selection=each)) for each in ORDERS["selection"]]
    said = {"own": _listed(own), "any": _listed(own.union(*others)), "selection": model.selection}
    return Judgement("holds" if number in own else "undecided", "", said)


def _listed(found: set[int]) -> str:
    said = [str(each) for each in sorted(found)]
    return " or ".join(filter(None, (", ".join(said[:-1]), said[-1])))


def grid_of(text: str) -> NDArray[np.int64]:
    return np.array([[int(digit) for digit in row] for row in text.split()])


def figure_claims() -> Named:
    """Judge whether Figures 1 to 4 show the operators that the text describes."""
    for number, show in enumerate((row_crossover, single_column, single_point, swap), start=1):
        yield f"figure-{number}", show(PUBLISHED[f"figure_{number}"])


def row_crossover(figure: dict[str, Any]) -> Judgement:
    (one, two), children = (list(map(grid_of, figure[key])) for key in ("parents", "children"))
    cut = figure["row"]
    made = [np.vstack([one[:cut], two[cut:]]), np.vstack([two[:cut], one[cut:]])]
    wrong = sum(int((ours != theirs).sum()) for ours, theirs in zip(made, children, strict=True))
    cells = sum(child.size for child in children)
    said = {"cells": cells, "wrong": wrong, "longest": max(map(len, children))}
    return Judgement("holds" if not wrong else "undecided" if wrong == 1 else "fails", "", said)


def single_column(figure: dict[str, Any]) -> Judgement:
    """Outside of the column nothing may change."""
    parents, children = (list(map(grid_of, figure[key])) for key in ("parents", "children"))
    others = np.arange(9) != figure["column"]
    wrong, exchanged = (
        sum(
            int((child[:, others] != parent[:, others]).any(axis=1).sum())
            for parent, child in zip(parents, order, strict=True)
        )
        for order in (children, children[::-1])
    )
    rows = 2 * len(parents[0])
    return fact(0 in (wrong, exchanged), "", wrong=wrong, exchanged=exchanged, rows=rows)


def single_point(figure: dict[str, Any]) -> Judgement:
    """With or without the column itself, by the template or by the labels of the rows."""
    (one, two), children = (list(map(grid_of, figure[key])) for key in ("parents", "children"))
    column, template = figure["column"], grid_of(figure["template"])
    mutable = (template[:, column] == 0, template[:, column] == 1, np.array(figure["mutable"]))
    right = 0
    for start, rows in product((column, column + 1), mutable):
        made = [one.copy(), two.copy()]
        made[0][rows, start:], made[1][rows, start:] = two[rows, start:], one[rows, start:]
        pairs = zip(made, children, strict=True)
        right = max(right, sum(int((mine == its).all(axis=1).sum()) for mine, its in pairs))
    clashing, every = int((mutable[0] != mutable[2]).sum()), 2 * len(one)
    said = {"rows": every, "right": right, "clashing": clashing, "labels": len(one)}
    return fact(right == every, "", **said)


def swap(figure: dict[str, Any]) -> Judgement:
    made, places = list(figure["before"]), figure["swapped"]
    for here, there in (places, places[::-1]):
        made[here] = figure["before"][there]
    blank = all(figure["row"][place] == "0" for place in places)
    said = {"before": figure["before"], "after": figure["after"], "places": places}
    return fact(blank and "".join(made) == figure["after"], "", **said)


# What our runs say to its claims


def claims(runs: ReportRuns, longer: ReportRuns) -> Named:
    yield from about_rates(runs)
    yield from about_selection(runs)
    yield from about_winners(runs)
    yield "population-1000", population_matters_little(runs)
    yield from about_tournament_250(runs)
    yield from about_the_low_rate(runs)
    yield "converge", converge(longer)
    yield from about_the_best(runs)
    yield "better-than-at-first", better_than_at_first(runs, "tournament")
    yield "effective", effective(runs)
    yield "operators-matter", over_readings(runs, operators_matter)
    for selection in ORDERS["selection"]:
        yield f"elitism-{selection}", elitism_helps(runs, selection)


def about_rates(runs: ReportRuns) -> Named:
    """Judge the mutation rates, with tournament models only, as in experiments 3 and 4."""
    yield "low-rate-easy", prefers(runs, "tournament", "easy", GENTLER, BASE)
    yield "high-rate-difficult", prefers(runs, "tournament", "difficult-21", BASE, GENTLER)
    found = judge(
        [
            Contrast(
                f"{puzzle.capitalize()}, rate {GENTLER.rate:g}: {what}",
                f"rate {BASE.rate:g}:",
                (of(runs, GENTLER, puzzle), of(runs, BASE, puzzle)),
                counted="seed",
            )
            for what, of in (("settles in generation", ReportRuns.settling), ("ends at", ending))
            for puzzle in PRINTED[1:]
        ]
    )
    both = {"sooner": all_of(found[:2]), "at a lower fitness": all_of(found[2:])}
    yield "premature-convergence", across_readings(both)


def ending(read: ReportRuns, setting: Setting, puzzle: str) -> Values:
    return read.mean_of(TOURNAMENTS, setting, puzzle)


def prefers(
    runs: ReportRuns, selection: str, puzzle: str, first: Setting, second: Setting
) -> Judgement:
    """Whether the first of two rates is better, with the nine models of a selection."""
    of = models(selection)

    def judge_it(read: ReportRuns) -> Judgement:
        return higher(
            [
                (
                    f"{selection.capitalize()}, rate {first.rate:g}:",
                    read.mean_of(of, first, puzzle),
                    f"rate {second.rate:g}:",
                    read.mean_of(of, second, puzzle),
                )
            ]
        )[0]

    return over_readings(runs, judge_it, easy=puzzle == "easy", ranked=selection == "rank")


def about_selection(runs: ReportRuns) -> Named:
    others = ("roulette", "rank")
    earlier = []
    for other in others:
        ranked = other == "rank"

        def beats(read: ReportRuns, other: str = other) -> list[Judgement]:
            return higher(
                (
                    f"{puzzle.capitalize()}: tournament",
                    read.mean_of(TOURNAMENTS, BASE, puzzle),
                    other,
                    read.mean_of(models(other), BASE, puzzle),
                )
                for puzzle in PRINTED
            )

        def sooner(read: ReportRuns, other: str = other) -> Judgement:
            mine = read.settling(BASE, "easy")
            its = {each: read.settling(BASE, "easy", models(each)) for each in others}
            words = "Tournament settles in generation"
            found = judge(
                [Contrast(words, each, (mine, its[each]), True, "seed") for each in others]
            )
            return found[others.index(other)]

        def falls(read: ReportRuns, other: str = other) -> Judgement:
            first, last = (read.mean_of(models(other), BASE, "easy", row) for row in (0, -1))
            pair = ("Generation 0:", first, f"generation {GENERATIONS}:", last)
            return higher([pair], paired=True)[0]

        yield f"tournament-over-{other}", on_puzzles(PRINTED, runs, beats, ranked=ranked)
        earlier.append(over_readings(runs, sooner, ranked=ranked))
        yield f"{other}-falls", over_readings(runs, falls, ranked=ranked)
    yield "tournament-earlier", all_of(earlier)


def samples_of(runs: ReportRuns, puzzle: str, experiment: Experiment) -> dict[str, Values]:
    """Return the final fitness of all models of an experiment."""
    setting = experiment.setting
    return {str(model): runs.finals(model, setting, puzzle) for model in experiment.models}


def about_winners(runs: ReportRuns) -> Named:
    for each in WINNERS:
        experiment = EXPERIMENTS[each["experiment"] - 1]
        yield (
            each["claim"],
            best_on_puzzles(
                each["puzzles"],
                runs,
                str(Model(*each["model"])),
                lambda read, puzzle, of=experiment: samples_of(read, puzzle, of),
                ranked=any(model.selection == "rank" for model in experiment.models),
            ),
        )


def population_matters_little(runs: ReportRuns) -> Judgement:
    return on_puzzles(
        PRINTED,
        runs,
        lambda read: [
            equivalent(
                ending(read, LARGER, puzzle),
                ending(read, BASE, puzzle),
                margin=READABLE,
                what=f"{puzzle.capitalize()}, nine tournament models",
            )
            for puzzle in PRINTED
        ],
    )


def about_tournament_250(runs: ReportRuns) -> Named:
    fifth, seventh, eighth, ninth = TOURNAMENTS[4], *TOURNAMENTS[6:9]
    yield "most-above-95", over_readings(runs, most_above)
    highest = max(curves.max() for (_, puzzle), curves in runs.curves.items() if puzzle == "easy")
    top = ceiling("easy")
    above = top > REPORT.value("model-9-easy")
    yield "model-9-above-98", fact(above, "", ceiling=top, highest=float(highest))
    yield "model-9-quick", quick(runs, ninth, WIDER, ["easy"])
    yield "model-9-stable", stable(runs, ninth, WIDER, ["easy"])
    yield "model-7-stable", stable(runs, seventh, WIDER, ["easy"])
    yield "model-7-reaches", reaches(runs, seventh, "easy", REPORT.value("model-7-easy"))

    def later(read: ReportRuns) -> Judgement:
        mine = read.settled(seventh, WIDER, "easy")
        contrasts = [
            Contrast(
                f"model {number} settles in generation",
                "model 7 in",
                (read.settled(each, WIDER, "easy"), mine),
            )
            for number, each in ((8, eighth), (9, ninth))
        ]
        return all_of(judge(contrasts))

    yield "model-7-later", over_readings(runs, later)
    said = REPORT.value("model-7-settles")
    yield (
        "model-7-after-80",
        over_readings(
            runs,
            lambda read: settles(
                read.settled(seventh, WIDER, "easy"), said - AFTER, said + AFTER, "run"
            ),
        ),
    )
    yield "model-5-reaches", reaches(runs, fifth, "medium", REPORT.value("model-5-medium"))
    yield "model-5-quick", quick(runs, fifth, WIDER, ["medium"])
    yield "model-5-stable", stable(runs, fifth, WIDER, ["medium"])


def most_above(read: ReportRuns) -> Judgement:
    level = REPORT.value("easy-after-20")
    above = np.array([read.curves_of(m, WIDER, "easy")[:, QUICK] > level for m in TOURNAMENTS])
    return share_above(
        Proportion.of(above.sum(axis=0) > len(TOURNAMENTS) / 2),
        0.5,
        f"{100 * above.mean():.0f} % of all runs are; seeds with at least five of nine: ",
    )


def settles(generations: NDArray[Any], low: float, high: float, counted: str) -> Judgement:
    interval = median_interval(generations)
    asked = f"{low} to {high}" if low > 0 else f"{high} or less"
    return Judgement(
        within(interval, low, high),
        f"The best fitness is first there in generation {np.median(generations):.0f} (median of "
        f"{format_count(len(generations), counted)}; {interval_text(interval, '.0f')}; "
        f"asked: {asked}).",
    )


def reaches(runs: ReportRuns, model: Model, puzzle: str, wanted: float) -> Judgement:
    """Judge an "approximately" of two digits: the median must be within half a digit."""

    def judge_it(read: ReportRuns) -> Judgement:
        seen = read.finals(model, WIDER, puzzle)
        interval = median_interval(seen)
        return Judgement(
            within(interval, wanted - READABLE / 2, wanted + READABLE / 2),
            f"Median {np.median(seen):.4f} ({interval_text(interval, '.4f')}), {seen.min():.3f} "
            f"to {seen.max():.3f} in {format_count(len(seen), 'run')}.",
        )

    return over_readings(runs, judge_it, easy=puzzle == "easy")


def quick(runs: ReportRuns, model: Model, setting: Setting, puzzles: Sequence[str]) -> Judgement:
    """Judge "quick convergence": near its best, as a chart shows it, by a generation."""

    def judge_it(read: ReportRuns, puzzle: str) -> Judgement:
        arrived = read.arrived(model, setting, puzzle)
        interval = median_interval(arrived)
        return Judgement(
            within(interval, high=QUICK),
            f"{puzzle.capitalize()}: there in generation {np.median(arrived):.0f} (median of "
            f"{format_count(len(arrived), 'run')}; {interval_text(interval, '.0f')}).",
        )

    return on_puzzles(puzzles, runs, lambda read: [judge_it(read, each) for each in puzzles])


def stable(runs: ReportRuns, model: Model, setting: Setting, puzzles: Sequence[str]) -> Judgement:
    """Judge "minimal fluctuations" after the peak: less than a chart shows."""

    def judge_it(read: ReportRuns, puzzle: str) -> Judgement:
        swing = read.swing(model, setting, puzzle)
        interval = median_interval(swing)
        return Judgement(
            within(interval, high=READABLE),
            f"{puzzle.capitalize()}: range after the peak {np.median(swing):.4f} (median of "
            f"{format_count(len(swing), 'run')}; {interval_text(interval, '.4f')}); "
            f"{100 * np.mean(swing <= READABLE):.0f} % of the runs stay within {READABLE:g}.",
        )

    return on_puzzles(puzzles, runs, lambda read: [judge_it(read, each) for each in puzzles])


def about_the_low_rate(runs: ReportRuns) -> Named:
    most = REPORT.value("easy-low-rate-settles")

    def soon(read: ReportRuns) -> Judgement:
        return settles(read.settling(GENTLER, "easy"), 0, most - 1, "seed")

    def less_stable(read: ReportRuns) -> Judgement:
        swings: list[Values] = [
            np.mean([read.swing(each, setting, "easy") for each in TOURNAMENTS], axis=0)
            for setting in (GENTLER, BASE)
        ]
        words = f"Range after the peak, rate {GENTLER.rate:g}:", f"rate {BASE.rate:g}:"
        return higher([(words[0], swings[0], words[1], swings[1])])[0]

    yield "low-rate-settles", over_readings(runs, soon)
    yield "low-rate-less-stable", over_readings(runs, less_stable)


def converge(longer: ReportRuns) -> Judgement:
    return on_puzzles(
        PRINTED,
        longer,
        lambda read: [
            equivalent(
                read.mean_of(TOURNAMENTS, BASE, puzzle),
                read.mean_of(TOURNAMENTS, BASE, puzzle, GENERATIONS // read.every),
                margin=READABLE,
                what=f"{puzzle.capitalize()}, nine tournament models, generation {LONG:,} "
                f"against {GENERATIONS}",
                paired=True,
            )
            for puzzle in PRINTED
        ],
    )


def about_the_best(runs: ReportRuns) -> Named:
    def samples(read: ReportRuns, puzzle: str) -> dict[str, Values]:
        return {
            name_of(model, each.setting): read.finals(model, each.setting, puzzle)
            for each in EXPERIMENTS
            for model in each.models
        }

    name = name_of(DECLARED_BEST, BASE)
    yield "best-of-all", best_on_puzzles(PRINTED, runs, name, samples, ranked=True)
    yield "best-is-quick", quick(runs, DECLARED_BEST, BASE, PRINTED)
    yield "best-is-stable", stable(runs, DECLARED_BEST, BASE, PRINTED)


def better_than_at_first(runs: ReportRuns, selection: str) -> Judgement:
    """Compare with the best of the first population, our reading of its initial attempts."""
    of = models(selection)

    def judge_all(read: ReportRuns) -> list[Judgement]:
        return higher(
            (
                (
                    f"{puzzle.capitalize()}, generation {GENERATIONS}:",
                    read.mean_of(of, BASE, puzzle),
                    "generation 0:",
                    read.mean_of(of, BASE, puzzle, 0),
                )
                for puzzle in PRINTED
            ),
            paired=True,
        )

    return on_puzzles(PRINTED, runs, judge_all, ranked=selection == "rank")


def effective(runs: ReportRuns) -> Judgement:
    """Under any reading: none of them solves more."""
    solvable = [name for name in PUZZLES if ceiling(name) == 1.0]
    solved = [flags for (_, puzzle), flags in runs.solved.items() if puzzle in solvable]
    return share_above(
        Proportion.of(np.concatenate(solved)),
        0.5,
        "All settings and readings on the medium and both difficult puzzles, with an elite or "
        f"without, {GENERATIONS} generations: solved ",
    )


def ranked_models(runs: ReportRuns, *puzzles: str) -> Friedman:
    """Friedman's test of the nine tournament models; a seed on a puzzle is a block.

    All models start from one population there. There are enough blocks for χ².
    """
    finals = [
        np.concatenate([runs.finals(model, BASE, puzzle) for puzzle in puzzles])
        for model in TOURNAMENTS
    ]
    return friedman(np.array(finals).T, lower_is_better=False)


def operators_matter(read: ReportRuns) -> Judgement:
    if read.seeds < FEWEST:
        return too_few()
    test = ranked_models(read, *PRINTED)
    return Judgement(
        "holds" if test.p < ALPHA else "undecided",
        "Friedman's test of the nine tournament models, each seed on each puzzle a block: "
        f"χ² = {test.statistic:.0f}, {p_text(test.p)}.",
    )


def elitism_helps(runs: ReportRuns, selection: str) -> Judgement:
    of = models(selection)

    def judge_all(read: ReportRuns) -> list[Judgement]:
        return higher(
            (
                f"{puzzle.capitalize()}: with one elite",
                read.mean_of(of, BASE, puzzle, elites=1),
                "without",
                read.mean_of(of, BASE, puzzle),
            )
            for puzzle in PRINTED
        )

    return on_puzzles(PRINTED, runs, judge_all, ranked=selection == "rank")


# What the report does not say


def observations(runs: ReportRuns, wishes: ReportRuns) -> Named:
    clashes, top = bundled()["poderosas-easy"].puzzle.conflicts(), ceiling("easy")
    said = {"clashes": len(clashes), "first": str(clashes[0]), "ceiling": top}
    yield "easy-unsolvable", fact(top < 1.0, "", **said)
    yield "other-best-models", other_best_models()
    yield (
        "best-tournament",
        best_on_puzzles(
            PRINTED,
            runs,
            str(DECLARED_BEST),
            lambda read, on: {str(each): read.finals(each, BASE, on) for each in TOURNAMENTS},
            ranked=False,
        ),
    )
    for other in ("roulette", "rank"):
        yield f"low-rate-easy-{other}", prefers(runs, other, "easy", GENTLER, BASE)
        yield f"high-rate-difficult-{other}", prefers(runs, other, "difficult-21", BASE, GENTLER)
        yield f"better-{other}", better_than_at_first(runs, other)
    yield "skipping-stops-swinging", skipping_stops_swinging(runs)
    yield (
        "inversion",
        all_of(
            higher(
                (
                    f"{puzzle.capitalize()}: inversion",
                    mean_of_wishes(wishes, INVERTED, puzzle),
                    "swap",
                    runs.mean_of(TOURNAMENTS, BASE, puzzle),
                )
                for puzzle in SOLVABLE
            )
        ),
    )
    for unit in ("row", "column"):
        own, matched = (
            [each for each in PERMUTED if each.unit == unit and each.crossover == crossover]
            for crossover in (unit, "pmx")
        )
        pairs = [
            (
                f"{puzzle.capitalize()}: PMX",
                mean_of_wishes(wishes, matched, puzzle),
                f"{unit} crossover",
                mean_of_wishes(wishes, own, puzzle),
            )
            for puzzle in SOLVABLE
        ]
        yield f"pmx-{unit}", all_of(higher(pairs))


def other_best_models() -> Judgement:
    own = [Model(*each["model"]) for each in WINNERS for _ in each["puzzles"]]
    agreeing = own.count(DECLARED_BEST)
    others = "; ".join(sorted({str(each) for each in own if each != DECLARED_BEST}))
    said = {"named": len(own), "agreeing": agreeing, "others": others}
    return fact(2 * agreeing < len(own), "", declared=str(DECLARED_BEST), **said)


def skipping_stops_swinging(runs: ReportRuns) -> Judgement:
    """Judge whether the reading of the swap decides how often the best fitness swings."""
    shares = {
        swap: float(runs.under(Reading(swap)).alternating(TOURNAMENTS, BASE, "easy").mean())
        for swap in SWAPS
    }
    said = ", ".join(f"{swap} {100 * share:.0f} %" for swap, share in shares.items())
    return fact(shares["skip"] < shares["redraw"] / 2, "", said=said, **shares)


def mean_of_wishes(wishes: ReportRuns, chosen: Sequence[Wish], puzzle: str) -> Values:
    means: Values = np.mean([wishes.curves[str(each), puzzle][:, -1] for each in chosen], axis=0)
    return means


# The page


def words(runs: ReportRuns, longer: ReportRuns, wishes: ReportRuns) -> dict[str, Any]:
    known = preset("poderosas")
    swaps = [float(runs.mean_of(TOURNAMENTS, BASE, puzzle).mean()) for puzzle in SOLVABLE]
    said: dict[str, Any] = {
        "seeds": format_count(runs.seeds, "seed"),
        "fewer": format_count(runs.under(Reading("skip")).seeds, "seed"),
        "long_seeds": format_count(longer.seeds, "seed"),
        "wish_seeds": format_count(len(next(iter(wishes.solved.values()))), "seed"),
        "choices": "\n".join(f"- {each}" for each in (*known.left_open, *known.differs)),
        "ceiling": ceiling("easy"),
        "solutions": bundled()["poderosas-difficult"].solutions,
        "difference": critical_difference(len(TOURNAMENTS), runs.seeds),
        "swap_means": ", ".join(f"{each:.4f}" for each in swaps),
        "chance": chance_of_all_rows(),
    }
    for each in EXPERIMENTS:
        said |= {
            f"setting_{each.number}": str(each.setting).capitalize(),
            f"leaders_{each.number}": "; ".join(leader(runs, each, on) for on in PUZZLES),
            f"swinging_{each.number}": swinging(each, runs),
            f"figures_{each.number}": ", ".join(map(str, each.figures.values())),
        }
    return said


def leader(runs: ReportRuns, experiment: Experiment, puzzle: str) -> str:
    """Name the model with the highest mean fitness on a puzzle, and how many are as good."""
    means = {
        model: float(values.mean())
        for model, values in samples_of(runs, puzzle, experiment).items()
    }
    best = max(means, key=means.__getitem__)
    level = sum(means[best] - each <= 0.001 for each in means.values()) - 1
    others = f", {level} {'other' if level == 1 else 'others'} within 0.001" if level else ""
    return f"{puzzle}: {best} ({means[best]:.4f}{others})"


def swinging(experiment: Experiment, runs: ReportRuns) -> str:
    """Describe runs that swing between two boards, as a converged population may."""
    swings = runs.alternating(TOURNAMENTS, experiment.setting, "easy")
    if not swings.any():
        return ""
    return (
        f" In {100 * swings.mean():.0f} % of the tournament runs on the easy puzzle the best "
        "fitness swings between two values from one generation to the next until the end, as a "
        "population of equal boards does when every child is mutated. Curves are drawn through "
        "even generations."
    )


def parts(runs: ReportRuns, longer: ReportRuns, wishes: ReportRuns) -> Iterator[tuple[str, Part]]:
    rows: list[tuple[Cell, ...]] = [
        (
            number,
            setting.population,
            setting.tournament,
            f"{setting.rate:g}",
            len(of),
            ", ".join(map(str, figures.values())),
        )
        for number, setting, of, figures in EXPERIMENTS
    ]
    titles = ("experiment", "population", "tournament", "mutation rate", "models", "figures")
    yield "experiments", Table(titles, tuple(rows))
    grids = {name: bundled()[f"poderosas-{name}"].puzzle for name in PUZZLES}
    boards = tuple(
        BoardPicture(f"{name}: fitness {printed_fitness(name):.4f} as it stands", each)
        for name, each in grids.items()
    )
    yield "boards", Figure(BoardGallery("The puzzles of report 000", boards))
    for each in EXPERIMENTS:
        charts = tuple(figure_again(each, puzzle, runs) for puzzle in PUZZLES)
        yield f"experiment-{each.number}", Figure(charts)
        yield f"models-{each.number}", all_models(each, runs)
    yield "swaps", readings_of_the_swap(runs)
    yield "ranks", readings_of_rank(runs)
    yield "one-run", one_run(runs)
    yield "combinations", Figure(tuple(heat(runs, puzzle) for puzzle in PUZZLES))
    yield "mean-ranks", Figure(tuple(mean_ranks(runs, puzzle) for puzzle in PRINTED))
    yield "elites", with_an_elite(runs)
    yield "longer", for_longer(longer)
    yield "wishes", wishes_table(wishes)
    yield "solved", solved(runs)


SHOWN = np.unique(np.concatenate([np.arange(0, 30, 2), np.arange(30, GENERATIONS + 1, 4)]))
"""The generations that a curve is drawn through, all even: see `swinging`."""


def figure_again(experiment: Experiment, puzzle: str, runs: ReportRuns) -> LineChart:
    many = len({each.selection for each in experiment.models}) > 1
    series = []
    for number, model in enumerate(experiment.models, start=1):
        axis, word = ("selection", model.selection) if many else ("crossover", model.crossover)
        group = word if many else f"{CROSSOVERS[word]} crossover"
        curves = runs.curves_of(model, experiment.setting, puzzle)[:, SHOWN]
        y = numbers(np.median(curves, axis=0))
        place = ORDERS[axis].index(word)
        series.append(
            Series(f"model {number}: {model}", numbers(SHOWN), y, colour=place, group=group)
        )
    levels = (ReferenceLine(ceiling(puzzle), "ceiling"),) if ceiling(puzzle) < 1 else ()
    plain = puzzle.removesuffix("-21")
    own = " (21 givens)" if puzzle != plain else ""
    title = f"Figure {experiment.figures.get(plain, 0)} again: {plain} puzzle{own}"
    return LineChart(title, "generation", "best fitness", tuple(series), levels=levels)


def all_models(experiment: Experiment, runs: ReportRuns) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for number, model in enumerate(experiment.models, start=1):
        cells = [runs.finals(model, experiment.setting, puzzle) for puzzle in PUZZLES]
        rows.append((number, str(model), *map(mean_and_deviation, cells)))
    return Table(("model", "selection, crossover, mutation", *PUZZLES), tuple(rows))


def mean_and_deviation(values: Values) -> str:
    """Format the mean and the standard deviation, which a single run does not have."""
    deviation = f" ± {values.std(ddof=1):.4f}" if len(values) > 1 else ""
    return f"{values.mean():.4f}{deviation}"


def readings_of_the_swap(runs: ReportRuns) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for (number, setting, *_), swap in product(EXPERIMENTS, SWAPS):
        read = runs.under(Reading(swap))
        ranges = [read.swing(each, setting, "easy") for each in TOURNAMENTS]
        rows.append(
            (
                number,
                f"{setting.rate:g}",
                swap,
                f"{read.mean_of(TOURNAMENTS, setting, 'easy').mean():.4f}",
                f"{100 * read.alternating(TOURNAMENTS, setting, 'easy').mean():.0f} %",
                f"{np.median(ranges):.4f}",
            )
        )
    columns = (
        "experiment",
        "rate",
        "short units",
        Column("mean fitness", "nine tournament models"),
        Column("runs that swing", "between two values until the end"),
        Column("range after the peak", "median"),
    )
    return Table(columns, tuple(rows))


SELECTIONS = (
    *((each, "linear", each) for each in ORDERS["selection"] if each != "rank"),
    *(("rank", rank, f"{rank} rank") for rank in RANKS),
)
"""With every reading of rank, and what they are called."""


def readings_of_rank(runs: ReportRuns) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for setting, (selection, rank, name) in product((BASE, GENTLER), SELECTIONS):
        read, of = runs.under(Reading(rank=rank)), models(selection)
        means = [float(read.mean_of(of, setting, each).mean()) for each in PUZZLES]
        rows.append((f"{setting.rate:g}", name, *means))
    means_of = (Column(puzzle, decimals=4) for puzzle in PUZZLES)
    return Table(("rate", "selection", *means_of), tuple(rows))


def winners_by_seed(runs: ReportRuns, experiment: Experiment, puzzle: str) -> dict[str, float]:
    """Count the seeds that each model wins; equal models share a seed."""
    samples = samples_of(runs, puzzle, experiment)
    table = np.array(list(samples.values()))
    first = table == table.max(axis=0)
    shares = (first / first.sum(axis=0)).sum(axis=1)
    return {name: float(share) for name, share in zip(samples, shares, strict=True) if share}


def one_run(runs: ReportRuns) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for experiment, puzzle in product(EXPERIMENTS, PUZZLES):
        won = winners_by_seed(runs, experiment, puzzle)
        name = max(won, key=won.__getitem__)
        share = f"{100 * won[name] / runs.seeds:.0f} %"
        rows.append((experiment.number, puzzle, len(won), name, share))
    columns = (
        "experiment",
        "puzzle",
        Column("different winners", "over the seeds"),
        "most frequent winner",
        Column("its share", "of the seeds"),
    )
    return Table(columns, tuple(rows))


def heat(runs: ReportRuns, puzzle: str) -> HeatMap:
    lines = tuple(product(ORDERS["selection"], ORDERS["crossover"]))
    swaps = tuple(ORDERS["mutation"])
    values = tuple(
        tuple(float(runs.finals(Model(*line, swap), BASE, puzzle).mean()) for swap in swaps)
        for line in lines
    )
    return HeatMap(
        f"Mean fitness of the 27 combinations: {puzzle}",
        "swap in a",
        "",
        swaps,
        tuple(f"{selection}, {crossover}" for selection, crossover in lines),
        values,
        "fitness",
        tuple(tuple(f"{each:.3f}" for each in row) for row in values),
    )


def mean_ranks(runs: ReportRuns, puzzle: str) -> RankDiagram:
    ranks = ranked_models(runs, puzzle).ranks
    difference = critical_difference(len(TOURNAMENTS), runs.seeds)
    names = tuple(f"{model.crossover} + {model.mutation}" for model in TOURNAMENTS)
    title = f"Mean ranks of the nine tournament models: {puzzle}"
    return RankDiagram(title, names, ranks, difference, tuple(cliques(ranks, difference)))


def with_an_elite(runs: ReportRuns) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for (selection, rank, name), swap in product(SELECTIONS, SWAPS):
        read, of = runs.under(Reading(swap, rank)), models(selection)
        for puzzle in PUZZLES if swap == "redraw" else PUZZLES[:1]:
            one, none = read.mean_of(of, BASE, puzzle, elites=1), read.mean_of(of, BASE, puzzle)
            effect = a12(one, none, lower_is_better=False).a12
            on = f"{puzzle}, {swap}" if puzzle == "easy" else puzzle
            gain = f"{one.mean() - none.mean():+.4f}".replace("-", "−")
            means = f"{none.mean():.4f}", f"{one.mean():.4f}"
            rows.append((name, on, *means, gain, f"{effect:.2f}"))
    titles = ("selection", "puzzle", "no elite", "one elite", "difference")
    return Table((*titles, Column("A12", "with an elite against without")), tuple(rows))


def for_longer(longer: ReportRuns) -> Figure:
    curves = {
        puzzle: np.concatenate([longer.curves_of(each, BASE, puzzle) for each in TOURNAMENTS])
        for puzzle in PUZZLES
    }
    generations = np.arange(curves["easy"].shape[1]) * longer.every
    series = tuple(band(name, each, x=generations) for name, each in curves.items())
    ends = (ReferenceLine(GENERATIONS, "the report's runs end", "x"),)
    title = f"Tournament models for {LONG:,} generations"
    return Figure(LineChart(title, "generation", "best fitness", series, levels=ends))


def wishes_table(wishes: ReportRuns) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for name in map(str, (*INVERTED, *PERMUTED)):
        finals = [wishes.curves[name, puzzle][:, -1] for puzzle in SOLVABLE]
        found = sum(int(wishes.solved[name, puzzle].sum()) for puzzle in SOLVABLE)
        rows.append((name, *(f"{values.mean():.4f}" for values in finals), found))
    columns = ("encoding, crossover, mutation", *SOLVABLE, Column("solved", "on all three"))
    return Table(columns, tuple(rows))


def solved(runs: ReportRuns) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for puzzle in PUZZLES:
        keys = [key for key in runs.curves if key[1] == puzzle]
        seen = Proportion.of(np.concatenate([runs.solved[key] for key in keys]))
        low, high = seen.wilson()
        reached = max(float(runs.curves[key].max()) for key in keys)
        rows.append((puzzle, str(seen), f"{low:.2g} to {high:.2g}", f"{reached:.4f}"))
    columns = ("puzzle", "solved", Column("95 % interval"), "highest fitness seen")
    return Table(columns, tuple(rows))
