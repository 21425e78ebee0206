"""The problem that an algorithm solves, and which parts of an algorithm fit it and each other."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from genoku.errors import MisfitError, PuzzleError, RecipeError, choices_of
from genoku.evolve.encoding import ENCODINGS, MANY, Boards, Encoding, SearchSpace
from genoku.evolve.fitness import FITNESSES, Costs, Fitness, Scores
from genoku.puzzle.board import Puzzle
from genoku.runtime.random import Stream

MOST_BYTES = 2**33  # the memory of a population


@dataclass(frozen=True, eq=False)
class Problem:
    """A puzzle, its search space and a fitness function; operators receive it before the stream."""

    puzzle: Puzzle
    space: SearchSpace
    fitness: Fitness

    @staticmethod
    def of(puzzle: Puzzle, encoding: Encoding, fitness: Fitness) -> Problem:
        """Return the problem of a puzzle with an encoding and a fitness function."""
        return Problem(puzzle, encoding.space(puzzle), fitness)

    def costs(self, boards: Boards) -> Costs:
        """Return the cost of every board `[boards, cells]`: lower is better, 0 is solved."""
        return self.fitness.costs(boards, self.puzzle)

    def scores(self, costs: Costs) -> Scores:
        """Return costs on the fitness function's own scale."""
        return self.fitness.score(costs, self.puzzle.geometry)

    def first_boards(self, count: int, rng: Stream, given: Boards | None = None) -> Boards:
        """Return the first population `[count, cells]`: given boards, then random ones.

        Raises
        ------
        PuzzleError
            If given boards have another shape, or are not in the search space.
        """
        cells = self.puzzle.geometry.cells
        if count * cells > MOST_BYTES:
            raise MemoryError(f"{count:,} boards of {cells} cells")
        boards = self.space.sample(count, rng)
        if given is None:
            return boards
        given = np.asarray(given)
        if given.ndim != 2 or given.shape[1] != cells or len(given) > count:
            raise PuzzleError(
                f"expected up to {count} initial boards of {cells} cells, "
                f"got an array of shape {given.shape}"
            )
        for i, board in enumerate(given):
            if not self.space.contains(board):
                raise PuzzleError(
                    "expected initial boards with the givens and the units that the encoding "
                    f"keeps, got another as board {i + 1}"
                )
        boards[: len(given)] = given
        return boards


ATTRIBUTES = {
    "algorithm": ("encoding", "fitness", "start", "step"),
    "encoding": ("keeps", "legal", "space"),
    "fitness": ("costs", "score", "loss", "worst", "needs", "maximise"),
    "crossover": ("parents", "children"),
}  # the attributes that a part of each kind must have

METHODS = {
    "algorithm": ("start", "step"),
    "encoding": ("space",),
    "fitness": ("costs", "score", "loss", "worst"),
}  # the methods that a class of each kind must have


@runtime_checkable
class SupportsFits(Protocol):
    """A part that does not fit every encoding and fitness; one without `fits` does."""

    def fits(self, encoding: Encoding, fitness: Fitness) -> str | None:
        """Why it does not fit; None if it does."""
        ...


Alternative = str | dict[str, Any]  # a part that would fit: its name, or a recipe with one choice
KINDS_WITH_METHODS = tuple(METHODS)  # parts of the other kinds are called like functions


def recipe_name(part: type) -> str:
    """The name of a class in recipes: `FreeCells` is `free-cells`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "-", part.__name__).lower()


def is_builtin(part: type) -> bool:
    """Whether a class belongs to genoku, so that recipes use its name alone."""
    return part.__module__.startswith("genoku.")


def uses_user_code(part: Any) -> bool:
    """Whether a part is a user's own, or contains one."""
    if isinstance(part, tuple):
        return any(map(uses_user_code, part))
    if hasattr(part, "__qualname__"):  # a function, plain or decorated
        return True
    if not is_dataclass(part):
        return callable(part) and not is_builtin(type(part))
    return not is_builtin(type(part)) or any(
        uses_user_code(getattr(part, e.name)) for e in fields(part)
    )


def display_name(part: Any) -> str:
    """The name of a part in messages: that in recipes, or that in the user's own code."""
    if hasattr(part, "__qualname__"):  # a function, plain or decorated
        return str(part.__qualname__)
    return recipe_name(type(part)) if is_builtin(type(part)) else type(part).__qualname__


def missing_members(part: object, kind: str) -> str | None:
    """Why a value is not a part of that kind; None if it is."""
    if isinstance(part, type):
        return f"expected a value as {kind}, got the class {part.__name__}: call it"
    lacking = [name for name in ATTRIBUTES.get(kind, ()) if not hasattr(part, name)]
    if lacking:
        return f"expected {kind} with {' and '.join(lacking)}, got {display_name(part)} without"
    if kind not in KINDS_WITH_METHODS and not callable(part):
        return f"expected a callable as {kind}, got {part!r}"
    return None


