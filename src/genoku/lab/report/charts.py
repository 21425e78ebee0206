"""Charts of reports as plain data, drawn as SVG by matplotlib or listed as tables.

The same chart gives the same bytes. Missing and infinite numbers are not drawn.
"""

from __future__ import annotations

import io
import math
import re
import textwrap
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from rich.cells import cell_len

from genoku.evolve.fitness import MAP_COLOURS, map_colours
from genoku.present.figures import FAINT, drawing, fix_layout, save
from genoku.puzzle import render
from genoku.puzzle.board import Puzzle
from genoku.runtime.notebook import INK, SOFT, replace_unprintable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Colours that colour-blind readers can distinguish, after Okabe and Ito, darker for lines
PALETTE = (
    *("#0072b2", "#d55e00", "#009e73", "#b5579d", "#b98100", "#2ba3d4", "#6b5bb5", "#5f6672"),
)
# Dashes of lines whose colour was used before, in widths of the line
DASHES: tuple[tuple[float, ...], ...] = ((), (5, 2), (1.2, 1.6), (5, 1.6, 1.2, 1.6))
MIDDLE: Any = {"ha": "center", "va": "center"}
MARKERS = ("o", "s", "D", "^", "X", "P")
HEAT_STOPS = ("#f4f8fc", "#cfe1f2", "#93c4e0", "#4a97c9", "#1764ab", "#08306b")
ON_LIGHT, ON_DARK = "#1f2228", "#fdfdfd"  # in cells of a map, which a dark page leaves as they are
HALF, FULL = 3.6, 7.2  # width of a drawing in inches, beside another or alone
WIDE = 11.0  # of several in a row
PANEL = 3.6  # their least height
AROUND = 1.1  # inches above and below the axes, about
ROOM = 0.05  # beyond the values, as a share of their range
LEAST = 0.22  # share of a drawing's width and height for the chart without its labels
MOST_POINTS = 300  # of a curve
MOST_DOTS = 2000  # without a line
SMALL_DOT = 1.6  # the diameter of those of a cloud with more, in points
END_GAP = 0.115  # inches between names at the ends of curves
END_PLACE = 0.035  # of such a name beyond the axes, as a share of their width
MOST_ROWS = 12  # of a curve in a table
MOST_LINES = 3  # of a long name
CLOSE = 5  # ratio of the ends below which a logarithmic axis is widened to have ticks
LEGEND, TICK, RANKED = 36, 20, 32  # columns of a name in a legend, below an axis, in a rank diagram

Numbers = tuple[float, ...]
Limits = tuple[float, float]
Style = Literal["line", "steps", "dashed", "points"]
ChartTable = tuple[tuple[str, ...], list[tuple[str | float | None, ...]]]  # headings, and rows


@dataclass(frozen=True)
class Series:
    """A curve: `y` over `x`, with an optional band from `low` to `high`.

    `colour` is an index in the palette, by default that of the series in its chart, and `dashes`
    one in `DASHES`. Series of one `group` share an entry of the legend. `end` is written at the end
    of the curve. `dots` is the most points that are drawn without a line.
    """

    name: str
    x: Numbers
    y: Numbers
    low: Numbers | None = None
    high: Numbers | None = None
    style: Style = "line"
    colour: int | None = None
    group: str = ""
    dashes: int | None = None
    end: str = ""
    dots: int = MOST_DOTS

    def __post_init__(self) -> None:
        for field in ("x", "y", "low", "high"):
            if (values := getattr(self, field)) is not None:
                object.__setattr__(self, field, numbers(values))
        lengths = {len(each) for each in (self.x, self.y, self.low, self.high) if each is not None}
        if len(lengths) > 1 or (self.low is None) != (self.high is None):
            raise ValueError(f"expected columns of one length in series {self.name!r}")

    def points(self, log_x: bool = False) -> list[NDArray[np.float64]]:
        """The drawable points as columns x, y and, with a band, low and high, thinned along x."""
        known = [each for each in (self.x, self.y, self.low, self.high) if each is not None]
        columns = np.array(known)
        kept = np.flatnonzero(drawable(columns[0], log_x) & np.isfinite(columns).all(axis=0))
        if self.style == "points":
            kept = kept[evenly_spaced(len(kept), self.dots)]
        elif len(kept) > MOST_POINTS:
            along = np.log(columns[0][kept]) if log_x else columns[0][kept]
            places = evenly_spaced(len(kept), MOST_POINTS)
            if (np.diff(along) >= 0).all():
                near = np.searchsorted(along, np.linspace(along[0], along[-1], MOST_POINTS))
                places = np.unique(np.append(near.clip(0, len(along) - 1), (0, len(along) - 1)))
            kept = kept[places]
        return list(columns[:, kept])


