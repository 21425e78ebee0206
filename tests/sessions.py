"""Sessions of the web app in this process, without a stage."""

from __future__ import annotations

from pathlib import Path
from typing import Any

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
