"""New puzzles: a random complete grid, then givens taken away while the solution stays unique.

Puzzle number i of a seed has a stream of its own, so that the same request gives the same puzzles
on any number of processes.
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

from genoku import display, exact
from genoku.board import Board, Puzzle
from genoku.errors import ImpossibleError
from genoku.exact import Decisions, SearchTree, new_decisions, rules_for, search
from genoku.geometry import Geometry, Symmetry, orbits
from genoku.jit import kernel
from genoku.propagation import (
    CONSISTENT,
    ONE,
    SHIFT,
    SINGLES,
    Desk,
    Links,
    begin,
    links,
    new_desk,
    strike,
)
from genoku.stream import Stream, permutation, stream
from genoku.techniques import LEVELS, Level, solve_path
from genoku.words import plural
from genoku.workers import batched, in_order

ATTEMPTS = 300  # grids tried for a number of givens or a level
ATTEMPTS_LARGE = 5  # beyond 16×16, where each takes seconds
MASK_ATTEMPTS = 20_000  # grids tried for a mask on 9×9, fewer on larger boards
FAILURES_BEFORE_RESTART = 400  # drawing a grid: begin again rather than dig in
FAILURES_PER_GIVEN = 3_000  # thinning up to 16×16: the oracle decides what is left
FAILURES_PER_GIVEN_LARGE = 100  # beyond: an undecided given stays
LARGE = 17
LABEL_SECONDS = 10.0

STANDARD = Geometry(3, 3)

# The fewest givens of a puzzle with one solution, all by exhaustion; 9×9 by McGuire, Tugemann
# and Civario (2012).
FEWEST_GIVENS = {Geometry(2, 2): 4, Geometry(2, 3): 8, Geometry(3, 2): 8, Geometry(3, 3): 17}


@dataclass(frozen=True)
class Wanted:
    """The puzzle asked for. With neither `givens`, `share` nor `mask`, a minimal one.

    `givens` is exact. `share` blanks a grid at random to that share of givens, whether or not
    the solution stays unique (Lewis 2007). `mask` says which cells are given. A puzzle that is
    harder than its `level` gets givens back, unless it is to stay `minimal`.
    """

    geometry: Geometry = STANDARD
    givens: int | None = None
    symmetry: Symmetry = "none"
    level: Level | None = None
    share: float | None = None
    mask: bytes | None = None
    minimal: bool = False

    def __post_init__(self) -> None:
        asked = [self.givens is not None, self.share is not None, self.mask is not None]
        if sum(asked) > 1:
            raise ImpossibleError("expected one of a number of givens, a share and a mask")
        if self.minimal and any(asked):
            raise ImpossibleError("a minimal puzzle has no number of givens, share or mask")
        if self.symmetry != "none" and (self.share is not None or self.mask is not None):
            raise ImpossibleError("symmetry goes with a number of givens or a minimal puzzle")
        if self.level is not None and self.level not in LEVELS:
            raise ImpossibleError(f"expected a level among {', '.join(LEVELS)}, got {self.level!r}")
        if self.level is not None and self.share is not None:
            raise ImpossibleError("a level needs one solution, which a share does not promise")
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
        # Two digits that are nowhere given can be exchanged.
        fewest = FEWEST_GIVENS.get(self.geometry, side - 1)
        if givens < fewest:
            known = "has" if self.geometry in FEWEST_GIVENS else "can have"
            raise ImpossibleError(
                f"no {self.geometry} puzzle with one solution {known} fewer than {fewest} givens, "
                f"and {givens} were asked for"
            )

    def _check_mask(self) -> None:
        """Two blank lines side by side in a band or stack can be exchanged."""
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
                        f"a mask with {kind} {one + 1} and {other + 1} blank allows no single "
                        "solution: the two can be exchanged"
                    )

    def _check_orbits(self) -> None:
        """Whether groups of the symmetry can add up to the number of givens."""
        groups = orbits(self.geometry, self.symmetry)
        sums = 1  # bit n: n givens can be had
        for group in groups:
            sums |= sums << len(group)
        if self.givens is not None and not sums >> self.givens & 1:
            sizes = " and ".join(map(str, sorted({len(group) for group in groups})))
            raise ImpossibleError(
                f"with symmetry {self.symmetry} the givens of a {self.geometry} board come in "
                f"groups of {sizes}, and {self.givens} is no sum of those"
            )


@dataclass(frozen=True)
class Made:
    """A new puzzle, the solution it was made from, and what the oracle says of it."""

    puzzle: Puzzle
    solution: Puzzle
    verdict: exact.Verdict
    seed: int
    index: int

    def _repr_html_(self) -> str:
        puzzle = self.puzzle
        said = {"unique": "one solution", "several": "several solutions", "none": "no solution"}
        return display.shown(
            display.headline(
                f"A new {puzzle.geometry} puzzle",
                f"with {plural(puzzle.givens, 'given')} and "
                f"{said.get(self.verdict, 'an open number of solutions')}: "
                f"number {self.index} of seed {self.seed}",
            ),
            puzzle.picture(style="svg"),
            display.folded("Solution", display.code(str(self.solution))),
        )


def random_grid(geometry: Geometry, rng: Stream) -> Board:
    """A complete grid by random search. Every grid can come; they are not equally likely."""
    tree = SearchTree(Puzzle(geometry, bytes(geometry.cells)), rng)
    while len(found := tree.search(1, FAILURES_BEFORE_RESTART)) == 0:
        tree.restart()
    grid: Board = found[0]
    return grid


def generate(wanted: Wanted | None = None, seed: int = 0, index: int = 0, **wishes: Any) -> Made:
    """Puzzle number `index` of a seed: as wanted, or as keywords of `Wanted` say.

    >>> generate(geometry=Geometry(2, 2), seed=1).puzzle
    Puzzle.parse('.....4...2.1...3')
    """
    wanted = _with_wishes(wanted, wishes)
    rng = stream(seed, "generate", index)
    if wanted.share is not None:
        solution, board = _blanked(wanted, rng)
        verdict = exact.count(_puzzle(wanted, board), time_limit=LABEL_SECONDS).verdict
    else:
        solution, board = _unique(wanted, rng)
        verdict = "unique"
    return Made(_puzzle(wanted, board), _puzzle(wanted, solution), verdict, seed, index)


def _with_wishes(wanted: Wanted | None, wishes: dict[str, Any]) -> Wanted:
    known = [each.name for each in fields(Wanted)]
    for name in wishes:
        if name not in known:
            raise ImpossibleError(f"expected wishes among {', '.join(known)}, got {name!r}")
    return replace(wanted or Wanted(), **wishes)


def generate_many(
    wanted: Wanted | None = None,
    count: int = 1,
    seed: int = 0,
    *,
    jobs: int = 1,
    first: int = 0,
    **wishes: Any,
) -> Iterator[Made]:
    """Puzzles `first` … `first + count − 1` of a seed, in that order, on `jobs` processes."""
    wanted = _with_wishes(wanted, wishes)
    size = 1 if wanted.geometry.side > 9 or wanted.level or wanted.mask else 64
    batches = batched(range(first, first + count), size)
    for made in in_order(partial(_generate_batch, wanted, seed), batches, jobs):
        yield from made


def _generate_batch(wanted: Wanted, seed: int, indices: list[int]) -> list[Made]:
    return [generate(wanted, seed, index) for index in indices]


def _puzzle(wanted: Wanted, board: Board) -> Puzzle:
    return Puzzle(wanted.geometry, board.tobytes())


def _blanked(wanted: Wanted, rng: Stream) -> tuple[Board, Board]:
    solution = random_grid(wanted.geometry, rng)
    cells = wanted.geometry.cells
    blanks = permutation(rng, cells)[round((wanted.share or 0) * cells) :]
    board = solution.copy()
    board[blanks] = 0
    return solution, board


def _unique(wanted: Wanted, rng: Stream) -> tuple[Board, Board]:
    """Try grid after grid until one gives a puzzle as wanted."""
    met: Counter[str] = Counter()
    attempts = _attempts(wanted)
    for _ in range(attempts):
        solution = random_grid(wanted.geometry, rng)
        board = (
            _thinned(wanted, solution, rng) if wanted.mask is None else _masked(wanted, solution)
        )
        if board is None:
            continue
        givens = int(np.count_nonzero(board))
        if wanted.givens not in (None, givens):
            met[f"{givens} givens"] += 1
        elif wanted.level is None:
            return solution, board
        else:
            level, board = _eased(wanted, solution, board, rng)
            if level == wanted.level:
                return solution, board
            met[level] += 1
    raise ImpossibleError(_gave_up(wanted, attempts, met))


def _attempts(wanted: Wanted) -> int:
    """How many grids to try: what is not found in a minute or two is hopeless."""
    cells = max(wanted.geometry.cells, 81)
    if wanted.mask is not None:
        return max(5, int(MASK_ATTEMPTS * (81 / cells) ** 3))
    return ATTEMPTS if wanted.geometry.side < LARGE else ATTEMPTS_LARGE


def _gave_up(wanted: Wanted, attempts: int, met: Counter[str]) -> str:
    asked = [f"{wanted.givens} givens"] if wanted.givens is not None else []
    asked += ["no needless given"] if wanted.minimal else []
    asked += ["this mask"] if wanted.mask is not None else []
    asked += [f"level {wanted.level}"] if wanted.level is not None else []
    asked += [f"symmetry {wanted.symmetry}"] if wanted.symmetry != "none" else []
    found = ", ".join(f"{what} ({times}×)" for what, times in sorted(met.items())[:3])
    return (
        f"no {wanted.geometry} puzzle with {', '.join(asked)} was found in {attempts:,} grids"
        + (f"; nearest: {found}" if found else "")
    )


def _thinned(wanted: Wanted, solution: Board, rng: Stream) -> Board:
    """Givens taken away at random: down to the number wanted, or until all are needed."""
    geometry = wanted.geometry
    groups = orbits(geometry, wanted.symmetry)
    groups = [groups[i] for i in permutation(rng, len(groups))]
    if geometry.side < LARGE:
        fewest = wanted.givens or 0
        board, undecided = thin(geometry, solution, groups, fewest, FAILURES_PER_GIVEN)
        return _settled(geometry, board, undecided, fewest)
    if wanted.givens is not None:
        board, _ = thin(geometry, solution, groups, wanted.givens, FAILURES_PER_GIVEN_LARGE)
        if np.count_nonzero(board) == wanted.givens:
            return board
    return _filled_up(wanted, solution, _core(geometry, solution, groups, rng), groups)


def _settled(geometry: Geometry, board: Board, undecided: list[list[int]], fewest: int) -> Board:
    """Ask the oracle about the groups that the quick search left open."""
    for group in undecided:
        without = board.copy()
        without[group] = 0
        enough = np.count_nonzero(without) >= fewest
        if enough and exact.is_unique(Puzzle(geometry, without.tobytes())):
            board = without
    return board


def _core(
    geometry: Geometry, solution: Board, groups: list[list[int]], rng: Stream
) -> list[list[int]]:
    """A minimal set of groups. Box after box, in random order: proofs stay short that way."""
    rank = permutation(rng, geometry.side)
    return minimise(geometry, solution, sorted(groups, key=lambda g: rank[geometry.box_of[g[0]]]))


def _filled_up(
    wanted: Wanted, solution: Board, core: list[list[int]], groups: list[list[int]]
) -> Board:
    """The core's givens, and as many others as the number wanted asks for."""
    board = np.zeros_like(solution)
    for group in core:
        board[group] = solution[group]
    for group in groups:
        if board[group[0]] == 0 and np.count_nonzero(board) + len(group) <= (wanted.givens or 0):
            board[group] = solution[group]
    return board


