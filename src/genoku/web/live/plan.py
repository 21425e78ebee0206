"""What a session is asked to do, validated once, and what is kept of it on disk.

`<id>.json` is a `Saved`; `<id>.npz` is the checkpoint of a run, and `<id>.0.npz` and so on are
those of a race's lanes. Films are not kept: that of a resumed run begins where it resumes.
"""

from __future__ import annotations

import re
import time
from collections.abc import Set
from contextlib import suppress
from operator import itemgetter
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import Field

from genoku.errors import CheckpointError
from genoku.stopping import LANES
from genoku.web.limits import Asked, Seed, Speed, Until
from genoku.web.live.snapshot import Phase

ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
RACE_UNTIL = "cpu_seconds=5"

Kind = Literal["run", "race"]


class PuzzleAsked(Asked):
    """A puzzle in a request."""

    puzzle: str = Field(
        min_length=1,
        max_length=100_000,
        description="In any format that genoku reads.",
        examples=["1.....3..4.....2"],
    )
    box: str | None = Field(
        default=None,
        max_length=20,
        description="Rows × columns of a box, where they cannot be told from the text.",
        examples=["3x3"],
    )
    name: str = Field(default="", max_length=200, description="Of the puzzle.")
    allow_conflicts: bool = Field(default=False, description="Run although givens clash.")


class RecipeAsked(Asked):
    """An algorithm in a request."""

    preset: str = Field(default="champion", max_length=100, description="See `/api/presets`.")
    recipe: dict[str, Any] | None = Field(
        default=None, description="A table that replaces the preset's."
    )
    settings: dict[str, Any] = Field(
        default_factory=dict,
        max_length=200,
        description="What differs from it: paths and values.",
        examples=[{"population": 500, "selection": {"use": "rank"}}],
    )


class Lane(RecipeAsked):
    """An algorithm of a race."""

    name: str = Field(default="", max_length=100, description="Its preset's, if empty.")


class Plan(PuzzleAsked):
    """What runs and races have in common."""

    kind: ClassVar[Kind]

    until: Until = ""
    seed: Seed = 0
    speed: Speed = None
    paused: bool = Field(default=False, description="Whether it waits before its first step.")


class RunPlan(Plan, RecipeAsked):
    """A run to start."""

    kind = "run"

    @property
    def lanes(self) -> list[Lane]:
        return [Lane(preset=self.preset, recipe=self.recipe, settings=self.settings)]


class RacePlan(Plan):
    """A race to start."""

    kind = "race"

    lanes: list[Lane] = Field(
        min_length=LANES[0],
        max_length=LANES[1],
        examples=[[{"preset": "champion"}, {"preset": "simon"}]],
    )
    until: Until = Field(default=RACE_UNTIL, description="Of every lane; all seconds are CPU time.")


class Saved(Asked):
    """A session as it was last written to disk."""

    kind: Kind
    plan: RunPlan | RacePlan
    phase: Phase
    speed: Speed
    ended: str = ""
    """Why it is over, where no checkpoint would tell."""
    step: int = 0
    title: str = ""

    @classmethod
    def of(cls, plan: RunPlan | RacePlan) -> Saved:
        """A session before its first step."""
        phase: Phase = "paused" if plan.paused else "running"
        return cls(kind=plan.kind, plan=plan, phase=phase, speed=plan.speed)


class Folder:
    """The sessions of a server that can be resumed."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self, name: str) -> Saved | None:
        """A session, if there is one of that id that can be read."""
        try:
            return Saved.model_validate_json(self._file(name).read_text("utf-8"))
        except (OSError, ValueError, CheckpointError):  # no such file, no session, or no id
            return None

    def write(self, name: str, saved: Saved) -> None:
        """Keep a session; a crash in the middle leaves what was there."""
        from genoku.formats import replacing

        file = self._file(name)
        file.parent.mkdir(parents=True, exist_ok=True)
        with replacing(file) as stream:
            stream.write(saved.model_dump_json())

    def checkpoint(self, name: str, lane: int | None = None) -> Path:
        """Where the checkpoint of a run is, or that of a lane of a race."""
        return self._file(name).with_suffix(".npz" if lane is None else f".{lane}.npz")

    def forget(self, name: str) -> None:
        """Remove all that is kept of a session."""
        folder = self._file(name).parent
        for file in (*folder.glob(f"{name}.*"), *folder.glob(f".{name}.*")):
            file.unlink(missing_ok=True)

    def sweep(self, seconds: float, most: int, live: Set[str] = frozenset()) -> None:
        """Remove sessions older than some seconds, and the oldest beyond so many bytes.

        What belongs to those that are live stays.
        """
        found: dict[str, tuple[float, int]] = {}
        for file in self.path.glob("*"):
            name = file.name.lstrip(".").partition(".")[0]  # a dot: a kill left it half written
            if ID.fullmatch(name) and name not in live:
                with suppress(OSError):  # somebody else was faster
                    told = file.stat()
                    newest, size = found.get(name, (0.0, 0))
                    found[name] = max(newest, told.st_mtime), size + told.st_size
        oldest, total = time.time() - seconds, 0
        for name, (newest, size) in sorted(found.items(), key=itemgetter(1), reverse=True):
            total += size
            if newest < oldest or total > most:
                with suppress(OSError):  # what cannot be removed now may be another time
                    self.forget(name)

    def _file(self, name: str) -> Path:
        if not ID.fullmatch(name):
            raise CheckpointError(f"expected the id of a session, got {name!r}")
        return self.path / f"{name}.json"
