"""The oracle: solve, count, enumerate and prove unique, on boards of every size.

A depth-first search over the bit masks of `propagation` answers within microseconds on most
boards. Where it fails too often without finding anything, CaDiCaL takes over on the candidates
that are left. "None" is a proof; "unknown" means that time was up.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from genoku import display
from genoku.board import Board, Puzzle
from genoku.errors import PuzzleError
from genoku.geometry import Geometry
from genoku.jit import kernel, lowest, popcount
from genoku.propagation import (
    CONSISTENT,
    ONE,
    PAIRS,
    SINGLES,
    Candidates,
    Desk,
    Links,
    Masks,
    begin,
    candidate_of,
    links,
    new_desk,
    put,
    read_board,
    strike,
    undo,
)
from genoku.stream import Stream, below
from genoku.words import plural

if TYPE_CHECKING:
    from genoku.sat import Formula

FAILURES_BEFORE_SAT = 30_000  # dead ends since the last solution, up to 16×16
FAILURES_BEFORE_SAT_LARGE = 300  # beyond, where a dead end says little
FAILURES_BETWEEN_CLOCKS = 10_000
SOLUTIONS_SAT_CAN_FORBID = 10_000
SOLUTIONS_AT_ONCE = 256

Verdict = Literal["none", "unique", "several", "unknown"]
Ended = Literal["solved", "no solution", "time limit"]


@dataclass(frozen=True, eq=False, repr=False)
class Solution:
    """What `solve` found: a board, or None with the reason; its text is the board as a line."""

    board: Board | None
    stop_reason: Ended
    nodes: int
    puzzle: Puzzle

    @property
    def solved(self) -> bool:
        return self.board is not None

    def __str__(self) -> str:
        if self.board is None:
            return self.stop_reason
        return str(Puzzle(self.puzzle.geometry, self.board.tobytes()))

    def __repr__(self) -> str:
        return f"<Solution: {self}, {plural(self.nodes, 'decision')}>"

    def _repr_html_(self) -> str:
        found = "Solved" if self.solved else self.stop_reason.capitalize()
        effort = f"by the oracle, {plural(self.nodes, 'decision')} of its search"
        return display.shown(
            display.headline(found, effort), self.puzzle.picture(self.board, style="svg")
        )


@dataclass(frozen=True)
class Count:
    """How many solutions were found, and whether those are all there are."""

    solutions: int
    complete: bool
    stopped_by_time: bool = False

    @property
    def verdict(self) -> Verdict:
        if self.solutions > 1:
            return "several"
        if not self.complete:
            return "unknown"
        return "unique" if self.solutions == 1 else "none"

    def __str__(self) -> str:
        if self.complete:
            return f"{self.solutions:,}"
        return f"at least {self.solutions:,}"


def solve(puzzle: Puzzle | str, *, time_limit: float | None = None) -> Solution:
    """One solution, or the proof that there is none, or "time limit".

    >>> print(solve("1.....3..4.....2"))
    1324423124133142
    >>> solve("123....4........").stop_reason
    'no solution'
    """
    puzzle = Puzzle.parse(puzzle)
    search = Search(puzzle, time_limit)
    board = next(search, None)
    if board is not None:
        return Solution(board, "solved", search.nodes, puzzle)
    ended: Ended = "time limit" if search.out_of_time else "no solution"
    return Solution(None, ended, search.nodes, puzzle)


def count(puzzle: Puzzle | str, limit: int | None = 2, *, time_limit: float | None = None) -> Count:
    """Count solutions, at most `limit` of them (None: all).

    >>> count("1.....3..4.....2").verdict
    'unique'
    >>> count("." * 16, limit=None).solutions
    288
    """
    search = Search(Puzzle.parse(puzzle), time_limit)
    found = 0
    while limit is None or found < limit:
        batch = search.batch(SOLUTIONS_AT_ONCE if limit is None else limit - found)
        found += len(batch)
        if len(batch) == 0:
            return Count(found, not search.out_of_time, search.out_of_time)
    return Count(found, complete=False)


def is_unique(puzzle: Puzzle | str, *, time_limit: float | None = None) -> bool | None:
    """Whether there is exactly one solution; None when time was up before the proof."""
    verdict = count(puzzle, 2, time_limit=time_limit).verdict
    return None if verdict == "unknown" else verdict == "unique"


def is_only(puzzle: Puzzle, board: Board, *, time_limit: float | None = None) -> bool | None:
    """Whether a puzzle has no other solution than this one; None when time was up.

    On large boards it is quicker to look near a known solution than to find two from nothing.
    """
    if puzzle.side <= 16:
        return is_unique(puzzle, time_limit=time_limit)
    deadline = None if time_limit is None else time.monotonic() + time_limit
    formula = SearchTree(puzzle).formula([board])
    formula.stay_near(board)
    other = formula.solve(deadline=deadline)
    formula.close()
    return None if other is None else not other


def solutions(puzzle: Puzzle | str, *, time_limit: float | None = None) -> Iterator[Board]:
    """All solutions, one by one, in an order of no meaning."""
    return Search(Puzzle.parse(puzzle), time_limit)


def count_batch(boards: NDArray[np.uint8], geometry: Geometry, limit: int = 2) -> NDArray[np.int64]:
    """How many solutions each of many boards `[n, cells]` has, counted up to `limit`.

    The raw twin of `count`, for whole files: one kernel goes through all boards, and only those
    it cannot decide are asked about one by one.
    """
    if boards.ndim != 2 or boards.shape[1] != geometry.cells:
        raise PuzzleError(f"expected boards [n, {geometry.cells}], got an array {boards.shape}")
    if boards.max(initial=0) > geometry.side:
        raise PuzzleError(f"expected digits up to {geometry.side}, got {boards.max()}")
    raw = np.ascontiguousarray(boards, np.uint8)
    counts = _quick_counts(raw, geometry, limit)
    for i in np.flatnonzero(counts == UNDECIDED):
        counts[i] = count(Puzzle(geometry, raw[i].tobytes()), limit).solutions
    return counts


def count_many(
    puzzles: Sequence[Puzzle], limit: int = 2, *, time_limit: float | None = None
) -> list[Count]:
    """`count` for each of many puzzles, those of one shape together; the limits hold for each."""
    counts: dict[int, Count] = {}
    for geometry in {puzzle.geometry for puzzle in puzzles}:
        places = [i for i, puzzle in enumerate(puzzles) if puzzle.geometry == geometry]
        boards = np.stack([puzzles[i].board for i in places])
        for i, found in zip(places, _quick_counts(boards, geometry, limit).tolist(), strict=True):
            counts[i] = (
                count(puzzles[i], limit, time_limit=time_limit)
                if found == UNDECIDED
                else Count(found, complete=found < limit)
            )
    return [counts[i] for i in range(len(puzzles))]


def _quick_counts(boards: NDArray[np.uint8], geometry: Geometry, limit: int) -> NDArray[np.int64]:
    """Counts by the search alone, `UNDECIDED` where CaDiCaL should be asked."""
    counts = np.zeros(len(boards), np.int64)
    failures, desk = patience(geometry.side), new_desk(geometry)
    count_boards(boards, limit, failures, counts, desk, links(geometry), rules_for(geometry))
    return counts


def search_nodes(puzzle: Puzzle, *, cap: int = 100_000) -> int | None:
    """How many decisions the bit-mask search takes to prove uniqueness; None beyond `cap`."""
    tree = SearchTree(puzzle)
    found = 0
    while found < 2 and not tree.is_exhausted and tree.nodes < cap:
        found += len(tree.search(2 - found, 1_000))
    return tree.nodes if tree.nodes < cap else None


def patience(side: int) -> int:
    """After how many dead ends in a row CaDiCaL is asked."""
    return FAILURES_BEFORE_SAT if side <= 16 else FAILURES_BEFORE_SAT_LARGE


class Search(Iterator[Board]):
    """An enumeration of solutions that may be left and taken up again at any time."""

    def __init__(self, puzzle: Puzzle, time_limit: float | None = None) -> None:
        self.out_of_time = False
        self._deadline = None if time_limit is None else time.monotonic() + time_limit
        self._tree = SearchTree(puzzle)
        self._patience = patience(puzzle.side)
        self._found: list[Board] = []
        self._formula: Formula | None = None

    @property
    def nodes(self) -> int:
        """Decisions of the bit-mask search so far."""
        return self._tree.nodes

    def __next__(self) -> Board:
        boards: list[Board] = list(self.batch(1))
        if not boards:
            raise StopIteration
        return boards[0]

    def batch(self, most: int) -> NDArray[np.uint8]:
        """Up to `most` further solutions `[k, cells]`; none when there are no more."""
        most = min(most, SOLUTIONS_AT_ONCE)
        failures = 0
        while self._formula is None:
            if self.nodes > 0 and self._is_late():  # what singles decide takes no time
                return np.empty((0, self._tree.links.side**2), np.uint8)
            found = self._tree.search(most, min(FAILURES_BETWEEN_CLOCKS, self._patience))
            if len(found) > 0 or self._tree.is_exhausted:
                if len(self._found) <= SOLUTIONS_SAT_CAN_FORBID:
                    self._found.extend(found)
                return found
            failures += FAILURES_BETWEEN_CLOCKS
            if failures >= self._patience and len(self._found) <= SOLUTIONS_SAT_CAN_FORBID:
                self._formula = self._tree.formula(self._found)
        return self._batch_by_sat(self._formula, most)

    def _is_late(self) -> bool:
        self.out_of_time = self._deadline is not None and time.monotonic() >= self._deadline
        return self.out_of_time

    def _batch_by_sat(self, formula: Formula, most: int) -> NDArray[np.uint8]:
        boards: list[Board] = []
        while len(boards) < most:
            answer = formula.solve(deadline=self._deadline)
            if not answer:
                self.out_of_time = answer is None
                break
            boards.append(formula.board())
            formula.forbid(boards[-1])
        return np.array(boards, np.uint8).reshape(len(boards), formula.side**2)


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
