"""A problem: a puzzle with an encoding and a fitness function; and which parts go together."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Literal, get_args, get_origin, get_type_hints

import numpy as np

from genoku.board import Puzzle
from genoku.encoding import ENCODINGS, MANY, Boards, Encoding, SearchSpace
from genoku.errors import MisfitError, PuzzleError, RecipeError
from genoku.fitness import FITNESSES, Costs, Fitness, Scores
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


ATTRIBUTES = {
    "algorithm": ("encoding", "fitness", "start", "step"),
    "encoding": ("keeps", "legal", "space"),
    "fitness": ("costs", "score", "loss", "worst", "needs", "maximise"),
    "crossover": ("parents", "children"),
}
"""What a part of a kind must have."""

METHODS = {
    "algorithm": ("start", "step"),
    "encoding": ("space",),
    "fitness": ("costs", "score", "loss", "worst"),
}
"""Those that a class must have which is a part of a kind."""

Alternative = str | dict[str, Any]
"""A part that would fit: its name, or its recipe with one parameter chosen."""

NOT_CALLED = tuple(METHODS)
"""Kinds that have methods; parts of the other kinds are called themselves."""


def name_of(part: type) -> str:
    """The name of a class in recipes: `FreeCells` is `free-cells`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "-", part.__name__).lower()


def is_ours(part: type) -> bool:
    """Whether a class belongs to genoku, and so goes by its name alone."""
    return part.__module__.startswith("genoku.")


def has_own(part: Any) -> bool:
    """Whether a part is a user's own, or has one inside it."""
    if isinstance(part, tuple):
        return any(map(has_own, part))
    if hasattr(part, "__qualname__"):  # a function, or what a decorator of ours made of one
        return True
    if not is_dataclass(part):
        return callable(part) and not is_ours(type(part))
    return not is_ours(type(part)) or any(has_own(getattr(part, e.name)) for e in fields(part))


def called(part: Any) -> str:
    """How messages call a part: by its name in recipes, or a user's own by that in their code."""
    if hasattr(part, "__qualname__"):  # a function, or what a decorator of ours made of one
        return str(part.__qualname__)
    return name_of(type(part)) if is_ours(type(part)) else type(part).__qualname__


def what_lacks(part: object, kind: str) -> str | None:
    """What keeps a value from being a part of that kind, if anything does."""
    if isinstance(part, type):
        return f"expected a value as {kind}, got the class {part.__name__}: call it"
    lacking = [name for name in ATTRIBUTES.get(kind, ()) if not hasattr(part, name)]
    if lacking:
        return f"expected {kind} with {' and '.join(lacking)}, got {called(part)} without"
    if kind not in NOT_CALLED and not callable(part):
        return f"expected something to call as {kind}, got {part!r}"
    return None


def refuse_other_choices(part: Any) -> None:
    """Raise if a field that is a choice among a few values holds another one."""
    for name, choices in choices_of(type(part)).items():
        value = getattr(part, name)
        if value not in choices:
            expected = " or ".join(map(repr, choices))
            reason = f"expected {expected}, got {value!r}"
            raise RecipeError(reason, path=(name,), alternatives=choices)


def refuse_below(part: Any, **least: float) -> None:
    """Raise if a field holds less than its least value."""
    for name, bound in least.items():
        value = getattr(part, name)
        if not value >= bound:
            raise RecipeError(f"expected {bound} or more, got {value}", path=(name,))


def refuse_outside(part: Any, low: float, high: float, *names: str) -> None:
    """Raise if a field holds anything but a number from `low` to `high`."""
    for name in names:
        value = getattr(part, name)
        if not low <= value <= high:
            raise RecipeError(f"expected {low} to {high}, got {value}", path=(name,))


