"""Where puzzles are read from: files, streams, gzip and encodings, in bounded memory.

A file has one alphabet: what it has shown decides its boards that could be in several.
"""

from __future__ import annotations

import gzip
import io
import os
import sys
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, NoReturn, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from genoku import notation
from genoku.board import Puzzle, check_full
from genoku.errors import FormatError, PuzzleError
from genoku.geometry import Geometry
from genoku.notation import LETTERS, Alphabet, likeliest

Readable = str | os.PathLike[str] | IO[bytes] | IO[str]
"""A path, `"-"` for standard input, or an open stream."""

Tells = Callable[[str], bool]
"""Whether whole lines show a file's format, whatever follows them."""

LONGEST_LINE = 200_000
_HEAD = 16_384
_STDIN = "standard input"
BROKEN = (OSError, EOFError, zlib.error)


@dataclass
class _Known:
    """What the boards of one side have shown so far.

    `shown` are the alphabets that some board can only be in; `doubtful` are those that a board
    could have been in that was read in another.
    """

    shown: set[Alphabet] = field(default_factory=set[Alphabet])
    doubtful: set[Alphabet] = field(default_factory=set[Alphabet])


class FileAlphabets:
    """Chooses the alphabet of each board of a file, so that none contradicts an earlier one."""

    def __init__(self) -> None:
        self._sides: defaultdict[int, _Known] = defaultdict(_Known)

    def settle(self, readings: tuple[Alphabet, ...], geometry: Geometry) -> Alphabet:
        known = self._sides[geometry.side]
        shown: list[Alphabet] = [alphabet for alphabet in readings if alphabet in known.shown]
        if len(shown) > 1:
            raise _asked(geometry, " or ".join(map(repr, shown)), "boards above in both")
        chosen: Alphabet = shown[0] if shown else likeliest(readings, geometry)
        if chosen in known.doubtful:
            raise _asked(geometry, repr(chosen), "boards above in another alphabet")
        if len(readings) == 1:
            known.shown.add(chosen)
        known.doubtful.update(set(readings) - {chosen, "auto"})
        if chosen != "letters":
            # `zero` shows by a 0 beside another blank mark, which `one` could mean too.
            known.doubtful.add("zero" if chosen == "one" else "one")
        return chosen

    def settle_as_one(self, side: int, boards: NDArray[np.uint8]) -> bool:
        """Take many boards without a `0`, read as `one`, at once; False where that is in doubt."""
        if not 10 <= side <= len(LETTERS):
            return True
        known = self._sides[side]
        if known.shown - {"one"} or "one" in known.doubtful:
            return False
        highest = boards.max(axis=1)
        lowest = np.where(boards == 0, 255, boards).min(axis=1)  # of an empty board: 255
        used = highest > 0
        as_zero, as_letters = used & (highest < side), used & (lowest >= 10)
        if (used & ~as_zero & ~as_letters).any():
            known.shown.add("one")
        if used.any():
            known.doubtful.add("zero")
        if as_letters.any():
            known.doubtful.add("letters")
        return True


def _asked(geometry: Geometry, alphabet: str, others: str) -> FormatError:
    return FormatError(
        f"this {geometry} board reads in the alphabet {alphabet}, but {others}: "
        "say which one the file is in (--alphabet one, zero or letters)"
    )


@dataclass
class Source:
    """The text of a file as the formats see it, with what the user said about its boards."""

    name: str
    geometry: Geometry | None = None
    alphabet: Alphabet = "auto"
    text: IO[str] = field(default_factory=io.StringIO)
    alphabets: FileAlphabets = field(default_factory=FileAlphabets)

    def lines(self) -> Iterator[tuple[int, str]]:
        """Every line with its number; one longer than `LONGEST_LINE` comes cut off there."""
        number = 0
        while text := self._piece(number, line=True):
            number += 1
            yield number, text
            if len(text) > LONGEST_LINE and not text.endswith("\n"):
                while (rest := self._piece(number, line=True)) and not rest.endswith("\n"):
                    pass

    def chunks(self) -> Iterator[str]:
        """The text in pieces of bounded size, for formats that are not made of lines."""
        seen = 0
        while text := self._piece(seen, line=False):
            seen += text.count("\n")
            yield text

    def board(self, text: str, geometry: Geometry | None = None) -> Puzzle:
        shape = geometry or self.geometry
        return Puzzle(*notation.read(text, shape, self.alphabet, self.alphabets.settle))

    def bad(self, line: int, what: object) -> FormatError:
        return FormatError(f"{self.name}:{line}: {what}")

    def too_long(self, line: int) -> FormatError:
        return self.bad(line, f"expected a line of at most {LONGEST_LINE:,} characters")

    def _piece(self, seen: int, *, line: bool) -> str:
        try:
            return self.text.readline(LONGEST_LINE + 1) if line else self.text.read(65_536)
        except BROKEN as error:
            raise broken(self.name, seen, error) from None


