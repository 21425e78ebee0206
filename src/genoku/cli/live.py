"""Progress of a run or a race: a live display, a progress bar, or occasional lines."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from genoku.cli.output import can_redraw, is_colourless, progress_bar, say
from genoku.engine.pace import seconds_until
from genoku.engine.result import (
    TimeLeft,
    board_to_display,
    effort,
    effort_text,
    errors_text,
    share_done,
)
from genoku.engine.run import View, Watcher
from genoku.engine.scale import fitness_scale
from genoku.evolve.fitness import MAP_COLOURS, fitness_map, map_colours
from genoku.evolve.problem import Problem
from genoku.evolve.state import Algorithm, as_search
from genoku.evolve.stopping import Until
from genoku.puzzle.board import Board, Puzzle
from genoku.puzzle.geometry import Geometry
from genoku.runtime.text import format_compact, format_duration

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.live import Live
    from rich.progress import Progress, TaskID
    from rich.text import Text

    from genoku.engine.race import RaceRun
    from genoku.engine.run import Run

REDRAW = 0.1  # minimum seconds between two pictures
SAMPLE = 0.02  # seconds between two points of a run's curves
PACED_SHARE = 0.5  # of the time, for drawing a run that waits to be watched
HISTOGRAMS = ((22, 4), (18, 2))  # lines of a terminal, and of the histogram in it
WIDEST_HISTOGRAM = 100  # columns
ROOM_FOR_BAR = 30  # lines of a terminal that leave one for a progress bar
EIGHTHS = " ▁▂▃▄▅▆▇█"
MAX_POINTS = 1024
BAR_AFTER = 1.0  # seconds before a progress bar appears
LINES_AFTER = 1.0  # seconds before the first line
LABELS, MIN_VALUES = 11, 14  # columns of most names of facts, and of their values
MIN_PANEL = 25  # columns
FIRST_TIME = 0.001  # seconds at which curves of a race begin
BEST, NOW = "green", "blue"
MARK = "↑"  # of a restart, below the curves
COLOURS = ("cyan", "magenta", "yellow", "bright_blue")
WON = "bold green"
BOARDS = ("digits", "tight", "small", "")  # ways to draw one, the largest first; "" draws none
MAX_SIGNS = 35  # the largest side whose digits are single characters
DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))  # bits of a Braille character

Fact = tuple[str, Any]  # a name and its value
Pace = Callable[[int], float]  # the seconds after which a step is shown


class Backoff:
    """Decides when a line is due: immediately, then at growing intervals."""

    def __init__(self, pause: float) -> None:
        self.due, self.pause = 0.0, pause

    def is_due(self, seconds: float) -> bool:
        if seconds < self.due:
            return False
        self.due, self.pause = seconds + self.pause, min(60.0, 1.5 * self.pause)
        return True


def add_point(points: list[tuple[float, ...]], *point: float) -> None:
    """Add a point of curves; if there are too many, remove every second one, but not the last."""
    points.append(point)
    if len(points) > MAX_POINTS:
        del points[1::2]


class LiveDisplay:
    """A picture that fills the terminal; redrawing takes at most `share` of the time."""

    share: float

    def __init__(self) -> None:
        self.live: Live | None = None
        self.due = 0.0

    def __enter__(self) -> Self:
        from rich.console import Console
        from rich.live import Live

        console = Console(stderr=True)
        self.live = Live(console=console, auto_refresh=False, vertical_overflow="crop")
        self.live.start()
        return self

    def __exit__(self, *_error: object) -> None:
        """Leave the last state on the screen."""
        if self.live is not None:
            self.draw(final=True)
            self.live.stop()

    def picture(self, width: int, height: int, *, final: bool = False) -> RenderableType:
        """Render for a terminal of that size."""
        raise NotImplementedError

    def draw(self, *, final: bool = False) -> None:
        if self.live is not None:
            began = time.perf_counter()
            size = self.live.console.size
            self.live.update(self.picture(size.width, size.height, final=final), refresh=True)
            now = time.perf_counter()
            self.due = now + max(REDRAW, (now - began) / self.share)


class PanelLayout(NamedTuple):
    """How a board, facts and a curve share the space of a panel."""

    board: Text | None
    is_beside: bool  # whether the facts are beside the board, not below it
    curve: int  # lines of the curve
    size: int  # index in `BOARDS`

    def render(
        self, facts: Sequence[Fact], width: int, curve: Callable[[int, int], Sequence[Any]]
    ) -> RenderableType:
        """Draw board, facts and curve; `curve` is called with its columns and lines."""
        from rich.align import Align
        from rich.console import Group
        from rich.table import Table

        room = width - (_width(self.board) + 3 if self.is_beside else 0)
        beside: list[Any] = [_table(facts, room)]
        if self.curve:
            beside += ["", *curve(room, self.curve)]
        if self.board is None:
            return Group(*beside)
        if not self.is_beside:
            return Group(Align.center(self.board), "", *beside)
        grid = Table.grid(padding=(0, 3, 0, 0))
        grid.add_row(self.board, Group(*beside))
        return grid

    def with_caption(self, caption: str, height: int) -> PanelLayout:
        """Add a line below a board beside the facts, if there is room for it."""
        board = self.board
        if board is None or not (caption and self.is_beside):
            return self
        wide, tall = _width(board), board.plain.count("\n") + 1
        if len(caption) > wide or tall >= height:
            return self
        return self._replace(board=board.copy().append(f"\n{caption.center(wide)}", "dim"))


def arrange(
    run: View | Run,
    facts: int,
    width: int,
    height: int,
    *,
    beside: int,
    curves: tuple[int, ...],
    tallest: int,
    coloured: bool = True,
) -> PanelLayout:
    """Choose the largest board that leaves room for `facts` lines of facts and for a curve.

    `beside` is the width of facts beside a board; a curve has at least one of `curves` lines (the
    first that fits) and at most `tallest`. The board is `coloured` by report 003's map.
    """
    for least in curves:
        for size, kind in enumerate(BOARDS):
            board = _picture(run, kind, coloured=coloured)
            tall = 0 if board is None else board.plain.count("\n") + 1
            for is_beside in (True, False) if board else (False,):
                used = facts if is_beside or not board else facts + tall + 1
                fits = _width(board) + (3 + beside if is_beside else 0) <= width
                left = height - used - 1
                if fits and max(tall, used) <= height and (left >= least or not least):
                    lines = min(tallest, left) if left >= max(2, min(filter(None, curves))) else 0
                    return PanelLayout(board, is_beside, lines, size)
    return PanelLayout(None, False, 0, len(BOARDS))


def _width(board: Text | None) -> int:
    return 0 if board is None else max(map(len, board.plain.split("\n")))


def _table(facts: Sequence[Fact], width: int) -> RenderableType:
    """One fact per line, cut to the width."""
    from rich.table import Table
    from rich.text import Text

    longest = max(len(Text.from_markup(name)) for name, _ in facts)
    labels = min(longest, max(LABELS, width - MIN_VALUES - 2))
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True, overflow="ellipsis", max_width=labels)
    table.add_column(no_wrap=True, overflow="ellipsis", max_width=max(1, width - labels - 2))
    for fact in facts:
        table.add_row(*fact)
    return table


def _fitness_now(view: View) -> str:
    """The fitness of the current boards, as the report states it; empty for partial boards."""
    scale = fitness_scale(view.problem)
    return scale.statement_now(view.state.costs) if scale else ""


@contextmanager
def run_watchers(
    algorithm: Algorithm,
    until: Until,
    title: str,
    *,
    live: bool,
    pace: Pace | None = None,
    about: str = "",
    coloured: bool = True,
) -> Iterator[list[Watcher]]:
    """The watchers that show a run: a live display at `pace`, a progress bar, lines, or none."""
    with ExitStack() as stack:
        if not can_redraw():
            yield [RunLines(algorithm, until)] if live else []
        elif live:
            display = RunDisplay(algorithm, until, title, pace, about, coloured=coloured)
            yield [stack.enter_context(display)]
        else:
            yield [RunBar(algorithm, until, title, stack)]


def shows_board(watchers: Iterable[Watcher]) -> bool:
    """Whether one of the watchers has left the digits of the best board on the screen."""
    return any(isinstance(each, RunDisplay) and each.shows_digits for each in watchers)


def pace_of(speed: float | None) -> Pace | None:
    """Map a step to the seconds after which it is shown: at `speed`, or ever faster if None.

    There is no pace at an infinite speed.
    """
    if speed is None:
        return seconds_until
    return None if math.isinf(speed) else lambda step: step / speed


class RunLines:
    """Prints an occasional line, for pipes and log files."""

    def __init__(self, algorithm: Algorithm, until: Until) -> None:
        self.step_name, self.clock = as_search(algorithm).step_name, TimeLeft(until)
        self.lines = Backoff(2.0)

    def __call__(self, view: View) -> None:
        counters = view.counters
        self.clock.observe(counters)
        if counters.seconds < LINES_AFTER or not self.lines.is_due(counters.seconds):
            return
        words = [
            f"{self.step_name} {counters.steps:,}",
            errors_text(view.errors),
            _fitness_now(view),
            effort_text(counters),
            format_duration(counters.seconds),
            self.clock.text(counters),
        ]
        say(", ".join(filter(None, words)))


class RunBar:
    """A progress bar, opened on `stack` once a run takes longer than `BAR_AFTER`."""

    def __init__(self, algorithm: Algorithm, until: Until, title: str, stack: ExitStack) -> None:
        self.step_name, self.until, self.title = as_search(algorithm).step_name, until, title
        self.due, self.clock, self.stack = BAR_AFTER, TimeLeft(until), stack
        self.bar: tuple[Progress, TaskID] | None = None

    def __call__(self, view: View) -> None:
        counters = view.counters
        self.clock.observe(counters)
        if counters.seconds < self.due:
            return
        self.due = counters.seconds + REDRAW
        if self.bar is None:
            self.bar = self.stack.enter_context(progress_bar(self.title, counts=False))
        progress, task = self.bar
        share = share_done(self.until, counters)
        steps, errors = f"{self.step_name} {counters.steps:,}", errors_text(view.errors)
        facts = [steps, errors, self.clock.text(counters), _fitness_now(view)]
        message = "  ".join(filter(None, facts))
        total = None if share is None else 1.0
        progress.update(task, total=total, completed=share or 0.0, message=message, refresh=True)


class RunDisplay(LiveDisplay):
    """The best board, curves of the fitness as the report states it, and its distribution.

    The board is coloured by report 003's map unless `coloured` is False.
    """

    share = 0.08

    def __init__(
        self,
        algorithm: Algorithm,
        until: Until,
        title: str,
        pace: Pace | None = None,
        about: str = "",
        *,
        coloured: bool = True,
    ) -> None:
        super().__init__()
        self.coloured = coloured
        search = as_search(algorithm)
        self.step_name, self.rate_name = search.step_name, search.rate_name
        self.until, self.title, self.clock = until, title, TimeLeft(until)
        self.pace, self.about = pace, about
        if pace is not None:  # the run waits for the picture anyway
            self.share = PACED_SHARE
        self.first: tuple[int, float] | None = None  # step, and when it was shown
        self.sample_due = 0.0
        self.points: list[tuple[float, ...]] = []  # step, then the lowest and the mean cost
        self.highest = 0.0  # cost of any board so far
        self.starts: list[int] = []  # steps after which the search had started anew
        self.restarts = 0.0
        self.shows_digits = False  # whether the last picture does
        self.last: View | None = None

    def __call__(self, view: View) -> None:
        self.clock.observe(view.counters)
        self._wait(view.state.step)
        now = time.perf_counter()
        self.last = view
        restarts = view.state.memory.get("restarts", 0.0)
        if restarts > self.restarts:
            self.restarts = restarts
            self.starts.append(view.state.step)
            del self.starts[:-MAX_POINTS]
        if now >= self.sample_due:
            self.sample_due = now + SAMPLE
            self._sample(view)
            if now >= self.due:
                self.draw()

    def draw(self, *, final: bool = False) -> None:
        if self.last is not None:
            if final:
                self._sample(self.last)
            super().draw(final=final)

    def _wait(self, step: int) -> None:
        """Sleep until it is time to show a step."""
        if self.first is None:
            self.first = step, time.perf_counter()
        if self.pace is not None:
            first, began = self.first
            due = began + self.pace(step) - self.pace(first)
            time.sleep(max(0.0, due - time.perf_counter()))

    def _sample(self, view: View) -> None:
        costs = view.state.costs
        add_point(self.points, view.state.step, float(costs.min()), float(costs.mean()))
        self.highest = max(self.highest, float(costs.max()))

    def picture(self, width: int, height: int, *, final: bool = False) -> RenderableType:
        from rich.console import Group
        from rich.text import Text

        assert self.last is not None
        title = Text(f"{self.title}  ", "bold", no_wrap=True, overflow="ellipsis")
        title.append(self.about, "dim")
        below = self._distribution(self.last, width, height)
        room = height - 3 - len(below)
        facts = self._facts(self.last, has_bar=height >= ROOM_FOR_BAR)[: max(1, room)]
        layout = arrange(
            self.last,
            len(facts),
            width,
            room,
            beside=30,
            curves=(4, 0),
            tallest=9,
            coloured=self.coloured,
        )
        has_signs = self.last.problem.puzzle.side <= MAX_SIGNS
        self.shows_digits = layout.size == 0 or (layout.size == 1 and has_signs)
        layout = layout.with_caption(_caption(self.last), room)
        return Group(title, "", layout.render(facts, width, self._chart), *below)

    def _chart(self, width: int, height: int) -> list[Text]:
        assert self.last is not None
        problem = self.last.problem
        steps, lowest, mean = map(np.array, zip(*self.points, strict=True))
        curves = {NOW: mean, BEST: lowest} if len(self.last.state.costs) > 1 else {BEST: lowest}
        heights = {
            style: np.sqrt(costs / max(1.0, self.highest)) for style, costs in curves.items()
        }
        low, high = _ends(problem, self.highest)
        if problem.fitness.maximise:  # the goal is on top
            heights = {style: 1 - curve for style, curve in heights.items()}
            low, high = high, low
        wide = min(70, width - 2)
        return [chart(steps, heights, (low, high), wide, height - 1, marks=self.starts)]

    def _distribution(self, view: View, width: int, height: int) -> list[Any]:
        """A histogram of the fitness of all boards, if there are several and there is room."""
        from rich.text import Text

        costs, problem = view.state.costs, view.problem
        lines = next((lines for least, lines in HISTOGRAMS if height >= least), 0)
        if len(costs) < 2 or not lines:
            return []
        scale = fitness_scale(problem)
        if scale is None:
            heading = f"open cells of the {len(costs):,} boards; lower is better"
        else:
            heading = (
                f"fitness ({scale.name}) of the {len(costs):,} boards; {scale.better} is better"
            )
        columns = min(width - 2, WIDEST_HISTOGRAM)
        goal, worst = _ends(problem, self.highest)
        axis = f"{goal} solved{worst:>{columns - len(goal) - len(' solved')}}"
        bars = histogram(costs, self.highest, columns, lines)
        if problem.fitness.maximise:  # the goal is on the right
            axis = f"{worst}{f'{goal} solved':>{columns - len(worst)}}"
            bars = [Text(bar.plain[::-1], NOW, no_wrap=True) for bar in bars]
        return ["", Text(heading, "dim", no_wrap=True), *bars, Text(axis, "dim", no_wrap=True)]

    def _facts(self, view: View, *, has_bar: bool) -> list[Fact]:
        from rich.progress_bar import ProgressBar

        from genoku.evolve.operators.diversity import diversity

        counters, state = view.counters, view.state
        done, unit = effort(counters)
        share, left = share_done(self.until, counters), self.clock.text(counters)
        speed = format_compact(done / max(counters.seconds, 1e-9))
        rows: list[Fact] = [
            (self.step_name, f"{counters.steps:,}"),
            (unit, f"{format_compact(done)}, {speed}/s"),
            ("errors left", f"{view.errors:,}"),
            *self._fitness_facts(view),
        ]
        if len(state.costs) > 1:
            rows.append(("diversity", f"{diversity(state.boards, view.problem):.3f}"))
        if "rate" in state.memory:
            rows.append((self.rate_name, f"{state.memory['rate']:.4g}"))
        if restarts := state.memory.get("restarts"):
            rows.append((f"restarts {MARK}", f"{restarts:,.0f}"))
        if state.finished:
            left = ""
        rows.append(("time", ", ".join(filter(None, (format_duration(counters.seconds), left)))))
        if has_bar and share is not None and not state.finished:
            rows.append(("", ProgressBar(1.0, share, width=26)))
        return rows

    def _fitness_facts(self, view: View) -> list[Fact]:
        """The best and the mean fitness now, in the colours of their curves."""
        costs, scale = view.state.costs, fitness_scale(view.problem)
        lowest = int(costs.min())
        if scale is None:
            return [(f"[{BEST}]open cells[/]", f"{lowest:,}")]
        mean = scale.mean(costs)
        stated = scale.of_goal(scale.score(lowest))
        if mean is None:
            return [(f"[{BEST}]fitness now[/]", stated)]
        return [
            (f"[{BEST}]best fitness[/]", stated),
            (f"[{NOW}]mean fitness[/]", scale.mean_number(mean)),
        ]


def _caption(view: View) -> str:
    """The caption of the best board, as in report 003; empty for a single or a partial board."""
    scale = fitness_scale(view.problem)
    has_id = view.best_id >= 0 and len(view.state.costs) > 1
    return scale.caption(view.best_cost, view.best_id) if scale and has_id else ""


def _ends(problem: Problem, highest: float) -> tuple[str, str]:
    """The fitness of a solved board, and that for the highest cost."""
    scale = fitness_scale(problem)
    if scale is None:
        return "0", f"{highest:.0f}"
    return scale.number(scale.goal), scale.number(scale.score(int(highest)))


def histogram(costs: Any, highest: float, width: int, height: int) -> list[Text]:
    """Bars of how many boards have which cost, from 0 on the left to `highest` on the right.

    Low costs, where most happens, are wider: the scale is that of the square root.
    """
    from rich.text import Text

    levels = round(highest) + 1
    counts = np.bincount(np.asarray(costs, np.int64), minlength=levels)[:levels]
    edges = (np.arange(width + 1) / width) ** 2 * levels  # of the columns, as costs
    first = edges[:-1].astype(np.int64)
    last = np.maximum(first + 1, np.ceil(edges[1:]).astype(np.int64))
    sums = np.concatenate(([0], np.cumsum(counts)))
    boards = sums[np.minimum(last, levels)] - sums[first]
    eighths = np.ceil(8 * height * boards / max(1, boards.max())).astype(int).tolist()
    lines = []
    for line in range(height - 1, -1, -1):
        blocks = (EIGHTHS[min(8, max(0, tall - 8 * line))] for tall in eighths)
        lines.append(Text("".join(blocks), NOW, no_wrap=True))
    return lines


@contextmanager
def race_watcher(
    contenders: Sequence[RaceRun], until: Until, title: str
) -> Iterator[Callable[[], None]]:
    """The function to call after every turn: it redraws a live display, or prints lines."""
    if not can_redraw():
        yield RaceLines(contenders)
        return
    with RaceDisplay(contenders, until, title) as panels:
        yield panels


class RaceLines:
    """Prints an occasional line with the errors left of every run."""

    def __init__(self, contenders: Sequence[RaceRun]) -> None:
        self.contenders, self.lines = contenders, Backoff(1.0)

    def __call__(self) -> None:
        seconds = _shared_seconds(self.contenders)
        if self.lines.is_due(seconds):
            errors = ", ".join(f"{each.name} {each.errors}" for each in self.contenders)
            say(f"{format_duration(seconds)} each: errors left {errors}")


class RaceDisplay(LiveDisplay):
    """The live display of a race: boards, counters and curves of the errors left."""

    share = 0.2  # drawing is not charged to any contender

    def __init__(self, contenders: Sequence[RaceRun], until: Until, title: str) -> None:
        super().__init__()
        self.contenders, self.until, self.title = contenders, until, title
        # CPU seconds and errors left of every contender
        self.traces: list[list[tuple[float, ...]]] = [[] for _ in contenders]

    def __call__(self) -> None:
        """Sample every contender, and draw if it is time."""
        for contender, trace in zip(self.contenders, self.traces, strict=True):
            if not trace or contender.seconds > trace[-1][0]:
                add_point(trace, contender.seconds, contender.errors)
        if time.perf_counter() >= self.due:
            self.draw()

    def picture(self, width: int, height: int, *, final: bool = False) -> RenderableType:
        from rich.console import Group
        from rich.table import Table

        count = len(self.contenders)
        best = self._layouts(width, height)
        if best is None:
            return Group(self._heading(width), *self._short_lines(width))
        abreast, layouts = best
        table = Table.grid()
        for _ in range(abreast):
            table.add_column(width=width // abreast)
        panels = [
            self._panel(place, layout, width // abreast - 4, final=final)
            for place, layout in enumerate(layouts)
        ]
        for start in range(0, count, abreast):
            table.add_row(*panels[start : start + abreast])
        footing = [] if final else [self._footing(width)]
        return Group(self._heading(width), table, *footing)

    def _layouts(self, width: int, height: int) -> tuple[int, list[PanelLayout]] | None:
        """Panels per row and their layouts, with boards as large as possible."""
        count = len(self.contenders)
        facts = max(len(_fact_rows(each)) for each in self.contenders)
        found = []
        for abreast in {count, min(2, count)}:
            wide, tall = width // abreast - 4, (height - 3) // -(-count // abreast) - 2
            if wide >= MIN_PANEL - 4 and tall >= 3:
                layouts = [
                    arrange(each.run, facts, wide, tall, beside=25, curves=(2, 0), tallest=6)
                    for each in self.contenders
                ]
                found.append((layouts[0].size, -layouts[0].curve, -abreast, layouts))
        if not found:
            return None
        *_, abreast, layouts = min(found)
        return -abreast, layouts

    def _heading(self, width: int) -> Text:
        from rich.text import Text

        from genoku.engine.race import clock_text

        bound = self.until.time_limit
        of = f" of {format_duration(bound)}" if bound else ""
        times = f"{clock_text(_shared_seconds(self.contenders))}{of} of CPU time each"
        text = Text(f" {self.title}", "bold", no_wrap=True, overflow="ellipsis")
        text.truncate(max(10, width - len(times) - 3), overflow="ellipsis", pad=True)
        return text.append(f"  {times}", "dim")

    def _footing(self, width: int) -> Text:
        from rich.text import Text

        from genoku.engine.race import leader_text

        text = Text(f" {leader_text(self.contenders)}", no_wrap=True)
        text.append("   curves: errors left over CPU time, both log   Ctrl-C ends the race", "dim")
        text.truncate(width, overflow="ellipsis")
        return text

    def _short_lines(self, width: int) -> Iterator[Text]:
        from rich.text import Text

        for place, each in enumerate(self.contenders):
            line = Text(f" {each.name}", COLOURS[place % len(COLOURS)], no_wrap=True)
            line.append(f"  {errors_text(each.errors)}  {_status(each)}", "default")
            line.truncate(width, overflow="ellipsis")
            yield line

    def _panel(self, place: int, layout: PanelLayout, width: int, *, final: bool) -> RenderableType:
        from rich.panel import Panel
        from rich.text import Text

        from genoku.engine.race import outcome

        contender, style = self.contenders[place], COLOURS[place % len(COLOURS)]
        won = final and contender is outcome(self.contenders).winner

        def curve(columns: int, lines: int) -> list[Text]:
            return braille_lines({style: self._heights(place, 2 * columns)}, columns, lines)

        return Panel(
            layout.render(_fact_rows(contender), width, curve),
            title=Text(f"{'★ ' if won else ''}{contender.name}", WON if won else f"bold {style}"),
            title_align="left",
            subtitle=Text(_status(contender), WON if contender.has_answer else "dim"),
            subtitle_align="right",
            border_style=WON if won else style,
            width=width + 4,
        )

    def _heights(self, place: int, columns: int) -> Any:
        """Log errors scaled to 0..1 over log time, up to the contender's own time."""
        errors = [each for trace in self.traces for _, each in trace]
        high = max(1.0, *errors)
        positive = [each for each in errors if each > 0]
        low = min(positive, default=high)
        if len(positive) < len(errors):  # 0 errors are drawn below any other number
            low /= 2
        end = max(trace[-1][0] for trace in self.traces)
        times, own = map(np.array, zip(*self.traces[place], strict=True))
        at = np.geomspace(FIRST_TIME, max(end, 2 * FIRST_TIME), columns)
        at = at[: max(1, int((at <= times[-1]).sum()))]
        places = np.clip(np.searchsorted(times, at, side="right") - 1, 0, None)
        places[-1] = len(own) - 1
        above = np.log(np.maximum(own[places], low)) - np.log(low)
        return above / max(np.log(high) - np.log(low), 1e-9)


