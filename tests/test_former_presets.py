"""Studies that were written when report 001's annealing had other names."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from runs import BASIC
from short_studies import exported

from genoku.errors import InputError
from genoku.lab import Instance, Store, Study, arm, read_study, run_study
from genoku.lab.report.build import evolve_command

NOW = {
    "eran-shahar-sa": "eran-shahar-sa-restarts",
    "eran-shahar-sa-downhill": "eran-shahar-sa-continues",
}
FILE = """
name = "readings"
puzzles = ["charles-basic"]
seeds = {seeds}
until = "evaluations=3000"
algorithms = {names}
"""


def study_file(folder: Path, names: list[str], seeds: int) -> Path:
    path = folder / "readings.toml"
    path.write_text(FILE.format(names=json.dumps(names), seeds=seeds), "utf-8")
    return path


def former_study(seeds: int = 2) -> Study:
    """The study as it was planned and stored under the former names."""
    arms = tuple(replace(arm(now, until="evaluations=3000"), name=old) for old, now in NOW.items())
    return Study("readings", arms, (Instance("charles-basic", BASIC),), tuple(range(seeds)))


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Half of that study's runs."""
    path = tmp_path / "readings.db"
    run_study(former_study(seeds=1), path)
    Store.create(path, former_study()).close()
    return path


@pytest.mark.parametrize("old", NOW)
def test_a_study_file_with_a_former_name_is_refused_with_both_new_ones(
    old: str, tmp_path: Path
) -> None:
    path = study_file(tmp_path, [old], 1)
    with pytest.raises(InputError) as caught:
        read_study(path)
    assert set(caught.value.alternatives) == set(NOW.values())


def test_the_command_line_refuses_such_a_file_and_writes_nothing(
    genoku: Any, tmp_path: Path
) -> None:
    refused = genoku("study", "run", str(study_file(tmp_path, list(NOW), 1)))
    assert refused.code == 2
    assert all(name in refused.err for name in NOW.values())
    assert not (tmp_path / "readings.db").exists()


@pytest.mark.parametrize(
    "words", [("presets",), ("solve", "--preset"), ("race", "champion"), ("tune",)]
)
@pytest.mark.parametrize("old", NOW)
def test_commands_refuse_a_former_name_with_both_new_ones(
    genoku: Any, words: tuple[str, ...], old: str
) -> None:
    refused = genoku(*words, old)
    assert (refused.code, refused.out) == (2, "")
    assert all(name in refused.err for name in NOW.values())


def test_a_store_with_former_names_is_resumed_and_reported(
    genoku: Any, store: Path, tmp_path: Path
) -> None:
    resumed = genoku("study", "resume", str(store), "--jobs", "1")
    assert resumed.code == 0
    assert json.loads(genoku("study", "status", str(store), "--json").out)["done"] == 4
    page = tmp_path / "page.md"
    told = genoku("report", str(store), "--markdown", str(page))
    assert told.code == 0
    assert all(f"| {name} |" in page.read_text("utf-8") for name in NOW)
    with Store.open(store) as opened:
        assert opened.study.text() == former_study().text()


def test_a_file_with_the_new_names_takes_over_the_runs_of_a_store_with_former_ones(
    store: Path, tmp_path: Path
) -> None:
    with Store.open(store) as opened:
        before = opened.done()
    study = read_study(study_file(tmp_path, list(NOW.values()), 2))
    study = replace(study, record=former_study().record)
    assert before < set(study.keys(study.runs()))
    assert run_study(study, store).done == 4
    run_study(study, tmp_path / "anew.db")
    assert exported(store) == exported(tmp_path / "anew.db")


def test_a_report_repeats_a_run_of_a_former_preset_by_its_recipe() -> None:
    study = former_study()
    for each in study.arms:
        command = evolve_command(study, each, study.instances[0], 1)
        assert f"--recipe {each.name}.toml" in command
