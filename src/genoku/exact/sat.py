"""Solve with CaDiCaL, a SAT solver, what propagation leaves open.

Encoding only the open candidates, instead of all side³, solves most 25×25 boards in milliseconds.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pysolvers
from pysat.solvers import Cadical195

from genoku.exact.propagation import Links, Masks
from genoku.puzzle.board import Board

FIRST_SLICE = 2_000  # conflicts
LONGEST_SLICE = 6_000


class Formula:
    """The exact-cover constraints of candidate masks as clauses, solved incrementally."""

    def __init__(self, bits: Masks, links: Links) -> None:
        self.side = links.side
        self.decided = np.zeros(self.side**2, np.uint8)
        self._solver = Cadical195()
        self._candidates: list[int] = []
        self._switches = 0
        self._variables = self._number(bits)
        for options in self._constraints(bits, links):
            self._solver.add_clause(options)
            for one, other in combinations(options, 2):
                self._solver.add_clause([-one, -other])

    def _number(self, bits: Masks) -> dict[int, int]:
        """Number the open candidates as variables, from 1."""
        variables: dict[int, int] = {}
        for cell, mask in enumerate(bits[: self.side**2].tolist()):
            if mask.bit_count() == 1:
                self.decided[cell] = mask.bit_length()
                continue
            for digit in range(self.side):
                if mask >> digit & 1:
                    variables[cell * self.side + digit] = len(variables) + 1
                    self._candidates.append(cell * self.side + digit)
        return variables

    def _constraints(self, bits: Masks, links: Links) -> list[list[int]]:
        side, cells = self.side, self.side**2
        units = links.cell.reshape(-1, 1, side).astype(np.int64) * side
        numbers = np.arange(cells * side).reshape(cells, side)
        in_units = (units + np.arange(side)[:, None]).reshape(-1, side)
        candidate = np.concatenate((numbers, in_units)).tolist()
        return [
            [self._variables[candidate[index][bit]] for bit in range(side) if mask >> bit & 1]
            for index, mask in enumerate(bits.tolist())
            if mask.bit_count() > 1
        ]

    def literals(self, board: Board) -> list[int]:
        """Return the variables that a board makes true."""
        chosen = (np.arange(len(board)) * self.side + board - 1)[self.decided == 0]
        return [self._variables[candidate] for candidate in chosen.tolist()]

    def forbid(self, board: Board) -> None:
        """Exclude this solution."""
        self._solver.add_clause([-literal for literal in self.literals(board)])

    def stay_near(self, board: Board) -> None:
        """Prefer solutions close to this one."""
        near = set(self.literals(board))
        everything = range(1, len(self._candidates) + 1)
        self._solver.set_phases([v if v in near else -v for v in everything])

    def switch(self, literals: Sequence[int]) -> int:
        """Add a variable that makes all these literals true when it is assumed."""
        self._switches += 1
        variable = len(self._candidates) + self._switches
        for literal in literals:
            self._solver.add_clause([-variable, literal])
        return variable

    def require(self, literal: int) -> None:
        self._solver.add_clause([literal])

    def solve(self, assumptions: Sequence[int] = (), deadline: float | None = None) -> bool | None:
        """Return whether there is a solution under the assumptions; None if time ran out.

        The search runs in slices of a fixed number of conflicts and checks the clock in between,
        so a time limit can end a search but never change what it finds.
        """
        budget = FIRST_SLICE
        while deadline is None or time.monotonic() < deadline:
            self._solver.conf_budget(budget)
            try:
                answer = self._solver.solve_limited(assumptions=list(assumptions))
            except pysolvers.error:  # how python-sat passes Ctrl-C on
                raise KeyboardInterrupt from None
            if answer is not None:
                return bool(answer)
            budget = min(budget * 3 // 2, LONGEST_SLICE)
        return None

    def board(self) -> Board:
        """Return the solution just found."""
        board = self.decided.copy()
        model = self._solver.get_model() or []
        for literal in model[: len(self._candidates)]:
            if literal > 0:
                cell, digit = divmod(self._candidates[literal - 1], self.side)
                board[cell] = digit + 1
        return board

    def core(self) -> list[int]:
        """Return assumptions that the last `solve` proved to be contradictory."""
        return list(self._solver.get_core() or [])

    def close(self) -> None:
        self._solver.delete()
