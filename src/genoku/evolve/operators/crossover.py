"""Crossover: parents exchange blocks of cells, or recombine the order within groups.

Every operator owns its `rate`, the probability that a mating crosses; otherwise the children are
copies of their parents. `CROSSOVERS` lists the operators.

Block crossovers draw the *shares* of every mating, and one kernel makes the children: child j takes
a cell from parent j + share (modulo the number of parents). Cells form *blocks* (rows, columns,
boxes, cells, or genes, which are the blanks in reading order), and a block is never split.
Crossovers within groups are the permutation crossovers of the textbooks, applied to every group of
a permuted encoding: there the parents hold the same digits in another order, and so must their
children.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from genoku.errors import RecipeError, require_at_least, require_between, require_choices
from genoku.evolve.encoding import MANY, Boards, Cells, Encoding
from genoku.evolve.fitness import Fitness
from genoku.evolve.operators.selection import Mates
from genoku.evolve.problem import Problem, first_misfit_reason
from genoku.runtime.jit import inline, kernel
from genoku.runtime.random import Stream, below, draw, uniform


class Crossover(Protocol):
    """Makes children `[matings × children, cells]` of the boards at the indices `mates`."""

    @property
    def parents(self) -> int: ...

    @property
    def children(self) -> int: ...

    def __call__(self, boards: Boards, mates: Mates, problem: Problem, rng: Stream) -> Boards: ...


@runtime_checkable
class Rated(Protocol):
    """A crossover with a `rate`: the probability that a mating crosses."""

    @property
    def rate(self) -> float: ...


By = Literal["row", "column", "box", "cell", "gene"]
Shares = NDArray[np.uint8]  # [matings, cells] the parent of a cell, relative to the child's own
MAX_PARENTS = 255  # a share is one byte


@dataclass(frozen=True)
class Points:
    """Cut the blocks at `points` distinct places and exchange every other piece (reports 000–003).

    The blocks are rows, columns, boxes, cells or genes (the blanks), as `by` says. Cuts lie at
    `first` … B − `spare` of B blocks, or of the first `within` blocks if that is not 0; if there
    are fewer places than points, at all of them. With several `parents` (proposed by report 001)
    the pieces rotate: child j takes piece s from parent j + s. A mating crosses with probability
    `rate`; otherwise its children are copies.

    Report 002's code cuts `within` 9 of 81 cells with a single point by cell, and never exchanges
    the last block with two points (`first=0, spare=1`); its text has `spare=0`. Report 000 cuts
    rows at 1 … 7 (`spare=2`), report 001 cuts genes, report 003 boxes anywhere.
    """

    by: By = "row"
    points: int = 1
    first: int = 1
    spare: int = 1
    within: int = 0
    parents: int = 2
    rate: float = 1.0

    def __post_init__(self) -> None:
        require_between(self, 0, 1, "rate")
        require_between(self, 2, MAX_PARENTS, "parents")
        require_at_least(self, points=1, first=0, spare=0, within=0)
        require_choices(self)

    @property
    def children(self) -> int:
        return self.parents

    def fits(self, encoding: Encoding, fitness: Fitness) -> str | None:
        return block_misfit(self.by, encoding)

    def __call__(self, boards: Boards, mates: Mates, problem: Problem, rng: Stream) -> Boards:
        pieces = problem.space.pieces(self.by)
        blocks = len(pieces) - 1
        if 0 < self.within < blocks:
            blocks = self.within
        places = max(0, blocks - self.spare - self.first + 1)
        shares = cut_shares(
            pieces, len(mates), self.points, self.first, places, self.parents, self.rate, rng
        )
        return inherit(boards, mates, shares, self.children)


@dataclass(frozen=True)
class Uniform:
    """Take each block from a parent drawn at random (report 004: boxes, one child).

    The blocks are rows, columns, boxes, cells or genes (the blanks), as `by` says. With as many
    `children` as `parents`, the other children take what the first one does not. A mating crosses
    with probability `rate`; otherwise its children are copies.
    """

    by: By = "box"
    parents: int = 2
    children: int = 1
    rate: float = 1.0

    def __post_init__(self) -> None:
        require_between(self, 0, 1, "rate")
        require_between(self, 2, MAX_PARENTS, "parents")
        require_choices(self)
        if self.children not in (1, self.parents):
            reason = f"expected 1 or as many as parents ({self.parents}), got {self.children}"
            raise RecipeError(reason, path=("children",))

    def fits(self, encoding: Encoding, fitness: Fitness) -> str | None:
        return block_misfit(self.by, encoding)

    def __call__(self, boards: Boards, mates: Mates, problem: Problem, rng: Stream) -> Boards:
        blocks = problem.space.blocks(self.by)
        if self.parents == 2:
            shares = coin_shares(blocks, len(mates), self.rate, rng)
        else:
            shares = uniform_shares(blocks, len(mates), self.parents, self.rate, rng)
        return inherit(boards, mates, shares, self.children)


class TwoParents:
    """Base of crossovers with a `rate` that make two children of two parents."""

    parents = 2
    children = 2

    def __post_init__(self) -> None:
        require_between(self, 0, 1, "rate")
        require_choices(self)


@dataclass(frozen=True)
class OneBlock(TwoParents):
    """Exchange one block drawn at random (report 000, single column).

    The blocks are rows, columns, boxes, cells or genes (the blanks), as `by` says. A mating crosses
    with probability `rate`; otherwise its children are copies.
    """

    by: By = "column"
    rate: float = 1.0

    def fits(self, encoding: Encoding, fitness: Fitness) -> str | None:
        return block_misfit(self.by, encoding)

    def __call__(self, boards: Boards, mates: Mates, problem: Problem, rng: Stream) -> Boards:
        blocks = problem.space.blocks(self.by)
        shares = one_block_shares(blocks, len(mates), self.rate, rng)
        return exchange(boards, mates, shares)


@dataclass(frozen=True)
class RowTails(TwoParents):
    """Exchange the tails of all rows with a blank in a random column (report 000, single point).

    The column is any but the first. The report does not say whether a row's cell in that column
    belongs to the tail; here it does, unless `with_column` is false. A mating crosses with
    probability `rate`; otherwise its children are copies.
    """

    with_column: bool = True
    rate: float = 1.0

    def fits(self, encoding: Encoding, fitness: Fitness) -> str | None:
        return block_misfit("cell", encoding, "tails of rows")

    def __call__(self, boards: Boards, mates: Mates, problem: Problem, rng: Stream) -> Boards:
        givens = problem.puzzle.board.copy()
        skipped = 0 if self.with_column else 1
        shares = tail_shares(givens, problem.puzzle.side, len(mates), skipped, self.rate, rng)
        return exchange(boards, mates, shares)


def block_misfit(by: By, encoding: Encoding, what: str = "") -> str | None:
    """Why exchanging such blocks breaks what an encoding keeps; None if it does not."""
    if encoding.keeps in ("none", by):
        return None
    kept = MANY[encoding.keeps]
    return f"exchanging {what or f'by {by}'} would break the {kept} that permuted {kept} keep whole"


def inherit(boards: Boards, mates: Mates, shares: Shares, children: int) -> Boards:
    """The children of every mating: child j takes a cell from parent j + share."""
    if mates.shape[1] == children == 2:
        return exchange(boards, mates, shares)
    return rotate(boards, mates, shares, children)


@kernel
def cut_shares(
    pieces: Shares,
    matings: int,
    points: int,
    first: int,
    places: int,
    parents: int,
    rate: float,
    rng: Any,
) -> Shares:
    """A cell's share is the number of cuts before it; `pieces[c]` marks the cells after cut c."""
    cells = pieces.shape[1]
    shares = np.zeros((matings, cells), np.uint8)
    cut_in = np.full(places, -1)  # the last mating that was cut at each place
    around = np.uint8(parents)
    for i in range(matings):
        if uniform(rng) < rate:
            # Floyd's sampling: the last place replaces one drawn before, so that all cuts differ
            for last in range(max(0, places - points), places):
                place = below(rng, last + 1)
                if cut_in[place] == i:
                    place = last
                cut_in[place] = i
                for cell in range(cells):
                    share = np.uint8(shares[i, cell] + pieces[first + place, cell])
                    shares[i, cell] = np.uint8(0) if share == around else share
    return shares


