"""What came of a run: the best board with an independent verdict, its way there, a summary."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from genoku import __version__, display
from genoku.board import Board, Puzzle
from genoku.engine.history import History, course
from genoku.errors import RecipeError
from genoku.fitness import MAP_COLOURS, OpenCells, map_colours
from genoku.problem import Problem, called
from genoku.recipe import as_toml, describe
from genoku.state import Algorithm, State, declared
from genoku.stopping import CLOCKS, WORDS, Counters, LimitReached, Stop, StopReason, Until
from genoku.words import compact, duration, limits, plural

if TYPE_CHECKING:
    from genoku.engine.run import Run, View

CHUNK = 100_000  # rows written at a time


class Ancestor(NamedTuple):
    """The best board, or somebody it descends from."""

    id: int
    born: int
    """The step."""
    cost: int | None
    """At birth; None if it did not live to the end of that step."""
    parents: tuple[int, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Result:
    """A finished run. `solved` is the puzzle's own verdict on the board, never the search's."""

    problem: Problem
    algorithm: Algorithm
    seed: int
    until: str
    board: Board
    """The best board ever."""
    cost: int
    solved: bool
    stop_reason: StopReason
    final_board: Board
    """The best of the last population (what report 000 returns)."""
    final_cost: int
    steps: int
    evaluations: int
    moves: int
    seconds: float
    cpu_seconds: float
    history: History
    state: State
    best_id: int
    people: NDArray[np.int64]
    family: NDArray[np.int64]

    @property
    def puzzle(self) -> Puzzle:
        return self.problem.puzzle

    @property
    def score(self) -> float:
        """The best on the report's own scale."""
        return self._score(self.cost)

    @property
    def final_score(self) -> float:
        return self._score(self.final_cost)

    @property
    def loss(self) -> float:
        """The best from 0 (solved) to 1 (report 002's normalized loss)."""
        return self._on(self.problem.fitness.loss, self.cost)

    @property
    def ceiling(self) -> float | None:
        """What no board can score better than where givens clash; None where none do."""
        floor = self.problem.fitness.floor(self.puzzle)
        return self._score(floor) if floor else None

    @property
    def decided(self) -> int | None:
        """How many blanks singles alone decided; None where they are left to the search."""
        encoding = self.algorithm.encoding
        if encoding.keeps != "rules" and getattr(encoding, "fixed", "givens") != "singles":
            return None
        return self.puzzle.digits.count(0) - len(self.problem.space.genes)

    @property
    def recipe(self) -> dict[str, Any]:
        """The algorithm as data."""
        return describe(self.algorithm)

    @property
    def individuals_every(self) -> int:
        """How many steps lie between those whose individuals were kept."""
        steps = np.unique(self.people[:, 0])
        return int(steps[1] - steps[0]) if len(steps) > 1 else 1

    @property
    def lineage_from(self) -> int:
        """The step from which on all ancestors of the best board are known."""
        known = {ancestor.id: ancestor for ancestor in self.lineage()}
        orphans = (each for each in known.values() if not known.keys() >= set(each.parents))
        return max((each.born for each in orphans), default=0)

    def lineage(self) -> list[Ancestor]:
        """The best board and all its ancestors, the oldest first (with `Record(lineage=True)`).

        Of those born before `lineage_from` some are not known any more.
        """
        order = np.argsort(self.family[:, 0], kind="stable")
        names = self.family[order, 0]
        found: dict[int, Ancestor] = {}
        open_ids = [self.best_id] if len(names) else []
        while open_ids:
            name = open_ids.pop()
            place = int(np.searchsorted(names, name))
            if name in found or place == len(names) or names[place] != name:
                continue
            _, born, cost, *parents = self.family[order[place]].tolist()
            family = tuple(parent for parent in dict.fromkeys(parents) if parent >= 0)
            found[name] = Ancestor(name, born, cost if cost >= 0 else None, family)
            open_ids.extend(family)
        return sorted(found.values(), key=lambda ancestor: (ancestor.born, ancestor.id))

    def write_individuals(self, path: str | Path) -> None:
        """Report 003's log `Generation,ID,Fitness` (with `Record(individuals=True)`).

        It has one generation in `individuals_every`.
        """
        from genoku.formats.entries import replacing

        costs = np.unique(self.people[:, 2])
        told = self.problem.scores(costs.astype(np.int32)).tolist()
        scores = dict(zip(costs.tolist(), (f"{score:.10g}" for score in told), strict=True))
        with replacing(path) as file:
            file.write("Generation,ID,Fitness\n")
            for start in range(0, len(self.people), CHUNK):  # Python's numbers take much room
                rows = self.people[start : start + CHUNK].tolist()
                file.writelines(f"{step},{name},{scores[cost]}\n" for step, name, cost in rows)

    def record(self) -> dict[str, Any]:
        """The run as one JSON object."""
        solution = Puzzle(self.puzzle.geometry, self.board.tobytes())
        record: dict[str, Any] = {
            "puzzle": str(self.puzzle),
            "solution": str(solution) if self.solved else None,
            "solved": self.solved,
            "seed": self.seed,
            "steps": self.steps,
            "evaluations": self.evaluations,
            "moves": self.moves,
            "seconds": round(self.seconds, 6),
            "cpu_seconds": round(self.cpu_seconds, 6),
            "stop_reason": str(self.stop_reason),
            "best": str(solution),
            "cost": self.cost,
            "score": self.score,
            "loss": self.loss,
            "final_cost": self.final_cost,
            "final_score": self.final_score,
            "until": self.until,
            "recipe": self.recipe,
            "versions": {"genoku": __version__, "python": platform.python_version()},
        }
        if self.ceiling is not None:
            record["ceiling"] = self.ceiling
        return record

    def __repr__(self) -> str:
        ended = "solved" if self.solved else f"cost {self.cost} by {self.stop_reason}"
        steps = plural(self.steps, declared(self.algorithm).step_name)
        return f"<Result: {_named(self.algorithm)}, seed {self.seed}: {ended} after {steps}>"

    def _repr_html_(self) -> str:
        told, *more = summary(self, _named(self.algorithm))
        better = "higher" if self.problem.fitness.maximise else "lower"
        scale = f"{scale_text(self.problem)} ({better} is better)"
        return display.shown(
            display.headline(told, " ".join(more)),
            display.beside(
                _mapped(self.puzzle, self.board),
                course(self.history, scale, self.problem.scores) + display.facts(self._facts()),
            ),
            display.folded("Recipe", display.code(self._recipe_text())),
        )

    def _facts(self) -> dict[str, object]:
        """What a run is known by, in words."""
        return {
            "seed": self.seed,
            f"{declared(self.algorithm).step_name}s": f"{self.steps:,}",
            "evaluations": f"{self.evaluations:,}" if self.evaluations else None,
            "moves": f"{self.moves:,}" if self.moves else None,
            "time": duration(self.seconds),
            "CPU time": duration(self.cpu_seconds),
            "best score": f"{self.score:.6g}",
            "loss": f"{self.loss:.4g}",
            "until": self.until or "solved",
        }

    def _recipe_text(self) -> str:
        try:
            return as_toml(self.recipe)
        except RecipeError as error:  # of parts of the user's own that have no name
            return f"{self.algorithm!r}\n({error})"

    def _score(self, cost: int) -> float:
        return self._on(self.problem.fitness.score, cost)

    def _on(self, scale: Any, cost: int) -> float:
        return float(scale(np.array([cost], np.int32), self.puzzle.geometry)[0])


