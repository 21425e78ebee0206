"""What a tuning searches, and what a run is worth to it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import pytest
from hypothesis import given, strategies as st

from genoku.errors import RecipeError
from genoku.evolve.algorithms import Genetic
from genoku.evolve.presets import preset, presets
from genoku.evolve.recipe import build, describe
from genoku.evolve.stopping import Until
from genoku.lab.tune import (
    Categorical,
    Range,
    Task,
    TuningInstance,
    bounds_of,
    changed_by,
    evaluate,
    parse,
    space_of,
    value_at,
    values_of,
)
from genoku.puzzle.bundled_puzzles import bundled


# what is searched
@given(st.text(max_size=40))
def test_any_text_is_a_dimension_that_reads_back_or_a_clear_error(text: str) -> None:
    try:
        found = parse(text)
        understood = parse(str(found)) == found
    except RecipeError as error:
        understood = "expected" in str(error)
    assert understood


KEYS = st.from_regex(r"[a-z_]{1,8}(\.[a-z_0-9]{1,8}){0,2}", fullmatch=True)
ENDS = st.one_of(st.integers(-(10**6), 10**6), st.floats(-1e6, 1e6, allow_nan=False))


@given(KEYS, ENDS, ENDS, st.booleans())
def test_a_range_holds_its_ends_or_says_what_is_wrong(
    key: str, low: float, high: float, log: bool
) -> None:
    text = f"{key}={low!r}..{high!r}{':log' if log else ''}"
    if low < high and (low > 0 or not log):
        found = parse(text)
        assert isinstance(found, Range)
        assert (found.key, found.log) == (key, log)
        assert found.holds(found.low)
        assert found.holds(found.high)
        assert found.whole == (isinstance(low, int) and isinstance(high, int))
    else:
        with pytest.raises(RecipeError):
            parse(text)


@pytest.mark.parametrize(
    "text",
    ["", "population", "population=", "=1..2", "population=5", "a b=1..2", "a=1..2:lin", "a=b|b",
     "a=b|", "a=nan..2", "a=1..9e999", "a=2..2", "a=0..1:log", "a..b=1..2"],
)  # fmt: skip
def test_what_is_no_dimension_is_refused(text: str) -> None:
    with pytest.raises(RecipeError):
        parse(text)


@pytest.mark.parametrize("name", [each.name for each in presets() if each.name != "exact"])
def test_every_preset_lies_in_its_own_space_whose_ends_can_be_built(name: str) -> None:
    recipe = describe(preset(name).build())
    space = space_of(recipe)
    own = values_of(recipe, space)
    assert own is not None
    assert changed_by(recipe, own) == recipe
    for each in space:
        ends = each.values if isinstance(each, Categorical) else (each.low, each.high)
        assert all(describe(build(changed_by(recipe, {each.key: end}))) for end in ends)


def test_ranges_go_from_a_quarter_to_four_times_and_chances_end_at_1() -> None:
    space = {each.key: each for each in space_of(preset("charles").recipe)}
    assert str(space["population"]) == "population=375..6000:log"
    assert str(space["crossover.rate"]) == "crossover.rate=0.175..1.0"
    assert str(space["adaptation.rate"]) == "adaptation.rate=0.25..1.0"
    assert str(space["mutation.unit"]) == "mutation.unit=row|column|box|any"
    temperature = space_of(preset("annealing").recipe)[-1]
    assert str(temperature) == "algorithm.temperature.rate=0.0875..1.4:log"


def test_nothing_is_searched_by_itself_that_would_change_what_a_loss_is() -> None:
    assert not any(each.key.startswith("fitness") for each in space_of(preset("sundy").recipe))


def test_singles_are_left_to_the_search_or_not_as_the_recipe_says_unless_named() -> None:
    for name in ("sundy", "annealing"):
        recipe = preset(name).recipe
        assert not any(each.key.endswith("fixed") for each in space_of(recipe))
    given = [parse("encoding.fixed=givens|singles")]
    assert given[0] in space_of(preset("sundy").recipe, given)


def test_given_dimensions_take_the_place_of_the_usual_ones() -> None:
    given_ones = [parse("population=20..40"), parse("adaptation.rate=0..1")]
    space = {each.key: str(each) for each in space_of(preset("sundy").recipe, given_ones)}
    assert space["population"] == "population=20..40"
    assert space["adaptation.rate"] == "adaptation.rate=0.0..1.0"
    assert len(space) == len(space_of(preset("sundy").recipe))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("sundy", "fitness=unique|unique-squared"),
        ("sundy", "fitness.penalty=1..9"),
        ("tabu", "algorithm=tabu|min-conflicts"),
    ],
)
def test_what_would_put_losses_on_another_scale_is_refused(name: str, text: str) -> None:
    with pytest.raises(RecipeError):
        space_of(preset(name).recipe, [parse(text)])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("populatoin=2..9", "did you mean population"),
        ("population=2.5..9", "expected whole numbers"),
        ("selection=ranc|rang", "did you mean rank"),
        ("selection.size=2..9", "rank has no 'size'"),
        ("population=0..1", "expected a population of 2 or more"),
    ],
)
def test_a_dimension_that_nothing_can_be_built_with_is_refused(text: str, said: str) -> None:
    with pytest.raises(RecipeError):
        space_of(preset("charles").recipe, [parse(text)])


def test_a_dimension_may_belong_to_a_part_that_another_one_brings() -> None:
    wanted = [parse("selection.size=2..9"), parse("selection=rank|tournament")]
    keys = [each.key for each in space_of(preset("charles").recipe, wanted)]
    assert keys.index("selection") < keys.index("selection.size")


def test_a_part_that_is_there_already_keeps_its_parameters() -> None:
    recipe = describe(preset("poderosas").build())
    assert changed_by(recipe, {"selection": "tournament"}) == recipe
    other = changed_by(recipe, {"selection": "truncation", "selection.share": 0.25})
    assert value_at(other, "selection.share") == 0.25


def test_a_solved_run_is_worth_the_logarithm_of_its_share_of_the_budget() -> None:
    task = Task(describe(preset("tabu").build()), "evaluations=100000000", hard_instance())
    done = evaluate(task)
    assert done.solved
    assert done.value == pytest.approx(math.log10(done.evaluations / 1e8))


def test_an_unsolved_run_is_worth_more_than_any_solved_one_and_less_the_nearer_it_came() -> None:
    recipe = describe(preset("charles").build())
    far, near = (
        evaluate(Task(recipe, f"evaluations={budget}", hard_instance()))
        for budget in (1500, 300_000)
    )
    assert not far.solved
    assert not near.solved
    assert 1 < near.value < far.value < 2
    assert far.value == 1 + far.loss


def hard_instance() -> TuningInstance:
    puzzle = bundled()["ai-escargot"].puzzle
    return TuningInstance(str(puzzle), puzzle.geometry.box, 1)


def test_shares_are_of_what_counts_and_of_seconds_only_where_nothing_else_does() -> None:
    assert set(bounds_of(Until.parse("evaluations=5 or seconds=2"))) == {"evaluations"}
    assert set(bounds_of(Until.parse("seconds=2"))) == {"seconds"}
    assert set(bounds_of(Until.parse("cpu_seconds=2"))) == {"cpu_seconds"}
    with pytest.raises(RecipeError):
        bounds_of(Until.parse("stagnation=5"))


@dataclass(frozen=True)
class Mine(Genetic):
    """An algorithm of one's own, with a parameter of every kind."""

    strength: int = 8
    share: float = 0.5
    mode: Literal["a", "b"] = "a"
    eager: bool = False
    label: str = "x"


