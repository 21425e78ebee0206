"""The web app's recipes: the catalogue, the presets, and what does not fit, explained."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from web_server import HARD, client_of

from genoku.evolve.parts import catalogue
from genoku.evolve.presets import preset, presets, variants
from genoku.evolve.recipe import CATALOG, build, describe, with_value
from genoku.puzzle.board import Puzzle
from genoku.web.handlers.recipes import build_error, diagnose


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    with client_of(tmp_path_factory.mktemp("recipes")) as client:
        yield client


def checked(client: httpx.Client, **asked: Any) -> Any:
    answer = client.post("/api/recipes/check", json=asked)
    assert answer.status_code == 200, answer.text
    return answer.json()


def troubled(client: httpx.Client, **asked: Any) -> Any:
    """The problem of a recipe that does not fit."""
    answer = checked(client, **asked)
    assert not answer["ok"]
    return answer["problem"]


# What there is


def test_the_catalogue_is_the_librarys_own(client: httpx.Client) -> None:
    assert client.get("/api/catalogue").json() == json.loads(json.dumps(catalogue()))


def test_presets_come_in_full_with_their_variants(client: httpx.Client) -> None:
    listed = client.get("/api/presets").json()
    assert [each["name"] for each in listed] == [each.name for each in presets()]
    for each in listed:
        found = preset(each["name"])
        assert each["recipe"] == describe(found.build())
        for field in ("title", "character", "group", "report", "until"):
            assert each[field] == getattr(found, field)
        assert each["title"]
        assert each["puzzle"] == found.puzzle_name
        assert Puzzle.parse(each["board"], box=each["box"]) == found.puzzle
    charles = next(each for each in listed if each["name"] == "charles")
    assert charles["variants"] == variants("charles")


def test_a_variant_is_a_preset_too(client: httpx.Client) -> None:
    shown = client.get("/api/presets/charles-elite").json()
    found = preset("charles-elite")
    assert shown["recipe"] == describe(found.build())
    assert shown["left_open"] == list(found.left_open)
    assert shown["differs"] == list(found.differs)
    assert tomllib.loads(shown["toml"]) == shown["recipe"]


@pytest.mark.parametrize("name", ["nobody", "..%2f..%2fetc", "charles-"])
def test_a_preset_that_is_not_there_is_not_found(client: httpx.Client, name: str) -> None:
    answer = client.get(f"/api/presets/{name}")
    assert answer.status_code == 404
    assert answer.json()["detail"]


# What fits


def test_every_preset_can_be_run(client: httpx.Client) -> None:
    for each in presets():
        answer = checked(client, preset=each.name)
        assert answer["ok"], answer["problem"]
        assert answer["problem"] is None
        assert answer["recipe"] == describe(each.build())
        assert tomllib.loads(answer["toml"]) == answer["recipe"]
        assert (answer["name"], answer["until"]) == (each.name, each.until)


def test_settings_are_what_set_has_on_the_command_line(client: httpx.Client) -> None:
    answer = checked(
        client, preset="charles", settings={"population": 500, "selection": {"use": "rank"}}
    )
    assert answer["ok"]
    assert answer["name"] == "charles, changed"
    assert answer["recipe"]["population"] == 500


def test_settings_that_change_nothing_leave_the_name(client: httpx.Client) -> None:
    assert checked(client, preset="charles", settings={"population": 1500})["name"] == "charles"


def test_a_recipe_takes_the_place_of_a_preset(client: httpx.Client) -> None:
    answer = checked(client, recipe={"use": "genetic", "population": 50})
    assert answer["ok"]
    assert answer["recipe"]["population"] == 50


MISFITS: list[tuple[dict[str, Any], str, str]] = [
    # A choice of one parameter would do: the message is at that very field.
    (
        {
            "use": "genetic",
            "encoding": "permuted-boxes",
            "crossover": {"use": "points", "by": "row"},
        },
        "crossover.by",
        "crossover.by=box",
    ),
    (
        {
            "use": "genetic",
            "encoding": "permuted-boxes",
            "mutation": {"use": "swap", "unit": "row"},
        },
        "mutation.unit",
        "mutation.unit=box",
    ),
    # Only another part would do.
    ({"use": "genetic", "crossover": "cycle"}, "crossover", "crossover=uniform"),
    (
        {"use": "genetic", "encoding": "permuted-boxes", "crossover": "row-tails"},
        "crossover",
        "crossover={'use': 'points', 'by': 'box'}",
    ),
    ({"use": "genetic", "selection": "roulette"}, "selection", "selection=inverted-roulette"),
    ({"use": "genetic", "fitness": "missing-digits"}, "fitness", "fitness=repetitions"),
    ({"use": "annealing", "encoding": "free-cells"}, "encoding", "encoding=permuted-rows"),
    ({"use": "annealing", "fitness": "complete-units"}, "fitness", "fitness=unique"),
    ({"use": "min-conflicts", "encoding": "permuted-rows"}, "encoding", "encoding=legal-cells"),
    # Parts inside parts.
    (
        {"use": "genetic", "selection": {"use": "pool", "inner": "roulette"}},
        "selection",
        "selection=pool",
    ),
    (
        {"use": "genetic", "crossover": {"use": "mixed", "parts": ["uniform", "points"]}},
        "crossover.parts",
        "",
    ),
    (
        {"use": "restarts", "algorithm": {"use": "tabu", "encoding": "legal-cells"}},
        "algorithm.encoding",
        "algorithm.encoding=permuted-boxes",
    ),
    # Numbers.
    ({"use": "genetic", "population": 0}, "population", "population=500"),
    ({"use": "genetic", "population": "many"}, "population", "population=500"),
    ({"use": "genetic", "population": 2.5}, "population", "population=500"),
    ({"use": "annealing", "moves": 0}, "moves", "moves=10000"),
    ({"use": "champion", "population": 1}, "population", "population=8"),
    (
        {"use": "genetic", "replacement": {"use": "generational", "elites": 999}},
        "replacement.elites",
        "replacement.elites=0",
    ),
    (
        {"use": "genetic", "mutation": {"use": "swap", "repeats": {"use": "fixed", "times": 0}}},
        "mutation.repeats.times",
        "mutation.repeats.times=1",
    ),
    ({"use": "restarts", "after": "tea"}, "after", "after=stagnation=100"),
    ({"use": "restarts", "after": "seconds=3"}, "after", "after=stagnation=100"),
    # Names.
    ({"use": "genetic", "selection": "tournement"}, "selection", "selection=tournament"),
    ({"use": "genetic", "mutation": {"use": "swap", "unit": "bax"}}, "mutation.unit", ""),
    ({"use": "genetic", "crossover": {"use": "mixed", "parts": []}}, "crossover.parts", ""),
    ({"use": "genitic"}, "", "use=genetic"),
]


@pytest.mark.parametrize(("recipe", "path", "label"), MISFITS, ids=lambda each: str(each)[:60])
def test_a_misfit_is_explained_at_its_field_with_what_would_do(
    recipe: dict[str, Any], path: str, label: str
) -> None:
    problem = diagnose(recipe)
    assert problem is not None
    error = build_error(recipe)
    assert error
    assert (problem.message, problem.path) == (error.reason, path)
    assert problem.alternatives
    assert not label or label in [f"{each.path}={each.value}" for each in problem.alternatives]


@pytest.mark.parametrize("recipe", [{}, {"population": 5}, {"use": "genetic", "selection": {}}])
def test_a_part_without_a_name_is_explained(recipe: dict[str, Any]) -> None:
    found = diagnose(recipe)
    assert found is not None
    assert found.path == ("selection" if "use" in recipe else "")


@pytest.mark.parametrize("recipe", [each[0] for each in MISFITS], ids=lambda each: str(each)[:60])
def test_every_alternative_mends_the_recipe_or_leads_on(recipe: dict[str, Any]) -> None:
    problem = diagnose(recipe)
    assert problem is not None
    for each in problem.alternatives:
        changed = with_value(recipe, each.path, each.value)
        assert build_error(changed) != build_error(recipe)
        following = diagnose(changed)
        assert following is None or following.path != problem.path


def test_a_misfit_is_an_answer_and_no_refusal(client: httpx.Client) -> None:
    problem = troubled(client, preset="poderosas", settings={"encoding": "permuted-boxes"})
    assert problem["path"] == "crossover"
    taken = problem["alternatives"][0]
    settings = {"encoding": "permuted-boxes", taken["path"]: taken["value"]}
    following = troubled(client, preset="poderosas", settings=settings)
    assert following["path"] == "mutation.unit"


@pytest.mark.parametrize("kind", CATALOG)
def test_any_part_in_any_place_fits_or_is_explained(kind: str) -> None:
    """One by one, every part in place of the one that every algorithm has by default."""
    for algorithm in ("genetic", "memetic", "annealing"):
        whole = describe(build(algorithm))
        for path in (key for key, value in whole.items() if isinstance(value, dict)):
            for name in CATALOG[kind]:
                changed = with_value(whole, path, name)
                problem = diagnose(changed)
                assert (problem is None) == (build_error(changed) is None)
                if problem is not None:
                    assert problem.path
                    assert problem.alternatives


# What is beyond a server, or makes no sense


def test_a_population_beyond_the_limits_is_said_at_its_field(client: httpx.Client) -> None:
    problem = troubled(client, preset="charles", settings={"population": 10**8})
    assert problem["path"] == "population"
    settings = {"use": {"use": "islands", "islands": 4}, "algorithm.population": 10**6}
    assert troubled(client, settings=settings)["path"] == "algorithm.population"


def test_limits_and_puzzle_are_checked_along(client: httpx.Client) -> None:
    assert troubled(client, until="tea=3")["path"] == "until"
    assert troubled(client, until="soon")["path"] == "until"
    assert troubled(client, puzzle="12345")["path"] == "puzzle"
    assert checked(client, puzzle=HARD, until="seconds=3 and stagnation=5")["ok"]
    assert checked(client, puzzle="ai-escargot")["ok"]


@pytest.mark.parametrize(
    "settings",
    [
        {"tea": 3},
        {"": 3},
        {"..": 3},
        {"population.size": 3},
        {"use": 3},
        {"use": {}},
        {"use": None},
    ],
    ids=str,
)
def test_settings_that_lead_nowhere_are_explained(
    client: httpx.Client, settings: dict[str, Any]
) -> None:
    problem = troubled(client, settings=settings)
    assert problem["message"]
    assert problem["path"] == ""


@pytest.mark.parametrize("name", ["os:system", "test_web_recipes:MISFITS", "__main__:x"])
def test_nobodys_own_modules_are_imported(client: httpx.Client, name: str) -> None:
    message = troubled(client, recipe={"use": name})["message"]
    assert "users' own code" in message
    message = troubled(client, preset="charles", settings={"mutation": {"use": name}})["message"]
    assert "users' own code" in message


@pytest.mark.parametrize(
    "asked",
    [{"preset": 3}, {"settings": []}, {"recipe": "genetic"}, {"more": 1}, {"preset": "nobody"}],
    ids=str,
)
def test_what_is_no_question_is_refused(client: httpx.Client, asked: Any) -> None:
    answer = client.post("/api/recipes/check", json=asked)
    assert answer.status_code == 422
    assert isinstance(answer.json()["detail"], str)


def test_a_recipe_of_many_nested_parts_is_answered(client: httpx.Client) -> None:
    deep: Any = "tournament"
    for _ in range(30):
        deep = {"use": "pool", "inner": deep}
    assert troubled(client, recipe={"use": "genetic", "selection": deep})["message"]
    wide = {"use": "mixed", "parts": ["points"] * 3000 + ["uniform"]}
    assert troubled(client, recipe={"use": "genetic", "crossover": wide})["message"]


# Files


def test_a_recipe_file_is_read_in_both_of_its_forms(client: httpx.Client) -> None:
    alone = client.post("/api/recipes/read", json={"text": 'use = "genetic"\npopulation = 50'})
    assert alone.json()["recipe"] == describe(build({"use": "genetic", "population": 50}))
    text = 'about = "mine"\nuntil = "seconds=3"\n[recipe]\nuse = "tabu"\n'
    whole = client.post("/api/recipes/read", json={"text": f"\ufeff{text}"}).json()
    assert (whole["about"], whole["until"]) == ("mine", "seconds=3")
    assert whole["recipe"] == describe(build("tabu"))


@pytest.mark.parametrize(
    ("puzzle", "name"),
    [("1.....3..4.....2", ""), ("................", "charles-hard"), ("53..7" + "." * 76, "")],
)
def test_what_is_written_of_a_run_reads_back(client: httpx.Client, puzzle: str, name: str) -> None:
    asked = {"preset": "charles", "settings": {"population": 40}, "seed": 7, "puzzle": puzzle}
    checked = client.post(
        "/api/recipes/check", json={**asked, "until": "cpu_seconds=3", "name": name}
    ).json()
    read = client.post("/api/recipes/read", json={"text": checked["toml"]}).json()
    assert (read["puzzle"], read["puzzle_name"]) == (puzzle, "")
    assert (read["until"], read["seed"], read["recipe"]) == ("cpu_seconds=3", 7, checked["recipe"])


def test_a_recipe_that_says_no_limit_has_that_of_the_command_line(client: httpx.Client) -> None:
    read = client.post("/api/recipes/read", json={"text": 'use = "genetic"'}).json()
    assert (read["until"], read["seed"], read["puzzle"]) == ("generations=1000", None, "")
    checked = client.post("/api/recipes/check", json={"recipe": read["recipe"]}).json()
    assert checked["until"] == "generations=1000"


@pytest.mark.parametrize(
    "text",
    [
        "",
        'seed = "x"\n[recipe]\nuse = "tabu"',
        'seed = -1\n[recipe]\nuse = "tabu"',
        'puzzle = "nobody"\n[recipe]\nuse = "tabu"',
        "use =",
        "[recipe]",
        'use = "os:system"',
        'use = "genetic"\npopulation = 1',
        'more = 1\n[recipe]\nuse = "tabu"',
        'until = "tea"\n[recipe]\nuse = "tabu"',
        'about = 1\n[recipe]\nuse = "tabu"',
        "recipe = 3",
        "a=" + "[" * 2000,
        'use = "genetic"\npopulation = ' + "9" * 5000,
        'use = "genetic"\npopulation = 0x' + "f" * 9000,
    ],
    ids=lambda text: repr(text[:30]),
)
def test_a_file_that_is_no_recipe_is_refused_in_a_sentence(client: httpx.Client, text: str) -> None:
    answer = client.post("/api/recipes/read", json={"text": text})
    assert answer.status_code == 422
    said = answer.json()["detail"]
    assert said
    assert not re.search("Traceback|Error:", said)
