"""Make the runs of a study that its store lacks.

Workers are this process, child processes or a Dask cluster. Each kind is an executor; the death of
a worker is an exception of its task. Workers turn plain data into plain data (`make_runs`); only
the driver writes. Runs are sent in batches of about half a second, and results are stored as soon
as they arrive, so a crash loses only the batches in flight.
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
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from itertools import compress, tee
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple

from genoku.engine.run import run, warm_up
from genoku.errors import GenokuError, StudyError, require_extra
from genoku.evolve.recipe import Trust
from genoku.evolve.state import Algorithm
from genoku.evolve.stopping import Stop, time_left
from genoku.evolve.user.errors import user_parts
from genoku.lab.store import (
    Failure,
    Row,
    RunOutcome,
    Store,
    hash_sources,
    lock,
    process_id,
    update_sources,
)
from genoku.lab.study import MOST_RUNS, Arm, PlannedRun, Study, at
from genoku.puzzle.geometry import Geometry
from genoku.runtime.random import permutation, stream
from genoku.runtime.signals import is_interrupt
from genoku.runtime.workers import (
    WorkerDiedError,
    WorkerPool,
    block_interrupts,
    error_text,
    exit_text,
    ignore_signals,
)

MAX_MESSAGE = 500  # characters of a failure's message


def load() -> None:
    """Do nothing: importing this module makes a worker ready."""


def make_runs(
    study_text: str, runs: Sequence[PlannedRun], folder: str = "", trust: Trust = False
) -> list[RunOutcome]:
    """Make some runs of a study; trusted modules are also looked for in `folder`."""
    if trust and folder and folder not in sys.path and Path(folder).is_dir():
        sys.path.append(folder)
    study = _read_study(study_text, trust)
    study.refuse_other_results()
    keys = study.keys(runs)
    return [
        _make_run(study, PlannedRun(*planned), key) for planned, key in zip(runs, keys, strict=True)
    ]


_read_study = lru_cache(maxsize=4)(Study.of_text)


def _make_run(study: Study, planned: PlannedRun, key: bytes) -> RunOutcome:
    """Make one run; an error in users' own code fails only this run."""
    arm, puzzle = study.arms[planned.arm], study.instances[planned.instance].puzzle
    try:
        # Users' own parts may keep state between calls, so every run builds new ones.
        algorithm = (
            arm.algorithm() if user_parts(arm.recipe) else _load_algorithm(arm, puzzle.geometry)
        )
        result = run(
            puzzle,
            algorithm,
            seed=planned.seed,
            until=arm.until,
            record=study.record,
            allow_conflicts=True,  # checked by the study
        )
        if result.stop_reason is Stop.INTERRUPTED:
            raise KeyboardInterrupt
    except KeyboardInterrupt:
        # where Ctrl-C does not reach this thread, users' own code raised the interrupt
        is_main = threading.current_thread() is threading.main_thread()
        if is_main and signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
            raise
        return Failure(key, *planned, f"{suspect_parts(arm)} raised KeyboardInterrupt")
    except Exception as error:  # the other runs continue
        if is_interrupt(error):
            raise KeyboardInterrupt from None
        ended = error.__cause__ or error.__context__
        if isinstance(error, SystemError) and isinstance(ended, SystemExit):
            raise ended from None  # a kernel's dispatcher wraps it in a SystemError
        return Failure(key, *planned, _error_line(error))
    for name, value in (("loss", result.loss), ("score", result.score)):
        if not math.isfinite(value):  # else the statistics would not be finite
            message = f"{suspect_parts(arm)}: expected a finite {name}, got {value}"
            return Failure(key, *planned, message)
    return Row.of(key, planned, result)


@lru_cache(maxsize=1024)
def _load_algorithm(arm: Arm, geometry: Geometry) -> Algorithm:
    algorithm = arm.algorithm()
    warm_up(algorithm, geometry)
    return algorithm


def _error_line(error: Exception) -> str:
    """Format an error as one line of limited length, even if its `__str__` fails."""
    kind = "" if type(error).__module__.startswith("genoku") else f"{type(error).__name__}: "
    try:
        text = f"{kind}{error}"
    except Exception:
        text = f"{kind}(no message)"
    text = text if len(text) <= MAX_MESSAGE else f"{text[:MAX_MESSAGE]}…"
    return " ".join(text.encode("utf-8", "replace").decode().split())


def suspect_parts(arm: Arm) -> str:
    """Name the users' own parts that may have failed, or the arm if it has none."""
    return " or ".join(map(str, dict.fromkeys(user_parts(arm.recipe)))) or arm.name


