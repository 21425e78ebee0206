"""Everybody's words for an evolutionary algorithm: where they lead, and what they change."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import click
import pytest

from genoku.cli.evolve import evolve
from genoku.errors import MisfitError, RecipeError
from genoku.evolve.presets import Preset, all_variants, preset, presets
from genoku.evolve.recipe import CATALOG, build, describe, with_settings
from genoku.evolve.word_settings import MissingParameterError, WordError, settings_of
from genoku.evolve.words import NUMBERS, Word, candidate_paths, paths, value_at, word_for, words

OF_REPORTS = [each for each in presets() if each.group.startswith("Report")]

# --- where they lead ---------------------------------------------------------------------------

OWN = ("population", "selection", "crossover", "mutation", "fitness", "encoding")
GENETIC: dict[str, list[str]] = {name: [name] for name in OWN} | {
    "tournament-size": [],
    "crossover-rate": ["crossover.rate"],
    "mutation-rate": ["adaptation.rate"],
    "elites": ["replacement.elites"],
}
POOL = {"selection": ["selection.inner"], "tournament-size": ["selection.inner.size"]}
NOTHING: dict[str, list[str]] = {name: [] for name in words()}
MEMETIC = {"mutation": [], "mutation-rate": [], "elites": ["elites"]}
INSIDE = {"fitness": ["algorithm.fitness"], "encoding": ["algorithm.encoding"]}
PLACES: dict[str, dict[str, list[str]]] = {
    "poderosas": GENETIC | {"tournament-size": ["selection.size"]},
    "poderosas-rank": GENETIC,
    "eran-shahar-ga": GENETIC,
    "eran-shahar-sa-continues": NOTHING | {name: [name] for name in ("fitness", "encoding")},
    "eran-shahar-sa-restarts": NOTHING | INSIDE,
    "eran-shahar-sa-once": NOTHING | {name: [name] for name in ("fitness", "encoding")},
    "charles": GENETIC | {"mutation-rate": ["mutation.repeats.p"]},
    "simon": GENETIC
    | POOL
    | {
        "tournament-size": ["selection.inner.size", "replacement.size"],
        "mutation-rate": ["adaptation.start"],
    },
    "sundy": GENETIC | POOL | {"elites": ["replacement.kept"]},
    "annealing": NOTHING | INSIDE,
    "tabu": NOTHING | INSIDE,
    "champion": NOTHING | {"population": ["population"]},
    "exact": NOTHING,
    "memetic": GENETIC | {"tournament-size": ["selection.size"]} | MEMETIC,
    "memetic-clones": GENETIC
    | {"tournament-size": ["selection.size"], "crossover-rate": []}
    | MEMETIC,
    "textbook": {name: [f"algorithm.{path}" for path in found] for name, found in GENETIC.items()}
    | {"tournament-size": ["algorithm.selection.size"], "elites": []},
}
"""The paths that words set, by the longest start of a preset's name."""


def full_recipe(found: Preset) -> dict[str, Any]:
    return describe(found.build())


@pytest.mark.parametrize("name", [each.name for each in presets()] + ["poderosas-rank"])
def test_a_word_leads_to_the_parameters_of_every_preset(name: str) -> None:
    recipe = full_recipe(preset(name))
    expected = PLACES[max((start for start in PLACES if name.startswith(start)), key=len)]
    assert {word: paths(word, recipe) for word in words()} == expected


@pytest.mark.parametrize("base", ["poderosas", "charles", "simon"])
def test_every_path_of_every_variant_leads_to_a_number_or_a_part(base: str) -> None:
    for found in all_variants(base)[::19]:
        recipe = full_recipe(found)
        for word in words().values():
            kinds: Any = dict if word.takes_part else (int, float)
            held = [value_at(recipe, path) for path in paths(word.name, recipe)]
            assert all(isinstance(each, kinds) for each in held)
            assert held or word.name == "tournament-size"


def test_words_reach_through_islands_and_restarts() -> None:
    inner = full_recipe(preset("sundy"))
    wrapped = {"use": "restarts", "algorithm": {"use": "islands", "algorithm": inner}}
    for word in words():
        inside = [f"algorithm.algorithm.{path}" for path in paths(word, inner)]
        assert paths(word, describe(build(wrapped))) == inside


@pytest.mark.parametrize("written", ["tournament-size", "tournament_size", "Tournament Size "])
def test_a_word_is_known_however_it_is_written(written: str) -> None:
    assert word_for(written) == words()["tournament-size"]
    assert word_for("repeats") is None


def test_every_word_is_an_option_of_evolve_with_its_own_explanation() -> None:
    options = {each.opts[-1]: each for each in evolve.params if isinstance(each, click.Option)}
    for word in words().values():
        assert options[f"--{word.name}"].help == word.about
        assert word.label.lower().replace(" ", "-") == word.name
        assert word.value in NUMBERS or word.value in CATALOG


# --- what they change --------------------------------------------------------------------------


