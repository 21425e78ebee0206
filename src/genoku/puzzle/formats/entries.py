"""Read and write puzzles in any format, as streams of entries."""

from __future__ import annotations

import gzip
import io
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import IO

from genoku.errors import FormatError, GenokuError, PuzzleError
from genoku.puzzle.board import Entry, Puzzle
from genoku.puzzle.formats.catalogue import (
    FORMATS,
    Format,
    format_by_name,
    format_for_path,
    is_determined,
    recognise,
)
from genoku.puzzle.formats.source import Readable, Source, decode, head_text, open_source
from genoku.puzzle.geometry import Geometry
from genoku.puzzle.notation import ALPHABETS, Alphabet
from genoku.runtime.files import atomic_writer

OnError = Callable[[FormatError], object]


def read_puzzles(
    source: Readable,
    *,
    format: str | None = None,  # noqa: A002 (the word users know)
    box: str | Geometry | None = None,
    alphabet: Alphabet = "auto",
    on_error: OnError | None = None,
) -> Iterator[Entry]:
    """Read the puzzles of a file or stream, one at a time.

    Parameters
    ----------
    source
        A path, `"-"` for standard input, or an open stream; gzip is unzipped.
    format
        The name of the format; by default it is recognised by content.
    box
        The shape of the boxes, such as `"2x3"`, where the number of cells does not determine it.
    alphabet
        The alphabet of the boards; by default it is recognised.
    on_error
        Called with the error of each bad puzzle, after which reading continues; by default the
        first error is raised.

    Yields
    ------
    Entry

    Raises
    ------
    FormatError
        `FILE:LINE: reason` for a bad puzzle, or if the file cannot be read.
    """
    chosen = format_by_name(format) if format else None
    geometry = Geometry.parse(box) if isinstance(box, str) else box
    check_alphabet(alphabet)
    return _filter(_items(source, chosen, geometry, alphabet), on_error)


def check_alphabet(alphabet: str) -> None:
    if alphabet not in ALPHABETS:
        raise FormatError(f"expected an alphabet among {', '.join(ALPHABETS)}, got {alphabet!r}")


def _filter(entries: Iterator[Entry | FormatError], on_error: OnError | None) -> Iterator[Entry]:
    for entry in entries:
        if not isinstance(entry, FormatError):
            yield entry
        elif on_error:
            on_error(entry)
        else:
            raise entry


def _items(
    readable: Readable, chosen: Format | None, geometry: Geometry | None, alphabet: Alphabet
) -> Iterator[Entry | FormatError]:
    """Yield entries and errors; an error that a format raises (invalid XML) ends the file."""

    def is_enough(head: str) -> bool:
        return bool(head) and (chosen is not None or is_determined(head, geometry))

    try:
        with open_source(readable, is_enough) as (name, stream):
            known = chosen or recognise(head_text(stream), geometry)
            yield from known.read(Source(name, geometry, alphabet, decode(stream)))
    except FormatError as error:
        yield error


def write_puzzles(
    entries: Iterable[Entry | Puzzle],
    stream: IO[str],
    format: str,  # noqa: A002 (the word users know)
    *,
    alphabet: Alphabet = "one",
) -> int:
    """Write puzzles to a text stream, and return their number.

    Parameters
    ----------
    entries
        Entries, or puzzles without more. A format's `keeps` lists what it stores of an entry.
    stream
        The open text stream.
    format
        The name of the format.
    alphabet
        The alphabet of the boards.

    Raises
    ------
    FormatError
        If the format cannot hold a board, or the alphabet is too small for it.
    """
    known = format_by_name(format)
    check_alphabet(alphabet)
    if not isinstance(entries, Iterable):
        raise FormatError(f"expected entries or puzzles, got one {type(entries).__name__}")
    count, place = 0, "puzzle 1"

    def check_entries() -> Iterator[Entry]:
        nonlocal count, place
        for item in entries:
            place = f"puzzle {count + 1}"
            entry = Entry(item) if isinstance(item, Puzzle) else item
            if not isinstance(entry, Entry):
                got = type(entry).__name__
                raise FormatError(f"{place}: expected an Entry or a Puzzle, got {got}")
            if entry.name:
                place += f" ({entry.name[:60]})"
            geometry = entry.puzzle.geometry
            if not known.holds(geometry):
                others = ", ".join(each.name for each in FORMATS.values() if each.holds(geometry))
                raise FormatError(
                    f"{place}: the format {known.name} cannot hold a board of {geometry}; "
                    f"these can: {others}"
                )
            count += 1
            yield entry

    try:
        for piece in known.write(check_entries(), alphabet):
            stream.write(piece)
    except PuzzleError as error:
        raise FormatError(f"{place}: {error}") from None
    except UnicodeEncodeError as error:
        raise FormatError(f"{place}: cannot be written as {error.encoding}") from None
    return count


def save_puzzles(
    entries: Iterable[Entry | Puzzle],
    path: str | PathLike[str],
    format: str | None = None,  # noqa: A002
    *,
    alphabet: Alphabet = "one",
) -> int:
    """Write puzzles to a file, and return their number.

    The file is replaced atomically: if anything fails, an existing file is unchanged.

    Parameters
    ----------
    entries, alphabet
        As for `write_puzzles`.
    path
        The file; one that ends in `.gz` is compressed.
    format
        The name of the format; by default that of the suffix.

    Raises
    ------
    FormatError
        If the format cannot hold a board, or the file cannot be written.
    """
    name = format or format_for_path(path).name
    with text_writer(path) as stream:
        return write_puzzles(entries, stream, name, alphabet=alphabet)


@contextmanager
def text_writer(path: str | PathLike[str]) -> Iterator[IO[str]]:
    """Open a text stream (`.gz` is compressed) that replaces the file once it is complete."""
    with binary_writer(path) as raw:
        zipped = Path(path).resolve().suffix.lower() == ".gz"  # of the file behind any links
        # Without a name and a time stamp, the same puzzles give the same bytes.
        binary = gzip.GzipFile("", "wb", fileobj=raw, mtime=0) if zipped else raw
        with io.TextIOWrapper(binary, encoding="utf-8", newline="\n") as text:
            yield text


@contextmanager
def binary_writer(path: str | PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a binary stream that replaces the file once it is complete."""
    try:
        with atomic_writer(path) as stream:
            yield stream
    except GenokuError:
        raise
    except (OSError, ValueError, RuntimeError) as error:
        reason = error.strerror if isinstance(error, OSError) else None
        raise FormatError(f"{os.fspath(path)}: cannot be written: {reason or error}") from error
