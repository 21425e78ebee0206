"""Chapters on who is chosen: as a parent, and to live on."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from genoku.recipe import build_part
from genoku.replacement import Brood
from genoku.selection import best_first
from genoku.stream import stream
from genoku.web.lessons.parts import Curve, Scene, Step
from genoku.web.lessons.scenery import (
    SMALL_GA,
    Recipe,
    Setting,
    algorithm_of,
    cost_bars,
    name_of,
    share,
)
from genoku.words import listed, plural

PEOPLE, PAIRS, DRAWS = 12, 5, 10_000
SELECTIONS: dict[str, tuple[str, str, Any]] = {
    "roulette": (
        "Roulette",
        "Chances in proportion to the score (reports 000 and 002).",
        {"use": "roulette"},
    ),
    "tournament": (
        "Tournament of 3",
        "Three are drawn by chance, the best of them becomes a parent.",
        {"use": "tournament", "size": 3},
    ),
    "rank": (
        "Rank",
        "The worst has one lot, the next two, the best as many as there are boards (report 002).",
        {"use": "rank"},
    ),
    "truncation": (
        "The best half",
        "Any of the better half, all with the same chance (report 001).",
        {"use": "truncation", "share": 0.5},
    ),
}
REPLACEMENTS: dict[str, tuple[str, str, Any]] = {
    "generational": (
        "All new",
        "The children take all places (report 000).",
        {"use": "generational", "elites": 0},
    ),
    "elitism": (
        "One elite",
        "The best old board takes the place of the worst child (report 002).",
        {"use": "generational", "elites": 1},
    ),
    "plus": ("The best of all", "The best of old and new together live on.", {"use": "plus"}),
    "tournaments": (
        "Tournaments",
        "One elite, and winners of tournaments among the children (report 003).",
        {"use": "tournaments", "size": 2, "elites": 1},
    ),
}
GENERATIONS = 80


def selection(seed: int) -> list[Scene]:
    """Real draws of every selection on the same boards, and how often each board is drawn."""
    here = Setting.of("charles-basic", "free-cells", "unique", seed, "lesson", "selection")
    costs = here.problem.costs(here.boards(PEOPLE))
    costs = costs[best_first(costs)]
    return [
        _drawn(here, costs, seed, name, label, about, recipe)
        for name, (label, about, recipe) in SELECTIONS.items()
    ]


def _drawn(
    here: Setting, costs: Any, seed: int, name: str, label: str, about: str, recipe: Recipe
) -> Scene:
    select = build_part("selection", recipe)
    rng = stream(seed, "lesson", "selection", name)
    mates = select(costs, PAIRS, 2, here.problem, rng)
    bars = "The population, best first"
    first = f"{len(costs)} boards cost from {costs.min()} to {costs.max()}. Who becomes a parent?"
    steps = [Step(first, bars=[cost_bars(bars, costs)])]
    counts = [0] * len(costs)
    for pair in mates.tolist():
        for place in pair:
            counts[place] += 1
        one, two = (f"{name_of(place)} (cost {costs[place]})" for place in pair)
        itself = " A board may be its own mate." if pair[0] == pair[1] else ""
        drawn = cost_bars(bars, costs, chosen=sorted(set(pair)), counts=list(counts))
        steps.append(Step(f"Drawn: {one} and {two}.{itself}", bars=[drawn]))
    many = np.bincount(
        select(costs, DRAWS // 2, 2, here.problem, rng).ravel(), minlength=len(costs)
    )
    often = [int(each) for each in many]
    text = (
        f"After {DRAWS:,} draws: the best was drawn {share(often[0], DRAWS)} of the time, the "
        f"worst {share(often[-1], DRAWS)}. An even chance would be {share(1, len(costs))}."
    )
    steps.append(Step(text, bars=[cost_bars(bars, costs, counts=often)]))
    return here.scene(name, label, about, {"selection": recipe}, steps, pace=1.8)


def replacement(seed: int) -> list[Scene]:
    """Old boards and their children, who of them lives on, and where that leads."""
    return [
        _replaced(seed, name, label, about, recipe)
        for name, (label, about, recipe) in REPLACEMENTS.items()
    ]


def _replaced(seed: int, name: str, label: str, about: str, recipe: Recipe) -> Scene:
    here = Setting.of("6x6-medium", "permuted-boxes", "repetitions", seed, "lesson", "replacement")
    problem = here.problem
    algorithm = algorithm_of(SMALL_GA | {"replacement": recipe})
    state = algorithm.start(problem, stream(seed, "lesson", "replacement", "run"))
    rng = here.rng
    mates = algorithm.selection(state.costs, len(state.costs), 2, problem, rng)
    children = algorithm.crossover(state.boards, mates, problem, rng)
    children = algorithm.mutation(children, float(state.memory["rate"]), problem, rng)
    new = problem.costs(children)
    brood = Brood(state.boards, state.costs, children, new, mates)
    survivors = algorithm.replacement(brood, problem, rng).tolist()
    count = len(state.costs)
    old = sorted({place for place in survivors if place < count})
    young = sorted({place - count for place in survivors if place >= count})
    titles = "The old", "Their children"
    plain = [cost_bars(titles[0], state.costs), cost_bars(titles[1], new)]
    kept = [
        cost_bars(titles[0], state.costs, chosen=old),
        cost_bars(titles[1], new, chosen=young),
    ]
    everybody = np.concatenate((state.costs, new))
    after = everybody[survivors]
    steps = [
        Step(f"{count} boards, the best costs {state.costs.min()}.", bars=plain[:1]),
        Step(f"Their {count} children: the best costs {new.min()}.", bars=plain),
        Step(_told(old, young), bars=kept),
        Step(
            f"The next generation: the best costs {after.min()}, the mean is {after.mean():.1f}.",
            bars=[cost_bars("The next generation", after)],
        ),
    ]
    course = [int(state.costs.min())]
    while len(course) <= GENERATIONS and not state.finished:
        state = algorithm.step(problem, state)
        course.append(int(state.costs.min()))
    lost = sum(later > earlier for earlier, later in pairwise(course))
    end = "solved" if course[-1] == 0 else f"at cost {course[-1]}"
    text = f"After {plural(len(course) - 1, 'generation')} it is {end}. "
    text += f"The best got lost {lost} times." if lost else "The best never got lost."
    steps.append(Step(text, bars=[], at=len(course)))
    curve = Curve("Best cost", "generation", [float(each) for each in course], lowest=0)
    made = {"replacement": recipe}
    return here.scene(name, label, about, made, steps, curves=[curve], pace=2.2)


def _told(old: list[int], young: list[int]) -> str:
    """Who lives on, in a sentence."""
    children = "1 child" if len(young) == 1 else f"{len(young)} children"
    if not old:
        return f"Of the old none lives on, only {children}."
    return f"{listed(name_of(place) for place in old)} of the old and {children} live on."
