"""The guided tour: what scenes share, and what makes those of each chapter."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from string import ascii_uppercase
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from genoku.board import Board, Puzzle
from genoku.collection import bundled
from genoku.diversity import diversity
from genoku.encoding import Boards
from genoku.exact import solve
from genoku.fitness import Costs, fitness_map
from genoku.present.scenes.views import (
    BOTH,
    CHAPTERS,
    FIRST,
    GIVEN,
    NEITHER,
    SECOND,
    SMALL_GA,
    Bars,
    BoardView,
    Curve,
    Lesson,
    Scene,
    ScenePlan,
    Step,
)
from genoku.preset_library import preset
from genoku.problem import Problem
from genoku.recipe import build, build_part, with_value
from genoku.replacement import Brood
from genoku.selection import best_first
from genoku.state import State
from genoku.stream import Stream, below, stream
from genoku.words import listed, plural


class Setting(NamedTuple):
    """A puzzle with an encoding and a fitness, and the stream that a scene draws from."""

    problem: Problem
    rng: Stream

    @staticmethod
    def of(plan: ScenePlan, *key: int | str) -> Setting:
        """On a bundled puzzle, with parts of the catalogue."""
        parts = build_part("encoding", plan.encoding), build_part("fitness", plan.fitness)
        return Setting(Problem.of(bundled()[plan.puzzle].puzzle, *parts), stream(*key))

    @property
    def puzzle(self) -> Puzzle:
        return self.problem.puzzle

    def boards(self, count: int) -> Boards:
        """Random boards of the encoding."""
        return self.problem.space.sample(count, self.rng)

    def cost(self, board: Board) -> int:
        return int(self.problem.costs(board[None])[0])

    def view(self, title: str, board: Board, **looks: Any) -> BoardView:
        """A board with its cost below it."""
        if "note" not in looks:
            looks["note"] = f"cost {self.cost(board)}"
        return BoardView(title, board.tolist(), **looks)

    def map(self, title: str, board: Board, **looks: Any) -> BoardView:
        """A board in the colours of report 003's map."""
        units = fitness_map(board, self.puzzle.geometry).tolist()
        return self.view(title, board, paint="units", colours=units, **looks)

    def child(self, title: str, board: Board, one: Board, two: Board, **looks: Any) -> BoardView:
        """A board in the colours of who gave its cells."""
        gave = origins(board, one, two, self.puzzle.board)
        return self.view(title, board, paint="origin", colours=gave, **looks)

    def scene(self, plan: ScenePlan, steps: list[Step], curves: list[Curve] | None = None) -> Scene:
        """A scene on its puzzle."""
        shape, told = self.puzzle.geometry, (plan.name, plan.label, plan.about, plan.recipe)
        sizes = shape.side, shape.box_rows, shape.box_cols
        return Scene(*told, *sizes, list(self.puzzle.digits), steps, curves or [], plan.pace)


def follow(algorithm: Any, problem: Problem, rng: Stream, steps: int) -> list[State]:
    """The states of a run from its start, up to a solution or so many steps."""
    states = [algorithm.start(problem, rng)]
    while len(states) <= steps and not states[-1].finished:
        states.append(algorithm.step(problem, states[-1]))
    return states


def best_of(state: State) -> Board:
    """The board with the lowest cost."""
    best: Board = state.boards[int(state.costs.argmin())]
    return best


class Generation(NamedTuple):
    """What the operators of a genetic algorithm make of a population, one after the other."""

    mates: NDArray[Any]
    crossed: Boards
    children: Boards
    costs: Costs
    survivors: list[int]

    @staticmethod
    def of(
        algorithm: Any, state: State, problem: Problem, rng: Stream, count: int | None = None
    ) -> Generation:
        """What `Genetic.step` does, with the draws in the same order."""
        mates = algorithm.selection(state.costs, count or len(state.costs), 2, problem, rng)
        crossed = algorithm.crossover(state.boards, mates, problem, rng)
        children = algorithm.mutation(crossed, float(state.memory["rate"]), problem, rng)
        costs = problem.costs(children)
        brood = Brood(state.boards, state.costs, children, costs, mates)
        survivors = algorithm.replacement(brood, problem, rng).tolist()
        return Generation(mates, crossed, children, costs, survivors)

    def bars(self, old: Costs) -> list[Bars]:
        """Old boards and their children, with those picked out that survive."""
        young = [place - len(old) for place in self.survivors if place >= len(old)]
        kept = [place for place in self.survivors if place < len(old)]
        return [
            cost_bars("The old", old, chosen=sorted(set(kept))),
            cost_bars("Their children", self.costs, chosen=sorted(set(young))),
        ]


