"""From what a person asked for to what can be run within the limits of a server."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from genoku.board import Puzzle
from genoku.collection import bundled
from genoku.engine.run import refuse_clashes
from genoku.errors import RecipeError
from genoku.geometry import Geometry
from genoku.preset_library import choose as choose_algorithm
from genoku.recipe import describe
from genoku.state import Algorithm, declared
from genoku.stopping import Until
from genoku.web.limits import Limits
from genoku.web.live.plan import RACE_UNTIL, PuzzleAsked, RacePlan, RecipeAsked, RunPlan
from genoku.web.live.snapshot import LaneFacts

STEP_SHARE = 0.5  # of the time for a step that one which needs a deadline may take


@dataclass(frozen=True)
class Choice:
    """An algorithm, what a page is told of it, and how long it may go on."""

    facts: LaneFacts
    algorithm: Algorithm
    until: Until

    @property
    def name(self) -> str:
        return self.facts.name


def choose_puzzle(asked: PuzzleAsked) -> tuple[Puzzle, str]:
    """The puzzle of a plan, written out or a bundled one, and its name."""
    known = bundled().get(asked.puzzle)
    puzzle = known.puzzle if known else Puzzle.parse(asked.puzzle, box=asked.box)
    if not asked.allow_conflicts:
        refuse_clashes(puzzle)
    return puzzle, asked.name or (known.name if known else "")


def choose_lanes(plan: RunPlan | RacePlan, geometry: Geometry, limits: Limits) -> list[Choice]:
    """The algorithm of a run, or those of a race, by different names and CPU time."""
    until = plan.until or (RACE_UNTIL if plan.kind == "race" else "")
    found = [choose(lane, until, geometry, limits, lane.name) for lane in plan.lanes]
    if plan.kind == "run":
        return found
    names = [each.name for each in found]
    numbered = [
        replace(each.facts, name=f"{each.name} {place}")
        if names.count(each.name) > 1
        else each.facts
        for place, each in enumerate(found, 1)
    ]
    return [
        Choice(facts, each.algorithm, each.until.in_cpu_time())
        for facts, each in zip(numbered, found, strict=True)
    ]


def choose(
    asked: RecipeAsked, until: str, geometry: Geometry, limits: Limits, name: str = ""
) -> Choice:
    """The algorithm of a preset or a recipe with settings, within the limits of a server."""
    most = limits.recipe_characters
    if len(repr((asked.recipe, asked.settings))) > most:
        raise RecipeError(f"expected a recipe of at most {most:,} characters, got a longer one")
    base = asked.preset if asked.recipe is None else asked.recipe
    chosen = choose_algorithm(base, until or None, settings=asked.settings)
    _refuse_large(chosen.recipe, geometry, limits)
    called = f"{chosen.name or 'a recipe'}{', changed' if chosen.is_changed else ''}"
    ends, bound = chosen.until, chosen.until.time_limit
    if bound is None or bound > limits.run_seconds:
        bound = limits.run_seconds
        ends = ends | Until.parse(f"seconds={bound}")
    seconds = min(bound, STEP_SHARE * limits.step_seconds)
    algorithm = declared(chosen.algorithm).with_deadline(seconds)
    facts = LaneFacts(
        name=name or called,
        preset=asked.preset,
        recipe=describe(algorithm),
        settings=asked.settings,
        step_word=declared(algorithm).step_name,
        rate_word=declared(algorithm).rate_name,
        population=boards_of(chosen.recipe),
    )
    return Choice(facts, algorithm, ends)


def boards_of(recipe: Any) -> int:
    """How many boards an algorithm has at a time, those of all islands together."""
    if not isinstance(recipe, Mapping):
        return 1
    own = int(recipe.get("population", 1)), int(recipe.get("offspring", 0))
    return max(*own, boards_of(recipe.get("algorithm"))) * int(recipe.get("islands", 1))


def _refuse_large(recipe: dict[str, Any], geometry: Geometry, limits: Limits) -> None:
    boards, most = boards_of(recipe), limits.population_cells // geometry.cells
    if boards > most:
        raise RecipeError(
            f"expected at most {most:,} boards of {geometry.cells} cells at a time here, "
            f"got {boards:,}"
        )