@kernel
def coin_shares(blocks: Cells, matings: int, rate: float, rng: Any) -> Shares:
    """Every block draws share 0 or 1; one random number serves 64 blocks."""
    shares = np.zeros((matings, len(blocks)), np.uint8)
    for i in range(matings):
        if uniform(rng) < rate:
            for start in range(0, blocks[-1] + 1, 64):  # the last cell is in the last block
                coins = draw(rng)
                for cell in range(len(blocks)):
                    coin = blocks[cell] - start
                    if 0 <= coin < 64:
                        shares[i, cell] = (coins >> np.uint64(coin)) & np.uint64(1)
    return shares


@kernel
def uniform_shares(blocks: Cells, matings: int, parents: int, rate: float, rng: Any) -> Shares:
    """Every block draws one of the parents as its share."""
    shares = np.zeros((matings, len(blocks)), np.uint8)
    drawn = np.empty(blocks[-1] + 1, np.uint8)
    for i in range(matings):
        if uniform(rng) < rate:
            for block in range(len(drawn)):
                drawn[block] = below(rng, parents)
            for cell in range(len(blocks)):
                shares[i, cell] = drawn[blocks[cell]]
    return shares


@kernel
def one_block_shares(blocks: Cells, matings: int, rate: float, rng: Any) -> Shares:
    """One block has share 1, the others 0."""
    shares = np.zeros((matings, len(blocks)), np.uint8)
    count = blocks[-1] + 1
    for i in range(matings):
        if uniform(rng) < rate:
            chosen = below(rng, count)
            for cell in range(len(blocks)):
                shares[i, cell] = blocks[cell] == chosen
    return shares


