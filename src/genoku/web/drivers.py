"""Studies on their way: a process each, so many at a time, others wait in order.

A driver makes the runs of a study into its store, exactly as `genoku study run` does, and says
how far it is. It ends with the server, and what it has kept can be gone on with at any time.
Who runs and who waits is kept in a file, so that after a kill everybody has their place again.
The reproduction of a report is made likewise, one at a time, where genoku runs from a clone.

A study is `<name>.toml` and `<name>.db` of a folder, as `genoku study` has them. Names come from
outside, so they are looked at here before any of them becomes a path.
"""

from __future__ import annotations

import asyncio
import contextvars
import json
import re
import sys
from collections import OrderedDict, deque
from collections.abc import Callable, Coroutine, Hashable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Literal, NamedTuple

from genoku.errors import FormatError, GenokuError, StudyError
from genoku.web.limits import Limits
from genoku.web.refusals import ConflictError
from genoku.workers import Actor, Target, cores, error_text, exit_text, lower_priority

POLITE = 10.0  # seconds in which a driver that is asked to end does so
STOP = "stop"
QUEUE = "queue.json"
NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,59}", re.ASCII)
ASKED = "letters, digits, - and _, up to 60 of them, not beginning with -"
BESIDE = ("-wal", "-shm", "-journal", ".lock")
"""What SQLite, and whoever runs a study, keep beside a store."""
MOST = 8  # answers on a shelf
CLONE = Path(__file__).parents[3]
"""The clone of the repository, if genoku runs from one."""
CLAIMS, PAGE = "claims.json", "index.html"


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


# Processes that work for long


class StopAskedError(Exception):
    """Somebody wants a process to end where it is."""


class Background:
    """A process that works for long and tells how far it is, as the server knows it."""

    def __init__(
        self, name: str, target: Target, *arguments: Any, over: Callable[[Background], None]
    ) -> None:
        self.name = name
        self.progress: dict[str, Any] = {}
        self.said = ""
        """Why it ended before its time; empty if it did not."""
        self.stopping = False
        self.ended = asyncio.Event()
        self._finished = False
        self._over = over
        self._process = Actor(
            work,
            target,
            *arguments,
            name=name,
            loop=asyncio.get_running_loop(),
            on_message=self._hear,
            on_end=self._end,
        )

    async def stop(self, patience: float = POLITE) -> None:
        """Ask it to end, and make it end if it does not."""
        if not self.stopping:
            self.stopping = True
            self._process.send(STOP)
        try:
            await asyncio.wait_for(self.ended.wait(), patience)
        except TimeoutError:
            self._process.kill()
            await self.ended.wait()

    def _hear(self, message: dict[str, Any] | str) -> None:
        """It says what has changed, and at its end why that came early."""
        if isinstance(message, str):
            self.said, self._finished = message, True
        else:
            self.progress = {**self.progress, **message}

    def _end(self) -> None:
        if not self._finished:
            died = f"its process died ({exit_text(self._process.exit_code)})"
            how = "it was stopped" if self.stopping else died
            self.said = f"{how}; the runs so far are kept, go on with it"
        self._over(self)
        self.ended.set()


def work(server: Connection, target: Target, *arguments: Any) -> None:
    """What such a process does."""
    lower_priority()
    said = ""
    try:
        target(server, *arguments)
    except StopAskedError:
        pass
    except Exception as error:  # whatever it is, a person should read it
        said = error_text(error)
    server.send(said)


# Who runs them


class Standing(NamedTuple):
    """What a server knows of a study without looking into its store."""

    phase: Literal["running", "waiting", "stopping", ""]
    progress: dict[str, Any]
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
        self._running: dict[str, Background] = {}
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
            return Standing("waiting", {}, "")
        return Standing("", {}, self._said.get(name, ""))

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
                asked = str(files.toml), str(files.db), self.jobs
                self._running[name] = Background(name, drive, *asked, over=self._over)
            except (GenokuError, OSError) as error:
                self._said[name] = str(error)
        self._keep()

    def _keep(self) -> None:
        """Write down who runs and who waits; nobody does once the server has closed."""
        from genoku.formats import replacing

        names = [] if self._closed else [*self._running, *self._waiting]
        with suppress(FormatError), replacing(self.folder / QUEUE) as file:  # a disk may be full
            json.dump(names, file)

    def _over(self, driver: Background) -> None:
        self._running.pop(driver.name, None)
        if driver.said:
            self._said[driver.name] = driver.said
        self._begin()


