"""Section after section, each kept when it is done; and how long the rest will take."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from benchmarks.sections import Section
from benchmarks.tables import Plan, Table
from genoku.errors import GenokuError
from genoku.interrupts import answered, check, is_interrupt

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
