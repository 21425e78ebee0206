"""Studies: make one, run it, stop it, see how far it is and what came of it.

They are files of a folder that `genoku study` and `genoku report` understand too.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Response
from fastapi import Path as InPath
from fastapi.responses import FileResponse, HTMLResponse
from pydantic import BaseModel, ConfigDict, Field, StringConstraints
from starlette.background import BackgroundTask

from genoku.errors import StoreError
from genoku.stopping import BROWSER_SEED
from genoku.web.drivers import StudyFiles, files_of, within
from genoku.web.guard import PAGE_POLICY
from genoku.web.limits import Asked
from genoku.web.refusals import ConflictError, NotFoundError, TookTooLongError
from genoku.web.services import Here, Services, work

router = APIRouter(prefix="/api/studies", tags=["studies"])

TYPES = {
    "csv": ("text/csv", ".csv"),
    "jsonl": ("application/x-ndjson", ".jsonl"),
    "steps": ("text/csv", "-steps.csv"),
    "toml": ("application/toml", ".toml"),
    "db": ("application/vnd.sqlite3", ".db"),
}
TEXT = {"schema": {"type": "string", "format": "binary"}}
Kind = Literal["csv", "jsonl", "steps", "toml", "db"]
LONG = {"seconds": 120.0, "once": True}
"""How clerks are asked what reads all runs of a study."""
SLOW = "{}: generating puzzles takes time, so ask for fewer or smaller ones"
Words = Annotated[str, StringConstraints(strip_whitespace=True, max_length=500)]
Label = Annotated[str, StringConstraints(strip_whitespace=True, max_length=120)]
Side = Annotated[Label | Annotated[int, Field(ge=4, le=36)], Field(examples=["9", "3x4"])]
Name = Annotated[str, InPath(examples=["rank-or-tournament"])]
State = Literal["running", "waiting", "stopping", "stopped", "done", "faulty"]


class Algorithm(Asked):
    """A preset or a recipe, what is changed in it, and which values to try of what."""

    preset: Label = "champion"
    recipe: dict[str, Any] | None = Field(default=None, description="In place of the preset.")
    settings: dict[str, Any] = Field(default={}, description="Values by their paths in a recipe.")
    grid: dict[str, Annotated[list[Any], Field(min_length=1, max_length=100)]] = Field(
        default={}, description="Several values by path: each combination is an algorithm."
    )
    name: Label = ""


class StudyPuzzle(Asked):
    """A board as text, the name of a bundled puzzle, or how many to generate."""

    puzzle: Annotated[str, Field(max_length=20_000)] | None = None
    box: Label | None = None
    bundled: Label | None = None
    generate: Annotated[int, Field(ge=1, le=1000)] | None = None
    size: Side | None = None
    level: Label | None = None
    seed: Annotated[int, Field(ge=0, le=BROWSER_SEED)] | None = None
    name: Label = ""


class Seeds(Asked):
    """So many in a row."""

    first: int = Field(default=0, ge=0, le=BROWSER_SEED)
    count: int = Field(default=30, ge=1, le=1_000_000)


PLAN: dict[str, Any] = {
    "question": "Does rank selection need less work than tournaments?",
    "algorithms": [{"preset": "charles", "grid": {"selection": ["rank", "tournament"]}}],
    "puzzles": [{"bundled": "charles-basic"}, {"generate": 2, "size": "9", "level": "easy"}],
    "seeds": {"first": 0, "count": 10},
    "until": "generations=50",
}


def _shown(**more: Any) -> ConfigDict:
    """Of a model that is asked for: an example that can be run as it is."""
    return ConfigDict(json_schema_extra={"examples": [{**more, **PLAN}]})


class Plan(Asked):
    """Every algorithm on every puzzle with every seed."""

    model_config = _shown()

    question: Words = ""
    algorithms: list[Algorithm] = Field(min_length=1, max_length=100)
    puzzles: list[StudyPuzzle] = Field(min_length=1, max_length=500)
    seeds: Seeds = Seeds()
    until: Words = Field(default="", description="A budget; empty is every preset's own.")
    allow_conflicts: bool = False


class NewStudy(Plan):
    """A plan with a name, to be kept."""

    model_config = _shown(name="rank-or-tournament", run=True)

    name: str = Field(max_length=200, description="What its files are called.")
    run: bool = Field(default=False, description="Run it at once.")


class AskedPlan(Plan):
    """A plan to be counted, and with a pilot timed."""

    model_config = _shown(pilot=True)

    pilot: bool = Field(default=False, description="Try a few short runs to say how long it takes.")


class Counted(BaseModel):
    """What a plan comes to, or what is wrong with it."""

    model_config = ConfigDict(extra="allow")

    ok: bool
    problem: str = Field(default="", description="Why it cannot be run, in one sentence.")
    planned: int = Field(default=0, description="How many runs.")
    size: str = Field(default="", examples=["2 algorithms × 1 puzzle × 20 seeds (0 to 19)"])
    estimate: dict[str, Any] | None = Field(default=None, description="Seconds, bytes and cores.")


class Line(BaseModel):
    """How far a study is."""

    model_config = ConfigDict(extra="allow")

    name: str
    state: State
    question: str = ""
    planned: int | None = Field(default=None, description="None until it is counted.")
    done: int = 0
    solved: int = 0
    failed: int = 0
    left: float | None = Field(default=None, description="Seconds to go, as far as can be told.")
    modified: float | None = None
    by: str = Field(default="", description="Who runs it, if this server does not.")
    said: str = Field(default="", description="What is wrong with it, in words.")


@router.get("", summary="All studies")
async def listing(here: Here) -> list[Line]:
    """All studies, the latest first."""
    running = here.drivers.running
    found = await _ask(here, "studies.listing", str(here.drivers.folder), running)
    lines = [Line(**_with_standing(here, each)) for each in found]
    return sorted(lines, key=lambda each: -(each.modified or 0.0))


@router.post("", status_code=201, summary="Create a study")
async def create(here: Here, asked: NewStudy) -> Line:
    """Check a study as a whole, and keep it; 409 if there is one of that name."""
    await _plan(here, "studies.create", asked, str(here.drivers.folder))
    if asked.run:
        await here.drivers.run(asked.name)
    return await _line(here, files_of(here.drivers.folder, asked.name))


@router.post("/plan", summary="Plan a study")
async def plan(here: Here, asked: AskedPlan) -> Counted:
    """What a study would run, without keeping it; with a pilot, how long it would take."""
    return Counted(**await _plan(here, "studies.plan", asked, here.drivers.jobs))


@router.get("/{name}", summary="One study")
async def show(here: Here, name: Name) -> Line:
    """A study: its algorithms, puzzles and seeds, and how far it is."""
    return await _line(here, _there(here, name))


@router.delete("/{name}", status_code=204, summary="Delete a study")
async def remove(here: Here, name: Name) -> None:
    """Delete a study and all of its runs; one that runs is stopped first."""
    files = _there(here, name)
    await here.drivers.stop(name)
    await _ask(here, "studies.delete", str(here.drivers.folder), files.name)
    here.drivers.forget(name)


@router.post("/{name}/run", summary="Run or resume a study")
async def run(here: Here, name: Name) -> Line:
    """Run what is left of a study, failed runs included; it may have to wait for others."""
    files = _there(here, name)
    line = await _line(here, files)
    _refuse_if_by_others(line, "let it end first")
    if line.state == "faulty":
        raise ConflictError(f"this study cannot be run: {line.said}")
    await here.drivers.run(name)
    return await _line(here, files)


@router.post("/{name}/stop", summary="Stop a study")
async def stop(here: Here, name: Name) -> Line:
    """Stop a study; what came so far is kept, and it can be gone on with."""
    files = _there(here, name)
    await here.drivers.stop(name)
    line = await _line(here, files)
    _refuse_if_by_others(line, "stop it there")
    return line


@router.get("/{name}/results", summary="Results of a study")
async def results(here: Here, name: Name) -> dict[str, Any]:
    """What was found so far: sections of HTML, in which drawings are images."""
    found: dict[str, Any] = await _found(here, _there(here, name), "results")
    return found


@router.get(
    "/{name}/report",
    summary="The report of a study",
    response_class=Response,
    responses={200: {"description": "The page.", "content": {"text/html": TEXT}}},
)
async def report(here: Here, name: Name) -> HTMLResponse:
    """The whole report as a page."""
    page = await _found(here, _there(here, name), "report_html")
    return HTMLResponse(page, headers={"Content-Security-Policy": PAGE_POLICY})


@router.get(
    "/{name}/export/{kind}",
    response_class=FileResponse,
    summary="A study as a file",
    responses={
        200: {"description": "The file.", "content": {media: TEXT for media, _ in TYPES.values()}}
    },
)
async def export(here: Here, name: Name, kind: Kind) -> FileResponse:
    """The runs as CSV or JSON lines, every recorded step, the study's file, or its store."""
    files = _there(here, name)
    handle, target = tempfile.mkstemp(prefix="genoku-", suffix=f".{kind}")
    os.close(handle)
    try:
        folder = str(here.drivers.folder)
        await _ask(here, "studies.export", folder, files.name, kind, target, **LONG)
    except BaseException:
        Path(target).unlink(missing_ok=True)
        raise
    media, end = TYPES[kind]
    gone = BackgroundTask(Path(target).unlink, missing_ok=True)
    return FileResponse(target, media_type=media, filename=f"{name}{end}", background=gone)


