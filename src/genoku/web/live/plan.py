"""Requests for runs and races, and the files of saved sessions.

`<id>.json` is a `SavedSession`; `<id>.npz` is the checkpoint of a run, and `<id>.0.npz` and so on
are those of a race's lanes. Films are not saved: that of a resumed run starts where it resumes.
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
from genoku.evolve.stopping import LANES
from genoku.web.limits import RequestModel, Seed, Speed, Until
from genoku.web.live.snapshot import Phase

ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
RACE_UNTIL = "cpu_seconds=5"

Kind = Literal["run", "race"]


class RecipeRequest(RequestModel):
    """An algorithm in a request."""

    preset: str = Field(default="champion", max_length=100, description="See `/api/presets`.")
    recipe: dict[str, Any] | None = Field(
        default=None, description="A recipe in place of the preset's."
    )
    settings: dict[str, Any] = Field(
        default_factory=dict,
        max_length=200,
        description="Changed values by their paths.",
        examples=[{"population": 500, "selection": {"use": "rank"}}],
    )


class LaneRequest(RecipeRequest):
    """An algorithm of a race."""

    name: str = Field(default="", max_length=100, description="Empty is the preset's.")


class SessionPlan(RequestModel):
    """The fields that runs and races share."""

    kind: ClassVar[Kind]

    puzzle: str = Field(
        min_length=1,
        max_length=100_000,
        description="A board in any format that genoku reads, or a name: of a bundled puzzle, here "
        'or in its report, "empty 16" or "random", which takes the seed of the run.',
        examples=["1.....3..4.....2"],
    )
    box: str | None = Field(
        default=None,
        max_length=20,
        description="Rows × columns of a box, if the text does not imply them.",
        examples=["3x3"],
    )
    name: str = Field(default="", max_length=200, description="Of the puzzle.")
    allow_conflicts: bool = Field(
        default=False,
        description="Run even if givens conflict. Even without, a report's presets run on the "
        "puzzles that it printed.",
    )
    until: Until = ""
    seed: Seed = 0
    speed: Speed = None
    paused: bool = Field(default=False, description="Start paused, before the first step.")


class RunPlan(SessionPlan, RecipeRequest):
    """A request to start a run."""

    kind = "run"

    @property
    def lanes(self) -> list[LaneRequest]:
        return [LaneRequest(preset=self.preset, recipe=self.recipe, settings=self.settings)]


class RacePlan(SessionPlan):
    """A request to start a race."""

    kind = "race"

    lanes: list[LaneRequest] = Field(
        min_length=LANES[0],
        max_length=LANES[1],
        examples=[[{"preset": "champion"}, {"preset": "simon"}]],
    )
    until: Until = Field(default=RACE_UNTIL, description="Of every lane; seconds are CPU time.")


class SavedSession(RequestModel):
    """A session as it was last saved."""

    kind: Kind
    plan: RunPlan | RacePlan
    phase: Phase
    speed: Speed
    ended: str = ""  # why it ended, if the checkpoint does not say
    step: int = 0
    errors: int | None = None  # left on the best board of all lanes; None before the first board
    title: str = ""

    @classmethod
    def of(cls, plan: RunPlan | RacePlan) -> SavedSession:
        """Return the state of a new session."""
        phase: Phase = "paused" if plan.paused else "running"
        return cls(kind=plan.kind, plan=plan, phase=phase, speed=plan.speed)


class SessionFolder:
    """The folder of saved sessions."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self, name: str) -> SavedSession | None:
        """Read a session; None if there is none of that id, or it cannot be read."""
        try:
            return SavedSession.model_validate_json(self._file(name).read_text("utf-8"))
        except (OSError, ValueError, CheckpointError):  # none, no valid content or id
            return None

    def write(self, name: str, saved: SavedSession) -> None:
        from genoku.puzzle.formats import text_writer

        file = self._file(name)
        file.parent.mkdir(parents=True, exist_ok=True)
        with text_writer(file) as stream:
            stream.write(saved.model_dump_json())

    def checkpoint(self, name: str, lane: int | None = None) -> Path:
        """Return the path of a run's checkpoint, or of a race lane's."""
        return self._file(name).with_suffix(".npz" if lane is None else f".{lane}.npz")

    def forget(self, name: str) -> None:
        folder = self._file(name).parent
        for file in (*folder.glob(f"{name}.*"), *folder.glob(f".{name}.*")):
            file.unlink(missing_ok=True)

    def sweep(self, seconds: float, most: int, live: Set[str] = frozenset()) -> None:
        """Remove sessions, except live ones: those older than `seconds` or beyond `most` bytes."""
        found: dict[str, tuple[float, int]] = {}
        for file in self.path.glob("*"):
            name = file.name.lstrip(".").partition(".")[0]  # with a dot: left by a killed process
            if ID.fullmatch(name) and name not in live:
                with suppress(OSError):  # it was removed meanwhile
                    stat = file.stat()
                    newest, size = found.get(name, (0.0, 0))
                    found[name] = max(newest, stat.st_mtime), size + stat.st_size
        oldest, total = time.time() - seconds, 0
        for name, (newest, size) in sorted(found.items(), key=itemgetter(1), reverse=True):
            total += size
            if newest < oldest or total > most:
                with suppress(OSError):  # try again next time
                    self.forget(name)

    def _file(self, name: str) -> Path:
        if not ID.fullmatch(name):
            raise CheckpointError(f"expected the id of a session, got {name!r}")
        return self.path / f"{name}.json"