@dataclass(frozen=True)
class ReferenceLine:
    """A line across a chart at a value of the x or y axis, such as a published one."""

    value: float
    label: str
    of: Literal["x", "y"] = "y"


@dataclass(frozen=True)
class LineChart:
    """Curves over a common x axis. `y_limits` (low, high) override those of the data."""

    title: str
    x_label: str
    y_label: str
    series: tuple[Series, ...]
    log_x: bool = False
    levels: tuple[ReferenceLine, ...] = ()
    y_limits: Limits | None = None

    def height(self, width: float) -> float:
        return 0.62 * width if width < 5 else 0.47 * width

    def look(self, index: int) -> tuple[str, tuple[float, ...]]:
        series = self.series[index]
        place = index if series.colour is None else series.colour
        again = 1 if series.style == "dashed" else place // len(PALETTE) % len(DASHES)
        if series.dashes is not None:
            again = series.dashes % len(DASHES)
        return colour_of(series.colour, index), DASHES[again]

    def draw(self, axes: Axes) -> None:
        _label_axes(axes, self.x_label, self.y_label, self.log_x)
        x_values: list[float] = []
        y_values: list[float] = []
        ends: list[tuple[float, str, str]] = []
        labelled: set[str] = set()
        for index, series in enumerate(self.series):
            x, y, *band = series.points(self.log_x)
            if not len(x):
                continue
            x_values += x.tolist()
            y_values += np.concatenate((y, *band)).tolist()
            colour, dashes = self.look(index)
            label = "" if series.group in labelled else _legend_label(series.group or series.name)
            labelled |= {series.group} - {""}
            stepped: Any = "post" if series.style == "steps" else None
            if band:
                low, high = band
                axes.fill_between(x, low, high, step=stepped, color=colour, alpha=0.16, lw=0)
            if series.end:
                ends.append((float(y[-1]), series.end, colour))
            if series.style == "points" or len(x) == 1:
                few = len(x) <= MOST_DOTS
                look: Any = {"markersize": 3.5} if few else {"markersize": SMALL_DOT, "mew": 0}
                axes.plot(x, y, "o", color=colour, label=label, **look)
                continue
            drawn: Any = {"drawstyle": "steps-post" if stepped else "default", "label": label}
            axes.plot(x, y, color=colour, linestyle=(0, dashes) if dashes else "-", **drawn)
        if not x_values:
            _draw_empty(axes)
            return
        _draw_levels(axes, self.levels, self.log_x)
        x_values += [level.value for level in self.levels if level.of == "x"]
        y_values += [level.value for level in self.levels if level.of == "y"]
        limits = self.y_limits or pad_limits(y_values)
        _set_limits(axes, pad_limits(x_values, self.log_x), limits)
        _draw_ends(axes, ends)

    def table(self) -> ChartTable:
        """Every curve at up to a dozen points."""
        rows: list[tuple[str | float | None, ...]] = []
        banded = any(series.low is not None for series in self.series)
        for series in self.series:
            columns = series.points(self.log_x)
            few = evenly_spaced(len(columns[0]), MOST_ROWS)
            rows += [(series.name,)] * bool(len(few))
            padded = [*columns, *[np.full(len(columns[0]), math.nan)] * 2][: 4 if banded else 2]
            rows += map(tuple, np.array(padded).T[few].tolist())
        heads = (self.x_label, self.y_label, *["from", "to"] * banded)
        return heads, rows


@dataclass(frozen=True)
class Box:
    """A box of a box plot; `beyond` are the values outside the whiskers.

    `five` are the low end, lower quartile, median, upper quartile and high end. Whiskers reach to
    the last value within 1.5 interquartile ranges.
    """

    name: str
    count: int
    five: Numbers
    beyond: Numbers = ()
    colour: int | None = None

    @classmethod
    def of(cls, name: str, values: ArrayLike, colour: int | None = None) -> Box:
        """Make the box of a sample without its infinite and missing values."""
        array = np.asarray(values, np.float64).ravel()
        array = array[np.isfinite(array)]
        if not len(array):
            return cls(name, 0, (math.nan,) * 5, colour=colour)
        lower, median, upper = np.quantile(array, (0.25, 0.5, 0.75)).tolist()
        reach = 1.5 * (upper - lower)
        inside = (array >= lower - reach) & (array <= upper + reach)
        beyond = np.unique(array[~inside])
        # Interpolated quartiles may lie outside all values within reach
        low, high = min(float(array[inside].min()), lower), max(float(array[inside].max()), upper)
        shown = numbers(beyond[evenly_spaced(len(beyond), 100)])
        return cls(name, len(array), (low, lower, median, upper, high), shown, colour)


