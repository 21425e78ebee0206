"""The five reports, their published reproductions, and reproductions on this machine.

The published pages and their claims come with the package.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Path as InPath
from fastapi.responses import FileResponse
from pydantic import BaseModel, Field

from genoku.reports import Report, reports as all_reports
from genoku.web import study_processes
from genoku.web.http_errors import NotFoundError, file_route
from genoku.web.limits import RequestModel
from genoku.web.security import PAGE_POLICY
from genoku.web.services import AppServices, in_worker
from genoku.web.study_processes import ReproductionProgress

router = APIRouter(prefix="/api", tags=["reports"])

DRAWING_POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'; font-src data:"

WEB = Path(__file__).parents[1]
INSTALLED_PAGES = WEB / "reproductions"  # in a built package
CLONE_PAGES = study_processes.CLONE / "docs" / "reproductions"  # in a clone
CLAIMS_TITLE = "Which claims hold"  # the section that `claims` shows
QUICK_SECONDS = {"000": 75, "001": 30, "002": 40, "003": 40, "004": 20}
"""Durations of quick reproductions on two cores."""


async def _check_number(number: Annotated[str, InPath(max_length=10, examples=["002"])]) -> str:
    if number not in all_reports():
        raise NotFoundError(
            f"expected the number of a report, {', '.join(all_reports())}, got {number!r}"
        )
    return number


Number = Annotated[str, Depends(_check_number)]  # a parameter of routes
Figure = Annotated[str, InPath(max_length=200, examples=["figure-3-experiment-2-crossover.svg"])]


class VerdictCounts(BaseModel):
    """How many claims hold, fail, or could not be decided."""

    holds: int = 0
    fails: int = 0
    undecided: int = 0


class ReportPresetAnswer(BaseModel):
    """A preset of a report, with its puzzle."""

    name: str
    about: str
    puzzle_name: str
    puzzle: str
    box: str
    until: str
    allow_conflicts: bool


class ReportAnswer(BaseModel):
    """A report: who wrote it, what it did, what it claimed."""

    number: str
    name: str
    authors: str
    title: str
    year: int | None = None
    summary: str = Field(description="What it did.")
    encoding: str
    fitness: str
    operators: str
    claimed: str
    found: str = Field(description="The main findings of the reproduction.")
    presets: list[ReportPresetAnswer]
    verdicts: VerdictCounts | None = Field(description="Of the published reproduction.")


class ClaimAnswer(BaseModel):
    """A claim of a report, where it is made, and whether it holds.

    The texts may hold **bold**, *italics* and `code`.
    """

    id: str
    text: str
    where: str
    verdict: Literal["holds", "fails", "undecided"]
    because: str


class ClaimsAnswer(BaseModel):
    """The claims of a report and their verdicts."""

    title: str
    subtitle: str = ""
    summary: str = ""
    claims: list[ClaimAnswer] = []
    own: str = Field(
        default="", description="The report's own tables and figures, printed and ours."
    )
    evidence: str = Field(default="", description="The rest of the page, without its claims.")


class PublishedReproduction(ClaimsAnswer):
    """A published reproduction, its page as Markdown."""

    counts: VerdictCounts
    figures: list[str]  # file names


def pages_folder() -> Path | None:
    """Return the folder of the published pages, if they are installed."""
    places = (INSTALLED_PAGES, CLONE_PAGES)
    return next((each for each in places if (each / "000.md").is_file()), None)


@cache
def published_reproduction(number: str) -> PublishedReproduction | None:
    """Read the published reproduction of a report."""
    place = pages_folder()
    if place is None:
        return None
    facts = json.loads((place / f"{number}-claims.json").read_text("utf-8"))
    _, *sections = (place / f"{number}.md").read_text("utf-8").split("\n## ")
    claims = next(at for at, each in enumerate(sections) if each.startswith(CLAIMS_TITLE))
    own, evidence = (
        "".join(f"## {section}\n" for section in part).strip()
        for part in (sections[:claims], sections[claims + 1 :])
    )
    drawings = sorted(path.name for path in (place / f"{number}-figures").glob("*.svg"))
    more = {"own": own, "evidence": evidence, "figures": drawings}
    return PublishedReproduction.model_validate({**facts, **more})


def page_html(text: str, number: str) -> str:
    """Render sections of a published page as HTML."""
    from genoku.lab.report.page import render_markdown

    source = f"/api/reports/{number}/figures"
    return render_markdown(text, lambda path: f"{source}/{path.rpartition('/')[2]}")


class LocalReproduction(BaseModel):
    """A reproduction made on this machine."""

    made: str
    seeds: int | None = Field(description="Number of seeds; null is the quick version's own.")
    claims: list[ClaimAnswer]


class ReproductionAnswer(ClaimsAnswer):
    """A published reproduction as HTML, and the state of one on this machine."""

    number: str
    seconds: int = Field(description="Rough duration of a quick one on two cores.")
    command: str = Field(description="The command for the full reproduction, in a clone.")
    can_start: bool = Field(description="Whether the server runs from a clone.")
    mine: LocalReproduction | None = Field(description="The last one made on this machine.")
    work: ReproductionProgress


class ReproductionRequest(RequestModel):
    """The size of a reproduction."""

    seeds: int | None = Field(
        default=None, ge=1, le=50, description="By default those of the quick version."
    )


@in_worker(router.get("/reports", summary="The five reports"))
def reports() -> list[ReportAnswer]:
    """What each report did and claimed, its presets, and how many claims hold."""
    return [_report(each) for each in all_reports().values()]


def _report(report: Report) -> ReportAnswer:
    page = published_reproduction(report.number)
    return ReportAnswer(
        number=report.number,
        name=report.name,
        authors=report.by,
        title=report.title,
        year=report.year,
        summary=report.summary,
        encoding=report.encoding,
        fitness=report.fitness,
        operators=report.operators,
        claimed=report.claimed,
        found=report.found,
        presets=[_report_preset(name) for name in report.presets],
        verdicts=page and page.counts,
    )


def _report_preset(name: str) -> ReportPresetAnswer:
    from genoku.evolve.presets import preset

    found = preset(name)
    board, box = found.puzzle.line, found.puzzle.geometry.box
    more = {"puzzle": board, "box": box, "allow_conflicts": bool(found.puzzle.conflicts())}
    return ReportPresetAnswer.model_validate({**asdict(found), **more})


@router.get("/reports/{number}/reproduction", summary="Which claims of a report hold")
async def reproduction(services: AppServices, number: Number) -> ReproductionAnswer:
    """The published reproduction, the last one on this machine, and the progress of the next."""
    page = published_reproduction(number) or ClaimsAnswer(title=all_reports()[number].title)
    own = await services.jobs.call(page_html, page.own, number)
    evidence = await services.jobs.call(page_html, page.evidence, number)
    return ReproductionAnswer(
        **page.model_dump(include={"title", "subtitle", "summary", "claims"}),
        number=number,
        own=own,
        evidence=evidence,
        seconds=QUICK_SECONDS[number],
        command=f"{study_processes.COMMAND} {number}",
        can_start=study_processes.is_in_clone(),
        mine=_local_reproduction(study_processes.reproduction_folder(services.folder, number)),
        work=services.reproductions.progress,
    )


@router.post("/reports/{number}/reproduction", summary="Start a quick reproduction")
async def reproduce(
    services: AppServices, number: Number, asked: ReproductionRequest
) -> ReproductionProgress:
    """Run a report's experiments with fewer seeds, in the background; one report at a time.

    Requires that the server runs from a clone, which has the experiments.
    """
    services.reproductions.start(number, asked.seeds)
    return services.reproductions.progress


@router.get("/reports/{number}/progress", summary="Progress of a reproduction")
def progress(services: AppServices, number: Number) -> ReproductionProgress:
    """The progress of the current reproduction, whichever report it is of."""
    return services.reproductions.progress


@router.post("/reports/{number}/stop", summary="Stop a reproduction")
async def stop(services: AppServices, number: Number) -> ReproductionProgress:
    """Stop the reproduction; its finished runs are kept, and it can be resumed."""
    if services.reproductions.progress.number == number:
        await services.reproductions.stop()
    return services.reproductions.progress


@router.get(
    "/reports/{number}/page",
    summary="The page of a reproduction on this machine",
    **file_route("A page of its own.", "text/html"),
)
def page(services: AppServices, number: Number) -> FileResponse:
    """All tables and figures of the last reproduction on this machine."""
    path = study_processes.reproduction_folder(services.folder, number) / study_processes.PAGE
    if not path.is_file():
        raise NotFoundError(f"report {number} has not been reproduced on this machine yet")
    headers = {"Content-Security-Policy": PAGE_POLICY}
    return FileResponse(path, media_type="text/html", headers=headers)


@router.get(
    "/reports/{number}/figures/{name}",
    summary="A figure of a published reproduction",
    **file_route("A drawing.", "image/svg+xml"),
)
def figure(number: Number, name: Figure) -> FileResponse:
    """A figure of the evidence."""
    page, place = published_reproduction(number), pages_folder()
    if page is None or place is None or name not in page.figures:
        raise NotFoundError(f"report {number} has no figure {name!r}")
    path = place / f"{number}-figures" / name
    headers = {"Content-Security-Policy": DRAWING_POLICY, "Cache-Control": "max-age=3600"}
    return FileResponse(path, media_type="image/svg+xml", headers=headers)


def _local_reproduction(folder: Path) -> LocalReproduction | None:
    path = folder / study_processes.CLAIMS
    try:
        facts = json.loads(path.read_text("utf-8"))
        made = datetime.fromtimestamp(path.stat().st_mtime, UTC).isoformat(timespec="seconds")
        return LocalReproduction(made=made, seeds=facts["seeds"], claims=facts["claims"])
    except (OSError, ValueError, KeyError):  # none yet, or of another version
        return None
