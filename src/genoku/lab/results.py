"""What is kept of the runs of a study: a row each, and all of them as columns.

The history of a run is packed into a few hundred bytes: differences, rounded floats, zlib. Whole
numbers come back as they were. Other numbers keep 14 bits, four digits: a study has room for a
hundred thousand runs, and no figure shows more.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from genoku.engine.history import FIELDS, WHOLE, Column, History
from genoku.engine.result import Result
from genoku.lab.study import Planned

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
