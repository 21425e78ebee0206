"""Worker processes: each has a pipe of its own, whose end is its death, and dies with its parent.

- `Worker` is one spawned process and our end of its pipe.
- `Pool` is an executor. A worker that dies takes along only the call it was at, and is replaced; a
  call can be killed. The standard library's pool breaks as a whole when a worker dies, and waits
  for ever for the rest of a result whose sender was killed.
- `Actor` is a worker that sends messages of its own accord.
- `in_order`, `spread` and `workers` use a pool, or any other executor, for work that is given in
  parts; results do not depend on the number of processes.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import contextmanager, nullcontext, suppress
from contextvars import ContextVar
from functools import cache
from itertools import islice
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar

from genoku.errors import GenokuError

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnProcess
    from multiprocessing.process import BaseProcess

NICENESS = 10
PATIENCE = 1.0  # seconds that the end of a pool waits for its threads
ENDING = 10.0  # seconds in which a worker that was told to end does so
STARTS = 20  # how often in a row a worker may be killed before it is ready
STARTING = 300.0  # seconds in all until one is ready, which a busy network drive may need
WAITING_PER_JOB = 4
GUARD = '(a script that uses several processes needs `if __name__ == "__main__":`)'

Task = TypeVar("Task")
Result = TypeVar("Result")

Call = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]
Target = Callable[..., None]
"""What a worker runs: it is called with its end of the pipe and the arguments it was given."""


def cores() -> int:
    """How many processes can work at a time here."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every platform
        return os.cpu_count() or 1


class WorkerDiedError(BrokenExecutor):
    """A worker process ended in the middle of its work."""

    def __init__(self, exit_code: int | None) -> None:
        self.exit_code = exit_code
        super().__init__(f"a worker died ({exit_text(exit_code)})")

    @property
    def is_killed(self) -> bool:
        """Whether somebody else may have ended it: a person, or a system short of memory."""
        return self.exit_code is None or -self.exit_code in (signal.SIGTERM, 9)


class WorkerStartError(GenokuError):
    """A worker process cannot be started, or does not get ready."""


def exit_text(exit_code: int | None) -> str:
    """An exit code for people: `exit code 3`, `SIGSEGV`."""
    if exit_code is None or exit_code >= 0:
        return f"exit code {exit_code}"
    try:
        return signal.Signals(-exit_code).name
    except ValueError:
        return f"signal {-exit_code}"


class Worker:
    """A spawned process that runs `target(connection, *arguments)`, and our end of its pipe.

    Its methods may wait, and `receive` raises `WorkerDiedError` where the pipe has ended.
    """

    def __init__(self, target: Target, *arguments: Any, name: str | None = None) -> None:
        context = _spawning()
        with _lock, interrupts_kept_from_children():
            try:
                self.connection, theirs = context.Pipe()
                arguments = theirs, target, arguments
                self.process: SpawnProcess = context.Process(
                    target=_run, args=arguments, name=name, daemon=False
                )
                self.process.start()
            except OSError as error:
                said = error.strerror or error
                raise WorkerStartError(f"a worker process cannot be started: {said}") from None
            _alive.add(self)
            theirs.close()  # nobody else may hold it: its end is the worker's

    @property
    def pid(self) -> int | None:
        return self.process.pid

    @property
    def is_alive(self) -> bool:
        return self.process.is_alive()

    def send(self, message: Any) -> None:
        try:
            self.connection.send(message)
        except OSError:
            raise WorkerDiedError(self.end()) from None

    def receive(self) -> Any:
        try:
            return self.connection.recv()
        except (EOFError, OSError):
            raise WorkerDiedError(self.end()) from None

    def call(self, call: Call) -> Any:
        """What a function gives, of a worker that runs `answer_calls`; what it raises is raised."""
        self.send(call)
        is_well, value, trace = self.receive()
        if is_well:
            return value
        raise value from (RemoteError(trace) if trace else None)

    def kill(self) -> None:
        """End the process now, whatever it is at."""
        self.process.kill()

    def end(self) -> int | None:
        """Close the pipe, which a worker takes as its end, and wait for that; the exit code."""
        self.connection.close()
        self.process.join(ENDING)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        with _lock:  # several threads that ask for an exit code at once might get none
            _alive.discard(self)
            return self.process.exitcode


_lock = threading.Lock()
_alive: set[Worker] = set()


