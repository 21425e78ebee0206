"""The results of a study in one SQLite file: a row per run, kept as soon as it is there.

Rows are named by the hash of what made them, so that none is there twice, however often a study
is interrupted and resumed. The file is in WAL mode: it can be read while it is written, and what
was committed survives a crash of the process. One process at a time writes it (`locked`).

SQLite sees whether its pages hang together, not whether a byte within a row has changed: rows have
checksums, so that no figure is made of numbers that nobody wrote. Stores without them, of genoku
0.1.0, are read as they are.

The history of a run is packed into a few hundred bytes: differences, rounded floats, zlib. Whole
numbers come back as they were. Other numbers keep 14 bits, four digits: a study has room for a
hundred thousand runs, and no figure shows more.

A run is named by its recipe, where a part of the user's own is a module and a name. What the module
says is not in it, so a store notes the hash of its file beside the runs.
"""

from __future__ import annotations

import json
import os
import socket
import sqlite3
import struct
import sys
import threading
import time
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, fields
from hashlib import blake2b
from importlib import invalidate_caches
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from genoku import __version__, display
from genoku.engine.history import FIELDS, WHOLE, Column, History
from genoku.engine.result import Result
from genoku.errors import GenokuError, StoreError
from genoku.failures import modules_of
from genoku.lab.study import SHOWN, Planned, Study
from genoku.recipe import Trust
from genoku.words import plural
from genoku.workers import batched

Whole = NDArray[np.int64]
Number = NDArray[np.float64]


class Row(NamedTuple):
    """What is kept of a run."""

    key: bytes
    arm: int
    instance: int
    seed: int
    solved: bool
    cost: int
    final_cost: int
    score: float
    loss: float
    steps: int
    evaluations: int
    moves: int
    seconds: float
    cpu_seconds: float
    stop_reason: str
    board: bytes
    history: bytes

    @classmethod
    def of(cls, key: bytes, planned: Planned, result: Result) -> Row:
        """Of a run; its fields from `solved` to `stop_reason` are those of its result."""
        *facts, reason = (getattr(result, name) for name in cls._fields[4:-2])
        board, history = result.board.tobytes(), pack(result.history)
        return cls._make((key, *planned, *facts, str(reason), board, history))


class Failure(NamedTuple):
    """A run that came to nothing, and why."""

    key: bytes
    arm: int
    instance: int
    seed: int
    message: str


Outcome = Row | Failure


@dataclass(frozen=True, eq=False)
class Results:
    """Columns of equal length, a run each, in the order of the plan.

    `arm` and `instance` are places in the study. `score` is on the report's own scale, `loss` from
    0 (solved) to 1. Times are those of the run alone, without loading kernels.
    """

    arm: Whole
    instance: Whole
    seed: Whole
    solved: NDArray[np.bool_]
    cost: Whole
    final_cost: Whole
    score: Number
    loss: Number
    steps: Whole
    evaluations: Whole
    moves: Whole
    seconds: Number
    cpu_seconds: Number
    stop_reason: NDArray[np.str_]

    @classmethod
    def of_rows(cls, rows: list[tuple[Any, ...]]) -> Results:
        """Rows with the columns in their order."""
        columns = list(zip(*rows, strict=True)) or [()] * len(COLUMNS)
        kinds = {"solved": np.bool_, "stop_reason": np.str_} | dict.fromkeys(REAL, np.float64)
        arrays: list[Any] = [
            np.array(column, kinds.get(name, np.int64))
            for name, column in zip(COLUMNS, columns, strict=True)
        ]
        return cls(*arrays)

    def __len__(self) -> int:
        return len(self.seed)

    def of(self, arm: int | None = None, instance: int | None = None) -> Results:
        """The runs of an arm, of an instance, or of both."""
        chosen = np.ones(len(self), np.bool_)
        if arm is not None:
            chosen &= self.arm == arm
        if instance is not None:
            chosen &= self.instance == instance
        return self.where(chosen)

    def where(self, chosen: NDArray[Any]) -> Results:
        """The runs of a mask, or at places."""
        arrays: list[Any] = [getattr(self, name)[chosen] for name in COLUMNS]
        return Results(*arrays)


