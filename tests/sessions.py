"""Live sessions in this process, without a worker, and the same runs by `run` alone."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np

from genoku.engine.history import Record
from genoku.engine.result import Result
from genoku.engine.run import run
from genoku.evolve.presets import preset
from genoku.evolve.recipe import build, with_value
from genoku.puzzle.bundled_puzzles import bundled
from genoku.web.limits import Limits
from genoku.web.live.plan import LaneRequest, RacePlan, RunPlan, SavedSession, SessionFolder
from genoku.web.live.session import LiveSession
from genoku.web.live.snapshot import Snapshot

PUZZLE = "charles-basic"
LIMITS = Limits()
PLAN = RunPlan(
    puzzle=PUZZLE, preset="charles", settings={"population": 40}, until="generations=60", seed=7
)


def nothing() -> None: ...


def changed(plan: RunPlan, **changes: Any) -> RunPlan:
    return RunPlan(**{**plan.model_dump(), **changes})


def race(*lanes: LaneRequest, **more: Any) -> RacePlan:
    return RacePlan(puzzle=PUZZLE, lanes=list(lanes), **more)


def open_session(plan: RunPlan | RacePlan, folder: Path, name: str = "one") -> LiveSession:
    """A session that is ready; one of that name that was saved is resumed."""
    session = LiveSession(name, 1, SavedSession.of(plan), SessionFolder(folder), LIMITS)
    session.prepare(nothing)
    session.mark_ready()
    return session


def play(session: LiveSession) -> Snapshot:
    """Let a session have turns as long as it wants any."""
    while session.is_active:
        session.take_turn(nothing)
    return session.snapshot()


def plain_run(plan: RunPlan, **options: Any) -> Result:
    """The same by `run` alone."""
    recipe: Any = preset(plan.preset).recipe
    for path, value in plan.settings.items():
        recipe = with_value(recipe, path, value)
    return run(
        bundled()[plan.puzzle].puzzle,
        build(recipe),
        seed=plan.seed,
        until=plan.until,
        record=Record(diversity_every=10),
        **options,
    )


def assert_same(packed: bytes, plain: Result) -> list[int]:
    """A live run's result is that of a run by itself; the steps of its film."""
    told, film = pickle.loads(packed)
    np.testing.assert_array_equal(told.board, plain.board)
    for name in ("steps", "evaluations", "moves", "cost", "stop_reason", "recipe", "seed"):
        assert told.record()[name] == plain.record()[name], name
    assert list(told.history) == list(plain.history)
    for name, column in plain.history.items():
        np.testing.assert_array_equal(told.history[name], column, err_msg=name)
    return [each.step for each in film.frames]