@dataclass(frozen=True)
class BoxPlot:
    """Box plots, one row per box, from the top down."""

    title: str
    x_label: str
    boxes: tuple[Box, ...]

    def names(self) -> tuple[str, list[str]]:
        """The label of the x axis and the names of the rows, either with the sample size."""
        if len({box.count for box in self.boxes}) != 1:
            return self.x_label, [f"{box.name} (n = {box.count:,})" for box in self.boxes]
        size = f"n = {self.boxes[0].count:,}{' each' * (len(self.boxes) > 1)}"
        return f"{self.x_label} ({size})", [box.name for box in self.boxes]

    def height(self, width: float) -> float:
        return 0.75 + _rows_height(self.names()[1], width, 0.3)

    def draw(self, axes: Axes) -> None:
        label, names = self.names()
        _label_axes(axes, label, "")
        drawn: list[float] = []
        for row, box in enumerate(self.boxes):
            if not box.count:
                continue
            colour = colour_of(box.colour, row)
            drawn += [box.five[0], box.five[-1], *box.beyond]
            keys = ("whislo", "q1", "med", "q3", "whishi")
            line = {"color": colour, "linewidth": 1.0}
            axes.bxp(
                [{**dict(zip(keys, box.five, strict=True)), "fliers": box.beyond}],
                positions=[row],
                widths=0.55,
                orientation="horizontal",
                patch_artist=True,
                manage_ticks=False,
                boxprops={"facecolor": colour + "33", "edgecolor": colour, "linewidth": 1.0},
                medianprops={"color": colour, "linewidth": 2.0},
                whiskerprops=line,
                capprops=line,
                flierprops={"marker": "o", "markersize": 2.2, "mec": colour, "mew": 0.7},
            )
        _label_rows(axes, names)
        _set_limits(axes, pad_limits(drawn))
        if not drawn:
            _draw_empty(axes)

    def table(self) -> ChartTable:
        heads = ("", "runs", "low", "lower quartile", "median", "upper quartile", "high", "beyond")
        return heads, [(box.name, box.count, *box.five, len(box.beyond)) for box in self.boxes]


@dataclass(frozen=True)
class IntervalMark:
    """A value with an optional interval: a dot and a bar."""

    name: str
    value: float
    low: float | None = None
    high: float | None = None
    series: str = ""
    colour: int | None = None