def _named(algorithm: Algorithm) -> str:
    """An algorithm in a sentence: what it wraps belongs to its name."""
    inner = declared(algorithm).inner
    return called(algorithm) if inner is None else f"{called(algorithm)} of {_named(inner)}"


BUDGETS = ("generations", "steps", "evaluations", "moves", *CLOCKS)
PACE_AFTER = 1.0  # seconds of steps before anybody says how long the others will take


def _mapped(puzzle: Puzzle, board: Board) -> str:
    """A board in the colours of the map, with its key, as a notebook shows it."""
    colours = map_colours(board, puzzle.geometry)
    key = display.legend("complete units of a cell:", dict(zip("0123", MAP_COLOURS, strict=True)))
    return puzzle.picture(board, style="svg", colours=colours) + key


def counts_open_cells(problem: Problem) -> bool:
    """Whether boards are open in places, so that a cost is a number of cells."""
    return isinstance(problem.fitness, OpenCells)


def score_text(problem: Problem, cost: float) -> str:
    """A cost in words: on the scale of its fitness, or as open cells."""
    if counts_open_cells(problem):
        return "1 cell open" if cost == 1 else f"{cost:.5g} cells open"
    score = problem.fitness.score(np.array([cost]), problem.puzzle.geometry)
    return f"score {float(score[0]):.5g}"


def scale_text(problem: Problem) -> str:
    """What scores count."""
    name = called(problem.fitness)
    return name.replace("-", " ") if counts_open_cells(problem) else f"score: {name}"


def share_done(until: Until, counters: Counters) -> float | None:
    """How much of the budget is spent, by the limit that comes first; None where there is none."""
    bounds = {word: until.bound(word) for word in BUDGETS}
    shares = [getattr(counters, WORDS[word]) / bound for word, bound in bounds.items() if bound]
    return min(1.0, max(shares)) if shares else None


