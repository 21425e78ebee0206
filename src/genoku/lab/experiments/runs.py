"""The runs of a report's experiment: what to run, and what is kept of a run."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genoku.engine.history import Record
from genoku.engine.result import Result
from genoku.engine.run import run, warm_up
from genoku.evolve.presets import Choice, choose
from genoku.evolve.stopping import Stop
from genoku.lab.study import Instance
from genoku.puzzle.board import Puzzle
from genoku.puzzle.geometry import Geometry
from genoku.runtime.workers import make_batches, map_in_order

BATCH = 4  # runs that a process makes at a time

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Request:
    """How to repeat an experiment.

    Parameters
    ----------
    number
        The report.
    folder
        Where its files go; created if it does not exist.
    seeds
        Runs of every setting; None makes as many as the report did.
    jobs
        Processes.
    puzzles
        Own boards in place of the report's, where its experiment takes any board.
    """

    number: str
    folder: Path
    seeds: int | None = None
    jobs: int = 1
    puzzles: tuple[Instance, ...] = ()


@dataclass(frozen=True)
class PlannedRun:
    """A run of an experiment: a preset on a puzzle with a seed.

    Parameters
    ----------
    preset, settings, until
        The algorithm, what differs from its preset, and its limits; by default the preset's.
    every
        Generations between recorded rows.
    log
        The file for report 003's log of all individuals; None keeps no individuals.
    """

    preset: str
    puzzle: Puzzle
    seed: int
    until: str | None = None
    settings: tuple[str, ...] = ()
    every: int = 1
    log: Path | None = None

    def choice(self) -> Choice:
        """Build the algorithm, once per process."""
        return _choice(self.preset, self.until, self.settings, self.puzzle.geometry)


@lru_cache(maxsize=256)
def _choice(name: str, until: str | None, settings: tuple[str, ...], geometry: Geometry) -> Choice:
    made = choose(name, until, settings=settings)
    warm_up(made.algorithm, geometry)
    return made


@dataclass(frozen=True, eq=False)
class FinishedRun:
    """What an experiment keeps of a run; scores are on the report's own scale."""

    planned: PlannedRun
    solved: bool
    score: float
    """Of the best board of the run."""
    final_score: float
    """Of the best board of the last population, which the reports give."""
    final_loss: float
    """The same from 0 (solved) to 1, report 002's normalized loss."""
    steps: int
    evaluations: int
    cpu_seconds: float
    board: bytes
    """The best board of the run."""
    board_id: int
    generations: Numbers
    """`[rows]`: the recorded generations; `best`, `mean` and `rate` have as many values."""
    best: Numbers
    mean: Numbers
    rate: Numbers
    losses: Numbers
    """`[rows]`: of the best, from 0 (solved) to 1."""
    cloud: Numbers
    """`[points, 2]`: the generations and scores that any individual had, each pair once."""

    @classmethod
    def of(cls, planned: PlannedRun, result: Result) -> FinishedRun:
        """Reduce a result to what is kept."""
        problem, history = result.problem, result.history
        geometry = problem.puzzle.geometry

        def score(costs: NDArray[Any]) -> Numbers:
            return np.asarray(problem.fitness.score(costs, geometry), np.float64)

        pairs = np.unique(result.individuals[:, [0, 2]], axis=0)
        cloud = np.column_stack((pairs[:, 0].astype(np.float64), score(pairs[:, 1])))
        final_loss = problem.fitness.loss(np.array([result.final_cost], np.int32), geometry)
        return cls(
            planned=planned,
            solved=result.solved,
            score=result.score,
            final_score=result.final_score,
            final_loss=float(final_loss[0]),
            steps=result.steps,
            evaluations=result.evaluations,
            cpu_seconds=result.cpu_seconds,
            board=result.board.tobytes(),
            board_id=result.best_id,
            generations=np.asarray(history["gen"], np.float64),
            best=score(history["best"]),
            mean=score(history["mean"]),
            rate=np.asarray(history["rate"], np.float64),
            losses=np.asarray(problem.fitness.loss(history["best"], geometry), np.float64),
            cloud=cloud,
        )


def make_runs(planned: Iterable[PlannedRun], jobs: int) -> Generator[FinishedRun]:
    """Make runs in several processes, and yield them in order.

    Raises KeyboardInterrupt if one was interrupted.
    """
    for batch in map_in_order(_make_batch, make_batches(planned, BATCH), jobs):
        yield from batch


def _make_batch(planned: list[PlannedRun]) -> list[FinishedRun]:
    return [_make_run(each) for each in planned]


def _make_run(planned: PlannedRun) -> FinishedRun:
    chosen = planned.choice()
    record = Record(
        fields=("gen", "best", "mean", "rate"),
        every=planned.every,
        individuals=planned.log is not None,
    )
    result = run(
        planned.puzzle,
        chosen.algorithm,
        seed=planned.seed,
        until=chosen.until,
        record=record,
        allow_conflicts=True,  # report 000's easy puzzle has no solution
    )
    if result.stop_reason is Stop.INTERRUPTED:
        raise KeyboardInterrupt
    if planned.log is not None:
        planned.log.parent.mkdir(parents=True, exist_ok=True)
        result.write_individuals(planned.log)
    return FinishedRun.of(planned, result)
