"""Files of puzzles: read any of the formats in use, write any of them.

`read_puzzles` and `write_puzzles` stream entries (a puzzle with its name, solution and fields);
`read_array` and `write_array` are their raw twins for millions of boards; `FORMATS` lists the
formats there are.
"""

from genoku.board import Entry
from genoku.formats.arrays import read_array, write_array
from genoku.formats.catalogue import (
    FORMATS,
    SUFFIXES,
    Format,
    format_for_path,
    format_named,
    recognise,
)
from genoku.formats.entries import (
    read_puzzles,
    replacing,
    replacing_bytes,
    save_puzzles,
    write_puzzles,
)

__all__ = [
    "FORMATS",
    "SUFFIXES",
    "Entry",
    "Format",
    "format_for_path",
    "format_named",
    "read_array",
    "read_puzzles",
    "recognise",
    "replacing",
    "replacing_bytes",
    "save_puzzles",
    "write_array",
    "write_puzzles",
]