COLUMNS = tuple(each.name for each in fields(Results))
REAL = ("score", "loss", "seconds", "cpu_seconds")
CLOCKS = ("seconds", "cpu_seconds")
"""What differs from one machine, and one time, to another."""


NAMES = list(FIELDS)
HEAD = struct.Struct("<IB")  # rows, columns
ENTRY = struct.Struct("<BB")  # the place of a name in `FIELDS`, bytes per number
DROPPED = 10  # of the 23 bits after a float's point


def pack(history: History) -> bytes:
    """A history as bytes."""
    head, body = HEAD.pack(history.rows, len(history)), b""
    for name, column in history.items():
        words = _differences(column) if name in WHOLE else _changes(column)
        head += ENTRY.pack(NAMES.index(name), words.itemsize)
        # All first bytes, then all second ones: those that hardly change lie side by side.
        body += words.view(np.uint8).reshape(-1, words.itemsize).T.tobytes()
    return zlib.compress(head + body, 6)


def unpack(packed: bytes) -> History:
    """The history that `pack` made these bytes of; ValueError if they are none."""
    try:
        data = _inflated(packed)
        rows, count = HEAD.unpack_from(data)
        columns: dict[str, Column] = {}
        at = HEAD.size + count * ENTRY.size
        for i in range(count):
            place, size = ENTRY.unpack_from(data, HEAD.size + i * ENTRY.size)
            block = np.frombuffer(data, np.uint8, rows * size, at).reshape(size, rows)
            words = np.ascontiguousarray(block.T).view(f"<u{size}").ravel()
            name = NAMES[place]
            columns[name] = _summed(words) if name in WHOLE else _undone(words)
            at += rows * size
        if at != len(data):
            raise ValueError("bytes are left over")
    except (zlib.error, struct.error, IndexError, TypeError, ValueError) as error:
        raise ValueError(f"not a packed history: {error}") from None
    return History(columns)


def _inflated(packed: bytes) -> bytes:
    inflater = zlib.decompressobj()
    data = inflater.decompress(packed)
    if not inflater.eof or inflater.unused_data:  # which zlib.decompress would not mind
        raise ValueError("bytes are missing or left over")
    return data


def _differences(column: Column) -> NDArray[Any]:
    """Each number less the one before, signs last, in as few bytes as the largest needs."""
    numbers = column.astype(np.int64)
    steps = numbers - np.concatenate((np.zeros(1, np.int64), numbers[:-1]))[: len(numbers)]
    words = ((steps << 1) ^ (steps >> 63)).view(np.uint64)
    most = int(words.max(initial=0))
    size = next(size for size in (1, 2, 4, 8) if most < 1 << 8 * size)
    fewest: NDArray[Any] = words.astype(f"<u{size}")
    return fewest


def _summed(words: NDArray[Any]) -> NDArray[np.int64]:
    wide = words.astype(np.uint64)
    steps = (wide >> np.uint64(1)).astype(np.int64) ^ -(wide & np.uint64(1)).astype(np.int64)
    return np.cumsum(steps)


def _changes(column: Column) -> NDArray[np.uint32]:
    """Rounded floats, each as the bits in which it differs from the one before."""
    with np.errstate(over="ignore"):  # beyond 3e38 is infinite
        bits = column.astype("<f4").view(np.uint32)
    finite = np.isfinite(column)
    half = np.uint32(1 << (DROPPED - 1))
    kept = (np.where(finite, bits + half, bits) >> DROPPED) << DROPPED
    before = np.concatenate((np.zeros(1, np.uint32), kept[:-1]))
    return (kept ^ before).astype("<u4")


def _undone(words: NDArray[Any]) -> NDArray[np.float64]:
    return np.bitwise_xor.accumulate(words.astype(np.uint32)).view("<f4").astype(np.float64)


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


CHECKSUMS = """
CREATE TABLE checksums (
    key BLOB PRIMARY KEY, run TEXT NOT NULL, board TEXT NOT NULL
) WITHOUT ROWID
"""
# What somebody deletes is not lost.
FORGET_CHECKSUM = """
CREATE TRIGGER forget_checksum AFTER DELETE ON runs
BEGIN DELETE FROM checksums WHERE key=old.key; END
"""
INSERT_CHECKSUM = "INSERT INTO checksums VALUES (?, ?, ?) ON CONFLICT (key) DO NOTHING"
LOST = "SELECT count(*) FROM checksums WHERE key NOT IN (SELECT key FROM runs)"
CURE = "restore it from a copy, or run the study again into another file"


