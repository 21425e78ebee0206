"""Worker processes: each has its own pipe and dies with its parent.

- `Worker` is one process and the parent's end of its pipe.
- `WorkerPool` is an executor. A worker that dies fails only its current call and is replaced, and a
  call can be killed. The standard library's pool breaks as a whole when a worker dies, and waits
  forever for the rest of a result whose sender was killed.
- `Actor` is a worker that sends messages unasked.
- `map_in_order` and `parallel_map` run many calls on a pool or any other executor.
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
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar

from genoku.errors import GenokuError

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

TERMINATE_SECONDS = 1.0  # how long `WorkerPool.terminate` waits for its threads
EXIT_SECONDS = 10.0  # after which a worker that should end is killed
START_ATTEMPTS = 20  # to start a worker that is killed before it is ready
START_SECONDS = 300.0  # for all attempts: a busy network drive is slow
PENDING_PER_JOB = 4  # tasks submitted in advance
PRELOADED = "genoku.engine.run"  # imports nearly all that workers need, above all Numba
MAIN_GUARD_HINT = '(a script that uses several processes needs `if __name__ == "__main__":`)'

Task = TypeVar("Task")
Result = TypeVar("Result")

Call = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]
Target = Callable[..., None]  # runs in a worker; called with its end of the pipe and its arguments


def cores() -> int:
    """Return the number of CPU cores that this process can use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every platform
        return os.cpu_count() or 1


class WorkerDiedError(BrokenExecutor):
    """A worker process ended during a call."""

    def __init__(self, exit_code: int | None) -> None:
        self.exit_code = exit_code
        super().__init__(f"a worker died ({exit_text(exit_code)})")

    @property
    def is_killed(self) -> bool:
        """Whether a user, or a system short of memory, may have killed it."""
        return self.exit_code is None or -self.exit_code in (signal.SIGTERM, 9)


class WorkerStartError(GenokuError):
    """A worker process cannot be started, or does not become ready."""


def exit_text(exit_code: int | None) -> str:
    """Format an exit code: `exit code 3`, `SIGSEGV`."""
    if exit_code is None or exit_code >= 0:
        return f"exit code {exit_code}"
    try:
        return signal.Signals(-exit_code).name
    except ValueError:
        return f"signal {-exit_code}"


class Worker:
    """A process that runs `target(connection, *arguments)`, and our end of its pipe.

    Its methods may block; `receive` raises WorkerDiedError at the end of the pipe.
    """

    def __init__(self, target: Target, *arguments: Any, name: str | None = None) -> None:
        context = _process_context()
        with _lock, block_interrupts():
            try:
                self.connection, theirs = context.Pipe()
                self.process: BaseProcess = context.Process(
                    target=_run_worker, args=(theirs, target, arguments), name=name, daemon=False
                )
                self.process.start()
            except OSError as error:
                reason = error.strerror or error
                raise WorkerStartError(f"cannot start a worker process: {reason}") from None
            _alive.add(self)
            theirs.close()  # only the worker may hold it, so that the pipe ends with it

    def receive(self) -> Any:
        try:
            return self.connection.recv()
        except (EOFError, OSError):
            raise WorkerDiedError(self.end()) from None

    def call(self, call: Call) -> Any:
        """Call a function in a worker that runs `answer_calls`; raise what it raises."""
        try:
            self.connection.send(call)
        except OSError:
            raise WorkerDiedError(self.end()) from None
        is_well, value, trace = self.receive()
        if is_well:
            return value
        raise value from (RemoteError(trace) if trace else None)

    def kill(self) -> None:
        self.process.kill()

    def end(self) -> int | None:
        """Close the pipe, wait until the worker ends, and return its exit code."""
        self.connection.close()
        self.process.join(EXIT_SECONDS)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        with _lock:  # concurrent threads may get None as the exit code
            _alive.discard(self)
            return self.process.exitcode


_lock = threading.Lock()
_alive: set[Worker] = set()


