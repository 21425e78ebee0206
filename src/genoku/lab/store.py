"""The results of a study in one SQLite file: a row per run, kept as soon as it is there.

Rows are named by the hash of what made them, so that none is there twice, however often a study
is interrupted and resumed. The file is in WAL mode: it can be read while it is written, and what
was committed survives a crash of the process.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from genoku import __version__, display
from genoku.errors import GenokuError, StoreError
from genoku.history import History
from genoku.lab.checksums import TABLE, TRIGGER, Checksums, checksum
from genoku.lab.packing import unpack
from genoku.lab.results import Results
from genoku.lab.sqlite import MARK, all_or_nothing, connected, in_words, is_marked
from genoku.lab.study import SHOWN, Study
from genoku.lab.work import Failure, Outcome, Row
from genoku.recipe import Trust
from genoku.words import plural
from genoku.workers import batched

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
                    for statement in (*filter(str.strip, TABLES.split(";")), TABLE, TRIGGER):
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
        with in_words(self.path):
            return {key for (key,) in self._connection.execute("SELECT key FROM runs")}

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

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
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
