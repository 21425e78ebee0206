"""The first chapters: what a board is, what it may look like, what it costs, and many of them."""

from __future__ import annotations

import numpy as np

from genoku.board import Board
from genoku.diversity import diversity
from genoku.exact import solve
from genoku.stream import below, stream
from genoku.web.lessons.parts import Bars, Scene, Step
from genoku.web.lessons.scenery import (
    SMALL_GA,
    Setting,
    algorithm_of,
    clashing,
    cost_bars,
    moments,
    name_of,
)
from genoku.words import plural

ENCODINGS = {
    "free-cells": ("Any digit", "Any digit may stand in any blank (reports 000 and 002)."),
    "legal-cells": ("Legal digits", "Only digits that clash with no given (report 001)."),
    "permuted-rows": ("Whole rows", "Every row holds each digit once, in any order."),
    "permuted-boxes": ("Whole boxes", "Every box holds each digit once (reports 003 and 004)."),
}


def board(seed: int) -> list[Scene]:
    """A puzzle, its units, a board by chance and the solution."""
    here = Setting.of("9x9-easy", "free-cells", "repetitions", seed, "lesson", "board")
    puzzle = here.puzzle
    side, units = puzzle.side, puzzle.geometry.units
    empty = puzzle.board.copy()
    given = int((empty > 0).sum())
    blank = plural(int((empty == 0).sum()), "blank")
    bare = {"note": f"{given} givens, {blank}"}
    steps = [
        Step(
            f"The puzzle gives {given} of {len(empty)} digits: the givens. {blank} are left.",
            [here.view("The puzzle", empty, **bare)],
        )
    ]
    for kind, name in enumerate(("row", "column", "box")):
        unit = kind * side + int(below(here.rng, side))
        cells = units[unit].tolist()
        steps.append(
            Step(
                f"{puzzle.geometry.unit_name(unit).capitalize()} is a unit: it must hold each "
                f"digit from 1 to {side} once.",
                [here.view(f"A {name}", empty, marked=cells, **bare)],
            )
        )
    guess = here.boards(1)[0]
    wrong = clashing(guess, puzzle)
    steps.append(
        Step(
            f"All blanks filled by chance: a board. In {len(wrong)} cells the digit stands again "
            f"in a unit; its cost is {here.cost(guess)}.",
            [here.view("A board by chance", guess, clashes=wrong)],
        )
    )
    solution = solve(puzzle).board
    assert solution is not None
    steps.append(
        Step("The solution: nothing stands twice, cost 0.", [here.view("Solved", solution)])
    )
    return [here.scene("board", "A puzzle", "From a puzzle to its solution.", {}, steps, pace=2.4)]


def encoding(seed: int) -> list[Scene]:
    """Random boards under each encoding, and what they cost on average."""
    scenes, means = [], {}
    for name, (label, about) in ENCODINGS.items():
        here = Setting.of("charles-basic", name, "repetitions", seed, "lesson", name)
        steps = []
        for place, made in enumerate(here.boards(4)):
            wrong = clashing(made, here.puzzle)
            text = f"Random board {place + 1}: cost {here.cost(made)}, {len(wrong)} cells clash."
            steps.append(Step(text, [here.view("By chance", made, clashes=wrong)]))
        means[label] = float(here.problem.costs(here.boards(1000)).mean())
        scenes.append(here.scene(name, label, about, {"encoding": name}, steps))
    for place, each in enumerate(scenes):
        compared = Bars(
            "1,000 random boards of each", "mean cost", list(means), list(means.values()), [place]
        )
        text = f"{each.label}: a random board costs {means[each.label]:.1f} on average."
        each.steps.append(Step(text, each.steps[-1].boards, [compared]))
    return scenes


def cost(seed: int) -> list[Scene]:
    """Counting repetitions unit by unit, and report 003's map on the way to a solution."""
    here = Setting.of("6x6-medium", "free-cells", "repetitions", seed, "lesson", "cost")
    made = here.boards(1)[0]
    return [_counted(here, made), _mapped(seed)]


def _counted(here: Setting, made: Board) -> Scene:
    steps = [Step("A board by chance. What is wrong with it?", [here.view("", made, note="")])]
    total = 0
    geometry = here.puzzle.geometry
    for place, unit in enumerate(geometry.units.tolist()):
        held = made[unit].tolist()
        again = len(held) - len(set(held))
        if again:
            total += again
            cells = [cell for cell in unit if held.count(int(made[cell])) > 1]
            noun = "digit stands" if again == 1 else "digits stand"
            name = geometry.unit_name(place).capitalize()
            steps.append(
                Step(
                    f"{name}: {again} {noun} again. That is {total} so far.",
                    [here.view("", made, marked=unit, clashes=cells, note=f"{total} so far")],
                )
            )
    text = f"All units counted: this board costs {total}."
    steps.append(Step(text, [here.view("", made, clashes=clashing(made, here.puzzle))]))
    about = "Digits that stand again in a row, column or box."
    recipe = {"fitness": "repetitions"}
    return here.scene("repetitions", "Counting", about, recipe, steps, pace=1.2)


def _mapped(seed: int) -> Scene:
    """The best boards of a real run, in report 003's colours."""
    here = Setting.of("charles-very-easy", "permuted-boxes", "repetitions", seed, "lesson", "map")
    algorithm = algorithm_of(SMALL_GA | {"population": 200})
    state = algorithm.start(here.problem, here.rng)
    steps: list[Step] = []
    best = 10**9
    while state.step < 600 and not state.finished:
        place = int(state.costs.argmin())
        if state.costs[place] < best:
            best = int(state.costs[place])
            steps.append(_at_best(here, state.step, state.boards[place]))
        state = algorithm.step(here.problem, state)
    if state.finished:
        steps.append(_at_best(here, state.step, state.boards[int(state.costs.argmin())]))
    about = "The colour of a cell tells how many of its three units are complete; dark is none."
    return here.scene("map", "The fitness map", about, {"fitness": "repetitions"}, steps, pace=0.9)


def _at_best(here: Setting, generation: int, best: Board) -> Step:
    view = here.mapped(f"Generation {generation:,}", best)
    whole = view.colours.count(3)
    text = (
        f"Generation {generation:,}: the best board costs {here.cost(best)}; "
        f"{plural(whole, 'cell')} in three complete units."
    )
    return Step(text, [view])


def population(seed: int) -> list[Scene]:
    """Twelve boards over some generations."""
    here = Setting.of("6x6-medium", "permuted-boxes", "repetitions", seed, "lesson", "population")
    algorithm = algorithm_of(SMALL_GA)
    states = [algorithm.start(here.problem, stream(seed, "lesson", "population", "run"))]
    while len(states) < 41 and not states[-1].finished:
        states.append(algorithm.step(here.problem, states[-1]))
    steps = []
    for at in moments(len(states), 14):
        state = states[at]
        order = np.argsort(state.costs, kind="stable")
        views = [
            here.mapped(name_of(rank), state.boards[place]) for rank, place in enumerate(order)
        ]
        varied = diversity(state.boards, here.problem)
        text = (
            f"Generation {at}: the best costs {state.costs.min()}, the mean is "
            f"{state.costs.mean():.1f}, the worst {state.costs.max()}. Two boards differ in "
            f"{100 * varied:.0f} % of the blanks."
        )
        bars = cost_bars("The population, best first", state.costs[order])
        steps.append(Step(text, views, [bars]))
    about = "Twelve boards, best first, in the colours of the fitness map."
    return [here.scene("twelve", "Twelve boards", about, SMALL_GA, steps, pace=1.4)]
