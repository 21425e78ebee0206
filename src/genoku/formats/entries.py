"""Read puzzles from a file of any format, one after another, and write them in any."""

from __future__ import annotations

import gzip
import io
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import IO

from genoku.board import Entry, Puzzle
from genoku.errors import FormatError, GenokuError, PuzzleError
from genoku.files import replacing_file
from genoku.formats.catalogue import (
    FORMATS,
    Format,
    format_for_path,
    format_named,
    is_told,
    recognise,
)
from genoku.formats.source import Readable, Source, decoded, head_text, opened
from genoku.geometry import Geometry
from genoku.notation import ALPHABETS, Alphabet

OnError = Callable[[FormatError], object]


def read_puzzles(
    source: Readable,
    *,
    format: str | None = None,  # noqa: A002 (the word users know)
    box: str | Geometry | None = None,
    alphabet: Alphabet = "auto",
    on_error: OnError | None = None,
) -> Iterator[Entry]:
    """The puzzles of a path, of `"-"` (standard input) or of an open stream.

    The format is recognised by content unless `format` names it; `box` and `alphabet` say what
    the text leaves open. A bad line raises FormatError `FILE:LINE: what`; with `on_error`, it is
    handed to that function and the reading goes on. Nothing is held in memory but one puzzle.
    """
    chosen = format_named(format) if format else None
    geometry = Geometry.parse(box) if isinstance(box, str) else box
    check_alphabet(alphabet)
    return _good(_all(source, chosen, geometry, alphabet), on_error)


def check_alphabet(alphabet: str) -> None:
    if alphabet not in ALPHABETS:
        raise FormatError(f"expected an alphabet among {', '.join(ALPHABETS)}, got {alphabet!r}")


def _good(entries: Iterator[Entry | FormatError], on_error: OnError | None) -> Iterator[Entry]:
    for entry in entries:
        if not isinstance(entry, FormatError):
            yield entry
        elif on_error:
            on_error(entry)
        else:
            raise entry


def _all(
    readable: Readable, chosen: Format | None, geometry: Geometry | None, alphabet: Alphabet
) -> Iterator[Entry | FormatError]:
    """Every entry and everything wrong, in order.

    What is wrong with one puzzle comes from the format as a value, so that it can go on; what
    the format raises (a broken archive, a document that is no XML) ends the file.
    """

    def tells(head: str) -> bool:
        return bool(head) and (chosen is not None or is_told(head, geometry))

    try:
        with opened(readable, tells) as (name, stream):
            known = chosen or recognise(head_text(stream), geometry)
            yield from known.read(Source(name, geometry, alphabet, decoded(stream)))
    except FormatError as error:
        yield error


def write_puzzles(
    entries: Iterable[Entry | Puzzle],
    stream: IO[str],
    format: str,  # noqa: A002 (the word users know)
    *,
    alphabet: Alphabet = "one",
) -> int:
    """Write entries or bare puzzles as they come, and say how many.

    Each format's `keeps` says what is kept besides the puzzle.
    """
    known = format_named(format)
    check_alphabet(alphabet)
    counted = _Counted(entries, known)
    try:
        for piece in known.write(iter(counted), alphabet):
            stream.write(piece)
    except PuzzleError as error:
        raise FormatError(f"{counted.place}: {error}") from None
    except UnicodeEncodeError as error:
        raise FormatError(f"{counted.place}: cannot be written as {error.encoding}") from None
    return counted.count


def save_puzzles(
    entries: Iterable[Entry | Puzzle],
    path: str | PathLike[str],
    format: str | None = None,  # noqa: A002
    *,
    alphabet: Alphabet = "one",
) -> int:
    """Write a whole file (`.gz` is zipped); an older one stays as it was if anything fails."""
    name = format or format_for_path(path).name
    with replacing(path) as stream:
        return write_puzzles(entries, stream, name, alphabet=alphabet)


@contextmanager
def replacing(path: str | PathLike[str]) -> Iterator[IO[str]]:
    """A text stream (`.gz` is zipped) whose file takes its place only when all is written."""
    with replacing_bytes(path) as raw, _text(raw, zipped=_is_zipped(path)) as text:
        yield text


@contextmanager
def replacing_bytes(path: str | PathLike[str]) -> Iterator[IO[bytes]]:
    """A binary stream whose file takes its place only when all is written."""
    try:
        with replacing_file(path) as stream:
            yield stream
    except GenokuError:
        raise
    except (OSError, ValueError, RuntimeError) as error:
        reason = error.strerror if isinstance(error, OSError) else None
        raise FormatError(f"{os.fspath(path)}: cannot be written: {reason or error}") from error


def _is_zipped(path: str | PathLike[str]) -> bool:
    """Whether the file that is written, behind any links, says so by its name."""
    return Path(path).resolve().suffix.lower() == ".gz"


@contextmanager
def _text(raw: IO[bytes], *, zipped: bool) -> Iterator[IO[str]]:
    # No name and no time inside, so that the same puzzles give the same bytes.
    binary = gzip.GzipFile("", "wb", fileobj=raw, mtime=0) if zipped else raw
    with io.TextIOWrapper(binary, encoding="utf-8", newline="\n") as text:
        yield text


class _Counted:
    """Entries on their way to a format, refused where it cannot hold them."""

    def __init__(self, entries: Iterable[Entry | Puzzle], known: Format) -> None:
        if not isinstance(entries, Iterable):
            raise FormatError(f"expected entries or puzzles, got one {type(entries).__name__}")
        self._entries = entries
        self._known = known
        self.count = 0
        self.place = "puzzle 1"

    def __iter__(self) -> Iterator[Entry]:
        for item in self._entries:
            self.place = f"puzzle {self.count + 1}"
            entry = Entry(item) if isinstance(item, Puzzle) else item
            if not isinstance(entry, Entry):
                got = type(entry).__name__
                raise FormatError(f"{self.place}: expected an Entry or a Puzzle, got {got}")
            if entry.name:
                self.place += f" ({entry.name[:60]})"
            geometry = entry.puzzle.geometry
            if not self._known.holds(geometry):
                others = [other.name for other in FORMATS.values() if other.holds(geometry)]
                raise FormatError(
                    f"{self.place}: a board of {geometry} does not fit the format "
                    f"{self._known.name}; these hold it: {', '.join(others)}"
                )
            self.count += 1
            yield entry
