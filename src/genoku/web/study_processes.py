"""Processes that run studies and reproductions, and the files of studies.

A limited number of studies run at the same time; others wait in a queue, which a file keeps in
case the server is killed. Reports are reproduced one at a time, in a clone of genoku.

A study is `<name>.toml` and `<name>.db` in a folder. Names come from requests, so they are checked.
"""

from __future__ import annotations

import asyncio
import contextvars
import json
import os
import re
import sys
from collections import deque
from collections.abc import Callable, Coroutine, Hashable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import Any, Literal, NamedTuple

from genoku.errors import FormatError, GenokuError, StudyError
from genoku.runtime.workers import Actor, Target, cores, error_text, exit_text
from genoku.web.http_errors import ConflictError
from genoku.web.limits import Limits

STOP_SECONDS = 30.0  # after which a process that was asked to stop is killed
NICENESS = 10  # of a process
QUEUE_FILE = "queue.json"
NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,59}", re.ASCII)
NAME_RULE = "up to 60 letters, digits, - and _, not starting with -"
STORE_SUFFIXES = ("-wal", "-shm", "-journal", ".lock")  # of the files beside a store
MAX_ANSWERS = 8  # in a cache
PROGRESS_FIELDS = ("planned", "done", "solved", "failed", "left", "workers")  # of `StudyProgress`
CLONE = Path(__file__).parents[3]  # the clone of the repository, if genoku runs from one
CLAIMS, PAGE = "claims.json", "index.html"
COMMAND = "python3 run.py reproduce --claims"  # for the full reproduction of a report


class StudyNameError(StudyError):
    """A name that a study cannot have."""


class StudyFiles(NamedTuple):
    """The files of a study, which may not exist."""

    name: str
    toml: Path
    db: Path

    @property
    def folder(self) -> Path:
        return self.toml.parent

    @property
    def exists(self) -> bool:
        return self.toml.exists() or self.db.exists()

    @property
    def has_store(self) -> bool:
        """Whether the store exists; an empty one that a full disk left behind does not count."""
        from genoku.lab.store import is_empty

        return self.db.exists() and not (self.toml.exists() and is_empty(self.db))

    @property
    def modified(self) -> float:
        """When one of the files last changed, in seconds since 1970."""
        return max((each.stat().st_mtime for each in self.paths()), default=0.0)

    def paths(self) -> list[Path]:
        """List the files that exist, including those beside the store."""
        beside = [self.db.with_name(f"{self.db.name}{end}") for end in STORE_SUFFIXES]
        return [each for each in (self.toml, self.db, *beside) if each.exists()]

    @property
    def version(self) -> tuple[tuple[int, int], ...]:
        """A value that changes when the study's results do."""
        files = (self.toml, self.db, self.db.with_name(f"{self.db.name}-wal"))
        found = filter(None, map(_status, files))
        return tuple((each.st_mtime_ns, each.st_size) for each in found)


def _status(path: Path) -> os.stat_result | None:
    """The status of a file; None if there is none. Those beside a store come and go at any time."""
    try:
        return path.stat()
    except FileNotFoundError:
        return None


def study_files(folder: Path, name: str) -> StudyFiles:
    """Return the files of a study; StudyNameError for a name that could lead out of the folder."""
    if not NAME.fullmatch(name):
        shown = name if len(name) <= 80 else f"{name[:80]}…"
        raise StudyNameError(f"expected a name of {NAME_RULE}, got {shown!r}")
    files = StudyFiles(name, folder / f"{name}.toml", folder / f"{name}.db")
    home = folder.resolve()
    for each in (files.toml, files.db):
        if each.resolve().parent != home:
            raise StudyNameError(
                f"{each.name}: expected a file of this folder, got a symbolic link"
            )
    for each in files.paths():
        status = _status(each)
        if status and not (S_ISREG(status.st_mode) or S_ISDIR(status.st_mode)):
            # Opening it would block
            raise StudyNameError(f"{each.name}: expected a file, got a pipe or device")
    return files


def study_names(folder: Path) -> list[str]:
    """List the names of all studies that have a file or a store."""
    if not folder.is_dir():
        return []
    found = {each.stem for each in folder.iterdir() if each.suffix in (".toml", ".db")}
    return sorted(name for name in found if NAME.fullmatch(name))


def without_folder(said: str, folder: Path) -> str:
    """Remove the path of a folder from a message, so that it shows file names only."""
    for home in (folder, folder.absolute(), folder.resolve()):
        said = said.replace(f"{home}/", "")
    return said


