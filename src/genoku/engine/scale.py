"""How a fitness is stated: on its report's own scale, with its goal, in its direction."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genoku.evolve.fitness import Fitness, OpenCells
from genoku.evolve.problem import Problem, display_name
from genoku.puzzle.geometry import Geometry

MIDDLE_DOT = " · "
MOST = int(np.iinfo(np.int32).max)  # cost of a board


def counts_open_cells(problem: Problem) -> bool:
    """Whether boards are partial, so that a cost is a number of open cells."""
    return isinstance(problem.fitness, OpenCells)


def fitness_scale(problem: Problem) -> FitnessScale | None:
    """Return the scale of a problem's fitness; None where boards are partial and have none."""
    if counts_open_cells(problem):
        return None
    return FitnessScale(problem.fitness, problem.puzzle.geometry)


@dataclass(frozen=True, eq=False)
class FitnessScale:
    """The scale on which a report states the fitness of boards.

    The terminal, the summary of a run, plots, films and exports all take their words and numbers
    from here.
    """

    fitness: Fitness
    geometry: Geometry

    @cached_property
    def name(self) -> str:
        """The name of the fitness function, such as `complete-units`."""
        return display_name(self.fitness)

    @property
    def better(self) -> str:
        """The direction: "higher" or "lower" is better."""
        return "higher" if self.fitness.maximise else "lower"

    @cached_property
    def goal(self) -> float:
        """The fitness of a solved board."""
        return self.score(0)

    @cached_property
    def is_whole(self) -> bool:
        """Whether all fitnesses are whole numbers."""
        return all(float(each).is_integer() for each in self.scores(np.array([0, 1, 2])))

    @cached_property
    def step(self) -> float | None:
        """The change of the fitness per unit of cost; None if it is not the same for all costs.

        It is the same for every fitness function of the reports; your own may differ.
        """
        worst = min(max(3, self.fitness.worst(self.geometry)), MOST)
        costs = np.array([0, 1, 2, worst // 2, worst])
        scores = self.scores(costs)
        step = float(scores[1]) - float(scores[0])
        return step if np.allclose(scores, scores[0] + step * costs) else None

    def scores(self, costs: NDArray[Any]) -> NDArray[np.float64]:
        """Return the fitness for costs, which are whole numbers."""
        whole = costs.astype(np.int32)
        return np.asarray(self.fitness.score(whole, self.geometry), np.float64)

    def score(self, cost: int) -> float:
        """Return the fitness for a cost."""
        return float(self.scores(np.array([cost]))[0])

    def mean(self, costs: NDArray[Any]) -> float | None:
        """Return the mean fitness of a population; None for a single board."""
        return float(self.scores(costs).mean()) if len(costs) > 1 else None

    def means(self, mean_costs: NDArray[Any]) -> NDArray[np.float64]:
        """Return mean fitnesses for mean costs; NaN where `step` is None, so that none follows."""
        step = np.nan if self.step is None else self.step
        return self.goal + step * np.asarray(mean_costs, np.float64)

    def number(self, fitness: float) -> str:
        """Format the fitness of a board: "180", or "0.8971"."""
        return f"{fitness:.0f}" if self.is_whole else f"{fitness:.4f}"

    def mean_number(self, mean: float) -> str:
        """Format a mean fitness: "171.3", or "0.8711"."""
        return f"{mean:.1f}" if self.is_whole else f"{mean:.4f}"

    def of_goal(self, fitness: float) -> str:
        """Format a fitness with its goal, "180 of 243"; else with its name, "0.8971 (normalised)".

        A fitness that falls to 0 or rises to 1 has its name, since the goal alone says little.
        """
        has_maximum = self.fitness.maximise and self.goal != 1
        of = f"of {self.number(self.goal)}" if has_maximum else f"({self.name})"
        return f"{self.number(fitness)} {of}"

    def statement(self, cost: int, mean: float | None = None, subject: str = "Fitness") -> str:
        """State the fitness of a board: "Fitness 180 of 243, mean 171.3".

        Parameters
        ----------
        cost
            The cost of the board.
        mean
            The mean fitness of its population, from `mean`; None to state none.
        """
        stated = f"{subject} {self.of_goal(self.score(cost))}"
        return stated if mean is None else f"{stated}, mean {self.mean_number(mean)}"

    def statement_now(self, costs: NDArray[Any]) -> str:
        """State best and mean of a population within a list: "fitness 180 of 243, mean 171.3".

        A search with a single board has its current one: "current fitness 12 (contradictions)".
        """
        subject = "fitness" if len(costs) > 1 else "current fitness"
        return self.statement(int(costs.min()), self.mean(costs), subject)

    @property
    def label(self) -> str:
        """The label of an axis: "fitness (complete-units), higher is better"."""
        return f"fitness ({self.name}), {self.better} is better"

    def facts(self, cost: int, mean: float | None) -> dict[str, object]:
        """Return the same as data, for JSON."""
        return {
            "name": self.name,
            "best": self.score(cost),
            "mean": mean,
            "goal": self.goal,
            "better": self.better,
        }

    def caption(self, cost: int, board_id: int | None = None) -> str:
        """Caption a board as report 003 does: "ID 262301 · Fitness 180"."""
        fitness = f"Fitness {self.number(self.score(cost))}"
        return fitness if board_id is None else f"ID {board_id}{MIDDLE_DOT}{fitness}"
