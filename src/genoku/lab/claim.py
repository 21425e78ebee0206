"""One driver per store: a lock that ends with its process, however that ends."""

from __future__ import annotations

import os
import socket
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from genoku.errors import StoreError

WAIT = 1.0  # seconds: whoever only asks holds the lock for less than that
ATTEMPTS = 20


@contextmanager
def claimed(path: Path, who: Callable[[], str] = lambda: "another process") -> Iterator[None]:
    """Be the only one who writes a store as long as this lasts.

    The lock is SQLite's own, on an empty file beside the store: the system lifts it when a process
    dies, and no trace of a crash is in anybody's way. `who` names the one who has it.
    """
    beside = lock_of(path)
    connection = _locked(path, beside, who)
    try:
        yield
    finally:
        with suppress(OSError):  # Windows keeps a file that is open
            beside.unlink()
        connection.close()


def _locked(path: Path, beside: Path, who: Callable[[], str]) -> sqlite3.Connection:
    for _ in range(ATTEMPTS):
        connection = None
        try:
            beside.touch()
            before = _identity(beside)
            connection = sqlite3.connect(beside, timeout=WAIT, isolation_level=None)
            connection.execute("BEGIN EXCLUSIVE")
            # Who ended meanwhile took the file along: our lock is on one that nobody will find.
            if before is not None and before == _identity(beside):
                return connection
            connection.close()
        except (sqlite3.Error, OSError) as error:
            if connection is not None:
                connection.close()
            if getattr(error, "sqlite_errorname", "").startswith("SQLITE_BUSY"):
                raise StoreError(f"{path}: {who()} is running this study") from None
            reason = getattr(error, "strerror", None) or error
            raise StoreError(f"{beside}: cannot be written ({reason})") from None
    raise StoreError(f"{path}: other processes come and go, try again")


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


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
