"""What a person sees of a run or a race on its way: a live view, a bar, a line now and then."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np

from genoku.board import Board, Puzzle
from genoku.cli.output import bar, is_colourless, is_watched, say
from genoku.engine.result import (
    Clock,
    counts_open_cells,
    score_text,
    share_done,
    shown_board,
    work,
    work_done,
)
from genoku.engine.run import View, Watcher
from genoku.fitness import MAP_COLOURS, fitness_map, map_colours
from genoku.geometry import Geometry
from genoku.state import Algorithm, declared
from genoku.stopping import Until
from genoku.words import compact, duration

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.live import Live
    from rich.progress import Progress, TaskID
    from rich.text import Text

    from genoku.engine.race import Contender
    from genoku.engine.run import Run

REDRAW = 0.1  # seconds between two pictures, at least
SAMPLE = 0.02  # seconds between two points of a run's curves
FIRST_SPEED = 8.0  # steps per second, doubled every second, where no speed is asked for
MOST_SAMPLES = 1024
BAR_AFTER = 1.0  # seconds: what is over sooner needs no bar
LABELS = 11  # columns of the longest name of a fact
NARROWEST_PANEL = 25
LEAST_LOSS = 1e-4  # that curves reach up to, where all are lower
FIRST_TIME = 0.001  # seconds at which curves of a race begin
BEST, MEAN = "green", "blue"
COLOURS = ("cyan", "magenta", "yellow", "bright_blue")
WON = "bold green"
BOARDS = ("digits", "tight", "small", "")
"""How a board is drawn, the largest first; or not at all."""
DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""The bit of each dot of a Braille character, by row and column."""

Fact = tuple[str, Any]
"""Its name, and what stands beside it."""


# What all of them share


class Seldom:
    """Whether a line is due: at once, and then ever more rarely."""

    def __init__(self, pause: float) -> None:
        self.due, self.pause = 0.0, pause

    def is_due(self, seconds: float) -> bool:
        if seconds < self.due:
            return False
        self.due, self.pause = seconds + self.pause, min(60.0, 1.5 * self.pause)
        return True


class Samples:
    """Points of curves, thinned as they grow in number; the last one stays."""

    def __init__(self) -> None:
        self.taken: list[tuple[float, ...]] = []

    def add(self, *point: float) -> None:
        self.taken.append(point)
        if len(self.taken) > MOST_SAMPLES:
            self.taken = self.taken[::2]


class Drawing:
    """A picture that fills the terminal, drawn anew for no more than a share of the time."""

    share: ClassVar[float]

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
        """What fits a terminal of that size."""
        raise NotImplementedError

    def draw(self, *, final: bool = False) -> None:
        if self.live is not None:
            began = time.perf_counter()
            size = self.live.console.size
            self.live.update(self.picture(size.width, size.height, final=final), refresh=True)
            now = time.perf_counter()
            self.due = now + max(REDRAW, (now - began) / self.share)


class Layout(NamedTuple):
    """A board, facts and curves in some room."""

    board: Text | None
    is_beside: bool
    """Whether the facts stand beside the board, and not below it."""
    curve: int
    """How many lines it has."""
    size: int = 0
    """Place among `BOARDS`."""

    def render(
        self, facts: Sequence[Fact], width: int, curve: Callable[[int, int], Sequence[Any]]
    ) -> RenderableType:
        """The facts and the curve, which is drawn in so many columns and lines, with the board."""
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


def arrange(
    run: View | Run,
    facts: int,
    width: int,
    height: int,
    *,
    beside: int,
    curves: tuple[int, ...],
    tallest: int,
) -> Layout:
    """The largest board that leaves room for facts and a curve.

    `beside` is how many columns facts need beside a board, `curves` how few lines a curve may
    have, the best first, and `tallest` how many at most.
    """
    for least in curves:  # with less room, without
        for size, kind in enumerate(BOARDS):
            board = _picture(run, kind)
            tall = 0 if board is None else board.plain.count("\n") + 1
            for is_beside in (True, False) if board else (False,):
                used = facts if is_beside or not board else facts + tall + 1
                fits = _width(board) + (3 + beside if is_beside else 0) <= width
                left = height - used - 1
                if fits and max(tall, used) <= height and (left >= least or not least):
                    lines = min(tallest, left) if left >= max(2, min(filter(None, curves))) else 0
                    return Layout(board, is_beside, lines, size)
    return Layout(None, False, 0, len(BOARDS))


def _width(board: Text | None) -> int:
    return 0 if board is None else max(map(len, board.plain.split("\n")))


