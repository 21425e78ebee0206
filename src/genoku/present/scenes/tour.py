"""The scenes of the guided tour, made by the engine's own operators from a seed."""

from __future__ import annotations

from collections.abc import Callable
from itertools import cycle, pairwise
from string import ascii_uppercase as LETTERS  # noqa: N812
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from genoku.evolve.encoding import Boards
from genoku.evolve.fitness import Costs, fitness_map
from genoku.evolve.operators.diversity import diversity
from genoku.evolve.operators.replacement import Brood
from genoku.evolve.operators.selection import best_first
from genoku.evolve.presets import preset
from genoku.evolve.problem import Problem
from genoku.evolve.recipe import build, build_part, with_value
from genoku.evolve.state import State
from genoku.exact.oracle import solve
from genoku.present.scenes.views import (
    CHAPTERS,
    SMALL_GA,
    Lesson,
    Origin,
    Scene,
    SceneBars,
    SceneBoard,
    SceneCurve,
    ScenePlan,
    SceneStep,
)
from genoku.puzzle.board import Board, Puzzle
from genoku.puzzle.bundled_puzzles import bundled
from genoku.runtime.random import Stream, below, stream
from genoku.runtime.text import format_count, join_words


class SceneContext(NamedTuple):
    """A problem, and the random stream of a scene."""

    problem: Problem
    rng: Stream

    @staticmethod
    def of(plan: ScenePlan, *key: int | str) -> SceneContext:
        """Build the problem of a plan, and a stream from the key."""
        parts = build_part("encoding", plan.encoding), build_part("fitness", plan.fitness)
        return SceneContext(Problem.of(bundled()[plan.puzzle].puzzle, *parts), stream(*key))

    @property
    def puzzle(self) -> Puzzle:
        return self.problem.puzzle

    def boards(self, count: int) -> Boards:
        return self.problem.space.sample(count, self.rng)

    def cost(self, board: Board) -> int:
        return int(self.problem.costs(board[None])[0])

    def view(self, title: str, board: Board, **options: Any) -> SceneBoard:
        """Show a board, by default with its cost below."""
        if "note" not in options:
            options["note"] = f"cost {self.cost(board)}"
        return SceneBoard(title, board.tolist(), **options)

    def map(self, title: str, board: Board, **options: Any) -> SceneBoard:
        """Show a board in the colours of report 003's fitness map."""
        units = fitness_map(board, self.puzzle.geometry).tolist()
        return self.view(title, board, paint="units", colours=units, **options)

    def child(self, title: str, board: Board, one: Board, two: Board, **options: Any) -> SceneBoard:
        """Show a child; colours mark the parent that each cell comes from."""
        by_one = np.where(board == two, Origin.BOTH, Origin.FIRST)
        origin = np.where(
            board == one, by_one, np.where(board == two, Origin.SECOND, Origin.NEITHER)
        )
        origin[self.puzzle.board > 0] = Origin.PUZZLE
        return self.view(title, board, paint="origin", colours=origin.tolist(), **options)

    def population(self, state: State) -> list[SceneBoard]:
        """Show all boards of a state, named A, B, C, …"""
        return [self.map(LETTERS[place], board) for place, board in enumerate(state.boards)]

    def scene(self, plan: ScenePlan, steps: list[SceneStep], *curves: SceneCurve) -> Scene:
        shape, labels = self.puzzle.geometry, (plan.name, plan.label, plan.about, plan.recipe)
        sizes = shape.side, shape.box_rows, shape.box_cols
        return Scene(*labels, *sizes, list(self.puzzle.digits), steps, list(curves), plan.pace)


def run_states(algorithm: Any, problem: Problem, rng: Stream, steps: int) -> list[State]:
    """Run an algorithm; return its states up to a solution or the given number of steps."""
    states = [algorithm.start(problem, rng)]
    while len(states) <= steps and not states[-1].finished:
        states.append(algorithm.step(problem, states[-1]))
    return states


