"""What is printed in report 000, recomputed: facts that need no run."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

import numpy as np

from genoku.collection import bundled
from genoku.fitness import Normalised
from reproductions.old.claims import Claim, fact
from reproductions.old.poderosas.experiments import (
    BASE,
    ORDERS,
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
    fits = wrong == ["difficult"] and abs(ours["difficult-21"] - printed["difficult"]) < 1e-12
    more = (
        f". The difficult one does not match: with one given more, 21, it is "
        f"{ours['difficult-21']:.5f}. That given may be lost in print, or in the text of the "
        "report that we have."
    )
    yield Claim(
        "The fitness of its puzzles is 0.942, 0.481 and 0.370.",
        "section 7, Figure 5",
        "holds" if not wrong else "undecided" if fits else "fails",
        "Recomputed from the grids: "
        + ", ".join(f"{name} {ours[name]:.5f}" for name in printed)
        + (more if fits else "."),
    )
    worst = 27 * 8
    yield fact(
        f"The maximum number of conflicts is {PUBLISHED['max_conflicts']}.",
        "section 3",
        holds=worst == PUBLISHED["max_conflicts"],
        because=f"A unit of nine equal digits has eight repetitions, 27 units {worst}: the scale "
        f"begins at {fitness(worst):.4f}, not at 0. Nothing else depends on it.",
    )


def about_the_number(number: int, model: Model) -> Claim:
    """A model's number follows from the orders of three lists, which are ours to guess."""
    of_pair = {
        each
        for selection in ORDERS["selection"]
        for each in numbers_of(model._replace(selection=selection))
    }
    return Claim(
        f"Model {number} is single point crossover with block swap.",
        "section 7, experiment 4",
        "holds" if number in numbers_of(model) else "undecided",
        f"With the three lists in the order of the report's text, that pair with "
        f"{model.selection} selection has the number {_listed(numbers_of(model))}, however the "
        f"lists are nested, and with any selection {_listed(of_pair)}. Its program may have had "
        "them in another order.",
    )


def unsolvable() -> Claim:
    clashes = bundled()["poderosas-easy"].puzzle.conflicts()
    return fact(
        "No board solves the easy puzzle.",
        "Figure 5; “our goal is to reach a fitness of 1”",
        holds=ceiling("easy") < 1.0,
        because=f"{len(clashes)} digits stand twice in a unit among its givens ({clashes[0]}, …), "
        f"and its printed fitness is that of these givens. No board passes {ceiling('easy'):.5f}.",
    )


def _listed(numbers: set[int]) -> str:
    words = [str(each) for each in sorted(numbers)]
    return " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))
