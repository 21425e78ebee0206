"""What is kept of a session on disk: its plan and how it stood, and beside it its checkpoints.

`<id>.json` is the plan; `<id>.npz` is a run, and `<id>.0.npz` and so on are the lanes of a race.
Films are not kept: that of a run that goes on begins where it goes on.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Set
from contextlib import suppress
from operator import itemgetter
from pathlib import Path
from typing import Any, Literal, TypedDict, cast

from genoku.errors import CheckpointError

ID = re.compile(r"[A-Za-z0-9_-]{1,64}")

Kind = Literal["run", "race"]


class Saved(TypedDict):
    """A session as it stood."""

    kind: Kind
    plan: dict[str, Any]
    """What was asked for, as the API has it."""
    phase: str
    speed: float | None
    ended: str
    """Why it is over, where no checkpoint would tell."""
    step: int
    title: str


class Folder:
    """The sessions of a server that can be gone on with."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self, name: str) -> Saved | None:
        """A session, if there is one of that id that can be read."""
        try:
            saved = json.loads(self._file(name).read_text("utf-8"))
        except (OSError, ValueError):  # no such file, no JSON, or no id
            return None
        whole = isinstance(saved, dict) and set(saved) == set(Saved.__annotations__)
        return cast("Saved", saved) if whole and saved["kind"] in ("run", "race") else None

    def write(self, name: str, saved: Saved) -> None:
        """Keep a session; a crash in the middle leaves what was there."""
        file = self._file(name)
        file.parent.mkdir(parents=True, exist_ok=True)
        partial = file.with_name(f"{file.name}.{os.getpid()}.part")
        try:
            partial.write_text(json.dumps(saved, ensure_ascii=False), "utf-8")
            partial.replace(file)
        finally:
            partial.unlink(missing_ok=True)

    def run(self, name: str, lane: int | None = None) -> Path:
        """Where the checkpoint of a run is, or that of a lane of a race."""
        return self._file(name).with_suffix(".npz" if lane is None else f".{lane}.npz")

    def forget(self, name: str) -> None:
        """Remove all that is kept of a session."""
        for file in self._file(name).parent.glob(f"{name}.*"):
            file.unlink(missing_ok=True)

    def sweep(self, seconds: float, most: int, live: Set[str] = frozenset()) -> None:
        """Remove what nobody has gone on with for so long, and the oldest of too many bytes.

        What belongs to those that are live stays.
        """
        found: dict[str, tuple[float, int]] = {}
        for file in self.path.glob("*"):
            name = file.name.partition(".")[0]
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