def values_of(word: Word) -> list[Any]:
    """What to try for a word: a number that no preset has, or all parts."""
    numbers: dict[str, list[Any]] = {"whole number": [11], "number": [0.37]}
    return numbers.get(word.value) or list(CATALOG[word.value])


def changed_paths(before: Any, after: Any, path: str = "") -> Iterator[str]:
    """The paths of all values that differ between two recipes."""
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        before, after = dict(enumerate(before)), dict(enumerate(after))
    if not (isinstance(before, dict) and isinstance(after, dict)):
        if before != after:
            yield path
        return
    if before.get("use") != after.get("use"):
        yield path
        return
    for key in before.keys() | after.keys():
        yield from changed_paths(before.get(key), after.get(key), f"{path}.{key}".strip("."))


def is_left_out(recipe: Any, path: str) -> bool:
    """Whether a preset's own recipe says nothing of a parameter."""
    try:
        value_at(recipe, path)
    except (KeyError, TypeError, IndexError):  # also in a part that is given by its name
        return True
    return False


def require_change(found: Preset, word: Word, value: Any) -> None:
    """Check that a word changes its places, and nothing else that the preset gives."""
    before = full_recipe(found)
    settings = settings_of(found, {word.name: value})
    after = describe(build(with_settings(found.recipe, settings)))
    changed = set(changed_paths(before, after))
    if not word.takes_part:
        assert changed == set(paths(word.name, before))
        assert [value_at(after, path) for path in changed] == [value] * len(changed)
        return
    places = candidate_paths(word.name, before)
    assert value in [value_at(after, path)["use"] for path in candidate_paths(word.name, after)]
    for path in changed:
        assert f"{path}.".startswith(tuple(f"{place}." for place in places)) or (
            word.name in ("encoding", "fitness") and is_left_out(found.recipe, path)
        )


def require_remedy(found: Preset, word: Word, value: Any, error: WordError) -> None:
    """Check that what an error proposes works."""
    remedy = error.remedy
    assert remedy is not None
    assert error.word in words()
    if word.name in remedy.words:  # what was asked for stays, unless the algorithm does not fit it
        assert not paths("mutation", full_recipe(found))
    assert remedy.words or remedy.settings or remedy.preset
    mended = preset(remedy.preset) if remedy.preset else found
    chosen = {word.name: value, **remedy.words}
    settings = settings_of(mended, chosen, before=remedy.settings)
    recipe = describe(build(with_settings(mended.recipe, [*remedy.settings, *settings])))
    if not word.takes_part:
        assert {value_at(recipe, path) for path in paths(word.name, recipe)} == {value}


@pytest.mark.parametrize("word", words())
@pytest.mark.parametrize("found", OF_REPORTS, ids=lambda each: each.name)
def test_every_word_works_with_every_preset_of_a_report_or_the_refusal_shows_what_does(
    found: Preset, word: str
) -> None:
    for value in values_of(words()[word]):
        try:
            require_change(found, words()[word], value)
        except WordError as error:
            require_remedy(found, words()[word], value, error)


@pytest.mark.parametrize("found", OF_REPORTS, ids=lambda each: each.name)
def test_a_word_that_says_what_is_so_already_changes_nothing(found: Preset) -> None:
    recipe = full_recipe(found)
    for word in words().values():
        for path in paths(word.name, recipe):
            held = value_at(recipe, path)
            chosen = {word.name: held["use"] if word.takes_part else held}
            after = build(with_settings(found.recipe, settings_of(found, chosen)))
            assert describe(after) == recipe


@pytest.mark.parametrize(
    ("name", "chosen", "expected"),
    [
        ("poderosas-rank", "tournament", {"size": 100, "replace": False}),
        ("poderosas-tournament-t250", "tournament", {"size": 250, "replace": False}),
        ("charles", "tournament", {"size": 20, "replace": False}),
        ("eran-shahar-ga", "tournament", {"size": 2, "replace": True}),
        ("sundy", "tournament", {"size": 2, "replace": True}),
    ],
)
def test_a_part_is_the_one_that_a_variant_of_the_preset_has(
    name: str, chosen: str, expected: dict[str, Any]
) -> None:
    found = preset(name)
    settings = settings_of(found, {"selection": chosen})
    recipe = describe(build(with_settings(found.recipe, settings)))
    (path,) = paths("selection", recipe)
    assert value_at(recipe, path) == {"use": chosen, **expected}


def test_a_part_that_the_preset_has_stays_as_it_is() -> None:
    assert settings_of(preset("simon"), {"selection": "tournament"}) == []
    assert settings_of(preset("simon"), {"selection": "pool"}) == []
    assert settings_of(preset("charles-tournament"), {"selection": "tournament"}) == []


def test_words_are_taken_together_and_after_the_settings_before_them() -> None:
    found = preset("charles")
    chosen = {"tournament-size": 7, "selection": "tournament", "population": 30}
    before = ["selection=rank", "population=40"]
    settings = [*before, *settings_of(found, chosen, before=before)]
    recipe = describe(build(with_settings(found.recipe, settings)))
    assert recipe["selection"] == {"use": "tournament", "size": 7, "replace": False}
    assert recipe["population"] == 30
    together = {"encoding": "permuted-boxes", "crossover": "uniform", "mutation": "swap"}
    boxes = build(with_settings(found.recipe, settings_of(found, together)))
    assert describe(boxes)["crossover"]["by"] == "box"


