"""A report's own experiment as a section of its page: what `genoku reproduce` shows."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import islice
from pathlib import Path

from genoku.lab.experiments import Request, plan, prepare
from genoku.lab.experiments.outputs import Experiment, Output
from genoku.lab.experiments.runs import FinishedRun, make_runs
from genoku.lab.report.charts import Chart, LineChart
from genoku.lab.report.page import Details, Figure, Part, Section

__all__ = ["OWN_TITLE", "own_experiment", "own_section"]

OWN_TITLE = "The report's own tables and figures, and ours"
POINTS = 1500  # of a scatter plot; all of them would make a page of megabytes


def own_experiment(number: str, jobs: int) -> Section:
    """Repeat a report's experiment as its authors made it, and return its tables and figures."""
    with tempfile.TemporaryDirectory() as folder:  # for its logs, which the page does not show
        experiment = plan(Request(number, Path(folder), jobs=jobs))
        prepare(experiment)
        with closing(make_runs(experiment.runs, jobs)) as made:
            return own_section(number, experiment, list(made))


def own_section(number: str, experiment: Experiment, finished: Sequence[FinishedRun]) -> Section:
    """Make the section of the experiment's finished runs."""
    runs = iter(finished)
    parts: list[Part] = [
        f"What `genoku reproduce {number}` shows and writes; nothing is judged here.",
        experiment.about,
    ]
    for chapter in experiment.chapters:
        made = chapter.make(list(islice(runs, len(chapter.runs))))
        parts += [f"### {chapter.title}", *_parts(chapter.title, made)]
    return Section(OWN_TITLE, tuple(parts), is_numbered=False)


def _parts(title: str, made: Sequence[Part | Output]) -> Iterator[Part]:
    """Yield the parts of a chapter; long tables, which a terminal does not show, are folded."""
    for each in made:
        if not isinstance(each, Output):
            yield each
        elif isinstance(each.part, Figure):
            yield replace(_thin_out(each.part), name=f"report-{each.name}")
        elif each.prints:  # its caption is often that of the chapter
            yield replace(each.part, caption="") if each.part.caption == title else each.part
        else:
            yield Details(each.part.caption, (replace(each.part, caption=""),))


def _thin_out(figure: Figure) -> Figure:
    """Draw fewer points of scatter plots, and say so."""
    charts = [each for each in figure.charts if isinstance(each, LineChart)]
    series = [each for chart in charts for each in chart.series if each.style == "points"]
    if not any(min(each.dots, len(each.x)) > POINTS for each in series):
        return figure
    thin = tuple(_with_fewer_points(each) for each in figure.charts)
    caption = f"{figure.caption} At most {POINTS:,} points are drawn here."
    return replace(figure, chart=thin, caption=caption.strip())


def _with_fewer_points(chart: Chart) -> Chart:
    if not isinstance(chart, LineChart):
        return chart
    series = (replace(each, dots=min(each.dots, POINTS)) for each in chart.series)
    return replace(chart, series=tuple(series))
