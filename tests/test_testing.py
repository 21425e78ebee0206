"""The contract checks: everything of ours passes, and everything broken is caught."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from strategies import FOUR, pattern_grid
from zoo import (
    BlindToBoxes,
    breaks_what_is_kept,
    does_nothing_at_all,
    goes_below,
    selects_nobody,
    undoes,
    zoo,
)
from zoo_searches import Promises, Wrapped

from genoku.evolve.encoding import FreeCells, LegalCells, PermutedBoxes
from genoku.evolve.recipe import CATALOG, build
from genoku.testing import check_operator, equal, kind_of

PARTS = [(kind, name) for kind, parts in CATALOG.items() for name in parts]
SMALL = {"use": "genetic", "population": 12}
SMALLER: dict[str, Any] = {
    "genetic": SMALL,
    "restarts": {"use": "restarts", "algorithm": SMALL},
    "islands": {"use": "islands", "algorithm": SMALL},
}


@pytest.mark.parametrize(("kind", "name"), PARTS)
def test_every_part_of_the_catalogue_keeps_the_contract(kind: str, name: str) -> None:
    made = build(SMALLER[name]) if name in SMALLER else CATALOG[kind][name]()
    assert kind_of(made) == kind
    check_operator(made, seeds=[1, 2])


@pytest.mark.parametrize(("operator", "kind", "sentence"), zoo.animals)
def test_what_breaks_the_contract_is_caught_and_named(
    operator: Any, kind: str, sentence: str
) -> None:
    with pytest.raises(AssertionError, match=sentence):
        check_operator(operator, kind)


def test_kinds_are_known_by_the_names_of_parameters() -> None:
    assert kind_of(does_nothing_at_all) == "mutation"
    assert kind_of(selects_nobody) == "selection"
    assert kind_of(undoes) == "repeats"
    assert kind_of(goes_below) == "adaptation"
    assert kind_of(BlindToBoxes()) == "fitness"
    assert kind_of(Promises()) == "encoding"
    assert kind_of(Wrapped()) == "algorithm"
    with pytest.raises(AssertionError, match=r"got \(a, b\); pass kind=… if yours differ"):
        kind_of(lambda a, b: None)
    check_operator(lambda a, b, c, d: a.copy(), "mutation", seeds=[1])


def test_encodings_and_puzzles_may_be_given() -> None:
    check_operator(breaks_what_is_kept, encodings=[FreeCells(), LegalCells()], seeds=[1])
    with pytest.raises(AssertionError, match="permuted-boxes"):
        check_operator(breaks_what_is_kept, encodings=[PermutedBoxes()], seeds=[1])
    full = pattern_grid(FOUR)
    check_operator(breaks_what_is_kept, encodings=[PermutedBoxes()], puzzles=[full], seeds=[1])


@pytest.mark.parametrize(
    ("one", "two", "same"),
    [
        (np.zeros(3), np.zeros(3), True),
        (np.zeros(3), np.zeros(3, np.int64), False),
        (np.zeros(3), np.zeros((3, 1)), False),
        (np.zeros(3), [0, 0, 0], False),
        ((1, [np.ones(2)]), (1, [np.ones(2)]), True),
        ((1, 2), (1, 2, 3), False),
        ((1, 2), [1, 2], False),
        ({"a": np.ones(2)}, {"a": np.ones(2)}, True),
        ({"a": 1}, {"b": 1}, False),
        ({"a": 1}, None, False),
        (1.0, 1.0, True),
    ],
)
def test_results_are_compared_to_the_last_byte(one: Any, two: Any, same: bool) -> None:
    assert equal(one, two) is same
