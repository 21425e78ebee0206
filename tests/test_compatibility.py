"""What does not fit is refused, with the reason, and with what does fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import pytest

from genoku.errors import MisfitError, RecipeError
from genoku.evolve.encoding import ENCODINGS, FreeCells, LegalCells, PermutedBoxes, PermutedRows
from genoku.evolve.fitness import FITNESSES, MissingDigits, Repetitions
from genoku.evolve.problem import (
    display_name,
    misfit_reason,
    missing_members,
    recipe_name,
    refuse_misfits,
)
from genoku.evolve.recipe import CATALOG, build_part


@dataclass(frozen=True)
class Striped:
    """Fits one encoding for every colour, and none if it is bold."""

    colour: Literal["red", "green", "blue"] = "red"
    bold: bool = False

    def __post_init__(self) -> None:
        if self.colour == "blue" and not self.bold:
            raise RecipeError("expected blue to be bold")

    def fits(self, encoding: Any, fitness: Any) -> str | None:
        wanted = {"red": FreeCells(), "green": LegalCells()}
        return None if encoding == wanted.get(self.colour) else f"{self.colour} hurts"

    def __call__(self) -> None: ...


@dataclass(frozen=True)
class Easygoing:
    """Fits everything."""

    def __call__(self) -> None: ...


@pytest.mark.parametrize(
    ("named", "name"),
    [
        ("FreeCells", "free-cells"),
        ("Swap", "swap"),
        ("UniqueSquared", "unique-squared"),
        ("PMXCrossover", "pmx-crossover"),
        ("Sum2Zero", "sum2-zero"),
    ],
)
def test_names_in_recipes_are_those_of_classes_with_hyphens(named: str, name: str) -> None:
    assert recipe_name(type(named, (), {})) == name


def test_what_fits_is_let_through() -> None:
    parts: dict[str, Any] = {"stripes": (Striped(), (Striped,)), "other": (Easygoing(), ())}
    refuse_misfits(FreeCells(), Repetitions(), parts)


@pytest.mark.parametrize(
    ("encoding", "part", "fitting"),
    [
        (LegalCells(), Striped(), ({"use": "striped", "colour": "green"}, "easygoing")),
        (PermutedRows(), Striped("green"), ("easygoing",)),
        (FreeCells(), Striped("blue", bold=True), ("striped", "easygoing")),
    ],
)
def test_what_does_not_fit_is_told_what_does(encoding: Any, part: Any, fitting: Any) -> None:
    with pytest.raises(MisfitError) as caught:
        refuse_misfits(encoding, Repetitions(), {"stripes": (part, (Striped, Easygoing))})
    assert (caught.value.path, caught.value.alternatives) == (("stripes",), fitting)


def test_where_nothing_fits_nothing_is_listed() -> None:
    with pytest.raises(MisfitError) as caught:
        refuse_misfits(PermutedRows(), Repetitions(), {"stripes": (Striped(), (Striped,))})
    assert caught.value.alternatives == ()


def test_a_fitness_that_trusts_boxes_needs_an_encoding_that_keeps_them() -> None:
    with pytest.raises(MisfitError) as caught:
        refuse_misfits(FreeCells(), MissingDigits(), {})
    assert caught.value.path == ("fitness",)
    offered = tuple(recipe_name(each) for each in FITNESSES if each.needs == "none")
    assert caught.value.alternatives == offered
    refuse_misfits(PermutedBoxes(), MissingDigits(), {})


OPERATORS = [
    (kind, each)
    for kind in ("selection", "crossover", "mutation", "replacement", "diversity")
    for each in CATALOG[kind].values()
]


@pytest.mark.parametrize(
    ("kind", "each"), OPERATORS, ids=lambda value: getattr(value, "__name__", value)
)
def test_what_the_catalogue_offers_instead_does_fit(kind: str, each: Any) -> None:
    classes = tuple(CATALOG[kind].values())
    for encoding in (one() for one in ENCODINGS):
        for fitness in (one() for one in FITNESSES if one.needs in ("none", encoding.keeps)):
            reason = misfit_reason(each(), encoding, fitness)
            if reason is None:
                refuse_misfits(encoding, fitness, {kind: (each(), classes)})
                continue
            assert reason[0].islower()
            assert not reason.endswith(".")
            with pytest.raises(RecipeError) as caught:
                refuse_misfits(encoding, fitness, {kind: (each(), classes)})
            assert caught.value.path == (kind,)
            assert reason in caught.value.reason
            assert caught.value.alternatives
            for offer in caught.value.alternatives:
                assert misfit_reason(build_part(kind, offer), encoding, fitness) is None


@pytest.mark.parametrize(
    ("part", "kind", "reason"),
    [
        (42, "mutation", "expected a callable as mutation, got 42"),
        (Easygoing, "mutation", "expected a value as mutation, got the class Easygoing: call it"),
        (Easygoing(), "mutation", None),
        (Easygoing(), "crossover", "expected crossover with parents and children, got Easygoing"),
        ("free-cells", "encoding", "expected encoding with keeps and legal and space, got str"),
        (FreeCells(), "fitness", "expected fitness with costs and score and loss and"),
        (Repetitions(), "fitness", None),
    ],
)
def test_a_value_that_cannot_play_a_role_is_told_why(
    part: object, kind: str, reason: str | None
) -> None:
    lacking = missing_members(part, kind)
    assert lacking is reason or (reason is not None and str(lacking).startswith(reason))


def test_names_in_messages_are_those_that_recipes_or_code_use() -> None:
    assert display_name(PermutedBoxes()) == "permuted-boxes"
    assert display_name(Easygoing()) == "Easygoing"
    assert display_name(test_names_in_messages_are_those_that_recipes_or_code_use).startswith(
        "test_"
    )
