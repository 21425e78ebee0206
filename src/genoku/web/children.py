"""What processes that the server starts have in common: manners, and how they are heard."""

from __future__ import annotations

import asyncio
import atexit
import os
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import get_context, resource_tracker
from pathlib import Path
from typing import Any

from genoku.errors import GenokuError

NICENESS = 10
STARTING = 120.0  # seconds after which a process that is not ready yet is taken for dead


class Child:
    """A process that says how far it is, and a thread of ours that hears it to its end.

    Its work is called with its end of the pipe first. `hear` is called in the thread with a word
    and a value for all that it says, `over` in the loop of whoever started it, once it has ended.
    """

    def __init__(
        self,
        work: Callable[..., None],
        *arguments: Any,
        name: str,
        hear: Callable[[str, Any], None],
        over: Callable[[], None],
    ) -> None:
        context = get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=work, args=(theirs, *arguments), name=name)
        self.process.start()
        # Otherwise Python waits at its end for a process that has no reason to end.
        atexit.register(self.process.kill)
        theirs.close()
        listening = hear, over, asyncio.get_running_loop()
        threading.Thread(target=self._listen, args=listening, daemon=True).start()

    def _listen(
        self,
        hear: Callable[[str, Any], None],
        over: Callable[[], None],
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        with suppress(EOFError, OSError):
            while True:
                hear(*self.pipe.recv())
        self.process.join()
        self.pipe.close()
        atexit.unregister(self.process.kill)
        with suppress(RuntimeError):  # the server has ended first
            loop.call_soon_threadsafe(over)


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


def keep_interrupts_from_children() -> None:
    """Let Ctrl-C, which reaches every process of a terminal, pass by what this thread starts.

    A child that only begins to ignore it when it is ready would end in a traceback before.
    """
    if hasattr(signal, "pthread_sigmask"):
        resource_tracker.ensure_running()  # which would let them in again if it came later
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


def stand_back() -> None:
    """Leave the processor to others: whoever looks at a page comes first."""
    if hasattr(os, "nice"):
        os.nice(NICENESS)


def words_of(error: Exception) -> str:
    """An error for people; one that is none of ours with its kind."""
    said = " ".join(str(error).split())
    return str(error) if isinstance(error, GenokuError) else f"{type(error).__name__}: {said[:300]}"