def checksum(*values: Any) -> str:
    """Of values as SQLite gives them back: truths as numbers, and no zero below zero."""
    plain = [value + 0 if isinstance(value, bool | float) else value for value in values]
    return f"{zlib.crc32(repr(plain).encode()):08x}"


class Checksums:
    """Those of one store, where it has them."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        named = "SELECT count(*) FROM sqlite_master WHERE name='checksums'"
        (self.are_there,) = connection.execute(named).fetchone()

    def add(self, rows: Iterable[Sequence[Any]]) -> None:
        """Note rows that end in a board and a history; those that are there stay."""
        if self.are_there:
            noted = [(row[0], checksum(*row[:-2]), checksum(row[-2])) for row in rows]
            self._connection.executemany(INSERT_CHECKSUM, noted)

    def check_row(self, row: Sequence[Any]) -> None:
        """Raise StoreError if a row, board included, is not what was written."""
        if self.are_there:
            named = "SELECT run, board FROM checksums WHERE key=?"
            said = self._connection.execute(named, row[:1]).fetchone()
            _refuse_damage((checksum(*row[:-2]), checksum(row[-2])), said, row[0])

    def checked(self, columns: str) -> list[tuple[Any, ...]]:
        """These columns of all runs, which are all but board and history, the key first."""
        if not self.are_there:
            return self._connection.execute(f"SELECT {columns} FROM runs").fetchall()
        found = self._connection.execute(
            f"SELECT {columns}, checksums.run FROM runs LEFT JOIN checksums USING (key)"
        ).fetchall()
        for *run, said in found:
            _refuse_damage(checksum(*run), said, run[0])
        (lost,) = self._connection.execute(LOST).fetchone()
        if lost:
            raise StoreError(f"the file is damaged: {plural(lost, 'run')} lost; {CURE}")
        return [run[:-1] for run in found]


def _refuse_damage(found: object, said: object, key: bytes) -> None:
    if found != said:
        raise StoreError(f"the file is damaged: run {key.hex()} has another checksum; {CURE}")


WAIT = 1.0  # seconds: whoever only asks holds the lock for less than that
HELD: set[str] = set()  # by this process: the system's locks tell processes apart, not threads
FREED = threading.Condition()


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Be the only one who writes a store as long as this lasts.

    The lock is SQLite's own, on an empty file beside the store: the system lifts it when a process
    dies, and no trace of a crash is in anybody's way.
    """
    beside = lock_of(path)
    with _alone_in_process(path), ExitStack() as held:
        until = time.monotonic() + WAIT
        while (ours := _lock_file(path, beside, held)) is None:
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
def _alone_in_process(path: Path) -> Iterator[None]:
    real = os.path.realpath(path)
    with FREED:
        if is_free := FREED.wait_for(lambda: real not in HELD, WAIT):
            HELD.add(real)
    if not is_free:
        raise StoreError(f"{path}: {driver_of(path)} is running this study")
    try:
        yield
    finally:
        with FREED:
            HELD.remove(real)
            FREED.notify_all()


def _lock_file(path: Path, beside: Path, held: ExitStack) -> BinaryIO | None:
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
            raise StoreError(f"{path}: {driver_of(path)} is running this study") from None
        if _is_at(beside, ours):
            raise StoreError(f"{beside}: cannot be written ({error})") from None
    return ours if _is_at(beside, ours) else None


def _is_at(path: Path, file: BinaryIO) -> bool:
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except OSError:
        return False


def is_locked(path: Path) -> bool:
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


def process_text(driver: str) -> str:
    """A driver's note in words, with the machine where it is another one."""
    pid, _, host = driver.partition("@")
    if not pid:
        return "another process"
    return f"process {pid}" + ("" if host == socket.gethostname() else f" on {host}")


def driver_of(path: Path) -> str:
    """Who runs a study, in words."""
    try:
        with Store.open(path) as store:
            return process_text(store.noted("driver"))
    except GenokuError:  # which is not there yet
        return process_text("")