async def _ask(here: Services, question: str, *arguments: Any, **how: Any) -> Any:
    try:
        return await work(here, question, *arguments, **how)
    except StoreError as error:
        raise StoreError(within(str(error), here.drivers.folder)) from None


async def _plan(here: Services, question: str, asked: Plan, *more: Any) -> Any:
    """Ask about a plan, which is worked out as a whole."""
    limits = here.limits.study_runs, here.limits.population_cells
    try:
        return await _ask(here, question, *more, asked, *limits, once=True)
    except TookTooLongError as error:
        raise TookTooLongError(SLOW.format(error)) from None


def _there(here: Services, name: str) -> StudyFiles:
    files = files_of(here.drivers.folder, name)
    if not files.exist:
        raise NotFoundError(f"there is no study {name!r}")
    return files


async def _line(here: Services, files: StudyFiles) -> Line:
    is_ours = files.name in here.drivers.running
    found = await _ask(here, "studies.detail", str(here.drivers.folder), files.name, is_ours)
    return Line(**_with_standing(here, {**found, "modified": files.modified}))


def _refuse_if_by_others(line: Line, cure: str) -> None:
    if line.by:
        raise ConflictError(f"{line.by} is running this study: {cure}")


def _with_standing(here: Services, found: dict[str, Any]) -> dict[str, Any]:
    """What the store tells of a study, and what its driver knows before the store."""
    phase, progress, said = here.drivers.standing(found["name"])
    if phase:
        found = {**found, "state": phase, "by": ""}
    elif said:
        found = {**found, "said": within(said, here.drivers.folder)}
    if progress:
        counted = {key: progress[key] for key in ("planned", "done", "solved", "failed", "left")}
        found = {**found, **counted, "workers": progress["workers"]}
    return found


async def _found(here: Services, files: StudyFiles, what: str) -> Any:
    """Results or report, worked out once for as many runs as there are."""
    folder = str(here.drivers.folder)
    return await here.drivers.shelf.get(
        (what, files.name, files.version),
        lambda: _ask(here, f"studies.{what}", folder, files.name, **LONG),
    )