@cache
def _spawning() -> Any:
    """How processes are started: anew, and they are killed when this one ends.

    Python itself would wait for them, though they have no reason to end.
    """
    # Imported here, since most commands use one process and should start quickly.
    from multiprocessing import get_context
    from multiprocessing.util import Finalize

    def kill_all() -> None:
        for worker in list(_alive):
            worker.kill()

    Finalize(None, kill_all, exitpriority=0)
    return get_context("spawn")


class RemoteError(Exception):
    """The lines that an error went through in its worker, as text."""


@contextmanager
def interrupts_kept_from_children() -> Iterator[None]:
    """Let Ctrl-C, which reaches every process of a terminal, pass by what this thread starts.

    A worker that only begins to ignore it when it is ready would end in a traceback before.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    from multiprocessing import resource_tracker

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


def _run(connection: Connection, target: Target, arguments: tuple[Any, ...]) -> None:
    die_with_parent()
    target(connection, *arguments)


def die_with_parent() -> None:
    """Leave Ctrl-C, which reaches every process of a terminal, to the parent; end when it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    from multiprocessing import parent_process

    parent = parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)


def answer_calls(connection: Connection, initializer: Callable[[], object] | None) -> None:
    """Call what comes through the pipe and send what comes of it, until the pipe ends."""
    if initializer is not None:
        initializer()
    connection.send("ready")
    while True:
        try:
            function, arguments, options = connection.recv()
            answer: tuple[bool, Any, str] = True, function(*arguments, **options), ""
        except EOFError:  # the other end says goodbye
            return
        except GenokuError as error:
            answer = False, error, ""
        except Exception as error:
            answer = False, error, "".join(traceback.format_exception(error))
        except BaseException as error:
            answer = False, GenokuError(f"a worker failed: {type(error).__name__}: {error}"), ""
        try:
            connection.send_bytes(_pickled(answer))
        except OSError:  # nobody is there to hear it, or the work has closed the pipe
            return


def _pickled(answer: tuple[bool, Any, str]) -> bytes:
    """An answer for the pipe; an error that does not come back as it was goes as its text."""
    from multiprocessing.reduction import ForkingPickler

    is_well, value, trace = answer
    try:
        pickled = bytes(ForkingPickler.dumps(answer))
        if not is_well and type(pickle.loads(pickled)[1]) is not type(value):
            raise TypeError("it comes back as something else")
    except Exception as error:  # whatever pickling calls
        said = error_text(value) if not is_well else f"a worker's result cannot be sent: {error}"
        return bytes(ForkingPickler.dumps((False, GenokuError(said), trace)))
    return pickled


def error_text(error: BaseException) -> str:
    """An error for people; one that is none of ours with its kind."""
    said = " ".join(str(error).split())
    return str(error) if isinstance(error, GenokuError) else f"{type(error).__name__}: {said[:300]}"


def limit_memory(beyond: int) -> None:
    """Let this process have so many more bytes of address space than it has now.

    Where the system cannot be asked for that, it may have all.
    """
    if sys.platform != "linux":
        return
    import resource

    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    most = pages * resource.getpagesize() + beyond
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    if hard == resource.RLIM_INFINITY or most < hard:
        resource.setrlimit(resource.RLIMIT_AS, (most, hard))


def lower_priority() -> None:
    """Leave the processor to others where they want it."""
    if hasattr(os, "nice"):
        os.nice(NICENESS)


class Job(Future[Any]):
    """A call on its way through a pool."""

    def __init__(self, call: Call) -> None:
        super().__init__()
        self.begun: Future[None] = Future()
        """Done once a worker is at it, or it has ended otherwise."""
        self._call = call
        self._worker: Worker | None = None
        self._is_killed = False
        self._lock = threading.Lock()

    def cancel(self) -> bool:
        if not super().cancel():
            return False
        self.begun.cancel()
        return True

    def kill(self) -> None:
        """Give it up: if a worker is at it, that is killed, and its pool starts another."""
        with self._lock:
            self._is_killed = True
            if self._worker is not None:
                self._worker.kill()
        self.cancel()

    def run_on(self, worker: Worker) -> Any:
        with self._lock:
            if self._is_killed:
                raise WorkerDiedError(None)
            self._worker = worker
        self.begun.set_result(None)
        try:
            return worker.call(self._call)
        finally:
            with self._lock:
                self._worker = None