@kernel
def tail_shares(
    givens: NDArray[np.uint8], side: int, matings: int, skipped: int, rate: float, rng: Any
) -> Shares:
    """Rows with a blank in a column drawn from 1 … side − 1 have share 1 from that column on."""
    shares = np.zeros((matings, len(givens)), np.uint8)
    for i in range(matings):
        if uniform(rng) < rate:
            column = 1 + below(rng, side - 1)
            for start in range(0, len(givens), side):
                blank = np.uint8(givens[start + column] == 0)
                for cell in range(start + column + skipped, start + side):
                    shares[i, cell] = blank
    return shares


@kernel
def exchange(boards: Boards, mates: Mates, shares: Shares) -> Boards:
    """Two children of every mating, which exchange the cells of share 1."""
    cells = boards.shape[1]
    children = np.empty((2 * len(mates), cells), np.uint8)
    for i in range(len(mates)):
        one, two = mates[i, 0], mates[i, 1]
        for cell in range(cells):
            ours, theirs = boards[one, cell], boards[two, cell]
            children[2 * i, cell] = theirs if shares[i, cell] else ours
            children[2 * i + 1, cell] = ours if shares[i, cell] else theirs
    return children


@kernel
def rotate(boards: Boards, mates: Mates, shares: Shares, litter: int) -> Boards:
    """`litter` children of every mating: child j takes a cell from parent j + share."""
    matings, parents = mates.shape
    cells = boards.shape[1]
    children = np.zeros((litter * matings, cells), np.uint8)
    for i in range(matings):
        for j in range(litter):
            child = litter * i + j
            for further in range(parents):
                parent = mates[i, (j + further) % parents]
                share = np.uint8(further)
                for cell in range(cells):
                    own = boards[parent, cell] if shares[i, cell] == share else np.uint8(0)
                    children[child, cell] |= own
    return children


Spans = NDArray[np.int64]  # [matings, groups, 2] the first place of a span, and the one after it


@dataclass(frozen=True)
class WithinGroups(TwoParents):
    """A crossover of two parents within each group."""

    rate: float = 1.0

    def fits(self, encoding: Encoding, fitness: Fitness) -> str | None:
        if encoding.keeps != "none":
            return None
        return "it requires an encoding that permutes rows, columns or boxes"


@dataclass(frozen=True)
class PartiallyMatched(WithinGroups):
    """Exchange a random span of every group and repair duplicates by swaps (PMX).

    Each child takes the other parent's digits in the span. Where it held such a digit before, it
    then holds the digit that was replaced. Proposed by report 000. A mating crosses with
    probability `rate`; otherwise its children are copies.
    """

    def __call__(self, boards: Boards, mates: Mates, problem: Problem, rng: Stream) -> Boards:
        space = problem.space
        spans = random_spans(space.sizes, len(mates), self.rate, rng)
        return cross_spans(boards, mates, space.groups, space.sizes, spans, True)


@dataclass(frozen=True)
class Order(WithinGroups):
    """Keep a random span of every group, and order the other digits as the other parent does (OX).

    The other digits follow in the order in which they follow the span in the other parent, and
    fill the places after the span; both wrap around at the end of the group. A mating crosses with
    probability `rate`; otherwise its children are copies.
    """

    def __call__(self, boards: Boards, mates: Mates, problem: Problem, rng: Stream) -> Boards:
        space = problem.space
        spans = random_spans(space.sizes, len(mates), self.rate, rng)
        return cross_spans(boards, mates, space.groups, space.sizes, spans, False)


