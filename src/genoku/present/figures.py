"""Pictures of runs: curves as SVG, PNG or PDF, a board as PNG, and a run as an animated GIF.

They require matplotlib, and Pillow, which comes with it. pyplot is not used, so that a server can
draw in any thread. The same run gives the same bytes.
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

from genoku.engine.history import History
from genoku.engine.result import Result, errors_text, has_own_score, own_score_label
from genoku.engine.run import View
from genoku.errors import GenokuError, require_extra
from genoku.evolve.fitness import MAP_COLOURS, Repetitions, errors_left, fitness_map
from genoku.evolve.problem import Problem, display_name
from genoku.evolve.state import as_search
from genoku.puzzle.board import Board, Puzzle
from genoku.puzzle.formats.entries import binary_writer
from genoku.puzzle.notation import symbol
from genoku.puzzle.render import RULE, SHADE, is_light
from genoku.runtime.notebook import CURVES, INK, PAPER, SOFT, replace_unprintable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from PIL.Image import Image
    from PIL.ImageFont import FreeTypeFont

MAX_POINTS = 1500  # of a curve; more than a page can resolve
FAINT = "#e4e6eb"
# The file formats of figures, and metadata without dates and versions
UNDATED: dict[str, Any] = {
    "svg": {"Date": None},
    "png": {"Software": None},
    "pdf": {"CreationDate": None},
}
DRAWING = RLock()  # the style of matplotlib is global


@contextmanager
def drawing() -> Iterator[None]:
    """Draw in the style of all figures, one thread at a time."""
    require_lab()
    from matplotlib import rc_context

    style = Path(__file__).with_name("report.mplstyle")
    salt: Any = {"svg.hashsalt": "genoku"}  # ids are random otherwise
    with DRAWING, rc_context(salt, style), warnings.catch_warnings():
        # The viewer may have the font
        warnings.filterwarnings("ignore", r"Glyph \d+ .* missing from font")
        yield


def save(figure: Figure, file: IO[bytes], kind: str, title: str = "") -> None:
    """Write a figure as `svg`, `png` or `pdf`: the same figure gives the same bytes."""
    if kind != "svg":
        figure.savefig(file, format=kind, metadata=UNDATED[kind])
        return
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    drawn = io.StringIO()
    # Unlike `savefig`, this does not draw the figure a first time only to lay it out.
    FigureCanvasSVG(figure).print_svg(drawn, metadata=UNDATED[kind])
    file.write(_compact(drawn.getvalue(), title).encode())


def _compact(svg: str, title: str) -> str:
    """Reduce the SVG of matplotlib to a third: one font, paths to a hundredth of a point."""

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
        f'stroke-linejoin="round" role="img"><title>{escape(replace_unprintable(title))}</title>'
        f"{re.sub('<(g|defs)></(g|defs)>', '', body).strip()}\n"
    )


def require_lab() -> None:
    """Raise an error unless matplotlib and Pillow are installed."""
    require_extra("lab", "pictures of runs require matplotlib", "matplotlib", "PIL")


def picture_format(path: str | Path) -> str:
    """Return the format of a file name: `svg`, `png` or `pdf`.

    Raises GenokuError for any other suffix.
    """
    suffix = Path(path).suffix.lower().lstrip(".")
    if suffix not in UNDATED:
        raise GenokuError(f"{path}: expected a name that ends in .svg, .png or .pdf")
    return suffix


def plot_history(result: Result, path: str | Path, *, title: str = "") -> None:
    """Draw the curves of a run to a `.svg`, `.png` or `.pdf` file.

    See `history_figure`; `title` replaces the default title.
    """
    kind = picture_format(path)
    with drawing(), binary_writer(path) as file:
        save(history_figure(result, title=title), file, kind, title or _title(result))


def history_figure(result: Result, *, title: str = "") -> Figure:
    """Draw the curves of a run as a matplotlib figure.

    The first panel shows the errors left of the best board so far, on the same scale for every
    algorithm. A fitness function with a scale of its own has a second panel, with the best, mean
    and worst score of the population. Diversity and rate follow where they were recorded.

    Raises
    ------
    GenokuError
        If the history has no `gen`, `best`, `mean` or `worst`.
    """
    require_lab()
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    history, algorithm = result.history, result.algorithm
    missing = [name for name in ("gen", *CURVES) if name not in history]
    if missing:
        raise GenokuError(f"a plot requires a history with {', '.join(missing)}")
    below = {"diversity": "diversity", "rate": as_search(algorithm).rate_name}
    below = {name: label for name, label in below.items() if _is_recorded(history, name, 2)}
    if len(result.state.costs) == 1:
        below.pop("diversity", None)
    has_scores = has_own_score(result.problem)
    has_errors = _is_recorded(history, "errors", 1) or not has_scores
    heights = [2.2] * (has_errors + has_scores) + [0.9] * len(below)
    with drawing():
        figure = Figure(figsize=(7, 1.3 + 1.0 * sum(heights)), layout="constrained")
        grid = figure.subplots(len(heights), 1, sharex=True, squeeze=False, height_ratios=heights)
        panels = grid[:, 0].tolist()
        top, *small = panels[has_errors and has_scores :]
        if has_errors:
            _draw_errors(panels[0], result, has_scores)
        _draw_scores(top, result, has_scores)
        figure.suptitle(title or _title(result), fontsize=10.5, color=INK)
        lines = {line.get_label(): line for axes in (panels[0], top) for line in axes.get_lines()}
        figure.legend(lines.values(), lines, loc="outside lower center", ncols=6)
        for axes, (name, label) in zip(small, below.items(), strict=True):
            _draw_small(axes, history["gen"], history[name], label)
        panels[-1].set_xlabel(as_search(algorithm).step_name)
        whole = MaxNLocator("auto", steps=[1, 2, 5, 10], integer=True, min_n_ticks=1)
        panels[0].xaxis.set_major_locator(whole)
        figure.align_ylabels()
        figure.draw_without_rendering()
        fix_layout(figure)
    return figure


def _is_recorded(history: History, name: str, points: int) -> bool:
    """Whether a column was recorded with at least `points` values."""
    return name in history and bool(np.isfinite(history[name]).sum() >= points)


def fix_layout(figure: Figure) -> None:
    """Replace the layout engine by rounded positions: the last digits of its solver vary."""
    figure.set_layout_engine("none")
    for axes in figure.axes:
        left, bottom, width, height = axes.get_position().bounds
        axes.set_position((round(left, 4), round(bottom, 4), round(width, 4), round(height, 4)))


def _title(result: Result) -> str:
    name = display_name(result.algorithm)
    return f"{name} on a {result.puzzle.geometry} board, seed {result.seed}"


def _draw_errors(axes: Axes, result: Result, alone: bool) -> None:
    """Draw the errors left of the best board so far, alone or above those of all boards."""
    if "errors" in result.history:
        few = result.history.downsample(MAX_POINTS)
        style: Any = {"color": CURVES["best"]} if alone else {"color": INK, "linestyle": ":"}
        axes.plot(few["gen"], few["errors"], label="best board so far", zorder=4, **style)
    label = "errors left\n(best board so far)" if alone else "errors left"
    _add_levels(axes, 0, Repetitions().floor(result.puzzle) or None, label)


def _draw_scores(axes: Axes, result: Result, is_own: bool) -> None:
    """Draw the best, mean and worst of the population; errors left have been drawn below them."""
    problem, history = result.problem, result.history
    few = history.downsample(MAX_POINTS)
    steps = few["gen"]
    scores = {name: _scores(problem, few[name]) for name in CURVES}
    if history.has_single_board:
        axes.plot(steps, scores["mean"], color=CURVES["best"], linewidth=0.9, label="current board")
    else:
        axes.fill_between(steps, scores["best"], scores["worst"], color="#eef1f6", linewidth=0)
        for place, name in enumerate(CURVES):  # the best on top
            axes.plot(steps, scores[name], color=CURVES[name], label=name, zorder=3 - 0.1 * place)
    if not is_own:
        return
    if "best_ever" in history and (history["best_ever"] < history["best"]).any():
        ever = _scores(problem, few["best_ever"])
        axes.plot(steps, ever, color=INK, linewidth=0.9, linestyle=":", label="best score so far")
    solved = float(_scores(problem, np.zeros(1))[0])
    _add_levels(axes, solved, result.ceiling, own_score_label(problem).replace(", ", "\n"))


def _add_levels(axes: Axes, solved: float, limit: float | None, label: str) -> None:
    """Mark the level of a solution and the limit that conflicting givens set; label the axis."""
    axes.axhline(solved, linestyle="--", label="solved", color=SOFT, linewidth=1.0)
    if limit is not None:
        text = "limit: givens conflict"
        axes.axhline(limit, linestyle="-.", label=text, color=SOFT, linewidth=1.0)
    axes.set_ylabel(label)
    axes.margins(x=0.01)


def _draw_small(axes: Axes, steps: NDArray[Any], values: NDArray[Any], label: str) -> None:
    taken = np.isfinite(values)
    steps, values = steps[taken], values[taken]
    few = History({"gen": steps, "value": values}).downsample(MAX_POINTS)
    marker = "." if not taken.all() and few.rows < 40 else None
    axes.plot(few["gen"], few["value"], color=INK, linewidth=1.1, marker=marker)
    axes.set_ylabel(label)
    axes.set_ylim(bottom=0, top=1.12 * float(values.max()) or 1.0)


def _scores(problem: Problem, costs: NDArray[Any]) -> NDArray[Any]:
    """Convert costs, or mean costs, to the report's own scale."""
    return np.asarray(problem.fitness.score(costs, problem.puzzle.geometry), np.float64)


