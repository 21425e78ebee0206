"""What scenes share: a problem to show things on, a run to follow, and boards as they are shown."""

from __future__ import annotations

from string import ascii_uppercase
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from genoku.board import Board, Puzzle
from genoku.collection import bundled
from genoku.encoding import Boards
from genoku.fitness import Costs, fitness_map
from genoku.present.scenes.views import (
    BOTH,
    FIRST,
    GIVEN,
    NEITHER,
    SECOND,
    Bars,
    BoardView,
    Curve,
    Scene,
    ScenePlan,
    Step,
)
from genoku.problem import Problem
from genoku.recipe import build_part
from genoku.replacement import Brood
from genoku.state import State
from genoku.stream import Stream, stream


class Setting(NamedTuple):
    """A puzzle with an encoding and a fitness, and the stream that a scene draws from."""

    problem: Problem
    rng: Stream

    @staticmethod
    def of(plan: ScenePlan, *key: int | str) -> Setting:
        """On a bundled puzzle, with parts of the catalogue."""
        parts = build_part("encoding", plan.encoding), build_part("fitness", plan.fitness)
        return Setting(Problem.of(bundled()[plan.puzzle].puzzle, *parts), stream(*key))

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

    def map(self, title: str, board: Board, **looks: Any) -> BoardView:
        """A board in the colours of report 003's map."""
        units = fitness_map(board, self.puzzle.geometry).tolist()
        return self.view(title, board, paint="units", colours=units, **looks)

    def child(self, title: str, board: Board, one: Board, two: Board, **looks: Any) -> BoardView:
        """A board in the colours of who gave its cells."""
        gave = origins(board, one, two, self.puzzle.board)
        return self.view(title, board, paint="origin", colours=gave, **looks)

    def scene(self, plan: ScenePlan, steps: list[Step], curves: list[Curve] | None = None) -> Scene:
        """A scene on its puzzle."""
        shape, told = self.puzzle.geometry, (plan.name, plan.label, plan.about, plan.recipe)
        sizes = shape.side, shape.box_rows, shape.box_cols
        return Scene(*told, *sizes, list(self.puzzle.digits), steps, curves or [], plan.pace)


def follow(algorithm: Any, problem: Problem, rng: Stream, steps: int) -> list[State]:
    """The states of a run from its start, up to a solution or so many steps."""
    states = [algorithm.start(problem, rng)]
    while len(states) <= steps and not states[-1].finished:
        states.append(algorithm.step(problem, states[-1]))
    return states


def best_of(state: State) -> Board:
    """The board with the lowest cost."""
    best: Board = state.boards[int(state.costs.argmin())]
    return best


class Generation(NamedTuple):
    """What the operators of a genetic algorithm make of a population, one after the other."""

    mates: NDArray[Any]
    crossed: Boards
    children: Boards
    costs: Costs
    survivors: list[int]

    @staticmethod
    def of(
        algorithm: Any, state: State, problem: Problem, rng: Stream, count: int | None = None
    ) -> Generation:
        """What `Genetic.step` does, with the draws in the same order."""
        mates = algorithm.selection(state.costs, count or len(state.costs), 2, problem, rng)
        crossed = algorithm.crossover(state.boards, mates, problem, rng)
        children = algorithm.mutation(crossed, float(state.memory["rate"]), problem, rng)
        costs = problem.costs(children)
        brood = Brood(state.boards, state.costs, children, costs, mates)
        survivors = algorithm.replacement(brood, problem, rng).tolist()
        return Generation(mates, crossed, children, costs, survivors)

    def bars(self, old: Costs) -> list[Bars]:
        """Old boards and their children, with those picked out that survive."""
        young = [place - len(old) for place in self.survivors if place >= len(old)]
        kept = [place for place in self.survivors if place < len(old)]
        return [
            cost_bars("The old", old, chosen=sorted(set(kept))),
            cost_bars("Their children", self.costs, chosen=sorted(set(young))),
        ]


def origins(child: Board, one: Board, two: Board, givens: Board) -> list[int]:
    """Who gave every cell of a child."""
    from_one, from_two = child == one, child == two
    who = np.where(from_one, np.where(from_two, BOTH, FIRST), np.where(from_two, SECOND, NEITHER))
    who[givens > 0] = GIVEN
    cells: list[int] = who.tolist()
    return cells


def clashing(board: Board, puzzle: Puzzle) -> list[int]:
    """Blanks and givens whose digit is repeated in a unit; open cells clash with nothing."""
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
    """A part of a whole in per cent."""
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
