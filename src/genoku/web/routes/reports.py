"""The five reports: what they claim, what became of it, and the same made anew on this machine.

The pages of the documentation and their claims come with the package.
"""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

from fastapi import APIRouter
from fastapi import Path as InPath
from fastapi.responses import FileResponse
from pydantic import BaseModel, Field

from genoku.web import drivers
from genoku.web.drivers import Work
from genoku.web.guard import PAGE_POLICY
from genoku.web.limits import Asked
from genoku.web.refusals import NotFoundError
from genoku.web.services import Here

router = APIRouter(prefix="/api", tags=["reports"])

DRAWING_POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'; font-src data:"

WEB = Path(__file__).parents[1]
PACKED = WEB / "reproductions"
"""Where a built package has the pages."""
WRITTEN = drivers.CLONE / "docs" / "reproductions"
"""Where the pages are in a clone."""
Number = Annotated[str, InPath(max_length=10, examples=["002"])]
Figure = Annotated[str, InPath(max_length=200, examples=["figure-3-experiment-2-crossover.svg"])]


class Verdicts(BaseModel):
    """How many claims hold, fail, or could not be decided."""

    holds: int = 0
    fails: int = 0
    undecided: int = 0


class Summary(BaseModel):
    """A report: who wrote it, what it did, what it claimed."""

    number: str
    name: str
    authors: str
    title: str
    year: int | None = None
    did: str
    encoding: str
    fitness: str
    operators: str
    claimed: str
    found: str = Field(description="What stands out in the reproduction.")


class Told(Summary):
    """A report as our file has it."""

    seconds: int
    """That its quick reproduction takes on two cores with little else to do."""
    presets: list[str]


REPORTS = {
    each["number"]: Told(**each)
    for each in tomllib.loads((WEB / "reports.toml").read_text("utf-8"))["reports"]
}
"""By their numbers."""


class Claim(BaseModel):
    """A claim of a report, where it makes it, and what became of it.

    The texts may hold **bold**, *italics* and `code`.
    """

    id: str
    text: str
    where: str
    verdict: Literal["holds", "fails", "undecided"]
    because: str


class Outcome(BaseModel):
    """What became of a report's claims."""

    title: str
    subtitle: str = ""
    summary: str = ""
    claims: list[Claim] = []
    evidence: str = Field(default="", description="The page below its claims.")


class Published(Outcome):
    """A reproduction, its page as Markdown."""

    counts: Verdicts
    figures: list[str]
    """Names of its drawings."""


def folder() -> Path | None:
    """Where the pages are, if they are there."""
    return next((each for each in (PACKED, WRITTEN) if (each / "000.md").is_file()), None)


@cache
def published(number: str) -> Published | None:
    """The reproduction of a report."""
    place = folder()
    if place is None:
        return None
    facts = json.loads((place / f"{number}-claims.json").read_text("utf-8"))
    _, *sections = (place / f"{number}.md").read_text("utf-8").split("\n## ")
    evidence = "".join(f"## {section}\n" for section in sections[1:])  # the first has the claims
    drawings = sorted(path.name for path in (place / f"{number}-figures").glob("*.svg"))
    more = {"evidence": evidence.strip(), "figures": drawings}
    return Published.model_validate({**facts, **more})


def drawing_of(number: str, name: str) -> Path | None:
    """A drawing of a page, if it has one of that name."""
    page, place = published(number), folder()
    if page is None or place is None or name not in page.figures:
        return None
    return place / f"{number}-figures" / name


@dataclass(frozen=True)
class ReadyPreset:
    """A preset of a report, with the puzzle that it is shown on."""

    name: str
    about: str
    puzzle_name: str
    puzzle: str
    box: str
    until: str
    allow_conflicts: bool


def ready_presets() -> dict[str, list[ReadyPreset]]:
    """The presets of every report, by its number."""
    return {each.number: [_ready(name) for name in each.presets] for each in REPORTS.values()}


def _ready(name: str) -> ReadyPreset:
    from genoku.preset_library import preset

    found = preset(name)
    puzzle, clash = found.puzzle, bool(found.puzzle.conflicts())
    board = found.puzzle_name, puzzle.line, puzzle.geometry.box
    return ReadyPreset(name, found.about, *board, found.until, clash)


def evidence_html(text: str, number: str) -> str:
    """What the page of a report has below its claims."""
    from genoku.lab.page import render_markdown

    source = f"/api/reports/{number}/figures"
    return render_markdown(text, lambda path: f"{source}/{path.rpartition('/')[2]}")


class Report(Summary):
    """A report in short."""

    presets: list[ReadyPreset]
    verdicts: Verdicts | None = Field(description="Of the published reproduction.")