def _shared_seconds(contenders: Sequence[RaceRun]) -> float:
    """The least time of runs still in the race; at the end, the longest time."""
    going = [each.seconds for each in contenders if not each.stop_reason]
    return min(going, default=max(each.seconds for each in contenders))


def _fact_rows(contender: RaceRun) -> list[Fact]:
    run = contender.run
    counters = run.counters()
    done, unit = effort(counters)
    scale, fitness = fitness_scale(run.problem), []
    if scale:
        fitness.append(("fitness", scale.of_goal(scale.score(run.best_cost))))
        mean = scale.mean(run.state.costs)
        fitness += [] if mean is None else [("mean", scale.mean_number(mean))]
    rows = [
        ("errors left", f"{contender.errors:,}"),
        *fitness,
        (as_search(run.algorithm).step_name, f"{counters.steps:,}"),
        (unit, format_compact(done)),
        ("speed", f"{format_compact(done / max(contender.seconds, 1e-9))}/s"),
    ]
    return [(f"[dim]{name}[/]", value) for name, value in rows]


def _status(contender: RaceRun) -> str:
    from genoku.engine.race import clock_text

    if contender.solved:
        return f"solved in {clock_text(contender.seconds)}"
    if contender.stop_reason == "no solution":
        return f"no solution, {clock_text(contender.seconds)}"
    if contender.stop_reason == "failed":
        return "gave up"
    return "budget spent" if contender.stop_reason else "racing"


