"""Read and write files of puzzles in all common formats.

`read_puzzles` and `write_puzzles` stream entries (a puzzle with its name, solution and fields);
`read_array` and `write_array` do the same with arrays of boards; `FORMATS` lists all formats.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from genoku.runtime.lazy import lazy_exports

if TYPE_CHECKING:
    from genoku.puzzle.board import Entry as Entry
    from genoku.puzzle.formats.arrays import read_array as read_array, write_array as write_array
    from genoku.puzzle.formats.catalogue import (
        FORMATS as FORMATS,
        SUFFIXES as SUFFIXES,
        Format as Format,
        format_by_name as format_by_name,
        format_for_path as format_for_path,
        recognise as recognise,
    )
    from genoku.puzzle.formats.entries import (
        binary_writer as binary_writer,
        read_puzzles as read_puzzles,
        save_puzzles as save_puzzles,
        text_writer as text_writer,
        write_puzzles as write_puzzles,
    )

__getattr__ = lazy_exports(__name__)
