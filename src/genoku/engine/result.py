"""What came of a run: the best board with an independent verdict, and how it got there."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from genoku import __version__, display
from genoku.board import Board, Puzzle
from genoku.engine.history import History, course
from genoku.engine.summary import scale_text, summary
from genoku.errors import RecipeError
from genoku.fitting import called
from genoku.looks import mapped
from genoku.problem import Problem
from genoku.recipe import as_toml, describe
from genoku.state import Algorithm, State, declared
from genoku.stopping import StopReason
from genoku.words import duration, plural

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
        from genoku.formats.writing import replacing

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
                mapped(self.puzzle, self.board),
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
