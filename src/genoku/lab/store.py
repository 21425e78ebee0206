"""The results of a study in one SQLite file, a row per run.

The key of a row is the hash of what defines the run, so no run is stored twice, however often a
study is interrupted and resumed. The file is in WAL mode: it can be read while it is written, and
committed rows survive a crash of the process. One process at a time writes it (`lock`).

SQLite checks its pages, not the bytes within a row, so rows have checksums; stores of version 0.1.0
have none.

The history of a run is packed into a few hundred bytes: differences, rounded floats, zlib. Whole
numbers are kept exactly; other numbers keep 14 bits, which is four digits.

A recipe names a user's own part by module and name, not by its content, so a store also holds the
hashes of these modules.
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
from collections import ChainMap, Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, fields
from hashlib import blake2b
from importlib import invalidate_caches
from importlib.machinery import PathFinder
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from genoku import __version__
from genoku.engine.history import FIELDS, INTEGER_FIELDS, Column, History
from genoku.engine.result import Result
from genoku.errors import GenokuError, StoreError
from genoku.evolve.fitness import unit_digits
from genoku.evolve.recipe import Trust
from genoku.evolve.user.errors import user_modules
from genoku.lab.study import SHOWN, PlannedRun, Study
from genoku.runtime import notebook
from genoku.runtime.text import format_count
from genoku.runtime.workers import make_batches

Whole = NDArray[np.int64]
Number = NDArray[np.float64]


class Row(NamedTuple):
    """A stored run; the columns are those of `Results`."""

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
    def of(cls, key: bytes, planned: PlannedRun, result: Result) -> Row:
        """Make a row from a result, which has the fields from `solved` to `stop_reason`."""
        *facts, reason = (getattr(result, name) for name in cls._fields[4:-2])
        board, history = result.board.tobytes(), pack(result.history)
        return cls._make((key, *planned, *facts, str(reason), board, history))


class Failure(NamedTuple):
    """A run that failed, with the error message."""

    key: bytes
    arm: int
    instance: int
    seed: int
    message: str


RunOutcome = Row | Failure


@dataclass(frozen=True, eq=False)
class Results:
    """The runs of a study as columns of equal length, in the order of the plan.

    Parameters
    ----------
    arm, instance
        Indices in the study.
    cost, final_cost
        The lowest cost of the run, and the lowest in its last population.
    score, loss
        The lowest cost on the report's own scale, and as a share of the worst: 0 is solved.
    seconds, cpu_seconds
        Times of the run alone, without loading kernels.
    errors
        Errors left on the best board; computed from it, not stored.
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
    errors: Whole

    @classmethod
    def of_rows(cls, rows: Sequence[Sequence[Any]]) -> Results:
        """Collect rows, each with a value for every column."""
        names = [each.name for each in fields(cls)]
        columns = list(zip(*rows, strict=True)) or [()] * len(names)
        kinds = {"solved": np.bool_, "stop_reason": np.str_} | dict.fromkeys(REAL, np.float64)
        arrays: list[Any] = [
            np.array(column, kinds.get(name, np.int64))
            for name, column in zip(names, columns, strict=True)
        ]
        return cls(*arrays)

    def __len__(self) -> int:
        return len(self.seed)

    def of(self, arm: int | None = None, instance: int | None = None) -> Results:
        """Return the runs of an arm, of an instance, or of both."""
        chosen = np.ones(len(self), np.bool_)
        if arm is not None:
            chosen &= self.arm == arm
        if instance is not None:
            chosen &= self.instance == instance
        return self.where(chosen)

    def where(self, chosen: NDArray[Any]) -> Results:
        """Return the runs that a mask selects, or those at some indices."""
        arrays: list[Any] = [getattr(self, each.name)[chosen] for each in fields(self)]
        return Results(*arrays)


COLUMNS = tuple(each.name for each in fields(Results) if each.name != "errors")  # stored ones
REAL = ("score", "loss", "seconds", "cpu_seconds")
CLOCKS = ("seconds", "cpu_seconds")  # which differ between repeated runs

NAMES = list(FIELDS)
HEADER = struct.Struct("<IB")  # rows, columns
ENTRY = struct.Struct("<BB")  # index of a name in `FIELDS`, bytes per number
DROPPED_BITS = 10  # of the 23 bits after a float's point


