"""What a person sees of a race: a panel for every contender, or a line now and then."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from genoku.cli.output import is_watched, say
from genoku.cli.pictures import board_picture, dotted, small_map, tight_board
from genoku.engine.race import Contender, clock, finish, leading
from genoku.engine.summary import shown_board, work
from genoku.looks import counts_open_cells, score_text, step_word
from genoku.stopping import Until
from genoku.words import compact, duration

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.live import Live
    from rich.text import Text

REDRAW = 0.08  # seconds between two pictures
SHARE = 0.2  # of the time that drawing may take; nobody's clock runs meanwhile
MOST_SAMPLES = 1024
NARROWEST = 25  # columns of a panel
BESIDE = 21  # columns that facts need beside a board
TALLEST_CHART = 6
LEAST_LOSS = 1e-4  # that curves reach up to, where all are lower
FIRST_TIME = 0.001  # seconds at which curves begin
COLOURS = ("cyan", "magenta", "yellow", "bright_blue")
WON = "bold green"
BOARDS = ("digits", "tight", "small", "")
"""How a board is drawn, the largest first; or not at all."""


@contextmanager
def arena(contenders: Sequence[Contender], until: Until, title: str) -> Iterator[Any]:
    """Who is told of every turn as long as the race lasts: a live view, or a few lines."""
    if not is_watched():
        yield Lines(contenders)
        return
    from rich.console import Console
    from rich.live import Live

    with Live(console=Console(stderr=True), auto_refresh=False, vertical_overflow="crop") as live:
        panels = Panels(contenders, until, title, live)
        try:
            yield panels
        finally:
            panels.draw(final=True)


class Lines:
    """A line with everybody's loss, at first soon and then ever more rarely."""

    def __init__(self, contenders: Sequence[Contender]) -> None:
        self.contenders = contenders
        self.due, self.pause = 0.0, 1.0

    def __call__(self) -> None:
        seconds = _had_by_all(self.contenders)
        if seconds < self.due:
            return
        self.due, self.pause = seconds + self.pause, min(60.0, 1.5 * self.pause)
        losses = ", ".join(f"{each.name} {each.loss:.4g}" for each in self.contenders)
        say(f"{duration(seconds)} each: loss {losses}")


class Trace:
    """The loss of a contender over its own clock, thinned as it grows."""

    def __init__(self) -> None:
        self.times: list[float] = []
        self.losses: list[float] = []

    def add(self, contender: Contender) -> None:
        self.times.append(contender.seconds)
        self.losses.append(contender.loss)
        if len(self.times) > MOST_SAMPLES:
            self.times, self.losses = self.times[::2], self.losses[::2]

    def heights(self, frame: Frame, columns: int) -> Any:
        """From 0 (the lowest loss of all) to 1, up to where the clock stands."""
        at = np.geomspace(FIRST_TIME, max(frame.end, 2 * FIRST_TIME), columns)
        at = at[: max(1, int((at <= self.times[-1]).sum()))]
        places = np.clip(np.searchsorted(self.times, at, side="right") - 1, 0, None)
        places[-1] = len(self.losses) - 1
        losses = np.log(np.maximum(np.array(self.losses)[places], frame.low))
        low, high = np.log(frame.low), np.log(frame.high)
        return (losses - low) / max(high - low, 1e-9)


class Frame(NamedTuple):
    """What all curves share: their last time, and the lowest and highest loss."""

    end: float
    low: float
    high: float

    @classmethod
    def around(cls, traces: Sequence[Trace]) -> Frame:
        losses = [loss for trace in traces for loss in trace.losses]
        high = max(LEAST_LOSS, *losses)
        positive = [loss for loss in losses if loss > 0]
        low = min(positive, default=high)
        if len(positive) < len(losses):  # what is solved lies below all that is not
            low /= 2
        return cls(max(trace.times[-1] for trace in traces), low, high)


