"""What a browser is shown of a session, moment by moment: data as it crosses process and wire."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from genoku.board import Puzzle

Phase = Literal["waiting", "running", "paused", "ended"]
"""Before the first step, on its way, halted by a person, or over."""

By = Literal["", "solution", "proof", "loss", "tie"]
"""What decided a race; nothing while it is on."""


@dataclass(frozen=True)
class LaneSnapshot:
    """A run at a moment: the only one of a session, or a lane of a race."""

    name: str
    board: list[int]
    """The best board; 0 where a cell is open."""
    units: list[int]
    """Report 003's map: how many units of every cell are complete, 0 to 3."""
    ended: str
    """Why it is over; empty while it is not."""
    solved: bool = False
    """By the puzzle's own verdict."""
    step: int = 0
    evaluations: int = 0
    moves: int = 0
    seconds: float = 0.0
    """By the run's own clock."""
    speed: float = 0.0
    """Evaluations, or moves where boards change in place, per second."""
    best: float | None = None
    """The lowest cost of the population, and so on; None before there are boards."""
    mean: float | None = None
    worst: float | None = None
    cost: int | None = None
    """The lowest of the run so far."""
    score: str = ""
    """The same in words, on the scale of its fitness."""
    loss: float | None = None
    diversity: float | None = None
    """Of this very step; None where it was not measured."""
    rate: float | None = None
    """Mutation rate, temperature or chance of a bad move."""


@dataclass(frozen=True)
class Snapshot:
    """A session at a moment."""

    seq: int
    """Later snapshots have larger numbers, also after a restart."""
    phase: Phase
    speed_limit: float | None
    """Steps per second that a person asked for; None is unlimited."""
    lanes: list[LaneSnapshot]
    """One of a run, several of a race."""
    share: float | None
    """How much of the budget is spent, 0 to 1."""
    left: float | None
    """Seconds until a run's limit that comes first, as far as can be told."""
    standing: str
    """Who leads a race or has won it, in one sentence."""
    winner: int | None
    """The lane, once a race is over."""
    by: By
    verdict: list[str]
    """What came of it in a few sentences, once it is over."""
    note: str
    """What else is to be said: that kernels are being compiled, or that nothing can be saved."""


@dataclass(frozen=True)
class LaneFacts:
    """An algorithm of a session, which does not change."""

    name: str
    preset: str
    recipe: dict[str, Any]
    settings: dict[str, Any]
    step_word: str
    """What a step of it is called, such as "generation"."""
    rate_word: str
    """What its rate is, such as "mutation rate"."""
    population: int


@dataclass(frozen=True)
class Board:
    """A puzzle with its shape."""

    puzzle: str
    """Its text, as everything here reads it."""
    box: str
    """Rows x columns of a box."""
    side: int
    box_rows: int
    box_cols: int
    digits: list[int]
    """Row by row; 0 is a blank."""
    givens: int
    name: str


@dataclass(frozen=True)
class Facts(Board):
    """What a session is about, and how it stands."""

    id: str
    kind: Literal["run", "race"]
    title: str
    until: str
    seed: int
    lanes: list[LaneFacts]
    frame: Snapshot


@dataclass(frozen=True)
class Curve:
    """The course of a run: columns of equal length, thinned where there are too many points."""

    step: list[int]
    best: list[float]
    mean: list[float]
    worst: list[float]
    diversity: list[float | None]
    rate: list[float | None]


@dataclass(frozen=True)
class Individual:
    """A board of a population."""

    id: int
    cost: int
    score: str
    board: list[int]
    units: list[int]


@dataclass(frozen=True)
class Population:
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