def origins(child: Board, one: Board, two: Board, givens: Board) -> list[int]:
    """Who gave every cell of a child."""
    from_one, from_two = child == one, child == two
    who = np.where(from_one, np.where(from_two, BOTH, FIRST), np.where(from_two, SECOND, NEITHER))
    who[givens > 0] = GIVEN
    cells: list[int] = who.tolist()
    return cells


def clashing(board: Board, puzzle: Puzzle) -> list[int]:
    """Blanks and givens whose digit is repeated in a unit; open cells clash with nothing."""
    found: set[int] = set()
    for unit in puzzle.geometry.units.tolist():
        held = board[unit]
        found |= {c for c in unit if board[c] and int((held == board[c]).sum()) > 1}
    return sorted(found)


def changed(before: Board, after: Board) -> list[int]:
    """The cells in which two boards differ."""
    cells: list[int] = np.flatnonzero(before != after).tolist()
    return cells


def cost_bars(title: str, costs: Costs | NDArray[Any], **looks: Any) -> Bars:
    """A bar for the cost of every board, named A, B, C and so on."""
    values = [float(cost) for cost in costs]
    return Bars(title, "cost", [name_of(place) for place in range(len(values))], values, **looks)


def name_of(place: int) -> str:
    """A letter for a board."""
    return ascii_uppercase[place]


def share(part: int, whole: int) -> str:
    """A part of a whole in per cent."""
    return f"{100 * part / whole:.1f} %"


def compared(costs: Costs, what: str, *others: int) -> str:
    """How many of many boards cost less than all of some others, and how many more."""
    better = share(int((costs < min(others)).sum()), len(costs))
    worse = share(int((costs > max(others)).sum()), len(costs))
    ends = ("better than both", "worse than both") if len(others) == 2 else ("better", "worse")
    return f"Of {len(costs):,} such {what} {better} are {ends[0]}, {worse} {ends[1]}."


def moments(count: int, most: int) -> list[int]:
    """Up to `most` places of a course of `count`, close at its beginning, with both ends."""
    if count <= most:
        return list(range(count))
    places = {round((count - 1) * (i / (most - 1)) ** 1.5) for i in range(most)}
    return sorted(places)


MANY = 1000  # children and mutations that are judged
PEOPLE, PAIRS, DRAWS = 12, 5, 10_000
GENERATIONS = 80  # after a replacement
ADAPTED = 400  # generations under a rule for the rate
MOVES, THINNED, IN_DETAIL = 25_000, 25, 8  # of annealing
TRIES, SHOWN = 2000, 60  # of the champion
KINDS = {"row": 0, "column": 1, "box": 2}


def lesson(name: str, seed: int) -> Lesson:
    """A chapter with its scenes."""
    (chapter,) = (each for each in CHAPTERS if each.name == name)
    puzzle = bundled()[chapter.trial.puzzle].puzzle
    scenes = MAKERS[name](seed, *chapter.scenes)
    return Lesson(chapter, seed, scenes, puzzle.line, puzzle.geometry.box)


def board(plan: ScenePlan, seed: int) -> Scene:
    """A puzzle, its units, a board by chance and the solution."""
    here = Setting.of(plan, seed, "lesson", "board")
    puzzle, geometry = here.puzzle, here.puzzle.geometry
    empty = puzzle.board.copy()
    given = int((empty > 0).sum())
    blank = plural(int((empty == 0).sum()), "blank")
    bare = {"note": f"{given} givens, {blank}"}
    text = f"The puzzle gives {given} of {len(empty)} digits: the givens. {blank} are left."
    steps = [Step(text, [here.view("The puzzle", empty, **bare)])]
    for name, kind in KINDS.items():
        unit = kind * puzzle.side + int(below(here.rng, puzzle.side))
        text = (
            f"{geometry.unit_name(unit).capitalize()} is a unit: it must hold each digit from 1 to "
            f"{puzzle.side} once."
        )
        cells = geometry.units[unit].tolist()
        steps.append(Step(text, [here.view(f"A {name}", empty, marked=cells, **bare)]))
    guess = here.boards(1)[0]
    wrong = clashing(guess, puzzle)
    text = (
        f"All blanks filled by chance: a board. In {len(wrong)} cells the digit stands again "
        f"in a unit; its cost is {here.cost(guess)}."
    )
    steps.append(Step(text, [here.view("A board by chance", guess, clashes=wrong)]))
    solution = solve(puzzle).board
    assert solution is not None
    text = "The solution: nothing stands twice, cost 0."
    steps.append(Step(text, [here.view("Solved", solution)]))
    return here.scene(plan, steps)


