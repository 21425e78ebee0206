"""How a file of results is opened, changed and spoken of: SQLite, and its errors in words."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from genoku.errors import GenokuError, StoreError

MARK = 0x67656E6B  # "genk", at byte 68 of the file: a store of ours and no other database

REASONS = {
    "SQLITE_FULL": "the disk is full; the runs that were kept are safe, free some room and resume",
    "SQLITE_IOERR": "cannot be read or written; the runs that were kept are safe",
    "SQLITE_NOTADB": "expected the results of a study, got another file",
    "SQLITE_CORRUPT": "the file is damaged",
    "SQLITE_CANTOPEN": "cannot be opened",
    "SQLITE_READONLY": "may not be written",
    "SQLITE_BUSY": "another process has been writing it for half a minute",
    "SQLITE_PROTOCOL": "cannot be locked; a network file system may not do: take a local disk",
}
EXPECTED = (
    sqlite3.Error,
    GenokuError,
    OSError,
    AttributeError,
    KeyError,
    RecursionError,
    TypeError,
    ValueError,
    OverflowError,
)


def connected(path: Path, *, may_be_locked: bool = False) -> sqlite3.Connection:
    """A connection, not yet asked anything but whether the file is a database.

    Readers of a WAL file write beside it. Where they may not (`may_be_locked`) and nobody else
    writes, they read the file alone.
    """
    with in_words(path):
        if path.is_dir():
            raise StoreError("expected the results of a study, got a folder")
    try:
        return _asked(path, "")
    except sqlite3.OperationalError:
        waiting = path.with_name(f"{path.name}-wal")
        with in_words(path):
            if not may_be_locked or (waiting.exists() and waiting.stat().st_size):
                raise
            return _asked(path, "?immutable=1")
    except sqlite3.Error:
        with in_words(path):
            raise


def _asked(path: Path, how: str) -> sqlite3.Connection:
    name = path.absolute().as_uri() + how
    connection = sqlite3.connect(name, timeout=30.0, isolation_level=None, uri=True)
    try:
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute("PRAGMA foreign_keys=ON")
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def is_marked(connection: sqlite3.Connection) -> bool:
    """Whether a database is a store of ours; one without a page yet is none."""
    (mark,) = connection.execute("PRAGMA application_id").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if tables and mark != MARK:
        raise StoreError("expected the results of a study, got another database")
    return bool(mark == MARK)


@contextmanager
def all_or_nothing(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):  # a full disk has rolled back by itself
            connection.execute("ROLLBACK")
        raise


@contextmanager
def in_words(
    path: Path, connection: sqlite3.Connection | None = None, other: str = "the file is damaged"
) -> Iterator[None]:
    """Say what is wrong with a file, and close it if it cannot be used at all.

    `other` is what anything else means: what is read and makes no sense, we never wrote.
    """
    try:
        yield
    except EXPECTED as error:
        if connection is not None:
            connection.close()
        if isinstance(error, GenokuError):
            if not isinstance(error, StoreError) or str(error).startswith(str(path)):
                raise
            raise StoreError(f"{path}: {error}") from error
        if isinstance(error, OSError):
            raise StoreError(f"{path}: {error.strerror or error}") from error
        code = getattr(error, "sqlite_errorname", "")
        kind = f"{other} ({type(error).__name__}: {error})"
        reason = next((said for name, said in REASONS.items() if code.startswith(name)), kind)
        raise StoreError(f"{path}: {reason}") from error
