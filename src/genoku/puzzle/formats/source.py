"""Sources of puzzles: files, streams, gzip and text encodings, read in bounded memory.

A file has one alphabet: unambiguous boards decide how ambiguous ones are read.
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
from typing import IO, Any, cast

import numpy as np
from numpy.typing import NDArray

from genoku.errors import FormatError, PuzzleError
from genoku.puzzle import notation
from genoku.puzzle.board import Puzzle, check_full
from genoku.puzzle.geometry import Geometry
from genoku.puzzle.notation import LETTERS, Alphabet, choose_likeliest

Readable = str | os.PathLike[str] | IO[bytes] | IO[str]
"""A path, `"-"` for standard input, or an open stream."""
ByteStream = IO[bytes] | gzip.GzipFile
IsDetermined = Callable[[str], bool]  # whether the first lines of a file determine its format

LONGEST_LINE = 200_000
_HEAD = 16_384
_STDIN = "standard input"
READ_ERRORS = (OSError, EOFError, zlib.error)


class FileAlphabets:
    """Chooses the alphabet of each board of a file consistently.

    For boards of one side, an alphabet is proven if some board can be read in no other, and doubted
    if a board that could be read in it was read in another.
    """

    def __init__(self) -> None:
        self._proven: defaultdict[int, set[Alphabet]] = defaultdict(set)
        self._doubted: defaultdict[int, set[Alphabet]] = defaultdict(set)

    def settle(self, readings: tuple[Alphabet, ...], geometry: Geometry) -> Alphabet:
        known, doubted = self._proven[geometry.side], self._doubted[geometry.side]
        proven: list[Alphabet] = [alphabet for alphabet in readings if alphabet in known]
        if len(proven) > 1:
            raise _ambiguity(geometry, " or ".join(map(repr, proven)), "boards above in both")
        chosen: Alphabet = proven[0] if proven else choose_likeliest(readings, geometry)
        if chosen in doubted:
            raise _ambiguity(geometry, repr(chosen), "boards above in another alphabet")
        if len(readings) == 1:
            known.add(chosen)
        doubted.update(set(readings) - {chosen, "auto"})
        if chosen != "letters":
            # A 0 beside another blank mark suggests `zero`, but `one` is possible too.
            doubted.add("zero" if chosen == "one" else "one")
        return chosen

    def settle_as_one(self, side: int, boards: NDArray[np.uint8]) -> bool:
        """Accept many boards without `0` as `one` at once; return False if that is ambiguous."""
        if not 10 <= side <= len(LETTERS):
            return True
        known, doubted = self._proven[side], self._doubted[side]
        if known - {"one"} or "one" in doubted:
            return False
        highest = boards.max(axis=1)
        lowest = np.where(boards == 0, 255, boards).min(axis=1)  # of an empty board: 255
        used = highest > 0
        as_zero, as_letters = used & (highest < side), used & (lowest >= 10)
        if (used & ~as_zero & ~as_letters).any():
            known.add("one")
        if used.any():
            doubted.add("zero")
        if as_letters.any():
            doubted.add("letters")
        return True


def _ambiguity(geometry: Geometry, alphabet: str, others: str) -> FormatError:
    return FormatError(
        f"this {geometry} board reads in the alphabet {alphabet}, but {others}: "
        "choose one with --alphabet one, zero or letters"
    )


@dataclass
class Source:
    """The text of a file, and the options for reading its boards."""

    name: str
    geometry: Geometry | None = None
    alphabet: Alphabet = "auto"
    text: IO[str] = field(default_factory=io.StringIO)
    alphabets: FileAlphabets = field(default_factory=FileAlphabets)

    def lines(self) -> Iterator[tuple[int, str]]:
        """Yield every line with its number, cut off at `LONGEST_LINE` characters."""
        number = 0
        while text := self._piece(number, line=True):
            number += 1
            yield number, text
            if len(text) > LONGEST_LINE and not text.endswith("\n"):
                while (rest := self._piece(number, line=True)) and not rest.endswith("\n"):
                    pass

    def chunks(self) -> Iterator[str]:
        """Yield the text in pieces of bounded size, for formats not made of lines."""
        seen = 0
        while text := self._piece(seen, line=False):
            seen += text.count("\n")
            yield text

    def board(self, text: str, geometry: Geometry | None = None) -> Puzzle:
        shape = geometry or self.geometry
        return Puzzle(*notation.read(text, shape, self.alphabet, self.alphabets.settle))

    def error(self, line: int, what: object) -> FormatError:
        return FormatError(f"{self.name}:{line}: {what}")

    def too_long(self, line: int) -> FormatError:
        return self.error(line, f"expected a line of at most {LONGEST_LINE:,} characters")

    def _piece(self, seen: int, *, line: bool) -> str:
        try:
            return self.text.readline(LONGEST_LINE + 1) if line else self.text.read(65_536)
        except READ_ERRORS as error:
            raise read_error(self.name, seen, error) from None


def read_error(name: str, seen: int, error: Exception) -> FormatError:
    return FormatError(f"{name}:{seen + 1}: cannot read on: {_reason(error)}")


class PeekedStream(io.RawIOBase):
    """A stream whose head has been read: returns the head, the rest, then raises any error."""

    def __init__(self, head: bytes, stream: ByteStream, error: Exception | None = None) -> None:
        self.head = head
        self._left = head
        self._error = error
        # `read1` returns what is available, so that a live pipe is read without delay.
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
def open_source(source: Readable, is_enough: IsDetermined) -> Iterator[tuple[str, PeekedStream]]:
    """Yield the name of a source and its bytes, unzipped; close it only if it was opened here."""
    name, stream, ours = _stream(source)
    try:
        peeked = _peek(stream, is_enough)
        if peeked.head.startswith(b"\x1f\x8b"):
            unzipped = gzip.GzipFile(fileobj=io.BufferedReader(peeked), mode="rb")
            peeked = _peek(unzipped, is_enough)
        yield name, peeked
    finally:
        if ours:
            stream.close()


def encoding_of(head: bytes) -> str:
    return "utf-16" if head.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"


def decode(stream: PeekedStream) -> IO[str]:
    """Decode a stream; invalid bytes become `\ufffd`, which no board contains."""
    buffered = io.BufferedReader(stream, buffer_size=65_536)
    return io.TextIOWrapper(buffered, encoding=encoding_of(stream.head), errors="replace")


def head_text(stream: PeekedStream) -> str:
    """Return the first complete lines, to recognise the format."""
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
                raise FormatError(f"{_STDIN}: is closed")
            return _STDIN, _stream(cast("IO[str]", sys.stdin))[1], False
        name = os.fspath(source)
        try:
            return name, Path(name).open("rb"), True
        except (OSError, ValueError) as error:
            raise FormatError(f"{name}: {_reason(error)}") from None
    given = getattr(source, "name", None)
    name = given if isinstance(given, str) else "<stream>"
    name = _STDIN if name == "<stdin>" else name
    if getattr(source, "closed", False):
        raise FormatError(f"{name}: is closed")
    if isinstance(source, io.TextIOBase):
        text = cast("IO[str]", source)
        binary = getattr(text, "buffer", None)
        return name, binary or io.BytesIO(text.read().encode("utf-8", "surrogatepass")), False
    return name, cast("IO[bytes]", source), False


def _peek(stream: ByteStream, is_enough: IsDetermined) -> PeekedStream:
    """Read the head of a stream: until its lines determine the format, to 16 KiB, or to its end."""
    read = getattr(stream, "read1", stream.read)
    head = b""
    try:
        while len(head) < _HEAD and (data := read(_HEAD - len(head))):
            head += data
            if is_enough(_text_of(head).rpartition("\n")[0]):
                break
    except READ_ERRORS as error:
        return PeekedStream(head, stream, error)
    return PeekedStream(head, stream)


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror[0].lower() + error.strerror[1:]
    return str(error) or type(error).__name__


def read_solution(text: str, puzzle: Puzzle, alphabet: Alphabet = "auto") -> bytes:
    """Read a full board of the puzzle's shape; since it has no blanks, `0` is a digit."""
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
