"""Pictures of runs: curves as SVG, PNG or PDF, a board as PNG, and evolving as a GIF.

They need matplotlib, and Pillow, which comes with it. Nothing here touches pyplot, so that a
server may draw in any thread, and the same run gives the same bytes.
"""

from __future__ import annotations

import io
import math
import re
import warnings
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from html import escape
from pathlib import Path
from threading import RLock
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from genoku.board import Board, Puzzle
from genoku.display import CURVES, INK, PAPER, SOFT, printable
from genoku.engine.history import History
from genoku.engine.result import Result, scale_text, score_text
from genoku.engine.run import View
from genoku.errors import GenokuError, require
from genoku.fitness import MAP_COLOURS, fitness_map
from genoku.formats.entries import replacing_bytes
from genoku.notation import symbol
from genoku.picture import RULE, SHADE, is_light
from genoku.problem import Problem, called
from genoku.state import declared

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from PIL.Image import Image
    from PIL.ImageFont import FreeTypeFont

__all__ = [
    "Film",
    "Frame",
    "board_png",
    "history_figure",
    "picture_format",
    "plot_history",
    "require_lab",
    "write_gif",
]

FORMATS = ("svg", "png", "pdf")
MOST_POINTS = 1500  # of a curve; more than a page can show

FAINT = "#e4e6eb"

STYLE: Any = {
    "font.size": 9,
    "text.parse_math": False,  # names stand as they are
    "axes.edgecolor": SOFT,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "grid.color": FAINT,
    "grid.linewidth": 0.6,
    "xtick.color": INK,
    "ytick.color": INK,
    "lines.linewidth": 1.4,
    "lines.solid_capstyle": "butt",
    "legend.frameon": False,
    "legend.fontsize": 8,
    "legend.labelcolor": INK,
    "svg.fonttype": "none",  # text stays text
    "svg.hashsalt": "genoku",  # else ids are drawn anew each time
    "savefig.dpi": 200,
}

UNDATED: dict[str, Any] = {
    "svg": {"Date": None},
    "png": {"Software": None},
    "pdf": {"CreationDate": None},
}
"""The metadata of every format without what would differ from time to time."""

DRAWING = RLock()  # matplotlib keeps its style for all threads


@contextmanager
def drawing() -> Iterator[None]:
    """Draw in the style of all figures, one thread at a time."""
    require_lab()
    from matplotlib import rc_context

    with DRAWING, rc_context(STYLE), warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"Glyph \d+ .* missing from font")  # readers may have it
        yield


def save(figure: Figure, file: IO[bytes], kind: str, title: str = "") -> None:
    """Write a figure as `svg`, `png` or `pdf`: the same figure gives the same bytes."""
    if kind != "svg":
        figure.savefig(file, format=kind, metadata=UNDATED[kind])
        return
    drawn = io.StringIO()
    figure.savefig(drawn, format="svg", metadata=UNDATED[kind])
    file.write(_compact(drawn.getvalue(), title).encode())


def _compact(svg: str, title: str) -> str:
    """A third of what matplotlib writes: one font for all, and paths to a hundredth of a point."""

    def short(tag: re.Match[str]) -> str:
        text = re.sub(r' ?font-family: [^;"]*;|(?<=<g) id="[^"]*"', "", tag[0])
        text = re.sub(r' transform="rotate\(-?0 [^"]*"|\s*\n|(?<=[MLCQ]) ', "", text)
        return re.sub(r"-?\d+\.\d{3,}", lambda found: f"{float(found[0]):.2f}", text)

    size = re.search(r'width="[^"]*" height="[^"]*" viewBox="[^"]*"', svg)
    body = svg.partition("</metadata>")[2] or svg.partition('version="1.1">')[2]
    body = re.sub(r"<style.*?</style>|<!--.*?-->", "", body, flags=re.DOTALL)
    body = re.sub(r">\s+<", "><", re.sub(r"<[^<>]*>", short, body))
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
        f'{size[0] if size else ""} font-family="Helvetica, Arial, sans-serif" '
        f'stroke-linejoin="round" role="img"><title>{escape(printable(title))}</title>'
        f"{re.sub('<(g|defs)></(g|defs)>', '', body).strip()}\n"
    )


def require_lab() -> None:
    """Raise unless what draws is installed."""
    require("lab", "pictures of runs need matplotlib", "matplotlib", "PIL")


def picture_format(path: str | Path) -> str:
    """The format that a path's suffix stands for, if curves can be drawn in it."""
    suffix = Path(path).suffix.lower().lstrip(".")
    if suffix not in FORMATS:
        raise GenokuError(f"{path}: expected a name that ends in .svg, .png or .pdf")
    return suffix


