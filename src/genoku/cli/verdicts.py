"""What the oracle adds to a run: whether a solution is the only one, or whether there is any."""

from __future__ import annotations

from typing import Literal

from genoku.engine.result import Result
from genoku.stopping import Stop

UNIQUENESS_SECONDS = 2.0
PROOF_SECONDS = 60.0

Proof = Literal["no solution", "solvable", "open"]

UNIQUE = {
    True: "It is the only solution.",
    False: "It is one of several solutions.",
    None: "Whether it is the only solution is open.",
}
PROVED: dict[Proof, str] = {
    "no solution": "Proved: there is no solution.",
    "solvable": "There is a solution, which the search did not find.",
    "open": "Whether there is a solution is open: time was up.",
}


def is_only(result: Result) -> bool | None:
    """Whether the puzzle has one solution and no other; None where that is open."""
    if not result.solved:
        return None
    from genoku import exact
    from genoku.cli.output import load_kernels

    load_kernels()  # the first time compiles, which is no part of the seconds
    return exact.is_only(result.puzzle, result.board, time_limit=UNIQUENESS_SECONDS)


def proof_of(result: Result, seconds: float) -> Proof | None:
    """What the oracle says of a puzzle that was not solved; None where there is nothing to ask."""
    if result.solved or result.stop_reason is Stop.INTERRUPTED:
        return None
    if result.stop_reason is Stop.NO_SOLUTION:
        return "no solution"
    from genoku import exact
    from genoku.cli.output import load_kernels

    load_kernels()
    answers: dict[str, Proof] = {
        "solved": "solvable",
        "no solution": "no solution",
        "time limit": "open",
    }
    return answers[exact.solve(result.puzzle, time_limit=seconds).stop_reason]
