"""What a person sees of a run while it goes on: the live view, a bar, or a line now and then."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from genoku.cli.output import is_watched, say
from genoku.cli.pictures import board_picture, chart, small_map
from genoku.engine.run import View, Watcher
from genoku.engine.summary import Clock, share_done, shown_board, work, work_done
from genoku.looks import counts_open_cells, rate_word, score_text, step_word
from genoku.state import Algorithm
from genoku.stopping import Until
from genoku.words import compact, duration

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.live import Live
    from rich.progress import Progress
    from rich.text import Text

REDRAW = 0.1  # seconds between two looks at the board
SHARE = 0.08  # of the run's time that drawing may take
SAMPLE = 0.02  # seconds between two points of the curves
FIRST_SPEED = 8.0  # steps per second, doubled every second, where no speed is asked for
MOST_SAMPLES = 512
BAR_AFTER = 1.0  # seconds: what is over sooner needs no bar
NARROWEST = 30  # columns beside a board that facts and curves are readable in
LABELS = 11  # columns of the longest name of a fact
BEST, MEAN = "green", "blue"

Fact = tuple[str, Any]
"""Its name, and what stands beside it."""


@contextmanager
def shown(
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
    terminal = is_watched()
    with ExitStack() as stack:
        if not live and not terminal:
            yield []
        elif live and not terminal:
            yield [Lines(algorithm, until)]
        elif live:
            yield [stack.enter_context(LiveView(algorithm, until, title, pace))]
        else:
            yield [stack.enter_context(Bar(algorithm, until, title))]


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
    """A plain line at once, and then ever more rarely: for pipes and log files."""

    def __init__(self, algorithm: Algorithm, until: Until) -> None:
        self.word, self.clock = step_word(algorithm), Clock(until)
        self.due, self.pause = 0.0, 2.0

    def __call__(self, view: View) -> None:
        counters = view.counters
        self.clock.look(counters)
        if counters.seconds < self.due:
            return
        self.due, self.pause = counters.seconds + self.pause, min(60.0, 1.5 * self.pause)
        words = [
            f"{self.word} {counters.steps:,}",
            score_text(view.problem, view.best_cost),
            work_done(counters),
            duration(counters.seconds),
            self.clock.left(counters),
        ]
        say(", ".join(filter(None, words)))


class Bar:
    """A progress bar for runs that take longer than a moment."""

    def __init__(self, algorithm: Algorithm, until: Until, title: str) -> None:
        self.word, self.until, self.title = step_word(algorithm), until, title
        self.due, self.clock = BAR_AFTER, Clock(until)
        self.progress: Progress | None = None

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *_error: object) -> None:
        if self.progress is not None:
            self.progress.stop()

    def __call__(self, view: View) -> None:
        counters = view.counters
        self.clock.look(counters)
        if counters.seconds < self.due:
            return
        self.due = counters.seconds + REDRAW
        if self.progress is None:
            self.progress = self._started()
        share = share_done(self.until, counters)
        self.progress.update(
            self.progress.task_ids[0],
            total=None if share is None else 1.0,
            completed=share or 0.0,
            step=f"{self.word} {counters.steps:,}",
            score=score_text(view.problem, view.best_cost),
            left=self.clock.left(counters),
        )
        self.progress.refresh()

    def _started(self) -> Progress:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn

        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TextColumn("{task.fields[step]}  {task.fields[score]}  {task.fields[left]}"),
        )
        progress = Progress(
            *columns, console=Console(stderr=True), transient=True, auto_refresh=False
        )
        progress.start()
        progress.add_task(self.title, total=None, step="", score="", left="")
        return progress


class Samples:
    """Points of a curve, thinned as they grow in number."""

    def __init__(self) -> None:
        self.taken: list[tuple[int, float, float]] = []
        self.every, self.seen = 1, 0

    def add(self, step: int, best: float, mean: float) -> None:
        self.seen += 1
        if self.seen % self.every == 0:
            self.taken.append((step, best, mean))
        if len(self.taken) > MOST_SAMPLES:
            self.taken, self.every = self.taken[::2], 2 * self.every


class LiveView:
    """The best board by report 003's map, the counters, and the curves of best and mean."""

    def __init__(
        self,
        algorithm: Algorithm,
        until: Until,
        title: str,
        pace: Callable[[int], float] | None = None,
    ) -> None:
        self.word, self.rate = step_word(algorithm), rate_word(algorithm)
        self.until, self.title, self.clock = until, title, Clock(until)
        self.pace = pace
        self.first: tuple[int, float] | None = None  # step, and when it was shown
        self.due = self.sample_due = 0.0
        self.samples = Samples()
        self.live: Live | None = None
        self.last: View | None = None

    def __enter__(self) -> LiveView:
        from rich.console import Console
        from rich.live import Live

        self.live = Live(console=Console(stderr=True), auto_refresh=False)
        self.live.start()
        return self

    def __exit__(self, *_error: object) -> None:
        """Leave the last state on the screen."""
        if self.live is not None:
            if self.last is not None:
                self._sample(self.last)
                self._draw(self.last)
            self.live.stop()

    def __call__(self, view: View) -> None:
        self.clock.look(view.counters)
        self._wait(view.state.step)
        now = time.perf_counter()
        self.last = view
        if now < self.sample_due:
            return
        self.sample_due = now + SAMPLE
        self._sample(view)
        if now >= self.due and self.live is not None:
            self._draw(view)
            took = time.perf_counter() - now
            self.due = now + took + max(REDRAW, took / SHARE)

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

    def _draw(self, view: View) -> None:
        if self.live is not None:
            mean = score_of(view, float(view.state.costs.mean()))
            size = self.live.console.size
            self.live.update(self.picture(view, mean, size.width, size.height), refresh=True)

    def picture(self, view: View, mean: float, width: int, height: int) -> RenderableType:
        """What fits a terminal of that size.

        That is the board with its digits, or else its map, and beside it the facts, and the curves
        if there is room below them; or no board.
        """
        from rich.console import Group
        from rich.table import Table

        facts = self._facts(view, mean)[: height - 1]
        charted = height - 1 - len(facts) - 2  # a line between them, and one below the curves
        for board in _boards(view):
            lines = board.plain.count("\n") + 1
            room = width - board.plain.index("\n") - 3
            if lines < height and room >= NARROWEST:
                beside = [_table(facts, room)]
                if charted >= 3:
                    beside += ["", self._chart(room, min(8, charted))]
                table = Table.grid(padding=(0, 3, 0, 0))
                table.add_row(board, Group(*beside))
                return table
        alone = _table(facts, width)
        if charted >= 3 and width >= NARROWEST:
            return Group(alone, "", self._chart(width, min(4, charted)))
        return alone

    def _chart(self, width: int, height: int) -> Text:
        steps, best, mean = map(np.array, zip(*self.samples.taken, strict=True))
        return chart(steps, {MEAN: mean, BEST: best}, min(60, width - 2), height)

    def _facts(self, view: View, mean: float) -> list[Fact]:
        """What is to be said, a line each."""
        from rich.progress_bar import ProgressBar
        from rich.text import Text

        from genoku.diversity import diversity

        counters, state = view.counters, view.state
        done, unit = work(counters)
        best, average = self._scores(view, mean)
        share = share_done(self.until, counters)
        left = self.clock.left(counters)
        rows: list[Fact] = [
            ("run", Text(self.title, "bold")),
            (self.word, f"{counters.steps:,}"),
            (unit, f"{compact(done)}, {compact(done / max(counters.seconds, 1e-9))}/s"),
            best,
            average,
        ]
        if len(state.costs) > 1:
            rows.append(("diversity", f"{diversity(state.boards, view.problem):.3f}"))
        if "rate" in state.memory:
            rows.append((self.rate, f"{state.memory['rate']:.4g}"))
        rows.append(("time", ", ".join(filter(None, (duration(counters.seconds), left)))))
        if share is not None:
            rows.append(("", ProgressBar(1.0, share, width=26)))
        return rows

    def _scores(self, view: View, mean: float) -> tuple[Fact, Fact]:
        """The best so far, and the population now."""
        if counts_open_cells(view.problem):
            now = "open now" if len(view.state.costs) == 1 else "mean open"
            fewest = score_text(view.problem, view.best_cost)
            return (f"[{BEST}]best[/]", fewest), (f"[{MEAN}]{now}[/]", f"{mean:.5g}")
        better = "higher" if view.problem.fitness.maximise else "lower"
        best = f"{score_of(view, view.best_cost):.5g}, {better} is better"
        now = "score now" if len(view.state.costs) == 1 else "mean score"
        return (f"[{BEST}]best score[/]", best), (f"[{MEAN}]{now}[/]", f"{mean:.5g}")


def _table(facts: list[Fact], width: int) -> RenderableType:
    """Facts under each other, none longer than its line."""
    from rich.table import Table

    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True, overflow="ellipsis", min_width=min(LABELS, width // 2))
    table.add_column(no_wrap=True, overflow="ellipsis", max_width=max(1, width - LABELS - 2))
    for fact in facts:
        table.add_row(*fact)
    return table


def _boards(view: View) -> tuple[Text, Text]:
    """The board with its digits, and as a map alone."""
    puzzle, board = view.problem.puzzle, shown_board(view)
    return board_picture(puzzle, board), small_map(puzzle.geometry, board)
