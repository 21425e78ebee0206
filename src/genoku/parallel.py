"""Spread work over processes, with results in order, whatever the number of processes."""

from __future__ import annotations

import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

from genoku.errors import GenokuError

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing.process import BaseProcess

Task = TypeVar("Task")
Result = TypeVar("Result")

WAITING_PER_JOB = 4


def cores() -> int:
    """How many processes can work at a time here."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every platform
        return os.cpu_count() or 1


def in_order(
    function: Callable[[Task], Result], tasks: Iterable[Task], jobs: int
) -> Iterator[Result]:
    """`map(function, tasks)` on `jobs` processes; with one job, in this one.

    Only a few tasks are in flight at a time, so that a long stream of them stays a stream.
    """
    if jobs <= 1:
        yield from map(function, tasks)
        return
    with _pool(jobs) as pool:
        yield from _through(pool, function, tasks, WAITING_PER_JOB * jobs)


@contextmanager
def workers(jobs: int | Executor) -> Iterator[None]:
    """As long as this lasts, `spread` uses `jobs` processes that stay, or an executor.

    Processes of ours end with what they are at: one killed while it sends a large result would
    leave the pool waiting for the rest of it.
    """
    if isinstance(jobs, Executor):
        used = jobs
    elif jobs <= 1:
        yield
        return
    else:
        used = _processes(jobs)
    token = _spreading.set(used)
    try:
        with _a_word_for_the_dead():
            yield
    finally:
        _spreading.reset(token)
        if used is not jobs:
            used.shutdown(wait=True, cancel_futures=True)


def spread(function: Callable[[Task], Result], tasks: Sequence[Task]) -> list[Result]:
    """`map(function, tasks)` on the `workers` there are; in this process if there are none."""
    pool = _spreading.get()
    if pool is None:
        return [function(task) for task in tasks]
    return list(_through(pool, function, tasks, len(tasks)))


_spreading: ContextVar[Executor | None] = ContextVar("spreading", default=None)


@contextmanager
def _pool(jobs: int) -> Iterator[ProcessPoolExecutor]:
    """Processes of our own, which end when nobody wants their results any more."""
    pool = _processes(jobs)
    try:
        with _a_word_for_the_dead():
            yield pool
    except BaseException:
        # Nobody waits for what is still being worked on: neither after Ctrl-C nor after an error.
        for worker in list((pool._processes or {}).values()):
            worker.terminate()
        raise
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _processes(jobs: int) -> ProcessPoolExecutor:
    # Imported here, since most commands use one process and should start quickly.
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    return ProcessPoolExecutor(jobs, get_context("spawn"), initializer=serve_the_parent)


@contextmanager
def _a_word_for_the_dead() -> Iterator[None]:
    try:
        yield
    except BrokenExecutor:
        raise GenokuError(
            "a worker process died: was it killed, or is memory short? "
            '(a script that uses several processes needs `if __name__ == "__main__":`)'
        ) from None


def _through(
    pool: Executor,
    function: Callable[[Task], Result],
    tasks: Iterable[Task],
    waiting: int,
) -> Iterator[Result]:
    remaining = iter(tasks)
    flying: deque[Future[Result]] = deque(
        pool.submit(function, task) for task in islice(remaining, waiting)
    )
    while flying:
        result = flying.popleft().result()
        flying.extend(pool.submit(function, task) for task in islice(remaining, 1))
        yield result


def serve_the_parent() -> None:
    """Leave Ctrl-C, which reaches every process of a terminal, to the parent; end when it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    from multiprocessing import parent_process

    parent = parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)


def batched(items: Iterable[Task], size: int) -> Iterator[list[Task]]:
    """The items in lists of `size`."""
    remaining = iter(items)
    while batch := list(islice(remaining, size)):
        yield batch
