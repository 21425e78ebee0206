"""Charts of reports: what they show as plain data, drawn as SVG by matplotlib.

Every kind of chart draws itself on matplotlib's axes, and gives its values as a table. The same
chart gives the same bytes. Numbers may be missing or infinite anywhere; what cannot be drawn is
left out.
"""

from __future__ import annotations

import io
import math
import re
import textwrap
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from rich.cells import cell_len

from genoku import picture
from genoku.board import Puzzle
from genoku.display import INK, SOFT, printable
from genoku.figures import FAINT, drawing, save, settle
from genoku.fitness import MAP_COLOURS, map_colours

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PALETTE = (
    *("#0072b2", "#d55e00", "#009e73", "#b5579d", "#b98100", "#2ba3d4", "#6b5bb5", "#5f6672"),
)
"""Colours that colour-blind readers tell apart, after Okabe and Ito, a little darker for lines."""

DASHES: tuple[tuple[float, ...], ...] = ((), (5, 2), (1.2, 1.6), (5, 1.6, 1.2, 1.6))
"""How lines are broken whose colour comes again, in widths of the line."""

MIDDLE: Any = {"ha": "center", "va": "center"}
MARKERS = ("o", "s", "D", "^", "X", "P")
HEAT_STOPS = ("#f4f8fc", "#cfe1f2", "#93c4e0", "#4a97c9", "#1764ab", "#08306b")
ON_LIGHT, ON_DARK = "#1f2228", "#fdfdfd"  # in cells of a map, which a dark page leaves as they are
HALF, FULL = 3.6, 7.2  # inches that a drawing is wide, beside another or alone
LEAST = 0.22  # of a drawing's width and height that the chart itself has, words around it
MOST_POINTS = 300  # of a curve
MOST_DOTS = 2000  # of points that no line joins
MOST_ROWS = 12  # of a curve in a table
MOST_LINES = 3  # of a long name
CLOSE = 5  # times the least value: a logarithmic axis of fewer holds one of the ticks 1, 2 and 5
LEGEND, TICK, RANKED = 36, 20, 32  # columns of a name in a legend, below an axis, in a rank diagram

