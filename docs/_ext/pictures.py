"""A picture of every part, made by the part itself: from a seed, on bundled puzzles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from drawing import bars, boards, curves, figure

from genoku.engine.history import Record
from genoku.engine.run import run
from genoku.evolve.operators.diversity import diversity as population_diversity
from genoku.evolve.presets import preset
from genoku.evolve.problem import misfit_reason
from genoku.evolve.recipe import build, build_part
from genoku.exact.oracle import solve
from genoku.present.scenes.tour import (
    BOARDS,
    Generation,
    SceneContext,
    best_board,
    clashing_cells,
    crossover_scene,
    mutation_scene,
    run_states,
    selection_scene,
)
from genoku.present.scenes.views import (
    SMALL_GA,
    Scene,
    SceneBars,
    SceneBoard,
    SceneCurve,
    ScenePlan,
)
from genoku.puzzle.bundled_puzzles import bundled
from genoku.puzzle.geometry import Geometry
from genoku.runtime.random import stream

SEED = 7
SMALL, LARGE, HARD = "6x6-easy", "charles-easy", "ai-escargot"
DRAWS, MANY = 120_000, 1000
ORDER = ("permuted-rows", "permuted-boxes", "permuted-columns", "free-cells", "legal-cells")
"""Encodings to show an operator with: the first that it fits."""
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
BOX_TO_ROW = "002-box-to-row"
PRINTED = "poderosas-medium"
"""The puzzle that reports 000, 001 and 002 print."""
OF_REPORTS: dict[str, tuple[str, dict[str, Any], str]] = {
    "000-row-crossover": (
        "crossover",
        {"use": "points", "by": "row", "points": 1, "first": 1, "spare": 2},
        "free-cells",
    ),
    "000-single-column-crossover": (
        "crossover",
        {"use": "one-block", "by": "column"},
        "free-cells",
    ),
    "000-single-point-crossover": (
        "crossover",
        {"use": "row-tails", "with_column": True},
        "free-cells",
    ),
    "000-row-mutation": ("mutation", {"use": "swap", "unit": "row"}, "free-cells"),
    "001-point-of-crossover": (
        "crossover",
        {"use": "points", "by": "gene", "points": 1, "first": 1, "spare": 1},
        "legal-cells",
    ),
    "001-random-gene": ("mutation", {"use": "reset", "different": True}, "legal-cells"),
    "002-two-point-crossover": (
        "crossover",
        {"use": "points", "by": "column", "points": 2, "first": 0, "spare": 0},
        "free-cells",
    ),
    "002-swap-in-box": ("mutation", {"use": "swap", "unit": "box"}, "free-cells"),
    "003-block-crossover": (
        "crossover",
        {"use": "points", "by": "box", "points": 1, "first": 1, "spare": 1},
        "permuted-boxes",
    ),
    "003-block-shuffle": ("mutation", {"use": "shuffle", "unit": "box"}, "permuted-boxes"),
    "004-crossover-mask": (
        "crossover",
        {"use": "uniform", "by": "box", "children": 1},
        "permuted-boxes",
    ),
    "004-swap-mutation": ("mutation", {"use": "ruled-swap"}, "permuted-boxes"),
}
"""Pictures of the reports' words: a kind of operator, its recipe, and an encoding."""
EASY = ("genetic", "annealing", "min-conflicts", "restarts", "islands")
"""Algorithms that are shown on a puzzle that singles alone would solve."""
STEPS = {"genetic": 120, "islands": 60, "restarts": 120}
"""How far they are followed, where not for 1,000 steps."""


def picture(kind: str, name: str) -> str:
    """Draw the figure of a part."""
    recipe = {"use": name, **SHOWN.get(name, {})}
    return PICTURES[kind](name, build_part(kind, recipe))


def picture_named(name: str) -> str:
    """Draw the figure of a file's name: a report's word, or a part after its kind."""
    if name in (*OF_REPORTS, BOX_TO_ROW):
        return report_picture(name)
    kind, _, part = name.partition("-")
    return picture(kind, part)


