"""The fitness as its report states it: numbers, goal, mean and direction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from genoku.engine.run import run
from genoku.engine.scale import FitnessScale, fitness_scale
from genoku.evolve.algorithms import Annealing, Champion, Exact, Genetic, Restarts
from genoku.evolve.fitness import (
    FITNESSES,
    CompleteUnits,
    Contradictions,
    Fitness,
    MissingDigits,
    Normalised,
    Repetitions,
    Unique,
    UniqueSquared,
)
from genoku.evolve.presets import preset
from genoku.evolve.stopping import Until
from genoku.puzzle.board import Puzzle
from genoku.puzzle.geometry import Geometry

NINE = Geometry(3, 3)


def scale_of(fitness: Fitness, geometry: Geometry = NINE) -> FitnessScale:
    return FitnessScale(fitness, geometry)


@pytest.mark.parametrize(
    ("fitness", "cost", "mean_cost", "stated"),
    [
        (CompleteUnits(), 63, 71.7, "Fitness 180 of 243, mean 171.3"),  # report 003, the long run
        (Normalised(), 25, 31.3221, "Fitness 0.8971 (normalised), mean 0.8711"),  # report 000
        (Unique(), 7, 12.25, "Fitness 236 of 243, mean 230.8"),
        (Repetitions(), 7, 12.25, "Fitness 7 (repetitions), mean 12.2"),
        (UniqueSquared(), 119, 200.5, "Fitness 2068 of 2187, mean 1986.5"),
        (MissingDigits(), 0, 3.0, "Fitness 0 (missing-digits), mean 3.0"),
        (Contradictions(), 4, 9.0, "Fitness 4 (contradictions), mean 9.0"),
    ],
)
def test_every_report_states_its_fitness_on_its_own_scale(
    fitness: Fitness, cost: int, mean_cost: float, stated: str
) -> None:
    scale = scale_of(fitness)
    (mean,) = scale.means(np.array([mean_cost]))
    assert scale.statement(cost, mean) == stated


@pytest.mark.parametrize("box", ["2x2", "2x3", "3x3", "4x4", "6x6"])
@pytest.mark.parametrize("kind", FITNESSES)
def test_the_mean_fitness_follows_from_the_mean_cost(kind: type[Fitness], box: str) -> None:
    scale = scale_of(kind(), Geometry.parse(box))
    worst = scale.fitness.worst(scale.geometry)
    costs = np.random.default_rng(1).integers(0, worst, 50)
    assert scale.step is not None
    assert scale.mean(costs) == pytest.approx(float(scale.means(np.array([costs.mean()]))[0]))
    assert (scale.score(0) > scale.score(worst)) == (scale.better == "higher")
    assert scale.goal == scale.score(0)


@dataclass(frozen=True)
class Table(Repetitions):
    """A fitness whose score is looked up, so that a mean cost has none."""

    def score(self, costs: Any, geometry: Geometry) -> Any:
        return np.arange(1000.0)[costs] ** 2


def test_a_mean_cost_says_nothing_of_a_fitness_that_is_no_line() -> None:
    scale = scale_of(Table())
    assert scale.step is None
    assert scale.mean(np.array([1, 3])) == 5  # of the boards themselves
    assert np.isnan(scale.means(np.array([2.0]))).all()
    result = run("1.....3..4.....2", Genetic(population=4, fitness=Table()), until="generations=3")
    assert np.isnan(result.history["mean_score"]).all()


def test_a_single_board_is_the_current_one_and_has_no_mean() -> None:
    scale = scale_of(Repetitions())
    assert scale.mean(np.array([7])) is None
    assert scale.statement_now(np.array([7])) == "current fitness 7 (repetitions)"
    assert scale.statement_now(np.array([7, 10])) == "fitness 7 (repetitions), mean 8.5"
    result = run("1.....3..4.....2", Annealing(moves=5), until="steps=3")
    assert result.mean_fitness is None
    assert result.caption == ""
    assert np.isnan(result.history["mean_score"]).all()


@pytest.mark.parametrize("algorithm", [Champion(), Exact()])
def test_partial_boards_have_no_fitness(algorithm: Any) -> None:
    result = run("1.....3..4.....2", algorithm)
    assert fitness_scale(result.problem) is None
    assert (result.mean_fitness, result.caption) == (None, "")
    assert result.record()["fitness"] is None
    assert np.isnan(result.history["mean_score"]).all()


def test_a_run_of_report_003_ends_with_its_caption_and_its_numbers() -> None:
    simon = preset("simon")
    result = run(simon.puzzle, simon.build(), seed=1, until="generations=20")
    facts = result.record()["fitness"]
    assert facts == {
        "name": "complete-units",
        "best": 243 - result.cost,
        "mean": 243 - result.state.costs.mean(),
        "goal": 243,
        "better": "higher",
    }
    assert result.caption == f"ID {result.best_id} · Fitness {243 - result.cost}"
    assert result.history["score"].max() == result.score
    assert result.history["mean_score"] == pytest.approx(243 - result.history["mean"])


def test_restarts_are_known_by_their_steps() -> None:
    search = Restarts(Genetic(population=6), after="stagnation=2")
    empty = Puzzle(NINE, bytes(81))
    counts: list[float] = []
    result = run(
        empty,
        search,
        until="generations=40",
        watch=lambda view: counts.append(view.state.memory["restarts"]),
    )
    expected = [step for step, more in enumerate(np.diff(counts), start=1) if more]
    assert list(result.history.restarts) == expected
    assert expected
    assert str(Until.parse("generations=40")) == result.until


def test_a_resumed_run_knows_all_its_restarts(tmp_path: Any) -> None:
    from genoku.engine.run import resume

    search = Restarts(Genetic(population=6), after="stagnation=2")
    empty, path = Puzzle(NINE, bytes(81)), tmp_path / "run.ck"
    whole = run(empty, search, until="generations=40")
    run(empty, search, until="generations=20", checkpoint=path)
    assert resume(path, until="generations=40").history.restarts == whole.history.restarts
