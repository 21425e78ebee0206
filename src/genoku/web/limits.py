"""The limits of a server, and the fields that requests share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from genoku.evolve.stopping import BROWSER_SEED

MAX_STEPS = 1000  # in one request

Seed = Annotated[
    int,
    Field(ge=0, le=BROWSER_SEED, description="The same seed gives the same result.", examples=[1]),
]
Speed = Annotated[
    float | None,
    Field(ge=0.001, le=1e6, description="Steps per second at most; null is unlimited."),
]
Until = Annotated[
    str,
    Field(
        max_length=500,
        description="Stopping rule; empty is the preset's own.",
        examples=["seconds=10 or generations=1000"],
    ),
]


class RequestModel(BaseModel):
    """The base of requests: unknown keys are refused."""

    model_config = ConfigDict(extra="forbid")


@dataclass(frozen=True)
class Limits:
    """What one server allows."""

    sessions: int = 64  # live runs and races at the same time
    live_workers: int = 0  # processes that execute them; 0 is one per core
    job_workers: int = 2  # slow requests answered at the same time; quick ones do not wait for them
    body: int = 2_000_000  # bytes of a request
    run_seconds: float = 3600.0  # longest run, by its own clock
    answer_seconds: float = 120.0  # longest computation for a single request
    step_seconds: float = 60.0  # longest step of a run; a longer one ends the run
    memory: int = 3_000_000_000  # bytes of address space that a worker may add to its first
    population_cells: int = 20_000_000  # cells of all boards of a population together
    recipe_characters: int = 20_000  # length of a recipe with its settings
    grace: float = 90.0  # seconds that a session stays live after its last listener has left
    kept: float = 7 * 86400.0  # seconds for which a saved session can be resumed
    kept_bytes: int = 2_000_000_000  # of saved sessions that are not live; oldest are removed first
    frames: float = 30.0  # frames per second of a session, at most
    studies: int = 1  # studies that run at the same time; others wait
    study_runs: int = 100_000  # runs of one study
