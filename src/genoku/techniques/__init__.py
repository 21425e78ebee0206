"""Solving as a person does: a ladder of techniques, the path it takes, the next step."""

from genoku.techniques.ladder import (
    GUESS,
    LADDER,
    LEVELS,
    ORACLE_SECONDS,
    Level,
    Technique,
    technique,
)
from genoku.techniques.path import Path, hint, solve_path, walk
from genoku.techniques.step import Finding, Step

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