SCHEMA = 1

TABLES = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE arms (
    id INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL, recipe TEXT NOT NULL, until TEXT NOT NULL
);
CREATE TABLE instances (
    id INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL, puzzle TEXT NOT NULL, box TEXT NOT NULL
);
CREATE TABLE runs (
    key BLOB NOT NULL UNIQUE,
    arm INTEGER NOT NULL REFERENCES arms, instance INTEGER NOT NULL REFERENCES instances,
    seed INTEGER NOT NULL, solved INTEGER NOT NULL,
    cost INTEGER NOT NULL, final_cost INTEGER NOT NULL, score REAL NOT NULL, loss REAL NOT NULL,
    steps INTEGER NOT NULL, evaluations INTEGER NOT NULL, moves INTEGER NOT NULL,
    seconds REAL NOT NULL, cpu_seconds REAL NOT NULL, stop_reason TEXT NOT NULL,
    board BLOB NOT NULL, history BLOB NOT NULL
);
CREATE TABLE failures (
    key BLOB NOT NULL UNIQUE,
    arm INTEGER NOT NULL REFERENCES arms, instance INTEGER NOT NULL REFERENCES instances,
    seed INTEGER NOT NULL, message TEXT NOT NULL
);
CREATE INDEX runs_of_a_pair ON runs (arm, instance);
"""

# Not INSERT OR IGNORE, which would also drop a row that is not whole.
INSERT = (
    f"INSERT INTO runs VALUES ({', '.join('?' * len(Row._fields))}) ON CONFLICT (key) DO NOTHING"
)
INSERT_FAILURE = f"INSERT OR REPLACE INTO failures VALUES ({', '.join('?' * len(Failure._fields))})"
FORGET_FAILURE = """
DELETE FROM failures WHERE key=? AND EXISTS (SELECT 1 FROM runs WHERE runs.key=failures.key)
"""
WHAT = ", ".join(name for name in Row._fields if name not in ("key", "board", "history"))


class Store:
    """An open file of results; `with Store.open("study.db") as store:`."""

    def __init__(self, path: Path, connection: sqlite3.Connection, trust: Trust = False) -> None:
        self.path = path
        self._connection = connection
        self._study_text = self._meta("study")
        if self.noted("study_checksum") not in ("", checksum(self._study_text)):
            raise StoreError(f"{path}: the file is damaged: its study has another checksum")
        self._checksums = Checksums(connection)
        self.study = Study.of_text(self._study_text, trust)
        self._arms = self._places("arms", [arm.digest for arm in self.study.arms])
        self._instances = self._places("instances", [each.digest for each in self.study.instances])

    @classmethod
    def create(cls, path: str | Path, study: Study) -> Self:
        """A file for the runs of a study: a new one, or one that has some of them already.

        A study may have grown since: runs that are there stay.
        """
        path = Path(path)
        study.refuse_another_version()
        connection = connected(path)
        with in_words(path, connection):
            if is_marked(connection):
                _refuse_newer(connection)
                store = cls(path, connection)
                there = store.study
                there.refuse_another_version()
                if there.record != study.record:
                    raise StoreError(
                        "expected a study that records the same, "
                        f"{there.record}, got {study.record}: take another file"
                    )
                store._refuse_another(study)
                connection.execute("BEGIN IMMEDIATE")
            else:
                connection.execute("PRAGMA journal_mode=WAL")
                connection.execute("BEGIN IMMEDIATE")
                if not is_marked(connection):  # nobody was quicker
                    tables = *filter(str.strip, TABLES.split(";")), CHECKSUMS, FORGET_CHECKSUM
                    for statement in tables:
                        connection.execute(statement)
                    connection.execute(f"PRAGMA application_id={MARK}")
                    connection.execute(f"PRAGMA user_version={SCHEMA}")
                    _put(connection, "genoku", __version__)
            _put(connection, "study", study.text())
            _put(connection, "study_checksum", checksum(study.text()))
            _list(connection, study)
            connection.execute("COMMIT")
            return cls(path, connection, study.trust)

    @classmethod
    def open(cls, path: str | Path, *, writing: bool = False, trust: Trust = False) -> Self:
        """A file that is there, to read (others may write it meanwhile) or to add runs.

        Nothing is imported; algorithms with parts of somebody's own are built only with `trust`.
        """
        path = Path(path)
        with in_words(path):
            if not path.exists():
                raise StoreError("expected the results of a study, got no file")
        connection = connected(path, may_be_locked=not writing)
        with in_words(path, connection):
            if not is_marked(connection):
                raise StoreError("expected the results of a study, got an empty file")
            _refuse_newer(connection)
            if not writing:
                connection.execute("PRAGMA query_only=1")
            store = cls(path, connection, trust)
            if writing:
                store.study.refuse_another_version()
            return store

    def add(self, outcomes: Iterable[Outcome]) -> None:
        """Keep runs, all of them or, if something is in the way, none."""
        other = "a run cannot be kept"
        with in_words(self.path, other=other), all_or_nothing(self._connection):
            for some in batched(outcomes, 1000):
                self._add(some)

    def _add(self, outcomes: list[Outcome]) -> None:
        """A run that is there is no failure, whichever came first."""
        rows: list[Outcome] = []
        failures: list[Outcome] = []
        for outcome in outcomes:
            arm, instance = self._arms[outcome.arm], self._instances[outcome.instance]
            kept = outcome._replace(arm=arm, instance=instance)
            (rows if isinstance(outcome, Row) else failures).append(kept)
        self._connection.executemany(INSERT, rows)
        self._checksums.add(rows)
        self._connection.executemany(INSERT_FAILURE, failures)
        ended = [outcome[:1] for outcome in outcomes]
        self._connection.executemany(FORGET_FAILURE, ended)

    def done(self) -> set[bytes]:
        """The keys of all runs that are there, planned ones and others."""
        return set(self.verdicts())

    def verdicts(self) -> dict[bytes, bool]:
        """As `done`, each with whether it was solved."""
        with in_words(self.path):
            found = self._connection.execute("SELECT key, solved FROM runs")
            return {key: bool(solved) for key, solved in found}

    def failures(self) -> list[Failure]:
        """What came to nothing, by the order of the plan; resuming tries it again."""
        with in_words(self.path):
            found = self._connection.execute("SELECT * FROM failures").fetchall()
            return [Failure(*row) for row in self._planned(found, 1)]

    def results(self) -> Results:
        """The planned runs that are there, as columns."""
        with in_words(self.path):
            found = self._planned(self._checksums.checked(f"key, {WHAT}"), 1)
            return Results.of_rows([row[1:] for row in found])

    def rows(self, arm: int | None = None, instance: int | None = None) -> Iterator[Row]:
        """The planned runs with their boards and histories, in the order of the plan, or
        those of an arm and an instance."""
        where = [
            f"{name}={places[place]}"
            for name, places, place in (
                ("arm", self._arms, arm),
                ("instance", self._instances, instance),
            )
            if place is not None
        ]
        clause = f" WHERE {' AND '.join(where)}" if where else ""
        with in_words(self.path):
            found = self._connection.execute(
                f"SELECT rowid, arm, instance, seed FROM runs{clause}"
            ).fetchall()
            for rowid, *planned in self._planned(found, 1):
                row = self._connection.execute("SELECT * FROM runs WHERE rowid=?", (rowid,))
                kept = Row(*row.fetchone())
                self._checksums.check_row(kept)
                yield kept._replace(arm=planned[0], instance=planned[1], solved=bool(kept.solved))

    def histories(
        self, arm: int | None = None, instance: int | None = None
    ) -> Iterator[tuple[Row, History]]:
        """As `rows`, each with its history."""
        for row in self.rows(arm, instance):
            yield row, history_of(row, self.path)

    def check(self) -> None:
        """Read all of the file and raise StoreError if it is damaged."""
        with in_words(self.path):
            (said,) = self._connection.execute("PRAGMA quick_check(1)").fetchone()
        if said != "ok":
            raise StoreError(f"{self.path}: the file is damaged ({' '.join(said.split())})")

    def note(self, name: str, value: str) -> None:
        """Keep a word beside the runs, such as which of them belong here."""
        with in_words(self.path):
            _put(self._connection, name, value)

    def noted(self, name: str) -> str:
        """What was noted; nothing where nothing was."""
        with in_words(self.path):
            found = self._connection.execute("SELECT value FROM meta WHERE name=?", (name,))
            return str((found.fetchone() or ("",))[0])

    @property
    def genoku(self) -> str:
        """The version that wrote it."""
        return self._meta("genoku")

    def close(self) -> None:
        self._connection.close()

    def _repr_html_(self) -> str:
        study = self.study
        try:
            results, failures = self.results(), len(self.failures())
        except GenokuError:  # such as one that is closed
            said = display.note(f"{self.path}: cannot be read now; Store.open opens it")
            return display.shown(display.headline(study.name, study.question), said)
        rows = [
            (arm.name, len(own), int(own.solved.sum()))
            for place, arm in enumerate(study.arms[:SHOWN])
            for own in [results.of(place)]
        ]
        done = f"{len(results):,} of {plural(len(study), 'run')} done"
        done += f", {plural(failures, 'run')} failed" if failures else ""
        return display.shown(
            display.headline(study.name, study.question),
            f"<div>{display.share(len(results) / len(study))} {display.text(done)}</div>",
            display.table(("algorithm", "runs", "solved"), rows, (1, 2)),
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _meta(self, name: str) -> str:
        with in_words(self.path):
            (value,) = self._connection.execute("SELECT value FROM meta WHERE name=?", (name,))
            return str(value[0])

    def _places(self, table: str, digests: list[str]) -> list[int]:
        """The ids of what a study lists."""
        ids = self._ids(table)
        return [ids[digest] for digest in digests]

    def _ids(self, table: str) -> dict[str, int]:
        return dict(self._connection.execute(f"SELECT digest, id FROM {table}").fetchall())

    def _refuse_another(self, study: Study) -> None:
        """Raise StoreError if there are runs and a study of another name plans none of them.

        One of the same name, such as a quick one made whole, may have changed all of its runs.
        """
        if (
            study.name == self.study.name
            or not self._connection.execute("SELECT EXISTS (SELECT 1 FROM runs)").fetchone()[0]
        ):
            return
        ids = self._ids("arms"), self._ids("instances")
        arms = {ids[0].get(each.digest) for each in study.arms}
        instances = {ids[1].get(each.digest) for each in study.instances}
        seeds = set(study.seeds)
        runs = self._connection.execute("SELECT arm, instance, seed FROM runs")
        if not any(arm in arms and each in instances and seed in seeds for arm, each, seed in runs):
            raise StoreError(
                f"expected a study that plans some of its runs, which are of {self.study.name!r}, "
                f"got {study.name!r}, which plans none of them: take another file with --store"
            )

    def _planned(self, rows: Sequence[tuple[Any, ...]], at: int) -> list[tuple[Any, ...]]:
        """Rows with places in the study in place of ids, in the order of the plan.

        From column `at` on they have arm, instance and seed. What is no longer planned is left out.
        """
        arms = {name: place for place, name in enumerate(self._arms)}
        instances = {name: place for place, name in enumerate(self._instances)}
        seeds = {seed: place for place, seed in enumerate(self.study.seeds)}
        found = []
        for row in rows:
            arm, instance, seed = row[at : at + 3]
            if arm in arms and instance in instances and seed in seeds:
                place = (seeds[seed], instances[instance], arms[arm])
                found.append((place, (*row[:at], place[2], place[1], seed, *row[at + 3 :])))
        found.sort(key=lambda pair: pair[0])
        return [row for _, row in found]


def is_empty(path: Path) -> bool:
    """Whether a store was never begun, such as where the disk was full."""
    connection = connected(path, may_be_locked=True)
    with in_words(path, connection), closing(connection):
        return not is_marked(connection)


def history_of(row: Row, path: Path) -> History:
    """The history of a run out of the store at `path`; StoreError if it is damaged."""
    try:
        return unpack(row.history)
    except ValueError as error:
        raise StoreError(f"{path}: run {row.key.hex()}: {error}") from None


def _refuse_newer(connection: sqlite3.Connection) -> None:
    (schema,) = connection.execute("PRAGMA user_version").fetchone()
    if schema > SCHEMA:
        raise StoreError(
            f"expected a store of version {SCHEMA} or older, got version {schema}, which genoku "
            f"{_version(connection)} wrote: it needs a newer genoku than {__version__}"
        )


def _version(connection: sqlite3.Connection) -> str:
    """The genoku that wrote a store, as far as it can be read."""
    with suppress(sqlite3.Error):
        found = connection.execute("SELECT value FROM meta WHERE name='genoku'").fetchone()
        return str(found[0]) if found else "unknown"
    return "unknown"


def _put(connection: sqlite3.Connection, name: str, value: str) -> None:
    connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, value))


def _list(connection: sqlite3.Connection, study: Study) -> None:
    """Give every arm and instance an id; a new name replaces the old one."""
    again = "ON CONFLICT (digest) DO UPDATE SET name=excluded.name"
    connection.executemany(
        f"INSERT INTO arms (digest, name, recipe, until) VALUES (?, ?, ?, ?) {again}",
        [(arm.digest, arm.name, json.dumps(arm.recipe), arm.until) for arm in study.arms],
    )
    connection.executemany(
        f"INSERT INTO instances (digest, name, puzzle, box) VALUES (?, ?, ?, ?) {again}",
        [
            (each.digest, each.name, str(each.puzzle), each.puzzle.geometry.box)
            for each in study.instances
        ],
    )


NOTE = "sources"

Sources = dict[str, str]
"""A hash of the file of every module."""


def sources_of(study: Study, folder: str = "") -> Sources:
    """The modules of a study's own parts that are found, looked for in `folder` as well."""
    invalidate_caches()  # a file may have been written just now
    modules = {module for arm in study.arms for module in modules_of(arm.recipe)}
    found = {module: _file_of(module, folder) for module in sorted(modules)}
    return {
        module: blake2b(file.read_bytes(), digest_size=16).hexdigest()
        for module, file in found.items()
        if file is not None
    }