@dataclass(frozen=True)
class IntervalChart:
    """Values with their intervals, one row per name; several `series` share a row."""

    title: str
    x_label: str
    ranges: tuple[IntervalMark, ...]
    log_x: bool = False
    levels: tuple[ReferenceLine, ...] = ()
    x_limits: Limits | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The rows, from the top down."""
        return tuple(dict.fromkeys(each.name for each in self.ranges))

    @property
    def kinds(self) -> tuple[str, ...]:
        """The series, in order."""
        return tuple(dict.fromkeys(each.series for each in self.ranges))

    def height(self, width: float) -> float:
        least = 0.16 + 0.12 * max(len(self.kinds), 1)
        return 0.75 + _rows_height(self.names, width, least) + 0.25 * len(self.levels[:1])

    def draw(self, axes: Axes) -> None:
        _label_axes(axes, self.x_label, "", self.log_x)
        names, kinds = self.names, self.kinds
        values = [level.value for level in self.levels if level.of == "x"]
        labelled: set[str] = {""}
        for each in self.ranges:
            if not drawable([each.value], self.log_x)[0]:
                continue
            kind = kinds.index(each.series)
            y = names.index(each.name) + (kind - (len(kinds) - 1) / 2) * 0.6 / len(kinds)
            colour = colour_of(each.colour, kind)
            if each.low is not None and each.high is not None:
                low, high = (
                    end if drawable([end], self.log_x)[0] else each.value
                    for end in (each.low, each.high)
                )
                values += [low, high]
                axes.plot((low, high), (y, y), color=colour, linewidth=1.6)
                if each.high == math.inf:
                    axes.plot([each.value], [y], ">", color=colour, markersize=3)
            values.append(each.value)
            axes.plot(
                *([each.value], [y], MARKERS[kind % len(MARKERS)]),
                color=colour,
                markersize=5,
                markeredgecolor="white",
                markeredgewidth=0.6,
                linestyle="none",
                label="" if each.series in labelled else _legend_label(each.series),
            )
            labelled.add(each.series)
        _draw_levels(axes, self.levels, self.log_x)
        _label_rows(axes, names)
        for row in range(1, len(names)):
            axes.axhline(row - 0.5, color=FAINT, linewidth=0.6)
        _set_limits(axes, self.x_limits or pad_limits(values, self.log_x))
        if not drawable([each.value for each in self.ranges], self.log_x).any():
            _draw_empty(axes)

    def table(self) -> ChartTable:
        several = any(self.kinds)
        rows = [
            (each.name, *[each.series] * several, each.value, each.low, each.high)
            for each in self.ranges
        ]
        return ("", *[""] * several, self.x_label, "from", "to"), rows


@dataclass(frozen=True)
class HeatMap:
    """Values in a grid: `values[row][column]`, rows from the top down, with `texts` in cells."""

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
    def limits(self) -> Limits:
        """The values of the lightest and the darkest colour."""
        known = [each for row in self.values for each in row if math.isfinite(each)] or [0.0]
        low = min(known) if self.low is None else self.low
        high = max(known) if self.high is None else self.high
        return (low, high) if high > low else (low, low + max(1.0, abs(low)))

    @cached_property
    def cell_texts(self) -> tuple[tuple[str, ...], ...]:
        return self.texts or tuple(
            tuple(f"{value:.3g}" if math.isfinite(value) else "" for value in row)
            for row in self.values
        )

    def height(self, width: float) -> float:
        rotated = self._longest * self._is_rotated(width)
        return max(1.8, 0.9 + _rows_height(self.y_names, width, 0.34)) + 0.045 * rotated

    def draw(self, axes: Axes) -> None:
        from matplotlib.colors import LinearSegmentedColormap

        axes.grid(visible=False)
        if not self.x_names or not self.y_names:
            _draw_empty(axes)
            return
        width, _ = _figure_size(axes)
        low, high = self.limits
        across, down = range(len(self.x_names)), range(len(self.y_names))
        shades = LinearSegmentedColormap.from_list("heat", HEAT_STOPS)
        known = np.where(np.isfinite(self.values), self.values, math.nan)
        mesh = axes.pcolormesh(known, cmap=shades, vmin=low, vmax=high, edgecolors="white", lw=1.5)
        room = max(
            width - 1.1 - 0.075 * min(_name_width(width), max(map(cell_len, self.y_names))), 0.5
        )
        longest = max(cell_len(text) for row in self.cell_texts for text in row)
        size = min(8.0, 72 * room / len(across) / (0.62 * (longest + 0.5)))  # that fits the cells
        for row in down if size >= 5 else ():
            for column in across:
                value = self.values[row][column]
                is_dark = math.isfinite(value) and (value - low) / (high - low) > 0.55
                text = replace_unprintable(self.cell_texts[row][column])
                ink = ON_DARK if is_dark else ON_LIGHT
                axes.text(column + 0.5, row + 0.5, text, color=ink, fontsize=size, **MIDDLE)
        every = math.ceil(0.15 * len(across) / room)
        names = [replace_unprintable(shorten(each, TICK)) for each in self.x_names[::every]]
        axes.set_xticks([each + 0.5 for each in across[::every]], names)
        if self._is_rotated(width):
            axes.tick_params(axis="x", rotation=35)
            for label in axes.get_xticklabels():
                label.set_horizontalalignment("right")
        shown = [_wrap(each, _name_width(width)) for each in self.y_names]
        axes.set_yticks([each + 0.5 for each in down], shown)
        axes.tick_params(length=0)
        axes.invert_yaxis()
        axes.spines[:].set_visible(False)
        beside = max(4 * len(down), 16)  # letters that run up a side
        axes.set_xlabel(_wrap(self.x_label, int(11 * width)))
        axes.set_ylabel(_wrap(self.y_label, beside))
        scale = _wrap(self.value_label, beside)
        bar = axes.figure.colorbar(mesh, ax=axes, label=scale, aspect=12, pad=0.02)
        bar.ax.yaxis.set_major_formatter(_tick)
        bar.outline.set_visible(False)

    @cached_property
    def _longest(self) -> int:
        return max((cell_len(shorten(name, TICK)) for name in self.x_names), default=0)

    def _is_rotated(self, width: float) -> bool:
        """Whether the names below are too long for one line."""
        return self._longest * len(self.x_names) > 10.5 * (width - 1.5)

    def table(self) -> ChartTable:
        rows = zip(self.y_names, self.cell_texts, strict=True)
        return (self.y_label, *self.x_names), [(name, *texts) for name, texts in rows]


@dataclass(frozen=True)
class RankDiagram:
    """A critical-difference diagram: mean ranks (1 is best), and groups without a difference.

    `cliques` are groups of indices in `names`.
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

    @property
    def order(self) -> list[int]:
        """Indices of names that have a rank, the best first."""
        known = (place for place, rank in enumerate(self.ranks) if math.isfinite(rank))
        return sorted(known, key=self.ranks.__getitem__)

    def height(self, _width: float) -> float:
        return 0.5 + 0.2 * (math.ceil(len(self.names) / 2) + len(self.cliques) * 0.5 + 1)

    def draw(self, axes: Axes) -> None:
        """Draw it after Demšar (2006): y points upwards, the axis is at 0."""
        axes.axis("off")
        if not self.order:
            _draw_empty(axes)
            return

        def line(x: Numbers, y: Numbers, width: float, colour: str = INK) -> None:
            axes.plot(x, y, color=colour, linewidth=width)

        def word(x: float, y: float, text: str, side: str = "center") -> None:
            kept = replace_unprintable(text).replace(" ", "\u00a0")  # spaces at the ends too
            axes.text(x, y, kept, color=INK, ha=side, va="center", fontsize=8)

        last = max(len(self.names), 2)
        line((1.0, last), (0.0, 0.0), 1.0)
        every = 1 if last <= 20 else 5 if last <= 60 else 10
        for tick in range(1, last + 1):
            if tick in (1, last) or tick % every == 0:
                line((tick, tick), (0.0, 0.25), 1.0)
                word(tick, 0.65, str(tick))
        gap = self.critical_difference
        if math.isfinite(gap) and gap > 0:
            end = 1.0 + min(gap, last - 1.0)
            line((1.0, end), (1.6, 1.6), 1.6)
            for x in (1.0, end):
                line((x, x), (1.4, 1.8), 1.2)
            word(end, 1.6, f"  critical difference {gap:.2f}", "left")
        depth = 0.5
        for clique in self.cliques:
            ranks = [self.ranks[place] for place in clique if math.isfinite(self.ranks[place])]
            if len(ranks) > 1:
                edges = min(ranks) - 0.02 * (last - 1), max(ranks) + 0.02 * (last - 1)
                line(edges, (-depth, -depth), 3.2)
                depth += 0.5
        half = (len(self.order) + 1) // 2
        names = [shorten(each, RANKED) for each in self.names]
        for place, each in enumerate(self.order):
            left = place < half
            y = -depth - 0.35 - (place if left else len(self.order) - 1 - place)
            rank = self.ranks[each]
            edge = 1.0 - 0.025 * (last - 1) if left else last + 0.025 * (last - 1)
            own = None if self.colours is None else self.colours[each]
            line((rank, rank, edge), (0.0, y, y), 1.1, colour_of(own, each))
            text = f"{names[each]}  {rank:.2f} " if left else f" {rank:.2f}  {names[each]}"
            word(edge, y, text, "right" if left else "left")
        side = 6.8 * (max(map(cell_len, names)) + 8)  # of the 760 pixels that a page is wide
        room = side / max(760 - 2 * side, 150) * (last - 1)
        axes.set(xlim=(1.0 - room, last + room), ylim=(-depth - 0.35 - half, 2.1))

    def table(self) -> ChartTable:
        return ("", "mean rank"), [(self.names[each], self.ranks[each]) for each in self.order]


