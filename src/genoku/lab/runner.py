"""Run what a study plans and its store does not have yet, wherever there are workers.

The driver is the only one who writes. Runs go out in batches, so many as take a moment together,
and whatever comes back is kept at once: a crash costs what was on its way, and nothing else.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future
from contextlib import suppress
from itertools import compress, tee
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import NamedTuple

from genoku.errors import GenokuError, StudyError
from genoku.failures import own_parts
from genoku.lab.claim import claimed, named, this_process
from genoku.lab.executors import Crew, check_address, crew_of
from genoku.lab.facts import at
from genoku.lab.pacing import Batch, Pace, Queue
from genoku.lab.sources import note_sources, sources_of
from genoku.lab.store import Store
from genoku.lab.study import MOST_RUNS, Planned, Study
from genoku.lab.work import Failure, Outcome, Row, parts_named, perform
from genoku.stream import permutation, stream
from genoku.workers import undisturbed

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
    with claimed(path, lambda: driver_of(path)), Store.create(path, study) as store:
        store.note("driver", this_process())
        store.note("shard", "" if part == WHOLE else str(part))
        for changed in note_sources(store, sources_of(study, folder)):
            warn(changed)
        driver = Driver(store, part, folder, progress)
        if driver.has_work:
            with crew_of(jobs, executor, dask) as crew:
                driver.run(crew)
        return driver.progress()


def driver_of(path: Path) -> str:
    """Who runs a study, in words."""
    try:
        with Store.open(path) as store:
            return named(store.noted("driver"))
    except GenokuError:  # which is not there yet
        return named("")


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
