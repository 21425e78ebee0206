"""What a chapter is made of: scenes of steps with boards, bars and curves, as plain data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

Paint = Literal["plain", "units", "origin"]
"""What the colour of a cell says: nothing, its complete units, or who gave it."""

GIVEN, FIRST, SECOND, BOTH, NEITHER = range(5)
"""Who gave a cell to a child: the puzzle, a parent, both alike, or none of them."""


@dataclass(frozen=True)
class BoardView:
    """A board of a step, and what is to be seen on it."""

    title: str
    digits: list[int]
    paint: Paint = "plain"
    colours: list[int] = field(default_factory=list[int])
    """For every cell: 0 to 3 complete units, or who gave it."""
    clashes: list[int] = field(default_factory=list[int])
    """Cells whose digit stands again in a unit."""
    marked: list[int] = field(default_factory=list[int])
    """Cells that this step is about."""
    note: str = ""


@dataclass(frozen=True)
class Bars:
    """A number for each of several boards, and which of them this step is about."""

    title: str
    of: str
    """What is counted."""
    labels: list[str]
    values: list[float]
    chosen: list[int] = field(default_factory=list[int])
    """Places that are picked out."""
    counts: list[int] = field(default_factory=list[int])
    """How often each was chosen, if that is told."""
    note: str = ""


@dataclass(frozen=True)
class Curve:
    """A number over time, drawn as far as a step has come."""

    title: str
    across: str
    values: list[float]
    lowest: float | None = None
    """Where its axis begins and ends, if not with the values."""
    highest: float | None = None
    every: int = 1
    """How far values are apart."""


@dataclass(frozen=True)
class Step:
    """A moment of a scene, in words and in pictures."""

    text: str
    boards: list[BoardView] = field(default_factory=list[BoardView])
    bars: list[Bars] = field(default_factory=list[Bars])
    at: int | None = None
    """How far the scene's curves go."""


@dataclass(frozen=True)
class Scene:
    """One thing shown: what it is called in a recipe, the puzzle it is shown on, and its steps."""

    name: str
    label: str
    about: str
    recipe: dict[str, Any]
    """The part of a recipe that made it; empty where none did."""
    side: int
    box_rows: int
    box_cols: int
    givens: list[int]
    steps: list[Step]
    curves: list[Curve] = field(default_factory=list[Curve])
    pace: float = 1.6
    """Seconds that a step is shown for."""


@dataclass(frozen=True)
class Trial:
    """What to run to see a chapter's subject at work: the plan of a run."""

    label: str
    preset: str
    puzzle: str
    """The name of a bundled puzzle."""
    settings: dict[str, Any] = field(default_factory=dict[str, Any])
    until: str = ""


@dataclass(frozen=True)
class Chapter:
    """A chapter's place in the tour."""

    name: str
    title: str
    words: list[str]
    """Its text, a sentence or two each."""
    trial: Trial


@dataclass(frozen=True)
class Lesson:
    """A chapter with its scenes, made from a seed."""

    chapter: Chapter
    seed: int
    scenes: list[Scene]
    puzzle: str
    """The puzzle of the trial, as a line."""
    box: str