def noted_sources(store: Store) -> Sources:
    """What a store's runs were made with, as far as it was noted."""
    noted: Sources = json.loads(store.noted(NOTE) or "{}")
    return noted


def note_sources(store: Store, now: Sources) -> Iterator[str]:
    """Note what runs are made with from now on, and say of what that is another.

    What the first runs of a module were made with stays noted as long as they are there.
    """
    before = noted_sources(store)
    if not now and not before:
        return
    counts = _counts(store)
    kept = {module: each for module, each in before.items() if counts.get(module)}
    store.note(NOTE, json.dumps({**now, **kept}))
    for module, digest in now.items():
        if kept.get(module, digest) != digest:
            some = "the first run was" if counts[module] == 1 else "the first runs were"
            yield (
                f"{store.path}: {_file_name(module)} has changed since {some} made: what is there "
                f"stays ({counts[module]:,}); take another store to make it again"
            )


def mixed_sources(stores: Sequence[Store]) -> Iterator[str]:
    """Say of which modules the runs of some stores were not made with the same file."""
    first: dict[str, tuple[str, Path]] = {}
    for store in stores:
        for module, digest in noted_sources(store).items():
            known, path = first.setdefault(module, (digest, store.path))
            if known != digest:
                yield (
                    f"{store.path}: its runs were made with another {_file_name(module)} than "
                    f"those of {path}"
                )