BATCH_SECONDS = 0.5  # target time of a batch of short runs
MAX_BATCH = 1000  # runs of a batch
MAX_DEATHS = 3  # of workers with a single run, after which the run has failed
MAX_KILLS = 10  # the same for deaths that a person or the system may have caused


class RunTimes:
    """Runs left, runs made, and their seconds, by arm."""

    def __init__(self) -> None:
        self.left: Counter[int] = Counter()
        self.made: Counter[int] = Counter()
        self.seconds: dict[int, float] = defaultdict(float)

    def add(self, outcomes: Iterable[RunOutcome]) -> None:
        for outcome in outcomes:
            self.left[outcome.arm] -= 1
            if isinstance(outcome, Row):
                self.made[outcome.arm] += 1
                self.seconds[outcome.arm] += outcome.seconds

    def mean(self, arm: int) -> float:
        """Mean seconds of a run of an arm; those of a batch before the first run."""
        return self.seconds[arm] / self.made[arm] if self.made[arm] else BATCH_SECONDS

    def seconds_left(self, workers: int) -> float | None:
        """Estimate the time left with all workers busy; arms without a run count as the others."""
        made, seconds = self.made.total(), sum(self.seconds.values())
        if not made or not workers:
            return None
        times = (
            time_left(left, own, self.seconds[arm]) if own else time_left(left, made, seconds)
            for arm, left in self.left.items()
            for own in [self.made[arm]]
        )
        return sum(times) / workers


class Batch(NamedTuple):
    """Runs sent together; `deaths` and `kills` count dead workers of a batch of one run."""

    runs: list[PlannedRun]
    deaths: int = 0
    kills: int = 0

    def is_spent(self, more: int = 0) -> bool:
        """Whether it has no tries left, or would have none after `more` deaths."""
        return self.deaths + more >= MAX_DEATHS or self.kills + more >= MAX_KILLS


class BatchQueue:
    """Runs to be made, those of dead workers first.

    The batch of a dead worker is halved until the run that kills workers is alone. The last try of
    a run is made while no other run is in flight, so that no other run can be the cause.
    """

    def __init__(self, fresh: Iterator[PlannedRun], times: RunTimes) -> None:
        self._fresh, self._times = fresh, times
        self._suspects: deque[Batch] = deque()
        self._next = next(fresh, None)
        self._deadly: set[int] = set()
        self._last: Batch | None = None

    def next(self, others_in_flight: bool) -> Batch | None:
        """Return the next batch; None if there is none, or if it must wait for others."""
        if self._last is not None:
            return None
        if self._suspects:
            if self._suspects[0].is_spent(1):  # its last try
                if others_in_flight:
                    return None
                self._last = self._suspects[0]
            return self._suspects.popleft()
        return self._fill_batch() if self._next is not None else None

    def finish(self, batch: Batch) -> None:
        """Note that a batch is no longer in flight."""
        if batch is self._last:
            self._last = None

    def blame(self, batch: Batch, error: BaseException, deaths: int = 1) -> str:
        """Queue a dead worker's runs again, in halves; return a message if they have failed.

        The error may stand for several deaths.
        """
        if len(batch.runs) > 1:
            middle = len(batch.runs) // 2
            self._suspects += [Batch(batch.runs[:middle]), Batch(batch.runs[middle:])]
            return ""
        died = error if isinstance(error, WorkerDiedError) else None
        if died is not None and died.is_killed:
            again, hint = batch._replace(kills=batch.kills + deaths), "; it may be out of memory"
        else:
            again, hint = batch._replace(deaths=batch.deaths + deaths), ""
        if not again.is_spent():
            self._suspects.append(again)
            return ""
        self._deadly.add(batch.runs[0].arm)
        last = "on a cluster" if died is None else exit_text(died.exit_code)
        return f"its worker died every time ({last}){hint}"

    def _fill_batch(self) -> Batch:
        """Take runs for about `BATCH_SECONDS`; of an arm, no more than were made already."""
        batch: list[PlannedRun] = []
        counts: Counter[int] = Counter()
        seconds = 0.0
        while self._next is not None and len(batch) < MAX_BATCH and seconds < BATCH_SECONDS:
            arm = self._next.arm
            mean = self._times.mean(arm)
            is_alone = arm in self._deadly or mean >= BATCH_SECONDS
            if batch and (is_alone or counts[arm] >= self._times.made[arm]):
                break
            batch.append(self._next)
            counts[arm] += 1
            seconds += mean
            self._next = next(self._fresh, None)
            if is_alone:
                break
        return Batch(batch)


