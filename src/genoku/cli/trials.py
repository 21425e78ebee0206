"""What a person sees of a search for parameters: a bar, or a line for every trial."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from genoku.cli.output import say
from genoku.cli.progress import bar, is_watched
from genoku.words import duration

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

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
    if not is_watched():
        yield lambda news: _say_line(news, trials, runs, pace)
        return
    with bar("tuning", trials, done=before, units="trials") as (progress, task):
        yield lambda news: _update(progress, task, news, runs, pace)


def _update(progress: Progress, task: TaskID, news: News, runs: int, pace: Pace) -> None:
    best = "" if news.best is None else f"best {news.best:.3f}"
    run = "" if news.ended else f"run {news.runs} of {runs}"
    said = "  ".join(filter(None, (best, run, pace.left(news.trial))))
    progress.update(task, completed=news.trial, said=said)


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
