"""Recipes: every part goes to data and back, and what is wrong is said with its place."""

from __future__ import annotations

import copy
import json
import pickle
import re
import tomllib
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal, get_args, get_origin

import numpy as np
import pytest
from hypothesis import given, strategies as st
from strategies import examples

from genoku.errors import RecipeError
from genoku.evolve.algorithms import Genetic
from genoku.evolve.encoding import PermutedBoxes
from genoku.evolve.fitness import UniqueSquared
from genoku.evolve.operators.adaptation import Constant
from genoku.evolve.operators.mutation import Binomial, OneOf, Reset, Swap
from genoku.evolve.operators.selection import Rank, Tournament
from genoku.evolve.parts import catalogue
from genoku.evolve.recipe import (
    CATALOG,
    as_toml,
    build,
    build_part,
    describe,
    kind_of_hint,
    parameters,
    part_class,
    with_settings,
)

PARTS = [(kind, name) for kind, parts in CATALOG.items() for name in parts]
every_part = pytest.mark.parametrize(("kind", "name"), PARTS)

plain = st.recursive(
    st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def values(hint: Any, depth: int) -> st.SearchStrategy[Any]:
    """What a recipe may say for a parameter of that type, sensible or not."""
    kind = kind_of_hint(hint)
    if kind is not None:
        return recipes(kind, depth - 1)
    if get_origin(hint) is Literal:
        return st.sampled_from(get_args(hint))
    if get_origin(hint) is tuple:
        return st.lists(values(get_args(hint)[0], depth), min_size=1, max_size=3)
    drawn: dict[Any, st.SearchStrategy[Any]] = {
        bool: st.booleans(),
        int: st.integers(-1, 5) | st.integers(),
        float: st.floats(0, 1) | st.floats() | st.integers(0, 1),
        str: st.just("stagnation=5") | st.text(),
    }
    return drawn[hint]


@st.composite
def recipes(draw: st.DrawFn, kind: str, depth: int = 2) -> Any:
    """A part of a kind by name, or with some of its parameters."""
    name = draw(st.sampled_from(sorted(CATALOG[kind])))
    if depth <= 0 or draw(st.booleans()):
        return name
    recipe = {"use": name}
    for parameter in parameters(CATALOG[kind][name]).values():
        if draw(st.integers(0, 2)) == 0:
            recipe[parameter.name] = draw(values(parameter.hint, depth))
    return recipe


def round_trip(kind: str, made: Any) -> None:
    described = describe(made)
    assert build_part(kind, described) == made
    assert describe(build_part(kind, described)) == described
    assert tomllib.loads(as_toml(described)) == described
    assert json.loads(json.dumps(described)) == described


@every_part
def test_every_part_comes_back_from_its_description(kind: str, name: str) -> None:
    made = part_class(kind, name)()
    assert describe(made)["use"] == name
    assert build_part(kind, name) == made
    round_trip(kind, made)


@examples(300)
@given(data=st.data(), kind=st.sampled_from(sorted(CATALOG)))
def test_any_recipe_is_built_and_described_or_refused_in_words(data: Any, kind: str) -> None:
    recipe = data.draw(recipes(kind))
    before = copy.deepcopy(recipe)
    made = None
    with suppress(RecipeError):
        made = build_part(kind, recipe)
    if made is not None:
        round_trip(kind, made)
    assert recipe == before


@examples(200)
@given(recipe=plain)
def test_any_data_at_all_is_refused_in_words_or_built(recipe: Any) -> None:
    for tried in (recipe, {"use": "genetic", "selection": recipe, "population": recipe}):
        with suppress(RecipeError):
            build(tried)


@examples(300)
@given(table=st.dictionaries(st.text(), plain, max_size=4))
def test_toml_says_what_it_was_given(table: dict[str, Any]) -> None:
    assert tomllib.loads(as_toml(table)) == table


def test_toml_of_a_recipe_is_readable() -> None:
    recipe = {
        "use": "genetic",
        "population": 50,
        "mutation": {
            "use": "one-of",
            "parts": ["swap", {"use": "reset", "repeats": {"use": "binomial", "p": 0.02}}],
        },
        "selection": {"use": "tournament"},
    }
    assert as_toml(recipe) == (
        'use = "genetic"\n'
        "population = 50\n"
        "\n[mutation]\n"
        'use = "one-of"\n'
        "parts = [\n"
        '    "swap",\n'
        '    { use = "reset", repeats = { use = "binomial", p = 0.02 } },\n'
        "]\n"
        "\n[selection]\n"
        'use = "tournament"\n'
    )
    assert as_toml("genetic") == 'use = "genetic"\n'
    with pytest.raises(RecipeError, match="None"):
        as_toml({"use": None})


def test_a_recipe_names_parts_and_their_parameters() -> None:
    recipe = """
        use = "genetic"
        encoding = "free-cells"
        fitness = "unique-squared"
        population = 50
        selection = { use = "tournament", size = 10 }
        adaptation = { use = "constant", rate = 1 }
        [mutation]
        use = "one-of"
        parts = ["swap", { use = "reset", repeats = { use = "binomial", p = 0.02 } }]
        """
    assert build(tomllib.loads(recipe)) == Genetic(
        fitness=UniqueSquared(),
        population=50,
        selection=Tournament(10),
        adaptation=Constant(1.0),
        mutation=OneOf((Swap(), Reset(Binomial(0.02)))),
    )


ONE_OF_TWO = {"use": "one-of", "parts": ["swap", {"use": "shuffle"}]}
BY_ROW = {"use": "points", "by": "row"}
ONE_OF = {"use": "one-of", "parts": ["swap", {"use": "reset", "repeats": "often"}]}


@pytest.mark.parametrize(
    ("changes", "path", "alternatives"),
    [
        ({"selection": {"use": "tournament", "size": "many"}}, "selection.size", ""),
        ({"selection": "tournement"}, "selection", "tournament"),
        ({"selection": "xyz"}, "selection", "tournament"),
        ({"selection": {"use": "tournament", "sise": 3}}, "selection", "size"),
        ({"encoding": {"use": "free-cells", "x": 1}}, "encoding", "fixed"),
        ({"selection": {"size": 3}}, "selection", ""),
        ({"selection": ["rank"]}, "selection", ""),
        ({"mutation": {"use": "swap", "unit": "diagonal"}}, "mutation.unit", "row"),
        ({"mutation": {"use": "swap", "unit": 1}}, "mutation.unit", "row"),
        ({"mutation": ONE_OF}, "mutation.parts.1.repeats", "fixed"),
        ({"mutation": {"use": "one-of", "parts": "swap"}}, "mutation.parts", ""),
        ({"mutation": {"use": "swap", "distinct": 1}}, "mutation.distinct", ""),
        ({"population": True}, "population", ""),
        ({"population": 5.5}, "population", ""),
        ({"population": float("inf")}, "population", ""),
        ({"population": 1e300}, "population", ""),
        ({"population": 2**63}, "population", ""),
        ({"population": 1}, "population", ""),
        ({"pupolation": 9}, "", "population"),
        ({"selection": {"use": "tournament", "size": 0}}, "selection.size", ""),
        ({"adaptation": {"use": "constant", "rate": float("nan")}}, "adaptation.rate", ""),
        ({"adaptation": {"use": "constant", "rate": float("inf")}}, "adaptation.rate", ""),
        ({"adaptation": {"use": "constant", "rate": 10**400}}, "adaptation.rate", ""),
        ({"adaptation": {"use": "constant", "rate": True}}, "adaptation.rate", ""),
        ({"encoding": "permuted-boxes", "crossover": "row-tails"}, "crossover", "uniform"),
        ({"encoding": "permuted-boxes", "crossover": BY_ROW}, "crossover", "uniform"),
    ],
)
def test_errors_say_where_it_is_and_what_could_be_there(
    changes: dict[str, Any], path: str, alternatives: str
) -> None:
    with pytest.raises(RecipeError) as caught:
        build({"use": "genetic", **changes})
    error = pickle.loads(pickle.dumps(caught.value))
    assert error.path == tuple(filter(None, path.split(".")))
    assert (alternatives in error.alternatives) if alternatives else not error.alternatives
    assert str(error).startswith(path)
    assert error.reason in str(error)


IN_BOXES = {"use": "genetic", "encoding": "permuted-boxes"}
MIXED = {"use": "mixed", "parts": ["points", {"use": "points", "points": 2}]}
KEPT_UNITS = [
    (encoding, encoding.removeprefix("permuted-").removesuffix("s"))
    for encoding in ("permuted-rows", "permuted-columns")
] + [("permuted-boxes", "box")]


@pytest.mark.parametrize(("encoding", "unit"), KEPT_UNITS)
def test_a_left_out_option_takes_the_first_value_that_fits(encoding: str, unit: str) -> None:
    recipe = {"use": "genetic", "encoding": encoding}
    for named in ({}, {"crossover": "points", "mutation": "swap"}):
        found = describe(build({**recipe, **named}))
        assert found["crossover"]["by"] == unit
        assert found["mutation"]["unit"] == unit
    assert describe(build({**recipe, "crossover": "uniform"}))["crossover"]["by"] == unit
    whole = describe(build({"use": "restarts", "algorithm": recipe}))
    assert whole["algorithm"]["crossover"]["by"] == unit


def test_a_left_out_option_of_a_part_inside_a_part_fits_too() -> None:
    found = describe(build({**IN_BOXES, "crossover": MIXED, "mutation": ONE_OF_TWO}))
    assert [part["by"] for part in found["crossover"]["parts"]] == ["box", "box"]
    assert [part["unit"] for part in found["mutation"]["parts"]] == ["box", "box"]


def test_an_option_that_is_given_is_never_changed_and_defaults_that_fit_stay() -> None:
    usual = describe(build("genetic"))
    assert usual == describe(Genetic())
    for by in ("row", "column"):
        with pytest.raises(RecipeError) as caught:
            build({**IN_BOXES, "crossover": {"use": "points", "by": by}})
        assert caught.value.path == ("crossover",)
    found = describe(build({**IN_BOXES, "crossover": {"use": "points", "rate": 0.5}}))
    assert (found["crossover"]["by"], found["crossover"]["rate"]) == ("box", 0.5)


def test_the_rule_is_that_of_recipes_and_not_of_constructors() -> None:
    with pytest.raises(RecipeError) as caught:
        Genetic(encoding=PermutedBoxes())
    assert caught.value.path == ("crossover",)


def test_what_was_left_out_is_written_out_and_read_again() -> None:
    made = build({**IN_BOXES, "crossover": MIXED})
    written = as_toml(describe(made))
    assert tomllib.loads(written)["mutation"]["unit"] == "box"
    assert build(tomllib.loads(written)) == made


def test_settings_leave_out_options_as_recipes_do() -> None:
    made = build(with_settings("genetic", ["encoding=permuted-boxes", "crossover=uniform"]))
    assert describe(made)["crossover"]["by"] == "box"


def test_parts_are_judged_in_the_order_in_which_they_are_given() -> None:
    for names in (("mutation", "selection"), ("selection", "mutation")):
        with pytest.raises(RecipeError) as caught:
            build({"use": "genetic", **dict.fromkeys(names, "nothing")})
        assert caught.value.path == names[:1]


def test_a_mistyped_name_is_told_the_nearest() -> None:
    with pytest.raises(RecipeError, match="population"):
        build({"use": "genetic", "pupolation": 9})


@pytest.mark.parametrize("recipe", [None, 5, [], {}, {"use": 3}, {"population": 5}])
def test_what_is_no_recipe_is_refused(recipe: Any) -> None:
    with pytest.raises(RecipeError, match="part"):
        build(recipe)


def test_a_recipe_cannot_be_endlessly_deep() -> None:
    deep: Any = "genetic"
    for _ in range(1000):
        deep = {"use": "restarts", "algorithm": deep}
    with pytest.raises(RecipeError, match="parts"):
        build(deep)


def test_numbers_are_described_by_their_declared_type() -> None:
    size: Any = np.int64(5)
    assert describe(Tournament(size)) == {"use": "tournament", "size": 5, "replace": True}
    assert type(describe(Tournament(size))["size"]) is int
    rate = describe(Constant(1))["rate"]
    assert (rate, type(rate)) == (1.0, float)


@pytest.mark.parametrize("population", [1e3, 1000])
def test_a_whole_number_may_be_written_as_any_number(population: Any) -> None:
    made: Any = build({"use": "genetic", "population": population})
    assert (made.population, type(made.population)) == (1000, int)
    assert build(with_settings("genetic", ["population=1e3"])) == made


def test_a_class_is_no_part() -> None:
    with pytest.raises(RecipeError, match="Rank"):
        describe(Rank)


def test_what_recipes_cannot_say_is_not_described() -> None:
    @dataclass(frozen=True)
    class Odd:
        table: Any

    with pytest.raises(RecipeError, match=r"Odd.table.*\{1\}"):
        describe(Odd({1}))


GIVEN: dict[str, Any] = {
    "use": "genetic",
    "population": 500,
    "selection": "tournament",
    "mutation": {"use": "one-of", "parts": ["swap", {"use": "reset"}]},
}


@pytest.mark.parametrize(
    ("setting", "key", "expected"),
    [
        ("population=1000", "population", 1000),
        ("population = 1_000", "population", 1000),
        ("selection=rank", "selection", "rank"),
        ('selection="rank"', "selection", "rank"),
        ("selection.use=rank", "selection", "rank"),
        ("selection.size=50", "selection", {"use": "tournament", "size": 50}),
        ("selection.replace=false", "selection", {"use": "tournament", "replace": False}),
        ("selection={use='pool', size=3}", "selection", {"use": "pool", "size": 3}),
        ("adaptation.rate=0.5", "adaptation", {"use": "constant", "rate": 0.5}),
        ("encoding=mine:Own", "encoding", "mine:Own"),
        ("fitness=1979-05-27", "fitness", "1979-05-27"),
        (
            "mutation.parts.0.unit=box",
            "mutation",
            {"use": "one-of", "parts": [{"use": "swap", "unit": "box"}, {"use": "reset"}]},
        ),
        ("mutation.parts.1=swap", "mutation", {"use": "one-of", "parts": ["swap", "swap"]}),
        ("mutation.parts=['reset']", "mutation", {"use": "one-of", "parts": ["reset"]}),
        ("replacement.elites=2", "replacement", {"use": "generational", "elites": 2}),
    ],
)
def test_settings_change_a_recipe_at_one_place(setting: str, key: str, expected: object) -> None:
    before = copy.deepcopy(GIVEN)
    assert with_settings(GIVEN, [setting]) == {**GIVEN, key: expected}
    assert before == GIVEN


def test_settings_reach_into_parts_that_were_left_to_defaults() -> None:
    recipe = with_settings("genetic", ["mutation.repeats=binomial", "mutation.repeats.p=0.02"])
    assert build(recipe) == Genetic(mutation=Swap(repeats=Binomial(0.02)))
    nested = with_settings("restarts", ["algorithm.mutation=reset", "algorithm.population=30"])
    assert build(nested) == build(
        {"use": "restarts", "algorithm": {"use": "genetic", "mutation": "reset", "population": 30}}
    )


def test_settings_are_applied_in_turn() -> None:
    recipe = with_settings(GIVEN, ["selection.size=50", "selection=rank", "selection=tournament"])
    assert recipe["selection"] == "tournament"
    assert with_settings(GIVEN, ["use=annealing"]) == {"use": "annealing"}
    assert with_settings("genetic", []) == {"use": "genetic"}


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("population", "expected a setting such as population=1000 or .*, got 'population'"),
        ("population=", "expected a setting such as"),
        ("=5", "expected a setting such as"),
        ("selection..size=5", "expected a setting such as"),
        ("selection.sise=5", r"^selection.sise=5: tournament has no 'sise': .*mean size\?"),
        ("pop=5", "^pop=5: genetic has no 'pop'"),
        ("population.x=5", "^population.x=5: expected a part or a list that contains x, got 500"),
        ("mutation.parts.2=swap", "expected an index from 0 to 1 of the list, got 2"),
        ("mutation.parts.first=swap", "expected an index from 0 to 1 of the list, got first"),
        ("selection.use.x=5", "tournament has no 'use'"),
        ("use=5", "expected the name of a part"),
        ('selection={ use = "rank"', "^selection={ use = .*: expected TOML after the =: Uncl"),
        ("mutation.parts=[swap]", "expected TOML after the =: Invalid value"),
        ('selection="rank', "expected TOML after the ="),
        ("selection=[1979-05-27]", "expected TOML after the =: only numbers, te"),
    ],
)
def test_a_setting_that_leads_nowhere_is_named(setting: str, message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        with_settings(GIVEN, [setting])


def test_settings_from_outside_import_nothing() -> None:
    recipe = {"use": "genetic", "mutation": "own_parts:Sometimes"}
    assert with_settings(recipe, ["mutation.chance=1"], trust=True)["mutation"]["chance"] == 1
    with pytest.raises(RecipeError, match="genoku"):
        with_settings(recipe, ["mutation.chance=1"])


@examples(200)
@given(key=st.sampled_from(["population", "selection", "selection.size", "x"]), text=st.text())
def test_any_setting_is_applied_or_refused_in_words(key: str, text: str) -> None:
    with suppress(RecipeError):
        assert isinstance(with_settings("genetic", [f"{key}={text}"]), dict)


def test_the_catalogue_lists_every_part_as_plain_data() -> None:
    rows = catalogue()
    assert [(row["kind"], row["name"]) for row in rows] == PARTS
    assert json.loads(json.dumps(rows)) == rows
    for row in rows:
        assert row["doc"].endswith(".")
        assert len(row["doc"]) <= 100
        for parameter in row["parameters"]:
            word = parameter["type"].removeprefix("list of ")
            assert word in {"int", "float", "bool", "str", "choice", *CATALOG}
            assert bool(parameter["choices"]) == (word in {"choice", *CATALOG})
            if word == "choice":
                assert parameter["default"] in parameter["choices"]


def test_the_catalogue_says_what_a_part_is_made_with() -> None:
    row = next(row for row in catalogue() if row["name"] == "swap")
    unit, repeats, distinct = row["parameters"]
    assert unit == {
        "name": "unit",
        "type": "choice",
        "default": "row",
        "choices": ["row", "column", "box", "any"],
        "label": "",
    }
    assert repeats["type"] == "repeats"
    assert repeats["choices"] == list(CATALOG["repeats"])
    assert repeats["default"]["use"] == "fixed"
    assert (distinct["type"], distinct["default"], distinct["choices"]) == ("bool", True, [])


def test_a_parameter_has_the_label_of_the_word_that_sets_it() -> None:
    labels = {
        (row["name"], each["name"]): each["label"]
        for row in catalogue()
        for each in row["parameters"]
        if each["label"]
    }
    assert labels["worst-first", "kept"] == labels["generational", "elites"] == "Elites"
    assert labels["tournament", "size"] == labels["tournaments", "size"] == "Tournament size"
    assert labels["mixed", "rate"] == labels["points", "rate"] == "Crossover rate"
    assert ("constant", "rate") not in labels  # also of a temperature


SAY_THEMSELVES = {*CATALOG, "start", "population"}


@pytest.mark.parametrize("row", catalogue(), ids=lambda row: f"{row['kind']}-{row['name']}")
def test_every_parameter_is_explained_where_its_name_does_not_say_it(row: dict[str, Any]) -> None:
    told = f"{row['doc']} {row['about']}"
    silent = [
        parameter["name"]
        for parameter in row["parameters"]
        if parameter["name"] not in SAY_THEMSELVES
        and not re.search(rf"\b{parameter['name']}\b", told)
    ]
    assert silent == []


def test_a_part_is_found_by_kind_and_name() -> None:
    assert part_class("encoding", "permuted-boxes") is PermutedBoxes
    with pytest.raises(RecipeError, match=r"free-cells.*'swap'"):
        part_class("encoding", "swap")