@dataclass(frozen=True)
class BoardPicture:
    """A board coloured by report 003's fitness map or by `grounds`, or a puzzle without colours."""

    caption: str
    puzzle: Puzzle
    board: bytes | None = None
    grounds: tuple[str | None, ...] | None = None
    """A colour for every cell, or None for the default."""

    def colours(self) -> list[str | None] | None:
        """The colour of every cell; None for a puzzle."""
        if self.grounds is not None:
            return list(self.grounds)
        if self.board is None:
            return None
        return map_colours(np.frombuffer(self.board, np.uint8), self.puzzle.geometry)

    def svg(self, place: str = "") -> str:
        """The board as an SVG document, or as an element at `place`."""
        geometry, givens, colours = self.puzzle.geometry, self.puzzle.digits, self.colours()
        drawn = render.draw(geometry, self.board or givens, givens, style="svg", colours=colours)
        start, _, inside = drawn.partition(">")
        box = re.search(r'viewBox="[^"]*"', start)
        return (
            f'<svg {place or XMLNS} width="{SIDE}" height="{SIDE}" {box[0] if box else ""} '
            f'text-anchor="middle" {FONT}>{inside}'
        )


@dataclass(frozen=True)
class BoardGallery:
    """Boards side by side."""

    title: str
    boards: tuple[BoardPicture, ...]

    @property
    def has_colours(self) -> bool:
        """Whether a board has the colours of the fitness map, so that a key is required."""
        return any(view.board is not None and view.grounds is None for view in self.boards)

    def svg(self) -> str:
        """The boards in rows of three, their captions below them, and the key of their colours."""
        columns = max(1, min(3, len(self.boards)))
        captions = [textwrap.wrap(view.caption, 40) for view in self.boards]
        words = max(map(len, captions), default=0) * LINE + 14
        rows = -(-len(self.boards) // columns)
        width = columns * (SIDE + GAP) - GAP
        height = max(1, rows * (SIDE + words + GAP) - GAP + 30 * self.has_colours)
        pieces = []
        for place, (view, lines) in enumerate(zip(self.boards, captions, strict=True)):
            row, column = divmod(place, columns)
            x, y = column * (SIDE + GAP), row * (SIDE + words + GAP)
            pieces.append(view.svg(f'x="{x}" y="{y}"'))
            pieces += [
                f'<text x="{x + SIDE / 2:g}" y="{y + SIDE + 22 + i * LINE:g}" fill="{INK}" '
                f'text-anchor="middle" font-size="15">{escape(replace_unprintable(line))}</text>'
                for i, line in enumerate(lines)
            ]
        key = f'<g transform="translate(0 {height - 20})">{_KEY}</g>' if self.has_colours else ""
        return (
            f'<svg {XMLNS} viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
            f'role="img" {FONT}><title>{escape(replace_unprintable(self.title))}</title>'
            f"{''.join(pieces)}{key}</svg>\n"
        )


Plot = LineChart | BoxPlot | IntervalChart | HeatMap | RankDiagram
# Each has `draw`, its `height` by its width in inches, and its `table`.
Chart = Plot | BoardGallery
XMLNS = 'xmlns="http://www.w3.org/2000/svg"'
FONT = 'font-family="Helvetica, Arial, sans-serif"'
SIDE, GAP, LINE = 300, 24, 20  # of boards in a picture of several
_KEY = "".join(
    f'<rect x="{46 * points}" width="16" height="16" rx="3" fill="{colour}"/>'
    f'<text x="{46 * points + 22}" y="13" font-size="14" fill="{SOFT}">{text}</text>'
    for points, (colour, text) in enumerate(
        zip(MAP_COLOURS, ("0", "1", "2", "3 complete units"), strict=True)
    )
)
KEY_SVG = f'<svg {XMLNS} viewBox="0 -2 290 20" width="290" height="20" {FONT}>{_KEY}</svg>'


def svg(chart: Chart, width: float = FULL, *, legend: bool = True) -> str:
    """Draw a chart as SVG, `width` in inches, without its title."""
    if isinstance(chart, BoardGallery):
        return chart.svg()
    with drawing():
        file = io.BytesIO()
        save(draw(chart, width, legend=legend), file, "svg", chart.title)
    return file.getvalue().decode()


def draw(chart: Plot, width: float = FULL, *, legend: bool = True) -> Figure:
    """Draw a chart as a matplotlib figure; to be called within `drawing()`."""
    from matplotlib.figure import Figure

    if isinstance(chart, RankDiagram):
        width = max(width, 7.0)  # it has names on both sides
    figure = Figure(figsize=(width, chart.height(width)), layout="constrained")
    axes = figure.subplots()
    chart.draw(axes)
    _set_ticks(axes, width)
    if legend:
        _draw_legend(figure, axes, width)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "constrained_layout not applied")  # before it is enlarged
        for _ in range(8):  # enlarge the figure if labels leave no room for the chart
            figure.draw_without_rendering()
            narrow, low = (share < LEAST for share in axes.get_position().size)
            if not narrow and not low:
                break
            across, down = figure.get_size_inches()
            figure.set_size_inches(across * (1.2 if narrow else 1), down * (1.2 if low else 1))
    fix_layout(figure)
    return figure


