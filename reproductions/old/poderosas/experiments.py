"""Report 000's experiments as studies, and their results as arrays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, NamedTuple

from genoku.collection import bundled
from genoku.engine.history import Record
from genoku.lab.study import Arm, Instance, Study, arm
from reproductions.old.claims import Scale, published

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


CROSSOVERS = {"row": "row", "column": "single column", "point": "single point"}


class Model(NamedTuple):
    """A combination of the report: its selection, crossover and mutation."""

    selection: str
    crossover: str
    mutation: str

    def __str__(self) -> str:
        return f"{self.selection}, {CROSSOVERS[self.crossover]}, {self.mutation} swap"


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
BASE, LARGER, WIDER, GENTLER = (each.setting for each in EXPERIMENTS)


class Reading(NamedTuple):
    """How we read what the report leaves open; what is not said is as in its preset."""

    swap: str = "redraw"
    """In a unit with fewer than two blanks: draw another, or skip the mutation."""
    rank: str = "linear"
    """How the chances rise with the rank."""


OURS = Reading()
SWAPS = ("redraw", "skip")
RANKS = ("linear", "flat", "steep")


def readings(*, easy: bool, ranked: bool) -> tuple[Reading, ...]:
    """Those that matter: only the easy puzzle has units with fewer than two blanks."""
    swaps, ranks = (SWAPS if easy else SWAPS[:1]), (RANKS if ranked else RANKS[:1])
    return tuple(Reading(*each) for each in product(swaps, ranks))


def name_of(model: Model, setting: Setting, reading: Reading = OURS, elites: int = 0) -> str:
    """The name of an arm: equal for runs that are the same in two experiments."""
    ranked, tournament = model.selection == "rank", model.selection == "tournament"
    parts = (
        f"{model}; population {setting.population}",
        f"tournament {setting.tournament}" if tournament else "",
        f"rate {setting.rate:g}",
        f"{reading.rank} rank" if ranked and reading.rank != OURS.rank else "",
        "skipping" if reading.swap != OURS.swap else "",
        "one elite" if elites else "",
    )
    return ", ".join(filter(None, parts))


def _arm(
    model: Model,
    setting: Setting,
    reading: Reading = OURS,
    elites: int = 0,
    *,
    generations: int = GENERATIONS,
) -> Arm:
    ranked, tournament = model.selection == "rank", model.selection == "tournament"
    parts = (
        f"poderosas-{model.selection}",
        reading.rank if ranked and reading.rank != OURS.rank else "",
        model.crossover,
        reading.swap if reading.swap != OURS.swap else "",
        f"swap-{model.mutation}",
        f"pop{setting.population}",
        f"t{setting.tournament}" if tournament else "",
        f"rate{setting.rate:g}",
    )
    made = arm(
        "-".join(filter(None, parts)),
        until=f"generations={generations}",
        settings={"replacement.elites": elites} if elites else None,
    )
    facts = {**model._asdict(), **setting._asdict()}
    return replace(made, name=name_of(model, setting, reading, elites), settings=facts)


class Wish(NamedTuple):
    """A tournament model with an operator that the report wishes for, or its like without."""

    encoding: str
    crossover: str
    mutation: str
    unit: str

    def __str__(self) -> str:
        crossover = {**CROSSOVERS, "pmx": "PMX"}[self.crossover]
        return f"{self.encoding}, {crossover}, {self.unit} {self.mutation}"

    def arm(self) -> Arm:
        own = self.crossover if self.crossover in CROSSOVERS else "point"
        settings: dict[str, Any] = {
            "encoding": self.encoding,
            **({"crossover": "partially-matched"} if self.crossover == "pmx" else {}),
            "mutation": {"use": self.mutation, "unit": self.unit},
        }
        until = f"generations={GENERATIONS}"
        made = arm(f"poderosas-tournament-{own}", until=until, settings=settings)
        return replace(made, name=str(self), settings=self._asdict())


INVERTED = tuple(
    Wish("free-cells", *each)
    for each in product(ORDERS["crossover"], ["inversion"], ORDERS["mutation"])
)
"""Inversion in place of swap, all else as in experiment 1."""

PERMUTED = tuple(
    Wish(f"permuted-{unit}s", crossover, mutation, unit)
    for unit in ("row", "column")
    for crossover, mutation in product((unit, "pmx"), ("swap", "inversion"))
)
"""PMX crosses permutations: rows or columns that hold every digit, which the report's do not."""