def drive(server: Connection, toml: str, db: str, jobs: int) -> None:
    """What a driver does: the runs that a store does not have yet, told as they come."""
    from genoku.lab.runner import Progress, Shard, process_crew, run_study
    from genoku.lab.store import Store
    from genoku.lab.studyfile import read_study

    def tell(now: Progress) -> None:
        if server.poll():
            raise StopAskedError
        told = now._asdict()
        told.pop("silent")
        server.send(told)

    study, shard, file = None, None, Path(toml)
    if StudyFiles(file.stem, file, Path(db)).is_begun:
        with Store.open(db) as store:
            study, noted = store.study, store.noted("shard")
            shard = Shard.parse(noted) if noted else None
    if study is None or file.exists():  # which may have grown since
        study = read_study(file)
    # In processes of its own even if it is one: the driver is there to be talked to.
    with process_crew(jobs) as crew:
        options: dict[str, Any] = {"jobs": jobs, "executor": crew.executor, "shard": shard}
        run_study(study, db, **options, folder=str(Path.cwd()), progress=tell, warn=lambda _: None)


# Reproductions of reports: one at a time


def is_in_clone() -> bool:
    """Whether reproductions can be made here."""
    return (CLONE / "reproductions" / "__main__.py").is_file()


def command_of(number: str) -> str:
    """What makes the full reproduction of a report, in a clone."""
    return f"python3 run.py reproduce {number}"


def place_of(folder: Path, number: str) -> Path:
    """Where the runs and the page of a report's reproduction are kept."""
    return folder / "reproductions" / number


@dataclass(frozen=True)
class Work:
    """How far the reproduction is that is being made, or why the last one ended without a page."""

    number: str = ""
    phase: Literal["", "starting", "running", "writing"] = ""
    study: str = ""
    done: int = 0
    planned: int = 0
    left: float | None = None
    said: str = ""


class Reproducing:
    """The reproduction that a server is at, if it is at one."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._made: Background | None = None

    @property
    def work(self) -> Work:
        made = self._made
        if made is None:
            return Work()
        said = within(made.said, place_of(self.folder, made.name))
        over = {"phase": ""} if made.ended.is_set() else {}
        work = Work(made.name, "starting", said=said)
        return replace(work, **{**made.progress, **over})

    def start(self, number: str, seeds: int | None) -> None:
        """Begin, or go on, with a report; refused while another one is at work."""
        if not is_in_clone():
            raise ConflictError(f"reproductions run in a clone of genoku: {command_of(number)}")
        if self.work.phase:
            raise ConflictError(f"the reproduction of report {self.work.number} is still at work")
        place = str(place_of(self.folder, number))
        self._made = Background(number, remake, number, seeds, place, over=lambda _: None)

    async def stop(self) -> None:
        """End it where it is; its runs are kept."""
        if self._made is not None and not self._made.ended.is_set():
            await self._made.stop(0.0)


def remake(server: Connection, number: str, seeds: int | None, place: str) -> None:
    """All runs that are missing, then the page.

    The reproductions beside `src` are no part of the package: they are imported from there.
    """
    sys.path.insert(0, str(CLONE))
    reproductions = import_module("reproductions")
    scale = reproductions.Scale(quick=True, seeds=seeds)
    sizes = {name: len(study) for name, study in reproductions.studies_of(number, scale).items()}
    folder, before = Path(place), list[int]()

    @contextmanager
    def shown(study: Any, path: Path) -> Iterator[Callable[[Any], None]]:
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

    # Runs of other numbers of seeds are other studies, and have stores of their own.
    runs = folder / (f"seeds-{seeds}" if seeds else "quick")
    found = reproductions.reproduce(number, scale, runs, jobs=max(1, cores() - 1), shown=shown)
    server.send({"phase": "writing"})
    found.page.write_html(folder / PAGE)
    reproductions.write_claims(found, folder / CLAIMS)
