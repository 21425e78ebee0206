"""Live runs and races: start, watch, control, look into them, take home what came of a run.

A race is a session as a run is: the same handlers serve both.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeVar

from fastapi import APIRouter, Depends, Path, Query, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field

from genoku import __version__
from genoku.web.limits import MOST_STEPS, Asked, Limits, Speed
from genoku.web.live.plan import Kind, RacePlan, RunPlan
from genoku.web.live.snapshot import Curve, Facts, Individual, Population, Snapshot
from genoku.web.live.supervisor import Session
from genoku.web.services import Here, work

runs = APIRouter(prefix="/api/runs", tags=["runs"])
races = APIRouter(prefix="/api/races", tags=["races"])
router = APIRouter()

Handler = TypeVar("Handler", bound=Callable[..., Any])
Identity = Annotated[
    str,
    Path(
        alias="id",
        pattern="^[A-Za-z0-9_-]{1,64}$",
        description="The session's id.",
        examples=["Xk3v9QpLw0aZ"],
    ),
]

FileName = Literal[
    "board.svg", "board.png", "solution.txt", "history.csv", "recipe.toml", "run.gif"
]
Palette = Literal["003", "safe"]

KINDS: dict[str, str] = {
    "svg": "image/svg+xml",
    "png": "image/png",
    "gif": "image/gif",
    "txt": "text/plain; charset=utf-8",
    "csv": "text/csv; charset=utf-8",
    "toml": "application/toml; charset=utf-8",
}
LONGEST = 80  # characters of a file's name


async def _kind(request: Request) -> Kind:
    return "race" if request.url.path.startswith(races.prefix) else "run"


AKind = Annotated[Kind, Depends(_kind)]


async def _session(identity: Identity, kind: AKind, here: Here) -> Session:
    return here.sessions.find(identity, kind)


ASession = Annotated[Session, Depends(_session)]
"""A route's parameter: the live run or race that its path names."""


class Control(Asked):
    """What a run or a race shall do; a step of a race is a turn of one lane."""

    do: Literal["pause", "resume", "step", "stop", "speed"]
    steps: int = Field(
        1, ge=1, le=MOST_STEPS, description="How many, for `step`; it halts after them."
    )
    speed: Speed = None


@dataclass(frozen=True)
class Kept:
    """A promise."""

    seconds: float
    """For which the session is kept live."""


def on_both(method: str, path: str, summary: str, **more: Any) -> Callable[[Handler], Handler]:
    """Serve runs and races by one handler."""

    def register(handler: Handler) -> Handler:
        for router in (runs, races):
            router.add_api_route(path, handler, methods=[method], summary=summary, **more)
        return handler

    return register


@runs.post("", summary="Start a run")
async def start(plan: RunPlan, here: Here) -> Facts:
    """Start a run of a preset, or of a recipe of your own, on a puzzle."""
    return (await here.sessions.open(plan)).body()


@races.post("", name="start", summary="Start a race")
async def start_race(plan: RacePlan, here: Here) -> Facts:
    """Let two to four algorithms race; each has as much processor time as another."""
    return (await here.sessions.open(plan)).body()


@on_both("GET", "/{id}", "A session as it stands")
async def look(session: ASession) -> Facts:
    """What it is about, and its newest frame.

    One that is not live any more is answered with 404, which says whether it can be resumed.
    """
    return session.body()


@on_both("DELETE", "/{id}", "End a session for good", status_code=204)
async def close(session: ASession, here: Here) -> None:
    """End it, and forget it."""
    await here.sessions.close(session.id)


@on_both(
    "GET",
    "/{id}/events",
    "Watch a session",
    response_class=StreamingResponse,
    responses={
        200: {
            "description": "Server-sent events.",
            "content": {"text/event-stream": {"schema": {"type": "string"}}},
        }
    },
)
async def events(session: ASession, here: Here) -> StreamingResponse:
    """Every event is a frame. Slow listeners get fewer of them, never old ones.

    The event `gone` says that the session is not live any more.
    """
    return StreamingResponse(here.sessions.events(session), media_type="text/event-stream")


