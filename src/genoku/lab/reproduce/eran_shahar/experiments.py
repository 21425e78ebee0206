"""Report 001's comparison as studies, and their results as efforts and verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genoku.collection import bundled
from genoku.history import Record
from genoku.lab.reproduce.claims import Scale, published
from genoku.lab.reproduce.words import in_words
from genoku.lab.results import Results
from genoku.lab.statistics import RunningTime, running_time
from genoku.lab.statistics.samples import Sample
from genoku.lab.store import Store
from genoku.lab.study import Arm, Instance, Study, arm

PUBLISHED: list[dict[str, Any]] = published("eran-shahar")["averages"]

LEVELS = {
    "easy": "charles-very-easy",
    "medium": "charles-basic",
    "medium 2": "9x9-easy",
    "hard": "charles-moderate",
}
"""The report's levels, and the boards that we take: only its example is known, our `medium`."""

HARDER = "charles-hard"
"""A board of 26 givens, beyond the four."""

GENETIC, ANNEALING = "genetic", "annealing"
ALGORITHMS = {GENETIC: "eran-shahar-ga", ANNEALING: "eran-shahar-sa"}

CHOICES: dict[str, tuple[str, dict[str, Any]]] = {
    "no mutation": (GENETIC, {"adaptation.rate": 0.0}),
    "mutation 0.1": (GENETIC, {"adaptation.rate": 0.1}),
    "mutation 1": (GENETIC, {"adaptation.rate": 1.0}),
    "population 100": (GENETIC, {"population": 100}),
    "population 2500": (GENETIC, {"population": 2500}),
    "mates by fitness": (GENETIC, {"selection": "inverted-roulette"}),
    "four cuts, three parents": (GENETIC, {"crossover.points": 4, "crossover.parents": 3}),
    "no twins": (GENETIC, {"diversity": "no-twins"}),
    "never downhill": (ANNEALING, {"algorithm.chance": {"use": "constant", "rate": 0.0}}),
    "downhill half the time": (ANNEALING, {"algorithm.chance": {"use": "constant", "rate": 0.5}}),
}
"""What the report leaves open, or wishes for: the algorithm, and what is set otherwise."""


def studies(scale: Scale) -> dict[str, Study]:
    """80 attempts at each board; what the open choices decide; single starts of the annealing."""
    until = f"evaluations={scale.choose(200_000, 1_000_000)}"
    boards = tuple(Instance(name, bundled()[name].puzzle) for name in (*LEVELS.values(), HARDER))
    record = Record(fields=("gen", "evals", "best_ever", "diversity"), every=50)
    return {
        "attempts": Study(
            "report 001, both algorithms",
            tuple(replace(arm(of, until=until), name=name) for name, of in ALGORITHMS.items()),
            boards,
            scale.seeds_of(quick=20, full=80),
            "Which of the two solves a board sooner?",
            record,
        ),
        "choices": Study(
            "report 001, what it left open",
            tuple(_choice(name, until) for name in CHOICES),
            boards[1:2],
            scale.seeds_of(quick=10, full=40),
            "What do the values decide that the report does not give, and what do its wishes?",
            record,
        ),
        "once": Study(
            "report 001, single starts",
            (arm("eran-shahar-sa-once"),),
            boards,
            scale.seeds_of(quick=200, full=1000),
            "How often does a single start of the annealing fail?",
            Record(fields=("gen",), every=1000),
        ),
    }


def _choice(name: str, until: str) -> Arm:
    algorithm, settings = CHOICES[name]
    return replace(arm(ALGORITHMS[algorithm], until=until, settings=settings), name=name)


@dataclass(frozen=True, eq=False)
class Attempts:
    """Attempts at one board by one algorithm."""

    cpu: Sample
    """Milliseconds."""
    evaluations: Sample
    """Boards evaluated by the genetic algorithm, digits tried by the annealing."""
    solved: NDArray[np.bool_]

    @classmethod
    def of(cls, results: Results) -> Attempts:
        return cls(
            1000 * results.cpu_seconds, results.evaluations.astype(np.float64), results.solved
        )

    def time(self, measure: str) -> RunningTime:
        """Expected running time in `cpu` milliseconds or in `evaluations`."""
        return running_time(self.effort(measure), self.solved)

    def effort(self, measure: str) -> Sample:
        return self.cpu if measure == "cpu" else self.evaluations

    @property
    def ranked(self) -> Sample:
        """Evaluations to the solution, infinite where there was none."""
        return np.where(self.solved, self.evaluations, np.inf)


@dataclass(frozen=True, eq=False)
class Measured:
    """Everything by algorithm and board, by choice, and by board."""

    attempts: Mapping[tuple[str, str], Attempts]
    choices: Mapping[str, Attempts]
    starts: Mapping[str, NDArray[np.bool_]]
    """Which single starts were solved."""
    variety: Mapping[str, Sample]
    """Last diversity of the genetic algorithm's runs on `medium`: solved, and unsolved ones."""
    budget: str

    @classmethod
    def of(cls, stores: Mapping[str, Store]) -> Measured:
        attempts, choices, once = (
            stores[name].results() for name in ("attempts", "choices", "once")
        )
        boards = [each.name for each in stores["attempts"].study.instances]
        places = list(enumerate(ALGORITHMS))
        variety: dict[str, list[float]] = {"solved": [], "unsolved": []}
        for row, history in stores["attempts"].histories(arm=0, instance=1):
            taken = history["diversity"][~np.isnan(history["diversity"])]
            variety["solved" if row.solved else "unsolved"].append(float(taken[-1]))
        return cls(
            {
                (algorithm, board): Attempts.of(attempts.of(arm=arm_place, instance=place))
                for arm_place, algorithm in places
                for place, board in enumerate(boards)
            },
            {name: Attempts.of(choices.of(arm=place)) for place, name in enumerate(CHOICES)},
            {board: once.of(instance=place).solved for place, board in enumerate(boards)},
            {name: np.array(values) for name, values in variety.items()},
            in_words(stores["attempts"].study.arms[0].until),
        )

    def at(self, algorithm: str, level: str) -> Attempts:
        """The attempts at a level of the report."""
        return self.attempts[algorithm, LEVELS[level]]


def average(level: str, attempts: int, algorithm: str) -> int:
    """A published average, in milliseconds."""
    (found,) = (
        each for each in PUBLISHED if each["level"] == level and each["attempts"] == attempts
    )
    return int(found[algorithm])


def published_ratio(level: str, attempts: int) -> float:
    """The genetic algorithm's published average by the annealing's."""
    return average(level, attempts, GENETIC) / average(level, attempts, ANNEALING)


def solving_times(
    attempts: Attempts, measure: str, size: tuple[int, int], draws: np.random.Generator
) -> Sample:
    """Times of fresh attempts that go on until solved, `size` of them.

    Runs of ours are drawn one after another, as restarts, until one that was solved.
    """
    effort, solved = attempts.effort(measure), attempts.solved
    if not solved.any():
        return np.full(size, np.inf)
    times, still = np.zeros(size), np.ones(size, np.bool_)
    while still.any():
        drawn = draws.integers(effort.size, size=int(still.sum()))
        times[still] += effort[drawn]
        still[still] = ~solved[drawn]
    return times
