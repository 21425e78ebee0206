"""The reports' own experiments, as their authors made them, with the printed numbers beside ours.

A module per report says which runs it needs, and which of the report's tables and figures follow
from them. Studies with many seeds and verdicts are another matter: `reproductions` in a clone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from genoku.errors import GenokuError
from genoku.lab.experiments.outputs import Experiment, Output
from genoku.lab.experiments.runs import FinishedRun, PlannedRun, Request, make_runs
from genoku.lab.report.page import Code, Page, Part, Section, Table

__all__ = ["PlannedRun", "Repeated", "Request", "plan", "prepare", "repeat"]

Tracked = Callable[[Iterator[FinishedRun], int], Iterable[FinishedRun]]
"""Passes runs on, and shows how many of the total are there."""

TAKES_PUZZLES = ("001",)  # the reports whose experiment takes any board


class Repeated(NamedTuple):
    """What a repeated experiment has written, the page first, and the tables for a terminal."""

    files: tuple[Path, ...]
    tables: tuple[Table, ...]


def plan(request: Request) -> Experiment:
    """Return the experiment of a report, without running anything.

    Raises
    ------
    GenokuError
        If its boards cannot be replaced by those of the request.
    """
    if request.puzzles and request.number not in TAKES_PUZZLES:
        raise GenokuError(
            f"own boards: expected report {' or '.join(TAKES_PUZZLES)}, got {request.number}, "
            "whose experiment is one on its own boards"
        )
    module = import_module(f"genoku.lab.experiments.report_{request.number}")
    planned: Experiment = module.experiment(request)
    return planned


def prepare(experiment: Experiment) -> None:
    """Compile what its runs need, or load it, so that not every process compiles the same."""
    for each in experiment.runs:
        each.choice()


def repeat(request: Request, command: str, track: Tracked = lambda runs, _total: runs) -> Repeated:
    """Repeat the experiment of a report, and write its tables, figures and page.

    The files of a chapter are written as soon as its runs are there, so that an interrupt leaves
    those that are complete. The same request gives the same files, apart from running times.

    Parameters
    ----------
    command
        The command that repeats it, for the page.
    track
        Watches the runs.
    """
    experiment = plan(request)
    request.folder.mkdir(parents=True, exist_ok=True)
    planned = experiment.runs
    sections: list[Section] = []
    files: list[Path] = []
    tables: list[Table] = []
    with closing(make_runs(planned, request.jobs)) as made:
        runs = iter(track(made, len(planned)))
        for chapter in experiment.chapters:
            finished = list(islice(runs, len(chapter.runs)))
            parts: list[Part] = []
            for each in chapter.make(finished):
                if not isinstance(each, Output):
                    parts.append(each)
                    continue
                files += each.write(request.folder)
                parts.append(each.part)
                if each.prints and isinstance(each.part, Table):
                    tables.append(each.part)
            files += [run.planned.log for run in finished if run.planned.log is not None]
            sections.append(Section(chapter.title, tuple(parts)))
        next(runs, None)  # ends the display of progress
    again = Section("How to repeat it", (Code(command, "sh"),))
    page = Page(experiment.title, experiment.about, (*sections, again))
    index = request.folder / "index.html"
    page.write_html(index)
    return Repeated((index, *files), tuple(tables))