@on_both("POST", "/{id}/control", "Control a session")
async def control(session: ASession, asked: Control, here: Here) -> Snapshot:
    """Pause it, resume it, let it make some steps, stop it, or limit its speed."""
    arguments: dict[str, Any] = {
        "step": {"steps": asked.steps},
        "limit_speed": {"speed": asked.speed},
    }
    do = "limit_speed" if asked.do == "speed" else asked.do
    frame: Snapshot = await here.sessions.ask(session, do, **arguments.get(do, {}))
    return frame


@on_both("POST", "/{id}/keep", "Keep a session that nobody listens to")
async def keep(_session: ASession, here: Here) -> Kept:
    """Say that you will come back, though you do not listen now."""
    return Kept(seconds=here.limits.grace)


@on_both("POST", "/{id}/restore", "Resume a session from disk")
async def restore(identity: Identity, kind: AKind, here: Here) -> Facts:
    """Bring back what is not live any more, as it was when it was last put on disk."""
    return (await here.sessions.restore(identity, kind)).body()


@runs.get("/{id}/curve", summary="The course of a run")
async def curve(run: ASession, here: Here) -> Curve:
    """Costs, diversity and rate, from the first step on: columns of equal length."""
    found: Curve = await here.sessions.ask(run, "curve")
    return found


@runs.get("/{id}/population", summary="The population of a run")
async def population(
    run: ASession,
    here: Here,
    first: Annotated[int, Query(ge=0, le=10**9, description="Rank of the first map.")] = 0,
    count: Annotated[int, Query(ge=0, le=2000, description="Maps to give.")] = 200,
) -> Population:
    """Everybody's cost, the best first, and the maps of some."""
    found: Population = await here.sessions.ask(run, "population", first=first, count=count)
    return found


@runs.get("/{id}/individuals/{rank}", summary="A board of the population")
async def individual(
    run: ASession,
    here: Here,
    rank: Annotated[int, Path(ge=0, le=10**9, description="0 is the best.")],
) -> Individual:
    """One individual, by its rank."""
    found: Individual = await here.sessions.ask(run, "individual", rank=rank)
    return found


@runs.get(
    "/{id}/files/{name}",
    summary="What came of a run, as a file",
    response_class=Response,
    responses={
        200: {
            "description": "The file.",
            "content": {
                kind.partition(";")[0]: {"schema": {"type": "string", "format": "binary"}}
                for kind in KINDS.values()
            },
        }
    },
)
async def file(run: ASession, name: FileName, here: Here, palette: Palette = "003") -> Response:
    """The best board as a picture or text, the history, the recipe, or a film of the run.

    A run that still goes on is taken as it stands.
    """
    facts, packed = run.body(), await here.sessions.ask(run, "result")
    content = await work(here, "files.file", name, facts, packed, palette)
    shown = f'attachment; filename="{_title(facts)}-{name}"'
    kind = KINDS[name.rpartition(".")[2]]
    return Response(content, headers={"Content-Disposition": shown, "Content-Type": kind})


def _title(facts: Facts) -> str:
    """Preset, puzzle and seed in letters that every system takes for a file's name."""
    said = f"genoku-{facts.lanes[0].preset}-{facts.name}-seed{facts.seed}"
    plain = re.sub(r"[^A-Za-z0-9]+", "-", said)
    return plain.strip("-")[:LONGEST]


class Status(BaseModel):
    """A server as it stands."""

    version: str = Field(description="Of genoku.", examples=[__version__])
    sessions: int = Field(description="Live runs and races now.", examples=[3])
    listeners: int = Field(description="Streams that are open now.", examples=[2])
    waiting: int = Field(description="Questions that no process has taken up yet.", examples=[0])
    limits: Limits = Field(description="What the server allows.")


@router.get("/api/status", tags=["status"], summary="How the server is")
async def status(here: Here) -> Status:
    """Its version, what it allows, and what it has to do at the moment."""
    return Status(
        version=__version__,
        sessions=len(here.sessions),
        listeners=here.sessions.listeners,
        waiting=here.clerks.waiting,
        limits=here.limits,
    )


for each in (runs, races):
    router.include_router(each)
