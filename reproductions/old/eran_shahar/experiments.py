"""Report 001's comparison as studies, and their results as efforts and verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from genoku.collection import bundled
from genoku.engine.history import Record
from genoku.engine.run import run
from genoku.lab.results import Results
from genoku.lab.statistics import RunningTime, Sample, running_time
from genoku.lab.store import Store
from genoku.lab.study import Arm, Instance, Study, arm
from genoku.preset_library import preset
from genoku.problem import Problem
from genoku.stream import stream
from reproductions.old.claims import Scale, published

if TYPE_CHECKING:
    from genoku.algorithms.genetic import Genetic

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

GENETIC, FAILS, GOES_ON = "genetic", "annealing, fails", "annealing, goes on"
READINGS = {FAILS: "eran-shahar-sa", GOES_ON: "eran-shahar-sa-downhill"}
"""The annealing where no cell can be improved, as two sentences of the report have it.

One says that it "outputs failure", after which we start again; the other that it "continues until
a solution is found", which we read as a downhill move in a random cell.
"""
ALGORITHMS = {GENETIC: "eran-shahar-ga", **READINGS}
PUBLISHED_AS = {GENETIC: "genetic", FAILS: "annealing", GOES_ON: "annealing"}
"""The report has one annealing, however it is read."""

POPULATION, LARGER = 500, 2500

NEVER, OFTEN = ({"use": "constant", "rate": rate} for rate in (0.0, 0.5))
CHOICES: dict[str, tuple[str, dict[str, Any]]] = {
    "no mutation": (GENETIC, {"adaptation.rate": 0.0}),
    "mutation 0.1": (GENETIC, {"adaptation.rate": 0.1}),
    "mutation 1": (GENETIC, {"adaptation.rate": 1.0}),
    "population 100": (GENETIC, {"population": 100}),
    "population 2500": (GENETIC, {"population": LARGER}),
    "mates by fitness": (GENETIC, {"selection": "inverted-roulette"}),
    "four cuts, three parents": (GENETIC, {"crossover.points": 4, "crossover.parents": 3}),
    "no twins": (GENETIC, {"diversity": "no-twins"}),
    "fails, never downhill": (FAILS, {"algorithm.chance": NEVER}),
    "fails, downhill half the time": (FAILS, {"algorithm.chance": OFTEN}),
    "goes on, downhill only when stuck": (GOES_ON, {"chance": NEVER}),
    "goes on, downhill half the time": (GOES_ON, {"chance": OFTEN}),
}
"""What the report leaves open, or wishes for: the algorithm, and what is set otherwise."""


def studies(scale: Scale) -> dict[str, Study]:
    """80 attempts at each board; what the open choices decide; single starts that may fail."""
    until = f"evaluations={budget(scale)}"
    boards = tuple(Instance(name, bundled()[name].puzzle) for name in (*LEVELS.values(), HARDER))
    record = Record(fields=("gen", "evals", "best_ever", "diversity"), every=50)
    return {
        "attempts": Study(
            "report 001, its algorithms",
            tuple(replace(arm(of, until=until), name=name) for name, of in ALGORITHMS.items()),
            boards,
            scale.seeds_of(quick=20, full=80),
            "Which of them solves a board sooner?",
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


def larger_start(scale: Scale) -> Attempts:
    """Attempts at `medium` whose first population alone is larger, as the report wishes.

    The best half of 2,500 random boards mate; their children and the best board are 500, and so it
    goes on.
    """
    genetic = cast("Genetic", preset(ALGORITHMS[GENETIC]).build())
    larger = replace(genetic, population=LARGER)
    puzzle = bundled()[LEVELS["medium"]].puzzle
    problem = Problem.of(puzzle, genetic.encoding, genetic.fitness)
    until = f"evaluations={budget(scale) - LARGER}"
    results = []
    for seed in scale.seeds_of(quick=10, full=40):
        first = larger.start(problem, stream(seed, "larger start"))
        children = larger.step(problem, first).boards[: POPULATION - 1]
        boards = np.concatenate((first.boards[[first.costs.argmin()]], children))
        few = Record(fields=("gen",), every=10_000)
        results.append(run(puzzle, genetic, seed=seed, until=until, boards=boards, record=few))
    return Attempts(
        np.array([1000 * each.cpu_seconds for each in results]),
        np.array([float(each.evaluations + LARGER) for each in results]),
        np.array([each.solved for each in results]),
    )


def budget(scale: Scale) -> int:
    """Evaluations of an attempt."""
    return int(scale.choose(200_000, 1_000_000))


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

    def runs(self, measure: str) -> tuple[Sample, NDArray[np.bool_]]:
        """What each attempt spent, and whether it was solved."""
        return self.effort(measure), self.solved

    def cut(self, limit: int) -> Attempts:
        """The same attempts, had they been ended after so many evaluations; CPU time in step."""
        share = np.minimum(1.0, limit / self.evaluations)
        solved = self.solved & (self.evaluations <= limit)
        return Attempts(self.cpu * share, self.evaluations * share, solved)


@dataclass(frozen=True, eq=False)
class Variety:
    """Diversities of the genetic algorithm's runs on `medium`, after equally many evaluations."""

    evaluations: int
    solved: Sample
    """Of runs that are solved later."""
    unsolved: Sample
    """Of runs that never are."""

    @classmethod
    def of(cls, store: Store) -> Variety:
        """Taken as late as half of the runs that are solved are still under way.

        Or the first time that it is recorded, where they are solved before.
        """
        runs = [(row.solved, history) for row, history in store.histories(arm=0, instance=1)]
        lasts = [history["gen"][-1] for solved, history in runs if solved]
        step = store.study.record.every
        at = max(step, (int(np.median(lasts)) - 1) // step * step) if lasts else step
        taken: dict[bool, list[float]] = {True: [], False: []}
        for solved, history in runs:
            if history["gen"][-1] > at:
                taken[solved].append(float(history["diversity"][history["gen"] == at][0]))
        return cls(POPULATION * (at + 1), np.array(taken[True]), np.array(taken[False]))


@dataclass(frozen=True, eq=False)
class Measured:
    """Everything by algorithm and board, by choice, and by board."""

    attempts: Mapping[tuple[str, str], Attempts]
    choices: Mapping[str, Attempts]
    starts: Mapping[str, NDArray[np.bool_]]
    """Which single starts that fail when stuck were solved."""
    variety: Variety
    larger: Attempts
    """With a larger first population."""
    budget: int
    """Evaluations of an attempt."""

    @classmethod
    def of(cls, stores: Mapping[str, Store], scale: Scale) -> Measured:
        attempts, choices, once = (
            stores[name].results() for name in ("attempts", "choices", "once")
        )
        boards = [each.name for each in stores["attempts"].study.instances]
        return cls(
            {
                (algorithm, board): Attempts.of(attempts.of(arm=arm_place, instance=place))
                for arm_place, algorithm in enumerate(ALGORITHMS)
                for place, board in enumerate(boards)
            },
            {name: Attempts.of(choices.of(arm=place)) for place, name in enumerate(CHOICES)},
            {board: once.of(instance=place).solved for place, board in enumerate(boards)},
            Variety.of(stores["attempts"]),
            larger_start(scale),
            budget(scale),
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
    return average(level, attempts, "genetic") / average(level, attempts, "annealing")


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
