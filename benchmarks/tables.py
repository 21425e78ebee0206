"""What a benchmark finds: tables, the charts beside them, and how much was asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.environment import Peers

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