@dataclass(frozen=True)
class Cycle(WithinGroups):
    """Exchange cycles: places of a group where both parents hold the same set of digits (CX).

    Each cycle is exchanged with probability 1/2. Textbooks exchange every other cycle, counted
    from the first place; with many groups on a board, their first places would then always stay
    together. A mating crosses with probability `rate`; otherwise its children are copies.
    """

    def __call__(self, boards: Boards, mates: Mates, problem: Problem, rng: Stream) -> Boards:
        space = problem.space
        return exchange_cycles(boards, mates, space.groups, space.sizes, self.rate, rng)


@dataclass(frozen=True)
class Agreement(WithinGroups):
    """Keep the digits on which both parents agree, and shuffle the others within every group.

    What good boards have in common is more often right than the rest. If the parents agree nowhere,
    their children are random boards; if they agree everywhere, copies. A mating crosses with
    probability `rate`; otherwise its children are copies.
    """

    def __call__(self, boards: Boards, mates: Mates, problem: Problem, rng: Stream) -> Boards:
        space = problem.space
        return shuffle_differences(boards, mates, space.groups, space.sizes, self.rate, rng)


@inline
def copy_parents(boards: Boards, mates: Mates) -> Boards:
    """Two children of every mating, each a copy of one parent."""
    children = np.empty((2 * len(mates), boards.shape[1]), np.uint8)
    for child in range(len(children)):
        parent = mates[child // 2, child % 2]
        for cell in range(boards.shape[1]):
            children[child, cell] = boards[parent, cell]
    return children


@kernel
def random_spans(sizes: Cells, matings: int, rate: float, rng: Any) -> Spans:
    """A span between two distinct cuts in every group; empty if the mating does not cross."""
    spans = np.zeros((matings, len(sizes), 2), np.int64)
    for i in range(matings):
        if uniform(rng) < rate:
            for group in range(len(sizes)):
                one = below(rng, sizes[group] + 1)
                two = below(rng, sizes[group])
                if two >= one:
                    two += 1
                spans[i, group, 0] = min(one, two)
                spans[i, group, 1] = max(one, two)
    return spans


@kernel
def cross_spans(
    boards: Boards, mates: Mates, groups: Cells, sizes: Cells, spans: Spans, matches: bool
) -> Boards:
    """Two children of every mating: by PMX, as swaps inside each child, or by order crossover."""
    children = copy_parents(boards, mates)
    place_of = np.zeros(groups.shape[1] + 1, np.int64)
    is_kept = np.zeros(groups.shape[1] + 1, np.bool_)
    for child in range(len(children)):
        own, other = mates[child // 2, child % 2], mates[child // 2, 1 - child % 2]
        for group in range(len(groups)):
            start, stop = spans[child // 2, group, 0], spans[child // 2, group, 1]
            if start == stop:
                continue
            for place in range(sizes[group]):
                digit = boards[own, groups[group, place]]
                if matches:
                    place_of[digit] = place
                else:
                    is_kept[digit] = start <= place < stop
            if matches:
                for place in range(start, stop):
                    here = groups[group, place]
                    leaves, comes = children[child, here], boards[other, here]
                    there = place_of[comes]
                    children[child, groups[group, there]] = leaves
                    children[child, here] = comes
                    place_of[leaves] = there
                    place_of[comes] = place
                continue
            target = stop if stop < sizes[group] else 0
            source = target
            for _ in range(sizes[group]):
                digit = boards[other, groups[group, source]]
                source = source + 1 if source + 1 < sizes[group] else 0
                if not is_kept[digit]:
                    children[child, groups[group, target]] = digit
                    target = target + 1 if target + 1 < sizes[group] else 0
    return children


@kernel
def exchange_cycles(
    boards: Boards, mates: Mates, groups: Cells, sizes: Cells, rate: float, rng: Any
) -> Boards:
    """Two children of every mating by cycle crossover."""
    children = copy_parents(boards, mates)
    cell_of = np.zeros(groups.shape[1] + 1, np.int64)
    for i in range(len(mates)):
        one, two = mates[i, 0], mates[i, 1]
        if uniform(rng) >= rate:
            continue
        for group in range(len(groups)):
            for place in range(sizes[group]):
                cell = groups[group, place]
                cell_of[boards[one, cell]] = cell
            for place in range(sizes[group]):
                cell = groups[group, place]
                # visited cells are marked by −1; equal digits need no random number
                if cell_of[boards[one, cell]] < 0 or boards[one, cell] == boards[two, cell]:
                    continue
                swaps = below(rng, 2) == 1
                while cell >= 0:  # until the cycle is closed
                    cell_of[boards[one, cell]] = -1
                    if swaps:
                        children[2 * i, cell] = boards[two, cell]
                        children[2 * i + 1, cell] = boards[one, cell]
                    cell = cell_of[boards[two, cell]]
    return children


@kernel
def shuffle_differences(
    boards: Boards, mates: Mates, groups: Cells, sizes: Cells, rate: float, rng: Any
) -> Boards:
    """Two children of every mating, each shuffled independently where the parents differ."""
    children = copy_parents(boards, mates)
    differing = np.empty(groups.shape[1], np.int64)
    for i in range(len(mates)):
        one, two = mates[i, 0], mates[i, 1]
        if uniform(rng) >= rate:
            continue
        for group in range(len(groups)):
            count = 0
            for place in range(sizes[group]):
                cell = groups[group, place]
                if boards[one, cell] != boards[two, cell]:
                    differing[count] = cell
                    count += 1
            for child in range(2 * i, 2 * i + 2):
                for last in range(count - 1, 0, -1):
                    here, there = differing[last], differing[below(rng, last + 1)]
                    digit = children[child, here]
                    children[child, here] = children[child, there]
                    children[child, there] = digit
    return children


@dataclass(frozen=True)
class Mixed:
    """Cross every mating with one of several operators, drawn at random (report 002).

    A mating crosses with probability `rate`, by one of the `parts`, whose own rates must be 1.
    Report 002 draws among one-point crossovers, two-point crossovers, or all eight, by row, column,
    box and cell.
    """

    parts: tuple[Crossover, ...] = (Points("row"), Points("column"), Points("box"))
    rate: float = 1.0

    def __post_init__(self) -> None:
        require_between(self, 0, 1, "rate")
        if not self.parts:
            raise RecipeError("expected one or more crossovers, got none", path=("parts",))
        for part in self.parts:
            if (part.parents, part.children) != (self.parents, self.children):
                reason = (
                    f"expected parts with {self.parents} parents and {self.children} children, as "
                    f"the first has, got {part!r} with {part.parents} and {part.children}"
                )
                raise RecipeError(reason, path=("parts",))
            if isinstance(part, Rated) and part.rate != 1:
                reason = f"expected parts with rate 1 (set the rate of mixed), got {part!r}"
                raise RecipeError(reason, path=("parts",))

    @property
    def parents(self) -> int:
        return self.parts[0].parents

    @property
    def children(self) -> int:
        return self.parts[0].children

    def fits(self, encoding: Encoding, fitness: Fitness) -> str | None:
        return first_misfit_reason(self.parts, encoding, fitness)

    def __call__(self, boards: Boards, mates: Mates, problem: Problem, rng: Stream) -> Boards:
        order, ends = assign_parts(len(mates), len(self.parts), self.rate, rng)
        mates = mates[order]
        litters: list[Boards] = []
        start = 0
        for part, end in zip(self.parts, ends.tolist(), strict=True):
            if start < end:
                litters.append(part(boards, mates[start:end], problem, rng))
            start = end
        heirs = np.arange(self.children) % self.parents
        litters.append(boards.take(mates[start:, heirs].ravel(), axis=0))

        by_mating = (len(mates), self.children, boards.shape[1])
        children = np.empty(by_mating, np.uint8)
        children[order] = np.concatenate(litters).reshape(by_mating)
        return children.reshape(-1, boards.shape[1])


@dataclass(frozen=True)
class Clones:
    """Copy the only parent: children differ from it by mutation alone."""

    parents = 1
    children = 1

    def __call__(self, boards: Boards, mates: Mates, problem: Problem, rng: Stream) -> Boards:
        return boards.take(mates[:, 0], axis=0)


@kernel
def assign_parts(
    matings: int, parts: int, rate: float, rng: Any
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Draw a part for every mating: the matings sorted by part, and the end of each part's matings.

    Matings that do not cross come last.
    """
    part_of = np.empty(matings, np.int64)
    ends = np.zeros(parts + 1, np.int64)
    for i in range(matings):
        part_of[i] = below(rng, parts) if uniform(rng) < rate else parts
        ends[part_of[i]] += 1
    for part in range(1, parts + 1):
        ends[part] += ends[part - 1]
    order = np.empty(matings, np.int64)
    free = ends.copy()
    for i in range(matings - 1, -1, -1):
        free[part_of[i]] -= 1
        order[free[part_of[i]]] = i
    return order, ends[:parts]


CROSSOVERS: tuple[type[Crossover], ...] = (
    Points,
    Uniform,
    OneBlock,
    RowTails,
    PartiallyMatched,
    Order,
    Cycle,
    Agreement,
    Mixed,
    Clones,
)
