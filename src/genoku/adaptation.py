"""How a rate changes while a run goes on: schedules, and rules that look at the progress.

A *memory* is a dict of plain numbers whose `rate` is the rate now. An adaptation makes the first
one (`memory` is None) and then the next one after every step. The mutation rate, the temperature
of an annealing and the chance of a bad move are all owned by an adaptation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

from genoku.problem import Problem
from genoku.replacement import Brood

Memory = dict[str, float]


class Progress(NamedTuple):
    """What an adaptation may look at."""

    step: int
    best: int
    """The lowest cost of the population."""
    brood: Brood | None = None
    """What the step made; None before the first, and where an algorithm has no children."""


class Adaptation(Protocol):
    """The next memory; never a change of the old one."""

    def __call__(self, memory: Memory | None, progress: Progress, problem: Problem) -> Memory: ...


@dataclass(frozen=True)
class Constant:
    """The same rate all the way."""

    rate: float = 1.0

    def __call__(self, memory: Memory | None, progress: Progress, problem: Problem) -> Memory:
        return memory or {"rate": self.rate}


ADAPTATIONS: tuple[type[Adaptation], ...] = (Constant,)