@cache
def _process_context() -> Any:
    """Return the context that starts processes; they are killed when this one ends.

    On Linux they are forked from a server process, which has one thread and imports genoku once
    for all of them; a worker starts in milliseconds.
    """
    # Imported here because most commands use one process and should start fast.
    from multiprocessing import get_context
    from multiprocessing.util import Finalize

    def kill_all() -> None:
        for worker in list(_alive):
            worker.kill()

    Finalize(None, kill_all, exitpriority=0)
    # In Python 3.11.0, every user of the machine can connect to the server (CVE-2022-42919).
    if sys.platform != "linux" or sys.version_info < (3, 11, 1):
        return get_context("spawn")
    context = get_context("forkserver")
    context.set_forkserver_preload([PRELOADED])
    return context


class RemoteError(Exception):
    """The traceback of an error in its worker, as text."""


@contextmanager
def block_interrupts() -> Iterator[None]:
    """Block Ctrl-C in processes started here: before they ignore it, it would end them."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()  # its start would unblock the signal again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def ignore_signals() -> Iterator[None]:
    """Ignore SIGINT and SIGTERM, so that a shutdown can finish."""
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


def _run_worker(connection: Connection, target: Target, arguments: tuple[Any, ...]) -> None:
    """Run a worker process: it ignores Ctrl-C, and ends when the parent ends."""
    from multiprocessing import parent_process

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = parent_process()
    if parent is not None:
        threading.Thread(target=_die_with_parent, args=(parent,), daemon=True).start()
    target(connection, *arguments)


def _die_with_parent(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)


def answer_calls(connection: Connection, initializer: Callable[[], object] | None) -> None:
    """Run the calls received through the pipe and send their results, until the pipe ends."""
    if initializer is not None:
        initializer()
    connection.send("ready")
    while True:
        try:
            function, arguments, options = connection.recv()
            answer: tuple[bool, Any, str] = True, function(*arguments, **options), ""
        except EOFError:  # the other end was closed
            return
        except GenokuError as error:
            answer = False, error, ""
        except Exception as error:
            answer = False, error, "".join(traceback.format_exception(error))
        except BaseException as error:
            answer = False, GenokuError(f"a worker failed: {type(error).__name__}: {error}"), ""
        try:
            connection.send_bytes(_pickle_answer(answer))
        except OSError:  # the other end was closed, or the call closed the pipe
            return


def _pickle_answer(answer: tuple[bool, Any, str]) -> bytes:
    """Pickle an answer; an error that cannot be unpickled is sent as text."""
    from multiprocessing.reduction import ForkingPickler

    is_well, value, trace = answer
    try:
        pickled = bytes(ForkingPickler.dumps(answer))
        if not is_well and type(pickle.loads(pickled)[1]) is not type(value):
            raise TypeError("unpickling changes its type")
    except Exception as error:  # pickling can raise anything
        text = error_text(value) if not is_well else f"cannot send a worker's result: {error}"
        return bytes(ForkingPickler.dumps((False, GenokuError(text), trace)))
    return pickled


def error_text(error: BaseException) -> str:
    """Return the message of an error, with the type of one that is not genoku's."""
    text = " ".join(str(error).split())
    return str(error) if isinstance(error, GenokuError) else f"{type(error).__name__}: {text[:300]}"


def limit_memory(beyond: int) -> None:
    """Limit this process to `beyond` more bytes of address space than it has now; on Linux only."""
    if sys.platform != "linux":
        return
    import resource

    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    most = pages * resource.getpagesize() + beyond
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    if hard == resource.RLIM_INFINITY or most < hard:
        resource.setrlimit(resource.RLIMIT_AS, (most, hard))


class Job(Future[Any]):
    """A call submitted to a pool."""

    def __init__(self, call: Call) -> None:
        super().__init__()
        self.started: Future[None] = Future()  # done once a worker has the call, or it has ended
        self._call = call
        self._worker: Worker | None = None
        self._is_killed = False
        self._lock = threading.Lock()

    def cancel(self) -> bool:
        if not super().cancel():
            return False
        self.started.cancel()
        return True

    def kill(self) -> None:
        """Cancel the call; if a worker runs it, that worker is killed and replaced."""
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
        self.started.set_result(None)
        try:
            return worker.call(self._call)
        finally:
            with self._lock:
                self._worker = None