CHANGED = "#ffd75f"
OPEN = "#eef0f4"  # nearly white, so that the lines between open cells are visible
MARGIN = 12


def board_png(
    puzzle: Puzzle,
    board: Sequence[int],
    grounds: Sequence[str | None] | None = None,
    candidates: Sequence[Collection[int]] | None = None,
) -> bytes:
    """Draw a board as PNG.

    Parameters
    ----------
    board
        The digits of all cells, row by row; 0 is a blank. Givens of the puzzle are bold.
    grounds
        Background colours of the cells; None for the default.
    candidates
        Digits to draw small into each blank.
    """
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
    """The best board of a population, with its step and cost."""

    step: int
    board: Board
    cost: int


class Film:
    """A watcher that films a run: `run(..., watch=film)`, then `film.write(result, "run.gif")`.

    Parameters
    ----------
    frames
        The most frames to keep. A longer run is filmed every second, fourth, … step.
    """

    def __init__(self, frames: int = 120) -> None:
        self.max_frames = frames
        self.every = 1
        self.frames: list[Frame] = []

    def __call__(self, view: View) -> None:
        step = view.state.step
        if step % self.every:
            return
        costs = view.state.costs
        place = costs.argmin()
        self.frames.append(Frame(step, view.state.boards[place].copy(), int(costs[place])))
        if len(self.frames) > self.max_frames:
            self.every *= 2
            first, *later = self.frames
            self.frames = [first, *(frame for frame in later if frame.step % self.every == 0)]

    def write(self, result: Result, path: str | Path, colours: Sequence[str] = MAP_COLOURS) -> None:
        """Write the film as an animated GIF, which ends with the best board of the run."""
        frames = [*self.frames, Frame(result.steps, result.board, result.cost)]
        if len(frames) > 1 and np.array_equal(frames[-2].board, result.board):
            del frames[-2]  # the last frame would repeat it
        write_gif(path, frames, result.problem, as_search(result.algorithm).step_name, colours)


