"""Studies on their way: a process each, so many at a time, others wait in order.

A driver makes the runs of a study into its store, exactly as `genoku study run` does, and says
how far it is. It ends with the server, and what it has kept can be gone on with at any time.
Who runs and who waits is kept in a file, so that after a kill everybody has their place again.

A study is `<name>.toml` and `<name>.db` of a folder, as `genoku study` has them. Names come from
outside, so they are looked at here before any of them becomes a path.
"""

from __future__ import annotations

import asyncio
import contextvars
import json
import re
from collections import OrderedDict, deque
from collections.abc import Callable, Coroutine, Hashable
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Literal, NamedTuple

from genoku.errors import FormatError, GenokuError, StudyError
from genoku.web.limits import Limits
from genoku.workers import Actor, cores, error_text, exit_text, lower_priority

POLITE = 10.0  # seconds in which a driver that is asked to end does so
STOP = "stop"
QUEUE = "queue.json"
NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,59}", re.ASCII)
ASKED = "letters, digits, - and _, up to 60 of them, not beginning with -"
BESIDE = ("-wal", "-shm", "-journal", ".lock")
"""What SQLite, and whoever runs a study, keep beside a store."""
MOST = 8  # answers on a shelf


# Where studies are kept, and their names


class StudyNameError(StudyError):
    """A name that no study of a folder can have."""


class StudyFiles(NamedTuple):
    """The files of one study, which need not be there."""

    name: str
    toml: Path
    db: Path

    @property
    def exist(self) -> bool:
        return self.toml.exists() or self.db.exists()

    @property
    def is_begun(self) -> bool:
        """Whether there is a store; one that a full disk left empty beside its file is none."""
        from genoku.lab.store import is_empty

        return self.db.exists() and not (self.toml.exists() and is_empty(self.db))

    @property
    def modified(self) -> float:
        """When one of them last changed."""
        return max((each.stat().st_mtime for each in self.present()), default=0.0)

    def present(self) -> list[Path]:
        """All that is there, what is kept beside a store included."""
        beside = [self.db.with_name(f"{self.db.name}{end}") for end in BESIDE]
        return [each for each in (self.toml, self.db, *beside) if each.exists()]

    @property
    def version(self) -> tuple[tuple[int, int], ...]:
        """Something that changes whenever its results do."""
        files = (self.toml, self.db, self.db.with_name(f"{self.db.name}-wal"))
        told = [each.stat() for each in files if each.exists()]
        return tuple((each.st_mtime_ns, each.st_size) for each in told)


def files_of(folder: Path, name: str) -> StudyFiles:
    """The files of a study; StudyNameError for a name that could lead out of the folder."""
    if not NAME.fullmatch(name):
        shown = name if len(name) <= 80 else f"{name[:80]}…"
        raise StudyNameError(f"expected a name of {ASKED}, got {shown!r}")
    files = StudyFiles(name, folder / f"{name}.toml", folder / f"{name}.db")
    home = folder.resolve()
    for each in (files.toml, files.db):
        if each.resolve().parent != home:
            raise StudyNameError(f"{each.name}: expected a file of the studies' folder, got a link")
    for each in files.present():
        if not (each.is_file() or each.is_dir()):  # a pipe keeps waiting who opens it
            raise StudyNameError(f"{each.name}: expected a file, got a pipe or device")
    return files


def names_in(folder: Path) -> list[str]:
    """The names of all studies that have a file or a store."""
    if not folder.is_dir():
        return []
    found = {each.stem for each in folder.iterdir() if each.suffix in (".toml", ".db")}
    return sorted(name for name in found if NAME.fullmatch(name))


def within(said: str, folder: Path) -> str:
    """A message with files called as a page knows them, without the folder they are in."""
    for home in (folder, folder.absolute(), folder.resolve()):
        said = said.replace(f"{home}/", "")
    return said