ADDRESS = re.compile(r"(tcp|tls|ucx|wss?)://[^\s/]+:\d+")
CONNECT_SECONDS = 8  # in which a scheduler must answer
COUNT_SECONDS = 2.0  # between updates of the number of workers


@dataclass(frozen=True)
class WorkerGroup:
    """An executor for batches, and its properties."""

    executor: Executor
    size: Callable[[], int]  # the current number of workers
    waiting: int  # batches in flight per worker, so that none is idle
    died: tuple[type[BaseException], ...] = (BrokenExecutor,)  # errors of a dead worker
    deaths: int = 1  # that such an error stands for: Dask tries several workers first
    survives_deaths: bool = True
    place: str = "the workers"  # in errors


class InlineExecutor(Executor):
    """Makes every call immediately, in this process."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


def open_workers(
    jobs: int, executor: Executor | None, dask: str | None
) -> AbstractContextManager[WorkerGroup]:
    """Open the requested workers; with one job, this process."""
    if executor is not None:
        size = max(1, getattr(executor, "_max_workers", jobs))
        survives = isinstance(executor, WorkerPool)
        return nullcontext(WorkerGroup(executor, lambda: size, 2, survives_deaths=survives))
    if dask is not None:
        return dask_workers(dask, jobs)
    if jobs > 1:
        return process_workers(jobs)
    return nullcontext(WorkerGroup(InlineExecutor(), lambda: 1, 1))


@contextmanager
def process_workers(jobs: int) -> Iterator[WorkerGroup]:
    """Start child processes; after an error or Ctrl-C their work is abandoned."""
    with WorkerPool(jobs, initializer=load) as pool:
        yield WorkerGroup(pool, lambda: jobs, 2)


@contextmanager
def dask_workers(address: str, jobs: int) -> Iterator[WorkerGroup]:
    """Connect to a Dask scheduler, or with `local` start a cluster of `jobs` processes.

    Dask replaces a worker that dies and tries its task on several others before it raises.
    """
    check_address(address)
    require_extra("cluster", "--dask requires Dask distributed", "distributed")
    distributed: Any = import_module("distributed")
    _silence_dask()
    stack = ExitStack()
    try:
        where: Any = address
        if address == "local":
            where = stack.enter_context(_local_cluster(distributed, jobs))
        try:
            client = distributed.Client(where, timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, ValueError, TypeError, RuntimeError) as error:
            raise GenokuError(
                f"{address}: expected the address of a Dask scheduler, such as "
                f"tcp://localhost:8786, but it did not answer ({str(error).partition(chr(10))[0]})"
            ) from None
        stack.callback(_close, client)
        executor = client.get_executor(pure=False)  # a second try is another task
        size, place = ThreadCount(client, jobs), f"the Dask cluster at {address}"
        yield WorkerGroup(
            executor, size, 2, (distributed.KilledWorker,), deaths=MAX_DEATHS - 1, place=place
        )
    finally:
        with ignore_signals():
            stack.close()


class ThreadCount:
    """Counts the threads of all workers of a cluster, every `COUNT_SECONDS` seconds.

    A local cluster is scaled up again, because Dask abandons workers that die while they start.
    """

    def __init__(self, client: Any, jobs: int) -> None:
        self.client, self.jobs = client, jobs
        self.counted, self.last = -COUNT_SECONDS, 1

    def __call__(self) -> int:
        now = time.monotonic()
        if now - self.counted >= COUNT_SECONDS:
            with suppress(Exception):  # the work will raise if the scheduler is gone
                self.last = sum(self.client.nthreads().values())
                if self.last < self.jobs and self.client.cluster is not None:
                    self.client.cluster.scale(self.jobs)
            self.counted = now
        return self.last


def check_address(address: str) -> None:
    """Raise GenokuError unless this may be a scheduler's address."""
    if address != "local" and not ADDRESS.fullmatch(address):
        raise GenokuError(
            "expected the address of a Dask scheduler, such as tcp://localhost:8786, or local, "
            f"got {address!r}"
        )


def _local_cluster(distributed: Any, jobs: int) -> Any:
    """A cluster of processes on this machine that Ctrl-C does not reach."""
    from dask.config import set as configure

    configure({"distributed.deploy.lost-worker-timeout": "5s"})
    with block_interrupts():
        return distributed.LocalCluster(
            n_workers=jobs,
            threads_per_worker=1,
            processes=True,
            dashboard_address=":0",  # any free port
            silence_logs=logging.CRITICAL,
        )


def _close(client: Any) -> None:
    with suppress(Exception):  # the scheduler may be gone
        client.close(timeout=CONNECT_SECONDS)