Numbers = tuple[float, ...]
Ends = tuple[float, float]
Style = Literal["line", "steps", "dashed", "points"]
Rows = tuple[tuple[str, ...], list[tuple[str | float | None, ...]]]
"""Headings and rows of a table."""


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

    def drawn(self, log_x: bool = False, log_y: bool = False) -> list[NDArray[np.float64]]:
        """Its columns x, y and, if there is a band, low and high as they are drawn.

        Without what the axes cannot show, and thinned along the x axis.
        """
        columns = [
            np.array(each) for each in (self.x, self.y, self.low, self.high) if each is not None
        ]
        good = drawable(columns[0], log_x)
        for column in columns[1:]:
            good &= drawable(column, log_y)
        kept = np.flatnonzero(good)
        if self.style == "points":
            kept = kept[evenly(len(kept), MOST_DOTS)]
        elif len(kept) > MOST_POINTS:
            along = np.log(columns[0][kept]) if log_x else columns[0][kept]
            places = evenly(len(kept), MOST_POINTS)
            if (np.diff(along) >= 0).all():
                near = np.searchsorted(along, np.linspace(along[0], along[-1], MOST_POINTS))
                places = np.unique(np.append(near.clip(0, len(along) - 1), (0, len(along) - 1)))
            kept = kept[places]
        return [column[kept] for column in columns]


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
    y_limits: Ends | None = None

    def height(self, width: float) -> float:
        return 0.62 * width if width < 5 else 0.47 * width

    def look(self, index: int) -> tuple[str, tuple[float, ...]]:
        """The colour of a series, and how its line is broken."""
        series = self.series[index]
        place = index if series.colour is None else series.colour
        again = 1 if series.style == "dashed" else place // len(PALETTE) % len(DASHES)
        return colour_of(series.colour, index), DASHES[again]

    def draw(self, axes: Axes) -> None:
        _name_axes(axes, self.x_label, self.y_label, self.log_x, self.log_y)
        x_values: list[float] = []
        y_values: list[float] = []
        told: set[str] = set()
        for index, series in enumerate(self.series):
            x, y, *band = series.drawn(self.log_x, self.log_y)
            if not len(x):
                continue
            x_values += x.tolist()
            y_values += np.concatenate((y, *band)).tolist()
            colour, dashes = self.look(index)
            label = "" if series.group in told else _label(series.group or series.name)
            told |= {series.group} - {""}
            stepped: Any = "post" if series.style == "steps" else None
            if band:
                low, high = band
                axes.fill_between(x, low, high, step=stepped, color=colour, alpha=0.16, lw=0)
            if series.style == "points" or len(x) == 1:
                axes.plot(x, y, "o", color=colour, markersize=3.5, label=label)
                continue
            drawn: Any = {"drawstyle": "steps-post" if stepped else "default", "label": label}
            axes.plot(x, y, color=colour, linestyle=(0, dashes) if dashes else "-", **drawn)
        if not x_values:
            _say_nothing(axes)
            return
        _draw_levels(axes, self.levels, self.log_x, self.log_y)
        x_values += [level.value for level in self.levels if level.of == "x"]
        y_values += [level.value for level in self.levels if level.of == "y"]
        _limit(axes, wider(x_values, self.log_x), self.y_limits or wider(y_values, self.log_y))

    def table(self) -> Rows:
        """Every curve at a dozen of its points."""
        rows: list[tuple[str | float | None, ...]] = []
        banded = any(series.low is not None for series in self.series)
        for series in self.series:
            columns = series.drawn(self.log_x, self.log_y)
            few = evenly(len(columns[0]), MOST_ROWS)
            rows += [(series.name,)] * bool(len(few))
            padded = [*columns, *[np.full(len(columns[0]), math.nan)] * 2][: 4 if banded else 2]
            rows += map(tuple, np.array(padded).T[few].tolist())
        heads = (self.x_label, self.y_label, *["from", "to"] * banded)
        return heads, rows


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
        lower, median, upper = np.quantile(array, (0.25, 0.5, 0.75)).tolist()
        reach = 1.5 * (upper - lower)
        inside = (array >= lower - reach) & (array <= upper + reach)
        beyond = np.unique(array[~inside])
        # Interpolated quartiles may lie outside all values that are inside the reach.
        low, high = min(float(array[inside].min()), lower), max(float(array[inside].max()), upper)
        shown = numbers(beyond[evenly(len(beyond), 100)])
        return cls(name, len(array), low, lower, median, upper, high, shown, colour)

    @property
    def five(self) -> Numbers:
        """From the end of one whisker to the end of the other."""
        return self.low, self.lower, self.median, self.upper, self.high


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

    def height(self, width: float) -> float:
        return 0.75 + _rows_height(self.names, width, 0.3)

    def draw(self, axes: Axes) -> None:
        _name_axes(axes, self.axis, "", self.log_x)
        drawn: list[float] = []
        for row, box in enumerate(self.boxes):
            if not drawable(box.five, self.log_x).all():
                continue
            colour = colour_of(box.colour, row)
            beyond = np.array(box.beyond)[drawable(box.beyond, self.log_x)]
            drawn += [box.low, box.high, *beyond]
            keys = ("whislo", "q1", "med", "q3", "whishi")
            line = {"color": colour, "linewidth": 1.0}
            axes.bxp(
                [{**dict(zip(keys, box.five, strict=True)), "fliers": beyond}],
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
        _name_rows(axes, self.names)
        _limit(axes, wider(drawn, self.log_x))
        if not drawn:
            _say_nothing(axes)

    def table(self) -> Rows:
        heads = ("", "runs", "low", "lower quartile", "median", "upper quartile", "high", "beyond")
        return heads, [(box.name, box.count, *box.five, len(box.beyond)) for box in self.boxes]


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
    x_limits: Ends | None = None

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
        _name_axes(axes, self.x_label, "", self.log_x)
        names, kinds = self.names, self.kinds
        values = [level.value for level in self.levels if level.of == "x"]
        told: set[str] = {""}
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
                label="" if each.series in told else _label(each.series),
            )
            told.add(each.series)
        _draw_levels(axes, self.levels, self.log_x, False)
        _name_rows(axes, names)
        for row in range(1, len(names)):
            axes.axhline(row - 0.5, color=FAINT, linewidth=0.6)
        _limit(axes, self.x_limits or wider(values, self.log_x))
        if not drawable([each.value for each in self.ranges], self.log_x).any():
            _say_nothing(axes)

    def table(self) -> Rows:
        several = any(self.kinds)
        rows = [
            (each.name, *[each.series] * several, each.value, each.low, each.high)
            for each in self.ranges
        ]
        return ("", *[""] * several, self.x_label, "from", "to"), rows


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
    def limits(self) -> Ends:
        """What the palest and the darkest colour stand for."""
        known = [each for row in self.values for each in row if math.isfinite(each)] or [0.0]
        low = min(known) if self.low is None else self.low
        high = max(known) if self.high is None else self.high
        return (low, high) if high > low else (low, low + max(1.0, abs(low)))

    @cached_property
    def cell_texts(self) -> tuple[tuple[str, ...], ...]:
        """What is written in the cells."""
        return self.texts or tuple(
            tuple(f"{value:.3g}" if math.isfinite(value) else "" for value in row)
            for row in self.values
        )

    def height(self, width: float) -> float:
        turned = max(map(_tick_columns, self.x_names), default=0) * self._is_turned(width)
        return max(1.8, 0.9 + _rows_height(self.y_names, width, 0.34)) + 0.045 * turned

    def draw(self, axes: Axes) -> None:
        from matplotlib.colors import LinearSegmentedColormap

        axes.grid(visible=False)
        if not self.x_names or not self.y_names:
            _say_nothing(axes)
            return
        width, _ = _inches(axes)
        low, high = self.limits
        across, down = range(len(self.x_names)), range(len(self.y_names))
        shades = LinearSegmentedColormap.from_list("heat", HEAT_STOPS)
        known = np.where(np.isfinite(self.values), self.values, math.nan)
        mesh = axes.pcolormesh(known, cmap=shades, vmin=low, vmax=high, edgecolors="white", lw=1.5)
        room = max(width - 1.1 - 0.075 * min(_room(width), max(map(cell_len, self.y_names))), 0.5)
        longest = max(cell_len(text) for row in self.cell_texts for text in row)
        size = min(8.0, 72 * room / len(across) / (0.62 * (longest + 0.5)))  # that fits the cells
        for row in down if size >= 5 else ():
            for column in across:
                value = self.values[row][column]
                is_dark = math.isfinite(value) and (value - low) / (high - low) > 0.55
                text = printable(self.cell_texts[row][column])
                ink = ON_DARK if is_dark else ON_LIGHT
                axes.text(column + 0.5, row + 0.5, text, color=ink, fontsize=size, **MIDDLE)
        every = math.ceil(0.15 * len(across) / room)
        names = [printable(shortened(each, TICK)) for each in self.x_names[::every]]
        axes.set_xticks([each + 0.5 for each in across[::every]], names)
        if self._is_turned(width):
            axes.tick_params(axis="x", rotation=35)
            for label in axes.get_xticklabels():
                label.set_horizontalalignment("right")
        shown = [_lines(each, _room(width)) for each in self.y_names]
        axes.set_yticks([each + 0.5 for each in down], shown)
        axes.tick_params(length=0)
        axes.invert_yaxis()
        axes.spines[:].set_visible(False)
        beside = max(4 * len(down), 16)  # letters that run up a side
        axes.set_xlabel(_lines(self.x_label, int(11 * width)))
        axes.set_ylabel(_lines(self.y_label, beside))
        scale = _lines(self.value_label, beside)
        bar = axes.figure.colorbar(mesh, ax=axes, label=scale, aspect=12, pad=0.02)
        bar.ax.yaxis.set_major_formatter(_tick)
        bar.outline.set_visible(False)

    def _is_turned(self, width: float) -> bool:
        """Whether the names below are too long to stand side by side."""
        longest = max(map(_tick_columns, self.x_names), default=0)
        return longest * len(self.x_names) > 10.5 * (width - 1.5)

    def table(self) -> Rows:
        rows = zip(self.y_names, self.cell_texts, strict=True)
        return (self.y_label, *self.x_names), [(name, *texts) for name, texts in rows]


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

    @property
    def order(self) -> list[int]:
        """Places of those that have a rank, the best first."""
        known = (place for place, rank in enumerate(self.ranks) if math.isfinite(rank))
        return sorted(known, key=lambda place: self.ranks[place])

    def height(self, width: float) -> float:
        del width
        return 0.5 + 0.2 * (math.ceil(len(self.names) / 2) + len(self.cliques) * 0.5 + 1)

    def draw(self, axes: Axes) -> None:
        """Draw it after Demšar (2006): y points upwards, the axis is at 0."""
        axes.axis("off")
        if not self.order:
            _say_nothing(axes)
            return

        def line(x: Numbers, y: Numbers, width: float, colour: str = INK) -> None:
            axes.plot(x, y, color=colour, linewidth=width)

        def word(x: float, y: float, text: str, side: str = "center") -> None:
            kept = printable(text).replace(" ", "\u00a0")  # spaces at the ends too
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
        names = [shortened(each, RANKED) for each in self.names]
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

    def table(self) -> Rows:
        return ("", "mean rank"), [(self.names[each], self.ranks[each]) for each in self.order]


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

    def svg(self, place: str = "") -> str:
        """The board as SVG, as large as its place allows, or as an element at `place`."""
        geometry = self.puzzle.geometry
        board = np.frombuffer(self.board, np.uint8)
        colours = map_colours(board, geometry) if self.mapped else None
        drawn = picture.draw(geometry, self.board, self.puzzle.digits, style="svg", colours=colours)
        start, _, inside = drawn.partition(">")
        box = re.search(r'viewBox="[^"]*"', start)
        return (
            f'<svg {place or XMLNS} width="{SIDE}" height="{SIDE}" {box[0] if box else ""} '
            f'text-anchor="middle" {FONT}>{inside}'
        )


