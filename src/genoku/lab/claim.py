"""One driver per store: a lock that ends with its process, however that ends."""

from __future__ import annotations

import os
import socket
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from genoku.errors import StoreError

WAIT = 1.0  # seconds: whoever only asks holds the lock for less than that
HELD: set[str] = set()  # by this process: the system's locks tell processes apart, not threads
FREED = threading.Condition()


@contextmanager
def claimed(path: Path, who: Callable[[], str] = lambda: "another process") -> Iterator[None]:
    """Be the only one who writes a store as long as this lasts.

    The lock is SQLite's own, on an empty file beside the store: the system lifts it when a process
    dies, and no trace of a crash is in anybody's way. `who` names the one who has it.
    """
    beside = lock_of(path)
    with _alone_in_process(path, who), ExitStack() as held:
        until = time.monotonic() + WAIT
        while (ours := _locked(path, beside, who, held)) is None:
            held.close()
            if time.monotonic() > until:
                raise StoreError(f"{path}: other processes come and go, try again")
        try:
            yield
        finally:
            if _is_at(beside, ours):  # who deletes a study takes it along
                with suppress(OSError):  # Windows keeps a file that is open
                    beside.unlink()


@contextmanager
def _alone_in_process(path: Path, who: Callable[[], str]) -> Iterator[None]:
    real = os.path.realpath(path)
    with FREED:
        if is_free := FREED.wait_for(lambda: real not in HELD, WAIT):
            HELD.add(real)
    if not is_free:
        raise StoreError(f"{path}: {who()} is running this study")
    try:
        yield
    finally:
        with FREED:
            HELD.remove(real)
            FREED.notify_all()


def _locked(path: Path, beside: Path, who: Callable[[], str], held: ExitStack) -> BinaryIO | None:
    """The file we have locked, if it is the one that others will find.

    Who ends takes the file along, and a lock on that one holds nobody off. Ours stays open, so
    that no new file can be taken for it: a system gives the number of a file that is gone to the
    next one.
    """
    try:
        ours = held.enter_context(beside.open("ab"))
    except FileNotFoundError:
        raise StoreError(f"{path}: there is no folder {path.parent}") from None
    except OSError as error:
        raise StoreError(f"{beside}: cannot be written ({error.strerror})") from None
    try:
        connection = held.enter_context(
            closing(sqlite3.connect(beside, timeout=WAIT, isolation_level=None))
        )
        connection.execute("BEGIN EXCLUSIVE")
    except sqlite3.Error as error:
        if error.sqlite_errorname.startswith("SQLITE_BUSY"):
            raise StoreError(f"{path}: {who()} is running this study") from None
        if _is_at(beside, ours):
            raise StoreError(f"{beside}: cannot be written ({error})") from None
    return ours if _is_at(beside, ours) else None


def _is_at(path: Path, file: BinaryIO) -> bool:
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except OSError:
        return False


def is_claimed(path: Path) -> bool:
    """Whether somebody writes a store just now."""
    beside = lock_of(path)
    if not beside.exists():
        return False
    try:
        uri = f"{beside.absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(uri, timeout=0, uri=True)) as connection:
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.Error as error:
        return getattr(error, "sqlite_errorname", "").startswith("SQLITE_BUSY")
    return False


def lock_of(path: Path) -> Path:
    return path.with_name(f"{path.name}.lock")


def this_process() -> str:
    """What others are told of who runs a study."""
    return f"{os.getpid()}@{socket.gethostname()}"


def named(driver: str) -> str:
    """A driver's note in words, with the machine where it is another one."""
    pid, _, host = driver.partition("@")
    if not pid:
        return "another process"
    return f"process {pid}" + ("" if host == socket.gethostname() else f" on {host}")
