"""The puzzle and the algorithms of a session, built within the limits of the server."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from genoku.engine.run import require_no_conflicts
from genoku.errors import PuzzleError, RecipeError
from genoku.evolve.fitness import Fitness, OpenCells, Repetitions
from genoku.evolve.presets import choose as choose_algorithm, preset
from genoku.evolve.problem import display_name
from genoku.evolve.recipe import describe
from genoku.evolve.state import Algorithm, as_search
from genoku.evolve.stopping import Until
from genoku.generator import random_puzzle
from genoku.puzzle.board import Entry, Puzzle
from genoku.puzzle.geometry import Geometry
from genoku.puzzle.resolve import resolve
from genoku.web.limits import Limits
from genoku.web.live.plan import RACE_UNTIL, RacePlan, RecipeRequest, RunPlan
from genoku.web.live.snapshot import LaneAnswer, ScaleAnswer

LARGEST_RANDOM = 16  # side of a puzzle that is generated at once; larger ones take seconds
STEP_SHARE = 0.5  # of `Limits.step_seconds`, for algorithms that take a deadline


@dataclass(frozen=True)
class LaneSetup:
    """An algorithm, its description for the page, and when it stops."""

    facts: LaneAnswer
    algorithm: Algorithm
    until: Until

    @property
    def name(self) -> str:
        return self.facts.name


def choose_puzzle(asked: RunPlan | RacePlan) -> tuple[Puzzle, str]:
    """Return the puzzle of a request, by its name or written out, and its name.

    Raises
    ------
    PuzzleError
        If there is no such puzzle; or if givens conflict, unless the request allows that or the
        presets of all lanes accept the puzzle.
    """
    found = read_puzzle(asked.puzzle, asked.box, asked.seed)
    if not asked.allow_conflicts and not all(_accepts(each, found.puzzle) for each in asked.lanes):
        require_no_conflicts(found.puzzle)
    return found.puzzle, asked.name or found.name


def _accepts(lane: RecipeRequest, puzzle: Puzzle) -> bool:
    """Whether a lane has a preset, changed or not, that accepts a puzzle."""
    return lane.recipe is None and preset(lane.preset).accepts(puzzle)


def read_puzzle(text: str, box: str | None, seed: int | None) -> Entry:
    """Read the puzzle of a request that a session or a check waits for."""
    return resolve(text, box=box, generate=_generate, seed=seed)


def _generate(geometry: Geometry, seed: int) -> Puzzle:
    if geometry.side > LARGEST_RANDOM:
        most = f"{LARGEST_RANDOM}×{LARGEST_RANDOM}"
        raise PuzzleError(f"expected a random puzzle of up to {most} here, got {geometry}")
    return random_puzzle(geometry, seed)


def choose_lanes(plan: RunPlan | RacePlan, geometry: Geometry, limits: Limits) -> list[LaneSetup]:
    """Set up the lanes of a run or race; those of a race get unique names and CPU time limits."""
    until = plan.until or (RACE_UNTIL if plan.kind == "race" else "")
    found = [choose_lane(lane, until, geometry, limits, lane.name) for lane in plan.lanes]
    if plan.kind == "run":
        return found
    names = [each.name for each in found]
    lanes = []
    for place, each in enumerate(found, 1):
        name = f"{each.name} {place}" if names.count(each.name) > 1 else each.name
        facts = replace(each.facts, name=name)
        lanes.append(LaneSetup(facts, each.algorithm, each.until.in_cpu_time()))
    return lanes


def choose_lane(
    asked: RecipeRequest, until: str, geometry: Geometry, limits: Limits, name: str = ""
) -> LaneSetup:
    """Set up the algorithm of a preset or recipe; RecipeError if it exceeds a limit."""
    most = limits.recipe_characters
    if len(repr((asked.recipe, asked.settings))) > most:
        raise RecipeError(f"expected a recipe of at most {most:,} characters, got a longer one")
    base = asked.preset if asked.recipe is None else asked.recipe
    chosen = choose_algorithm(base, until or None, settings=asked.settings)
    boards, most = population_size(chosen.recipe), limits.population_cells // geometry.cells
    if boards > most:
        raise RecipeError(
            f"expected at most {most:,} boards of {geometry.cells} cells at a time here, "
            f"got {boards:,}"
        )
    called = f"{chosen.name or 'a recipe'}{', changed' if chosen.is_changed else ''}"
    ends, bound = chosen.until, chosen.until.time_limit
    if bound is None or bound > limits.run_seconds:
        bound = limits.run_seconds
        ends = ends | Until.parse(f"seconds={bound}")
    seconds = min(bound, STEP_SHARE * limits.step_seconds)
    algorithm = as_search(chosen.algorithm).with_deadline(seconds)
    facts = LaneAnswer(
        name=name or called,
        preset=asked.preset,
        recipe=describe(algorithm),
        settings=asked.settings,
        step_word=as_search(algorithm).step_name,
        rate_word=as_search(algorithm).rate_name,
        population=boards,
        scale=scale_answer(algorithm.fitness, geometry),
        partial=isinstance(algorithm.fitness, OpenCells),
    )
    return LaneSetup(facts, algorithm, ends)


def scale_answer(fitness: Fitness, geometry: Geometry) -> ScaleAnswer | None:
    """Return the scale of a fitness function; None if that is the errors left, or partial boards.

    Every built-in fitness is a line over the cost, so its ends give all of it.
    """
    if fitness == Repetitions() or isinstance(fitness, OpenCells):
        return None
    worst = fitness.worst(geometry)
    solved, least = fitness.score(np.array([0, worst], np.int32), geometry).tolist()
    name = display_name(fitness)
    return ScaleAnswer(fitness=name, solved=solved, per_cost=(least - solved) / worst)


def population_size(recipe: Any) -> int:
    """Return the number of boards an algorithm holds at a time, over all islands."""
    if not isinstance(recipe, Mapping):
        return 1
    own = int(recipe.get("population", 1)), int(recipe.get("offspring", 0))
    return max(*own, population_size(recipe.get("algorithm"))) * int(recipe.get("islands", 1))
