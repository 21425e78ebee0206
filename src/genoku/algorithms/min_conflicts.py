"""Report 001's "simulated annealing": repair the worst cell, and now and then make it worse."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from genoku.adaptation import ADAPTATIONS, Adaptation, Exponential
from genoku.algorithms.lone import moved, started
from genoku.board import Board
from genoku.encoding import ENCODINGS, Boards, Encoding, LegalCells, SearchSpace
from genoku.fitness import FITNESSES, Contradictions, Fitness, Repetitions
from genoku.geometry import Geometry
from genoku.jit import kernel
from genoku.problem import (
    Problem,
    does_not_fit,
    name_of,
    refuse_below,
    refuse_misfits,
    refuse_other_choices,
)
from genoku.state import Search, State
from genoku.stream import Stream, below, uniform

Counts = NDArray[np.uint8]
"""How often a unit holds a digit, at `unit · side + digit`."""


@dataclass(frozen=True)
class MinConflicts(Search):
    """Give the worst cell its best digit, or with a falling chance a worse one (report 001).

    Take the cell with the most conflicts that is not marked as tested, and try all its legal
    digits. If some lower the cell's conflicts, the one among them that lowers the board's cost
    most makes the neighbour; if none does, mark the cell and go on with the next worst. Having
    found a neighbour, move there, or with probability `chance` make a downhill move: another digit
    with more conflicts in the same cell.

    When no cell is left, the report says that the algorithm "outputs failure", and also that its
    loop "continues until a solution is found". `stuck="fail"` ends the run, and a wrapper may
    restart it; `stuck="downhill"` makes a downhill move in a random cell and goes on.

    The report leaves open, and we chose:

    - a cell's conflicts: the other cells of its row, of its column and of its box with the same
      digit, added up. Where contradictions are counted in pairs, what a cell gains the board gains
      too; as a surplus, a digit that is better for the cell may be no better for the board;
    - ties, among cells and among digits: at random;
    - the marks: all taken away after every move;
    - the downhill digit: any with more conflicts, all alike; where there is none (more often than
      not, in a worst cell) the neighbour is taken;
    - which cell goes downhill: the one that could be improved ("a value of a cell is changed" does
      not say); when stuck, any that has a worse digit, all alike. Where none has, it fails;
    - the schedule of the chance: an adaptation, once per step of `moves` moves.

    At 9×9 a start that fails when stuck ends after 20 to 35 moves whatever the chance below 1,
    since a downhill move comes only where a better one was found. About one start in 1,000 solves
    `charles-very-easy`, and one in 6,000 `poderosas-medium`, so it lives by its restarts. Steps are
    short, for the chance to fall within a start at all.
    """

    rate_name = "chance"
    short_steps: ClassVar = {"moves": 1000}

    encoding: Encoding = LegalCells()
    fitness: Fitness = Contradictions()
    chance: Adaptation = Exponential(start=0.3, end=0.001, over=10)
    moves: int = 10
    stuck: Literal["fail", "downhill"] = "fail"

    def __post_init__(self) -> None:
        refuse_other_choices(self)
        refuse_below(self, moves=1)
        refuse_misfits(self.encoding, self.fitness, {"chance": (self.chance, ADAPTATIONS)})
        if self.encoding.keeps != "none":
            fitting = [name_of(each) for each in ENCODINGS if each().keeps == "none"]
            reason = f"it changes one cell alone, which keeps no {self.encoding.keeps} whole"
            raise does_not_fit("encoding", self, self.encoding, reason, fitting)
        if not counting(self.fitness):
            fitting = [name_of(each) for each in FITNESSES if counting(each())]
            reason = "from move to move it counts equal digits in a unit"
            raise does_not_fit("fitness", self, self.fitness, reason, fitting)

    def start(self, problem: Problem, rng: Stream, boards: Boards | None = None) -> State:
        return started(problem, rng, boards, self.chance)

    def step(self, problem: Problem, state: State) -> State:
        """A number of moves with one chance of going downhill."""
        rng, boards = state.rng.copy(), state.boards.copy()
        made, tried, cost = repair(
            boards[0],
            blanks_of(problem.space),
            counting(self.fitness) == "pairs",
            state.memory["rate"],
            self.moves,
            self.stuck == "downhill",
            int(state.costs[0]),
            rng,
        )
        return moved(
            problem,
            state,
            self.chance,
            rng=rng,
            boards=boards,
            cost=cost,
            moves=made,
            evaluations=tried,
            finished="" if made == self.moves else "failed",
        )


def counting(fitness: Fitness) -> str:
    """How a fitness counts equal digits of a unit: "pairs" or "surplus"; "" if it does not."""
    if isinstance(fitness, Contradictions) and type(fitness).costs is Contradictions.costs:
        return fitness.counted
    return "surplus" if type(fitness).costs is Repetitions.costs else ""


class Blanks(NamedTuple):
    """The blanks of a puzzle, what they may hold, and where the digits of a board are counted."""

    cells: NDArray[np.int64]  # [blanks]
    digits: NDArray[np.uint8]  # [blanks, side] 0 beyond `choices`
    choices: NDArray[np.int64]  # [blanks]
    starts: NDArray[np.int64]  # [cells of the board, 3] its row, column and box in the counts


def blanks_of(space: SearchSpace) -> Blanks:
    return Blanks(space.genes, space.digits, space.choices, unit_starts(space.puzzle.geometry))


@cache
def unit_starts(geometry: Geometry) -> NDArray[np.int64]:
    units = np.stack((geometry.row_of, geometry.column_of, geometry.box_of), axis=1)
    return (units + geometry.side * np.arange(3)) * geometry.side


@kernel
def repair(
    board: Board,
    blanks: Blanks,
    in_pairs: bool,
    chance: float,
    moves: int,
    goes_on: bool,
    cost: int,
    rng: Any,
) -> Any:
    """Make `moves` moves in place, fewer where solved or failed: moves, digits tried, cost.

    Where no cell can be improved it fails, or if it `goes_on`, moves downhill in a random cell.
    """
    counts = counted(board, blanks.starts)
    conflicts = np.empty(len(blanks.cells), np.int64)
    made = tried = 0
    while made < moves and cost > 0:
        count_conflicts(board, counts, blanks, conflicts)
        blank, digit, more = neighbour(board, counts, blanks, conflicts, in_pairs, rng)
        tried += more
        if blank < 0:
            if goes_on:
                blank, digit = worsened(board, counts, blanks, rng)
            if blank < 0:
                break
        elif uniform(rng) < chance:
            worse = worse_digit(board, counts, blanks, blank, rng)
            if worse > 0:
                digit = worse
        cell = blanks.cells[blank]
        cost += change(counts, blanks.starts, cell, board[cell], digit, in_pairs)
        for kind in range(3):
            counts[blanks.starts[cell, kind] + board[cell]] -= 1
            counts[blanks.starts[cell, kind] + digit] += 1
        board[cell] = digit
        made += 1
    return made, tried, cost


@kernel
def counted(board: Board, starts: NDArray[np.int64]) -> Counts:
    """How often every digit stands in every unit."""
    counts = np.zeros(3 * len(board) + 1, np.uint8)
    for cell in range(len(board)):
        for kind in range(3):
            counts[starts[cell, kind] + board[cell]] += 1
    return counts


@kernel
def count_conflicts(
    board: Board, counts: Counts, blanks: Blanks, conflicts: NDArray[np.int64]
) -> None:
    """For every blank, how many cells of each of its units hold its digit too."""
    for blank in range(len(conflicts)):
        cell = blanks.cells[blank]
        conflicts[blank] = standing(counts, blanks.starts, cell, board[cell]) - 3


@kernel
def neighbour(
    board: Board,
    counts: Counts,
    blanks: Blanks,
    conflicts: NDArray[np.int64],
    in_pairs: bool,
    rng: Any,
) -> Any:
    """The worst blank that a digit improves, that digit, and how many were tried.

    A tested blank is marked by setting its conflicts to 0: as with a blank without any, nothing
    improves it. The blank is −1 if there is none.
    """
    tried = 0
    while True:
        blank = worst(conflicts, rng)
        if blank < 0:
            return -1, 0, tried
        tried += blanks.choices[blank] - 1
        digit = better_digit(board, counts, blanks, blank, in_pairs, rng)
        if digit > 0:
            return blank, digit, tried
        conflicts[blank] = 0


@kernel
def worst(conflicts: NDArray[np.int64], rng: Any) -> Any:
    """One of the places with the most conflicts; −1 if there are none anywhere."""
    most = ties = 0
    for blank in range(len(conflicts)):
        if conflicts[blank] > most:
            most, ties = conflicts[blank], 1
        elif conflicts[blank] == most:
            ties += 1
    if most == 0:
        return -1
    before = below(rng, ties)
    for blank in range(len(conflicts)):
        if conflicts[blank] == most:
            if before == 0:
                return blank
            before -= 1
    return -1


@kernel
def better_digit(
    board: Board, counts: Counts, blanks: Blanks, blank: int, in_pairs: bool, rng: Any
) -> Any:
    """Of the digits with fewer conflicts, one that lowers the cost most; 0 if there is none."""
    cell = blanks.cells[blank]
    now = standing(counts, blanks.starts, cell, board[cell]) - 3
    found, least, ties = np.int64(0), np.int64(0), 0
    for choice in range(blanks.choices[blank]):
        digit = np.int64(blanks.digits[blank, choice])
        if standing(counts, blanks.starts, cell, digit) >= now:  # so does the digit it has
            continue
        more = change(counts, blanks.starts, cell, board[cell], digit, in_pairs)
        if ties == 0 or more < least:
            found, least, ties = digit, more, 1
        elif more == least:
            ties += 1
            if below(rng, ties) == 0:
                found = digit
    return found


@kernel
def worse_digit(board: Board, counts: Counts, blanks: Blanks, blank: int, rng: Any) -> Any:
    """Any of the digits with more conflicts; 0 if there is none."""
    cell = blanks.cells[blank]
    now = standing(counts, blanks.starts, cell, board[cell]) - 3
    found, ties = np.int64(0), 0
    for choice in range(blanks.choices[blank]):
        digit = np.int64(blanks.digits[blank, choice])
        if digit != board[cell] and standing(counts, blanks.starts, cell, digit) > now:
            ties += 1
            if below(rng, ties) == 0:
                found = digit
    return found


@kernel
def worsened(board: Board, counts: Counts, blanks: Blanks, rng: Any) -> Any:
    """Any of the blanks that have a worse digit, and such a digit; −1 if none has."""
    found, digit, ties = -1, np.int64(0), 0
    for blank in range(len(blanks.cells)):
        worse = worse_digit(board, counts, blanks, blank, rng)
        if worse > 0:
            ties += 1
            if below(rng, ties) == 0:
                found, digit = blank, worse
    return found, digit


@kernel
def standing(counts: Counts, starts: NDArray[np.int64], cell: Any, digit: Any) -> Any:
    """How often the digit stands in the cell's row, column and box, together."""
    return (
        np.int64(counts[starts[cell, 0] + digit])
        + np.int64(counts[starts[cell, 1] + digit])
        + np.int64(counts[starts[cell, 2] + digit])
    )


@kernel
def change(
    counts: Counts, starts: NDArray[np.int64], cell: Any, old: Any, new: Any, in_pairs: bool
) -> Any:
    """How much more the board costs if the cell holds `new` instead of `old`."""
    if in_pairs:
        return standing(counts, starts, cell, new) - standing(counts, starts, cell, old) + 3
    more = np.int64(0)
    for kind in range(3):
        more += np.int64(counts[starts[cell, kind] + new] > 0)
        more -= np.int64(counts[starts[cell, kind] + old] > 1)
    return more
