"""What does not fit is refused, with the reason, and with what does fit."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any, Literal

import pytest

from genoku.encoding import ENCODINGS, FreeCells, LegalCells, PermutedBoxes, PermutedRows
from genoku.errors import RecipeError
from genoku.fitness import FITNESSES, MissingDigits, Repetitions
from genoku.fitting import called, misfit, name_of, refuse_misfits, what_lacks
from genoku.recipe import CATALOG


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
    assert name_of(type(named, (), {})) == name


def test_what_fits_is_let_through() -> None:
    parts: dict[str, Any] = {"stripes": (Striped(), (Striped,)), "other": (Easygoing(), ())}
    refuse_misfits(FreeCells(), Repetitions(), parts)


@pytest.mark.parametrize(
    ("encoding", "part", "message"),
    [
        (
            LegalCells(),
            Striped(),
            "stripes Striped does not fit legal-cells: red hurts. "
            "What fits: striped with colour=green, easygoing",
        ),
        (
            PermutedRows(),
            Striped("green"),
            "stripes Striped does not fit permuted-rows: green hurts. What fits: easygoing",
        ),
        (
            FreeCells(),
            Striped("blue", bold=True),
            "stripes Striped does not fit free-cells: blue hurts. What fits: striped, easygoing",
        ),
    ],
)
def test_what_does_not_fit_is_told_what_does(encoding: Any, part: Any, message: str) -> None:
    with pytest.raises(RecipeError, match=re.escape(message) + "$"):
        refuse_misfits(encoding, Repetitions(), {"stripes": (part, (Striped, Easygoing))})


def test_where_nothing_fits_nothing_is_listed() -> None:
    with pytest.raises(RecipeError, match=r"permuted-rows.*red hurts\.$"):
        refuse_misfits(PermutedRows(), Repetitions(), {"stripes": (Striped(), (Striped,))})


def test_a_fitness_that_trusts_boxes_needs_an_encoding_that_keeps_them() -> None:
    message = (
        "fitness missing-digits does not fit free-cells: it needs an encoding that keeps boxes "
        "whole: permuted-boxes. Or take: "
    )
    with pytest.raises(RecipeError, match=re.escape(message)) as caught:
        refuse_misfits(FreeCells(), MissingDigits(), {})
    offered = str(caught.value).removeprefix(message).split(", ")
    assert offered == [name_of(each) for each in FITNESSES if each.needs == "none"]
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
            reason = misfit(each(), encoding, fitness)
            if reason is None:
                refuse_misfits(encoding, fitness, {kind: (each(), classes)})
                continue
            assert reason[0].islower()
            assert not reason.endswith(".")
            with pytest.raises(RecipeError) as caught:
                refuse_misfits(encoding, fitness, {kind: (each(), classes)})
            said, _, offered = str(caught.value).partition(" What fits: ")
            assert all(word in said for word in (kind, name_of(each), called(encoding), reason))
            assert offered
            for offer in offered.split(", "):
                name, _, setting = offer.partition(" with ")
                part: Any = CATALOG[kind][name]()
                key, _, choices = setting.partition("=")
                for choice in choices.split(" or ") if setting else []:
                    assert misfit(replace(part, **{key: choice}), encoding, fitness) is None
                assert setting or misfit(part, encoding, fitness) is None


@pytest.mark.parametrize(
    ("part", "kind", "reason"),
    [
        (42, "mutation", "expected something to call as mutation, got 42"),
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
    lacking = what_lacks(part, kind)
    assert lacking is reason or (reason is not None and str(lacking).startswith(reason))


def test_names_in_messages_are_those_that_recipes_or_code_use() -> None:
    assert called(PermutedBoxes()) == "permuted-boxes"
    assert called(Easygoing()) == "Easygoing"
    assert called(test_names_in_messages_are_those_that_recipes_or_code_use).startswith("test_")
