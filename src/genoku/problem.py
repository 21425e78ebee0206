"""What a run works on: a puzzle, the boards an encoding allows for it, and what they cost."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from genoku.board import Puzzle
from genoku.encoding import Boards, Encoding, SearchSpace
from genoku.errors import PuzzleError
from genoku.fitness import Costs, Fitness, Scores
from genoku.stream import Stream

MOST_BYTES = 2**33  # of a population


@dataclass(frozen=True, eq=False)
class Problem:
    """Built once per run and handed to every operator as its last argument but the stream."""

    puzzle: Puzzle
    space: SearchSpace
    fitness: Fitness

    @staticmethod
    def of(puzzle: Puzzle, encoding: Encoding, fitness: Fitness) -> Problem:
        return Problem(puzzle, encoding.space(puzzle), fitness)

    def costs(self, boards: Boards) -> Costs:
        """The cost of every board: lower is better, 0 is solved."""
        return self.fitness.costs(boards, self.puzzle)

    def scores(self, costs: Costs) -> Scores:
        """Costs on the report's own scale."""
        return self.fitness.score(costs, self.puzzle.geometry)

    def first_boards(self, count: int, rng: Stream, given: Boards | None = None) -> Boards:
        """A population to begin with: the given boards first, random ones after them."""
        cells = self.puzzle.geometry.cells
        if count * cells > MOST_BYTES:
            raise MemoryError(f"{count:,} boards of {cells} cells")
        boards = self.space.sample(count, rng)
        if given is not None:
            given = np.asarray(given)
            self._check(given, count)
            boards[: len(given)] = given
        return boards

    def _check(self, given: Boards, count: int) -> None:
        if given.ndim != 2 or given.shape[1] != self.puzzle.geometry.cells or len(given) > count:
            raise PuzzleError(
                f"expected up to {count} boards of {self.puzzle.geometry.cells} cells "
                f"to start from, got an array of shape {given.shape}"
            )
        for i, board in enumerate(given):
            if not self.space.contains(board):
                raise PuzzleError(
                    f"board {i + 1} to start from breaks the givens or what the encoding keeps"
                )
