"""What every crossover is: parents in, children out, crossing at its own rate."""

from __future__ import annotations

from typing import Protocol

from genoku.encoding import Boards
from genoku.errors import RecipeError
from genoku.problem import Problem
from genoku.selection import Mates
from genoku.stream import Stream


class Crossover(Protocol):
    """Children `[matings × children, cells]` of the boards that `mates` points to."""

    @property
    def parents(self) -> int: ...

    @property
    def children(self) -> int: ...

    def __call__(self, boards: Boards, mates: Mates, problem: Problem, rng: Stream) -> Boards: ...


def check_rate(rate: float) -> None:
    """Refuse what is no probability."""
    if not 0 <= rate <= 1:
        raise RecipeError(f"expected a crossover rate from 0 to 1, got {rate}")