def write_gif(
    path: str | Path,
    frames: Sequence[Frame],
    problem: Problem,
    word: str = "generation",
    colours: Sequence[str] = MAP_COLOURS,
) -> None:
    """Write boards as an animated GIF, in the colours of report 003's fitness map.

    Givens are bold, changed cells framed, open cells pale. Every frame shows its step and its
    errors left.

    Parameters
    ----------
    word
        What a step is called.
    colours
        Colours of cells with 0, 1, 2 and 3 complete units: dark for 0, light for the others.
    """
    require_lab()
    if not frames:
        raise GenokuError("expected one or more frames, got none")
    pictures = _pictures(frames, problem, word, colours)
    shown = round(min(500, max(80, 12_000 / len(frames))), -1)
    with binary_writer(path) as file:
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
    """Draw the frames of a film, all with the same palette."""
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
        errors = errors_left(frame.board, problem.puzzle.geometry)
        solved = problem.puzzle.is_solved_by(frame.board)
        draw.text((right, top), "solved" if solved else errors_text(errors), INK, font, "ra")
        draw.text((MARGIN, top + 22), "complete units", SOFT, font, "la")
        for points, colour in enumerate(colours):
            x = right - 34 * (4 - points)
            draw.rectangle((x + 14, top + 23, x + 33, top + 38), colour)
            draw.text((x + 24, top + 31), str(points), _ink_for(colour), font, "mm")
        return made

    # The palette covers the last frame and every kind of cell that a film can show.
    every = picture(frames[-1], frames[-1].board)
    kinds = [(0, OPEN), *((digit, each) for digit in range(1, side + 1) for each in colours)]
    for place, (digit, ground) in enumerate(kinds[: side * side]):
        tile = painter.tile(digit, ground, place % 2 == 0, place % 3 == 0)
        every.paste(tile, painter.place(place))
    palette = every.quantize(128)
    before = frames[0].board
    for frame in frames:
        yield picture(frame, before).quantize(palette=palette, dither=Dither.NONE)
        before = frame.board


class _Painter:
    """Draws boards of one size; equal cells are drawn once."""

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
        """Draw a board, with `below` pixels of space below it."""
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
        """Draw a cell with its digit, framed if it has changed."""
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
            draw.text(middle, text, _ink_for(ground), self.fonts[given], "mm")
            self.tiles[key] = tile
        return self.tiles[key]

    def _add_candidates(
        self, draw: Any, board: Sequence[int], candidates: Sequence[Collection[int]]
    ) -> None:
        side = self.puzzle.side
        across = math.isqrt(side - 1) + 1  # candidates in a row
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


def _ink_for(colour: str) -> str:
    return INK if is_light(colour) else PAPER