def _silence_dask() -> None:
    """Turn off Dask's log of starting and stopping workers."""
    warnings.filterwarnings("ignore", module="distributed")
    for name in list(logging.root.manager.loggerDict):
        if name.partition(".")[0] in ("distributed", "tornado", "asyncio"):
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)


POLL_SECONDS = 0.5  # between progress reports if no result arrives
STALL_SECONDS = 60.0  # without a result, after which runs in flight are reported


class Shard(NamedTuple):
    """Part `part`, from 1, of the `of` parts of a study; each has about as much of every arm."""

    part: int
    of: int

    @classmethod
    def parse(cls, text: str) -> Shard:
        """Parse a shard such as "2/10"; StudyError if it is none."""
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

    def runs(self, study: Study) -> Iterator[PlannedRun]:
        """Its runs in order. They are drawn at random: every n-th run might be of one arm."""
        if self == WHOLE:
            return study.runs()
        places = permutation(stream(0, "shards"), len(study))
        return compress(study.runs(), places % self.of == self.part - 1)

    def count(self, study: Study) -> int:
        """The number of its runs."""
        return len(range(self.part - 1, len(study), self.of))


WHOLE = Shard(1, 1)


class RunningBatch(NamedTuple):
    """The runs of a worker's batch, and the seconds since it was first seen running."""

    runs: Sequence[PlannedRun]
    seconds: float


class StudyProgress(NamedTuple):
    """How many runs of a study are planned, done and solved, and how many workers make them.

    `failed` and `seconds` count from the start of the driver. `left` are the seconds left, None
    while unknown, and `stalled` the batches in flight if no result has arrived for a minute.
    """

    planned: int
    done: int
    solved: int
    failed: int
    seconds: float
    left: float | None
    workers: int
    stalled: tuple[RunningBatch, ...] = ()


ProgressCallback = Callable[[StudyProgress], object]


def run_study(
    study: Study,
    path: str | Path,
    *,
    jobs: int = 1,
    shard: Shard | None = None,
    executor: Executor | None = None,
    dask: str | None = None,
    folder: str = "",
    progress: ProgressCallback | None = None,
    warn: Callable[[str], object] = warnings.warn,
) -> StudyProgress:
    """Make all runs of a study, or of a shard of it, that its store lacks.

    Results do not depend on the workers.

    Parameters
    ----------
    study, path
        The study, and its store, which is created if it does not exist.
    jobs
        The number of processes; one is this process.
    shard
        The part of the study to run; all by default.
    executor, dask
        Workers to use instead of processes: an executor, or the address of a Dask scheduler, or
        "local".
    folder
        Where workers also look for modules with users' own parts.
    progress
        Called after every few results.
    warn
        Called with a warning for modules that have changed since the first runs.

    Returns
    -------
    StudyProgress
        The final progress. A failed run is stored with its reason, and tried again next time.

    Raises
    ------
    StudyError
        If the study was planned by another version of genoku.
    StoreError
        If the store cannot be written, or belongs to another study.
    """
    path, part = Path(path), shard or WHOLE
    with at(str(path)):
        study.refuse_untrusted()
    if dask is not None:
        check_address(dask)
    with lock(path), Store.create(path, study) as store:
        store.note("driver", process_id())
        store.note("shard", "" if part == WHOLE else str(part))
        for warning in update_sources(store, hash_sources(study, folder)):
            warn(warning)
        driver = Driver(store, part, folder, progress)
        if driver.done < driver.planned:
            with open_workers(jobs, executor, dask) as workers:
                driver.run(workers)
        return driver.progress()


BatchFuture = Future[list[RunOutcome]]