def _picture(run: View | Run, kind: str, *, coloured: bool = True) -> Text | None:
    from rich.text import Text

    puzzle, board = run.problem.puzzle, board_to_display(run)
    if kind == "digits":
        colours = map_colours(board, puzzle.geometry) if coloured else None
        return Text.from_ansi(puzzle.picture(board, style="ansi", colours=colours))
    if kind == "tight":
        return tight_board(puzzle, board, coloured=coloured)
    return small_map(puzzle.geometry, board, coloured=coloured) if kind else None


def tight_board(puzzle: Puzzle, board: Board, *, coloured: bool = True) -> Text:
    """The board without lines: a digit on the colour of its cell, two columns wide; givens bold."""
    from rich.text import Text

    geometry, side = puzzle.geometry, puzzle.side
    digits = str(Puzzle(geometry, board.tobytes()))
    signs = digits if len(digits) == geometry.cells else " " * geometry.cells
    colours = map_colours(board, geometry) if coloured else [""] * geometry.cells
    text = Text()
    for cell, (digit, colour) in enumerate(zip(signs, colours, strict=True)):
        weight = "bold " if puzzle.digits[cell] else ""
        ink = "#ffffff" if colour == MAP_COLOURS[0] else "#22252b"
        is_filled = board[cell] > 0
        style = f"{weight}{ink} on {colour}" if colour else weight.strip()
        text.append(f"{digit} " if is_filled else "  ", style)
        text.append("\n" if cell % side == side - 1 and cell + 1 < geometry.cells else "")
    return text