def _table(facts: Sequence[Fact], width: int) -> RenderableType:
    """Facts under each other, none longer than its line."""
    from rich.table import Table

    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True, overflow="ellipsis", min_width=min(LABELS, width // 2))
    table.add_column(no_wrap=True, overflow="ellipsis", max_width=max(1, width - LABELS - 2))
    for fact in facts:
        table.add_row(*fact)
    return table


# One run


@contextmanager
def run_watchers(
    *,
    live: bool,
    algorithm: Algorithm,
    until: Until,
    title: str,
    pace: Callable[[int], float] | None = None,
) -> Iterator[list[Watcher]]:
    """The watchers that show a run, as long as it lasts: none where nobody looks.

    A live view shows no step before `pace` has it, which gives the seconds from the first one.
    """
    with ExitStack() as stack:
        if not is_watched():
            yield [Lines(algorithm, until)] if live else []
        elif live:
            yield [stack.enter_context(LiveView(algorithm, until, title, pace))]
        else:
            yield [Bar(algorithm, until, title, stack)]


def score_of(view: View, cost: float) -> float:
    geometry = view.problem.puzzle.geometry
    return float(view.problem.fitness.score(np.array([cost]), geometry)[0])


def pace_of(speed: float | None) -> Callable[[int], float]:
    """Seconds from the first step shown to the nth: at so many per second, or ever faster.

    Ever faster, the first steps can be followed one by one, and a run of thousands still ends soon:
    10 steps take 1 s, 150 take 4 s, 10,000 take 10 s.
    """
    if speed is not None:
        return lambda steps: steps / speed
    return lambda steps: math.log2(1 + steps * math.log(2) / FIRST_SPEED)


class Lines:
    """A plain line now and then: for pipes and log files."""

    def __init__(self, algorithm: Algorithm, until: Until) -> None:
        self.word, self.clock, self.lines = declared(algorithm).step_name, Clock(until), Seldom(2.0)

    def __call__(self, view: View) -> None:
        counters = view.counters
        self.clock.look(counters)
        if not self.lines.is_due(counters.seconds):
            return
        words = [
            f"{self.word} {counters.steps:,}",
            score_text(view.problem, view.best_cost),
            work_done(counters),
            duration(counters.seconds),
            self.clock.left(counters),
        ]
        say(", ".join(filter(None, words)))


class Bar:
    """A progress bar for runs that take longer than a moment, until a stack of contexts ends."""

    def __init__(self, algorithm: Algorithm, until: Until, title: str, stack: ExitStack) -> None:
        self.word, self.until, self.title = declared(algorithm).step_name, until, title
        self.due, self.clock, self.stack = BAR_AFTER, Clock(until), stack
        self.bar: tuple[Progress, TaskID] | None = None

    def __call__(self, view: View) -> None:
        counters = view.counters
        self.clock.look(counters)
        if counters.seconds < self.due:
            return
        self.due = counters.seconds + REDRAW
        if self.bar is None:
            self.bar = self.stack.enter_context(bar(self.title, counts=False))
        progress, task = self.bar
        share = share_done(self.until, counters)
        score = score_text(view.problem, view.best_cost)
        said = f"{self.word} {counters.steps:,}  {score}  {self.clock.left(counters)}"
        total = None if share is None else 1.0
        progress.update(task, total=total, completed=share or 0.0, said=said, refresh=True)


class LiveView(Drawing):
    """The best board by report 003's map, the counters, and the curves of best and mean."""

    share = 0.08

    def __init__(
        self,
        algorithm: Algorithm,
        until: Until,
        title: str,
        pace: Callable[[int], float] | None = None,
    ) -> None:
        super().__init__()
        self.word, self.rate = declared(algorithm).step_name, declared(algorithm).rate_name
        self.until, self.title, self.clock = until, title, Clock(until)
        self.pace = pace
        self.first: tuple[int, float] | None = None  # step, and when it was shown
        self.sample_due = 0.0
        self.samples = Samples()
        self.last: View | None = None

    def __call__(self, view: View) -> None:
        self.clock.look(view.counters)
        self._wait(view.state.step)
        now = time.perf_counter()
        self.last = view
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
            time.sleep(max(0.0, began + self.pace(step - first) - time.perf_counter()))

    def _sample(self, view: View) -> None:
        costs = view.state.costs
        lowest = view.best_cost if len(costs) == 1 else int(costs.min())
        best, mean = score_of(view, lowest), score_of(view, float(costs.mean()))
        self.samples.add(view.state.step, best, mean)

    def picture(self, width: int, height: int, *, final: bool = False) -> RenderableType:
        assert self.last is not None
        facts = self._facts(self.last)[: height - 1]
        room = width, height - 1
        layout = arrange(self.last, len(facts), *room, beside=30, curves=(4, 0), tallest=9)
        return layout.render(facts, width, self._chart)

    def _chart(self, width: int, height: int) -> list[Text]:
        steps, best, mean = map(np.array, zip(*self.samples.taken, strict=True))
        return [chart(steps, {MEAN: mean, BEST: best}, min(60, width - 2), height - 1)]

    def _facts(self, view: View) -> list[Fact]:
        """What is to be said, a line each."""
        from rich.progress_bar import ProgressBar
        from rich.text import Text

        from genoku.diversity import diversity

        counters, state = view.counters, view.state
        done, unit = work(counters)
        share, left = share_done(self.until, counters), self.clock.left(counters)
        rows: list[Fact] = [
            ("run", Text(self.title, "bold")),
            (self.word, f"{counters.steps:,}"),
            (unit, f"{compact(done)}, {compact(done / max(counters.seconds, 1e-9))}/s"),
            *self._scores(view),
        ]
        if len(state.costs) > 1:
            rows.append(("diversity", f"{diversity(state.boards, view.problem):.3f}"))
        if "rate" in state.memory:
            rows.append((self.rate, f"{state.memory['rate']:.4g}"))
        rows.append(("time", ", ".join(filter(None, (duration(counters.seconds), left)))))
        if share is not None:
            rows.append(("", ProgressBar(1.0, share, width=26)))
        return rows

    def _scores(self, view: View) -> tuple[Fact, Fact]:
        """The best so far, and the population now."""
        is_alone = len(view.state.costs) == 1
        mean = f"{score_of(view, float(view.state.costs.mean())):.5g}"
        if counts_open_cells(view.problem):
            name, best = "best", score_text(view.problem, view.best_cost)
            now = "open now" if is_alone else "mean open"
        else:
            better = "higher" if view.problem.fitness.maximise else "lower"
            name, best = "best score", f"{score_of(view, view.best_cost):.5g}, {better} is better"
            now = "score now" if is_alone else "mean score"
        return (f"[{BEST}]{name}[/]", best), (f"[{MEAN}]{now}[/]", mean)


# A race


@contextmanager
def race_watcher(
    contenders: Sequence[Contender], until: Until, title: str
) -> Iterator[Callable[[], None]]:
    """Who is told of every turn as long as the race lasts: a live view, or a few lines."""
    if not is_watched():
        yield RaceLines(contenders)
        return
    with Panels(contenders, until, title) as panels:
        yield panels


class RaceLines:
    """A line now and then, with everybody's loss."""

    def __init__(self, contenders: Sequence[Contender]) -> None:
        self.contenders, self.lines = contenders, Seldom(1.0)

    def __call__(self) -> None:
        seconds = _had_by_all(self.contenders)
        if self.lines.is_due(seconds):
            losses = ", ".join(f"{each.name} {each.loss:.4g}" for each in self.contenders)
            say(f"{duration(seconds)} each: loss {losses}")


class Panels(Drawing):
    """The live view of a race: boards, counters and curves of the loss side by side."""

    share = 0.2  # nobody's clock runs meanwhile

    def __init__(self, contenders: Sequence[Contender], until: Until, title: str) -> None:
        super().__init__()
        self.contenders, self.until, self.title = contenders, until, title
        self.traces = [Samples() for _ in contenders]  # seconds of its own clock, and the loss

    def __call__(self) -> None:
        """Look at everybody, and draw if it is time."""
        for contender, trace in zip(self.contenders, self.traces, strict=True):
            if not trace.taken or contender.seconds > trace.taken[-1][0]:
                trace.add(contender.seconds, contender.loss)
        if time.perf_counter() >= self.due:
            self.draw()

    def picture(self, width: int, height: int, *, final: bool = False) -> RenderableType:
        from rich.console import Group
        from rich.table import Table

        count = len(self.contenders)
        best = self._arranged(width, height)
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

    def _arranged(self, width: int, height: int) -> tuple[int, list[Layout]] | None:
        """How many panels stand abreast, and what is in each: what shows most of the boards."""
        count, facts = len(self.contenders), len(_fact_rows(self.contenders[0]))
        found = []
        for abreast in {count, min(2, count)}:
            wide, tall = width // abreast - 4, (height - 3) // -(-count // abreast) - 2
            if wide >= NARROWEST_PANEL - 4 and tall >= 3:
                layouts = [
                    arrange(each.run, facts, wide, tall, beside=21, curves=(3, 2, 0), tallest=6)
                    for each in self.contenders
                ]
                found.append((layouts[0].size, -layouts[0].curve, -abreast, layouts))
        if not found:
            return None
        *_, abreast, layouts = min(found)
        return -abreast, layouts

    def _heading(self, width: int) -> Text:
        """The title, and how much of the budget is gone."""
        from rich.text import Text

        from genoku.engine.race import clock

        bound = self.until.time_limit
        of = f" of {duration(bound)}" if bound else ""
        times = f"{clock(_had_by_all(self.contenders))}{of} of CPU time each"
        text = Text(f" {self.title}", "bold", no_wrap=True, overflow="ellipsis")
        text.truncate(max(10, width - len(times) - 3), overflow="ellipsis", pad=True)
        return text.append(f"  {times}", "dim")

    def _footing(self, width: int) -> Text:
        from rich.text import Text

        from genoku.engine.race import leading

        text = Text(f" {leading(self.contenders)}", no_wrap=True)
        text.append("   curves: loss over time, both log   Ctrl-C ends the race", "dim")
        text.truncate(width, overflow="ellipsis")
        return text

    def _short_lines(self, width: int) -> list[Text]:
        """A line each, where there is no room for more."""
        from rich.text import Text

        lines = []
        for place, each in enumerate(self.contenders):
            line = Text(f" {each.name}", COLOURS[place % len(COLOURS)], no_wrap=True)
            line.append(f"  loss {each.loss:.4g}  {_status(each)}", "default")
            line.truncate(width, overflow="ellipsis")
            lines.append(line)
        return lines

    def _panel(self, place: int, layout: Layout, width: int, *, final: bool) -> RenderableType:
        from rich.panel import Panel
        from rich.text import Text

        from genoku.engine.race import finish

        contender, style = self.contenders[place], COLOURS[place % len(COLOURS)]
        won = final and contender is finish(self.contenders).winner

        def curve(columns: int, lines: int) -> list[Text]:
            return dotted({style: self._heights(place, 2 * columns)}, columns, lines)

        return Panel(
            layout.render(_fact_rows(contender), width, curve),
            title=Text(f"{'★ ' if won else ''}{contender.name}", WON if won else f"bold {style}"),
            title_align="left",
            subtitle=Text(_status(contender), WON if contender.is_through else "dim"),
            subtitle_align="right",
            border_style=WON if won else style,
            width=width + 4,
        )

    def _heights(self, place: int, columns: int) -> Any:
        """Losses from 0, the lowest of all, to 1, up to where the contender's clock stands."""
        losses = [loss for trace in self.traces for _, loss in trace.taken]
        high = max(LEAST_LOSS, *losses)
        positive = [loss for loss in losses if loss > 0]
        low = min(positive, default=high)
        if len(positive) < len(losses):  # what is solved lies below all that is not
            low /= 2
        end = max(trace.taken[-1][0] for trace in self.traces)
        times, own = map(np.array, zip(*self.traces[place].taken, strict=True))
        at = np.geomspace(FIRST_TIME, max(end, 2 * FIRST_TIME), columns)
        at = at[: max(1, int((at <= times[-1]).sum()))]
        places = np.clip(np.searchsorted(times, at, side="right") - 1, 0, None)
        places[-1] = len(own) - 1
        above = np.log(np.maximum(own[places], low)) - np.log(low)
        return above / max(np.log(high) - np.log(low), 1e-9)


def _had_by_all(contenders: Sequence[Contender]) -> float:
    """The time that everybody who still races has had; at the end, the longest."""
    going = [each.seconds for each in contenders if not each.ended]
    return min(going, default=max(each.seconds for each in contenders))


def _fact_rows(contender: Contender) -> list[Fact]:
    run = contender.run
    counters = run.counters()
    done, unit = work(counters)
    best = ("open cells", f"{run.best_cost}")
    if not counts_open_cells(run.problem):
        best = ("score", score_text(run.problem, run.best_cost).removeprefix("score "))
    rows = [
        ("loss", f"{contender.loss:.4g}"),
        best,
        (declared(run.algorithm).step_name, f"{counters.steps:,}"),
        (unit, compact(done)),
        ("speed", f"{compact(done / max(contender.seconds, 1e-9))}/s"),
    ]
    return [(f"[dim]{name}[/]", value) for name, value in rows]


def _status(contender: Contender) -> str:
    """How it stands with a contender, in two or three words."""
    from genoku.engine.race import clock

    if contender.solved:
        return f"solved in {clock(contender.seconds)}"
    if contender.ended == "no solution":
        return f"no solution, {clock(contender.seconds)}"
    if contender.ended == "failed":
        return "gave up"
    return "budget spent" if contender.ended else "racing"


# Boards and curves


def _picture(run: View | Run, kind: str) -> Text | None:
    puzzle, board = run.problem.puzzle, shown_board(run)
    if kind == "digits":
        return board_picture(puzzle, board)
    if kind == "tight":
        return tight_board(puzzle, board)
    return small_map(puzzle.geometry, board) if kind else None


def board_picture(puzzle: Puzzle, board: Board) -> Text:
    """The board with its digits, coloured by report 003's map."""
    from rich.text import Text

    colours = map_colours(board, puzzle.geometry)
    return Text.from_ansi(puzzle.picture(board, style="ansi", colours=colours))


def tight_board(puzzle: Puzzle, board: Board) -> Text:
    """The board without lines: a digit on the colour of its cell, two columns wide; givens bold."""
    from rich.text import Text

    geometry, side = puzzle.geometry, puzzle.side
    digits = str(Puzzle(geometry, board.tobytes()))
    shown = digits if len(digits) == geometry.cells else " " * geometry.cells
    text = Text()
    for cell, (digit, colour) in enumerate(zip(shown, map_colours(board, geometry), strict=True)):
        weight = "bold " if puzzle.digits[cell] else ""
        ink = "#ffffff" if colour == MAP_COLOURS[0] else "#22252b"
        text.append(f"{digit} " if colour else "  ", f"{weight}{ink} on {colour}" if colour else "")
        text.append("\n" if cell % side == side - 1 and cell + 1 < geometry.cells else "")
    return text


def small_map(geometry: Geometry, board: Board) -> Text:
    """The map alone, two rows in a line; without colours, the digits in its place."""
    from rich.text import Text

    side = geometry.side
    if is_colourless():
        signs = str(Puzzle(geometry, board.tobytes()))
        if len(signs) != geometry.cells:  # numbers; the map's own are one digit each
            signs = "".join(map(str, fitness_map(board, geometry).tolist()))
        return Text("\n".join(signs[i : i + side] for i in range(0, len(signs), side)))
    colours = map_colours(board, geometry)
    text = Text()
    for row in range(0, side, 2):
        for column in range(side):
            below = (row + 1) * side + column
            lower = colours[below] if below < len(colours) else None
            text.append(*_half_blocks(colours[row * side + column], lower))
        text.append("\n" if row + 2 < side else "")
    return text


def _half_blocks(upper: str | None, lower: str | None) -> tuple[str, str]:
    """Two cells in one character, and its style; an open cell shows the terminal's own ground."""
    if upper is None:
        return ("▄", lower) if lower else (" ", "")
    return "▀", f"{upper} on {lower}" if lower else upper


def chart(steps: Any, curves: dict[str, Any], width: int, height: int) -> Text:
    """Curves in Braille dots over the logarithm of the steps, the last named on top."""
    from rich.text import Text

    low = min(float(curve.min()) for curve in curves.values())
    high = max(float(curve.max()) for curve in curves.values())
    labels = [f"{high:.5g}" if high > low else "", *[""] * (height - 2), f"{low:.5g}"]
    room = max(map(len, labels))
    columns = 2 * max(1, width - room - 1)
    times = np.log(np.maximum(steps, 1))  # most happens early
    at = np.linspace(times[0], times[-1], columns)
    heights = {
        style: (np.interp(at, times, curve) - low) / ((high - low) or 1.0)
        for style, curve in curves.items()
    }
    text = Text()
    for label, line in zip(labels, dotted(heights, columns // 2, height), strict=True):
        text.append(f"{label:>{room}} ", "dim").append_text(line).append("\n")
    ends = f"{steps[0]:,}", f"{steps[-1]:,} (log)"
    return text.append(f"{'':{room}} {ends[0]}{ends[1]:>{columns // 2 - len(ends[0])}}", "dim")


def dotted(curves: Mapping[str, Any], width: int, height: int) -> list[Text]:
    """Curves by their styles, the last on top, as lines of Braille dots.

    A curve has a height from 0 to 1 for each of its columns, of which a character has two; one
    that is shorter than the room ends before it.
    """
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
