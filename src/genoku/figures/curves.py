"""The curves of a run: scores over its generations, and below them diversity and rate."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from pathlib import Path
from threading import RLock
from typing import IO, TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from genoku.display import CURVES, INK, SOFT, printable
from genoku.engine.history import History
from genoku.engine.result import Result, scale_text
from genoku.errors import GenokuError, require
from genoku.fitting import called
from genoku.formats.writing import replacing_bytes
from genoku.problem import Problem
from genoku.state import declared

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

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
