"""Worker processes that may die: one takes along only what it was at, and is replaced.

The standard library's pool breaks as a whole when a worker dies, and waits for ever for the rest of
a result whose sender was killed. Here every worker has a pipe of its own, whose end is its death.
"""

from __future__ import annotations

import pickle
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import contextmanager, suppress
from multiprocessing import get_context, resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from multiprocessing.reduction import ForkingPickler
from queue import SimpleQueue
from typing import Any

from genoku.errors import GenokuError
from genoku.parallel import serve_the_parent

PATIENCE = 1.0  # seconds
STARTS = 20  # how often in a row a worker may be killed before it is ready
STARTING = 300.0  # seconds in all until one is ready, which a busy network drive may need

Call = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]
Task = tuple[Future[Any], Call]


class WorkerDiedError(BrokenExecutor):
    """A worker process ended in the middle of its work."""

    def __init__(self, exit_code: int | None) -> None:
        self.exit_code = exit_code
        super().__init__(f"a worker died ({how(exit_code)})")

    @property
    def is_killed(self) -> bool:
        """Whether somebody else may have ended it: a person, or a system short of memory."""
        return self.exit_code is None or -self.exit_code in (signal.SIGTERM, 9)


def how(exit_code: int | None) -> str:
    """An exit code in words."""
    if exit_code is None or exit_code >= 0:
        return f"exit code {exit_code}"
    try:
        return signal.Signals(-exit_code).name
    except ValueError:
        return f"signal {-exit_code}"