def _counts(store: Store) -> dict[str, int]:
    """How many runs that are there have parts of a module."""
    runs = store.results().arm.tolist()
    counts: dict[str, int] = {}
    for place, arm in enumerate(store.study.arms):
        for module in modules_of(arm.recipe):
            counts[module] = counts.get(module, 0) + runs.count(place)
    return counts


def _file_of(module: str, folder: str) -> Path | None:
    """Where a module lies; nothing is imported for it."""
    places: Sequence[str] | None = [*sys.path, folder] if folder else sys.path
    origin: str | None = None
    for name in module.split("."):
        spec = PathFinder.find_spec(name, places)
        if spec is None:
            return None
        origin, places = spec.origin, spec.submodule_search_locations
    file = Path(origin or "")
    return file if file.is_file() else None


def _file_name(module: str) -> str:
    return f"{module.rpartition('.')[2]}.py"


class Merged(NamedTuple):
    """What a store holds after others were added to it."""

    added: int
    done: int
    planned: int
    failed: int


def merge(
    out: str | Path,
    inputs: Sequence[str | Path],
    warn: Callable[[str], object] = warnings.warn,
) -> Merged:
    """Add the runs of all inputs to `out`, which may be new; none is there twice.

    Inputs are read and checked as a whole before anything is written, and all of them are added or
    none. `warn` hears of runs made with different files of the user's own.
    """
    target = Path(out)
    with ExitStack() as stack:
        stores: list[Store] = []
        for path in map(Path, inputs):
            if path.exists() and target.exists() and path.samefile(target):
                raise StoreError(f"{path}: expected other stores to add to it, got itself")
            stores.append(stack.enter_context(Store.open(path)))
        if not stores:
            raise StoreError(f"{target}: expected stores to add to it, got none")
        stack.enter_context(locked(target))
        if target.exists():
            stores.insert(0, stack.enter_context(Store.open(target)))
        first, *others = stores
        for store in stores:
            store.study.refuse_another_version()
        for other in others:
            _refuse_another_study(first, other)
        for store in stores:
            _read_all_of(store)
        for mixed in mixed_sources(stores):
            warn(mixed)
        return _merged(target, first.study, [each for each in stores if each.path != target])


