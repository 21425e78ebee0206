"""What the ingredients of the textbook algorithm are worth: the study, its table and its chart."""

from __future__ import annotations

import json
import math
from dataclasses import fields
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from benchmarks import textbook
from benchmarks.racing import Outcome
from genoku import preset
from genoku.evolve.recipe import describe
from genoku.lab import Results
from genoku.lab.studyfile import read_study
from genoku.puzzle.board import Puzzle


def results(*evaluations: float, limit: int = 1000) -> Results:
    """Runs of two seeds on each puzzle; those that would take longer are stopped at the limit."""
    efforts = np.array(evaluations)
    columns: dict[str, Any] = {each.name: np.zeros(len(efforts)) for each in fields(Results)}
    places = np.arange(len(efforts))
    columns |= {"instance": places // 2, "seed": places % 2, "solved": efforts <= limit}
    columns |= {"evaluations": np.minimum(efforts, limit), "cpu_seconds": efforts / limit}
    return Results(**columns)


def test_the_study_changes_the_preset_and_leaves_its_puzzles_to_search() -> None:
    study = read_study(textbook.STUDY)
    assert study.arms[0].recipe == describe(preset("textbook").build())
    recipes = [str(arm.recipe) for arm in study.arms]
    assert len(set(recipes)) == len(recipes)
    assert len({arm.until for arm in study.arms}) == 1
    for arm in study.arms:
        algorithm = arm.algorithm()
        for _, puzzle in study.instances[:2]:
            assert len(algorithm.encoding.space(puzzle).genes) > 0


def test_an_ingredient_is_compared_puzzle_by_puzzle() -> None:
    first, slower = results(100, 100, 400, 400), results(300, 300, 1200, 900)
    same = textbook.compare_two("same", first, first)
    assert (same.ratio, same.low, same.high, same.effect.a12) == (1, 1, 1, 0.5)
    found = textbook.compare_two("slower", slower, first)
    assert found.found.success.successes == 3
    assert found.found.value == pytest.approx((300 + 300 + 1000 + 900) / 3)
    assert found.ratio == pytest.approx(found.found.value / 250)
    assert found.low <= found.ratio <= found.high
    assert found.effect.a12 == 1
    assert found.found.interval.low < found.found.value < found.found.interval.high


def test_what_nobody_solved_has_no_ratio() -> None:
    found = textbook.compare_two("none", results(2000, 3000), results(100, 100))
    assert found.ratio == math.inf
    _, solved, _, per_solution, ratio, between, *_ = textbook.ingredient_row(found)
    assert solved == "0/2"
    assert per_solution.startswith("more than ")
    assert (ratio, between) == ("-", "-")


def test_the_chart_has_a_row_for_every_algorithm_that_solved_a_puzzle(tmp_path: Path) -> None:
    base = results(100, 200)
    found = [
        textbook.compare_two(name, own, base)
        for name, own in (("all", base), ("less", results(300, 2000)), ("none", results(2e3, 2e3)))
    ]
    textbook.write_chart(found, tmp_path / "textbook.svg")
    words = "".join(ElementTree.parse(tmp_path / "textbook.svg").getroot().itertext())
    assert "less" in words
    assert "none" not in words


def test_an_unsolved_puzzle_is_later_than_any_percentile_that_it_reaches() -> None:
    outcomes = [Outcome("textbook", str(n), 1, n < 9, min(n, 9) + 1.0, 1) for n in range(10)]
    name, solved, share, _, median, p90, most, _ = textbook.summary_row("textbook", outcomes)
    assert (name, solved, share, median) == ("textbook", "9/10", "90.0 %", "6 s")
    assert p90 == most == "not solved"


def test_the_hardest_puzzles_are_read_from_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    puzzle = preset("textbook").puzzle
    assert isinstance(puzzle, Puzzle)
    (tmp_path / "hardest-375.txt").write_text(f"{puzzle}\n" * 3, "utf-8")
    words = ["bench textbook", "hardest", "--puzzles", str(tmp_path), "--every", "2"]
    monkeypatch.setattr("sys.argv", [*words, "--json", str(tmp_path / "runs.json")])
    textbook.main()
    assert " 2/2 " in capsys.readouterr().out
    runs = json.loads((tmp_path / "runs.json").read_text("utf-8"))["results"]["runs"]
    assert [run["solved"] for run in runs] == [True, True]
