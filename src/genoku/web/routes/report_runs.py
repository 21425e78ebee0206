"""The runs of the reports' experiments: what to start so that one runs as its authors ran it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel, Field

from genoku.reports import Experiment, Report, ReportBoard, reports
from genoku.runtime.toml import parse_toml
from genoku.web.routes.reports import Number
from genoku.web.services import in_worker

router = APIRouter(prefix="/api", tags=["reports"])


class ReportBoardAnswer(BaseModel):
    """A board that a report ran on."""

    name: str = Field(description="In the report.")
    note: str = Field(description="What is particular about it; may be empty.")
    puzzle: str = Field(description="As text.")
    box: str
    puzzle_name: str = Field(description="Here.")


class ReportSettingAnswer(BaseModel):
    """An algorithm that a report ran: a line of a table, a curve of a figure."""

    row: str = Field(description="Its name in the report, such as `run_1`.")
    about: str = Field(description="Its parts in the report's words; may be empty.")
    board: str = Field(description="The name of its board; empty if it ran on all.")
    preset: str
    settings: dict[str, Any]
    until: str
    seed: int = Field(description="Ours; settings that differ in nothing else have different ones.")
    own_puzzle: str = Field(description="The name of the preset's own puzzle.")
    own_until: str = Field(description="The preset's own limits.")
    printed: dict[str, str | int | float | None] = Field(description="Its numbers in the report.")


class ReportExperimentAnswer(BaseModel):
    """An experiment of a report."""

    id: str
    title: str
    where: str
    note: str
    row_name: str = Field(description="What its rows are, as its table says: `Run Name`.")
    boards: list[str]
    best: dict[str, str] = Field(description="By board, the row that the report calls the best.")
    settings: list[ReportSettingAnswer]


class ReportRunsAnswer(BaseModel):
    """All runs of a report; of one that measures nothing, that of its preset."""

    boards: list[ReportBoardAnswer]
    experiments: list[ReportExperimentAnswer]


@in_worker(router.get("/reports/{number}/runs", summary="The runs of a report's experiments"))
def report_runs(number: Number) -> ReportRunsAnswer:
    """The presets, settings, boards and limits of a report's experiments, and its numbers.

    The first is the report's main preset on its own puzzle.
    """
    report = reports()[number]
    return ReportRunsAnswer(
        boards=[_board(each) for each in report.boards],
        experiments=[_main(report), *map(_experiment, report.experiments)],
    )


def _board(board: ReportBoard) -> ReportBoardAnswer:
    from genoku.puzzle.resolve import resolve

    puzzle = resolve(board.puzzle).puzzle
    return ReportBoardAnswer(
        name=board.name,
        note="the report's board is not known: one of ours" if board.stands_in else board.note,
        puzzle=puzzle.line,
        box=puzzle.geometry.box,
        puzzle_name=board.puzzle,
    )


def _main(report: Report) -> ReportExperimentAnswer:
    from genoku.evolve.presets import preset

    found = preset(report.presets[0])
    setting = ReportSettingAnswer(
        row=found.name,
        about=found.about,
        board="",
        preset=found.name,
        settings={},
        until=found.until,
        seed=1,
        own_puzzle=found.puzzle_name,
        own_until=found.until,
        printed={},
    )
    return ReportExperimentAnswer(
        id="",
        title="Its main algorithm",
        where="",
        note="",
        row_name="preset",
        boards=[],
        best={},
        settings=[setting],
    )


def _experiment(experiment: Experiment) -> ReportExperimentAnswer:
    return ReportExperimentAnswer(
        id=experiment.id,
        title=experiment.title,
        where=experiment.where,
        note=experiment.note,
        row_name=experiment.columns[0],
        boards=list(experiment.boards),
        best=dict(experiment.best),
        settings=list(_settings(experiment)),
    )


def _settings(experiment: Experiment) -> Iterator[ReportSettingAnswer]:
    from genoku.evolve.presets import preset

    met: Counter[tuple[object, ...]] = Counter()
    for each in experiment.settings:
        found = preset(each.preset)
        same = each.preset, each.changes, each.board
        met[same] += 1
        yield ReportSettingAnswer(
            row=each.row,
            about=", ".join(each.labels.values()),
            board=each.board,
            preset=each.preset,
            settings=dict(map(_change, each.changes)),
            until=experiment.until or found.until,
            seed=met[same],
            own_puzzle=found.puzzle_name,
            own_until=found.until,
            printed=dict(each.printed),
        )


def _change(text: str) -> tuple[str, Any]:
    """Return the path and the value of a setting such as `population=20`."""
    path, _, value = text.partition("=")
    return path, parse_toml(f"value = {value}")["value"]
