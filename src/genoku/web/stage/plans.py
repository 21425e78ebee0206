"""From what a browser asks for to what can be run: parsed, built, and within the limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from genoku.board import Puzzle
from genoku.collection import bundled
from genoku.errors import GenokuError, RecipeError
from genoku.figures import rate_word, step_word
from genoku.geometry import Geometry
from genoku.history import Record
from genoku.lab.study import Arm
from genoku.loop import refuse_clashes
from genoku.preset_library import preset
from genoku.preset_library.own import UNTIL
from genoku.recipe import build, describe, with_value
from genoku.state import Algorithm
from genoku.stopping import Until
from genoku.telling import aside
from genoku.web.frames import board_facts
from genoku.web.limits import MOST_SEED, SPEEDS, Limits

RECORD = Record(diversity_every=10)
"""What `genoku solve --history` keeps."""

ORACLE_SHARE = 0.5  # of the time for a step that the oracle, whose only step it is, may take
LONGEST = 20_000  # characters of a recipe and its settings
LANES = (2, 4)
RACE_UNTIL = "cpu_seconds=5"


@dataclass(frozen=True)
class Chosen:
    """An algorithm with what it is called, and how long it may go on."""

    name: str
    preset: str
    settings: Mapping[str, Any]
    recipe: dict[str, Any]
    """The whole of it."""
    algorithm: Algorithm
    until: Until

    def facts(self) -> dict[str, Any]:
        """What a page is told of it once, but for its name."""
        return {
            "preset": self.preset,
            "recipe": self.recipe,
            "settings": dict(self.settings),
            "step_word": step_word(self.algorithm),
            "rate_word": rate_word(self.algorithm),
            "population": boards_of(self.recipe),
        }


@dataclass(frozen=True)
class PlannedRun:
    """All that decides a run."""

    puzzle: Puzzle
    puzzle_name: str
    chosen: Chosen
    seed: int

    @property
    def title(self) -> str:
        return f"{aside(self.chosen.name)} on {self.puzzle_name or self.puzzle.geometry}"

    def facts(self) -> dict[str, Any]:
        """What a page is told of it once."""
        return {
            **board_facts(self.puzzle, self.puzzle_name),
            "title": self.title,
            "algorithm": self.chosen.name,
            **self.chosen.facts(),
            "until": str(self.chosen.until),
            "seed": self.seed,
        }


@dataclass(frozen=True)
class PlannedRace:
    """All that decides a race."""

    puzzle: Puzzle
    puzzle_name: str
    lanes: tuple[Chosen, ...]
    seed: int

    @property
    def arms(self) -> list[Arm]:
        return [Arm(each.name, each.recipe, str(each.until)) for each in self.lanes]

    def facts(self) -> dict[str, Any]:
        """What a page is told of it once."""
        return {
            **board_facts(self.puzzle, self.puzzle_name),
            "title": f"a race on {self.puzzle_name or self.puzzle.geometry}",
            "until": str(self.lanes[0].until),
            "seed": self.seed,
            "lanes": [{"name": each.name, **each.facts()} for each in self.lanes],
        }


def planned_run(plan: Mapping[str, Any], limits: Limits) -> PlannedRun:
    """The run that a plan asks for, or why there can be none, in words."""
    puzzle, name = _puzzle(plan)
    chosen = chosen_by(plan, str(plan.get("until") or ""), puzzle.geometry, limits)
    return PlannedRun(puzzle, name, chosen, _seed(plan))


def planned_race(plan: Mapping[str, Any], limits: Limits) -> PlannedRace:
    """The race that a plan asks for, or why there can be none, in words."""
    puzzle, name = _puzzle(plan)
    lanes = plan.get("lanes") or []
    least, most = LANES
    if not least <= len(lanes) <= most:
        raise RecipeError(f"expected {least} to {most} lanes, got {len(lanes)}")
    until = str(plan.get("until") or RACE_UNTIL)
    found = [
        chosen_by(lane, until, puzzle.geometry, limits, str(lane.get("name") or ""))
        for lane in lanes
    ]
    by_cpu = [replace(each, until=each.until.in_cpu_time()) for each in found]
    return PlannedRace(puzzle, name, _by_different_names(by_cpu), _seed(plan))


def chosen_by(
    asked: Mapping[str, Any], until: str, geometry: Geometry, limits: Limits, name: str = ""
) -> Chosen:
    """The algorithm of a preset or a recipe with settings, within the limits of a server."""
    named, table = str(asked.get("preset") or ""), asked.get("recipe")
    settings = dict(asked.get("settings") or {})
    if table is None:
        found = preset(named)
        base, until, called = found.recipe, until or found.until, found.name
    else:
        base, until, called = table, until or UNTIL, "a recipe"
    if len(repr((table, settings))) > LONGEST:
        raise RecipeError(f"expected a recipe of at most {LONGEST:,} characters, got a longer one")
    recipe = describe(build(with_settings(base, settings)))
    _refuse_large(recipe, geometry, limits)
    if settings and recipe != _described(base):
        called = f"{called}, changed"
    ends = Until.parse(until)
    bound = ends.time_limit
    if bound is None or bound > limits.run_seconds:
        bound = limits.run_seconds
        ends = ends | Until.parse(f"seconds={bound}")
    recipe = _with_a_hasty_oracle(recipe, min(bound, ORACLE_SHARE * limits.step_seconds))
    return Chosen(name or called, named, settings, recipe, build(recipe), ends)


def with_settings(recipe: Any, settings: Mapping[str, Any]) -> Any:
    """A recipe with settings applied in turn; an error names the one that cannot be."""
    for path, value in settings.items():
        try:
            recipe = with_value(recipe, path, value)
        except RecipeError as error:
            raise RecipeError(f"{path}: {error}") from None
    return recipe


def boards_of(recipe: Any) -> int:
    """How many boards an algorithm has at a time, those of all islands together."""
    if not isinstance(recipe, Mapping):
        return 1
    own = int(recipe.get("population", 1)), int(recipe.get("offspring", 0))
    return max(*own, boards_of(recipe.get("algorithm"))) * int(recipe.get("islands", 1))


def speed_of(asked: Any) -> float | None:
    """Steps in a second; None is as fast as can be."""
    if asked is None:
        return None
    is_number = isinstance(asked, int | float) and not isinstance(asked, bool)
    slowest, quickest = SPEEDS
    if not is_number or not slowest <= asked <= quickest:
        said = f"expected {slowest:g} to {quickest:g} steps in a second, got {asked!r}"
        raise GenokuError(said)
    return float(asked)


def _puzzle(plan: Mapping[str, Any]) -> tuple[Puzzle, str]:
    """The puzzle of a plan, written out or one that comes with genoku, and its name."""
    text = str(plan.get("puzzle") or "")
    known = bundled().get(text)
    puzzle = known.puzzle if known else Puzzle.parse(text, box=plan.get("box"))
    if not plan.get("allow_conflicts"):
        refuse_clashes(puzzle)
    return puzzle, str(plan.get("name") or "") or (known.name if known else "")


def _seed(plan: Mapping[str, Any]) -> int:
    seed = plan.get("seed", 0)
    if type(seed) is not int or not 0 <= seed <= MOST_SEED:
        raise RecipeError(f"expected a seed from 0 to {MOST_SEED}, got {seed!r}")
    return seed


def _described(recipe: Any) -> dict[str, Any] | None:
    try:
        return describe(build(recipe))
    except RecipeError:  # which the settings have mended
        return None


def _refuse_large(recipe: dict[str, Any], geometry: Geometry, limits: Limits) -> None:
    boards = boards_of(recipe)
    if boards * geometry.cells > limits.population_cells:
        most = limits.population_cells // geometry.cells
        raise RecipeError(
            f"expected at most {most:,} boards of {geometry.cells} cells at a time here, "
            f"got {boards:,}"
        )


def _with_a_hasty_oracle(recipe: Any, seconds: float) -> Any:
    """A recipe whose oracle, wherever it stands in it, gives up after so many seconds."""
    if not isinstance(recipe, dict):
        return recipe
    after = {key: _with_a_hasty_oracle(value, seconds) for key, value in recipe.items()}
    if after.get("use") == "exact":
        after["seconds"] = min(seconds, after.get("seconds") or seconds)
    return after


def _by_different_names(lanes: list[Chosen]) -> tuple[Chosen, ...]:
    """Lanes that can be told apart: two of one name have numbers behind it."""
    names = [each.name for each in lanes]
    return tuple(
        replace(each, name=f"{each.name} {place + 1}") if names.count(each.name) > 1 else each
        for place, each in enumerate(lanes)
    )
