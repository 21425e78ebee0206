"""A reproduction made on this machine: a process of its own, one at a time, which can be stopped.

Its runs are kept. A reproduction that was stopped goes on where it was.
"""

from __future__ import annotations

import asyncio
import atexit
import threading
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Literal

from genoku.parallel import cores, serve_the_parent
from genoku.web.children import stand_back, words_of
from genoku.web.refusals import ConflictError
from genoku.web.studyfiles import within

Phase = Literal["", "starting", "running", "writing"]

FACTS, PAGE = "findings.json", "index.html"


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
        self._process: Any = None
        self._stopping = False
        self._over = asyncio.Event()

    def start(self, number: str, seeds: int | None) -> None:
        """Begin, or go on, with a report; refused while another one is at work."""
        if self.phase:
            raise ConflictError(f"the reproduction of report {self.number} is still at work")
        context = get_context("spawn")
        ours, theirs = context.Pipe(duplex=False)
        place = place_of(self.folder, number)
        self._process = context.Process(
            target=remake, args=(theirs, number, seeds, str(place)), name=f"reproduce-{number}"
        )
        self._process.start()
        atexit.register(self._process.kill)  # else Python would wait for it at its end
        theirs.close()
        self.number, self.phase, self.progress, self.said = number, "starting", {}, ""
        self._stopping = False
        self._over = asyncio.Event()
        loop = asyncio.get_running_loop()
        threading.Thread(target=self._hear, args=(ours, loop), daemon=True).start()

    async def stop(self) -> None:
        """End it where it is; its runs are kept."""
        if self.phase:
            self._stopping = True
            self._process.terminate()
            await self._over.wait()

    def _hear(self, ours: Connection, loop: asyncio.AbstractEventLoop) -> None:
        done = False
        try:
            while True:
                kind, value = ours.recv()
                if kind == "progress":
                    self.phase, self.progress = "running", value
                elif kind == "writing":
                    self.phase = "writing"
                else:
                    done, self.said = True, value
        except (EOFError, OSError):
            self._process.join()
        if not done:
            code = self._process.exitcode
            how = "it was stopped" if self._stopping else f"its process died (exit code {code})"
            self.said = f"{how}; the runs so far are kept"
        atexit.unregister(self._process.kill)
        ours.close()
        with suppress(RuntimeError):  # the server has ended first
            loop.call_soon_threadsafe(self._end)

    def _end(self) -> None:
        self.phase = ""
        self._over.set()


def remake(server: Connection, number: str, seeds: int | None, folder: str) -> None:
    """What the process does: all runs that are missing, then the page."""
    serve_the_parent()
    stand_back()
    said = ""
    try:
        _remake(server, number, seeds, Path(folder))
    except Exception as error:  # whatever it is, a person should read it
        said = within(words_of(error), Path(folder))
    server.send(("over", said))


def _remake(server: Connection, number: str, seeds: int | None, folder: Path) -> None:
    from collections.abc import Iterator
    from contextlib import contextmanager

    from genoku.lab.reproduce import Scale, reproduce, reproduction
    from genoku.lab.runner import Progress, Watcher
    from genoku.lab.study import Study
    from genoku.web.jobs.reports import write_facts

    report, scale = reproduction(number), Scale(quick=True, seeds=seeds)
    sizes = {name: len(study) for name, study in report.studies(scale).items()}
    before: list[int] = []

    @contextmanager
    def shown(study: Study, path: Path) -> Iterator[Watcher]:
        def tell(now: Progress) -> None:
            told = {
                "study": path.stem,
                "done": sum(before) + now.done,
                "planned": sum(sizes.values()),
                "left": now.left,
            }
            server.send(("progress", told))

        yield tell
        before.append(len(study))

    # Runs of other numbers of seeds are other studies, and have stores of their own.
    runs = folder / (f"seeds-{seeds}" if seeds else "quick")
    found = reproduce(report, scale, runs, jobs=max(1, cores() - 1), shown=shown)
    server.send(("writing", None))
    report.page(found, scale).write_html(folder / PAGE)
    write_facts(folder / FACTS, scale, found)
