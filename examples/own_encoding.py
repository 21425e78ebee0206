"""Two encodings of one's own: reason as a person would, then leave the rest to evolution.

    python examples/own_encoding.py

The first keeps for every blank the digits that are left after some rounds of reasoning. The second
puts down what these rounds decide and keeps boxes whole. How many rounds are worth it?
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from genoku import Puzzle, bundled, preset, run, solve_path
from genoku.algorithms import Genetic
from genoku.crossover import Points
from genoku.encoding import Encoding, Kept, PermutedBoxes, SearchSpace, space_of
from genoku.errors import ImpossibleError
from genoku.mutation import Reset
from genoku.recipe import as_toml, describe
from genoku.testing import check_operator


def reasoned(puzzle: Puzzle, rounds: int) -> tuple[Puzzle, list[set[int]], str]:
    """The puzzle after some rounds, what is left for every cell, and why there is no solution."""
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
    """In every blank a digit that is left after some rounds of reasoning."""

    keeps: ClassVar[Kept] = "none"
    legal: ClassVar[bool] = True
    rounds: int = 3

    def space(self, puzzle: Puzzle) -> SearchSpace:
        reached, left, refuted = reasoned(puzzle, self.rounds)
        groups = [([cell], sorted(digits)) for cell, digits in enumerate(left) if digits]
        return space_of(reached, self.keeps, groups, refuted)


@dataclass(frozen=True)
class ReasonedBoxes:
    """What some rounds of reasoning decide stays; the rest of every box is in any order."""

    keeps: ClassVar[Kept] = "box"
    legal: ClassVar[bool] = False
    rounds: int = 3

    def space(self, puzzle: Puzzle) -> SearchSpace:
        reached, _, refuted = reasoned(puzzle, self.rounds)
        return replace(PermutedBoxes().space(reached), refuted=refuted)


def main() -> None:
    puzzle = bundled()["charles-hard"].puzzle
    genetic: Any = preset("sundy").build()
    encodings: list[Encoding] = [ReasonedCells(), ReasonedBoxes()]
    for encoding in encodings:
        check_operator(encoding)  # raises, and says what is wrong, if it breaks the contract
        print(as_toml(describe(encoding)))

    mine = Genetic(ReasonedCells(), crossover=Points(by="gene"), mutation=Reset())
    result = run(puzzle, mine, seed=1, until="generations=100")
    print(f"cell by cell: cost {result.cost} after {result.steps} generations\n")

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
