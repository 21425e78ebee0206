"""The result of a run: its best board, an independent verdict, history and summary."""

from __future__ import annotations

import math
import platform
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from genoku import __version__
from genoku.engine.history import History, cost_chart, errors_chart
from genoku.engine.scale import FitnessScale, counts_open_cells, fitness_scale
from genoku.errors import RecipeError
from genoku.evolve.encoding import Fixing
from genoku.evolve.fitness import MAP_COLOURS, Repetitions, errors_left, map_colours
from genoku.evolve.problem import Problem, display_name
from genoku.evolve.recipe import as_toml, describe
from genoku.evolve.state import Algorithm, State, as_search
from genoku.evolve.stopping import (
    CLOCKS,
    WORDS,
    Counters,
    LimitReached,
    Stop,
    StopReason,
    Until,
    time_left,
)
from genoku.puzzle.board import Board, Puzzle
from genoku.runtime import notebook
from genoku.runtime.text import format_compact, format_count, format_duration, format_limits

if TYPE_CHECKING:
    from genoku.engine.run import Run, View

CHUNK = 100_000  # rows written at a time


class Ancestor(NamedTuple):
    """The best board, or one of its ancestors."""

    id: int
    born: int  #: Step of birth
    cost: int | None  #: Cost at birth; None if it was replaced within that step
    parents: tuple[int, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Result:
    """A finished run.

    `board` is the best board of the whole run, `cost` its cost, and `solved` the puzzle's own
    verdict on it. `final_board` and `final_cost` belong to the best board of the last population,
    which report 000 returns. `seconds` is wall time, `cpu_seconds` CPU time.
    """

    problem: Problem
    algorithm: Algorithm
    seed: int
    until: str
    board: Board
    cost: int
    solved: bool
    stop_reason: StopReason
    final_board: Board
    final_cost: int
    steps: int
    evaluations: int
    moves: int
    seconds: float
    cpu_seconds: float
    history: History
    state: State
    best_id: int
    individuals: NDArray[np.int64]  #: Rows `[step, id, cost]`, with `Record(individuals=True)`
    births: NDArray[np.int64]  #: Rows `[id, step, cost or −1, parents' ids …]`, if recorded

    @property
    def puzzle(self) -> Puzzle:
        return self.problem.puzzle

    @property
    def errors(self) -> int:
        """Errors left: digits missing from the units of the best board; 0 is solved."""
        return errors_left(self.board, self.puzzle.geometry)

    @property
    def score(self) -> float:
        """The lowest cost on the report's own scale."""
        return self._score(self.cost)

    @property
    def final_score(self) -> float:
        """The final cost on the report's own scale."""
        return self._score(self.final_cost)

    @property
    def fitness_scale(self) -> FitnessScale | None:
        """The scale on which the report states its fitness; None for partial boards."""
        return fitness_scale(self.problem)

    @property
    def mean_fitness(self) -> float | None:
        """The mean fitness of the last population, as the report states it.

        None for a search with a single board, and for partial boards.
        """
        scale = self.fitness_scale
        return None if scale is None else scale.mean(self.state.costs)

    @property
    def caption(self) -> str:
        """The caption of the best board, as in report 003: "ID 262301 · Fitness 180".

        It is empty for a search with a single board, and for partial boards.
        """
        scale = self.fitness_scale
        has_population = len(self.state.costs) > 1
        return scale.caption(self.cost, self.best_id) if scale and has_population else ""

    @property
    def loss(self) -> float:
        """The lowest cost scaled from 0 (solved) to 1 (report 002's normalised loss)."""
        return self._convert(self.problem.fitness.loss, self.cost)

    @property
    def ceiling(self) -> float | None:
        """The best score that conflicting givens allow; None without conflicts."""
        floor = self.problem.fitness.floor(self.puzzle)
        return self._score(floor) if floor else None

    @property
    def decided_by_singles(self) -> int | None:
        """The number of blanks filled by singles before the search; None if not attempted."""
        encoding = self.algorithm.encoding
        if not (isinstance(encoding, Fixing) and encoding.fixed == "singles"):
            return None
        return self.puzzle.digits.count(0) - len(self.problem.space.genes)

    @property
    def recipe(self) -> dict[str, Any]:
        """The algorithm as a recipe."""
        return describe(self.algorithm)

    @property
    def individuals_every(self) -> int:
        """The interval, in steps, at which individuals were recorded."""
        steps = np.unique(self.individuals[:, 0])
        return int(steps[1] - steps[0]) if len(steps) > 1 else 1

    @property
    def lineage_from(self) -> int:
        """The step from which on all ancestors of the best board were recorded."""
        known = {ancestor.id: ancestor for ancestor in self.lineage()}
        orphans = (each for each in known.values() if not known.keys() >= set(each.parents))
        return max((each.born for each in orphans), default=0)

    def lineage(self) -> list[Ancestor]:
        """Return the best board and its ancestors, oldest first; requires `Record(lineage=True)`.

        Some of those born before `lineage_from` are missing.
        """
        order = np.argsort(self.births[:, 0], kind="stable")
        names = self.births[order, 0]
        found: dict[int, Ancestor] = {}
        open_ids = [self.best_id] if len(names) else []
        while open_ids:
            name = open_ids.pop()
            place = int(np.searchsorted(names, name))
            if name in found or place == len(names) or names[place] != name:
                continue
            _, born, cost, *parents = self.births[order[place]].tolist()
            known = tuple(parent for parent in dict.fromkeys(parents) if parent >= 0)
            found[name] = Ancestor(name, born, cost if cost >= 0 else None, known)
            open_ids.extend(known)
        return sorted(found.values(), key=lambda ancestor: (ancestor.born, ancestor.id))

    def write_individuals(self, path: str | Path) -> None:
        """Write report 003's log `Generation,ID,Fitness`; requires `Record(individuals=True)`.

        It holds every `individuals_every`-th generation.
        """
        from genoku.puzzle.formats.entries import text_writer

        costs = np.unique(self.individuals[:, 2])
        texts = [f"{score:.10g}" for score in self.problem.scores(costs.astype(np.int32)).tolist()]
        scores = dict(zip(costs.tolist(), texts, strict=True))
        with text_writer(path) as file:
            file.write("Generation,ID,Fitness\n")
            for start in range(0, len(self.individuals), CHUNK):  # Python numbers need much memory
                rows = self.individuals[start : start + CHUNK].tolist()
                file.writelines(f"{step},{name},{scores[cost]}\n" for step, name, cost in rows)

    def record(self) -> dict[str, Any]:
        """Return the run as a JSON object."""
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
            "errors": self.errors,
            "cost": self.cost,
            "score": self.score,
            "loss": self.loss,
            "fitness": None,
            "best_id": self.best_id,
            "final_cost": self.final_cost,
            "final_score": self.final_score,
            "until": self.until,
            "recipe": self.recipe,
            "versions": {"genoku": __version__, "python": platform.python_version()},
        }
        if scale := self.fitness_scale:
            record["fitness"] = scale.facts(self.cost, self.mean_fitness)
        if self.ceiling is not None:
            record["ceiling"] = self.ceiling
        return record

    def __repr__(self) -> str:
        steps = format_count(self.steps, as_search(self.algorithm).step_name)
        end = f"solved after {steps}"
        if not self.solved:
            end = f"{errors_text(self.errors)} after {steps} ({self.stop_reason})"
        return f"<Result: {_full_name(self.algorithm)}, seed {self.seed}: {end}>"

    def _repr_html_(self) -> str:
        first, *more = summary(self, _full_name(self.algorithm))
        colours = map_colours(self.board, self.puzzle.geometry)  # report 003's fitness map
        shades = dict(zip("0123", MAP_COLOURS, strict=True))
        key = notebook.legend("complete units of a cell:", shades)
        is_own = has_own_score(self.problem)
        charts = errors_chart(self.history, costs_are_errors=not is_own)
        if is_own or not charts:
            charts = cost_chart(self.history, score_label(self.problem), self.problem) + charts
        return notebook.block(
            notebook.headline(first, " ".join(more)),
            notebook.flex_row(
                self.puzzle.picture(self.board, style="svg", colours=colours, caption=self.caption)
                + key,
                charts + notebook.fact_table(self._facts()),
            ),
            notebook.details("Recipe", notebook.code(self._recipe_text())),
        )

    def _facts(self) -> dict[str, object]:
        """The table of facts below the charts."""
        scale, mean = self.fitness_scale, self.mean_fitness
        return {
            "fitness": scale.of_goal(self.score) if scale else None,
            "mean fitness": scale.mean_number(mean) if scale and mean is not None else None,
            "errors left": self.errors,
            "seed": self.seed,
            f"{as_search(self.algorithm).step_name}s": f"{self.steps:,}",
            "evaluations": f"{self.evaluations:,}" if self.evaluations else None,
            "moves": f"{self.moves:,}" if self.moves else None,
            "time": format_duration(self.seconds),
            "CPU time": format_duration(self.cpu_seconds),
            "until": self.until or "solved",
        }

    def _recipe_text(self) -> str:
        try:
            return as_toml(self.recipe)
        except RecipeError as error:  # users' own parts without a name
            return f"{self.algorithm!r}\n({error})"

    def _score(self, cost: int) -> float:
        return self._convert(self.problem.fitness.score, cost)

    def _convert(self, scale: Any, cost: int) -> float:
        return float(scale(np.array([cost], np.int32), self.puzzle.geometry)[0])


