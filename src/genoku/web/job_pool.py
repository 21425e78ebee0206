"""A pool of worker processes that compute answers to single requests.

A job that times out or whose client disconnects has its worker process killed and replaced. Quick
jobs never wait for slow ones: a job that runs longer than `QUICK_SECONDS` needs one of a fixed
number of slots. If none is free, it is killed, and restarted when it gets a slot. While all slots
are taken, the pool has one extra worker, for quick jobs.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, contextmanager, suppress
from functools import partial
from typing import Any, TypeVar

from genoku.errors import GenokuError
from genoku.runtime.workers import Job, WorkerDiedError, WorkerPool, error_text, limit_memory
from genoku.web.http_errors import TookTooLongError, TooManyError
from genoku.web.limits import Limits
from genoku.web.security import disconnected

MAX_WAITING = 200  # jobs, before more are refused
QUICK_SECONDS = 2.0  # that a job may run without a slot

Answer = TypeVar("Answer")


class JobFailedError(Exception):
    """A job failed because of a bug, not because of the request."""


class NeedsSlotError(Exception):
    """A job runs longer than a quick one may, and no slot is free."""


class JobPool:
    """The job workers of a server. Jobs that are submitted before a worker has started wait."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._slots = asyncio.Semaphore(limits.job_workers)
        self.pool = WorkerPool(limits.job_workers, partial(_warm_up, limits.memory), eager=True)
        self.waiting = 0  # jobs that no worker has started yet

    async def stop(self) -> None:
        """Kill all workers, busy or not."""
        await asyncio.to_thread(self.pool.terminate)

    async def call(
        self,
        function: Callable[..., Any],
        /,
        *args: Any,
        seconds: float | None = None,
        once: bool = False,
    ) -> Any:
        """Call a module-level function in a worker, and return its result.

        With `once` it waits for a slot before it starts; otherwise a slow call may be started
        twice. Raises TookTooLongError after `seconds`, and TooManyError if too many jobs wait.
        """
        limit = self._limits.answer_seconds if seconds is None else seconds
        try:
            async with AsyncExitStack() as slot:
                while True:
                    if once:
                        with self._as_waiting():
                            await unless_disconnected(slot.enter_async_context(self._slots))
                    job = self.pool.submit(function, *args)
                    try:
                        return await self._answer(job, limit, None if once else slot)
                    except NeedsSlotError:
                        once = True
                    finally:
                        job.kill()
        finally:
            self._resize()

    @contextmanager
    def _as_waiting(self) -> Iterator[None]:
        if self.waiting >= MAX_WAITING:
            raise TooManyError(f"{self.waiting} requests are already waiting; try again later")
        self.waiting += 1
        try:
            yield
        finally:
            self.waiting -= 1

    async def _answer(self, job: Job, limit: float, slot: AsyncExitStack | None) -> Any:
        with self._as_waiting():
            await unless_disconnected(asyncio.wrap_future(job.started))
        try:
            async with asyncio.timeout(limit):
                await unless_disconnected(self._wait_for(job, slot))
        except TimeoutError:
            raise TookTooLongError(f"it took longer than {limit:g} seconds") from None
        error = job.exception()
        if error is None:
            return job.result()
        if isinstance(error, WorkerDiedError):
            raise GenokuError("the worker process died; the machine may be short of memory")
        if isinstance(error, MemoryError):
            raise GenokuError("this needs more memory than one request may use")
        raise error if isinstance(error, GenokuError) else JobFailedError(error_text(error))

    async def _wait_for(self, job: Job, slot: AsyncExitStack | None) -> None:
        """Wait for the end of a job; a slow one enters a slot into `slot`, if that is given."""
        ended = asyncio.wrap_future(job)
        try:
            await asyncio.wait((ended,), timeout=QUICK_SECONDS)
            if not ended.done():
                if slot is not None and self._slots.locked():
                    raise NeedsSlotError
                if slot is not None:
                    await slot.enter_async_context(self._slots)  # does not wait: a slot is free
                self._resize()
                await asyncio.wait((ended,))
            ended.exception()  # marks it as retrieved; the caller reads it from the job
        finally:
            ended.cancel()

    def _resize(self) -> None:
        self.pool.resize(self._limits.job_workers + self._slots.locked())


async def unless_disconnected(work: Awaitable[Answer]) -> Answer:
    """Await something; cancel it when the client of the current request disconnects."""
    left = disconnected.get()
    if left is None:
        return await work
    answer, leaving = asyncio.ensure_future(work), asyncio.ensure_future(left.wait())
    try:
        await asyncio.wait((answer, leaving), return_when=asyncio.FIRST_COMPLETED)
        if answer.done():
            return answer.result()
        raise asyncio.CancelledError
    finally:
        leaving.cancel()
        answer.cancel()


def _warm_up(memory: int) -> None:
    """Solve a small puzzle, so that the first job does not wait for kernels to load."""
    limit_memory(memory)
    with suppress(Exception):  # the first job that needs kernels will report it
        from genoku.exact import oracle
        from genoku.puzzle.board import Puzzle

        oracle.solve(Puzzle.parse("." * 16))
