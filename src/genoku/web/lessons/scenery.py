"""What chapters share: a problem to show things on, and boards as they are shown."""

from __future__ import annotations

from collections.abc import Callable
from string import ascii_uppercase
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from genoku.board import Board, Puzzle
from genoku.collection import bundled
from genoku.encoding import Boards
from genoku.fitness import Costs, fitness_map
from genoku.problem import Problem
from genoku.recipe import build, build_part
from genoku.stream import Stream, stream
from genoku.web.lessons.parts import Bars, BoardView, Curve, Scene, Step

Recipe = dict[str, Any]
SMALL_GA: Recipe = {
    "use": "genetic",
    "encoding": "permuted-boxes",
    "fitness": "repetitions",
    "population": 12,
    "selection": {"use": "tournament", "size": 2},
    "crossover": {"use": "uniform", "by": "box", "children": 1, "rate": 0.9},
    "mutation": {"use": "swap", "unit": "box"},
    "adaptation": {"use": "constant", "rate": 0.5},
    "replacement": {"use": "generational", "elites": 1},
}
"""A genetic algorithm that is small enough to be followed."""


class Setting(NamedTuple):
    """A puzzle with an encoding and a fitness, and the stream that a scene draws from."""

    problem: Problem
    rng: Stream

    @staticmethod
    def of(puzzle: str, encoding: str, fitness: str, *key: int | str) -> Setting:
        """On a bundled puzzle, with parts of the catalogue."""
        parts = build_part("encoding", encoding), build_part("fitness", fitness)
        return Setting(Problem.of(bundled()[puzzle].puzzle, *parts), stream(*key))

    @property
    def puzzle(self) -> Puzzle:
        return self.problem.puzzle

    def boards(self, count: int) -> Boards:
        """Random boards of the encoding."""
        return self.problem.space.sample(count, self.rng)

    def cost(self, board: Board) -> int:
        return int(self.problem.costs(board[None])[0])

    def view(self, title: str, board: Board, **looks: Any) -> BoardView:
        """A board with its cost below it."""
        if "note" not in looks:
            looks["note"] = f"cost {self.cost(board)}"
        return BoardView(title, board.tolist(), **looks)

    def mapped(self, title: str, board: Board, **looks: Any) -> BoardView:
        """A board in the colours of report 003's map."""
        units = fitness_map(board, self.puzzle.geometry).tolist()
        return self.view(title, board, paint="units", colours=units, **looks)

    def scene(
        self,
        name: str,
        label: str,
        about: str,
        recipe: Recipe,
        steps: list[Step],
        *,
        curves: list[Curve] | None = None,
        pace: float = 1.6,
    ) -> Scene:
        """A scene on its puzzle."""
        shape, givens = self.puzzle.geometry, list(self.puzzle.digits)
        sizes = shape.side, shape.box_rows, shape.box_cols
        return Scene(name, label, about, recipe, *sizes, givens, steps, curves or [], pace)


def algorithm_of(recipe: str | Recipe) -> Any:
    """The algorithm of a recipe, with nobody's own parts."""
    return build(recipe)


def clashing(board: Board, puzzle: Puzzle) -> list[int]:
    """Blanks and givens whose digit stands again in a unit; open cells clash with nothing."""
    found: set[int] = set()
    for unit in puzzle.geometry.units.tolist():
        held = board[unit]
        found |= {c for c in unit if board[c] and int((held == board[c]).sum()) > 1}
    return sorted(found)


def changed(before: Board, after: Board) -> list[int]:
    """The cells in which two boards differ."""
    cells: list[int] = np.flatnonzero(before != after).tolist()
    return cells


def cost_bars(title: str, costs: Costs | NDArray[Any], **looks: Any) -> Bars:
    """A bar for the cost of every board, named A, B, C and so on."""
    values = [float(cost) for cost in costs]
    return Bars(title, "cost", [name_of(place) for place in range(len(values))], values, **looks)


def name_of(place: int) -> str:
    """A letter for a board."""
    return ascii_uppercase[place]


def share(part: int, whole: int) -> str:
    """So many of so many, in per cent."""
    return f"{100 * part / whole:.1f} %"


def compared(costs: Costs, what: str, *others: int) -> str:
    """How many of many boards cost less than all of some others, and how many more."""
    better = share(int((costs < min(others)).sum()), len(costs))
    worse = share(int((costs > max(others)).sum()), len(costs))
    ends = ("better than both", "worse than both") if len(others) == 2 else ("better", "worse")
    return f"Of {len(costs):,} such {what} {better} are {ends[0]}, {worse} {ends[1]}."


def moments(count: int, most: int) -> list[int]:
    """Up to `most` places of a course of `count`, close at its beginning, with both ends."""
    if count <= most:
        return list(range(count))
    places = {round((count - 1) * (i / (most - 1)) ** 1.5) for i in range(most)}
    return sorted(places)


Maker = Callable[[int], list[Scene]]
"""What makes the scenes of a chapter from a seed."""