def share_limits(panels: Iterable[LineChart]) -> tuple[LineChart, ...]:
    """Give charts the same limits of y, so that they can be compared side by side."""
    charts = tuple(panels)
    known = [
        value
        for chart in charts
        for series in chart.series
        for column in series.points(chart.log_x)[1:]
        for value in column.tolist()
    ]
    if not known:
        return charts
    low, high = pad_limits(known) or (min(known), max(known))
    room = ROOM * (high - low)
    return tuple(replace(chart, y_limits=(low - room, high + room)) for chart in charts)


def draw_panels(panels: Sequence[Plot], width: float = WIDE) -> Figure:
    """Draw charts side by side, with one legend; to be called within `drawing()`."""
    from matplotlib.figure import Figure

    across = width / len(panels)
    height = max(PANEL, *(each.height(across) for each in panels))
    figure = Figure(figsize=(width, height), layout="constrained")
    row = figure.subplots(1, len(panels), squeeze=False)[0]
    marks: dict[str, Any] = {}
    for axes, panel in zip(row, panels, strict=True):
        panel.draw(axes)
        axes.set_title(_wrap(panel.title, int(13 * across)), fontsize=9, color=INK)
        _set_ticks(axes, across)
        handles, names = axes.get_legend_handles_labels()
        marks |= dict(zip(names, handles, strict=True))
    if marks:
        _add_legend(figure, list(marks.values()), list(marks), width)
    figure.draw_without_rendering()
    fix_layout(figure)
    return figure