def encoding(seed: int, *plans: ScenePlan) -> list[Scene]:
    """Random boards under each encoding, and what they cost on average."""
    scenes, means = [], []
    for plan in plans:
        here = Setting.of(plan, seed, "lesson", plan.name)
        steps = []
        for place, made in enumerate(here.boards(4)):
            wrong = clashing(made, here.puzzle)
            text = f"Random board {place + 1}: cost {here.cost(made)}, {len(wrong)} cells clash."
            steps.append(Step(text, [here.view("By chance", made, clashes=wrong)]))
        means.append(float(here.problem.costs(here.boards(MANY)).mean()))
        scenes.append(here.scene(plan, steps))
    labels = [each.label for each in scenes]
    for place, (each, mean) in enumerate(zip(scenes, means, strict=True)):
        bars = Bars("1,000 random boards of each", "mean cost", labels, means, [place])
        text = f"{each.label}: a random board costs {mean:.1f} on average."
        each.steps.append(Step(text, each.steps[-1].boards, [bars]))
    return scenes


def _counted(plan: ScenePlan, seed: int) -> Scene:
    """Counting repetitions unit by unit."""
    here = Setting.of(plan, seed, "lesson", "cost")
    made = here.boards(1)[0]
    steps = [Step("A board by chance. What is wrong with it?", [here.view("", made, note="")])]
    total = 0
    geometry = here.puzzle.geometry
    for place, unit in enumerate(geometry.units.tolist()):
        held = made[unit].tolist()
        again = len(held) - len(set(held))
        if not again:
            continue
        total += again
        cells = [cell for cell in unit if held.count(int(made[cell])) > 1]
        noun = "digit stands" if again == 1 else "digits stand"
        name = geometry.unit_name(place).capitalize()
        view = here.view("", made, marked=unit, clashes=cells, note=f"{total} so far")
        steps.append(Step(f"{name}: {again} {noun} again. That is {total} so far.", [view]))
    text = f"All units counted: this board costs {total}."
    steps.append(Step(text, [here.view("", made, clashes=clashing(made, here.puzzle))]))
    return here.scene(plan, steps)


def _mapped(plan: ScenePlan, seed: int) -> Scene:
    """The best boards of a real run, in report 003's colours."""
    here = Setting.of(plan, seed, "lesson", "map")
    algorithm = build(SMALL_GA | {"population": 200})
    steps: list[Step] = []
    best = 10**9
    for state in follow(algorithm, here.problem, here.rng, 600):
        if state.costs.min() < best:
            best = int(state.costs.min())
            view = here.map(f"Generation {state.step:,}", best_of(state))
            whole = plural(view.colours.count(3), "cell")
            text = f"{view.title}: the best board costs {best}; {whole} in three complete units."
            steps.append(Step(text, [view]))
    return here.scene(plan, steps)


def population(plan: ScenePlan, seed: int) -> Scene:
    """Twelve boards over some generations."""
    here = Setting.of(plan, seed, "lesson", "population")
    rng = stream(seed, "lesson", "population", "run")
    states = follow(build(plan.recipe), here.problem, rng, 40)
    steps = []
    for at in moments(len(states), 14):
        boards, costs = states[at].boards, states[at].costs
        order = np.argsort(costs, kind="stable")
        views = [here.map(name_of(rank), boards[place]) for rank, place in enumerate(order)]
        text = (
            f"Generation {at}: the best costs {costs.min()}, the mean is {costs.mean():.1f}, the "
            f"worst {costs.max()}. Two boards differ in "
            f"{100 * diversity(boards, here.problem):.0f} % of the blanks."
        )
        steps.append(Step(text, views, [cost_bars("The population, best first", costs[order])]))
    return here.scene(plan, steps)


