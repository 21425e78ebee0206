"""The pictures of the architecture page: what flows from module to module, as tables and as SVG.

    python docs/figures/dataflow.py          writes dataflow.svg and doors.svg beside this file

Every arrow names where it can be seen in the code, and a test looks there: `FILE: genoku.x.name`
is a name that the file imports and uses, `FILE: thing.method` a call of a method that the module
at the other end has.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path

FOLDER = Path(__file__).parent
WIDE, HIGH = 150, 50  # of a box
NARROW = 104  # what is outside
ACROSS, DOWN = 198, 96  # from box to box
MARGIN = 16
INK, PALE, LINE, OUTSIDE = "#1b2733", "#eaf2f8", "#0b5c94", "#8a949e"


@dataclass(frozen=True)
class Box:
    """Modules that do one thing, or with none of them something outside; where it stands."""

    name: str
    says: str
    column: float
    row: float
    modules: tuple[str, ...] = ()

    @property
    def wide(self) -> int:
        return WIDE if self.modules else NARROW

    @property
    def middle(self) -> tuple[float, float]:
        left = MARGIN + self.column * ACROSS - (WIDE - NARROW) + WIDE / 2
        x = MARGIN + NARROW / 2 if self.column == 0 else left
        return x, MARGIN + self.row * DOWN + HIGH / 2


@dataclass(frozen=True)
class Arrow:
    """What flows from one box to another, and where that can be seen."""

    start: str
    end: str
    flows: str
    seen: str = ""


@dataclass(frozen=True)
class Picture:
    """Boxes and the arrows between them."""

    name: str
    title: str
    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]

    def box(self, name: str) -> Box:
        return next(box for box in self.boxes if box.name == name)


def room(says: str, column: float, row: float, *modules: str) -> Box:
    """A box that is called as its modules are, their folder said once."""
    first, *others = modules
    name = ", ".join([first, *(each.rpartition(".")[2] for each in others)])
    return Box(name, says, column, row, modules)


DATAFLOW = Picture(
    "dataflow",
    "From pasted text to a published report",
    (
        Box("pasted text", "a string", 0, 0),
        room("reads text", 1, 0, "notation"),
        room("the givens: Puzzle", 2, 0, "board"),
        room("what boards may be", 3, 0, "encoding"),
        room("puzzle, space, costs", 4, 0, "problem"),
        Box("files", "of puzzles", 0, 1),
        room("reads and writes them", 1, 1, "formats"),
        room("what boards cost", 3, 1, "fitness"),
        Box("TOML", "a recipe", 0, 2),
        room("recipes with names", 1, 2, "preset_library"),
        room("data to algorithm", 2, 2, "recipe"),
        room("start and step", 3, 2, "algorithms", "state"),
        room("start, advance, finish", 4, 2, "engine.run"),
        room("draws from a seed", 5, 2, "stream"),
        room("a row per step", 3, 3, "engine.history"),
        room("what came of it", 5, 3, "engine.result"),
        room("a run on disk", 4, 4, "engine.checkpoint"),
        Box("study.toml", "the question", 0, 5),
        room("checks it as a whole", 1, 5, "lab.studyfile"),
        room("arms, puzzles, seeds", 2, 5, "lab.study"),
        room("hands out batches", 3, 5, "lab.runner"),
        room("SQLite, a row per run", 5, 5, "lab.store"),
        Box("report", "HTML, paper", 1, 6),
        room("sections as data", 2, 6, "lab.page"),
        room("figures as SVG", 3, 6, "lab.charts"),
        room("what may be said", 4, 6, "lab.report"),
        room("runs as columns", 5, 6, "lab.results"),
        room("tests and intervals", 4, 7, "lab.statistics"),
        room("CSV, Parquet, IOH", 5, 7, "lab.export"),
    ),
    (
        Arrow("pasted text", "notation", ""),
        Arrow("notation", "board", "digits", "board: genoku.notation.read"),
        Arrow("files", "formats", ""),
        Arrow("formats", "board", "Puzzle", "formats/lines: genoku.board.Puzzle"),
        Arrow("board", "encoding", "Puzzle", "encoding: genoku.board.Puzzle"),
        Arrow("encoding", "problem", "space", "problem: genoku.encoding.SearchSpace"),
        Arrow("fitness", "problem", "costs", "problem: genoku.fitness.Fitness"),
        Arrow("TOML", "preset_library", ""),
        Arrow("preset_library", "recipe", "recipe", "preset_library/named: genoku.recipe.build"),
        Arrow(
            "recipe",
            "algorithms, state",
            "built",
            "recipe/catalog: genoku.algorithms.ALGORITHMS",
        ),
        Arrow("algorithms, state", "engine.run", "State", "engine/run: algorithm.step"),
        Arrow("problem", "engine.run", "Problem", "engine/run: genoku.problem.Problem.of"),
        Arrow("stream", "engine.run", "stream", "engine/run: genoku.stream.stream"),
        Arrow("engine.run", "engine.history", "row", "engine/run: genoku.engine.history.Rows"),
        Arrow(
            "engine.run", "engine.checkpoint", "arrays", "engine/run: genoku.engine.checkpoint.save"
        ),
        Arrow("engine.run", "engine.result", "run", "engine/run: genoku.engine.result.Result"),
        Arrow("engine.result", "lab.runner", "Result", "lab/runner: genoku.engine.result.Result"),
        Arrow("study.toml", "lab.studyfile", ""),
        Arrow("lab.studyfile", "lab.study", "facts", "lab/studyfile: genoku.lab.study.Study"),
        Arrow("lab.study", "lab.runner", "runs", "lab/runner: genoku.lab.study.Study"),
        Arrow("lab.runner", "lab.store", "Row", "lab/runner: genoku.lab.store.Store"),
        Arrow("lab.store", "lab.results", "rows", "lab/store: genoku.lab.results.Results"),
        Arrow(
            "lab.results",
            "lab.report",
            "runs",
            "lab/report/data: genoku.lab.results.Results",
        ),
        Arrow(
            "lab.report",
            "lab.statistics",
            "samples",
            "lab/report/comparisons: genoku.lab.statistics.mann_whitney",
        ),
        Arrow("lab.report", "lab.charts", "charts", "lab/report/figures: genoku.lab.charts.Heat"),
        Arrow("lab.charts", "lab.page", "SVG", "lab/page: genoku.lab.charts.Chart"),
        Arrow("lab.page", "report", ""),
        Arrow("lab.results", "lab.export", "runs", "lab/export: genoku.lab.results.COLUMNS"),
    ),
)

DOORS = Picture(
    "doors",
    "The two doors: the command line, and the web app",
    (
        Box("shell", "words", 0, 2.5),
        room("commands, one a file", 1, 2.5, "cli"),
        room("files of puzzles", 2.3, 0, "formats"),
        room("the oracle", 2.3, 1, "exact"),
        room("what studies say", 2.3, 2, "lab.report"),
        room("recipes with names", 2.3, 3, "preset_library"),
        room("one run", 2.3, 4, "engine.run"),
        room("many runs", 2.3, 5, "lab.runner"),
        room("a question each", 3.6, 1, "web.clerks", "web.handlers"),
        room("live runs, in turns", 3.6, 3.5, "web.live"),
        room("a study each", 3.6, 5, "web.drivers"),
        room("who asks, and what", 4.8, 2.5, "web.guard", "web.routes"),
        Box("browser", "pages, events", 4.8, 1),
    ),
    (
        Arrow("shell", "cli", ""),
        Arrow("cli", "formats", "text", "cli/options: genoku.formats.read_puzzles"),
        Arrow("cli", "exact", "Puzzle", "cli/check: genoku.exact.count"),
        Arrow("cli", "preset_library", "name", "cli/plan: genoku.preset_library.preset"),
        Arrow("cli", "engine.run", "Plan", "cli/plan: genoku.engine.run.run"),
        Arrow("cli", "lab.runner", "Study", "cli/study: genoku.lab.runner.run_study"),
        Arrow("cli", "lab.report", "Store", "cli/report: genoku.lab.report.report"),
        Arrow("browser", "web.guard, routes", ""),
        Arrow(
            "web.guard, routes",
            "web.clerks, handlers",
            "a question",
            "web/routes/parts: here.clerks.call",
        ),
        Arrow(
            "web.guard, routes",
            "web.live",
            "orders",
            "web/routes/live: here.sessions.open",
        ),
        Arrow(
            "web.guard, routes",
            "web.drivers",
            "its name",
            "web/routes/studies: here.drivers.run",
        ),
        Arrow(
            "web.guard, routes",
            "formats",
            "text",
            "web/routes/boards: genoku.formats.read_puzzles",
        ),
        Arrow("web.guard, routes", "exact", "Puzzle", "web/routes/boards: genoku.exact.count"),
        Arrow(
            "web.live",
            "preset_library",
            "name",
            "web/live/choice: genoku.preset_library.preset",
        ),
        Arrow("web.live", "engine.run", "a turn", "web/live/session: genoku.engine.run.Run.start"),
        Arrow("web.drivers", "lab.runner", "Study", "web/drivers: genoku.lab.runner.run_study"),
        Arrow(
            "web.clerks, handlers",
            "lab.report",
            "Store",
            "web/handlers/findings: genoku.lab.report.report",
        ),
    ),
)

PICTURES = (DATAFLOW, DOORS)


def svg(picture: Picture) -> str:
    """A picture as one SVG file, light whatever the page's theme is."""
    wide = MARGIN + max(box.middle[0] + box.wide / 2 for box in picture.boxes)
    high = MARGIN + max(box.middle[1] + HIGH / 2 for box in picture.boxes)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide:g} {high:g}" role="img" '
        f'aria-label="{escape(picture.title)}" font-family="system-ui, sans-serif">',
        f"<title>{escape(picture.title)}</title>",
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" '
        f'markerHeight="8" orient="auto"><path d="M0 0L8 4L0 8z" fill="{LINE}"/></marker></defs>',
        f'<rect width="{wide:g}" height="{high:g}" rx="10" fill="#fff"/>',
        *(line for arrow in picture.arrows for line in _arrow(picture, arrow)),
        *(line for box in picture.boxes for line in _box(box)),
        *(line for arrow in picture.arrows for line in _label(picture, arrow)),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _box(box: Box) -> Iterator[str]:
    x, y = box.middle
    look = f'fill="{PALE}" stroke="{LINE}"' if box.modules else f'fill="#fff" stroke="{OUTSIDE}"'
    dashes = "" if box.modules else ' stroke-dasharray="4 3"'
    corner = f'x="{x - box.wide / 2:g}" y="{y - HIGH / 2:g}" width="{box.wide}" height="{HIGH}"'
    yield f'<rect {corner} rx="6" {look}{dashes}/>'
    size = min(15, 1.58 * box.wide / len(box.name))
    bold = f'font-size="{size:.3g}" font-weight="600" fill="{INK}" text-anchor="middle"'
    yield f'<text x="{x:g}" y="{y - 3:g}" {bold}>{escape(box.name)}</text>'
    small = f'font-size="12.5" fill="{INK}" text-anchor="middle"'
    yield f'<text x="{x:g}" y="{y + 15:g}" {small}>{escape(box.says)}</text>'


