"""Crossovers that exchange blocks of cells, and differ only in *which cells* that are.

They draw the *shares* of every mating, and one kernel makes the children: child j takes a cell
from parent j + share, counted round. Cells come in *blocks* (rows, columns, boxes, cells, or
genes, which are the blanks in reading order), and a block is never torn.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from genoku.crossover.mating import check_rate
from genoku.encoding import MANY, Boards, Encoding
from genoku.errors import RecipeError
from genoku.fitness import Fitness
from genoku.jit import kernel
from genoku.problem import Problem
from genoku.selection import Mates
from genoku.stream import Stream, below, draw, uniform

By = Literal["row", "column", "box", "cell", "gene"]
Shares = NDArray[np.uint8]
"""For every mating and cell, how many parents further on a child takes it: `[matings, cells]`."""

MAX_PARENTS = 255  # a share is one byte


@dataclass(frozen=True)
class Points:
    """Cut the blocks at `points` distinct places and exchange every other piece (reports 000–003).

    Cuts lie at `first` … B − `spare` of B blocks, or of the first `within` blocks if that is not 0;
    where there are fewer places than points, at all of them. Several parents (report 001's wish)
    rotate: child j takes piece s from parent j + s, counted round. Blocks go `by` rows, columns,
    boxes, cells or genes (the blanks). A mating crosses with probability `rate`; else its children
    are copies.

    As coded in report 002, single point by cell cuts `within` 9 of 81 cells, and two points with
    `first=0, spare=1` never exchange the last block; as described there, `spare=0`. Report 000 cuts
    rows at 1 … 7 (`spare=2`), report 001 genes, report 003 boxes anywhere.
    """

    by: By = "row"
    points: int = 1
    first: int = 1
    spare: int = 1
    within: int = 0
    parents: int = 2
    rate: float = 1.0

    def __post_init__(self) -> None:
        check_rate(self.rate)
        check_by(self.by)
        check_parents(self.parents)
        if self.points < 1:
            raise RecipeError(f"expected 1 point or more to cut at, got {self.points}")
        if min(self.first, self.spare, self.within) < 0:
            raise RecipeError(
                "expected first, spare and within to be 0 or more, "
                f"got {self.first}, {self.spare} and {self.within}"
            )

    @property
    def children(self) -> int:
        return self.parents

    def fits(self, encoding: Encoding, fitness: Fitness) -> str | None:
        return tears(self.by, encoding)

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

    With as many `children` as `parents`, what one child does not take goes to the others. Blocks
    go `by` rows, columns, boxes, cells or genes (the blanks).
    A mating crosses with probability `rate`; else its children are copies.
    """

    by: By = "box"
    parents: int = 2
    children: int = 1
    rate: float = 1.0

    def __post_init__(self) -> None:
        check_rate(self.rate)
        check_by(self.by)
        check_parents(self.parents)
        if self.children not in (1, self.parents):
            raise RecipeError(
                f"expected 1 child or as many as parents ({self.parents}), got {self.children}"
            )

    def fits(self, encoding: Encoding, fitness: Fitness) -> str | None:
        return tears(self.by, encoding)

    def __call__(self, boards: Boards, mates: Mates, problem: Problem, rng: Stream) -> Boards:
        blocks = problem.space.blocks(self.by)
        if self.parents == 2:
            shares = coin_shares(blocks, len(mates), self.rate, rng)
        else:
            shares = uniform_shares(blocks, len(mates), self.parents, self.rate, rng)
        return inherit(boards, mates, shares, self.children)


@dataclass(frozen=True)
class OneBlock:
    """Exchange one block drawn at random (report 000, single column).

    Blocks go `by` rows, columns, boxes, cells or genes (the blanks).
    A mating crosses with probability `rate`; else its children are copies.
    """

    by: By = "column"
    rate: float = 1.0

    parents = 2
    children = 2

    def __post_init__(self) -> None:
        check_rate(self.rate)
        check_by(self.by)

    def fits(self, encoding: Encoding, fitness: Fitness) -> str | None:
        return tears(self.by, encoding)

    def __call__(self, boards: Boards, mates: Mates, problem: Problem, rng: Stream) -> Boards:
        blocks = problem.space.blocks(self.by)
        shares = one_block_shares(blocks, len(mates), self.rate, rng)
        return exchange(boards, mates, shares)


@dataclass(frozen=True)
class RowTails:
    """Exchange the tails of all rows with a blank in a random column (report 000, single point).

    The column is any but the first. The report leaves open whether its own cell belongs to the
    tail; we take it so, unless `with_column` is off.
    A mating crosses with probability `rate`; else its children are copies.
    """

    with_column: bool = True
    rate: float = 1.0

    parents = 2
    children = 2

    def __post_init__(self) -> None:
        check_rate(self.rate)

    def fits(self, encoding: Encoding, fitness: Fitness) -> str | None:
        return tears("cell", encoding, "tails of rows")

    def __call__(self, boards: Boards, mates: Mates, problem: Problem, rng: Stream) -> Boards:
        givens = problem.puzzle.board.copy()
        skipped = 0 if self.with_column else 1
        shares = tail_shares(givens, problem.puzzle.side, len(mates), skipped, self.rate, rng)
        return exchange(boards, mates, shares)


def check_by(by: str) -> None:
    """Refuse blocks that a board does not have."""
    if by not in get_args(By):
        raise RecipeError(f"expected row, column, box, cell or gene to exchange by, got {by!r}")


def check_parents(parents: int) -> None:
    """Refuse numbers of parents that cannot exchange anything, or that no share can count."""
    if not 2 <= parents <= MAX_PARENTS:
        raise RecipeError(f"expected from 2 to {MAX_PARENTS} parents, got {parents}")


def tears(by: By, encoding: Encoding, what: str = "") -> str | None:
    """Why exchanging such blocks breaks what an encoding keeps, if it does."""
    if encoding.keeps in ("none", by):
        return None
    kept = MANY[encoding.keeps]
    return f"exchanging {what or f'by {by}'} would tear the {kept} that permuted {kept} keep whole"


def inherit(boards: Boards, mates: Mates, shares: Shares, children: int) -> Boards:
    """The children of every mating: child j takes a cell from parent j + share, counted round."""
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
    cut_in = np.full(places, -1)  # the last mating that was cut at a place
    around = np.uint8(parents)
    for i in range(matings):
        if uniform(rng) < rate:
            # Floyd: the last place stands in for one drawn before, so that all cuts differ.
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
def coin_shares(blocks: NDArray[np.int64], matings: int, rate: float, rng: Any) -> Shares:
    """Every block tosses a coin for share 0 or 1: a draw is 64 coins."""
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
def uniform_shares(
    blocks: NDArray[np.int64], matings: int, parents: int, rate: float, rng: Any
) -> Shares:
    """Every block draws its share from as many as there are parents."""
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
def one_block_shares(blocks: NDArray[np.int64], matings: int, rate: float, rng: Any) -> Shares:
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
    """Rows with a blank in a column drawn from 1 … side − 1 have share 1 from there on."""
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
    """Two children of every mating, exchanging the cells of share 1."""
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
