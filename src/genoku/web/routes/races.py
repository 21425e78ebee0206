"""Live races: two to four algorithms on one puzzle, in fair turns."""

from __future__ import annotations

from typing import Any, Literal

from fastapi import APIRouter, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, ConfigDict, Field

from genoku.web.frames import RaceFrame
from genoku.web.routes.parts import (
    EVENTS,
    ARace,
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

router = APIRouter(prefix="/api", tags=["races"])


class Lane(RecipeAsked):
    """A contender."""

    name: str = Field("", max_length=100, description="Its preset's, if empty.")


class RacePlan(PuzzleAsked):
    """A race to start."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "puzzle": "1.....3..4.....2",
                    "lanes": [{"preset": "champion"}, {"preset": "simon"}],
                    "until": "cpu_seconds=5",
                    "seed": 1,
                }
            ]
        },
    )

    lanes: list[Lane] = Field(min_length=2, max_length=4)
    until: Until = Field("cpu_seconds=5", description="Of every lane; all seconds are CPU time.")
    seed: Seed = 0


class LaneBody(BaseModel):
    """A contender of a race."""

    name: str
    preset: str
    recipe: dict[str, Any] | None
    settings: dict[str, Any]


class RaceBody(BoardBody):
    """A race: what it is about, and how it stands."""

    kind: Literal["race"]
    lanes: list[LaneBody]
    until: str
    seed: int
    frame: RaceFrame


class Control(Asked):
    """What a race shall do."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"do": "pause"}]})

    do: Literal["pause", "resume", "stop"]


BODY: dict[int | str, dict[str, Any]] = {200: {"model": RaceBody, "description": "The race."}}
FRAME: dict[int | str, dict[str, Any]] = {
    200: {"model": RaceFrame, "description": "The race after it took effect."}
}


@router.post("/races", summary="Start a race", responses=BODY)
async def start(plan: RacePlan, here: Here) -> Response:
    """Let two to four algorithms race; each has as much processor time as another."""
    return as_json((await here.sessions.open("race", plan.model_dump())).body())


@router.get("/races/{id}", summary="A race as it stands", responses=BODY)
async def look(race: ARace) -> Response:
    """What a race is about, and its newest frame."""
    return as_json(race.body())


@router.delete("/races/{id}", summary="End a race for good", status_code=204)
async def close(race: ARace, here: Here) -> None:
    """End a race, and forget it."""
    await here.sessions.close(race.id)


@router.get("/races/{id}/events", summary="Watch a race", responses=EVENTS)
async def events(race: ARace, here: Here) -> StreamingResponse:
    """Every event is a frame of all lanes. Slow listeners get fewer of them, never old ones."""
    return stream(here.sessions, race)


@router.post("/races/{id}/control", summary="Control a race", responses=FRAME)
async def control(race: ARace, asked: Control) -> Response:
    """Pause it, resume it, or stop it."""
    return as_json(await race.ask(asked.do))


@router.post("/races/{id}/keep", summary="Keep a race that nobody listens to")
async def keep(_race: ARace, here: Here) -> Kept:
    """Say that you will come back, though you do not listen now."""
    return Kept(seconds=here.limits.grace)


@router.post("/races/{id}/restore", summary="Resume a race from disk", responses=BODY)
async def restore(identity: Identity, here: Here) -> Response:
    """Bring back a race that is not live any more, as it was when it was last put on disk."""
    return as_json((await here.sessions.restore(identity, "race")).body())