def plot_history(result: Result, path: str | Path, *, title: str = "") -> None:
    """Draw a run's curves to a `.svg`, `.png` or `.pdf` file."""
    kind = picture_format(path)
    with drawing(), replacing_bytes(path) as file:
        save(history_figure(result, title=title), file, kind, title or _title(result))


def history_figure(result: Result, *, title: str = "") -> Figure:
    """Best, mean and worst on the report's own scale; below them diversity and rate."""
    require_lab()
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    history, algorithm = result.history, result.algorithm
    lacking = [name for name in ("gen", *CURVES) if name not in history]
    if lacking:
        raise GenokuError(f"a plot needs a history with {', '.join(lacking)}")
    below = {"diversity": "diversity", "rate": declared(algorithm).rate_name}
    below = {
        name: label
        for name, label in below.items()
        if name in history and np.isfinite(history[name]).sum() > 1
    }
    if len(result.state.costs) == 1:
        below.pop("diversity", None)
    with drawing():
        figure = Figure(figsize=(7, 3.3 + 0.95 * len(below)), layout="constrained")
        heights = [3.0] + [0.9] * len(below)
        grid = figure.subplots(len(heights), 1, sharex=True, squeeze=False, height_ratios=heights)
        top, *small = grid[:, 0].tolist()
        _draw_scores(top, result)
        figure.suptitle(title or _title(result), fontsize=10.5, color=INK)
        figure.legend(loc="outside lower center", ncols=6)
        for axes, (name, label) in zip(small, below.items(), strict=True):
            _draw_small(axes, history["gen"], history[name], label)
        [top, *small][-1].set_xlabel(declared(algorithm).step_name)
        whole = MaxNLocator("auto", steps=[1, 2, 5, 10], integer=True, min_n_ticks=1)
        top.xaxis.set_major_locator(whole)
        figure.align_ylabels()
        figure.draw_without_rendering()
        settle(figure)
    return figure


def settle(figure: Figure) -> None:
    """Keep its layout once and for all; the solver's last digits differ from time to time."""
    figure.set_layout_engine("none")
    for axes in figure.axes:
        left, bottom, width, height = axes.get_position().bounds
        axes.set_position((round(left, 4), round(bottom, 4), round(width, 4), round(height, 4)))


def _title(result: Result) -> str:
    return f"{called(result.algorithm)} on a {result.puzzle.geometry} board, seed {result.seed}"


def _draw_scores(axes: Axes, result: Result) -> None:
    problem, history = result.problem, result.history
    few = history.sketch(MOST_POINTS)
    steps = few["gen"]
    shown = {name: _scores(problem, few[name]) for name in CURVES}
    if history.is_of_one_board:
        axes.plot(steps, shown["mean"], color=CURVES["best"], linewidth=0.9, label="current board")
    else:
        axes.fill_between(steps, shown["best"], shown["worst"], color="#eef1f6", linewidth=0)
        for place, name in enumerate(CURVES):  # the best on top
            axes.plot(steps, shown[name], color=CURVES[name], label=name, zorder=3 - 0.1 * place)
    if "best_ever" in history and (history["best_ever"] < history["best"]).any():
        ever = _scores(problem, few["best_ever"])
        axes.plot(steps, ever, color=INK, linewidth=0.9, linestyle=":", label="best so far")
    _draw_level(axes, float(_scores(problem, np.zeros(1))[0]), "--", "solved")
    if result.ceiling is not None:
        _draw_level(axes, result.ceiling, "-.", "ceiling: givens clash")
    better = "higher" if problem.fitness.maximise else "lower"
    axes.set_ylabel(f"{scale_text(problem)}\n({better} is better)")
    axes.margins(x=0.01)


def _draw_level(axes: Axes, score: float, linestyle: str, label: str) -> None:
    axes.axhline(score, color=SOFT, linewidth=1.0, linestyle=linestyle, label=label)


def _draw_small(axes: Axes, steps: NDArray[Any], values: NDArray[Any], label: str) -> None:
    taken = np.isfinite(values)
    steps, values = steps[taken], values[taken]
    few = History({"gen": steps, "value": values}).sketch(MOST_POINTS)
    marker = "." if not taken.all() and few.rows < 40 else None
    axes.plot(few["gen"], few["value"], color=INK, linewidth=1.1, marker=marker)
    axes.set_ylabel(label)
    axes.set_ylim(bottom=0, top=1.12 * float(values.max()) or 1.0)