def refuse_misfits(
    encoding: Encoding, fitness: Fitness, parts: Mapping[str, tuple[Any, tuple[type, ...]]]
) -> None:
    """Raise if parts do not fit the encoding and the fitness, and name those that do.

    Parameters
    ----------
    encoding, fitness
        Those of the algorithm; they must fit each other as well.
    parts
        For every kind, the part and all classes of that kind, which are tried as alternatives.

    Raises
    ------
    MisfitError
        With the kind as its path, and the alternatives that fit.
    """
    for kind, part in (("encoding", encoding), ("fitness", fitness)):
        _require_members(part, kind)
    for kind, part, keeps in (
        ("encoding", encoding, encoding.keeps),
        ("fitness", fitness, fitness.needs),
    ):
        if keeps == "rules":
            raise MisfitError(
                f"{display_name(part)} is for partial boards, which only champion builds",
                path=(kind,),
            )
    if fitness.needs not in ("none", encoding.keeps):
        fitting = [recipe_name(each) for each in ENCODINGS if each().keeps == fitness.needs]
        others = [
            recipe_name(each) for each in FITNESSES if each().needs in ("none", encoding.keeps)
        ]
        raise MisfitError(
            f"{display_name(fitness)} does not fit {display_name(encoding)}: it needs an "
            f"encoding that keeps {MANY[fitness.needs]} whole{_list_clause('', fitting)}",
            path=("fitness",),
            alternatives=others,
            advice=_list_clause("Or take", others),
        )
    for kind, (part, classes) in parts.items():
        _require_members(part, kind)
        reason = misfit_reason(part, encoding, fitness)
        if reason is not None:
            found = [each for of in classes for each in _alternatives(of, encoding, fitness)]
            raise misfit_error(kind, part, encoding, reason, found)


def misfit_error(
    kind: str, part: Any, other: Any, reason: str, alternatives: Sequence[Alternative]
) -> MisfitError:
    """The error about a part or an algorithm that does not fit another part."""
    return MisfitError(
        f"{display_name(part)} does not fit {display_name(other)}: {reason}",
        path=(kind,),
        alternatives=alternatives,
        advice=_list_clause("What fits", _alternative_names(alternatives)),
    )


def misfit_reason(part: Any, encoding: Encoding, fitness: Fitness) -> str | None:
    """Why a part does not fit, as it says itself; None if it does."""
    return part.fits(encoding, fitness) if isinstance(part, SupportsFits) else None


def first_misfit_reason(parts: Iterable[Any], encoding: Encoding, fitness: Fitness) -> str | None:
    """Why one of several parts does not fit; None if all do."""
    reasons = (misfit_reason(part, encoding, fitness) for part in parts)
    return next((reason for reason in reasons if reason is not None), None)


def _require_members(part: object, kind: str) -> None:
    lacking = missing_members(part, kind)
    if lacking is not None:
        raise RecipeError(lacking, path=(kind,))


def _list_clause(start: str, names: list[str]) -> str:
    return f"{start}: {', '.join(names)}" if names else ""


def _alternatives(part: type, encoding: Encoding, fitness: Fitness) -> Iterator[Alternative]:
    """The class with its defaults if that fits, else with each value of one parameter that fits."""
    if misfit_reason(part(), encoding, fitness) is None:
        yield recipe_name(part)
        return
    for parameter, choices in choices_of(part).items():
        fitting = [each for each in choices if fits_with(part, parameter, each, encoding, fitness)]
        if fitting:
            yield from ({"use": recipe_name(part), parameter: choice} for choice in fitting)
            return


def _alternative_names(alternatives: Iterable[Alternative]) -> list[str]:
    """The names of alternatives; those that differ in one parameter are joined."""
    found: dict[str, list[str]] = {}
    for each in alternatives:
        if isinstance(each, str):
            found[each] = []
            continue
        (_, use), (parameter, choice) = each.items()
        found.setdefault(f"{use} with {parameter}=", []).append(str(choice))
    return [name + " or ".join(choices) for name, choices in found.items()]


def fits_with(
    part: type, parameter: str, choice: object, encoding: Encoding, fitness: Fitness
) -> bool:
    """Whether a class with one parameter set, and the others at their defaults, fits."""
    try:
        return misfit_reason(part(**{parameter: choice}), encoding, fitness) is None
    except RecipeError:  # a value that does not go with the other defaults
        return False
