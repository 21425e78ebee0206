"""Puzzles: boards and their geometry, text and file formats, pictures, bundled puzzles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from genoku.runtime.lazy import lazy_exports

if TYPE_CHECKING:
    from genoku.puzzle.board import (
        Board as Board,
        Conflict as Conflict,
        Entry as Entry,
        Puzzle as Puzzle,
    )
    from genoku.puzzle.bundled_puzzles import Bundled as Bundled, bundled as bundled
    from genoku.puzzle.formats import (
        FORMATS as FORMATS,
        SUFFIXES as SUFFIXES,
        Format as Format,
        format_by_name as format_by_name,
        format_for_path as format_for_path,
        read_array as read_array,
        read_puzzles as read_puzzles,
        recognise as recognise,
        save_puzzles as save_puzzles,
        write_array as write_array,
        write_puzzles as write_puzzles,
    )
    from genoku.puzzle.geometry import Geometry as Geometry
    from genoku.puzzle.isomorph import canonical as canonical, shuffled as shuffled
    from genoku.puzzle.pdf import write_pdf as write_pdf

__getattr__ = lazy_exports(__name__)