def _masked(wanted: Wanted, solution: Board) -> Board | None:
    """The grid's digits where the mask has some, if that has one solution.

    Counted in dead ends, not seconds: the same seed gives the same puzzle on any machine.
    """
    assert wanted.mask is not None
    board = solution * (np.frombuffer(wanted.mask, np.uint8) > 0)
    tree = SearchTree(_puzzle(wanted, board))
    found = tree.search(2, exact.patience(wanted.geometry.side))
    return board if len(found) == 1 and tree.is_exhausted else None


def _eased(wanted: Wanted, solution: Board, board: Board, rng: Stream) -> tuple[Level, Board]:
    """The board's level; too hard a board is given more digits, until it is easy enough.

    Where the number of givens is fixed, or minimal, or given by a mask, it stays as it is.
    """
    may_grow = wanted.givens is None and wanted.mask is None and not wanted.minimal
    groups = orbits(wanted.geometry, wanted.symmetry)
    blank = [groups[i] for i in permutation(rng, len(groups)) if board[groups[i][0]] == 0]
    while True:
        level = solve_path(_puzzle(wanted, board)).hardest.level
        if not may_grow or not blank or LEVELS.index(level) <= LEVELS.index(wanted.level or level):
            return level, board
        group = blank.pop()
        board = board.copy()
        board[group] = solution[group]


