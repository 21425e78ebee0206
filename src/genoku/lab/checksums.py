"""Checksums of the runs of a store, so that no figure is made of numbers that nobody wrote.

SQLite sees whether its pages hang together, not whether a byte within a row has changed. A history
has a checksum of its own, zlib's. Stores without this table, of genoku 0.1.0, are read as they are.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterable, Sequence
from typing import Any

from genoku.errors import StoreError
from genoku.words import plural

TABLE = """
CREATE TABLE checksums (
    key BLOB PRIMARY KEY, run TEXT NOT NULL, board TEXT NOT NULL
) WITHOUT ROWID
"""
# What somebody deletes is not lost.
TRIGGER = """
CREATE TRIGGER forget_checksum AFTER DELETE ON runs
BEGIN DELETE FROM checksums WHERE key=old.key; END
"""
INSERT = "INSERT INTO checksums VALUES (?, ?, ?) ON CONFLICT (key) DO NOTHING"
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
            self._connection.executemany(INSERT, noted)

    def check_row(self, row: Sequence[Any]) -> None:
        """Raise StoreError if a row, board included, is not what was written."""
        if self.are_there:
            named = "SELECT run, board FROM checksums WHERE key=?"
            said = self._connection.execute(named, row[:1]).fetchone()
            _refuse_another((checksum(*row[:-2]), checksum(row[-2])), said, row[0])

    def checked(self, columns: str) -> list[tuple[Any, ...]]:
        """These columns of all runs, which are all but board and history, the key first."""
        if not self.are_there:
            return self._connection.execute(f"SELECT {columns} FROM runs").fetchall()
        found = self._connection.execute(
            f"SELECT {columns}, checksums.run FROM runs LEFT JOIN checksums USING (key)"
        ).fetchall()
        for *run, said in found:
            _refuse_another(checksum(*run), said, run[0])
        (lost,) = self._connection.execute(LOST).fetchone()
        if lost:
            raise StoreError(f"the file is damaged: {plural(lost, 'run')} lost; {CURE}")
        return [run[:-1] for run in found]


def _refuse_another(found: object, said: object, key: bytes) -> None:
    if found != said:
        raise StoreError(f"the file is damaged: run {key.hex()} has another checksum; {CURE}")
