"""Solve a board by `simanneal`, as its documentation shows: a class with a move and an energy.

The state is a list of digits in which every box is complete; a move swaps two blanks of a box, and
returns the change in the two rows and two columns, which avoids evaluating the whole board.
Cooling is exponential, between temperatures that suit the number of repeated digits; an unsolved
annealing is restarted, until time is over.

The job: `board` (digits in reading order, 0 a blank), `box` (rows and columns of a box), `seconds`
of CPU time, `seed`. The answer: `board` or null, CPU and wall seconds, and the number of moves.
"""

from __future__ import annotations

import json
import random
import sys
import time
from importlib import import_module
from importlib.metadata import version
from typing import Any

TEMPERATURES = 0.5, 0.2  # two blanks swapped cost or gain 4 repeated digits at most
STEPS = 200_000  # of an annealing
LOOK = 256  # moves between two looks at the clock


class Groups:
    """The cells of rows, columns and boxes, and the blanks of every box that has two."""

    def __init__(self, board: list[int], rows: int, columns: int) -> None:
        side = self.side = rows * columns
        self.rows = [[row * side + column for column in range(side)] for row in range(side)]
        self.columns = [list(cells) for cells in zip(*self.rows, strict=True)]
        self.boxes: list[list[int]] = [[] for _ in range(side)]
        for cell in range(side * side):
            self.boxes[cell // side // rows * rows + cell % side // columns].append(cell)
        blanks = ([cell for cell in box if board[cell] == 0] for box in self.boxes)
        self.swappable = [cells for cells in blanks if len(cells) > 1]


def first_state(board: list[int], groups: Groups) -> list[int]:
    """Fill every box with its missing digits at random; append the missing digits of lines."""
    state = board[:]
    for box in groups.boxes:
        missing = sorted(set(range(1, groups.side + 1)) - {board[cell] for cell in box})
        random.shuffle(missing)
        for cell in box:
            if state[cell] == 0:
                state[cell] = missing.pop()
    lines = (*groups.rows, *groups.columns)
    return [*state, sum(lacking(state, line) for line in lines)]


def lacking(state: list[int], cells: list[int]) -> int:
    """Count the digits missing from a row or column."""
    return len(cells) - len({state[cell] for cell in cells})


def swap(state: list[int], groups: Groups) -> int:
    """Swap two random blanks of a random box in place, and return the change of missing digits."""
    here, there = random.sample(random.choice(groups.swappable), 2)
    side = groups.side
    lines = []
    if here // side != there // side:
        lines += [groups.rows[here // side], groups.rows[there // side]]
    if here % side != there % side:
        lines += [groups.columns[here % side], groups.columns[there % side]]
    before = sum(lacking(state, line) for line in lines)
    state[here], state[there] = state[there], state[here]
    return sum(lacking(state, line) for line in lines) - before


def solve(job: dict[str, Any]) -> dict[str, Any]:
    """Anneal repeatedly, until solved or out of time."""
    annealer: Any = import_module("simanneal").Annealer  # which is in the peers' environment alone

    class Sudoku(annealer):  # by its own interface, which has no types
        """The state is a board followed by its number of missing digits."""

        copy_strategy = "slice"
        Tmax, Tmin = TEMPERATURES
        steps, updates = STEPS, 0
        made = 0

        def move(self) -> int:
            change = swap(self.state, groups)
            self.state[-1] += change
            self.made += 1
            if self.state[-1] == 0 or (self.made % LOOK == 0 and time.process_time() > over):
                self.user_exit = True
            return change

        def energy(self) -> int:
            lacking: int = self.state[-1]
            return lacking

    random.seed(job["seed"])
    rows, columns = job["box"]
    wall, cpu = time.perf_counter(), time.process_time()
    over = cpu + job["seconds"]
    groups = Groups(job["board"], rows, columns)
    state = first_state(job["board"], groups)
    moves = 0
    while state[-1] and groups.swappable and time.process_time() < over:
        annealer = Sudoku(first_state(job["board"], groups))
        state, _ = annealer.anneal()
        moves += annealer.made
    return {
        "board": None if state[-1] else state[:-1],
        "wall": time.perf_counter() - wall,
        "cpu": time.process_time() - cpu,
        "moves": moves,
    }


if __name__ == "__main__":
    print(json.dumps({**solve(json.load(sys.stdin)), "version": version("simanneal")}))