def broken(name: str, seen: int, error: Exception) -> FormatError:
    return FormatError(f"{name}:{seen + 1}: cannot read on: {_reason(error)}")


class ByteStream(Protocol):
    """As much of a binary stream as reading needs."""

    def read(self, size: int = -1, /) -> bytes | None: ...


class Rewound(io.RawIOBase):
    """A stream whose head was read already: the head, what follows, then what went wrong."""

    def __init__(self, head: bytes, stream: ByteStream, error: Exception | None = None) -> None:
        self.head = head
        self._left = head
        self._error = error
        # `read1` gives what is there: after its head, a live pipe is read as it comes.
        self._read = getattr(stream, "read1", stream.read)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        size = len(buffer)
        if self._left:
            data, self._left = self._left[:size], self._left[size:]
        elif self._error:
            raise self._error
        else:
            data = self._read(size) or b""
        buffer[: len(data)] = data
        return len(data)


@contextmanager
def opened(source: Readable, tells: Tells) -> Iterator[tuple[str, Rewound]]:
    """The name of a source and its bytes, unzipped; only what was opened here is closed.

    `tells` says of the first lines whether a format is known by them.
    """
    name, stream, ours = _stream(source)
    try:
        rewound = _rewound(stream, tells)
        if rewound.head.startswith(b"\x1f\x8b"):
            unzipped = gzip.GzipFile(fileobj=io.BufferedReader(rewound), mode="rb")
            rewound = _rewound(unzipped, tells)
        yield name, rewound
    finally:
        if ours:
            stream.close()


def encoding_of(head: bytes) -> str:
    return "utf-16" if head.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"


def decoded(stream: Rewound) -> IO[str]:
    """The text of the bytes; what is no text becomes `\ufffd`, which no board contains."""
    buffered = io.BufferedReader(stream, buffer_size=65_536)
    return io.TextIOWrapper(buffered, encoding=encoding_of(stream.head), errors="replace")


def head_text(stream: Rewound) -> str:
    """The first lines of the bytes as text, to recognise a format by; no line is cut in two."""
    text = _text_of(stream.head)
    if len(stream.head) >= _HEAD and "\n" in text:
        text = text[: text.rindex("\n")]
    return text


def _text_of(head: bytes) -> str:
    text = head.decode(encoding_of(head), errors="replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _stream(source: Readable) -> tuple[str, IO[bytes], bool]:
    if isinstance(source, (str, os.PathLike)):
        if source == "-":
            if sys.stdin is None:  # as under `<&-`
                _closed(_STDIN)
            return _STDIN, _stream(cast("IO[str]", sys.stdin))[1], False
        name = os.fspath(source)
        try:
            return name, Path(name).open("rb"), True
        except (OSError, ValueError) as error:
            raise FormatError(f"{name}: {_reason(error)}") from None
    said = getattr(source, "name", None)
    name = said if isinstance(said, str) else "<stream>"
    name = _STDIN if name == "<stdin>" else name
    if getattr(source, "closed", False):
        _closed(name)
    if isinstance(source, io.TextIOBase):
        text = cast("IO[str]", source)
        binary = getattr(text, "buffer", None)
        return name, binary or io.BytesIO(text.read().encode("utf-8", "surrogatepass")), False
    return name, cast("IO[bytes]", source), False


def _closed(name: str) -> NoReturn:
    raise FormatError(f"{name}: is closed")


def _rewound(stream: ByteStream, tells: Tells) -> Rewound:
    """The stream with its head, by which the format is recognised.

    A live pipe is waited for until its lines tell the format, it has given 16 KiB, or it ends;
    what follows is then handed on as it comes.
    """
    read = getattr(stream, "read1", stream.read)
    head = b""
    try:
        while len(head) < _HEAD and (data := read(_HEAD - len(head))):
            head += data
            if tells(_text_of(head).rpartition("\n")[0]):
                break
    except BROKEN as error:
        return Rewound(head, stream, error)
    return Rewound(head, stream)


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror[0].lower() + error.strerror[1:]
    return str(error) or type(error).__name__


def read_solution(text: str, puzzle: Puzzle, alphabet: Alphabet = "auto") -> bytes:
    """The full board of `puzzle`'s shape that `text` says.

    A full board has no blanks, so where `0` could be one, it is the first digit.
    """
    tried: list[Alphabet] = ["one", "zero", "letters"] if alphabet == "auto" else [alphabet]
    first: bytes | PuzzleError | None = None
    for attempt in tried:
        try:
            digits = notation.read(text, puzzle.geometry, attempt)[1]
            check_full(digits, puzzle)
        except PuzzleError as error:
            first = first or error
            continue
        if all(given in (0, digit) for given, digit in zip(puzzle.digits, digits, strict=True)):
            return digits
        first = digits if attempt == tried[0] else first
    if isinstance(first, bytes):
        return first
    raise first or PuzzleError("expected a solution")