class Processes(Executor):
    """So many spawned processes, each served by a thread of ours.

    They import what `loaded` needs before they count as ready, and are started when there is work.
    """

    def __init__(self, jobs: int, loaded: Callable[..., Any] | None = None) -> None:
        self._context = get_context("spawn")
        self._loaded = loaded
        self._tasks: SimpleQueue[Task | None] = SimpleQueue()
        self._lock = threading.Lock()  # starting and burying processes is not safe in threads
        self._submitting = threading.RLock()  # a signal's handler may come while it is held
        self._alive: set[SpawnProcess] = set()
        self._closed = False
        self._threads = [threading.Thread(target=self._serve, daemon=True) for _ in range(jobs)]
        for thread in self._threads:
            thread.start()

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        with self._submitting:
            if self._closed:
                raise RuntimeError(
                    "expected work for workers that are there, got it after their end"
                )
            self._tasks.put((future, (fn, args, kwargs)))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Let the workers finish what there is, or only what they are at, and end."""
        with self._submitting:  # what is there now is all there will be
            self._closed = True
        if cancel_futures:
            self._cancel_what_waits()
        for _ in self._threads:
            self._tasks.put(None)
        if wait:
            for thread in self._threads:
                thread.join()

    def terminate(self) -> None:
        """End all workers now, whatever they are at.

        Threads of ours may wait for a lock that an interrupt left behind: nobody waits for them.
        """
        with self._lock:
            self._closed = True
            for process in self._alive:
                process.kill()  # there is nothing to tidy up
        self.shutdown(wait=False, cancel_futures=True)
        end = time.monotonic() + PATIENCE
        for thread in self._threads:
            thread.join(max(0.0, end - time.monotonic()))

    def _cancel_what_waits(self) -> None:
        while not self._tasks.empty():
            with suppress(Exception):  # somebody else may have taken the last one
                task = self._tasks.get_nowait()
                if task is not None:
                    task[0].cancel()

    def _serve(self) -> None:
        """Hand one worker its work, and hire another if it dies."""
        with interrupts_kept_from_children():
            self._serve_one()

    def _serve_one(self) -> None:
        worker: Worker | None = None
        while (task := self._tasks.get()) is not None:
            future, call = task
            if not future.set_running_or_notify_cancel():
                continue
            try:
                worker = worker or self._hired()
                future.set_result(worker.answer(call))
            except (EOFError, OSError):
                died = WorkerDiedError(self._buried(worker.process) if worker else None)
                worker = None
                future.set_exception(died)
            except BaseException as error:
                future.set_exception(error)
        if worker is not None:
            worker.connection.close()  # which it takes as a goodbye
            self._buried(worker.process)

    def _hired(self) -> Worker:
        """A worker that is ready; those killed on their way to it have done no harm."""
        exit_code: int | None = None
        until = time.monotonic() + STARTING
        for _ in range(STARTS):
            process, ours = self._started()
            with suppress(EOFError, OSError):
                if ours.poll(max(0.0, until - time.monotonic())):
                    ours.recv()
                    return Worker(process, ours)
                process.kill()
                self._buried(process)
                raise GenokuError(f"a worker process is not ready after {STARTING:.0f} s")
            exit_code = self._buried(process)
            if exit_code is not None and exit_code >= 0:
                break
        raise GenokuError(
            f"worker processes end before they are ready ({how(exit_code)}): is memory short? "
            '(a script that uses several processes needs `if __name__ == "__main__":`)'
        )

    def _started(self) -> tuple[SpawnProcess, Any]:
        """A process, and our end of its pipe; nobody else may hold the other end."""
        with self._lock:
            if self._closed:
                raise WorkerDiedError(None)
            try:
                ours, theirs = self._context.Pipe()
                process = self._context.Process(
                    target=work, args=(theirs, self._loaded), daemon=True
                )
                process.start()
            except OSError as error:
                said = error.strerror or error
                raise GenokuError(f"a worker process cannot be started: {said}") from None
            self._alive.add(process)
            theirs.close()
            return process, ours

    def _buried(self, process: SpawnProcess) -> int | None:
        process.join(10)
        with self._lock:
            self._alive.discard(process)
            return process.exitcode


class Worker:
    """A process, and our end of the pipe to it."""

    def __init__(self, process: SpawnProcess, connection: Any) -> None:
        self.process, self.connection = process, connection

    def answer(self, call: Call) -> Any:
        self.connection.send(call)
        is_well, value = self.connection.recv()
        if not is_well:
            raise value
        return value


def work(connection: Connection, _loaded: object) -> None:
    """What a worker does, until its pipe ends."""
    serve_the_parent()
    connection.send("ready")
    while True:
        try:
            function, arguments, options = connection.recv()
            answer: tuple[bool, Any] = True, function(*arguments, **options)
        except EOFError:  # the other end says goodbye
            return
        except GenokuError as error:
            answer = False, error
        except BaseException as error:
            answer = False, GenokuError(f"a worker failed: {type(error).__name__}: {error}")
        try:
            connection.send_bytes(_packed(answer))
        except OSError:  # nobody is there to hear it, or the work has closed the pipe
            return


def _packed(answer: tuple[bool, Any]) -> bytes:
    """An answer for the pipe; one that cannot go through it as it is goes in words."""
    is_well, value = answer
    try:
        packed = bytes(ForkingPickler.dumps(answer))
        if not is_well and type(pickle.loads(packed)[1]) is not type(value):
            raise TypeError("it comes back as something else")
    except Exception as error:  # whatever pickling calls
        said = str(value) if not is_well else f"a worker's result cannot be sent: {error}"
        return bytes(ForkingPickler.dumps((False, GenokuError(said))))
    return packed


@contextmanager
def interrupts_kept_from_children() -> Iterator[None]:
    """Let Ctrl-C, which reaches every process of a terminal, pass by what this thread starts.

    A worker that only begins to ignore it when it is ready would end in a traceback before.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # which would let them in again when the first one starts
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def undisturbed() -> Iterator[None]:
    """Let no signal end what ends already, so that it does so in order."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    signals = (signal.SIGINT, signal.SIGTERM)
    before = [(each, signal.signal(each, signal.SIG_IGN)) for each in signals]
    try:
        yield
    finally:
        for each, handler in before:
            signal.signal(each, signal.SIG_DFL if handler is None else handler)
