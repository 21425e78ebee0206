"""The parts of scenes as plain data, and the chapters of the guided tour."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from enum import IntEnum
from importlib.resources import files
from typing import Any, Literal

CellColours = Literal["plain", "units", "origin", "group"]  # what the colour of a cell shows
Recipe = dict[str, Any]

Origin = IntEnum("Origin", "PUZZLE FIRST SECOND BOTH NEITHER", start=0)  # of a cell of a child
_TOUR = tomllib.loads((files("genoku.present.scenes") / "tour.toml").read_text("utf-8"))
SMALL_GA: Recipe = _TOUR["small_ga"]  # a genetic algorithm small enough to follow


@dataclass(frozen=True)
class SceneBoard:
    """A board of a step, and what is highlighted on it."""

    title: str
    digits: list[int]
    paint: CellColours = "plain"
    # For every cell: 0 to 3 complete units, its origin, or one of two alternating groups
    colours: list[int] = field(default_factory=list[int])
    clashes: list[int] = field(default_factory=list[int])  # cells whose digit is repeated in a unit
    marked: list[int] = field(default_factory=list[int])  # highlighted cells
    note: str = ""


@dataclass(frozen=True)
class SceneBars:
    """A bar chart: a number for each of several boards."""

    title: str
    of: str  # what the values measure
    labels: list[str]
    values: list[float]
    chosen: list[int] = field(default_factory=list[int])  # indices of highlighted bars
    # How often each was chosen; empty if not counted
    counts: list[int] = field(default_factory=list[int])
    note: str = ""


@dataclass(frozen=True)
class SceneCurve:
    """A curve over time, drawn up to the current step."""

    title: str
    across: str
    values: list[float]
    lowest: float | None = None  # limits of its axis; None for those of the values
    highest: float | None = None
    every: int = 1  # distance between values on the time axis


@dataclass(frozen=True)
class SceneStep:
    """One step of a scene: a text, boards and bars."""

    text: str
    boards: list[SceneBoard] = field(default_factory=list[SceneBoard])
    bars: list[SceneBars] = field(default_factory=list[SceneBars])
    at: int | None = None  # number of curve values to draw


@dataclass(frozen=True)
class Scene:
    """A scene: the part of a recipe it shows, its puzzle, and its steps."""

    name: str
    label: str
    about: str
    recipe: Recipe  # the part of a recipe that it shows; may be empty
    side: int
    box_rows: int
    box_cols: int
    givens: list[int]
    steps: list[SceneStep]
    curves: list[SceneCurve] = field(default_factory=list[SceneCurve])
    pace: float = 1.6  # seconds per step


@dataclass(frozen=True)
class ScenePlan:
    """The definition of a scene."""

    name: str
    label: str = ""
    about: str = ""
    recipe: Recipe = field(default_factory=Recipe)
    puzzle: str = ""  # the name of a bundled puzzle
    encoding: str = "permuted-boxes"
    fitness: str = "repetitions"
    by: str = "row"  # the kind of unit by which a child is built up
    pace: float = 1.6


@dataclass(frozen=True)
class Trial:
    """A run to try after a chapter."""

    label: str
    preset: str
    puzzle: str  # the name of a bundled puzzle
    settings: dict[str, Any] = field(default_factory=dict[str, Any])
    until: str = ""


@dataclass(frozen=True)
class Chapter:
    """A chapter of the tour."""

    name: str
    title: str
    words: list[str]  # its paragraphs
    trial: Trial
    scenes: list[ScenePlan]


@dataclass(frozen=True)
class Lesson:
    """A chapter with its scenes, made from a seed."""

    chapter: Chapter
    seed: int
    scenes: list[Scene]
    puzzle: str  # the puzzle of the trial, as one line
    box: str


def _chapter(facts: dict[str, Any]) -> Chapter:
    shared = facts.pop("scene", {})
    facts["trial"] = Trial(**facts["trial"])
    facts["scenes"] = [_plan(shared | own) for own in facts["scenes"]]
    return Chapter(**facts)


def _plan(facts: dict[str, Any]) -> ScenePlan:
    recipe = facts.get("recipe", {})
    if "small_ga" in recipe:
        recipe = SMALL_GA | recipe["small_ga"]
    return ScenePlan(**(facts | {"recipe": recipe}))


CHAPTERS = tuple(_chapter(facts) for facts in _TOUR["chapter"])  # the chapters in order
