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

from typing import TYPE_CHECKING

from genoku.runtime.lazy import lazy_exports
from genoku.runtime.moved import explain_old_imports

if TYPE_CHECKING:
    from genoku.engine.history import History as History, Record as Record
    from genoku.engine.portfolio import run_portfolio as run_portfolio
    from genoku.engine.result import Result as Result
    from genoku.engine.run import View as View, resume as resume, run as run
    from genoku.errors import (
        CheckpointError as CheckpointError,
        FormatError as FormatError,
        GenokuError as GenokuError,
        ImpossibleError as ImpossibleError,
        PuzzleError as PuzzleError,
        RecipeError as RecipeError,
    )
    from genoku.evolve.presets import Preset as Preset, preset as preset, presets as presets
    from genoku.evolve.problem import Problem as Problem
    from genoku.evolve.recipe import build as build, describe as describe
    from genoku.evolve.state import Algorithm as Algorithm, State as State
    from genoku.evolve.stopping import Until as Until
    from genoku.exact.oracle import (
        Count as Count,
        Solution as Solution,
        count as count,
        is_unique as is_unique,
        solutions as solutions,
        solve as solve,
    )
    from genoku.generator import (
        GeneratedPuzzle as GeneratedPuzzle,
        PuzzleRequest as PuzzleRequest,
        generate as generate,
        generate_many as generate_many,
    )
    from genoku.puzzle.board import Board as Board, Conflict as Conflict, Puzzle as Puzzle
    from genoku.puzzle.bundled_puzzles import Bundled as Bundled, bundled as bundled
    from genoku.puzzle.formats import (
        Entry as Entry,
        read_puzzles as read_puzzles,
        save_puzzles as save_puzzles,
        write_puzzles as write_puzzles,
    )
    from genoku.puzzle.geometry import Geometry as Geometry
    from genoku.puzzle.isomorph import canonical as canonical, shuffled as shuffled
    from genoku.puzzle.pdf import write_pdf as write_pdf
    from genoku.techniques import Step as Step, hint as hint, solve_path as solve_path
    from genoku.techniques.rating import Rating as Rating, rate as rate

__version__ = "0.2.0.dev0"

RESULTS_VERSION = 1
"""Raised when the same recipe, puzzle and seed give another run: only equal ones may be mixed.

Checkpoints, stores and the keys of runs carry it; files without it are of version 1.
"""

__getattr__ = lazy_exports(__name__)
explain_old_imports()