def best_board(state: State) -> Board:
    best: Board = state.boards[int(state.costs.argmin())]
    return best


class Generation(NamedTuple):
    """The results of each operator of a genetic algorithm in one generation."""

    mates: NDArray[Any]
    crossed: Boards
    children: Boards
    costs: Costs
    survivors: list[int]

    @staticmethod
    def of(
        algorithm: Any, state: State, problem: Problem, rng: Stream, count: int | None = None
    ) -> Generation:
        """Do what `Genetic.step` does, with draws in the same order."""
        mates = algorithm.selection(state.costs, count or len(state.costs), 2, problem, rng)
        crossed = algorithm.crossover(state.boards, mates, problem, rng)
        children = algorithm.mutation(crossed, float(state.memory["rate"]), problem, rng)
        costs = problem.costs(children)
        brood = Brood(state.boards, state.costs, children, costs, mates)
        survivors = algorithm.replacement(brood, problem, rng).tolist()
        return Generation(mates, crossed, children, costs, survivors)

    def bars(self, old: Costs) -> list[SceneBars]:
        """Show old boards and their children, with the survivors highlighted."""
        young = [place - len(old) for place in self.survivors if place >= len(old)]
        kept = [place for place in self.survivors if place < len(old)]
        return [
            cost_bars("The old", old, chosen=sorted(set(kept))),
            cost_bars("Their children", self.costs, chosen=sorted(set(young))),
        ]


def clashing_cells(board: Board, puzzle: Puzzle) -> list[int]:
    conflicts = Puzzle(puzzle.geometry, board.tobytes()).conflicts()
    return sorted({cell for each in conflicts for cell in each.cells})


def changed_cells(before: Board, after: Board) -> list[int]:
    cells: list[int] = np.flatnonzero(before != after).tolist()
    return cells


def cost_bars(title: str, costs: Costs | NDArray[Any], **options: Any) -> SceneBars:
    """Show the cost of every board as a bar, named A, B, C, …"""
    values = [float(cost) for cost in costs]
    return SceneBars(title, "cost", list(LETTERS[: len(values)]), values, **options)


def percent_text(part: int, whole: int) -> str:
    """Format a share: "12.5 %"."""
    return f"{100 * part / whole:.1f} %"


def comparison_text(costs: Costs, what: str, *others: int) -> str:
    """Say how many boards cost less, and how many more, than all of the others."""
    better = percent_text(int((costs < min(others)).sum()), len(costs))
    worse = percent_text(int((costs > max(others)).sum()), len(costs))
    ends = ("better than both", "worse than both") if len(others) == 2 else ("better", "worse")
    return f"Of {len(costs):,} such {what} {better} are {ends[0]}, {worse} {ends[1]}."


def spread_indices(count: int, most: int) -> list[int]:
    """Choose up to `most` indices below `count`, with both ends, denser at the start."""
    if count <= most:
        return list(range(count))
    places = {round((count - 1) * (i / (most - 1)) ** 1.5) for i in range(most)}
    return sorted(places)


SAMPLES = 1000  # children or mutations in a statistic
BOARDS, PAIRS, DRAWS = 12, 5, 10_000
GENERATIONS = 80  # after a replacement
ADAPTED = 400  # generations under a rule for the rate
MOVES, THINNED, IN_DETAIL = 25_000, 25, 8  # of annealing
TRIES, SHOWN = 2000, 60  # of the champion
KINDS = {"row": 0, "column": 1, "box": 2}


def lesson(name: str, seed: int) -> Lesson:
    """Make a chapter's scenes from a seed."""
    (chapter,) = (each for each in CHAPTERS if each.name == name)
    puzzle = bundled()[chapter.trial.puzzle].puzzle
    scenes = MAKERS[name](seed, *chapter.scenes)
    return Lesson(chapter, seed, scenes, puzzle.line, puzzle.geometry.box)