class Clock:
    """Says how much time is left, once steps have shown their pace.

    The first step does not count: it may have had to wait for a compiler.
    """

    def __init__(self, until: Until) -> None:
        self.until = until
        self.since: Counters | None = None

    def look(self, counters: Counters) -> None:
        """Take the time of the first step; for every step, and cheap."""
        if self.since is None and counters.steps:
            self.since = counters

    def left(self, counters: Counters) -> str:
        """The time until the limit that comes first, in words; nothing while that is open."""
        seconds = self.seconds_left(counters)
        return f"{duration(seconds)} left" if seconds else ""

    def seconds_left(self, counters: Counters) -> float | None:
        """The same as a number; None while it is open."""
        since, bounds = self.since, {word: self.until.bound(word) for word in BUDGETS}
        times = []
        for word, bound in bounds.items():
            if bound is None:
                continue
            left = bound - getattr(counters, WORDS[word])
            if word in CLOCKS:
                times.append(left)
                continue
            if since is None or counters.seconds - since.seconds < PACE_AFTER:
                return None
            done = getattr(counters, WORDS[word]) - getattr(since, WORDS[word])
            if done:
                times.append(left * (counters.seconds - since.seconds) / done)
        shortest = min(times, default=0.0)
        return shortest if shortest > 0 else None


def work(counters: Counters) -> tuple[int, str]:
    """What a run is measured by: boards evaluated, or moves where boards change in place."""
    if counters.moves > counters.evaluations:
        return counters.moves, "moves"
    return counters.evaluations, "evaluations"


def work_done(counters: Counters) -> str:
    """The same in words, as short as large numbers are said."""
    done, unit = work(counters)
    return f"{compact(done)} {unit.removesuffix('s') if done == 1 else unit}"


def shown_board(run: View | Run) -> Board:
    """The best board ever; of boards with open cells the best one now, which fills and empties."""
    if counts_open_cells(run.problem) and run.best_cost:
        now: Board = run.state.boards[int(run.state.costs.argmin())]
        return now
    return run.best_board


def aside(name: str) -> str:
    """A name within a sentence: "charles, changed," where it is not as it comes."""
    return f"{name}," if name.endswith(", changed") else name


def summary(
    result: Result, name: str, among: str = "", *, has_solution: bool | None = None
) -> list[str]:
    """What came of a run, in a few honest lines.

    `among` says which seeds there were, if several; `has_solution` what is known of the puzzle.
    """
    if result.stop_reason == "no solution":
        proof = f"{aside(name)} proved it in {duration(result.seconds)}"
        return [f"This puzzle has no solution: {result.problem.space.refuted or proof}."]
    counters = Counters(evaluations=result.evaluations, moves=result.moves)
    effort = f"{plural(result.steps, declared(result.algorithm).step_name)}, {work_done(counters)}"
    several = among.startswith("seeds")
    if not several:  # the time of several runs says nothing about one
        effort += f" ({compact(work(counters)[0] / max(result.seconds, 1e-9))}/s)"
    if result.solved:
        lines = _solved(result, name, effort)
    else:
        lines = _unsolved(result, name, effort, has_solution)
    if several and result.steps:
        came = "took the fewest steps" if result.solved else "came furthest"
        lines.append(f"Of {among}, seed {result.seed} {came}.")
    return lines


def ended_by_a_limit(result: Result) -> bool:
    """Whether a run would have gone on with a larger budget."""
    reason = result.stop_reason
    return not result.solved and (isinstance(reason, LimitReached) or reason is Stop.TIME_LIMIT)


def _solved(result: Result, name: str, effort: str) -> list[str]:
    said = f"Solved by {aside(name)} in {duration(result.seconds)}."
    decided, blanks = result.decided, result.puzzle.digits.count(0)
    if decided is not None and blanks == decided > 0:
        every = "the only blank" if blanks == 1 else f"all {blanks:,} blanks"
        return [said, f"Singles alone decided {every}: no search was needed."]
    if not blanks:
        return [said, "It was complete from the start."]
    lines = [said, f"{effort}." if result.steps else "No step was needed."]
    if decided is not None:
        of_all = f"Singles alone decided {decided or 'none'} of the {plural(blanks, 'blank')}"
        others = "; stronger rules all others" if not result.steps else ""
        lines.append(f"{of_all}{others}.")
    return lines


def _unsolved(result: Result, name: str, effort: str, has_solution: bool | None) -> list[str]:
    problem, reason = result.problem, result.stop_reason
    fitness = problem.fitness
    why = "This puzzle has no solution" if has_solution is False else "No solution found"
    if not ended_by_a_limit(result):
        why = f"{aside(name)} gave up" if reason == "failed" else reason.capitalize()
    better = "higher" if fitness.maximise else "lower"
    best = f"best {score_text(problem, result.cost)} ({better} is better), loss {result.loss:.4g}"
    if counts_open_cells(problem):
        best = f"{score_text(problem, result.cost)} at best"
    ended = f"; ended by {limits(reason)}." if ended_by_a_limit(result) else "."
    lines = [f"{why}: {best}, by {name}.", f"{effort} in {duration(result.seconds)}{ended}"]
    if result.ceiling is not None:
        bound = "above" if fitness.maximise else "below"
        clashes = len(result.puzzle.conflicts())
        stand = "value stands" if clashes == 1 else "values stand"
        lines.append(
            f"No board can score {bound} {result.ceiling:.5g}: "
            f"{clashes} {stand} twice among the givens."
        )
    return lines
