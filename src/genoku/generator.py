"""New puzzles: draw a random complete grid, then remove givens while the solution stays unique.

Puzzle number i of a seed has its own random stream, so the same request gives the same puzzles on
any number of processes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genoku.errors import ImpossibleError
from genoku.exact import oracle
from genoku.exact.oracle import SearchTree, empty_decisions, rules_for, search
from genoku.exact.propagation import (
    CONSISTENT,
    ONE,
    SHIFT,
    SINGLES,
    CandidateMasks,
    Links,
    empty_masks,
    links,
    load_board,
    strike,
)
from genoku.puzzle.board import Board, Puzzle
from genoku.puzzle.geometry import Geometry, Symmetry, orbits
from genoku.runtime import notebook
from genoku.runtime.jit import kernel
from genoku.runtime.random import Stream, permutation, stream
from genoku.runtime.text import format_count
from genoku.runtime.workers import make_batches, map_in_order
from genoku.techniques import LEVELS, Level, solve_path

ATTEMPTS = 300  # grids tried for a number of givens or a level
ATTEMPTS_LARGE = 5  # beyond 16×16, where each takes seconds
MASK_ATTEMPTS = 20_000  # grids tried for a mask on 9×9, fewer on larger boards
FAILURES_BEFORE_RESTART = 400  # drawing a grid: a restart is faster than more backtracking
FAILURES_PER_GIVEN = 3_000  # removing givens up to 16×16: the oracle decides the rest
FAILURES_PER_GIVEN_LARGE = 100  # beyond: an undecided given stays
LARGE = 17
LABEL_SECONDS = 10.0

Groups = list[list[int]]  # cells that are given, or left blank, together

# The fewest givens of a puzzle with one solution, all by exhaustive search; 9×9 by McGuire,
# Tugemann and Civario (2012).
FEWEST_GIVENS = {Geometry(2, 2): 4, Geometry(2, 3): 8, Geometry(3, 2): 8, Geometry(3, 3): 17}


@dataclass(frozen=True)
class PuzzleRequest:
    """What a generated puzzle should be like; by default a minimal 9×9 puzzle.

    Parameters
    ----------
    geometry
        The shape of the board.
    givens
        The exact number of givens. At most one of `givens`, `share` and `mask` can be set.
    symmetry
        The symmetry of the pattern of givens.
    level
        The level of the hardest technique needed. A puzzle that is too hard gets givens back,
        unless `minimal`, `givens` or `mask` prevents it.
    share
        The share of cells that stay given, chosen at random, from 0 to 1. The solution need not
        be unique (Lewis 2007).
    mask
        A byte for each cell, row by row: cells other than 0 are given.
    minimal
        Whether the puzzle must stay minimal when it is too hard for its level.

    Raises
    ------
    ImpossibleError
        If options contradict each other or no puzzle can meet them.
    """

    geometry: Geometry = Geometry(3, 3)
    givens: int | None = None
    symmetry: Symmetry = "none"
    level: Level | None = None
    share: float | None = None
    mask: bytes | None = None
    minimal: bool = False

    def __post_init__(self) -> None:
        chosen = [self.givens is not None, self.share is not None, self.mask is not None]
        if sum(chosen) > 1:
            raise ImpossibleError("expected at most one of givens, share and mask, got several")
        if self.minimal and any(chosen):
            raise ImpossibleError("expected minimal without givens, share or mask, got both")
        if self.symmetry != "none" and (self.share is not None or self.mask is not None):
            raise ImpossibleError("expected symmetry without share or mask, got both")
        if self.level is not None and self.level not in LEVELS:
            raise ImpossibleError(f"expected a level among {', '.join(LEVELS)}, got {self.level!r}")
        if self.level is not None and self.share is not None:
            raise ImpossibleError(
                "expected a level without a share, whose puzzles may not be unique"
            )
        if self.share is not None and not 0 <= self.share <= 1:
            raise ImpossibleError(f"expected a share of givens from 0 to 1, got {self.share:g}")
        if self.mask is not None and len(self.mask) != self.geometry.cells:
            raise ImpossibleError(
                f"expected a mask of {self.geometry.cells} cells, got {len(self.mask)}"
            )
        positions = None if self.mask is None else self.geometry.cells - self.mask.count(0)
        self._check_number(self.givens if positions is None else positions)
        self._check_orbits()
        self._check_mask()

    def _check_number(self, givens: int | None) -> None:
        if givens is None:
            return
        cells, side = self.geometry.cells, self.geometry.side
        if not 0 <= givens <= cells:
            raise ImpossibleError(f"expected 0 to {cells} givens, got {givens}")
        # Two digits that are not given anywhere can be exchanged.
        fewest = FEWEST_GIVENS.get(self.geometry, side - 1)
        if givens < fewest:
            known = "has" if self.geometry in FEWEST_GIVENS else "can have"
            raise ImpossibleError(
                f"no {self.geometry} puzzle with one solution {known} fewer than {fewest} givens, "
                f"got {givens}"
            )

    def _check_mask(self) -> None:
        """Refuse two blank lines in one band or stack: they can be exchanged."""
        if self.mask is None:
            return
        blank = np.frombuffer(self.mask, np.uint8).reshape(self.geometry.side, -1) == 0
        for kind, axis, size in (
            ("rows", 1, self.geometry.box_rows),
            ("columns", 0, self.geometry.box_cols),
        ):
            lines = np.flatnonzero(blank.all(axis=axis))
            for one, other in pairwise(lines.tolist()):
                if one // size == other // size:
                    raise ImpossibleError(
                        f"no puzzle with {kind} {one + 1} and {other + 1} blank has one solution: "
                        "the two can be exchanged"
                    )

    def _check_orbits(self) -> None:
        """Refuse a number of givens that is no sum of sizes of symmetric groups."""
        groups = orbits(self.geometry, self.symmetry)
        sums = 1  # bit n: n givens are possible
        for group in groups:
            sums |= sums << len(group)
        if self.givens is not None and not sums >> self.givens & 1:
            sizes = " and ".join(map(str, sorted({len(group) for group in groups})))
            raise ImpossibleError(
                f"with symmetry {self.symmetry} the givens of a {self.geometry} board come in "
                f"groups of {sizes}, which cannot add up to {self.givens}"
            )


@dataclass(frozen=True)
class GeneratedPuzzle:
    """A new puzzle and the grid it was made from."""

    puzzle: Puzzle
    solution: Puzzle
    """The complete grid, as a puzzle without blanks."""
    verdict: oracle.Verdict
    """Whether the solution is unique; always so unless a share was requested."""
    seed: int
    index: int
    """The number of the puzzle among those of its seed."""

    def _repr_html_(self) -> str:
        puzzle = self.puzzle
        texts = {"unique": "one solution", "several": "several solutions"}
        return notebook.block(
            notebook.headline(
                f"A new {puzzle.geometry} puzzle",
                f"with {format_count(puzzle.givens, 'given')} and "
                f"{texts.get(self.verdict, 'an unknown number of solutions')}: "
                f"number {self.index} of seed {self.seed}",
            ),
            puzzle.picture(style="svg"),
            notebook.details("Solution", notebook.code(str(self.solution))),
        )


def random_grid(geometry: Geometry, rng: Stream) -> Board:
    """Draw a complete grid by random search; all are possible, but not equally likely."""
    tree = SearchTree(Puzzle(geometry, bytes(geometry.cells)), rng)
    while len(found := tree.search(1, FAILURES_BEFORE_RESTART)) == 0:
        tree.restart()
    grid: Board = found[0]
    return grid


def generate(
    request: PuzzleRequest | None = None, seed: int = 0, index: int = 0, **options: Any
) -> GeneratedPuzzle:
    """Generate puzzle number `index` of a seed.

    Parameters
    ----------
    request
        What the puzzle should be like; by default a minimal 9×9 puzzle.
    seed, index
        Together with the request they determine the puzzle.
    **options
        Fields of `PuzzleRequest`, which replace those of `request`.

    Raises
    ------
    ImpossibleError
        If no puzzle can meet the request, or none was found.

    Examples
    --------
    >>> generate(geometry=Geometry(2, 2), seed=1).puzzle
    Puzzle.parse('.....4...2.1...3')
    """
    request = _merge_options(request, options)
    rng = stream(seed, "generate", index)
    if request.share is not None:
        solution = random_grid(request.geometry, rng)
        cells = request.geometry.cells
        board = solution.copy()
        board[permutation(rng, cells)[round(request.share * cells) :]] = 0
        verdict = oracle.count(_puzzle(request, board), time_limit=LABEL_SECONDS).verdict
    else:
        solution, board = _find_unique(request, rng)
        verdict = "unique"
    return GeneratedPuzzle(
        _puzzle(request, board), _puzzle(request, solution), verdict, seed, index
    )


def random_puzzle(geometry: Geometry, seed: int) -> Puzzle:
    """Return the puzzle that `random` means for a seed: a minimal one, number 0 of that seed."""
    return generate(PuzzleRequest(geometry), seed).puzzle


def _merge_options(request: PuzzleRequest | None, options: dict[str, Any]) -> PuzzleRequest:
    known = [each.name for each in fields(PuzzleRequest)]
    for name in options:
        if name not in known:
            raise ImpossibleError(f"expected an option among {', '.join(known)}, got {name!r}")
    return replace(request or PuzzleRequest(), **options)


def generate_many(
    request: PuzzleRequest | None = None,
    count: int = 1,
    seed: int = 0,
    *,
    jobs: int = 1,
    first: int = 0,
    **options: Any,
) -> Iterator[GeneratedPuzzle]:
    """Generate puzzles `first` … `first + count − 1` of a seed, in that order.

    Parameters
    ----------
    request, seed, **options
        As for `generate`; puzzle i is that of `generate(request, seed, i)`.
    count
        The number of puzzles.
    jobs
        The number of processes. It does not change the puzzles.
    first
        The number of the first puzzle.

    Yields
    ------
    GeneratedPuzzle

    Raises
    ------
    ImpossibleError
        If no puzzle can meet the request, or none was found.
    """
    request = _merge_options(request, options)
    size = 1 if request.geometry.side > 9 or request.level or request.mask else 64
    batches = make_batches(range(first, first + count), size)
    for batch in map_in_order(partial(_generate_batch, request, seed), batches, jobs):
        yield from batch


def _generate_batch(request: PuzzleRequest, seed: int, indices: list[int]) -> list[GeneratedPuzzle]:
    return [generate(request, seed, index) for index in indices]


def _puzzle(request: PuzzleRequest, board: Board) -> Puzzle:
    return Puzzle(request.geometry, board.tobytes())


def _find_unique(request: PuzzleRequest, rng: Stream) -> tuple[Board, Board]:
    """Try random grids until one gives a puzzle that meets the request."""
    met: Counter[str] = Counter()
    # What a minute or two do not find is hopeless.
    attempts = ATTEMPTS if request.geometry.side < LARGE else ATTEMPTS_LARGE
    if request.mask is not None:
        attempts = max(5, int(MASK_ATTEMPTS * (81 / max(request.geometry.cells, 81)) ** 3))
    make_puzzle = _remove_givens if request.mask is None else _apply_mask
    for _ in range(attempts):
        solution = random_grid(request.geometry, rng)
        board = make_puzzle(request, solution, rng)
        if board is None:
            continue
        givens = int(np.count_nonzero(board))
        if request.givens not in (None, givens):
            met[f"{givens} givens"] += 1
        elif request.level is None:
            return solution, board
        else:
            level, board = _ease(request, solution, board, rng)
            if level == request.level:
                return solution, board
            met[level] += 1
    raise ImpossibleError(_failure_text(request, attempts, met))


def _failure_text(request: PuzzleRequest, attempts: int, met: Counter[str]) -> str:
    wanted = [f"{request.givens} givens"] if request.givens is not None else []
    wanted += ["only needed givens"] if request.minimal else []
    wanted += ["this mask"] if request.mask is not None else []
    wanted += [f"level {request.level}"] if request.level is not None else []
    wanted += [f"symmetry {request.symmetry}"] if request.symmetry != "none" else []
    found = ", ".join(f"{what} ({times}×)" for what, times in sorted(met.items())[:3])
    return (
        f"no {request.geometry} puzzle with {', '.join(wanted)} was found in {attempts:,} grids"
        + (f"; nearest: {found}" if found else "")
    )


def _remove_givens(request: PuzzleRequest, solution: Board, rng: Stream) -> Board | None:
    """Remove givens at random, down to the number requested or until all are needed."""
    geometry, fewest = request.geometry, request.givens or 0
    groups = orbits(geometry, request.symmetry)
    groups = [groups[i] for i in permutation(rng, len(groups))]
    if geometry.side < LARGE:
        board, undecided = remove_givens(geometry, solution, groups, fewest, FAILURES_PER_GIVEN)
        for group in undecided:
            without = board.copy()
            without[group] = 0
            enough = np.count_nonzero(without) >= fewest
            if enough and oracle.is_unique(_puzzle(request, without)):
                board = without
        return board
    if request.givens is not None:
        board, _ = remove_givens(geometry, solution, groups, fewest, FAILURES_PER_GIVEN_LARGE)
        if np.count_nonzero(board) == fewest:
            return board
    # Removing groups box by box, in random order, keeps proofs short.
    rank = permutation(rng, geometry.side)
    by_box = sorted(groups, key=lambda group: rank[geometry.box_of[group[0]]])
    board = np.zeros_like(solution)
    for group in minimise(geometry, solution, by_box):
        board[group] = solution[group]
    for group in groups:
        if board[group[0]] == 0 and np.count_nonzero(board) + len(group) <= fewest:
            board[group] = solution[group]
    return board


def _apply_mask(request: PuzzleRequest, solution: Board, _: Stream) -> Board | None:
    """Return the grid's digits in the cells of the mask, or None unless they have one solution.

    The search is limited by dead ends, not seconds, so that the same seed gives the same puzzle on
    any machine.
    """
    assert request.mask is not None
    board = solution * (np.frombuffer(request.mask, np.uint8) > 0)
    tree = SearchTree(_puzzle(request, board))
    found = tree.search(2, oracle.failures_before_sat(request.geometry.side))
    return board if len(found) == 1 and tree.is_exhausted else None


def _ease(
    request: PuzzleRequest, solution: Board, board: Board, rng: Stream
) -> tuple[Level, Board]:
    """Add givens to a board that is too hard, and return its level and the board.

    A board with a fixed number of givens, a mask, or a minimal one is not changed.
    """
    may_grow = request.givens is None and request.mask is None and not request.minimal
    groups = orbits(request.geometry, request.symmetry)
    blank = [groups[i] for i in permutation(rng, len(groups)) if board[groups[i][0]] == 0]
    while True:
        level = solve_path(_puzzle(request, board)).hardest.level
        if not may_grow or not blank or LEVELS.index(level) <= LEVELS.index(request.level or level):
            return level, board
        group = blank.pop()
        board = board.copy()
        board[group] = solution[group]


# A given is needed if the board has a second solution without it: one with another digit in that
# cell. So its digit is ruled out there, which mostly leads to a contradiction at once. A needed
# given stays needed whatever else is removed.
UNIQUE, SEVERAL, UNDECIDED = 0, 1, 2


def remove_givens(
    geometry: Geometry, solution: Board, groups: Groups, fewest: int, failures: int
) -> tuple[Board, Groups]:
    """Remove groups of givens from a grid while its solution stays unique and `fewest` remain.

    Returns the board, and the groups that stay given because the search met that many `failures`
    without deciding them.
    """
    board = solution.copy()
    cells = np.array([cell for group in groups for cell in group], np.int64)
    ends = np.cumsum([len(group) for group in groups])
    answers = np.full(len(groups), UNIQUE, np.int64)
    masks = empty_masks(geometry)
    rules = rules_for(geometry) if geometry.side <= 16 else SINGLES  # enough for most questions
    remove_groups(
        board, solution, cells, ends, fewest, answers, masks, links(geometry), rules, failures
    )
    return board, [groups[i] for i in np.flatnonzero(answers == UNDECIDED)]


def minimise(geometry: Geometry, solution: Board, groups: Groups) -> Groups:
    """Return the groups of a minimal puzzle, found by CaDiCaL; the last groups are removed first.

    Assume all givens and forbid the solution: the proof that no other exists uses only some of the
    givens, and the rest can be removed. Repeat without one more given at a time. Starting from the
    complete grid keeps the proofs short, and so does an order in which neighbouring groups follow
    each other.
    """
    from genoku.exact.sat import Formula

    masks = empty_masks(geometry)
    load_board(np.zeros(geometry.cells, np.uint8), masks, links(geometry), SINGLES)
    formula = Formula(masks.bits, links(geometry))
    literal_of = formula.literals(solution)
    group_of = {formula.switch([literal_of[cell] for cell in group]): group for group in groups}
    formula.forbid(solution)
    formula.stay_near(solution)
    needed: list[int] = []
    open_ones = list(group_of)
    while open_ones:
        tried = open_ones.pop()
        if formula.solve(open_ones):
            needed.append(tried)
            formula.require(tried)
        else:
            core = set(formula.core())
            open_ones = [switch for switch in open_ones if switch in core]
    formula.close()
    return [group_of[switch] for switch in needed]


@kernel
def remove_groups(
    board: Board,
    solution: Board,
    cells: NDArray[np.int64],
    ends: NDArray[np.int64],
    fewest: int,
    answers: NDArray[np.int64],
    masks: CandidateMasks,
    links: Links,
    rules: int,
    failures: int,
) -> None:
    """Do the work of `remove_givens` on arrays: group i is `cells[ends[i − 1]:ends[i]]`."""
    decisions = empty_decisions(len(board))
    progress = np.zeros(2, np.int64)
    other = np.empty((1, len(board)), np.uint8)
    rng = np.empty(0, np.uint64)  # candidates in order, not at random
    givens = np.count_nonzero(board)
    start = 0
    for i in range(len(ends)):
        group = cells[start : ends[i]]
        start = ends[i]
        if givens - len(group) < fewest:
            continue
        for cell in group:
            board[cell] = 0
        # Once no solution differs in a cell of the group, the cell can be given for the next.
        for cell in group:
            load_board(board, masks, links, rules)
            candidate = (np.uint64(cell) << SHIFT) | (np.uint64(solution[cell]) - ONE)
            if strike(masks, links, rules, candidate) == CONSISTENT:
                progress[0] = 0
                if search(masks, links, rules, decisions, progress, other, failures, rng) > 0:
                    answers[i] = SEVERAL
                elif progress[0] >= 0:
                    answers[i] = UNDECIDED
            if answers[i] != UNIQUE:
                break
            board[cell] = solution[cell]
        for cell in group:
            board[cell] = 0 if answers[i] == UNIQUE else solution[cell]
        if answers[i] == UNIQUE:
            givens -= len(group)
