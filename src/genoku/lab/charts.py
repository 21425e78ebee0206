"""Charts as plain data: what a figure shows, apart from how it is drawn.

Two renderers draw each of them: `drawing` as SVG for print, `interactive` for the screen. Numbers
may be missing or infinite anywhere; what cannot be drawn is left out.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from genoku.board import Puzzle

PALETTE = (
    *("#0072b2", "#d55e00", "#009e73", "#b5579d", "#b98100", "#2ba3d4", "#6b5bb5", "#5f6672"),
)
"""Colours that colour-blind readers tell apart, after Okabe and Ito, a little darker for lines."""

LOOKS: tuple[Literal["solid", "dash", "dot", "dashdot"], ...] = ("solid", "dash", "dot", "dashdot")
MARKERS = ("circle", "square", "diamond", "triangle-up", "x", "cross")
HEAT_STOPS = ("#f4f8fc", "#cfe1f2", "#93c4e0", "#4a97c9", "#1764ab", "#08306b")
MOST_POINTS = 300  # of a curve
MOST_DOTS = 2000  # of a cloud
NOTHING = "nothing to draw"

Numbers = tuple[float, ...]
Style = Literal["line", "steps", "dashed", "points"]


def numbers(values: ArrayLike) -> Numbers:
    """Values of any kind as a tuple of floats."""
    return tuple(np.asarray(values, np.float64).ravel().tolist())


@dataclass(frozen=True)
class Series:
    """A curve: `y` over `x`, and a band from `low` to `high` around it.

    `colour` is a place in the palette, so that an algorithm looks the same in every chart; by
    default the place of the series in its chart. Series of one `group` share an entry of the
    legend, the group's name.
    """

    name: str
    x: Numbers
    y: Numbers
    low: Numbers | None = None
    high: Numbers | None = None
    style: Style = "line"
    colour: int | None = None
    group: str = ""

    def __post_init__(self) -> None:
        for field in ("x", "y", "low", "high"):
            if (values := getattr(self, field)) is not None:
                object.__setattr__(self, field, numbers(values))
        lengths = {len(each) for each in (self.x, self.y, self.low, self.high) if each is not None}
        if len(lengths) > 1 or (self.low is None) != (self.high is None):
            raise ValueError(f"expected columns of one length in series {self.name!r}")


@dataclass(frozen=True)
class Level:
    """A line across a chart, such as what was published; `of` the y axis or the x axis."""

    value: float
    label: str
    of: Literal["x", "y"] = "y"


@dataclass(frozen=True)
class Lines:
    """Curves over one x axis. `y_limits` as (low, high) where the data should not decide."""

    title: str
    x_label: str
    y_label: str
    series: tuple[Series, ...]
    log_x: bool = False
    log_y: bool = False
    levels: tuple[Level, ...] = ()
    y_limits: tuple[float, float] | None = None


@dataclass(frozen=True)
class Box:
    """Quartiles, whiskers to the last value within 1.5 interquartile ranges, and what is beyond."""

    name: str
    count: int
    low: float
    lower: float
    median: float
    upper: float
    high: float
    beyond: Numbers = ()
    colour: int | None = None

    @classmethod
    def of(cls, name: str, values: ArrayLike, colour: int | None = None) -> Box:
        """The box of a sample; infinite values and gaps do not count."""
        array = np.asarray(values, np.float64).ravel()
        array = array[np.isfinite(array)]
        if not len(array):
            gap = math.nan
            return cls(name, 0, gap, gap, gap, gap, gap, colour=colour)
        lower, median, upper = (float(each) for each in np.quantile(array, (0.25, 0.5, 0.75)))
        reach = 1.5 * (upper - lower)
        inside = array[(array >= lower - reach) & (array <= upper + reach)]
        beyond = np.unique(array[(array < lower - reach) | (array > upper + reach)])
        # Interpolated quartiles may lie outside all values that are inside the reach.
        low, high = min(float(inside.min()), lower), max(float(inside.max()), upper)
        shown = numbers(beyond[evenly(len(beyond), 100)])
        return cls(name, len(array), low, lower, median, upper, high, shown, colour)


@dataclass(frozen=True)
class Boxes:
    """Box plots, one row per box, from the top down."""

    title: str
    x_label: str
    boxes: tuple[Box, ...]
    log_x: bool = False

    @property
    def counts_agree(self) -> bool:
        """Whether all boxes are of samples of one size, so that it need be said but once."""
        return len({box.count for box in self.boxes}) == 1

    @property
    def names(self) -> tuple[str, ...]:
        """The rows, from the top down, each with the size of its sample unless all are equal."""
        if self.counts_agree:
            return tuple(box.name for box in self.boxes)
        return tuple(f"{box.name} (n = {box.count:,})" for box in self.boxes)

    @property
    def axis(self) -> str:
        """What the x axis says."""
        if not self.counts_agree:
            return self.x_label
        return f"{self.x_label} (n = {self.boxes[0].count:,}{' each' * (len(self.boxes) > 1)})"


@dataclass(frozen=True)
class Range:
    """A value with an interval: a dot with a bar through it, or a dot alone."""

    name: str
    value: float
    low: float | None = None
    high: float | None = None
    series: str = ""
    colour: int | None = None


@dataclass(frozen=True)
class Ranges:
    """Values with their intervals, one row per name; several `series` share a row.

    So published values stand beside measured ones.
    """

    title: str
    x_label: str
    ranges: tuple[Range, ...]
    log_x: bool = False
    levels: tuple[Level, ...] = ()
    x_limits: tuple[float, float] | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The rows, from the top down."""
        return tuple(dict.fromkeys(each.name for each in self.ranges))

    @property
    def kinds(self) -> tuple[str, ...]:
        """The series, in order."""
        return tuple(dict.fromkeys(each.series for each in self.ranges))