def pack(history: History) -> bytes:
    head, body = HEADER.pack(history.rows, len(history)), b""
    for name, column in history.items():
        words = _differences(column) if name in INTEGER_FIELDS else _changes(column)
        head += ENTRY.pack(NAMES.index(name), words.itemsize)
        # All first bytes, then all second ones: bytes that hardly change are neighbours.
        body += words.view(np.uint8).reshape(-1, words.itemsize).T.tobytes()
    return zlib.compress(head + body, 6)


def unpack(packed: bytes) -> History:
    """Unpack a history; ValueError if the bytes are damaged."""
    try:
        inflater = zlib.decompressobj()
        data = inflater.decompress(packed)
        if not inflater.eof or inflater.unused_data:  # which zlib.decompress would accept
            raise ValueError("bytes are missing or left over")
        rows, count = HEADER.unpack_from(data)
        columns: dict[str, Column] = {}
        at = HEADER.size + count * ENTRY.size
        for i in range(count):
            place, size = ENTRY.unpack_from(data, HEADER.size + i * ENTRY.size)
            block = np.frombuffer(data, np.uint8, rows * size, at).reshape(size, rows)
            words = np.ascontiguousarray(block.T).view(f"<u{size}").ravel()
            name = NAMES[place]
            columns[name] = _cumulate(words) if name in INTEGER_FIELDS else _restore_floats(words)
            at += rows * size
        if at != len(data):
            raise ValueError("bytes are left over")
    except (zlib.error, struct.error, IndexError, TypeError, ValueError) as error:
        raise ValueError(f"not a packed history: {error}") from None
    return History(columns)


def _differences(column: Column) -> NDArray[Any]:
    """Differences between numbers, the sign in the last bit, in as few bytes as possible."""
    numbers = column.astype(np.int64)
    steps = numbers - np.concatenate((np.zeros(1, np.int64), numbers[:-1]))[: len(numbers)]
    words = ((steps << 1) ^ (steps >> 63)).view(np.uint64)
    most = int(words.max(initial=0))
    size = next(size for size in (1, 2, 4, 8) if most < 1 << 8 * size)
    fewest: NDArray[Any] = words.astype(f"<u{size}")
    return fewest


def _cumulate(words: NDArray[Any]) -> NDArray[np.int64]:
    wide = words.astype(np.uint64)
    steps = (wide >> np.uint64(1)).astype(np.int64) ^ -(wide & np.uint64(1)).astype(np.int64)
    return np.cumsum(steps)


def _changes(column: Column) -> NDArray[np.uint32]:
    """Rounded floats, each as the bits that differ from the previous one."""
    with np.errstate(over="ignore"):  # beyond 3e38 is infinite
        bits = column.astype("<f4").view(np.uint32)
    finite = np.isfinite(column)
    half = np.uint32(1 << (DROPPED_BITS - 1))
    kept = (np.where(finite, bits + half, bits) >> DROPPED_BITS) << DROPPED_BITS
    before = np.concatenate((np.zeros(1, np.uint32), kept[:-1]))
    return (kept ^ before).astype("<u4")


def _restore_floats(words: NDArray[Any]) -> NDArray[np.float64]:
    return np.bitwise_xor.accumulate(words.astype(np.uint32)).view("<f4").astype(np.float64)


APPLICATION_ID = 0x67656E6B  # "genk", at byte 68 of the file, which marks it as a store

REASONS = {
    "SQLITE_FULL": "the disk is full; stored runs are safe: free some space and resume",
    "SQLITE_IOERR": "cannot be read or written; stored runs are safe",
    "SQLITE_NOTADB": "expected the results of a study, got another file",
    "SQLITE_CORRUPT": "the file is damaged",
    "SQLITE_CANTOPEN": "cannot be opened",
    "SQLITE_READONLY": "cannot be written",
    "SQLITE_BUSY": "another process has been writing it for half a minute",
    "SQLITE_PROTOCOL": "cannot be locked; use a local disk instead of a network file system",
}
EXPECTED = (
    *(sqlite3.Error, GenokuError, OSError, AttributeError, KeyError, RecursionError),
    *(TypeError, ValueError, OverflowError),
)


