"""Your own encodings: reason as a person would, then leave the rest to evolution.

    python examples/own_encoding.py

The first allows in every blank the candidates that are left after some rounds of reasoning. The
second fixes the cells that these rounds decide, and keeps boxes complete.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from genoku import Puzzle, bundled, describe, preset, run
from genoku.errors import ImpossibleError
from genoku.evolve import (
    Encoding,
    Genetic,
    Kept,
    PermutedBoxes,
    Points,
    Reset,
    SearchSpace,
    as_toml,
    space_of,
)
from genoku.techniques import solve_path
from genoku.testing import check_operator


def apply_techniques(puzzle: Puzzle, rounds: int) -> tuple[Puzzle, list[set[int]], str]:
    """Return the puzzle after some rounds, its candidates, and why it has no solution, if so."""
    digits, left = bytearray(puzzle.digits), puzzle.candidates()
    try:
        path = solve_path(puzzle)
    except ImpossibleError as error:
        return puzzle, left, str(error)
    for steps in path.rounds[:rounds]:
        for step in steps:
            for cell, digit in step.placements:
                digits[cell] = digit
            for cell, digit in step.eliminations:
                left[cell].discard(digit)
    reached = Puzzle(puzzle.geometry, bytes(digits))
    both = zip(reached.candidates(), left, strict=True)
    return reached, [legal & kept for legal, kept in both], ""


@dataclass(frozen=True)
class ReasonedCells:
    """Every blank holds a candidate that is left after some rounds of reasoning."""

    keeps: ClassVar[Kept] = "none"
    legal: ClassVar[bool] = True
    rounds: int = 3

    def space(self, puzzle: Puzzle) -> SearchSpace:
        reached, left, refuted = apply_techniques(puzzle, self.rounds)
        groups = [([cell], sorted(digits)) for cell, digits in enumerate(left) if digits]
        return space_of(reached, self.keeps, groups, refuted)


@dataclass(frozen=True)
class ReasonedBoxes:
    """Cells decided by reasoning are fixed; the other digits of a box are in any order."""

    keeps: ClassVar[Kept] = "box"
    legal: ClassVar[bool] = False
    rounds: int = 3

    def space(self, puzzle: Puzzle) -> SearchSpace:
        reached, _, refuted = apply_techniques(puzzle, self.rounds)
        return replace(PermutedBoxes().space(reached), refuted=refuted)


def main() -> None:
    puzzle = bundled()["charles-hard"].puzzle
    genetic: Any = preset("sundy").build()
    encodings: list[Encoding] = [ReasonedCells(), ReasonedBoxes()]
    for encoding in encodings:
        check_operator(encoding)  # raises AssertionError if it breaks the contract
        print(as_toml(describe(encoding)))

    mine = Genetic(ReasonedCells(), crossover=Points(by="gene"), mutation=Reset())
    result = run(puzzle, mine, seed=1, until="generations=100")
    print(f"cell by cell: {result.errors} errors left after {result.steps} generations\n")

    for rounds in (0, 10, 20):
        encoding = ReasonedBoxes(rounds)
        runs = [
            run(puzzle, replace(genetic, encoding=encoding), seed=seed, until="generations=60")
            for seed in range(5)
        ]
        blanks = len(encoding.space(puzzle).genes)
        solved = sum(result.solved for result in runs)
        print(f"{rounds:2} rounds leave {blanks} blanks: {solved} of {len(runs)} runs solved")


if __name__ == "__main__":
    main()
