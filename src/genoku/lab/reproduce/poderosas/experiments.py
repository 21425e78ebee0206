"""Report 000's experiments as studies, and their results as arrays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from genoku.collection import bundled
from genoku.history import Record
from genoku.lab.reproduce.claims import Scale, published
from genoku.lab.store import Store
from genoku.lab.study import Arm, Instance, Study, arm

PUBLISHED = published("poderosas")
ORDERS: dict[str, list[str]] = PUBLISHED["orders"]
GENERATIONS: int = PUBLISHED["values"]["generations"]
PUZZLES = ("easy", "medium", "difficult", "difficult-21")
"""As printed; `difficult-21` is the difficult one with the given that its print has lost."""

PRINTED = PUZZLES[:3]
LONG = 1000
"""Generations of the longer runs."""

READABLE = 0.01
"""Fitness that can be told apart in a printed chart: "barely", "converged" mean less than this."""


class Model(NamedTuple):
    """A combination of the report: its selection, crossover and mutation."""

    selection: str
    crossover: str
    mutation: str

    def __str__(self) -> str:
        crossover = {"row": "row", "column": "single column", "point": "single point"}
        return f"{self.selection}, {crossover[self.crossover]}, {self.mutation} swap"


class Setting(NamedTuple):
    """The numbers of an experiment."""

    population: int
    tournament: int
    rate: float

    def __str__(self) -> str:
        return f"population {self.population}, tournament {self.tournament}, rate {self.rate:g}"


@dataclass(frozen=True)
class Experiment:
    """One of the four: its numbers, which models took part, and its figures by puzzle."""

    number: int
    setting: Setting
    models: tuple[Model, ...]
    figures: dict[str, int]


def models(selections: list[str]) -> tuple[Model, ...]:
    """In the report's order: selection outermost, mutation innermost."""
    return tuple(
        Model(*each) for each in product(selections, ORDERS["crossover"], ORDERS["mutation"])
    )


ALL_MODELS = models(ORDERS["selection"])
TOURNAMENTS = models(["tournament"])
EXPERIMENTS = tuple(
    Experiment(
        each["number"],
        Setting(each["population"], each["tournament"], each["rate"]),
        models(each["selections"]),
        each["figures"],
    )
    for each in PUBLISHED["experiments"]
)
DECLARED_BEST = Model(*PUBLISHED["declared_best"]["model"])
BASE = EXPERIMENTS[0].setting


def name_of(model: Model, setting: Setting) -> str:
    """The name of an arm: equal for runs that are the same in two experiments."""
    size = f", tournament {setting.tournament}" if model.selection == "tournament" else ""
    return f"{model}; population {setting.population}{size}, rate {setting.rate:g}"


def _arm(
    model: Model,
    setting: Setting,
    generations: int = GENERATIONS,
    settings: dict[str, Any] | None = None,
) -> Arm:
    parts = [
        "poderosas",
        model.selection,
        model.crossover,
        f"swap-{model.mutation}",
        f"pop{setting.population}",
        *([f"t{setting.tournament}"] if model.selection == "tournament" else []),
        f"rate{setting.rate:g}",
    ]
    made = arm("-".join(parts), until=f"generations={generations}", settings=settings)
    facts = {**model._asdict(), **setting._asdict()}
    return replace(made, name=name_of(model, setting), settings=facts)


def studies(scale: Scale) -> dict[str, Study]:
    """The experiments; nine models for longer; the same nine with the elite they wished for."""
    puzzles = tuple(
        Instance(f"poderosas-{name}", bundled()[f"poderosas-{name}"].puzzle) for name in PUZZLES
    )
    record = Record(fields=("gen", "best"))
    seeds = scale.seeds_of(quick=20, full=100)
    arms = {
        name_of(model, each.setting): _arm(model, each.setting)
        for each in EXPERIMENTS
        for model in each.models
    }
    elite = {"replacement.elites": 1}
    return {
        "experiments": Study(
            "report 000, experiments 1 to 4",
            tuple(arms.values()),
            puzzles,
            seeds,
            "Which selection, crossover and mutation work best, and with which numbers?",
            record,
            allow_conflicts=True,
        ),
        "longer": Study(
            "report 000, the tournament models for longer",
            tuple(_arm(model, BASE, LONG) for model in TOURNAMENTS),
            puzzles,
            scale.seeds_of(quick=4, full=20),
            f"Are {GENERATIONS} generations enough?",
            Record(fields=("gen", "best"), every=10),
            allow_conflicts=True,
        ),
        "elitism": Study(
            "report 000, the tournament models with an elite",
            tuple(_arm(model, BASE, settings=elite) for model in TOURNAMENTS),
            puzzles,
            seeds,
            "Would elitism help, as the report expects?",
            record,
            allow_conflicts=True,
        ),
    }


