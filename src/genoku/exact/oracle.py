"""The oracle: solve, count, enumerate and prove uniqueness on boards of every size.

A depth-first search with `propagation` answers within microseconds on most boards. After too many
dead ends without a solution, CaDiCaL takes over with the candidates that are left. The verdict
"none" is a proof; "unknown" means that time ran out.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from genoku.errors import PuzzleError
from genoku.exact.propagation import (
    CONSISTENT,
    ONE,
    PAIRS,
    SINGLES,
    CandidateMasks,
    Candidates,
    Links,
    Masks,
    assign,
    candidate_of,
    empty_masks,
    links,
    load_board,
    read_board,
    strike,
    undo,
)
from genoku.puzzle.board import Board, Puzzle
from genoku.puzzle.geometry import Geometry
from genoku.runtime import notebook
from genoku.runtime.jit import kernel, lowest_bit, popcount
from genoku.runtime.random import Stream, below
from genoku.runtime.text import format_count

if TYPE_CHECKING:
    from genoku.exact.sat import Formula

FAILURES_BEFORE_SAT = 30_000  # dead ends since the last solution, up to 16×16
FAILURES_BEFORE_SAT_LARGE = 300  # beyond, where a dead end excludes little
FAILURES_BETWEEN_CLOCKS = 10_000
SOLUTIONS_SAT_CAN_FORBID = 10_000
SOLUTIONS_AT_ONCE = 256

Verdict = Literal["none", "unique", "several", "unknown"]
OracleStop = Literal["solved", "no solution", "time limit"]


@dataclass(frozen=True, eq=False, repr=False)
class Solution:
    """The outcome of `solve`; its text is the solution as a line, or why there is none."""

    board: Board | None
    """The solution `[cells]`, or None."""
    stop_reason: OracleStop
    nodes: int
    """Decisions of the search."""
    puzzle: Puzzle

    @property
    def solved(self) -> bool:
        return self.board is not None

    def __str__(self) -> str:
        if self.board is None:
            return self.stop_reason
        return str(Puzzle(self.puzzle.geometry, self.board.tobytes()))

    def __repr__(self) -> str:
        return f"<Solution: {self}, {format_count(self.nodes, 'decision')}>"

    def _repr_html_(self) -> str:
        found = "Solved" if self.solved else self.stop_reason.capitalize()
        effort = f"by the oracle after {format_count(self.nodes, 'decision')}"
        return notebook.block(
            notebook.headline(found, effort), self.puzzle.picture(self.board, style="svg")
        )


@dataclass(frozen=True)
class Count:
    """The number of solutions found, and whether these are all."""

    solutions: int
    complete: bool
    """Whether there are no more solutions."""
    stopped_by_time: bool = False
    """Whether the time limit ended the search."""

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
    """Find a solution, or prove that there is none.

    Parameters
    ----------
    puzzle
        The puzzle; conflicting givens have no solution.
    time_limit
        Seconds after which to stop with the reason "time limit"; by default never.

    Examples
    --------
    >>> print(solve("1.....3..4.....2"))
    1324423124133142
    >>> solve("123....4........").stop_reason
    'no solution'
    """
    puzzle = Puzzle.parse(puzzle)
    search = SolutionIterator(puzzle, time_limit)
    board = next(search, None)
    if board is not None:
        return Solution(board, "solved", search.nodes, puzzle)
    ended: OracleStop = "time limit" if search.out_of_time else "no solution"
    return Solution(None, ended, search.nodes, puzzle)


def count(puzzle: Puzzle | str, limit: int | None = 2, *, time_limit: float | None = None) -> Count:
    """Count solutions.

    Parameters
    ----------
    puzzle
        The puzzle.
    limit
        The number of solutions at which to stop; None counts all. Two are enough for the verdict.
    time_limit
        Seconds after which to stop; by default never.

    Examples
    --------
    >>> count("1.....3..4.....2").verdict
    'unique'
    >>> count("." * 16, limit=None).solutions
    288
    """
    search = SolutionIterator(Puzzle.parse(puzzle), time_limit)
    found = 0
    while limit is None or found < limit:
        batch = search.batch(SOLUTIONS_AT_ONCE if limit is None else limit - found)
        found += len(batch)
        if len(batch) == 0:
            return Count(found, not search.out_of_time, search.out_of_time)
    return Count(found, complete=False)


def is_unique(puzzle: Puzzle | str, *, time_limit: float | None = None) -> bool | None:
    """Return whether a puzzle has exactly one solution; None if time ran out before the proof."""
    verdict = count(puzzle, 2, time_limit=time_limit).verdict
    return None if verdict == "unknown" else verdict == "unique"


def is_only_solution(
    puzzle: Puzzle, board: Board, *, time_limit: float | None = None
) -> bool | None:
    """Return whether a puzzle has no solution besides `board`; None if time ran out.

    On large boards it is faster to search near a known solution than to find two from scratch.
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
    """Iterate over all solutions `[cells]`, in arbitrary order.

    Parameters
    ----------
    puzzle
        The puzzle.
    time_limit
        Seconds after which the iteration ends; by default never.
    """
    return SolutionIterator(Puzzle.parse(puzzle), time_limit)


