"""What min-conflicts refuses: encodings, fitnesses, and numbers that make no sense."""

from __future__ import annotations

from typing import Any

import pytest

from genoku import Puzzle
from genoku.errors import RecipeError
from genoku.evolve.algorithms.min_conflicts import MinConflicts
from genoku.evolve.encoding import (
    Encoding,
    PermutedBoxes,
    PermutedColumns,
    PermutedRows,
)
from genoku.evolve.fitness import (
    CompleteUnits,
    Contradictions,
    Fitness,
    MissingDigits,
    UniqueSquared,
)


@pytest.mark.parametrize("encoding", [PermutedRows(), PermutedColumns(), PermutedBoxes()], ids=repr)
def test_it_refuses_encodings_that_keep_units_whole(encoding: Encoding) -> None:
    with pytest.raises(RecipeError, match="What fits: free-cells, legal-cells"):
        MinConflicts(encoding)


@pytest.mark.parametrize("fitness", [CompleteUnits(), UniqueSquared()], ids=repr)
def test_it_refuses_a_fitness_it_does_not_count(fitness: Fitness) -> None:
    fitting = "What fits: normalised, contradictions, unique, repetitions"
    with pytest.raises(RecipeError, match=fitting):
        MinConflicts(fitness=fitness)


def test_it_refuses_contradictions_counted_in_a_way_of_their_own() -> None:
    class Doubled(Contradictions):
        def costs(self, boards: Any, puzzle: Puzzle) -> Any:
            return 2 * super().costs(boards, puzzle)

    with pytest.raises(RecipeError, match="Doubled"):
        MinConflicts(fitness=Doubled())


def test_it_refuses_a_fitness_that_does_not_fit_its_encoding() -> None:
    with pytest.raises(RecipeError, match=r"missing-digits.*legal-cells"):
        MinConflicts(fitness=MissingDigits())


def test_it_refuses_steps_without_moves_and_chances_that_are_none() -> None:
    with pytest.raises(RecipeError, match="got 0"):
        MinConflicts(moves=0)
    chance: Any = 0.3
    with pytest.raises(RecipeError, match=r"chance.*0\.3"):
        MinConflicts(chance=chance)