def select(plan: ScenePlan, *key: int | str, draws: int = DRAWS) -> Scene:
    """Some pairs that a selection draws, then how often it draws each board."""
    here = Setting.of(plan, *key)
    costs = here.problem.costs(here.boards(PEOPLE))
    costs = costs[best_first(costs)]
    part = build_part("selection", plan.recipe["selection"])
    rng = stream(*key, plan.name)
    title = "The population, best first"
    text = f"{len(costs)} boards cost from {costs.min()} to {costs.max()}. Who becomes a parent?"
    steps = [Step(text, bars=[cost_bars(title, costs)])]
    counts = [0] * len(costs)
    for pair in part(costs, PAIRS, 2, here.problem, rng).tolist():
        for place in pair:
            counts[place] += 1
        one, two = (f"{name_of(place)} (cost {costs[place]})" for place in pair)
        itself = " A board may be its own mate." if pair[0] == pair[1] else ""
        drawn = cost_bars(title, costs, chosen=sorted(set(pair)), counts=list(counts))
        steps.append(Step(f"Drawn: {one} and {two}.{itself}", bars=[drawn]))
    drawn_often = part(costs, draws // 2, 2, here.problem, rng).ravel()
    often: list[int] = np.bincount(drawn_often, minlength=len(costs)).tolist()
    text = (
        f"After {draws:,} draws: the best was drawn {share(often[0], draws)} of the time, the "
        f"worst {share(often[-1], draws)}. An even chance would be {share(1, len(costs))}."
    )
    steps.append(Step(text, bars=[cost_bars(title, costs, counts=often)]))
    return here.scene(plan, steps)


def cross(plan: ScenePlan, *key: int | str) -> Scene:
    """The parents, their child unit by unit, and what many such children cost."""
    here = Setting.of(plan, *key)
    problem, givens = here.problem, here.puzzle.board
    part = build_part("crossover", plan.recipe["crossover"])
    pair = here.boards(2)
    mates = np.arange(part.parents)[None]
    child = part(pair, mates, problem, here.rng)[0]
    whole = here.child("Child", child, *pair)
    who = np.array(whole.colours)
    parents = [
        here.view(title, board, paint="origin", colours=[GIVEN if d else mine for d in givens])
        for title, board, mine in zip(("Parent A", "Parent B"), pair, (FIRST, SECOND), strict=True)
    ]
    steps = [Step("Two boards by chance are the parents.", parents)]
    shown = np.zeros(len(child), bool)
    geometry, side = here.puzzle.geometry, here.puzzle.side
    for block in range(KINDS[plan.by] * side, (KINDS[plan.by] + 1) * side):
        unit = geometry.units[block]
        shown[unit] = True
        digits = np.where(shown, child, givens).tolist()
        colours = np.where(shown, who, np.where(givens > 0, GIVEN, NEITHER)).tolist()
        view = BoardView("Child", digits, "origin", colours, [], unit.tolist(), "being made")
        steps.append(Step(_given(geometry.unit_name(block), who[unit]), [*parents, view]))
    costs = [here.cost(board) for board in (*pair, child)]
    many = part(pair, np.repeat(mates, MANY, axis=0), problem, here.rng)[:MANY]
    text = f"The parents cost {costs[0]} and {costs[1]}, the child {costs[2]}. "
    text += compared(problem.costs(many), "children", *costs[:2])
    steps.append(Step(text, [*parents, whole]))
    return here.scene(plan, steps)


def _given(unit: str, who: Any) -> str:
    """Who gave the blanks of a unit."""
    words = {
        FIRST: "from A",
        SECOND: "from B",
        BOTH: "alike in both",
        NEITHER: "from neither, to keep rows whole",
    }
    counts = [(int((who == kind).sum()), said) for kind, said in words.items()]
    told = ", ".join(f"{count} {said}" for count, said in counts if count)
    return f"{unit.capitalize()}: {told or 'all given'}."


def mutate(plan: ScenePlan, *key: int | str, to_the_end: bool = True) -> Scene:
    """Five mutations in a row, then what many are worth: early and, if asked for, late in a run."""
    here = Setting.of(plan, *key, plan.name)
    part = build_part("mutation", plan.recipe["mutation"])
    now = here.boards(1)
    steps = [Step(f"A board that costs {here.cost(now[0])}.", [here.view("Before", now[0])])]
    for _ in range(5):
        after = part(now, 1.0, here.problem, here.rng)
        cells = changed(now[0], after[0])
        change = here.cost(after[0]) - here.cost(now[0])
        word = (
            f"{abs(change)} {'worse' if change > 0 else 'better'}"
            if change
            else "as good as before"
        )
        places = ", ".join(map(here.puzzle.geometry.cell_name, cells))
        text = f"{plural(len(cells), 'cell')} changed ({places}): {word}."
        if not cells:
            text = "Nothing changed: the new order was the old one."
        pair = ("Before", now[0]), ("After", after[0])
        steps.append(Step(text, [here.view(*each, marked=cells) for each in pair]))
        now = after
    steps.append(_chances(here, part, now, "a random board"))
    rng = stream(*key, "run")
    states = follow(_by_mutation(plan), here.problem, rng, 300) if to_the_end else []
    if len(states) > 1:  # the best board just before the run was solved, or given up
        near = best_of(states[-2])[None]
        steps.append(_chances(here, part, near, "a board that is nearly solved"))
    return here.scene(plan, steps)


def _chances(here: Setting, part: Any, board: Any, what: str) -> Step:
    """What many mutations of one board are worth."""
    cost = here.cost(board[0])
    many = part(np.repeat(board, MANY, axis=0), 1.0, here.problem, here.rng)
    text = f"This is {what}, cost {cost}. "
    text += compared(here.problem.costs(many), "mutations", cost)
    return Step(text, [here.view(what.capitalize(), board[0])])


def _by_mutation(plan: ScenePlan) -> Any:
    """A genetic algorithm with the mutation of a scene."""
    by = {"permuted-boxes": "box", "permuted-rows": "row"}.get(plan.encoding, "cell")
    crossed = {"use": "uniform", "by": by, "children": 1, "rate": 0.9}
    own = {"encoding": plan.encoding, "population": 200, "crossover": crossed}
    return build(SMALL_GA | own | plan.recipe)


def replacement(plan: ScenePlan, seed: int) -> Scene:
    """Old boards and their children, who of them lives on, and where that leads."""
    here = Setting.of(plan, seed, "lesson", "replacement")
    algorithm = build(SMALL_GA | plan.recipe)
    rng = stream(seed, "lesson", "replacement", "run")
    states = follow(algorithm, here.problem, rng, GENERATIONS)
    old = states[0].costs
    made = Generation.of(algorithm, states[0], here.problem, here.rng)
    plain = [cost_bars("The old", old), cost_bars("Their children", made.costs)]
    kept = made.bars(old)
    after = np.concatenate((old, made.costs))[made.survivors]
    course = [int(state.costs.min()) for state in states]
    lost = sum(later > earlier for earlier, later in pairwise(course))
    end = "solved" if course[-1] == 0 else f"at cost {course[-1]}"
    text = f"After {plural(len(course) - 1, 'generation')} it is {end}. "
    text += f"The best got lost {lost} times." if lost else "The best never got lost."
    steps = [
        Step(f"{len(old)} boards, the best costs {old.min()}.", bars=plain[:1]),
        Step(f"Their {len(old)} children: the best costs {made.costs.min()}.", bars=plain),
        Step(_survivors(*(each.chosen for each in kept)), bars=kept),
        Step(
            f"The next generation: the best costs {after.min()}, the mean is {after.mean():.1f}.",
            bars=[cost_bars("The next generation", after)],
        ),
        Step(text, at=len(course)),
    ]
    curve = Curve("Best cost", "generation", [float(each) for each in course], lowest=0)
    return here.scene(plan, steps, [curve])


def _survivors(old: list[int], young: list[int]) -> str:
    """Who lives on, in a sentence."""
    children = "1 child" if len(young) == 1 else f"{len(young)} children"
    if not old:
        return f"Of the old none lives on, only {children}."
    return f"{listed(map(name_of, old))} of the old and {children} live on."


def generation(plan: ScenePlan, seed: int) -> Scene:
    """Two generations of six boards, operator by operator, with the engine's own stream."""
    here = Setting.of(plan, seed, "lesson", "generation")
    algorithm = build(plan.recipe)
    before, then, last = follow(algorithm, here.problem, here.rng, 2)
    steps = []
    for state, after in ((before, then), (then, last)):
        made = Generation.of(algorithm, state, here.problem, state.rng.copy())
        steps += _slowly(here, state, made)
        elite = [name_of(place) for place in made.survivors if place < len(state.costs)]
        kept = (
            f"{elite[0]} of the old was kept, as the elite." if elite else "No old board was kept."
        )
        text = (
            f"Generation {after.step}: the best costs {after.costs.min()}, the mean is "
            f"{after.costs.mean():.1f}. {kept}"
        )
        steps.append(
            Step(text, [here.map(name_of(i), each) for i, each in enumerate(after.boards)])
        )
    return here.scene(plan, steps)


def _slowly(here: Setting, state: State, made: Generation) -> list[Step]:
    """A generation, stopped after every operator."""
    count, pairs = len(state.costs), made.mates.tolist()
    old = [here.map(name_of(i), board) for i, board in enumerate(state.boards)]
    counts = np.bincount(made.mates.ravel(), minlength=count).tolist()
    crossed = [
        here.child(f"{name_of(one)} × {name_of(two)}", each, state.boards[one], state.boards[two])
        for each, (one, two) in zip(made.crossed, pairs, strict=True)
    ]
    cells = [changed(*each) for each in zip(made.crossed, made.children, strict=True)]
    mutated = [
        here.map(view.title, board, marked=marked)
        for view, board, marked in zip(crossed, made.children, cells, strict=True)
    ]
    drawn = ", ".join(f"{name_of(one)} and {name_of(two)}" for one, two in pairs)
    swapped = f"in {sum(map(bool, cells))} of {count} children"
    return [
        Step(f"Generation {state.step}: the population. The best costs {state.costs.min()}.", old),
        Step(
            f"Selection draws {count} pairs: {drawn}.",
            old,
            [cost_bars("Who was drawn", state.costs, counts=counts)],
        ),
        Step("Crossover makes a child of every pair, box by box.", crossed),
        Step(
            f"Mutation swaps two cells {swapped} (each with chance {state.memory['rate']:g}).",
            mutated,
        ),
        Step("Replacement decides who lives on.", mutated, made.bars(state.costs)),
    ]


def adaptation(plan: ScenePlan, seed: int) -> Scene:
    """The best cost and the rate of report 003's algorithm, under several rules."""
    here = Setting.of(plan, seed, "lesson", "rate")
    recipe = with_value(preset("simon-puzzle").recipe, "adaptation", plan.recipe["adaptation"])
    states = follow(build(recipe), here.problem, stream(seed, "lesson", "rate", "run"), ADAPTED)
    best = [float(state.costs.min()) for state in states]
    rates = [float(state.memory["rate"]) for state in states]
    steps = [
        Step(
            f"Generation {at}: the best costs {best[at]:.0f}, the rate is {rates[at]:.2g}."
            + (" Solved." if states[at].finished else ""),
            [here.map("The best", best_of(states[at]))],
            at=at + 1,
        )
        for at in moments(len(states), 30)
    ]
    curves = [
        Curve("Best cost", "generation", best, lowest=0),
        Curve("Mutation rate", "generation", rates, lowest=0, highest=1),
    ]
    return here.scene(plan, steps, curves)


def annealing(plan: ScenePlan, seed: int) -> Scene:
    """The first moves one by one, then the course of the cost, at three temperatures."""
    here = Setting.of(plan, seed, "lesson", "cooling")
    rng = stream(seed, "lesson", "annealing", "run")
    states = follow(build(plan.recipe), here.problem, rng, MOVES)
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
            view = here.map(f"Move {at:,}", states[at].boards[0])
            steps.append(Step(text, [view], at=-(-at // THINNED) + 1))
    course = [float(cost) for cost in (*costs[:-1:THINNED], costs[-1])]
    curve = Curve("Cost", "move", course, lowest=0, highest=max(course), every=THINNED)
    return here.scene(plan, steps, [curve])


def _move(here: Setting, before: State, after: State) -> Step:
    cells = changed(before.boards[0], after.boards[0])
    change = int(after.costs[0]) - int(before.costs[0])
    said = "a swap was tried and refused"
    if cells:
        names = " and ".join(map(here.puzzle.geometry.cell_name, cells))
        better = f"{-change} better" if change < 0 else f"{change} worse, taken all the same"
        said = f"{names} swapped, {better if change else 'no worse'}"
    view = here.view(f"Move {after.step}", after.boards[0], marked=cells)
    return Step(f"Move {after.step}: {said}. Cost {after.costs[0]}.", [view], at=1)


def _alike(plan: ScenePlan, seed: int) -> Scene:
    """A population that has become alike."""
    here = Setting.of(plan, seed, "lesson", "stuck")
    states = follow(build(plan.recipe), here.problem, here.rng, 200)
    best = [float(state.costs.min()) for state in states]
    steps = []
    for at in moments(len(states), 24):
        board = best_of(states[at])
        twins = int((states[at].boards == board).all(axis=1).sum())
        same = f"{twins} of {len(states[at].costs)} boards are the best one"
        if twins == 1:
            same = "all others differ from the best one"
        text = f"Generation {at}: the best costs {best[at]:.0f}, and {same}."
        wrong = clashing(board, here.puzzle)
        steps.append(Step(text, [here.view("The best", board, clashes=wrong)], at=at + 1))
    varied = [diversity(state.boards, here.problem) for state in states]
    curves = [
        Curve("Best cost", "generation", best, lowest=0),
        Curve("Diversity", "generation", varied, lowest=0),
    ]
    return here.scene(plan, steps, curves)


def _built(plan: ScenePlan, seed: int) -> Scene:
    """The champion on a harder puzzle."""
    algorithm = build(plan.recipe)
    puzzle = bundled()[plan.puzzle].puzzle
    problem = Problem.of(puzzle, algorithm.encoding, algorithm.fitness)
    here = Setting(problem, stream(seed, "lesson", "champion"))
    states = follow(algorithm, problem, here.rng, TRIES - 1)
    left = plural(int((states[0].boards[0] == 0).sum()), "cell")
    text = f"AI Escargot. What follows from its givens by logic leaves {left} open."
    view = BoardView("The puzzle", puzzle.board.tolist(), note=f"{left} open")
    steps = [Step(text, [view], at=1)]
    for before, after in pairwise(states):
        if len(steps) < SHOWN or after.finished:
            steps.append(_rebuilt(before, after))
    curve = Curve("Open cells", "try", [float(state.costs.min()) for state in states], lowest=0)
    return here.scene(plan, steps, [curve])


def _rebuilt(before: State, state: State) -> Step:
    """The board after a try to build it anew."""
    board: Board = state.boards[0]
    marks = np.flatnonzero(state.arrays["marks"][0]).tolist()
    note = f"{plural(int((board == 0).sum()), 'cell')} open"
    said = f"{plural(len(marks), 'decision')}, then a dead end with {note}"
    if state.finished:
        said = "solved: all else follows by logic"
    elif np.array_equal(before.boards, state.boards):
        said = "what was built anew was no better, so it is forgotten"
    view = BoardView(f"Try {state.step}", board.tolist(), marked=marks, note=note)
    return Step(f"Try {state.step}: {said}.", [view], at=state.step + 1)


Maker = Callable[..., list[Scene]]


def _each(make: Callable[[ScenePlan, int], Scene]) -> Maker:
    return lambda seed, *plans: [make(plan, seed) for plan in plans]


MAKERS: dict[str, Maker] = {
    "board": _each(board),
    "encoding": encoding,
    "cost": lambda seed, counted, mapped: [_counted(counted, seed), _mapped(mapped, seed)],
    "population": _each(population),
    "selection": _each(lambda plan, seed: select(plan, seed, "lesson", "selection")),
    "crossover": _each(lambda plan, seed: cross(plan, seed, "lesson", "crossover", plan.name)),
    "mutation": _each(lambda plan, seed: mutate(plan, seed, "lesson", "mutation")),
    "replacement": _each(replacement),
    "generation": _each(generation),
    "adaptation": _each(adaptation),
    "annealing": _each(annealing),
    "stuck": lambda seed, alike, champion: [_alike(alike, seed), _built(champion, seed)],
}
"""What makes the scenes of a chapter from a seed and their plans."""
