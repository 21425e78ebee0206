"""What requests have in common, above all those about runs and about races."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Annotated, Any, TypeVar, get_type_hints

from fastapi import Depends, Path, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, ConfigDict, Field

from genoku.web import handlers
from genoku.web.limits import MOST_SEED
from genoku.web.services import Here, Services
from genoku.web.sessions import Session, Sessions

Identity = Annotated[
    str,
    Path(
        alias="id",
        pattern="^[A-Za-z0-9_-]{1,64}$",
        description="The session's id.",
        examples=["Xk3v9QpLw0aZ"],
    ),
]


async def _run(identity: Identity, here: Here) -> Session:
    return here.sessions.find(identity, "run")


async def _race(identity: Identity, here: Here) -> Session:
    return here.sessions.find(identity, "race")


ARun = Annotated[Session, Depends(_run)]
"""A route's parameter: the live run that its path names."""
ARace = Annotated[Session, Depends(_race)]
Seed = Annotated[
    int, Field(ge=0, le=MOST_SEED, description="The same seed gives the same run.", examples=[1])
]
Until = Annotated[
    str,
    Field(
        max_length=500,
        description="When it ends, if nothing else ends it; empty is the preset's own limit.",
        examples=["seconds=10 or generations=1000"],
    ),
]


Work = TypeVar("Work", bound=Callable[..., Any])


async def work(here: Services, name: str, *arguments: Any, **how: Any) -> Any:
    """What a function of `genoku.web.handlers` gives, worked out by a worker."""
    return await here.clerks.call(handlers.call, name, *arguments, **how)


def in_worker(register: Callable[..., Any], **how: Any) -> Callable[[Work], Work]:
    """Register a plain function as a route that a worker process answers.

    `register` is what a router's method gives, such as `router.post("/puzzles/check")`; `how` goes
    to the pool of workers. The function takes and returns data that can be pickled, and imports
    whatever is heavy itself: the server has to stay light.
    """

    def decorate(work: Work) -> Work:
        hints = get_type_hints(work, include_extras=True)
        names = [name for name in hints if name != "return"]

        async def endpoint(here: Here, **given: Any) -> Any:
            return await here.clerks.call(work, *(given[name] for name in names), **how)

        takes = inspect.signature(work).parameters.values()
        here = inspect.Parameter("here", inspect.Parameter.KEYWORD_ONLY, annotation=Here)
        endpoint.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            [*(each.replace(annotation=hints[each.name]) for each in takes), here],
            return_annotation=hints["return"],
        )
        endpoint.__name__, endpoint.__doc__ = work.__name__, work.__doc__
        register(endpoint)
        return work

    return decorate


class Asked(BaseModel):
    """A question; a word it does not know is a mistake worth telling."""

    model_config = ConfigDict(extra="forbid")


class PuzzleAsked(Asked):
    """A puzzle in a request."""

    puzzle: str = Field(
        min_length=1,
        max_length=100_000,
        description="In any format that genoku reads.",
        examples=["1.....3..4.....2"],
    )
    box: str | None = Field(
        None,
        max_length=20,
        description="Rows × columns of a box, where they cannot be told from the text.",
        examples=["3x3"],
    )
    name: str = Field("", max_length=200, description="Of the puzzle.")
    allow_conflicts: bool = Field(False, description="Run although givens clash.")


class RecipeAsked(Asked):
    """An algorithm in a request."""

    preset: str = Field("champion", max_length=100, description="See `/api/presets`.")
    recipe: dict[str, Any] | None = Field(None, description="A table that replaces the preset's.")
    settings: dict[str, Any] = Field(
        default_factory=dict,
        max_length=200,
        description="What differs from it: paths and values.",
        examples=[{"population": 500, "selection": {"use": "rank"}}],
    )


class BoardBody(BaseModel):
    """What a run and a race tell of their puzzle."""

    id: str = Field(description="The session's, for all further requests.")
    puzzle: str
    box: str
    side: int
    box_rows: int
    box_cols: int
    digits: list[int] = Field(description="Row by row; 0 is a blank.")
    name: str
    title: str


class Kept(BaseModel):
    """A promise."""

    seconds: float = Field(description="For which the session is kept live.", examples=[90.0])


EVENTS: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Server-sent events.",
        "content": {"text/event-stream": {"schema": {"type": "string"}}},
    }
}


def stream(sessions: Sessions, session: Session) -> StreamingResponse:
    """A session's events as an answer."""
    return StreamingResponse(sessions.events(session), media_type="text/event-stream")


def as_json(text: str) -> Response:
    """What a stage says, which is JSON already, as an answer."""
    return Response(text, media_type="application/json")
