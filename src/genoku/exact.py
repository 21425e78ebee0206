"""The oracle: solve, count, enumerate and prove unique, on boards of every size.

A depth-first search over the bit masks of `propagation` answers within microseconds on most
boards. Where it fails too often without finding anything, CaDiCaL takes over on the candidates
that are left. "None" is a proof; "unknown" means that time was up.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from genoku.board import Board, Puzzle
from genoku.errors import PuzzleError
from genoku.geometry import Geometry
from genoku.jit import kernel, lowest, popcount
from genoku.propagation import (
    NONE,
    ONE,
    Links,
    Masks,
    Queue,
    begin,
    links,
    propagate,
    read_board,
    strike,
    workspace,
)
from genoku.stream import Stream, below

if TYPE_CHECKING:
    from genoku.sat import Formula

FAILURES_BEFORE_SAT = 30_000  # dead ends since the last solution, up to 16×16
FAILURES_BEFORE_SAT_LARGE = 300  # beyond, where a dead end says little
FAILURES_BETWEEN_CLOCKS = 10_000
SOLUTIONS_SAT_CAN_FORBID = 10_000
SOLUTIONS_AT_ONCE = 256
UNDECIDED = -1

IN_ORDER: Stream = np.empty(0, np.uint64)  # no stream: the search takes what comes first

Verdict = Literal["none", "unique", "several", "unknown"]


@dataclass(frozen=True, eq=False)
class Solution:
    """What `solve` found: a board, or None with the reason."""

    board: Board | None
    stop_reason: Literal["solved", "no solution", "time limit"]
    nodes: int

    @property
    def solved(self) -> bool:
        return self.board is not None


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


def solve(puzzle: Puzzle, *, time_limit: float | None = None) -> Solution:
    """One solution, or the proof that there is none, or "time limit"."""
    search = Search(puzzle, time_limit)
    board = next(search, None)
    if board is not None:
        return Solution(board, "solved", search.nodes)
    return Solution(None, "time limit" if search.out_of_time else "no solution", search.nodes)


def count(puzzle: Puzzle, limit: int | None = 2, *, time_limit: float | None = None) -> Count:
    """Count solutions, at most `limit` of them (None: all)."""
    search = Search(puzzle, time_limit)
    found = 0
    while limit is None or found < limit:
        batch = search.batch(SOLUTIONS_AT_ONCE if limit is None else limit - found)
        found += len(batch)
        if len(batch) == 0:
            return Count(found, not search.out_of_time, search.out_of_time)
    return Count(found, complete=False)


def is_unique(puzzle: Puzzle, *, time_limit: float | None = None) -> bool | None:
    """Whether there is exactly one solution; None when time was up before the proof."""
    verdict = count(puzzle, 2, time_limit=time_limit).verdict
    return None if verdict == "unknown" else verdict == "unique"


def solutions(puzzle: Puzzle, *, time_limit: float | None = None) -> Iterator[Board]:
    """All solutions, one by one, in an order of no meaning."""
    return Search(puzzle, time_limit)


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
    masks, queue = workspace(geometry, geometry.cells + 1)
    counts = np.zeros(len(boards), np.int64)
    count_boards(boards, limit, patience(geometry.side), counts, masks, queue, links(geometry))
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


class SearchTree:
    """The state of the depth-first search: one set of masks per decision in force.

    With a stream it tries constraints and candidates in random order, to draw grids.
    """

    def __init__(self, puzzle: Puzzle, rng: Stream | None = None) -> None:
        self.links = links(puzzle.geometry)
        blanks = puzzle.geometry.cells - puzzle.givens
        self.masks, self.queue = workspace(puzzle.geometry, blanks + 1)
        self.choices = np.empty(blanks + 1, np.uint16)
        self.progress = np.zeros(2, np.int64)  # depth (−1 at the end), nodes
        self.rng = IN_ORDER if rng is None else rng
        if not begin(puzzle.board.copy(), self.masks, self.queue, self.links):
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
            self.masks,
            self.queue,
            self.choices,
            self.progress,
            boards,
            failures,
            self.rng,
            self.links,
        )
        return boards[:found]

    def restart(self) -> None:
        """Give up every decision in force; what was refuted at the root stays refuted."""
        self.progress[0] = min(self.progress[0], 0)

    def formula(self, found: list[Board]) -> Formula:
        """What is still to be searched, for CaDiCaL, without the solutions already found."""
        from genoku.sat import Formula

        cells = self.links.side**2
        formula = Formula(self.masks[: 4 * cells], self.links)
        for board in found:
            # The first masks have lost the branches that are exhausted, with their solutions.
            alive = self.masks[:cells] >> (board.astype(np.uint64) - np.uint64(1)) & np.uint64(1)
            if alive.all():
                formula.forbid(board)
        return formula


@kernel
def search(
    masks: Masks,
    queue: Queue,
    choices: Queue,
    progress: NDArray[np.int64],
    boards: NDArray[np.uint8],
    failures: int,
    rng: Stream,
    links: Links,
) -> int:
    """Depth-first search: try a candidate of the tightest constraint, then rule it out.

    Stops when `boards` is full, after that many `failures`, or at the end (depth −1), and goes
    on from `progress` when called again. Returns how many boards it wrote.
    """
    side = np.uint64(links.side)
    stride = np.uint64(4) * side * side
    depth, nodes = progress[0], progress[1]
    found = 0
    while depth >= 0 and found < len(boards) and failures > 0:
        base = np.uint64(depth) * stride
        consistent = False
        constraint = tightest(masks, base, stride, rng)
        if constraint == stride:
            read_board(masks, base, boards[found])
            found += 1
        else:
            bit = one_of(masks[base + constraint], rng)
            candidate = links.candidate[constraint * side + bit]
            for i in range(stride):
                masks[base + stride + i] = masks[base + i]
            choices[depth] = queue[0] = candidate
            depth += 1
            nodes += 1
            consistent = propagate(masks, base + stride, queue, 1, links)
            failures -= not consistent
        while not consistent and depth >= 0:
            depth -= 1
            if depth >= 0:
                base = np.uint64(depth) * stride
                queued = strike(masks, base, choices[depth], queue, 0, links)
                consistent = queued >= 0 and propagate(masks, base, queue, queued, links)
    progress[0], progress[1] = depth, nodes
    return found


@kernel
def count_boards(
    boards: NDArray[np.uint8],
    limit: int,
    failures: int,
    counts: NDArray[np.int64],
    masks: Masks,
    queue: Queue,
    links: Links,
) -> None:
    """Count the solutions of every board into `counts`, `UNDECIDED` after so many failures."""
    cells = links.side * links.side
    choices = np.empty(cells + 1, np.uint16)
    progress = np.zeros(2, np.int64)
    found = np.empty((limit, cells), np.uint8)
    in_order = np.empty(0, np.uint64)
    for i in range(len(boards)):
        progress[0] = 0
        if begin(boards[i], masks, queue, links):
            counts[i] = search(masks, queue, choices, progress, found, failures, in_order, links)
            if counts[i] < limit and progress[0] >= 0:
                counts[i] = UNDECIDED


@kernel
def tightest(masks: Masks, base: Any, stride: Any, rng: Stream) -> Any:
    """A constraint with the fewest candidates, two or more; `stride` if all are met."""
    best = stride
    fewest: Any = 1 << 30
    start = NONE if len(rng) == 0 else np.uint64(below(rng, np.int64(stride)))
    for i in range(stride):
        constraint = start + i
        if constraint >= stride:
            constraint -= stride
        size = np.int64(popcount(masks[base + constraint]))
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