def _full_name(algorithm: Algorithm) -> str:
    """Name an algorithm together with the one it wraps: "restarts of genetic"."""
    inner = as_search(algorithm).inner
    name = display_name(algorithm)
    return name if inner is None else f"{name} of {_full_name(inner)}"


BUDGETS = ("generations", "steps", "evaluations", "moves", *CLOCKS)
PACE_AFTER = 1.0  # seconds of steps before the time left is estimated


def errors_text(errors: int) -> str:
    """Format the errors left on the best board: "12 errors left"."""
    return f"{format_count(errors, 'error')} left"


def has_own_score(problem: Problem) -> bool:
    """Whether costs are on another scale than errors left."""
    return problem.fitness != Repetitions()


def own_score_text(problem: Problem, cost: int) -> str:
    """State a cost as its report does: "fitness 180 of 243"; of partial boards, "12 cells open".

    Empty where it would be the errors left.
    """
    scale = fitness_scale(problem)
    if scale is None:
        return f"{format_count(cost, 'cell')} open"
    return scale.statement(cost, subject="fitness") if has_own_score(problem) else ""


def score_label(problem: Problem) -> str:
    """Label an axis: "fitness (unique-squared), higher is better", or "open cells, …"."""
    scale = fitness_scale(problem)
    return scale.label if scale else "open cells, lower is better"


