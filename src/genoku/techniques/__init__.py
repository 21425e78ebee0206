"""Solving as people do: a ladder of techniques, solve paths, hints and ratings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from genoku.runtime.lazy import lazy_exports

if TYPE_CHECKING:
    from genoku.techniques.grid import Finding as Finding, Step as Step
    from genoku.techniques.ladder import (
        GUESS as GUESS,
        LADDER as LADDER,
        LEVELS as LEVELS,
        ORACLE_SECONDS as ORACLE_SECONDS,
        Level as Level,
        SolvePath as SolvePath,
        Technique as Technique,
        hint as hint,
        solve_path as solve_path,
        solve_steps as solve_steps,
        technique as technique,
    )
    from genoku.techniques.rating import Rating as Rating, rate as rate

__getattr__ = lazy_exports(__name__)
