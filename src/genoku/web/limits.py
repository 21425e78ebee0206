"""What may be asked of a server, and how much it gives to those who ask."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from genoku.stopping import BROWSER_SEED
from genoku.workers import cores

MOST_STEPS = 1000
"""That can be asked for at once."""

Seed = Annotated[
    int, Field(ge=0, le=BROWSER_SEED, description="The same seed gives the same run.", examples=[1])
]
Speed = Annotated[
    float | None,
    Field(ge=0.001, le=1e6, description="Steps per second at most; null is unlimited."),
]
Until = Annotated[
    str,
    Field(
        max_length=500,
        description="When it ends, if nothing else ends it; empty is the preset's own limit.",
        examples=["seconds=10 or generations=1000"],
    ),
]


class Asked(BaseModel):
    """A request; a key it does not know is a mistake worth telling."""

    model_config = ConfigDict(extra="forbid")


@dataclass(frozen=True)
class Limits:
    """What one server allows; more is refused politely."""

    sessions: int = 64
    """Live runs and races at a time."""
    stages: int = 0
    """Processes that they take turns in; 0 is one for every core."""
    clerks: int = 2
    """Questions that may take long at a time; quick ones do not wait for them."""
    body: int = 2_000_000
    """Bytes of a request."""
    run_seconds: float = 3600.0
    """Of a run's own clock."""
    answer_seconds: float = 30.0
    """For a question that is answered once."""
    step_seconds: float = 20.0
    """For one step of a run; one that takes longer ends it."""
    memory: int = 3_000_000_000
    """Bytes of address space that a stage or clerk may use beyond what it starts with."""
    population_cells: int = 20_000_000
    """Cells of all boards of a population."""
    recipe_characters: int = 20_000
    """Of a recipe and its settings."""
    grace: float = 90.0
    """Seconds that a session outlives its last listener."""
    kept: float = 7 * 86400.0
    """Seconds for which a session's checkpoint can be resumed."""
    kept_bytes: int = 2_000_000_000
    """Of all checkpoints of sessions that are not live; the oldest go first."""
    frames: float = 30.0
    """Pictures of a run in a second, at most."""
    studies: int = 1
    """That run at a time; others wait."""
    study_runs: int = 100_000
    """Runs of one study."""

    @property
    def stage_count(self) -> int:
        return self.stages or cores()