def _merged(target: Path, study: Study, stores: list[Store]) -> Merged:
    is_new = not target.exists()
    try:
        with Store.create(target, study) as store:
            before = len(store.done())
            store.add(_outcomes(stores))
            store.note("shard", "")
            sources = {
                module: each
                for one in reversed(stores)
                for module, each in noted_sources(one).items()
            }
            for _ in note_sources(store, sources):
                pass  # which the inputs have told
            after = len(store.done())
            done, failed = len(store.results()), len(store.failures())
            return Merged(after - before, done, len(study), failed)
    except BaseException:
        if is_new:  # nobody wants an empty one
            for end in ("", "-wal", "-shm"):
                target.with_name(target.name + end).unlink(missing_ok=True)
        raise


def _outcomes(stores: list[Store]) -> Iterator[Outcome]:
    for store in stores:
        yield from store.rows()
        yield from store.failures()


def _read_all_of(store: Store) -> None:
    """Raise StoreError if anything in a store is damaged."""
    store.check()
    for _ in store.histories():
        pass
    store.failures()


DIFFERENCES: dict[str, Callable[[Study], Sequence[object]]] = {
    "algorithms": lambda study: [each.name for each in study.arms],
    "puzzles": lambda study: [each.name for each in study.instances],
    "seeds": lambda study: study.seeds,
    "an algorithm's parts or budget": lambda study: [each.digest for each in study.arms],
    "a puzzle's givens": lambda study: [each.digest for each in study.instances],
    "records": lambda study: [study.record],
    "names": lambda study: [study.name],
    "questions": lambda study: [study.question],
    "allow_conflicts": lambda study: [study.allow_conflicts],
    "grids": lambda study: [each.settings for each in study.arms],
}
"""In what two studies may differ, the first things first."""


def _refuse_another_study(first: Store, other: Store) -> None:
    """Raise StoreError with what is different."""
    if first.study.text() == other.study.text():
        return
    found = ((what, of(first.study), of(other.study)) for what, of in DIFFERENCES.items())
    different = (_difference(*each) for each in found if each[1] != each[2])
    raise StoreError(
        f"{other.path}: expected the study of {first.path}, got another one: "
        f"{next(different, 'they are written otherwise')}"
    )


def _difference(what: str, here: Sequence[object], there: Sequence[object]) -> str:
    if what in ("an algorithm's parts or budget", "a puzzle's givens"):  # whose names are the same
        return f"{what} differ"
    if len(here) == len(there) == 1:
        return f"{what} differ ({here[0]!r} and {there[0]!r})"
    missing = [repr(each) for each in here if each not in there]
    more = [repr(each) for each in there if each not in here]
    said = [f"no {' and '.join(missing[:3])}"] if missing else []
    said += [f"{' and '.join(more[:3])} beside"] if more else []
    return f"{what} differ ({', '.join(said) or 'in their order'})"
