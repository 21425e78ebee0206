"""Runs as a browser is shown them: numbers that JSON has, and report 003's map for many boards."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genoku.board import Puzzle
from genoku.diversity import diversity
from genoku.encoding import Boards
from genoku.errors import GenokuError
from genoku.figures import score_text
from genoku.geometry import Geometry
from genoku.history import TAKEN, Rows
from genoku.journey import Journey
from genoku.telling import shown_board, work
from genoku.web.frames import Curve, Individual, Look, Population

MOST_POINTS = 600  # of a curve
MOST_MAPPED = 200_000  # cells of the maps in one answer
DIVERSITY_SHARE = 0.01  # of the time that measuring diversity may take


def text_of(frame: Mapping[str, Any]) -> str:
    """A frame as it crosses the wire."""
    return json.dumps(frame, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def number(value: float) -> float | None:
    """A number that JSON has; None in place of what is none."""
    return float(value) if math.isfinite(value) else None


def complete_units(boards: Boards, geometry: Geometry) -> NDArray[np.uint8]:
    """Report 003's map of every board: how many units of each cell are complete, `[boards, cells]`.

    The same as `fitness_map`, for many boards and in a hurry.
    """
    side = geometry.side
    bits = np.left_shift(np.uint64(1), boards.astype(np.uint64))
    met = np.bitwise_or.reduce(bits[:, geometry.units], axis=2)
    whole = (met == np.uint64(2 ** (side + 1) - 2)).view(np.uint8)
    rows, columns, boxes = whole[:, :side], whole[:, side : 2 * side], whole[:, 2 * side :]
    points: NDArray[np.uint8] = (
        rows[:, geometry.row_of] + columns[:, geometry.column_of] + boxes[:, geometry.box_of]
    )
    return points


class Sight:
    """Looks at a run again and again; what takes long is looked at more rarely."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._varied: float | None = None
        self._varied_at = -1  # step
        self._vary_after = 0.0

    def look(self, journey: Journey, ended: str, solved: bool, stands: bool) -> Look:
        """The run as it is now; one that stands still is looked at closely."""
        state, problem = journey.state, journey.problem
        geometry = problem.puzzle.geometry
        counters = journey.counters()
        board = shown_board(journey)
        costs = state.costs
        loss = problem.fitness.loss(np.array([journey.best_cost]), geometry)[0]
        return Look(
            name=self.name,
            step=state.step,
            evaluations=int(state.evaluations),
            moves=int(state.moves),
            seconds=round(journey.seconds, 4),
            speed=round(work(counters)[0] / max(journey.seconds, 1e-9), 1),
            board=board.tolist(),
            units=complete_units(board[None], geometry)[0].tolist(),
            best=number(costs.min()),
            mean=number(costs.mean()),
            worst=number(costs.max()),
            cost=int(journey.best_cost),
            score=score_text(problem, journey.best_cost),
            loss=number(loss),
            diversity=self._diversity(journey, stands or bool(ended)),
            rate=number(state.memory.get("rate", math.nan)),
            ended=ended,
            solved=solved,
        )

    def _diversity(self, journey: Journey, closely: bool) -> float | None:
        boards, step = journey.state.boards, journey.state.step
        if len(boards) < 2:
            return None
        now = time.perf_counter()
        if step != self._varied_at and (closely or now >= self._vary_after):
            self._varied, self._varied_at = number(diversity(boards, journey.problem)), step
            after = time.perf_counter()
            self._vary_after = after + (after - now) / DIVERSITY_SHARE
        return self._varied if step == self._varied_at else None


def look_before(puzzle: Puzzle, name: str) -> Look:
    """A run of which there is nothing yet but its puzzle."""
    return Look(
        name=name,
        step=0,
        evaluations=0,
        moves=0,
        seconds=0.0,
        speed=0.0,
        board=list(puzzle.digits),
        units=complete_units(puzzle.board[None], puzzle.geometry)[0].tolist(),
        best=None,
        mean=None,
        worst=None,
        cost=None,
        score="",
        loss=None,
        diversity=None,
        rate=None,
        ended="",
        solved=False,
    )


def curve_of(rows: Rows) -> Curve:
    """The course of a run in at most so many points, first those at which diversity was measured.

    A diversity is that of its own step, as in a frame; None where it was not measured.
    """
    table = rows.table
    columns = dict(zip(TAKEN, table.T, strict=True))
    last = len(table) - 1
    measured = np.union1d(np.flatnonzero(~np.isnan(columns["diversity"])), last)
    places = measured[_spread(len(measured), MOST_POINTS)]
    places = np.union1d(places, _spread(len(table), MOST_POINTS - len(places)))
    return Curve(
        step=columns["gen"][places].astype(np.int64).tolist(),
        best=columns["best"][places].tolist(),
        mean=columns["mean"][places].tolist(),
        worst=columns["worst"][places].tolist(),
        diversity=[number(each) for each in columns["diversity"][places].tolist()],
        rate=[number(each) for each in columns["rate"][places].tolist()],
    )


def _spread(size: int, most: int) -> NDArray[np.int64]:
    """At most so many of as many places, from the first to the last."""
    return np.unique(np.linspace(0, size - 1, min(size, most)).round().astype(np.int64))


def population_of(journey: Journey, first: int, count: int) -> Population:
    """Everybody's cost, the best first, and the maps of some."""
    state, geometry = journey.state, journey.problem.puzzle.geometry
    order = np.argsort(state.costs, kind="stable")
    first = max(0, min(first, len(order)))
    shown = order[first : first + max(0, min(count, MOST_MAPPED // geometry.cells))]
    maps = complete_units(state.boards[shown], geometry) + np.uint8(ord("0"))
    return Population(
        step=state.step,
        size=len(order),
        ids=state.ids[order].tolist(),
        costs=state.costs[order].tolist(),
        first=first,
        maps=[each.tobytes().decode("ascii") for each in maps],
    )


def individual_of(journey: Journey, rank: int) -> Individual:
    """A board of the population by its rank, the best has 0."""
    state, problem = journey.state, journey.problem
    if not 0 <= rank < len(state.costs):
        raise GenokuError(f"expected a rank from 0 to {len(state.costs) - 1}, got {rank}")
    place = np.argsort(state.costs, kind="stable")[rank]
    board, cost = state.boards[place], int(state.costs[place])
    return Individual(
        id=int(state.ids[place]),
        cost=cost,
        score=score_text(problem, cost),
        board=board.tolist(),
        units=complete_units(board[None], problem.puzzle.geometry)[0].tolist(),
    )
