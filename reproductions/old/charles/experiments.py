"""Report 002's experiments as studies, and their results beside what was published."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from genoku.collection import bundled
from genoku.engine.history import Record
from genoku.fitness import Repetitions
from genoku.lab.statistics import Moments, Sample, welch
from genoku.lab.store import Store
from genoku.lab.study import Arm, Instance, Study, arm
from reproductions.old.claims import Scale, published

PUBLISHED = published("charles")
GENERATIONS: int = PUBLISHED["generations"]
LONG: int = PUBLISHED["generations_in_the_charts_of_5"]
RUNS: int = PUBLISHED["runs"]
VERSIONS = ("as coded", "as described")
"""What its published code does, and what its text says."""

CODED = VERSIONS[0]
"""The version that the published tables come from."""


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

        Unique and repetitions order boards alike, and rank and tournament look at the order only.
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


@dataclass(frozen=True)
class Value:
    """A published mean with its deviation, and the setting it is of."""

    experiment: str
    label: str
    setting: Setting
    moments: Moments
    seconds: float | None = None


@dataclass(frozen=True)
class Experiment:
    """One of the 21 experiments: values that differ in one thing."""

    id: str
    about: str
    values: tuple[Value, ...]
    spans: dict[str, list[float]] = field(default_factory=dict[str, list[float]])


WORDS: dict[Any, str] = {
    "roulette": "fitness-proportional",
    "single": "single point",
    "two": "two-point",
    "random": "random",
    "unique-squared": "unique²",
    "very-easy": "very easy",
    "very-hard": "very hard",
    False: "no elitism",
    True: "elitism",
}


def _experiments() -> tuple[Experiment, ...]:
    found = []
    usual = PUBLISHED["usual"]
    for each in PUBLISHED["experiments"]:
        own = {name: each[name] for name in usual if name in each}
        values = []
        for value in each["values"]:
            varied = {name: value[name] for name in usual if name in value}
            (what,) = varied.values()
            label = f"population {what}" if "population" in varied else WORDS.get(what, str(what))
            values.append(
                Value(
                    each["id"],
                    label,
                    Setting(**{**usual, **own, **varied}),
                    Moments(value["mean"], value["sd"], RUNS),
                    value.get("seconds"),
                )
            )
        spans = {WORDS[name]: span for name, span in each.get("chart_spans", {}).items()}
        found.append(Experiment(each["id"], each["about"], tuple(values), spans))
    return tuple(found)


EXPERIMENTS = _experiments()
BY_ID = {each.id: each for each in EXPERIMENTS}
VALUES = tuple(value for each in EXPERIMENTS for value in each.values)


def _name(setting: Setting, version: str) -> str:
    same = setting.same._replace(puzzle="")
    return f"{same.preset(version)}, population {same.population}"


def _arms(settings: Iterable[Setting], generations: int) -> tuple[Arm, ...]:
    """An arm per setting and version, runs that are the same once."""
    made: dict[str, Arm] = {}
    for version in VERSIONS:
        for setting in settings:
            same = setting.same
            name = _name(same, version)
            if name not in made:
                built = arm(
                    same.preset(version),
                    until=f"generations={generations}",
                    settings={"population": same.population},
                )
                facts = {**same._asdict(), "version": version}
                made[name] = replace(built, name=name, settings=facts)
    return tuple(made.values())


def _instances(names: Iterable[str]) -> tuple[Instance, ...]:
    return tuple(
        Instance(f"charles-{name}", bundled()[f"charles-{name}"].puzzle)
        for name in dict.fromkeys(names)
    )


def studies(scale: Scale) -> dict[str, Study]:
    """Experiments on the hard puzzle, on other puzzles, and with other populations."""
    seeds = scale.seeds_of(quick=20, full=100)
    record = Record(fields=("gen", "best"))
    all_settings = [value.setting for value in VALUES]
    puzzles = [each for each in all_settings if each.puzzle != "hard"]
    populations = [each for each in all_settings if each.population != PUBLISHED["population"]]
    hard = [each for each in all_settings if each not in puzzles and each not in populations]
    return {
        "hard": Study(
            "report 002, experiments 1, 2, 3 and 6",
            _arms(hard, GENERATIONS),
            _instances(["hard"]),
            seeds,
            "Which fitness, selection, crossover, mutation and elitism are best?",
            record,
        ),
        "puzzles": Study(
            "report 002, experiment 4",
            _arms(puzzles, GENERATIONS),
            _instances(each.puzzle for each in puzzles),
            seeds,
            "How much does the puzzle's difficulty matter?",
            record,
        ),
        "populations": Study(
            "report 002, experiment 5",
            _arms(populations, LONG),
            _instances(["hard"]),
            seeds,
            "How large should a population be?",
            Record(fields=("gen", "best"), every=10),
        ),
    }


@dataclass(frozen=True, eq=False)
class Runs:
    """The runs of a setting, a seed each."""

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
        """Losses after so many generations."""
        return self.curves[:, generation // self.every]


@dataclass(frozen=True)
class Measured:
    """All runs, by setting and version."""

    runs: dict[tuple[Setting, str], Runs]

    @classmethod
    def read(cls, stores: Mapping[str, Store]) -> Measured:
        return cls({key: own for store in stores.values() for key, own in _read(store)})

    def of(self, setting: Setting, version: str) -> Runs:
        return self.runs[setting.same, version]

    def all(self) -> list[Runs]:
        return list(self.runs.values())


def _read(store: Store) -> Iterator[tuple[tuple[Setting, str], Runs]]:
    study = store.study
    every = study.record.every
    for a, each in enumerate(study.arms):
        facts = dict(each.settings)
        version = facts.pop("version")
        rows = int(each.until.partition("=")[2]) // every + 1
        worst = PUBLISHED["loss_worst"][facts["fitness"]]
        for i, instance in enumerate(study.instances):
            facts["puzzle"] = instance.name.removeprefix("charles-")
            setting = Setting(**facts)
            yield (setting, version), _runs(store, a, i, rows, worst, every)


def _runs(store: Store, a: int, i: int, rows: int, worst: int, every: int) -> Runs:
    kept = list(store.histories(a, i))
    curves = np.empty((len(kept), rows))
    for curve, (row, history) in zip(curves, kept, strict=True):
        best = history["best"][history["gen"] % every == 0]
        curve[:] = row.final_cost  # holds where a solved run ended early
        curve[: len(best)] = best
    boards = np.array([np.frombuffer(row.board, np.uint8) for row, _ in kept])
    puzzle = store.study.instances[i].puzzle
    return Runs(
        np.array([row.final_cost / worst for row, _ in kept]),
        curves / worst,
        every,
        Repetitions().costs(boards, puzzle).astype(np.float64),
        np.array([row.solved for row, _ in kept]),
        np.array([row.cpu_seconds for row, _ in kept]),
    )


def published_value(at: list[Any]) -> Value:
    """The value that a test of the data file points at."""
    value: Value = BY_ID[at[0]].values[at[1]]
    return value


def welch_p(first: Sample | Moments, second: Sample) -> float:
    """Welch's p; 1 where one run each, or runs that are all alike, have nothing to tell."""
    p = welch(first, second).p if len(second) > 1 else math.nan
    return 1.0 if math.isnan(p) else p