def report_picture(name: str) -> str:
    """Draw the figure of a report's word, with the report's encoding and settings."""
    if name == BOX_TO_ROW:
        return box_to_row()
    kind, recipe, encoding = OF_REPORTS[name]
    of = ScenePlan(recipe["use"], recipe={kind: recipe}, puzzle=PRINTED, encoding=encoding)
    if kind == "crossover":
        return crossover_figure(of, name)
    return mutation_figure(of, name, changes=2)


def settings_of(name: str) -> str:
    """Format the parameters of a part that differ from the defaults."""
    return ", ".join(
        f"{key}={value['use'] if isinstance(value, dict) else value}"
        for key, value in SHOWN.get(name, {}).items()
    )


def setting(name: str, puzzle: str = SMALL, *key: str, **more: Any) -> SceneContext:
    """Return a problem on a bundled puzzle, with the picture's own stream."""
    return SceneContext.of(ScenePlan(name, puzzle=puzzle, **more), SEED, "operators", *key)


def plan(kind: str, name: str, part: Any) -> ScenePlan:
    """Plan the scene of an operator on a small puzzle, with the first encoding that it fits."""
    judged = build_part("fitness", "repetitions")
    recipe = {kind: {"use": name, **SHOWN.get(name, {})}}
    for each in ORDER:
        if misfit_reason(part, build_part("encoding", each), judged) is None:
            return ScenePlan(name, recipe=recipe, puzzle=SMALL, encoding=each)
    raise ValueError(f"expected an encoding that {name} fits, got none")


def board_figure(here: SceneContext | Scene, views: Sequence[SceneBoard], caption: str) -> str:
    """Draw boards of one puzzle as a figure."""
    if isinstance(here, Scene):
        geometry, givens = Geometry(here.box_rows, here.box_cols), here.givens
    else:
        geometry, givens = here.puzzle.geometry, list(here.puzzle.digits)
    return figure(boards(geometry, givens, views), caption)


