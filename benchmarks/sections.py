"""The sections of the benchmark, what they find, and how they are run one after another."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from pathlib import Path

from benchmarks.environment import Peers
from genoku.errors import GenokuError
from genoku.failures import answered, check, is_interrupt

Point = tuple[str | float, float]
"""A label, or a place on the x axis; and the value there."""


@dataclass(frozen=True)
class Chart:
    """One panel of the figure: bars where points have labels, lines where they have numbers."""

    title: str
    unit: str
    """What the values are, such as "individuals per CPU second"."""
    series: tuple[tuple[str, tuple[Point, ...]], ...]
    """Names and their points."""
    log: bool = False


@dataclass(frozen=True)
class Table:
    """What one measurement found, its cells as text."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    legend: str = ""
    """What each may do, seeds and budgets, in Markdown."""
    chart: Chart | None = None
    figures: Mapping[str, float] = field(default_factory=dict)
    """The raw numbers, by keys that stay the same from release to release, such as
    `two-points.genoku.speed`; the section's name is put before them."""


@dataclass(frozen=True)
class Plan:
    """What was asked for."""

    quick: bool
    seed: int
    puzzles: Path | None
    """A folder with the files of known puzzles."""
    peers: Peers | None
    """None where there are none to be compared with."""
    without: str = "not installed"
    """What is said of the peers then."""


Say = Callable[[str], None]
"""Takes words about the progress."""
Measure = Callable[[Plan, Say], list[Table]]


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


INTERRUPTED = "interrupted"
Watch = Callable[[Section, str], None]
"""Takes a section and words about its progress; no words when it begins."""


@dataclass(frozen=True)
class Measured:
    """A section that has ended: its tables, or why there are none."""

    section: Section
    tables: tuple[Table, ...] = ()
    missing: str = ""
    seconds: float = 0.0


def measured(sections: Sequence[Section], plan: Plan, watch: Watch) -> Iterator[Measured]:
    """The sections as they end. After Ctrl-C the rest are passed on without tables."""
    waiting = list(sections)
    while waiting:
        section = waiting[0]
        watch(section, "")
        start = time.monotonic()
        try:
            tables = tuple(section.measure(plan, partial(watch, section)))
            check()
        except GenokuError as error:
            yield Measured(section, missing=str(error))
        except (KeyboardInterrupt, SystemError) as error:
            if not is_interrupt(error):
                raise
            answered()
            yield from (Measured(each, missing=INTERRUPTED) for each in waiting)
            return
        else:
            yield Measured(section, tables, seconds=time.monotonic() - start)
        waiting.pop(0)


@dataclass
class Pace:
    """How long the rest takes: what sections are known to take, by how those before them went.

    >>> from benchmarks.sections import SECTIONS
    >>> both = [SECTIONS["engines"], SECTIONS["memory"]]
    >>> pace = Pace(both, quick=True, clock=iter((0, 5)).__next__)
    >>> pace.begin(both[0])
    >>> pace.left() == sum(section.takes[0] for section in both) - 5
    True
    """

    sections: Sequence[Section]
    quick: bool
    clock: Callable[[], float] = time.monotonic
    _done: list[tuple[float, float]] = field(default_factory=list)
    _begun: tuple[int, float] | None = None

    def begin(self, section: Section) -> None:
        """The one before it has ended."""
        now = self.clock()
        if self._begun is not None:
            number, since = self._begun
            self._done.append((self._meant(self.sections[number]), now - since))
        self._begun = self.sections.index(section), now

    def left(self) -> float:
        """Seconds, roughly."""
        assert self._begun is not None
        number, since = self._begun
        pace = self._pace()
        here, *rest = (pace * self._meant(section) for section in self.sections[number:])
        return max(0.0, here - (self.clock() - since)) + sum(rest)

    def _meant(self, section: Section) -> float:
        return section.takes[0 if self.quick else 1]

    def _pace(self) -> float:
        """Of this machine; what is expected counts a little, so that one section is not all."""
        meant, took = 10.0, 10.0
        for each_meant, each_took in self._done:
            meant += each_meant
            took += each_took
        return took / meant
