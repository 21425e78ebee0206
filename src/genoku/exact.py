"""The oracle: solve, count, enumerate and prove unique, on boards of every size.

A depth-first search over the bit masks of `propagation` answers within microseconds on most
boards. Where it fails too often without finding anything, CaDiCaL takes over on the candidates
that are left. "None" is a proof; "unknown" means that time was up.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from genoku import display
from genoku.board import Board, Puzzle
from genoku.desk import links, new_desk
from genoku.errors import PuzzleError
from genoku.geometry import Geometry
from genoku.tree import UNDECIDED, SearchTree, count_boards, rules_for
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