class Pool(Executor):
    """So many workers, each served by a thread of ours.

    They call `initializer` before they count as ready, and are started when there is work for them,
    `eager` ones at once. After an error or Ctrl-C in its `with` block nobody waits for what they
    are at.
    """

    def __init__(
        self, size: int, initializer: Callable[[], object] | None = None, *, eager: bool = False
    ) -> None:
        self._initializer, self._eager = initializer, eager
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._submitting = threading.RLock()  # a signal's handler may come while it is held
        self._starting = threading.Lock()
        self._workers: set[Worker] = set()
        self._closed = self._is_terminated = False
        self._threads: list[threading.Thread] = []
        self.size = 0
        self.resize(size)

    @property
    def pids(self) -> list[int]:
        """The processes there are."""
        return [worker.pid for worker in list(self._workers) if worker.pid is not None]

    def resize(self, size: int) -> None:
        """Have more or fewer workers from now on; those too many end when they are idle."""
        with self._submitting:
            if self._closed:
                return
            for _ in range(size, self.size):
                self._jobs.put(None)
            for _ in range(self.size, size):
                thread = threading.Thread(target=self._serve, daemon=True)
                thread.start()
                self._threads.append(thread)
            self.size = size

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Job:
        job = Job((fn, args, kwargs))
        with self._submitting:
            if self._closed:
                raise RuntimeError("expected a call before the pool's end, got one after it")
            self._jobs.put(job)
        return job

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Let the workers finish what there is, or only what they are at, and end."""
        with self._submitting:  # what is there now is all there will be
            self._closed = True
        if cancel_futures:
            self._cancel_what_waits()
        for _ in self._threads:
            self._jobs.put(None)
        if wait:
            for thread in self._threads:
                thread.join()

    def terminate(self) -> None:
        """End all workers now, whatever they are at.

        Threads of ours may wait for a lock that an interrupt left behind: nobody waits for them.
        """
        with self._starting:
            self._is_terminated = True
            for worker in self._workers:
                worker.kill()  # there is nothing to tidy up
        self.shutdown(wait=False, cancel_futures=True)
        end = time.monotonic() + PATIENCE
        for thread in self._threads:
            thread.join(max(0.0, end - time.monotonic()))

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        with undisturbed():
            if kind is None:
                self.shutdown()
            else:
                self.terminate()

    def _cancel_what_waits(self) -> None:
        while not self._jobs.empty():
            with suppress(Exception):  # somebody else may have taken the last one
                job = self._jobs.get_nowait()
                if job is not None:
                    job.cancel()

    def _serve(self) -> None:
        """Hand one worker its calls, and start another if it dies."""
        worker: Worker | None = None
        while True:
            if self._eager and worker is None:
                with suppress(WorkerStartError, WorkerDiedError):  # the next call says so
                    worker = self._start()
            job = self._jobs.get()
            if job is None:
                break
            if not job.set_running_or_notify_cancel():
                continue
            try:
                if worker is None or not worker.is_alive:
                    self._discard(worker)
                    worker = None
                    worker = self._start()
                job.set_result(job.run_on(worker))
            except BaseException as error:
                if worker is not None and not worker.is_alive:
                    self._discard(worker)
                    worker = None
                job.set_exception(error)
                if not job.begun.done():
                    job.begun.set_result(None)
        self._discard(worker)

    def _start(self) -> Worker:
        """A worker that is ready; those killed on their way to it have done no harm."""
        exit_code: int | None = None
        until = time.monotonic() + STARTING
        for _ in range(STARTS):
            with self._starting:
                if self._is_terminated:
                    raise WorkerDiedError(None)
                worker = Worker(answer_calls, self._initializer)
                self._workers.add(worker)
            with suppress(WorkerDiedError, OSError):
                if worker.connection.poll(max(0.0, until - time.monotonic())):
                    worker.receive()
                    return worker
                worker.kill()
                self._discard(worker)
                raise WorkerStartError(f"a worker process is not ready after {STARTING:.0f} s")
            exit_code = self._discard(worker)
            if exit_code is not None and exit_code >= 0:
                break
        raise WorkerStartError(
            f"worker processes end before they are ready ({exit_text(exit_code)}): "
            f"is memory short? {GUARD}"
        )

    def _discard(self, worker: Worker | None) -> int | None:
        """Wait for a worker's end; its exit code."""
        if worker is None:
            return None
        exit_code = worker.end()
        with self._starting:
            self._workers.discard(worker)
        return exit_code


