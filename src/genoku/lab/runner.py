"""Run what a study plans and its store does not have yet, wherever there are workers.

Workers are this process, processes of its own, or a Dask cluster: each is an executor, and what a
worker dies of is an exception of the work it was at. They make runs from plain data to plain data
(`perform`). The driver is the only one who writes. Runs go out in batches, so many as take a moment
together, and whatever comes back is kept at once: a crash costs what was on its way, and nothing
else.
"""

from __future__ import annotations

import logging
import math
import re
import signal
import sys
import threading
import time
import warnings
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import compress, tee
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple

from genoku.board import Puzzle
from genoku.engine.result import Result
from genoku.engine.run import load_kernels_of, run
from genoku.errors import GenokuError, StudyError, require
from genoku.failures import is_interrupt, own_parts
from genoku.geometry import Geometry
from genoku.lab.store import (
    Failure,
    Outcome,
    Row,
    Store,
    locked,
    note_sources,
    sources_of,
    this_process,
)
from genoku.lab.study import MOST_RUNS, Arm, Planned, Study, at
from genoku.recipe import Trust
from genoku.state import Algorithm
from genoku.stopping import Stop
from genoku.stream import permutation, stream
from genoku.workers import (
    Pool,
    WorkerDiedError,
    exit_text,
    interrupts_kept_from_children,
    undisturbed,
)

LONGEST = 500  # letters of what is said of a failure


def load() -> None:
    """Nothing more: a worker that has imported this module is ready."""


def perform(
    study_text: str, runs: Sequence[Planned], folder: str = "", trust: Trust = False
) -> list[Outcome]:
    """Make some runs of a study; modules whose parts are trusted may lie in `folder`."""
    if trust and folder and folder not in sys.path and Path(folder).is_dir():
        sys.path.append(folder)
    study = _study(study_text, trust)
    study.refuse_another_version()
    keys = study.keys(runs)
    return [
        _outcome(study, Planned(*planned), key) for planned, key in zip(runs, keys, strict=True)
    ]


def _outcome(study: Study, planned: Planned, key: bytes) -> Outcome:
    """One run; what a part of the user's own does wrong ends this one only."""
    arm, puzzle = study.arms[planned.arm], study.instances[planned.instance].puzzle
    try:
        result = _result(study, arm, puzzle, planned.seed)
        if result.stop_reason is Stop.INTERRUPTED:
            raise KeyboardInterrupt
    except KeyboardInterrupt:
        if not _is_deaf():
            raise
        return Failure(key, *planned, f"{parts_named(arm)} raised KeyboardInterrupt")
    except Exception as error:  # whatever it is, the other runs go on
        if is_interrupt(error):
            raise KeyboardInterrupt from None
        ended = error.__cause__ or error.__context__
        if isinstance(error, SystemError) and isinstance(ended, SystemExit):
            raise ended from None  # a kernel's dispatcher makes a SystemError of it
        return Failure(key, *planned, _words_of(error))
    for name, value in (("loss", result.loss), ("score", result.score)):
        if not math.isfinite(value):  # which no arithmetic over runs survives
            message = f"{parts_named(arm)}: expected a {name} that is finite, got {value}"
            return Failure(key, *planned, message)
    return Row.of(key, planned, result)


def _words_of(error: Exception) -> str:
    """One error in words that can be kept and shown, whatever it says of itself."""
    kind = "" if type(error).__module__.startswith("genoku") else f"{type(error).__name__}: "
    try:
        said = f"{kind}{error}"
    except Exception:  # not even that
        said = f"{kind}it has no words"
    said = said if len(said) <= LONGEST else f"{said[:LONGEST]}…"
    return " ".join(said.encode("utf-8", "replace").decode().split())


def parts_named(arm: Arm) -> str:
    """The parts of the user's own that may have failed; an arm without any by its name."""
    return " or ".join(map(str, dict.fromkeys(own_parts(arm.recipe)))) or arm.name


def _is_deaf() -> bool:
    """Whether Ctrl-C does not reach this process, so that an interrupt is somebody's own."""
    is_main = threading.current_thread() is threading.main_thread()
    return not is_main or signal.getsignal(signal.SIGINT) is signal.SIG_IGN