def connect(path: Path, *, may_be_locked: bool = False) -> sqlite3.Connection:
    """Connect to a file that is a database or empty.

    Readers of a WAL file write files beside it. Where they may not (`may_be_locked`) and no other
    process writes, they read the file alone.
    """
    with store_errors(path):
        if path.is_dir():
            raise StoreError("expected the results of a study, got a folder")
        try:
            return _connect_uri(path, "")
        except sqlite3.OperationalError:
            waiting = path.with_name(f"{path.name}-wal")
            if not may_be_locked or (waiting.exists() and waiting.stat().st_size):
                raise
            return _connect_uri(path, "?immutable=1")


def _connect_uri(path: Path, options: str) -> sqlite3.Connection:
    name = path.absolute().as_uri() + options
    connection = sqlite3.connect(name, timeout=30.0, isolation_level=None, uri=True)
    try:
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute("PRAGMA foreign_keys=ON")
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def is_store(connection: sqlite3.Connection) -> bool:
    """Whether a database is a store; False if it is empty, StoreError for any other."""
    (mark,) = connection.execute("PRAGMA application_id").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if tables and mark != APPLICATION_ID:
        raise StoreError("expected the results of a study, got another database")
    return bool(mark == APPLICATION_ID)


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):  # a full disk has rolled back by itself
            connection.execute("ROLLBACK")
        raise


@contextmanager
def store_errors(
    path: Path, connection: sqlite3.Connection | None = None, other: str = "the file is damaged"
) -> Iterator[None]:
    """Turn any error of a file into a StoreError with its reason, and close the connection.

    `other` is the reason for errors that have none in `REASONS`, such as invalid content.
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
        reason = next((each for name, each in REASONS.items() if code.startswith(name)), kind)
        raise StoreError(f"{path}: {reason}") from error


# Otherwise a run that a user deletes would count as lost.
FORGET_CHECKSUM = """
CREATE TRIGGER forget_checksum AFTER DELETE ON runs
BEGIN DELETE FROM checksums WHERE key=old.key; END
"""
INSERT_CHECKSUM = "INSERT INTO checksums VALUES (?, ?, ?) ON CONFLICT (key) DO NOTHING"
LOST = "SELECT count(*) FROM checksums WHERE key NOT IN (SELECT key FROM runs)"
CURE = "restore it from a copy, or run the study again with another file"


def checksum(*values: Any) -> str:
    """Compute the checksum of values as SQLite returns them: no booleans, no negative zero."""
    plain = [value + 0 if isinstance(value, bool | float) else value for value in values]
    return f"{zlib.crc32(repr(plain).encode()):08x}"


def _refuse_damage(found: object, noted: object, key: bytes) -> None:
    if found != noted:
        raise StoreError(
            f"the file is damaged: run {key.hex()} does not match its checksum; {CURE}"
        )


LOCK_SECONDS = 1.0  # to wait; a process that only looks holds the lock for less
LOCKED_PATHS: set[str] = set()  # by this process: the system's locks are not per thread
RELEASED = threading.Condition()


@contextmanager
def lock(path: Path) -> Iterator[None]:
    """Lock a store for writing; StoreError if another process or thread has locked it.

    The lock is SQLite's own, on an empty file beside the store: the system releases it when the
    process dies.
    """
    beside = lock_path(path)
    with _lock_in_process(path), ExitStack() as held:
        until = time.monotonic() + LOCK_SECONDS
        while (ours := _lock_file(path, beside, held)) is None:
            held.close()
            if time.monotonic() > until:
                raise StoreError(
                    f"{path}: cannot be locked, because its lock file keeps changing; try again"
                )
        try:
            yield
        finally:
            if _is_same_file(beside, ours):  # deleting a study also removes its lock file
                with suppress(OSError):  # Windows keeps a file that is open
                    beside.unlink()


@contextmanager
def _lock_in_process(path: Path) -> Iterator[None]:
    real = os.path.realpath(path)
    with RELEASED:
        if is_free := RELEASED.wait_for(lambda: real not in LOCKED_PATHS, LOCK_SECONDS):
            LOCKED_PATHS.add(real)
    if not is_free:
        raise StoreError(f"{path}: {driver_of(path)} is running this study")
    try:
        yield
    finally:
        with RELEASED:
            LOCKED_PATHS.remove(real)
            RELEASED.notify_all()


def _lock_file(path: Path, beside: Path, held: ExitStack) -> BinaryIO | None:
    """Lock the file; None if it was deleted in the meantime, so that others would lock a new one.

    The file stays open: otherwise a new file could get its inode number and be mistaken for it.
    """
    try:
        ours = held.enter_context(beside.open("ab"))
    except FileNotFoundError:
        raise StoreError(f"{path}: the folder {path.parent} does not exist") from None
    except OSError as error:
        raise StoreError(f"{beside}: cannot be written ({error.strerror})") from None
    try:
        connection = held.enter_context(
            closing(sqlite3.connect(beside, timeout=LOCK_SECONDS, isolation_level=None))
        )
        connection.execute("BEGIN EXCLUSIVE")
    except sqlite3.Error as error:
        if error.sqlite_errorname.startswith("SQLITE_BUSY"):
            raise StoreError(f"{path}: {driver_of(path)} is running this study") from None
        if _is_same_file(beside, ours):
            raise StoreError(f"{beside}: cannot be written ({error})") from None
    return ours if _is_same_file(beside, ours) else None


def _is_same_file(path: Path, file: BinaryIO) -> bool:
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except OSError:
        return False


def is_locked(path: Path) -> bool:
    """Whether a process is writing a store."""
    beside = lock_path(path)
    if not beside.exists():
        return False
    try:
        uri = f"{beside.absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(uri, timeout=0, uri=True)) as connection:
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.Error as error:
        return getattr(error, "sqlite_errorname", "").startswith("SQLITE_BUSY")
    return False


def lock_path(path: Path) -> Path:
    return path.with_name(f"{path.name}.lock")


def process_id() -> str:
    """This process as stored: `pid@host`."""
    return f"{os.getpid()}@{socket.gethostname()}"


def process_text(driver: str) -> str:
    """Format a stored process for people; with its host if it is another one."""
    pid, _, host = driver.partition("@")
    if not pid:
        return "another process"
    return f"process {pid}" + ("" if host == socket.gethostname() else f" on {host}")


def driver_of(path: Path) -> str:
    """Name the process that runs a study."""
    try:
        with Store.open(path) as store:
            return process_text(store.read_note("driver"))
    except GenokuError:  # not created yet
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
CREATE TABLE checksums (
    key BLOB PRIMARY KEY, run TEXT NOT NULL, board TEXT NOT NULL
) WITHOUT ROWID
"""

