"""The depth-first search: try a candidate of the tightest constraint, then rule it out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from genoku.board import Board, Puzzle
from genoku.desk import (
    ONE,
    Candidates,
    Desk,
    Links,
    Masks,
    candidate_of,
    links,
    new_desk,
    read_board,
    undo,
)
from genoku.geometry import Geometry
from genoku.jit import kernel, lowest, popcount
from genoku.propagation import CONSISTENT, PAIRS, SINGLES, begin, put, strike
from genoku.stream import Stream, below

if TYPE_CHECKING:
    from genoku.sat import Formula

UNDECIDED = -1

IN_ORDER: Stream = np.empty(0, np.uint64)  # no stream: the search takes what comes first


def rules_for(geometry: Geometry) -> int:
    """On small boards another decision is cheaper than a stronger rule."""
    return SINGLES if geometry.side <= 9 else PAIRS


class SearchTree:
    """The state of the depth-first search: a desk, and the decisions in force on it.

    With a stream it tries constraints and candidates in random order, to draw grids: by singles
    alone, since a stronger rule would draw other grids from the same seed.
    """

    def __init__(self, puzzle: Puzzle, rng: Stream | None = None) -> None:
        self.links = links(puzzle.geometry)
        self.rules = rules_for(puzzle.geometry) if rng is None else SINGLES
        self.desk = new_desk(puzzle.geometry)
        self.decisions = new_decisions(puzzle.geometry.cells)
        self.progress = np.zeros(2, np.int64)  # depth (−1 at the end), nodes
        self.rng = IN_ORDER if rng is None else rng
        if begin(puzzle.board.copy(), self.desk, self.links, self.rules) != CONSISTENT:
            self.progress[0] = -1

    @property
    def is_exhausted(self) -> bool:
        return bool(self.progress[0] < 0)

    @property
    def nodes(self) -> int:
        return int(self.progress[1])

    def search(self, most: int, failures: int) -> NDArray[np.uint8]:
        """Go on until `most` solutions are found or that many dead ends were met."""
        boards = np.empty((most, self.links.side**2), np.uint8)
        found = search(
            self.desk,
            self.links,
            self.rules,
            self.decisions,
            self.progress,
            boards,
            failures,
            self.rng,
        )
        return boards[:found]

    def restart(self) -> None:
        """Give up every decision in force; what was refuted at the root stays refuted."""
        if self.progress[0] > 0:
            undo(self.desk, self.links, self.decisions.lengths[0])
            self.progress[0] = 0

    def formula(self, found: list[Board]) -> Formula:
        """What is still to be searched, for CaDiCaL, without the solutions already found."""
        from genoku.sat import Formula

        self.restart()
        masks = self.desk.masks
        formula = Formula(masks, self.links)
        for board in found:
            # The masks have lost the branches that are exhausted, with their solutions.
            alive = masks[: len(board)] >> (board.astype(np.uint64) - np.uint64(1)) & np.uint64(1)
            if alive.all():
                formula.forbid(board)
        return formula


class Decisions(NamedTuple):
    """The candidates that were tried, and how long the trail was before each."""

    candidates: Candidates
    lengths: NDArray[np.int64]


@kernel
def new_decisions(cells: int) -> Decisions:
    """Room for as many decisions as there are cells."""
    return Decisions(np.empty(cells + 1, np.uint32), np.empty(cells + 1, np.int64))


@kernel
def search(
    desk: Desk,
    links: Links,
    rules: int,
    decisions: Decisions,
    progress: NDArray[np.int64],
    boards: NDArray[np.uint8],
    failures: int,
    rng: Stream,
) -> int:
    """Depth-first search: try a candidate of the tightest constraint, then rule it out.

    Stops when `boards` is full, after that many `failures`, or at the end (depth −1), and goes
    on from `progress` when called again. Returns how many boards it wrote.
    """
    masks, trail_length = desk.masks, desk.counts[:1]
    candidates, lengths = decisions
    depth, nodes = progress[0], progress[1]
    found = 0
    while depth >= 0 and found < len(boards) and failures > 0:
        consistent = False
        constraint = tightest(masks, rng)
        if constraint < 0:
            read_board(masks, boards[found])
            found += 1
        else:
            candidate = candidate_of(constraint, one_of(masks[constraint], rng), links)
            candidates[depth], lengths[depth] = candidate, trail_length[0]
            consistent = put(desk, links, rules, candidate) == CONSISTENT
            depth += 1
            nodes += 1
            failures -= not consistent
        while not consistent and depth >= 0:
            depth -= 1
            if depth >= 0:
                undo(desk, links, lengths[depth])
                consistent = strike(desk, links, rules, candidates[depth]) == CONSISTENT
    progress[0], progress[1] = depth, nodes
    return found


@kernel
def count_boards(
    boards: NDArray[np.uint8],
    limit: int,
    failures: int,
    counts: NDArray[np.int64],
    desk: Desk,
    links: Links,
    rules: int,
) -> None:
    """Count the solutions of every board into `counts`, `UNDECIDED` after so many failures."""
    cells = links.side * links.side
    decisions = new_decisions(cells)
    progress = np.zeros(2, np.int64)
    found = np.empty((limit, cells), np.uint8)
    in_order = np.empty(0, np.uint64)
    for i in range(len(boards)):
        progress[0] = 0
        if begin(boards[i], desk, links, rules) == CONSISTENT:
            counts[i] = search(desk, links, rules, decisions, progress, found, failures, in_order)
            if counts[i] < limit and progress[0] >= 0:
                counts[i] = UNDECIDED


@kernel
def tightest(masks: Masks, rng: Stream) -> Any:
    """A constraint with the fewest candidates, two or more; −1 if all are met."""
    best, fewest = -1, np.int64(1 << 30)
    start = 0 if len(rng) == 0 else below(rng, len(masks))
    for i in range(len(masks)):
        constraint = start + i
        if constraint >= len(masks):
            constraint -= len(masks)
        size = np.int64(popcount(masks[np.uint64(constraint)]))
        if 1 < size < fewest:
            best, fewest = constraint, size
            if size == 2:
                break
    return best


@kernel
def one_of(mask: Any, rng: Stream) -> Any:
    """The lowest bit of a mask, or a random one."""
    if len(rng) > 0:
        for _ in range(below(rng, np.int64(popcount(mask)))):
            mask &= mask - ONE
    return np.uint64(lowest(mask))