@dataclass(frozen=True)
class Heat:
    """Values in a grid: `values[row][column]`, rows from the top down; `texts` in its cells."""

    title: str
    x_label: str
    y_label: str
    x_names: tuple[str, ...]
    y_names: tuple[str, ...]
    values: tuple[Numbers, ...]
    value_label: str = ""
    texts: tuple[tuple[str, ...], ...] | None = None
    low: float | None = None
    high: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", tuple(numbers(row) for row in self.values))
        shape = {len(row) for row in self.values} or {len(self.x_names)}
        if len(self.values) != len(self.y_names) or shape != {len(self.x_names)}:
            raise ValueError(f"expected {len(self.y_names)} rows of {len(self.x_names)} values")

    @cached_property
    def limits(self) -> tuple[float, float]:
        """What the palest and the darkest colour stand for."""
        known = [each for row in self.values for each in row if math.isfinite(each)] or [0.0]
        low = min(known) if self.low is None else self.low
        high = max(known) if self.high is None else self.high
        return (low, high) if high > low else (low, low + max(1.0, abs(low)))

    def is_dark(self, value: float) -> bool:
        """Whether words on the colour of a value must be light."""
        low, high = self.limits
        return math.isfinite(value) and (value - low) / (high - low) > 0.55

    def cell_text(self, row: int, column: int) -> str:
        """What is written in a cell."""
        if self.texts is not None:
            return self.texts[row][column]
        value = self.values[row][column]
        return f"{value:.3g}" if math.isfinite(value) else ""


@dataclass(frozen=True)
class Ranks:
    """A critical-difference diagram: mean ranks (1 is best), and groups that cannot be told apart.

    `cliques` are groups of places in `names`.
    """

    title: str
    names: tuple[str, ...]
    ranks: Numbers
    critical_difference: float
    cliques: tuple[tuple[int, ...], ...] = ()
    colours: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "ranks", numbers(self.ranks))
        if len(self.names) != len(self.ranks):
            raise ValueError(f"expected {len(self.names)} ranks, got {len(self.ranks)}")


@dataclass(frozen=True)
class Cloud:
    """Points that belong together."""

    name: str
    x: Numbers
    y: Numbers
    colour: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "x", numbers(self.x))
        object.__setattr__(self, "y", numbers(self.y))
        if len(self.x) != len(self.y):
            raise ValueError(f"expected columns of one length in cloud {self.name!r}")


