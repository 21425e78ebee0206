"""Sessions of the web app in this process, without a stage, and the same runs by `run` alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from genoku.collection import bundled
from genoku.history import Record
from genoku.loop import run
from genoku.preset_library import preset
from genoku.recipe import build, with_value
from genoku.result import Result
from genoku.web.limits import Limits
from genoku.web.stage.acts import Act
from genoku.web.stage.saved import Folder, Saved

PUZZLE = "charles-basic"
LIMITS = Limits()
PLAN: dict[str, Any] = {
    "puzzle": PUZZLE,
    "preset": "charles",
    "settings": {"population": 40},
    "until": "generations=60",
    "seed": 7,
}


def nothing() -> None: ...


def saved(plan: dict[str, Any], kind: Any = "run", phase: str = "running") -> Saved:
    return Saved(
        kind=kind, plan=plan, phase=phase, speed=plan.get("speed"), ended="", step=0, title=""
    )


def act_of(plan: dict[str, Any], folder: Path, name: str = "one", kind: Any = "run") -> Act:
    act = Act(name, 1, saved(plan, kind), Folder(folder), LIMITS)
    act.prepare(nothing)
    act.begin()
    return act


def played(act: Act) -> dict[str, Any]:
    while act.is_active:
        act.play(nothing)
    return act.frame()


def plain_run(plan: dict[str, Any], **options: Any) -> Result:
    """The same by `run` alone."""
    recipe: Any = preset(plan["preset"]).recipe
    for path, value in plan.get("settings", {}).items():
        recipe = with_value(recipe, path, value)
    return run(
        bundled()[plan["puzzle"]].puzzle,
        build(recipe),
        seed=plan["seed"],
        until=plan["until"],
        record=Record(diversity_every=10),
        **options,
    )


def assert_same(told: dict[str, Any], plain: Result) -> None:
    """A live run's result is that of a run by itself."""
    record = told["record"]
    assert told["board"] == plain.board.tolist()
    for name in ("steps", "evaluations", "moves", "cost", "stop_reason", "recipe", "seed"):
        assert record[name] == plain.record()[name], name
    columns = told["history"]["columns"]
    assert list(columns) == list(plain.history)
    for name, column in plain.history.items():
        kept = np.array([np.nan if each is None else each for each in columns[name]])
        np.testing.assert_array_equal(kept, column, err_msg=name)
