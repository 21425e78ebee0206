"""Report 003's runs as studies, and their results as arrays on its own scale."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import comb, factorial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genoku.adaptation import Progress, Stagnation
from genoku.board import Puzzle
from genoku.collection import bundled
from genoku.geometry import Geometry
from genoku.history import Record
from genoku.lab.store import Store
from genoku.lab.study import Arm, Instance, Study, arm
from genoku.preset_library import preset
from genoku.problem import Problem
from reproductions.old.claims import Scale, published

PUBLISHED = published("simon")
RUNS: dict[str, dict[str, Any]] = {each["name"]: each for each in PUBLISHED["runs"]}

SHORT, LONG, ULTRA = 500, 1000, 2000
"""Generations of its runs 1 to 5, of its long run and of its ultra long run."""

PUZZLES = ("charles-very-easy", "charles-basic", "charles-moderate", "charles-hard")

T2, T20, LARGE = "tournament 2", "tournament 20", "population 400"
HIGHER_CAP = "cap compared with 0.90"
START = 0.15
RATES = (START, 0.3, 0.5, 0.7)
"""Constant rates, to tell a rate that rises from one that is higher; the first is its start."""
ONE_BOX, TWO_BOXES = "one box", "two boxes"
FITNESSES = {"complete lines": "complete-units", "missing digits": "missing-digits"}
MUTATIONS = {
    "shuffle of a box": {"use": "shuffle", "unit": "box"},
    "swap in a box": {"use": "swap", "unit": "box"},
}

CODED, DESCRIBED = VERSIONS = ("as coded", "as described")
"""The elite: the best of the old population (code), or of the pool after mutation (text)."""

OPERATORS = "reproductions.old.simon.operators"
"""The module of a mutation that the report did not have, which its recipes may name."""

ARM_OF = {(200, 2): T2, (200, 20): T20, (400, 2): LARGE}
"""By population and tournament, the arm of the 9×9 study that a published run belongs to."""


def _named(name: str, of: str, generations: int, **settings: Any) -> Arm:
    own = frozenset({OPERATORS})
    made = arm(of, until=f"generations={generations}", settings=settings, trust=own)
    return replace(made, name=name, settings={})


def constant(rate: float) -> str:
    """The name of an arm whose rate never changes."""
    return f"constant rate {rate:g}"


def arm_name(name: str, version: str) -> str:
    """The name of an arm in one reading of the elite."""
    return name if version == CODED else f"{name}, {version}"


def _both(name: str, of: str, generations: int, described: int = 0, **settings: Any) -> list[Arm]:
    """An arm by the code, and by the text for as many generations or fewer."""
    return [
        _named(name, of, generations, **settings),
        _named(
            arm_name(name, DESCRIBED), f"{of}-as-described", described or generations, **settings
        ),
    ]


def answer(fitness: str, mutation: str, tournament: int) -> str:
    """The name of an arm that tries what the author asked for."""
    return f"{fitness}, {mutation}, tournament {tournament}"


def empty(side: int) -> Instance:
    geometry = Geometry.of_side(side)
    return Instance(f"empty {side}×{side}", Puzzle(geometry, bytes(geometry.cells)))


def studies(scale: Scale) -> dict[str, Study]:
    """Its runs, much longer than it made them; larger boards; section E; and what it asked for.

    A run does not know when it will be ended: its first 500 generations are one of 500.
    """
    curves = ("gen", "best_ever", "mean", "rate")
    record = Record(fields=(*curves, "diversity"), diversity_every=25)
    return {
        "nine": Study(
            "report 003, 9×9",
            (
                *_both(T2, "simon", ULTRA, SHORT),
                *_both(T20, "simon-t20", ULTRA, SHORT),
                *_both(LARGE, "simon-ultra", ULTRA),
                _named(HIGHER_CAP, "simon", SHORT, **{"adaptation.limit": PUBLISHED["cap"]}),
                *(
                    each
                    for rate in RATES
                    for each in _both(
                        constant(rate),
                        "simon",
                        SHORT,
                        adaptation={"use": "constant", "rate": rate},
                    )
                ),
            ),
            (empty(9),),
            scale.seeds_of(quick=20, full=200),
            "How good a board does the report's system find, and until when does it improve?",
            record,
        ),
        "sixteen": Study(
            "report 003, 16×16",
            (
                *_both(ONE_BOX, "simon-16", SHORT),
                *_both(TWO_BOXES, "simon-16", SHORT, mutation={"use": f"{OPERATORS}:ShuffleBoxes"}),
            ),
            (empty(16),),
            scale.seeds_of(quick=20, full=200),
            "Is it slow on larger boards because a mutation touches one box only?",
            Record(fields=curves),
        ),
        "twenty-five": Study(
            "report 003, 25×25",
            (_named("population 400", "simon-25", scale.choose(300, LONG)),),
            (empty(25),),
            scale.seeds_of(quick=8, full=40),
            "Is it much like the 16×16?",
            Record(fields=curves),
        ),
        "puzzles": Study(
            "report 003, section E",
            (
                _named("200 × 500", "simon-puzzle", SHORT),
                _named("400 × 2000", "simon-puzzle-ultra", ULTRA),
                _named("400 × 2000, tournament 20", "simon-puzzle-t20-ultra", ULTRA),
            ),
            tuple(Instance(name, bundled()[name].puzzle) for name in PUZZLES),
            scale.seeds_of(quick=5, full=30),
            "Could the system solve real puzzles?",
            Record(fields=("gen", "evals", "best_ever"), every=10),
        ),
        "answer": Study(
            "report 003, with another mutation and another fitness",
            tuple(
                _named(
                    answer(fitness, mutation, size),
                    "simon" if size == 2 else "simon-t20",
                    SHORT,
                    fitness=FITNESSES[fitness],
                    mutation=MUTATIONS[mutation],
                )
                for size in (2, 20)
                for fitness in FITNESSES
                for mutation in MUTATIONS
            ),
            (empty(9),),
            scale.seeds_of(quick=10, full=100),
            "Why does it never find an optimal board, and what would?",
            Record(fields=("gen", "best_ever"), every=10),
        ),
    }


@dataclass(frozen=True, eq=False)
class Curves:
    """The runs of an arm, `[seed, generation]`; a run that ended keeps its last values."""

    best: NDArray[np.float64]
    """The best so far, on the report's scale."""
    mean: NDArray[np.float64]
    rate: NDArray[np.float64]
    diversity: NDArray[np.float64]
    """NaN where it was not taken."""

    @classmethod
    def of(cls, store: Store, name: str) -> Curves:
        study = store.study
        place = [each.name for each in study.arms].index(name)
        generations = int(study.arms[place].until.partition("=")[2])
        most = 3 * study.instances[0].puzzle.geometry.cells
        columns: dict[str, list[NDArray[np.float64]]] = {
            field: [] for field in ("best_ever", "mean", "rate", "diversity")
        }
        for _, history in store.histories(arm=place):
            for field, rows in columns.items():
                taken = history.get(field, np.full(history.rows, np.nan)).astype(np.float64)
                rows.append(np.pad(taken, (0, generations + 1 - len(taken)), mode="edge"))
        best, mean, rate, diversity = (np.array(rows) for rows in columns.values())
        return cls(most - best, most - mean, rate, diversity)

    def best_at(self, generation: int) -> NDArray[np.float64]:
        return self.best[:, generation]

    def improvements(self, after: int, until: int) -> NDArray[np.int64]:
        """How often each run found a better board after one generation and up to another."""
        better = np.diff(self.best[:, after : until + 1], axis=1) > 0
        return np.asarray(better.sum(axis=1), np.int64)

    def last_improvement(self, until: int) -> NDArray[np.int64]:
        """The last generation with a better board, up to a generation."""
        better = np.diff(self.best[:, : until + 1], axis=1) > 0
        last: NDArray[np.int64] = until - better[:, ::-1].argmax(axis=1)
        return np.where(better.any(axis=1), last, 0)


