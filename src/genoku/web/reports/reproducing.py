"""A reproduction made on this machine: a process of its own, one at a time, which can be stopped.

Its runs are kept. A reproduction that was stopped goes on where it was.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Literal

from genoku.web.refusals import ConflictError
from genoku.web.studyfiles import within
from genoku.workers import Actor, cores, error_text, exit_text, lower_priority

Phase = Literal["", "starting", "running", "writing"]

CLAIMS, PAGE = "claims.json", "index.html"
CLONE = Path(__file__).parents[4]
"""Where the reproductions are, if genoku runs from a clone of its repository."""


def is_in_clone() -> bool:
    """Whether reproductions can be made here."""
    return (CLONE / "reproductions" / "__main__.py").is_file()


def command_of(number: str) -> str:
    """What makes the full reproduction of a report, in a clone."""
    return f"python3 run.py reproduce {number}"


def place_of(folder: Path, number: str) -> Path:
    """Where the runs and the page of a report's reproduction are kept."""
    return folder / "reproductions" / number


class Reproducing:
    """The reproduction that a server is at, if it is at one."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.number = ""
        """Of the report that is at work, or was last."""
        self.phase: Phase = ""
        self.progress: dict[str, Any] = {}
        self.said = ""
        """Why the last one ended without a page."""
        self._process: Actor | None = None
        self._finished = False
        self._stopping = False
        self._ended = asyncio.Event()

    def start(self, number: str, seeds: int | None) -> None:
        """Begin, or go on, with a report; refused while another one is at work."""
        if not is_in_clone():
            raise ConflictError(f"reproductions run in a clone of genoku: {command_of(number)}")
        if self.phase:
            raise ConflictError(f"the reproduction of report {self.number} is still at work")
        self.number, self.progress, self.said = number, {}, ""
        self._finished = self._stopping = False
        self._ended = asyncio.Event()
        self._process = Actor(
            remake,
            *(number, seeds, str(place_of(self.folder, number))),
            name=f"reproduce-{number}",
            loop=asyncio.get_running_loop(),
            on_message=self._hear,
            on_end=self._over,
        )
        self.phase = self.phase or "starting"

    async def stop(self) -> None:
        """End it where it is; its runs are kept."""
        if self.phase and self._process is not None:
            self._stopping = True
            self._process.kill()
            await self._ended.wait()

    def _hear(self, message: tuple[str, Any]) -> None:
        kind, value = message
        if kind == "progress":
            self.phase, self.progress = "running", value
        elif kind == "writing":
            self.phase = "writing"
        else:
            self._finished, self.said = True, value

    def _over(self) -> None:
        if not self._finished and self._process is not None:
            died = f"its process died ({exit_text(self._process.exit_code)})"
            how = "it was stopped" if self._stopping else died
            self.said = f"{how}; the runs so far are kept"
        self.phase = ""
        self._ended.set()


def remake(server: Connection, number: str, seeds: int | None, folder: str) -> None:
    """What the process does: all runs that are missing, then the page."""
    lower_priority()
    said = ""
    try:
        _remake(server, number, seeds, Path(folder))
    except Exception as error:  # whatever it is, a person should read it
        said = within(error_text(error), Path(folder))
    server.send(("over", said))


def _remake(server: Connection, number: str, seeds: int | None, folder: Path) -> None:
    """The reproductions beside `src` are no part of the package: they are imported from there."""
    sys.path.insert(0, str(CLONE))
    reproductions = import_module("reproductions")
    scale = reproductions.Scale(quick=True, seeds=seeds)
    sizes = {name: len(study) for name, study in reproductions.studies_of(number, scale).items()}
    before: list[int] = []

    @contextmanager
    def shown(study: Any, path: Path) -> Iterator[Callable[[Any], None]]:
        def tell(now: Any) -> None:
            progress = {
                "study": path.stem,
                "done": sum(before) + now.done,
                "planned": sum(sizes.values()),
                "left": now.left,
            }
            server.send(("progress", progress))

        yield tell
        before.append(len(study))

    # Runs of other numbers of seeds are other studies, and have stores of their own.
    runs = folder / (f"seeds-{seeds}" if seeds else "quick")
    found = reproductions.reproduce(number, scale, runs, jobs=max(1, cores() - 1), shown=shown)
    server.send(("writing", None))
    found.page.write_html(folder / PAGE)
    reproductions.write_claims(found, folder / CLAIMS)
