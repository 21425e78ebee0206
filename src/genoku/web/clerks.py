"""Clerks: worker processes that answer one question at a time, so that the server need not wait.

A question that takes too long, or whose client has disconnected, has its worker killed and
replaced.

Quick questions never wait for slow ones. A question that is not answered in a moment needs leave,
which only so many can have at a time; one that gets none is asked again when its turn has come.
While all who have leave take long, there is one clerk more, for questions without.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, TypeVar

from genoku.errors import GenokuError
from genoku.web.guard import gone
from genoku.web.limits import Limits
from genoku.web.refusals import TookTooLongError, TooManyError
from genoku.workers import Job, Pool, WorkerDiedError, error_text, limit_memory

WAITING = 200  # questions, before more are refused
QUICK = 2.0  # seconds that a question may take without leave

Answer = TypeVar("Answer")


class JobFailedError(Exception):
    """A job that ended in an error which is ours, not the asker's."""


class NeedsLeaveError(Exception):
    """A question was not answered in a moment, and there was no leave for more."""


class Leave:
    """Whether a question may take long."""

    def __init__(self, all_leave: asyncio.Semaphore) -> None:
        self._all = all_leave
        self.is_taken = False

    async def take(self) -> None:
        await unless_gone(self._all.acquire())
        self.is_taken = True

    def give_back(self) -> None:
        if self.is_taken:
            self.is_taken = False
            self._all.release()


class Clerks:
    """All clerks of a server."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._leave = asyncio.Semaphore(limits.clerks)
        self.pool: Pool | None = None
        self.waiting = 0
        """Questions that no clerk has taken up yet."""

    def start(self) -> None:
        """Start them all; questions may be asked at once, and wait."""
        initializer = partial(_begin, self._limits.memory)
        self.pool = Pool(self._limits.clerks, initializer, eager=True)

    async def stop(self) -> None:
        """Let them go, whatever they are at."""
        if self.pool is not None:
            await asyncio.to_thread(self.pool.terminate)

    async def call(
        self,
        function: Callable[..., Any],
        /,
        *args: Any,
        seconds: float | None = None,
        once: bool = False,
    ) -> Any:
        """What a function of a module gives for plain data, worked out by a clerk.

        It may be asked twice, the second time because it took long, unless it is to be asked
        `once`: then it waits for leave at once.
        """
        assert self.pool is not None, "expected clerks that were started"
        limit = self._limits.answer_seconds if seconds is None else seconds
        leave = Leave(self._leave)
        try:
            while True:
                if once:
                    with self._as_waiting():
                        await leave.take()
                job = self.pool.submit(function, *args)
                try:
                    return await self._answer(job, leave, limit)
                except NeedsLeaveError:
                    once = True
                finally:
                    job.kill()
        finally:
            leave.give_back()
            self._resize()

    @contextmanager
    def _as_waiting(self) -> Iterator[None]:
        if self.waiting >= WAITING:
            raise TooManyError(f"{self.waiting} questions wait for an answer already; ask again")
        self.waiting += 1
        try:
            yield
        finally:
            self.waiting -= 1

    async def _answer(self, job: Job, leave: Leave, limit: float) -> Any:
        with self._as_waiting():
            await unless_gone(asyncio.wrap_future(job.begun))
        try:
            async with asyncio.timeout(limit):
                await unless_gone(self._end_of(job, leave))
        except TimeoutError:
            raise TookTooLongError(f"it took longer than {limit:g} seconds") from None
        error = job.exception()
        if error is None:
            return job.result()
        if isinstance(error, WorkerDiedError):
            raise GenokuError("the process that worked this out died: is memory short?")
        if isinstance(error, MemoryError):
            raise GenokuError("this needs more memory than there is for a question")
        raise error if isinstance(error, GenokuError) else JobFailedError(error_text(error))

    async def _end_of(self, job: Job, leave: Leave) -> None:
        """Wait until a job has ended; one that takes long needs leave."""
        ended = asyncio.wrap_future(job)
        try:
            await asyncio.wait((ended,), timeout=QUICK)
            if not ended.done():
                if not leave.is_taken and self._leave.locked():
                    raise NeedsLeaveError
                if not leave.is_taken:
                    await leave.take()  # at once
                self._resize()
                await asyncio.wait((ended,))
            ended.exception()  # which is seen to by who asked
        finally:
            ended.cancel()

    def _resize(self) -> None:
        if self.pool is not None:
            self.pool.resize(self._limits.clerks + self._leave.locked())


async def unless_gone(work: Awaitable[Answer]) -> Answer:
    """Wait for an answer as long as somebody waits for it with us."""
    left = gone.get()
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


def _begin(memory: int) -> None:
    """Solve something small, so that the first question is answered as quickly as others."""
    limit_memory(memory)
    with suppress(Exception):  # else it will be said by whoever needs kernels
        from genoku import exact
        from genoku.board import Puzzle

        exact.solve(Puzzle.parse("." * 16))
