"""Ruin and recreate on a partial board: the kernels of the champion."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from genoku.board import Board
from genoku.jit import inlined, kernel, lowest, popcount
from genoku.propagation import (
    CONSISTENT,
    DIGIT,
    FOUR,
    NONE,
    ONE,
    SHIFT,
    TRAIL,
    Candidates,
    Desk,
    Links,
    Masks,
    put,
    read_board,
    strike,
    undo,
)
from genoku.stream import below, uniform

DEAD_END, SOLVED, IMPOSSIBLE = 0, 1, 2
"""How building a board can end."""

UNKNOWN = -1  # the cost of a board that was not built yet

Weights = NDArray[np.float32]
"""Of every cell: 1, and more for every time that no digit was left for it."""


class Rates(NamedTuple):
    """How much is ruined, how it is recreated, and the temperature of the verdict."""

    forget: float
    near: float
    temperature: float
    weigh: float
    trust: float


@kernel
def improve(
    desk: Desk,
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
    """Ruin and recreate a board so many times; the best of them takes its place.

    The board is given by its marked decisions, and built as they are if its cost is `UNKNOWN`.
    Returns how it ended, how many boards were built and how many decisions tried. The desk keeps
    what was ruled out for good.
    """
    kept, taken = np.empty(len(board), np.uint32), np.empty(len(board), np.uint32)
    count = 0
    for cell in range(len(board)):
        if marks[cell] > 0 and board[cell] > 0:
            kept[count] = (np.uint64(cell) << SHIFT) | (np.uint64(board[cell]) - ONE)
            count += 1
    best, failed = cost, np.int64(CONSISTENT)
    root, decisions = np.int64(0), 0  # a plain 0 would be a type of its own, compiled apart
    for built in range(1, tries + 1):
        undo(desk, links, root)
        drop = near = 0.0
        if cost != UNKNOWN:
            drop = min(1.0, rates.forget / max(1, count))
            near = max(drop, rates.near)
        end, root, made, tried, failed = build(
            desk,
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
            read_board(desk.masks, board)
            return end, built, decisions
        left = 0
        for gene in genes:
            left += desk.masks[gene] & (desk.masks[gene] - ONE) != NONE
        worse = 0 if cost == UNKNOWN else left - cost
        if worse <= 0 or uniform(rng) < math.exp(-worse / rates.temperature):
            cost, count = left, made
            kept, taken = taken, kept
            if best == UNKNOWN or cost <= best:
                best = cost
                read_board(desk.masks, board)
                marks[:] = 0
                for i in range(count):
                    marks[kept[i] >> 6] = 1
    undo(desk, links, root)
    return DEAD_END, tries, decisions


@kernel
def build(
    desk: Desk,
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
    """Take the kept decisions again, but for those dropped, then decide cell by cell.

    Returns how it ended, the trail's length without any decision, how many decisions were taken
    and how many tried, and the constraint that failed. At a dead end the desk is left as it was
    before the decision that led there.
    """
    masks = desk.masks
    for i in range(len(kept) - 1, 0, -1):
        j = below(rng, i + 1)
        kept[i], kept[j] = kept[j], kept[i]
    made = tried = again = 0
    while True:
        if again < len(kept):
            candidate = np.uint64(kept[again])
            again += 1
            mask = masks[candidate >> SHIFT]
            if (mask >> (candidate & DIGIT)) & ONE == NONE or mask & (mask - ONE) == NONE:
                continue
            if uniform(rng) < (near if is_near(candidate, failed, links) else drop):
                continue
        else:
            cell = most_constrained(masks, weights, genes, rng)
            if cell < 0:
                return SOLVED, root, made, tried, failed
            candidate = (np.uint64(cell) << SHIFT) | digit_for(cell, masks, elite, rates.trust, rng)
        tried += 1
        before = desk.counts[TRAIL]
        failing = put(desk, links, rules, candidate)
        if failing == CONSISTENT:
            taken[made] = candidate
            made += 1
            continue
        if failing < len(weights):
            weights[failing] += np.float32(rates.weigh)
        undo(desk, links, before)
        failing = strike(desk, links, rules, candidate)
        if failing == CONSISTENT:
            if made == 0:
                root = desk.counts[TRAIL]
            continue
        if failing < len(weights):
            weights[failing] += np.float32(rates.weigh)
        undo(desk, links, before)
        return (IMPOSSIBLE if made == 0 else DEAD_END), root, made, tried, failing


@inlined
def is_near(candidate: Any, failed: Any, links: Links) -> Any:
    """Whether a candidate shares a unit, or the digit, with a constraint that failed."""
    side = np.uint64(links.side)
    cell = (candidate >> SHIFT) * FOUR
    found = False
    if failed != CONSISTENT:
        kind = np.uint64(failed) // (side * side)
        if kind == 0:
            for i in range(1, 4):
                one, other = links.seat[cell + np.uint64(i)], links.seat[failed * 4 + i]
                found = found or one >> 6 == other >> 6
        else:
            first = np.uint64(links.seat[cell + kind]) >> SHIFT
            digit = np.uint64(failed) % side
            found = digit == candidate & DIGIT or first == np.uint64(failed) - digit
    return found


@inlined
def most_constrained(masks: Masks, weights: Weights, genes: NDArray[np.int64], rng: Any) -> Any:
    """An open cell with few digits left for its weight; −1 if none is open."""
    found, least = np.int64(-1), np.float32(np.inf)
    start = below(rng, len(genes))
    for i in range(len(genes)):
        gene = start + i
        cell = genes[gene - len(genes) if gene >= len(genes) else gene]
        mask = masks[np.uint64(cell)]
        if mask & (mask - ONE) != NONE:
            size = np.float32(popcount(mask)) / weights[np.uint64(cell)]
            if size < least:
                found, least = cell, size
    return found


@inlined
def digit_for(cell: Any, masks: Masks, elite: Board, trust: float, rng: Any) -> Any:
    """The digit an elite board has there, if it may be trusted and is possible; or any other."""
    mask = masks[np.uint64(cell)]
    digit = DIGIT  # none
    if elite[cell] > 0 and uniform(rng) < trust:
        digit = np.uint64(elite[cell]) - ONE
    if (mask >> digit) & ONE == NONE:
        for _ in range(below(rng, np.int64(popcount(mask)))):
            mask &= mask - ONE
        digit = np.uint64(lowest(mask))
    return digit
