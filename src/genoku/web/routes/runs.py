"""Live runs: start, watch, control, look into them, and take home what came of them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Response
from fastapi.responses import StreamingResponse
from pydantic import ConfigDict, Field

from genoku.web.frames import Curve, Individual, Population, RunFrame
from genoku.web.limits import MOST_STEPS, SPEEDS
from genoku.web.routes.parts import (
    EVENTS,
    ARun,
    Asked,
    BoardBody,
    Identity,
    Kept,
    PuzzleAsked,
    RecipeAsked,
    Seed,
    Until,
    as_json,
    stream,
)
from genoku.web.services import Here

router = APIRouter(prefix="/api", tags=["runs"])

Speed = Annotated[
    float | None,
    Field(
        ge=SPEEDS[0],
        le=SPEEDS[1],
        description="Steps in a second at most; null is as fast as can be.",
    ),
]


class RunPlan(PuzzleAsked, RecipeAsked):
    """A run to start."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "puzzle": "1.....3..4.....2",
                    "preset": "champion",
                    "settings": {},
                    "until": "seconds=10",
                    "seed": 1,
                }
            ]
        },
    )

    until: Until = ""
    seed: Seed = 0
    speed: Speed = None
    paused: bool = Field(False, description="Whether it waits before its first step.")


class RunBody(BoardBody):
    """A run: what it is about, and how it stands."""

    kind: Literal["run"]
    preset: str
    recipe: dict[str, Any] | None
    settings: dict[str, Any]
    until: str
    seed: int
    step_word: str = Field(description="What a step of it is called.", examples=["generation"])
    rate_word: str = Field(description="What its rate is.", examples=["mutation rate"])
    population: int
    frame: RunFrame


class Control(Asked):
    """What a run shall do."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"do": "step", "steps": 1}]})

    do: Literal["pause", "resume", "step", "stop", "speed"]
    steps: int = Field(
        1, ge=1, le=MOST_STEPS, description="How many, for `step`; it halts after them."
    )
    speed: Speed = None


Answer = dict[int | str, dict[str, Any]]
BODY: Answer = {200: {"model": RunBody, "description": "The run."}}
FRAME: Answer = {200: {"model": RunFrame, "description": "The run after it took effect."}}


@router.post("/runs", summary="Start a run", responses=BODY)
async def start(plan: RunPlan, here: Here) -> Response:
    """Start a run of a preset, or of a recipe of your own, on a puzzle."""
    return as_json((await here.sessions.open("run", plan.model_dump())).body())


@router.get("/runs/{id}", summary="A run as it stands", responses=BODY)
async def look(run: ARun) -> Response:
    """What a run is about, and its newest frame.

    One that is not live any more is answered with 404, which says whether it can be resumed.
    """
    return as_json(run.body())


@router.delete("/runs/{id}", summary="End a run for good", status_code=204)
async def close(run: ARun, here: Here) -> None:
    """End a run, and forget it."""
    await here.sessions.close(run.id)


@router.get("/runs/{id}/events", summary="Watch a run", responses=EVENTS)
async def events(run: ARun, here: Here) -> StreamingResponse:
    """Every event is a frame of the run. Slow listeners get fewer of them, never old ones.

    The event `gone` says that the run is not live any more.
    """
    return stream(here.sessions, run)


@router.post("/runs/{id}/control", summary="Control a run", responses=FRAME)
async def control(run: ARun, asked: Control) -> Response:
    """Pause it, resume it, let it make some steps, stop it, or limit its speed."""
    if asked.do == "step":
        return as_json(await run.ask("step", steps=asked.steps))
    if asked.do == "speed":
        return as_json(await run.ask("speed", limit=asked.speed))
    return as_json(await run.ask(asked.do))


@router.post("/runs/{id}/keep", summary="Keep a run that nobody listens to")
async def keep(_run: ARun, here: Here) -> Kept:
    """Say that you will come back, though you do not listen now."""
    return Kept(seconds=here.limits.grace)


@router.post("/runs/{id}/restore", summary="Resume a run from disk", responses=BODY)
async def restore(identity: Identity, here: Here) -> Response:
    """Bring back a run that is not live any more, as it was when it was last put on disk."""
    return as_json((await here.sessions.restore(identity, "run")).body())


@router.get(
    "/runs/{id}/curve",
    summary="The course of a run",
    responses={200: {"model": Curve, "description": "Columns of equal length."}},
)
async def curve(run: ARun) -> Response:
    """Costs, diversity and rate, from the first step on."""
    return as_json(await run.ask("curve"))


@router.get(
    "/runs/{id}/population",
    summary="The population of a run",
    responses={200: {"model": Population, "description": "The best first."}},
)
async def population(
    run: ARun,
    first: Annotated[int, Query(ge=0, le=10**9, description="Rank of the first map.")] = 0,
    count: Annotated[int, Query(ge=0, le=2000, description="Maps to give.")] = 200,
) -> Response:
    """Everybody's cost, and the maps of some."""
    return as_json(await run.ask("population", first=first, count=count))


@router.get(
    "/runs/{id}/individuals/{rank}",
    summary="A board of the population",
    responses={200: {"model": Individual, "description": "The board and its cost."}},
)
async def individual(
    run: ARun,
    rank: Annotated[int, Path(ge=0, le=10**9, description="0 is the best.")],
) -> Response:
    """One individual, by its rank."""
    return as_json(await run.ask("individual", rank=rank))
