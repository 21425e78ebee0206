"""Report 001's "simulated annealing": repair the worst cell, or sometimes make it worse."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from genoku.errors import require_at_least, require_choices
from genoku.evolve.algorithms.swap_moves import (
    Counts,
    count_digits,
    start_single_board,
    state_after_moves,
)
from genoku.evolve.encoding import (
    ENCODINGS,
    MANY,
    Boards,
    Encoding,
    LegalCells,
    SearchSpace,
    cached_in_space,
)
from genoku.evolve.fitness import FITNESSES, Contradictions, Fitness, Repetitions
from genoku.evolve.operators.adaptation import ADAPTATIONS, Adaptation, Exponential
from genoku.evolve.problem import Problem, misfit_error, recipe_name, refuse_misfits
from genoku.evolve.state import Finished, Search, State
from genoku.puzzle.board import Board
from genoku.runtime.jit import kernel
from genoku.runtime.random import Stream, below, uniform


@dataclass(frozen=True)
class MinConflicts(Search):
    """Give the worst cell its best digit, or with a falling chance a worse one (report 001).

    Take the cell with the most conflicts that is not marked as tested, and try all its legal
    digits. Of those that lower the cell's conflicts, the one that lowers the board's cost most is
    the neighbour; if there is none, mark the cell and take the next worst. Move to the neighbour,
    or with probability `chance` make a downhill move: another digit with more conflicts in the same
    cell.

    When no cell is left, the report says that the algorithm "outputs failure", and also that its
    loop "continues until a solution is found". `stuck="fail"` ends the run, and a wrapper may
    restart it; `stuck="downhill"` makes a downhill move in a random cell and continues.

    The report does not say, and we chose:

    - a cell's conflicts: the number of other cells in its row, its column and its box with the same
      digit, summed. If contradictions are counted in pairs, a digit that is better for the cell is
      also better for the board; counted as a surplus, it may not be;
    - ties among cells and among digits: broken at random;
    - the marks: removed after every move;
    - the downhill digit: any with more conflicts, all equally likely; if there is none, as is usual
      in a worst cell, the move leads to the neighbour;
    - the cell of a downhill move: the one that could be improved; when stuck, any that has a worse
      digit, all equally likely. If none has, the search fails;
    - the schedule of the chance: an adaptation, once per step of `moves` moves.

    On 9×9 boards a start with `stuck="fail"` ends after 20 to 35 moves, whatever the chance below
    1, since a downhill move requires that a better one was found. About one start in 1,000 solves
    `charles-very-easy`, and one in 6,000 `poderosas-medium`, so it depends on restarts. Steps are
    short, so that the chance falls within a start.
    """

    rate_name = "chance"
    short_steps: ClassVar = {"moves": 1000}

    encoding: Encoding = LegalCells()
    fitness: Fitness = Contradictions()
    chance: Adaptation = Exponential(start=0.3, end=0.001, over=10)
    moves: int = 10
    stuck: Literal["fail", "downhill"] = "fail"

    def __post_init__(self) -> None:
        require_choices(self)
        require_at_least(self, moves=1)
        refuse_misfits(self.encoding, self.fitness, {"chance": (self.chance, ADAPTATIONS)})
        if self.encoding.keeps != "none":
            fitting = [recipe_name(each) for each in ENCODINGS if each().keeps == "none"]
            reason = f"it changes single cells, which would break a permuted {self.encoding.keeps}"
            raise misfit_error("encoding", self, self.encoding, reason, fitting)
        if not counting_method(self.fitness):
            fitting = [recipe_name(each) for each in FITNESSES if counting_method(each())]
            reason = "it updates the numbers of equal digits in units from move to move"
            raise misfit_error("fitness", self, self.fitness, reason, fitting)

    def start(self, problem: Problem, rng: Stream, boards: Boards | None = None) -> State:
        return start_single_board(problem, rng, boards, self.chance)

    def step(self, problem: Problem, state: State) -> State:
        """Make `moves` moves with one chance of a downhill move."""
        rng, boards = state.rng.copy(), state.boards.copy()
        blanks, in_pairs = blanks_of(problem.space), counting_method(self.fitness) == "pairs"
        rule = state.memory["rate"], self.moves, self.stuck == "downhill"
        made, *_ = done = repair(boards[0], blanks, in_pairs, *rule, int(state.costs[0]), rng)
        state = state._replace(rng=rng, boards=boards)
        finished: Finished = "" if made == self.moves else "failed"
        return state_after_moves(problem, state, self.chance, done, finished)


def counting_method(fitness: Fitness) -> str:
    """How a fitness counts equal digits of a unit: "pairs", "surplus", or "" if not at all."""
    if isinstance(fitness, Contradictions) and type(fitness).costs is Contradictions.costs:
        return fitness.counted
    return "surplus" if type(fitness).costs is Repetitions.costs else ""


class Blanks(NamedTuple):
    """The blanks of a puzzle, their legal digits, and where the digits of a board are counted."""

    cells: NDArray[np.int64]  # [blanks]
    digits: NDArray[np.uint8]  # [blanks, side] 0 beyond `choices`
    choices: NDArray[np.int64]  # [blanks]
    starts: NDArray[np.int64]  # [cells of the board, 3] its row, column and box in the counts


@cached_in_space
def blanks_of(space: SearchSpace) -> Blanks:
    units = np.stack([space.blocks(kind) for kind in MANY], axis=1)
    side = space.puzzle.side
    return Blanks(space.genes, space.digits, space.choices, (units + side * np.arange(3)) * side)


@kernel
def repair(
    board: Board,
    blanks: Blanks,
    in_pairs: bool,
    chance: float,
    moves: int,
    goes_downhill: bool,
    cost: int,
    rng: Any,
) -> Any:
    """Make up to `moves` moves in place, until solved or failed: moves, digits tried, cost.

    If no cell can be improved it fails, or, with `goes_downhill`, moves downhill in a random cell.
    """
    counts = count_digits(board, blanks.starts)
    conflicts = np.empty(len(blanks.cells), np.int64)
    made = tried = 0
    while made < moves and cost > 0:
        for i in range(len(conflicts)):  # the other cells of a blank's units with the same digit
            cell = blanks.cells[i]
            conflicts[i] = unit_appearances(counts, blanks.starts, cell, board[cell]) - 3
        blank, digit, more = neighbour(board, counts, blanks, conflicts, in_pairs, rng)
        tried += more
        if blank < 0:
            if goes_downhill:
                blank, digit = worsening_move(board, counts, blanks, rng)
            if blank < 0:
                break
        elif uniform(rng) < chance:
            worse = worse_digit(board, counts, blanks, blank, rng)
            if worse > 0:
                digit = worse
        cell = blanks.cells[blank]
        cost += cost_change(counts, blanks.starts, cell, board[cell], digit, in_pairs)
        for kind in range(3):
            counts[blanks.starts[cell, kind] + board[cell]] -= 1
            counts[blanks.starts[cell, kind] + digit] += 1
        board[cell] = digit
        made += 1
    return made, tried, cost


@kernel
def neighbour(
    board: Board,
    counts: Counts,
    blanks: Blanks,
    conflicts: NDArray[np.int64],
    in_pairs: bool,
    rng: Any,
) -> Any:
    """The worst blank that a digit improves, that digit, and the number of digits tried.

    A tested blank is marked by setting its conflicts to 0, like a blank that nothing can improve.
    The blank is −1 if there is none.
    """
    tried = 0
    while True:
        blank = worst_blank(conflicts, rng)
        if blank < 0:
            return -1, 0, tried
        tried += blanks.choices[blank] - 1
        digit = better_digit(board, counts, blanks, blank, in_pairs, rng)
        if digit > 0:
            return blank, digit, tried
        conflicts[blank] = 0


@kernel
def worst_blank(conflicts: NDArray[np.int64], rng: Any) -> Any:
    """One of the blanks with the most conflicts; −1 if there are no conflicts."""
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
    """The digit with fewer conflicts that lowers the cost most; 0 if there is none."""
    cell = blanks.cells[blank]
    now = unit_appearances(counts, blanks.starts, cell, board[cell]) - 3
    found, least, ties = np.int64(0), np.int64(0), 0
    for choice in range(blanks.choices[blank]):
        digit = np.int64(blanks.digits[blank, choice])
        if unit_appearances(counts, blanks.starts, cell, digit) >= now:  # the present digit too
            continue
        more = cost_change(counts, blanks.starts, cell, board[cell], digit, in_pairs)
        if ties == 0 or more < least:
            found, least, ties = digit, more, 1
        elif more == least:
            ties += 1
            if below(rng, ties) == 0:
                found = digit
    return found


@kernel
def worse_digit(board: Board, counts: Counts, blanks: Blanks, blank: int, rng: Any) -> Any:
    """A random digit with more conflicts; 0 if there is none."""
    cell = blanks.cells[blank]
    now = unit_appearances(counts, blanks.starts, cell, board[cell]) - 3
    found, ties = np.int64(0), 0
    for choice in range(blanks.choices[blank]):
        digit = np.int64(blanks.digits[blank, choice])
        if digit != board[cell] and unit_appearances(counts, blanks.starts, cell, digit) > now:
            ties += 1
            if below(rng, ties) == 0:
                found = digit
    return found


@kernel
def worsening_move(board: Board, counts: Counts, blanks: Blanks, rng: Any) -> Any:
    """A random blank that has a worse digit, and such a digit; −1 if none has."""
    found, digit, ties = -1, np.int64(0), 0
    for blank in range(len(blanks.cells)):
        worse = worse_digit(board, counts, blanks, blank, rng)
        if worse > 0:
            ties += 1
            if below(rng, ties) == 0:
                found, digit = blank, worse
    return found, digit


@kernel
def unit_appearances(counts: Counts, starts: NDArray[np.int64], cell: Any, digit: Any) -> Any:
    """How often the digit appears in the cell's row, column and box, summed."""
    return (
        np.int64(counts[starts[cell, 0] + digit])
        + np.int64(counts[starts[cell, 1] + digit])
        + np.int64(counts[starts[cell, 2] + digit])
    )


@kernel
def cost_change(
    counts: Counts, starts: NDArray[np.int64], cell: Any, old: Any, new: Any, in_pairs: bool
) -> Any:
    """The change of cost if the cell holds `new` instead of `old`."""
    if in_pairs:
        return (
            unit_appearances(counts, starts, cell, new)
            - unit_appearances(counts, starts, cell, old)
            + 3
        )
    more = np.int64(0)
    for kind in range(3):
        more += np.int64(counts[starts[cell, kind] + new] > 0)
        more -= np.int64(counts[starts[cell, kind] + old] > 1)
    return more
