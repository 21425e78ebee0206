"""Kernels loaded, or compiled, before anything is timed."""

from __future__ import annotations

from contextlib import suppress

from genoku.board import Puzzle
from genoku.engine.history import Record
from genoku.engine.run import Run
from genoku.geometry import Geometry
from genoku.recipe import describe
from genoku.state import Algorithm, declared

SMALL = Geometry(2, 2)
NEVER = 2**31  # a stride that records the first row and no other
NOTHING = Record(fields=("gen",), every=NEVER)
LOADED: set[str] = set()


def load_kernels_of(algorithm: Algorithm, geometry: Geometry, record: Record = NOTHING) -> None:
    """Load what is compiled before anything is timed, by a step or two on an empty board.

    What is recorded of the run has kernels too, so it is recorded here.

    Fitness kernels differ from size to size; what works on partial boards does not, and a small
    board is over sooner. Parts of a user's own are left alone: nobody knows what they do when they
    are called.
    """
    named = str(describe(algorithm))
    is_ours = ":" not in named.replace("': ", "")
    size = SMALL if algorithm.encoding.keeps == "rules" else geometry
    known = f"{named} {size} {record.fields}"
    if is_ours and known not in LOADED:
        LOADED.add(known)
        with suppress(MemoryError):  # which the run itself will meet
            small = Puzzle(size, bytes(size.cells))
            shorter = declared(algorithm).with_short_steps()
            Run.start(small, shorter, 0, "steps=2", record).advance()