def studies(scale: Scale) -> dict[str, Study]:
    """The experiments, the other readings of what they leave open, and what the report wishes for.

    Where every unit has two blanks, both readings of the swap are one: the other one runs on the
    easy puzzle alone.
    """
    seeds, fewer = scale.seeds_of(quick=8, full=100), scale.seeds_of(quick=8, full=40)
    tried = {
        name_of(model, each.setting): (model, each.setting, OURS, 0)
        for each in EXPERIMENTS
        for model in each.models
    }
    experiments = list(tried.values())
    others = [Reading(rank=rank) for rank in RANKS[1:]]
    ranks = [
        (model, setting, reading, 0)
        for reading in others
        for model, setting, *_ in experiments
        if model.selection == "rank"
    ]
    elites = [(model, BASE, OURS, 1) for model in ALL_MODELS]
    elites += [(model, BASE, how, 1) for how in others for model in of_selection("rank")]
    skipping = [
        (model, setting, reading._replace(swap="skip"), elite)
        for model, setting, reading, elite in (*experiments, *ranks, *elites)
    ]
    few = scale.seeds_of(quick=2, full=20)
    longer = {
        swap: [_arm(each, BASE, Reading(swap), generations=LONG) for each in TOURNAMENTS]
        for swap in SWAPS
    }
    wishes = [each.arm() for each in (*INVERTED, *PERMUTED)]
    easy, solvable = PUZZLES[:1], PUZZLES[1:]
    return {
        "experiments": _study(
            "experiments 1 to 4",
            "Which selection, crossover and mutation work best, and with which numbers?",
            *([_arm(*each) for each in experiments], PUZZLES, seeds),
        ),
        "ranks": _study(
            "other readings of rank selection",
            "Does it depend on how rank selection ranks, which the report does not say?",
            *([_arm(*each) for each in ranks], PUZZLES, fewer),
        ),
        "elitism": _study(
            "all models with an elite",
            "Would elitism help, as the report expects?",
            *([_arm(*each) for each in elites], PUZZLES, fewer),
        ),
        "skipping": _study(
            "the other reading of the swap",
            "What if a swap in a unit with fewer than two blanks changes nothing?",
            *([_arm(*each) for each in skipping], easy, fewer),
        ),
        "longer": _study(
            "the tournament models for longer",
            f"Are {GENERATIONS} generations enough?",
            *(longer["redraw"], PUZZLES, few, 10),
        ),
        "longer-skipping": _study(
            "the tournament models for longer, with the other reading of the swap",
            f"Are {GENERATIONS} generations enough?",
            *(longer["skip"], easy, few, 10),
        ),
        "wishes": _study(
            "partially matched crossover and inversion",
            "Do the operators help that the report wishes for?",
            *(wishes, solvable, fewer),
        ),
    }


def _study(
    name: str,
    question: str,
    arms: list[Arm],
    puzzles: tuple[str, ...],
    seeds: tuple[int, ...],
    every: int = 1,
) -> Study:
    return Study(
        f"report 000, {name}",
        tuple(arms),
        tuple(Instance(each, bundled()[f"poderosas-{each}"].puzzle) for each in puzzles),
        seeds,
        question,
        Record(fields=("gen", "best"), every=every),
        allow_conflicts=True,
    )


def fitness(costs: Any) -> Any:
    """Conflicts on the report's scale."""
    return 1.0 - costs / PUBLISHED["max_conflicts"]


def of_selection(selection: str) -> tuple[Model, ...]:
    return models([selection])


def winners() -> Iterator[tuple[Experiment, list[str], Model, str, int | None]]:
    """Each time the report calls a model the best: experiment, puzzles, model, where, number."""
    by_number = {each.number: each for each in EXPERIMENTS}
    for each in PUBLISHED["winners"]:
        yield (
            by_number[each["experiment"]],
            each["puzzles"],
            Model(*each["model"]),
            each["where"],
            each.get("number"),
        )
