"""A picture of every part, made by the part itself: from a seed, on bundled puzzles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from drawing import Line, View, bars, boards, curves, figure

from genoku.board import Board
from genoku.collection import bundled
from genoku.diversity import diversity as measured
from genoku.encoding import Encoding
from genoku.exact import solve
from genoku.fitness import Fitness, fitness_map
from genoku.fitting import misfit
from genoku.history import Record
from genoku.loop import run
from genoku.preset_library import preset
from genoku.recipe import build_part
from genoku.replacement import Brood
from genoku.selection import best_first
from genoku.stream import stream
from genoku.web.lessons.making import origins
from genoku.web.lessons.scenery import (
    SMALL_GA,
    Setting,
    algorithm_of,
    changed,
    clashing,
    compared,
    name_of,
)

SEED = 7
SMALL, LARGE, HARD = "6x6-easy", "charles-easy", "ai-escargot"
PEOPLE, DRAWS, MANY = 12, 120_000, 1000
ORDER = ("permuted-rows", "permuted-boxes", "permuted-columns", "free-cells", "legal-cells")
"""Encodings to show an operator with: the first that it fits."""
TINTS = ("given", "from-a", "from-b", "from-both", "from-neither")
"""Who gave a cell, in the order of `origins`."""
LEGEND = (
    '<i class="key from-a"></i> from A, <i class="key from-b"></i> from B, '
    '<i class="key from-both"></i> alike in both, <i class="key from-neither"></i> from neither. '
)
SHOWN: dict[str, dict[str, Any]] = {
    "linear": {"over": 300},
    "exponential": {"over": 300},
    "reheating": {"schedule": {"use": "exponential", "over": 100}, "every": 100},
    "binomial": {"p": 0.05},
    "annealing": {"moves": 100},
    "min-conflicts": {"moves": 1},
    "tabu": {"moves": 10},
    "memetic": {"moves": 2000},
    "champion": {"tries": 1},
    "restarts": {"algorithm": {"use": "min-conflicts", "moves": 1}},
    "islands": {"interval": 1},
    "generational": {"elites": 2},
}
"""Parameters that show more in a small picture than the defaults."""
NEW = {"comma": 24, "worst-first": 5}
"""How many children are shown, where not as many as old boards."""
EASY = ("genetic", "annealing", "min-conflicts", "restarts", "islands")
"""Algorithms that are shown on a puzzle that singles alone would solve."""
STEPS = {"genetic": 120, "islands": 60, "restarts": 120}
"""How far they are followed, where not for 1,000 steps."""


def picture(kind: str, name: str) -> str:
    """The figure of a part."""
    recipe = {"use": name, **SHOWN.get(name, {})}
    return PICTURES[kind](name, build_part(kind, recipe))


def settings_of(name: str) -> str:
    """What the part of a picture was made with, where that is not the default."""
    return ", ".join(
        f"{key}={value['use'] if isinstance(value, dict) else value}"
        for key, value in SHOWN.get(name, {}).items()
    )


def setting(puzzle: str, part: Any, name: str, fitness: str = "repetitions") -> Setting:
    """A problem with the first encoding that a part fits."""
    judged: Fitness = build_part("fitness", fitness)
    for each in ORDER:
        encoding: Encoding = build_part("encoding", each)
        if misfit(part, encoding, judged) is None:
            return Setting.of(puzzle, each, fitness, SEED, "operators", name)
    raise ValueError(f"expected an encoding that {name} fits, got none")


def drawn(here: Setting, views: Sequence[View], caption: str) -> str:
    """Boards of one puzzle as a figure."""
    return figure(boards(here.puzzle.geometry, here.puzzle.digits, views), caption)


def view(here: Setting, title: str, board: Board, note: str = "", **looks: Any) -> View:
    """A board with its cost below it."""
    return View(title, board.tolist(), note=note or f"cost {here.cost(board)}", **looks)


def encoding(name: str, part: Any) -> str:
    del part
    here = Setting.of(SMALL, name, "repetitions", SEED, "operators", name)
    space = here.problem.space
    tints = ["given" if given else "" for given in here.puzzle.digits]
    if space.keeps != "none":
        for place in range(len(space.groups)):
            for cell in space.groups[place, : space.sizes[place]].tolist():
                tints[cell] = f"group-{place % 2 if space.keeps != 'box' else (place + 1) // 2 % 2}"
    made = here.boards(3)
    views = [View("The puzzle", here.puzzle.digits, tints, note=f"{len(space.genes)} blanks")]
    for place, board in enumerate(made):
        wrong = frozenset(clashing(board, here.puzzle))
        views.append(view(here, f"Random board {place + 1}", board, tints=tints, clashes=wrong))
    mean = here.problem.costs(here.boards(MANY)).mean()
    kept = "every blank by itself" if space.keeps == "none" else f"a group for every {space.keeps}"
    caption = f"{kept.capitalize()}; what stands again in a unit is red. "
    return drawn(here, views, f"{caption}{MANY:,} random boards cost {mean:.1f} on average.")


def fitness(name: str, part: Any) -> str:
    encoded = "permuted-boxes" if part.needs == "box" else "free-cells"
    here = Setting.of(SMALL, encoded, name, SEED, "operators", name)
    solution = solve(here.puzzle).board
    assert solution is not None
    near = solution.copy()
    first, second = here.problem.space.swappable("box").cells[0, :2]
    near[[first, second]] = near[[second, first]]
    views = []
    for title, board in (("By chance", here.boards(1)[0]), ("Nearly", near), ("Solved", solution)):
        costs = here.problem.costs(board[None])
        note = f"cost {costs[0]}, score {here.problem.scores(costs)[0]:.4g}"
        if name == "complete-units":
            points = fitness_map(board, here.puzzle.geometry).tolist()
            looks: dict[str, Any] = {"tints": [f"units-{each}" for each in points]}
        else:
            looks = {"clashes": frozenset(clashing(board, here.puzzle))}
        views.append(view(here, title, board, note, **looks))
    goal = "highest" if part.maximise else "lowest"
    caption = f"A random board, one swap from the solution, and the solution. The {goal} score wins"
    if name == "complete-units":
        caption += "; a cell's colour tells how many of its three units are complete"
    return drawn(here, views, f"{caption}.")


def selection(name: str, part: Any) -> str:
    here = Setting.of("charles-basic", "free-cells", "unique", SEED, "operators", "selection")
    costs = here.problem.costs(here.boards(PEOPLE))
    costs = costs[best_first(costs)]
    mates = part(costs, DRAWS // 2, 2, here.problem, here.rng)
    copies = np.bincount(mates.ravel(), minlength=PEOPLE) / (DRAWS / PEOPLE)
    labels = [f"{name_of(place)}: {cost}" for place, cost in enumerate(costs)]
    chart = bars(
        "How often a board is a parent, for every place in the population",
        labels,
        [round(float(each), 2) for each in copies],
        level=1.0,
        top=2.0,
        across="boards with their costs, best first",
    )
    return figure(chart, f"Measured in {DRAWS:,} draws among {PEOPLE} boards; 1 would be even.")


def crossover(name: str, part: Any) -> str:
    here = setting(SMALL, part, name)
    givens = here.puzzle.board
    parents = here.boards(part.parents)
    mates = np.arange(part.parents)[None]
    other = parents[-1]
    while True:  # until a child has something of both, if there are two
        litter = part(parents, mates, here.problem, here.rng)
        who = [origins(child, parents[0], other, givens) for child in litter]
        if part.parents == 1 or {1, 2} <= set(who[0]):
            break
    views = [
        view(here, f"Parent {letter}", board, tints=[TINTS[0] if d else tint for d in givens])
        for letter, board, tint in zip("AB", parents, TINTS[1:], strict=False)
    ]
    for place, (child, gave) in enumerate(zip(litter, who, strict=True)):
        title = "Child" if len(litter) == 1 else f"Child {place + 1}"
        tints = [TINTS[each if part.parents > 1 else min(each, 1)] for each in gave]
        views.append(view(here, title, child, tints=tints))
    if part.parents == 1:
        return drawn(here, views, "A copy: only a mutation will part the child from its parent.")
    many = part(parents, np.repeat(mates, MANY, axis=0), here.problem, here.rng)
    limits = here.cost(parents[0]), here.cost(other)
    return drawn(
        here, views, LEGEND + compared(here.problem.costs(many)[:MANY], "children", *limits)
    )


def mutation(name: str, part: Any) -> str:
    here = setting(SMALL, part, name)
    before = here.boards(1)
    views = [view(here, "Before", before[0])]
    while len(views) < 4:
        after = part(before, 1.0, here.problem, here.rng)[0]
        cells = frozenset(changed(before[0], after))
        if cells:
            title = ("One", "Another", "A third")[len(views) - 1]
            views.append(view(here, title, after, marked=cells))
    many = part(np.repeat(before, MANY, axis=0), 1.0, here.problem, here.rng)
    told = compared(here.problem.costs(many), "mutations", here.cost(before[0]))
    return drawn(here, views, f"Three draws from one board; what changed is outlined. {told}")


def repeats(name: str, part: Any) -> str:
    here = Setting.of(LARGE, "free-cells", "repetitions", SEED, "operators", name)
    times = np.bincount(part(DRAWS, here.problem, here.rng), minlength=7)
    shares = [round(float(each), 3) for each in times / DRAWS]
    labels = [str(place) for place in range(len(shares))]
    chart = bars("Share of mutating boards", labels, shares, across="times changed")
    with_what = f" With {settings_of(name)}." if settings_of(name) else ""
    return figure(chart, f"Measured in {DRAWS:,} draws on a 9×9 puzzle.{with_what}")


def adaptation(name: str, part: Any) -> str:
    if name == "by-difficulty":
        return _by_level(part)
    recipe = {"use": name, **SHOWN.get(name, {})}
    result = run(
        bundled()[LARGE].puzzle,
        algorithm_of(SMALL_GA | {"population": 20, "adaptation": recipe}),
        seed=SEED,
        until="generations=400",
        record=Record(fields=("gen", "best", "rate")),
    )
    rates, best = (result.history[each].tolist() for each in ("rate", "best"))
    charts = curves("Rate", [Line("rate", rates)], "generation") + curves(
        "Best cost", [Line("best", best)], "generation"
    )
    with_what = f", with {settings_of(name)}" if settings_of(name) else ""
    return figure(charts, f"A genetic algorithm of 20 boards on {LARGE}{with_what}.")


def _by_level(part: Any) -> str:
    names = [f"9x9-{level}" for level in ("easy", "medium", "hard", "expert", "extreme")]
    rates = []
    for each in names:
        here = Setting.of(each, "free-cells", "repetitions", SEED)
        rates.append(round(part(None, None, here.problem)["rate"], 3))
    chart = bars("Rate", names, rates, across="bundled puzzles of every level")
    return figure(chart, "The same all the way of a run, and another for every level.")


def replacement(name: str, part: Any) -> str:
    here = Setting.of("6x6-medium", "permuted-boxes", "repetitions", SEED, "operators", name)
    problem, rng = here.problem, here.rng
    algorithm = algorithm_of(SMALL_GA)
    state = algorithm.start(problem, rng)
    new = NEW.get(name, PEOPLE)
    mates = algorithm.selection(state.costs, new, 2, problem, rng)
    children = algorithm.crossover(state.boards, mates, problem, rng)
    children = algorithm.mutation(children, 0.5, problem, rng)
    costs = problem.costs(children)
    brood = Brood(state.boards, state.costs, children, costs, mates)
    survivors = part(brood, problem, rng).tolist()
    charts = [
        bars(
            title,
            [name_of(place) for place in range(len(costs_of))],
            costs_of.tolist(),
            chosen=[each - first for each in survivors if 0 <= each - first < len(costs_of)],
            high=130,
        )
        for title, costs_of, first in (
            ("Old boards, by cost", state.costs, 0),
            ("Their children", costs, PEOPLE),
        )
    ]
    twice = len(survivors) - len(set(survivors))
    more = f" {twice} of {PEOPLE} places go to boards that have one already." if twice else ""
    with_what = f" With {settings_of(name)}." if settings_of(name) else ""
    caption = f"Who lives on is bright: {PEOPLE} boards again.{more}{with_what}"
    return figure("".join(charts), caption)


def diversity(name: str, part: Any) -> str:
    del part
    here = Setting.of("9x9-medium", "permuted-boxes", "repetitions", SEED)
    lines = []
    eager = SMALL_GA | {"population": 60, "selection": {"use": "tournament", "size": 5}}
    for each in dict.fromkeys((name, "as-it-comes")):
        algorithm = algorithm_of(eager | {"diversity": each})
        state = algorithm.start(here.problem, stream(SEED, "operators", "diversity"))
        values = []
        for _ in range(100):
            values.append(measured(state.boards, here.problem))
            state = algorithm.step(here.problem, state)
        lines.append(Line(each, values, dashed=each != name))
    chart = curves("Diversity of the population", lines, "generation")
    return figure(chart, "Share of blanks in which two of 60 boards differ, on 9x9-medium.")


def algorithm(name: str, part: Any) -> str:
    where = LARGE if name in EASY else HARD
    puzzle = bundled()[where].puzzle
    if name == "exact":
        here = Setting.of(where, "free-cells", "repetitions", SEED)
        result = run(puzzle, part, seed=SEED)
        views = [
            View("AI Escargot", puzzle.digits, note=f"{81 - puzzle.digits.count(0)} givens"),
            View("Solved", result.board.tolist(), note=f"{result.evaluations} decisions"),
        ]
        return drawn(here, views, "One step: a solution, or the proof that there is none.")
    until = f"steps={STEPS.get(name, 1000)}"
    result = run(puzzle, part, seed=SEED, until=until, record=Record(fields=("gen", "best")))
    best = result.history["best"].tolist()
    counted = "Open cells of the best board" if name == "champion" else "Cost of the best board"
    end = "solved" if result.solved else f"at cost {result.cost}"
    with_what = f" With {settings_of(name)}." if settings_of(name) else ""
    caption = f"On {where}, {end} after {result.steps:,} steps.{with_what}"
    return figure(curves(counted, [Line("best", best)], "step"), caption)


def whole_run() -> str:
    """A run on its way, for the front page: report 004's system on report 000's medium puzzle."""
    shown = preset("sundy")
    algorithm = shown.build()
    here = Setting.of(
        "poderosas-medium", "permuted-boxes", "missing-digits", SEED, "operators", "run"
    )
    states = [algorithm.start(here.problem, stream(2))]
    while not states[-1].finished and len(states) < 1000:
        states.append(algorithm.step(here.problem, states[-1]))
    views = []
    for at in (0, len(states) // 16, len(states) // 4, len(states) - 2, len(states) - 1):
        best = states[at].boards[int(states[at].costs.argmin())]
        points = fitness_map(best, here.puzzle.geometry).tolist()
        tints = [f"units-{each}" for each in points]
        views.append(view(here, f"Generation {at}", best, tints=tints))
    best_costs = [float(state.costs.min()) for state in states]
    mean_costs = [float(state.costs.mean()) for state in states]
    lines = [Line("best board", best_costs), Line("mean of all boards", mean_costs, dashed=True)]
    chart = curves("Cost", lines, "generation")
    keys = ", ".join(
        f'<i class="key units-{number}"></i> {word}'
        for number, word in enumerate(("none", "one", "two", "all three"))
    )
    caption = (
        f"Report 004's genetic algorithm solves a puzzle in {len(states) - 1} generations of "
        f"{len(states[0].costs):,} boards: the best one on its way. The colour of a cell tells how "
        f"many of its row, column and box are complete: {keys}."
    )
    strip = boards(here.puzzle.geometry, here.puzzle.digits, views)
    return figure(f'<div class="strip">{strip}</div>{chart}', caption)


PICTURES: dict[str, Callable[[str, Any], str]] = {
    "algorithm": algorithm,
    "encoding": encoding,
    "fitness": fitness,
    "selection": selection,
    "crossover": crossover,
    "mutation": mutation,
    "repeats": repeats,
    "adaptation": adaptation,
    "replacement": replacement,
    "diversity": diversity,
}