def _arrow(picture: Picture, arrow: Arrow) -> Iterator[str]:
    points = " ".join(f"{x:g},{y:g}" for x, y in _path(picture, arrow))
    yield (
        f'<polyline points="{points}" fill="none" stroke="{LINE}" stroke-width="1.5" '
        'marker-end="url(#tip)"/>'
    )


def _path(picture: Picture, arrow: Arrow) -> list[tuple[float, float]]:
    """From edge to edge: straight in a row or column, else by the side, or down and across."""
    start, end = picture.box(arrow.start), picture.box(arrow.end)
    (x, y), (to_x, to_y) = start.middle, end.middle
    right, down = (1 if to_x > x else -1), (1 if to_y > y else -1)
    if x == to_x:
        return [(x, y + down * HIGH / 2), (to_x, to_y - down * HIGH / 2)]
    if y == to_y or picture is DOORS:
        return [(x + right * start.wide / 2, y), (to_x - right * end.wide / 2, to_y)]
    if abs(to_y - y) > DOWN:  # past a row: down, across above the target, and in from the top
        above, inside = to_y - HIGH / 2 - 26, to_x + end.wide / 4
        return [(x, y + HIGH / 2), (x, above), (inside, above), (inside, to_y - HIGH / 2)]
    inside = to_x - right * end.wide / 4  # across, then up, beside what goes down from there
    return [(x + right * start.wide / 2, y), (inside, y), (inside, to_y + HIGH / 2)]


def _label(picture: Picture, arrow: Arrow) -> Iterator[str]:
    if not arrow.flows:
        return
    points = _path(picture, arrow)
    (x, y), (to_x, to_y) = points[len(points) // 2 - 1], points[len(points) // 2]
    middle = (x + to_x) / 2, (y + to_y) / 2
    beside = x == to_x
    place = f'x="{middle[0] + (6 if beside else 0):g}" y="{middle[1] + (4 if beside else -5):g}"'
    anchor = "start" if beside else "middle"
    yield (
        f'<text {place} font-size="12.5" fill="{LINE}" text-anchor="{anchor}" stroke="#fff" '
        f'stroke-width="3" paint-order="stroke">{escape(arrow.flows)}</text>'
    )


if __name__ == "__main__":
    for each in PICTURES:
        path = FOLDER / f"{each.name}.svg"
        path.write_text(svg(each), encoding="utf-8", newline="\n")
        print(path.name)
