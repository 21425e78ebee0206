"""`genoku tune`: the whole way to a preset, interrupted or not, and what is refused."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from interrupting import interrupt

from genoku.evolve.presets import preset_from_file
from genoku.lab.tune import Task, TuningRun, evaluate, finished_trials

SMALL = (
    "tune", "small.toml", "--size", "4", "--instances", "5", "--until", "evaluations=300",
    "--parameters", "population=4..60:log", "--validate", "6",
)  # fmt: skip
RECIPE = 'about = "small"\n[recipe]\nuse = "genetic"\npopulation = 10\nfitness = "unique-squared"\n'


@pytest.fixture
def small(genoku: Any) -> Any:
    """The command, in a folder with a small recipe."""
    Path("small.toml").write_text(RECIPE, "utf-8")
    return genoku


def process(folder: Path, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "genoku", *words],
        cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def test_a_preset_is_tuned_validated_and_written_so_that_solve_runs_it(small: Any) -> None:
    said = small(*SMALL, "--trials", "6")
    assert said.code == 0
    assert finished_trials("small-tuned.db") == 6
    told = json.loads(small(*SMALL, "--trials", "6", "--json").out)
    tuned = preset_from_file("small-tuned.toml")
    assert tuned.recipe == told["best"]["recipe"]
    if told["validation"] is not None:
        assert str(told["best"]["parameters"]["population"]) in said.out
        assert " ".join(told["validation"]["sentence"].split()) in " ".join(said.out.split())
        assert (told["validation"]["verdict"] == "better") == ("and better" in tuned.about)
    assert small("presets", "small-tuned.toml").code == 0
    solved = small("solve", "1.....3..4.....2", "--recipe", "small-tuned.toml")
    assert solved.code in (0, 1)


def test_json_says_what_was_searched_and_found(small: Any) -> None:
    told = json.loads(small(*SMALL, "--trials", "4", "--json").out)
    assert told["trials"] == 4
    assert "population=4..60:log" in told["space"]
    assert told["validation"]["puzzles"] == "fresh"
    assert told["validation"]["pairs"] == 6


def test_an_algorithm_of_ones_own_is_tuned_by_what_it_declares(genoku: Any, tmp_path: Path) -> None:
    (tmp_path / "tuned_own.py").write_text(
        "from dataclasses import dataclass\nfrom genoku.evolve.algorithms import Genetic\n"
        "@dataclass(frozen=True)\nclass Mine(Genetic):\n    strength: int = 8\n"
    )
    Path("own.toml").write_text('use = "tuned_own:Mine"\npopulation = 10\n', "utf-8")
    words = ("tune", "own.toml", "--size", "4", "--instances", "2", "--until", "evaluations=100")
    told = json.loads(genoku(*words, "--validate", "2", "--trials", "2", "--trust", "--json").out)
    assert "strength=2..32:log" in told["space"]
    assert told["trials"] == 2


def test_only_searches_nothing_but_what_is_named(small: Any) -> None:
    told = json.loads(small(*SMALL, "--only", "--trials", "2", "--json").out)
    assert told["space"] == ["population=4..60:log"]


def test_what_was_found_before_is_not_searched_again(small: Any) -> None:
    first = small(*SMALL, "--trials", "3")
    again = small(*SMALL, "--trials", "3")
    assert finished_trials("small-tuned.db") == 3
    assert again.err.count("trial") < first.err.count("trial")
    assert again.out == first.out or "CPU time" in first.out


def test_given_puzzles_are_tuned_on(small: Any) -> None:
    words = [each for each in SMALL if each not in ("--size", "4")]
    said = small(*words, "--puzzles", "1.....3..4.....2", "--trials", "2", "--json")
    assert said.code == 0
    told = json.loads(said.out)
    assert told["trials"] == 2
    validation = told["validation"]
    if validation is not None:
        assert (validation["puzzles"], validation["pairs"]) == ("isomorphs", 6)
    assert "fresh" not in Path("small-tuned.toml").read_text("utf-8")


def tuned_to_the_end(small: Any, name: str, trials: int) -> tuple[dict[str, Any], str]:
    said = small(*SMALL, "--trials", str(trials), "--json", "-o", f"{name}.toml")
    assert said.code == 0
    told = json.loads(said.out)
    del told["written"], told["store"]
    return told, Path(f"{name}.toml").read_text("utf-8")


def started(name: str, *words: str) -> subprocess.Popen[str]:
    """A search without end, in a process of its own that has finished a trial."""
    running = process(Path.cwd(), *SMALL, "--trials", "5000", "-o", f"{name}.toml", *words)
    while finished_now(f"{name}.db") < 1:
        assert running.poll() is None
        time.sleep(0.02)
    return running


def finished_now(store: str) -> int:
    try:
        return finished_trials(store)
    except Exception:  # a store that is just being made
        return 0


def test_killed_at_any_time_it_ends_as_one_that_never_was(small: Any) -> None:
    running = started("killed")
    time.sleep(0.1 * random.random())  # in the midst of whatever it is at
    running.kill()
    running.communicate()
    trials = finished_now("killed.db") + 2
    assert tuned_to_the_end(small, "killed", trials) == tuned_to_the_end(small, "whole", trials)


def test_ctrl_c_stops_two_processes_in_a_word_and_one_ends_what_they_began(small: Any) -> None:
    running = started("begun", "--jobs", "2")
    interrupt(running)
    _, err = running.communicate()
    assert running.returncode == 130
    assert "tune small.toml --size" in err  # the same command
    assert "Traceback" not in err
    trials = finished_now("begun.db") + 1
    assert tuned_to_the_end(small, "begun", trials) == tuned_to_the_end(small, "whole", trials)


def test_after_ctrl_c_the_same_command_goes_on(small: Any, monkeypatch: Any) -> None:
    whole = tuned_to_the_end(small, "whole", 3)
    made = []

    def pressed(task: Task) -> TuningRun:
        made.append(task)
        if len(made) == 8:
            signal.raise_signal(signal.SIGINT)
        return evaluate(task)

    with monkeypatch.context() as patch:
        patch.setattr(sys.modules["genoku.lab.tune"], "evaluate", pressed)
        stopped = small(*SMALL, "--trials", "3", "-o", "cut.toml")
    assert stopped.code == 130
    assert "cut.db" in stopped.err
    assert 0 < finished_trials("cut.db") < 3
    assert not Path("cut.toml").exists()
    assert tuned_to_the_end(small, "cut", 3) == whole


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("simn",), "did you mean simon"),
        (("exact",), "expected parameters to tune, got none in exact"),
        (("small.toml", "--only"), "expected --parameters with --only"),
        (("small.toml", "--parameters", "population"), "expected a parameter such as"),
        (("small.toml", "--parameters", "populatoin=1..2"), "did you mean population"),
        (("small.toml", "--parameters", "fitness=unique|unique-squared"), "another scale"),
        (("small.toml", "--seed", "-1"), "-1 is not in the range"),
        (("small.toml", "--until", "stagnation=5"), "expected a limit that ends every run"),
        (("small.toml", "--until", "sometimes"), "expected limits such as"),
        (("small.toml", "--puzzles", "nowhere"), "no bundled puzzle"),
        (("small.toml", "--puzzles", "11.............."), "1 appears twice"),
        (("small.toml", "--puzzles", "generate", "--puzzles", "ai-escargot"), "--puzzles generate"),
        (("small.toml", "--puzzles", "ai-escargot", "--level", "easy"), "--level"),
        (("small.toml", "--size", "5"), "5"),
        (("small.toml", "-o", "none/here.toml"), "no such folder: none"),
        (("small.toml", "--store", "x.toml"), "--store x.toml: "),
        (("small.toml", "--store", "text.db"), "expected a file of genoku tune"),
        (("missing.toml",), "missing.toml"),
    ],
)
def test_what_cannot_be_tuned_is_said_in_a_line(
    small: Any, words: tuple[str, ...], said: str
) -> None:
    Path("text.db").write_text("no database", "utf-8")
    done = small("tune", *words)
    assert done.code == 2
    assert said in done.err
    assert Path("small.toml").read_text("utf-8") == RECIPE


def test_without_optuna_one_line_says_what_to_install(
    small: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "optuna", None)
    done = small(*SMALL)
    assert done.code == 2
    assert done.err == 'genoku: tuning requires Optuna: pip install "genoku[tune]"\n'


def test_budgets_that_are_not_fair_or_not_reproducible_are_named(small: Any) -> None:
    warnings = {
        limit: small("tune", "exact", "--until", limit).err.splitlines()[:-1]
        for limit in ("evaluations=5", "seconds=1", "generations=5")
    }
    assert {limit: len(said) for limit, said in warnings.items()} == {
        "evaluations=5": 0, "seconds=1": 1, "generations=5": 1,
    }  # fmt: skip