@dataclass(frozen=True, eq=False)
class Measured:
    """Runs as arrays `[arm, puzzle, seed]`, all on the report's scale."""

    arms: dict[str, int]
    final: NDArray[np.float64]
    """Best fitness of the last population, which is what the report returns."""
    curves: NDArray[np.float64]
    """`[arm, puzzle, seed, row]`: best fitness of the population; a solved run stays at 1."""
    solved: NDArray[np.bool_]
    every: int = 1

    @classmethod
    def of(cls, store: Store) -> Measured:
        study = store.study
        generations = int(study.arms[0].until.partition("=")[2])
        every = study.record.every
        shape = (len(study.arms), len(study.instances), len(study.seeds))
        curves = np.full((*shape, generations // every + 1), np.nan)
        solved = np.zeros(shape, np.bool_)
        final = np.full(shape, np.nan)
        places = {seed: place for place, seed in enumerate(study.seeds)}
        for row, history in store.histories():
            place = (row.arm, row.instance, places[row.seed])
            best = history["best"][history["gen"] % every == 0]
            curves[place] = fitness(row.final_cost)  # holds where a run ended early
            curves[place][: len(best)] = fitness(best)
            final[place], solved[place] = fitness(row.final_cost), row.solved
        names = {each.name: place for place, each in enumerate(study.arms)}
        return cls(names, final, curves, solved, every)

    def finals(self, model: Model, setting: Setting, puzzle: str) -> NDArray[np.float64]:
        """The last fitness of every seed."""
        found: NDArray[np.float64] = self.final[self._place(model, setting, puzzle)]
        return found

    def curves_of(self, model: Model, setting: Setting, puzzle: str) -> NDArray[np.float64]:
        """Rows of seeds, columns of generations."""
        found: NDArray[np.float64] = self.curves[self._place(model, setting, puzzle)]
        return found

    def _place(self, model: Model, setting: Setting, puzzle: str) -> tuple[int, int]:
        return self.arms[name_of(model, setting)], PUZZLES.index(puzzle)

    def mean_of(
        self, chosen: tuple[Model, ...], setting: Setting, puzzle: str, row: int = -1
    ) -> NDArray[np.float64]:
        """For every seed the mean over some models, at the end or at a row of the curves."""
        rows = np.array([self.curves_of(each, setting, puzzle)[:, row] for each in chosen])
        means: NDArray[np.float64] = rows.mean(axis=0)
        return means

    def settled(self, model: Model, setting: Setting, puzzle: str) -> NDArray[np.int64]:
        """The generation in which each run first has the best fitness it ever has."""
        first: NDArray[np.int64] = self.curves_of(model, setting, puzzle).argmax(axis=1)
        return first * self.every


def fitness(costs: Any) -> Any:
    """Conflicts on the report's scale."""
    return 1.0 - costs / PUBLISHED["max_conflicts"]


def of_selection(selection: str) -> tuple[Model, ...]:
    return models([selection])


def winners() -> Iterator[tuple[Experiment, str, Model, str, int | None]]:
    """Each time the report calls a model the best: experiment, puzzle, model, where, number."""
    by_number = {each.number: each for each in EXPERIMENTS}
    for each in PUBLISHED["winners"]:
        for puzzle in each["puzzles"]:
            yield (
                by_number[each["experiment"]],
                puzzle,
                Model(*each["model"]),
                each["where"],
                each.get("number"),
            )
