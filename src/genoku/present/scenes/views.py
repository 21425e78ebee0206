"""What scenes are made of, as plain data, and the chapters of the guided tour."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any, Literal

Paint = Literal["plain", "units", "origin", "group"]
"""What the colour of a cell says: nothing, its complete units, who gave it, or its group."""
Recipe = dict[str, Any]

GIVEN, FIRST, SECOND, BOTH, NEITHER = range(5)
"""Who gave a cell to a child: the puzzle, a parent, both alike, or none of them."""
SMALL_GA: Recipe = {
    "use": "genetic",
    "encoding": "permuted-boxes",
    "fitness": "repetitions",
    "population": 12,
    "selection": {"use": "tournament", "size": 2},
    "crossover": {"use": "uniform", "by": "box", "children": 1, "rate": 0.9},
    "mutation": {"use": "swap", "unit": "box"},
    "adaptation": {"use": "constant", "rate": 0.5},
    "replacement": {"use": "generational", "elites": 1},
}
"""A genetic algorithm that is small enough to be followed."""


@dataclass(frozen=True)
class BoardView:
    """A board of a step, and what is to be seen on it."""

    title: str
    digits: list[int]
    paint: Paint = "plain"
    colours: list[int] = field(default_factory=list[int])
    """For every cell: 0 to 3 complete units, who gave it, or which of two neighbouring groups."""
    clashes: list[int] = field(default_factory=list[int])
    """Cells whose digit is repeated in a unit."""
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
    recipe: Recipe
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
class ScenePlan:
    """What a scene is about, and what it is made with."""

    name: str
    label: str = ""
    about: str = ""
    recipe: Recipe = field(default_factory=Recipe)
    puzzle: str = ""
    """The name of a bundled puzzle."""
    encoding: str = "permuted-boxes"
    fitness: str = "repetitions"
    by: str = "row"
    """The units that a child is shown by."""
    pace: float = 1.6


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
    scenes: list[ScenePlan]


@dataclass(frozen=True)
class Lesson:
    """A chapter with its scenes, made from a seed."""

    chapter: Chapter
    seed: int
    scenes: list[Scene]
    puzzle: str
    """The puzzle of the trial, as a line."""
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


_TOUR = (files("genoku.present.scenes") / "tour.toml").read_text("utf-8")
CHAPTERS = tuple(_chapter(facts) for facts in tomllib.loads(_TOUR)["chapter"])
"""In the order in which they are read."""