def share_done(until: Until, counters: Counters) -> float | None:
    """Return the share of the budget used, by the nearest limit; None without a limit."""
    bounds = {word: until.bound(word) for word in BUDGETS}
    shares = [getattr(counters, WORDS[word]) / bound for word, bound in bounds.items() if bound]
    return min(1.0, max(shares)) if shares else None


class TimeLeft:
    """Estimates the time left of a run from its pace after the first step, which may compile."""

    def __init__(self, until: Until) -> None:
        self.until = until
        self.since: Counters | None = None

    def observe(self, counters: Counters) -> None:
        """Remember the first step; call it after every step."""
        if self.since is None and counters.steps:
            self.since = counters

    def text(self, counters: Counters) -> str:
        """Format the time left: "12 s left"; empty while unknown."""
        seconds = self.seconds_left(counters)
        return f"{format_duration(seconds)} left" if seconds else ""

    def seconds_left(self, counters: Counters) -> float | None:
        """Return the seconds until the nearest limit; None while unknown."""
        since = self.since or counters
        seconds = counters.seconds - since.seconds
        times = []
        for word in BUDGETS:
            bound, done = self.until.bound(word), getattr(counters, WORDS[word])
            if bound is None:
                continue
            if word in CLOCKS:
                times.append(bound - done)
            elif seconds < PACE_AFTER:
                return None
            else:
                times.append(time_left(bound - done, done - getattr(since, WORDS[word]), seconds))
        shortest = min(times, default=math.inf)
        return shortest if 0 < shortest < math.inf else None


def effort(counters: Counters) -> tuple[int, str]:
    """Return the work done and its unit: evaluations, or moves if boards change in place."""
    if counters.moves > counters.evaluations:
        return counters.moves, "moves"
    return counters.evaluations, "evaluations"