def encoding(name: str, part: Any) -> str:
    del part
    here = setting(name, SMALL, name, encoding=name)
    space = here.problem.space
    groups = [0] * len(here.puzzle.digits)
    for place in range(len(space.groups) if space.keeps != "none" else 0):
        for cell in space.groups[place, : space.sizes[place]].tolist():
            groups[cell] = (place if space.keeps != "box" else (place + 1) // 2) % 2
    looks: dict[str, Any] = {"paint": "plain" if space.keeps == "none" else "group"}
    looks["colours"] = groups
    note = f"{len(space.genes)} blanks"
    views = [SceneBoard("The puzzle", list(here.puzzle.digits), note=note, **looks)]
    for place, board in enumerate(here.boards(3)):
        wrong = clashing_cells(board, here.puzzle)
        views.append(here.view(f"Random board {place + 1}", board, clashes=wrong, **looks))
    mean = here.problem.costs(here.boards(MANY)).mean()
    kept = "every blank by itself" if space.keeps == "none" else f"a group for every {space.keeps}"
    caption = f"{kept.capitalize()}; digits repeated in a unit are red. "
    return board_figure(here, views, f"{caption}{MANY:,} random boards cost {mean:.1f} on average.")


def fitness(name: str, part: Any) -> str:
    encoded = "permuted-boxes" if part.needs == "box" else "free-cells"
    here = setting(name, SMALL, name, encoding=encoded, fitness=name)
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
            views.append(here.map(title, board, note=note))
        else:
            wrong = clashing_cells(board, here.puzzle)
            views.append(here.view(title, board, note=note, clashes=wrong))
    goal = "highest" if part.maximise else "lowest"
    caption = f"A random board, one swap from the solution, and the solution. The {goal} score wins"
    if name == "complete-units":
        caption += "; a cell's colour tells how many of its three units are complete"
    return board_figure(here, views, f"{caption}.")


def selection(name: str, part: Any) -> str:
    del part
    recipe = {"selection": {"use": name, **SHOWN.get(name, {})}}
    of = ScenePlan(name, "", "", recipe, "charles-basic", "free-cells", "unique")
    last = selection_scene(of, SEED, "operators", "selection", draws=DRAWS).steps[-1].bars[0]
    labels = [f"{each}: {cost:g}" for each, cost in zip(last.labels, last.values, strict=True)]
    copies = [round(count * BOARDS / DRAWS, 2) for count in last.counts]
    title = "How often a board is a parent, for every place in the population"
    chart = bars(
        SceneBars(title, "", labels, copies),
        level=1.0,
        top=2.0,
        across="boards with their costs, best first",
    )
    return figure(chart, f"Measured in {DRAWS:,} draws among {BOARDS} boards; 1 would be even.")


def crossover(name: str, part: Any) -> str:
    of = plan("crossover", name, part)
    if part.parents > 1:
        return crossover_figure(of, name)
    scene = crossover_scene(of, SEED, "operators", name)
    one, _, child = scene.steps[-1].boards
    views = [one, replace(child, colours=[min(who, 1) for who in child.colours])]
    return board_figure(
        scene, views, "A copy: only a mutation will part the child from its parent."
    )


def crossover_figure(of: ScenePlan, name: str) -> str:
    scene = crossover_scene(of, SEED, "operators", name)
    last = scene.steps[-1]
    return board_figure(scene, last.boards, LEGEND + last.text)


def mutation(name: str, part: Any) -> str:
    return mutation_figure(plan("mutation", name, part))


def mutation_figure(of: ScenePlan, *key: str, changes: int = 3) -> str:
    scene = mutation_scene(of, SEED, "operators", *key, to_the_end=False)
    _, *steps, many = scene.steps
    views = [steps[0].boards[0], *(each.boards[1] for each in steps[:changes])]
    count = {2: "Two", 3: "Three"}[changes]
    return board_figure(scene, views, f"{count} in a row; what changed is outlined. {many.text}")


def repeats(name: str, part: Any) -> str:
    here = setting(name, LARGE, name, encoding="free-cells")
    times = np.bincount(part(DRAWS, here.problem, here.rng), minlength=7)
    shares = [round(float(each), 3) for each in times / DRAWS]
    labels = [str(place) for place in range(len(shares))]
    chart = bars(SceneBars("Share of mutating boards", "", labels, shares), across="times changed")
    with_what = f" With {settings_of(name)}." if settings_of(name) else ""
    return figure(chart, f"Measured in {DRAWS:,} draws on a 9×9 puzzle.{with_what}")


def adaptation(name: str, part: Any) -> str:
    if name == "by-difficulty":
        return _by_level(part)
    recipe = {"use": name, **SHOWN.get(name, {})}
    result = run(
        bundled()[LARGE].puzzle,
        build(SMALL_GA | {"population": 20, "adaptation": recipe}),
        seed=SEED,
        until="generations=400",
        record=Record(fields=("gen", "best", "rate")),
    )
    rates, best = (result.history[each].tolist() for each in ("rate", "best"))
    courses = SceneCurve("Rate", "generation", rates), SceneCurve("Best cost", "generation", best)
    charts = "".join(curves(each.title, each) for each in courses)
    with_what = f", with {settings_of(name)}" if settings_of(name) else ""
    return figure(charts, f"A genetic algorithm of 20 boards on {LARGE}{with_what}.")


def _by_level(part: Any) -> str:
    names = [f"9x9-{level}" for level in ("easy", "medium", "hard", "expert", "extreme")]
    rates = []
    for each in names:
        here = setting(each, each, encoding="free-cells")
        rates.append(round(part(None, None, here.problem)["rate"], 3))
    chart = bars(SceneBars("Rate", "", names, rates), across="bundled puzzles of every level")
    return figure(chart, "The same all the way of a run, and another for every level.")


def replacement(name: str, part: Any) -> str:
    del part
    here = setting(name, "6x6-medium", name)
    algorithm: Any = build(SMALL_GA | {"replacement": {"use": name, **SHOWN.get(name, {})}})
    state = algorithm.start(here.problem, here.rng)
    made = Generation.of(algorithm, state, here.problem, here.rng, NEW.get(name, BOARDS))
    charts = [bars(each, all_bright=False, high=1.45) for each in made.bars(state.costs)]
    twice = len(made.survivors) - len(set(made.survivors))
    more = f" {twice} of {BOARDS} places go to boards that have one already." if twice else ""
    with_what = f" With {settings_of(name)}." if settings_of(name) else ""
    caption = f"Costs; who lives on is bright: {BOARDS} boards again.{more}{with_what}"
    return figure("".join(charts), caption)


def diversity(name: str, part: Any) -> str:
    del part
    here = setting(name, "9x9-medium")
    lines = []
    eager = SMALL_GA | {"population": 60, "selection": {"use": "tournament", "size": 5}}
    for each in dict.fromkeys((name, "as-it-comes")):
        algorithm = build(eager | {"diversity": each})
        states = run_states(algorithm, here.problem, stream(SEED, "operators", "diversity"), 99)
        values = [population_diversity(state.boards, here.problem) for state in states]
        lines.append(SceneCurve(each, "generation", values))
    chart = curves("Diversity of the population", *lines)
    return figure(chart, "Share of blanks in which two of 60 boards differ, on 9x9-medium.")


def algorithm(name: str, part: Any) -> str:
    where = LARGE if name in EASY else HARD
    puzzle = bundled()[where].puzzle
    if name == "exact":
        here = setting(name, where, encoding="free-cells")
        result = run(puzzle, part, seed=SEED)
        views = [
            SceneBoard("AI Escargot", list(puzzle.digits), note=f"{puzzle.givens} givens"),
            SceneBoard("Solved", result.board.tolist(), note=f"{result.evaluations} decisions"),
        ]
        return board_figure(here, views, "One step: a solution, or the proof that there is none.")
    until = f"steps={STEPS.get(name, 1000)}"
    result = run(puzzle, part, seed=SEED, until=until, record=Record(fields=("gen", "best")))
    best = result.history["best"].tolist()
    counted = "Open cells of the best board" if name == "champion" else "Cost of the best board"
    end = "solved" if result.solved else f"at cost {result.cost}"
    with_what = f" With {settings_of(name)}." if settings_of(name) else ""
    caption = f"On {where}, {end} after {result.steps:,} steps.{with_what}"
    return figure(curves(counted, SceneCurve("best", "step", best)), caption)


def whole_run() -> str:
    """Draw a run for the front page: report 004's system on report 000's medium puzzle."""
    here = setting("run", "poderosas-medium", fitness="missing-digits")
    states = run_states(preset("sundy").build(), here.problem, stream(2), 999)
    shown = (0, len(states) // 16, len(states) // 4, len(states) - 2, len(states) - 1)
    views = [here.map(f"Generation {at}", best_board(states[at])) for at in shown]
    best = [float(state.costs.min()) for state in states]
    mean = [float(state.costs.mean()) for state in states]
    lines = SceneCurve("best board", "generation", best), SceneCurve("mean of all boards", "", mean)
    chart = curves("Cost", *lines)
    keys = ", ".join(
        f'<i class="key units-{number}"></i> {word}'
        for number, word in enumerate(("none", "one", "two", "all three"))
    )
    caption = (
        f"Report 004's genetic algorithm solves a puzzle in {len(states) - 1} generations of "
        f"{len(states[0].costs):,} boards: the best one on its way. The colour of a cell tells how "
        f"many of its row, column and box are complete: {keys}."
    )
    strip = boards(here.puzzle.geometry, list(here.puzzle.digits), views)
    return figure(f'<div class="strip">{strip}</div>{chart}', caption)


def box_to_row() -> str:
    """Draw a board whose boxes are written as rows: as in a figure of report 002."""
    here = setting(PRINTED, PRINTED)
    solution = solve(here.puzzle).board
    assert solution is not None
    geometry, side = here.puzzle.geometry, here.puzzle.side
    boxes = geometry.units[2 * side :]
    rows = np.arange(side * side) // side
    box_of = np.zeros(side * side, np.int64)
    for place, cells in enumerate(boxes):
        box_of[cells] = place
    looks: dict[str, Any] = {"paint": "group", "note": ""}
    views = [
        SceneBoard("Boxes", solution.tolist(), colours=(box_of % 2).tolist(), **looks),
        SceneBoard(
            "Boxes as rows",
            [int(solution[cell]) for cells in boxes for cell in cells],
            colours=(rows % 2).tolist(),
            **looks,
        ),
    ]
    nothing = [0] * side * side
    caption = "The first box is the first row, and so on; done twice, the board is as before."
    return figure(boards(geometry, nothing, views), caption)


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