def _result(study: Study, arm: Arm, puzzle: Puzzle, seed: int) -> Result:
    return run(
        puzzle,
        _ready(arm, puzzle.geometry),
        seed=seed,
        until=arm.until,
        record=study.record,
        allow_conflicts=True,  # the study has seen to it
    )


@lru_cache(maxsize=4)
def _study(text: str, trust: Trust) -> Study:
    return Study.of_text(text, trust)


def _ready(arm: Arm, geometry: Geometry) -> Algorithm:
    """An arm's algorithm, with its kernels loaded for boards of a size.

    Parts of the user's own may keep something from call to call: every run gets new ones, so that
    it does not matter what else was run in this process.
    """
    return arm.algorithm() if own_parts(arm.recipe) else _loaded(arm, geometry)


@lru_cache(maxsize=1024)
def _loaded(arm: Arm, geometry: Geometry) -> Algorithm:
    algorithm = arm.algorithm()
    load_kernels_of(algorithm, geometry)
    return algorithm


BATCH_SECONDS = 0.5  # that a batch of short runs takes
MOST_TOGETHER = 1000  # of a batch
DEATHS = 3  # of its worker, that a run alone is allowed
KILLS = 10  # the same, where somebody else may have killed it


class Pace:
    """How long the runs of each arm take, as far as is known, and how many are left."""

    def __init__(self, arms: int) -> None:
        self._left, self._known = [0] * arms, [0] * arms
        self._seconds = [0.0] * arms

    def expect(self, arm: int) -> None:
        """One more run is to be made."""
        self._left[arm] += 1

    def note(self, outcomes: Iterable[Outcome]) -> None:
        for outcome in outcomes:
            self._left[outcome.arm] -= 1
            if isinstance(outcome, Row):
                self._known[outcome.arm] += 1
                self._seconds[outcome.arm] += outcome.seconds

    def known(self, arm: int) -> int:
        """How many runs of an arm its mean stands on."""
        return self._known[arm]

    def mean(self, arm: int) -> float:
        """Seconds that a run of an arm takes; a batch's where nothing is known."""
        return self._seconds[arm] / self._known[arm] if self._known[arm] else BATCH_SECONDS

    @property
    def runs_left(self) -> int:
        return sum(self._left)

    def seconds_left(self, workers: int) -> float | None:
        """Seconds to go: what is left, if all workers are at it and runs take as long as before."""
        if not sum(self._known) or not workers:
            return None
        usual = sum(self._seconds) / sum(self._known)
        work = sum(
            left * (self.mean(arm) if self._known[arm] else usual)
            for arm, left in enumerate(self._left)
        )
        return work / workers


@dataclass(frozen=True)
class Batch:
    """Runs that go out together, and how often a single one has already cost its worker."""

    runs: list[Planned] = field(hash=False)
    deaths: int = 0
    kills: int = 0

    @property
    def is_at_last(self) -> bool:
        """Whether it is the last try."""
        return self.deaths >= DEATHS - 1 or self.kills >= KILLS - 1