class Made(BaseModel):
    """A reproduction that was made on this machine."""

    made: str
    seeds: int | None = Field(description="In place of the quick version's own.")
    claims: list[Claim]


class Reproduction(Outcome):
    """A published reproduction as HTML, and what there is to say of another one."""

    number: str
    seconds: int = Field(description="That a quick one takes on two cores, roughly.")
    command: str = Field(description="What makes all of it, with every seed, in a clone.")
    can_start: bool = Field(description="Whether the server runs from a clone.")
    mine: Made | None = Field(description="The last one made on this machine.")
    work: Work


class Again(Asked):
    """How much to run again."""

    seeds: int | None = Field(
        default=None, ge=1, le=50, description="So many in place of the quick version's own."
    )


@router.get("/reports", summary="The five reports")
async def reports(here: Here) -> list[Report]:
    """What each did and claimed, its presets ready to run, and how its claims fared."""
    ready = await here.clerks.call(ready_presets)
    found = []
    for number, each in REPORTS.items():
        page = published(number)
        more = {"presets": ready[number], "verdicts": page and page.counts}
        found.append(Report.model_validate({**each.model_dump(), **more}))
    return found


@router.get("/reports/{number}/reproduction", summary="Which claims of a report hold")
async def reproduction(here: Here, number: Number) -> Reproduction:
    """The published reproduction, the last one of this machine, and how far the next is."""
    report = _known(number)
    page = published(number) or Outcome(title=report.title)
    evidence = await here.clerks.call(evidence_html, page.evidence, number)
    return Reproduction(
        **page.model_dump(include={"title", "subtitle", "summary", "claims"}),
        number=number,
        evidence=evidence,
        seconds=report.seconds,
        command=drivers.command_of(number),
        can_start=drivers.is_in_clone(),
        mine=_mine(drivers.place_of(here.folder, number) / drivers.CLAIMS),
        work=here.reproducing.work,
    )


@router.post("/reports/{number}/reproduction", summary="Make a reproduction again, quick")
async def again(here: Here, number: Number, asked: Again) -> Work:
    """Run a report's experiments with fewer seeds, in the background; one report at a time.

    Refused where the server does not run from a clone, which has the experiments.
    """
    _known(number)
    here.reproducing.start(number, asked.seeds)
    return here.reproducing.work


@router.get("/reports/{number}/progress", summary="How far a reproduction is")
def progress(here: Here, number: Number) -> Work:
    """Where the reproduction that is being made stands, whichever report it is of."""
    _known(number)
    return here.reproducing.work


@router.post("/reports/{number}/stop", summary="Stop making a reproduction")
async def stop(here: Here, number: Number) -> Work:
    """The runs so far are kept; starting it again goes on with them."""
    _known(number)
    if here.reproducing.work.number == number:
        await here.reproducing.stop()
    return here.reproducing.work


@router.get(
    "/reports/{number}/page",
    summary="The page of a reproduction made here",
    response_class=FileResponse,
    responses={200: {"content": {"text/html": {}}, "description": "A page of its own."}},
)
def page(here: Here, number: Number) -> FileResponse:
    """All tables and figures of the last reproduction that was made on this machine."""
    _known(number)
    path = drivers.place_of(here.folder, number) / drivers.PAGE
    if not path.is_file():
        raise NotFoundError(f"no reproduction of report {number} was made on this machine yet")
    headers = {"Content-Security-Policy": PAGE_POLICY}
    return FileResponse(path, media_type="text/html", headers=headers)


@router.get(
    "/reports/{number}/figures/{name}",
    summary="A figure of a published reproduction",
    response_class=FileResponse,
    responses={200: {"content": {"image/svg+xml": {}}, "description": "A drawing."}},
)
def figure(number: Number, name: Figure) -> FileResponse:
    """A drawing that the evidence refers to."""
    _known(number)
    path = drawing_of(number, name)
    if path is None:
        raise NotFoundError(f"report {number} has no figure {name!r}")
    headers = {"Content-Security-Policy": DRAWING_POLICY, "Cache-Control": "max-age=3600"}
    return FileResponse(path, media_type="image/svg+xml", headers=headers)


def _known(number: str) -> Told:
    if number not in REPORTS:
        raise NotFoundError(
            f"expected the number of a report, {', '.join(REPORTS)}, got {number!r}"
        )
    return REPORTS[number]


def _mine(path: Path) -> Made | None:
    try:
        facts = json.loads(path.read_text("utf-8"))
        made = datetime.fromtimestamp(path.stat().st_mtime, UTC).isoformat(timespec="seconds")
        return Made(made=made, seeds=facts["seeds"], claims=facts["claims"])
    except (OSError, ValueError, KeyError):  # none yet, or of another version
        return None
