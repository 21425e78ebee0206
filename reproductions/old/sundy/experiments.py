"""The measurements that report 004 never published, as studies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genoku.collection import bundled
from genoku.engine.history import Record
from genoku.fitness import Repetitions
from genoku.lab.results import Results
from genoku.lab.statistics import Sample
from genoku.lab.store import Store
from genoku.lab.study import Arm, Instance, Study, arm
from reproductions.old.claims import Scale
from reproductions.old.words import in_words

PUZZLES = tuple(
    f"charles-{name}" for name in ("very-easy", "basic", "easy", "moderate", "hard", "very-hard")
)
FEW = PUZZLES[:2] + PUZZLES[3:4]
"""Where its parts are compared: puzzles that it solves now and then."""

OWN, VARIED, STRANGERS = "sundy", "sundy, no twins", "sundy, strangers"
SYSTEMS: dict[str, tuple[str, dict[str, Any]]] = {
    OWN: ("sundy", {}),
    VARIED: ("sundy-varied", {}),
    STRANGERS: ("sundy", {"diversity": {"use": "immigrants", "share": 0.1}}),
}
"""The report's; with random boards in place of twins; and, as a control, with as many random boards
in place of any children, so that copies stay: a tenth of them, as `copies` counts."""

AS_READ = "up to 5, penalty 2"
PARTS: dict[str, dict[str, Any]] = {
    AS_READ: {},
    "up to 4": {"mutation.limit": 4},
    "up to 3": {"mutation.limit": 3},
    "exactly 5": {"mutation.exactly": True},
    "no rule": {"mutation.limit": 36},
    "penalty 0": {"fitness.penalty": 0},
    "penalty 1": {"fitness.penalty": 1},
    "penalty 5": {"fitness.penalty": 5},
    "different boards in a tournament": {"selection.inner.replace": False},
    "keeps none of the old boards": {"replacement.kept": 0},
}
"""The first is the report as we read it: swaps of digits that appear up to 5 times, penalty 2."""

POPULATIONS, POOLS = (100, 500, 2000), (0, 50)
CROSSOVERS, MUTATIONS = (0.5, 0.9), (0.1, 0.5, 0.9)

RIVALS = {
    "poderosas (000)": "poderosas",
    "eran-shahar-ga (001)": "eran-shahar-ga",
    "charles (002)": "charles",
    "simon-puzzle (003)": "simon-puzzle",
    "sundy (004)": "sundy",
}


def studies(scale: Scale) -> dict[str, Study]:
    """Its system on six puzzles, its parts, a grid of its parameters, and the other reports'."""
    until = f"evaluations={scale.choose(100_000, 500_000)}"
    few = Record(fields=("gen",), every=10_000)
    return {
        "puzzles": Study(
            "report 004, six puzzles",
            tuple(_arm(of, name, until, settings) for name, (of, settings) in SYSTEMS.items()),
            instances(PUZZLES),
            scale.seeds_of(quick=10, full=50),
            "What does it solve, and does it converge to copies of one board?",
            Record(fields=("gen", "evals", "best_ever", "diversity"), every=20, diversity_every=20),
        ),
        "parts": Study(
            "report 004, its parts and what it leaves open",
            tuple(_arm("sundy", name, until, settings) for name, settings in PARTS.items()),
            instances(FEW),
            scale.seeds_of(quick=8, full=40),
            "How strict should the rule for swaps be, and what do the other parts bring?",
            few,
        ),
        "grid": Study(
            "report 004, what its user is asked for",
            tuple(grid_arm(*point, until) for point in GRID),
            instances(PUZZLES[1:2]),
            scale.seeds_of(quick=3, full=20),
            "Which population, mating pool and probabilities?",
            few,
        ),
        "rivals": Study(
            "reports 000 to 004 at equal evaluations",
            tuple(_arm(of, name, until) for name, of in RIVALS.items()),
            instances(PUZZLES),
            scale.seeds_of(quick=4, full=20),
            "How does it compare with the other reports' genetic algorithms?",
            few,
        ),
    }


GRID = tuple(product(POPULATIONS, POOLS, CROSSOVERS, MUTATIONS))


def grid_arm(population: int, pool: int, crossover: float, mutation: float, until: str) -> Arm:
    settings = {
        "population": population,
        "selection.size": pool,
        "crossover.rate": crossover,
        "adaptation.rate": mutation,
    }
    return arm("sundy", until=until, settings=settings)


def instances(names: tuple[str, ...]) -> tuple[Instance, ...]:
    return tuple(Instance(name, bundled()[name].puzzle) for name in names)


def _arm(of: str, name: str, until: str, settings: dict[str, Any] | None = None) -> Arm:
    return replace(arm(of, until=until, settings=settings), name=name)


@dataclass(frozen=True, eq=False)
class Measured:
    """The results of every study, by arm and puzzle."""

    puzzles: Mapping[tuple[str, str], Results]
    diversity: Mapping[str, tuple[NDArray[np.int64], NDArray[np.float64]]]
    """Of an arm's runs on `charles-hard`: generations, and `[run, generation]`."""
    parts: Mapping[tuple[str, str], Results]
    grid: tuple[Results, ...]
    """In the order of `GRID`."""
    rivals: Mapping[tuple[str, str], Results]
    conflicts: Mapping[tuple[str, str], Sample]
    """Of the best boards of `rivals`: surplus digits in rows, columns and boxes, one scale."""
    boards: NDArray[np.uint8]
    """The best boards of the first study, with the place of the puzzle of each."""
    board_puzzles: NDArray[np.int64]
    budget: str

    @classmethod
    def of(cls, stores: Mapping[str, Store]) -> Measured:
        grid = stores["grid"].results()
        rows = list(stores["puzzles"].rows())
        return cls(
            by_arm_and_puzzle(stores["puzzles"]),
            {name: _diversity(stores["puzzles"], place) for place, name in enumerate(SYSTEMS)},
            by_arm_and_puzzle(stores["parts"]),
            tuple(grid.of(arm=place) for place in range(len(GRID))),
            by_arm_and_puzzle(stores["rivals"]),
            _conflicts(stores["rivals"]),
            np.array([np.frombuffer(row.board, np.uint8) for row in rows]),
            np.array([row.instance for row in rows]),
            in_words(stores["puzzles"].study.arms[0].until),
        )


def by_arm_and_puzzle(store: Store) -> dict[tuple[str, str], Results]:
    results, study = store.results(), store.study
    return {
        (each.name, puzzle.name): results.of(arm=one, instance=two)
        for one, each in enumerate(study.arms)
        for two, puzzle in enumerate(study.instances)
    }


def _diversity(store: Store, arm_place: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Over generations, as far as all runs went."""
    found = []
    hard = [each.name for each in store.study.instances].index("charles-hard")
    for _, history in store.histories(arm=arm_place, instance=hard):
        known = ~np.isnan(history["diversity"])
        found.append((history["gen"][known], history["diversity"][known]))
    shortest = min(len(generations) for generations, _ in found)
    return found[0][0][:shortest], np.array([values[:shortest] for _, values in found])


def _conflicts(store: Store) -> dict[tuple[str, str], Sample]:
    study = store.study
    counted: dict[tuple[str, str], list[int]] = {}
    for row in store.rows():
        puzzle = study.instances[row.instance]
        board = np.frombuffer(row.board, np.uint8)[None]
        cost = int(Repetitions().costs(board, puzzle.puzzle)[0])
        counted.setdefault((study.arms[row.arm].name, puzzle.name), []).append(cost)
    return {key: np.array(values, np.float64) for key, values in counted.items()}
