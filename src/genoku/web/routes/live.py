"""Live runs and races: start, watch, control and inspect them, and download results.

Runs and races are both sessions: the same handlers serve both.
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
from genoku.web.http_errors import file_route
from genoku.web.limits import MAX_STEPS, Limits, RequestModel, Speed
from genoku.web.live import snapshot
from genoku.web.live.plan import ID, Kind, RacePlan, RunPlan
from genoku.web.live.supervisor import SessionHandle
from genoku.web.services import AppServices, run_handler

runs = APIRouter(prefix="/api/runs", tags=["runs"])
races = APIRouter(prefix="/api/races", tags=["races"])
router = APIRouter()

Handler = TypeVar("Handler", bound=Callable[..., Any])
Identity = Annotated[
    str,
    Path(
        alias="id",
        pattern=f"^{ID.pattern}$",
        description="The session's id.",
        examples=["Xk3v9QpLw0aZ"],
    ),
]

FileName = Literal[
    "board.svg", "board.png", "solution.txt", "history.csv", "recipe.toml", "run.gif"
]
Palette = Literal["003", "safe"]
MEDIA = {
    "svg": "image/svg+xml",
    "png": "image/png",
    "gif": "image/gif",
    "txt": "text/plain; charset=utf-8",
    "csv": "text/csv; charset=utf-8",
    "toml": "application/toml; charset=utf-8",
}
MAX_FILE_NAME = 80  # characters of a file's name


async def _kind(request: Request) -> Kind:
    return "race" if request.url.path.startswith(races.prefix) else "run"


KindOfPath = Annotated[Kind, Depends(_kind)]


async def _session(identity: Identity, kind: KindOfPath, services: AppServices) -> SessionHandle:
    return services.sessions.find(identity, kind)


SessionOfPath = Annotated[SessionHandle, Depends(_session)]  # a parameter of routes


class ControlRequest(RequestModel):
    """A command for a run or a race; a step of a race is a turn of one lane."""

    do: Literal["pause", "resume", "step", "stop", "speed"]
    steps: int = Field(
        1, ge=1, le=MAX_STEPS, description="For `step`: how many steps to make before it pauses."
    )
    speed: Speed = None


@dataclass(frozen=True)
class KeepAnswer:
    """How long a session is kept."""

    seconds: float  # for which it stays live


def on_both(method: str, path: str, summary: str, **more: Any) -> Callable[[Handler], Handler]:
    """Register a handler for both runs and races."""

    def register(handler: Handler) -> Handler:
        for router in (runs, races):
            router.add_api_route(path, handler, methods=[method], summary=summary, **more)
        return handler

    return register


@runs.post("", summary="Start a run")
async def start(plan: RunPlan, services: AppServices) -> snapshot.SessionAnswer:
    """Start a run of a preset or recipe on a puzzle."""
    return (await services.sessions.open(plan)).answer()


@races.post("", name="start", summary="Start a race")
async def start_race(plan: RacePlan, services: AppServices) -> snapshot.SessionAnswer:
    """Start a race of two to four algorithms, which get equal CPU time."""
    return (await services.sessions.open(plan)).answer()


@on_both("GET", "/{id}", "A session and its newest frame")
async def look(session: SessionOfPath) -> snapshot.SessionAnswer:
    """The puzzle, the algorithms and the newest frame of a session.

    A session that is no longer live is answered with 404, which says whether it can be resumed.
    """
    return session.answer()


@on_both("DELETE", "/{id}", "Delete a session", status_code=204)
async def close(session: SessionOfPath, services: AppServices) -> None:
    """End a session and remove its files."""
    await services.sessions.close(session.id)


@on_both(
    "GET",
    "/{id}/events",
    "Watch a session",
    **file_route("Server-sent events.", "text/event-stream"),
)
async def events(session: SessionOfPath, services: AppServices) -> StreamingResponse:
    """Every event is a frame. Slow listeners get fewer frames, but never old ones.

    The event `gone` says that the session is no longer live.
    """
    return StreamingResponse(services.sessions.events(session), media_type="text/event-stream")


@on_both("POST", "/{id}/control", "Control a session", response_model=snapshot.Snapshot)
async def control(session: SessionOfPath, asked: ControlRequest, services: AppServices) -> Any:
    """Pause or resume a session, let it make some steps, stop it, or limit its speed."""
    ask = services.sessions.ask
    if asked.do == "speed":
        return await ask(session, "limit_speed", speed=asked.speed)
    steps = {"steps": asked.steps} if asked.do == "step" else {}
    return await ask(session, asked.do, **steps)


@on_both("POST", "/{id}/keep", "Keep a session without listeners")
async def keep(_session: SessionOfPath, services: AppServices) -> KeepAnswer:
    """Extend the time for which a session without listeners stays live."""
    return KeepAnswer(seconds=services.limits.grace)


@on_both("POST", "/{id}/restore", "Resume a session from disk")
async def restore(
    identity: Identity, kind: KindOfPath, services: AppServices
) -> snapshot.SessionAnswer:
    """Restore a session that is no longer live from its last checkpoint."""
    return (await services.sessions.restore(identity, kind)).answer()


@runs.get("/{id}/curve", summary="The history of a run", response_model=snapshot.CurveAnswer)
async def curve(run: SessionOfPath, services: AppServices) -> Any:
    """Errors left, costs, diversity and rate from the first step on, as columns."""
    return await services.sessions.ask(run, "curve")


@runs.get(
    "/{id}/population", summary="The population of a run", response_model=snapshot.PopulationAnswer
)
async def population(
    run: SessionOfPath,
    services: AppServices,
    first: Annotated[int, Query(ge=0, le=10**9, description="Rank of the first map.")] = 0,
    count: Annotated[int, Query(ge=0, le=2000, description="Number of maps.")] = 200,
) -> Any:
    """All costs, best first, and the maps and errors left of some boards."""
    return await services.sessions.ask(run, "population", first=first, count=count)


@runs.get(
    "/{id}/individuals/{rank}",
    summary="A board of the population",
    response_model=snapshot.IndividualAnswer,
)
async def individual(
    run: SessionOfPath,
    services: AppServices,
    rank: Annotated[int, Path(ge=0, le=10**9, description="0 is the best.")],
) -> Any:
    """One board by its rank."""
    return await services.sessions.ask(run, "individual", rank=rank)


@runs.get(
    "/{id}/files/{name}",
    summary="A file about a run",
    **file_route("The file.", *(each.partition(";")[0] for each in MEDIA.values())),
)
async def file(
    run: SessionOfPath, name: FileName, services: AppServices, palette: Palette = "003"
) -> Response:
    """The best board as a picture or text, the history, the recipe, or a film of the run.

    The run may still be running.
    """
    facts, packed = run.answer(), await services.sessions.ask(run, "result")
    content = await run_handler(services, "files.run_file", name, facts, packed, palette)
    said = f"genoku-{facts.lanes[0].preset}-{facts.name}-seed{facts.seed}"
    title = re.sub(r"[^A-Za-z0-9]+", "-", said).strip("-")[:MAX_FILE_NAME]
    shown = f'attachment; filename="{title}-{name}"'
    kind = MEDIA[name.rpartition(".")[2]]
    return Response(content, headers={"Content-Disposition": shown, "Content-Type": kind})


class StatusAnswer(BaseModel):
    """The state of the server."""

    version: str = Field(description="Of genoku.", examples=[__version__])
    sessions: int = Field(description="Live runs and races.", examples=[3])
    listeners: int = Field(description="Open streams.", examples=[2])
    waiting: int = Field(description="Requests that wait for a worker.", examples=[0])
    limits: Limits = Field(description="What the server allows.")


@router.get("/api/status", tags=["status"], summary="Server status")
async def status(services: AppServices) -> StatusAnswer:
    """Version, limits and current load."""
    return StatusAnswer(
        version=__version__,
        sessions=len(services.sessions),
        listeners=services.sessions.listeners,
        waiting=services.jobs.waiting,
        limits=services.limits,
    )


for each in (runs, races):
    router.include_router(each)
