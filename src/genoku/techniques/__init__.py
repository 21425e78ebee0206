"""Solving as a person does: a ladder of techniques, the path it takes, the next step."""

from genoku.techniques.grid import Finding, Step
from genoku.techniques.ladder import (
    GUESS,
    LADDER,
    LEVELS,
    ORACLE_SECONDS,
    Level,
    Path,
    Technique,
    hint,
    solve_path,
    technique,
    walk,
)

__all__ = [
    "GUESS",
    "LADDER",
    "LEVELS",
    "ORACLE_SECONDS",
    "Finding",
    "Level",
    "Path",
    "Step",
    "Technique",
    "hint",
    "solve_path",
    "technique",
    "walk",
]
