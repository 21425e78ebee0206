"""Kernels loaded, or compiled, before anything is timed."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Any

from genoku.board import Puzzle
from genoku.engine.history import Record
from genoku.engine.run import run
from genoku.geometry import Geometry
from genoku.recipe import describe
from genoku.state import Algorithm
from genoku.stopping import Stop

SMALL = Geometry(2, 2)
NEVER = 2**31  # a stride that records the first row and no other
NOTHING = Record(fields=("gen",), every=NEVER)
SHORT: dict[str, Any] = {"moves": 1000, "tries": 50, "interval": 2}
"""What a step of a trial has at most of what makes steps long."""

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
            tried = run(small, with_short_steps(algorithm), until="steps=2", record=record)
            if tried.stop_reason is Stop.INTERRUPTED:  # it was not the trial that was meant
                raise KeyboardInterrupt


def with_short_steps(algorithm: Algorithm) -> Algorithm:
    """The same with short steps, which need the same kernels: nobody waits for a trial."""
    part: Any = algorithm
    less = {
        name: min(getattr(part, name), most) for name, most in SHORT.items() if hasattr(part, name)
    }
    if hasattr(part, "algorithm"):
        less["algorithm"] = with_short_steps(part.algorithm)
    shorter: Algorithm = replace(part, **less)
    return shorter
