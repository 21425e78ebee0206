"""Hold an operator of one's own to the contract that all operators keep.

>>> from genoku.mutation import Swap
>>> check_operator(Swap())
>>> check_operator(lambda boards, rate, problem, rng: boards)
Traceback (most recent call last):
    ...
AssertionError: <lambda>: expected new boards, got the old ones (4×4, 8 blanks, free-cells, seed 0)
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator
from itertools import product
from typing import Any

from genoku.board import Puzzle
from genoku.custom import with_bounds_checked
from genoku.encoding import ENCODINGS, Encoding
from genoku.fitness import Fitness, Repetitions, Unique
from genoku.fitting import NOT_CALLED, called, misfit, what_lacks
from genoku.problem import Problem
from genoku.recipe.building import CATALOG, ROLES
from genoku.testing.case import Case
from genoku.testing.checks import CHECKS, check_share
from genoku.testing.puzzles import small_puzzles

__all__ = ["check_operator", "kind_of"]


def check_operator(
    operator: Any,
    kind: str | None = None,
    *,
    encodings: Iterable[Encoding] | None = None,
    puzzles: Iterable[Puzzle] | None = None,
    seeds: Iterable[int] = range(3),
) -> None:
    """Raise AssertionError, saying what was expected and what came, if it breaks the contract.

    The kind is known from the operator's class or from the names of its parameters. It is tried
    with the encodings that it says it fits, or with those given, on small puzzles of several
    shapes: one of them without blanks, one without givens. Indices of compiled functions are
    always checked.
    """
    operator = with_bounds_checked(operator)
    kind = kind or kind_of(operator)
    lacking = what_lacks(operator, kind)
    if lacking is not None:
        raise AssertionError(lacking)
    tried = small_puzzles() if puzzles is None else list(puzzles)
    numbers = list(seeds)
    pairs = list(_pairs(operator, kind, None if encodings is None else list(encodings)))
    if not pairs:
        raise AssertionError(f"{called(operator)}: expected an encoding that it fits, got none")
    for encoding, fitness in pairs:
        problems = [_problem(puzzle, encoding, fitness, kind) for puzzle in tried]
        for problem, seed in product(problems, numbers):
            CHECKS[kind](Case(operator, problem, encoding, seed))
        if kind == "mutation":
            most_blanks = max(problems, key=lambda problem: len(problem.space.genes))
            check_share(Case(operator, most_blanks, encoding, numbers[0]))


def kind_of(operator: Any) -> str:
    """The kind of an operator: from its class, from what it has, or from how it is called."""
    for kind, parts in CATALOG.items():
        if type(operator) in parts.values():
            return kind
    for kind in NOT_CALLED:
        if what_lacks(operator, kind) is None:
            return kind
    names = list(inspect.signature(operator).parameters) if callable(operator) else []
    for kind, (role, _) in ROLES.items():
        if (
            kind not in NOT_CALLED
            and names == list(inspect.signature(role.__call__).parameters)[1:]
        ):
            return kind
    raise AssertionError(
        f"{called(operator)}: expected parameters with the names that a kind of operator has, "
        f"got ({', '.join(names)}); say kind=… where yours differ"
    )


def _problem(puzzle: Puzzle, encoding: Encoding, fitness: Fitness, kind: str) -> Problem:
    """A problem to try on; an encoding that is itself on trial may have no space for it."""
    try:
        return Problem.of(puzzle, encoding, fitness)
    except Exception as error:
        if kind != "encoding":
            raise
        raise AssertionError(
            f"{called(encoding)}: expected a space for a solvable puzzle, "
            f"got {type(error).__name__}: {error} ({puzzle!r})"
        ) from error


def _pairs(
    operator: Any, kind: str, encodings: list[Encoding] | None
) -> Iterator[tuple[Encoding, Fitness]]:
    """The encodings and fitnesses to try with; given encodings are taken at the user's word."""
    if kind == "encoding":
        yield operator, Repetitions()
    elif kind == "algorithm":
        yield operator.encoding, operator.fitness
    else:
        fitnesses = [operator] if kind == "fitness" else [Repetitions(), Unique()]
        for encoding in encodings or [each() for each in ENCODINGS]:
            for fitness in fitnesses:
                fits = fitness.needs in ("none", encoding.keeps)
                if encodings or (fits and misfit(operator, encoding, fitness) is None):
                    yield encoding, fitness
