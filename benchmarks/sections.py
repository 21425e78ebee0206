"""The sections of the benchmark, in the order in which they are measured."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module

from benchmarks.tables import Measure


@dataclass(frozen=True)
class Section:
    """A part of the benchmark that can be run by itself."""

    name: str
    title: str
    line: str
    """What it measures."""
    place: str
    """Where its function is, as "module:function"."""
    takes: tuple[float, float]
    """About how many seconds on two cores: a quick run, and a full one."""
    peers: bool = False
    """Whether it compares with peers, which are installed for it."""

    @property
    def measure(self) -> Measure:
        """The function; its module is loaded now, not before."""
        module, name = self.place.split(":")
        function: Measure = getattr(import_module(module), name)
        return function


SECTIONS = {
    section.name: section
    for section in (
        Section(
            "engines",
            "The engine",
            "individuals per CPU second of one genetic algorithm, beside other libraries",
            "benchmarks.engines:measure",
            (30, 245),
            peers=True,
        ),
        Section(
            "solvers",
            "Time to a solution",
            "CPU time to a solution, beside an exact solver, a SAT solver and simulated annealing",
            "benchmarks.solvers:measure",
            (20, 150),
            peers=True,
        ),
        Section(
            "startup",
            "Starting up",
            "what imports and first commands take",
            "benchmarks.startup:measure",
            (20, 50),
            peers=True,
        ),
        Section(
            "scaling",
            "Scaling",
            "with the board's size, the population and the cores",
            "benchmarks.scaling:measure",
            (15, 70),
        ),
        Section(
            "memory",
            "Memory",
            "what processes hold at their most",
            "benchmarks.memory:measure",
            (20, 45),
            peers=True,
        ),
        Section(
            "kernels",
            "Kernels",
            "compiled kernels as ratios to a plain loop in the same process",
            "benchmarks.kernels:measure",
            (5, 5),
        ),
    )
}
