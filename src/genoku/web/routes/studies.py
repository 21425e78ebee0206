"""Studies: create, run and stop them, follow their progress, and read their results.

They are files in a folder that `genoku study` and `genoku report` can use, too.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Path as InPath
from fastapi.responses import FileResponse, HTMLResponse
from pydantic import BaseModel, ConfigDict, Field, StringConstraints
from starlette.background import BackgroundTask

from genoku.errors import StoreError
from genoku.web.http_errors import ConflictError, NotFoundError, TookTooLongError, file_route
from genoku.web.limits import RequestModel, Seed
from genoku.web.security import PAGE_POLICY
from genoku.web.services import AppServices, Services, run_handler
from genoku.web.study_processes import StudyFiles, study_files, without_folder

router = APIRouter(prefix="/api/studies", tags=["studies"])

MEDIA_TYPES = {
    "csv": ("text/csv", ".csv"),
    "jsonl": ("application/x-ndjson", ".jsonl"),
    "steps": ("text/csv", "-steps.csv"),
    "toml": ("application/toml", ".toml"),
    "db": ("application/vnd.sqlite3", ".db"),
}
Kind = Literal["csv", "jsonl", "steps", "toml", "db"]
LONG_JOB = {"seconds": 120.0, "once": True}  # for jobs that read all runs of a study
TOO_SLOW = "{}: generating puzzles takes time, so ask for fewer or smaller ones"
Words = Annotated[str, StringConstraints(strip_whitespace=True, max_length=500)]
Label = Annotated[str, StringConstraints(strip_whitespace=True, max_length=120)]
Side = Annotated[Label | Annotated[int, Field(ge=4, le=36)], Field(examples=["9", "3x4"])]
State = Literal["running", "waiting", "stopping", "stopped", "done", "faulty"]


class AlgorithmRequest(RequestModel):
    """A preset or recipe, changes to it, and a grid of values to try."""

    preset: Label = "champion"
    recipe: dict[str, Any] | None = Field(default=None, description="In place of the preset.")
    settings: dict[str, Any] = Field(default={}, description="Changed values by their paths.")
    grid: dict[str, Annotated[list[Any], Field(min_length=1, max_length=100)]] = Field(
        default={}, description="Several values by path: each combination is an algorithm."
    )
    name: Label = ""


class StudyPuzzleRequest(RequestModel):
    """A board as text, the name of a bundled puzzle, or how many to generate."""

    puzzle: Annotated[str, Field(max_length=20_000)] | None = None
    box: Label | None = None
    bundled: Label | None = None
    generate: Annotated[int, Field(ge=1, le=1000)] | None = None
    size: Side | None = None
    level: Label | None = None
    seed: Seed | None = None
    name: Label = ""


class SeedsRequest(RequestModel):
    """Consecutive seeds."""

    first: Seed = 0
    count: int = Field(default=30, ge=1, le=1_000_000)


EXAMPLE_PLAN: dict[str, Any] = {
    "question": "Does rank selection need less work than tournaments?",
    "algorithms": [{"preset": "charles", "grid": {"selection": ["rank", "tournament"]}}],
    "puzzles": [{"bundled": "charles-basic"}, {"generate": 2, "size": "9", "level": "easy"}],
    "seeds": {"first": 0, "count": 10},
    "until": "generations=50",
}


def _example_config(**more: Any) -> ConfigDict:
    """Return a model configuration with an example that can be run as it is."""
    return ConfigDict(json_schema_extra={"examples": [{**more, **EXAMPLE_PLAN}]})


class StudyPlanRequest(RequestModel):
    """Every algorithm on every puzzle with every seed."""

    model_config = _example_config()

    question: Words = ""
    algorithms: list[AlgorithmRequest] = Field(min_length=1, max_length=100)
    puzzles: list[StudyPuzzleRequest] = Field(min_length=1, max_length=500)
    seeds: SeedsRequest = SeedsRequest()
    until: Words = Field(default="", description="Stopping rule; empty is each preset's own.")
    allow_conflicts: bool = False


class NewStudyRequest(StudyPlanRequest):
    """A study to create."""

    model_config = _example_config(name="rank-or-tournament", run=True)

    name: str = Field(max_length=200, description="Used as the file name.")
    run: bool = Field(default=False, description="Run it immediately.")


class EstimateRequest(StudyPlanRequest):
    """A plan to check and count; with `pilot`, also to time."""

    model_config = _example_config(pilot=True)

    pilot: bool = Field(default=False, description="Estimate the duration by a few short runs.")


class StudyPlanAnswer(BaseModel):
    """The size of a planned study, or what is wrong with it."""

    model_config = ConfigDict(extra="allow")

    ok: bool
    problem: str = Field(default="", description="One sentence that says why it cannot be run.")
    planned: int = Field(default=0, description="Number of runs.")
    size: str = Field(default="", examples=["2 algorithms × 1 puzzle × 20 seeds (0 to 19)"])
    estimate: dict[str, Any] | None = Field(default=None, description="Seconds, bytes and cores.")


class StudyRow(BaseModel):
    """The state of a study."""

    model_config = ConfigDict(extra="allow")

    name: str
    state: State
    question: str = ""
    planned: int | None = Field(default=None, description="null until they are counted.")
    done: int = 0
    solved: int = 0
    failed: int = 0
    left: float | None = Field(default=None, description="Estimated seconds left.")
    modified: float | None = None
    by: str = Field(default="", description="Who runs it, if this server does not.")
    said: str = Field(default="", description="What is wrong with it.")


async def _find_study(
    name: Annotated[str, InPath(examples=["rank-or-tournament"])], services: AppServices
) -> StudyFiles:
    files = study_files(services.studies.folder, name)
    if not files.exists:
        raise NotFoundError(f"there is no study {name!r}")
    return files


StudyOfPath = Annotated[StudyFiles, Depends(_find_study)]  # a parameter of routes


@router.get("", summary="All studies")
async def listing(services: AppServices) -> list[StudyRow]:
    """All studies, the latest first."""
    drivers = services.studies
    found = await _ask(services, "studies.listing", drivers.folder, drivers.running)
    lines = [StudyRow.model_validate({**each, **drivers.status(each["name"])}) for each in found]
    return sorted(lines, key=lambda each: -(each.modified or 0.0))


@router.post("", status_code=201, summary="Create a study")
async def create(services: AppServices, asked: NewStudyRequest) -> StudyRow:
    """Check a study and save it; 409 if the name is taken."""
    await _plan(services, "studies.create", asked, services.studies.folder)
    if asked.run:
        await services.studies.run(asked.name)
    return await show(services, study_files(services.studies.folder, asked.name))


@router.post("/plan", summary="Plan a study")
async def plan(services: AppServices, asked: EstimateRequest) -> StudyPlanAnswer:
    """What a study would run, without saving it; with a pilot, how long it would take."""
    return StudyPlanAnswer(**await _plan(services, "studies.plan", asked, services.studies.jobs))


@router.get("/{name}", summary="One study")
async def show(services: AppServices, files: StudyOfPath) -> StudyRow:
    """The algorithms, puzzles, seeds and progress of a study."""
    is_ours = files.name in services.studies.running
    found = await _ask(services, "studies.detail", files, is_ours)
    now = {"modified": files.modified, **services.studies.status(files.name)}
    return StudyRow.model_validate({**found, **now})


@router.delete("/{name}", status_code=204, summary="Delete a study")
async def remove(services: AppServices, files: StudyOfPath) -> None:
    """Delete a study and all of its runs; it is stopped first."""
    await services.studies.stop(files.name)
    await _ask(services, "studies.delete", files)
    services.studies.forget(files.name)


@router.post("/{name}/run", summary="Run or resume a study")
async def run(services: AppServices, files: StudyOfPath) -> StudyRow:
    """Run what is left of a study, failed runs included; it may wait for other studies."""
    line = await show(services, files)
    _refuse_if_by_others(line, "wait until it has ended")
    if line.state == "faulty":
        raise ConflictError(f"this study cannot be run: {line.said}")
    await services.studies.run(files.name)
    return await show(services, files)


@router.post("/{name}/stop", summary="Stop a study")
async def stop(services: AppServices, files: StudyOfPath) -> StudyRow:
    """Stop a study; its finished runs are kept, and it can be resumed."""
    await services.studies.stop(files.name)
    line = await show(services, files)
    _refuse_if_by_others(line, "stop it there")
    return line


@router.get("/{name}/results", summary="Results of a study")
async def results(services: AppServices, files: StudyOfPath) -> dict[str, Any]:
    """The results so far, as sections of HTML in which charts are images."""
    found: dict[str, Any] = await _load_cached(services, files, "results")
    return found


@router.get(
    "/{name}/report", summary="The report of a study", **file_route("The page.", "text/html")
)
async def report(services: AppServices, files: StudyOfPath) -> HTMLResponse:
    """The whole report as a standalone page."""
    page = await _load_cached(services, files, "report_html")
    return HTMLResponse(page, headers={"Content-Security-Policy": PAGE_POLICY})


@router.get(
    "/{name}/export/{kind}",
    summary="A study as a file",
    **file_route("The file.", *(media for media, _ in MEDIA_TYPES.values())),
)
async def export(services: AppServices, files: StudyOfPath, kind: Kind) -> FileResponse:
    """The runs as CSV or JSON lines, every recorded step, the study's file, or its store."""
    handle, name = tempfile.mkstemp(prefix="genoku-", suffix=f".{kind}")
    os.close(handle)
    target = Path(name)
    try:
        await _ask(services, "studies.export", files, kind, target, **LONG_JOB)
    except BaseException:
        target.unlink(missing_ok=True)
        raise
    media, end = MEDIA_TYPES[kind]
    gone = BackgroundTask(target.unlink, missing_ok=True)
    return FileResponse(target, media_type=media, filename=f"{files.name}{end}", background=gone)


async def _ask(services: Services, question: str, *arguments: Any, **how: Any) -> Any:
    try:
        return await run_handler(services, question, *arguments, **how)
    except StoreError as error:
        raise StoreError(without_folder(str(error), services.studies.folder)) from None


async def _plan(services: Services, question: str, asked: StudyPlanRequest, *more: Any) -> Any:
    """Call a handler that checks a plan."""
    limits = services.limits.study_runs, services.limits.population_cells
    try:
        return await _ask(services, question, *more, asked, *limits, once=True)
    except TookTooLongError as error:
        raise TookTooLongError(TOO_SLOW.format(error)) from None


def _refuse_if_by_others(line: StudyRow, cure: str) -> None:
    if line.by:
        raise ConflictError(f"{line.by} is running this study: {cure}")


async def _load_cached(services: Services, files: StudyFiles, what: str) -> Any:
    """Return results or report, computed once for each state of the study."""
    cache, key = services.studies.cache, (what, files.name, files.version)
    return await cache.get(key, lambda: _ask(services, f"studies.{what}", files, **LONG_JOB))
