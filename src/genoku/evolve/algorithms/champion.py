"""The champion: a pool of partial boards that are ruined, rebuilt and recombined."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from genoku.errors import require_above, require_at_least, require_between, require_choices
from genoku.evolve.encoding import Boards
from genoku.evolve.fitness import Costs
from genoku.evolve.problem import Problem
from genoku.evolve.state import (
    NO_BIRTHS,
    Finished,
    PartialBoardSearch,
    State,
    births_without_parents,
)
from genoku.exact.propagation import (
    CONSISTENT,
    DIGIT,
    FOUR,
    LOCKED,
    NONE,
    ONE,
    PAIRS,
    SHIFT,
    SINGLES,
    TRAIL,
    CandidateMasks,
    Candidates,
    Links,
    Masks,
    assign,
    empty_masks,
    links,
    load_board,
    load_candidates,
    read_board,
    strike,
    undo,
)
from genoku.puzzle.board import Board
from genoku.runtime.jit import inline, kernel, lowest_bit, popcount
from genoku.runtime.random import Stream, below, uniform, uniforms

RULES = {"singles": SINGLES, "locked": LOCKED, "pairs": PAIRS}
ENDS: tuple[Finished, ...] = ("", "solved", "no solution")
STRANGERS = 0.1  # the chance that a child worse than all others is kept
DEAD_END, SOLVED, IMPOSSIBLE = 0, 1, 2  # how building a board ends
UNKNOWN = -1  # the cost of a board that is not built yet
Weights = NDArray[np.float32]  # of every cell: 1, and more for each time that no digit was left


class Rates(NamedTuple):
    """The parameters of `Champion` with the same names."""

    forget: float
    near: float
    temperature: float
    weigh: float
    trust: float


@dataclass(frozen=True)
class Champion(PartialBoardSearch):
    """Evolve partial boards: ruin them, rebuild them by propagation, and recombine them.

    An individual is a set of *decisions*, digits in cells, with all that follows from them by the
    `rules`: `singles`, also `locked` candidates, or also `pairs`. It is built decision by decision
    until a dead end: a cell without a digit, or a digit without a place. The cost is the number of
    cells open just before.

    One step makes one child for a pool of `population` boards and improves it by `tries` rounds of
    ruin and recreate. A round drops about `forget` decisions, and each that shares a unit or
    a digit with the failure with probability `near`; repeats the others in random order; then
    decides the most constrained cell until a dead end. The result is accepted if it is no worse, or
    with probability exp(−worse / `temperature`). A cell for which no digit was left gains the
    weight `weigh`; cells with more weight are decided first. A digit that fails at once is ruled
    out, permanently if there was no decision before it. Every board built is an evaluation, every
    decision tried a move.

    `inherit` says what a child starts with: `agreement`, each cell on which two parents agree with
    probability `keep`; `parent`, equally many random cells of one parent (the "headless chicken"
    control); or `nothing`, where every individual continues alone (the control of independent
    trajectories, which share the weights). With probability `trust` a decision follows an elite
    board: the best of three, or, with `nothing`, its own best.
    """

    short_steps: ClassVar = {"tries": 50}

    population: int = 8
    tries: int = 50
    forget: float = 8.0
    near: float = 0.6
    temperature: float = 1.0
    weigh: float = 1.0
    inherit: Literal["agreement", "parent", "nothing"] = "agreement"
    keep: float = 0.7
    trust: float = 0.5
    rules: Literal["singles", "locked", "pairs"] = "pairs"

    def __post_init__(self) -> None:
        require_choices(self)
        require_at_least(self, population=1 if self.inherit == "nothing" else 2, tries=1)
        require_between(self, 0, 1, "near", "keep", "trust")
        require_at_least(self, weigh=0)
        require_above(self, forget=0, temperature=0)

    def start(self, problem: Problem, rng: Stream, boards: Boards | None = None) -> State:
        """Return a pool without decisions, or with all digits of given boards as decisions."""
        rng = rng.copy()
        masks, table = empty_masks(problem.puzzle.geometry), links(problem.puzzle.geometry)
        pool = problem.first_boards(self.population, rng, boards)
        root = problem.space.puzzle.board.copy()
        marks = (pool > 0) & (root == 0)
        failed = load_board(root, masks, table, RULES[self.rules])
        if failed == CONSISTENT:
            read_board(masks.bits, root)
            pool[~marks.any(axis=1)] = root
        costs, ids = problem.costs(pool), np.arange(self.population)
        solved: Finished = "solved" if costs.min() == 0 else ""
        return State(
            rng,
            pool,
            costs,
            ids,
            born=len(ids),
            births=births_without_parents(ids),
            evaluations=len(ids),
            arrays={
                "marks": marks.astype(np.uint8),  # [population, cells] 1 for decisions
                "options": masks.bits[: len(root)].copy(),  # [cells] digits not ruled out for good
                "weights": np.ones(len(root), np.float32),  # [cells]
            },
            finished=solved if failed == CONSISTENT else "no solution",
        )

    def step(self, problem: Problem, state: State) -> State:
        """Create one child, improve it, and give it a place in the pool."""
        rng = state.rng.copy()
        options, weights = state.arrays["options"], np.fmax(state.arrays["weights"], 1)
        child = self._create_child(problem, state, rng)
        alone = self.inherit == "nothing"
        elite = state.boards[child.place if alone else fittest(state, 3, rng)]
        masks, table = empty_masks(problem.puzzle.geometry), links(problem.puzzle.geometry)
        load_candidates(options, masks, table)
        rates = Rates(self.forget, self.near, self.temperature, self.weigh, self.trust)
        before = RULES[self.rules], rates, self.tries, child.cost, child.board, child.marks, elite
        end, built, decisions = improve(masks, table, *before, weights, problem.space.genes, rng)
        after = state._replace(
            rng=rng,
            births=NO_BIRTHS,
            step=state.step + 1,
            evaluations=state.evaluations + built,
            moves=state.moves + decisions,
            arrays={
                **state.arrays,
                "options": masks.bits[: len(options)].copy(),
                "weights": weights,
            },
            finished=ENDS[end],
        )
        place = child.place
        cost = int(problem.costs(child.board[None])[0])
        if place < 0:
            place = find_place(state, child.board, cost, rng)
        return with_child(after, child, place, cost) if place >= 0 else after

    def with_immigrants(
        self, state: State, places: NDArray[np.int64], boards: Boards, costs: Costs
    ) -> State:
        """Replace boards by immigrants; all their digits that are not fixed are decisions."""
        after = super().with_immigrants(state, places, boards, costs)
        marks = state.arrays["marks"].copy()
        options = state.arrays["options"]
        marks[places] = (boards > 0) & (options & (options - ONE) != NONE)
        return after._replace(arrays={**state.arrays, "marks": marks})

    def _create_child(self, problem: Problem, state: State, rng: Stream) -> Child:
        """A board of the pool without decisions, the next independent one, or a child of two."""
        unbuilt = np.flatnonzero(~state.arrays["marks"].any(axis=1))
        if len(unbuilt) or self.inherit == "nothing":
            place = int(unbuilt[0]) if len(unbuilt) else state.step % self.population
            cost = UNKNOWN if len(unbuilt) else int(state.costs[place])
            marks = state.arrays["marks"][place].copy()
            return Child(state.boards[place].copy(), marks, cost, place, (place,))
        one = fittest(state, 2, rng)
        other = (one + 1 + below(rng, self.population - 1)) % self.population
        board, mate = state.boards[one], state.boards[other]
        filled = (board > 0) & (problem.space.puzzle.board == 0)
        agreed = filled & (board == mate)
        chance = np.where(agreed, self.keep, 0.0)
        if self.inherit == "parent":
            chance = filled * (self.keep * agreed.sum() / max(1, filled.sum()))
        marks = (uniforms(rng, len(board)) < chance).astype(np.uint8)
        parents = (one, other) if self.inherit == "agreement" else (one,)
        return Child(board.copy(), marks, UNKNOWN, -1, parents)


class Child(NamedTuple):
    """A board with its decisions marked, before it is built."""

    board: Board
    marks: NDArray[np.uint8]
    cost: int
    place: int  # its place in the pool; −1 if it has none yet
    parents: tuple[int, ...]  # places in the pool


def fittest(state: State, among: int, rng: Stream) -> int:
    """The index of the best of `among` individuals drawn at random."""
    drawn = [int(below(rng, len(state.costs))) for _ in range(among)]
    return min(drawn, key=lambda place: int(state.costs[place]))


def find_place(state: State, board: Board, cost: int, rng: Stream) -> int:
    """The place of a child: that of a near duplicate or of the worst, if it is no worse; else −1.

    With a small chance a child worse than all others takes any place except the best.
    """
    apart = (state.boards != board).sum(axis=1)
    rival, count = int(apart.argmin()), len(state.costs)
    if apart[rival] >= len(board) // 50 + 3:
        rival = int(state.costs.argmax())
        if cost > state.costs[rival] and uniform(rng) < STRANGERS:
            return (int(state.costs.argmin()) + 1 + int(below(rng, count - 1))) % count
    return rival if cost <= state.costs[rival] else -1


def with_child(state: State, child: Child, place: int, cost: int) -> State:
    """The pool with a child in that place."""
    boards, costs, ids = state.boards.copy(), state.costs.copy(), state.ids.copy()
    marks = state.arrays["marks"].copy()
    boards[place], marks[place] = child.board, child.marks
    costs[place], ids[place] = cost, state.born
    parents = [int(state.ids[parent]) for parent in child.parents]
    births = np.array([[state.born, *parents, *[-1] * (2 - len(parents))]])
    return state._replace(
        boards=boards,
        costs=costs,
        ids=ids,
        born=state.born + 1,
        births=births,
        arrays={**state.arrays, "marks": marks},
    )


@kernel
def improve(
    masks: CandidateMasks,
    links: Links,
    rules: int,
    rates: Rates,
    tries: int,
    cost: int,
    board: Board,
    marks: NDArray[np.uint8],
    elite: Board,
    weights: Weights,
    genes: NDArray[np.int64],
    rng: Any,
) -> Any:
    """Ruin and recreate a board `tries` times, and replace it by the best result.

    The board is given by its marked decisions; if its cost is `UNKNOWN`, it is first built from all
    of them. Returns how it ended, and the numbers of boards built and decisions tried. The masks
    keep what was ruled out permanently.
    """
    kept, taken = np.empty(len(board), np.uint32), np.empty(len(board), np.uint32)
    count = 0
    for cell in range(len(board)):
        if marks[cell] > 0 and board[cell] > 0:
            kept[count] = (np.uint64(cell) << SHIFT) | (np.uint64(board[cell]) - ONE)
            count += 1
    best, failed = cost, np.int64(CONSISTENT)
    root, decisions = np.int64(0), 0  # a literal 0 would be compiled as another type
    for built in range(1, tries + 1):
        undo(masks, links, root)
        drop = near = 0.0
        if cost != UNKNOWN:
            drop = min(1.0, rates.forget / max(1, count))
            near = max(drop, rates.near)
        end, root, made, tried, failed = build_board(
            masks,
            links,
            rules,
            root,
            kept[:count],
            drop,
            near,
            failed,
            taken,
            weights,
            elite,
            rates,
            genes,
            rng,
        )
        decisions += tried
        if end != DEAD_END:
            read_board(masks.bits, board)
            return end, built, decisions
        left = 0
        for gene in genes:
            left += masks.bits[gene] & (masks.bits[gene] - ONE) != NONE
        worse = 0 if cost == UNKNOWN else left - cost
        if worse <= 0 or uniform(rng) < math.exp(-worse / rates.temperature):
            cost, count = left, made
            kept, taken = taken, kept
            if best == UNKNOWN or cost <= best:
                best = cost
                read_board(masks.bits, board)
                marks[:] = 0
                for i in range(count):
                    marks[kept[i] >> 6] = 1
    undo(masks, links, root)
    return DEAD_END, tries, decisions


@kernel
def build_board(
    masks: CandidateMasks,
    links: Links,
    rules: int,
    root: Any,
    kept: Candidates,
    drop: float,
    near: float,
    failed: Any,
    taken: Candidates,
    weights: Weights,
    elite: Board,
    rates: Rates,
    genes: NDArray[np.int64],
    rng: Any,
) -> Any:
    """Repeat the kept decisions, except for those dropped, then decide cell by cell.

    Returns how it ended, the trail's length without decisions, the numbers of decisions made and
    tried, and the constraint that failed. At a dead end the masks are those before the decision
    that led there.
    """
    bits = masks.bits
    for i in range(len(kept) - 1, 0, -1):
        j = below(rng, i + 1)
        kept[i], kept[j] = kept[j], kept[i]
    made = tried = again = 0
    while True:
        if again < len(kept):
            candidate = np.uint64(kept[again])
            again += 1
            mask = bits[candidate >> SHIFT]
            if (mask >> (candidate & DIGIT)) & ONE == NONE or mask & (mask - ONE) == NONE:
                continue
            if uniform(rng) < (near if is_near(candidate, failed, links) else drop):
                continue
        else:
            cell = most_constrained(bits, weights, genes, rng)
            if cell < 0:
                return SOLVED, root, made, tried, failed
            candidate = (np.uint64(cell) << SHIFT) | choose_digit(
                cell, bits, elite, rates.trust, rng
            )
        tried += 1
        before = masks.counts[TRAIL]
        failing = assign(masks, links, rules, candidate)
        if failing == CONSISTENT:
            taken[made] = candidate
            made += 1
            continue
        if failing < len(weights):
            weights[failing] += np.float32(rates.weigh)
        undo(masks, links, before)
        failing = strike(masks, links, rules, candidate)
        if failing == CONSISTENT:
            if made == 0:
                root = masks.counts[TRAIL]
            continue
        if failing < len(weights):
            weights[failing] += np.float32(rates.weigh)
        undo(masks, links, before)
        return (IMPOSSIBLE if made == 0 else DEAD_END), root, made, tried, failing


@inline
def is_near(candidate: Any, failed: Any, links: Links) -> Any:
    """Whether a candidate shares a unit or the digit with a constraint that failed."""
    side = np.uint64(links.side)
    cell = (candidate >> SHIFT) * FOUR
    found = False
    if failed != CONSISTENT:
        kind = np.uint64(failed) // (side * side)
        if kind == 0:
            for i in range(1, 4):
                one, other = links.slot[cell + np.uint64(i)], links.slot[failed * 4 + i]
                found = found or one >> 6 == other >> 6
        else:
            first = np.uint64(links.slot[cell + kind]) >> SHIFT
            digit = np.uint64(failed) % side
            found = digit == candidate & DIGIT or first == np.uint64(failed) - digit
    return found


@inline
def most_constrained(bits: Masks, weights: Weights, genes: NDArray[np.int64], rng: Any) -> Any:
    """The open cell with the fewest digits left per weight; −1 if none is open."""
    found, least = np.int64(-1), np.float32(np.inf)
    start = below(rng, len(genes))
    for i in range(len(genes)):
        gene = start + i
        cell = genes[gene - len(genes) if gene >= len(genes) else gene]
        mask = bits[np.uint64(cell)]
        if mask & (mask - ONE) != NONE:
            size = np.float32(popcount(mask)) / weights[np.uint64(cell)]
            if size < least:
                found, least = cell, size
    return found


@inline
def choose_digit(cell: Any, bits: Masks, elite: Board, trust: float, rng: Any) -> Any:
    """The elite board's digit with probability `trust`, if possible; else a random one."""
    mask = bits[np.uint64(cell)]
    digit = DIGIT  # none
    if elite[cell] > 0 and uniform(rng) < trust:
        digit = np.uint64(elite[cell]) - ONE
    if (mask >> digit) & ONE == NONE:
        for _ in range(below(rng, np.int64(popcount(mask)))):
            mask &= mask - ONE
        digit = np.uint64(lowest_bit(mask))
    return digit
