"""The sections of the benchmark, their results, and how they run one after another."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from pathlib import Path

from benchmarks.environment import Peers
from genoku.errors import GenokuError
from genoku.evolve.stopping import time_left
from genoku.runtime.signals import clear_interrupt, is_interrupt, raise_if_interrupted

Point = tuple[str | float, float]
"""A label or a place on the x axis, and the value there."""


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
    """The result of one measurement, with cells as text."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    legend: str = ""
    """What each competitor may do, seeds and budgets, in Markdown."""
    chart: Chart | None = None
    figures: Mapping[str, float] = field(default_factory=dict)
    """The raw numbers, by keys that stay the same between releases, such as
    `two-points.genoku.speed`; the section's name is prepended."""


@dataclass(frozen=True)
class Plan:
    """The options of a benchmark."""

    quick: bool
    seed: int
    puzzles: Path | None
    """A folder with files of known puzzles."""
    peers: Peers | None
    """None without peers."""
    without: str = "not installed"
    """The reason, without peers."""


Say = Callable[[str], None]
"""Shows a progress message."""
Measure = Callable[[Plan, Say], list[Table]]


@dataclass(frozen=True)
class Section:
    """A part of the benchmark that can run by itself."""

    name: str
    title: str
    line: str
    """What it measures."""
    place: str
    """Its function, as "module:function"."""
    takes: tuple[float, float]
    """Approximate seconds on two cores: of a quick run, and of a full one."""
    peers: bool = False
    """Whether it compares with peers, which are installed for it."""

    @property
    def measure(self) -> Measure:
        """The function; its module is imported on first use."""
        module, name = self.place.split(":")
        function: Measure = getattr(import_module(module), name)
        return function


SECTIONS = {
    section.name: section
    for section in (
        Section(
            "engines",
            "The engine",
            "individuals per CPU second of a genetic algorithm, compared with other libraries",
            "benchmarks.engines:measure",
            (30, 245),
            peers=True,
        ),
        Section(
            "solvers",
            "Time to a solution",
            "CPU time to a solution, compared with exact, SAT and annealing solvers",
            "benchmarks.solvers:measure",
            (20, 150),
            peers=True,
        ),
        Section(
            "startup",
            "Starting up",
            "time of imports and first commands",
            "benchmarks.startup:measure",
            (20, 50),
            peers=True,
        ),
        Section(
            "scaling",
            "Scaling",
            "speed by board size, population and number of cores",
            "benchmarks.scaling:measure",
            (15, 70),
        ),
        Section(
            "memory",
            "Memory",
            "peak memory of processes",
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
"""Takes a section and a progress message, which is empty when it begins."""


@dataclass(frozen=True)
class SectionResult:
    """The tables of a section, or why there are none."""

    section: Section
    tables: tuple[Table, ...] = ()
    missing: str = ""
    seconds: float = 0.0


def run_sections(sections: Sequence[Section], plan: Plan, watch: Watch) -> Iterator[SectionResult]:
    """Yield the results of sections as they end; after Ctrl-C, the rest without tables."""
    waiting = list(sections)
    while waiting:
        section = waiting[0]
        watch(section, "")
        start = time.monotonic()
        try:
            tables = tuple(section.measure(plan, partial(watch, section)))
            raise_if_interrupted()
        except GenokuError as error:
            yield SectionResult(section, missing=str(error))
        except (KeyboardInterrupt, SystemError) as error:
            if not is_interrupt(error):
                raise
            clear_interrupt()
            yield from (SectionResult(each, missing=INTERRUPTED) for each in waiting)
            return
        else:
            yield SectionResult(section, tables, seconds=time.monotonic() - start)
        waiting.pop(0)


@dataclass
class TimeLeft:
    """Estimate the time left from the expected times of the sections and the pace so far.

    >>> from benchmarks.sections import SECTIONS
    >>> both = [SECTIONS["engines"], SECTIONS["memory"]]
    >>> left = TimeLeft(both, quick=True, clock=iter((0, 5)).__next__)
    >>> left.begin(both[0])
    >>> left.seconds() == sum(section.takes[0] for section in both) - 5
    True
    """

    sections: Sequence[Section]
    quick: bool
    clock: Callable[[], float] = time.monotonic
    _expected: float = 10.0  # not 0, so that a single section does not decide the pace
    _taken: float = 10.0
    _current: tuple[int, float] | None = None

    def begin(self, section: Section) -> None:
        """Note that a section begins, and that the one before it has ended."""
        now = self.clock()
        if self._current is not None:
            number, since = self._current
            self._expected += self._expected_time(self.sections[number])
            self._taken += now - since
        self._current = self.sections.index(section), now

    def seconds(self) -> float:
        """Return the estimate for the current section and those after it."""
        assert self._current is not None
        number, since = self._current
        here, *rest = (
            time_left(self._expected_time(section), self._expected, self._taken)
            for section in self.sections[number:]
        )
        return max(0.0, here - (self.clock() - since)) + sum(rest)

    def _expected_time(self, section: Section) -> float:
        return section.takes[0 if self.quick else 1]