@dataclass(frozen=True)
class Boards:
    """Boards side by side, coloured by report 003's fitness map where `mapped`."""

    title: str
    boards: tuple[BoardView, ...]

    @property
    def mapped(self) -> bool:
        """Whether colours mean something."""
        return any(view.mapped for view in self.boards)

    def svg(self) -> str:
        """The boards in rows of three, their captions below them, and the key of their colours."""
        columns = max(1, min(3, len(self.boards)))
        captions = [textwrap.wrap(view.caption, 40) for view in self.boards]
        words = max(map(len, captions), default=0) * LINE + 14
        rows = -(-len(self.boards) // columns)
        width = columns * (SIDE + GAP) - GAP
        height = max(1, rows * (SIDE + words + GAP) - GAP + 30 * self.mapped)
        pieces = []
        for place, (view, lines) in enumerate(zip(self.boards, captions, strict=True)):
            row, column = divmod(place, columns)
            x, y = column * (SIDE + GAP), row * (SIDE + words + GAP)
            pieces.append(view.svg(f'x="{x}" y="{y}"'))
            pieces += [
                f'<text x="{x + SIDE / 2:g}" y="{y + SIDE + 22 + i * LINE:g}" fill="{INK}" '
                f'text-anchor="middle" font-size="15">{escape(printable(line))}</text>'
                for i, line in enumerate(lines)
            ]
        key = f'<g transform="translate(0 {height - 20})">{_KEY}</g>' if self.mapped else ""
        return (
            f'<svg {XMLNS} viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
            f'role="img" {FONT}><title>{escape(printable(self.title))}</title>'
            f"{''.join(pieces)}{key}</svg>\n"
        )


Plot = Lines | Boxes | Ranges | Heat | Ranks
"""What matplotlib draws: each has `draw`, its `height` by its width in inches, and its `table`."""

Chart = Plot | Boards

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
"""The key of the fitness map."""


def svg(chart: Chart, width: float = FULL, *, legend: bool = True) -> str:
    """A chart as SVG, so many inches wide; its title belongs into the caption."""
    if isinstance(chart, Boards):
        return chart.svg()
    with drawing():
        file = io.BytesIO()
        save(draw(chart, width, legend=legend), file, "svg", chart.title)
    return file.getvalue().decode()


def draw(chart: Plot, width: float = FULL, *, legend: bool = True) -> Figure:
    """A chart as a figure of matplotlib; to be called while `drawing()`."""
    from matplotlib.figure import Figure

    if isinstance(chart, Ranks):
        width = max(width, 7.0)  # its names stand on both sides
    figure = Figure(figsize=(width, chart.height(width)), layout="constrained")
    axes = figure.subplots()
    chart.draw(axes)
    _set_ticks(axes, width)
    if legend:
        _draw_legend(figure, axes, width)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "constrained_layout not applied")  # room is made below
        for _ in range(8):  # larger where words would leave the chart no room
            figure.draw_without_rendering()
            narrow, low = (share < LEAST for share in axes.get_position().size)
            if not narrow and not low:
                break
            across, down = figure.get_size_inches()
            figure.set_size_inches(across * (1.2 if narrow else 1), down * (1.2 if low else 1))
    settle(figure)
    return figure


