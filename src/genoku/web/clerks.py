"""Clerks: processes that answer one question at a time, so that the server need not wait itself.

A question that takes too long, or whose asker has gone, costs its clerk the job: the process is
killed, and another takes its place.
"""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any, TypeVar

from genoku.errors import GenokuError
from genoku.parallel import serve_the_parent
from genoku.web.children import STARTING, keep_interrupts_from_children, limit_memory
from genoku.web.guard import gone
from genoku.web.limits import Limits
from genoku.web.refusals import TookTooLongError, TooManyError

WAITING = 200  # questions, before more are refused

Answer = TypeVar("Answer")


class JobFailedError(Exception):
    """A job that ended in an error which is ours, not the asker's."""


class Clerk:
    """A process and our end of the pipe to it. Its methods wait: they are called in threads."""

    def __init__(self, memory: int) -> None:
        context = get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=work, args=(theirs, memory), daemon=True)
        self.process.start()
        theirs.close()
        if not self.connection.poll(STARTING):
            self.dismiss()
        self.connection.recv()  # it is ready

    def answer(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        self.connection.send((function, arguments))
        is_well, value = self.connection.recv()
        if not is_well:
            raise value
        return value

    def dismiss(self) -> None:
        self.process.kill()

    def bury(self) -> None:
        self.process.join(10)
        self.connection.close()


class Clerks:
    """All clerks of a server."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._threads = ThreadPoolExecutor(
            limits.clerks + 2, "clerk", keep_interrupts_from_children
        )
        self._desks: asyncio.Queue[Clerk | None] = asyncio.Queue()
        self._staff: set[Clerk] = set()
        self._waiting = 0
        self._closed = False
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def waiting(self) -> int:
        """Questions that no clerk has taken up yet."""
        return self._waiting

    def start(self) -> None:
        """Hire them all; questions may be asked at once, and wait."""
        for _ in range(self._limits.clerks):
            self._later(self._fill())

    async def stop(self) -> None:
        """Let them go, whatever they are at."""
        self._closed = True
        for clerk in self._staff:
            clerk.dismiss()
        for task in list(self._tasks):
            task.cancel()
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def call(
        self, function: Callable[..., Any], /, *args: Any, seconds: float | None = None
    ) -> Any:
        """What a function of a module gives for plain data, worked out by a clerk."""
        if self._waiting >= WAITING:
            raise TooManyError(f"{self._waiting} questions wait for an answer already; ask again")
        self._waiting += 1
        try:
            clerk = await unless_gone(self._desks.get())
            while clerk is not None and not clerk.process.is_alive():  # ended by somebody else
                self._later(self._replace(clerk))
                clerk = await unless_gone(self._desks.get())
        finally:
            self._waiting -= 1
        if clerk is None:
            self._later(self._fill())
            raise GenokuError("no process can be started to work this out: is memory short?")
        is_free = False
        limit = self._limits.answer_seconds if seconds is None else seconds
        try:
            async with asyncio.timeout(limit):
                value = await unless_gone(self._in_thread(clerk.answer, function, args))
            is_free = True
        except TimeoutError:
            raise TookTooLongError(f"it took longer than {limit:g} seconds") from None
        except (EOFError, OSError):
            raise GenokuError("the process that worked this out died: is memory short?") from None
        except (GenokuError, JobFailedError):
            is_free = True
            raise
        finally:
            if is_free:
                self._desks.put_nowait(clerk)
            else:
                clerk.dismiss()
                self._later(self._replace(clerk))
        return value

    async def _fill(self) -> None:
        """Put a new clerk at a free desk."""
        clerk: Clerk | None = None
        with suppress(OSError, EOFError):
            clerk = await self._in_thread(Clerk, self._limits.memory)
        if clerk is not None:
            self._staff.add(clerk)
            if self._closed:
                clerk.dismiss()
        self._desks.put_nowait(clerk)

    async def _replace(self, clerk: Clerk) -> None:
        self._staff.discard(clerk)
        await self._in_thread(clerk.bury)
        await self._fill()

    def _in_thread(self, function: Callable[..., Answer], *args: Any) -> asyncio.Future[Answer]:
        return asyncio.get_running_loop().run_in_executor(self._threads, function, *args)

    def _later(self, work: Any) -> None:
        if self._closed:
            work.close()
            return
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


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


def work(connection: Connection, memory: int) -> None:
    """What a clerk does until the pipe ends."""
    serve_the_parent()
    limit_memory(memory)
    with suppress(Exception):  # else it will be said by whoever needs them
        _load_kernels()
    connection.send("ready")
    while True:
        try:
            function, arguments = connection.recv()
            answer: tuple[bool, Any] = True, function(*arguments)
            packed = pickle.dumps(answer)
        except EOFError:
            return
        except GenokuError as error:
            packed = _words(error)
        except MemoryError:
            packed = _words(GenokuError("this needs more memory than there is for a question"))
        except Exception as error:
            packed = pickle.dumps((False, JobFailedError(f"{type(error).__name__}: {error}")))
        with suppress(OSError):
            connection.send_bytes(packed)


def _words(error: GenokuError) -> bytes:
    """An error for the pipe; one that does not survive it goes as its words."""
    with suppress(Exception):
        packed = pickle.dumps((False, error))
        pickle.loads(packed)
        return packed
    return pickle.dumps((False, GenokuError(str(error))))


def _load_kernels() -> None:
    """Solve something small, so that the first question is answered as quickly as others."""
    from genoku import exact
    from genoku.board import Puzzle

    exact.solve(Puzzle.parse("." * 16))
