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

from genoku.engine.history import History, score_column
from genoku.engine.result import Result, errors_text, has_own_score, score_label
from genoku.engine.run import View
from genoku.engine.scale import MIDDLE_DOT, fitness_scale
from genoku.errors import GenokuError, require_extra
from genoku.evolve.fitness import MAP_COLOURS, Repetitions, errors_left, fitness_map
from genoku.evolve.problem import Problem, display_name
from genoku.evolve.state import State, as_search
from genoku.puzzle.board import Board, Puzzle
from genoku.puzzle.formats.entries import binary_writer
from genoku.puzzle.notation import symbol
from genoku.puzzle.render import RULE, SHADE, is_light
from genoku.runtime.notebook import CURVES, INK, PAPER, RESTART, SOFT, replace_unprintable
from genoku.runtime.text import format_count

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from PIL.Image import Image
    from PIL.ImageFont import FreeTypeFont

MAX_POINTS = 1500  # of a curve; more than a page can resolve
MAX_FULL_MARKS = 40  # of restarts; more are short
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

    The first panel shows the fitness as the report states it: best, mean and worst of the
    population, or that of a single current board. The second shows the errors left of the best
    board so far, on the same scale for every algorithm; where the fitness counts errors, there is
    one panel for both. Diversity and rate follow where they were recorded. Strokes below the
    curves mark restarts.

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
    has_both = has_errors and has_scores
    heights = [2.2, 1.5] if has_both else [2.2]
    heights += [0.9] * len(below)
    with drawing():
        figure = Figure(figsize=(7, 1.3 + 1.0 * sum(heights)), layout="constrained")
        grid = figure.subplots(len(heights), 1, sharex=True, squeeze=False, height_ratios=heights)
        panels = grid[:, 0].tolist()
        top, *small = panels
        below_top = small.pop(0) if has_both else top
        if has_errors:
            _draw_errors(below_top, result, has_scores)
        _draw_scores(top, result, has_scores)
        for axes in {top: None, below_top: None}:
            _mark_restarts(axes, history.restarts)
        figure.suptitle(f"{title or _title(result)}\n{_end(result)}", fontsize=10.5, color=INK)
        found = [axes.get_legend_handles_labels() for axes in (top, below_top)]
        handles = {text: each for pair in found for each, text in zip(*pair, strict=True)}
        columns = 6 if len(handles) < 7 else 4
        figure.legend(handles.values(), handles, loc="outside lower center", ncols=columns)
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


def _end(result: Result) -> str:
    """What a run has reached: "Fitness 180 of 243, mean 171.3; 14 errors left"."""
    errors = "solved" if result.solved else errors_text(result.errors)
    if result.fitness_scale is None:
        return errors
    return f"{result.fitness_scale.statement(result.cost, result.mean_fitness)}; {errors}"