# A given is needed when, without it, the board has a second solution: one with another digit in
# that very cell. So the question is asked with the known digit ruled out, which mostly ends in a
# contradiction at once. A needed given stays needed, whatever else is taken away.
UNIQUE, SEVERAL, UNDECIDED = 0, 1, 2


def thin(
    geometry: Geometry,
    solution: Board,
    groups: list[list[int]],
    fewest: int,
    failures: int,
) -> tuple[Board, list[list[int]]]:
    """Take group after group from a whole grid while its solution stays unique and `fewest`
    givens remain.

    Returns what is left, and the groups that so many failures of the search did not decide: they
    stay given.
    """
    thinned = solution.copy()
    cells = np.array([cell for group in groups for cell in group], np.int64)
    ends = np.cumsum([len(group) for group in groups])
    answers = np.full(len(groups), UNIQUE, np.int64)
    thin_groups(
        thinned,
        solution,
        cells,
        ends,
        fewest,
        answers,
        new_desk(geometry),
        links(geometry),
        rules_for(geometry) if geometry.side <= 16 else SINGLES,  # enough for most questions
        failures,
    )
    return thinned, [groups[i] for i in np.flatnonzero(answers == UNDECIDED)]


def minimise(
    geometry: Geometry,
    solution: Board,
    groups: list[list[int]],
) -> list[list[int]]:
    """The groups of a minimal puzzle, by CaDiCaL; the last groups go first.

    Assume all givens, forbid the solution: the proof that nothing is left uses only some of the
    givens, and the rest can go. Then the same for the board without this given, without that.
    Starting from the whole grid matters, and so does an order that keeps groups of one place
    together: the givens a short proof needs make an easy board, and the next proof is short.
    """
    from genoku.sat import Formula

    desk = new_desk(geometry)
    begin(np.zeros(geometry.cells, np.uint8), desk, links(geometry), SINGLES)
    formula = Formula(desk.masks, links(geometry))
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
def thin_groups(
    board: Board,
    solution: Board,
    cells: NDArray[np.int64],
    ends: NDArray[np.int64],
    fewest: int,
    answers: NDArray[np.int64],
    desk: Desk,
    links: Links,
    rules: int,
    failures: int,
) -> None:
    """`thin` on arrays: group i is `cells[ends[i − 1]:ends[i]]`; fills `answers`."""
    decisions = new_decisions(len(board))
    progress = np.zeros(2, np.int64)
    other = np.empty((1, len(board)), np.uint8)
    in_order = np.empty(0, np.uint64)
    givens = np.count_nonzero(board)
    start = 0
    for i in range(len(ends)):
        group = cells[start : ends[i]]
        start = ends[i]
        if givens - len(group) < fewest:
            continue
        for cell in group:
            board[cell] = 0
        # Once no solution differs in a cell of the group, it may stand as given for the next.
        for cell in group:
            answers[i] = differs(
                board,
                cell,
                solution[cell],
                desk,
                links,
                rules,
                decisions,
                progress,
                other,
                failures,
                in_order,
            )
            if answers[i] != UNIQUE:
                break
            board[cell] = solution[cell]
        for cell in group:
            board[cell] = 0 if answers[i] == UNIQUE else solution[cell]
        if answers[i] == UNIQUE:
            givens -= len(group)


@kernel
def differs(
    board: Board,
    cell: Any,
    digit: Any,
    desk: Desk,
    links: Links,
    rules: int,
    decisions: Decisions,
    progress: NDArray[np.int64],
    other: NDArray[np.uint8],
    failures: int,
    rng: Stream,
) -> int:
    """Whether the board has a solution with another digit than this one in this cell."""
    begin(board, desk, links, rules)
    candidate = (np.uint64(cell) << SHIFT) | (np.uint64(digit) - ONE)
    if strike(desk, links, rules, candidate) != CONSISTENT:
        return UNIQUE
    progress[0] = 0
    if search(desk, links, rules, decisions, progress, other, failures, rng) > 0:
        return SEVERAL
    return UNIQUE if progress[0] < 0 else UNDECIDED
