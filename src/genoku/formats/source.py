"""Where puzzles are read from: files, streams, gzip and encodings, in bounded memory."""

from __future__ import annotations

import gzip
import io
import os
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, NoReturn, Protocol, cast

from genoku import notation
from genoku.board import Puzzle
from genoku.errors import FormatError
from genoku.formats.alphabets import FileAlphabets
from genoku.geometry import Geometry
from genoku.notation import Alphabet

Readable = str | os.PathLike[str] | IO[bytes] | IO[str]
"""A path, `"-"` for standard input, or an open stream."""

Tells = Callable[[str], bool]
"""Whether whole lines show a file's format, whatever follows them."""

LONGEST_LINE = 200_000
_HEAD = 16_384
_STDIN = "standard input"
BROKEN = (OSError, EOFError, zlib.error)


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
