"""Clerks: processes that answer one question at a time, so that the server need not wait itself.

A question that takes too long, or whose asker has gone, costs its clerk the job: the process is
killed, and another takes its place.

Quick questions never wait for slow ones. A question that is not answered in a moment needs leave,
which only so many can have at a time; one that gets none is asked again when its turn has come.
While all who have leave take long, there is one clerk more, for questions without.
"""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
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
QUICK = 2.0  # seconds that a question may take without leave

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


class Question:
    """What a clerk is asked, and whether it has leave to take long."""

    def __init__(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        self.function, self.arguments = function, arguments
        self.may_take_long = False


class NeedsLeaveError(Exception):
    """A question was not answered in a moment, and there was no leave for more."""


class Clerks:
    """All clerks of a server."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._threads = ThreadPoolExecutor(
            limits.clerks + 3, "clerk", keep_interrupts_from_children
        )
        self._desks: asyncio.Queue[Clerk | None] = asyncio.Queue()
        self._count = 0
        """Of desks, taken or free."""
        self._staff: set[Clerk] = set()
        self._leave = asyncio.Semaphore(limits.clerks)
        self._waiting = 0
        self._closed = False
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def waiting(self) -> int:
        """Questions that no clerk has taken up yet."""
        return self._waiting

    def start(self) -> None:
        """Hire them all; questions may be asked at once, and wait."""
        self._hire()

    async def stop(self) -> None:
        """Let them go, whatever they are at."""
        self._closed = True
        for clerk in self._staff:
            clerk.dismiss()
        for task in list(self._tasks):
            task.cancel()
        self._threads.shutdown(wait=False, cancel_futures=True)

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
        limit = self._limits.answer_seconds if seconds is None else seconds
        question = Question(function, args)
        try:
            if once:
                await self._take_leave(question)
            while True:
                try:
                    return await self._ask(await self._free_clerk(), question, limit)
                except NeedsLeaveError:
                    await self._take_leave(question)
        finally:
            self._give_leave_back(question)

    async def _take_leave(self, question: Question) -> None:
        with self._as_waiting():
            await unless_gone(self._leave.acquire())
        question.may_take_long = True

    def _give_leave_back(self, question: Question) -> None:
        if question.may_take_long:
            question.may_take_long = False
            self._leave.release()

    async def _free_clerk(self) -> Clerk:
        """The next who is free."""
        with self._as_waiting():
            clerk = await unless_gone(self._desks.get())
            while clerk is not None and not clerk.process.is_alive():  # ended by somebody else
                self._later(self._replace(clerk))
                clerk = await unless_gone(self._desks.get())
        if clerk is None:
            self._later(self._fill())
            raise GenokuError("no process can be started to work this out: is memory short?")
        return clerk

    @contextmanager
    def _as_waiting(self) -> Iterator[None]:
        if self._waiting >= WAITING:
            raise TooManyError(f"{self._waiting} questions wait for an answer already; ask again")
        self._waiting += 1
        try:
            yield
        finally:
            self._waiting -= 1

    async def _ask(self, clerk: Clerk, question: Question, limit: float) -> Any:
        is_free = False
        try:
            async with asyncio.timeout(limit):
                value = await unless_gone(self._answer(clerk, question))
            is_free = True
        except TimeoutError:
            raise TookTooLongError(f"it took longer than {limit:g} seconds") from None
        except (EOFError, OSError):
            raise GenokuError("the process that worked this out died: is memory short?") from None
        except (GenokuError, JobFailedError):
            is_free = True
            raise
        finally:
            self._give_leave_back(question)
            if is_free and self._count <= self._wanted:
                self._desks.put_nowait(clerk)
            else:
                clerk.dismiss()
                self._later(self._replace(clerk))
        return value

    async def _answer(self, clerk: Clerk, question: Question) -> Any:
        answer = self._in_thread(clerk.answer, question.function, question.arguments)
        await asyncio.wait((answer,), timeout=QUICK)
        if not answer.done():
            if not question.may_take_long and self._leave.locked():
                raise NeedsLeaveError
            if not question.may_take_long:
                await self._leave.acquire()  # at once
                question.may_take_long = True
            self._hire()
        return await answer

    @property
    def _wanted(self) -> int:
        """How many clerks there should be now."""
        return self._limits.clerks + self._leave.locked()

    def _hire(self) -> None:
        while self._count < self._wanted:
            self._count += 1
            self._later(self._fill())

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
        if self._count > self._wanted:
            self._count -= 1
        else:
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