def test_an_algorithm_without_a_parameter_names_the_word() -> None:
    with pytest.raises(MissingParameterError) as caught:
        settings_of(preset("exact"), {"population": 5})
    assert caught.value.word == "population"
    assert caught.value.remedy is not None
    assert caught.value.remedy.preset == "textbook"


@pytest.mark.parametrize(
    "chosen", [{"selection": "tournamnt"}, {"population": 1}, {"fitness": "swap"}]
)
def test_what_is_wrong_whatever_else_is_chosen_is_no_word_error(chosen: dict[str, Any]) -> None:
    with pytest.raises(RecipeError) as caught:
        settings_of(preset("charles"), chosen)
    assert not isinstance(caught.value, WordError)
    assert caught.value.source == f"--{next(iter(chosen))}"


# --- on the command line -----------------------------------------------------------------------

REFUSED: list[tuple[str, tuple[str, ...]]] = [
    ("eran-shahar-sa-continues", ("--population", "20")),
    ("eran-shahar-sa-restarts", ("--selection", "roulette")),
    ("eran-shahar-sa-continues", ("--mutation", "reset", "--population=20")),
    ("eran-shahar-ga", ("--tournament-size", "5")),
    ("charles", ("--tournament-size=5", "--population", "30")),
    ("charles", ("--encoding=permuted-boxes",)),
    ("poderosas", ("--encoding", "permuted-boxes")),
    ("simon", ("--crossover", "row-tails")),
    ("poderosas", ("--fitness", "missing-digits")),
    ("eran-shahar-ga", ("--crossover", "cycle", "--mutation-rate", "0.5")),
    ("sundy", ("--mutation", "reset")),
    ("textbook", ("--elites", "2")),
    ("exact", ("--crossover", "uniform")),
    ("memetic", ("--mutation-rate", "0.2")),
]


@pytest.mark.parametrize(("name", "asked"), REFUSED, ids=str)
def test_the_command_that_a_refusal_shows_is_accepted_and_keeps_what_was_asked(
    name: str, asked: tuple[str, ...], genoku: Any
) -> None:
    given = ("--preset", name, *asked, "--generations", "1", "--json")
    refused = genoku("evolve", *given)
    assert (refused.code, refused.out) == (2, "")
    _, _, shown = refused.err.partition("This works: genoku ")
    command = shlex.split(shown.partition(" (see ")[0])
    assert set(given) - {name} <= set(command)
    done = genoku(*command)
    assert done.code in (0, 1), done.err
    recipe = json.loads(done.out)["recipe"]
    for option, value in pairwise(asked):
        if option.removeprefix("--") in words():
            held = [value_at(recipe, path) for path in paths(option.removeprefix("--"), recipe)]
            assert value in [each["use"] if isinstance(each, dict) else str(each) for each in held]


def test_parts_that_no_other_lets_fit_give_way_to_one_that_does() -> None:
    chosen = {"selection": "roulette", "fitness": "missing-digits", "encoding": "permuted-boxes"}
    with pytest.raises(WordError) as caught:
        settings_of(preset("textbook"), chosen)
    assert caught.value.remedy is not None
    assert caught.value.remedy.words == {"selection": "inverted-roulette"}


def test_what_does_not_fit_before_any_word_is_no_fault_of_a_word() -> None:
    before = ["encoding=permuted-rows"]
    with pytest.raises(MisfitError) as caught:
        settings_of(preset("eran-shahar-sa-continues"), {"population": 20}, before=before)
    assert not caught.value.source


def test_words_change_the_run_as_settings_do(genoku: Any) -> None:
    short = ("evolve", "--preset", "charles", "--generations", "2", "--json")
    asked = ("--population", "20", "--selection", "tournament", "--mutation-rate", "0.1")
    by_words = json.loads(genoku(*short, *asked).out)
    settings = [word for each in by_words["settings"] for word in ("--set", each)]
    by_settings = json.loads(genoku(*short, *settings).out)
    for clock in ("seconds", "cpu_seconds"):
        del by_words[clock], by_settings[clock]
    assert by_words == by_settings
    assert by_words["recipe"]["mutation"]["repeats"]["p"] == 0.1


def test_a_word_may_name_a_part_of_ones_own(genoku: Any, tmp_path: Path) -> None:
    (tmp_path / "own_words.py").write_text(
        "def leave_alone(boards, rate, problem, rng):\n    return boards.copy()\n"
    )
    words_given = ("--mutation", "own_words:leave_alone", "--population", "20")
    done = genoku("evolve", "--preset", "sundy", *words_given, "--generations", "1", "--json")
    assert json.loads(done.out)["recipe"]["mutation"] == {"use": "own_words:leave_alone"}
