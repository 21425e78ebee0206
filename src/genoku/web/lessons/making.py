"""Chapters on how new boards are made: crossover and mutation."""

from __future__ import annotations

from typing import Any

import numpy as np

from genoku.board import Board
from genoku.recipe import build_part
from genoku.stream import stream
from genoku.web.lessons.parts import BOTH, FIRST, GIVEN, NEITHER, SECOND, BoardView, Scene, Step
from genoku.web.lessons.scenery import SMALL_GA, Recipe, Setting, algorithm_of, changed, compared
from genoku.words import plural

MANY = 1000
CROSSOVERS: dict[str, tuple[str, str, str, str, Any]] = {
    "uniform": (
        "Boxes by chance",
        "Every box comes from a parent drawn by chance (report 004).",
        "permuted-boxes",
        "box",
        {"use": "uniform", "by": "box", "children": 1},
    ),
    "points": (
        "One cut",
        "Rows above a cut from one parent, those below from the other (report 000).",
        "free-cells",
        "row",
        {"use": "points", "by": "row", "points": 1},
    ),
    "one-block": (
        "One column",
        "The parents exchange a single column (report 000).",
        "free-cells",
        "column",
        {"use": "one-block", "by": "column"},
    ),
    "partially-matched": (
        "Partially matched",
        "A stretch of every row from one parent; the other's order as far as rows stay whole.",
        "permuted-rows",
        "row",
        {"use": "partially-matched"},
    ),
}
MUTATIONS: dict[str, tuple[str, str, str, Any]] = {
    "swap": (
        "Swap",
        "Two blanks of a box exchange their digits: the box stays whole.",
        "permuted-boxes",
        {"use": "swap", "unit": "box"},
    ),
    "shuffle": (
        "Shuffle a box",
        "All blanks of a box in a new order (report 003): a big step.",
        "permuted-boxes",
        {"use": "shuffle", "unit": "box"},
    ),
    "reset": (
        "A new digit",
        "One blank gets another digit (reports 001 and 002).",
        "free-cells",
        {"use": "reset"},
    ),
    "inversion": (
        "Inversion",
        "A stretch of a row is reversed (report 000's wish).",
        "permuted-rows",
        {"use": "inversion", "unit": "row"},
    ),
}
KINDS = {"row": 0, "column": 1, "box": 2}


def origins(child: Board, one: Board, two: Board, givens: Board) -> list[int]:
    """Who gave every cell of a child."""
    from_one, from_two = child == one, child == two
    who = np.where(
        from_one & from_two,
        BOTH,
        np.where(from_one, FIRST, np.where(from_two, SECOND, NEITHER)),
    )
    who[givens > 0] = GIVEN
    cells: list[int] = who.tolist()
    return cells


def crossover(seed: int) -> list[Scene]:
    """Two parents and the child that a real crossover makes of them, block by block."""
    return [
        _crossed(seed, name, label, about, encoding, by, recipe)
        for name, (label, about, encoding, by, recipe) in CROSSOVERS.items()
    ]


def _crossed(
    seed: int, name: str, label: str, about: str, encoding: str, by: str, recipe: Recipe
) -> Scene:
    here = Setting.of("6x6-easy", encoding, "repetitions", seed, "lesson", "crossover", name)
    problem, givens = here.problem, here.puzzle.board
    cross = build_part("crossover", recipe)
    pair = here.boards(2)
    mates = np.array([[0, 1]])
    child = cross(pair, mates, problem, here.rng)[0]
    who = np.array(origins(child, pair[0], pair[1], givens))
    parents = [
        here.view(
            title, board, paint="origin", colours=[GIVEN if d else mine for d in givens.tolist()]
        )
        for title, board, mine in zip(("Parent A", "Parent B"), pair, (FIRST, SECOND), strict=True)
    ]
    steps = [Step("Two boards by chance are the parents.", parents)]
    shown = np.zeros(len(child), bool)
    geometry, side = here.puzzle.geometry, here.puzzle.side
    for block in range(KINDS[by] * side, (KINDS[by] + 1) * side):
        unit = geometry.units[block]
        shown[unit] = True
        view = _growing(child, shown, who, givens, unit.tolist())
        steps.append(Step(_given(geometry.unit_name(block), who[unit]), [*parents, view]))
    costs = [here.cost(board) for board in (*pair, child)]
    whole = here.view("Child", child, paint="origin", colours=who.tolist())
    many = cross(pair, np.repeat(mates, MANY, axis=0), problem, here.rng)[:MANY]
    text = f"The parents cost {costs[0]} and {costs[1]}, the child {costs[2]}. "
    text += compared(problem.costs(many), "children", *costs[:2])
    steps.append(Step(text, [*parents, whole]))
    return here.scene(name, label, about, {"crossover": recipe}, steps, pace=1.3)