def effort_text(counters: Counters) -> str:
    """Format the work done: "12.3 k evaluations"."""
    done, unit = effort(counters)
    return f"{format_compact(done)} {unit.removesuffix('s') if done == 1 else unit}"


def board_to_display(run: View | Run) -> Board:
    """Return the best board so far; of partial boards, the best one of the current population."""
    if counts_open_cells(run.problem) and run.best_cost:
        now: Board = run.state.boards[int(run.state.costs.argmin())]
        return now
    return run.best_board


def name_in_sentence(name: str) -> str:
    """Close the apposition of a changed preset within a sentence: "charles, changed,"."""
    return f"{name}," if name.endswith(", changed") else name


def summary(
    result: Result, name: str, among: str = "", *, has_solution: bool | None = None
) -> list[str]:
    """Summarise a run in a few sentences.

    `among` names the seeds of a portfolio; `has_solution` is what is known of the puzzle.
    """
    if result.stop_reason == "no solution":
        proof = f"{name_in_sentence(name)} proved it in {format_duration(result.seconds)}"
        return [f"This puzzle has no solution: {result.problem.space.refuted or proof}."]
    counters = Counters(evaluations=result.evaluations, moves=result.moves)
    step_name = as_search(result.algorithm).step_name
    work = f"{format_count(result.steps, step_name)}, {effort_text(counters)}"
    several = among.startswith("seeds")
    if not several:  # the time is that of all runs
        work += f" ({format_compact(effort(counters)[0] / max(result.seconds, 1e-9))}/s)"
    if result.solved:
        lines = _solved_summary(result, name, work)
    else:
        lines = _unsolved_summary(result, name, work, has_solution)
    if several and result.steps:
        best = "needed the fewest steps" if result.solved else "has the best board"
        lines.append(f"Of {among}, seed {result.seed} {best}.")
    return lines


def has_reached_limit(result: Result) -> bool:
    """Whether a run was not solved within its budget, and would have continued."""
    reason = result.stop_reason
    return not result.solved and (isinstance(reason, LimitReached) or reason is Stop.TIME_LIMIT)


def _solved_summary(result: Result, name: str, work: str) -> list[str]:
    said = f"Solved by {name_in_sentence(name)} in {format_duration(result.seconds)}."
    decided, blanks = result.decided_by_singles, result.puzzle.digits.count(0)
    if decided is not None and blanks == decided > 0:
        every = "the only blank" if blanks == 1 else f"all {blanks:,} blanks"
        return [said, f"Singles alone filled {every}: no search was needed."]
    if not blanks:
        return [said, "It had no blanks."]
    lines = [said, *_fitness_summary(result)]
    lines.append(f"{work}." if result.steps else "No step was needed.")
    if decided is not None:
        of_all = f"Singles alone filled {decided or 'none'} of the {format_count(blanks, 'blank')}"
        others = "; stronger rules filled the others" if not result.steps else ""
        lines.append(f"{of_all}{others}.")
    return lines


def _fitness_summary(result: Result) -> list[str]:
    """State the fitness as its report does; nothing where it would be the errors left alone."""
    scale, mean = result.fitness_scale, result.mean_fitness
    if scale is None or (mean is None and not has_own_score(result.problem)):
        return []
    return [f"{scale.statement(result.cost, mean)}."]


def _unsolved_summary(result: Result, name: str, work: str, has_solution: bool | None) -> list[str]:
    reason = result.stop_reason
    why = "This puzzle has no solution" if has_solution is False else "No solution found"
    if not has_reached_limit(result):
        why = f"{name_in_sentence(name)} gave up" if reason == "failed" else reason.capitalize()
    limit = f"; stopped by {format_limits(reason)}." if has_reached_limit(result) else "."
    lines = [f"{why}: {errors_text(result.errors)}, by {name}.", *_fitness_summary(result)]
    lines.append(f"{work} in {format_duration(result.seconds)}{limit}")
    fewest = Repetitions().floor(result.puzzle)
    if fewest:
        conflicts = format_count(len(result.puzzle.conflicts()), "digit")
        lines.append(
            f"No board has fewer than {format_count(fewest, 'error')}: {conflicts} repeated among "
            "the givens."
        )
    return lines