def line_chance(side: int) -> float:
    """How likely a row of independently shuffled boxes is complete.

    Each of its n boxes shows n of the side's digits, any as likely as any other; those of all
    boxes together must be a partition of the digits.
    """
    boxes = round(side**0.5)
    partitions = factorial(side) // factorial(boxes) ** boxes
    return float(partitions / comb(side, boxes) ** boxes)


def expected_start(side: int) -> float:
    """The expected fitness of a random board: N² for its boxes, N for every complete line."""
    return side**2 + side * 2 * side * line_chance(side)


def replayed(improved: list[list[int]], generations: int) -> NDArray[np.float64]:
    """The mutation rate of a published run, generation by generation, from its improvements."""
    rule, problem = Stagnation(), _any_problem()
    when = [generation for _, generation in improved if generation > 0]
    memory = None
    rates: list[float] = []
    for step in range(generations + 1):
        best = 1000 - sum(each <= step for each in when)
        memory = rule(memory, Progress(step, best), problem)
        rates.append(memory["rate"])
    return np.array(rates)


def _any_problem() -> Problem:
    """The rule looks at nothing but the best, yet every adaptation is handed its problem."""
    chosen = preset("simon")
    algorithm = chosen.build()
    return Problem.of(chosen.puzzle, algorithm.encoding, algorithm.fitness)