def small_map(geometry: Geometry, board: Board, *, coloured: bool = True) -> Text:
    """The map without digits, two rows per line; the digits alone if colours are off."""
    from rich.text import Text

    side = geometry.side
    if is_colourless() or not coloured:
        signs = str(Puzzle(geometry, board.tobytes()))
        if len(signs) != geometry.cells:  # numbers; the map's own are one digit each
            signs = "".join(map(str, fitness_map(board, geometry).tolist()))
        return Text("\n".join(signs[i : i + side] for i in range(0, len(signs), side)))
    colours = map_colours(board, geometry)
    text = Text()
    for row in range(0, side, 2):
        for column in range(side):
            upper, below = colours[row * side + column], (row + 1) * side + column
            lower = colours[below] if below < len(colours) else None
            if upper is None:  # the terminal's background
                text.append("▄" if lower else " ", lower or "")
            else:
                text.append("▀", f"{upper} on {lower}" if lower else upper)
        text.append("\n" if row + 2 < side else "")
    return text


def chart(
    steps: Any,
    curves: dict[str, Any],
    labels: tuple[str, str],
    width: int,
    height: int,
    *,
    marks: Sequence[int] = (),
) -> Text:
    """Curves from 0 to 1 in Braille dots, the last on top, with labels of the lowest and highest.

    Steps are as far apart as they are shown one after the other: the first ones furthest. `marks`
    are steps to mark below the curves, where the axis has no number.
    """
    from rich.text import Text

    low, high = labels
    room = max(len(low), len(high))
    columns = 2 * max(1, width - room - 1)
    times = np.array([seconds_until(step) for step in steps.tolist()])
    at = np.linspace(times[0], times[-1], columns)
    heights = {style: np.interp(at, times, curve) for style, curve in curves.items()}
    lines = braille_lines(heights, columns // 2, height)
    text = Text()
    ticks = [""] * height
    ticks[0], ticks[-1] = high, low
    for label, line in zip(ticks, lines, strict=True):
        text.append(f"{label:>{room}} ", "dim").append_text(line).append("\n")
    ends = f"{steps[0]:,.0f}", f"{steps[-1]:,.0f}"
    axis = list(f"{ends[0]}{ends[1]:>{columns // 2 - len(ends[0])}}")
    span = max(times[-1] - times[0], 1e-9)
    for step in marks:
        place = int((seconds_until(step) - times[0]) / span * (columns // 2 - 1))
        if 0 <= place < len(axis) and axis[place] == " ":
            axis[place] = MARK
    return text.append(f"{'':{room}} {''.join(axis)}", "dim")


def braille_lines(curves: Mapping[str, Any], width: int, height: int) -> list[Text]:
    """Curves by style, the last on top, as Braille dots: heights from 0 to 1, two per character."""
    from rich.text import Text

    rows = 4 * height
    cells = np.zeros((height, width), np.int64)
    colour = np.full(cells.shape, "", object)
    for style, heights in curves.items():
        places = np.rint((1 - np.asarray(heights)) * (rows - 1)).astype(int).tolist()
        for x, y in enumerate(places):
            before = places[max(0, x - 1)]
            for dot in range(min(y, before), max(y, before) + 1):
                cells[dot // 4, x // 2] |= DOTS[dot % 4][x % 2]
                colour[dot // 4, x // 2] = style
    lines = []
    for bits_of_row, styles in zip(cells.tolist(), colour.tolist(), strict=True):
        line = Text()
        for bits, style in zip(bits_of_row, styles, strict=True):
            line.append(chr(0x2800 + bits), style)
        lines.append(line)
    return lines