class Queue:
    """Runs to be made, the suspects first.

    A worker that dies leaves a batch of suspects, which is halved until the guilty run is alone.
    The last try of a run is made while no other runs, so that no neighbour can be to blame.
    """

    def __init__(self, fresh: Iterator[Planned], pace: Pace) -> None:
        self._fresh, self._pace = fresh, pace
        self._suspects: deque[Batch] = deque()
        self._next = next(fresh, None)
        self._deadly: set[int] = set()
        self._last: Batch | None = None

    def next(self, others_fly: bool) -> Batch | None:
        """What goes out next; nothing if that is all, or it must wait for others."""
        if self._last is not None:
            return None
        if self._suspects:
            if self._suspects[0].is_at_last:
                if others_fly:
                    return None
                self._last = self._suspects[0]
            return self._suspects.popleft()
        return self._filled() if self._next is not None else None

    def landed(self, batch: Batch) -> None:
        """A batch is no longer under way."""
        if batch is self._last:
            self._last = None

    def blame(self, batch: Batch, error: BaseException, deaths: int = 1) -> str:
        """Try again what a worker died over, in smaller parts; why not, if it was enough.

        The error may stand for several deaths.
        """
        if len(batch.runs) > 1:
            middle = len(batch.runs) // 2
            self._suspects += [Batch(batch.runs[:middle]), Batch(batch.runs[middle:])]
            return ""
        killed = isinstance(error, WorkerDiedError) and error.is_killed
        again = replace(
            batch,
            deaths=batch.deaths + (0 if killed else deaths),
            kills=batch.kills + (deaths if killed else 0),
        )
        if again.deaths >= DEATHS or again.kills >= KILLS:
            self._deadly.add(batch.runs[0].arm)
            hint = ": is memory short?" if killed else ""
            last = (
                exit_text(error.exit_code) if isinstance(error, WorkerDiedError) else "on a cluster"
            )
            return f"its worker died every time ({last}){hint}"
        self._suspects.append(again)
        return ""

    def _filled(self) -> Batch:
        """So many runs as take a moment; those of an arm not more than its mean stands on."""
        batch: list[Planned] = []
        counts: Counter[int] = Counter()
        seconds = 0.0
        while self._next is not None and len(batch) < MOST_TOGETHER and seconds < BATCH_SECONDS:
            arm = self._next.arm
            mean = self._pace.mean(arm)
            is_alone = arm in self._deadly or mean >= BATCH_SECONDS
            if batch and (is_alone or counts[arm] >= self._pace.known(arm)):
                break
            batch.append(self._next)
            counts[arm] += 1
            seconds += mean
            self._next = next(self._fresh, None)
            if is_alone:
                break
        return Batch(batch)


ADDRESS = re.compile(r"(tcp|tls|ucx|wss?)://[^\s/]+:\d+")
REACH = 8  # seconds in which a scheduler must answer
ASK_EVERY = 2.0  # seconds after which workers may have come or gone


@dataclass(frozen=True)
class Crew:
    """Workers, and what is known of them."""

    executor: Executor
    size: Callable[[], int]
    """How many there are now."""
    waiting: int
    """Batches per worker that are on their way, so that none is ever idle."""
    died: tuple[type[BaseException], ...] = (BrokenExecutor,)
    """What says that a worker died over its work."""
    deaths: int = 1
    """How many deaths that stands for: Dask has tried several workers before it says so."""
    lasts: bool = True
    """Whether the executor goes on when a worker dies."""
    place: str = ""
    """Where they are, in errors."""


class Here(Executor):
    """Does at once, in this process, what it is given."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


@contextmanager
def crew_of(jobs: int, executor: Executor | None = None, dask: str | None = None) -> Iterator[Crew]:
    """The workers that were asked for, as long as this lasts; with one job, this process."""
    if executor is not None:
        size = getattr(executor, "_max_workers", jobs)
        yield Crew(executor, lambda: max(1, size), 2, lasts=isinstance(executor, Pool))
    elif dask is not None:
        with dask_crew(dask, jobs) as crew:
            yield crew
    elif jobs > 1:
        with process_crew(jobs) as crew:
            yield crew
    else:
        yield Crew(Here(), lambda: 1, 1)


@contextmanager
def process_crew(jobs: int) -> Iterator[Crew]:
    """Processes of our own; after an error or Ctrl-C nobody waits for what they are at."""
    with Pool(jobs, initializer=load) as pool:
        yield Crew(pool, lambda: jobs, 2)


@contextmanager
def dask_crew(address: str, jobs: int) -> Iterator[Crew]:
    """The workers of a Dask scheduler, or with `local` so many processes of a cluster of its own.

    A worker that dies is Dask's to replace. What it was at is tried on others, and an error only
    after several of them.
    """
    client, stack = _client(address, jobs)
    from distributed.scheduler import KilledWorker

    try:
        executor = client.get_executor(pure=False)  # a second try is another task
        size, place = Threads(client, jobs), f"the Dask cluster at {address}"
        yield Crew(executor, size, 2, (KilledWorker,), deaths=DEATHS - 1, place=place)
    finally:
        with undisturbed():
            stack.close()


class Threads:
    """How many threads a cluster's workers have together, asked now and then.

    A cluster of our own gets back workers that Dask gave up, as it does with those that die before
    they have quite begun.
    """

    def __init__(self, client: Any, jobs: int) -> None:
        self.client, self.jobs = client, jobs
        self.asked, self.last = -ASK_EVERY, 1

    def __call__(self) -> int:
        now = time.monotonic()
        if now - self.asked >= ASK_EVERY:
            with suppress(Exception):  # a scheduler that has gone shows in the work
                self.last = sum(self.client.nthreads().values())
                if self.last < self.jobs and self.client.cluster is not None:
                    self.client.cluster.scale(self.jobs)
            self.asked = now
        return self.last


def check_address(address: str) -> None:
    """Refuse what can be no scheduler's address, before anything is begun."""
    if address != "local" and not ADDRESS.fullmatch(address):
        raise GenokuError(
            "expected the address of a Dask scheduler, such as tcp://localhost:8786, or local, "
            f"got {address!r}"
        )


