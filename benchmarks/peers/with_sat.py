"""Solve a board by CaDiCaL, through python-sat, with the extended encoding of the whole puzzle.

The encoding is that of Lynce and Ouaknine (2006), "Sudoku as a SAT problem": a variable for every
digit in every cell; every cell has one digit, every digit one place in every row, column and box,
each as "at least one" and, pair by pair, "not two". Givens are clauses of one variable, without
any preprocessing.

The job: `board` (digits in reading order, 0 a blank), `box` (rows and columns of a box) and
`seconds`, the CPU time that it may take. The answer: `board` or null, the CPU and wall seconds of
encoding and solving, and of solving alone. The solver runs in a separate process, which is killed
when its time is over, since it does not check the clock.
"""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import version
from itertools import combinations
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any

STARTING = 60.0  # seconds until a process of our own must be there
PATIENCE = 300.0  # seconds that a CPU second may take, on a machine that others use too


def clauses_of(board: list[int], rows: int, columns: int) -> list[list[int]]:
    """Return the rules and the givens as clauses over variables (cell · side + digit), from 1."""
    side = rows * columns
    row_of = [cell // side for cell in range(side * side)]
    column_of = [cell % side for cell in range(side * side)]
    box_of = [row_of[cell] // rows * rows + column_of[cell] // columns for cell in range(side**2)]
    groups = [[cell * side + digit for digit in range(1, side + 1)] for cell in range(side**2)]
    for unit_of in (row_of, column_of, box_of):
        members: list[list[int]] = [[] for _ in range(side)]
        for cell, unit in enumerate(unit_of):
            members[unit].append(cell)
        for cells in members:
            groups += [[cell * side + digit for cell in cells] for digit in range(1, side + 1)]
    clauses = [[cell * side + digit] for cell, digit in enumerate(board) if digit]
    for group in groups:
        clauses.append(group)
        clauses += [[-one, -other] for one, other in combinations(group, 2)]
    return clauses


def board_of(model: Sequence[int], side: int) -> list[int]:
    """Return the digits that are true in a model."""
    board = [0] * side**2
    for variable in model:
        if variable > 0:
            cell, digit = divmod(variable - 1, side)
            board[cell] = digit + 1
    return board


def solve(job: dict[str, Any]) -> dict[str, Any]:
    """Encode and solve, in this process."""
    from pysat.solvers import Cadical195

    rows, columns = job["box"]
    # Where a limit of CPU time is set, Linux updates the clock of the process by the tick only.
    wall, cpu = time.perf_counter(), time.thread_time()
    with Cadical195(bootstrap_with=clauses_of(job["board"], rows, columns)) as solver:
        encoded = time.perf_counter(), time.thread_time()
        found = solver.solve()
        ended = time.perf_counter(), time.thread_time()
        return {
            "board": board_of(solver.get_model() or (), rows * columns) if found else None,
            "wall": ended[0] - wall,
            "cpu": ended[1] - cpu,
            "solving_wall": ended[0] - encoded[0],
            "solving_cpu": ended[1] - encoded[1],
        }


def work(job: dict[str, Any], pipe: Connection) -> None:
    """Run in the solver process: load the library, report the time-out, solve, answer."""
    import_module("pysat.solvers")  # which is not measured
    pipe.send(allow(job["seconds"]))
    pipe.send(solve(job))


def allow(seconds: float) -> float:
    """Limit the CPU time of this process from now on, and return the wall time to allow.

    Without support by the system, the wall clock is used.
    """
    try:
        import resource
    except ImportError:
        return seconds
    most = math.ceil(time.process_time() + seconds)
    resource.setrlimit(resource.RLIMIT_CPU, (most, most + 1))
    return PATIENCE * seconds


def within(job: dict[str, Any]) -> dict[str, Any]:
    """Return the answer, or None when time is over."""
    context = get_context("spawn")
    here, there = context.Pipe(duplex=False)
    worker = context.Process(target=work, args=(job, there), daemon=True)
    worker.start()
    there.close()
    answer: dict[str, Any] = {"board": None}
    try:
        if not here.poll(STARTING):
            sys.exit("the solver's process did not start")
        if here.poll(here.recv()):
            answer = here.recv()
    except EOFError:  # ended by the system, its CPU time being over
        if worker.exitcode is None:
            worker.join(1.0)
    worker.kill()
    worker.join()
    return answer


if __name__ == "__main__":
    print(json.dumps({**within(json.load(sys.stdin)), "version": version("python-sat")}))
