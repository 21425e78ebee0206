"""Chapters on whole generations: one in slow motion, and a rate that follows the progress."""

from __future__ import annotations

from typing import Any

import numpy as np

from genoku.preset_library import preset
from genoku.recipe import with_value
from genoku.replacement import Brood
from genoku.state import State
from genoku.stream import stream
from genoku.web.lessons.making import origins
from genoku.web.lessons.parts import Curve, Scene, Step
from genoku.web.lessons.scenery import (
    SMALL_GA,
    Setting,
    algorithm_of,
    changed,
    cost_bars,
    moments,
    name_of,
)

GENERATIONS = 400
GENERATION = SMALL_GA | {"population": 6}
ADAPTATIONS: dict[str, tuple[str, str, Any]] = {
    "stagnation": (
        "Rising when stuck",
        "Up by 0.05 when 10 generations bring nothing better; halved when one does (report 003).",
        {"use": "stagnation"},
    ),
    "constant": ("Constant", "The same rate all the way.", {"use": "constant", "rate": 0.15}),
    "linear": (
        "Falling",
        "From 0.9 to 0.05 in equal steps.",
        {"use": "linear", "start": 0.9, "end": 0.05, "over": GENERATIONS},
    ),
    "one-fifth": (
        "One fifth",
        "Up while more than a fifth of the children are better than their parents, else down.",
        {"use": "one-fifth"},
    ),
}


def generation(seed: int) -> list[Scene]:
    """Two generations of six boards, operator by operator, with the engine's own stream."""
    here = Setting.of("6x6-medium", "permuted-boxes", "repetitions", seed, "lesson", "generation")
    algorithm = algorithm_of(GENERATION)
    state = algorithm.start(here.problem, here.rng)
    steps: list[Step] = []
    for _ in range(2):
        made, survivors = _slowly(here, algorithm, state)
        steps += made
        state = algorithm.step(here.problem, state)
        views = [here.mapped(name_of(i), board) for i, board in enumerate(state.boards)]
        text = (
            f"Generation {state.step}: the best costs {state.costs.min()}, the mean is "
            f"{state.costs.mean():.1f}. {_elite(survivors, len(views))}"
        )
        steps.append(Step(text, views))
    about = "Six boards on a 6×6 puzzle; tournaments of two, boxes by chance, swaps, one elite."
    return [here.scene("slowly", "Six boards", about, GENERATION, steps, pace=2.2)]


def _slowly(here: Setting, algorithm: Any, state: State) -> tuple[list[Step], list[int]]:
    """What `Genetic.step` does, stopped after every operator: the same draws in the same order."""
    problem, rng, count = here.problem, state.rng.copy(), len(state.costs)
    now = f"Generation {state.step}"
    old = [here.mapped(name_of(i), board) for i, board in enumerate(state.boards)]
    steps = [Step(f"{now}: the population. The best costs {state.costs.min()}.", old)]

    mates = algorithm.selection(state.costs, count, 2, problem, rng)
    pairs = ", ".join(f"{name_of(one)} and {name_of(two)}" for one, two in mates.tolist())
    chosen = np.bincount(mates.ravel(), minlength=count).tolist()
    bars = cost_bars("Who was drawn", state.costs, counts=chosen)
    steps.append(Step(f"Selection draws {count} pairs: {pairs}.", old, [bars]))

    children = algorithm.crossover(state.boards, mates, problem, rng)
    crossed = [
        here.view(
            f"{name_of(one)} × {name_of(two)}",
            child,
            paint="origin",
            colours=origins(child, state.boards[one], state.boards[two], here.puzzle.board),
        )
        for child, (one, two) in zip(children, mates.tolist(), strict=True)
    ]
    steps.append(Step("Crossover makes a child of every pair, box by box.", crossed))

    rate = float(state.memory["rate"])
    mutated = algorithm.mutation(children, rate, problem, rng)
    cells = [changed(one, two) for one, two in zip(children, mutated, strict=True)]
    views = [
        here.mapped(view.title, board, marked=marked)
        for view, board, marked in zip(crossed, mutated, cells, strict=True)
    ]
    swapped = sum(map(bool, cells))
    text = f"Mutation swaps two cells in {swapped} of {count} children (each with chance {rate:g})."
    steps.append(Step(text, views))

    costs = problem.costs(mutated)
    brood = Brood(state.boards, state.costs, mutated, costs, mates)
    survivors = algorithm.replacement(brood, problem, rng).tolist()
    bars_of = [
        cost_bars("The old", state.costs, chosen=[s for s in survivors if s < count]),
        cost_bars("Their children", costs, chosen=[s - count for s in survivors if s >= count]),
    ]
    steps.append(Step("Replacement decides who lives on.", views, bars_of))
    return steps, survivors


def _elite(survivors: list[int], count: int) -> str:
    old = [name_of(place) for place in survivors if place < count]
    return f"{old[0]} of the old was kept, as the elite." if old else "No old board was kept."


def adaptation(seed: int) -> list[Scene]:
    """The best cost and the rate of report 003's algorithm, under several rules."""
    puzzle, key = "charles-very-easy", (seed, "lesson", "rate")
    here = Setting.of(puzzle, "permuted-boxes", "complete-units", *key)
    report = preset("simon-puzzle").recipe
    scenes = []
    for name, (label, about, recipe) in ADAPTATIONS.items():
        algorithm = algorithm_of(with_value(report, "adaptation", recipe))
        states = [algorithm.start(here.problem, stream(*key, "run"))]
        while len(states) <= GENERATIONS and not states[-1].finished:
            states.append(algorithm.step(here.problem, states[-1]))
        best = [float(state.costs.min()) for state in states]
        rates = [float(state.memory["rate"]) for state in states]
        steps = [
            Step(
                f"Generation {at}: the best costs {best[at]:.0f}, the rate is {rates[at]:.2g}."
                + (" Solved." if states[at].finished else ""),
                [here.mapped("The best", states[at].boards[int(states[at].costs.argmin())])],
                at=at + 1,
            )
            for at in moments(len(states), 30)
        ]
        curves = [
            Curve("Best cost", "generation", best, lowest=0),
            Curve("Mutation rate", "generation", rates, lowest=0, highest=1),
        ]
        made = {"adaptation": recipe}
        scenes.append(here.scene(name, label, about, made, steps, curves=curves, pace=0.45))
    return scenes