class Layout(NamedTuple):
    """What a panel holds."""

    board: str
    """One of BOARDS."""
    is_beside: bool
    """Whether the facts stand beside the board, and not below it."""
    curve: int
    """How many lines it has."""


class Panels:
    """The live view: boards, counters and curves side by side."""

    def __init__(
        self, contenders: Sequence[Contender], until: Until, title: str, live: Live
    ) -> None:
        self.contenders, self.until, self.title, self.live = contenders, until, title, live
        self.traces = [Trace() for _ in contenders]
        self.due = 0.0

    def __call__(self) -> None:
        """Look at everybody, and draw if it is time."""
        for contender, trace in zip(self.contenders, self.traces, strict=True):
            if not trace.times or contender.seconds > trace.times[-1]:
                trace.add(contender)
        if time.perf_counter() >= self.due:
            self.draw()

    def draw(self, *, final: bool = False) -> None:
        began = time.perf_counter()
        size = self.live.console.size
        self.live.update(self.picture(size.width, size.height, final=final), refresh=True)
        now = time.perf_counter()
        self.due = now + max(REDRAW, (now - began) / SHARE)

    def picture(self, width: int, height: int, *, final: bool = False) -> RenderableType:
        """Everything, as it fits a terminal of that size."""
        from rich.console import Group
        from rich.table import Table

        count = len(self.contenders)
        best = _arranged(self.contenders[0], count, width, height)
        if best is None:
            return Group(self._heading(width), *self._short_lines(width))
        abreast, layout = best
        table = Table.grid()
        for _ in range(abreast):
            table.add_column(width=width // abreast)
        panels = [
            self._panel(place, layout, width // abreast - 4, final=final) for place in range(count)
        ]
        for start in range(0, count, abreast):
            table.add_row(*panels[start : start + abreast])
        footing = [] if final else [self._footing(width)]
        return Group(self._heading(width), table, *footing)

    def _heading(self, width: int) -> Text:
        """The title, and how much of the budget is gone."""
        from rich.text import Text

        done = _had_by_all(self.contenders)
        bound = self.until.time_limit
        of = f" of {duration(bound)}" if bound else ""
        times = f"{clock(done)}{of} of CPU time each"
        text = Text(f" {self.title}", "bold", no_wrap=True, overflow="ellipsis")
        text.truncate(max(10, width - len(times) - 3), overflow="ellipsis", pad=True)
        return text.append(f"  {times}", "dim")

    def _footing(self, width: int) -> Text:
        from rich.text import Text

        text = Text(f" {leading(self.contenders)}", no_wrap=True)
        text.append("   curves: loss over time, both log   Ctrl-C ends the race", "dim")
        text.truncate(width, overflow="ellipsis")
        return text

    def _short_lines(self, width: int) -> list[Text]:
        """A line each, where there is no room for more."""
        from rich.text import Text

        lines = []
        for place, each in enumerate(self.contenders):
            line = Text(f" {each.name}", self._style(place), no_wrap=True)
            line.append(f"  loss {each.loss:.4g}  {_status(each)}", "default")
            line.truncate(width, overflow="ellipsis")
            lines.append(line)
        return lines

    def _panel(self, place: int, layout: Layout, width: int, *, final: bool) -> RenderableType:
        from rich.align import Align
        from rich.console import Group
        from rich.panel import Panel
        from rich.table import Table
        from rich.text import Text

        contender, style = self.contenders[place], self._style(place)
        kind, is_beside, tall = layout
        winner = finish(self.contenders).winner if final else None
        beside: list[Any] = [_facts(contender)]
        board = _picture(contender, kind)
        columns = width
        if board is not None and is_beside:
            columns -= board.cell_len // (board.plain.count("\n") + 1) + 3
        if tall:
            heights = self.traces[place].heights(Frame.around(self.traces), 2 * columns)
            beside += ["", *dotted({style: heights}, columns, tall)]
        body: RenderableType = Group(*beside)
        if board is not None and is_beside:
            grid = Table.grid(padding=(0, 3, 0, 0))
            grid.add_row(board, body)
            body = grid
        elif board is not None:
            body = Group(Align.center(board), "", body)
        won = contender is winner
        return Panel(
            body,
            title=Text(f"{'★ ' if won else ''}{contender.name}", WON if won else f"bold {style}"),
            title_align="left",
            subtitle=Text(_status(contender), WON if contender.is_through else "dim"),
            subtitle_align="right",
            border_style=WON if won else style,
            width=width + 4,
        )

    def _style(self, place: int) -> str:
        return COLOURS[place % len(COLOURS)]


def _had_by_all(contenders: Sequence[Contender]) -> float:
    """The time that everybody who still races has had; at the end, the longest."""
    going = [each.seconds for each in contenders if not each.ended]
    return min(going, default=max(each.seconds for each in contenders))


def _arranged(
    contender: Contender, count: int, width: int, height: int
) -> tuple[int, Layout] | None:
    """How many panels stand abreast, and what is in them: whatever shows most of the boards."""
    found = []
    for abreast in {count, min(2, count)}:
        inner = width // abreast - 4, (height - 3) // -(-count // abreast) - 2
        if inner[0] >= NARROWEST - 4 and inner[1] >= 3:
            layout = _layout(contender, *inner)
            found.append((BOARDS.index(layout.board), -layout.curve, -abreast, layout))
    if not found:
        return None
    *_, abreast, layout = min(found)
    return -abreast, layout


def _layout(contender: Contender, width: int, height: int) -> Layout:
    """The board, whether facts stand beside it, and the lines of the curve, in so much room."""
    facts = len(_fact_rows(contender))
    for least in (3, 2, 0):  # lines of a curve; with less room, without
        for kind in BOARDS:
            board = _picture(contender, kind)
            tall = 0 if board is None else board.plain.count("\n") + 1
            wide = 0 if board is None else max(map(len, board.plain.split("\n")))
            for is_beside in (True, False):
                used = facts if is_beside else facts + tall + 1
                if board is None:
                    used = facts
                fits = wide + 3 + BESIDE <= width if is_beside else wide <= width
                charted = height - used - 1
                if fits and max(tall, used) <= height and charted >= least:
                    lines = min(TALLEST_CHART, charted) if charted >= 2 else 0
                    return Layout(kind, is_beside and board is not None, lines)
    return Layout("", False, 0)


def _picture(contender: Contender, kind: str) -> Text | None:
    run = contender.run
    puzzle, board = run.problem.puzzle, shown_board(run)
    if kind == "digits":
        return board_picture(puzzle, board)
    if kind == "tight":
        return tight_board(puzzle, board)
    return small_map(puzzle.geometry, board) if kind else None


def _fact_rows(contender: Contender) -> list[tuple[str, str]]:
    run = contender.run
    counters = run.counters()
    done, unit = work(counters)
    best = ("open cells", f"{run.best_cost}")
    if not counts_open_cells(run.problem):
        best = ("score", score_text(run.problem, run.best_cost).removeprefix("score "))
    return [
        ("loss", f"{contender.loss:.4g}"),
        best,
        (step_word(run.algorithm), f"{counters.steps:,}"),
        (unit, compact(done)),
        ("speed", f"{compact(done / max(contender.seconds, 1e-9))}/s"),
    ]


def _facts(contender: Contender) -> RenderableType:
    from rich.table import Table

    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True, min_width=11, style="dim")
    table.add_column(no_wrap=True, overflow="ellipsis")
    for fact in _fact_rows(contender):
        table.add_row(*fact)
    return table


def _status(contender: Contender) -> str:
    """How it stands with a contender, in two or three words."""
    if contender.solved:
        return f"solved in {clock(contender.seconds)}"
    if contender.ended == "no solution":
        return f"no solution, {clock(contender.seconds)}"
    if contender.ended == "failed":
        return "gave up"
    return "budget spent" if contender.ended else "racing"
