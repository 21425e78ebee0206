"""What a browser is shown of a run, moment by moment: plain data, as it crosses the wire."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from typing_extensions import TypedDict  # whose kind pydantic can describe

if TYPE_CHECKING:
    from genoku.board import Puzzle

Phase = Literal["waiting", "running", "paused", "ended"]
"""Before the first step, on its way, halted by a person, or over."""


By = Literal["", "solution", "proof", "loss", "tie"]
"""What decided a race; nothing while it is on."""


class Look(TypedDict):
    """A run as it stands: all that one picture of it needs."""

    name: str
    step: int
    evaluations: int
    moves: int
    seconds: float
    """By the run's own clock."""
    speed: float
    """Evaluations, or moves where boards change in place, in a second."""
    board: list[int]
    """The best board; 0 where a cell is open."""
    units: list[int]
    """Report 003's map: how many units of every cell are complete, 0 to 3."""
    best: float | None
    """The lowest cost of the population, and so on; None before there are boards."""
    mean: float | None
    worst: float | None
    cost: int | None
    """The lowest of the run so far."""
    score: str
    """The same in words, on the scale of its fitness."""
    loss: float | None
    diversity: float | None
    """Of this very step; None where it was not measured."""
    rate: float | None
    """Mutation rate, temperature or chance of a bad move."""
    ended: str
    """Why it is over; empty while it is not."""
    solved: bool
    """By the puzzle's own verdict."""


class RunFrame(TypedDict):
    """A run at a moment."""

    seq: int
    """Later pictures have larger numbers, also after a restart."""
    phase: Phase
    speed_limit: float | None
    """Steps in a second that a person asked for; None is as fast as can be."""
    look: Look
    share: float | None
    """How much of the budget is spent, 0 to 1."""
    left: float | None
    """Seconds until the limit that comes first, as far as can be told."""
    verdict: list[str]
    """What came of it in a few sentences, once it is over."""
    note: str
    """What else is to be said: that kernels are being compiled, or that nothing can be saved."""


class RaceFrame(TypedDict):
    """A race at a moment."""

    seq: int
    phase: Phase
    lanes: list[Look]
    standing: str
    """Who leads or has won, in one sentence."""
    winner: int | None
    """The lane, once the race is over."""
    by: By
    share: float | None
    verdict: list[str]
    """The same as `standing`, or why the race failed, once it is over."""
    note: str
    """As a run's."""


class Curve(TypedDict):
    """The course of a run: columns of equal length, thinned where there are too many points."""

    step: list[int]
    best: list[float]
    mean: list[float]
    worst: list[float]
    diversity: list[float | None]
    rate: list[float | None]


class Individual(TypedDict):
    """A board of a population."""

    id: int
    cost: int
    score: str
    board: list[int]
    units: list[int]


class Population(TypedDict):
    """A population, the best first: everybody's cost, and some of the boards themselves."""

    step: int
    size: int
    ids: list[int]
    costs: list[int]
    first: int
    """The rank of the first board in `maps`."""
    maps: list[str]
    """Report 003's map of a board, a character from 0 to 3 for every cell."""


def board_facts(puzzle: Puzzle, name: str = "") -> dict[str, Any]:
    """A puzzle with its shape, as every answer tells it."""
    geometry = puzzle.geometry
    return {
        "puzzle": str(puzzle),
        "box": geometry.box,
        "side": geometry.side,
        "box_rows": geometry.box_rows,
        "box_cols": geometry.box_cols,
        "digits": list(puzzle.digits),
        "givens": puzzle.givens,
        "name": name,
    }