def numbers(values: ArrayLike) -> Numbers:
    """Convert values to a tuple of floats."""
    return tuple(np.asarray(values, np.float64).ravel().tolist())


def colour_of(place: int | None, index: int) -> str:
    """The colour of a series: by its index in the palette, or its own index."""
    return PALETTE[(index if place is None else place) % len(PALETTE)]


def drawable(values: ArrayLike, log: bool) -> NDArray[np.bool_]:
    """Which values an axis can show."""
    array = np.asarray(values, np.float64)
    return np.isfinite(array) & ((array > 0) | (not log))


def evenly_spaced(count: int, most: int) -> NDArray[np.int64]:
    """At most `most` of `count` indices, evenly spaced, including the first and the last."""
    return np.unique(np.linspace(0, max(count - 1, 0), min(count, most)).round().astype(np.int64))


def pad_limits(values: Iterable[float], log: bool = False) -> Limits | None:
    """Limits of an axis whose values are nearly equal; a logarithmic one spans a power of ten."""
    array = np.array(tuple(values))
    array = array[drawable(array, log)]
    if not len(array):
        return None
    low, high = float(array.min()), float(array.max())
    if log:
        middle = math.sqrt(low) * math.sqrt(high)
        return (middle / 10**0.5, middle * 10**0.5) if high / low < CLOSE else None
    if high - low > 1e-9 * max(abs(low), abs(high)):
        return None
    room = abs(low) / 2 or 0.5
    return low - room, high + room


def shorten(name: str, most: int = LEGEND) -> str:
    """Leave out the middle of a long name: names often differ at their ends."""
    name = " ".join(name.split())
    if cell_len(name) <= most:
        return name
    head, tail = name, name
    while cell_len(head) > (most - 1) * 2 // 3:
        head = head[:-1]
    while cell_len(tail) > most - 1 - cell_len(head):
        tail = tail[1:]
    return f"{head.rstrip()}…{tail.lstrip()}"


def wrap_name(name: str, width: int = 28) -> list[str]:
    """Wrap a long name in at most three lines."""
    name = shorten(name, MOST_LINES * width)
    letters = max(int(width / max(cell_len(name) / max(len(name), 1), 1.0)), 4)
    return textwrap.wrap(name, letters, max_lines=MOST_LINES, placeholder=" …") or [""]


def _wrap(text: str, letters: int) -> str:
    return replace_unprintable("\n".join(wrap_name(text, letters)))


def _legend_label(text: str) -> str:
    """Format a name for a legend, which hides names with a leading underscore."""
    return (" " if text.startswith("_") else "") + replace_unprintable(shorten(text))


def _name_width(width: float) -> int:
    """The number of letters in a line of a name beside the chart."""
    return 18 if width < 5 else 30


def _rows_height(names: Sequence[str], width: float, least: float) -> float:
    """The height in inches of rows with names beside them."""
    lines = (len(wrap_name(name, _name_width(width))) for name in names)
    return sum(max(least, 0.06 + 0.15 * count) for count in lines) or least


def _figure_size(axes: Axes) -> Limits:
    """The width and height of a figure in inches."""
    figure: Any = axes.get_figure(root=True)  # None only for axes that were removed
    across, down = figure.get_size_inches()
    return across, down


def _label_axes(axes: Axes, x_label: str, y_label: str, log_x: bool = False) -> None:
    across, down = _figure_size(axes)
    axes.set_xlabel(_wrap(x_label, int(11 * across)))
    axes.set_ylabel(_wrap(y_label, max(int(13 * (down - 0.5)), 12)))
    axes.set_xscale("log" if log_x else "linear")


def _set_limits(axes: Axes, x: Limits | None, y: Limits | None = None) -> None:
    if x:
        axes.set_xlim(*x)
    if y:
        axes.set_ylim(*y)


