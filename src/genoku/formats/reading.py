"""Read puzzles from a file of any format, one after another."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from genoku.board import Entry
from genoku.errors import FormatError
from genoku.formats.catalogue import Format, format_named, is_told, recognise
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