def board_scene(plan: ScenePlan, seed: int) -> Scene:
    """Show a puzzle, its units, a random board and the solution."""
    here = SceneContext.of(plan, seed, "lesson", "board")
    puzzle, geometry = here.puzzle, here.puzzle.geometry
    empty = puzzle.board.copy()
    given = int((empty > 0).sum())
    blank = format_count(int((empty == 0).sum()), "blank")
    bare = {"note": f"{given} givens, {blank}"}
    text = f"The puzzle gives {given} of {len(empty)} digits: the givens. {blank} are left."
    steps = [SceneStep(text, [here.view("The puzzle", empty, **bare)])]
    for name, kind in KINDS.items():
        unit = kind * puzzle.side + int(below(here.rng, puzzle.side))
        text = (
            f"{geometry.unit_name(unit).capitalize()} is a unit: it must hold each digit from 1 to "
            f"{puzzle.side} once."
        )
        cells = geometry.units[unit].tolist()
        steps.append(SceneStep(text, [here.view(f"A {name}", empty, marked=cells, **bare)]))
    guess = here.boards(1)[0]
    wrong = clashing_cells(guess, puzzle)
    text = (
        f"All blanks filled at random: a board. In {len(wrong)} cells the digit is repeated in a "
        f"unit; its cost is {here.cost(guess)}."
    )
    steps.append(SceneStep(text, [here.view("A random board", guess, clashes=wrong)]))
    solution = solve(puzzle).board
    assert solution is not None
    text = "The solution: no digit is repeated, cost 0."
    steps.append(SceneStep(text, [here.view("Solved", solution)]))
    return here.scene(plan, steps)


def encoding_scenes(seed: int, *plans: ScenePlan) -> list[Scene]:
    """Show random boards of each encoding, and their mean costs."""
    scenes, means = [], []
    for plan in plans:
        here = SceneContext.of(plan, seed, "lesson", plan.name)
        steps = []
        for place, made in enumerate(here.boards(4)):
            wrong = clashing_cells(made, here.puzzle)
            text = f"Random board {place + 1}: cost {here.cost(made)}, {len(wrong)} cells conflict."
            steps.append(SceneStep(text, [here.view("Random board", made, clashes=wrong)]))
        means.append(float(here.problem.costs(here.boards(SAMPLES)).mean()))
        scenes.append(here.scene(plan, steps))
    labels = [each.label for each in scenes]
    for place, (each, mean) in enumerate(zip(scenes, means, strict=True)):
        bars = SceneBars("1,000 random boards of each", "mean cost", labels, means, [place])
        text = f"{each.label}: a random board costs {mean:.1f} on average."
        each.steps.append(SceneStep(text, each.steps[-1].boards, [bars]))
    return scenes


def repetitions_scene(plan: ScenePlan, seed: int) -> Scene:
    """Count repeated digits unit by unit."""
    here = SceneContext.of(plan, seed, "lesson", "cost")
    made = here.boards(1)[0]
    steps = [SceneStep("A random board. What is wrong with it?", [here.view("", made, note="")])]
    total = 0
    geometry = here.puzzle.geometry
    for place, unit in enumerate(geometry.units.tolist()):
        held = made[unit].tolist()
        again = len(held) - len(set(held))
        if not again:
            continue
        total += again
        cells = [cell for cell in unit if held.count(int(made[cell])) > 1]
        name = geometry.unit_name(place).capitalize()
        view = here.view("", made, marked=unit, clashes=cells, note=f"{total} so far")
        text = f"{name}: {format_count(again, 'digit')} repeated. {total} so far."
        steps.append(SceneStep(text, [view]))
    text = f"All units counted: this board costs {total}."
    steps.append(SceneStep(text, [here.view("", made, clashes=clashing_cells(made, here.puzzle))]))
    return here.scene(plan, steps)


