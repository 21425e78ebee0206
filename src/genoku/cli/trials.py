"""What a person sees of a search for parameters: a bar, or a line for every trial."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from genoku.cli.output import duration, say

if TYPE_CHECKING:
    from rich.progress import Progress

    from genoku.lab.tune import News
    from genoku.lab.tune.search import Watcher


class Pace:
    """How long the trials that are left will take, by those that were finished here."""

    def __init__(self, trials: int, before: int) -> None:
        self.trials, self.before, self.began = trials, before, time.monotonic()

    def left(self, done: int) -> str:
        made = done - self.before
        if made < 2 or done >= self.trials:  # the first may have had to wait for a compiler
            return ""
        per_trial = (time.monotonic() - self.began) / made
        return f"about {duration(round(per_trial * (self.trials - done), 1))} left"


@contextmanager
def shown_trials(trials: int, runs: int, before: int) -> Iterator[Watcher]:
    """Who is told the news of a search, as long as it lasts."""
    pace = Pace(trials, before)
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield lambda news: _say_line(news, trials, runs, pace)
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (
        TextColumn("tuning"),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TextColumn("trials  {task.fields[said]}", markup=False),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        progress.add_task("tuning", total=trials, completed=before, said="")
        yield lambda news: _update(progress, news, runs, pace)


def _update(progress: Progress, news: News, runs: int, pace: Pace) -> None:
    best = "" if news.best is None else f"best {news.best:.3f}"
    run = "" if news.ended else f"run {news.runs} of {runs}"
    said = "  ".join(filter(None, (best, run, pace.left(news.trial))))
    progress.update(progress.task_ids[0], completed=news.trial, said=said)


def _say_line(news: News, trials: int, runs: int, pace: Pace) -> None:
    if not news.ended:
        return
    value = "" if news.value is None else f"{news.value:.3f}"
    told = {
        "whole": f"{value}, the best so far" if news.value == news.best else value,
        "given up": f"{value}, given up after {news.runs} of {runs} runs",
        "refused": "its parameters do not go together",
    }[news.ended]
    line = f"trial {news.trial} of {trials}: {told}"
    say("; ".join(filter(None, (line, pace.left(news.trial)))))