def refuse_misfits(
    encoding: Encoding, fitness: Fitness, parts: Mapping[str, tuple[Any, tuple[type, ...]]]
) -> None:
    """Raise if a part does not fit the encoding and the fitness, saying what would.

    `parts` gives for every kind the part and all classes of that kind. A part that has no `fits`
    fits everything.
    """
    for kind, part in (("encoding", encoding), ("fitness", fitness)):
        _refuse_lacking(part, kind)
    for kind, part, keeps in (
        ("encoding", encoding, encoding.keeps),
        ("fitness", fitness, fitness.needs),
    ):
        if keeps == "rules":
            raise MisfitError(
                f"{called(part)} is for boards with open cells, which champions build", path=(kind,)
            )
    if fitness.needs not in ("none", encoding.keeps):
        fitting = [name_of(each) for each in ENCODINGS if each().keeps == fitness.needs]
        others = [name_of(each) for each in FITNESSES if each().needs in ("none", encoding.keeps)]
        raise MisfitError(
            f"{called(fitness)} does not fit {called(encoding)}: it needs an encoding that keeps "
            f"{MANY[fitness.needs]} whole{_listed('', fitting)}",
            path=("fitness",),
            alternatives=others,
            advice=_listed("Or take", others),
        )
    for kind, (part, classes) in parts.items():
        _refuse_lacking(part, kind)
        reason = misfit(part, encoding, fitness)
        if reason is not None:
            found = [each for of in classes for each in _alternatives(of, encoding, fitness)]
            raise does_not_fit(kind, part, encoding, reason, found)


def does_not_fit(
    kind: str, part: Any, other: Any, reason: str, alternatives: Iterable[Alternative]
) -> MisfitError:
    """The refusal of a part of a kind, or of an algorithm, that does not go with another."""
    found = list(alternatives)
    return MisfitError(
        f"{called(part)} does not fit {called(other)}: {reason}",
        path=(kind,),
        alternatives=found,
        advice=_listed("What fits", _in_words(found)),
    )


def misfit(part: Any, encoding: Encoding, fitness: Fitness) -> str | None:
    """Why a part does not fit, in its own words; None if it does."""
    fits: Callable[[Encoding, Fitness], str | None] | None = getattr(part, "fits", None)
    return None if fits is None else fits(encoding, fitness)


def first_misfit(parts: Iterable[Any], encoding: Encoding, fitness: Fitness) -> str | None:
    """Why one of several parts does not fit, for those that draw among them."""
    reasons = (misfit(part, encoding, fitness) for part in parts)
    return next((reason for reason in reasons if reason is not None), None)


def _refuse_lacking(part: object, kind: str) -> None:
    lacking = what_lacks(part, kind)
    if lacking is not None:
        raise RecipeError(lacking, path=(kind,))


def _listed(start: str, names: list[str]) -> str:
    return f"{start}: {', '.join(names)}" if names else ""


def _alternatives(part: type, encoding: Encoding, fitness: Fitness) -> Iterator[Alternative]:
    """The class as it comes if that fits, else with each choice of one parameter that does."""
    if misfit(part(), encoding, fitness) is None:
        yield name_of(part)
        return
    for parameter, choices in choices_of(part).items():
        fitting = [each for each in choices if fits_with(part, parameter, each, encoding, fitness)]
        if fitting:
            yield from ({"use": name_of(part), parameter: choice} for choice in fitting)
            return


def _in_words(alternatives: Iterable[Alternative]) -> list[str]:
    """Parts by their names; those that differ in the choice of a parameter together."""
    found: dict[str, list[str]] = {}
    for each in alternatives:
        if isinstance(each, str):
            found[each] = []
            continue
        (_, use), (parameter, choice) = each.items()
        found.setdefault(f"{use} with {parameter}=", []).append(str(choice))
    return [name + " or ".join(choices) for name, choices in found.items()]


def choices_of(part: type) -> dict[str, tuple[object, ...]]:
    """The parameters of a class that are a choice among a few values."""
    if not is_dataclass(part):
        return {}
    hints = get_type_hints(part)
    literal = [each.name for each in fields(part) if get_origin(hints[each.name]) is Literal]
    return {name: get_args(hints[name]) for name in literal}


def fits_with(
    part: type, parameter: str, choice: object, encoding: Encoding, fitness: Fitness
) -> bool:
    """Whether a class with one parameter chosen, and the others as they come, fits."""
    try:
        return misfit(part(**{parameter: choice}), encoding, fitness) is None
    except RecipeError:  # a choice that other parameters rule out
        return False
