"""Chapters on other ways: annealing on one board, and the champion where a population is stuck."""

from __future__ import annotations

from typing import Any

import numpy as np

from genoku.board import Board
from genoku.collection import bundled
from genoku.diversity import diversity
from genoku.problem import Problem
from genoku.state import State
from genoku.stream import stream
from genoku.web.lessons.parts import BoardView, Curve, Scene, Step
from genoku.web.lessons.scenery import (
    SMALL_GA,
    Setting,
    algorithm_of,
    changed,
    clashing,
    moments,
)
from genoku.words import plural

MOVES, THINNED, IN_DETAIL = 25_000, 25, 8
TRIES, SHOWN = 2000, 60
TEMPERATURES: dict[str, tuple[str, str, float]] = {
    "cold": ("Cold", "Temperature 0: nothing worse is ever taken.", 0.0),
    "right": ("Just right", "Temperature 0.35: what is worse by 1 is taken 6 % of the time.", 0.35),
    "hot": ("Hot", "Temperature 2: what is worse by 1 is taken 61 % of the time.", 2.0),
}
GREEDY = SMALL_GA | {
    "population": 100,
    "selection": {"use": "tournament", "size": 10},
    "adaptation": {"use": "constant", "rate": 0.1},
}
"""A population that becomes alike soon."""
BUILDER = {"use": "champion", "population": 1, "inherit": "nothing", "tries": 1}
"""The champion's way with a single board, a try at a time, so that one can follow it."""


def annealing(seed: int) -> list[Scene]:
    """The first moves one by one, then the course of the cost, at three temperatures."""
    here = Setting.of(
        "charles-moderate", "permuted-boxes", "repetitions", seed, "lesson", "cooling"
    )
    return [
        _annealed(here, seed, name, label, about, temperature)
        for name, (label, about, temperature) in TEMPERATURES.items()
    ]