@dataclass(frozen=True)
class Scatter:
    """Points by two numbers; `diagonal` draws where they are equal."""

    title: str
    x_label: str
    y_label: str
    clouds: tuple[Cloud, ...]
    log_x: bool = False
    log_y: bool = False
    diagonal: bool = False
    levels: tuple[Level, ...] = ()


@dataclass(frozen=True)
class BoardView:
    """A board over the givens of its puzzle, and what to say below it."""

    caption: str
    puzzle: Puzzle
    board: bytes
    mapped: bool = True

    @classmethod
    def of(
        cls,
        caption: str,
        puzzle: Puzzle,
        board: NDArray[Any] | bytes | None = None,
        *,
        mapped: bool = True,
    ) -> BoardView:
        """A board as an array or bytes; without one the givens, plain."""
        if board is None:
            return cls(caption, puzzle, puzzle.digits, mapped=False)
        digits = board if isinstance(board, bytes) else bytes(np.asarray(board, np.uint8).tolist())
        return cls(caption, puzzle, digits, mapped)


@dataclass(frozen=True)
class Boards:
    """Boards side by side, coloured by report 003's fitness map where `mapped`."""

    title: str
    boards: tuple[BoardView, ...]


Plot = Lines | Boxes | Ranges | Heat | Ranks | Scatter
"""What both renderers draw, each in its own way; boards are drawings everywhere."""

Chart = Plot | Boards


# What the renderers share, so that they cannot differ.


def colour_of(place: int | None, index: int) -> str:
    """The colour of a series: its own place in the palette, or its index."""
    return PALETTE[(index if place is None else place) % len(PALETTE)]


def round_of(place: int | None, index: int, choices: Sequence[str]) -> str:
    """A second look for those whose colour comes again."""
    return choices[(index if place is None else place) // len(PALETTE) % len(choices)]


def legend_entries(series: Sequence[Series]) -> list[str | None]:
    """What the legend says of each series; None for those that their group speaks for."""
    named: set[str] = set()
    entries: list[str | None] = []
    for each in series:
        entries.append((each.group or each.name) if each.group not in named else None)
        if each.group:
            named.add(each.group)
    return entries


def drawable(values: Iterable[float], log: bool) -> NDArray[np.bool_]:
    """Which values an axis can show."""
    array = np.asarray(tuple(values), np.float64)
    return np.isfinite(array) & ((array > 0) | (not log))


def shown(series: Series, log_x: bool = False, log_y: bool = False) -> Series:
    """A series as it is drawn: without what the axes cannot show, and thinned along the x axis."""
    good = drawable(series.x, log_x) & drawable(series.y, log_y)
    if series.low is not None and series.high is not None:
        good &= drawable(series.low, log_y) & drawable(series.high, log_y)
    kept = np.flatnonzero(good)
    if len(kept) > MOST_POINTS and series.style != "points":
        x = np.asarray(series.x)[kept]
        along = np.log(x) if log_x else x
        if (np.diff(along) >= 0).all():
            wanted = np.linspace(along[0], along[-1], MOST_POINTS)
            near = np.searchsorted(along, wanted).clip(0, len(along) - 1)
            kept = kept[np.unique(np.append(near, (0, len(along) - 1)))]
        else:
            kept = kept[evenly(len(kept), MOST_POINTS)]
    elif len(kept) > MOST_DOTS:
        kept = kept[evenly(len(kept), MOST_DOTS)]
    columns: dict[str, Any] = {
        field: numbers(np.asarray(values)[kept])
        for field in ("x", "y", "low", "high")
        if (values := getattr(series, field)) is not None
    }
    return replace(series, **columns)


def dots(cloud: Cloud, log_x: bool = False, log_y: bool = False) -> Cloud:
    """A cloud as it is drawn."""
    kept = np.flatnonzero(drawable(cloud.x, log_x) & drawable(cloud.y, log_y))
    kept = kept[evenly(len(kept), MOST_DOTS)]
    return replace(
        cloud, x=numbers(np.asarray(cloud.x)[kept]), y=numbers(np.asarray(cloud.y)[kept])
    )


def evenly(count: int, most: int) -> NDArray[np.int64]:
    """At most so many places out of a count, evenly, the first and last among them."""
    return np.unique(np.linspace(0, max(count - 1, 0), min(count, most)).round().astype(np.int64))
