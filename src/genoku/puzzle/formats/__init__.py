"""Read and write files of puzzles in all common formats.

`read_puzzles` and `write_puzzles` stream entries (a puzzle with its name, solution and fields);
`read_array` and `write_array` do the same with arrays of boards; `FORMATS` lists all formats.
"""

from genoku.puzzle.board import Entry
from genoku.puzzle.formats.arrays import read_array, write_array
from genoku.puzzle.formats.catalogue import (
    FORMATS,
    SUFFIXES,
    Format,
    format_by_name,
    format_for_path,
    recognise,
)
from genoku.puzzle.formats.entries import (
    binary_writer,
    read_puzzles,
    save_puzzles,
    text_writer,
    write_puzzles,
)

__all__ = [
    "FORMATS",
    "SUFFIXES",
    "Entry",
    "Format",
    "binary_writer",
    "format_by_name",
    "format_for_path",
    "read_array",
    "read_puzzles",
    "recognise",
    "save_puzzles",
    "text_writer",
    "write_array",
    "write_puzzles",
]
