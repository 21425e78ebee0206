"""Taking givens away while the solution stays unique.

A given is needed when, without it, the board has a second solution: one with another digit in
that very cell. So the question is asked with the known digit ruled out, which mostly ends in a
contradiction at once. A needed given stays needed, whatever else is taken away.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from genoku.board import Board
from genoku.desk import ONE, SHIFT, Desk, Links, links, new_desk
from genoku.geometry import Geometry
from genoku.jit import kernel
from genoku.propagation import CONSISTENT, SINGLES, begin, strike
from genoku.stream import Stream
from genoku.tree import Decisions, new_decisions, rules_for, search

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