def _tick(value: float, _place: object = None) -> str:
    large = f"{value / 1e6:.6g} M"
    return large if abs(value) >= 1e6 else f"{value:,.10g}".replace("-", "−")


def _power(value: float, _place: object = None) -> str:
    """Format a tick of a logarithmic axis: 10³."""
    raised = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
    return "10" + str(round(math.log10(value))).translate(raised) if 0 < value < math.inf else ""


def _set_ticks(axes: Axes, width: float) -> None:
    """Choose tick labels; on logarithmic axes powers of ten, or 1, 2 and 5."""
    from matplotlib.ticker import AutoLocator, LogLocator, MaxNLocator, NullFormatter

    for axis in (axes.xaxis, axes.yaxis):
        if axis.get_scale() == "log":
            low, high = sorted(axis.get_view_interval())
            few = low > 0 and high < 100 * low
            if few:
                axis.set_major_locator(LogLocator(10, (1.0, 2.0, 5.0)))
            axis.set_major_formatter(_tick if few else _power)
            axis.set_minor_formatter(NullFormatter())
        elif isinstance(axis.get_major_locator(), AutoLocator):
            axis.set_major_formatter(_tick)
    if width < 5 and isinstance(axes.xaxis.get_major_locator(), AutoLocator):
        axes.xaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 2.5, 5, 10]))


def _label_rows(axes: Axes, names: Sequence[str]) -> None:
    """Write names on the left side, the first on top."""
    letters = _name_width(_figure_size(axes)[0])
    axes.set_yticks(range(len(names)), [_wrap(name, letters) for name in names])
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.grid(visible=False, axis="y")
    axes.spines["left"].set_visible(False)


def _draw_legend(figure: Figure, axes: Axes, width: float) -> None:
    handles, labels = axes.get_legend_handles_labels()
    if labels:
        _add_legend(figure, handles, labels, width)


def _add_legend(
    figure: Figure, handles: Sequence[Any], labels: Sequence[str], width: float
) -> None:
    across = max(1, min(len(labels), int(width * 14 / (max(map(cell_len, labels)) + 7))))
    rows = -(-len(labels) // across)
    figure.set_figheight(figure.get_figheight() + 0.17 * (rows - 1))  # to make room for it
    figure.legend(handles, labels, loc="outside lower center", ncols=across)


def _draw_levels(axes: Axes, levels: Sequence[ReferenceLine], log_x: bool) -> None:
    for level in levels:
        if drawable([level.value], log_x and level.of == "x")[0]:
            line = axes.axvline if level.of == "x" else axes.axhline
            label = _legend_label(level.label)
            line(level.value, color=SOFT, linewidth=1.0, linestyle="--", label=label, zorder=1)


def _draw_ends(axes: Axes, ends: Sequence[tuple[float, str, str]]) -> None:
    """Write names to the right of the axes, each at the y of its curve's end, but apart."""
    if not ends:
        return
    low, high = axes.get_ylim()
    gap = END_GAP / max(_figure_size(axes)[1] - AROUND, 1.0)
    ranked = sorted(ends)
    shares = [(y - low) / (high - low) for y, _, _ in ranked]
    places = spread_apart(shares, gap)
    for rank in range(len(places)):  # within the axes, if all fit
        places[rank] = max(places[rank], rank * gap)
    for rank in range(len(places)):
        places[-1 - rank] = min(places[-1 - rank], 1 - rank * gap)
    for (_, name, colour), share in zip(ranked, places, strict=True):
        axes.text(
            *(1 + END_PLACE, share, name),
            color=colour,
            fontsize=7,
            va="center",
            ha="center",
            transform=axes.transAxes,
        )


def spread_apart(places: Sequence[float], gap: float) -> list[float]:
    """Move sorted places apart by at least `gap`, as little as possible.

    >>> spread_apart([0.0, 0.5, 0.5], 0.25)
    [0.0, 0.375, 0.625]
    """
    groups: list[list[float]] = []  # of neighbours that touch: their wishes for the first place
    for place in places:
        groups.append([place])
        while len(groups) > 1:
            before, last = groups[-2:]
            if _mean(before) + gap * len(before) <= _mean(last):
                break
            groups[-2:] = [before + [each - gap * len(before) for each in last]]
    return [_mean(group) + gap * rank for group in groups for rank in range(len(group))]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _draw_empty(axes: Axes) -> None:
    axes.text(0.5, 0.5, "no data", color=SOFT, transform=axes.transAxes, **MIDDLE)
    axes.set(xticks=[], yticks=[])