def _mark_restarts(axes: Axes, steps: Sequence[int]) -> None:
    """Mark the steps at which the search started anew with strokes on the axis."""
    if not steps:
        return
    many = len(steps) > MAX_FULL_MARKS
    axes.vlines(
        steps[:: 1 + len(steps) // MAX_POINTS],
        0,
        0.06 if many else 1,
        transform=axes.get_xaxis_transform(),
        color=RESTART,
        linewidth=0.4 if many else 0.8,
        linestyle="-" if many else ":",
        label="restarts",
        zorder=1,
    )


def _draw_errors(axes: Axes, result: Result, alone: bool) -> None:
    """Draw the errors left of the best board so far, alone or above those of all boards."""
    if "errors" in result.history:
        few = result.history.downsample(MAX_POINTS)
        style: Any = {"color": CURVES["best"]} if alone else {"color": INK, "linestyle": ":"}
        axes.plot(few["gen"], few["errors"], label="best board so far", zorder=4, **style)
    label = "errors left\n(best board so far)"
    if not alone:
        label = score_label(result.problem).replace(", ", " = errors left,\n")
    _add_levels(axes, 0, Repetitions().floor(result.puzzle) or None, label)


def _draw_scores(axes: Axes, result: Result, is_own: bool) -> None:
    """Draw the best, mean and worst of the population; errors left have been drawn below them."""
    problem, history = result.problem, result.history
    few = history.downsample(MAX_POINTS)
    steps = few["gen"]
    if history.has_single_board:
        now = score_column(few, "best", problem)
        axes.plot(steps, now, color=CURVES["best"], linewidth=0.9, label="current board")
    else:
        scores = {name: score_column(few, name, problem) for name in CURVES}
        axes.fill_between(steps, scores["best"], scores["worst"], color="#eef1f6", linewidth=0)
        for place, name in enumerate(CURVES):  # the best on top
            axes.plot(steps, scores[name], color=CURVES[name], label=name, zorder=3 - 0.1 * place)
    if not is_own:
        return
    if "best_ever" in history and (history["best_ever"] < history["best"]).any():
        ever = score_column(few, "best_ever", problem)
        axes.plot(steps, ever, color=INK, linewidth=0.9, linestyle=":", label="best so far")
    scale = fitness_scale(problem)
    solved = scale.goal if scale else 0.0
    _add_levels(axes, solved, result.ceiling, score_label(problem).replace(", ", "\n"))


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


CHANGED = "#ffd75f"
OPEN = "#eef0f4"  # nearly white, so that the lines between open cells are visible
MARGIN = 12
SMALLEST_FONT = 8


def board_png(
    puzzle: Puzzle,
    board: Sequence[int],
    grounds: Sequence[str | None] | None = None,
    candidates: Sequence[Collection[int]] | None = None,
    caption: str = "",
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
    caption
        A text below the board.
    """
    from PIL import ImageDraw

    require_lab()
    side = puzzle.side
    cell = max(36, min(96, 1440 // side)) * (2 if candidates and side > 9 else 1)
    shown = [
        (grounds[place] if grounds else None) or (SHADE if given else PAPER)
        for place, given in enumerate(puzzle.digits)
    ]
    font = _font(max(12, round(0.032 * cell * side)))
    below = 2 * font.size if caption else 0
    painter = _Painter(puzzle, cell, RULE, INK)
    picture = painter.board(board, shown, candidates=candidates, below=round(below))
    if caption:
        middle = painter.full / 2, painter.full + font.size / 2
        ImageDraw.Draw(picture).text(middle, caption, INK, font, "mm")
    stream = io.BytesIO()
    picture.save(stream, format="PNG", optimize=True)
    return stream.getvalue()


class Frame(NamedTuple):
    """The best board of a population, with its step and cost."""

    step: int
    board: Board
    cost: int
    board_id: int | None = None  #: Its id; None for a search with a single board
    mean: float | None = None  #: Mean fitness of its population, as the report states it
    restarts: int = 0  #: How often the search had started anew


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
        state = view.state
        place = state.costs.argmin()
        self.frames.append(
            Frame(
                step=step,
                board=state.boards[place].copy(),
                cost=int(state.costs[place]),
                **_population_facts(view.problem, state, int(state.ids[place])),
            )
        )
        if len(self.frames) > self.max_frames:
            self.every *= 2
            first, *later = self.frames
            self.frames = [first, *(frame for frame in later if frame.step % self.every == 0)]

    def write(
        self, result: Result, path: str | Path, colours: Sequence[str] | None = MAP_COLOURS
    ) -> None:
        """Write the film as an animated GIF, which ends with the best board of the run.

        `colours` are those of `write_gif`.
        """
        facts = _population_facts(result.problem, result.state, result.best_id)
        frames = [*self.frames, Frame(result.steps, result.board, result.cost, **facts)]
        if len(frames) > 1 and np.array_equal(frames[-2].board, result.board):
            del frames[-2]  # the last frame would repeat it
        write_gif(path, frames, result.problem, as_search(result.algorithm).step_name, colours)


def _population_facts(problem: Problem, state: State, board_id: int) -> dict[str, Any]:
    """The fields of a `Frame` about the population of a board."""
    scale, restarts = fitness_scale(problem), int(state.memory.get("restarts", 0))
    if scale is None or len(state.costs) == 1:
        return {"restarts": restarts}
    return {"board_id": board_id, "mean": scale.mean(state.costs), "restarts": restarts}


def write_gif(
    path: str | Path,
    frames: Sequence[Frame],
    problem: Problem,
    word: str = "generation",
    colours: Sequence[str] | None = MAP_COLOURS,
) -> None:
    """Write boards as an animated GIF, in the colours of report 003's fitness map.

    Givens are bold, changed cells framed, open cells pale. Every frame shows its step, its errors
    left, the restarts so far, the id of its board, and the fitness as the report states it.

    Parameters
    ----------
    word
        What a step is called.
    colours
        Colours of cells with 0, 1, 2 and 3 complete units: dark for 0, light for the others. None
        leaves cells uncoloured, with givens shaded.
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
    frames: Sequence[Frame], problem: Problem, word: str, colours: Sequence[str] | None
) -> Iterator[Image]:
    """Draw the frames of a film, all with the same palette."""
    from PIL import ImageDraw
    from PIL.Image import Dither

    side, scale = problem.puzzle.side, fitness_scale(problem)
    thin, thick = (RULE, INK) if colours is None else (PAPER, PAPER)
    painter = _Painter(problem.puzzle, min(48, max(18, 440 // side)), thin, thick)
    top, right = painter.full + 2, painter.full - MARGIN
    lines = 1 + (scale is not None) + (colours is not None)
    texts = _frame_texts(frames, problem, word)
    room = right - MARGIN
    font = _fitting_font(15, room, [f"{each.step}   {each.verdict}" for each in texts])
    small = _fitting_font(15, room, [each.fitness for each in texts])
    keys = _fitting_font(15, room - 4 * 34, ["complete units"])

    def ground_of(cell: int, digit: int, units: int) -> str:
        if not digit:
            return OPEN
        if colours is None:
            return SHADE if problem.puzzle.digits[cell] else PAPER
        return colours[units]

    def picture(frame: Frame, before: Board, text: _FrameText) -> Image:
        digits = frame.board.tolist()
        units: list[int] = fitness_map(frame.board, problem.puzzle.geometry).tolist()
        cells = enumerate(zip(digits, units, strict=True))
        grounds = [ground_of(cell, digit, complete) for cell, (digit, complete) in cells]
        changed = (frame.board != before).tolist()
        made = painter.board(digits, grounds, changed=changed, below=6 + 22 * lines)
        draw = ImageDraw.Draw(made)
        draw.rectangle((MARGIN - 2, MARGIN - 2, right + 2, right + 2), None, INK, 2)
        draw.text((MARGIN, top), text.step, INK, font, "la")
        draw.text((right, top), text.verdict, INK, font, "ra")
        draw.text((MARGIN, top + 22), text.fitness, INK, small, "la")
        key = top + 22 * (lines - 1)
        if colours is not None:
            draw.text((MARGIN, key), "complete units", SOFT, keys, "la")
        for points, colour in enumerate(colours or ()):
            x = right - 34 * (4 - points)
            draw.rectangle((x + 14, key + 1, x + 33, key + 16), colour)
            draw.text((x + 24, key + 9), str(points), _ink_for(colour), keys, "mm")
        return made

    # The palette covers the last frame and every kind of cell that a film can show.
    every = picture(frames[-1], frames[-1].board, texts[-1])
    fills = (SHADE, PAPER) if colours is None else colours
    kinds = [(0, OPEN), *((digit, each) for digit in range(1, side + 1) for each in fills)]
    for place, (digit, ground) in enumerate(kinds[: side * side]):
        tile = painter.tile(digit, ground, place % 2 == 0, place % 3 == 0)
        every.paste(tile, painter.place(place))
    palette = every.quantize(128)
    before = frames[0].board
    for frame, text in zip(frames, texts, strict=True):
        yield picture(frame, before, text).quantize(palette=palette, dither=Dither.NONE)
        before = frame.board


class _FrameText(NamedTuple):
    """What stands below the board of a frame."""

    step: str
    verdict: str
    fitness: str


def _frame_texts(frames: Sequence[Frame], problem: Problem, word: str) -> list[_FrameText]:
    """The texts of all frames."""
    scale, puzzle = fitness_scale(problem), problem.puzzle
    texts = []
    for frame in frames:
        restarts = format_count(frame.restarts, "restart") if frame.restarts else ""
        step = ", ".join(filter(None, (f"{word} {frame.step:,}", restarts)))
        fitness = scale.statement(frame.cost, frame.mean) if scale else ""
        if frame.board_id is not None:
            fitness = f"ID {frame.board_id}{MIDDLE_DOT}{fitness}"
        errors = errors_text(errors_left(frame.board, puzzle.geometry))
        verdict = "solved" if puzzle.is_solved_by(frame.board) else errors
        texts.append(_FrameText(step, verdict, fitness))
    return texts


def _fitting_font(size: int, room: float, texts: Sequence[str]) -> FreeTypeFont:
    """The largest font, up to a size, in which every text fits into the room."""
    font = _font(size)
    while font.size > SMALLEST_FONT and max(map(font.getlength, texts)) > room:
        font = _font(round(font.size) - 1)
    return font


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