def _client(address: str, jobs: int) -> tuple[Any, ExitStack]:
    """A client of a scheduler that answers, and what closes it."""
    check_address(address)
    distributed = _distributed()
    with ExitStack() as stack:
        _quieten()
        where: Any = address
        if address == "local":
            where = stack.enter_context(_local_cluster(distributed, jobs))
        try:
            client = distributed.Client(where, timeout=REACH, set_as_default=False)
        except (OSError, ValueError, TypeError, RuntimeError) as error:
            raise GenokuError(
                f"{address}: expected the address of a Dask scheduler, such as "
                f"tcp://localhost:8786, got no answer ({str(error).partition(chr(10))[0]})"
            ) from None
        stack.callback(_close, client)
        return client, stack.pop_all()


def _local_cluster(distributed: Any, jobs: int) -> Any:
    """Workers that are processes of this machine; what starts them lets Ctrl-C pass them by."""
    from dask.config import set as configure

    configure({"distributed.deploy.lost-worker-timeout": "5s"})
    with interrupts_kept_from_children():
        return distributed.LocalCluster(
            n_workers=jobs,
            threads_per_worker=1,
            processes=True,
            dashboard_address=":0",  # none that anybody would look at
            silence_logs=logging.CRITICAL,
        )


def _close(client: Any) -> None:
    """Say goodbye; a scheduler that is no longer there need not hear it."""
    with suppress(Exception):
        client.close(timeout=REACH)


def _quieten() -> None:
    """What Dask logs of workers that come and go, also on its way out, is told by us or no news."""
    warnings.filterwarnings("ignore", module="distributed")
    for name in list(logging.root.manager.loggerDict):
        if name.partition(".")[0] in ("distributed", "tornado", "asyncio"):
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)


def _distributed() -> Any:
    require("cluster", "--dask needs Dask distributed", "distributed")
    import distributed

    return distributed


GLANCE = 0.5  # seconds after which progress is told even if nothing came
SILENCE = 60.0  # seconds without news after which it is told what is under way


class Shard(NamedTuple):
    """One of `of` parts of a study, counted from 1, with about as much of every arm as another."""

    part: int
    of: int

    @classmethod
    def parse(cls, text: str) -> Shard:
        """A shard as text: 2/10."""
        part, _, of = text.partition("/")
        is_short = max(len(part), len(of)) <= len(str(MOST_RUNS))
        is_whole = is_short and part.isdecimal() and of.isdecimal()
        if not (is_whole and 1 <= int(part) <= int(of) <= MOST_RUNS):
            raise StudyError(
                f"expected a shard from 1/n to n/n such as 2/10, n up to {MOST_RUNS:,}, "
                f"got {text[:40]!r}"
            )
        return cls(int(part), int(of))

    def __str__(self) -> str:
        return f"{self.part}/{self.of}"

    def runs(self, study: Study) -> Iterator[Planned]:
        """Its runs in their order: drawn, since every n-th might be of one arm."""
        if self == WHOLE:
            return study.runs()
        places = permutation(stream(0, "shards"), len(study))
        return compress(study.runs(), places % self.of == self.part - 1)

    def count(self, study: Study) -> int:
        return len(range(self.part - 1, len(study), self.of))


