"""genoku, an evolution lab for Sudoku.

>>> from genoku import count, run, solve
>>> print(solve("1.....3..4.....2"))
1324423124133142
>>> count("1.....3..4.....2").verdict
'unique'
>>> run("1.....3..4.....2", "sundy", seed=1)
<Result: genetic, seed 1: solved after 1 generation>
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from genoku.board import Board, Conflict, Puzzle
    from genoku.collection import Bundled, bundled
    from genoku.engine.history import History, Record
    from genoku.engine.portfolio import run_portfolio
    from genoku.engine.result import Result
    from genoku.engine.run import View, resume, run
    from genoku.errors import (
        CheckpointError,
        FormatError,
        GenokuError,
        ImpossibleError,
        PuzzleError,
        RecipeError,
    )
    from genoku.exact import Count, Solution, count, is_unique, solutions, solve
    from genoku.formats import Entry, read_puzzles, save_puzzles, write_puzzles
    from genoku.generator import Made, Wanted, generate, generate_many
    from genoku.geometry import Geometry
    from genoku.isomorph import canonical, shuffled
    from genoku.preset_library import Preset, preset, presets
    from genoku.problem import Problem
    from genoku.rating import Rating, rate
    from genoku.recipe import build, describe
    from genoku.sheet import write_pdf
    from genoku.state import Algorithm, State
    from genoku.stopping import Until
    from genoku.techniques import Step, hint, solve_path

__version__ = "0.1.0"

_HOME = {
    "board": ("Board", "Conflict", "Puzzle"),
    "collection": ("Bundled", "bundled"),
    "errors": (
        "CheckpointError",
        "FormatError",
        "GenokuError",
        "ImpossibleError",
        "PuzzleError",
        "RecipeError",
    ),
    "exact": ("Count", "Solution", "count", "is_unique", "solutions", "solve"),
    "formats": ("Entry", "read_puzzles", "save_puzzles", "write_puzzles"),
    "generator": ("Made", "Wanted", "generate", "generate_many"),
    "geometry": ("Geometry",),
    "engine.history": ("History", "Record"),
    "isomorph": ("canonical", "shuffled"),
    "engine.run": ("View", "resume", "run"),
    "engine.portfolio": ("run_portfolio",),
    "preset_library": ("Preset", "preset", "presets"),
    "problem": ("Problem",),
    "rating": ("Rating", "rate"),
    "recipe": ("build", "describe"),
    "engine.result": ("Result",),
    "sheet": ("write_pdf",),
    "state": ("Algorithm", "State"),
    "stopping": ("Until",),
    "techniques": ("Step", "hint", "solve_path"),
}
_MODULE_OF = {name: module for module, names in _HOME.items() for name in names}

__all__ = [
    "Algorithm",
    "Board",
    "Bundled",
    "CheckpointError",
    "Conflict",
    "Count",
    "Entry",
    "FormatError",
    "GenokuError",
    "Geometry",
    "History",
    "ImpossibleError",
    "Made",
    "Preset",
    "Problem",
    "Puzzle",
    "PuzzleError",
    "Rating",
    "RecipeError",
    "Record",
    "Result",
    "Solution",
    "State",
    "Step",
    "Until",
    "View",
    "Wanted",
    "build",
    "bundled",
    "canonical",
    "count",
    "describe",
    "generate",
    "generate_many",
    "hint",
    "is_unique",
    "preset",
    "presets",
    "rate",
    "read_puzzles",
    "resume",
    "run",
    "run_portfolio",
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