# Not INSERT OR IGNORE, which would also drop incomplete rows.
INSERT = (
    f"INSERT INTO runs VALUES ({', '.join('?' * len(Row._fields))}) ON CONFLICT (key) DO NOTHING"
)
INSERT_FAILURE = f"INSERT OR REPLACE INTO failures VALUES ({', '.join('?' * len(Failure._fields))})"
FORGET_FAILURE = """
DELETE FROM failures WHERE key=? AND EXISTS (SELECT 1 FROM runs WHERE runs.key=failures.key)
"""
RUN_COLUMNS = ", ".join(COLUMNS)


class Store:
    """The results of a study in an open file.

    Examples
    --------
    >>> with Store.open("study.db") as store:                               # doctest: +SKIP
    ...     results = store.results()
    """

    def __init__(self, path: Path, connection: sqlite3.Connection, trust: Trust = False) -> None:
        self.path = path
        self._connection = connection
        study_text = self.read_note("study")
        if self.read_note("study_checksum") not in ("", checksum(study_text)):
            raise StoreError(f"{path}: the file is damaged: its study does not match its checksum")
        named = "SELECT count(*) FROM sqlite_master WHERE name='checksums'"
        (self._has_checksums,) = connection.execute(named).fetchone()
        self.study = Study.of_text(study_text, trust)
        arms, instances = (
            dict(connection.execute(f"SELECT digest, id FROM {table}").fetchall())
            for table in ("arms", "instances")
        )
        self._arms = [arms[each.digest] for each in self.study.arms]
        self._instances = [instances[each.digest] for each in self.study.instances]

    @classmethod
    def create(cls, path: str | Path, study: Study) -> Self:
        """Open a file for the runs of a study, which may be new or hold some of them.

        A study may have grown since: old runs are kept.

        Raises
        ------
        StoreError
            If the file is not a store, is damaged, or belongs to another study.
        StudyError
            If its runs are of another results version.
        """
        path = Path(path)
        study.refuse_other_results()
        connection = connect(path)
        with store_errors(path, connection):
            if is_store(connection):
                _refuse_newer(connection)
                store = cls(path, connection)
                there = store.study
                there.refuse_other_results()
                if there.record != study.record:
                    raise StoreError(
                        f"expected a study that records {there.record}, got {study.record}; "
                        "use another file"
                    )
                store._refuse_another(study)
            else:
                connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("BEGIN IMMEDIATE")
            if not is_store(connection):  # and no other process was quicker
                for statement in (*TABLES.split(";"), FORGET_CHECKSUM):
                    connection.execute(statement)
                connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
                connection.execute(f"PRAGMA user_version={SCHEMA}")
                _write_meta(connection, "genoku", __version__)
            _write_meta(connection, "study", study.text())
            _write_meta(connection, "study_checksum", checksum(study.text()))
            _register(connection, study)
            connection.execute("COMMIT")
            return cls(path, connection, study.trust)

    @classmethod
    def open(cls, path: str | Path, *, writing: bool = False, trust: Trust = False) -> Self:
        """Open an existing file.

        Parameters
        ----------
        path, writing
            The file, which another process may be writing, and whether to add runs.
        trust
            Whether algorithms with users' own parts may be built, which runs code.

        Raises
        ------
        StoreError
            If there is no file, it is not a store, or it is damaged.
        """
        path = Path(path)
        with store_errors(path):
            if not path.exists():
                raise StoreError("expected the results of a study, got no file")
        connection = connect(path, may_be_locked=not writing)
        with store_errors(path, connection):
            if not is_store(connection):
                raise StoreError("expected the results of a study, got an empty file")
            _refuse_newer(connection)
            if not writing:
                connection.execute("PRAGMA query_only=1")
            store = cls(path, connection, trust)
            if writing:
                store.study.refuse_other_results()
            return store

    def add(self, outcomes: Iterable[RunOutcome]) -> None:
        """Store runs and failures: all of them, or none if there is an error."""
        other = "a run cannot be stored"
        with store_errors(self.path, other=other), transaction(self._connection):
            for some in make_batches(outcomes, 1000):
                self._add(some)
            self.add_versions(__version__)

    def _add(self, outcomes: list[RunOutcome]) -> None:
        """Store some outcomes; a run that succeeded is no failure, whichever came first."""
        rows: list[RunOutcome] = []
        failures: list[RunOutcome] = []
        for outcome in outcomes:
            arm, instance = self._arms[outcome.arm], self._instances[outcome.instance]
            kept = outcome._replace(arm=arm, instance=instance)
            (rows if isinstance(outcome, Row) else failures).append(kept)
        self._connection.executemany(INSERT, rows)
        if self._has_checksums:
            checksums = [(row[0], checksum(*row[:-2]), checksum(row[-2])) for row in rows]
            self._connection.executemany(INSERT_CHECKSUM, checksums)
        self._connection.executemany(INSERT_FAILURE, failures)
        ended = [outcome[:1] for outcome in outcomes]
        self._connection.executemany(FORGET_FAILURE, ended)

    def done(self) -> set[bytes]:
        """The keys of all stored runs, planned or not."""
        return set(self.verdicts())

    def verdicts(self) -> dict[bytes, bool]:
        """The keys of all stored runs, and whether they were solved."""
        with store_errors(self.path):
            found = self._connection.execute("SELECT key, solved FROM runs")
            return {key: bool(solved) for key, solved in found}

    def failures(self) -> list[Failure]:
        """The runs that failed, in the order of the plan; they are tried again on resume."""
        with store_errors(self.path):
            found = self._connection.execute("SELECT * FROM failures").fetchall()
            return [Failure(*row) for row in self._in_plan_order(found)]

    def results(self) -> Results:
        """Return the planned runs that are stored, as columns."""
        with store_errors(self.path):
            rows = self._in_plan_order(self._checked_runs())
            errors = self._errors([row[2] for row in rows], [row[-1] for row in rows])
            return Results.of_rows(
                [(*row[1:-1], each) for row, each in zip(rows, errors, strict=True)]
            )

    def _errors(self, instances: list[int], boards: list[bytes]) -> list[int]:
        """Errors left on the boards of some runs."""
        errors = np.zeros(len(boards), np.int64)
        for instance, (_, puzzle) in enumerate(self.study.instances):
            own = [place for place, each in enumerate(instances) if each == instance]
            for some in make_batches(own, 1000):  # so that masks of the units fit into memory
                joined = b"".join(boards[place] for place in some)
                filled = np.frombuffer(joined, np.uint8).reshape(len(some), -1)
                held = np.bitwise_count(unit_digits(filled, puzzle.geometry) & ~np.uint64(1))
                errors[some] = puzzle.geometry.side * held.shape[1] - held.sum(axis=1)
        return errors.tolist()

    def _checked_runs(self) -> list[tuple[Any, ...]]:
        """All runs without history: the key first, the board last."""
        query = f"SELECT key, {RUN_COLUMNS}, board FROM runs"
        if not self._has_checksums:
            return self._connection.execute(query).fetchall()
        query = (
            f"SELECT key, {RUN_COLUMNS}, runs.board, checksums.run, checksums.board "
            "FROM runs LEFT JOIN checksums USING (key)"
        )
        found = self._connection.execute(query).fetchall()
        for *run, board, run_checksum, board_checksum in found:
            sums = checksum(*run), checksum(board)
            _refuse_damage(sums, (run_checksum, board_checksum), run[0])
        (lost,) = self._connection.execute(LOST).fetchone()
        if lost:
            raise StoreError(f"the file is damaged: {format_count(lost, 'run')} lost; {CURE}")
        return [row[:-2] for row in found]

    def rows(self, arm: int | None = None, instance: int | None = None) -> Iterator[Row]:
        """The planned runs, or those of an arm or instance, in the order of the plan."""
        where = [] if arm is None else [f"arm={self._arms[arm]}"]
        where += [] if instance is None else [f"instance={self._instances[instance]}"]
        clause = f" WHERE {' AND '.join(where)}" if where else ""
        with store_errors(self.path):
            found = self._connection.execute(
                f"SELECT rowid, arm, instance, seed FROM runs{clause}"
            ).fetchall()
            for rowid, *planned in self._in_plan_order(found):
                row = self._connection.execute("SELECT * FROM runs WHERE rowid=?", (rowid,))
                kept = Row(*row.fetchone())
                if self._has_checksums:
                    named = "SELECT run, board FROM checksums WHERE key=?"
                    noted = self._connection.execute(named, kept[:1]).fetchone()
                    _refuse_damage((checksum(*kept[:-2]), checksum(kept[-2])), noted, kept.key)
                yield kept._replace(arm=planned[0], instance=planned[1], solved=bool(kept.solved))

    def histories(
        self, arm: int | None = None, instance: int | None = None
    ) -> Iterator[tuple[Row, History]]:
        """The same runs as `rows`, each with its history."""
        for row in self.rows(arm, instance):
            yield row, history_of(row, self.path)

    def check(self) -> None:
        """Read the whole file and raise StoreError if it is damaged."""
        with store_errors(self.path):
            (said,) = self._connection.execute("PRAGMA quick_check(1)").fetchone()
        if said != "ok":
            raise StoreError(f"{self.path}: the file is damaged ({' '.join(said.split())})")

    def note(self, name: str, value: str) -> None:
        """Store a text beside the runs, such as their shard."""
        with store_errors(self.path):
            _write_meta(self._connection, name, value)

    def read_note(self, name: str) -> str:
        """Return a text that `note` stored, or an empty one."""
        with store_errors(self.path):
            return _read_meta(self._connection, name)

    @property
    def genoku(self) -> str:
        """The versions of genoku that wrote it, the first one first: `0.1.0, 0.2.0`."""
        return self.read_note("genoku")

    def add_versions(self, versions: str) -> None:
        """Add versions of genoku to those that wrote this store."""
        known = [*self.genoku.split(", "), *versions.split(", ")]
        self.note("genoku", ", ".join(dict.fromkeys(filter(None, known))))

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _repr_html_(self) -> str:
        study = self.study
        try:
            results, failures = self.results(), len(self.failures())
        except GenokuError:  # such as a closed store
            note = notebook.note(f"{self.path}: cannot be read; open it with Store.open")
            return notebook.block(notebook.headline(study.name, study.question), note)
        rows = [
            (arm.name, len(own), int(own.solved.sum()))
            for place, arm in enumerate(study.arms[:SHOWN])
            for own in [results.of(place)]
        ]
        done = f"{len(results):,} of {format_count(len(study), 'run')} done"
        done += f", {format_count(failures, 'run')} failed" if failures else ""
        bar = notebook.progress_bar(len(results) / len(study))
        return notebook.block(
            notebook.headline(study.name, study.question),
            f"<div>{bar} {notebook.escape_text(done)}</div>",
            notebook.table(("algorithm", "runs", "solved"), rows, (1, 2)),
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _refuse_another(self, study: Study) -> None:
        """Raise StoreError if there are runs, and a study of another name plans none of them.

        A study of the same name, such as one with more seeds, may have changed all of its runs.
        """
        done = set[bytes]() if study.name == self.study.name else self.done()
        if done and not any(key in done for key in study.keys(study.runs())):
            raise StoreError(
                f"expected the study {self.study.name!r}, got {study.name!r}, which plans none of "
                "the stored runs; use another file with --store"
            )

    def _in_plan_order(self, rows: Sequence[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
        """Select and sort the planned ones of rows that start with a key, arm, instance and seed.

        The ids of arm and instance become their indices in the study.
        """
        arms = {name: place for place, name in enumerate(self._arms)}
        instances = {name: place for place, name in enumerate(self._instances)}
        seeds = {seed: place for place, seed in enumerate(self.study.seeds)}
        found = []
        for key, arm, instance, seed, *rest in rows:
            if arm in arms and instance in instances and seed in seeds:
                place = (seeds[seed], instances[instance], arms[arm])
                found.append((place, (key, place[2], place[1], seed, *rest)))
        found.sort(key=lambda pair: pair[0])
        return [row for _, row in found]


def is_empty(path: Path) -> bool:
    """Whether a store holds nothing, such as after the disk was full."""
    connection = connect(path, may_be_locked=True)
    with store_errors(path, connection), closing(connection):
        return not is_store(connection)


def history_of(row: Row, path: Path) -> History:
    """Unpack the history of a run from the store at `path`; StoreError if it is damaged."""
    try:
        return unpack(row.history)
    except ValueError as error:
        raise StoreError(f"{path}: run {row.key.hex()}: {error}") from None


def _refuse_newer(connection: sqlite3.Connection) -> None:
    (schema,) = connection.execute("PRAGMA user_version").fetchone()
    if schema > SCHEMA:
        wrote = ""
        with suppress(sqlite3.Error):  # its tables may differ
            wrote = _read_meta(connection, "genoku")
        raise StoreError(
            f"expected a store of version {SCHEMA} or older, got version {schema}, written by "
            f"genoku {wrote or '(unknown)'}; install a newer version than {__version__}"
        )


def _read_meta(connection: sqlite3.Connection, name: str) -> str:
    found = connection.execute("SELECT value FROM meta WHERE name=?", (name,)).fetchone()
    return str(found[0]) if found else ""


def _write_meta(connection: sqlite3.Connection, name: str, value: str) -> None:
    connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, value))


def _register(connection: sqlite3.Connection, study: Study) -> None:
    """Give every arm and instance an id; new names replace old ones."""
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

Sources = dict[str, str]  # the hash of every module's file


def hash_sources(study: Study, folder: str = "") -> Sources:
    """Hash the modules with users' own parts, which are also looked for in `folder`."""
    invalidate_caches()  # there may be a new file
    modules = {module for arm in study.arms for module in user_modules(arm.recipe)}
    found = {module: _file_of(module, folder) for module in sorted(modules)}
    return {
        module: blake2b(file.read_bytes(), digest_size=16).hexdigest()
        for module, file in found.items()
        if file is not None
    }


def read_sources(store: Store) -> Sources:
    """Return the hashes of the modules that a store's runs were made with."""
    noted: Sources = json.loads(store.read_note(NOTE) or "{}")
    return noted


def update_sources(store: Store, now: Sources) -> list[str]:
    """Store the hashes of modules, and return warnings about those that have changed.

    The hash of a module's first runs is kept as long as these runs exist.
    """
    before = read_sources(store)
    if not now and not before:
        return []
    counts = _counts(store)
    kept = {module: each for module, each in before.items() if counts[module]}
    store.note(NOTE, json.dumps({**now, **kept}))
    changed = [module for module, digest in now.items() if kept.get(module, digest) != digest]
    return [
        f"{store.path}: {_file_name(module)} has changed since the first "
        f"{'run was' if counts[module] == 1 else 'runs were'} made; stored runs "
        f"({counts[module]:,}) are kept: use another store to repeat them"
        for module in changed
    ]


def source_conflicts(stores: Sequence[Store]) -> Iterator[str]:
    """Yield warnings about modules whose versions differ between stores."""
    first: dict[str, tuple[str, Path]] = {}
    for store in stores:
        for module, digest in read_sources(store).items():
            known, path = first.setdefault(module, (digest, store.path))
            if known != digest:
                yield (
                    f"{store.path}: its runs were made with another version of "
                    f"{_file_name(module)} than those of {path}"
                )


def _counts(store: Store) -> Counter[str]:
    """Count the stored runs with parts of each module."""
    runs = Counter(store.results().arm.tolist())
    counts: Counter[str] = Counter()
    for place, arm in enumerate(store.study.arms):
        counts.update(dict.fromkeys(user_modules(arm.recipe), runs[place]))
    return counts


def _file_of(module: str, folder: str) -> Path | None:
    """Find the file of a module without importing it."""
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


class MergeResult(NamedTuple):
    """The numbers of runs of a store after a merge."""

    added: int
    done: int
    planned: int
    failed: int


def merge(
    out: str | Path, inputs: Sequence[str | Path], warn: Callable[[str], object] = warnings.warn
) -> MergeResult:
    """Add the runs of all inputs to `out`, which may be new; none is stored twice.

    Inputs are checked completely before anything is written, and all of them are added or none.
    `warn` is called with a warning if users' own modules differ between inputs.
    """
    target = Path(out)
    with ExitStack() as stack:
        stores: list[Store] = []
        for path in map(Path, inputs):
            if path.exists() and target.exists() and path.samefile(target):
                raise StoreError(f"{path}: expected other stores to merge into it, got itself")
            stores.append(stack.enter_context(Store.open(path)))
        if not stores:
            raise StoreError(f"{target}: expected stores to merge into it, got none")
        stack.enter_context(lock(target))
        if target.exists():
            stores.insert(0, stack.enter_context(Store.open(target)))
        first, *others = stores
        for store in stores:
            store.study.refuse_other_results()
        for other in others:
            _refuse_another_study(first, other)
        for store in stores:  # raise if anything is damaged
            store.check()
            for _ in store.histories():
                pass
            store.failures()
        for warning in source_conflicts(stores):
            warn(warning)
        return _merge(target, first.study, [each for each in stores if each.path != target])


def _merge(target: Path, study: Study, stores: list[Store]) -> MergeResult:
    is_new = not target.exists()
    try:
        with Store.create(target, study) as store:
            before = len(store.done())
            inputs = (chain[RunOutcome](each.rows(), each.failures()) for each in stores)
            store.add(chain.from_iterable(inputs))
            for each in stores:
                store.add_versions(each.genoku)
            store.note("shard", "")
            sources = ChainMap(*map(read_sources, stores))
            update_sources(store, dict(sources))  # `merge` has warned about differences
            after = len(store.done())
            done, failed = len(store.results()), len(store.failures())
            return MergeResult(after - before, done, len(study), failed)
    except BaseException:
        if is_new:  # leave no empty file
            for end in ("", "-wal", "-shm"):
                target.with_name(target.name + end).unlink(missing_ok=True)
        raise


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
}  # in which two studies may differ, the most important first


def _refuse_another_study(first: Store, other: Store) -> None:
    """Raise StoreError with the first difference if two stores belong to different studies."""
    if first.study.text() == other.study.text():
        return
    found = ((what, of(first.study), of(other.study)) for what, of in DIFFERENCES.items())
    different = (_difference(*each) for each in found if each[1] != each[2])
    raise StoreError(
        f"{other.path}: expected the study of {first.path}, got another one: "
        f"{next(different, 'their texts differ')}"
    )


def _difference(what: str, here: Sequence[object], there: Sequence[object]) -> str:
    if what in ("an algorithm's parts or budget", "a puzzle's givens"):  # with the same names
        return f"{what} differ"
    if len(here) == len(there) == 1:
        return f"{what} differ ({here[0]!r} and {there[0]!r})"
    missing = [repr(each) for each in here if each not in there]
    more = [repr(each) for each in there if each not in here]
    parts = [f"without {' and '.join(missing[:3])}"] if missing else []
    parts += [f"with {' and '.join(more[:3])}"] if more else []
    return f"{what} differ ({', '.join(parts) or 'in their order'})"