WHOLE = Shard(1, 1)


class UnderWay(NamedTuple):
    """Runs that a worker is at, one after the other."""

    runs: Sequence[Planned]
    seconds: float
    """Since it began, as far as was seen."""


class Progress(NamedTuple):
    """Where a study stands."""

    planned: int
    done: int
    solved: int
    failed: int
    """Since the driver began."""
    seconds: float
    left: float | None
    """Seconds to go, as far as can be told."""
    workers: int
    silent: tuple[UnderWay, ...] = ()
    """What is under way, if nothing has come back for long."""


Watcher = Callable[[Progress], object]


def run_study(
    study: Study,
    path: str | Path,
    *,
    jobs: int = 1,
    shard: Shard | None = None,
    executor: Executor | None = None,
    dask: str | None = None,
    folder: str = "",
    progress: Watcher | None = None,
    warn: Callable[[str], object] = warnings.warn,
) -> Progress:
    """Make all runs of a study, or of a shard of it, that are not in its store yet.

    They are made by `jobs` processes (one is this process), by the workers of an `executor`, or by
    those of a Dask scheduler: `dask` is its address, or `local`. Results do not depend on it.
    Workers find modules with parts of the user's own in `folder`; a study that was read from a file
    names such parts only if it was trusted then. A run that fails is kept with its reason and tried
    again next time. `warn` hears of a module that has changed since.
    """
    path, part = Path(path), shard or WHOLE
    with at(str(path)):
        study.refuse_untrusted()
    if dask is not None:
        check_address(dask)
    with locked(path), Store.create(path, study) as store:
        store.note("driver", this_process())
        store.note("shard", "" if part == WHOLE else str(part))
        for changed in note_sources(store, sources_of(study, folder)):
            warn(changed)
        driver = Driver(store, part, folder, progress)
        if driver.has_work:
            with crew_of(jobs, executor, dask) as crew:
                driver.run(crew)
        return driver.progress()


