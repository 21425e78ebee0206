"""genoku, an evolution lab for Sudoku.

>>> from genoku import Puzzle, count, solve
>>> puzzle = Puzzle.parse("1.....3..4.....2")
>>> str(Puzzle(puzzle.geometry, solve(puzzle).board.tobytes()))
'1324423124133142'
>>> count(puzzle).verdict
'unique'
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from genoku.board import Board, Conflict, Puzzle
    from genoku.collection import Bundled, bundled
    from genoku.errors import FormatError, GenokuError, ImpossibleError, PuzzleError
    from genoku.exact import Count, Solution, count, is_unique, solutions, solve
    from genoku.formats import Entry, read_puzzles, save_puzzles, write_puzzles
    from genoku.generator import Made, Wanted, generate, generate_many
    from genoku.geometry import Geometry
    from genoku.isomorph import canonical, shuffled
    from genoku.rating import Rating, rate
    from genoku.sheet import write_pdf
    from genoku.techniques import Path, Step, hint, solve_path

__version__ = "0.1.0"

_HOME = {
    "board": ("Board", "Conflict", "Puzzle"),
    "collection": ("Bundled", "bundled"),
    "errors": ("FormatError", "GenokuError", "ImpossibleError", "PuzzleError"),
    "exact": ("Count", "Solution", "count", "is_unique", "solutions", "solve"),
    "formats": ("Entry", "read_puzzles", "save_puzzles", "write_puzzles"),
    "generator": ("Made", "Wanted", "generate", "generate_many"),
    "geometry": ("Geometry",),
    "isomorph": ("canonical", "shuffled"),
    "rating": ("Rating", "rate"),
    "sheet": ("write_pdf",),
    "techniques": ("Path", "Step", "hint", "solve_path"),
}
_MODULE_OF = {name: module for module, names in _HOME.items() for name in names}

__all__ = [
    "Board",
    "Bundled",
    "Conflict",
    "Count",
    "Entry",
    "FormatError",
    "GenokuError",
    "Geometry",
    "ImpossibleError",
    "Made",
    "Path",
    "Puzzle",
    "PuzzleError",
    "Rating",
    "Solution",
    "Step",
    "Wanted",
    "bundled",
    "canonical",
    "count",
    "generate",
    "generate_many",
    "hint",
    "is_unique",
    "rate",
    "read_puzzles",
    "save_puzzles",
    "shuffled",
    "solutions",
    "solve",
    "solve_path",
    "write_pdf",
    "write_puzzles",
]


def __getattr__(name: str) -> Any:
    """Load a public name when it is first asked for, so that `import genoku` is quick."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'genoku' has no attribute {name!r}")
    value = getattr(import_module(f"genoku.{_MODULE_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
