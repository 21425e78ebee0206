"""What all searches by swaps have in common: which swaps there are, and what does not fit them."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from runs import problem_of
from strategies import FOUR, pattern_grid, with_digits

from genoku import Puzzle, bundled
from genoku.errors import RecipeError
from genoku.evolve.algorithms import Annealing, Memetic, Tabu
from genoku.evolve.algorithms.swap_moves import swaps_of
from genoku.evolve.encoding import (
    Encoding,
    FreeCells,
    LegalCells,
    PartialBoards,
    PermutedBoxes,
    PermutedColumns,
    PermutedRows,
)
from genoku.evolve.fitness import (
    CompleteUnits,
    Contradictions,
    MissingDigits,
    Repetitions,
    UniqueSquared,
)
from genoku.evolve.operators.adaptation import Constant
from genoku.runtime.random import stream

PERMUTED: list[Encoding] = [PermutedBoxes(), PermutedRows(), PermutedColumns()]
BASIC = bundled()["charles-basic"].puzzle

LONE: dict[str, Any] = {
    "annealing": Annealing(PermutedBoxes(), temperature=Constant(1e9)),
    "tabu": Tabu(PermutedBoxes()),
}
every_lone_search = pytest.mark.parametrize("algorithm", LONE.values(), ids=LONE)
every_search = pytest.mark.parametrize("search", [Annealing, Tabu, Memetic])


@pytest.mark.parametrize("encoding", PERMUTED, ids=repr)
def test_every_two_blanks_of_a_group_are_one_swap(encoding: Encoding) -> None:
    space = encoding.space(BASIC)
    cells = [group[:size].tolist() for group, size in zip(space.groups, space.sizes, strict=True)]
    listed = sorted(map(tuple, swaps_of(space).pairs[:, :2].tolist()))
    assert listed == sorted(pair for group in cells for pair in combinations(group, 2))
    assert swaps_of(space) is swaps_of(space)


@every_lone_search
def test_a_full_board_is_solved_or_never_will_be(algorithm: Any) -> None:
    grid = pattern_grid(FOUR)
    assert algorithm.start(problem_of(algorithm, grid), stream(1)).finished == "solved"
    clashing = problem_of(algorithm, with_digits(grid, {0: grid.digits[1], 1: grid.digits[0]}))
    state = algorithm.start(clashing, stream(1))
    again = algorithm.step(clashing, state)
    assert (state.finished, again.finished, again.moves) == ("failed", "failed", 0)


@every_lone_search
def test_lone_blanks_leave_nothing_to_swap(algorithm: Any) -> None:
    problem = problem_of(algorithm, with_digits(pattern_grid(FOUR), {0: 0, 15: 0}))
    assert len(swaps_of(problem.space).pairs) == 0
    assert algorithm.start(problem, stream(1)).finished == "solved"


@every_lone_search
def test_a_solved_board_is_left_alone(algorithm: Any) -> None:
    problem = problem_of(algorithm, with_digits(pattern_grid(FOUR), dict.fromkeys(range(8), 0)))
    board = pattern_grid(FOUR).board[None].copy()
    state = algorithm.start(problem, stream(1), board)
    assert state.finished == "solved"
    assert np.array_equal(algorithm.step(problem, state).boards, board)


@pytest.mark.parametrize("search", [Annealing, Tabu])
@pytest.mark.parametrize("encoding", [FreeCells(), LegalCells()], ids=repr)
def test_encodings_that_keep_nothing_together_are_refused(search: Any, encoding: Encoding) -> None:
    with pytest.raises(RecipeError, match=search.__name__.lower()) as refused:
        search(encoding)
    assert refused.value.path == ("encoding",)
    assert refused.value.alternatives == ("permuted-rows", "permuted-columns", "permuted-boxes")


@every_search
def test_boards_with_open_cells_are_refused(search: Any) -> None:
    with pytest.raises(RecipeError, match="partial-boards"):
        search(PartialBoards())


@every_search
@pytest.mark.parametrize(
    "fitness",
    [
        CompleteUnits(),
        UniqueSquared(),
        MissingDigits(),
        Contradictions(),
        Contradictions("surplus"),
    ],
    ids=repr,
)
def test_a_fitness_that_swaps_do_not_count_is_refused(search: Any, fitness: Any) -> None:
    with pytest.raises(RecipeError, match=r"normalised.*repetitions"):
        search(fitness=fitness)


@every_search
def test_a_scale_whose_cost_is_another_is_refused(search: Any) -> None:
    class Doubled(Repetitions):
        def costs(self, boards: Any, puzzle: Puzzle) -> Any:
            return 2 * super().costs(boards, puzzle)

    with pytest.raises(RecipeError, match="Doubled"):
        search(fitness=Doubled())
