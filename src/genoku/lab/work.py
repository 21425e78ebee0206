"""What a worker does: runs of a study, from plain data to plain data, in any process anywhere."""

from __future__ import annotations

import math
import signal
import sys
import threading
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from genoku.board import Puzzle
from genoku.failures import failures_named, own_parts
from genoku.geometry import Geometry
from genoku.interrupts import is_interrupt
from genoku.lab.packing import pack
from genoku.lab.study import Arm, Planned, Study
from genoku.loop import run
from genoku.recipe import Trust
from genoku.result import Result
from genoku.state import Algorithm
from genoku.warming import load_kernels_of

LONGEST = 500  # letters of what is said of a failure


class Row(NamedTuple):
    """What is kept of a run."""

    key: bytes
    arm: int
    instance: int
    seed: int
    solved: bool
    cost: int
    final_cost: int
    score: float
    loss: float
    steps: int
    evaluations: int
    moves: int
    seconds: float
    cpu_seconds: float
    stop_reason: str
    board: bytes
    history: bytes

    @classmethod
    def of(cls, key: bytes, planned: Planned, result: Result) -> Row:
        return cls(
            key,
            *planned,
            result.solved,
            result.cost,
            result.final_cost,
            result.score,
            result.loss,
            result.steps,
            result.evaluations,
            result.moves,
            result.seconds,
            result.cpu_seconds,
            result.stop_reason,
            result.board.tobytes(),
            pack(result.history),
        )


class Failure(NamedTuple):
    """A run that came to nothing, and why."""

    key: bytes
    arm: int
    instance: int
    seed: int
    message: str


Outcome = Row | Failure


def load() -> None:
    """Nothing more: a worker that has imported this module is ready."""


def perform(
    study_text: str, runs: Sequence[Planned], folder: str = "", trust: Trust = False
) -> list[Outcome]:
    """Make some runs of a study; modules whose parts are trusted may lie in `folder`."""
    if trust and folder and folder not in sys.path and Path(folder).is_dir():
        sys.path.append(folder)
    study = _study(study_text, trust)
    study.refuse_another_version()
    keys = study.keys(runs)
    return [
        _outcome(study, Planned(*planned), key) for planned, key in zip(runs, keys, strict=True)
    ]


def _outcome(study: Study, planned: Planned, key: bytes) -> Outcome:
    """One run; what a part of the user's own does wrong ends this one only."""
    arm, puzzle = study.arms[planned.arm], study.instances[planned.instance].puzzle
    try:
        with failures_named(arm.recipe):
            result = _result(study, arm, puzzle, planned.seed)
            if result.stop_reason == "interrupted":
                raise KeyboardInterrupt
    except KeyboardInterrupt:
        if not _is_deaf():
            raise
        return Failure(key, *planned, f"{parts_named(arm)} raised KeyboardInterrupt")
    except Exception as error:  # whatever it is, the other runs go on
        if is_interrupt(error):
            raise KeyboardInterrupt from None
        ended = error.__cause__ or error.__context__
        if isinstance(error, SystemError) and isinstance(ended, SystemExit):
            raise ended from None  # a kernel's dispatcher makes a SystemError of it
        return Failure(key, *planned, _words_of(error))
    for name, value in (("loss", result.loss), ("score", result.score)):
        if not math.isfinite(value):  # which no arithmetic over runs survives
            message = f"{parts_named(arm)}: expected a {name} that is finite, got {value}"
            return Failure(key, *planned, message)
    return Row.of(key, planned, result)


def _words_of(error: Exception) -> str:
    """One error in words that can be kept and shown, whatever it says of itself."""
    kind = "" if type(error).__module__.startswith("genoku") else f"{type(error).__name__}: "
    try:
        said = f"{kind}{error}"
    except Exception:  # not even that
        said = f"{kind}it has no words"
    said = said if len(said) <= LONGEST else f"{said[:LONGEST]}…"
    return " ".join(said.encode("utf-8", "replace").decode().split())


def parts_named(arm: Arm) -> str:
    """The parts of the user's own that may have failed; an arm without any by its name."""
    return " or ".join(map(str, dict.fromkeys(own_parts(arm.recipe)))) or arm.name


def _is_deaf() -> bool:
    """Whether Ctrl-C does not reach this process, so that an interrupt is somebody's own."""
    is_main = threading.current_thread() is threading.main_thread()
    return not is_main or signal.getsignal(signal.SIGINT) is signal.SIG_IGN


def _result(study: Study, arm: Arm, puzzle: Puzzle, seed: int) -> Result:
    return run(
        puzzle,
        _ready(arm, puzzle.geometry),
        seed=seed,
        until=arm.until,
        record=study.record,
        allow_conflicts=True,  # the study has seen to it
    )


@lru_cache(maxsize=4)
def _study(text: str, trust: Trust) -> Study:
    return Study.of_text(text, trust)


def _ready(arm: Arm, geometry: Geometry) -> Algorithm:
    """An arm's algorithm, with its kernels loaded for boards of a size.

    Parts of the user's own may keep something from call to call: every run gets new ones, so that
    it does not matter what else was run in this process.
    """
    return arm.algorithm() if own_parts(arm.recipe) else _loaded(arm, geometry)


@lru_cache(maxsize=1024)
def _loaded(arm: Arm, geometry: Geometry) -> Algorithm:
    algorithm = arm.algorithm()
    load_kernels_of(algorithm, geometry)
    return algorithm