def numbers(values: ArrayLike) -> Numbers:
    """Values of any kind as a tuple of floats."""
    return tuple(np.asarray(values, np.float64).ravel().tolist())


def colour_of(place: int | None, index: int) -> str:
    """The colour of a series: its own place in the palette, or its index."""
    return PALETTE[(index if place is None else place) % len(PALETTE)]


def drawable(values: ArrayLike, log: bool) -> NDArray[np.bool_]:
    """Which values an axis can show."""
    array = np.asarray(values, np.float64)
    return np.isfinite(array) & ((array > 0) | (not log))


def evenly(count: int, most: int) -> NDArray[np.int64]:
    """At most so many places out of a count, evenly, the first and last among them."""
    return np.unique(np.linspace(0, max(count - 1, 0), min(count, most)).round().astype(np.int64))


def wider(values: Iterable[float], log: bool) -> Ends | None:
    """Ends of an axis whose values are all but equal; None if they themselves may say.

    A logarithmic axis then has a whole power of ten, which is three ticks.
    """
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


def shortened(name: str, most: int = LEGEND) -> str:
    """A name without its middle if it is too long: names often differ at either end."""
    name = " ".join(name.split())
    if cell_len(name) <= most:
        return name
    head, tail = name, name
    while cell_len(head) > (most - 1) * 2 // 3:
        head = head[:-1]
    while cell_len(tail) > most - 1 - cell_len(head):
        tail = tail[1:]
    return f"{head.rstrip()}…{tail.lstrip()}"