def _scores(problem: Problem, costs: NDArray[Any]) -> NDArray[Any]:
    """Costs on the report's own scale; a mean is no whole number, which scales do not mind."""
    return np.asarray(problem.fitness.score(costs, problem.puzzle.geometry), np.float64)


CHANGED = "#ffd75f"
OPEN = "#eef0f4"  # nearly paper, so that the lines between open cells are seen
MARGIN = 12


def board_png(
    puzzle: Puzzle,
    board: Sequence[int],
    grounds: Sequence[str | None] | None = None,
    candidates: Sequence[Collection[int]] | None = None,
) -> bytes:
    """Draw a board on the colours of its cells; givens are bold, candidates small in blanks."""
    require_lab()
    side = puzzle.side
    cell = max(36, min(96, 1440 // side)) * (2 if candidates and side > 9 else 1)
    shown = [
        (grounds[place] if grounds else None) or (SHADE if given else PAPER)
        for place, given in enumerate(puzzle.digits)
    ]
    picture = _Painter(puzzle, cell, RULE, INK).board(board, shown, candidates=candidates)
    stream = io.BytesIO()
    picture.save(stream, format="PNG", optimize=True)
    return stream.getvalue()


class Frame(NamedTuple):
    """The best board of a population, and when."""

    step: int
    board: Board
    cost: int


class Film:
    """A watcher that keeps the best board of every 2^k-th step, so that memory stays bounded.

    `run(..., watch=film)`, then `film.write(result, "run.gif")`.
    """

    def __init__(self, frames: int = 120) -> None:
        self.most = frames
        self.every = 1
        self.frames: list[Frame] = []

    def __call__(self, view: View) -> None:
        step = view.state.step
        if step % self.every:
            return
        costs = view.state.costs
        place = int(costs.argmin())
        self.frames.append(Frame(step, view.state.boards[place].copy(), int(costs[place])))
        if len(self.frames) > self.most:
            self.every *= 2
            first, *later = self.frames
            self.frames = [first, *(frame for frame in later if frame.step % self.every == 0)]

    def write(self, result: Result, path: str | Path, colours: Sequence[str] = MAP_COLOURS) -> None:
        """Write the film; it ends with the best board of the run."""
        frames = [*self.frames, Frame(result.steps, result.board, result.cost)]
        if len(frames) > 1 and np.array_equal(frames[-2].board, result.board):
            del frames[-2]  # else nothing would have changed in the last one
        write_gif(path, frames, result.problem, declared(result.algorithm).step_name, colours)


def write_gif(
    path: str | Path,
    frames: Sequence[Frame],
    problem: Problem,
    word: str = "generation",
    colours: Sequence[str] = MAP_COLOURS,
) -> None:
    """Draw boards by report 003's fitness map: givens bold, changes framed, open cells pale.

    Other `colours` than the usual are dark for 0 complete units and light for 1 to 3 of them.
    """
    require_lab()
    if not frames:
        raise GenokuError("expected a frame or more, got none")
    pictures = _pictures(frames, problem, word, colours)
    shown = round(min(500, max(80, 12_000 / len(frames))), -1)
    with replacing_bytes(path) as file:
        next(pictures).save(
            file,
            format="GIF",
            save_all=True,
            append_images=pictures,
            duration=[shown] * (len(frames) - 1) + [3000],
            loop=0,
            optimize=False,
        )


def _pictures(
    frames: Sequence[Frame], problem: Problem, word: str, colours: Sequence[str]
) -> Iterator[Image]:
    """The frames of a film, all with the same colours."""
    from PIL import ImageDraw
    from PIL.Image import Dither

    side = problem.puzzle.side
    painter = _Painter(problem.puzzle, min(48, max(18, 440 // side)), PAPER, PAPER)
    top, right, font = painter.full + 2, painter.full - MARGIN, _font(15)

    def picture(frame: Frame, before: Board) -> Image:
        digits = frame.board.tolist()
        units: list[int] = fitness_map(frame.board, problem.puzzle.geometry).tolist()
        grounds = [
            colours[each] if digit else OPEN for each, digit in zip(units, digits, strict=True)
        ]
        made = painter.board(digits, grounds, changed=(frame.board != before).tolist(), below=50)
        draw = ImageDraw.Draw(made)
        draw.rectangle((MARGIN - 2, MARGIN - 2, right + 2, right + 2), None, INK, 2)
        draw.text((MARGIN, top), f"{word} {frame.step:,}", INK, font, "la")
        solved = problem.puzzle.is_solved_by(frame.board)
        told = "solved" if solved else score_text(problem, frame.cost)
        draw.text((right, top), told, INK, font, "ra")
        draw.text((MARGIN, top + 22), "complete units", SOFT, font, "la")
        for points, colour in enumerate(colours):
            x = right - 34 * (4 - points)
            draw.rectangle((x + 14, top + 23, x + 33, top + 38), colour)
            draw.text((x + 24, top + 31), str(points), _ink_on(colour), font, "mm")
        return made

    # The palette is that of the last frame, and of every kind of tile that a film may show.
    every = picture(frames[-1], frames[-1].board)
    looks = [(digit, colour) for digit in range(1, side + 1) for colour in colours]
    kinds = [(0, OPEN), *looks]
    for place, (digit, ground) in enumerate(kinds[: side * side]):
        tile = painter.tile(digit, ground, place % 2 == 0, place % 3 == 0)
        every.paste(tile, painter.place(place))
    palette = every.quantize(128)
    before = frames[0].board
    for frame in frames:
        yield picture(frame, before).quantize(palette=palette, dither=Dither.NONE)
        before = frame.board


class _Painter:
    """Draws boards of one size; cells that look alike are drawn once."""

    def __init__(self, puzzle: Puzzle, cell: int, thin: str, thick: str) -> None:
        self.puzzle, self.cell, self.thin, self.thick = puzzle, cell, thin, thick
        self.full = puzzle.side * cell + 2 * MARGIN
        size = round(cell * (0.55 if puzzle.side <= 35 else 0.45))
        self.fonts = _font(size), _font(size, "-Bold")
        self.tiles: dict[tuple[int, str, bool, bool], Image] = {}

    def board(
        self,
        board: Sequence[int],
        grounds: Sequence[str],
        *,
        changed: Sequence[bool] | None = None,
        candidates: Sequence[Collection[int]] | None = None,
        below: int = 0,
    ) -> Image:
        """The board on the colours of its cells, and so much room below it."""
        from PIL import Image, ImageDraw

        picture = Image.new("RGB", (self.full, self.full + below), PAPER)
        for place, (digit, given) in enumerate(zip(board, self.puzzle.digits, strict=True)):
            edge = changed is not None and changed[place]
            picture.paste(self.tile(digit, grounds[place], given > 0, edge), self.place(place))
        draw = ImageDraw.Draw(picture)
        if candidates is not None:
            self._add_candidates(draw, board, candidates)
        first, last = MARGIN, self.full - MARGIN
        geometry = self.puzzle.geometry
        for i in range(geometry.side + 1):
            at = first + i * self.cell
            for line, box in (
                ((first, at, last, at), geometry.box_rows),
                ((at, first, at, last), geometry.box_cols),
            ):
                draw.line(line, self.thin if i % box else self.thick, 1 if i % box else 4)
        return picture

    def place(self, cell: int) -> tuple[int, int]:
        row, column = divmod(cell, self.puzzle.side)
        return MARGIN + column * self.cell, MARGIN + row * self.cell

    def tile(self, digit: int, ground: str, given: bool, changed: bool) -> Image:
        """A cell with its digit, framed if it has changed."""
        from PIL import Image, ImageDraw

        key = digit, ground, given, changed
        if key not in self.tiles:
            tile = Image.new("RGB", (self.cell, self.cell), ground)
            draw = ImageDraw.Draw(tile)
            if changed:
                edge = max(2, self.cell // 14)
                draw.rectangle((2, 2, self.cell - 2, self.cell - 2), None, CHANGED, edge)
            text = symbol(digit, self.puzzle.side) if digit else ""
            middle = self.cell / 2, self.cell / 2
            draw.text(middle, text, _ink_on(ground), self.fonts[given], "mm")
            self.tiles[key] = tile
        return self.tiles[key]

    def _add_candidates(
        self, draw: Any, board: Sequence[int], candidates: Sequence[Collection[int]]
    ) -> None:
        side = self.puzzle.side
        across = math.isqrt(side - 1) + 1  # they stand in rows of so many
        small = _font(round(self.cell / across * (0.8 if side <= 35 else 0.6)))
        for place, digits in enumerate(candidates):
            x, y = self.place(place)
            for each in () if board[place] else digits:
                down, right = divmod(each - 1, across)
                step = self.cell / across
                middle = x + (right + 0.5) * step, y + (down + 0.5) * step
                draw.text(middle, symbol(each, side), INK, small, "mm")


def _font(size: int, weight: str = "") -> FreeTypeFont:
    from matplotlib import get_data_path
    from PIL import ImageFont

    path = Path(get_data_path(), "fonts", "ttf", f"DejaVuSans{weight}.ttf")
    return ImageFont.truetype(path, size)


def _ink_on(colour: str) -> str:
    return INK if is_light(colour) else PAPER