def _annealed(
    here: Setting, seed: int, name: str, label: str, about: str, temperature: float
) -> Scene:
    recipe: dict[str, Any] = {
        "use": "annealing",
        "temperature": {"use": "constant", "rate": temperature},
        "moves": 1,
    }
    algorithm = algorithm_of(recipe)
    states = [algorithm.start(here.problem, stream(seed, "lesson", "annealing", "run"))]
    while len(states) <= MOVES and not states[-1].finished:
        states.append(algorithm.step(here.problem, states[-1]))
    costs = [int(state.costs[0]) for state in states]
    worse = np.concatenate(([0], np.cumsum(np.diff(costs) > 0))).tolist()
    first = here.view("One board", states[0].boards[0])
    steps = [Step(f"One random board; boxes are whole. It costs {costs[0]}.", [first], at=1)]
    steps += [_move(here, states[at - 1], states[at]) for at in range(1, IN_DETAIL + 1)]
    for at in moments(len(states), 26):
        if at > IN_DETAIL:
            text = (
                f"After {plural(at, 'move')}: cost {costs[at]}. "
                f"{plural(worse[at], 'move')} for the worse taken so far."
                + (" Solved." if costs[at] == 0 else "")
            )
            board = here.mapped(f"Move {at:,}", states[at].boards[0])
            steps.append(Step(text, [board], at=-(-at // THINNED) + 1))
    course = [float(cost) for cost in (*costs[:-1:THINNED], costs[-1])]
    curve = Curve("Cost", "move", course, lowest=0, highest=max(course), every=THINNED)
    return here.scene(name, label, about, recipe, steps, curves=[curve], pace=0.8)


def _move(here: Setting, before: State, after: State) -> Step:
    cells = changed(before.boards[0], after.boards[0])
    change = int(after.costs[0]) - int(before.costs[0])
    if not cells:
        said = "a swap was tried and refused"
    else:
        names = " and ".join(here.puzzle.geometry.cell_name(cell) for cell in cells)
        better = f"{-change} better" if change < 0 else f"{change} worse, taken all the same"
        said = f"{names} swapped, {'no worse' if change == 0 else better}"
    view = here.view(f"Move {after.step}", after.boards[0], marked=cells)
    text = f"Move {after.step}: {said}. Cost {after.costs[0]}."
    return Step(text, [view], at=1)


def stuck(seed: int) -> list[Scene]:
    """A population that has become alike, and the champion on a harder puzzle."""
    return [_alike(seed), _built(seed)]


def _alike(seed: int) -> Scene:
    here = Setting.of("charles-hard", "permuted-boxes", "repetitions", seed, "lesson", "stuck")
    algorithm = algorithm_of(GREEDY)
    states = [algorithm.start(here.problem, here.rng)]
    varied = [diversity(states[0].boards, here.problem)]
    while len(states) <= 200 and not states[-1].finished:
        states.append(algorithm.step(here.problem, states[-1]))
        varied.append(diversity(states[-1].boards, here.problem))
    best = [float(state.costs.min()) for state in states]
    steps = []
    for at in moments(len(states), 24):
        board = states[at].boards[int(states[at].costs.argmin())]
        twins = int((states[at].boards == board).all(axis=1).sum())
        same = f"{twins} of {len(states[at].costs)} boards are the best one"
        if twins == 1:
            same = "all others differ from the best one"
        text = f"Generation {at}: the best costs {best[at]:.0f}, and {same}."
        wrong = clashing(board, here.puzzle)
        steps.append(Step(text, [here.view("The best", board, clashes=wrong)], at=at + 1))
    curves = [
        Curve("Best cost", "generation", best, lowest=0),
        Curve("Diversity", "generation", varied, lowest=0),
    ]
    about = "Tournaments of 10 among 100 boards, and few mutations."
    return here.scene("alike", "All alike", about, GREEDY, steps, curves=curves, pace=0.55)


def _built(seed: int) -> Scene:
    puzzle = bundled()["ai-escargot"].puzzle
    algorithm = algorithm_of(BUILDER)
    problem = Problem.of(puzzle, algorithm.encoding, algorithm.fitness)
    here = Setting(problem, stream(seed, "lesson", "champion"))
    state = algorithm.start(problem, here.rng)
    open_cells = [int(state.costs.min())]
    steps = [_first(puzzle.board, state)]
    while not state.finished and len(open_cells) < TRIES:
        before, state = state, algorithm.step(problem, state)
        open_cells.append(int(state.costs.min()))
        if len(steps) < SHOWN or state.finished:
            steps.append(_rebuilt(before, state))
    about = (
        "AI Escargot, one board of the champion's eight: outlined are decisions, all else follows "
        "by logic."
    )
    curve = Curve("Open cells", "try", list(map(float, open_cells)), lowest=0)
    return here.scene("champion", "The champion", about, BUILDER, steps, curves=[curve], pace=1.1)


def _first(givens: Board, state: State) -> Step:
    left = plural(int((state.boards[0] == 0).sum()), "cell")
    text = f"AI Escargot. What follows from its givens by logic leaves {left} open."
    return Step(text, [BoardView("The puzzle", givens.tolist(), note=f"{left} open")], at=1)


def _rebuilt(before: State, state: State) -> Step:
    """The board after a try to build it anew."""
    board, marks = state.boards[0], np.flatnonzero(state.arrays["marks"][0]).tolist()
    left = int((board == 0).sum())
    note = f"{plural(left, 'cell')} open"
    said = f"{plural(len(marks), 'decision')}, then a dead end with {note}"
    if state.finished:
        said = "solved: all else follows by logic"
    elif np.array_equal(before.boards, state.boards):
        said = "what was built anew was no better, so it is forgotten"
    view = BoardView(f"Try {state.step}", board.tolist(), marked=marks, note=note)
    return Step(f"Try {state.step}: {said}.", [view], at=state.step + 1)