class Shelf:
    """The last answers that took long, each made once for all who ask; failures are not kept."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Hashable, asyncio.Task[Any]] = OrderedDict()

    async def get(self, key: Hashable, make: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
        """What is kept under a key, or is made now."""
        task = self._kept.get(key)
        if task is None or (task.done() and (task.cancelled() or task.exception())):
            # In a context of its own: it goes on for others when who asked first has gone.
            task = asyncio.create_task(make(), context=contextvars.Context())
            self._kept[key] = task
        self._kept.move_to_end(key)
        while len(self._kept) > MOST:
            self._kept.popitem(last=False)
        return await asyncio.shield(task)


# Who runs them


class Standing(NamedTuple):
    """What a server knows of a study without looking into its store."""

    phase: Literal["running", "waiting", "stopping", ""]
    progress: dict[str, Any] | None
    """Of the driver that is at it now."""
    said: str
    """Why the last driver ended before its time; empty if it did not."""


class Drivers:
    """The studies that a server runs, of those in a folder."""

    def __init__(self, limits: Limits, folder: Path) -> None:
        self.folder = folder
        self.jobs = max(1, cores() - 1)
        self.shelf = Shelf()
        self._most = limits.studies
        self._running: dict[str, Driver] = {}
        self._waiting: deque[str] = deque()
        self._said: dict[str, str] = {}
        self._closed = False

    def standing(self, name: str) -> Standing:
        """How far a study is."""
        driver = self._running.get(name)
        if driver is not None:
            phase: Literal["running", "stopping"] = "stopping" if driver.stopping else "running"
            return Standing(phase, driver.progress, "")
        if name in self._waiting:
            return Standing("waiting", None, "")
        return Standing("", None, self._said.get(name, ""))

    @property
    def running(self) -> list[str]:
        """The names of those that have a process now."""
        return list(self._running)

    async def run(self, name: str) -> None:
        """Run what is left of a study, as soon as it is its turn."""
        files_of(self.folder, name)
        driver = self._running.get(name)
        if driver is not None and driver.stopping:
            await driver.ended.wait()
        if name not in self._running and name not in self._waiting:
            self._said.pop(name, None)
            self._waiting.append(name)
            self._begin()

    def resume(self) -> None:
        """Go on where a server of this folder was killed: in the same order."""
        try:
            names = json.loads((self.folder / QUEUE).read_text("utf-8"))
        except (OSError, ValueError, RecursionError):  # there was none, or it came to a good end
            return
        if isinstance(names, list):
            self._waiting.extend(dict.fromkeys(name for name in names if isinstance(name, str)))
        self._begin()

    async def stop(self, name: str) -> None:
        """End the driver of a study, which keeps what came back, and wait until it has ended."""
        with suppress(ValueError):
            self._waiting.remove(name)
            self._keep()
        driver = self._running.get(name)
        if driver is not None:
            await driver.stop()

    def forget(self, name: str) -> None:
        """What was said of a study that is no more."""
        self._said.pop(name, None)

    async def close(self) -> None:
        """End all drivers."""
        self._closed = True
        self._waiting.clear()
        self._keep()
        await asyncio.gather(*(driver.stop() for driver in list(self._running.values())))

    def _begin(self) -> None:
        """Give those who wait their turn."""
        while self._waiting and len(self._running) < self._most and not self._closed:
            name = self._waiting.popleft()
            try:
                files = files_of(self.folder, name)
                self._running[name] = Driver(files, self.jobs, self._over)
            except (GenokuError, OSError) as error:
                self._said[name] = str(error)
        self._keep()

    def _keep(self) -> None:
        """Write down who runs and who waits; nobody does once the server has closed."""
        from genoku.formats import replacing

        names = [] if self._closed else [*self._running, *self._waiting]
        with suppress(FormatError), replacing(self.folder / QUEUE) as file:  # a disk may be full
            json.dump(names, file)

    def _over(self, driver: Driver) -> None:
        self._running.pop(driver.name, None)
        if driver.said:
            self._said[driver.name] = driver.said
        self._begin()


class Driver:
    """The process of one study, as the server knows it."""

    def __init__(self, files: StudyFiles, jobs: int, over: Callable[[Driver], None]) -> None:
        self.name = files.name
        self.progress: dict[str, Any] | None = None
        self.said = ""
        self.stopping = False
        self.ended = asyncio.Event()
        self._finished = False
        self._over = over
        self._process = Actor(
            drive,
            *(str(files.toml), str(files.db), jobs),
            name=self.name,
            loop=asyncio.get_running_loop(),
            on_message=self._hear,
            on_end=self._end,
        )

    async def stop(self) -> None:
        """Ask it to end, and make it end if it does not."""
        if not self.stopping:
            self.stopping = True
            self._process.send(STOP)
        try:
            await asyncio.wait_for(self.ended.wait(), POLITE)
        except TimeoutError:
            self._process.kill()
            await self.ended.wait()

    def _hear(self, message: tuple[str, Any]) -> None:
        kind, value = message
        if kind == "progress":
            self.progress = value
        elif kind == "error":
            self.said = value
        self._finished = kind != "progress"

    def _end(self) -> None:
        if not self._finished and not self.stopping:
            how = exit_text(self._process.exit_code)
            self.said = f"the process that ran this study died ({how}): go on with it"
        self._over(self)
        self.ended.set()


class StopAskedError(Exception):
    """Somebody wants a study to end where it is."""


def drive(server: Connection, toml: str, db: str, jobs: int) -> None:
    """What a driver does: the runs that a store does not have yet, told as they come."""
    lower_priority()
    try:
        _run(server, Path(toml), Path(db), jobs)
        server.send(("done", None))
    except StopAskedError:
        server.send(("stopped", None))
    except Exception as error:  # whatever it is, a person should read it
        server.send(("error", error_text(error)))


def _run(server: Connection, toml: Path, db: Path, jobs: int) -> None:
    from genoku.lab.runner import Progress, Shard, process_crew, run_study
    from genoku.lab.store import Store
    from genoku.lab.studyfile import read_study

    def tell(now: Progress) -> None:
        if server.poll():
            raise StopAskedError
        told = now._asdict()
        told.pop("silent")
        server.send(("progress", told))

    study, shard = None, None
    if StudyFiles(db.stem, toml, db).is_begun:
        with Store.open(db) as store:
            study, noted = store.study, store.noted("shard")
            shard = Shard.parse(noted) if noted else None
    if study is None or toml.exists():  # which may have grown since
        study = read_study(toml)
    # In processes of its own even if it is one: the driver is there to be talked to.
    with process_crew(jobs) as crew:
        options: dict[str, Any] = {"jobs": jobs, "executor": crew.executor, "shard": shard}
        run_study(study, db, **options, folder=str(Path.cwd()), progress=tell, warn=lambda _: None)
