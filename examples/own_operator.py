"""Your own mutations: checked, used in a genetic algorithm, and written as recipes.

    python examples/own_operator.py

The first is plain NumPy and works on the whole population. The second changes one board; it is
compiled, and so as fast as the built-in ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from genoku import bundled, describe, run
from genoku.evolve import (
    Boards,
    Generational,
    Genetic,
    Mutation,
    PermutedBoxes,
    Points,
    Problem,
    Stream,
    as_toml,
    below,
    board_mutation,
    uniforms,
)
from genoku.testing import check_operator


@dataclass(frozen=True)
class Rotate:
    """Move every digit of a random group of blanks by `by` places."""

    by: int = 1

    def __call__(self, boards: Boards, rate: float, problem: Problem, rng: Stream) -> Boards:
        changed, space = boards.copy(), problem.space
        for i in np.flatnonzero(uniforms(rng, len(boards)) < rate):
            if len(space.groups):
                group = below(rng, len(space.groups))
                cells = space.groups[group, : space.sizes[group]]
                changed[i, cells] = np.roll(changed[i, cells], self.by)
        return changed


@board_mutation(encodings=(PermutedBoxes,))
def exchange(board: Any, blanks: Any, rng: Any) -> None:
    """Exchange two blanks of a group."""
    one = below(rng, len(blanks))
    two = (one + 1 + below(rng, len(blanks) - 1)) % len(blanks)
    board[blanks[one]], board[blanks[two]] = board[blanks[two]], board[blanks[one]]


def main() -> None:
    puzzle = bundled()["9x9-easy"].puzzle
    mutations: list[Mutation] = [Rotate(), exchange]
    for mutation in mutations:
        check_operator(mutation)  # raises AssertionError if it breaks the contract
        algorithm = Genetic(
            encoding=PermutedBoxes(),
            population=500,
            crossover=Points(by="box"),
            mutation=mutation,
            replacement=Generational(elites=1),
        )
        result = run(puzzle, algorithm, seed=1, until="generations=200")
        verdict = "solved" if result.solved else f"{result.errors} errors left"
        print(f"{mutation}: {verdict} after {result.steps} generations")
        print(as_toml(describe(mutation)))


if __name__ == "__main__":
    main()
