"""How the server is."""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import BaseModel, Field

from genoku import __version__
from genoku.web.limits import Limits
from genoku.web.services import Here

router = APIRouter(prefix="/api", tags=["status"])


class Status(BaseModel):
    """A server as it stands."""

    version: str = Field(description="Of genoku.", examples=[__version__])
    sessions: int = Field(description="Live runs and races now.", examples=[3])
    listeners: int = Field(description="Streams that are open now.", examples=[2])
    waiting: int = Field(description="Questions that no process has taken up yet.", examples=[0])
    limits: Limits = Field(description="What the server allows.")


@router.get("/status", summary="How the server is")
async def status(here: Here) -> Status:
    """Its version, what it allows, and what it has to do at the moment."""
    return Status(
        version=__version__,
        sessions=len(here.sessions),
        listeners=here.sessions.listeners,
        waiting=here.clerks.waiting,
        limits=here.limits,
    )