class Driver:
    """Hands out batches and keeps what comes back."""

    def __init__(self, store: Store, part: Shard, folder: str, watch: Watcher | None) -> None:
        self.store, self.study, self.folder = store, store.study, folder
        self.watch = watch
        self.text, self.trust = self.study.text(), self.study.trust
        verdicts = store.verdicts()
        self.planned = part.count(self.study)
        self.pace = Pace(len(self.study.arms))
        self.solved = 0
        for planned, key in self._keyed(part):
            if key in verdicts:
                self.solved += verdicts[key]
            else:
                self.pace.expect(planned.arm)
        self.done = self.planned - self.pace.runs_left
        fresh = (planned for planned, key in self._keyed(part) if key not in verdicts)
        self.queue = Queue(fresh, self.pace)
        self.landed: SimpleQueue[Future[list[Outcome]]] = SimpleQueue()
        self.failed = 0
        self.began = self.heard = time.monotonic()
        self.workers = 0
        self.flying: dict[Future[list[Outcome]], Batch] = {}
        self.since: dict[Future[list[Outcome]], float] = {}

    def _keyed(self, part: Shard) -> Iterator[tuple[Planned, bytes]]:
        runs, again = tee(part.runs(self.study))
        return zip(runs, self.study.keys(again), strict=True)

    @property
    def has_work(self) -> bool:
        return self.pace.runs_left > 0

    def run(self, crew: Crew) -> None:
        flying = self.flying
        try:
            while True:
                self.workers = crew.size()
                while len(flying) < crew.waiting * max(1, self.workers):
                    batch = self.queue.next(bool(flying))
                    if batch is None:
                        break
                    flying[self._submitted(crew, batch)] = batch
                if not flying:
                    return
                self._tell()
                finished = self._finished()
                self._see_who_began(finished)
                self._keep(self._outcomes(crew, {each: flying[each] for each in finished}))
                for each in finished:
                    self.queue.landed(flying.pop(each))
                    self.since.pop(each, None)
        except BaseException:
            with undisturbed(), suppress(GenokuError):
                self._keep([outcome for each in flying for outcome in _came(each)])
            raise
        finally:
            self._tell()

    def _submitted(self, crew: Crew, batch: Batch) -> Future[list[Outcome]]:
        try:
            future = crew.executor.submit(perform, self.text, batch.runs, self.folder, self.trust)
        except (RuntimeError, OSError) as error:
            raise GenokuError(f"{crew.place or 'the workers'}: no longer there ({error})") from None
        future.add_done_callback(self.landed.put)
        return future

    def _finished(self) -> list[Future[list[Outcome]]]:
        """What has landed, waiting a moment for it.

        Through a queue: `concurrent.futures.wait` holds locks of all futures for a while, and
        Ctrl-C in that while would leave them to nobody.
        """
        finished: list[Future[list[Outcome]]] = []
        with suppress(Empty):
            finished.append(self.landed.get(timeout=GLANCE))
            while True:
                finished.append(self.landed.get_nowait())
        return finished

    def _see_who_began(self, finished: list[Future[list[Outcome]]]) -> None:
        """Note when work began: not all that is handed out has a worker yet."""
        now = time.monotonic()
        if finished:
            self.heard = now
        for future in self.flying:
            if future.running():
                self.since.setdefault(future, now)

    def _outcomes(self, crew: Crew, finished: dict[Future[list[Outcome]], Batch]) -> list[Outcome]:
        """What came back; what died over its work goes to the queue again, or is a failure."""
        outcomes: list[Outcome] = []
        for future, batch in finished.items():
            if future.cancelled():
                raise GenokuError(f"{crew.place or 'the workers'}: no longer there")
            error = future.exception()
            if error is None:
                outcomes += future.result()
            elif isinstance(error, crew.died) and crew.lasts:
                message = self.queue.blame(batch, error, crew.deaths)
                if message:
                    (planned,) = batch.runs
                    arm = self.study.arms[planned.arm]
                    if own_parts(arm.recipe):
                        message = f"{parts_named(arm)}: {message}"
                    outcomes.append(Failure(self.study.key(planned), *planned, message))
            else:
                raise _in_words(error, crew)
        return outcomes

    def _keep(self, outcomes: list[Outcome]) -> None:
        if not outcomes:
            return
        self.store.add(outcomes)
        self.done += sum(isinstance(each, Row) for each in outcomes)
        self.failed += sum(isinstance(each, Failure) for each in outcomes)
        self.solved += sum(isinstance(each, Row) and each.solved for each in outcomes)
        self.pace.note(outcomes)

    def _tell(self) -> None:
        if self.watch is not None:
            self.watch(self.progress())

    def progress(self) -> Progress:
        seconds = time.monotonic() - self.began
        left = self.pace.seconds_left(self.workers)
        done = self.planned, self.done, self.solved, self.failed
        return Progress(*done, seconds, left, self.workers, self._silent())

    def _silent(self) -> tuple[UnderWay, ...]:
        """What is under way; all that is handed out where workers do not say what they are at."""
        now = time.monotonic()
        if now - self.heard < SILENCE:
            return ()
        begun = {future: self.since.get(future, self.heard) for future in self.since or self.flying}
        return tuple(
            UnderWay(self.flying[future].runs, now - since) for future, since in begun.items()
        )


def _came(future: Future[list[Outcome]]) -> list[Outcome]:
    """What came back, if it did."""
    if future.done() and not future.cancelled() and future.exception() is None:
        return future.result()
    return []


def _in_words(error: BaseException, crew: Crew) -> BaseException:
    """What ends a study: it cannot be run by these workers at all."""
    if isinstance(error, StudyError) and crew.place:
        return StudyError(f"{crew.place}, a worker has another genoku: {error}")
    if isinstance(error, GenokuError | KeyboardInterrupt | SystemExit):
        return error
    said = f"{type(error).__name__}: {' '.join(str(error).split())}"[:300]
    return GenokuError(f"{crew.place or 'the workers'}: runs cannot be made there ({said})")