def wrapped(name: str, width: int = 28) -> list[str]:
    """A long name in at most three lines."""
    name = shortened(name, MOST_LINES * width)
    letters = max(int(width / max(cell_len(name) / max(len(name), 1), 1.0)), 4)
    return textwrap.wrap(name, letters, max_lines=MOST_LINES, placeholder=" …") or [""]


def _lines(text: str, letters: int) -> str:
    return printable("\n".join(wrapped(text, letters)))


def _label(text: str) -> str:
    """A name in a legend, which matplotlib would hide if it began with an underscore."""
    return (" " if text.startswith("_") else "") + printable(shortened(text))


def _tick_columns(name: str) -> int:
    return cell_len(shortened(name, TICK))


def _room(width: float) -> int:
    """How many letters a line of a name beside the chart may have."""
    return 18 if width < 5 else 30


def _rows_height(names: Sequence[str], width: float, least: float) -> float:
    """How high rows are that their names stand beside."""
    return (
        sum(max(least, 0.06 + 0.15 * len(wrapped(name, _room(width)))) for name in names) or least
    )


def _inches(axes: Axes) -> Ends:
    """How wide and how high the drawing is that axes are part of."""
    figure: Any = axes.get_figure(root=True)  # which is none only for axes that were taken out
    across, down = figure.get_size_inches()
    return across, down


def _name_axes(
    axes: Axes, x_label: str, y_label: str, log_x: bool = False, log_y: bool = False
) -> None:
    across, down = _inches(axes)
    axes.set_xlabel(_lines(x_label, int(11 * across)))
    axes.set_ylabel(_lines(y_label, max(int(13 * (down - 0.5)), 12)))
    axes.set(xscale="log" if log_x else "linear", yscale="log" if log_y else "linear")


def _limit(axes: Axes, x: Ends | None, y: Ends | None = None) -> None:
    if x:
        axes.set_xlim(*x)
    if y:
        axes.set_ylim(*y)


def _tick(value: float, place: object = None) -> str:
    del place
    if abs(value) >= 1e6:
        return f"{value / 1e6:.6g} M"
    return f"{value:,.10g}".replace("-", "−")


def _power(value: float, place: object = None) -> str:
    """A tick of a logarithmic axis: 10³."""
    del place
    return "10" + str(round(math.log10(value))).translate(_RAISED) if value > 0 else ""


_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def _set_ticks(axes: Axes, width: float) -> None:
    """As many labels as there is room for; on logarithmic axes powers of ten, or 1, 2 and 5."""
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


def _name_rows(axes: Axes, names: Sequence[str]) -> None:
    """Names down the left side, the first on top."""
    letters = _room(_inches(axes)[0])
    axes.set_yticks(range(len(names)), [_lines(name, letters) for name in names])
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.grid(visible=False, axis="y")
    axes.spines["left"].set_visible(False)


def _draw_legend(figure: Figure, axes: Axes, width: float) -> None:
    handles, labels = axes.get_legend_handles_labels()
    if not labels:
        return
    across = max(1, min(len(labels), int(width * 14 / (max(map(cell_len, labels)) + 7))))
    rows = -(-len(labels) // across)
    figure.set_figheight(figure.get_figheight() + 0.17 * (rows - 1))  # room of its own
    figure.legend(handles, labels, loc="outside lower center", ncols=across)


def _draw_levels(axes: Axes, levels: Sequence[Level], log_x: bool, log_y: bool) -> None:
    for level in levels:
        if drawable([level.value], log_x if level.of == "x" else log_y)[0]:
            line = axes.axvline if level.of == "x" else axes.axhline
            label = _label(level.label)
            line(level.value, color=SOFT, linewidth=1.0, linestyle="--", label=label, zorder=1)


def _say_nothing(axes: Axes) -> None:
    axes.text(0.5, 0.5, "nothing to draw", color=SOFT, transform=axes.transAxes, **MIDDLE)
    axes.set(xticks=[], yticks=[])