class Driver:
    """Sends batches and stores their results."""

    def __init__(
        self, store: Store, part: Shard, folder: str, watch: ProgressCallback | None
    ) -> None:
        self.store, self.study, self.folder = store, store.study, folder
        self.watch = watch or (lambda _: None)
        self.text, self.trust = self.study.text(), self.study.trust
        verdicts = store.verdicts()
        self.planned = part.count(self.study)
        self.times = RunTimes()
        self.solved = 0
        for planned, key in self._runs_with_keys(part):
            if key in verdicts:
                self.solved += verdicts[key]
            else:
                self.times.left[planned.arm] += 1
        self.done = self.planned - self.times.left.total()
        fresh = (planned for planned, key in self._runs_with_keys(part) if key not in verdicts)
        self.queue = BatchQueue(fresh, self.times)
        self.finished: SimpleQueue[BatchFuture] = SimpleQueue()
        self.failed = 0
        self.started = self.last_result = time.monotonic()
        self.workers = 0
        self.in_flight: dict[BatchFuture, Batch] = {}
        self.running_since: dict[BatchFuture, float] = {}

    def _runs_with_keys(self, part: Shard) -> Iterator[tuple[PlannedRun, bytes]]:
        runs, again = tee(part.runs(self.study))
        return zip(runs, self.study.keys(again), strict=True)

    def run(self, workers: WorkerGroup) -> None:
        in_flight = self.in_flight
        try:
            while True:
                self.workers = workers.size()
                while len(in_flight) < workers.waiting * max(1, self.workers):
                    batch = self.queue.next(bool(in_flight))
                    if batch is None:
                        break
                    in_flight[self._submit(workers, batch)] = batch
                if not in_flight:
                    return
                self.watch(self.progress())
                finished = self._wait()
                self._store(self._outcomes(workers, {each: in_flight[each] for each in finished}))
                for each in finished:
                    self.queue.finish(in_flight.pop(each))
                    self.running_since.pop(each, None)
        except BaseException:
            with ignore_signals(), suppress(GenokuError):
                made = [each for each in in_flight if each.done() and not each.cancelled()]
                kept = [each.result() for each in made if each.exception() is None]
                self._store([outcome for outcomes in kept for outcome in outcomes])
            raise
        finally:
            self.watch(self.progress())

    def _submit(self, workers: WorkerGroup, batch: Batch) -> BatchFuture:
        try:
            work = self.text, batch.runs, self.folder, self.trust
            future = workers.executor.submit(make_runs, *work)
        except (RuntimeError, OSError) as error:
            raise GenokuError(f"{workers.place}: no longer available ({error})") from None
        future.add_done_callback(self.finished.put)
        return future

    def _wait(self) -> list[BatchFuture]:
        """Wait briefly for batches that have finished, and note which have started.

        The queue replaces `concurrent.futures.wait`, which holds the locks of all futures for a
        moment: Ctrl-C in that moment would never release them.
        """
        finished: list[BatchFuture] = []
        with suppress(Empty):
            finished.append(self.finished.get(timeout=POLL_SECONDS))
            while True:
                finished.append(self.finished.get_nowait())
        now = time.monotonic()
        if finished:
            self.last_result = now
        for future in self.in_flight:
            if future.running():  # some batches in flight still wait for a worker
                self.running_since.setdefault(future, now)
        return finished

    def _outcomes(
        self, workers: WorkerGroup, finished: dict[BatchFuture, Batch]
    ) -> list[RunOutcome]:
        """Collect results; the batch of a dead worker is queued again, or is a failure."""
        outcomes: list[RunOutcome] = []
        for future, batch in finished.items():
            if future.cancelled():
                raise GenokuError(f"{workers.place}: no longer available")
            error = future.exception()
            if error is None:
                outcomes += future.result()
            elif isinstance(error, workers.died) and workers.survives_deaths:
                message = self.queue.blame(batch, error, workers.deaths)
                if message:
                    (planned,) = batch.runs
                    arm = self.study.arms[planned.arm]
                    if user_parts(arm.recipe):
                        message = f"{suspect_parts(arm)}: {message}"
                    outcomes.append(Failure(self.study.key(planned), *planned, message))
            else:
                raise _fatal_error(error, workers)
        return outcomes

    def _store(self, outcomes: list[RunOutcome]) -> None:
        if not outcomes:
            return
        self.store.add(outcomes)
        self.done += sum(isinstance(each, Row) for each in outcomes)
        self.failed += sum(isinstance(each, Failure) for each in outcomes)
        self.solved += sum(isinstance(each, Row) and each.solved for each in outcomes)
        self.times.add(outcomes)

    def progress(self) -> StudyProgress:
        now = time.monotonic()
        running: dict[BatchFuture, float] = {}
        if now - self.last_result >= STALL_SECONDS:
            # all in flight if the workers do not say which they run
            running = self.running_since or dict.fromkeys(self.in_flight, self.last_result)
        return StudyProgress(
            *(self.planned, self.done, self.solved, self.failed, now - self.started),
            self.times.seconds_left(self.workers),
            self.workers,
            tuple(
                RunningBatch(self.in_flight[each].runs, now - at) for each, at in running.items()
            ),
        )


def _fatal_error(error: BaseException, workers: WorkerGroup) -> BaseException:
    """The error that ends a study: the workers cannot make its runs."""
    if isinstance(error, StudyError):
        return StudyError(f"{workers.place}: a worker has another version of genoku: {error}")
    if isinstance(error, GenokuError | KeyboardInterrupt | SystemExit):
        return error
    return GenokuError(f"{workers.place}: cannot make runs ({error_text(error)})")
