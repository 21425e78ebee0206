"""What a search space must be like: kernels take its arrays as they are."""

from __future__ import annotations

from typing import Any, get_args

import numpy as np

from genoku.encoding import Kept, SearchSpace
from genoku.testing.case import POPULATION, Case, equal
from genoku.testing.puzzles import solution
from genoku.words import listed

KEPT: tuple[str, ...] = get_args(Kept)
UNITS = ("row", "column", "box")
"""What a space may keep whole, in the order of `Geometry.units`."""


def check_encoding(case: Case) -> None:
    puzzle, space, keeps = case.problem.puzzle, case.problem.space, case.encoding.keeps
    case.expect(isinstance(space, SearchSpace), "a SearchSpace", type(space).__name__)
    case.expect(keeps in KEPT, f"keeps to be {listed(KEPT, 'or')}", repr(keeps))
    case.expect(space.keeps == keeps, f"a space that keeps {keeps}", space.keeps)
    case.expect(space.refuted == "", "no objection to a solvable puzzle", repr(space.refuted))
    again = case.result(lambda problem, _rng: _arrays(case.encoding.space(problem.puzzle)))
    case.expect(equal(again, _arrays(space)), "one space for one puzzle", "two")
    if keeps != "rules":  # where boards are built, not drawn
        _check_groups(case)
    boards = case.result(lambda _problem, rng: space.sample(POPULATION, rng))
    case.expect_boards(boards, POPULATION)
    case.expect(space.contains(solution(puzzle)), "a space with the solution", "one without")
    if keeps in UNITS:
        first = UNITS.index(keeps) * puzzle.side
        for cells in puzzle.geometry.units[first : first + puzzle.side]:
            whole = np.sort(boards[:, cells], axis=1) == np.arange(1, puzzle.side + 1)
            case.expect(whole.all(), f"every {keeps} whole", "some with a digit twice")


def _check_groups(case: Case) -> None:
    """Every blank is in one group, and every group has digits for its cells."""
    space, side = case.problem.space, case.problem.puzzle.side
    count = len(space.sizes)
    blanks = np.flatnonzero(space.puzzle.board == 0)
    case.expect_array(space.genes, np.int64, blanks.shape)
    case.expect(equal(space.genes, blanks), "the blanks in reading order as genes", space.genes)
    case.expect_array(space.groups, np.int64, (count, side))
    case.expect_array(space.digits, np.uint8, (count, side))
    for numbers in (space.sizes, space.choices):
        case.expect_array(numbers, np.int64, (count,))
        within = (numbers >= 1).all() and (numbers <= side).all()
        case.expect(within, f"1 to {side} cells and digits in every group", numbers)
    used = np.arange(side) < space.sizes[:, None]
    case.expect(
        equal(np.sort(space.groups[used]), blanks), "every blank in one group", space.groups
    )
    offered = space.digits[np.arange(side) < space.choices[:, None]]
    case.expect(((offered >= 1) & (offered <= side)).all(), f"digits from 1 to {side}", offered)
    if case.encoding.keeps == "none":
        case.expect((space.sizes == 1).all(), "groups of one cell where nothing is kept", "more")
    else:
        same = equal(space.sizes, space.choices)
        case.expect(same, "as many digits as cells in a group that is kept together", "others")


def _arrays(space: SearchSpace) -> tuple[Any, ...]:
    own = space.genes, space.groups, space.sizes, space.digits, space.choices
    return space.puzzle, space.keeps, *own, space.refuted