class AnswerCache:
    """The latest expensive answers, each computed once for all requests; failures are not kept."""

    def __init__(self) -> None:
        self._kept: dict[Hashable, asyncio.Task[Any]] = {}  # least recently used first

    async def get(self, key: Hashable, make: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
        """Return the answer for a key; compute it if it is not in the cache."""
        task = self._kept.pop(key, None)
        if task is None or (task.done() and (task.cancelled() or task.exception())):
            # In a context of its own: it continues if the first client disconnects.
            task = asyncio.create_task(make(), context=contextvars.Context())
        self._kept[key] = task
        if len(self._kept) > MAX_ANSWERS:
            del self._kept[next(iter(self._kept))]
        return await asyncio.shield(task)


class StopRequestedError(Exception):
    """The server asked a process to stop."""


class BackgroundProcess:
    """A long-running process that reports its progress, as seen by the server."""

    def __init__(
        self, name: str, target: Target, *arguments: Any, on_end: Callable[..., None]
    ) -> None:
        self.name = name
        self.progress: dict[str, Any] = {}
        self.error = ""  # why it ended early; empty if it did not
        self.stopping = False
        self.ended = asyncio.Event()
        self._finished = False
        self._on_end = on_end
        self._process = Actor(
            run_in_background,
            target,
            *arguments,
            name=name,
            on_message=self._receive,
            on_end=self._end,
        )

    async def stop(self, patience: float = STOP_SECONDS) -> None:
        """Ask it to stop; kill it if it does not."""
        if not self.stopping:
            self.stopping = True
            self._process.send("stop")
        try:
            await asyncio.wait_for(self.ended.wait(), patience)
        except TimeoutError:
            self._process.kill()
            await self.ended.wait()

    def _receive(self, message: dict[str, Any] | str) -> None:
        """Receive changed progress, or at the end why it ended early."""
        if isinstance(message, str):
            self.error, self._finished = message, True
        else:
            self.progress = {**self.progress, **message}

    def _end(self) -> None:
        if not self._finished:
            died = f"its process died ({exit_text(self._process.exit_code)})"
            how = "it was stopped" if self.stopping else died
            self.error = f"{how}; finished runs are kept, and it can be resumed"
        self._on_end(self)
        self.ended.set()


def run_in_background(server: Connection, target: Target, *arguments: Any) -> None:
    """Run a target in a background process; send the server its error, or an empty text."""
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    said = ""
    try:
        target(server, *arguments)
    except StopRequestedError:
        pass
    except Exception as error:  # the user should see it, whatever it is
        said = error_text(error)
    server.send(said)


class StudyProcesses:
    """The queue of studies in a folder that the server runs, and their processes."""

    def __init__(self, limits: Limits, folder: Path) -> None:
        self.folder = folder
        self.jobs = max(1, cores() - 1)
        self.cache = AnswerCache()
        self._most = limits.studies
        self._running: dict[str, BackgroundProcess] = {}
        self._waiting: deque[str] = deque()
        self._errors: dict[str, str] = {}
        self._closed = False

    def status(self, name: str) -> dict[str, Any]:
        """Return what the server knows of a study: its state and progress, or its last error."""
        process = self._running.get(name)
        if process is not None:
            state = "stopping" if process.stopping else "running"
            return {"state": state, "by": "", **process.progress}
        if name in self._waiting:
            return {"state": "waiting", "by": ""}
        said = self._errors.get(name)
        return {"said": without_folder(said, self.folder)} if said else {}

    @property
    def running(self) -> list[str]:
        return list(self._running)

    async def run(self, name: str) -> None:
        """Queue a study, to run what is left of it."""
        study_files(self.folder, name)
        process = self._running.get(name)
        if process is not None and process.stopping:
            await process.ended.wait()
        if name not in self._running and name not in self._waiting:
            self._errors.pop(name, None)
            self._waiting.append(name)
            self._start_next()

    def resume(self) -> None:
        """Restore the queue of a server that was killed, in the same order."""
        try:
            names = json.loads((self.folder / QUEUE_FILE).read_text("utf-8"))
        except (OSError, ValueError, RecursionError):  # none, or not ours
            return
        if isinstance(names, list):
            self._waiting.extend(dict.fromkeys(name for name in names if isinstance(name, str)))
        self._start_next()

    async def stop(self, name: str) -> None:
        """Stop a study and wait until its process has ended; finished runs are kept."""
        with suppress(ValueError):
            self._waiting.remove(name)
            self._write_queue()
        process = self._running.get(name)
        if process is not None:
            await process.stop()

    def forget(self, name: str) -> None:
        """Forget the last error of a deleted study."""
        self._errors.pop(name, None)

    async def close(self) -> None:
        self._closed = True
        self._waiting.clear()
        self._write_queue()
        await asyncio.gather(*(process.stop() for process in list(self._running.values())))

    def _start_next(self) -> None:
        """Start studies of the queue, as many as may run."""
        while self._waiting and len(self._running) < self._most and not self._closed:
            name = self._waiting.popleft()
            try:
                files = study_files(self.folder, name)
                self._running[name] = BackgroundProcess(
                    name, run_study_process, files, self.jobs, on_end=self._on_end
                )
            except (GenokuError, OSError) as error:
                self._errors[name] = str(error)
        self._write_queue()

    def _write_queue(self) -> None:
        """Write the running and waiting studies to the queue file; none after `close`."""
        from genoku.puzzle.formats import text_writer

        names = [] if self._closed else [*self._running, *self._waiting]
        # The disk may be full.
        with suppress(FormatError), text_writer(self.folder / QUEUE_FILE) as file:
            json.dump(names, file)

    def _on_end(self, process: BackgroundProcess) -> None:
        self._running.pop(process.name, None)
        if process.error:
            self._errors[process.name] = process.error
        self._start_next()


def run_study_process(server: Connection, files: StudyFiles, jobs: int) -> None:
    """Run the missing runs of a study, and report progress to the server."""
    from genoku.lab.runner import Shard, StudyProgress, process_workers, run_study
    from genoku.lab.store import Store
    from genoku.lab.studyfile import read_study

    def tell(now: StudyProgress) -> None:
        if server.poll():
            raise StopRequestedError
        server.send({key: getattr(now, key) for key in PROGRESS_FIELDS})

    study, shard = None, None
    if files.has_store:
        with Store.open(files.db) as store:
            study, noted = store.study, store.read_note("shard")
            shard = Shard.parse(noted) if noted else None
    if study is None or files.toml.exists():  # it may have been extended since
        study = read_study(files.toml)
    # Use a worker process even if there is only one: this process must answer the server.
    with process_workers(jobs) as workers:
        options: dict[str, Any] = {"jobs": jobs, "executor": workers.executor, "shard": shard}
        options.update(folder=str(Path.cwd()), progress=tell, warn=lambda _: None)
        run_study(study, files.db, **options)


def is_in_clone() -> bool:
    """Whether the server runs from a clone, so that reproductions can be made."""
    return (CLONE / "reproductions" / "__main__.py").is_file()


def reproduction_folder(folder: Path, number: str) -> Path:
    """Return the folder of a report's reproduction: its runs and its page."""
    return folder / "reproductions" / number


@dataclass(frozen=True)
class ReproductionProgress:
    """The progress of the current reproduction, or why the last one ended without a page."""

    number: str = ""
    phase: Literal["", "starting", "running", "writing"] = ""
    study: str = ""
    done: int = 0
    planned: int = 0
    left: float | None = None
    said: str = ""


class ReproductionProcess:
    """The process that reproduces a report, one at a time."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._current: BackgroundProcess | None = None

    @property
    def progress(self) -> ReproductionProgress:
        made = self._current
        if made is None:
            return ReproductionProgress()
        said = without_folder(made.error, reproduction_folder(self.folder, made.name))
        over = {"phase": ""} if made.ended.is_set() else {}
        progress = ReproductionProgress(made.name, "starting", said=said)
        return replace(progress, **{**made.progress, **over})

    def start(self, number: str, seeds: int | None) -> None:
        """Start or resume the reproduction of a report; ConflictError while another one runs."""
        if not is_in_clone():
            raise ConflictError(f"reproductions require a clone of genoku: {COMMAND} {number}")
        if self.progress.phase:
            raise ConflictError(f"report {self.progress.number} is still being reproduced")
        place = reproduction_folder(self.folder, number)
        self._current = BackgroundProcess(
            number, run_reproduction, number, seeds, place, on_end=lambda _: None
        )

    async def stop(self) -> None:
        """Stop it; finished runs are kept."""
        if self._current is not None and not self._current.ended.is_set():
            await self._current.stop(0.0)


def run_reproduction(server: Connection, number: str, seeds: int | None, folder: Path) -> None:
    """Run the missing runs of a report, then write its page."""
    sys.path.insert(0, str(CLONE))  # reproductions are not part of the package
    reproductions = import_module("reproductions")
    scale = reproductions.Scale(quick=True, seeds=seeds)
    sizes = {name: len(study) for name, study in reproductions.studies_of(number, scale).items()}
    before: list[int] = []

    @contextmanager
    def watch_study(study: Any, path: Path) -> Iterator[Callable[[Any], None]]:
        def tell(now: Any) -> None:
            change = {
                "phase": "running",
                "study": path.stem,
                "done": sum(before) + now.done,
                "planned": sum(sizes.values()),
                "left": now.left,
            }
            server.send(change)

        yield tell
        before.append(len(study))

    # Another number of seeds is another study, with a store of its own.
    runs = folder / (f"seeds-{seeds}" if seeds else "quick")
    found = reproductions.reproduce(
        number, scale, runs, jobs=max(1, cores() - 1), shown=watch_study
    )
    server.send({"phase": "writing"})
    found.page.write_html(folder / PAGE)
    reproductions.write_claims(found, folder / CLAIMS)