def count_batch(boards: NDArray[np.uint8], geometry: Geometry, limit: int = 2) -> NDArray[np.int64]:
    """Count the solutions of many boards `[n, cells]`, each up to `limit`; returns counts `[n]`.

    Like `count`, for whole files: one kernel counts all boards, and only those it cannot decide
    are counted one by one.
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
    """Count the solutions of many puzzles; the limits apply to each."""
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
    """Count by the depth-first search alone; `UNDECIDED` where CaDiCaL should take over."""
    failures, masks = failures_before_sat(geometry.side), empty_masks(geometry)
    return count_boards(boards, limit, failures, masks, links(geometry), rules_for(geometry))


def search_nodes(puzzle: Puzzle, *, cap: int = 100_000) -> int | None:
    """Return the decisions the search needs to prove uniqueness; None beyond `cap`."""
    tree = SearchTree(puzzle)
    found = 0
    while found < 2 and not tree.is_exhausted and tree.nodes < cap:
        found += len(tree.search(2 - found, 1_000))
    return tree.nodes if tree.nodes < cap else None


def failures_before_sat(side: int) -> int:
    """Return the number of dead ends in a row after which CaDiCaL takes over."""
    return FAILURES_BEFORE_SAT if side <= 16 else FAILURES_BEFORE_SAT_LARGE


class SolutionIterator(Iterator[Board]):
    """An iterator over the solutions of a puzzle, which can be paused and resumed at any time."""

    def __init__(self, puzzle: Puzzle, time_limit: float | None = None) -> None:
        self.out_of_time = False
        self._deadline = None if time_limit is None else time.monotonic() + time_limit
        self._tree = SearchTree(puzzle)
        self._patience = failures_before_sat(puzzle.side)
        self._found: list[Board] = []
        self._formula: Formula | None = None

    @property
    def nodes(self) -> int:
        """Decisions of the depth-first search so far."""
        return self._tree.nodes

    def __next__(self) -> Board:
        boards: list[Board] = list(self.batch(1))
        if not boards:
            raise StopIteration
        return boards[0]

    def batch(self, most: int) -> NDArray[np.uint8]:
        """Return up to `most` further solutions `[k, cells]`; none if there are no more."""
        most = min(most, SOLUTIONS_AT_ONCE)
        failures = 0
        while self._formula is None:
            if self.nodes > 0 and self._deadline is not None:  # it is fast until the first decision
                self.out_of_time = time.monotonic() >= self._deadline
            if self.out_of_time:
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

IN_ORDER: Stream = np.empty(0, np.uint64)  # no random stream: candidates are tried in order


def rules_for(geometry: Geometry) -> int:
    """Return the fastest rules: on small boards another decision is cheaper than pairs."""
    return SINGLES if geometry.side <= 9 else PAIRS


class SearchTree:
    """The state of the depth-first search: the candidates left, and the decisions made.

    With a random stream, constraints and candidates are tried in random order, to draw grids. It
    uses singles only: stronger rules would draw different grids from the same seed.
    """

    def __init__(self, puzzle: Puzzle, rng: Stream | None = None) -> None:
        self.links = links(puzzle.geometry)
        self.rules = rules_for(puzzle.geometry) if rng is None else SINGLES
        self.masks = empty_masks(puzzle.geometry)
        self.decisions = empty_decisions(puzzle.geometry.cells)
        self.progress = np.zeros(2, np.int64)  # depth (−1 at the end), nodes
        self.rng = IN_ORDER if rng is None else rng
        if load_board(puzzle.board.copy(), self.masks, self.links, self.rules) != CONSISTENT:
            self.progress[0] = -1

    @property
    def is_exhausted(self) -> bool:
        return bool(self.progress[0] < 0)

    @property
    def nodes(self) -> int:
        return int(self.progress[1])

    def search(self, most: int, failures: int) -> NDArray[np.uint8]:
        """Continue until `most` solutions or this many dead ends; returns boards `[k, cells]`."""
        boards = np.empty((most, self.links.side**2), np.uint8)
        found = search(
            self.masks,
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
        """Undo all decisions; candidates refuted at the root stay refuted."""
        if self.progress[0] > 0:
            undo(self.masks, self.links, self.decisions.lengths[0])
            self.progress[0] = 0

    def formula(self, found: list[Board]) -> Formula:
        """Return the rest of the search for CaDiCaL, without the solutions already found."""
        from genoku.exact.sat import Formula

        self.restart()
        bits = self.masks.bits
        formula = Formula(bits, self.links)
        for board in found:
            # The masks exclude exhausted branches and their solutions.
            alive = bits[: len(board)] >> (board.astype(np.uint64) - np.uint64(1)) & np.uint64(1)
            if alive.all():
                formula.forbid(board)
        return formula


class Decisions(NamedTuple):
    """The candidates tried, and the length of the trail before each."""

    candidates: Candidates
    lengths: NDArray[np.int64]


@kernel
def empty_decisions(cells: int) -> Decisions:
    """Allocate room for as many decisions as there are cells."""
    return Decisions(np.empty(cells + 1, np.uint32), np.empty(cells + 1, np.int64))


@kernel
def search(
    masks: CandidateMasks,
    links: Links,
    rules: int,
    decisions: Decisions,
    progress: NDArray[np.int64],
    boards: NDArray[np.uint8],
    failures: int,
    rng: Stream,
) -> int:
    """Depth-first search: try a candidate of the tightest constraint, then rule it out.

    Stops when `boards` is full, after that many `failures`, or at the end (depth −1), and resumes
    from `progress` when called again. Returns the number of boards written.
    """
    bits, trail_length = masks.bits, masks.counts[:1]
    candidates, lengths = decisions
    depth, nodes = progress[0], progress[1]
    found = 0
    while depth >= 0 and found < len(boards) and failures > 0:
        consistent = False
        constraint = tightest_constraint(bits, rng)
        if constraint < 0:
            read_board(bits, boards[found])
            found += 1
        else:
            candidate = candidate_of(constraint, pick_bit(bits[constraint], rng), links)
            candidates[depth], lengths[depth] = candidate, trail_length[0]
            consistent = assign(masks, links, rules, candidate) == CONSISTENT
            depth += 1
            nodes += 1
            failures -= not consistent
        while not consistent and depth >= 0:
            depth -= 1
            if depth >= 0:
                undo(masks, links, lengths[depth])
                consistent = strike(masks, links, rules, candidates[depth]) == CONSISTENT
    progress[0], progress[1] = depth, nodes
    return found


@kernel
def count_boards(
    boards: NDArray[np.uint8],
    limit: int,
    failures: int,
    masks: CandidateMasks,
    links: Links,
    rules: int,
) -> NDArray[np.int64]:
    """Count the solutions of every board; `UNDECIDED` after `failures`."""
    counts = np.zeros(len(boards), np.int64)
    cells = links.side * links.side
    decisions = empty_decisions(cells)
    progress = np.zeros(2, np.int64)
    found = np.empty((limit, cells), np.uint8)
    in_order = np.empty(0, np.uint64)
    for i in range(len(boards)):
        progress[0] = 0
        if load_board(boards[i], masks, links, rules) == CONSISTENT:
            counts[i] = search(masks, links, rules, decisions, progress, found, failures, in_order)
            if counts[i] < limit and progress[0] >= 0:
                counts[i] = UNDECIDED
    return counts


@kernel
def tightest_constraint(bits: Masks, rng: Stream) -> Any:
    """Return a constraint with the fewest candidates, at least two; −1 if all are met."""
    best, fewest = -1, np.int64(1 << 30)
    start = 0 if len(rng) == 0 else below(rng, len(bits))
    for i in range(len(bits)):
        constraint = start + i
        if constraint >= len(bits):
            constraint -= len(bits)
        size = np.int64(popcount(bits[np.uint64(constraint)]))
        if 1 < size < fewest:
            best, fewest = constraint, size
            if size == 2:
                break
    return best


@kernel
def pick_bit(mask: Any, rng: Stream) -> Any:
    """Return the lowest bit of a mask, or a random one if there is a random stream."""
    if len(rng) > 0:
        for _ in range(below(rng, np.int64(popcount(mask)))):
            mask &= mask - ONE
    return np.uint64(lowest_bit(mask))