def fitness_map_scene(plan: ScenePlan, seed: int) -> Scene:
    """Show the best boards of a run, in report 003's colours."""
    here = SceneContext.of(plan, seed, "lesson", "map")
    algorithm = build(SMALL_GA | {"population": 200})
    steps: list[SceneStep] = []
    best = 10**9
    for state in run_states(algorithm, here.problem, here.rng, 600):
        if state.costs.min() < best:
            best = int(state.costs.min())
            view = here.map(f"Generation {state.step:,}", best_board(state))
            whole = format_count(view.colours.count(3), "cell")
            text = f"{view.title}: the best board costs {best}; {whole} in three complete units."
            steps.append(SceneStep(text, [view]))
    return here.scene(plan, steps)


def population_scene(plan: ScenePlan, seed: int) -> Scene:
    """Show twelve boards over some generations."""
    here = SceneContext.of(plan, seed, "lesson", "population")
    rng = stream(seed, "lesson", "population", "run")
    states = run_states(build(plan.recipe), here.problem, rng, 40)
    steps = []
    for at in spread_indices(len(states), 14):
        boards, costs = states[at].boards, states[at].costs
        order = np.argsort(costs, kind="stable")
        views = [here.map(LETTERS[rank], boards[place]) for rank, place in enumerate(order)]
        text = (
            f"Generation {at}: the best costs {costs.min()}, the mean is {costs.mean():.1f}, the "
            f"worst {costs.max()}. Two boards differ in "
            f"{100 * diversity(boards, here.problem):.0f} % of the blanks."
        )
        bars = cost_bars("The population, best first", costs[order])
        steps.append(SceneStep(text, views, [bars]))
    return here.scene(plan, steps)


