"""The data about sessions that workers send to the server, and the server to browsers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Self

if TYPE_CHECKING:
    from genoku.puzzle.board import Puzzle

Phase = Literal["waiting", "running", "paused", "ended"]  # waiting: being prepared
DecidedBy = Literal["", "solution", "proof", "errors", "tie"]  # of a race; empty while it runs


@dataclass(frozen=True)
class LaneSnapshot:
    """The state of a run: the only one of a session, or a lane of a race."""

    name: str
    board: list[int]  # the best board; 0 where a cell is open
    units: list[int]  # report 003's map: the number of complete units of every cell, 0 to 3
    ended: str  # why it stopped; empty while it runs
    solved: bool = False  # by the puzzle's own verdict
    step: int = 0
    evaluations: int = 0
    moves: int = 0
    seconds: float = 0.0  # by the run's own clock
    speed: float = 0.0  # evaluations, or moves where boards change in place, per second
    best: float | None = None  # costs in the population; None before there are boards
    mean: float | None = None
    worst: float | None = None
    cost: int | None = None  # the lowest cost of the run so far, that of the board shown
    id: int | None = None  # of the board shown; None before there are boards
    errors: int | None = None  # left on the best board: digits missing from its units; 0 is solved
    own_score: str = ""  # the cost as its report states it; empty if that is the errors left
    score: str = ""  # both: "12 errors left, fitness 1956 of 2187"
    loss: float | None = None
    diversity: float | None = None  # at this step; None if it was not measured
    rate: float | None = None  # mutation rate, temperature or probability of a worsening move
    restarts: int = 0  # how often it started anew
    restarted: int | None = None  # the step at which it last did; None if never


@dataclass(frozen=True)
class Snapshot:
    """The state of a session at one moment."""

    seq: int  # later snapshots have larger numbers, also after a restart
    phase: Phase
    speed_limit: float | None  # steps per second, at most; None is unlimited
    lanes: list[LaneSnapshot]  # one for a run, several for a race
    share: float | None  # share of the budget that is spent, 0 to 1
    left: float | None  # estimated seconds until the run reaches a limit
    standing: str  # a sentence that says who leads or won the race
    winner: int | None  # index of the winning lane of a finished race
    by: DecidedBy
    verdict: list[str]  # a few sentences on the result, once it has ended
    note: str  # a notice: kernels are being compiled, or saving failed


@dataclass(frozen=True)
class ScaleAnswer:
    """How a fitness function states a cost: as `solved + per_cost * cost`.

    Mean costs convert likewise, since every built-in fitness is such a line. Where `per_cost` is
    negative, the fitness rises to `solved`; else it falls to it.
    """

    fitness: str  # its name in recipes, such as "complete-units"
    solved: float  # the fitness of a solution, such as 243
    per_cost: float  # the change of the fitness for each point of cost, such as -1


@dataclass(frozen=True)
class LaneAnswer:
    """The algorithm of a lane, which does not change."""

    name: str
    preset: str
    recipe: dict[str, Any]
    settings: dict[str, Any]
    step_word: str  # name of a step, such as "generation"
    rate_word: str  # name of its rate, such as "mutation rate"
    population: int
    scale: ScaleAnswer | None  # None if the fitness counts errors left, or boards are partial
    partial: bool  # whether boards may have open cells, which costs then count


@dataclass(frozen=True)
class PuzzleAnswer:
    """A puzzle with its geometry."""

    puzzle: str  # as text that every endpoint reads
    box: str  # rows x columns of a box
    side: int
    box_rows: int
    box_cols: int
    digits: list[int]  # row by row; 0 is a blank
    givens: int
    name: str

    @classmethod
    def of(cls, puzzle: Puzzle, name: str = "", **more: Any) -> Self:
        """Describe a puzzle; `more` are the fields of a subclass."""
        geometry = puzzle.geometry
        return cls(
            puzzle=str(puzzle),
            box=geometry.box,
            side=geometry.side,
            box_rows=geometry.box_rows,
            box_cols=geometry.box_cols,
            digits=list(puzzle.digits),
            givens=puzzle.givens,
            name=name,
            **more,
        )


@dataclass(frozen=True)
class SessionAnswer(PuzzleAnswer):
    """A session: its puzzle, its algorithms, and its newest frame."""

    id: str
    kind: Literal["run", "race"]
    title: str
    conflicts: list[str]  # among the givens, a sentence each: with any, no board is a solution
    until: str
    seed: int
    lanes: list[LaneAnswer]
    frame: Snapshot


@dataclass(frozen=True)
class CurveAnswer:
    """The history of a run as columns of equal length, thinned if it is long."""

    step: list[int]
    best: list[float]
    mean: list[float]
    worst: list[float]
    errors: list[int | None]  # left on the best board so far; None where an old checkpoint has none
    diversity: list[float | None]
    rate: list[float | None]
    restarts: list[int]  # the steps at which it started anew; of very many, evenly chosen ones


@dataclass(frozen=True)
class IndividualAnswer:
    """A board of a population."""

    id: int
    cost: int
    errors: int
    own_score: str
    score: str
    board: list[int]
    units: list[int]


@dataclass(frozen=True)
class PopulationAnswer:
    """A population, best first: all costs, and the maps of some boards."""

    step: int
    size: int
    ids: list[int]
    costs: list[int]
    first: int  # the rank of the first board in `errors` and `maps`
    errors: list[int]  # errors left on each of the boards in `maps`
    maps: list[str]  # report 003's map of a board as text, a digit from 0 to 3 for every cell
