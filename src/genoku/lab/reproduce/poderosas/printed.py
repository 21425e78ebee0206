"""What is printed in report 000, recomputed: facts that need no run."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

import numpy as np

from genoku.collection import bundled
from genoku.fitness import Normalised
from genoku.lab.reproduce.claims import Claim, fact
from genoku.lab.reproduce.poderosas.experiments import (
    BASE,
    ORDERS,
    PRINTED,
    PUBLISHED,
    Model,
    fitness,
)


def printed_fitness(puzzle: str) -> float:
    """The fitness of a puzzle as it stands, blanks counting as a value."""
    grid = bundled()[f"poderosas-{puzzle}"].puzzle
    costs = Normalised().costs(grid.board[None].copy(), grid)
    return float(Normalised().score(costs, grid.geometry)[0])


def ceiling(puzzle: str) -> float:
    """The fitness that clashing givens let no board pass."""
    return float(fitness(Normalised().floor(bundled()[f"poderosas-{puzzle}"].puzzle)))


def numbers_of(model: Model) -> set[int]:
    """Every number that a model of 27 has under some nesting of the report's three lists."""
    axes = ("selection", "crossover", "mutation")
    places = {axis: ORDERS[axis].index(getattr(model, axis)) for axis in axes}
    return {
        9 * places[outer] + 3 * places[middle] + places[inner] + 1
        for outer, middle, inner in permutations(axes)
    }


def chance_of_all_rows(population: int = BASE.population) -> float:
    """How likely the first population has, for each row of the medium puzzle, its digits.

    Row crossover and row swap never change a row's digits, so that without them all there is no
    solution to come to.
    """
    grid = bundled()["poderosas-medium"].puzzle.board.reshape(9, 9)
    chance = 1.0
    for blanks in (grid == 0).sum(axis=1):
        right = float(np.prod(np.arange(1, blanks + 1) / 9.0))  # b! of 9^b fillings
        chance *= 1.0 - (1.0 - right) ** population
    return chance


def about_the_puzzles() -> Iterator[Claim]:
    printed = PUBLISHED["printed_fitness"]
    ours = {name: printed_fitness(name) for name in (*printed, "difficult-21")}
    wrong = [name for name in printed if abs(ours[name] - printed[name]) > 1e-12]
    yield fact(
        "The fitness of its puzzles is 0.942, 0.481 and 0.370.",
        "section 7, Figure 5",
        holds=not wrong,
        because="Recomputed from the printed grids: "
        + ", ".join(f"{name} {ours[name]:.5f}" for name in printed)
        + (
            f". The difficult one does not match: with the given that the print has lost (21) it "
            f"is {ours['difficult-21']:.5f}."
            if wrong == ["difficult"]
            else "."
        ),
    )
    clashes = bundled()["poderosas-easy"].puzzle.conflicts()
    yield fact(
        "A fitness of 1 can be reached on its three puzzles.",
        "section 7, “our goal is to reach a fitness of 1”",
        holds=all(ceiling(name) == 1.0 for name in PRINTED),
        because=f"The easy puzzle contradicts itself: {len(clashes)} digits stand twice in a unit "
        f"among its givens ({clashes[0]}, …). No board passes {ceiling('easy'):.5f} there.",
    )
    worst = 27 * 8
    yield fact(
        f"The maximum number of conflicts is {PUBLISHED['max_conflicts']}.",
        "section 3",
        holds=worst == PUBLISHED["max_conflicts"],
        because=f"A unit of nine equal digits has eight repetitions, 27 units {worst}: the scale "
        f"begins at {fitness(worst):.4f}, not at 0. Nothing else depends on it.",
    )
