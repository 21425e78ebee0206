"""What bounds checks cost in operators of one's own: a genetic algorithm with them and without.

    python3 run.py bench bounds [--pairs 15]

Both run in this process, in turn, kernels warm; CPU time of the same 100 generations, medians.
"""

from __future__ import annotations

import argparse
import time
from statistics import median
from typing import Any

from genoku import bundled, run
from genoku.algorithms import Genetic
from genoku.crossover import Points
from genoku.custom import board_fitness, board_mutation
from genoku.encoding import PermutedBoxes
from genoku.stream import below

PUZZLE = bundled()["9x9-hard"].puzzle
GENERATIONS = 100


def exchange(board: Any, blanks: Any, rng: Any) -> None:
    one = below(rng, len(blanks))
    two = (one + 1 + below(rng, len(blanks) - 1)) % len(blanks)
    board[blanks[one]], board[blanks[two]] = board[blanks[two]], board[blanks[one]]


def twice(board: Any, givens: Any, units: Any) -> Any:
    cost = 0
    for unit in units:
        for i in range(len(unit)):
            for j in range(i):
                cost += board[unit[i]] == board[unit[j]]
    return cost


def algorithms(what: str) -> list[Genetic]:
    """With bounds checked, and without."""
    found = []
    for checked in (True, False):
        own: dict[str, Any] = {"mutation": board_mutation(boundscheck=checked)(exchange)}
        if what == "mutation and fitness":
            own["fitness"] = board_fitness(boundscheck=checked)(twice)
        found.append(Genetic(PermutedBoxes(), crossover=Points("box"), population=1000, **own))
    return found


def speed(algorithm: Genetic, seed: int) -> float:
    """Individuals a second of CPU time."""
    began = time.process_time()
    result = run(PUZZLE, algorithm, seed=seed, until=f"generations={GENERATIONS}")
    return result.evaluations / (time.process_time() - began)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--pairs", type=int, default=15)
    pairs = parser.parse_args().pairs
    for what in ("mutation", "mutation and fitness"):
        checked, unchecked = algorithms(what)
        for each in (checked, unchecked):
            speed(each, 0)  # kernels are loaded with it
        rows = [(speed(checked, seed), speed(unchecked, seed)) for seed in range(pairs)]
        ours, others = (median(column) for column in zip(*rows, strict=True))
        ratio = median(one / two for one, two in rows)
        print(f"{what}: {ours:,.0f} individuals/s checked, {others:,.0f} unchecked: {ratio:.2f}")


if __name__ == "__main__":
    main()