class Loose:
    """A mutation whose parameters have no types."""

    def __init__(self, by=3, far=0.5, off=0):  # pyright: ignore[reportMissingParameterType]
        self.by, self.far, self.off = by, far, off

    def __call__(self, boards: Any, rate: float, problem: Any, rng: Any) -> Any:
        return boards.copy()


def test_what_an_algorithm_of_ones_own_declares_is_searched() -> None:
    loose: Any = Loose
    recipe = describe(Mine(mutation=loose(), population=40))
    space = {each.key: each for each in space_of(recipe, trust=True)}
    assert space["population"] == Range("population", 10, 160, log=True, whole=True)
    assert space["strength"] == Range("strength", 2, 32, log=True, whole=True)
    assert space["share"] == Range("share", 0.125, 2.0, log=True)
    assert space["mode"] == Categorical("mode", ("a", "b"))
    assert space["eager"] == Categorical("eager", ("true", "false"))
    assert space["mutation.by"] == Range("mutation.by", 1, 12, log=True, whole=True)
    assert space["mutation.far"] == Range("mutation.far", 0.125, 2.0, log=True)
    assert not {"label", "mutation.off"} & set(space)
    own = values_of(recipe, tuple(space.values()), trust=True)
    assert own is not None
    assert own["strength"] == 8
    assert changed_by(recipe, {**own, "strength": 9}, trust=True)["strength"] == 9
