"""The command genoku race: what it prints, keeps and refuses."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st
from interrupting import interrupt
from patience import PATIENCE
from races import CLASH, FOUR
from short_studies import done_in

from genoku.cli.output import table_lines
from genoku.cli.race import _with_settings
from genoku.evolve.algorithms import Genetic
from genoku.evolve.operators.selection import Tournament
from genoku.lab.store import Store


def test_a_race_into_pipes_is_plain_lines_and_a_table(genoku: Any) -> None:
    words = ("--puzzle", FOUR, "--until", "evaluations=20000", "--seeds", "6")
    said = genoku("race", "charles:population=40", "tabu", *words)
    assert said.code == 0
    assert "\x1b" not in said.out + said.err
    assert "wins" in said.out
    assert "6 of 6" in said.out
    assert "charles:population=40 and tabu" in said.out or "does better" in said.out


def test_json_is_one_object_with_the_race_and_the_study(genoku: Any) -> None:
    words = ("--puzzle", FOUR, "--until", "evaluations=2000", "--json", "--seeds")
    told = json.loads(genoku("race", "charles", "sundy", "tabu", *words, "3").out)
    assert told["puzzle"] == FOUR
    assert [each["name"] for each in told["race"]] == ["charles", "sundy", "tabu"]
    assert told["winner"] in ("charles", "sundy", "tabu")
    assert told["study"]["runs"] == 9
    assert [each["runs"] for each in told["study"]["contenders"]] == [3, 3, 3]
    assert len(told["study"]["comparisons"]) == 3
    alone = json.loads(genoku("race", "charles", "sundy", *words, "0").out)
    assert alone["study"] is None


def test_json_says_who_did_not_have_to_search(genoku: Any) -> None:
    words = ("--puzzle", "charles-easy", "--until", "generations=1", "--seeds", "2", "--json")
    told = json.loads(genoku("race", "sundy", "annealing", *words).out)
    for part in (told["race"], told["study"]["contenders"]):
        assert [each["searched"] for each in part] == [True, False]


def test_the_same_race_comes_to_the_same_runs_on_two_processes(genoku: Any) -> None:
    words = ("race", "charles", "sundy", "--puzzle", FOUR, "--until", "generations=5", "--json")
    one, two = (json.loads(genoku(*words, "--seeds", "3", "--jobs", jobs).out) for jobs in "12")
    for told in (one, two):
        for each in told["study"]["contenders"]:
            del each["cpu_seconds"]
        for each in told["race"]:
            del each["cpu_seconds"]
        del told["winner"], told["by"]
    assert one == two


def test_a_store_keeps_the_runs_and_a_report_is_a_page(genoku: Any) -> None:
    words = ("race", "charles", "tabu", "--puzzle", FOUR, "--until", "generations=5")
    said = genoku(*words, "--seeds", "3", "--store", "race.db", "--report", "race.html")
    assert said.code == 0
    assert "<html" in Path("race.html").read_text("utf-8")[:200]
    with Store.open("race.db") as store:
        assert len(store.results()) == 6
    assert genoku(*words, "--seeds", "3", "--store", "race.db").code == 0


def test_a_recipe_of_ones_own_races_too(genoku: Any) -> None:
    Path("mine.toml").write_text('use = "genetic"\nfitness = "unique"\n', "utf-8")
    words = ("--puzzle", FOUR, "--until", "generations=3", "--seeds", "0", "--json")
    told = json.loads(genoku("race", "mine.toml", "charles", *words).out)
    assert told["race"][0]["name"] == "mine"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "expected 2 to 4 presets, got 0"),
        (("charles",), "expected 2 to 4 presets, got 1"),
        (("charles",) * 5, "expected 2 to 4 presets, got 5"),
        (("charles", "simn"), "did you mean simon"),
        (("charles", "charles"), "'charles' twice"),
        (("charles", "charles:population=1500"), "again as 'charles:population=1500'"),
        (("charles", "charles:populatoin=3"), "did you mean population"),
        (("charles", "missing.toml"), "missing.toml"),
        (("charles", "sundy", "--puzzle", "nowhere"), "no bundled puzzle"),
        (("charles", "sundy", "--box", "2x3"), "expected 36 cells"),
        (("charles", "sundy", "--puzzle", CLASH), "1 appears twice"),
        (("charles", "sundy", "--until", "soon"), "expected limits such as"),
        (("charles", "sundy", "--until", ""), "expected a budget such as"),
        (("charles", "sundy", "--seeds", "0", "--report", "x.html"), "--seeds 1 or more"),
        (("charles", "sundy", "--report", "none/x.html"), "--report none/x.html: "),
        (("charles", "sundy", "--report", "x", "--store", "x"), "--store and --report, got x"),
        (("charles", "sundy", "--seed", "-1"), "-1"),
    ],
)
def test_what_cannot_race_is_said_in_words(genoku: Any, words: tuple[str, ...], said: str) -> None:
    done = genoku("race", *words)
    assert done.code == 2
    assert said in done.err
    assert done.out == ""


def test_settings_stand_behind_a_colon() -> None:
    words = "charles:population=40,selection.use=tournament"
    _, algorithm, name = _with_settings(words, trust=False)
    assert name == words
    assert isinstance(algorithm, Genetic)
    assert (algorithm.population, algorithm.selection) == (40, Tournament())


def race_process(folder: Path, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "genoku", "race", "charles", "sundy", *words],
        cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def test_ctrl_c_in_the_live_race_says_what_was_seen(tmp_path: Path) -> None:
    running = race_process(tmp_path, "--time-limit", "60")
    assert running.stderr is not None
    for _ in range(2):  # the first line is printed before the race
        while "each: errors left" not in running.stderr.readline():
            assert running.poll() is None
    interrupt(running)
    out, err = running.communicate(timeout=PATIENCE)
    assert running.returncode == 130
    assert out.count("\n") == 4  # heads, two contenders, who leads
    assert "study" not in out
    assert "interrupted" in err
    assert "Traceback" not in err


def test_ctrl_c_in_the_study_tells_of_the_runs_that_were_made(tmp_path: Path) -> None:
    words = ("--until", "generations=300", "--seeds", "5000", "--store", "race.db")
    running = race_process(tmp_path, *words)
    assert running.stdout is not None
    while "solved it" not in running.stdout.readline():
        assert running.poll() is None
    while done_in(tmp_path / "race.db") < 3:
        assert running.poll() is None
        time.sleep(0.05)
    interrupt(running)
    out, err = running.communicate(timeout=PATIENCE)
    assert running.returncode == 130
    assert "planned runs" in out
    assert "interrupted after" in err
    assert "same command" in err
    assert "Traceback" not in err


WORDS = st.from_regex(r"[!-~]{1,9}", fullmatch=True)


@given(st.lists(st.tuples(WORDS, WORDS, WORDS), max_size=5))
def test_columns_of_a_table_line_up(rows: list[tuple[str, ...]]) -> None:
    lines = table_lines(("name", "one", "two"), rows)
    assert len({len(line) for line in lines}) == 1
    assert [line.split() for line in lines[1:]] == [list(row) for row in rows]