class WorkerPool(Executor):
    """An executor of `size` workers, each served by a thread.

    Workers call `initializer` before they are ready. They start when they are needed, or at once
    if `eager`. An error or Ctrl-C in the `with` block kills them.
    """

    def __init__(
        self, size: int, initializer: Callable[[], object] | None = None, *, eager: bool = False
    ) -> None:
        self._initializer, self._eager = initializer, eager
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._submitting = threading.RLock()  # a signal handler may run while it is held
        self._starting = threading.Lock()
        self._workers: set[Worker] = set()
        self._closed = self._is_terminated = False
        self._threads: list[threading.Thread] = []
        self.size = 0
        self.resize(size)

    @property
    def pids(self) -> list[int]:
        """The process ids of the workers."""
        return [pid for each in list(self._workers) if (pid := each.process.pid) is not None]

    def resize(self, size: int) -> None:
        """Change the number of workers; surplus ones end when they are idle."""
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
                raise RuntimeError("expected a call before the shutdown of the pool, got one after")
            self._jobs.put(job)
        return job

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Finish all calls, or with `cancel_futures` only those that are running, and end."""
        with self._submitting:
            self._closed = True
        with suppress(Empty):  # a worker's thread may take the last one
            while cancel_futures:
                job = self._jobs.get_nowait()
                if job is not None:
                    job.cancel()
        for _ in self._threads:
            self._jobs.put(None)
        if wait:
            for thread in self._threads:
                thread.join()

    def terminate(self) -> None:
        """Kill all workers; do not wait long for threads, which an interrupt may have blocked."""
        with self._starting:
            self._is_terminated = True
            for worker in self._workers:
                worker.kill()
        self.shutdown(wait=False, cancel_futures=True)
        end = time.monotonic() + TERMINATE_SECONDS
        for thread in self._threads:
            thread.join(max(0.0, end - time.monotonic()))

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        with ignore_signals():
            if kind is None:
                self.shutdown()
            else:
                self.terminate()

    def _serve(self) -> None:
        """Pass calls to one worker, and replace it if it dies."""
        worker: Worker | None = None
        while True:
            if self._eager and worker is None:
                with suppress(WorkerStartError, WorkerDiedError):  # the next call raises it
                    worker = self._start()
            job = self._jobs.get()
            if job is None:
                break
            if not job.set_running_or_notify_cancel():
                continue
            try:
                if worker is None or not worker.process.is_alive():
                    self._discard(worker)
                    worker = None
                    worker = self._start()
                job.set_result(job.run_on(worker))
            except BaseException as error:
                if worker is not None and not worker.process.is_alive():
                    self._discard(worker)
                    worker = None
                job.set_exception(error)
                if not job.started.done():
                    job.started.set_result(None)
        self._discard(worker)

    def _start(self) -> Worker:
        """Start a worker and wait until it is ready; retry if it is killed before."""
        exit_code: int | None = None
        until = time.monotonic() + START_SECONDS
        for _ in range(START_ATTEMPTS):
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
                raise WorkerStartError(f"a worker process is not ready after {START_SECONDS:.0f} s")
            exit_code = self._discard(worker)
            if exit_code is not None and exit_code >= 0:
                break
        raise WorkerStartError(
            f"worker processes end before they are ready ({exit_text(exit_code)}): "
            f"out of memory? {MAIN_GUARD_HINT}"
        )

    def _discard(self, worker: Worker | None) -> int | None:
        """Wait until a worker ends, and return its exit code."""
        if worker is None:
            return None
        exit_code = worker.end()
        with self._starting:
            self._workers.discard(worker)
        return exit_code


class Actor:
    """A worker that sends messages unasked, and two threads that exchange messages with it.

    It starts in the background, and `send` never blocks. `on_message` is called in a thread with
    each message, `on_end` in the event loop once the worker has ended or could not be started.
    """

    def __init__(
        self,
        target: Target,
        *arguments: Any,
        on_message: Callable[[Any], None],
        on_end: Callable[[], object],
        name: str,
    ) -> None:
        from asyncio import get_running_loop

        self._target, self._arguments, self._name = target, arguments, name
        self._loop, self._on_message, self._on_end = get_running_loop(), on_message, on_end
        self._outbox: SimpleQueue[Any] = SimpleQueue()
        self._worker: Worker | None = None
        self._is_killed = False
        self.exit_code: int | None = None
        self.ended = threading.Event()
        threading.Thread(target=self._run, name=name, daemon=True).start()

    @property
    def pid(self) -> int | None:
        return self._worker.process.pid if self._worker is not None else None

    def send(self, message: Any) -> None:
        self._outbox.put((message,))

    def kill(self) -> None:
        self._is_killed = True
        if self._worker is not None:
            self._worker.kill()

    def call_in_loop(self, function: Callable[..., object], *arguments: Any) -> None:
        """Call a function in the event loop, unless it has ended."""
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(function, *arguments)

    def _run(self) -> None:
        try:
            with suppress(WorkerStartError, WorkerDiedError):
                self._receive_messages()
        finally:  # after any error, so that no thread waits for this worker
            self._outbox.put(None)
            if self._worker is not None:
                self.exit_code = self._worker.end()
            self.ended.set()
            self.call_in_loop(self._on_end)

    def _receive_messages(self) -> None:
        worker = self._worker = Worker(self._target, *self._arguments, name=self._name)
        if self._is_killed:
            worker.kill()
        threading.Thread(target=self._send_messages, args=(worker,), daemon=True).start()
        while True:
            self._on_message(worker.receive())

    def _send_messages(self, worker: Worker) -> None:
        with suppress(OSError):  # the worker has ended, which the other thread handles
            while (message := self._outbox.get()) is not None:
                worker.connection.send(*message)


def map_in_order(
    function: Callable[[Task], Result], tasks: Iterable[Task], jobs: int
) -> Iterator[Result]:
    """Like `map(function, tasks)`, on `jobs` processes (1 is this one), a few tasks at a time."""
    if jobs <= 1:
        yield from map(function, tasks)
        return
    with WorkerPool(jobs) as pool:
        yield from _map_on(pool, function, tasks, PENDING_PER_JOB * jobs)


@contextmanager
def use_workers(jobs: int | Executor) -> Iterator[None]:
    """Let `parallel_map` use `jobs` processes, or an executor, in this block."""
    if isinstance(jobs, int) and jobs <= 1:
        yield
        return
    with WorkerPool(jobs) if isinstance(jobs, int) else nullcontext(jobs) as pool:
        token = _executor.set(pool)
        try:
            yield
        finally:
            _executor.reset(token)


def parallel_map(function: Callable[[Task], Result], tasks: Sequence[Task]) -> list[Result]:
    """Like `map(function, tasks)`, on the processes of `use_workers` or else in this process."""
    pool = _executor.get()
    if pool is None:
        return [function(task) for task in tasks]
    return list(_map_on(pool, function, tasks, len(tasks)))


_executor: ContextVar[Executor | None] = ContextVar("executor", default=None)


def _map_on(
    pool: Executor, function: Callable[[Task], Result], tasks: Iterable[Task], ahead: int
) -> Iterator[Result]:
    remaining = iter(tasks)
    pending: deque[Future[Result]] = deque()
    try:
        pending.extend(pool.submit(function, task) for task in islice(remaining, ahead))
        while pending:
            result = pending.popleft().result()
            pending.extend(pool.submit(function, task) for task in islice(remaining, 1))
            yield result
    except BrokenExecutor:
        raise GenokuError(
            f"a worker process died: was it killed, or out of memory? {MAIN_GUARD_HINT}"
        ) from None


def make_batches(items: Iterable[Task], size: int) -> Iterator[list[Task]]:
    """Split items into lists of `size`."""
    remaining = iter(items)
    while batch := list(islice(remaining, size)):
        yield batch