def _growing(child: Board, shown: Any, who: Any, givens: Board, now: list[int]) -> BoardView:
    """A child as far as it is made."""
    digits = np.where(shown, child, givens).tolist()
    colours = np.where(shown, who, np.where(givens > 0, GIVEN, NEITHER)).tolist()
    return BoardView("Child", digits, "origin", colours, marked=now, note="being made")


def _given(unit: str, who: Any) -> str:
    """Who gave the blanks of a unit."""
    counts = {kind: int((who == kind).sum()) for kind in (FIRST, SECOND, BOTH, NEITHER)}
    told = [
        f"{counts[kind]} {words}"
        for kind, words in (
            (FIRST, "from A"),
            (SECOND, "from B"),
            (BOTH, "alike in both"),
            (NEITHER, "from neither, to keep rows whole"),
        )
        if counts[kind]
    ]
    return f"{unit.capitalize()}: {', '.join(told) or 'all given'}."


def mutation(seed: int) -> list[Scene]:
    """A board changed again and again by a real mutation."""
    return [
        _mutated(seed, name, label, about, encoding, recipe)
        for name, (label, about, encoding, recipe) in MUTATIONS.items()
    ]


def _mutated(seed: int, name: str, label: str, about: str, encoding: str, recipe: Recipe) -> Scene:
    here = Setting.of("6x6-easy", encoding, "repetitions", seed, "lesson", "mutation", name)
    problem = here.problem
    mutate = build_part("mutation", recipe)
    board = here.boards(1)
    steps = [Step(f"A board that costs {here.cost(board[0])}.", [here.view("Before", board[0])])]
    for _ in range(5):
        after = mutate(board, 1.0, problem, here.rng)
        cells = changed(board[0], after[0])
        change = here.cost(after[0]) - here.cost(board[0])
        word = (
            "as good as before"
            if change == 0
            else f"{abs(change)} {'worse' if change > 0 else 'better'}"
        )
        places = ", ".join(here.puzzle.geometry.cell_name(cell) for cell in cells)
        text = (
            f"{plural(len(cells), 'cell')} changed ({places}): {word}."
            if cells
            else "Nothing changed: the new order was the old one."
        )
        views = [
            here.view("Before", board[0], marked=cells),
            here.view("After", after[0], marked=cells),
        ]
        steps.append(Step(text, views))
        board = after
    steps += [_chances(here, mutate, board, "a random board")]
    near = _nearly_solved(here, seed, encoding, recipe)
    if near is not None:
        steps.append(_chances(here, mutate, near, "a board that is nearly solved"))
    return here.scene(name, label, about, {"mutation": recipe}, steps, pace=1.8)


def _chances(here: Setting, mutate: Any, board: Any, what: str) -> Step:
    """What many mutations of one board are worth."""
    cost = here.cost(board[0])
    many = mutate(np.repeat(board, MANY, axis=0), 1.0, here.problem, here.rng)
    text = f"This is {what}, cost {cost}. "
    text += compared(here.problem.costs(many), "mutations", cost)
    return Step(text, [here.view(what.capitalize(), board[0])])


def _nearly_solved(here: Setting, seed: int, encoding: str, recipe: Recipe) -> Any:
    """The best board of a short run just before it was solved, if it was not stuck before."""
    table = SMALL_GA | {"encoding": encoding, "mutation": recipe, "population": 200}
    by = {"permuted-boxes": "box", "permuted-rows": "row"}.get(encoding, "cell")
    table["crossover"] = {"use": "uniform", "by": by, "children": 1, "rate": 0.9}
    algorithm = algorithm_of(table)
    state = algorithm.start(here.problem, stream(seed, "lesson", "mutation", "run"))
    best = None
    while state.step < 300 and not state.finished:
        best = state.boards[int(state.costs.argmin())][None]
        state = algorithm.step(here.problem, state)
    return best
