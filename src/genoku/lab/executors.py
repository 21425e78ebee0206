"""Who makes the runs of a study: this process, processes of its own, or a Dask cluster.

All of them are a `concurrent.futures.Executor`, and what a worker dies of is an exception of the
work it was at.
"""

from __future__ import annotations

import logging
import re
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from genoku.errors import GenokuError
from genoku.extras import require
from genoku.lab.pacing import DEATHS
from genoku.workers import Pool, interrupts_kept_from_children, undisturbed

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
    from genoku.lab.work import load

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


@contextmanager
def dask_executor(address: str, jobs: int) -> Iterator[Executor]:
    """As `dask_crew`, the executor alone."""
    with dask_crew(address, jobs) as crew:
        yield crew.executor


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
