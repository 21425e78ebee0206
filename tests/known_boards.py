"""Boards whose solutions are known, and an oracle that is soon out of patience."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from strategies import known_answers, with_digits

from genoku.exact import oracle
from genoku.puzzle.board import Puzzle

KNOWN = [
    (Puzzle.parse(puzzle), solution) for _, puzzle, solution in known_answers("known-solutions.txt")
]
HARD = KNOWN[1][0]
AS_PRINTED = with_digits(HARD, {73: 0})  # the 9 that report 000 lost: 1539 solutions


@contextmanager
def patience(failures: int) -> Iterator[None]:
    """Hand over to CaDiCaL after so many dead ends, with a look at the clock after each."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(oracle, "FAILURES_BEFORE_SAT", failures)
        patch.setattr(oracle, "FAILURES_BEFORE_SAT_LARGE", failures)
        patch.setattr(oracle, "FAILURES_BETWEEN_CLOCKS", 1)
        yield