def selection_scene(plan: ScenePlan, *key: int | str, draws: int = DRAWS) -> Scene:
    """Show some pairs that a selection draws, then how often it draws each board."""
    here = SceneContext.of(plan, *key)
    costs = here.problem.costs(here.boards(BOARDS))
    costs = costs[best_first(costs)]
    part = build_part("selection", plan.recipe["selection"])
    rng = stream(*key, plan.name)
    title = "The population, best first"
    text = f"{len(costs)} boards cost from {costs.min()} to {costs.max()}. Who becomes a parent?"
    steps = [SceneStep(text, bars=[cost_bars(title, costs)])]
    counts = [0] * len(costs)
    for pair in part(costs, PAIRS, 2, here.problem, rng).tolist():
        for place in pair:
            counts[place] += 1
        one, two = (f"{LETTERS[place]} (cost {costs[place]})" for place in pair)
        itself = " A board may be its own mate." if pair[0] == pair[1] else ""
        drawn = cost_bars(title, costs, chosen=sorted(set(pair)), counts=list(counts))
        steps.append(SceneStep(f"Drawn: {one} and {two}.{itself}", bars=[drawn]))
    drawn_often = part(costs, draws // 2, 2, here.problem, rng).ravel()
    often: list[int] = np.bincount(drawn_often, minlength=len(costs)).tolist()
    best, worst = percent_text(often[0], draws), percent_text(often[-1], draws)
    text = (
        f"After {draws:,} draws: the best was drawn {best} of the time, the worst {worst}. "
        f"Equal chances would give {percent_text(1, len(costs))}."
    )
    steps.append(SceneStep(text, bars=[cost_bars(title, costs, counts=often)]))
    return here.scene(plan, steps)


def crossover_scene(plan: ScenePlan, *key: int | str) -> Scene:
    """Show two parents, their child unit by unit, and the costs of many such children."""
    here = SceneContext.of(plan, *key)
    problem, givens = here.problem, here.puzzle.board
    part = build_part("crossover", plan.recipe["crossover"])
    pair = here.boards(2)
    mates = np.arange(part.parents)[None]
    child = part(pair, mates, problem, here.rng)[0]
    whole = here.child("Child", child, *pair)
    who = np.array(whole.colours)
    nothing = np.zeros_like(child)
    parents = [
        here.child("Parent A", pair[0], pair[0], nothing),
        here.child("Parent B", pair[1], nothing, pair[1]),
    ]
    steps = [SceneStep("Two random boards are the parents.", parents)]
    shown = np.zeros(len(child), bool)
    geometry, side = here.puzzle.geometry, here.puzzle.side
    for block in range(KINDS[plan.by] * side, (KINDS[plan.by] + 1) * side):
        unit = geometry.units[block]
        shown[unit] = True
        digits = np.where(shown, child, givens).tolist()
        colours = np.where(shown, who, np.where(givens > 0, Origin.PUZZLE, Origin.NEITHER)).tolist()
        view = SceneBoard("Child", digits, "origin", colours, [], unit.tolist(), "being made")
        text = _origin_text(geometry.unit_name(block), who[unit])
        steps.append(SceneStep(text, [*parents, view]))
    costs = [here.cost(board) for board in (*pair, child)]
    many = part(pair, np.repeat(mates, SAMPLES, axis=0), problem, here.rng)[:SAMPLES]
    text = f"The parents cost {costs[0]} and {costs[1]}, the child {costs[2]}. "
    text += comparison_text(problem.costs(many), "children", *costs[:2])
    steps.append(SceneStep(text, [*parents, whole]))
    return here.scene(plan, steps)


def _origin_text(unit: str, who: Any) -> str:
    """Say which parent the blanks of a unit come from."""
    words = {
        Origin.FIRST: "from A",
        Origin.SECOND: "from B",
        Origin.BOTH: "equal in both",
        Origin.NEITHER: "from neither, to keep rows complete",
    }
    counts = [(int((who == kind).sum()), said) for kind, said in words.items()]
    listed = ", ".join(f"{count} {said}" for count, said in counts if count)
    return f"{unit.capitalize()}: {listed or 'all given'}."


def mutation_scene(plan: ScenePlan, *key: int | str, to_the_end: bool = True) -> Scene:
    """Show five mutations in a row, then the effect of many, early and optionally late in a run."""
    here = SceneContext.of(plan, *key, plan.name)
    part = build_part("mutation", plan.recipe["mutation"])
    now = here.boards(1)
    steps = [SceneStep(f"A board that costs {here.cost(now[0])}.", [here.view("Before", now[0])])]
    for _ in range(5):
        after = part(now, 1.0, here.problem, here.rng)
        cells = changed_cells(now[0], after[0])
        change = here.cost(after[0]) - here.cost(now[0])
        word = f"{abs(change)} {'worse' if change > 0 else 'better'}" if change else "no better"
        places = ", ".join(map(here.puzzle.geometry.cell_name, cells))
        text = f"{format_count(len(cells), 'cell')} changed ({places}): {word}."
        if not cells:
            text = "Nothing changed: the new order equals the old one."
        pair = ("Before", now[0]), ("After", after[0])
        steps.append(SceneStep(text, [here.view(*each, marked=cells) for each in pair]))
        now = after
    steps.append(_outcome_step(here, part, now, "a random board"))
    if to_the_end:
        by = {"permuted-boxes": "box", "permuted-rows": "row"}.get(plan.encoding, "cell")
        crossed = {"use": "uniform", "by": by, "children": 1, "rate": 0.9}
        own = {"encoding": plan.encoding, "population": 200, "crossover": crossed}
        algorithm = build(SMALL_GA | own | plan.recipe)
        states = run_states(algorithm, here.problem, stream(*key, "run"), 300)
        if len(states) > 1:  # the best board just before the end
            near = best_board(states[-2])[None]
            steps.append(_outcome_step(here, part, near, "a board that is nearly solved"))
    return here.scene(plan, steps)


def _outcome_step(here: SceneContext, part: Any, board: Any, what: str) -> SceneStep:
    """Show the effect of many mutations of one board."""
    cost = here.cost(board[0])
    many = part(np.repeat(board, SAMPLES, axis=0), 1.0, here.problem, here.rng)
    text = f"This is {what}, cost {cost}. "
    text += comparison_text(here.problem.costs(many), "mutations", cost)
    return SceneStep(text, [here.view(what.capitalize(), board[0])])


def replacement_scene(plan: ScenePlan, seed: int) -> Scene:
    """Show old boards, their children, the survivors, and the rest of the run."""
    here = SceneContext.of(plan, seed, "lesson", "replacement")
    algorithm = build(SMALL_GA | plan.recipe)
    rng = stream(seed, "lesson", "replacement", "run")
    states = run_states(algorithm, here.problem, rng, GENERATIONS)
    old = states[0].costs
    made = Generation.of(algorithm, states[0], here.problem, here.rng)
    plain = [cost_bars("The old", old), cost_bars("Their children", made.costs)]
    kept = made.bars(old)
    after = np.concatenate((old, made.costs))[made.survivors]
    course = [int(state.costs.min()) for state in states]
    lost = sum(later > earlier for earlier, later in pairwise(course))
    end = "solved" if course[-1] == 0 else f"at cost {course[-1]}"
    text = f"After {format_count(len(course) - 1, 'generation')} it is {end}. "
    text += f"The best got lost {lost} times." if lost else "The best never got lost."
    steps = [
        SceneStep(f"{len(old)} boards, the best costs {old.min()}.", bars=plain[:1]),
        SceneStep(f"Their {len(old)} children: the best costs {made.costs.min()}.", bars=plain),
        SceneStep(_survivors_text(*(each.chosen for each in kept)), bars=kept),
        SceneStep(
            f"The next generation: the best costs {after.min()}, the mean is {after.mean():.1f}.",
            bars=[cost_bars("The next generation", after)],
        ),
        SceneStep(text, at=len(course)),
    ]
    curve = SceneCurve("Best cost", "generation", [float(each) for each in course], lowest=0)
    return here.scene(plan, steps, curve)


def _survivors_text(old: list[int], young: list[int]) -> str:
    children = "1 child" if len(young) == 1 else f"{len(young)} children"
    if not old:
        return f"No old board survives, only {children}."
    return f"{join_words(LETTERS[each] for each in old)} of the old boards and {children} survive."


def generation_scene(plan: ScenePlan, seed: int) -> Scene:
    """Show two generations of six boards, operator by operator, with the engine's own draws."""
    here = SceneContext.of(plan, seed, "lesson", "generation")
    algorithm = build(plan.recipe)
    before, then, last = run_states(algorithm, here.problem, here.rng, 2)
    steps = []
    for state, after in ((before, then), (then, last)):
        made = Generation.of(algorithm, state, here.problem, state.rng.copy())
        steps += _operator_steps(here, state, made)
        elite = [LETTERS[place] for place in made.survivors if place < len(state.costs)]
        kept = f"{elite[0]} was kept as the elite." if elite else "No old board was kept."
        text = (
            f"Generation {after.step}: the best costs {after.costs.min()}, the mean is "
            f"{after.costs.mean():.1f}. {kept}"
        )
        steps.append(SceneStep(text, here.population(after)))
    return here.scene(plan, steps)


def _operator_steps(here: SceneContext, state: State, made: Generation) -> list[SceneStep]:
    """Show a generation after every operator."""
    count, pairs = len(state.costs), made.mates.tolist()
    old = here.population(state)
    counts = np.bincount(made.mates.ravel(), minlength=count).tolist()
    crossed = [
        here.child(f"{LETTERS[one]} × {LETTERS[two]}", each, state.boards[one], state.boards[two])
        for each, (one, two) in zip(made.crossed, pairs, strict=True)
    ]
    cells = [changed_cells(*each) for each in zip(made.crossed, made.children, strict=True)]
    mutated = [
        here.map(view.title, board, marked=marked)
        for view, board, marked in zip(crossed, made.children, cells, strict=True)
    ]
    drawn = ", ".join(f"{LETTERS[one]} and {LETTERS[two]}" for one, two in pairs)
    parents = cost_bars("Who was drawn", state.costs, counts=counts)
    swapped = f"in {sum(map(bool, cells))} of {count} children"
    return [
        SceneStep(f"Generation {state.step}: the best board costs {state.costs.min()}.", old),
        SceneStep(f"Selection draws {count} pairs: {drawn}.", old, [parents]),
        SceneStep("Crossover makes a child of every pair, box by box.", crossed),
        SceneStep(
            f"Mutation swaps two cells {swapped} (each with chance {state.memory['rate']:g}).",
            mutated,
        ),
        SceneStep("Replacement decides which boards survive.", mutated, made.bars(state.costs)),
    ]


def adaptation_scene(plan: ScenePlan, seed: int) -> Scene:
    """Show the best cost and the rate of report 003's algorithm, under a rule for the rate."""
    here = SceneContext.of(plan, seed, "lesson", "rate")
    recipe = with_value(preset("simon-puzzle").recipe, "adaptation", plan.recipe["adaptation"])
    states = run_states(build(recipe), here.problem, stream(seed, "lesson", "rate", "run"), ADAPTED)
    best = [float(state.costs.min()) for state in states]
    rates = [float(state.memory["rate"]) for state in states]
    steps = [
        SceneStep(
            f"Generation {at}: the best costs {best[at]:.0f}, the rate is {rates[at]:.2g}."
            + (" Solved." if states[at].finished else ""),
            [here.map("The best", best_board(states[at]))],
            at=at + 1,
        )
        for at in spread_indices(len(states), 30)
    ]
    curves = [
        SceneCurve("Best cost", "generation", best, lowest=0),
        SceneCurve("Mutation rate", "generation", rates, lowest=0, highest=1),
    ]
    return here.scene(plan, steps, *curves)


def annealing_scene(plan: ScenePlan, seed: int) -> Scene:
    """Show the first moves one by one, then the cost over time, at one temperature."""
    here = SceneContext.of(plan, seed, "lesson", "cooling")
    rng = stream(seed, "lesson", "annealing", "run")
    states = run_states(build(plan.recipe), here.problem, rng, MOVES)
    costs = [int(state.costs[0]) for state in states]
    worse = np.concatenate(([0], np.cumsum(np.diff(costs) > 0))).tolist()
    first = here.view("One board", states[0].boards[0])
    steps = [SceneStep(f"One random board, complete boxes. It costs {costs[0]}.", [first], at=1)]
    steps += [_move_step(here, states[at - 1], states[at]) for at in range(1, IN_DETAIL + 1)]
    for at in spread_indices(len(states), 26):
        if at > IN_DETAIL:
            text = (
                f"After {format_count(at, 'move')}: cost {costs[at]}. "
                f"{format_count(worse[at], 'worse move')} accepted so far."
                + (" Solved." if costs[at] == 0 else "")
            )
            view = here.map(f"Move {at:,}", states[at].boards[0])
            steps.append(SceneStep(text, [view], at=-(-at // THINNED) + 1))
    course = [float(cost) for cost in (*costs[:-1:THINNED], costs[-1])]
    curve = SceneCurve("Cost", "move", course, lowest=0, highest=max(course), every=THINNED)
    return here.scene(plan, steps, curve)


def _move_step(here: SceneContext, before: State, after: State) -> SceneStep:
    cells = changed_cells(before.boards[0], after.boards[0])
    change = int(after.costs[0]) - int(before.costs[0])
    said = "a swap was tried and rejected"
    if cells:
        names = " and ".join(map(here.puzzle.geometry.cell_name, cells))
        better = f"{-change} better" if change < 0 else f"{change} worse, but accepted"
        said = f"{names} swapped, {better if change else 'no worse'}"
    view = here.view(f"Move {after.step}", after.boards[0], marked=cells)
    return SceneStep(f"Move {after.step}: {said}. Cost {after.costs[0]}.", [view], at=1)


def convergence_scene(plan: ScenePlan, seed: int) -> Scene:
    """Show a population in which all boards become alike."""
    here = SceneContext.of(plan, seed, "lesson", "stuck")
    states = run_states(build(plan.recipe), here.problem, here.rng, 200)
    best = [float(state.costs.min()) for state in states]
    steps = []
    for at in spread_indices(len(states), 24):
        board = best_board(states[at])
        twins = int((states[at].boards == board).all(axis=1).sum())
        same = f"{twins} of {len(states[at].costs)} boards equal it"
        if twins == 1:
            same = "all others differ from it"
        text = f"Generation {at}: the best costs {best[at]:.0f}, and {same}."
        wrong = clashing_cells(board, here.puzzle)
        steps.append(SceneStep(text, [here.view("The best", board, clashes=wrong)], at=at + 1))
    varied = [diversity(state.boards, here.problem) for state in states]
    curves = [
        SceneCurve("Best cost", "generation", best, lowest=0),
        SceneCurve("Diversity", "generation", varied, lowest=0),
    ]
    return here.scene(plan, steps, *curves)


def champion_scene(plan: ScenePlan, seed: int) -> Scene:
    """Show the champion on a hard puzzle."""
    algorithm = build(plan.recipe)
    puzzle = bundled()[plan.puzzle].puzzle
    problem = Problem.of(puzzle, algorithm.encoding, algorithm.fitness)
    here = SceneContext(problem, stream(seed, "lesson", "champion"))
    states = run_states(algorithm, problem, here.rng, TRIES - 1)
    left = format_count(int((states[0].boards[0] == 0).sum()), "cell")
    text = f"AI Escargot. What follows from its givens by logic leaves {left} open."
    view = SceneBoard("The puzzle", puzzle.board.tolist(), note=f"{left} open")
    steps = [SceneStep(text, [view], at=1)]
    for before, after in pairwise(states):
        if len(steps) < SHOWN or after.finished:
            steps.append(_rebuild_step(before, after))
    cells = [float(state.costs.min()) for state in states]
    curve = SceneCurve("Open cells", "try", cells, lowest=0)
    return here.scene(plan, steps, curve)


def _rebuild_step(before: State, state: State) -> SceneStep:
    """Show the board after an attempt to rebuild it."""
    board: Board = state.boards[0]
    marks = np.flatnonzero(state.arrays["marks"][0]).tolist()
    note = f"{format_count(int((board == 0).sum()), 'cell')} open"
    said = f"{format_count(len(marks), 'decision')}, then a dead end with {note}"
    if state.finished:
        said = "solved: everything else follows by logic"
    elif np.array_equal(before.boards, state.boards):
        said = "the rebuilt board was no better, so it is discarded"
    view = SceneBoard(f"Try {state.step}", board.tolist(), marked=marks, note=note)
    return SceneStep(f"Try {state.step}: {said}.", [view], at=state.step + 1)


SceneMaker = Callable[..., list[Scene]]


def _each(*makers: Callable[[ScenePlan, int], Scene]) -> SceneMaker:
    """Make one scene per plan, by one maker for all or by one for each."""
    return lambda seed, *plans: [
        make(plan, seed) for make, plan in zip(cycle(makers), plans, strict=False)
    ]


MAKERS: dict[str, SceneMaker] = {
    "board": _each(board_scene),
    "encoding": encoding_scenes,
    "cost": _each(repetitions_scene, fitness_map_scene),
    "population": _each(population_scene),
    "selection": _each(lambda plan, seed: selection_scene(plan, seed, "lesson", "selection")),
    "crossover": _each(
        lambda plan, seed: crossover_scene(plan, seed, "lesson", "crossover", plan.name)
    ),
    "mutation": _each(lambda plan, seed: mutation_scene(plan, seed, "lesson", "mutation")),
    "replacement": _each(replacement_scene),
    "generation": _each(generation_scene),
    "adaptation": _each(adaptation_scene),
    "annealing": _each(annealing_scene),
    "stuck": _each(convergence_scene, champion_scene),
}  # make the scenes of each chapter from a seed and their plans
