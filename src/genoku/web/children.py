"""What processes that the server starts have in common: manners, and words for what went wrong."""

from __future__ import annotations

import os
import signal
import sys
from multiprocessing import resource_tracker
from pathlib import Path

from genoku.errors import GenokuError

NICENESS = 10


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