class Actor:
    """A worker that sends messages of its own accord, and two threads of ours that talk with it.

    It starts in the background, and `send` never waits: messages are kept until it takes them.
    `on_message` is called in a thread with all that it sends, `on_end` in `loop` once it has ended,
    or could not be started.
    """

    def __init__(
        self,
        target: Target,
        *arguments: Any,
        loop: AbstractEventLoop,
        on_message: Callable[[Any], None],
        on_end: Callable[[], object],
        name: str | None = None,
    ) -> None:
        self._target, self._arguments, self._name = target, arguments, name
        self._loop, self._on_message, self._on_end = loop, on_message, on_end
        self._outbox: SimpleQueue[Any] = SimpleQueue()
        self._worker: Worker | None = None
        self._is_killed = False
        self.exit_code: int | None = None
        self.ended = threading.Event()
        threading.Thread(target=self._live, name=name, daemon=True).start()

    @property
    def pid(self) -> int | None:
        return self._worker.pid if self._worker is not None else None

    def send(self, message: Any) -> None:
        self._outbox.put((message,))

    def kill(self) -> None:
        """End the process, whatever it is at."""
        self._is_killed = True
        if self._worker is not None:
            self._worker.kill()

    def call_in_loop(self, function: Callable[..., object], *arguments: Any) -> None:
        with suppress(RuntimeError):  # the loop has ended first
            self._loop.call_soon_threadsafe(function, *arguments)

    def _live(self) -> None:
        """The thread that listens, from the start of the process to its end."""
        try:
            with suppress(WorkerStartError, WorkerDiedError):
                self._listen()
        finally:  # whatever it was, nobody waits for it any more
            self._outbox.put(None)
            if self._worker is not None:
                self.exit_code = self._worker.end()
            self.ended.set()
            self.call_in_loop(self._on_end)

    def _listen(self) -> None:
        worker = self._worker = Worker(self._target, *self._arguments, name=self._name)
        if self._is_killed:
            worker.kill()
        threading.Thread(target=self._talk, args=(worker,), daemon=True).start()
        while True:
            self._on_message(worker.receive())

    def _talk(self, worker: Worker) -> None:
        """The thread that talks."""
        with suppress(OSError):  # nobody is there to hear it, which the other thread sees
            while (message := self._outbox.get()) is not None:
                worker.connection.send(*message)


def in_order(
    function: Callable[[Task], Result], tasks: Iterable[Task], jobs: int
) -> Iterator[Result]:
    """`map(function, tasks)` on `jobs` processes; with one job, in this one.

    Only a few tasks are in flight at a time, so that a long stream of them stays a stream.
    """
    if jobs <= 1:
        yield from map(function, tasks)
        return
    with Pool(jobs) as pool:
        yield from _through(pool, function, tasks, WAITING_PER_JOB * jobs)


@contextmanager
def workers(jobs: int | Executor) -> Iterator[None]:
    """As long as this lasts, `spread` uses `jobs` processes that stay, or an executor."""
    if isinstance(jobs, int) and jobs <= 1:
        yield
        return
    with Pool(jobs) if isinstance(jobs, int) else nullcontext(jobs) as pool:
        token = _spreading.set(pool)
        try:
            yield
        finally:
            _spreading.reset(token)


def spread(function: Callable[[Task], Result], tasks: Sequence[Task]) -> list[Result]:
    """`map(function, tasks)` on the `workers` there are; in this process if there are none."""
    pool = _spreading.get()
    if pool is None:
        return [function(task) for task in tasks]
    return list(_through(pool, function, tasks, len(tasks)))


_spreading: ContextVar[Executor | None] = ContextVar("spreading", default=None)


def _through(
    pool: Executor, function: Callable[[Task], Result], tasks: Iterable[Task], waiting: int
) -> Iterator[Result]:
    remaining = iter(tasks)
    flying: deque[Future[Result]] = deque()
    try:
        flying.extend(pool.submit(function, task) for task in islice(remaining, waiting))
        while flying:
            result = flying.popleft().result()
            flying.extend(pool.submit(function, task) for task in islice(remaining, 1))
            yield result
    except BrokenExecutor:
        raise GenokuError(
            f"a worker process died: was it killed, or is memory short? {GUARD}"
        ) from None


def batched(items: Iterable[Task], size: int) -> Iterator[list[Task]]:
    """The items in lists of `size`."""
    remaining = iter(items)
    while batch := list(islice(remaining, size)):
        yield batch
